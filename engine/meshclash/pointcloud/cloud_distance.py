"""Compute the distance between a cloud and another cloud or a mesh.

First the nearest two samples (cloud points or triangles) are found exactly. Both trees are traversed together, near
pairs first; a pair is skipped if its boxes are no closer than the best distance so far. Then the points of clouds move
along their surfaces towards each other as long as that reduces the distance.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..geometry.relative_pose import relative_rows
from ..geometry.triangle_distance import closest_on_triangle, squared_distance
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..jit import inner, kernel
from ..reference import by_reference
from ..types.pose import PoseLike, transform_points
from ..types.results import Progress, QueryStats
from ..types.steps import in_slices, scale_progress, steps
from .cloud import PointCloud
from .collision import mesh_tree
from .mesh_traverse import corner_of
from .pair_search import largest_coordinates, pose_rows
from .patches import place
from .searches import Thing, comes_second, is_for_clouds, pose_pairs, prepared, search_for
from .tree import local_point

_STACK = 512  # each step pops one pair and pushes two, one level deeper in one tree
_SLIDE_STEPS = 30
_LEAVES = 1024
"""Pairs of leaves that one kernel call searches: some milliseconds."""
_USUAL_SLICES = 4

_Samples = tuple[float, np.ndarray, np.ndarray, int, int]
"""The nearest samples: distance, both world points, both indices."""


@dataclass(frozen=True, eq=False)
class CloudDistance:
    """The result that ``distance`` returns if at least one of the objects is a cloud.

    If you pass a stack of k poses, every field except ``stats`` is an array whose first dimension is k.

    Attributes:
        distance: distance between the surfaces [m], float; 0 if the surfaces have a common point.
        point_a: (3,) [m], world: nearest point of a's surface.
        sample_distance: exact distance between the nearest samples [m], float; a sample is a point of a cloud or a
            triangle of a mesh.
        index_a: The nearest sample of a: index of a point, or of a triangle.
        stats: Counters of the search for a common point of the surfaces.
    """

    distance: Any
    point_a: np.ndarray
    point_b: np.ndarray
    sample_distance: Any
    index_a: Any
    index_b: Any
    stats: QueryStats


@inner
def _boxes_gap(a, b, m):
    """Return a lower bound of the distance between two boxes: the largest gap along their six axes, minus the slack."""
    gap = 0.0
    for k in range(3):
        centre = m[9 + k]
        half = 0.0
        back = m[24 + k]
        other = 0.0
        for j in range(3):
            cb = 0.5 * (np.float64(b[j]) + np.float64(b[j + 3]))
            hb = 0.5 * (np.float64(b[j + 3]) - np.float64(b[j]))
            ca = 0.5 * (np.float64(a[j]) + np.float64(a[j + 3]))
            ha = 0.5 * (np.float64(a[j + 3]) - np.float64(a[j]))
            centre += m[3 * k + j] * cb
            half += abs(m[3 * k + j]) * hb
            back += m[15 + 3 * k + j] * ca
            other += abs(m[15 + 3 * k + j]) * ha
        low = max(np.float64(a[k]) - (centre + half), (centre - half) - np.float64(a[k + 3])) - m[12 + k]
        high = max(np.float64(b[k]) - (back + other), (back - other) - np.float64(b[k + 3])) - m[27 + k]
        gap = max(gap, low, high)
    return gap


@inner
def _push_nearer_first(bounds, nodes, used, gap_1, pair_1, gap_2, pair_2):
    near_is_1 = gap_1 <= gap_2
    bounds[used] = gap_2 if near_is_1 else gap_1
    bounds[used + 1] = gap_1 if near_is_1 else gap_2
    for k in range(2):
        nodes[used, k] = pair_2[k] if near_is_1 else pair_1[k]
        nodes[used + 1, k] = pair_1[k] if near_is_1 else pair_2[k]
    return used + 2


@inner
def _split_pair(first_a, count_a, boxes_a, first_b, count_b, boxes_b, a, b, m, bounds, nodes, used):
    """Split a pair of nodes, and push both halves. The larger node is split, or the only one that has children."""
    into_a = count_b[b] > 0
    if not into_a and count_a[a] == 0:
        size_a = boxes_a[a, 3] - boxes_a[a, 0] + boxes_a[a, 4] - boxes_a[a, 1] + boxes_a[a, 5] - boxes_a[a, 2]
        size_b = boxes_b[b, 3] - boxes_b[b, 0] + boxes_b[b, 4] - boxes_b[b, 1] + boxes_b[b, 5] - boxes_b[b, 2]
        into_a = size_a >= size_b
    if into_a:
        child = np.int64(first_a[a])
        pair_1, pair_2 = (child, b), (child + 1, b)
    else:
        child = np.int64(first_b[b])
        pair_1, pair_2 = (a, child), (a, child + 1)
    gap_1 = _boxes_gap(boxes_a[pair_1[0]], boxes_b[pair_1[1]], m)
    gap_2 = _boxes_gap(boxes_a[pair_2[0]], boxes_b[pair_2[1]], m)
    return _push_nearer_first(bounds, nodes, used, gap_1, pair_1, gap_2, pair_2)


@inner
def _next_leaves(first_a, count_a, boxes_a, first_b, count_b, boxes_b, m, bounds, nodes, used, best2):
    """Pop and split pairs of nodes until the pair on top consists of two leaves that may be closer than the best pair
    so far.

    Returns:
        Return the number of pairs left on the stack, whose next entry contains the pair of leaves; -1 if no pair is
            left.
    """
    while used > 0:
        used -= 1
        if bounds[used] * bounds[used] >= best2:
            continue
        a = nodes[used, 0]
        b = nodes[used, 1]
        if count_a[a] > 0 and count_b[b] > 0:
            return used
        used = _split_pair(first_a, count_a, boxes_a, first_b, count_b, boxes_b, a, b, m, bounds, nodes, used)
    return -1


@kernel
def _nearest_points(a, b, m, inner2, leaves, state, bounds, nodes, best):
    """Find the nearest two points of two clouds; ``best`` (3,) receives squared distance and both places in the trees.

    Where neither surface ends, only points whose squared distance is below ``inner2`` count. Resumes from ``state``
    (the number of pairs on the stack,), and stops after ``leaves`` pairs of leaves. Returns whether the search is
    finished.
    """
    a = by_reference(a)
    b = by_reference(b)
    used = state[0]
    for _ in range(leaves):
        used = _next_leaves(
            a.first, a.count, a.boxes, b.first, b.count, b.boxes, m, bounds, nodes, used, best[0]
        )  # fmt: skip
        if used < 0:
            return True
        node_a = nodes[used, 0]
        node_b = nodes[used, 1]
        most2 = inner2 if a.planes[node_a, 5] == 0.0 and b.planes[node_b, 5] == 0.0 else np.inf
        for j in range(b.first[node_b], b.first[node_b] + b.count[node_b]):
            y = local_point(b, j)
            y = place(m, y[0], y[1], y[2])
            for i in range(a.first[node_a], a.first[node_a] + a.count[node_a]):
                d2 = squared_distance(local_point(a, i), y)
                if d2 < best[0] and d2 < most2:
                    best[0] = d2
                    best[1] = i
                    best[2] = j
    state[0] = used
    return False


@kernel
def _nearest_triangle(a, b, m, inner2, leaves, state, bounds, nodes, best, point):
    """Find the nearest pair of a point of a cloud and a triangle of a mesh.

    Where the cloud's surface does not end, only pairs whose squared distance is below ``inner2`` count. ``point``
    receives the nearest point on the triangle, in the cloud's hierarchy frame. The search stops and
    resumes like ``_nearest_points``.
    """
    a = by_reference(a)
    b = by_reference(b)
    used = state[0]
    for _ in range(leaves):
        used = _next_leaves(
            a.first, a.count, a.boxes, b.first, b.count, b.volumes, m, bounds, nodes, used, best[0]
        )  # fmt: skip
        if used < 0:
            return True
        node_a = nodes[used, 0]
        node_b = nodes[used, 1]
        most2 = inner2 if a.planes[node_a, 5] == 0.0 else np.inf
        for entry in range(b.first[node_b], b.first[node_b] + b.count[node_b]):
            t = np.int64(b.order[entry])
            p, q, r = corner_of(b, t, 0, m), corner_of(b, t, 1, m), corner_of(b, t, 2, m)
            for i in range(a.first[node_a], a.first[node_a] + a.count[node_a]):
                x = local_point(a, i)
                foot = closest_on_triangle(x, p, q, r)
                d2 = squared_distance(x, foot)
                if d2 < best[0] and d2 < most2:
                    best[0] = d2
                    best[1] = i
                    best[2] = t
                    point[0], point[1], point[2] = foot
    state[0] = used
    return False


def _scratch(limit: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the start of a search: (number of pairs on the stack, their bounds, their nodes, best result so far).

    The stack contains the two roots, and no result exists yet. Only samples closer than ``limit`` are found.
    """
    best = np.array([limit * limit, -1.0, -1.0])
    return np.ones(1, np.int64), np.zeros(_STACK), np.zeros((_STACK, 2), np.int64), best


@in_slices
def cloud_distance(
    a: PointCloud | MeshLike,
    b: PointCloud | MeshLike,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
) -> Generator[Progress, None, CloudDistance]:
    """Return the distance between a point cloud and a mesh or another point cloud.

    Args:
        a, b: PointClouds, or one PointCloud and a TriangleMesh or its hierarchy.
        pose_a, pose_b: None (identity), a Pose, a rigid (4, 4) matrix, or a stack (k, 4, 4) for k queries at once.

    Returns:
        CloudDistance: the distance of the surfaces, and the exact distance of the nearest samples.

    Raises:
        InvalidMesh, InvalidPointCloud, InvalidPose, UnsupportedOption.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> x, y = np.meshgrid(np.linspace(-1, 1, 40), np.linspace(-1, 1, 40))
        >>> cloud = mc.clouds.PointCloud(np.stack([x.ravel(), y.ravel(), np.full(1600, 2.0)], axis=1))
        >>> round(float(mc.lab.cloud_distance(cloud, mc.shapes.plane(4.0)).distance), 3)
        2.0
    """
    if not is_for_clouds(a, b):
        raise UnsupportedOption("cloud_distance needs a PointCloud")
    start = time.perf_counter()
    rows_a, rows_b, stacked = pose_pairs(pose_a, pose_b)
    for thing, low in ((a, 0.0), (b, 0.2)):
        if isinstance(thing, PointCloud):
            yield from scale_progress(steps(thing.build), low, low + 0.2)
    found = []
    for k in range(len(rows_a)):
        low, high = 0.4 + 0.6 * k / len(rows_a), 0.4 + 0.6 * (k + 1) / len(rows_a)
        found.append((yield from scale_progress(_one_steps(a, b, rows_a[k], rows_b[k]), low, high)))
    stats = QueryStats()
    for one in found:
        stats = stats.plus(one.stats)
    stats = replace(stats, seconds=time.perf_counter() - start)
    if not stacked:
        return replace(found[0], stats=stats)
    return CloudDistance(
        np.array([one.distance for one in found]),
        np.array([one.point_a for one in found]),
        np.array([one.point_b for one in found]),
        np.array([one.sample_distance for one in found]),
        np.array([one.index_a for one in found]),
        np.array([one.index_b for one in found]),
        stats,
    )


def _one_steps(a: Thing, b: Thing, rows_a: np.ndarray, rows_b: np.ndarray) -> Generator[Progress, None, CloudDistance]:
    """Return the distance between the objects in one pose (3, 4) of each. The hierarchies are built already."""
    first, second = prepared(a), prepared(b)
    if isinstance(first, PointCloud) and isinstance(second, PointCloud) and comes_second(first, second, rows_a, rows_b):
        return _exchanged((yield from _one_steps(b, a, rows_b, rows_a)))
    if isinstance(first, PointCloud):
        nearest = yield from _nearest_steps(first, second, rows_a, rows_b)
    else:
        assert isinstance(second, PointCloud)
        distance, y, x, j, i = yield from _nearest_steps(second, first, rows_b, rows_a)
        nearest = (distance, x, y, i, j)
    distance, x, y, index_a, index_b = nearest
    search = search_for(a, b, rows_a, rows_b, True)[0]
    yield from scale_progress(steps(search.finish), 0.7, 1.0)
    if search.hit:
        x = y = search.found().points[0]
    else:
        x, y = _slide(first, x, rows_a, second, y, rows_b)
    return CloudDistance(float(np.linalg.norm(x - y)), x, y, distance, index_a, index_b, search.stats(0.0))


def _exchanged(one: CloudDistance) -> CloudDistance:
    """Return the same result with the roles of a and b exchanged."""
    return replace(one, point_a=one.point_b, point_b=one.point_a, index_a=one.index_b, index_b=one.index_a)


def _world(rows: np.ndarray, point: np.ndarray) -> np.ndarray:
    return transform_points(rows, point[None])[0]


def near_place_steps(
    a: Thing, b: Thing, rows_a: np.ndarray, rows_b: np.ndarray, limit: float, inner: float
) -> Generator[Progress, None, np.ndarray | None]:
    """Return the midpoint (3,) between the nearest samples of both objects in poses (3, 4), if they are closer than a
    limit [m], else None. Where no surface ends, the limit is ``inner`` [m] instead.

    One object is a cloud.
    """
    first, second = prepared(a), prepared(b)
    if not isinstance(first, PointCloud):
        first, second, rows_a, rows_b = second, first, rows_b, rows_a
    assert isinstance(first, PointCloud)
    nearest = yield from _samples_steps(first, second, rows_a, rows_b, limit, inner)
    return None if nearest is None else 0.5 * (nearest[1] + nearest[2])


def _nearest_steps(
    a: PointCloud, b: PointCloud | Hierarchy, rows_a: np.ndarray, rows_b: np.ndarray
) -> Generator[Progress, None, _Samples]:
    """Return the nearest pair of samples of both objects."""
    nearest = yield from _samples_steps(a, b, rows_a, rows_b, math.inf, math.inf)
    assert nearest is not None
    return nearest


def _samples_steps(
    a: PointCloud, b: PointCloud | Hierarchy, rows_a: np.ndarray, rows_b: np.ndarray, limit: float, inner: float
) -> Generator[Progress, None, _Samples | None]:
    """Return the nearest pair of samples of both objects if it is closer than a limit [m], else None.

    Where no surface ends, the limit is ``inner`` [m] instead.
    """
    tree = a.built.tree
    origin_b = b.built.tree.origin if isinstance(b, PointCloud) else b.origin
    bounds_b = b.bounds if isinstance(b, PointCloud) else b.mesh.bounds
    relative = relative_rows(
        pose_rows(rows_a), pose_rows(rows_b), tree.origin[None], origin_b[None],
        largest_coordinates(a.bounds), largest_coordinates(bounds_b),
    )[0]  # fmt: skip
    *stack, best = _scratch(limit)
    slices = 0
    if isinstance(b, PointCloud):
        target = b.built.tree
        while not _nearest_points(tree, target, relative, inner * inner, _LEAVES, *stack, best):
            slices += 1
            yield _searching(slices)
        if best[1] < 0.0:
            return None
        i, j = int(best[1]), int(best[2])
        y, index_b = _world(rows_b, target.points[j]), int(b.built.order[j])
    else:
        foot = np.empty(3)
        while not _nearest_triangle(tree, mesh_tree(b), relative, inner * inner, _LEAVES, *stack, best, foot):
            slices += 1
            yield _searching(slices)
        if best[1] < 0.0:
            return None
        i, index_b = int(best[1]), int(best[2])
        y = _world(rows_a, foot + tree.origin)
    x = _world(rows_a, tree.points[i])
    return float(np.linalg.norm(x - y)), x, y, int(a.built.order[i]), index_b


def _searching(slices: int) -> Progress:
    """Return an estimate of the progress after some slices, since their total number is unknown."""
    return Progress(0.7 * slices / (slices + _USUAL_SLICES), "looking for the nearest points")


def _slide(a: PointCloud | Hierarchy, x: np.ndarray, rows_a, b: PointCloud | Hierarchy, y: np.ndarray, rows_b):
    """Move the nearest point of each object along its surface towards the other point; return both in world
    coordinates.
    """
    best = math.inf
    kept = (x, y)
    for _ in range(_SLIDE_STEPS):
        x = _towards(a, x, y, rows_a)
        y = _towards(b, y, x, rows_b)
        distance = float(np.linalg.norm(x - y))
        if not distance < best * (1.0 - 1e-9):
            break
        best, kept = distance, (x, y)
    return kept


def _towards(thing: PointCloud | Hierarchy, x: np.ndarray, target: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Move x along the tangent plane of its surface towards the target, and return the point on the surface.

    A point of a mesh does not move: its nearest sample is exact already.
    """
    if not isinstance(thing, PointCloud):
        return x
    inverse = np.linalg.inv(rows[:, :3])
    local = inverse @ (x - rows[:, 3])
    way = inverse @ (target - x)
    for step in (True, False):
        f, n, there = thing.evaluate(local[None])
        if not there[0]:
            return x
        local = local + f[0] * n[0]
        if step:
            along = way - (way @ n[0]) * n[0]
            length = float(np.linalg.norm(along))
            local = local + along * min(1.0, thing.sampling_radius / length if length > 0.0 else 0.0)
    return _world(rows, local)
