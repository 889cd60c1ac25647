"""How Live keeps the answer of a test up to date: asks what changed, and writes the rows that this changes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, ClassVar

from ..frame_scene import Progress
from ..pair_row import PairRow
from ..rows import first_contact_row_steps
from .asked import Answered, Asked

if TYPE_CHECKING:
    from .base import DetectTest

Pair = tuple[int, int]


class Follower(ABC):
    """What is known of the pairs of a scene.

    Attributes:
        rows: by the engine's ids of the two objects.
        refines: whether a question that is asked again without a change makes the answer more certain.
    """

    refines: ClassVar[bool] = False

    def __init__(self) -> None:
        self.rows: dict[Pair, PairRow] = {}

    @property
    def uncertain(self) -> int:
        """Pairs of which only a probability is known."""
        return 0

    @abstractmethod
    def ask_steps(self, asked: Asked, first_contact: bool) -> Generator[Any, None, Answered]:
        """Asks for what changed since the last call; closing the generator loses nothing.

        Args:
            asked: about the scene as it is now.
            first_contact: be content with knowing who meets.

        Returns:
            The work, and what is left out; `found` is empty.
        """

    @abstractmethod
    def write_steps(self, asked: Asked, frame: int, highlights: bool = True) -> Generator[Progress, None, None]:
        """Writes the rows that differ since the last call, in slices; closing the generator loses nothing."""


class WatchFollower(Follower):
    """Follows one of the engine's watches, which tell what became known of a pair and which pairs are gone.

    Args:
        test: writes the rows.
        watch: a `Watch`.
    """

    _distance: float | None = None  # of pairs that meet

    def __init__(self, test: DetectTest, watch: Any) -> None:
        super().__init__()
        self._test, self._watch = test, watch
        self._unwritten: dict[Pair, Any] = {}

    def ask_steps(self, asked: Asked, first_contact: bool) -> Generator[Any, None, Answered]:
        """As `Follower`."""
        stats = yield from self._watch.update_steps(
            set_a=asked.set_a, set_b=asked.set_b, keep=asked.keep, first_contact=first_contact
        )
        changes = self._watch.take_changes()
        for pair in changes.gone:
            self.rows.pop(pair, None)
            self._unwritten.pop(pair, None)
        self._unwritten |= changes.found
        self._unwritten |= changes.meeting
        return Answered((), stats, stats.timings, *self._left_out())

    def write_steps(self, asked: Asked, frame: int, highlights: bool = True) -> Generator[Progress, None, None]:
        """As `Follower`."""
        for pair in list(self._unwritten):
            found = self._unwritten[pair]
            if isinstance(found, asked.engine.FirstContact):
                steps = first_contact_row_steps(asked.engine, asked.world, found, frame, self._distance)
            else:
                steps = self._test.row_steps(asked, found, frame, highlights)
            self.rows[pair] = yield from steps
            del self._unwritten[pair]  # now, so that giving up in the middle loses nothing

    def _left_out(self) -> tuple[int, float | None]:
        """Pairs that the watch does not list, and how far apart these are at least."""
        return 0, None


class GapFollower(WatchFollower):
    """Follows a `GapWatch`."""

    _distance = 0.0

    def _left_out(self) -> tuple[int, float | None]:
        left_out = self._watch.left_out
        return left_out, self._watch.beyond if left_out else None
