"""Building the levels of a clustered mesh, from its pages, and node by node into the file beside it.

Four clusters in a row are simplified together to a quarter of their triangles, then pairs of nodes to half of
theirs. The pieces that still have a neighbour to wait for are all that is in memory: one for each height of the
tree. After some hundred clusters they are written down, so that a build goes on from there.
"""

import math
import zlib
from collections.abc import Generator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from ..errors import InvalidFile
from ..types.results import Progress
from .layout import HEADER_BYTES
from .level_layout import (
    MOST_TRIANGLES,
    MOST_VERTICES,
    NODE,
    VERSION,
    LevelHeader,
    encode_level_header,
    encode_node,
    positions_of,
    steps_of,
)
from .pages import PageFile
from .pieces import Piece, increased, joined, simplified
from .work import WorkFolder, settle, write_whole

_FIRST_CLUSTERS = 4
_FIRST_SHARE, _SHARE = 0.25, 0.5
"""Of the triangles, that a node is to keep of those of its clusters, or of its two nodes."""
_MOST_FIRST_SHARE, _MOST_SHARE = 0.3, 0.55
"""More than that, and there is no node: then all levels together have less triangles than 0.67 times the mesh."""
_BETWEEN_NOTES = 256
"""Clusters after which what is finished is written down."""


class _Held(NamedTuple):
    """A node that waits for its neighbour."""

    height: int
    first: int
    clusters: int
    piece: Piece | None
    """None where its triangles could not be made fewer."""


class _State(NamedTuple):
    """What a build has done."""

    clusters: int
    rows: list[np.ndarray]
    held: list[_Held]


def build_level_steps(pages: PageFile, path: Path, plain: LevelHeader) -> Generator[Progress, None, None]:
    """Write the levels of an open mesh to a file, in slices of a node; yields Progress."""
    work = WorkFolder(path)
    keeps = True
    try:
        work.begin({"format": VERSION, "mesh": list(plain)}, True)
        (work.path / "mesh").touch()
        with (work.path / "mesh").open("r+b") as stream:
            state = _resumed(work, stream)
            total = pages.header.clusters
            while state.clusters < total:
                begin = state.clusters
                state = _grown(pages, stream, state)
                if state.clusters // _BETWEEN_NOTES > begin // _BETWEEN_NOTES and state.clusters < total:
                    _note(work, stream, state)
                yield Progress(state.clusters / total, f"simplifying {pages.path}")
            _fold(stream, state)
            _finish(stream, plain, state.rows)
        (work.path / "mesh").replace(path)
        keeps = False
    except OSError as error:
        raise InvalidFile(f"{path}: cannot be written: {error.strerror or error}") from None
    except InvalidFile:
        keeps = False  # the mesh is damaged
        raise
    finally:
        if keeps:
            work.close()
        else:
            work.discard()


def _grown(pages: PageFile, stream: BinaryIO, state: _State) -> _State:
    """Some more clusters as a node, and the nodes that this completes."""
    first = state.clusters
    numbers = range(first, min(first + _FIRST_CLUSTERS, pages.header.clusters))
    state.held.append(_Held(0, first, len(numbers), joined([_piece_of(pages, number) for number in numbers])))
    _settle(stream, state, _FIRST_SHARE, _MOST_FIRST_SHARE)
    while len(state.held) > 1 and state.held[-1].height == state.held[-2].height:
        _pair(stream, state)
    return state._replace(clusters=first + len(numbers))


def _piece_of(pages: PageFile, number: int) -> Piece:
    data = pages.read(number)
    return Piece(data.vertices.astype(np.float64), data.corners.astype(np.int32), 0.0, 0.0)


def _fold(stream: BinaryIO, state: _State) -> None:
    """Join what found no neighbour of its height."""
    while len(state.held) > 1:
        _pair(stream, state)


def _pair(stream: BinaryIO, state: _State) -> None:
    """Make one node of the last two."""
    b, a = state.held.pop(), state.held.pop()
    pieces = [held.piece for held in (a, b) if held.piece is not None]
    piece = joined(pieces) if len(pieces) == 2 else None
    state.held.append(_Held(max(a.height, b.height) + 1, a.first, a.clusters + b.clusters, piece))
    _settle(stream, state, _SHARE, _MOST_SHARE)


def _settle(stream: BinaryIO, state: _State, share: float, most: float) -> None:
    """Simplify the last node and write it, if that makes it much smaller."""
    held = state.held.pop()
    piece = held.piece
    if piece is not None:
        count = len(piece.triangles)
        piece = simplified(piece, int(share * count))
        if piece is not None and (
            len(piece.triangles) > min(most * count, MOST_TRIANGLES) or len(piece.vertices) > MOST_VERTICES
        ):
            piece = None
    if piece is not None:
        state.rows.append(_written(stream, held, piece))
    state.held.append(held._replace(piece=piece))


def _written(stream: BinaryIO, held: _Held, piece: Piece) -> np.ndarray:
    """Write the page of a node, and give its row of the table."""
    bounds = np.concatenate([piece.vertices.min(axis=0), piece.vertices.max(axis=0)])
    steps = steps_of(piece.vertices, bounds)
    off = np.abs(positions_of(steps, bounds) - piece.vertices).max(axis=0)
    moved = increased(math.hypot(*off) * (1.0 + 2.0**-48))
    row = np.zeros(1, NODE)
    row["at"] = stream.tell()
    raw = encode_node(steps, piece.triangles)
    row["bytes"], row["crc"] = len(raw), zlib.crc32(raw)
    row["triangles"], row["vertices"] = len(piece.triangles), len(piece.vertices)
    row["first"], row["clusters"] = held.first, held.clusters
    row["out"], row["back"] = (increased(error + moved) for error in (piece.out, piece.back))
    row["bounds"] = bounds
    stream.write(raw)
    return row


def _finish(stream: BinaryIO, plain: LevelHeader, rows: list[np.ndarray]) -> None:
    """Write the table behind the pages and the header in front of them."""
    table = np.concatenate([np.zeros(0, NODE), *rows])
    raw = table.tobytes()
    at = stream.tell()
    stream.write(raw)
    stream.truncate()
    header = plain._replace(
        nodes=len(table), triangles=int(table["triangles"].sum()), table_at=at, table_crc=zlib.crc32(raw)
    )
    stream.seek(0)
    stream.write(encode_level_header(header))
    settle(stream)


def _note(work: WorkFolder, stream: BinaryIO, state: _State) -> None:
    """Write down what is finished."""
    settle(stream)
    name = f"stack-{state.clusters}"
    before = work.journal.get("stack")
    parts = [np.concatenate([np.zeros(0, NODE), *state.rows]).tobytes()]
    held: list[list[Any]] = []
    for node in state.held:
        counts: list[Any] = [0, 0, 0.0, 0.0]
        if node.piece is not None:
            counts = [len(node.piece.vertices), len(node.piece.triangles), node.piece.out, node.piece.back]
            parts += [node.piece.vertices.tobytes(), node.piece.triangles.tobytes()]
        held.append([*node[:3], *counts])
    raw = b"".join(parts)
    write_whole(work.path / name, raw)
    work.note(
        stack=name, stack_bytes=len(raw), clusters=state.clusters, nodes=len(state.rows), bytes=stream.tell(), held=held
    )
    if before:
        work.remove(before)


def _resumed(work: WorkFolder, stream: BinaryIO) -> _State:
    """What an earlier build has finished, the file at its end; or a new file with room for the header."""
    journal = work.journal
    whole = "stack" in journal and work.has(journal["stack"], journal["stack_bytes"])
    if not whole or stream.seek(0, 2) < journal["bytes"]:
        stream.seek(0)
        stream.truncate()
        stream.write(bytes(HEADER_BYTES))
        return _State(0, [], [])
    stream.truncate(journal["bytes"])
    stream.seek(journal["bytes"])
    raw = (work.path / journal["stack"]).read_bytes()
    rows: np.ndarray = np.frombuffer(raw, NODE, journal["nodes"])
    at, held = rows.nbytes, []
    for height, first, clusters, n, m, out, back in journal["held"]:
        piece = None
        if m:
            vertices = np.frombuffer(raw, np.float64, 3 * n, at).reshape(-1, 3).copy()
            triangles = np.frombuffer(raw, np.int32, 3 * m, at + vertices.nbytes).reshape(-1, 3).copy()
            at += vertices.nbytes + triangles.nbytes
            piece = Piece(vertices, triangles, out, back)
        held.append(_Held(height, first, clusters, piece))
    return _State(journal["clusters"], [rows[k : k + 1] for k in range(len(rows))], held)
