"""Shapes whose surfaces are sampled for `clouds`: closed, open and non-manifold; and the samples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from .mesh_files import read_mesh
from .mesh_generators import MAKERS, Mesh

TRIANGLES = 20_000


def sheet(seed: int = 1) -> Mesh:
    """An open, wavy sheet."""
    n = 100
    u, v = np.meshgrid(np.linspace(-1, 1, n + 1), np.linspace(-1, 1, n + 1), indexing="ij")
    phase = np.random.default_rng(seed).uniform(0, 2 * np.pi, 3)
    height = 0.3 * np.sin(3 * u + phase[0]) * np.cos(2 * v + phase[1]) + 0.05 * np.sin(9 * u * v + phase[2])
    index = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    a, b, c, d = (x.ravel() for x in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]))
    triangles = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return np.stack([u.ravel(), v.ravel(), height.ravel()], 1), triangles.astype(np.int32)


def grid(cells: int = 4) -> Mesh:
    """Square rods around the edges of a lattice, open where they meet: many holes, borders and sheets that cross."""
    line = np.linspace(-1, 1, cells + 1)
    half = 0.12 / cells
    quads = []
    for axis in range(3):
        for p in line:
            for q in line:
                for du, dv in ((half, 0.0), (0.0, half)):
                    corners = np.zeros((4, 3))
                    corners[:, axis] = (-1, 1, 1, -1)
                    corners[:, (axis + 1) % 3] = p + np.array([-du, -du, du, du])
                    corners[:, (axis + 2) % 3] = q + np.array([-dv, -dv, dv, dv])
                    quads.append(corners)
    vertices = np.concatenate(quads)
    first = 4 * np.arange(len(quads))[:, None]
    triangles = np.concatenate([first + np.array([0, 1, 2]), first + np.array([0, 2, 3])])
    return vertices, triangles.astype(np.int32)


SHAPES: dict[str, tuple[str, Callable[[], Mesh]]] = {
    "bumpy": ("closed", lambda: MAKERS["bumpy"](TRIANGLES, 1)),
    "scan": ("closed", lambda: MAKERS["scan"](TRIANGLES, 1)),
    "part": ("closed", lambda: MAKERS["part"](TRIANGLES, 1)),
    "sheet": ("open", sheet),
    "grid": ("non-manifold", grid),
}
"""Name to kind and maker."""


def load_shapes(names: list[str], files: list[Path]) -> list[tuple[str, str, Mesh]]:
    """(name, kind, mesh) of made shapes and model files, each moved to the origin and scaled to a largest side of 2."""
    made = [(name, *SHAPES[name]) for name in names]
    shapes = [(name, kind, maker()) for name, kind, maker in made]
    shapes += [(path.stem, _kind(mesh := read_mesh(path)), mesh) for path in files]
    return [(name, kind, _normalised(mesh)) for name, kind, mesh in shapes]


def _kind(mesh: Mesh) -> str:
    """Closed, open or non-manifold, by how many triangles share each edge of the welded mesh."""
    _, welded = np.unique(mesh[0], axis=0, return_inverse=True)
    corners = welded.reshape(-1)[mesh[1]]
    corners = corners[(corners != np.roll(corners, 1, axis=1)).all(axis=1)]
    edges = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), axis=1)
    shared = np.unique(edges, axis=0, return_counts=True)[1]
    if shared.max() > 2:
        return "non-manifold"
    return "closed" if shared.min() == 2 else "open"


def _normalised(mesh: Mesh) -> Mesh:
    vertices, triangles = mesh
    used = vertices[triangles.ravel()]
    low, high = used.min(axis=0), used.max(axis=0)
    return (vertices - 0.5 * (low + high)) * (2.0 / (high - low).max()), triangles


def sample(mesh: Mesh, count: int, seed: int) -> np.ndarray:
    """Random points (count, 3), even on the mesh's surface."""
    vertices, triangles = mesh
    corners = vertices[triangles]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(triangles), count, p=area / area.sum())
    u, v = rng.random((2, count, 1))
    root = np.sqrt(u)
    a, b, c = (corners[chosen, k] for k in range(3))
    return (1 - root) * a + root * (1 - v) * b + root * v * c
