"""Tests of two leaves of moving triangles: each owned vertex against the other's triangles, each owned edge against the
other's edges, by the stages of ``filter.py``."""

from typing import NamedTuple

import numpy as np

from ..jit import inlined, inner, portable
from ..traversal.pairs import FIRST_ONLY, PRIMITIVE_TESTS, WITH_ITSELF
from .coplanarity import EDGE_EDGE, POINT_TRIANGLE
from .filter import decide_in_float
from .stages import COMPARISONS, HIT, INTEGERS, UNDECIDED

LEAF_NUMBERS = 30  # corners at time 0 0:9, at the horizon 9:18, boxes then 18:24 and 24:30 (lowest, highest)
POINT_OF_A, POINT_OF_B, EDGES = 0, 3, 6
"""Codes of elements: corner c of a's triangle, corner c of b's, edges 3 * (a's) + (b's)."""
MOST_ELEMENTS = 15
"""Number of elements of a pair of triangles."""


class MovingWork(NamedTuple):
    """Scratch arrays of the leaf tests; ``counts`` of stages and ``best`` persist between tests."""

    start: np.ndarray
    """(4, 3) float64."""
    end: np.ndarray
    counts: np.ndarray
    """(STAGES,) int64: number of elements decided by each stage."""
    best: np.ndarray
    """(1,) float64: the earliest time found so far."""


class MovingOutput(NamedTuple):
    """Elements that meet, or are undecided."""

    pairs: np.ndarray
    """(n, 2) int32: a triangle of a, one of b."""
    codes: np.ndarray
    """(n,) uint8: the element of these triangles."""
    jobs: np.ndarray
    """(n,) int32."""
    times: np.ndarray
    """(n,) float64: lower bounds of first times, negative if integers decided; NaN if undecided."""


@inner
def _place(forest, indices, count, leaf):
    """Compute corners and boxes of the triangles of a leaf."""
    for i in range(count):
        for corner in range(3):
            v = forest.triangles[indices[i], corner]
            for k in range(3):
                x, y = forest.vertices[v, k], forest.later[v, k]
                leaf[i, 3 * corner + k], leaf[i, 9 + 3 * corner + k] = x, y
                if corner == 0:
                    leaf[i, 18 + k], leaf[i, 21 + k] = x, x
                    leaf[i, 24 + k], leaf[i, 27 + k] = y, y
                else:
                    leaf[i, 18 + k], leaf[i, 21 + k] = min(leaf[i, 18 + k], x), max(leaf[i, 21 + k], x)
                    leaf[i, 24 + k], leaf[i, 27 + k] = min(leaf[i, 24 + k], y), max(leaf[i, 27 + k], y)


@inlined
def _triangles_apart(a, b, slack):
    """Return whether an axis separates two triangles up to the horizon; exact if the slack is 0."""
    for k in range(3):
        if a[18 + k] > b[21 + k] and a[24 + k] > b[27 + k] + slack:
            return True
        if b[18 + k] > a[21 + k] and b[24 + k] > a[27 + k] + slack:
            return True
    return False


@inlined
def _point_apart(a, corner, b, slack):
    """Return whether an axis separates a corner of a from the triangle b."""
    for k in range(3):
        x, y = a[3 * corner + k], a[9 + 3 * corner + k]
        if x > b[21 + k] and y > b[27 + k] + slack:
            return True
        if x < b[18 + k] and y < b[24 + k] - slack:
            return True
    return False


@inlined
def _edges_apart(a, e, b, f, slack):
    """Return whether an axis separates edge e of a from edge f of b."""
    g, h = (e + 1) % 3, (f + 1) % 3
    for k in range(3):
        p, q, r, s = a[3 * e + k], a[3 * g + k], b[3 * f + k], b[3 * h + k]
        t, u, v, w = a[9 + 3 * e + k], a[9 + 3 * g + k], b[9 + 3 * f + k], b[9 + 3 * h + k]
        if min(p, q) > max(r, s) and min(t, u) > max(v, w) + slack:
            return True
        if min(r, s) > max(p, q) and min(v, w) > max(t, u) + slack:
            return True
    return False


@inlined
def _fetch(forest, triangle, corner, work, i):
    """Write both positions of a corner to row i of the scratch."""
    v = forest.triangles[triangle, corner]
    for k in range(3):
        work.start[i, k] = forest.vertices[v, k]
        work.end[i, k] = forest.ends[v, k]


@inlined
def _has_vertex(forest, triangle, v):
    t = forest.triangles
    return t[triangle, 0] == v or t[triangle, 1] == v or t[triangle, 2] == v


@inner
def _decide(kind, work, options, code, t, u, job, output, found):
    """Decide whether the element in the scratch arrays meets, and store it if it meets early enough or is undecided."""
    verdict, low, stage = decide_in_float(work.start, work.end, kind)
    if verdict != UNDECIDED:
        work.counts[stage] += 1
        if verdict != HIT or (options[FIRST_ONLY] != 0 and low > work.best[0]):
            return found
        if stage == INTEGERS:
            low = -low
        elif options[FIRST_ONLY] != 0:
            work.best[0] = low
    output.pairs[found, 0], output.pairs[found, 1] = t, u
    output.codes[found], output.jobs[found] = code, job
    output.times[found] = low if verdict == HIT else np.nan
    return found + 1


@inner
def _points_against(forest_p, t, a, forest_t, u, b, with_itself, slack, code, work, options, job, output, found):
    """Test the corners that triangle t (row a) owns against triangle u (row b)."""
    owned = forest_p.owned[t]
    for corner in range(3):
        if (owned >> corner) & 1 == 0:
            continue
        if with_itself and _has_vertex(forest_t, u, forest_p.triangles[t, corner]):
            continue
        if _point_apart(a, corner, b, slack):
            work.counts[COMPARISONS] += 1
            continue
        _fetch(forest_p, t, corner, work, 0)
        for i in range(3):
            _fetch(forest_t, u, i, work, i + 1)
        first, second = (t, u) if code == POINT_OF_A else (u, t)
        found = _decide(POINT_TRIANGLE, work, options, code + corner, first, second, job, output, found)
    return found


@inner
def _edges_against(forest_a, t, a, forest_b, u, b, with_itself, slack, work, options, job, output, found):
    """Test the edges that triangles t and u own against each other."""
    owned_a, owned_b = forest_a.owned[t] >> 3, forest_b.owned[u] >> 3
    for e in range(3):
        if (owned_a >> e) & 1 == 0:
            continue
        for f in range(3):
            if (owned_b >> f) & 1 == 0:
                continue
            g, h = (e + 1) % 3, (f + 1) % 3
            if with_itself:
                v, w = forest_a.triangles[t, e], forest_a.triangles[t, g]
                x, y = forest_b.triangles[u, f], forest_b.triangles[u, h]
                if v in (x, y) or w in (x, y):
                    continue
            if _edges_apart(a, e, b, f, slack):
                work.counts[COMPARISONS] += 1
                continue
            _fetch(forest_a, t, e, work, 0)
            _fetch(forest_a, t, g, work, 1)
            _fetch(forest_b, u, f, work, 2)
            _fetch(forest_b, u, h, work, 3)
            found = _decide(EDGE_EDGE, work, options, EDGES + 3 * e + f, t, u, job, output, found)
    return found


@portable
def visit_moving(
    leaf_test, forest_a, tree_a, count_a, pose_a,
    forest_b, tree_b, count_b, pose_b,
    same, job, tolerance, options, state, scratch, output, found,
):  # fmt: skip
    """Test all pairs of triangles of two leaves, as a visit of ``traversal_with``; the tolerance is the slack at the
    horizon.
    """
    leaf_a, leaf_b, indices_a, indices_b = scratch.leaf_a, scratch.leaf_b, scratch.indices_a, scratch.indices_b
    work = scratch.workspace
    with_itself = options[WITH_ITSELF] != 0
    _place(forest_a, indices_a, count_a, leaf_a)
    _place(forest_b, indices_b, count_b, leaf_b)
    for i in range(count_a):
        for j in range(i + 1 if same else 0, count_b):
            a, b = leaf_a[i], leaf_b[j]
            if _triangles_apart(a, b, tolerance):
                continue
            state[PRIMITIVE_TESTS] += 1
            t, u = indices_a[i], indices_b[j]
            found = _points_against(
                forest_a, t, a, forest_b, u, b, with_itself, tolerance, POINT_OF_A, work, options, job, output, found
            )
            found = _points_against(
                forest_b, u, b, forest_a, t, a, with_itself, tolerance, POINT_OF_B, work, options, job, output, found
            )
            found = _edges_against(
                forest_a, t, a, forest_b, u, b, with_itself, tolerance, work, options, job, output, found
            )
    return found, False
