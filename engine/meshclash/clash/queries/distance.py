"""Distance test: compute the distances of all pairs; if there are many pairs, only of the nearest ones."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..rows import Draft, gap_draft
from ..verdicts import APART, ENGINE_VERDICTS
from .base import DetectTest, basic_parts
from .followers import Follower, GapFollower
from .question import DetectQuestion

if TYPE_CHECKING:
    from ..options import DetectOptions

MOST_PAIRS = 1000
"""Maximum number of rows of one frame: a hundred objects have five thousand pairs, and pairs that are far apart are not
interesting."""


class DistanceTest(DetectTest):
    """Finds the distances between objects."""

    name = "distance"
    label = "Distance"
    description = f"Find the distances and nearest points of up to {MOST_PAIRS} nearest pairs"
    verdicts = (*ENGINE_VERDICTS, APART)
    apart = APART
    measures = ("depth", "distance")
    nothing = "There is no pair to measure"
    found = ("was measured", "were measured")
    takes_massive = True

    def parts(self, options: DetectOptions) -> tuple[str, ...]:
        """Implement `DetectTest.parts`."""
        return (*basic_parts(options), "distances")

    def reach(self, options: DetectOptions) -> float:
        """Implement `DetectTest.reach`."""
        return math.inf

    def draft(self, question: DetectQuestion, found: Any, frame: int) -> Draft:
        """Implement `DetectTest.draft`."""
        return gap_draft(question.world, found, self.apart, frame)

    def follower(self, question: DetectQuestion) -> Follower:
        """Implement `DetectTest.follower`."""
        return GapFollower(self, question.engine.motion.LiveGaps(question.world.scene, most=MOST_PAIRS))
