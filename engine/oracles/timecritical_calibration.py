"""Are stated probabilities right? Of searches that are stopped and state so much, how many collide?"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.query.collide import collides
from meshclash.query.time_critical import time_critical

from . import Row
from .timecritical_poses import random_poses

STOPS = (5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560)
"""Steps after which searches are stopped."""


def calibration(trees: Iterable[tuple[str, Hierarchy]], queries: int, seed: int = 11) -> dict[str, list[Row]]:
    """Of searches that were stopped before they knew a line for each decile of what they stated: "all", and by kind.

    Args:
        trees: kinds and hierarchies, each asked about with a copy of itself.
        queries: random poses a mesh.
        seed: of the poses.
    """
    said: list[float] = []
    happened: list[bool] = []
    kinds: list[str] = []
    for number, (kind, tree) in enumerate(trees):
        poses = random_poses(tree, np.random.default_rng((seed, number)), queries)
        for pose, truth in zip(poses, collides(tree, tree, None, poses), strict=True):
            stopped = _stopped(tree, pose)
            said += stopped
            happened += [truth] * len(stopped)
            kinds += [kind] * len(stopped)
    stated, true, kind_of = np.array(said), np.array(happened), np.array(kinds)
    of_kinds = {kind: kind_of == kind for kind in dict.fromkeys(kinds)}
    chosen = {"all": np.ones(len(kinds), np.bool_), **of_kinds}
    return {name: _deciles(stated[here], true[here]) for name, here in chosen.items()}


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
