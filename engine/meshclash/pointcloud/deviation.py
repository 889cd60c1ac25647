"""How far the points of a cloud lie from another surface: exact for a mesh, by the implicit surface for a cloud."""

import math
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from ..errors import InvalidPointCloud, UnsupportedOption
from ..hierarchy.build import as_hierarchy
from ..hierarchy.bvh import Hierarchy
from ..jit import inner, kernel
from ..solid.frames import beyond_root, make_frame, nearest_in, winding_in
from ..solid.solids import gather_solids
from ..traversal.forest import plant
from ..traversal.point import new_point_workspace
from ..traversal.run import run
from ..types.mesh import TriangleMesh
from ..types.pose import pose_stack, transform_points
from ..types.results import Progress
from .cloud import PointCloud
from .steps import share
from .surface import new_sums, solve
from .tree import STACK_SIZE, PointTree, box_distance2, sum_around

_CHUNK = 4096  # points measured between two reports of progress
_ROUNDING = 1e-12


@kernel
def _from_mesh(forest, solids, pose, inverse, origins, reaches, at, signed, work, out):
    frame = make_frame(0, pose, inverse, origins, reaches)
    for k in range(at.shape[0]):
        p = (at[k, 0], at[k, 1], at[k, 2])
        distance, _, _ = nearest_in(forest, frame, p, np.inf, -1.0, work)
        out[k] = distance
        if signed and not beyond_root(forest, frame, p, 0.0):
            number, clear = winding_in(forest, solids, frame, np.int64(-1), p, work)
            if clear and number != 0:
                out[k] = -distance


@inner
def nearest_point(tree, x, stack, limit2):
    """(squared distance, place in the tree) of the point nearest to x, object coordinates, if closer than the limit."""
    local = (x[0] - tree.origin[0], x[1] - tree.origin[1], x[2] - tree.origin[2])
    best = limit2
    where = np.int64(-1)
    stack[0] = 0
    used = 1
    while used > 0:
        used -= 1
        node = stack[used]
        if box_distance2(tree.boxes, node, local[0], local[1], local[2]) >= best:
            continue
        begin = tree.first[node]
        if tree.count[node] == 0:
            left = box_distance2(tree.boxes, begin, local[0], local[1], local[2])
            right = box_distance2(tree.boxes, begin + 1, local[0], local[1], local[2])
            nearer_left = 1 if left <= right else 0
            stack[used] = begin + nearer_left
            stack[used + 1] = begin + 1 - nearer_left
            used += 2
            continue
        for i in range(begin, begin + tree.count[node]):
            d2 = (tree.points[i, 0] - x[0]) ** 2 + (tree.points[i, 1] - x[1]) ** 2 + (tree.points[i, 2] - x[2]) ** 2
            if d2 < best:
                best = d2
                where = np.int64(i)
    return best, where


@inner
def _from_surface(tree, x, stack, sums):
    """Distance of x from a cloud's surface, negative behind it: f, or where there is no surface the nearest point."""
    d2, i = nearest_point(tree, x, stack, np.inf)
    distance = math.sqrt(d2)
    oriented = tree.normals.shape[0] > 0
    ahead = 0.0
    if oriented:
        for k in range(3):
            ahead += tree.normals[i, k] * (x[k] - tree.points[i, k])
    sum_around(tree, x, stack, sums)
    f, n, there = solve(sums, tree.parameters)
    if not there:
        return -distance if ahead < 0.0 else distance
    if not oriented:
        return abs(f)
    along = n[0] * tree.normals[i, 0] + n[1] * tree.normals[i, 1] + n[2] * tree.normals[i, 2]
    return f if along < 0.0 else -f


@kernel
def _from_cloud(tree, at, sums, stack, out):
    """Of points ``at`` (k, 3) in the cloud's own coordinates."""
    for k in range(at.shape[0]):
        out[k] = _from_surface(tree, (at[k, 0], at[k, 1], at[k, 2]), stack, sums)


Surface = PointCloud | TriangleMesh | Hierarchy
Measure = Callable[[np.ndarray], np.ndarray]
"""World points (k, 3) to their distances (k,)."""


def deviation(
    cloud: PointCloud,
    other: Surface,
    pose_cloud: Any = None,
    pose_other: Any = None,
    signed: bool = False,
) -> np.ndarray:
    """Distance [m] of each point of a cloud from another object's surface.

    Args:
        cloud: whose points are asked about.
        other: a mesh, whose nearest triangle counts; or a cloud, whose implicit surface counts where it reaches, and
            whose nearest point elsewhere.
        pose_cloud, pose_other: None (identity), a Pose or a rigid (4, 4) matrix.
        signed: negative for points behind the surface: inside a closed mesh, or against the normals of a cloud.

    Returns:
        (n,) float64 [m], in the order of the cloud's points.

    Raises:
        InvalidPointCloud: ``cloud`` is not a PointCloud.
        UnsupportedOption: signed, but the mesh is not closed or the other cloud has no normals; or a stack of poses.
    """
    return run(deviation_steps(cloud, other, pose_cloud, pose_other, signed))


def deviation_steps(
    cloud: PointCloud,
    other: Surface,
    pose_cloud: Any = None,
    pose_other: Any = None,
    signed: bool = False,
) -> Generator[Progress, None, np.ndarray]:
    """As ``deviation``, in slices of some milliseconds."""
    rows, rows_other = _checked_question(cloud, pose_cloud, pose_other)
    yield from share(cloud.build_steps(), 0.0, 0.25)
    measure = yield from share(_measure_steps(other, rows_other, signed), 0.25, 0.5)
    tree, order = cloud.built.tree, cloud.built.order
    result = np.empty(cloud.point_count)
    for begin in range(0, len(order), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        result[order[part]] = measure(transform_points(rows, tree.points[part]))
        yield Progress(0.5 + 0.5 * min(1.0, (begin + _CHUNK) / len(order)), "measuring deviations")
    return result


def points_behind_steps(
    cloud: PointCloud, other: Surface, pose_cloud: Any = None, pose_other: Any = None
) -> Generator[Progress, None, tuple[np.ndarray, np.ndarray]]:
    """Which points of a cloud lie behind another surface, and how deep; in slices.

    Only points of leaves that reach into the box of a mesh are measured.

    Returns:
        (indices, depth): (m,) int32 ascending, and (m,) float64 [m].

    Raises:
        InvalidPointCloud, UnsupportedOption: as ``deviation`` with ``signed``.
    """
    rows, rows_other = _checked_question(cloud, pose_cloud, pose_other)
    yield from share(cloud.build_steps(), 0.0, 0.25)
    measure = yield from share(_measure_steps(other, rows_other, True), 0.25, 0.5)
    order = cloud.built.order
    near = _points_near(cloud.built.tree, rows, other, rows_other)
    found, depths = [np.empty(0, np.int32)], [np.empty(0)]
    for begin in range(0, len(near), _CHUNK):
        chosen = near[begin : begin + _CHUNK]
        signed = measure(transform_points(rows, cloud.built.tree.points[chosen]))
        behind = signed < 0.0
        found.append(order[chosen[behind]])
        depths.append(-signed[behind])
        yield Progress(0.5 + 0.5 * min(1.0, (begin + _CHUNK) / len(near)), "looking for points inside")
    indices = np.concatenate(found)
    ascending = np.argsort(indices)
    return indices[ascending], np.concatenate(depths)[ascending]


def _points_near(tree: PointTree, rows: np.ndarray, other: Surface, rows_other: np.ndarray) -> np.ndarray:
    """Places in the tree (k,) int64 of the points of all leaves that reach into the box of the other object."""
    if isinstance(other, PointCloud):
        return np.arange(len(tree.points))
    low, high = (other.mesh if isinstance(other, Hierarchy) else other).bounds
    corners = np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    local = (transform_points(rows_other, corners) - rows[:, 3]) @ np.linalg.inv(rows[:, :3]).T - tree.origin
    slack = _ROUNDING * (1.0 + np.abs(local).max() + np.abs(rows).max() + np.abs(tree.origin).max())
    leaves = np.flatnonzero(tree.count)
    boxes = tree.boxes[leaves]
    reached = (boxes[:, :3] <= local.max(axis=0) + slack) & (boxes[:, 3:] >= local.min(axis=0) - slack)
    return points_of_leaves(tree, leaves[reached.all(axis=1)])[0]


def points_of_leaves(tree: PointTree, leaves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points of some leaves, one leaf after the other: their places (k,) int64, and the entry of ``leaves``."""
    counts = tree.count[leaves].astype(np.int64)
    entry = np.repeat(np.arange(len(leaves)), counts)
    offset = np.arange(len(entry)) - np.repeat(np.cumsum(counts) - counts, counts)
    return tree.first[leaves][entry] + offset, entry


def _checked_question(cloud: Any, pose_cloud: Any, pose_other: Any) -> tuple[np.ndarray, np.ndarray]:
    """Rows (3, 4) of both poses."""
    if not isinstance(cloud, PointCloud):
        raise InvalidPointCloud(f"deviation asks about a PointCloud, not about a {type(cloud).__name__}")
    (rows, stacked), (rows_other, stacked_other) = pose_stack(pose_cloud), pose_stack(pose_other)
    if stacked or stacked_other:
        raise UnsupportedOption("deviation takes one pose for each object, not a stack")
    return rows[0], rows_other[0]


def _measure_steps(other: Surface, rows_other: np.ndarray, signed: bool) -> Generator[Progress, None, Measure]:
    if isinstance(other, PointCloud):
        if signed and not other.has_normals:
            raise UnsupportedOption("the other cloud has no normals, so it has no inside: ask for unsigned distances")
        yield from other.build_steps()
        return _measure_cloud(other, rows_other, signed)
    hierarchy = as_hierarchy(other)
    if hierarchy.volume != "aabb":
        hierarchy = as_hierarchy(hierarchy.mesh)
    if signed and not hierarchy.mesh.is_closed:
        raise UnsupportedOption("the mesh is not closed, so it has no inside: ask for unsigned distances")
    yield Progress(0.0, "preparing the mesh")
    return _measure_mesh(hierarchy, rows_other, signed)


def _measure_mesh(hierarchy: Hierarchy, rows_other: np.ndarray, signed: bool) -> Measure:
    grove, solids = plant([hierarchy]), gather_solids([hierarchy])
    inverse = np.ascontiguousarray(np.linalg.inv(rows_other[:, :3]))
    pose = np.ascontiguousarray(rows_other)
    work = new_point_workspace()

    def measure(world: np.ndarray) -> np.ndarray:
        out = np.empty(len(world))
        _from_mesh(grove.forest, solids, pose, inverse, grove.origins, grove.reaches, world, signed, work, out)
        return out

    return measure


def _measure_cloud(other: PointCloud, rows_other: np.ndarray, signed: bool) -> Measure:
    target = other.built.tree
    inverse = np.linalg.inv(rows_other[:, :3])
    sums, stack = new_sums(), np.empty(STACK_SIZE, np.int64)

    def measure(world: np.ndarray) -> np.ndarray:
        out = np.empty(len(world))
        _from_cloud(target, (world - rows_other[:, 3]) @ inverse.T, sums, stack, out)
        return out if signed else np.abs(out)

    return measure
