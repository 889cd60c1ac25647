"""How far the points of a cloud lie from another surface: exact for a mesh, by the implicit surface for a cloud."""

import math
from typing import Any

import numpy as np

from ..errors import InvalidPointCloud, UnsupportedOption
from ..geometry.relative_pose import relative_rows
from ..hierarchy.build import as_hierarchy
from ..hierarchy.bvh import Hierarchy
from ..jit import inner, kernel
from ..solid.frames import beyond_root, make_frame, nearest_in, winding_in
from ..solid.solids import gather_solids
from ..traversal.forest import plant
from ..traversal.point import new_point_workspace
from ..types.mesh import TriangleMesh
from ..types.pose import pose_stack, transform_points
from .cloud import PointCloud
from .surface import new_sums, solve
from .tree import STACK_SIZE, PointTree, box_distance2, sum_around
from .walk import largest_coordinates


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
def _from_cloud(tree, row, at, sums, stack, out):
    """``row``: the hierarchy frame of the points ``at`` in that of the cloud, as in ``relative_pose.py``."""
    for k in range(at.shape[0]):
        x = (
            row[0] * at[k, 0] + row[1] * at[k, 1] + row[2] * at[k, 2] + row[9] + tree.origin[0],
            row[3] * at[k, 0] + row[4] * at[k, 1] + row[5] * at[k, 2] + row[10] + tree.origin[1],
            row[6] * at[k, 0] + row[7] * at[k, 1] + row[8] * at[k, 2] + row[11] + tree.origin[2],
        )
        out[k] = _from_surface(tree, x, stack, sums)


def deviation(
    cloud: PointCloud,
    other: PointCloud | TriangleMesh | Hierarchy,
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
    if not isinstance(cloud, PointCloud):
        raise InvalidPointCloud(f"deviation asks about a PointCloud, not about a {type(cloud).__name__}")
    (rows, stacked), (rows_other, stacked_other) = pose_stack(pose_cloud), pose_stack(pose_other)
    if stacked or stacked_other:
        raise UnsupportedOption("deviation takes one pose for each object, not a stack")
    result = np.empty(cloud.point_count)
    result[cloud.built.order] = (
        _deviation_from_cloud(cloud.built.tree, other, rows, rows_other, cloud.bounds, signed)
        if isinstance(other, PointCloud)
        else _deviation_from_mesh(cloud.built.tree, other, rows, rows_other, signed)
    )
    return result


def _deviation_from_mesh(tree: PointTree, other: Any, rows: np.ndarray, rows_other: np.ndarray, signed: bool):
    hierarchy = as_hierarchy(other)
    if hierarchy.volume != "aabb":
        hierarchy = as_hierarchy(hierarchy.mesh)
    if signed and not hierarchy.mesh.is_closed:
        raise UnsupportedOption("the mesh is not closed, so it has no inside: ask for unsigned distances")
    grove, solids = plant([hierarchy]), gather_solids([hierarchy])
    world = transform_points(rows[0], tree.points)
    out = np.empty(len(world))
    inverse = np.ascontiguousarray(np.linalg.inv(rows_other[0][:, :3]))
    pose = np.ascontiguousarray(rows_other[0])
    _from_mesh(
        grove.forest, solids, pose, inverse, grove.origins, grove.reaches, world, signed, new_point_workspace(), out
    )
    return out


def _deviation_from_cloud(tree, other: PointCloud, rows, rows_other, bounds: np.ndarray, signed: bool):
    if signed and not other.has_normals:
        raise UnsupportedOption("the other cloud has no normals, so it has no inside: ask for unsigned distances")
    target = other.built.tree
    row = relative_rows(
        rows_other, rows, target.origin[None], tree.origin[None],
        largest_coordinates(other.bounds), largest_coordinates(bounds),
    )[0]  # fmt: skip
    out = np.empty(len(tree.points))
    _from_cloud(target, row, tree.points - tree.origin, new_sums(), np.empty(STACK_SIZE, np.int64), out)
    return out if signed else np.abs(out)
