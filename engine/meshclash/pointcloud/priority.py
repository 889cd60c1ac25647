"""Which pairs of nodes can be left out, and which are likely to meet.

Source: Klein and Zachmann (2004), sections 5.1 and 5.2. Two nodes are apart when their sphere coverings are. A
collision is likely when samples of one node lie on both sides of the other's surface. The paper evaluates the surface
of the other node's samples for that (``surface_priority``); the other node's mean plane says nearly the same for a
fraction of the work (``plane_priority``): samples within the slab that holds the node's points abstain, so a node
that is not flat does.
"""

import numpy as np

from ..jit import inner
from .patches import leaf_plane, place
from .surface import (
    CLEAR_NORMAL,
    CUTOFF,
    HORIZON2,
    INVERSE_H2,
    NO_NORMALS,
    PARAMETERS_LENGTH,
    SPHERES,
    SUMS_LENGTH,
    evaluate_among,
)
from .tree import SAMPLE_COUNT

SIDES = 2.0 * (SAMPLE_COUNT // 2) * (SAMPLE_COUNT - SAMPLE_COUNT // 2)
"""Most that two nodes' samples can count on both sides of each other."""


@inner
def spheres_meet(tree_a, node_a, tree_b, node_b, m, centres):
    """Whether the sphere coverings of two nodes overlap."""
    reach = np.float64(tree_a.radii[node_a]) + np.float64(tree_b.radii[node_b])
    reach2 = reach * reach
    used = 0
    for k in range(SAMPLE_COUNT):
        i = tree_b.samples[node_b, k]
        if i < 0:
            break
        x = place(
            m,
            tree_b.corrected[i, 0],
            tree_b.corrected[i, 1],
            tree_b.corrected[i, 2],
        )
        for axis in range(3):
            centres[used, axis] = x[axis]
        used += 1
    for k in range(SAMPLE_COUNT):
        i = tree_a.samples[node_a, k]
        if i < 0:
            break
        x = tree_a.corrected[i, 0]
        y = tree_a.corrected[i, 1]
        z = tree_a.corrected[i, 2]
        for j in range(used):
            d2 = (x - centres[j, 0]) ** 2 + (y - centres[j, 1]) ** 2 + (z - centres[j, 2]) ** 2
            if d2 <= reach2:
                return True
    return False


@inner
def _sides_of_plane(tree, node, nx, ny, nz, low, high):
    """Product of the numbers of samples beyond either side of a slab, in the samples' own frame."""
    above = 0
    below = 0
    for k in range(SAMPLE_COUNT):
        i = tree.samples[node, k]
        if i < 0:
            break
        offset = nx * tree.corrected[i, 0] + ny * tree.corrected[i, 1] + nz * tree.corrected[i, 2]
        if offset > high:
            above += 1
        elif offset < low:
            below += 1
    return above * below


@inner
def plane_priority(tree_a, node_a, tree_b, node_b, m):
    """Samples on both sides of the other node's mean plane; samples among the node's own points abstain."""
    n, low, high = leaf_plane(tree_b, node_b, m, True)
    sides = _sides_of_plane(tree_a, node_a, n[0], n[1], n[2], low, high)
    p = tree_a.planes[node_a]
    nx = p[0] * m[0] + p[1] * m[3] + p[2] * m[6]
    ny = p[0] * m[1] + p[1] * m[4] + p[2] * m[7]
    nz = p[0] * m[2] + p[1] * m[5] + p[2] * m[8]
    shift = p[0] * m[9] + p[1] * m[10] + p[2] * m[11]
    sides += _sides_of_plane(tree_b, node_b, nx, ny, nz, p[3] - shift, p[4] - shift)
    return sides / SIDES


@inner
def _load_samples(tree, node, m, moved, points):
    used = 0
    for k in range(SAMPLE_COUNT):
        i = tree.samples[node, k]
        if i < 0:
            break
        x = (
            tree.corrected[i, 0],
            tree.corrected[i, 1],
            tree.corrected[i, 2],
        )
        if moved:
            x = place(m, x[0], x[1], x[2])
        for axis in range(3):
            points[used, axis] = x[axis]
        used += 1
    return used


@inner
def _sample_parameters(tree, node, used, out):
    """Parameters of the surface of a node's samples: eq. 10 gives their sampling radius, eq. 9 the bandwidth."""
    grown = tree.totals[node] / used
    for k in range(PARAMETERS_LENGTH):
        out[k] = tree.parameters[k]
    out[INVERSE_H2] = tree.parameters[INVERSE_H2] / grown
    out[HORIZON2] = tree.parameters[HORIZON2] * grown
    out[CUTOFF] = 2.0
    out[SPHERES] = 0.0


@inner
def _sides_of_surface(points_p, used_p, points_q, used_q, parameters_q, radius, reference, sums, work):
    """Samples of p farther than ``radius`` from q's samples, on either side of q's surface: the product of their
    numbers.

    0, an abstention, where q's normal is unclear.
    """
    above = 0
    below = 0
    for i in range(used_p):
        x = (points_p[i, 0], points_p[i, 1], points_p[i, 2])
        near = np.inf
        for j in range(used_q):
            d2 = (points_q[j, 0] - x[0]) ** 2 + (points_q[j, 1] - x[1]) ** 2 + (points_q[j, 2] - x[2]) ** 2
            near = min(near, d2)
        if near <= radius * radius:
            continue
        work[0] += 1
        f, n, there = evaluate_among(points_q, NO_NORMALS, used_q, x, parameters_q, sums)
        if not there:
            continue
        along = n[0] * reference[0] + n[1] * reference[1] + n[2] * reference[2]
        if abs(along) < CLEAR_NORMAL:
            return 0
        if f * along > 0.0:
            above += 1
        else:
            below += 1
    return above * below


@inner
def surface_priority(tree_a, node_a, tree_b, node_b, m, room, work):
    """The paper's priority of a pair: samples on both sides of the surface of the other's samples."""
    points_a, points_b, parameters, sums = room
    used_a = _load_samples(tree_a, node_a, m, False, points_a)
    used_b = _load_samples(tree_b, node_b, m, True, points_b)
    _sample_parameters(tree_b, node_b, used_b, parameters)
    n, _, _ = leaf_plane(tree_b, node_b, m, True)
    radius = np.float64(tree_b.radii[node_b])
    sides = _sides_of_surface(points_a, used_a, points_b, used_b, parameters, radius, n, sums, work)
    _sample_parameters(tree_a, node_a, used_a, parameters)
    n, _, _ = leaf_plane(tree_a, node_a, m, False)
    radius = np.float64(tree_a.radii[node_a])
    sides += _sides_of_surface(points_b, used_b, points_a, used_a, parameters, radius, n, sums, work)
    return sides / SIDES


def new_sample_room() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """What ``surface_priority`` works in: samples of both nodes, parameters, sums."""
    return (
        np.empty((SAMPLE_COUNT, 3)),
        np.empty((SAMPLE_COUNT, 3)),
        np.empty(PARAMETERS_LENGTH),
        np.zeros(SUMS_LENGTH),
    )
