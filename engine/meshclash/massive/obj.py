"""OBJ files: vertices and faces; normals, texture coordinates, groups and materials are ignored."""

from collections.abc import Generator
from functools import partial
from pathlib import Path

import numpy as np

from ..files.source import Source, integer, real
from .sources import NO_TRIANGLES, NO_VERTICES, MeshSource, SourcePiece, opened


def obj_source(path: Path, fingerprint: str) -> MeshSource:
    """Return an OBJ file as a source.

    Numbers are read as float64. Polygons are split into fans around their first corner, in the order of the file.
    """
    return MeshSource(str(path), 8, False, partial(opened, path, _read), fingerprint)


def _read(source: Source) -> Generator[SourcePiece, None, None]:
    passed = 0
    for first, lines in source.text_lines():
        vertices: list[list[float]] = []
        triangles: list[tuple[int, int, int]] = []
        for k, line in enumerate(lines):
            if line.startswith((b"v ", b"v\t")):
                vertices.append(_vertex(source, line, first + k))
            elif line.startswith((b"f ", b"f\t")):
                corners = _corners(source, line, passed + len(vertices), first + k)
                triangles += [(corners[0], corners[i], corners[i + 1]) for i in range(1, len(corners) - 1)]
        passed += len(vertices)
        yield SourcePiece(
            source.position / max(source.size, 1),
            np.array(vertices, np.float64) if vertices else NO_VERTICES,
            np.array(triangles, np.int64) if triangles else NO_TRIANGLES,
        )


def _vertex(source: Source, line: bytes, number: int) -> list[float]:
    words = line.split()[1:]
    try:
        if len(words) < 3:
            raise ValueError
        return [real(words[0]), real(words[1]), real(words[2])]
    except ValueError:
        raise source.error(
            f"{line[:80]!r} is not a valid vertex: expected 'v' and at least three numbers", number
        ) from None


def _corners(source: Source, line: bytes, vertices: int, number: int) -> list[int]:
    """Return the vertex indices of a face, from 0. Negative numbers in the file count back from the latest vertex."""
    try:
        given = [integer(word.partition(b"/")[0]) for word in line.split()[1:]]
    except ValueError:
        raise source.error(
            f"{line[:80]!r} is not a face on one line: expected 'f' and the numbers of at least three vertices", number
        ) from None
    if len(given) < 3 or 0 in given or min(given) < -vertices:
        raise source.error(
            f"{line[:80]!r} is not a valid face: it needs at least three vertices, numbered from 1", number
        )
    return [c - 1 if c > 0 else vertices + c for c in given]
