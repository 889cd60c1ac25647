"""Other libraries' answer to "do these two triangles meet?", asked through the mesh queries that their users call.

A peer is a function (a, b) -> bool on two (3, 3) float64 arrays; `load_peers` imports those that are installed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from oracles.oracle import APART, classify_pairs

from .table import Row

Meets = Callable[[np.ndarray, np.ndarray], bool]


@dataclass(frozen=True)
class Peer:
    """A library under comparison; `dtype` is what it stores coordinates as, so it is judged on those."""

    name: str
    version: str
    dtype: type
    meets: Meets


def compare(peer: Peer, a: np.ndarray, b: np.ndarray) -> Row:
    """Counts of a peer's wrong answers on triangle pairs a, b (n, 3, 3), against the oracle on its own coordinates."""
    a, b = (side.astype(peer.dtype).astype(np.float64) for side in (a, b))
    truth = classify_pairs(a, b) != APART
    start = time.perf_counter()
    answers = np.array([peer.meets(p, q) for p, q in zip(a, b, strict=True)])
    seconds = time.perf_counter() - start
    false, missed = int((answers & ~truth).sum()), int((truth & ~answers).sum())
    return {"false": false, "missed": missed, "us": seconds / len(a) * 1e6}


def load_peers() -> tuple[list[Peer], list[str]]:
    """The peers that can be imported, and one line about each that cannot."""
    found, missing = [], []
    for load in (_load_mathutils, _load_fcl, _load_coal):
        try:
            found.append(load())
        except ImportError as error:
            missing.append(f"{load.__name__.removeprefix('_load_')} left out: {error}")
    return found, missing


def import_bvhtree() -> tuple[Any, str]:
    """mathutils' BVHTree, of Blender or of its wheel, and the version of that."""
    path = sys.path.copy()
    try:
        import bpy
    except ImportError:
        import mathutils.bvhtree

        return mathutils.bvhtree.BVHTree, "alone"
    import mathutils.bvhtree  # the wheel makes it importable

    sys.path[:] = path  # the wheel puts folders in front in which processes started later would find another bpy
    return mathutils.bvhtree.BVHTree, f"of bpy {bpy.app.version_string}"


def _load_mathutils() -> Peer:
    tree, version = import_bvhtree()
    from_polygons = tree.FromPolygons
    only_face = [(0, 1, 2)]

    def meets(a: np.ndarray, b: np.ndarray) -> bool:
        return bool(from_polygons(a.tolist(), only_face).overlap(from_polygons(b.tolist(), only_face)))

    return Peer("mathutils", version, np.float32, meets)


def _load_fcl() -> Peer:
    from importlib.metadata import version

    import fcl

    only_face, request = np.array([[0, 1, 2]]), fcl.CollisionRequest()

    def geometry(corners: np.ndarray) -> fcl.CollisionObject:
        model = fcl.BVHModel()
        model.beginModel(3, 1)
        model.addSubModel(corners, only_face)
        model.endModel()
        return fcl.CollisionObject(model)

    def meets(a: np.ndarray, b: np.ndarray) -> bool:
        return fcl.collide(geometry(a), geometry(b), request, fcl.CollisionResult()) > 0

    return Peer("python-fcl", version("python-fcl"), np.float64, meets)


def _load_coal() -> Peer:
    import coal

    request, pose = coal.CollisionRequest(), coal.Transform3s.Identity()

    def geometry(corners: np.ndarray) -> coal.BVHModelOBBRSS:
        model = coal.BVHModelOBBRSS()
        model.beginModel(1, 3)
        model.addTriangle(*corners)
        model.endModel()
        return model

    def meets(a: np.ndarray, b: np.ndarray) -> bool:
        return coal.collide(geometry(a), pose, geometry(b), pose, request, coal.CollisionResult()) > 0

    return Peer("coal", coal.__version__, np.float64, meets)
