"""Common volumes by voxels: whether known ones lie between the bounds, and what they cost beside another library."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from meshclash.query.voxel_collide import voxel_collide
from meshclash.types.mesh import TriangleMesh

from . import Row
from .mesh_files import read_mesh
from .mesh_generators import bumpy_sphere

_RESOLUTION = 64
_ROUNDING = 1e-9  # of objects of size 2; the other library's own
_CORNERS = np.array(list(np.ndindex(2, 2, 2)), float)
_SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def volume_rows(paths: list[Path], count: int) -> list[Row]:
    """So many random poses of each shape; boxes along the axes against the product of their overlaps."""
    shapes = {"box": _box(), "ball": bumpy_sphere(5000, 1), "ring": ring()}
    for path in paths:
        model = read_mesh(path)
        shapes[path.stem] = model[0], model[1]
    rows = [_straight_boxes(count)]
    return rows + [_posed(name, *_centred(*shape), count) for name, shape in shapes.items()]


def _box() -> tuple[np.ndarray, np.ndarray]:
    sides = np.array(_SIDES)
    return _CORNERS, np.concatenate([sides[:, [0, 1, 2]], sides[:, [0, 2, 3]]])


def ring(around: int = 64, across: int = 32) -> tuple[np.ndarray, np.ndarray]:
    """A torus of 4,096 triangles."""
    u, v = np.meshgrid(*(np.arange(n) / n * 2.0 * np.pi for n in (around, across)), indexing="ij")
    reach = 2.0 + np.cos(v)
    points = np.stack([reach * np.cos(u), reach * np.sin(u), np.sin(v)], axis=-1).reshape(-1, 3)
    p = np.arange(around * across).reshape(around, across)
    quads = np.stack([p, np.roll(p, -1, axis=0), np.roll(p, (-1, -1), axis=(0, 1)), np.roll(p, -1, axis=1)], axis=-1)
    return points, quads.reshape(-1, 4)[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)


def _centred(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """In a cube of side 2 around the origin."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    return (vertices - 0.5 * (low + high)) * (2.0 / (high - low).max()), triangles


def _straight_boxes(count: int) -> Row:
    rng, triangles = np.random.default_rng(2), _box()[1]
    tally = _Tally("boxes along the axes", len(triangles), count)
    for _ in range(count):
        lows, sizes = rng.uniform(-1.0, 1.0, (2, 3)), rng.uniform(0.01, 1.5, (2, 3))
        a, b = (TriangleMesh(low + _CORNERS * size, triangles) for low, size in zip(lows, sizes, strict=True))
        bounds = np.stack([a.bounds, b.bounds])
        overlap = np.maximum(bounds[:, 1].min(axis=0) - bounds[:, 0].max(axis=0), 0.0)
        tally.ask(a, b, None, lambda overlap=overlap: float(overlap.prod()))
    return tally.row()


def _posed(name: str, vertices: np.ndarray, triangles: np.ndarray, count: int) -> Row:
    rng, mesh = np.random.default_rng(1), TriangleMesh(vertices, triangles, weld=True)
    tally = _Tally(name, len(triangles), count)
    for _ in range(count):
        pose = np.eye(4)
        pose[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        pose[:3, 0] *= np.sign(np.linalg.det(pose[:3, :3]))
        pose[:3, 3] = rng.normal(size=3) * 0.5
        moved = mesh.vertices @ pose[:3, :3].T + pose[:3, 3]
        tally.ask(mesh, mesh, pose, lambda moved=moved: _by_manifold(mesh, moved))
    return tally.row()


def _by_manifold(mesh: TriangleMesh, moved: np.ndarray) -> float:
    """manifold3d's common volume of a mesh and the same one moved; NaN for a mesh that it does not take."""
    import manifold3d

    first, second = (
        manifold3d.Manifold(manifold3d.Mesh64(np.array(v, order="C"), mesh.triangles.astype(np.uint64)))
        for v in (mesh.vertices, moved)
    )
    both = first ^ second
    return float(both.volume()) if both.status() == manifold3d.Error.NoError else np.nan


class _Tally:
    """What came of the poses of one shape."""

    def __init__(self, name: str, triangles: int, poses: int) -> None:
        self._name, self._triangles, self._poses = name, triangles, poses
        self._wrong = self._met = self._refused = 0
        self._gap = self._ours = self._theirs = 0.0

    def ask(self, a: TriangleMesh, b: TriangleMesh, pose: Any, known: Any) -> None:
        """Compares the bounds of one pose with the volume that ``known`` gives."""
        start = time.process_time()
        found = voxel_collide(a, b, None, pose, resolution=_RESOLUTION, mode="solid", threads=1)
        low, high = found.overlap_volume
        middle = time.process_time()
        volume = known()
        self._theirs += time.process_time() - middle
        self._ours += middle - start
        if np.isnan(volume):
            self._refused += 1
            return
        self._wrong += not low - _ROUNDING <= volume <= high + _ROUNDING
        if volume > 1e-3:
            self._met += 1
            self._gap += (high - low) / volume

    def row(self) -> Row:
        """As the table shows it."""
        poses = self._poses
        return {
            "shape": self._name, "triangles": self._triangles, "poses": poses, "overlapping": self._met,
            "mean gap of bounds": f"{self._gap / max(self._met, 1):.1e}", "ours ms": f"{1e3 * self._ours / poses:.2f}",
            "other ms": f"{1e3 * self._theirs / poses:.2f}", "refused": self._refused, "wrong": self._wrong,
        }  # fmt: skip
