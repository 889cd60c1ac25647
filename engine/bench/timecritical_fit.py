"""Fits the numbers of ``timecritical/collision_probability.py``: how often objects collided after so much.

A logistic regression on products of nine measures of what is left, by Newton's method, and then a curve through the
shares that collided, so that the result is right on average for every value of the regression.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.query.collide import collides
from meshclash.timecritical import traversal as layout
from meshclash.timecritical.collision_probability import KNOTS, PRODUCTS, measures, products
from meshclash.timecritical.search import Criterion, Limit, Search
from meshclash.timecritical.trees import adb_tree
from oracles.timecritical_calibration import STOPS
from oracles.timecritical_poses import random_poses, tree_of

_RIDGE = 1e-3


def samples(
    kinds: Iterable[str], sizes: Iterable[int], queries: int, seeds: Iterable[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Stopped searches of random poses.

    Returns:
        Products of measures (n, PRODUCTS), whether the objects collide (n,), and how much each counts (n,): kinds of
        meshes the same, whatever the number of their samples.
    """
    found: list[np.ndarray] = []
    happened: list[bool] = []
    kind_of: list[str] = []
    for seed, kind, size in itertools.product(seeds, kinds, sizes):
        tree = tree_of(kind, size, seed)
        poses = random_poses(tree, np.random.default_rng(seed), queries)
        for pose, truth in zip(poses, collides(tree, tree, None, poses), strict=True):
            stopped = _stopped(tree, pose)
            found += stopped
            happened += [truth] * len(stopped)
            kind_of += [kind] * len(stopped)
    kinds_seen, place, number = np.unique(kind_of, return_inverse=True, return_counts=True)
    return np.array(found), np.array(happened, np.float64), len(found) / (len(kinds_seen) * number[place])


def _stopped(tree: Hierarchy, pose: np.ndarray) -> list[np.ndarray]:
    """Products of what is measured of a search whenever it is stopped, as long as it does not know."""
    adb = adb_tree(tree)
    search = Search(tree.volume, Criterion(p_min=2.0))
    search.begin([adb], np.zeros((1, 2), np.int64), np.stack([np.eye(4)[:3], pose[:3]])[None])
    filling = adb.filling
    highest, shape = 2 * int(filling.heights[0]), (filling.fullness, filling.flatness, filling.spread)
    found = []
    for done, stop in zip((0, *STOPS), STOPS, strict=False):
        search.run(Limit(steps=stop - done))
        if search.exhausted(False):
            break
        row = search.rows[0]
        left, opened, heights, filled = row[[layout.LEFT, layout.OPENED, layout.HEIGHTS, layout.FILLED]]
        found.append(np.empty(PRODUCTS))
        products(measures(search.hazards[0], left, opened, heights, highest, filled, *shape), found[-1])
    search.end()
    return found


def fit(found: np.ndarray, happened: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights of the products, and the share that collided at each of ``KNOTS``; a sample counts as much as it says."""
    scale = np.abs(found).max(axis=0)
    x = found / scale
    weights = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1.0 / (1.0 + np.exp(-(x @ weights)))
        gradient = x.T @ (counts * (p - happened)) + _RIDGE * weights
        curvature = (x * (counts * p * (1.0 - p))[:, None]).T @ x + _RIDGE * np.eye(len(weights))
        weights -= np.linalg.solve(curvature, gradient)
    return weights / scale, _curve(x @ weights, happened, counts)


def _curve(score: np.ndarray, happened: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Heights of the piecewise linear curve over ``KNOTS`` nearest to what happened, made to rise."""
    score = np.clip(score, KNOTS[0], KNOTS[-1])
    place = np.clip(np.searchsorted(KNOTS, score, side="right") - 1, 0, len(KNOTS) - 2)
    share = (score - KNOTS[place]) / (KNOTS[place + 1] - KNOTS[place])
    hats = np.zeros((len(score), len(KNOTS)))
    hats[np.arange(len(score)), place] = 1.0 - share
    hats[np.arange(len(score)), place + 1] = share
    counted = hats.T * counts
    heights = np.linalg.solve(counted @ hats + 1e-6 * np.eye(len(KNOTS)), counted @ happened)
    return np.maximum.accumulate(np.clip(heights, 0.002, 0.999))
