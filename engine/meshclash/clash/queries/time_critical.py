"""Time-critical test: find which objects meet as certainly as a time budget allows, with probabilities."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...types.pair_keys import pair_keys
from ...types.slices import portions
from ..frame_scene import Progress
from ..kernel_parts import BASIC_PARTS
from ..rows import ROWS_AT_ONCE, Draft, probability_draft, row_steps
from ..verdicts import LIKELY, MEETS, UNLIKELY, probability_verdict
from .base import DetectTest
from .followers import Follower
from .question import DetectAnswer, DetectQuestion

if TYPE_CHECKING:
    from ..options import DetectOptions


class ProbablePair(NamedTuple):
    """Two objects that may meet, by engine ids, with the known results."""

    a: int
    b: int
    probability: float
    interval: tuple[float, float]
    """The lowest and the highest probability; for most kinds of shapes the true one lies between them."""
    complete: bool
    """Whether they certainly meet."""
    region: np.ndarray | None
    """World box (2, 3) of the contact, or of its most probable location."""
    triangles: tuple[int, int] | None
    """That meet, one of each."""

    @property
    def verdict(self) -> str:
        """The verdict of the pair, one of the verdicts of the test."""
        return probability_verdict(self.probability, self.complete)


class TimeCriticalTest(DetectTest):
    """Finds surfaces that meet, certainly or probably, within a time budget for all pairs of a frame."""

    name = "time-critical"
    label = "Time-Critical"
    description = "Find pairs of objects that meet or may meet within a time budget, with a probability"
    verdicts = (MEETS, LIKELY, UNLIKELY)
    apart = UNLIKELY
    measures = ("probability",)
    nothing = "No objects meet"
    found = ("meets or may meet", "meet or may meet")

    def parts(self, options: DetectOptions) -> tuple[str, ...]:
        """Implement `DetectTest.parts`."""
        return (*BASIC_PARTS, "probabilities")

    def reach(self, options: DetectOptions) -> float:
        """Implement `DetectTest.reach`."""
        return 0.0

    def draft(self, question: DetectQuestion, found: Any, frame: int) -> Draft:
        """Implement `DetectTest.draft`."""
        return probability_draft(question.engine, question.world, found, frame)

    def follower(self, question: DetectQuestion) -> Follower:
        """Implement `DetectTest.follower`."""
        return ProbabilityFollower()


class _Written(NamedTuple):
    """The content of the rows of n pairs, sorted by pair."""

    keys: np.ndarray
    """A number for each pair, (n,) int64."""
    marks: np.ndarray
    """Numbers that differ when the rows would, (n, 8) int64."""


class ProbabilityFollower(Follower):
    """Keeps track of pairs that meet or may meet; a row is written again when its content would change."""

    refines = True

    def __init__(self) -> None:
        super().__init__()
        self._answer: Any = None
        self._written = _Written(np.empty(0, np.int64), np.empty((0, 8), np.int64))

    @property
    def uncertain(self) -> int:
        """Implement `Follower.uncertain`."""
        return 0 if self._answer is None else int(np.count_nonzero(~self._answer.complete))

    def ask_steps(self, question: DetectQuestion, first_contact: bool) -> Generator[Any, None, DetectAnswer]:
        """Implement `Follower.ask_steps` within the budget of the options."""
        self._answer = yield from _search_steps(question)
        return DetectAnswer(self._answer.stats, self._answer.stats.timings)

    def write_steps(
        self, question: DetectQuestion, frame: int, highlights: bool = True
    ) -> Generator[Progress, None, None]:
        """Implement `Follower.write_steps`."""
        answer, old = self._answer, self._written
        listed = _listed(answer)
        new = _Written(pair_keys(answer.pairs[listed]), _marks(question, answer, listed))
        gone = np.isin(old.keys, new.keys, assume_unique=True, invert=True)
        for key in old.keys[gone].tolist():
            self.rows.pop((key >> 32, key & 0xFFFFFFFF), None)
        for some in portions(listed[_differ(old, new)].tolist(), ROWS_AT_ONCE):
            found = [_probable_pair(answer, index) for index in some]
            drafts = (probability_draft(question.engine, question.world, pair, frame) for pair in found)
            rows = yield from row_steps(question.engine, drafts, highlights)
            self.rows |= zip(((pair.a, pair.b) for pair in found), rows, strict=True)
        self._written = new


def _search_steps(question: DetectQuestion) -> Generator[Any, None, Any]:
    """Return the engine's result within the budget of the options."""
    return question.engine.steps(
        question.world.scene.time_critical,
        question.options.budget, set_a=question.set_a, set_b=question.set_b, keep=question.keep,
    )  # fmt: skip


def _listed(answer: Any) -> np.ndarray:
    """Return which pairs (n,) of a result become rows: all pairs that are not certainly apart."""
    return np.flatnonzero(~answer.complete | answer.colliding)


def _marks(question: DetectQuestion, answer: Any, listed: np.ndarray) -> np.ndarray:
    """Return the values on which rows depend: certainty, displayed probabilities, triangles and poses."""
    percent = np.rint(100.0 * np.column_stack([answer.probability, answer.intervals])[listed]).astype(np.int64)
    revisions = question.world.scene.revisions(answer.pairs[listed])
    return np.column_stack([answer.complete[listed], percent, answer.triangles[listed], revisions])


def _differ(old: _Written, new: _Written) -> np.ndarray:
    """Return which new values differ from the old values of the same pair, (n,) bool."""
    differs = np.ones(len(new.keys), np.bool_)
    known = np.isin(new.keys, old.keys, assume_unique=True)
    place = np.searchsorted(old.keys, new.keys[known])
    differs[known] = (new.marks[known] != old.marks[place]).any(axis=1)
    return differs


def _probable_pair(answer: Any, index: int) -> ProbablePair:
    region, triangles = answer.regions[index], answer.triangles[index]
    a, b = answer.pairs[index].tolist()
    lower, upper = answer.intervals[index].tolist()
    return ProbablePair(
        a,
        b,
        float(answer.probability[index]),
        (lower, upper),
        bool(answer.complete[index]),
        None if np.isnan(region).any() else region,
        (int(triangles[0]), int(triangles[1])) if triangles[0] >= 0 else None,
    )
