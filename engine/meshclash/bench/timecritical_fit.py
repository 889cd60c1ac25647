"""Fits the numbers of ``timecritical/likelihood.py``: how often objects collided after so much.

A logistic regression on products of five measures of what is left, by Newton's method, and then a curve through the
shares that collided, so that the result is right on average for every value of the regression.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..query.collide import collides
from ..timecritical import traversal as layout
from ..timecritical.likelihood import KNOTS, measures, products
from ..timecritical.search import Aim, Limit, Search
from ..timecritical.trees import adb_tree
from .timecritical_calibration import STOPS
from .timecritical_poses import random_poses, tree_of

_RIDGE = 1e-3


def samples(
    kinds: Iterable[str], sizes: Iterable[int], queries: int, seeds: Iterable[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Products of measures (n, PRODUCTS) of stopped searches, and whether the objects collide (n,)."""
    found, happened = [], []
    for seed in seeds:
        for kind in kinds:
            for size in sizes:
                tree = tree_of(kind, size, seed)
                poses = random_poses(tree, np.random.default_rng(seed), queries)
                for pose, truth in zip(poses, collides(tree, tree, None, poses), strict=True):
                    search = Search(tree.volume, Aim(p_min=2.0))
                    both = np.stack([np.eye(4)[:3], pose[:3]])[None]
                    search.begin([adb_tree(tree)], np.zeros((1, 2), np.int64), both)
                    for done, stop in zip((0, *STOPS), STOPS, strict=False):
                        search.run(Limit(steps=stop - done))
                        if search.exhausted(False):
                            break
                        row = search.rows[0]
                        height = 2 * int(adb_tree(tree).filling.heights[0])
                        counts = (int(row[k]) for k in (layout.LEFT, layout.OPENED, layout.HEIGHTS))
                        values = np.array(measures(search.evidence[0], *counts, height))
                        out = np.empty(len(products_of(values)))
                        products(values, out)
                        found.append(out)
                        happened.append(truth)
                    search.end()
    return np.array(found), np.array(happened, np.float64)


def products_of(values: np.ndarray) -> np.ndarray:
    """Room for the products of so many measures."""
    count = len(values)
    return np.empty(1 + count + count * (count + 1) // 2)


def fit(found: np.ndarray, happened: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights of the products, and the share that collided at each of ``KNOTS``."""
    scale = np.abs(found).max(axis=0)
    x = found / scale
    weights = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1.0 / (1.0 + np.exp(-(x @ weights)))
        gradient = x.T @ (p - happened) + _RIDGE * weights
        curvature = (x * (p * (1.0 - p))[:, None]).T @ x + _RIDGE * np.eye(len(weights))
        weights -= np.linalg.solve(curvature, gradient)
    return weights / scale, _curve(x @ weights, happened)


def _curve(score: np.ndarray, happened: np.ndarray) -> np.ndarray:
    """Heights of the piecewise linear curve over ``KNOTS`` nearest to what happened, made to rise."""
    score = np.clip(score, KNOTS[0], KNOTS[-1])
    place = np.clip(np.searchsorted(KNOTS, score, side="right") - 1, 0, len(KNOTS) - 2)
    share = (score - KNOTS[place]) / (KNOTS[place + 1] - KNOTS[place])
    hats = np.zeros((len(score), len(KNOTS)))
    hats[np.arange(len(score)), place] = 1.0 - share
    hats[np.arange(len(score)), place + 1] = share
    heights = np.linalg.solve(hats.T @ hats + 1e-6 * np.eye(len(KNOTS)), hats.T @ happened)
    return np.maximum.accumulate(np.clip(heights, 0.002, 0.999))
