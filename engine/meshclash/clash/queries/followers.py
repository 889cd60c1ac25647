"""Keep the result of a test up to date: query changed objects, and write the rows that change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, ClassVar

from ...types.slices import portions
from ..fits import fitted_steps
from ..frame_scene import Progress
from ..pair_row import PairRow
from ..rows import ROWS_AT_ONCE, Draft, FirstContacts, first_contact_draft, row_steps
from .question import DetectAnswer, DetectQuestion

if TYPE_CHECKING:
    from .base import DetectTest

Pair = tuple[int, int]
Key = Pair | tuple[int, int, str]
"""Of a row: the engine's ids of two objects, and of a part of a self-contact its pair of regions."""


class Follower(ABC):
    """Keeps the results for the pairs of a scene.

    Attributes:
        rows: rows by their keys.
        firsts: the pairs of meshes in memory of which only a first contact is known, with this contact.
            Their rows are created when they are displayed.
        refines: whether repeating a query without a change makes its result more certain.
    """

    refines: ClassVar[bool] = False
    _distance: float | None = None  # of pairs that meet

    def __init__(self) -> None:
        self.rows: dict[Key, PairRow] = {}
        self.firsts: dict[Pair, Any] = {}

    def first_contacts(self, question: DetectQuestion, frame: int) -> FirstContacts:
        """Return the current pairs of which only a first contact is known."""
        world, found = question.world, list(self.firsts.values())
        return FirstContacts(question.engine, world.objects, world.meshes, found, frame, self._distance)

    def forget_answers(self) -> None:
        """Free what only a later query needs."""
        self.firsts = {}

    @property
    def uncertain(self) -> int:
        """Number of pairs for which only a probability is known."""
        return 0

    @abstractmethod
    def ask_steps(self, question: DetectQuestion, first_contact: bool) -> Generator[Any, None, DetectAnswer]:
        """Query all changes since the last call; closing the generator loses no results.

        Args:
            question: the query about the current scene.
            first_contact: find only which pairs meet.

        Returns:
            Return the work, and the pairs that are left out.
        """

    @abstractmethod
    def write_steps(
        self, question: DetectQuestion, frame: int, highlights: bool = True
    ) -> Generator[Progress, None, None]:
        """Write the rows that changed since the last call, in slices; closing the generator loses work, but no row."""


class WatchFollower(Follower):
    """Follows a watch of the engine, which reports new results for pairs, and pairs that are no longer found.

    Args:
        test: writes the rows.
        watch: a `LiveContacts`.
    """

    def __init__(self, test: DetectTest, watch: Any) -> None:
        super().__init__()
        self._test, self._watch = test, watch
        self._unwritten: dict[Pair, Any] = {}

    def ask_steps(self, question: DetectQuestion, first_contact: bool) -> Generator[Any, None, DetectAnswer]:
        """Implement `Follower.ask_steps`."""
        self._change_limits(question)
        everything = len(question.world.objects)
        sets = (None if len(ids) == everything else ids for ids in (question.set_a, question.set_b))
        changes = yield from question.engine.steps(
            self._watch.update, **dict(zip(("set_a", "set_b"), sets, strict=True)), keep=question.keep,
            first_contact=first_contact, device=question.device,
        )  # fmt: skip
        for known in (self.rows, self.firsts, self._unwritten):
            for pair in changes.gone if known else ():
                known.pop(pair, None)
        for pair in changes.found if self.firsts else ():
            self.firsts.pop(pair, None)
        plain, world = question.world.all_plain, question.world
        meeting = {pair: first for pair, first in changes.meeting.items() if plain or world.plain(pair)}
        for known in (self.rows, self._unwritten):
            for pair in meeting if known else ():
                known.pop(pair, None)
        self.firsts |= meeting
        self._unwritten |= changes.found
        self._unwritten |= {pair: first for pair, first in changes.meeting.items() if pair not in meeting}
        stats = self._watch.stats
        return DetectAnswer(stats, stats.timings, *self._left_out())

    def forget_answers(self) -> None:
        """Implement `Follower.forget_answers`: each verdict is freed when its row is written."""
        super().forget_answers()
        del self._watch

    def write_steps(
        self, question: DetectQuestion, frame: int, highlights: bool = True
    ) -> Generator[Progress, None, None]:
        """Implement `Follower.write_steps`. Pairs of which only a first contact is known remain in `firsts`."""
        for pairs in portions(list(self._unwritten), ROWS_AT_ONCE):
            drafts = (self._draft(question, self._unwritten[pair], frame) for pair in pairs)
            rows = yield from row_steps(question.engine, drafts, highlights)
            for pair, row in zip(pairs, rows, strict=True):
                self.rows[pair] = (yield from fitted_steps(question, pair, row)) if question.options.fits else row
                del self._unwritten[pair]  # now, so that giving up in the middle loses little
        self._unwritten = {}  # an emptied dictionary keeps its memory

    def _change_limits(self, question: DetectQuestion) -> None:
        """Pass new length options to the watch, which keeps the pairs that they do not affect."""
        self._watch.change_limits(question.permitted_overlap, question.units(question.options.touch_tolerance))

    def _draft(self, question: DetectQuestion, found: Any, frame: int) -> Draft:
        if found.verdict is None:  # a first contact, of which no more is known
            return first_contact_draft(question.engine, question.world, found, frame, self._distance)
        return self._test.draft(question, found, frame)

    def _left_out(self) -> tuple[int, float | None]:
        """Return the number of pairs that are not listed, and their smallest distance."""
        return 0, None


class GapFollower(WatchFollower):
    """Follows a `LiveGaps`."""

    _distance = 0.0

    def _change_limits(self, question: DetectQuestion) -> None:
        tolerance = question.options.tolerance
        reach = None if tolerance is None else question.units(tolerance)
        self._watch.change_limits(question.permitted_overlap, reach)

    def _left_out(self) -> tuple[int, float | None]:
        left_out = self._watch.left_out
        return left_out, self._watch.beyond if left_out else None
