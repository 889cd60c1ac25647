"""Build the levels of a clustered mesh from its pages, and write them node by node to the file beside it.

Four consecutive clusters are simplified together to a quarter of their triangles, then pairs of nodes to half of
theirs. Several nodes of one height are made at a time, on several cores. Only pieces that still wait for a neighbour
stay in memory: one for each height of the tree. They are saved after every few hundred clusters, so that an interrupted
build can resume. Nodes are written in the order in which a single core would finish them one by one, so the file
depends neither on the number of cores nor on how many nodes are made at a time.
"""

import math
import zlib
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from ..errors import InvalidFile
from ..output import OutputFile
from ..types.results import Progress
from .layout import HEADER_BYTES
from .level_layout import (
    KIND,
    MOST_TRIANGLES,
    MOST_VERTICES,
    NODE,
    FileKind,
    LevelHeader,
    encode_level_header,
    encode_node,
    positions_of,
    steps_of,
)
from .pages import PageFile
from .pieces import Piece, all_simplified, increased, joined, together_is_compiled
from .work import WorkFolder, settle, write_whole

_FIRST_CLUSTERS = 4
_FIRST_SHARE, _SHARE = 0.25, 0.5
"""Target share of the triangles that a node keeps from its clusters, or from its two nodes."""
_MOST_FIRST_SHARE, _MOST_SHARE = 0.3, 0.55
"""Largest shares for which a node is made. They limit all levels together to 0.67 times the triangles of the mesh."""
_BATCH = 64
"""Clusters whose nodes are made together, height by height: a power of two."""
_FOR_EACH = 2
"""Nodes per thread in a slice of work."""
_SHARED_FROM, _COMPILED_FOR = 1 << 16, 1 << 20
"""Triangles of a mesh from which several threads are faster, and from which compiling for them is worthwhile."""
_BETWEEN_NOTES = 256
"""Number of clusters after which the state of the build is saved."""


class Held(NamedTuple):
    """A node that waits to be joined with a neighbour of the same height."""

    height: int
    first: int
    clusters: int
    piece: Piece | None
    """None if the triangles of the node could not be simplified."""


class _Made(NamedTuple):
    """A node after simplification."""

    held: Held
    content: Any
    """The data to be written."""


class Form(NamedTuple):
    """The way in which a build converts clusters to a kind of file."""

    kind: FileKind
    first_clusters: int
    """Number of clusters that form a node of the lowest height."""
    make: Callable[[list[Held], int], list[tuple[Piece | None, Any]]]
    """Simplifies nodes on a number of threads; returns for each the simplified piece (None if it is not much smaller),
    and the data to be written."""
    write: Callable[[BinaryIO, Held, Any], np.ndarray | None]
    """Writes the page of a node, and returns its row of the table."""
    count: Callable[[np.ndarray], int]
    """Returns the number of triangles of all rows of a table."""
    weld: float = 0.0
    """Vertices within this distance [m] are merged."""


class _State(NamedTuple):
    """The state of a build."""

    clusters: int
    rows: list[np.ndarray]
    held: list[Held]


def build_level_steps(
    pages: PageFile, path: Path, plain: LevelHeader, form: Form | None = None, threads: int = 1
) -> Generator[Progress, None, None]:
    """Write the levels of an open mesh to a file, in slices of some nodes; yield Progress.

    Another ``form`` writes another type of file. The number of threads does not affect the file.
    """
    form = form or LEVELS
    if pages.header.triangles < (_SHARED_FROM if together_is_compiled() else _COMPILED_FOR):
        threads = 1
    output = OutputFile(path, form.kind.name, sources=[pages.path])
    work = WorkFolder(output.target)
    keeps = True
    try:
        work.begin({"format": form.kind.version, "mesh": list(plain), "weld": form.weld}, True)
        try:
            yield from _write_steps(work, pages, plain, form, threads)
        except InvalidFile:
            keeps = False  # the mesh is damaged
            raise
        output.take(work.path / "mesh")
        keeps = False
    except OSError as error:
        raise InvalidFile(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        if keeps:
            work.close()
        else:
            work.discard()


def _write_steps(
    work: WorkFolder, pages: PageFile, plain: LevelHeader, form: Form, threads: int
) -> Generator[Progress, None, None]:
    """Write the file in the folder of the build."""
    (work.path / "mesh").touch()
    with (work.path / "mesh").open("r+b") as stream:
        state = _resumed(work, stream, form)
        total = pages.header.clusters
        while state.clusters < total:
            begin = state.clusters
            end = min(begin + _BATCH, total)
            for share in _grow_steps(pages, stream, state, form, threads):
                yield Progress((begin + share * (end - begin)) / total, f"simplifying {pages.path}")
            state = state._replace(clusters=end)
            if state.clusters // _BETWEEN_NOTES > begin // _BETWEEN_NOTES and state.clusters < total:
                _note(work, stream, state, form)
        _fold(stream, state, form)
        _finish(stream, plain, state.rows, form)


def _grow_steps(
    pages: PageFile, stream: BinaryIO, state: _State, form: Form, threads: int
) -> Generator[float, None, None]:
    """Make nodes from the next clusters, and the nodes that these complete; yield the approximate share done."""
    end = min(state.clusters + _BATCH, pages.header.clusters)
    row = [Held(0, first, min(form.first_clusters, end - first), None)
           for first in range(state.clusters, end, form.first_clusters)]  # fmt: skip
    finished: list[_Made] = []
    waiting: list[Held] = []
    size = _FOR_EACH * threads if threads > 1 else 1
    done, work = 0.0, 1.5 * len(row)
    while row:
        fresh: list[Held] = []
        for k in range(0, len(row), size):
            some = [held if held.height else _read(pages, held, form.weld) for held in row[k : k + size]]
            made = _made(some, form, threads)
            finished += made
            fresh += [one.held for one in made]
            done += sum(1.0 if held.height == 0 else 0.5**held.height / 2.0 for held in some)
            yield min(1.0, done / work)
        if len(fresh) % 2:
            waiting.append(fresh.pop())
        row = [_paired(a, b, form.weld) for a, b in zip(fresh[::2], fresh[1::2], strict=True)]
    state.held.extend(sorted(waiting, key=lambda held: held.first))
    while len(state.held) > 1 and state.held[-1].height == state.held[-2].height:
        finished += _pair(state, form)
    _write(stream, state, finished, form)


def _read(pages: PageFile, held: Held, weld: float) -> Held:
    """Return a node of the lowest height with the triangles of its clusters, read from their pages."""
    numbers = range(held.first, held.first + held.clusters)
    return held._replace(piece=joined([_piece_of(pages, number) for number in numbers], weld))


def _piece_of(pages: PageFile, number: int) -> Piece:
    data = pages.read(number)
    return Piece(data.vertices.astype(np.float64), data.corners.astype(np.int32), 0.0, 0.0)


def _fold(stream: BinaryIO, state: _State, form: Form) -> None:
    """Join the waiting nodes that have no neighbour of the same height."""
    while len(state.held) > 1:
        _write(stream, state, _pair(state, form), form)


def _pair(state: _State, form: Form) -> list[_Made]:
    """Join the last two waiting nodes to one."""
    b, a = state.held.pop(), state.held.pop()
    made = _made([_paired(a, b, form.weld)], form, 1)
    state.held.append(made[0].held)
    return made


def _paired(a: Held, b: Held, weld: float) -> Held:
    """Return two neighbours as one node, not simplified yet."""
    piece = joined([a.piece, b.piece], weld) if a.piece is not None and b.piece is not None else None
    return Held(max(a.height, b.height) + 1, a.first, a.clusters + b.clusters, piece)


def _made(nodes: list[Held], form: Form, threads: int) -> list[_Made]:
    """Simplify nodes with ``form.make``."""
    made = zip(nodes, form.make(nodes, threads), strict=True)
    return [_Made(held._replace(piece=piece), content) for held, (piece, content) in made]


def _write(stream: BinaryIO, state: _State, finished: list[_Made], form: Form) -> None:
    """Write nodes in the order in which they would be finished if they were made one by one."""
    for held, content in sorted(finished, key=lambda made: (made.held.first + made.held.clusters, made.held.height)):
        row = form.write(stream, held, content)
        if row is not None:
            state.rows.append(row)


def _leveled(nodes: list[Held], threads: int) -> list[tuple[Piece | None, Piece | None]]:
    """Simplify nodes of levels; see ``Form.make``."""
    found: list[tuple[Piece | None, Piece | None]] = [(None, None)] * len(nodes)
    some = [(k, held.height, held.piece) for k, held in enumerate(nodes) if held.piece is not None]
    shares = [_SHARE if height else _FIRST_SHARE for _, height, _ in some]
    targets = [int(share * len(piece.triangles)) for share, (_, _, piece) in zip(shares, some, strict=True)]
    after = all_simplified([piece for _, _, piece in some], targets, threads) if some else []
    for (k, height, before), piece in zip(some, after, strict=True):
        most = min((_MOST_SHARE if height else _MOST_FIRST_SHARE) * len(before.triangles), MOST_TRIANGLES)
        if piece is not None and len(piece.triangles) <= most and len(piece.vertices) <= MOST_VERTICES:
            found[k] = piece, piece
    return found


def _written(stream: BinaryIO, held: Held, piece: Piece | None) -> np.ndarray | None:
    """Write the page of a node of a level, and return its row of the table."""
    if piece is None:
        return None
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


LEVELS = Form(KIND, _FIRST_CLUSTERS, _leveled, _written, lambda table: int(table["triangles"].sum()))


def _finish(stream: BinaryIO, plain: LevelHeader, rows: list[np.ndarray], form: Form) -> None:
    """Write the table after the pages, and the header before them."""
    table = np.concatenate([np.zeros(0, form.kind.row), *rows])
    raw = table.tobytes()
    at = stream.tell()
    stream.write(raw)
    stream.truncate()
    header = plain._replace(nodes=len(table), triangles=form.count(table), table_at=at, table_crc=zlib.crc32(raw))
    stream.seek(0)
    stream.write(encode_level_header(header, form.kind))
    settle(stream)


def _note(work: WorkFolder, stream: BinaryIO, state: _State, form: Form) -> None:
    """Save the state of the build."""
    settle(stream)
    name = f"stack-{state.clusters}"
    before = work.journal.get("stack")
    parts = [np.concatenate([np.zeros(0, form.kind.row), *state.rows]).tobytes()]
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


def _resumed(work: WorkFolder, stream: BinaryIO, form: Form) -> _State:
    """Return the saved state of an earlier build, with the file positioned at its end; or start a new file with room
    for the header.
    """
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
    rows: np.ndarray = np.frombuffer(raw, form.kind.row, journal["nodes"])
    at, held = rows.nbytes, []
    for height, first, clusters, n, m, out, back in journal["held"]:
        piece = None
        if m:
            vertices = np.frombuffer(raw, np.float64, 3 * n, at).reshape(-1, 3).copy()
            triangles = np.frombuffer(raw, np.int32, 3 * m, at + vertices.nbytes).reshape(-1, 3).copy()
            at += vertices.nbytes + triangles.nbytes
            piece = Piece(vertices, triangles, out, back)
        held.append(Held(height, first, clusters, piece))
    return _State(journal["clusters"], [rows[k : k + 1] for k in range(len(rows))], held)
