"""Find the triangles of a surface that are near a convex shape, with proved bounds of their distances.

The boxes of the surface's hierarchy are visited depth first, the more promising one first. A box is skipped if the box
around the shape, along the axes of the hierarchy, is farther away than the limit, or the plane that separates the shape
from the nearest triangle so far, or the one skipped last, proves that it is. The same plane skips most triangles, and
its normal is the first direction of the search for the distance of the others.
"""

import math

import numpy as np

from ..geometry.relative_pose import invert_rotation
from ..geometry.tuples import dot
from ..hierarchy.build import as_boxes
from ..hierarchy.bvh import MeshLike
from ..jit import inner, kernel
from ..reference import by_reference
from ..traversal.forest import TreeSet, pack_trees
from ..traversal.point import to_local, world_triangle
from ..types.copying import NotCopied
from .convex_distance import (
    ACROSS,
    COLUMNS,
    LOWER,
    UPPER,
    first_direction,
    measure_from,
    space_of,
)
from .exact_shapes import ConvexShape
from .supports import POINTS, POINTS_FORM, farthest_round, half_extents

_KEY = "near surface"
_ROOM = 64
"""Number of triangles for which there is room at first."""
_SLACK = 2.0**-44
"""Share of all coordinates that covers the rounding of coordinates in other frames."""
_STILL = np.eye(4)[:3].copy()
_LIMIT, _WITHIN, _ROUNDING, _MET_BELOW = range(4)


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
    u = (
        pose[0, 0] * n[0] + pose[1, 0] * n[1] + pose[2, 0] * n[2],
        pose[0, 1] * n[0] + pose[1, 1] * n[1] + pose[2, 1] * n[2],
        pose[0, 2] * n[0] + pose[1, 2] * n[1] + pose[2, 2] * n[2],
    )
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


@kernel
def _search(
    points, form, pose_a, forest, pose_b, origins, reaches, limits, still, points_form, stack, gaps, triangles, answers
):
    """Find the triangles; return their number, or -1 if there is no room for them.

    Args:
        points, form, pose_a: the shape, (n, 3) and (4,), and its pose (3, 4).
        forest, pose_b, origins, reaches: the tree and its pose (3, 4).
        limits: ``_LIMIT``, the triangles farther away are skipped; ``_WITHIN`` and ``_ROUNDING``: the limit becomes the
            smallest distance so far plus the rounding, but not less than ``_WITHIN``; ``_MET_BELOW``: the search ends
            with a triangle that is surely nearer, (4,) [m].
        still, points_form: identity (3, 4) and the form of triangles.
        stack, gaps: room for the nodes that wait, and their bounds.
        triangles, answers: output, (m,) int32 and (m, COLUMNS).
    """
    forest = by_reference(forest)
    tree, count_a = np.int64(0), points.shape[0]
    placed, box, corners, inverse = np.empty((count_a, 3)), np.empty(6), np.empty((3, 3)), np.empty((3, 3))
    room = np.empty((8 + count_a, 4, 3))
    space = by_reference(space_of(room, count_a))
    invert_rotation(pose_b.reshape(12), 0, inverse.reshape(9))
    _world(points, form, pose_a, placed)
    _local_box(form, pose_a, placed, pose_b, inverse, origins[0], box)
    slack = _SLACK * _size_of(pose_a, box, pose_b, reaches[0])
    limit, within, rounding, met_below = limits[_LIMIT], limits[_WITHIN], limits[_ROUNDING], limits[_MET_BELOW]
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
            if count == len(triangles):
                count = _drop(triangles, answers, count, limit)
                if count == len(triangles):
                    return -1
            row = answers[count]
            direction = first_direction() if n[0] == 0.0 and n[1] == 0.0 and n[2] == 0.0 else n
            measure_from(direction, limit, points, form, pose_a, corners, points_form, still, space, row)
            beyond = row[LOWER] > limit
            if not beyond:
                triangles[count] = triangle
                count += 1
                if row[UPPER] < met_below or (row[LOWER] < 0.0 and met_below > -math.inf):
                    triangles[0] = triangle
                    for k in range(COLUMNS):
                        answers[0, k] = row[k]
                    return 1
            if not beyond and row[UPPER] >= best:
                continue
            if not beyond:
                best = row[UPPER]
                limit = min(limit, max(within, best + rounding))
            length = math.sqrt(row[ACROSS] ** 2 + row[ACROSS + 1] ** 2 + row[ACROSS + 2] ** 2)
            if length > 0.0:
                n = (row[ACROSS] / length, row[ACROSS + 1] / length, row[ACROSS + 2] / length)
                height = _farthest_along(form, pose_a, placed, n)
                along = (
                    pose_b[0, 0] * n[0] + pose_b[1, 0] * n[1] + pose_b[2, 0] * n[2],
                    pose_b[0, 1] * n[0] + pose_b[1, 1] * n[1] + pose_b[2, 1] * n[2],
                    pose_b[0, 2] * n[0] + pose_b[1, 2] * n[1] + pose_b[2, 2] * n[2],
                )
                moved = dot(along, (origins[0, 0], origins[0, 1], origins[0, 2]))
                offset = height - moved - (n[0] * pose_b[0, 3] + n[1] * pose_b[1, 3] + n[2] * pose_b[2, 3])
    return _drop(triangles, answers, count, limit)


class _Tree(NotCopied):
    """The hierarchy of a surface as input of the search."""

    def __init__(self, surface: MeshLike) -> None:
        hierarchy = as_boxes(surface)
        self.parts = hierarchy.parts
        self.tree_set: TreeSet = pack_trees([hierarchy])
        self.depth = self.parts.tree.depth


def triangles_near(
    convex: ConvexShape,
    surface: MeshLike,
    row_a: np.ndarray,
    row_b: np.ndarray,
    limit: float,
    within: float,
    rounding: float,
    met_below: float = -math.inf,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the triangles of a surface that are nearest to the core of a convex shape, and bounds of their distances.

    Every triangle whose distance is at most ``within``, or at most ``rounding`` above the smallest distance, is
    included, if it is within the limit. Triangles inside the core have distance 0.

    Args:
        convex: the shape.
        surface: a mesh, or a hierarchy of boxes.
        row_a, row_b: poses (3, 4).
        limit: triangles farther away are skipped [m].
        within, rounding: [m], see above.
        met_below: the search ends with a triangle that is surely nearer [m] or meets the core; by default it does not.

    Returns:
        Triangles (n,) int64, and results (n, COLUMNS) of ``convex_distances``.
    """
    tree: _Tree | None = surface.derived.get(_KEY)
    if tree is None or as_boxes(surface).parts is not tree.parts:
        tree = surface.derived[_KEY] = _Tree(surface)
    asked = (
        convex.points[0], convex.form, np.array(row_a), tree.tree_set.forest, np.array(row_b), tree.tree_set.origins,
        tree.tree_set.reaches, np.array([limit, within, rounding, met_below]), _STILL, POINTS_FORM,
        np.empty(tree.depth + 3, np.int64), np.empty(tree.depth + 3),
    )  # fmt: skip
    room = _ROOM
    while True:
        triangles, answers = np.empty(room, np.int32), np.empty((room, COLUMNS))
        count = _search(*asked, triangles, answers)
        if count >= 0:
            return triangles[:count].astype(np.int64), answers[:count]
        room *= 4
