"""Definition of a test: its query to the engine, the options that it accepts, and the rows that it returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from ..kernel_parts import BASIC_PARTS
from ..option_table import required_by, taken_by
from ..rows import Draft
from .followers import Follower
from .question import DetectQuestion

if TYPE_CHECKING:
    from ..options import DetectOptions


def basic_parts(options: DetectOptions) -> tuple[str, ...]:
    """Return the given parts, and those that measure volumes if these are requested."""
    return (*BASIC_PARTS, "more", "voxels") if options.overlap_volume else BASIC_PARTS


class DetectTest(ABC):
    """A test that the user can choose. Detect, the command line, the reports and the panels use only these members of a
    test.

    Attributes:
        name: name on the command line and in reports.
        label, description: texts in the panel.
        tolerance_means: the field that the command line's `--tolerance` sets ("": an error is raised).
        verdicts: the verdicts of the test's rows, worst first.
        apart: the verdict of pairs that do not meet but are listed.
        measures: fields of `PairRow` that its rows are compared by; a list shows the first one that a row has.
        nothing: sentence for an empty result.
        found: text that describes the rows, after "1 pair" and after "3 pairs".
        has_moments: whether the rows begin and end with a contact, so that times between frames can be computed.
        of_pairs: whether the test is about two objects; otherwise it is about single objects, and scans are not tested.
        takes_massive: whether the test supports clustered meshes on disk.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    description: ClassVar[str]
    tolerance_means: ClassVar[str] = ""
    verdicts: ClassVar[tuple[str, ...]]
    apart: ClassVar[str]
    measures: ClassVar[tuple[str, ...]]
    nothing: ClassVar[str]
    found: ClassVar[tuple[str, str]]
    has_moments: ClassVar[bool] = False
    of_pairs: ClassVar[bool] = True
    takes_massive: ClassVar[bool] = False

    @property
    def takes(self) -> frozenset[str]:
        """Names of the options that the test accepts, but not all tests."""
        return taken_by(self.name)

    @property
    def required(self) -> frozenset[str]:
        """Names of the options that the test requires."""
        return required_by(self.name)

    @abstractmethod
    def parts(self, options: DetectOptions) -> tuple[str, ...]:
        """Return the parts of the engine's warm-up that the test needs."""

    @abstractmethod
    def reach(self, options: DetectOptions) -> float:
        """Return the largest distance of listed pairs [m]; infinity for any distance."""

    @abstractmethod
    def draft(self, question: DetectQuestion, found: Any, frame: int) -> Draft:
        """Return the row of a pair from the engine's result, without geometry to draw."""

    @abstractmethod
    def follower(self, question: DetectQuestion) -> Follower:
        """Create the object that runs the test and keeps its result up to date, for the engine scene of `question`."""
