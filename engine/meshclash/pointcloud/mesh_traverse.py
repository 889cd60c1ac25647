"""Simultaneous traversal of a point hierarchy and a triangle hierarchy; the cloud is a, the mesh b."""

from typing import NamedTuple

import numpy as np

from ..jit import inner, portable
from ..traversal.pair_heap import heap_push
from ..volumes.aabb import overlap, size
from .best_first import (
    FIRST_ONLY,
    FOUND,
    HEAP_USED,
    LEAF_TESTS,
    RESOLUTION,
    TOLERANCE,
    VOLUME_TESTS,
    best_first,
    longest_side,
)
from .patches import Patch, gather_patch, leaf_plane, place
from .root_search import is_late
from .surface import MARGIN
from .triangle_search import triangle_on_surface


class MeshScratch(NamedTuple):
    """The work arrays of ``traverse_mesh``."""

    patch: Patch
    region: np.ndarray
    """(6,) float64: lowest and highest coordinates of the current leaf."""
    best: np.ndarray
    """(3, 4) float64: the samples nearest to the surface, with their f: one on each side, and one whose side is
    uncertain."""
    work: np.ndarray
    """(2,) int64: number of evaluations, and the largest number."""


@inner
def _push_if_near(cloud, node_a, mesh, node_b, m, state, heap):
    state[VOLUME_TESTS] += 1
    if overlap(cloud.boxes[node_a], mesh.volumes[node_b], m):
        whole = size(cloud.boxes[0]) + size(mesh.volumes[0])
        key = -0.5 * (size(cloud.boxes[node_a]) + size(mesh.volumes[node_b])) / whole
        state[HEAP_USED] = heap_push(heap[1], heap[0], state[HEAP_USED], node_a, node_b, -key)


@inner
def _descend(cloud, node_a, mesh, node_b, m, state, heap):
    """Push the children of the larger of two nodes, or of the only node that has children."""
    leaf_a = cloud.count[node_a] > 0
    leaf_b = mesh.count[node_b] > 0
    if leaf_b or (not leaf_a and size(cloud.boxes[node_a]) >= size(mesh.volumes[node_b])):
        for i in range(2):
            _push_if_near(cloud, np.int64(cloud.first[node_a] + i), mesh, node_b, m, state, heap)
    else:
        for i in range(2):
            _push_if_near(cloud, node_a, mesh, np.int64(mesh.first[node_b] + i), m, state, heap)


@inner
def corner_of(mesh, t, k, m):
    """Return a triangle's corner in the cloud's hierarchy frame."""
    v = mesh.triangles[t, k]
    return place(
        m,
        mesh.vertices[v, 0] - mesh.origin[0],
        mesh.vertices[v, 1] - mesh.origin[1],
        mesh.vertices[v, 2] - mesh.origin[2],
    )


@inner
def _leaf_region(cloud, node, region):
    for k in range(3):
        region[k] = np.float64(cloud.boxes[node, k]) - cloud.parameters[MARGIN]
        region[k + 3] = np.float64(cloud.boxes[node, k + 3]) + cloud.parameters[MARGIN]


@inner
def _write(output, state, node, triangle, x, corners, region, margin):
    """Write a contact, and the region common to the boxes of leaf and triangle, both enlarged by the margin."""
    pairs, points, regions = output
    k = state[FOUND]
    pairs[k, 0] = node
    pairs[k, 1] = triangle
    for axis in range(3):
        points[k, axis] = x[axis]
        low = min(corners[0][axis], corners[1][axis], corners[2][axis])
        high = max(corners[0][axis], corners[1][axis], corners[2][axis])
        regions[k, axis] = max(region[axis], low - margin)
        regions[k, axis + 3] = min(region[axis + 3], high + margin)
    state[FOUND] += 1


@inner
def _test_leaf(cloud, node_a, mesh, node_b, m, settings, state, heap, scratch, output):
    """Test the triangles of a mesh's leaf against the surface of a cloud's leaf.

    Returns True if a contact is found and the first one is enough. If the test is interrupted, the pair goes back on
    the heap; only searches for the first contact are interrupted, since its contacts would be found again.
    """
    patch = scratch.patch
    region, best, work = scratch.region, scratch.best, scratch.work
    state[LEAF_TESTS] += 1
    _leaf_region(cloud, node_a, region)
    _, tried = gather_patch(cloud, node_a, m, False, region, patch)
    if tried == 0:
        return False
    plane = leaf_plane(cloud, node_a, m, False)
    for entry in range(mesh.first[node_b], mesh.first[node_b] + mesh.count[node_b]):
        t = np.int64(mesh.order[entry])
        corners = (corner_of(mesh, t, 0, m), corner_of(mesh, t, 1, m), corner_of(mesh, t, 2, m))
        found, x = triangle_on_surface(patch, tried, plane, corners, region, settings[TOLERANCE], best, work)
        if found:
            _write(output, state, node_a, t, x, corners, region, cloud.parameters[MARGIN])
            if settings[FIRST_ONLY] != 0.0:
                return True
        elif is_late(work):
            _push_if_near(cloud, node_a, mesh, node_b, m, state, heap)
            return False
    return False


@inner
def _take_for_leaf(cloud, node_a, mesh, node_b, m, state, scratch, output):
    """Write a contact for a pair of nodes that are too small to be split at the given resolution.

    Its point is the centre of the mesh's node.
    """
    region = scratch.region
    _leaf_region(cloud, node_a, region)
    box = mesh.volumes[node_b]
    x = place(
        m,
        0.5 * (np.float64(box[0]) + np.float64(box[3])),
        0.5 * (np.float64(box[1]) + np.float64(box[4])),
        0.5 * (np.float64(box[2]) + np.float64(box[5])),
    )
    _write(output, state, node_a, node_b, x, (x, x, x), region, cloud.parameters[MARGIN])


@portable
def _begin(cloud, mesh, m, state, heap, scratch):
    _push_if_near(cloud, 0, mesh, 0, m, state, heap)


@portable
def _visit(cloud, node_a, mesh, node_b, m, settings, state, heap, scratch, output):
    longest = max(longest_side(cloud.boxes, node_a), longest_side(mesh.volumes, node_b))
    if longest <= settings[RESOLUTION]:
        _take_for_leaf(cloud, node_a, mesh, node_b, m, state, scratch, output)
        return settings[FIRST_ONLY] != 0.0
    if cloud.count[node_a] > 0 and mesh.count[node_b] > 0:
        return _test_leaf(cloud, node_a, mesh, node_b, m, settings, state, heap, scratch, output)
    _descend(cloud, node_a, mesh, node_b, m, state, heap)
    return False


@portable
def _largest_leaf(mesh):
    return mesh.largest


traverse_mesh = best_first(_begin, _visit, _largest_leaf)
"""Like ``traverse.traverse``, with the cloud's margin as tolerance. Its pairs are (leaf, triangle)."""
