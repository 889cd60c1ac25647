"""Arrays, chunks of arrays, and .npz files as sources."""

import itertools
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidFile, InvalidMesh
from ..types.numbers import refuse_masked
from .sources import CHUNK, NO_TRIANGLES, NO_VERTICES, MeshSource, SourcePiece, kept_bytes


def _as_array(values: Any, name: str) -> np.ndarray:
    try:
        return np.asarray(values)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidMesh(f"{name} cannot be read as an array: {error}") from None


def _vertices_of(array: Any, name: str) -> np.ndarray:
    refuse_masked(f"{name}: vertices", array, InvalidMesh)
    vertices = _as_array(array, f"{name}: vertices")
    if vertices.ndim != 2 or vertices.shape[1] != 3 or vertices.dtype.kind not in "fiu":
        raise InvalidMesh(f"{name}: vertices must be numbers of shape (n, 3), not {vertices.dtype} {vertices.shape}")
    return vertices


def _triangles_of(array: Any, name: str) -> np.ndarray:
    refuse_masked(f"{name}: triangles", array, InvalidMesh)
    triangles = _as_array(array, f"{name}: triangles")
    if triangles.ndim != 2 or triangles.shape[1] != 3 or triangles.dtype.kind not in "iu":
        raise InvalidMesh(f"{name}: triangles must be integers (m, 3), not {triangles.dtype} {triangles.shape}")
    return triangles


def _corners_of(array: Any, name: str) -> np.ndarray:
    if isinstance(array, np.ma.MaskedArray):
        raise InvalidMesh(f"{name}: corners must not be masked")
    corners = _as_array(array, f"{name}: corners")
    if corners.ndim != 3 or corners.shape[1:] != (3, 3) or corners.dtype.kind not in "fiu":
        raise InvalidMesh(
            f"{name}: a chunk is an array of corners (n, 3, 3), or a pair (vertices, triangles), not "
            f"{corners.dtype} {corners.shape}"
        )
    return corners


def source_of_arrays(vertices: Any, triangles: Any) -> MeshSource:
    """Vertices (n, 3) and triangles (m, 3), in memory or mapped from a file."""
    name = "the arrays"
    points, corners = _vertices_of(vertices, name), _triangles_of(triangles, name)

    def pieces() -> Iterator[SourcePiece]:
        total = len(points) + len(corners)
        for begin in range(0, len(points), CHUNK):
            yield SourcePiece(begin / total, points[begin : begin + CHUNK], NO_TRIANGLES)
        for begin in range(0, len(corners), CHUNK):
            part = corners[begin : begin + CHUNK].astype(np.int64)
            yield SourcePiece((len(points) + begin) / total, NO_VERTICES, part)

    return MeshSource(name, kept_bytes(points.dtype, InvalidMesh), False, pieces, None)


def source_of_chunks(chunks: Iterator[Any]) -> MeshSource:
    """Chunks that someone makes: all of corners, or all pairs of vertices and triangles over the chunk's own."""
    first = next(chunks, None)
    if first is None:
        raise InvalidMesh("the iterable gives no chunk, so there is no mesh")
    soup = not isinstance(first, tuple)
    probe = _corners_of(first, "chunk 0") if soup else _vertices_of(first[0], "chunk 0")
    size = kept_bytes(probe.dtype, InvalidMesh)

    def pieces() -> Iterator[SourcePiece]:
        passed = 0
        for k, chunk in enumerate(itertools.chain([first], chunks)):
            if soup == isinstance(chunk, tuple):
                raise InvalidMesh(f"chunk {k} is {'a pair' if soup else 'no pair'}: chunks must be of one kind")
            triangles = NO_TRIANGLES
            if soup:
                vertices = _corners_of(chunk, f"chunk {k}").reshape(-1, 3)
            else:
                if len(chunk) != 2:
                    raise InvalidMesh(f"chunk {k}: a pair (vertices, triangles) is expected, not {len(chunk)} things")
                vertices = _vertices_of(chunk[0], f"chunk {k}")
                triangles = _triangles_of(chunk[1], f"chunk {k}").astype(np.int64)
                if len(triangles) and (triangles.min() < 0 or triangles.max() >= len(vertices)):
                    raise InvalidMesh(f"chunk {k}: triangles must name vertices of the chunk, 0 to {len(vertices) - 1}")
                triangles += passed
            if kept_bytes(vertices.dtype, InvalidMesh) > size:
                raise InvalidMesh(f"chunk {k} holds {vertices.dtype}, but chunk 0 float32: give all chunks one type")
            passed += len(vertices)
            yield SourcePiece(0.0, vertices, triangles)

    return MeshSource("the chunks", size, soup, pieces, None)


_NPZ_NAMES = (("vertices", "triangles"), ("vertices", "faces"), ("v", "f"))


def npz_source(path: Path, fingerprint: str) -> MeshSource:
    """Arrays "vertices" and "triangles" (or "faces"; or "v" and "f") of an .npz, read without being unpacked whole."""

    def error(what: str) -> InvalidFile:
        return InvalidFile(f"{path}: {what}")

    try:
        with zipfile.ZipFile(path) as archive:
            held = {name.removesuffix(".npy") for name in archive.namelist()}
            names = next((pair for pair in _NPZ_NAMES if held.issuperset(pair)), None)
            if names is None:
                raise error(
                    f"an .npz of a mesh holds vertices and triangles, not {', '.join(sorted(held)) or 'nothing'}"
                )
            with archive.open(f"{names[0]}.npy") as member:
                size = kept_bytes(_read_array_header(member, names[0], error)[1], error)
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as reason:
        raise error(f"cannot be read: {reason}") from None

    def pieces() -> Iterator[SourcePiece]:
        try:
            with zipfile.ZipFile(path) as archive:
                for k, name in enumerate(names):
                    with archive.open(f"{name}.npy") as member:
                        for share, rows in _array_rows(member, name, error):
                            yield (
                                SourcePiece(0.5 * share, rows, NO_TRIANGLES)
                                if k == 0
                                else SourcePiece(
                                    0.5 + 0.5 * share, NO_VERTICES, _triangles_of(rows, str(path)).astype(np.int64)
                                )
                            )
        except (OSError, zipfile.BadZipFile, EOFError) as reason:
            raise error(f"cannot be read: {reason}") from None

    return MeshSource(str(path), size, False, pieces, fingerprint)


def _read_array_header(member: Any, name: str, error: Callable[[str], Exception]) -> tuple[int, np.dtype]:
    """(Rows, type) of an array (n, 3) whose data follow."""
    try:
        version = np.lib.format.read_magic(member)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, by_columns, kind = read(member)
    except (ValueError, EOFError, SyntaxError) as reason:
        raise error(f"array {name} cannot be read: {reason}") from None
    if len(shape) != 2 or shape[1] != 3 or kind.hasobject or kind.names or (by_columns and shape[0] > 1):
        raise error(f"array {name} must be of shape (n, 3), plain numbers row by row, not {kind} {shape}")
    return int(shape[0]), kind


def _array_rows(member: Any, name: str, error: Callable[[str], Exception]) -> Iterator[tuple[float, np.ndarray]]:
    total, kind = _read_array_header(member, name, error)
    for begin in range(0, total, CHUNK):
        count = min(CHUNK, total - begin)
        raw = member.read(3 * kind.itemsize * count)
        if len(raw) != 3 * kind.itemsize * count:
            raise error(f"array {name} ends after fewer rows than the {total} that it announces")
        yield begin / total, np.frombuffer(raw, kind).reshape(-1, 3)
