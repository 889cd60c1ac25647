"""Find the clusters of two objects that are close to each other, with the usual traversal over their boxes.

Only the visit of two leaves differs. An object in memory counts as one cluster. The object's own hierarchy is
traversed, and each cluster of the other object is reported once.
"""

from collections.abc import Generator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..geometry.relative_pose import relative_rows
from ..hierarchy.bvh import Hierarchy
from ..jit import kernel, portable
from ..traversal import pairs as layout
from ..traversal.access import access_to
from ..traversal.forest import TreeSet, pack_trees
from ..traversal.pairs import Output, Scratch, traversal_with
from ..types.slices import Slice
from ..volumes import aabb
from ..volumes.registry import DEFAULT_VOLUME, volume_named
from .operands import Clusters

_ROOM = 1 << 14
_STEPS = 1 << 14
_ONE_JOB = np.zeros((1, 2), np.int64)


class _Met(NamedTuple):
    """Workspace of a visit: which of the clusters that meet an object in memory were reported already."""

    named: np.ndarray
    """(clusters of the other object,) uint8; of length 0 if both objects are clustered."""
    whole: np.ndarray
    """Whether each of the objects is in memory, (2,) uint8."""
    owners: np.ndarray
    """Cluster of each leaf of the first object, (leaves,) int64; of length 0 if each leaf is a cluster."""


@portable
def _visit_clusters(
    leaf_test, forest_a, tree_a, count_a, pose_a, forest_b, tree_b, count_b, pose_b,
    same, job, tolerance, options, state, scratch, output, found,
):  # fmt: skip
    """Report the pairs of clusters in two leaves."""
    indices_a, indices_b = scratch.indices_a, scratch.indices_b
    workspace = scratch.workspace
    pairs, named, whole, owners = output.pairs, workspace.named, workspace.whole, workspace.owners
    for i in range(count_a):
        for j in range(count_b):
            a = np.int64(0) if whole[0] != 0 else np.int64(indices_a[i])
            b = np.int64(0) if whole[1] != 0 else np.int64(indices_b[j])
            if owners.shape[0] > 0:
                a = owners[a]
            if named.shape[0] > 0:
                if named[a + b] != 0:
                    continue
                named[a + b] = 1
            pairs[found, 0] = a
            pairs[found, 1] = b
            found += 1
    return found, False


@cache
def _traversal() -> Any:
    verbs = volume_named(DEFAULT_VOLUME)
    return traversal_with(verbs.overlap, verbs.size, access_to(verbs), _visit_clusters, None)


def candidate_steps(
    a: Clusters, b: Clusters, row_a: np.ndarray, row_b: np.ndarray, tolerance: float, with_itself: bool = False
) -> Generator[None, None, np.ndarray]:
    """Find the pairs of clusters that may be within a tolerance [m] in poses (3, 4), in slices of a few milliseconds.

    Returns:
        (n, 2) int64, sorted. For an object with itself, each pair occurs once, including pairs of a cluster with
            itself.
    """
    met = _Met(
        np.zeros(b.cluster_count if a.whole else a.cluster_count if b.whole else 0, np.uint8),
        np.array([a.whole, b.whole], np.uint8),
        np.empty(0, np.int64),
    )
    pairs = yield from _met_steps(a.hierarchy, b.hierarchy, row_a, row_b, tolerance, met, with_itself)
    if with_itself:
        pairs.sort(axis=1)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def met_owner_steps(
    blocks: Hierarchy,
    owners: np.ndarray,
    other: Hierarchy,
    row_a: np.ndarray,
    row_b: np.ndarray,
    tolerance: float,
) -> Generator[None, None, np.ndarray]:
    """Find the owners of the boxes that may be within a tolerance [m] of an object in memory, in slices.

    Args:
        blocks: hierarchy over the boxes.
        owners: owner of each box, numbered from 0 without gaps, ascending, (n,) int64.
        other: hierarchy over the triangles of the object in memory.
        row_a, row_b: poses (3, 4) of the boxes and of the object.
        tolerance: [m].

    Returns:
        (k,) int64, in no particular order.
    """
    met = _Met(np.zeros(int(owners[-1]) + 1, np.uint8), np.array([False, True], np.uint8), owners)
    pairs = yield from _met_steps(blocks, other, row_a, row_b, tolerance, met, False)
    return pairs[:, 0]


def _met_steps(
    a: Hierarchy,
    b: Hierarchy,
    row_a: np.ndarray,
    row_b: np.ndarray,
    tolerance: float,
    met: _Met,
    with_itself: bool,
) -> Generator[None, None, np.ndarray]:
    """Return the pairs that the visits report, (n, 2) int64."""
    tree_set_a, tree_set_b = pack_trees([a]), pack_trees([b])
    relative = _relative(tree_set_a, tree_set_b, row_a, row_b, tolerance)
    options = np.zeros(layout.OPTIONS_LENGTH, np.int64)
    options[layout.WITH_ITSELF], options[layout.STEP_LIMIT], options[layout.ROOM] = with_itself, _STEPS, _ROOM
    state = np.zeros(layout.STATE_LENGTH, np.int64)
    size = _ROOM + tree_set_a.largest_leaf * tree_set_b.largest_leaf
    output = Output(np.empty((size, 2), np.int32), np.empty(0, np.uint8), np.empty(0, np.int32))
    arguments = (
        tree_set_a.forest, tree_set_b.forest, _ONE_JOB, row_a[None].copy(), row_b[None].copy(), relative, 0.0, options,
        state, np.empty((2 * (tree_set_a.deepest + tree_set_b.deepest) + 8, 2), np.int32),
        _scratch(met, tree_set_a, tree_set_b),
        access_to(volume_named(DEFAULT_VOLUME)).workspace(0), output,
    )  # fmt: skip
    chunks: list[np.ndarray] = []
    done, piece = False, Slice()
    while not done:
        done = _traversal()(*arguments)
        chunks.append(output.pairs[: state[layout.OUTPUT_USED]].astype(np.int64))
        state[layout.OUTPUT_USED] = 0
        if not done and piece.over:
            yield
            piece = Slice()
    return np.concatenate(chunks)


def _relative(a: TreeSet, b: TreeSet, row_a: np.ndarray, row_b: np.ndarray, tolerance: float) -> np.ndarray:
    return relative_rows(row_a[None].copy(), row_b[None].copy(), a.origins, b.origins, a.reaches, b.reaches, tolerance)


def _scratch(met: _Met, tree_set_a: TreeSet, tree_set_b: TreeSet) -> Scratch:
    sizes = tree_set_a.largest_leaf, tree_set_b.largest_leaf
    no_places = np.empty((1, layout.LEAF_NUMBERS))
    return Scratch(no_places, no_places, np.empty(sizes[0], np.int32), np.empty(sizes[1], np.int32), met)


@kernel
def _measure(volumes_a, volumes_b, relative, gaps):
    for k in range(gaps.shape[0]):
        gaps[k] = aabb.gap(volumes_a[k], volumes_b[k], relative)


def gaps_of(a: Clusters, b: Clusters, row_a: np.ndarray, row_b: np.ndarray, pairs: np.ndarray | None) -> np.ndarray:
    """Return lower bounds [m] of the distances between the clusters of pairs (n, 2), or for None between the whole
    objects.
    """
    tree_set_a, tree_set_b = pack_trees([a.hierarchy]), pack_trees([b.hierarchy])
    boxes = [_boxes(side, None if pairs is None else pairs[:, k]) for k, side in enumerate((a, b))]
    gaps = np.empty(len(boxes[0]))
    _measure(*boxes, _relative(tree_set_a, tree_set_b, row_a, row_b, 0.0)[0], gaps)
    return gaps


def _boxes(side: Clusters, clusters: np.ndarray | None) -> np.ndarray:
    """Return boxes of clusters relative to the origin of their hierarchy, (n, 6) float32; None gives the root's box."""
    if clusters is None:
        return side.hierarchy.volumes[:1].copy()
    if side.whole:
        return np.repeat(side.hierarchy.volumes[:1], len(clusters), axis=0)
    return np.ascontiguousarray(side.hierarchy.volumes[_leaves(side.hierarchy)[clusters]])


def _leaves(hierarchy: Hierarchy) -> np.ndarray:
    """Return the leaf of each triangle, for a hierarchy with one triangle per leaf."""
    kept = hierarchy.derived.get("leaves")
    if kept is None:
        tree = hierarchy.tree
        at = np.flatnonzero(tree.count)
        kept = np.empty(len(tree.order), np.int64)
        kept[tree.order[tree.first[at]]] = at
        hierarchy.derived["leaves"] = kept
    return kept
