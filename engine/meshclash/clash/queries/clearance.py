"""Clearance: all pairs nearer than a tolerance, with the gap and every face that comes that near."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..rows import Draft, gap_draft
from ..verdicts import ENGINE_VERDICTS, NEAR
from .base import DetectTest, basic_parts
from .followers import Follower, GapFollower
from .question import DetectQuestion

if TYPE_CHECKING:
    from ..options import DetectOptions


class ClearanceTest(DetectTest):
    """Who comes too near to whom."""

    name = "clearance"
    label = "Clearance"
    description = "Find pairs of objects that are closer than the tolerance, with their gap and the faces at that gap"
    tolerance_means = "tolerance"
    verdicts = (*ENGINE_VERDICTS, NEAR)
    apart = NEAR
    measures = ("depth", "distance")
    nothing = "Nothing is that close"
    found = ("is nearer than the tolerance", "are nearer than the tolerance")
    takes_massive = True

    def parts(self, options: DetectOptions) -> tuple[str, ...]:
        """As `DetectTest`."""
        return (*basic_parts(options), "distances")

    def reach(self, options: DetectOptions) -> float:
        """As `DetectTest`."""
        assert options.tolerance is not None  # it is required
        return options.tolerance

    def draft(self, question: DetectQuestion, found: Any, frame: int) -> Draft:
        """As `DetectTest`."""
        return gap_draft(question.world, found, self.apart, frame)

    def follower(self, question: DetectQuestion) -> Follower:
        """As `DetectTest`."""
        return GapFollower(self, question.engine.motion.LiveGaps(question.world.scene))
