"""Traverse two clouds as in the founding paper: by the surface of samples, and random test points in leaves.

Source: Klein and Zachmann (2004), sections 5.2 and 5.3.
"""

from typing import Any, NamedTuple

import numpy as np

from ...jit import inner, portable
from ...pointcloud.best_first import SETTINGS_LENGTH, STATE_LENGTH, best_first
from ...pointcloud.cloud import PointCloud
from ...pointcloud.collision import CloudWalk, cloud_scratch, cloud_search
from ...pointcloud.pair_search import PairSearch
from ...pointcloud.patches import Patch, common_region, gather_patch, keep_in_leaf, leaf_plane, place
from ...pointcloud.priority import SIDES
from ...pointcloud.surface import (
    CLEAR_NORMAL,
    CUTOFF,
    HORIZON2,
    INVERSE_H2,
    NO_NORMALS,
    PARAMETERS_LENGTH,
    SPHERES,
    SUMS_LENGTH,
    evaluate_among,
)  # fmt: skip
from ...pointcloud.traverse import FOUND_POINT, NO_POINT, one_root, push_if_near, visit
from ...pointcloud.tree import SAMPLE_COUNT
from .covering import covering_radii
from .random_points import closest_test_point

# Entries behind those of ``best_first.py``, of the settings and of the state.
TEST_POINTS, ENOUGH = SETTINGS_LENGTH, SETTINGS_LENGTH + 1
COUNTER = STATE_LENGTH


class _PaperScratch(NamedTuple):
    """Scratch arrays like `CloudScratch`, with additional space for samples."""

    patch_a: Patch
    patch_b: Patch
    region: np.ndarray
    work: np.ndarray
    cubes: np.ndarray
    samples: Any
    """``_new_sample_room``."""
    radii_a: np.ndarray
    radii_b: np.ndarray
    """``covering_radii``."""


class PaperTest(NamedTuple):
    """The test of a pair of leaves by Klein and Zachmann (2004, section 5.3)."""

    test_points: int
    """How many random points are tried."""
    enough: float
    """The |f_A| + |f_B| [m] up to which leaves collide (d_eps)."""


def _new_sample_room() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Allocate the work arrays of ``_surface_priority``: samples of both nodes, parameters, sums."""
    return (
        np.empty((SAMPLE_COUNT, 3)),
        np.empty((SAMPLE_COUNT, 3)),
        np.empty(PARAMETERS_LENGTH),
        np.zeros(SUMS_LENGTH),
    )


@portable
def _try_leaves(tree_a, node_a, tree_b, node_b, m, settings, state, scratch):
    """Test two leaves with the paper's random test points: a point near enough to both surfaces counts as common."""
    a = scratch.patch_a
    b = scratch.patch_b
    nowhere = (0.0, 0.0, 0.0)
    if not common_region(tree_a, node_a, tree_b, node_b, m, scratch.region):
        return NO_POINT, nowhere
    used_a, inside_a = gather_patch(tree_a, node_a, m, False, scratch.region, a)
    used_b, _ = gather_patch(tree_b, node_b, m, True, scratch.region, b)
    tried = keep_in_leaf(a, inside_a, tree_b, node_b, m)
    if used_a == 0 or used_b == 0 or tried == 0:
        return NO_POINT, nowhere
    near, x = closest_test_point(
        a, b, tried, scratch.radii_a[node_a], np.int64(settings[TEST_POINTS]),
        settings[ENOUGH], state[COUNTER:], scratch.work,
    )  # fmt: skip
    return (FOUND_POINT if near <= settings[ENOUGH] else NO_POINT), x


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
    """Return the product of the numbers of samples of p on either side of q's surface, among those farther than
    ``radius`` from q's samples.

    The result is 0, an abstention, if q's normal is uncertain.
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
def _surface_priority(tree_a, node_a, tree_b, node_b, m, scratch):
    """Return the paper's priority of a pair of nodes: it counts samples on both sides of the other node's surface."""
    points_a, points_b, parameters, sums = scratch.samples
    work = scratch.work
    used_a = _load_samples(tree_a, node_a, m, False, points_a)
    used_b = _load_samples(tree_b, node_b, m, True, points_b)
    _sample_parameters(tree_b, node_b, used_b, parameters)
    n, _, _ = leaf_plane(tree_b, node_b, m, True)
    radius = scratch.radii_b[node_b]
    sides = _sides_of_surface(points_a, used_a, points_b, used_b, parameters, radius, n, sums, work)
    _sample_parameters(tree_a, node_a, used_a, parameters)
    n, _, _ = leaf_plane(tree_a, node_a, m, False)
    radius = scratch.radii_a[node_a]
    sides += _sides_of_surface(points_b, used_b, points_a, used_a, parameters, radius, n, sums, work)
    return sides / SIDES


@portable
def _surface_key(tree_a, node_a, tree_b, node_b, m, scratch):
    """Return how likely two nodes are to meet, from the surfaces of their samples, as in the paper."""
    return _surface_priority(tree_a, node_a, tree_b, node_b, m, scratch)


@portable
def _begin_as_paper(tree_a, tree_b, m, state, heap, scratch):
    push_if_near(_surface_key, tree_a, 0, tree_b, 0, m, state, heap, scratch)


@portable
def _visit_as_paper(tree_a, node_a, tree_b, node_b, m, settings, state, heap, scratch, output):
    return visit(_surface_key, _try_leaves, tree_a, node_a, tree_b, node_b, m, settings, state, heap, scratch, output)


class _PaperWalk(CloudWalk):
    """Advances the traversal of two clouds as the paper does."""

    advance = staticmethod(best_first(_begin_as_paper, _visit_as_paper, one_root))


def paper_search(a: PointCloud, b: PointCloud, rows_a: np.ndarray, rows_b: np.ndarray, test: PaperTest) -> PairSearch:
    """Traverse two clouds in poses (3, 4) up to the first contact."""
    scratch = _PaperScratch(*cloud_scratch(a, b), _new_sample_room(), covering_radii(a), covering_radii(b))
    search = cloud_search(a, b, rows_a, rows_b, True, _PaperWalk, scratch)
    search.settings = np.append(search.settings, test)
    search.state = np.append(search.state, 0)
    return search
