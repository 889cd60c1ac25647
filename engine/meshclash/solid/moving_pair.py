"""Queries for two moving solids: whether they are apart, and the radius of a ball in their common volume.

Both functions use trees that stay packed, so their cost does not grow with the size of the objects.
"""

import math

import numpy as np

from ..geometry.triangle_distance import squared_distance
from ..hierarchy.bvh import Hierarchy
from ..jit import inner, kernel
from ..reference import by_reference
from ..traversal.forest import pack_trees
from ..traversal.frames import IN, OUT, make_frame, nearest_in, side_of_solid
from ..traversal.point import new_point_workspace
from ..traversal.solids import kept_solids, solid_of

_CLIMB = 16
_SHORTEST_STEP = 0.01  # of the radius


@inner
def _inverse(pose):
    """Return the inverse (3, 3) of the rotation of a pose (3, 4) by cofactors: LAPACK would start its threads."""
    inverse = np.empty((3, 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for axis in range(3):
            m, n = (axis + 1) % 3, (axis + 2) % 3
            inverse[axis, i] = pose[j, m] * pose[k, n] - pose[j, n] * pose[k, m]
    determinant = pose[0, 0] * inverse[0, 0] + pose[0, 1] * inverse[1, 0] + pose[0, 2] * inverse[2, 0]
    for i in range(3):
        for j in range(3):
            inverse[i, j] /= determinant
    return inverse


@kernel
def _all_outside(forest, solids, pose, origins, reaches, points, work):
    forest, solids = by_reference(forest), by_reference(solids)
    inverse = _inverse(pose)
    frame = make_frame(np.int64(0), pose, inverse, origins, reaches)
    for i in range(points.shape[0]):
        p = (points[i, 0], points[i, 1], points[i, 2])
        if side_of_solid(forest, solids, by_reference(frame), p, work) != OUT:
            return False
    return True


@inner
def _clearance(forest_a, frame_a, forest_b, frame_b, x, work):
    """Return the point of two surfaces that is nearest to x, and its distance."""
    da, pa, _ = nearest_in(forest_a, frame_a, x, math.inf, -1.0, work)
    db, pb, _ = nearest_in(forest_b, frame_b, x, math.inf, -1.0, work)
    return da, pa, db, pb


@inner
def _away(x, da, pa, db, pb):
    """Return the unit direction away from both surfaces, or from the nearer surface if the other one is far.

    The result is zero midway between the two.
    """
    near = 1.05 * min(da, db)
    gx, gy, gz = 0.0, 0.0, 0.0
    for p, d in ((pa, da), (pb, db)):
        if 0.0 < d <= near:
            gx += (x[0] - p[0]) / d
            gy += (x[1] - p[1]) / d
            gz += (x[2] - p[2]) / d
    length = math.sqrt(gx * gx + gy * gy + gz * gz)
    if length < 0.02:
        return 0.0, 0.0, 0.0
    return gx / length, gy / length, gz / length


@kernel
def _common_ball(
    forest_a, solids_a, pose_a, origins_a, reaches_a, forest_b, solids_b, pose_b, origins_b, reaches_b, centre, work
):  # fmt: skip
    """Return the radius of a ball in both solids, which climbs from ``centre`` (3,); 0 if the start is not inside."""
    forest_a, solids_a = by_reference(forest_a), by_reference(solids_a)
    forest_b, solids_b = by_reference(forest_b), by_reference(solids_b)
    inverse_a, inverse_b = _inverse(pose_a), _inverse(pose_b)
    frame_a = make_frame(np.int64(0), pose_a, inverse_a, origins_a, reaches_a)
    frame_b = make_frame(np.int64(0), pose_b, inverse_b, origins_b, reaches_b)
    a, b = by_reference(frame_a), by_reference(frame_b)
    x = (centre[0], centre[1], centre[2])
    if side_of_solid(forest_a, solids_a, a, x, work) != IN or side_of_solid(forest_b, solids_b, b, x, work) != IN:
        return 0.0
    da, pa, db, pb = _clearance(forest_a, a, forest_b, b, x, work)
    radius = min(da, db)
    step = 0.5 * radius
    for _ in range(_CLIMB):
        u = _away(x, da, pa, db, pb)
        if step < _SHORTEST_STEP * radius or (u[0] == 0.0 and u[1] == 0.0 and u[2] == 0.0):
            break
        y = (x[0] + step * u[0], x[1] + step * u[1], x[2] + step * u[2])
        ea, qa, eb, qb = _clearance(forest_a, a, forest_b, b, y, work)
        if min(ea, eb) > radius and squared_distance(x, y) < radius * radius:  # then the way there is inside
            x, da, pa, db, pb = y, ea, qa, eb, qb
            radius = min(da, db)
            step = min(1.5 * step, 0.9 * radius)
        else:
            step *= 0.5
    for k in range(3):
        centre[k] = x[k]
    return radius


def _arguments(tree: Hierarchy, row: np.ndarray) -> tuple:
    tree_set = pack_trees([tree])
    return tree_set.forest, kept_solids(tree), row, tree_set.origins, tree_set.reaches


def is_outside(trees: tuple[Hierarchy, Hierarchy], rows: tuple[np.ndarray, np.ndarray]) -> bool:
    """Return whether no component of either solid starts in the other solid: if the surfaces do not meet, the solids
    are apart.

    Args:
        trees: hierarchies of boxes over closed meshes.
        rows: poses of the solids, (3, 4) each.
    """
    for own, other, row, frame in ((0, 1, rows[0], rows[1]), (1, 0, rows[1], rows[0])):
        mesh = trees[own].mesh
        points = mesh.vertices[mesh.triangles[solid_of(mesh).representatives, 0]]
        world = points @ row[:, :3].T + row[:, 3]
        if not _all_outside(*_arguments(trees[other], np.ascontiguousarray(frame)), world, new_point_workspace()):
            return False
    return True


def common_ball(
    trees: tuple[Hierarchy, Hierarchy], rows: tuple[np.ndarray, np.ndarray], centre: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return (radius [m], centre) of a ball inside both solids, found from a point; radius 0 if that point is not
    inside both.

    Args:
        trees, rows: as ``is_outside``.
        centre: start point, (3,) float64 [m], world.
    """
    place = np.array(centre, np.float64)
    arguments = (part for tree, row in zip(trees, rows, strict=True) for part in _arguments(tree, row))
    return _common_ball(*arguments, place, new_point_workspace()), place
