"""Intersection: all pairs that touch, clash, contain or duplicate each other."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from ..rows import RowSteps, contacts_row_steps
from ..verdicts import ENGINE_VERDICTS, TOUCHING
from .asked import Answered, Asked
from .base import DetectTest, basic_parts
from .followers import Follower, WatchFollower

if TYPE_CHECKING:
    from ..options import DetectOptions


class Intersection(DetectTest):
    """Exact contacts and what they mean."""

    name = "intersection"
    label = "Intersection"
    description = "Every pair of objects that touch, clash, contain or duplicate each other"
    takes = frozenset({"permitted_overlap", "touch_tolerance", "overlap_volume"})
    tolerance_means = "permitted_overlap"
    verdicts = ENGINE_VERDICTS
    apart = TOUCHING
    measures = ("depth",)
    nothing = "Nothing touches"
    found = ("is not apart", "are not apart")
    takes_massive = True
    has_moments = True

    def parts(self, options: DetectOptions) -> tuple[str, ...]:
        """As `DetectTest`."""
        gaps = ("gaps",) if options.touch_tolerance > 0.0 else ()
        return (*basic_parts(options), *gaps)

    def reach(self, options: DetectOptions) -> float:
        """As `DetectTest`."""
        return options.touch_tolerance

    def ask_steps(self, asked: Asked) -> Generator[Any, None, Answered]:
        """As `DetectTest`."""
        answer = yield from asked.world.scene.contacts_steps(
            set_a=asked.set_a,
            set_b=asked.set_b,
            keep=asked.keep,
            permitted_overlap=asked.permitted_overlap,
            touch_tolerance=asked.units(asked.options.touch_tolerance),
        )
        return Answered([*answer.pairs, *answer.cloud_pairs], answer.stats, answer.timings)

    def row_steps(self, asked: Asked, found: Any, frame: int, highlights: bool) -> RowSteps:
        """As `DetectTest`."""
        return contacts_row_steps(asked.engine, asked.world, found, frame, highlights)

    def follower(self, asked: Asked) -> Follower:
        """As `DetectTest`."""
        lengths = asked.permitted_overlap, asked.units(asked.options.touch_tolerance)
        return WatchFollower(self, asked.engine.Watch(asked.world.scene, *lengths))
