"""Distance: how far apart the objects of every pair are, the nearest pairs of all where there are many."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from ..rows import RowSteps, gap_row_steps
from ..verdicts import APART, ENGINE_VERDICTS
from .asked import Answered, Asked
from .base import DetectTest, basic_parts
from .followers import Follower, GapFollower

if TYPE_CHECKING:
    from ..options import DetectOptions

MOST_PAIRS = 1000
"""Rows of one frame: a hundred objects have five thousand pairs, and who is far apart is of no interest."""


class Distance(DetectTest):
    """How near everything comes to everything."""

    name = "distance"
    label = "Distance"
    description = f"The distance of every pair of objects and where it is, of the nearest {MOST_PAIRS} pairs at most"
    takes = frozenset({"permitted_overlap", "overlap_volume"})
    verdicts = (*ENGINE_VERDICTS, APART)
    apart = APART
    measures = ("depth", "distance")
    nothing = "There is no pair to measure"
    found = ("was measured", "were measured")
    takes_massive = True

    def parts(self, options: DetectOptions) -> tuple[str, ...]:
        """As `DetectTest`."""
        return (*basic_parts(options), "distances")

    def reach(self, options: DetectOptions) -> float:
        """As `DetectTest`."""
        return math.inf

    def ask_steps(self, asked: Asked) -> Generator[Any, None, Answered]:
        """As `DetectTest`."""
        answer = yield from asked.world.scene.distances_steps(
            MOST_PAIRS,
            set_a=asked.set_a,
            set_b=asked.set_b,
            keep=asked.keep,
            permitted_overlap=asked.permitted_overlap,
        )
        beyond = answer.beyond if answer.left_out else None
        return Answered(answer.pairs, answer.stats, answer.stats.timings, answer.left_out, beyond)

    def row_steps(self, asked: Asked, found: Any, frame: int, highlights: bool) -> RowSteps:
        """As `DetectTest`."""
        return gap_row_steps(asked.engine, asked.world, found, self.apart, frame, highlights)

    def follower(self, asked: Asked) -> Follower:
        """As `DetectTest`."""
        watch = asked.engine.GapWatch(asked.world.scene, most=MOST_PAIRS, permitted_overlap=asked.permitted_overlap)
        return GapFollower(self, watch)
