"""Fits the numbers of ``timecritical/collision_probability.py``: how often objects collided after so much.

A logistic regression on products of the measures of a stopped search, by Newton's method, and then three rising curves
over its scores: the share that collided, and the shares between which nine of ten groups lie. A group is a family of
shapes in one placement. The curves are those of families that the regression did not see: it is repeated without a
quarter of the families at a time. Otherwise the interval would be that of known families, and too narrow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from meshclash.timecritical.collision_probability import KNOTS
from oracles.timecritical_calibration import StoppedSearches

_RIDGE = 3.0
_TAIL = 0.005  # of each measure, beyond its range
_PARTS = 4
_OUTSIDE = 0.05  # of the groups, below the interval and above it
_GROUP = 30  # searches of a group around a knot, at least
_LEAST, _MOST = 0.002, 0.998  # of a share: what is not proved is not certain


def fit(searches: StoppedSearches) -> dict[str, Any]:
    """Return RANGES, WEIGHTS, SHARES, LOWS and HIGHS from stopped searches."""
    collide = searches.collide.astype(np.float64)
    groups = np.char.add(np.char.add(searches.families, "|"), searches.placements)
    _, group, counts = np.unique(groups, return_inverse=True, return_counts=True)
    _, stop, stopped = np.unique(searches.stops, return_inverse=True, return_counts=True)
    weights = (counts[group] * stopped[stop]) ** -0.5  # so that small families and late stops count, too
    weights *= len(weights) / weights.sum()
    ranges = np.quantile(searches.measures, (_TAIL, 1.0 - _TAIL), axis=0).T
    terms = _products(searches.measures, ranges)
    families = np.unique(searches.families)
    part_of = dict(zip(families, np.random.default_rng(1).permutation(len(families)) % _PARTS, strict=True))
    part = np.array([part_of[family] for family in searches.families])
    scores = np.empty(len(collide))
    for k in range(_PARTS):
        seen = part != k
        scores[~seen] = terms[~seen] @ _regression(terms[seen], collide[seen], weights[seen])
    shares = _curve(scores, collide, weights)
    low, high = _band(scores, collide, group, shares)
    return {
        "RANGES": ranges, "WEIGHTS": _regression(terms, collide, weights), "SHARES": shares, "LOWS": low, "HIGHS": high,
    }  # fmt: skip


def fit_of_scans(searches: StoppedSearches) -> dict[str, list[float]]:
    """Return CLOUD_WEIGHTS and MESH_WEIGHTS of ``pointcloud/contact_probability.py`` from stopped searches."""
    collide, scans = searches.collide.astype(np.float64), np.char.endswith(searches.families, ", scan")
    names = {"CLOUD_WEIGHTS": scans, "MESH_WEIGHTS": ~scans}
    return {
        name: _regression(searches.measures[here], collide[here], np.ones(here.sum())).round(3).tolist()
        for name, here in names.items()
    }


def _products(values: np.ndarray, ranges: np.ndarray) -> np.ndarray:
    """As ``products`` of many searches, (n, PRODUCTS)."""
    low, high = ranges.T
    scaled = 2.0 * (np.clip(values, low, high) - low) / (high - low) - 1.0
    squares = [scaled[:, i : i + 1] * scaled[:, i:] for i in range(scaled.shape[1])]
    return np.concatenate([np.ones((len(scaled), 1)), scaled, *squares], axis=1)


def _regression(terms: np.ndarray, happened: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Weights of the terms by which the logistic function is nearest to what happened."""
    weights = np.zeros(terms.shape[1])
    for _ in range(12):
        p = 1.0 / (1.0 + np.exp(-np.clip(terms @ weights, -30.0, 30.0)))
        gradient = terms.T @ (counts * (p - happened)) + _RIDGE * weights
        curvature = (terms * (counts * p * (1.0 - p))[:, None]).T @ terms + _RIDGE * np.eye(len(weights))
        weights -= np.linalg.solve(curvature, gradient)
    return weights


def _hats(score: np.ndarray) -> np.ndarray:
    """How much each search counts for each knot: linear interpolation, (n, knots)."""
    score = np.clip(score, KNOTS[0], KNOTS[-1])
    place = np.clip(np.searchsorted(KNOTS, score, side="right") - 1, 0, len(KNOTS) - 2)
    share = (score - KNOTS[place]) / (KNOTS[place + 1] - KNOTS[place])
    hats = np.zeros((len(score), len(KNOTS)))
    hats[np.arange(len(score)), place] = 1.0 - share
    hats[np.arange(len(score)), place + 1] = share
    return hats


def _curve(score: np.ndarray, happened: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Heights of the piecewise linear curve over ``KNOTS`` nearest to what happened, made to rise."""
    hats = _hats(score)
    counted = hats.T * counts
    heights = np.linalg.solve(counted @ hats + 1e-6 * np.eye(len(KNOTS)), counted @ happened)
    return np.maximum.accumulate(np.clip(heights, _LEAST, _MOST))


def _band(
    score: np.ndarray, happened: np.ndarray, group: np.ndarray, shares: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Heights of the curves between which nine of ten groups lie, at each knot, made to rise."""
    hats = _hats(score)
    known, bounds = [], []
    for k in range(len(KNOTS)):
        count = np.bincount(group, hats[:, k])
        enough = count >= _GROUP
        if enough.sum() * _OUTSIDE >= 1.0:
            share = np.bincount(group, hats[:, k] * happened)[enough] / count[enough]
            known.append(KNOTS[k])
            bounds.append(np.quantile(share, (_OUTSIDE, 1.0 - _OUTSIDE)))
    low, high = (np.interp(KNOTS, known, curve) for curve in np.transpose(bounds))
    low, high = np.minimum(low, shares), np.maximum(high, shares)
    low = np.minimum.accumulate(low[::-1])[::-1]  # rising, and never narrower than measured
    return np.clip(low, _LEAST, _MOST), np.clip(np.maximum.accumulate(high), _LEAST, _MOST)
