"""Time-critical: who meets whom, as surely as a budget of time allows, and how sure that is."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..frame_scene import Progress
from ..rows import RowSteps, chance_row_steps
from ..verdicts import LIKELY, MEETS, UNLIKELY, chance_verdict
from .asked import Answered, Asked
from .base import BASIC_PARTS, DetectTest
from .followers import Follower

if TYPE_CHECKING:
    from ..options import DetectOptions


class Chance(NamedTuple):
    """What is known of two objects that may meet; ids are the engine's."""

    a: int
    b: int
    probability: float
    complete: bool
    """Whether they certainly meet."""
    region: np.ndarray | None
    """World box (2, 3) of where they meet, or most probably do."""
    triangles: tuple[int, int] | None
    """That meet, one of each."""

    @property
    def verdict(self) -> str:
        """One of those of the test."""
        return chance_verdict(self.probability, self.complete)


class TimeCritical(DetectTest):
    """Surfaces that meet or probably do, within a budget for all pairs of a frame together."""

    name = "time-critical"
    label = "Time-Critical"
    description = "Every pair of objects whose surfaces meet or may meet, and how sure that is within a time budget"
    takes = frozenset({"budget"})
    required = frozenset({"budget"})
    verdicts = (MEETS, LIKELY, UNLIKELY)
    apart = UNLIKELY
    measures = ("probability",)
    nothing = "Nothing meets"
    found = ("meets or may meet", "meet or may meet")

    def parts(self, options: DetectOptions) -> tuple[str, ...]:
        """As `DetectTest`."""
        return (*BASIC_PARTS, "chances")

    def reach(self, options: DetectOptions) -> float:
        """As `DetectTest`."""
        return 0.0

    def ask_steps(self, asked: Asked) -> Generator[Any, None, Answered]:
        """As `DetectTest`."""
        answer = yield from _search_steps(asked)
        found = [_chance(answer, index) for index in _listed(answer).tolist()]
        return Answered(found, answer.stats, answer.stats.timings)

    def row_steps(self, asked: Asked, found: Any, frame: int, highlights: bool) -> RowSteps:
        """As `DetectTest`."""
        return chance_row_steps(asked.engine, asked.world, found, frame, highlights)

    def follower(self, asked: Asked) -> Follower:
        """As `DetectTest`."""
        return ChanceFollower()


class _Written(NamedTuple):
    """What the rows of n pairs say, sorted by pair."""

    keys: np.ndarray
    """A number for each pair, (n,) int64."""
    marks: np.ndarray
    """Numbers that differ when the rows would, (n, 6) int64."""


class ChanceFollower(Follower):
    """Follows who meets and who may meet; a row is written again when it would show something else."""

    refines = True

    def __init__(self) -> None:
        super().__init__()
        self._answer: Any = None
        self._written = _Written(np.empty(0, np.int64), np.empty((0, 6), np.int64))

    @property
    def uncertain(self) -> int:
        """As `Follower`."""
        return 0 if self._answer is None else int(np.count_nonzero(~self._answer.complete))

    def ask_steps(self, asked: Asked, first_contact: bool) -> Generator[Any, None, Answered]:
        """As `Follower`; the options' budget is that of this question."""
        self._answer = yield from _search_steps(asked)
        return Answered((), self._answer.stats, self._answer.stats.timings)

    def write_steps(self, asked: Asked, frame: int, highlights: bool = True) -> Generator[Progress, None, None]:
        """As `Follower`."""
        answer, old = self._answer, self._written
        listed = _listed(answer)
        new = _Written(_keys(answer.pairs[listed]), _marks(asked, answer, listed))
        gone = np.isin(old.keys, new.keys, assume_unique=True, invert=True)
        for key in old.keys[gone].tolist():
            self.rows.pop((key >> 32, key & 0xFFFFFFFF), None)
        for index in listed[_differ(old, new)].tolist():
            chance = _chance(answer, index)
            steps = chance_row_steps(asked.engine, asked.world, chance, frame, highlights)
            self.rows[chance.a, chance.b] = yield from steps
        self._written = new


def _search_steps(asked: Asked) -> Generator[Any, None, Any]:
    """The engine's answer within the budget of the options."""
    return asked.world.scene.time_critical_steps(
        asked.options.budget, set_a=asked.set_a, set_b=asked.set_b, keep=asked.keep
    )


def _listed(answer: Any) -> np.ndarray:
    """Which pairs (n,) of an answer are rows: those that are not certainly apart."""
    return np.flatnonzero(~answer.complete | answer.colliding)


def _keys(pairs: np.ndarray) -> np.ndarray:
    return (pairs[:, 0] << 32) + pairs[:, 1]


def _marks(asked: Asked, answer: Any, listed: np.ndarray) -> np.ndarray:
    """What the rows depend on: certainty, the chance as it is shown, triangles, where the two objects are."""
    percent = np.rint(100.0 * answer.probability[listed]).astype(np.int64)
    revisions = asked.world.scene.revisions(answer.pairs[listed])
    return np.column_stack([answer.complete[listed], percent, answer.triangles[listed], revisions])


def _differ(old: _Written, new: _Written) -> np.ndarray:
    """Which of the new ones are not among the old ones as they are, (n,) bool."""
    differs = np.ones(len(new.keys), np.bool_)
    known = np.isin(new.keys, old.keys, assume_unique=True)
    place = np.searchsorted(old.keys, new.keys[known])
    differs[known] = (new.marks[known] != old.marks[place]).any(axis=1)
    return differs


def _chance(answer: Any, index: int) -> Chance:
    region, triangles = answer.regions[index], answer.triangles[index]
    a, b = answer.pairs[index].tolist()
    return Chance(
        a,
        b,
        float(answer.probability[index]),
        bool(answer.complete[index]),
        None if np.isnan(region).any() else region,
        (int(triangles[0]), int(triangles[1])) if triangles[0] >= 0 else None,
    )
