"""Damage done to closed meshes on purpose: what was inside before is known, so answers can be judged."""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np

from .mesh_generators import Mesh

Rng = np.random.Generator


def holes(mesh: Mesh, share: float, rng: Rng, count: int = 1) -> Mesh:
    """A mesh without patches of neighbouring triangles: about ``share`` of the area, in ``count`` round pieces."""
    vertices, triangles = mesh
    areas = _areas(mesh)
    first, second = _neighbours(triangles)
    order = np.argsort(first, kind="stable")
    start = np.searchsorted(first[order], np.arange(len(triangles) + 1))
    beside = second[order]
    middles = vertices[triangles].mean(axis=1)
    gone = np.zeros(len(triangles), np.bool_)
    for seed in rng.choice(len(triangles), count, p=areas / areas.sum()).tolist():
        left = share * areas.sum() / count
        queue, seen = [(0.0, seed)], {seed}
        while queue and left > 0.0:
            _, t = heapq.heappop(queue)
            left -= 0.0 if gone[t] else areas[t]
            gone[t] = True
            for u in beside[start[t] : start[t + 1]].tolist():
                if u not in seen:
                    seen.add(u)
                    heapq.heappush(queue, (float(((middles[u] - middles[seed]) ** 2).sum()), u))
    return vertices, triangles[~gone]


def hole_at(mesh: Mesh, place: np.ndarray, share: float) -> Mesh:
    """A mesh without the triangles nearest to a place that have together ``share`` of the area."""
    areas = _areas(mesh)
    order = np.argsort(np.linalg.norm(mesh[0][mesh[1]].mean(axis=1) - place, axis=1))
    first = np.searchsorted(np.cumsum(areas[order]), share * areas.sum())
    return mesh[0], mesh[1][np.sort(order[first:])]


def cracks(mesh: Mesh, size: float, rng: Rng) -> Mesh:
    """Every triangle by itself, its corners moved by up to ``size`` times the diagonal of the mesh."""
    vertices, triangles = mesh
    corners = vertices[triangles].reshape(-1, 3)
    away = rng.normal(size=corners.shape)
    away *= rng.random((len(away), 1)) ** (1 / 3) / np.linalg.norm(away, axis=1, keepdims=True)
    diagonal = np.linalg.norm(np.ptp(vertices, axis=0))
    return corners + size * diagonal * away, np.arange(len(corners)).reshape(-1, 3)


def flips(mesh: Mesh, share: float, rng: Rng) -> Mesh:
    """Some triangles turned over."""
    triangles = mesh[1].copy()
    turned = rng.random(len(triangles)) < share
    triangles[turned] = triangles[turned][:, ::-1]
    return mesh[0], triangles


def copies(mesh: Mesh, share: float, rng: Rng) -> Mesh:
    """Some triangles twice, half of the copies turned over."""
    again = mesh[1][rng.random(len(mesh[1])) < share]
    again[::2] = again[::2, ::-1]
    return mesh[0], np.concatenate([mesh[1], again])


DAMAGES: dict[str, Callable[[Mesh, Rng], Mesh]] = {
    "hole 1%": lambda mesh, rng: holes(mesh, 0.01, rng),
    "hole 5%": lambda mesh, rng: holes(mesh, 0.05, rng),
    "20 holes 5%": lambda mesh, rng: holes(mesh, 0.05, rng, 20),
    "crack 0.1%": lambda mesh, rng: cracks(mesh, 0.001, rng),
    "crack 1%": lambda mesh, rng: cracks(mesh, 0.01, rng),
    "flip 10%": lambda mesh, rng: flips(mesh, 0.1, rng),
    "flip 30%": lambda mesh, rng: flips(mesh, 0.3, rng),
    "copies 30%": lambda mesh, rng: copies(mesh, 0.3, rng),
    "hole 5% + flip 30%": lambda mesh, rng: flips(holes(mesh, 0.05, rng), 0.3, rng),
    "20 holes 5% + flip 30% + crack 0.1%": lambda mesh, rng: cracks(
        flips(holes(mesh, 0.05, rng, 20), 0.3, rng), 0.001, rng
    ),
}


def _areas(mesh: Mesh) -> np.ndarray:
    corners = mesh[0][mesh[1]]
    return np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)


def _neighbours(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of triangles that share an edge, both ways round."""
    sides = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    key = sides[:, 0].astype(np.int64) * (int(triangles.max()) + 1) + sides[:, 1]
    order = np.argsort(key, kind="stable")
    owner = order % len(triangles)
    same = np.flatnonzero(key[order][1:] == key[order][:-1])
    a, b = owner[same], owner[same + 1]
    return np.concatenate([a, b]), np.concatenate([b, a])
