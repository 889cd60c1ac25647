"""Find the triangles of a posed tree that are nearest to points, on several threads.

Points are visited along a Morton curve, so that the triangles found for one point are a good first guess for the next
point.
"""

import math
from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..geometry.predicates import ExactWorkspace
from ..geometry.triangle_distance import closest_on_triangle, squared_distance
from ..hierarchy.morton import order_points
from ..jit import inner, is_compiled, kernel, parallel_kernel, parallel_region, prange, thread_limit
from ..reference import by_reference
from ..types.pose import inverse_rotations
from .candidates import begin_near, next_near
from .forest import TreeSet
from .frames import make_frame
from .point import PointWorkspace, local_slack, new_workspace_arrays, to_local, world_triangle

_PART = 512
"""Points per task; each task starts without a first guess."""
_SLICE = 1 << 14
"""Points between two progress reports, for each thread."""
_MOST_KEPT = 16
"""Up to this number of triangles of a point are the first guess for the next point; more triangles take more time than
they save."""
_SHARED_FROM = 1 << 13
"""Number of points above which several threads are faster."""
COMPILED_FOR = 1 << 18
"""Number of points above which compiling the parallel kernel is worthwhile."""


class Nearest(NamedTuple):
    """The k nearest triangles of each of n points, the nearest first."""

    distances: np.ndarray
    """(n, k) float64 [m], infinite if no triangle is within the limit."""
    points: np.ndarray
    """Nearest point of the triangle, world, (n, k, 3) float64 [m]; NaN without a triangle."""
    triangles: np.ndarray
    """(n, k) int32, -1 without a triangle."""


def new_nearest(n: int, count: int) -> Nearest:
    """Allocate the result for ``count`` triangles of each of n points."""
    return Nearest(np.empty((n, count)), np.empty((n, count, 3)), np.empty((n, count), np.int32))


@inner
def _insert(found, row, distance, point, triangle, may_be_there):
    """Insert a triangle into a row that is sorted by distance and index, and drop the last triangle of the row."""
    k = found.distances.shape[1]
    if may_be_there:
        for i in range(k):
            if found.triangles[row, i] == triangle:
                return
    at = k - 1
    last = found.distances[row, at]
    if distance > last or (distance == last and 0 <= found.triangles[row, at] < triangle):
        return
    while at > 0 and (
        distance < found.distances[row, at - 1]
        or (distance == found.distances[row, at - 1] and triangle < found.triangles[row, at - 1])
    ):
        found.distances[row, at], found.triangles[row, at] = found.distances[row, at - 1], found.triangles[row, at - 1]
        for axis in range(3):
            found.points[row, at, axis] = found.points[row, at - 1, axis]
        at -= 1
    found.distances[row, at], found.triangles[row, at] = distance, triangle
    for axis in range(3):
        found.points[row, at, axis] = point[axis]


@inner
def _compare(forest, frame, p, triangle, limit, found, row, may_be_there):
    """Measure the distance to a triangle, and insert the triangle if its distance is within ``limit``."""
    a, b, c = world_triangle(forest, frame.tree, triangle, frame.pose)
    gap = 0.0
    for axis in range(3):
        gap = max(gap, min(a[axis], b[axis], c[axis]) - p[axis], p[axis] - max(a[axis], b[axis], c[axis]))
    if gap > limit:
        return
    x = closest_on_triangle(p, a, b, c)
    distance = math.sqrt(squared_distance(p, x))
    if distance <= limit:
        _insert(found, row, distance, x, triangle, may_be_there)


@inner
def find_nearest(forest, frame, p, limit, found, row, before, work):
    """Fill a row of ``found`` with the triangles nearest to the world point p, up to ``limit`` [m].

    Args:
        forest, frame: the forest and frame of the tree; both by reference.
        p: the point.
        limit: [m], may be infinite.
        found: a Nearest by reference.
        row: the row of ``found``.
        before: a row with triangles to start with, such as the row of a nearby point; -1: no triangle.
        work: a PointWorkspace by reference.
    """
    k = found.distances.shape[1]
    for i in range(k):
        found.distances[row, i], found.triangles[row, i] = math.inf, -1
        for axis in range(3):
            found.points[row, i, axis] = math.nan
    if before >= 0:
        for i in range(k):
            triangle = np.int64(found.triangles[before, i])
            if triangle >= 0:
                _compare(forest, frame, p, triangle, limit, found, row, False)
    q = to_local(p, frame.pose, frame.inverse, frame.origin)
    begin_near(forest, frame.tree, q, local_slack(p, frame.pose, frame.reach), work)
    nearest = min(limit, found.distances[row, k - 1])
    triangle = next_near(forest, frame.tree, nearest, work)
    while triangle >= 0:
        _compare(forest, frame, p, triangle, nearest, found, row, before >= 0)
        nearest = min(limit, found.distances[row, k - 1])
        triangle = next_near(forest, frame.tree, nearest, work)


@inner
def _search(
    forest, pose, inverse, origins, reaches, points, order, tasks, limit, found, stack, gaps, counter, expansions,
    scratch,
):  # fmt: skip
    """Fill the rows of ``found`` for points (n, 3); ``tasks`` (m, 2) are ranges of ``order`` (n,)."""
    forest = by_reference(forest)
    found = by_reference(found)
    work = by_reference(PointWorkspace(stack, gaps, ExactWorkspace(counter, expansions), scratch))
    frame = by_reference(make_frame(np.int64(0), pose, inverse, origins, reaches))
    for task in range(tasks.shape[0]):
        before = np.int64(-1)
        for i in range(tasks[task, 0], tasks[task, 1]):
            row = order[i]
            p = (points[row, 0], points[row, 1], points[row, 2])
            find_nearest(forest, frame, p, limit, found, row, before, work)
            before = row if found.distances.shape[1] <= _MOST_KEPT else before


@kernel
def _search_alone(
    forest, pose, inverse, origins, reaches, points, order, tasks, limit, found, stack, gaps, counter, expansions,
    scratch,
):  # fmt: skip
    """Call ``_search`` from Python."""
    _search(
        forest, pose, inverse, origins, reaches, points, order, tasks, limit, found, stack, gaps, counter, expansions,
        scratch,
    )  # fmt: skip


@parallel_kernel
def _search_together(
    forest, pose, inverse, origins, reaches, points, order, tasks, limit, found, stack, gaps, counter, expansions,
    scratch,
):  # fmt: skip
    """Run ``_search`` in parallel; worker w takes every ``workers``-th task, starting with task w."""
    workers = stack.shape[0]
    for w in prange(workers):
        _search(
            forest, pose, inverse, origins, reaches, points, order, tasks[w::workers], limit, found, stack[w], gaps[w],
            counter[w], expansions[w], scratch[w],
        )  # fmt: skip


class NearestFinder:
    """Finds the triangles of a mesh that are nearest to given points. The mesh has a tree of boxes and a pose.

    Args:
        tree_set: a tree set with a single tree.
        rows: pose of the mesh, (3, 4).
    """

    def __init__(self, tree_set: TreeSet, rows: np.ndarray) -> None:
        pose = np.array(rows)  # a copy: for a read-only array, kernels would be compiled again
        inverse = np.ascontiguousarray(inverse_rotations(pose))
        self._posed = tree_set.forest, pose, inverse, tree_set.origins, tree_set.reaches

    def steps(
        self, points: np.ndarray, count: int, limit: float, threads: int | None
    ) -> Generator[float, None, Nearest]:
        """Find the triangles that are nearest to some points. The search runs in slices.

        Args:
            points: (n, 3) float64 [m], world.
            count: number of triangles for each point.
            limit: triangles farther away are ignored [m]; may be infinite.
            threads: maximum number of threads; the result does not depend on it.
        """
        n, allowed, found = len(points), thread_limit(threads), new_nearest(len(points), count)
        order = order_points(points)
        shared = n >= (_SHARED_FROM if is_compiled(_search_together) else COMPILED_FOR)
        together = _SLICE * (allowed if shared else 1)
        for begin in range(0, n, together):
            tasks = parts_of(begin, min(begin + together, n), _PART)
            given = *self._posed, points, order, tasks, limit, found
            with parallel_region(allowed if shared else 1) as workers:
                if workers > 1:
                    _search_together(*given, *new_workspace_arrays((workers,)))
                else:
                    _search_alone(*given, *new_workspace_arrays(()))
            yield min(begin + together, n) / n
        return found


def parts_of(begin: int, end: int, size: int) -> np.ndarray:
    """Split a range into parts of length ``size``, (m, 2) int64; the last part may be shorter."""
    if end - begin <= size:
        return np.array([[begin, end]])
    begins = np.arange(begin, end, size)
    return np.stack([begins, np.minimum(begins + size, end)], axis=1)
