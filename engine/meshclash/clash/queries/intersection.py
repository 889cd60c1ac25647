"""Intersection test: find all pairs that touch, clash, contain or duplicate each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..rows import Draft, contacts_draft
from ..verdicts import ENGINE_VERDICTS, TOUCHING
from .base import DetectTest, basic_parts
from .followers import Follower, WatchFollower
from .question import DetectQuestion

if TYPE_CHECKING:
    from ..options import DetectOptions


class IntersectionTest(DetectTest):
    """Finds exact contacts and computes verdicts."""

    name = "intersection"
    label = "Intersection"
    description = "Find pairs of objects that touch, clash, contain or duplicate each other"
    tolerance_means = "permitted_overlap"
    verdicts = ENGINE_VERDICTS
    apart = TOUCHING
    measures = ("depth",)
    nothing = "No objects touch"
    found = ("is not apart", "are not apart")
    takes_massive = True
    has_moments = True

    def parts(self, options: DetectOptions) -> tuple[str, ...]:
        """Implement `DetectTest.parts`."""
        gaps = ("gaps",) if options.touch_tolerance > 0.0 else ()
        return (*basic_parts(options), *gaps)

    def reach(self, options: DetectOptions) -> float:
        """Implement `DetectTest.reach`."""
        return options.touch_tolerance

    def draft(self, question: DetectQuestion, found: Any, frame: int) -> Draft:
        """Implement `DetectTest.draft`."""
        return contacts_draft(question.world, found, frame)

    def follower(self, question: DetectQuestion) -> Follower:
        """Implement `DetectTest.follower`."""
        return WatchFollower(self, question.engine.motion.LiveContacts(question.world.scene))
