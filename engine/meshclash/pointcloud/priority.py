"""Priorities: how likely two nodes are to meet.

Source: Klein and Zachmann (2004), section 5.2. A collision is likely when samples of one node lie on both sides of the
other's surface. (The spheres around samples of section 5.1 exclude hardly any pair whose boxes overlap: 204 of 158,334
on five shapes, and no pair of leaves.) The paper evaluates the surface at the other node's samples to test this
(``lab/clouds/paper_test.py``). The other node's mean plane gives nearly the same result for a fraction of the work.
Samples inside the slab that holds the node's points do not count, so a node that is not flat hardly counts.
"""

from ..jit import inner
from .patches import leaf_plane
from .tree import SAMPLE_COUNT

SIDES = 2.0 * (SAMPLE_COUNT // 2) * (SAMPLE_COUNT - SAMPLE_COUNT // 2)
"""Largest possible sum of the products of ``_sides_of_plane`` over both nodes."""


@inner
def _sides_of_plane(tree, node, nx, ny, nz, low, high):
    """Return the number of samples above a slab times the number below it, in the samples' own frame."""
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
    """Return the priority of a pair of nodes, 0 to 1: how evenly samples of each node lie on both sides of the other's
    slab.

    Samples inside the slab do not count.
    """
    n, low, high = leaf_plane(tree_b, node_b, m, True)
    sides = _sides_of_plane(tree_a, node_a, n[0], n[1], n[2], low, high)
    p = tree_a.planes[node_a]
    nx = p[0] * m[0] + p[1] * m[3] + p[2] * m[6]
    ny = p[0] * m[1] + p[1] * m[4] + p[2] * m[7]
    nz = p[0] * m[2] + p[1] * m[5] + p[2] * m[8]
    shift = p[0] * m[9] + p[1] * m[10] + p[2] * m[11]
    sides += _sides_of_plane(tree_b, node_b, nx, ny, nz, p[3] - shift, p[4] - shift)
    return sides / SIDES
