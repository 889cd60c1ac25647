"""What tests of surfaces that meet have in common: two objects, or one with itself, and all their contacts."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ..frame_scene import Progress
from ..rows import RowSteps, surfaces_row_steps
from ..steps import within
from ..verdicts import MEETS
from .asked import Answered, Asked
from .base import BASIC_PARTS, DetectTest
from .followers import Follower, Pair

if TYPE_CHECKING:
    from ..options import DetectOptions


class Meeting(NamedTuple):
    """Two objects whose surfaces meet; ids are the engine's. Both are the same where one surface crosses itself."""

    a: int
    b: int
    contacts: Any


class SurfaceTest(DetectTest):
    """Whose surfaces meet; `pairs` says who is asked about, `contacts_steps` finds all contacts of a pair.

    Attributes:
        timing: what the statistics call the seconds of the engine.
    """

    takes: ClassVar[frozenset[str]] = frozenset()
    verdicts = (MEETS,)
    apart = MEETS
    measures = ()
    timing: ClassVar[str]

    @abstractmethod
    def pairs(self, asked: Asked) -> list[Pair]:
        """The engine's ids of what may meet."""

    @abstractmethod
    def contacts_steps(self, asked: Asked, a: int, b: int) -> Generator[Any, None, Any]:
        """The contacts of a pair, in slices where that is possible."""

    def parts(self, options: DetectOptions) -> tuple[str, ...]:
        """As `DetectTest`."""
        return (*BASIC_PARTS, "more")

    def reach(self, options: DetectOptions) -> float:
        """As `DetectTest`."""
        return 0.0

    def ask_steps(self, asked: Asked) -> Generator[Any, None, Answered]:
        """As `DetectTest`."""
        started, found, stats = time.perf_counter(), [], asked.engine.QueryStats()
        pairs = self.pairs(asked)
        for done, pair in enumerate(pairs):
            contacts = yield from within(self.contacts_steps(asked, *pair), done / len(pairs), (done + 1) / len(pairs))
            stats = contacts.stats.plus(stats)
            if len(contacts):
                found.append(Meeting(*pair, contacts))
        return Answered(found, stats, {self.timing: time.perf_counter() - started})

    def row_steps(self, asked: Asked, found: Any, frame: int, highlights: bool) -> RowSteps:
        """As `DetectTest`."""
        return surfaces_row_steps(asked.engine, asked.world, found, MEETS, frame, highlights)

    def follower(self, asked: Asked) -> Follower:
        """As `DetectTest`."""
        return SurfaceFollower(self)


class SurfaceFollower(Follower):
    """Asks about each pair of which an object moved or deformed, and writes its row: what is drawn moves along."""

    def __init__(self, test: SurfaceTest) -> None:
        super().__init__()
        self._test = test
        self._known: Any = None  # the engine's `PairMemory`: pairs that were asked
        self._unwritten: dict[Pair, Meeting | None] = {}

    def ask_steps(self, asked: Asked, first_contact: bool) -> Generator[Any, None, Answered]:
        """As `Follower`; all contacts of a pair are found in any case."""
        started, stats = time.perf_counter(), asked.engine.QueryStats()
        if self._known is None:
            self._known = asked.engine.PairMemory()
        pairs = self._test.pairs(asked)
        due: list[Pair] = self._known.follow(asked.world.scene, pairs)
        for known in (self._unwritten, self.rows):
            for pair in known.keys() - set(pairs):
                del known[pair]
        for done, pair in enumerate(due):
            steps = self._test.contacts_steps(asked, *pair)
            contacts = yield from within(steps, done / len(due), (done + 1) / len(due))
            stats = contacts.stats.plus(stats)
            self._known.note(pair, len(contacts))
            self._unwritten[pair] = Meeting(*pair, contacts) if len(contacts) else None
        return Answered((), stats, {self._test.timing: time.perf_counter() - started})

    def write_steps(self, asked: Asked, frame: int, highlights: bool = True) -> Generator[Progress, None, None]:
        """As `Follower`."""
        for pair, found in list(self._unwritten.items()):
            if found is None:
                self.rows.pop(pair, None)
            else:
                steps = surfaces_row_steps(asked.engine, asked.world, found, MEETS, frame, highlights)
                self.rows[pair] = yield from steps
            del self._unwritten[pair]  # now, so that giving up in the middle loses nothing
