"""Are stated probabilities right? Of searches that are stopped and state so much, how many collide?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from meshclash.hierarchy.build import build
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.query.collide import collides
from meshclash.timecritical.search import Criterion, Limit, Search
from meshclash.timecritical.trees import adb_tree
from meshclash.types.mesh import TriangleMesh

from . import Row
from .timecritical_poses import PLACEMENTS, placed

STOPS = (0, 5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240)
"""Steps after which searches are stopped."""
ENOUGH = 200
"""Searches of a family in a tenth that are judged by themselves."""
_CERTAIN = 0.005  # no interval reaches 0 or 1, but all objects may collide


class StoppedSearches(NamedTuple):
    """Searches that were stopped before they knew the answer: n of them, of fewer pairs of objects."""

    families: np.ndarray
    placements: np.ndarray
    stops: np.ndarray
    measures: np.ndarray
    """(n, MEASURES), of ``collision_probability.py``."""
    stated: np.ndarray
    intervals: np.ndarray
    """(n, 2)"""
    collide: np.ndarray
    """The exact answer, (n,) bool."""

    def chosen(self, some: np.ndarray) -> StoppedSearches:
        """Those at which ``some`` is true."""
        return StoppedSearches(*(array[some] for array in self))


def stopped_searches(trees: Iterable[tuple[str, Hierarchy]], queries: int, seed: int = 11) -> StoppedSearches:
    """Search pairs of objects in all placements, and stop each search at ``STOPS`` as long as it does not know.

    Args:
        trees: families and hierarchies. Each is searched with a copy of itself and with one of the others, which is
            made up to eight times smaller.
        queries: poses of each pair of objects in each placement.
        seed: of the poses and partners.
    """
    every = list(trees)
    rows: list[tuple] = []
    for number, (family, tree) in enumerate(every):
        rng = np.random.default_rng((seed, number))
        other = every[int(rng.integers(len(every)))][1].mesh
        scale = (
            2.0 ** rng.uniform(-3.0, 0.0) * np.ptp(tree.mesh.bounds, axis=0).max() / np.ptp(other.bounds, axis=0).max()
        )
        smaller = build(TriangleMesh(np.asarray(other.vertices) * scale, np.asarray(other.triangles)))
        for partner, name in ((tree, "alike"), (smaller, "different")):
            for placement in PLACEMENTS:
                poses = placed(tree, partner, rng, queries, placement)
                if len(poses):
                    for pose, truth in zip(poses, collides(tree, partner, None, poses), strict=True):
                        rows += [
                            (family, f"{name}, {placement}", *stopped, truth)
                            for stopped in _stopped(tree, partner, pose)
                        ]
    return StoppedSearches(*(np.array(column) for column in zip(*rows, strict=True)))


def _stopped(a: Hierarchy, b: Hierarchy, pose: np.ndarray) -> list[tuple]:
    """(stop, measures, stated probability, interval) of a search at each stop, as long as it does not know."""
    search = Search(a.volume, Criterion(p_min=2.0))
    search.begin([adb_tree(a), adb_tree(b)], np.array([[0, 1]]), np.stack([np.eye(4)[:3], pose[:3]])[None])
    found = []
    for done, stop in zip((0, *STOPS), STOPS, strict=False):
        if stop > done:
            search.run(Limit(steps=stop - done))
        if search.exhausted(False):
            break
        estimates = search.estimates()
        found.append((stop, estimates.measures[0], estimates.probabilities[0], estimates.intervals[0]))
    search.end()
    return found


def calibration(trees: Iterable[tuple[str, Hierarchy]], queries: int, seed: int = 11) -> dict[str, list[Row]]:
    """A line for each tenth of the stated probability: of "all" searches, of each placement, and of each family.

    Arguments as of ``stopped_searches``.
    """
    return judged(stopped_searches(trees, queries, seed))


def judged(searches: StoppedSearches) -> dict[str, list[Row]]:
    """The same of searches that were stopped already."""
    groups = {"all": np.ones(len(searches.stated), np.bool_)}
    groups |= {name: searches.placements == name for name in np.unique(searches.placements)}
    groups |= {name: searches.families == name for name in np.unique(searches.families)}
    return {name: _tenths(searches.chosen(here)) for name, here in groups.items()}


def coverage(searches: StoppedSearches, least: int = ENOUGH) -> Row:
    """How many of the families' tenths with ``least`` searches are as stated, and how many lie in their interval."""
    families = np.unique(searches.families)
    rows = [row for family in families for row in _tenths(searches.chosen(searches.families == family))]
    large = [row for row in rows if row["searches"] >= least]
    return {
        "families": len(families),
        "searches": len(searches.stated),
        "tenths of families": len(large),
        "off by more than 0.1": sum(abs(row["difference"]) > 0.1 for row in large),
        "outside the interval": sum(
            not row["low"] - _CERTAIN <= row["collided"] <= row["high"] + _CERTAIN for row in large
        ),
    }


def _tenths(searches: StoppedSearches) -> list[Row]:
    tenth = np.minimum((10 * searches.stated).astype(int), 9)
    rows: list[Row] = []
    for k in range(10):
        if (tenth == k).any():
            stated, collide = searches.stated[tenth == k].mean(), searches.collide[tenth == k].mean()
            low, high = searches.intervals[tenth == k].mean(axis=0)
            rows.append(
                {
                    "stated": f"{k / 10:.1f} to {k / 10 + 0.1:.1f}", "searches": int((tenth == k).sum()),
                    "mean stated": float(stated), "collided": float(collide), "difference": float(stated - collide),
                    "low": float(low), "high": float(high),
                }
            )  # fmt: skip
    return rows
