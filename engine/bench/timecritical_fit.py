"""Fits the numbers of ``timecritical/collision_probability.py``: how often objects collided after so much.

A logistic regression on products of six measures of what is left, by Newton's method, and then a curve through the
shares that collided, so that the result is right on average for every value of the regression.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.query.collide import collides
from meshclash.timecritical import traversal as layout
from meshclash.timecritical.collision_probability import KNOTS, PRODUCTS, measures, products
from meshclash.timecritical.search import Criterion, Limit, Search
from meshclash.timecritical.trees import adb_tree
from oracles.timecritical_calibration import STOPS
from oracles.timecritical_poses import random_poses

_RIDGE = 1e-3


def samples(
    trees: Iterable[tuple[str, Hierarchy]], queries: int, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Stopped searches of random poses.

    Args:
        trees, queries, seed: as ``calibration``.

    Returns:
        Products of measures (n, PRODUCTS), whether the objects collide (n,), and how much each counts (n,): meshes the
        same, whatever the number of their samples.
    """
    found: list[np.ndarray] = []
    happened: list[bool] = []
    counts: list[float] = []
    for number, (_, tree) in enumerate(trees):
        poses = random_poses(tree, np.random.default_rng((seed, number)), queries)
        before = len(found)
        for pose, truth in zip(poses, collides(tree, tree, None, poses), strict=True):
            stopped = _stopped(tree, pose)
            found += stopped
            happened += [truth] * len(stopped)
        counts += [1.0 / (len(found) - before)] * (len(found) - before)
    weights = np.array(counts)
    return np.array(found), np.array(happened, np.float64), weights * (len(weights) / weights.sum())


def _stopped(tree: Hierarchy, pose: np.ndarray) -> list[np.ndarray]:
    """Products of what is measured of a search whenever it is stopped, as long as it does not know."""
    search = Search(tree.volume, Criterion(p_min=2.0))
    adb = adb_tree(tree)
    highest = 2 * int(adb.filling.heights[0])
    search.begin([adb], np.zeros((1, 2), np.int64), np.stack([np.eye(4)[:3], pose[:3]])[None])
    found = []
    for done, stop in zip((0, *STOPS), STOPS, strict=False):
        search.run(Limit(steps=stop - done))
        if search.exhausted(False):
            break
        left, opened, heights, filled = search.rows[0][[layout.LEFT, layout.OPENED, layout.HEIGHTS, layout.FILLED]]
        found.append(np.empty(PRODUCTS))
        values = measures(search.hazards[0], left, opened, heights, highest, filled, adb.filling.spread)
        products(values, found[-1])
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
