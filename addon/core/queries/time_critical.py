"""Time-critical: who meets whom, as surely as a budget of time allows, and how sure that is."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..pair_row import LIKELY, MEETS, UNLIKELY, PairRow
from ..rows import make_chance_row
from .base import BASIC_PARTS, Answered, Asked, DetectTest

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
        if self.complete:
            return MEETS
        return LIKELY if self.probability >= 0.5 else UNLIKELY

    def same_as(self, other: Chance | None) -> bool:
        """Whether nothing was found since the other one."""
        return other is not None and self[:4] == other[:4] and self.triangles == other.triangles


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
    found = "meet or may meet"
    live = True

    def parts(self, options: DetectOptions) -> tuple[str, ...]:
        """As `DetectTest`."""
        return (*BASIC_PARTS, "chances")

    def reach(self, options: DetectOptions) -> float:
        """As `DetectTest`."""
        return 0.0

    def ask_steps(self, asked: Asked) -> Generator[Any, None, Answered]:
        """As `DetectTest`."""
        answer = yield from asked.world.scene.time_critical_steps(
            asked.options.budget, asked.set_a, asked.set_b, asked.keep
        )
        apart = answer.complete & ~answer.colliding
        found = [_chance(answer, index) for index in np.flatnonzero(~apart).tolist()]
        return Answered(found, answer.stats, answer.stats.timings)

    def row(self, asked: Asked, found: Any, frame: int, highlights: bool) -> PairRow:
        """As `DetectTest`."""
        return make_chance_row(asked.engine, asked.world, found, frame, highlights)


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
