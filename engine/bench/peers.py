"""Other libraries beside ours: what a bench asks of one, and which of them are there.

Those of this file answer "do these two triangles meet?" through the mesh queries that their users call.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from importlib.metadata import version
from typing import Any, Protocol, TypeVar

import numpy as np
from oracles.oracle import APART, classify_pairs

from .native import DriverUnavailable
from .table import Row


class Peer(Protocol):
    """A library; it is made from what a bench is about, once, and raises ImportError where it is missing.

    Attributes:
        name: what tables call it.
    """

    name: str

    def prepare(self, given: Any) -> None:
        """Bring what moves to its place, with all that the library needs before it is asked."""

    def ask(self, *question: Any) -> Any:
        """The answer, or what asks for it so many times (``timing.Ask``)."""


Made = TypeVar("Made")


def installed(makers: Iterable[Callable[..., Made]], *given: Any) -> list[Made]:
    """The peers made of what is given; says which are left out, and why: they cannot be imported or compiled."""
    found = []
    for make in makers:
        try:
            found.append(make(*given))
        except (ImportError, DriverUnavailable) as error:
            print(f"{getattr(make, 'name', make.__name__)} is left out: {error}")
    return found


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


class _PairPeer:
    """A library that is asked about two triangles; ``dtype`` is what it stores coordinates as."""

    name: str
    version: str
    dtype: type = np.float64

    def prepare(self, given: tuple[np.ndarray, np.ndarray]) -> None:
        self._pair = given

    def ask(self) -> bool:
        raise NotImplementedError


class _MathutilsPair(_PairPeer):
    name = "mathutils"
    dtype = np.float32

    def __init__(self) -> None:
        tree, self.version = import_bvhtree()
        self._make = tree.FromPolygons

    def ask(self) -> bool:
        a, b = (self._make(side.tolist(), [(0, 1, 2)]) for side in self._pair)
        return bool(a.overlap(b))


class _FclPair(_PairPeer):
    name = "python-fcl"

    def __init__(self) -> None:
        import fcl

        self._fcl, self.version = fcl, version("python-fcl")
        self._face, self._request = np.array([[0, 1, 2]]), fcl.CollisionRequest()

    def _object(self, corners: np.ndarray) -> Any:
        model = self._fcl.BVHModel()
        model.beginModel(3, 1)
        model.addSubModel(corners, self._face)
        model.endModel()
        return self._fcl.CollisionObject(model)

    def ask(self) -> bool:
        return self._fcl.collide(*map(self._object, self._pair), self._request, self._fcl.CollisionResult()) > 0


class _CoalPair(_PairPeer):
    name = "coal"

    def __init__(self) -> None:
        import coal

        self._coal, self.version = coal, coal.__version__
        self._request, self._pose = coal.CollisionRequest(), coal.Transform3s.Identity()

    def _model(self, corners: np.ndarray) -> Any:
        model = self._coal.BVHModelOBBRSS()
        model.beginModel(1, 3)
        model.addTriangle(*corners)
        model.endModel()
        return model

    def ask(self) -> bool:
        a, b = map(self._model, self._pair)
        result = self._coal.CollisionResult()
        return self._coal.collide(a, self._pose, b, self._pose, self._request, result) > 0


PAIR_PEERS = (_MathutilsPair, _FclPair, _CoalPair)


def compare(peer: _PairPeer, a: np.ndarray, b: np.ndarray) -> Row:
    """Counts of a peer's wrong answers on triangle pairs a, b (n, 3, 3), against the oracle on its own coordinates."""
    a, b = (side.astype(peer.dtype).astype(np.float64) for side in (a, b))
    truth = classify_pairs(a, b) != APART
    answers, start = [], time.perf_counter()
    for pair in zip(a, b, strict=True):
        peer.prepare(pair)
        answers.append(peer.ask())
    seconds = time.perf_counter() - start
    false, missed = int((answers & ~truth).sum()), int((truth & ~np.array(answers)).sum())
    return {"false": false, "missed": missed, "us": seconds / len(a) * 1e6}
