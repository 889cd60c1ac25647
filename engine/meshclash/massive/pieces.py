"""Pieces of a surface in memory: joining, simplifying, and bounding the distance from the original."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..jit import is_compiled, kernel, parallel_kernel, parallel_region, prange
from .collapse import collapse_edges
from .hausdorff_bound import SLACK, directed_bound
from .weld import welded

_RELATIVE = 1.0 + 2.0**-50
"""Factor that makes a rounded product or root an upper bound."""


class Piece(NamedTuple):
    """Triangles that represent a part of a mesh."""

    vertices: np.ndarray
    """(n, 3) float64 [m]."""
    triangles: np.ndarray
    """(m, 3) int32."""
    out: float
    """Largest distance of any point of the part of the mesh from the piece [m]."""
    back: float
    """Largest distance of any point of the piece from the part of the mesh [m]."""


def joined(pieces: Sequence[Piece], weld: float = 0.0) -> Piece:
    """Join pieces into one: merge vertices at the same position, and vertices within ``weld`` [m].

    Triangles that become lines or points are kept, so that the simplified piece is compared with these triangles, too.
    """
    vertices = np.concatenate([piece.vertices for piece in pieces]) + 0.0  # turns -0.0 into 0.0
    starts = np.cumsum([0, *(len(piece.vertices) for piece in pieces)])
    triangles = np.concatenate([piece.triangles + start for piece, start in zip(pieces, starts, strict=False)])
    rows = vertices.view([("", np.float64)] * 3).ravel()
    order = np.lexsort((vertices[:, 2], vertices[:, 1], vertices[:, 0]))
    new = np.ones(len(order), np.bool_)
    new[1:] = rows[order[1:]] != rows[order[:-1]]
    inverse = np.empty(len(order), np.int32)
    inverse[order] = np.cumsum(new) - 1
    out, back = max(piece.out for piece in pieces), max(piece.back for piece in pieces)
    vertices, triangles = vertices[order[new]], inverse[triangles]
    if weld > 0.0:
        stands, moved = welded(vertices, weld)
        used, places = np.unique(stands, return_inverse=True)
        vertices, triangles = vertices[used], places.astype(np.int32)[triangles]
        out, back = increased(out + moved), increased(back + moved)
    return Piece(vertices, triangles, out, back)


@kernel
def _collapse_each(vertices, triangles, starts, targets, kept, log, before, counts):
    """Run ``collapse_edges`` on concatenated pieces; ``starts`` has their first vertices and triangles."""
    for k in range(counts.shape[0]):
        v, w, t, u = starts[k, 0], starts[k + 1, 0], starts[k, 1], starts[k + 1, 1]
        counts[k] = collapse_edges(vertices[v:w], triangles[t:u], targets[k], kept[v:w], log[v:w], before[v:w])


@parallel_kernel
def _collapse_together(vertices, triangles, starts, targets, kept, log, before, counts):
    """Run ``_collapse_each`` in parallel."""
    for k in prange(counts.shape[0]):
        v, w, t, u = starts[k, 0], starts[k + 1, 0], starts[k, 1], starts[k + 1, 1]
        counts[k] = collapse_edges(vertices[v:w], triangles[t:u], targets[k], kept[v:w], log[v:w], before[v:w])


@kernel
def _bound_each(faces, corners, kept, tasks, bounds):
    """Run ``directed_bound`` for each task.

    A task has the first face and the one after the last, these two indices for the other piece, and these two indices
    for ``kept``.
    """
    for k in range(tasks.shape[0]):
        i, j, p, q, v, w = tasks[k]
        bounds[k] = directed_bound(faces[i:j], corners[i:j], kept[v:w], faces[p:q], corners[p:q])


@parallel_kernel
def _bound_together(faces, corners, kept, tasks, bounds):
    """Run ``_bound_each`` in parallel."""
    for k in prange(tasks.shape[0]):
        i, j, p, q, v, w = tasks[k]
        bounds[k] = directed_bound(faces[i:j], corners[i:j], kept[v:w], faces[p:q], corners[p:q])


def together_is_compiled() -> bool:
    """Return whether the parallel kernels are compiled already."""
    return is_compiled(_collapse_together) and is_compiled(_bound_together)


def simplified(piece: Piece, target: int) -> Piece | None:
    """Simplify a piece to about ``target`` triangles, with bounds increased by the proved distances.

    Returns None if no triangle remains.
    """
    return all_simplified([piece], [target], 1)[0]


def all_simplified(pieces: Sequence[Piece], targets: Sequence[int], threads: int) -> list[Piece | None]:
    """Run ``simplified`` on several pieces, on up to ``threads`` threads. The number does not affect the result."""
    found: list[Piece | None] = [None] * len(pieces)
    after = [Simplified(piece, done.kept, faces_of(piece, done.kept), done.places)
             for piece, done in zip(pieces, all_collapsed(pieces, targets, threads), strict=True)]  # fmt: skip
    left = [k for k, one in enumerate(after) if len(one.faces)]
    for k, (out, back) in zip(left, all_bounds([after[k] for k in left], threads), strict=True):
        used, corners = np.unique(after[k].faces, return_inverse=True)
        found[k] = Piece(after[k].places[used], corners.reshape(-1, 3).astype(np.int32), out, back)
    return found


class Simplified(NamedTuple):
    """A piece before and after simplification."""

    piece: Piece
    """The original piece."""
    kept: np.ndarray
    """For each vertex of the piece, the vertex that represents it, (n,) int32."""
    faces: np.ndarray
    """Simplified triangles, (m, 3) int32."""
    places: np.ndarray
    """Vertices after simplification, (n, 3) float64 [m]."""


class Collapsed(NamedTuple):
    """The record of a piece's edge collapses."""

    log: np.ndarray
    """For each collapse the removed vertex, the remaining one, and the number of remaining triangles, (k, 3) int32."""
    before: np.ndarray
    """For each collapse the previous position of the remaining vertex, (k, 3) float64 [m]."""
    places: np.ndarray
    """Positions of vertices after all collapses, and last positions of removed vertices, (n, 3) float64 [m]."""
    kept: np.ndarray
    """For each vertex, the vertex that represents it after all collapses, (n,) int32."""


def collapsed(piece: Piece, target: int) -> Collapsed:
    """Collapse edges of a piece until it has about ``target`` triangles. Unmoved positions are kept bit by bit."""
    return all_collapsed([piece], [target], 1)[0]


def all_collapsed(pieces: Sequence[Piece], targets: Sequence[int], threads: int) -> list[Collapsed]:
    """Run ``collapsed`` on several pieces, on up to ``threads`` threads."""
    scaled = [_scaled(piece.vertices, *_frame_of(piece.vertices)) for piece in pieces]
    vertices, triangles = np.concatenate(scaled), np.concatenate([piece.triangles for piece in pieces])
    same = (triangles == np.roll(triangles, 1, axis=1)).any(axis=1)
    triangles[same, 0] = -1
    starts = np.cumsum([(0, 0), *((len(piece.vertices), len(piece.triangles)) for piece in pieces)], axis=0)
    kept, log, before = np.empty(len(vertices), np.int32), np.empty(vertices.shape, np.int32), np.empty(vertices.shape)
    counts = np.empty(len(pieces), np.int64)
    with parallel_region(min(threads, len(pieces))) as count:
        (_collapse_together if count > 1 else _collapse_each)(
            vertices, triangles, starts, np.array(targets, np.int64), kept, log, before, counts
        )
    found = []
    for piece, start, gone, v, w in zip(pieces, scaled, counts, starts[:-1, 0], starts[1:, 0], strict=True):
        some = log[v : v + gone], before[v : v + gone]
        found.append(_unscaled(piece, start, vertices[v:w], *some, kept[v:w]))
    return found


def _unscaled(
    piece: Piece, start: np.ndarray, moved: np.ndarray, log: np.ndarray, before: np.ndarray, kept: np.ndarray
) -> Collapsed:
    """Convert edge collapses to the coordinates of the mesh; ``start``, ``moved`` and ``before`` are in the scaled
    frame.
    """
    origin, scale = _frame_of(piece.vertices)
    places, earlier = piece.vertices.copy(), piece.vertices[log[:, 1]]
    for result, scaled, first in ((places, moved, start), (earlier, before, start[log[:, 1]])):
        changed = (scaled != first).any(axis=1)
        result[changed] = origin + scaled[changed] / scale
    return Collapsed(log, earlier, places, kept)


def faces_of(piece: Piece, kept: np.ndarray) -> np.ndarray:
    """Return the remaining triangles (m, 3) int32 of a piece, if ``kept`` (n,) int32 replaces its vertices."""
    faces = kept[piece.triangles]
    stay = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    return np.ascontiguousarray(faces[stay])


def bounds_of(after: Simplified) -> tuple[float, float]:
    """Return bounds of the distance from the mesh to the simplified piece, and from the simplified piece to the mesh
    [m].
    """
    return all_bounds([after], 1)[0]


def all_bounds(some: Sequence[Simplified], threads: int) -> list[tuple[float, float]]:
    """Run ``bounds_of`` on several pieces, on up to ``threads`` threads."""
    if not some:
        return []
    faces: list[np.ndarray] = []
    corners: list[np.ndarray] = []
    tasks, at, vertices = [], 0, 0
    for after in some:
        frame = _frame_of(after.piece.vertices)
        for places, triangles in ((after.piece.vertices, after.piece.triangles), (after.places, after.faces)):
            faces.append(triangles)
            corners.append(_scaled(places, *frame)[triangles])
        middle = at + len(after.piece.triangles)
        end, last = middle + len(after.faces), vertices + len(after.kept)
        tasks += [(at, middle, middle, end, vertices, last), (middle, end, at, middle, vertices, last)]
        at, vertices = end, last
    bounds = np.empty(len(tasks))
    kept = np.concatenate([after.kept for after in some])
    with parallel_region(min(threads, len(tasks))) as count:
        (_bound_together if count > 1 else _bound_each)(
            np.concatenate(faces), np.concatenate(corners), kept, np.array(tasks, np.int64), bounds
        )
    pairs = bounds.reshape(-1, 2).tolist()
    return [_added(after.piece, *pair) for after, pair in zip(some, pairs, strict=True)]


def _added(piece: Piece, *bounds: float) -> tuple[float, float]:
    """Add the bounds (out, back) of a simplification, given in the piece's scaled coordinates, to the piece's
    bounds.
    """
    scale = _frame_of(piece.vertices)[1]
    steps = (increased(bound * _RELATIVE + SLACK, 1.0 / scale) for bound in bounds)
    sums = [math.nextafter(e + step, math.inf) for e, step in zip((piece.out, piece.back), steps, strict=True)]
    return sums[0], sums[1]


def _scaled(vertices: np.ndarray, origin: np.ndarray, scale: float) -> np.ndarray:
    scaled: np.ndarray = (vertices - origin) * scale
    return scaled


def increased(value: float, factor: float = 1.0) -> float:
    """Return the product of the factors, increased so that it is an upper bound despite rounding errors."""
    return math.nextafter(value * factor, math.inf)


def _frame_of(vertices: np.ndarray) -> tuple[np.ndarray, float]:
    """Return an origin and a power of two that scale coordinates to a size of about 1."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    origin = 0.5 * (low + high)
    size = float(np.abs(np.stack([low, high]) - origin).max())
    return origin, 2.0 ** -max(-960, math.frexp(size)[1]) if size > 0.0 else 1.0
