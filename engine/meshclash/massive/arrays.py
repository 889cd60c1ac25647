"""Arrays, and iterables of arrays in chunks, as sources."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import InvalidMesh
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
        raise InvalidMesh(f"{name}: masked arrays are not supported for corners")
    corners = _as_array(array, f"{name}: corners")
    if corners.ndim != 3 or corners.shape[1:] != (3, 3) or corners.dtype.kind not in "fiu":
        raise InvalidMesh(
            f"{name}: a chunk must be an array of corners (n, 3, 3), or a pair (vertices, triangles), "
            f"not {corners.dtype} {corners.shape}"
        )
    return corners


def source_of_arrays(vertices: Any, triangles: Any) -> MeshSource:
    """Return vertices (n, 3) and triangles (m, 3), in memory or mapped from a file, as a mesh source."""
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
    """Return an iterator of chunks of vertices and triangles as a mesh source.

    All chunks are corners, or all are pairs (vertices, triangles) whose indices refer to the chunk's own vertices.
    """
    first = next(chunks, None)
    if first is None:
        raise InvalidMesh("the iterable of chunks is empty")
    soup = not isinstance(first, tuple)
    probe = _corners_of(first, "chunk 0") if soup else _vertices_of(first[0], "chunk 0")
    size = kept_bytes(probe.dtype, InvalidMesh)

    def pieces() -> Iterator[SourcePiece]:
        passed = 0
        for k, chunk in enumerate(itertools.chain([first], chunks)):
            if soup == isinstance(chunk, tuple):
                raise InvalidMesh(
                    f"chunk {k} is {'a pair' if soup else 'not a pair'}: all chunks must be of the same kind"
                )
            triangles = NO_TRIANGLES
            if soup:
                vertices = _corners_of(chunk, f"chunk {k}").reshape(-1, 3)
            else:
                if len(chunk) != 2:
                    raise InvalidMesh(
                        f"chunk {k} must be a pair (vertices, triangles), not a sequence of {len(chunk)} items"
                    )
                vertices = _vertices_of(chunk[0], f"chunk {k}")
                triangles = _triangles_of(chunk[1], f"chunk {k}").astype(np.int64)
                if len(triangles) and (triangles.min() < 0 or triangles.max() >= len(vertices)):
                    raise InvalidMesh(
                        f"chunk {k}: triangles must be vertex indices of this chunk, from 0 to {len(vertices) - 1}"
                    )
                triangles += passed
            if kept_bytes(vertices.dtype, InvalidMesh) > size:
                raise InvalidMesh(
                    f"chunk {k} has type {vertices.dtype}, but chunk 0 has float32: all chunks must have the same type"
                )
            passed += len(vertices)
            yield SourcePiece(0.0, vertices, triangles)

    return MeshSource("the chunks", size, soup, pieces, None)
