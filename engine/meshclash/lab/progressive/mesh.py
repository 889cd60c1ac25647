"""A progressive mesh: a base mesh and vertex splits that lead to a finer mesh (Hoppe, "Progressive meshes", 1996).

Vertices are numbered in the order in which they appear: the vertices of the base, then one vertex for each split. Split
k of a mesh whose base has b vertices adds vertex b + k next to its parent, an earlier vertex, and moves the parent; an
edge collapse reverses both. After k splits, a vertex that does not exist yet is represented by its parent, or by an
earlier ancestor. A triangle with two corners that are represented by the same vertex does not exist yet. So the
triangles of the finest mesh and one parent for each split describe all meshes, in both directions.
"""

from typing import NamedTuple

import numpy as np

from ...jit import inner, kernel
from ...massive.pieces import Collapsed, Piece, Simplified, bounds_of, faces_of


@kernel
def _go(places, others, parents, begin, end):
    """Apply splits from ``begin`` to ``end``, or collapses if ``end`` is lower; a parent's two positions are
    exchanged.
    """
    step = 1 if end >= begin else -1
    for k in range(begin if step > 0 else begin - 1, end if step > 0 else end - 1, step):
        parent = parents[k]
        for axis in range(3):
            places[parent, axis], others[k, axis] = others[k, axis], places[parent, axis]


@inner
def _stand_ins(parents, base, splits, standing):
    for v in range(base + splits):
        standing[v] = v
    for v in range(base + splits, standing.shape[0]):
        standing[v] = standing[parents[v - base]]


@kernel
def _faces(parents, base, splits, triangles, faces):
    """Write the triangles after some splits; return their number."""
    standing = np.empty(base + parents.shape[0], np.int32)
    _stand_ins(parents, base, splits, standing)
    count = 0
    for t in range(triangles.shape[0]):
        a, b, c = standing[triangles[t, 0]], standing[triangles[t, 1]], standing[triangles[t, 2]]
        if a != b and b != c and c != a:
            faces[count, 0], faces[count, 1], faces[count, 2] = a, b, c
            count += 1
    return count


@kernel
def _kept_after(log, count, kept):
    """Return for each vertex the vertex that represents it after a number of collapses."""
    for v in range(kept.shape[0]):
        kept[v] = v
    for k in range(count - 1, -1, -1):
        kept[log[k, 0]] = kept[log[k, 1]]


@kernel
def _places_after(log, before, latest, after):
    """Return the position of the remaining vertex after each collapse."""
    for k in range(log.shape[0] - 1, -1, -1):
        for axis in range(3):
            after[k, axis] = latest[log[k, 1], axis]
            latest[log[k, 1], axis] = before[k, axis]


@kernel
def _replay(log, after, begin, end, places):
    """Apply a number of collapses to the positions of vertices."""
    for k in range(begin, end):
        for axis in range(3):
            places[log[k, 1], axis] = after[k, axis]


class ProgressiveMesh:
    """A mesh that can be refined and coarsened from its current state.

    Args:
        places: positions of the vertices of the base, then of each vertex when its split adds it, (n, 3) float64 [m].
        others: position of the parent of each split after the split, (k, 3) float64 [m].
        parents: parent of the vertex that each split adds, an earlier vertex, (k,) int32.
        triangles: triangles of the finest mesh, (m, 3) int32.

    Attributes:
        splits: number of splits of the base that are currently applied.
    """

    def __init__(self, places: np.ndarray, others: np.ndarray, parents: np.ndarray, triangles: np.ndarray) -> None:
        self._places, self._others, self._parents, self._triangles = places, others, parents, triangles
        self._base = len(places) - len(parents)
        self.splits = 0

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return sum(array.nbytes for array in (self._places, self._others, self._parents, self._triangles))

    def go_to(self, splits: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the mesh after a number of splits of the base: vertices (n, 3) float64 [m] and triangles (m, 3)
        int32.
        """
        _go(self._places, self._others, self._parents, self.splits, splits)
        self.splits = splits
        faces = np.empty_like(self._triangles)
        count = _faces(self._parents, self._base, splits, self._triangles, faces)
        return self._places[: self._base + splits].copy(), faces[:count]


class Stops(NamedTuple):
    """Meshes with proved bounds along a sequence of collapses, from the finest to the coarsest."""

    collapses: list[int]
    triangles: list[int]
    out: list[float]
    """How far the mesh is from each at most [m], not decreasing."""
    back: list[float]
    """How far each is from the mesh at most [m], not decreasing."""


def stops_of(piece: Piece, done: Collapsed, shares: tuple[float, ...]) -> Stops:
    """Return the collapses at which each fraction of a piece's triangles is first reached, and the bounds of these
    meshes.
    """
    stops = Stops([], [], [], [])
    places, kept = piece.vertices.copy(), np.empty(len(piece.vertices), np.int32)
    after, out, back, begin = np.empty_like(done.before), piece.out, piece.back, 0
    _places_after(done.log, done.before, done.places.copy(), after)
    for share in shares:
        reached = np.flatnonzero(done.log[:, 2] <= share * len(piece.triangles))
        end = int(reached[0]) + 1 if len(reached) else len(done.log)
        if end == begin:
            continue
        _replay(done.log, after, begin, end, places)
        begin = end
        _kept_after(done.log, end, kept)
        faces = faces_of(piece, kept)
        proved = bounds_of(Simplified(piece, kept, faces, places))
        out, back = max(out, proved[0]), max(back, proved[1])
        stops.collapses.append(end)
        stops.triangles.append(len(faces))
        stops.out.append(out)
        stops.back.append(back)
    return stops


def progressive_parts(piece: Piece, done: Collapsed, finest: int, coarsest: int) -> tuple[np.ndarray, ...]:
    """Return the parts of a ``ProgressiveMesh`` whose finest mesh is the mesh after ``finest`` collapses."""
    n = len(piece.vertices)
    kept = np.empty(n, np.int32)
    _kept_after(done.log, coarsest, kept)
    base = np.flatnonzero(kept == np.arange(n))
    order = np.concatenate([base, done.log[finest:coarsest, 0][::-1]])
    numbers = np.full(n, -1, np.int32)
    numbers[order] = np.arange(len(order))
    _kept_after(done.log, finest, kept)
    triangles = numbers[faces_of(piece, kept)]
    parents = numbers[done.log[finest:coarsest, 1][::-1]]
    return done.places[order], done.before[finest:coarsest][::-1].copy(), parents, triangles
