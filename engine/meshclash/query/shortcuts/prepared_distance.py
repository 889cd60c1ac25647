"""Fast path of ``distance`` for prepared meshes."""

import math
import time
from typing import Any

import numpy as np

from ...traversal.near_wide import traverse_near
from ...traversal.pairs import EXACT_TESTS, PRIMITIVE_TESTS, VOLUME_TESTS
from ...types.steps import UNANSWERED, Unanswered
from ..results import Distance
from .kernels import MEETING, meet_single
from .record import Record
from .workspace import EXACT, PairWorkspace, spare

_Nearest = tuple[float, np.ndarray, list[int], tuple[int, int, int]]
"""A distance [m], exactly 0 if meshes meet; world points on both meshes, (2, 3) float64 [m]; the triangles; numbers of
volume tests, triangle tests, and triangle tests that float64 could not decide."""
_Bounds = tuple[float, float, float, float]
_DEFAULTS = dict(zip(("relative_error", "absolute_error", "upper_limit", "lower_limit"), EXACT, strict=True))


def distance_of_records(
    a: Record, b: Record, pose_a: Any, pose_b: Any, *, start: Any = None, **options: Any
) -> Distance | Unanswered:
    """Return the distance of two meshes; ``UNANSWERED`` to use the general path.

    The general path is used if one call of the kernels is not enough, if poses, options or a pair must be checked, and
    for meshes that do not meet but whose distance is within the rounding error.

    Args:
        a, b: records of the two meshes.
        pose_a, pose_b: one pose each, in a form that ``put_single_pose`` accepts.
        start: as for ``distance``; not checked.
        options: permitted errors, limits, and further options that this fast path does not support.
    """
    begin = time.perf_counter()
    bounds = _bounds(options) if options else EXACT
    if bounds is None:
        return UNANSWERED
    pair = None
    if start is not None:
        if type(start) is not Distance or type(start.triangle_a) is not int:
            return UNANSWERED
        pair = start.triangle_a, start.triangle_b
        if pair == (-1, -1):  # nothing was within the limit
            pair = None
        elif not (0 <= pair[0] < a.triangle_count and 0 <= pair[1] < b.triangle_count):
            return UNANSWERED
    space, found = spare.take(), None
    if space.take_poses(pose_a, pose_b):
        if a.met and bounds is EXACT:
            found = _contact(space, a, b, 0, 0)
        if found is None:
            found = _nearest(space, a, b, pair, bounds)
        poses = space.poses.tobytes()
    spare.give(space)
    if found is None:
        return UNANSWERED
    length, points, (triangle_a, triangle_b), counts = found
    surfaces = (a.parts.mesh, b.parts.mesh), poses
    return Distance(length, points, triangle_a, triangle_b, (*counts, time.perf_counter() - begin), surfaces, bounds)


def _bounds(options: dict[str, Any]) -> _Bounds | None:
    """Return permitted errors and limits from the options; None if other options are given, or if a value must be
    checked.
    """
    if not options.keys() <= _DEFAULTS.keys():
        return None
    relative, absolute, upper, lower = bounds = tuple({**_DEFAULTS, **options}.values())
    if not all(type(value) is float for value in bounds):
        return None
    if not (0.0 <= relative < 1.0 and upper >= 0.0 and 0.0 <= absolute + lower < math.inf):
        return None
    return EXACT if bounds == EXACT else bounds


def _contact(space: PairWorkspace, a: Record, b: Record, volume_tests: int, primitive_tests: int) -> _Nearest | None:
    """Return the result for meshes that meet, adding the given counts of tests; None if they do not meet or the contact
    is undecided.
    """
    a.met = meet_single(a.address, b.address, space.contact) == MEETING
    if not a.met:
        return None
    more = space.counts.tolist()
    counts = volume_tests + more[VOLUME_TESTS], primitive_tests + more[PRIMITIVE_TESTS], more[EXACT_TESTS]
    return 0.0, space.points.copy(), space.pair[0].tolist(), counts


def _nearest(
    space: PairWorkspace, a: Record, b: Record, pair: tuple[int, int] | None, bounds: _Bounds
) -> _Nearest | None:
    ready = a.has_slabs and b.has_slabs
    if not ready:
        a.look_for_slabs()
        b.look_for_slabs()
    if pair is None:
        space.known[0] = -1
    else:
        space.known[:] = pair
    if bounds != space.given_errors:
        space.given_errors = bounds
        space.errors[:2], space.errors[3:] = bounds[:2], bounds[2:]
    done = traverse_near(a.address, b.address, space.near.address)
    counts = space.near.state.tolist()
    volume_tests, primitive_tests = counts[VOLUME_TESTS], counts[PRIMITIVE_TESTS]
    if not ready:
        a.note_near_tests(volume_tests)
        b.note_near_tests(volume_tests)
    if not done:
        return None
    nearest = space.known.tolist()
    if nearest[0] < 0:  # beyond the limit
        return math.inf, np.full((2, 3), np.nan), [-1, -1], (volume_tests, primitive_tests, 0)
    distance = space.distance.item()
    if distance == 0.0:
        return _contact(space, a, b, volume_tests, primitive_tests)
    return distance, space.points.copy(), nearest, (volume_tests, primitive_tests, 0)
