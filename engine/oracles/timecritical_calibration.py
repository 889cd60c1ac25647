"""Are stated probabilities right? Of searches that are stopped and state so much, how many collide?"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.query.collide import collides
from meshclash.query.time_critical import time_critical

from . import Row
from .timecritical_poses import random_poses, tree_of

STOPS = (5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560)
"""Steps after which searches are stopped."""


def calibration(kinds: Iterable[str], sizes: Iterable[int], queries: int, seeds: Iterable[int]) -> list[Row]:
    """A line for each decile of the stated probability, of searches that were stopped before they knew.

    Args:
        kinds, sizes: of meshes.
        queries: random poses a mesh.
        seeds: a shape and its poses for each.
    """
    said, happened = [], []
    for kind, size, seed in itertools.product(kinds, sizes, seeds):
        tree = tree_of(kind, size, seed)
        poses = random_poses(tree, np.random.default_rng(seed), queries)
        for pose, truth in zip(poses, collides(tree, tree, None, poses), strict=True):
            for probability in _stopped(tree, pose):
                said.append(probability)
                happened.append(truth)
    return _deciles(np.array(said), np.array(happened))


def _stopped(tree: Hierarchy, pose: np.ndarray) -> list[float]:
    """What a search says when it is stopped here and there, as long as it does not know."""
    said: list[float] = []
    for stop in STOPS:
        found = time_critical(tree, tree, None, pose, p_min=2.0, steps=stop)
        if found.complete:
            break
        said.append(found.probability)
    return said


def _deciles(said: np.ndarray, happened: np.ndarray) -> list[Row]:
    decile = np.minimum((10 * said).astype(int), 9)
    return [
        {
            "stated": f"{k / 10:.1f} to {k / 10 + 0.1:.1f}",
            "queries": int(here.sum()),
            "mean stated": float(said[here].mean()),
            "collided": float(happened[here].mean()),
            "difference": float(said[here].mean() - happened[here].mean()),
        }
        for k in range(10)
        if (here := decile == k).any()
    ]
