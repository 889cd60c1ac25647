"""The nearest pair of two trees in one pose each: the shortest way for a single question.

Everything but the poses and a pair to start from is kept from one question to the next.
"""

from typing import Any, NamedTuple

import numpy as np

from ..hierarchy.bvh import Hierarchy
from ..hierarchy.slabs import note_tests
from ..jit import config
from ..types.pose import put_single_pose
from .forest import plant
from .near_wide import MOST_OF_TWO_LEAVES, traverse_near
from .near_work import SMALLEST_QUEUE, UNCERTAIN, Found, Work, kernel_options, output_for
from .pairs import PRIMITIVE_TESTS, VOLUME_TESTS

_FIRST = np.zeros(1, np.int64)


class Nearest(NamedTuple):
    """The nearest pair of triangles; where its distance is 0, it remains to be seen whether the objects meet."""

    distance: float
    """[m]"""
    points: np.ndarray
    """World points on both, (2, 3) float64 [m]."""
    pair: list[int]
    volume_tests: int
    primitive_tests: int


class _Side:
    """A tree as the kernel takes it, kept with its hierarchy while that keeps its index."""

    __slots__ = ("address", "grove", "has_slabs", "index", "triangle_count")

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.index = hierarchy.index
        self.triangle_count = hierarchy.index.mesh.triangle_count
        self.grove = plant([hierarchy])
        self.address = self.grove.lane_record.ctypes.data
        self.has_slabs = False


def _side_of(hierarchy: Hierarchy) -> _Side:
    side: _Side | None = hierarchy.derived.get("near side")
    if side is None or side.index is not hierarchy.index:
        side = hierarchy.derived["near side"] = _Side(hierarchy)
    if not side.has_slabs:
        side.has_slabs = bool(side.grove.slabs_of(_FIRST)[0])
    return side


class _Workspace:
    """Arrays for one question: fresh memory costs more than a short search."""

    __slots__ = ("errors", "found", "poses", "work")

    def __init__(self) -> None:
        self.poses = np.eye(4), np.eye(4)
        self.errors = np.array([0.0, 0.0, UNCERTAIN])
        self.found = Found(np.empty(1), np.empty((1, 2, 3)), np.empty((1, 2), np.int32))
        options = kernel_options(True, alone=True)
        jobs, output = np.zeros((1, 2), np.int64), output_for(MOST_OF_TWO_LEAVES)
        self.work = Work(jobs, self.poses, self.errors, options, self.found, output, SMALLEST_QUEUE)


_spare: list[_Workspace] = []
"""Not in use. Appending to and popping from a list are atomic."""


def nearest_at_once(
    a: Hierarchy, b: Hierarchy, pose_a: Any, pose_b: Any, pair: tuple[int, int] | None, errors: tuple[float, float]
) -> Nearest | None:
    """The nearest pair of two trees; ``pair`` is what to start from, if anything, errors are relative and absolute.

    None when the 8-wide engine does not answer, or not within one call of the kernel, or when the poses or the pair
    have to be looked at more closely: then a question is asked.
    """
    if config.DISABLE_JIT or a.index.wide is None or b.index.wide is None:
        return None
    side_a, side_b = _side_of(a), _side_of(b)
    t, u = pair or (-1, -1)
    if pair and not (0 <= t < side_a.triangle_count and 0 <= u < side_b.triangle_count):
        return None
    try:
        space = _spare.pop()
    except IndexError:
        space = _Workspace()
    poses, state, (distances, points, pairs) = space.poses, space.work.state, space.found
    answer = None
    if put_single_pose(pose_a, poses[0]) and put_single_pose(pose_b, poses[1]):
        pairs[0, 0], pairs[0, 1] = t, u
        space.errors[0], space.errors[1] = errors
        if traverse_near(side_a.address, side_b.address, space.work.address):
            counts = state.item(VOLUME_TESTS), state.item(PRIMITIVE_TESTS)
            answer = Nearest(distances.item(), points[0].copy(), pairs[0].tolist(), *counts)
        for side in (side_a, side_b):
            if not side.has_slabs:
                note_tests(side.index, state.item(VOLUME_TESTS))
    _spare.append(space)
    return answer
