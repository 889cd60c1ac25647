"""Pieces of a surface in memory: joined, simplified, and how far they are from what they were before."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .collapse import collapse_edges
from .proving import SLACK, directed_bound

_RELATIVE = 1.0 + 2.0**-50
"""What a product or a root is increased by to be a bound."""


class Piece(NamedTuple):
    """Some triangles that stand for a part of a mesh."""

    vertices: np.ndarray
    """(n, 3) float64 [m]."""
    triangles: np.ndarray
    """(m, 3) int32."""
    out: float
    """Every point of the part of the mesh is at most so far from the piece [m]."""
    back: float
    """Every point of the piece is at most so far from the part of the mesh [m]."""


def joined(pieces: Sequence[Piece]) -> Piece:
    """Some pieces as one: vertices at the same place become one."""
    vertices = np.concatenate([piece.vertices for piece in pieces]) + 0.0  # -0.0 is 0.0
    starts = np.cumsum([0, *(len(piece.vertices) for piece in pieces)])
    triangles = np.concatenate([piece.triangles + start for piece, start in zip(pieces, starts, strict=False)])
    rows = vertices.view([("", np.float64)] * 3).ravel()
    order = np.lexsort((vertices[:, 2], vertices[:, 1], vertices[:, 0]))
    new = np.ones(len(order), np.bool_)
    new[1:] = rows[order[1:]] != rows[order[:-1]]
    inverse = np.empty(len(order), np.int32)
    inverse[order] = np.cumsum(new) - 1
    out, back = max(piece.out for piece in pieces), max(piece.back for piece in pieces)
    return Piece(vertices[order[new]], inverse[triangles], out, back)


def simplified(piece: Piece, target: int) -> Piece | None:
    """A piece with about ``target`` triangles, farther from the mesh by what is proved; None if nothing is left."""
    origin, scale = _frame_of(piece.vertices)
    before = (piece.vertices - origin) * scale
    after, faces = before.copy(), piece.triangles.copy()
    same = (faces[:, 0] == faces[:, 1]) | (faces[:, 1] == faces[:, 2]) | (faces[:, 2] == faces[:, 0])
    faces[same, 0] = -1
    kept = np.empty(len(before), np.int32)
    collapse_edges(after, faces, target, kept)
    faces = np.ascontiguousarray(faces[faces[:, 0] >= 0])
    if len(faces) == 0:
        return None
    moved = (after != before).any(axis=1)
    places = piece.vertices.copy()
    places[moved] = origin + after[moved] / scale
    after = (places - origin) * scale
    old, new = np.ascontiguousarray(before[piece.triangles]), np.ascontiguousarray(after[faces])
    out = directed_bound(piece.triangles, old, kept, faces, new)
    back = directed_bound(faces, new, kept, piece.triangles, old)
    used, corners = np.unique(faces, return_inverse=True)
    steps = (increased(bound * _RELATIVE + SLACK, 1.0 / scale) for bound in (out, back))
    sums = (math.nextafter(e + step, math.inf) for e, step in zip((piece.out, piece.back), steps, strict=True))
    return Piece(places[used], corners.reshape(-1, 3).astype(np.int32), *sums)


def increased(value: float, factor: float = 1.0) -> float:
    """A product, or the number after it, so that it is no less than without rounding."""
    return math.nextafter(value * factor, math.inf)


def _frame_of(vertices: np.ndarray) -> tuple[np.ndarray, float]:
    """An origin and a power of two, with which coordinates are at most 1, and not much less."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    origin = 0.5 * (low + high)
    size = float(np.abs(np.stack([low, high]) - origin).max())
    return origin, 2.0 ** -max(-960, math.frexp(size)[1]) if size > 0.0 else 1.0
