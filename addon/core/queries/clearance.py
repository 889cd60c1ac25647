"""Clearance: all pairs nearer than a tolerance, with the gap and every face that comes that near."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from ..rows import RowSteps, gap_row_steps
from ..verdicts import ENGINE_VERDICTS, NEAR
from .asked import Answered, Asked
from .base import DetectTest, basic_parts
from .followers import Follower, GapFollower

if TYPE_CHECKING:
    from ..options import DetectOptions


class Clearance(DetectTest):
    """Who comes too near to whom."""

    name = "clearance"
    label = "Clearance"
    description = "Every pair of objects nearer than the tolerance, with the gap and the faces that come that near"
    takes = frozenset({"tolerance", "permitted_overlap", "overlap_volume"})
    required = frozenset({"tolerance"})
    tolerance_means = "tolerance"
    verdicts = (*ENGINE_VERDICTS, NEAR)
    apart = NEAR
    measures = ("depth", "distance")
    nothing = "Nothing comes that near"
    found = ("is nearer than the tolerance", "are nearer than the tolerance")
    takes_massive = True

    def parts(self, options: DetectOptions) -> tuple[str, ...]:
        """As `DetectTest`."""
        return (*basic_parts(options), "distances")

    def reach(self, options: DetectOptions) -> float:
        """As `DetectTest`."""
        assert options.tolerance is not None  # it is required
        return options.tolerance

    def ask_steps(self, asked: Asked) -> Generator[Any, None, Answered]:
        """As `DetectTest`."""
        answer = yield from asked.world.scene.clearances_steps(
            asked.units(self.reach(asked.options)),
            set_a=asked.set_a,
            set_b=asked.set_b,
            keep=asked.keep,
            permitted_overlap=asked.permitted_overlap,
        )
        return Answered(answer.pairs, answer.stats, answer.stats.timings)

    def row_steps(self, asked: Asked, found: Any, frame: int, highlights: bool) -> RowSteps:
        """As `DetectTest`."""
        return gap_row_steps(asked.engine, asked.world, found, self.apart, frame, highlights)

    def follower(self, asked: Asked) -> Follower:
        """As `DetectTest`."""
        tolerance = asked.units(self.reach(asked.options))
        watch = asked.engine.GapWatch(asked.world.scene, tolerance, permitted_overlap=asked.permitted_overlap)
        return GapFollower(self, watch)
