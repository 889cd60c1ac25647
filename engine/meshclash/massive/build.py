"""Build a clustered mesh in three stages: read, sort runs, merge into pages. The result of each stage is kept."""

import math
import zlib
from collections.abc import Generator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..errors import InvalidFile, InvalidMesh
from ..messages import Sentence
from ..output import OutputFile
from ..types.pose import LARGEST_COORDINATE
from ..types.results import Progress
from .blocks import block_size, block_steps
from .clusters import cut, encoded, page_of
from .layout import HEADER_BYTES, VERSION, Header, encode_blocks, encode_header
from .runs import merged, record_type, write_run
from .sources import MeshSource, SourcePiece
from .work import WorkFolder, settle

_READ, _SORTED = 0.25, 0.6
"""Progress when the first and the second stage are finished."""
_BYTES_IN_RUN = 640
"""Memory per triangle [bytes] while its run is sorted."""
_SMALLEST_RUN = 1 << 12
_MOST = np.full(3, LARGEST_COORDINATE)
"""The value is an array, so that comparisons are in double precision. In single precision the limit would be rounded
up."""
_MOST_SMALL_IDS = 1 << 32


def build_file_steps(
    source: MeshSource, path: Path, memory: int, cluster_triangles: int
) -> Generator[Progress, None, None]:
    """Write the clustered mesh of a source in slices; see ``ClusteredMesh.build``."""
    output = OutputFile(path, "clustered mesh", sources=[Path(source.name)] if source.is_file else [])
    work = WorkFolder(output.target)
    keeps = source.is_file
    try:
        plan = {"format": VERSION, "source": source.fingerprint, "clusters": cluster_triangles}
        work.begin(plan, keeps)
        if not _is_whole(source, work):
            work.begin(plan, False)
        try:
            yield from _read_steps(source, work)
            yield from _sort_steps(source, work, memory)
            yield from _merge_steps(source, work, path, memory, cluster_triangles)
        except (InvalidMesh, InvalidFile):
            keeps = False  # the source is invalid, so finished stages are useless
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


def _is_whole(source: MeshSource, work: WorkFolder) -> bool:
    """Return whether all files exist that are finished according to the journal."""
    journal = work.journal
    if "run" in journal:
        size = _record_type(source, journal).itemsize
        if not all(work.has(f"run-{k}", size * n) for k, n in enumerate(_run_lengths(journal)[: journal["runs"]])):
            return False
        if journal["runs"] == len(_run_lengths(journal)):
            return True
    if "triangles" not in journal:
        return True
    faces = 0 if source.soup else 24 * journal["triangles"]
    return work.has("vertices", 3 * source.coordinate_bytes * journal["vertices"]) and work.has("triangles", faces)


def _read_steps(source: MeshSource, work: WorkFolder) -> Generator[Progress, None, None]:
    """Copy vertices and triangles to files with random access, and find the bounds."""
    if "triangles" in work.journal:
        return
    kind = np.dtype(f"f{source.coordinate_bytes}")
    bounds = np.array([[math.inf] * 3, [-math.inf] * 3])
    vertices = triangles = 0
    with (work.path / "vertices").open("wb") as points, (work.path / "triangles").open("wb") as faces:
        for piece in source.pieces():
            _check_piece(source, piece, vertices)
            if len(piece.vertices):
                bounds[0] = np.minimum(bounds[0], piece.vertices.min(axis=0))
                bounds[1] = np.maximum(bounds[1], piece.vertices.max(axis=0))
            points.write(np.ascontiguousarray(piece.vertices, kind).tobytes())
            faces.write(np.ascontiguousarray(piece.triangles, np.int64).tobytes())
            vertices += len(piece.vertices)
            triangles += len(piece.triangles)
            yield Progress(_READ * piece.share, Sentence("reading {name}", name=source.name))
        settle(points)
        settle(faces)
    if source.soup:
        if vertices % 3:
            raise source.wrong(f"the number of corners, {vertices}, is not a multiple of three")
        triangles = vertices // 3
    if triangles == 0:
        raise source.wrong("the mesh has no triangles")
    work.note(vertices=vertices, triangles=triangles, bounds=bounds.tolist())


def _check_piece(source: MeshSource, piece: SourcePiece, passed: int) -> None:
    good = np.abs(piece.vertices) <= _MOST  # also where one is NaN
    if not good.all():
        index = int((~good.all(axis=1)).argmax())
        raise source.wrong(
            f"vertex {passed + index} is {piece.vertices[index].tolist()}: coordinates must be finite "
            f"and at most {LARGEST_COORDINATE:g} m"
        )


def _sort_steps(source: MeshSource, work: WorkFolder, memory: int) -> Generator[Progress, None, None]:
    """Write sorted runs of triangles, each as large as memory allows."""
    journal = work.journal
    kind = _record_type(source, journal)
    if "run" not in journal:
        work.note(run=max(_SMALLEST_RUN, memory // _BYTES_IN_RUN), runs=0)
    size, lengths = journal["run"], _run_lengths(journal)
    bounds = np.array(journal["bounds"])
    for k, count in list(enumerate(lengths))[journal["runs"] :]:
        corners, ids = _triangles_at(source, work, k * size, count)
        write_run(work.path / f"run-{k}", kind, k * size, corners, ids, bounds)
        work.note(runs=k + 1)
        yield Progress(_READ + (_SORTED - _READ) * (k + 1) / len(lengths), f"sorting {source.name}")
    work.remove("vertices", "triangles")


def _run_lengths(journal: dict[str, Any]) -> list[int]:
    total, size = journal["triangles"], journal["run"]
    return [min(size, total - begin) for begin in range(0, total, size)]


def _record_type(source: MeshSource, journal: dict[str, Any]) -> np.dtype:
    return record_type(source.coordinate_bytes, _id_bytes(journal), source.soup)


def _id_bytes(journal: dict[str, Any]) -> int:
    return 4 if max(journal["vertices"], journal["triangles"]) <= _MOST_SMALL_IDS else 8


def _triangles_at(source: MeshSource, work: WorkFolder, begin: int, count: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Return coordinates (n, 3, 3) of consecutive triangles, and the indices of their vertices (None for a soup)."""
    kind = np.dtype(f"f{source.coordinate_bytes}")
    if source.soup:
        corners = np.fromfile(work.path / "vertices", kind, 9 * count, offset=9 * kind.itemsize * begin)
        return corners.reshape(-1, 3, 3), None
    ids = np.fromfile(work.path / "triangles", np.int64, 3 * count, offset=24 * begin).reshape(-1, 3)
    vertices = work.journal["vertices"]
    bad = ((ids < 0) | (ids >= vertices)).any(axis=1)
    if bad.any():
        index = int(bad.argmax())
        raise source.wrong(
            f"triangle {begin + index} is {ids[index].tolist()}: indices must be from 0 to {vertices - 1}"
        )
    points = np.memmap(work.path / "vertices", kind, "r", shape=(vertices, 3))
    return np.asarray(points[ids]), ids


def _merge_steps(
    source: MeshSource, work: WorkFolder, path: Path, memory: int, cluster_triangles: int
) -> Generator[Progress, None, None]:
    """Write the pages of the merged runs, the table and the header."""
    journal = work.journal
    runs = [work.path / f"run-{k}" for k in range(journal["runs"])]
    total = journal["triangles"]
    header = Header(
        total, journal["vertices"], 0, 0, source.coordinate_bytes, _id_bytes(journal), source.soup, cluster_triangles,
        np.zeros((2, 3)), 0,
    )  # fmt: skip
    blocks = merged(runs, _record_type(source, journal), memory // 4)
    rows, steps, done = [], [], 0
    with (work.path / "mesh").open("wb") as stream:
        stream.write(bytes(HEADER_BYTES))
        for cluster in cut(blocks, cluster_triangles):
            raw, row = encoded(page_of(cluster, header), stream.tell())
            stream.write(raw)
            rows.append(row)
            steps.append(block_steps(cluster["corners"], row["bounds"][0], block_size(cluster_triangles)))
            done += len(cluster)
            yield Progress(_SORTED + (1.0 - _SORTED) * done / total, f"writing {path}")
        _finish(stream, header, np.concatenate(rows), np.concatenate(steps))


def _finish(stream: BinaryIO, header: Header, rows: np.ndarray, steps: np.ndarray) -> None:
    """Write the boxes of blocks and the table after the pages, and the header before them."""
    boxes = rows["bounds"]
    bounds = np.stack([boxes[:, :3].min(axis=0), boxes[:, 3:].max(axis=0)])
    table, blocks = rows.tobytes(), encode_blocks(steps)
    header = header._replace(
        clusters=len(rows), table_at=stream.tell() + len(blocks), bounds=bounds, table_crc=zlib.crc32(table),
        block_triangles=block_size(header.cluster_triangles), blocks_crc=zlib.crc32(blocks),
    )  # fmt: skip
    stream.write(blocks)
    stream.write(table)
    stream.seek(0)
    stream.write(encode_header(header))
    settle(stream)
