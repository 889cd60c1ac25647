"""Distances from the points of a cloud to another surface: exact for a mesh, from the implicit surface for a cloud."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any

import numpy as np

from ..answering.devices import Session, require_device
from ..errors import InvalidPointCloud, UnsupportedOption
from ..hierarchy.build import as_hierarchy
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..jit import inner, kernel
from ..messages import a_type
from ..reference import by_reference
from ..traversal.crossings import winding_by_nodes
from ..traversal.forest import pack_trees
from ..traversal.frames import beyond_root, make_frame, nearest_in, winding_in
from ..traversal.point import new_point_workspace
from ..traversal.solids import gather_solids
from ..types.numbers import truth
from ..types.pose import PoseLike, pose_stack, transform_points
from ..types.results import Progress
from ..types.steps import in_slices, scale_progress, steps
from .cloud import PointCloud
from .measure import Measure, distances_from_cloud_on, distances_from_mesh_on
from .surface import new_sums, solve
from .tree import STACK_SIZE, PointTree, box_distance2, sum_around

_ROUNDING = 1e-12


@inner
def from_solid(forest, solids, frame, p, signed, work):
    """Return the distance from a world point to a mesh, and whether its sign is certain.

    The distance is negative inside the mesh if ``signed`` is set.
    """
    distance, _, _ = nearest_in(forest, frame, p, np.inf, -1.0, work)
    if not signed or beyond_root(forest, frame, p, 0.0):
        return distance, True
    number, clear = winding_in(forest, solids, frame, np.int64(-1), p, work)
    return (-distance if clear and number != 0 else distance), clear


@inner
def from_solid_by_nodes(forest, solids, frame, p, signed, work):
    """Like ``from_solid``, for the binary tree, because a GPU has no 8-wide form."""
    distance, _, _ = nearest_in(forest, frame, p, np.inf, -1.0, work)
    if not signed or beyond_root(forest, frame, p, 0.0):
        return distance, True
    number, clear = winding_by_nodes(
        forest, frame.tree, frame.pose, frame.inverse, frame.origin, frame.reach, solids.orientation, p, work
    )
    return (-distance if clear and number != 0 else distance), clear


@kernel
def distances_from_mesh(forest, solids, pose, inverse, origins, reaches, at, signed, work, out):
    """Write the distances from world points ``at`` (k, 3) to a mesh into ``out`` (k,) [m]."""
    forest = by_reference(forest)
    solids = by_reference(solids)
    work = by_reference(work)
    frame = by_reference(make_frame(0, pose, inverse, origins, reaches))
    for k in range(at.shape[0]):
        out[k], _ = from_solid(forest, solids, frame, (at[k, 0], at[k, 1], at[k, 2]), signed, work)


@inner
def nearest_point(tree, x, stack, limit2):
    """Return (squared distance, place in the tree) of the point nearest to x, which is in object coordinates.

    Without a point closer than the limit, return (``limit2``, -1).
    """
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
        begin = np.int64(tree.first[node])
        if tree.count[node] == 0:
            left = box_distance2(tree.boxes, begin, local[0], local[1], local[2])
            right = box_distance2(tree.boxes, begin + 1, local[0], local[1], local[2])
            nearer_left = 1 if left <= right else 0
            stack[used] = begin + nearer_left
            stack[used + 1] = begin + 1 - nearer_left
            used += 2
            continue
        for i in range(begin, begin + tree.count[node]):
            dx = tree.points[i, 0] - x[0]
            dy = tree.points[i, 1] - x[1]
            dz = tree.points[i, 2] - x[2]
            d2 = dx * dx + dy * dy + dz * dz
            if d2 < best:
                best = d2
                where = i
    return best, where


@inner
def from_surface(tree, x, stack, sums):
    """Return the distance from x to a cloud's surface, negative behind the surface if the cloud has normals.

    Where the surface does not exist, the distance to the nearest point is used.
    """
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
def distances_from_cloud(tree, at, sums, stack, out):
    """Write the distances of points ``at`` (k, 3), in the cloud's own coordinates, into ``out`` (k,) [m]."""
    tree = by_reference(tree)
    for k in range(at.shape[0]):
        out[k] = from_surface(tree, (at[k, 0], at[k, 1], at[k, 2]), stack, sums)


Surface = PointCloud | MeshLike


@in_slices
def deviation(
    cloud: PointCloud,
    other: Surface,
    pose_cloud: PoseLike = None,
    pose_other: PoseLike = None,
    *,
    signed: bool = False,
    device: str = "auto",
) -> Generator[Progress, None, np.ndarray]:
    """Return the distance [m] between each point of a cloud and the surface of another object.

    Args:
        cloud: the PointCloud whose points are measured.
        other: a mesh or a cloud. The distance from a mesh is the distance from its nearest triangle. The distance from
            a cloud is the distance from its implicit surface. Where a cloud has no surface, the distance is that from
            its nearest point.
        pose_cloud, pose_other: None (identity), a Pose or a rigid (4, 4) matrix.
        signed: True makes the distance negative for points behind the surface, which are inside a closed mesh or on the
            back of a cloud with normals.
        device: "cpu"; "cuda", a GPU; or "auto", which uses a GPU for enough points (``configure_device``). All devices
            give the same results. If a GPU fails, MeshClash issues a warning, and the CPU computes the rest.

    Returns:
        (n,) float64 [m], in the order of the cloud's points.

    Raises:
        InvalidPointCloud: ``cloud`` is not a PointCloud.
        UnsupportedOption: signed, but the mesh is not closed or the other cloud has no normals; or a stack of poses;
            or an unknown device.
        DeviceUnavailable: device is "cuda", and no GPU can be used.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> x, y = np.meshgrid(np.linspace(-1, 1, 20), np.linspace(-1, 1, 20))
        >>> scan = mc.clouds.PointCloud(np.stack([x.ravel(), y.ravel(), np.full(400, 0.25)], axis=1))
        >>> float(np.abs(mc.clouds.deviation(scan, mc.shapes.plane(4.0))).max())
        0.25
    """
    require_device(device)
    signed = truth("signed", signed)
    rows, rows_other = _checked_question(cloud, pose_cloud, pose_other)
    yield from scale_progress(steps(cloud.build), 0.0, 0.25)
    measure = yield from scale_progress(_measure_steps(other, rows_other, signed, device, cloud.point_count), 0.25, 0.5)
    built = cloud.built
    return (yield from scale_progress(_measured_steps(measure, rows, built.tree.points, built.order), 0.5, 1.0))


def _measured_steps(
    measure: Measure, rows: np.ndarray, points: np.ndarray, places: np.ndarray | None = None
) -> Generator[Progress, None, np.ndarray]:
    """Return the distances from the points (k, 3) of a cloud in a pose (3, 4) to the other object, in slices.
    ``places`` (k,) reorders the results.
    """
    result = np.empty(len(points))
    begin = 0
    while begin < len(points):
        part = slice(begin, begin + measure.chunk)
        found = measure(transform_points(rows, points[part]))
        if found is not None:
            result[part if places is None else places[part]] = found
            begin = min(part.stop, len(points))
        yield Progress(begin / len(points), "measuring deviations")
    return result


def points_behind_steps(
    cloud: PointCloud, other: Surface, pose_cloud: PoseLike = None, pose_other: PoseLike = None
) -> Generator[Progress, None, tuple[np.ndarray, np.ndarray]]:
    """Find, in slices, the points of a cloud that lie behind another surface, and their depths.

    If the other object is a mesh, only points of leaves that reach into its box are measured.

    Returns:
        (indices, depth): (m,) int32 ascending, and (m,) float64 [m].

    Raises:
        InvalidPointCloud, UnsupportedOption: as ``deviation`` with ``signed``.
    """
    rows, rows_other = _checked_question(cloud, pose_cloud, pose_other)
    yield from scale_progress(steps(cloud.build), 0.0, 0.25)
    near = _points_near(cloud.built.tree, rows, other, rows_other)
    measure = yield from scale_progress(_measure_steps(other, rows_other, True, "auto", len(near)), 0.25, 0.5)
    signed = yield from scale_progress(_measured_steps(measure, rows, cloud.built.tree.points[near]), 0.5, 1.0)
    behind = signed < 0.0
    indices = cloud.built.order[near[behind]]
    ascending = np.argsort(indices)
    return indices[ascending], -signed[behind][ascending]


def _points_near(tree: PointTree, rows: np.ndarray, other: Surface, rows_other: np.ndarray) -> np.ndarray:
    """Return the places in the tree (k,) int64 of the points of all leaves whose boxes reach into the box of a mesh.

    If the other object is a cloud, return all points.
    """
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
    """Return the points of the given leaves of a tree, leaf by leaf.

    Returns:
        (their places in the tree (k,) int64, the index in ``leaves`` of each).
    """
    counts = tree.count[leaves].astype(np.int64)
    entry = np.repeat(np.arange(len(leaves)), counts)
    offset = np.arange(len(entry)) - np.repeat(np.cumsum(counts) - counts, counts)
    return tree.first[leaves][entry] + offset, entry


def _checked_question(cloud: Any, pose_cloud: Any, pose_other: Any) -> tuple[np.ndarray, np.ndarray]:
    """Check the arguments, and return the rows (3, 4) of both poses."""
    if not isinstance(cloud, PointCloud):
        raise InvalidPointCloud(f"deviation needs a PointCloud, not {a_type(cloud)}")
    (rows, stacked), (rows_other, stacked_other) = pose_stack(pose_cloud), pose_stack(pose_other)
    if stacked or stacked_other:
        raise UnsupportedOption("deviation takes one pose for each object, not a stack")
    return rows[0], rows_other[0]


def _measure_steps(
    other: Surface, rows_other: np.ndarray, signed: bool, device: str, count: int
) -> Generator[Progress, None, Measure]:
    if isinstance(other, PointCloud):
        if signed and not other.has_normals:
            raise UnsupportedOption(
                "the other cloud has no normals, so its inside is unknown: compute unsigned distances"
            )
        yield from steps(other.build)
        return _measure_cloud(other, rows_other, signed, device, count)
    hierarchy = as_hierarchy(other)
    if hierarchy.volume != "aabb":
        hierarchy = as_hierarchy(hierarchy.mesh)
    if signed and not hierarchy.mesh.is_closed:
        raise UnsupportedOption("the mesh is open or a shell, so its inside is unknown: compute unsigned distances")
    yield Progress(0.0, "preparing the mesh")
    return _measure_mesh(hierarchy, rows_other, signed, device, count)


def _measure_mesh(hierarchy: Hierarchy, rows_other: np.ndarray, signed: bool, device: str, count: int) -> Measure:
    tree_set, solids = pack_trees([hierarchy]), gather_solids([hierarchy])
    inverse = np.ascontiguousarray(np.linalg.inv(rows_other[:, :3]))
    rows = np.array(rows_other)  # a copy: a Pose's are read-only, for which Numba would compile again
    frame = rows, inverse, tree_set.origins, tree_set.reaches
    work = new_point_workspace()

    def on_cpu(world: np.ndarray) -> np.ndarray:
        out = np.empty(len(world))
        distances_from_mesh(tree_set.forest, solids, *frame, world, signed, work, out)
        return out

    def of_device(session: Session, world: np.ndarray) -> np.ndarray:
        found, undecided = distances_from_mesh_on(session, tree_set, solids, frame, signed, world)
        found[undecided] = on_cpu(world[undecided])
        return found

    return Measure(device, count, on_cpu, of_device)


def _measure_cloud(other: PointCloud, rows_other: np.ndarray, signed: bool, device: str, count: int) -> Measure:
    target = other.built.tree
    inverse = np.linalg.inv(rows_other[:, :3])
    sums, stack = new_sums(), np.empty(STACK_SIZE, np.int64)

    def local(world: np.ndarray) -> np.ndarray:
        return (world - rows_other[:, 3]) @ inverse.T

    def on_cpu(world: np.ndarray) -> np.ndarray:
        out = np.empty(len(world))
        distances_from_cloud(target, local(world), sums, stack, out)
        return out if signed else np.abs(out)

    def of_device(session: Session, world: np.ndarray) -> np.ndarray:
        out = distances_from_cloud_on(session, target, local(world))
        return out if signed else np.abs(out)

    return Measure(device, count, on_cpu, of_device)
