"""From what a device found to the engine's answer: undecided pairs decided exactly, one order of all pairs."""

from typing import Any

import numpy as np

from ..geometry.neighbours import touching_beyond_shared
from ..geometry.triangle_pair import APART, CROSSING, TOUCHING, UNDECIDED, classify_triangle_pairs
from ..jit import kernel
from ..traversal.question import Answer
from ..traversal.run import sort_pairs
from ..types.pose import transform_points
from .breadth_first import Hits
from .jobs import Asked
from .trees import Trees

_PORTION = 1 << 16
"""Undecided pairs that are brought to world coordinates at a time."""


def finish(a: Trees, b: Trees, asked: Asked, hits: Hits, threads: int) -> Answer:
    """The answer, the same bytes as the other engines'."""
    pairs = own_triangles(a, b, asked, hits.rows)
    kinds, jobs = hits.rows[:, 3].astype(np.uint8), hits.rows[:, 2].copy()
    undecided = np.flatnonzero(kinds == UNDECIDED)
    for begin in range(0, len(undecided), _PORTION):
        part = undecided[begin : begin + _PORTION]
        kinds[part] = classify_triangle_pairs(*world_corners(a, b, asked, pairs[part], jobs[part]))[0]
    if asked.with_itself or len(undecided):  # otherwise all are CROSSING
        kept = kinds == CROSSING if asked.crossing_only else kinds != APART
        if asked.with_itself:
            touching = np.flatnonzero(kept & (kinds == TOUCHING))
            kept[touching] = _touch_beyond_shared(a, asked, pairs[touching], jobs[touching])
            pairs.sort(axis=1)
        pairs, kinds, jobs = pairs[kept], kinds[kept], jobs[kept]
    counts = (hits.volume_tests, hits.leaf_pairs, len(undecided), threads, "cuda")
    if len(kinds) > 1:
        bits = (_index_bits(a), _index_bits(b), (len(asked.jobs) - 1).bit_length())
        pairs, kinds, jobs = sort_pairs(pairs, kinds, jobs, *bits)
    return Answer(pairs, kinds, jobs, *counts)


def own_triangles(a: Trees, b: Trees, asked: Asked, rows: np.ndarray) -> np.ndarray:
    """Pairs (n, 2) int32 of triangles of their own meshes, from rows (n, 4) of triangles among all, and jobs."""
    pairs = np.empty((len(rows), 2), np.int32)
    _subtract_firsts(rows, asked.jobs, a.first_triangles, b.first_triangles, pairs)
    return pairs


@kernel
def _subtract_firsts(rows, jobs, firsts_a, firsts_b, pairs):
    for k in range(len(rows)):
        job = rows[k, 2]
        pairs[k, 0] = rows[k, 0] - firsts_a[jobs[job, 0]]
        pairs[k, 1] = rows[k, 1] - firsts_b[jobs[job, 1]]


def world_corners(a: Trees, b: Trees, asked: Asked, pairs: np.ndarray, job: np.ndarray) -> list[np.ndarray]:
    """World coordinates (n, 3, 3) of both triangles of pairs (n, 2) of jobs (n,)."""
    sides = zip((a, b), (asked.rows_a, asked.rows_b), range(2), strict=True)
    return [_world(trees, asked.jobs[job, side], rows, job, pairs[:, side]) for trees, rows, side in sides]


def _world(trees: Trees, tree: np.ndarray, rows: np.ndarray, job: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """World coordinates (n, 3, 3) of triangles of trees in the poses of jobs."""
    corners = np.empty((len(tree), 3, 3))
    for one in np.unique(tree):
        mask = tree == one
        vertices, indices = trees.meshes[one].arrays
        corners[mask] = vertices[indices[triangles[mask]]]
    return transform_points(rows[np.minimum(job, len(rows) - 1), None], corners)


def _touch_beyond_shared(trees: Trees, asked: Asked, pairs: np.ndarray, job: np.ndarray) -> np.ndarray:
    """Which pairs (n, 2) of touching triangles of one tree do so in more than what they share, (n,) bool."""
    beyond = np.zeros(len(pairs), np.bool_)
    tree = asked.jobs[job, 0]
    for one in np.unique(tree):
        for part in np.array_split(np.flatnonzero(tree == one), len(pairs) // _PORTION + 1):
            ids: Any = trees.meshes[one].arrays[1][pairs[part]]
            a, b = world_corners(trees, trees, asked, pairs[part], job[part])
            beyond[part] = touching_beyond_shared(ids[:, 0], a, ids[:, 1], b)
    return beyond


def _index_bits(trees: Trees) -> int:
    return max(mesh.triangle_count for mesh in trees.meshes).bit_length()
