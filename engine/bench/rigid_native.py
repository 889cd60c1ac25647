"""Embree and Bullet as peers of the bench ``rigid``: drivers (``cpp/rigid_*.cpp``) that time themselves."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .native import Driver, DriverUnavailable, compiled, write_mesh
from .rigid_peers import MeshPeer
from .timing import Ask


class _NativePeer(MeshPeer):
    driver: str
    libraries: Sequence[str]

    def __init__(self, vertices: np.ndarray, triangles: np.ndarray) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "mesh"
            write_mesh(path, vertices, triangles)
            self._driver = Driver(self.driver, self.libraries, path)
            self.place(np.eye(4))  # the driver has read the file when it answers

    @classmethod
    def driver_growth(cls, vertices: np.ndarray, triangles: np.ndarray) -> int:
        peer = cls(vertices, triangles)
        _, growth = peer._driver.ask("growth")
        peer.close()
        return int(growth)

    def place(self, pose: np.ndarray) -> None:
        self._driver.ask(f"place {_written(pose)}")

    def pairs(self) -> Ask:
        return lambda repeats: self._asked(f"pairs {repeats}")

    def moving(self, poses: np.ndarray) -> Ask:
        return lambda repeats: self._asked(f"moving {repeats} {_written(poses)}")

    def _asked(self, question: str) -> tuple[float, int]:
        seconds, pairs = self._driver.ask(question)
        return seconds, int(pairs)

    def close(self) -> None:
        self._driver.close()


class Embree(_NativePeer):
    """Embree 3's `rtcCollide` on float32 world vertices and a triangle test; a new pose moves vertices and refits."""

    name = "Embree"
    rebuilds = True
    driver = "rigid_embree"
    libraries = ("embree",)


class Bullet(_NativePeer):
    """Bullet's GIMPACT boxes, pose in the query, and a triangle test."""

    name = "Bullet"
    driver = "rigid_bullet"
    libraries = ("bullet",)


NATIVE_PEERS: tuple[type[_NativePeer], ...] = (Embree, Bullet)


def missing_native_peers() -> dict[str, str]:
    """Names of the peers whose drivers cannot be compiled, and why; compiles the others."""
    missing = {}
    for peer in NATIVE_PEERS:
        try:
            compiled(peer.driver, peer.libraries)
        except DriverUnavailable as error:
            missing[peer.name] = str(error)
    return missing


def _written(poses: np.ndarray) -> str:
    return " ".join(map(repr, np.asarray(poses).ravel().tolist()))
