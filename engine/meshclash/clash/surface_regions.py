"""Divide the surface of a mesh into regions, and its self-contact by pairs of regions.

The regions depend on which vertices the triangles share, never on coordinates: a mesh that deforms keeps them, and so a
row about two of them keeps its id and its status.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..manifold.connected_components import components

Indices = NDArray[np.int64]

LARGE_SHARE = 1 / 8
"""Of all triangles: a connected part with more is divided, and small parts are joined up to it."""
SMALL_SHARE = 1 / 64
"""Of all triangles: a connected part with fewer, such as a strand of hair, is joined with the next ones."""
LEAST_TRIANGLES = 256
"""Of a piece of a divided part, on average."""
REMEMBERED = 64
"""Meshes of which the regions are kept."""


@dataclass(frozen=True, eq=False)
class SurfaceRegions:
    """The regions of a mesh.

    Attributes:
        of_triangle: (m,) the region of each triangle, from 1 on in the order of their first triangles.
        digest: hash of the topology, 8 hexadecimal digits.
    """

    of_triangle: Indices
    digest: str

    def key(self, one: int, other: int) -> str:
        """Return the key of a pair of regions, as `PairRow.region` has it; "" where the mesh is one region."""
        return f"{one}-{other}:{self.digest}" if self.of_triangle.max(initial=1) > 1 else ""

    def parts(self, pairs: Indices) -> dict[str, tuple[Indices, NDArray[np.bool_]]]:
        """Divide pairs of triangles by the regions that they lie in.

        Args:
            pairs: (k, 2) triangles that cross each other.

        Returns:
            By the keys of the pairs of regions, in order: which pairs of triangles, and which of these have the
            triangle of the first region second.
        """
        regions = self.of_triangle[pairs]
        turned = regions[:, 0] > regions[:, 1]
        found, part = np.unique(np.sort(regions, axis=1), axis=0, return_inverse=True)
        chosen = [np.flatnonzero(part.reshape(-1) == k) for k in range(len(found))]
        keys = (self.key(int(one), int(other)) for one, other in found)
        return {key: (some, turned[some]) for key, some in zip(keys, chosen, strict=True)}


def region_numbers(key: str) -> tuple[int, ...]:
    """Return the numbers of the regions in a key: none, one, or two that differ."""
    return tuple(dict.fromkeys(map(int, re.findall("[0-9]+", key.partition(":")[0])))) if key else ()


def region_text(key: str) -> str:
    """Return the regions of a key for people: "" for a whole mesh, "2" or "2 × 5"."""
    return " × ".join(map(str, region_numbers(key)))


class RegionMemory:
    """Computes the regions of meshes, and remembers those of the last meshes by their triangles."""

    def __init__(self) -> None:
        self._known: dict[bytes, SurfaceRegions] = {}

    def regions(self, triangles: NDArray[Any]) -> SurfaceRegions:
        """Return the regions of a mesh with these triangles (m, 3)."""
        digest = hashlib.sha256(np.ascontiguousarray(triangles, np.int64).tobytes()).digest()
        found = self._known.pop(digest, None)
        if found is None:
            found = SurfaceRegions(surface_regions(triangles), digest.hex()[:8])
        self._known[digest] = found
        if len(self._known) > REMEMBERED:
            del self._known[next(iter(self._known))]
        return found


def surface_regions(triangles: NDArray[Any]) -> Indices:
    """Return the region of each triangle, (m,), from 1 on.

    A region is a connected part of the mesh. Small parts that follow each other in the list of vertices are one region;
    large ones are divided into pieces of about the same number of edges across.

    Args:
        triangles: (m, 3) vertex indices.
    """
    corners = np.asarray(triangles, np.int64)
    if not len(corners):
        return np.empty(0, np.int64)
    sides = corners[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    part = components(int(corners.max()) + 1, sides)[corners[:, 0]]
    names, part = np.unique(part, return_inverse=True)
    sizes = np.bincount(part)
    group, large = np.empty(len(names), np.int64), LARGE_SHARE * len(corners)
    count = filled = 0
    for k, size in enumerate(sizes.tolist()):  # in the order of the first vertices
        if size >= SMALL_SHARE * len(corners):
            group[k], filled = count, 0
            count += 1
            continue
        if not filled or filled + size > large:
            filled, count = 0, count + 1
        group[k], filled = count - 1, filled + size
    region = group[part]
    for k in np.flatnonzero(sizes > large).tolist():
        pieces = min(round(sizes[k] / large), int(sizes[k]) // LEAST_TRIANGLES)
        if pieces > 1:
            mine = np.flatnonzero(part == k)
            region[mine] = region.max() + 1 + _pieces(corners[mine], pieces)
    _, first, region = np.unique(region, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int64)
    number[np.argsort(first)] = np.arange(1, len(first) + 1)
    return number[region]


def _pieces(corners: Indices, count: int) -> Indices:
    """Divide a connected part: each triangle belongs to the nearest of `count` vertices, which are far apart."""
    _, flat = np.unique(corners, return_inverse=True)
    corners = flat.reshape(-1, 3)
    edges = np.unique(np.sort(corners[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    both = np.concatenate([edges, edges[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    start = np.searchsorted(both[:, 0], np.arange(int(corners.max()) + 2))
    near = both[:, 1]
    seed = int(np.argmax(_steps_from(0, start, near)))  # an end of the part, so that pieces begin at ends
    least = _steps_from(seed, start, near)
    piece = np.zeros(len(least), np.int64)
    for number in range(1, count):
        found = _steps_from(int(np.argmax(least)), start, near)
        piece[found < least] = number
        least = np.minimum(least, found)
    return piece[corners[:, 0]]


def _steps_from(vertex: int, start: Indices, near: Indices) -> Indices:
    """Return how many edges each vertex of a connected part is away from one of them."""
    steps = np.full(len(start) - 1, -1, np.int64)
    front, done = np.array([vertex]), 0
    while len(front):
        steps[front] = done
        lengths = start[front + 1] - start[front]
        offsets = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        reached = near[np.repeat(start[front], lengths) + offsets]
        front, done = np.unique(reached[steps[reached] < 0]), done + 1
    return steps
