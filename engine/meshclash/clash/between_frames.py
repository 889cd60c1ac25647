"""Find rigid objects that pass through each other between two frames, although they are apart in both frames.

Boxes around the ways of all objects tell which pairs may meet at all. For these objects, the engine computes when they
come within its tolerance, and when they separate. A pair is reported only if it meets exactly in its pose at such a
time.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..types.steps import scale_progress
from .frame_scene import Progress
from .pair_row import PairRow
from .queries.question import DetectQuestion
from .queries.registry import test_named
from .rows import row_steps

_SLACK = 1e-4
"""Fraction of the size by which boxes are enlarged: more than rounded matrices and the tolerance of contact require."""


@dataclass(frozen=True, eq=False)
class Moved:
    """A mesh of the engine with its poses (4, 4) in two frames."""

    mesh: Any
    start: np.ndarray
    end: np.ndarray


@dataclass(frozen=True, eq=False)
class Passage:
    """A pair of objects that meets between two frames, but in neither of them.

    Attributes:
        row: the row of results for a time at which the pair meets.
        start, end: times at which the contact begins and ends, as fractions of the time from one frame to the next.
    """

    row: PairRow
    start: float
    end: float


def passages_steps(
    question: DetectQuestion, moved: Mapping[int, Moved], known: Collection[tuple[int, int]], frame: int
) -> Generator[Progress, None, list[Passage]]:
    """Find the pairs of objects that meet between the previous frame and this one.

    Args:
        question: about that frame.
        moved: rigid objects, by the engine's ids.
        known: pairs of ids that are already listed in one of the two frames.
        frame: number of the frame.
    """
    ids = np.array(sorted(moved), np.int64)
    if len(ids) < 2:
        return []
    ways = [moved[key] for key in ids.tolist()]
    boxes = np.array([_box(way) for way in ways])
    in_sets = [np.isin(ids, chosen) for chosen in (question.set_a, question.set_b)]
    still = np.array([np.array_equal(way.start, way.end) for way in ways])
    from ..broadphase.sweep import overlapping_pairs  # noqa: PLC0415 - registering needs no compiler

    pairs = overlapping_pairs(boxes, *in_sets)
    pairs = ids[pairs[~still[pairs].all(axis=1)]]
    if question.keep is not None and len(pairs):
        pairs = pairs[question.keep(pairs)]
    found = []
    for done, pair in enumerate(map(tuple, pairs.tolist())):
        low, high = done / len(pairs), (done + 1) / len(pairs)
        if pair not in known and pair[::-1] not in known:
            passed = yield from scale_progress(_passed_steps(question, moved, pair, frame), low, high)
            found += [] if passed is None else [passed]
    return found


def _box(way: Moved) -> np.ndarray:
    """Return a world box (6,) that contains a mesh during its whole motion."""
    bounds = getattr(way.mesh, "mesh", way.mesh).bounds  # of a hierarchy, or a mesh
    rows = np.stack([way.start, way.end])[:, :3]
    if np.array_equal(rows[0, :, :3], rows[1, :, :3]):
        from ..broadphase.sweep import world_boxes  # noqa: PLC0415

        ends = world_boxes(np.stack([bounds, bounds]), rows, 0.0)
        low, high = ends[:, :3].min(axis=0), ends[:, 3:].max(axis=0)
    else:  # it turns about its origin, which goes straight
        radius = float(np.linalg.norm(np.abs(bounds).max(axis=0)))
        low, high = rows[:, :, 3].min(axis=0) - radius, rows[:, :, 3].max(axis=0) + radius
    slack = _SLACK * float(np.ptp(bounds, axis=0).max())
    return np.concatenate([low - slack, high + slack])


def _passed_steps(
    question: DetectQuestion, moved: Mapping[int, Moved], pair: tuple[int, int], frame: int
) -> Generator[Any, None, Passage | None]:
    engine, ways = question.engine, [moved[key] for key in pair]
    motions = [engine.motion.KeyframedMotion([0.0, 1.0], [way.start, way.end]) for way in ways]
    asked = engine.motion.time_of_contact, *(way.mesh for way in ways), *motions
    try:
        found = yield from engine.steps(*asked, intervals=True)
    except engine.errors.UnsupportedOption:  # rounding lets nothing be said
        return None
    for interval in found.intervals:
        for time in (0.5 * (interval.start + interval.end), interval.deepest):
            scene = engine.Scene()
            for way, motion in zip(ways, motions, strict=True):
                scene.add(way.mesh, motion.pose(time))
            meets = yield from engine.steps(scene.contacts, permitted_overlap=question.permitted_overlap)
            if meets.pairs:
                one = meets.pairs[0]
                one.a, one.b = pair
                drafts = [test_named(question.options.test).draft(question, one, frame)]
                row = (yield from row_steps(engine, drafts, True))[0]
                return Passage(row, float(found.intervals[0].start), float(found.intervals[-1].end))
    return None
