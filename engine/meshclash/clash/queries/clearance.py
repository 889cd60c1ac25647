"""Clearance test: find all pairs closer than a tolerance, with the gap and all faces within the tolerance."""

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
    """Finds pairs of objects that are closer than the tolerance."""

    name = "clearance"
    label = "Clearance"
    description = "Find pairs of objects that are closer than the tolerance, with their gap and the faces at that gap"
    tolerance_means = "tolerance"
    verdicts = (*ENGINE_VERDICTS, NEAR)
    apart = NEAR
    measures = ("depth", "distance")
    nothing = "No objects are closer than the tolerance"
    found = ("is nearer than the tolerance", "are nearer than the tolerance")
    takes_massive = True

    def parts(self, options: DetectOptions) -> tuple[str, ...]:
        """Implement `DetectTest.parts`."""
        return (*basic_parts(options), "distances")

    def reach(self, options: DetectOptions) -> float:
        """Implement `DetectTest.reach`."""
        assert options.tolerance is not None  # it is required
        return options.tolerance

    def draft(self, question: DetectQuestion, found: Any, frame: int) -> Draft:
        """Implement `DetectTest.draft`."""
        return gap_draft(question.world, found, self.apart, frame)

    def follower(self, question: DetectQuestion) -> Follower:
        """Implement `DetectTest.follower`."""
        return GapFollower(self, question.engine.motion.LiveGaps(question.world.scene))
