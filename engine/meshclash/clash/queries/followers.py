"""How the answer of a test is kept up to date: asks what changed, and writes the rows that this changes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, ClassVar

from ...messages import Sentence
from ...types.slices import portions
from ..fits import fitted_steps
from ..frame_scene import Progress
from ..pair_row import PairRow
from ..rows import ROWS_AT_ONCE, Draft, first_contact_draft, first_contact_rows, row_steps
from .question import DetectAnswer, DetectQuestion

if TYPE_CHECKING:
    from .base import DetectTest

FIRSTS_AT_ONCE = 64
"""First contacts that are written together: some milliseconds of work in each step."""
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
    def ask_steps(self, question: DetectQuestion, first_contact: bool) -> Generator[Any, None, DetectAnswer]:
        """Asks for what changed since the last call; closing the generator loses nothing.

        Args:
            question: about the scene as it is now.
            first_contact: be content with knowing who meets.

        Returns:
            The work, and what is left out.
        """

    @abstractmethod
    def write_steps(
        self, question: DetectQuestion, frame: int, highlights: bool = True
    ) -> Generator[Progress, None, None]:
        """Writes the rows that differ since the last call, in slices; closing the generator loses work, and no row."""


class WatchFollower(Follower):
    """Follows one of the engine's watches, which tell what became known of a pair and which pairs are gone.

    Args:
        test: writes the rows.
        watch: a `LiveContacts`.
    """

    _distance: float | None = None  # of pairs that meet

    def __init__(self, test: DetectTest, watch: Any) -> None:
        super().__init__()
        self._test, self._watch = test, watch
        self._unwritten: dict[Pair, Any] = {}

    def ask_steps(self, question: DetectQuestion, first_contact: bool) -> Generator[Any, None, DetectAnswer]:
        """As `Follower`."""
        self._change_limits(question)
        everything = len(question.world.objects)
        sets = (None if len(ids) == everything else ids for ids in (question.set_a, question.set_b))
        changes = yield from question.engine.steps(
            self._watch.update, **dict(zip(("set_a", "set_b"), sets, strict=True)), keep=question.keep,
            first_contact=first_contact, device=question.device,
        )  # fmt: skip
        for pair in changes.gone:
            self.rows.pop(pair, None)
            self._unwritten.pop(pair, None)
        self._unwritten |= changes.found
        self._unwritten |= changes.meeting
        stats = self._watch.stats
        return DetectAnswer(stats, stats.timings, *self._left_out())

    def write_steps(
        self, question: DetectQuestion, frame: int, highlights: bool = True
    ) -> Generator[Progress, None, None]:
        """As `Follower`."""
        plain = question.world.all_plain
        firsts = [
            pair
            for pair, found in self._unwritten.items()
            if found.verdict is None and (plain or question.world.plain(pair))
        ]
        for pairs in portions(firsts, FIRSTS_AT_ONCE):
            found = [self._unwritten[pair] for pair in pairs]
            rows = first_contact_rows(question.engine, question.world, found, frame, self._distance)
            self.rows.update(zip(pairs, rows, strict=True))
            for pair in pairs:
                del self._unwritten[pair]
            yield Progress(1.0, Sentence("Writing up {a} and {b}", a=rows[-1].a.name, b=rows[-1].b.name))
        for pairs in portions(list(self._unwritten), ROWS_AT_ONCE):
            drafts = (self._draft(question, self._unwritten[pair], frame) for pair in pairs)
            rows = yield from row_steps(question.engine, drafts, highlights)
            for pair, row in zip(pairs, rows, strict=True):
                self.rows[pair] = (yield from fitted_steps(question, pair, row)) if question.options.fits else row
                del self._unwritten[pair]  # now, so that giving up in the middle loses little

    def _change_limits(self, question: DetectQuestion) -> None:
        """Tells the watch the lengths that are asked with; it keeps the pairs that they cannot change."""
        self._watch.change_limits(question.permitted_overlap, question.units(question.options.touch_tolerance))

    def _draft(self, question: DetectQuestion, found: Any, frame: int) -> Draft:
        if found.verdict is None:  # a first contact, of which no more is known
            return first_contact_draft(question.engine, question.world, found, frame, self._distance)
        return self._test.draft(question, found, frame)

    def _left_out(self) -> tuple[int, float | None]:
        """Pairs that the watch does not list, and how far apart these are at least."""
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
