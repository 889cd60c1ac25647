"""Build the progressive meshes of a clustered mesh: the steps of ``level_build.py``, with another type of nodes.

A cluster is collapsed to a quarter of its triangles. Two nodes, each as its base, are joined and collapsed to half. Of
each sequence of collapses, some meshes are stops: their bounds are proved relative to the mesh with which the sequence
began, and added to the bounds of that mesh. So bounds never decrease from a stop to a coarser one, or from a node to
its parent.
"""

import math
import zlib
from functools import partial
from typing import Any, BinaryIO

import numpy as np

from ...jit import kernel
from ...massive.level_build import Form, Held
from ...massive.level_layout import positions_of, steps_of
from ...massive.pieces import Piece, collapsed, faces_of, increased
from ...volumes import obb
from .layout import KIND, MOST_STOPS, MOST_VERTICES, NODE, encode_progressive
from .mesh import Stops, progressive_parts, stops_of

_FIRST_SHARES = (0.7, 0.5, 0.35, 0.25)
_SHARES = (0.85, 0.7, 0.6, 0.5)
"""Fractions of the initial triangles at the stops of a cluster and of other nodes."""
_MOST_SHARE = 0.8
"""More than that in the base, and a node has no parent with progressive meshes."""
_AXES = 1.0 + 2.0**-18
"""Bound of the deviation of float32 axes from orthonormal axes, with a margin."""


@kernel
def _fit(corners, box):
    obb.fit(corners, box)


def progressive_form(bounds: np.ndarray) -> Form:
    """Return the definition of the files that a build writes for a mesh with bounds (2, 3)."""
    return Form(
        KIND, 1, partial(_made, middle_of(bounds)), _written, lambda table: int(table["stop_triangles"][:, 0].sum())
    )


def middle_of(bounds: np.ndarray) -> np.ndarray:
    """Return the point to which the boxes of nodes are relative."""
    middle: np.ndarray = 0.5 * bounds[0] + 0.5 * bounds[1]
    return middle


_Content = tuple[np.ndarray, bytes]
"""A row of the table, and its page."""


def _made(middle: np.ndarray, nodes: list[Held], _: int) -> list[tuple[Piece | None, _Content]]:
    """Collapse nodes, one after the other."""
    return [_collapsed(middle, held) for held in nodes]


def _collapsed(middle: np.ndarray, held: Held) -> tuple[Piece | None, _Content]:
    """Collapse a node; return its base, its table row and its page."""
    row = np.zeros(1, NODE)
    row["first"], row["clusters"] = held.first, held.clusters
    piece = held.piece
    if piece is None:
        return None, (row, b"")
    row["box"] = box_around(piece.vertices[piece.triangles].reshape(-1, 3) - middle, piece.out)
    shares = _FIRST_SHARES if held.height == 0 else _SHARES
    done = collapsed(piece, int(shares[-1] * len(piece.triangles)))
    stops = stops_of(piece, done, shares)
    if not stops.collapses or len(piece.vertices) > MOST_VERTICES:
        return None, (row, b"")
    page = _page_of(row, stops, progressive_parts(piece, done, stops.collapses[0], stops.collapses[-1]))
    if stops.triangles[-1] > _MOST_SHARE * len(piece.triangles):
        return None, (row, page)
    last = len(stops.collapses) - 1
    faces = faces_of(piece, done.kept)
    used, corners = np.unique(faces, return_inverse=True)
    errors = float(row["out"][0, last]), float(row["back"][0, last])
    return Piece(done.places[used], corners.reshape(-1, 3).astype(np.int32), *errors), (row, page)


def box_around(points: np.ndarray, error: float) -> np.ndarray:
    """Return the oriented box of a surface (3 m, 3), each half extent enlarged by an error [m], as (15,) float32."""
    box = np.zeros(obb.WIDTH, np.float32)
    _fit(np.ascontiguousarray(points), box)
    if error > 0.0:
        box[12:] = np.nextafter((box[12:] + error * _AXES).astype(np.float32), np.float32(np.inf))
    return box


def _written(stream: BinaryIO, _: Held, content: _Content) -> np.ndarray:
    """Write the page of a node, and return its table row."""
    row, page = content
    row["at"] = stream.tell()
    stream.write(page)
    return row


def _page_of(row: np.ndarray, stops: Stops, parts: tuple[np.ndarray, ...]) -> bytes:
    """Return the page of a node, described by a table row; the rounding of positions is added to all bounds."""
    places, others, parents, triangles = parts
    both: np.ndarray = np.concatenate([places, others])
    bounds = np.concatenate([both.min(axis=0), both.max(axis=0)])
    steps = steps_of(both, bounds)
    off: Any = np.abs(positions_of(steps, bounds) - both).max(axis=0)
    moved = increased(math.hypot(*off) * (1.0 + 2.0**-48))
    raw = encode_progressive(steps[: len(places)], steps[len(places) :], parents, triangles)
    row["bytes"], row["crc"] = len(raw), zlib.crc32(raw)
    row["vertices"], row["splits"], row["bounds"] = len(places), len(parents), bounds
    count = len(stops.collapses)
    assert count <= MOST_STOPS
    row["stops"] = count
    row["stop_splits"][0, :count] = stops.collapses[-1] - np.array(stops.collapses)
    row["stop_triangles"][0, :count] = stops.triangles
    for name, values in (("out", stops.out), ("back", stops.back)):
        row[name][0, :count] = [increased(value + moved) for value in values]
    return raw
