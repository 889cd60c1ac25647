"""Find the triangles of a surface that are near a convex shape, with proved bounds of their distances.

The boxes of the surface's hierarchy are visited depth first, the more promising one first. A box is skipped if the box
around the shape, along the axes of the hierarchy, is farther away than the limit, or the plane that separates the shape
from the nearest triangle so far, or the one skipped last, proves that it is. The same plane skips most triangles, and
its normal is the first direction of the search for the distance of the others.
"""

import math
from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np

from ..geometry.relative_pose import invert_rotation
from ..geometry.tuples import dot
from ..hierarchy.build import as_boxes
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..jit import inner, kernel, parallel_kernel, prange
from ..reference import by_reference
from ..traversal.forest import TreeSet, pack_trees
from ..traversal.point import to_local, world_triangle
from ..types.copying import NotCopied
from .convex_distance import (
    ACROSS,
    COLUMNS,
    LEAST,
    LOWER,
    POINT_A,
    SIZE,
    UPPER,
    SearchSpace,
    first_direction,
    measure_from,
    space_of,
    stack_steps,
    turned_back,
)
from .exact_shapes import ConvexShape
from .supports import POINTS, POINTS_FORM, farthest_round, half_extents

_KEY = "near surface"
_ROOM = 64
"""Number of triangles for which there is room at first."""
_SLACK = 2.0**-44
"""Share of all coordinates that covers the rounding of coordinates in other frames."""
_STILL = np.eye(4)[:3].copy()
_PART = 16
"""Number of consecutive poses that one worker measures."""
SURFACE_ROUNDING = 2.0**-45
"""Bound of the error of distances of triangles, relative to the extent, with a margin."""
Asked = tuple[Any, ...]


@inner
def _world(points, form, pose, placed):
    """Write the world corners of a polyhedron."""
    if form[0] == POINTS:
        for i in range(points.shape[0]):
            for k in range(3):
                placed[i, k] = (
                    pose[k, 0] * points[i, 0] + pose[k, 1] * points[i, 1] + pose[k, 2] * points[i, 2] + pose[k, 3]
                )


@inner
def _local_box(form, pose_a, placed, pose_b, inverse, origin, box):
    """Write the lowest and highest corner of a box around a shape, (6,), in the frame of the hierarchy."""
    if form[0] == POINTS:
        for k in range(3):
            box[k], box[k + 3] = math.inf, -math.inf
        for i in range(placed.shape[0]):
            q = to_local((placed[i, 0], placed[i, 1], placed[i, 2]), pose_b, inverse, origin)
            for k in range(3):
                box[k], box[k + 3] = min(box[k], q[k]), max(box[k + 3], q[k])
        return
    half = half_extents(form)
    q = to_local((pose_a[0, 3], pose_a[1, 3], pose_a[2, 3]), pose_b, inverse, origin)
    for k in range(3):
        reach = 0.0
        for j in range(3):
            along = inverse[k, 0] * pose_a[0, j] + inverse[k, 1] * pose_a[1, j] + inverse[k, 2] * pose_a[2, j]
            reach += abs(along) * half[j]
        box[k], box[k + 3] = q[k] - reach, q[k] + reach


@inner
def _farthest_along(form, pose, placed, n):
    """Return the largest n . x of a shape's points x, world."""
    if form[0] == POINTS:
        best = -math.inf
        for i in range(placed.shape[0]):
            best = max(best, n[0] * placed[i, 0] + n[1] * placed[i, 1] + n[2] * placed[i, 2])
        return best
    u = turned_back(pose, n)
    return dot(u, farthest_round(form, u)) + n[0] * pose[0, 3] + n[1] * pose[1, 3] + n[2] * pose[2, 3]


@inner
def _bound_of_box(volume, box, along, offset):
    """Return a lower bound of the distance of a box of the hierarchy, and the squared distance of the middles.

    ``along`` is the unit normal of the plane in the frame of the hierarchy, and ``offset`` the height of the shape.
    """
    gap, beside, far = 0.0, -offset, 0.0
    for k in range(3):
        low, high = np.float64(volume[k]), np.float64(volume[k + 3])
        way = max(low - box[k + 3], box[k] - high)
        if way > 0.0:
            gap += way * way
        beside += min(along[k] * low, along[k] * high)
        middle = low + high - box[k] - box[k + 3]
        far += middle * middle
    return max(math.sqrt(gap), beside), far


@inner
def _size_of(pose_a, box, pose_b, reaches):
    """Return the sum of all coordinates of a query, which bounds its rounding errors."""
    total = reaches[0] + reaches[1] + reaches[2]
    for k in range(3):
        total += abs(pose_a[k, 3]) + abs(pose_b[k, 3]) + max(abs(box[k]), abs(box[k + 3]))
    return total


@inner
def _drop(triangles, answers, count, limit):
    """Drop the triangles that are farther away than the limit; return the number of the others."""
    kept = 0
    for i in range(count):
        if answers[i, LOWER] <= limit:
            triangles[kept] = triangles[i]
            for k in range(COLUMNS):
                answers[kept, k] = answers[i, k]
            kept += 1
    return kept


class _Space(NamedTuple):
    """Arrays of a search; kernels read them by reference."""

    search: SearchSpace
    placed: np.ndarray
    """World corners of the shape, (n, 3)."""
    box: np.ndarray
    """A box around the shape in the frame of the hierarchy, (6,)."""
    corners: np.ndarray
    """Corners of a triangle, (3, 3)."""
    inverse: np.ndarray
    """Inverse of the surface's rotation, (3, 3)."""
    row: np.ndarray
    """An answer, (COLUMNS,)."""
    gaps: np.ndarray
    """Bounds of the nodes that wait, (depth,)."""
    stack: np.ndarray
    """Nodes that wait, (depth,) int64."""


@inner
def _room_for(count_a, depth):
    """Return the number of floats in the room of a search."""
    return 12 * (8 + count_a) + 3 * count_a + 24 + COLUMNS + depth


@inner
def _space_of(room, stack, count_a):
    """Divide the room of a search, which the caller must own while it is used by reference."""
    placed = 12 * (8 + count_a)
    box = placed + 3 * count_a
    row = box + 24
    return _Space(
        space_of(room[:placed].reshape((8 + count_a, 4, 3)), count_a), room[placed:box].reshape((count_a, 3)),
        room[box : box + 6], room[box + 6 : box + 15].reshape((3, 3)), room[box + 15 : row].reshape((3, 3)),
        room[row : row + COLUMNS], room[row + COLUMNS :], stack,
    )  # fmt: skip


@inner
def _copy(row, other):
    for k in range(COLUMNS):
        other[k] = row[k]


@inner
def _visit(
    points, form, pose_a, forest, pose_b, origin, reaches, limits, still, points_form, space, each, triangles, answers
):
    """Find the triangles; return their number, or -1 if there is no room for them.

    Args:
        points, form, pose_a: the shape, (n, 3) and (4,), and its pose (3, 4).
        forest, pose_b, origin, reaches: the tree and its pose (3, 4).
        limits: four lengths [m]: the limit, beyond which triangles are skipped; within and rounding: the limit becomes
            the smallest distance so far plus the rounding, but not less than within; and met_below: the search ends
            with a triangle that is surely nearer.
        still, points_form: identity (3, 4) and the form of triangles.
        space: a ``_Space`` by reference.
        each: whether to write each triangle; otherwise, only the bounds of the whole surface and the nearest triangle.
        triangles, answers: output, (m,) int32 and (m, COLUMNS).
    """
    tree, placed, box, inverse, corners = np.int64(0), space.placed, space.box, space.inverse, space.corners
    stack, gaps, search = space.stack, space.gaps, space.search
    invert_rotation(pose_b.reshape(12), 0, inverse.reshape(9))
    _world(points, form, pose_a, placed)
    _local_box(form, pose_a, placed, pose_b, inverse, origin, box)
    slack = _SLACK * _size_of(pose_a, box, pose_b, reaches)
    limit, within, rounding, met_below = limits
    n, along, offset, height, count = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0, 0
    start, used = forest.node_start[tree], 1
    stack[0] = 0
    gaps[0] = _bound_of_box(forest.volumes[start], box, along, offset)[0]
    best = math.inf
    while used > 0:
        used -= 1
        if gaps[used] - slack > limit:
            continue
        node = start + stack[used]
        first, size = np.int64(forest.first[node]), np.int64(forest.count[node])
        if size == 0:
            gap, far = _bound_of_box(forest.volumes[start + first], box, along, offset)
            other, farther = _bound_of_box(forest.volumes[start + first + 1], box, along, offset)
            nearer = first if gap < other or (gap == other and far <= farther) else first + 1
            stack[used], gaps[used] = 2 * first + 1 - nearer, max(gap, other)
            stack[used + 1], gaps[used + 1] = nearer, min(gap, other)
            used += 2
            continue
        for entry in range(first, first + size):
            triangle = np.int64(forest.order[forest.triangle_start[tree] + entry])
            p, q, r = world_triangle(forest, tree, triangle, pose_b)
            if min(dot(n, p), dot(n, q), dot(n, r)) - height - slack > limit:
                continue
            for k in range(3):
                corners[0, k], corners[1, k], corners[2, k] = p[k], q[k], r[k]
            if each and count == len(triangles):
                count = _drop(triangles, answers, count, limit)
                if count == len(triangles):
                    return -1
            row = answers[count] if each else space.row
            direction = first_direction() if n[0] == 0.0 and n[1] == 0.0 and n[2] == 0.0 else n
            ends = (limit, met_below)
            measure_from(direction, ends, points, form, pose_a, corners, points_form, still, search, row)
            if row[UPPER] < met_below or (row[LOWER] < 0.0 and met_below > -math.inf):
                triangles[0] = triangle
                _copy(row, answers[0])
                return 1
            beyond = row[LOWER] > limit
            if not beyond:
                if each:
                    triangles[count] = triangle
                    count += 1
                else:
                    count = 1
                    lower, size_of_all = min(row[LOWER], answers[0, LOWER]), max(row[SIZE], answers[0, SIZE])
                    if row[UPPER] < answers[0, UPPER]:
                        triangles[0] = triangle
                        _copy(row, answers[0])
                    answers[0, LOWER], answers[0, SIZE] = lower, size_of_all
            if not beyond and row[UPPER] >= best:
                continue
            if not beyond:
                best = row[UPPER]
                limit = min(limit, max(within, best + rounding))
            length = math.sqrt(row[ACROSS] ** 2 + row[ACROSS + 1] ** 2 + row[ACROSS + 2] ** 2)
            if length > 0.0:
                n = (row[ACROSS] / length, row[ACROSS + 1] / length, row[ACROSS + 2] / length)
                height = _farthest_along(form, pose_a, placed, n)
                along = turned_back(pose_b, n)
                moved = dot(along, (origin[0], origin[1], origin[2]))
                offset = height - moved - (n[0] * pose_b[0, 3] + n[1] * pose_b[1, 3] + n[2] * pose_b[2, 3])
    return _drop(triangles, answers, count, limit) if each else count


@inner
def _find_in(
    points, form, pose_a, forest, pose_b, origin, reaches, limits, still, points_form, room, stack, triangles, answers
):
    space = by_reference(_space_of(room, stack, points.shape[0]))
    return _visit(
        points, form, pose_a, forest, pose_b, origin, reaches, limits, still, points_form, space, True, triangles,
        answers,
    )  # fmt: skip


@kernel
def _find_each(
    points, form, pose_a, forest, pose_b, origin, reaches, limits, still, points_form, depth, triangles, answers
):
    """Find the triangles for one pose; see ``_visit``."""
    room, stack = np.empty(_room_for(points.shape[0], depth)), np.empty(depth, np.int64)
    return _find_in(
        points, form, pose_a, by_reference(forest), pose_b, origin, reaches, limits, still, points_form, room, stack,
        triangles, answers,
    )  # fmt: skip


@inner
def _bound_range(
    points, form, rows_a, forest, rows_b, origin, reaches, extents, still, points_form, first, end, room, stack,
    triangles, answers,
):  # fmt: skip
    """Bound the distance of a surface for a range of poses; ``extents`` are the last lengths of ``_bound_each``."""
    space = by_reference(_space_of(room, stack, points.shape[0]))
    extent, reach, upper_limit = extents[0], extents[1], extents[2]
    for m in range(first, end):
        pose_a, pose_b, away = rows_a[min(m, rows_a.shape[0] - 1)], rows_b[min(m, rows_b.shape[0] - 1)], 0.0
        for k in range(3):
            away = max(away, abs(pose_a[k, 3] - pose_b[k, 3]))
        rounding = SURFACE_ROUNDING * (away + extent + reach) + LEAST
        within = reach + rounding
        limits = (upper_limit + within, within, rounding, reach - rounding)
        answers[m, LOWER], answers[m, UPPER], answers[m, SIZE], triangles[m] = math.inf, math.inf, 0.0, -1
        for k in range(6):
            answers[m, POINT_A + k] = math.nan
        _visit(
            points, form, pose_a, forest, pose_b, origin, reaches, limits, still, points_form, space, False,
            triangles[m : m + 1], answers[m : m + 1],
        )  # fmt: skip


@kernel
def _bound_each(
    points, form, rows_a, forest, rows_b, origin, reaches, extents, still, points_form, depth, first, end, triangles,
    answers,
):  # fmt: skip
    """Bound the distance of a surface in a stack of poses: the lowest of its triangles' bounds.

    Args:
        points, form, rows_a: the shape, (n, 3) and (4,), and its poses (k, 3, 4), or (1, 3, 4) for all.
        forest, rows_b, origin, reaches: the tree and its poses.
        extents: a bound of the coordinates of both, measured from their origins; the reach: the search for a pose ends
            with a triangle that is surely nearer; and the limit beyond the reach, (3,) [m].
        still, points_form, depth: see ``_visit``; the number of nodes that may wait.
        first, end: the range of poses.
        triangles: output, the nearest triangles (k,) int32, -1 beyond the limit.
        answers: output, (k, COLUMNS); infinite bounds beyond the limit.
    """
    room, stack = np.empty(_room_for(points.shape[0], depth)), np.empty(depth, np.int64)
    _bound_range(
        points, form, rows_a, by_reference(forest), rows_b, origin, reaches, extents, still, points_form, first, end,
        room, stack, triangles, answers,
    )  # fmt: skip


@parallel_kernel
def bound_each_together(
    points, form, rows_a, forest, rows_b, origin, reaches, extents, still, points_form, depth, parts, triangles,
    answers, workers,
):  # fmt: skip
    """Run ``_bound_each`` in parallel for ranges ``parts`` (p, 2); each worker takes every ``workers``-th range."""
    rooms, stacks = np.empty((workers, _room_for(points.shape[0], depth))), np.empty((workers, depth), np.int64)
    for w in prange(workers):
        for k in range(w, parts.shape[0], workers):
            _bound_range(
                points, form, rows_a, by_reference(forest), rows_b, origin, reaches, extents, still, points_form,
                parts[k, 0], parts[k, 1], rooms[w], stacks[w], triangles, answers,
            )  # fmt: skip


class SurfaceTree(NotCopied):
    """The hierarchy of a surface as input of the search."""

    def __init__(self, surface: MeshLike) -> None:
        hierarchy = as_boxes(surface)
        self.parts = hierarchy.parts
        self.tree_set: TreeSet = pack_trees([hierarchy])
        self.depth = self.parts.tree.depth + 3

    @classmethod
    def of(cls, surface: MeshLike) -> "SurfaceTree":
        """Return the tree of a surface; it is made once."""
        tree: SurfaceTree | None = surface.derived.get(_KEY)
        if tree is None or as_boxes(surface).parts is not tree.parts:
            tree = surface.derived[_KEY] = cls(surface)
        return tree

    def asked(self, convex: ConvexShape, rows_a: np.ndarray, rows_b: np.ndarray, lengths: Any) -> Asked:
        """Return the arguments that all searches have; for ``lengths`` see the kernels."""
        trees = self.tree_set
        return (
            convex.points[0], convex.form, rows_a, trees.forest, rows_b, trees.origins[0], trees.reaches[0], lengths,
            _STILL, POINTS_FORM, self.depth,
        )  # fmt: skip


def triangles_near(
    convex: ConvexShape,
    surface: MeshLike,
    row_a: np.ndarray,
    row_b: np.ndarray,
    limit: float,
    met_below: float = -math.inf,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the triangles of a surface that may be within a limit of the core of a convex shape, and bounds of their
    distances.

    Triangles inside the core have distance 0.

    Args:
        convex: the shape.
        surface: a mesh, or a hierarchy of boxes.
        row_a, row_b: poses (3, 4).
        limit: [m].
        met_below: the search ends with a triangle that is surely nearer [m] or meets the core, and returns only this
            triangle; by default it does not.

    Returns:
        Triangles (n,) int64, and results (n, COLUMNS) of ``convex_distances``.
    """
    asked = SurfaceTree.of(surface).asked(convex, np.array(row_a), np.array(row_b), (limit, limit, 0.0, met_below))
    room = _ROOM
    while True:
        triangles, answers = np.empty(room, np.int32), np.empty((room, COLUMNS))
        count = _find_each(*asked, triangles, answers)
        if count >= 0:
            return triangles[:count].astype(np.int64), answers[:count]
        room *= 4


def surface_bounds_steps(
    convex: ConvexShape,
    surface: MeshLike,
    rows_a: np.ndarray,
    rows_b: np.ndarray,
    reach: float,
    upper_limit: float,
    threads: int = 1,
) -> Generator[float, None, tuple[np.ndarray, np.ndarray]]:
    """Bound the distances of a surface from the core of a convex shape in poses (k, 3, 4), or (1, 3, 4) for all.

    Args:
        convex, surface: as for ``triangles_near``.
        rows_a, rows_b: poses.
        reach: cores that are nearer meet [m]; then the search ends early.
        upper_limit: surfaces that are farther beyond the reach have infinite bounds [m].
        threads: maximum number of threads.

    Yields:
        The finished fraction.

    Returns:
        Results (k, COLUMNS) of ``convex_distances`` for the whole surface, and its nearest triangles, (k,) int32, or -1
        beyond the limit.
    """
    tree, mesh = SurfaceTree.of(surface), surface.mesh if isinstance(surface, Hierarchy) else surface
    count = max(len(rows_a), len(rows_b)) if len(rows_a) and len(rows_b) else 0
    triangles, answers = np.empty(count, np.int32), np.empty((count, COLUMNS))
    lengths = np.array([extent_of(convex, mesh), reach, upper_limit])
    asked = tree.asked(convex, np.ascontiguousarray(rows_a), np.ascontiguousarray(rows_b), lengths)
    yield from stack_steps((_bound_each, bound_each_together), asked, (triangles, answers), _PART, threads)
    return answers, triangles


def extent_of(*things: Any) -> float:
    """Return an upper bound [m] of the coordinates of objects with ``bounds``, measured from any point of them in poses
    with the same translation.
    """
    return sum(3.0 * float(np.abs(thing.bounds).max()) for thing in things)
