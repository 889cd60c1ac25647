"""Read OFF files: vertices and polygons; normals, colours and texture coordinates are ignored."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..errors import InvalidFile
from ..files.source import Source, integer, real
from .one_mesh import one_mesh
from .raw_parts import RawParts

_FIRST = re.compile(rb"(?:ST)?C?N?OFF(\d*)")


def read_off(file: Path) -> RawParts:
    """Read a file as one object.

    Raises:
        InvalidFile: the file is not a three-dimensional OFF file in text form, or is damaged or truncated.
    """
    with file.open("rb") as stream:
        source = Source(file, stream, float("inf"))
        return _read(source, _rows(source))


def _rows(source: Source) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the number and the words of each line that is not empty, without comments."""
    for first, lines in source.text_lines():
        for k, line in enumerate(lines):
            words = line.partition(b"#")[0].split()
            if words:
                yield first + k, words


def _read(source: Source, rows: Iterator[tuple[int, list[bytes]]]) -> RawParts:
    number, words = next(rows, (1, [b""]))
    first = _FIRST.fullmatch(words[0])
    if first is None or b"BINARY" in words[1:]:
        raise source.error("this is not a three-dimensional OFF text file: it does not begin with 'OFF'", number)
    sizes = [first[1], *words[1:]] if first[1] else words[1:]
    if not sizes:
        number, sizes = next(rows, (number, []))
    try:
        vertex_count, face_count = (integer(word) for word in sizes[:2])
    except ValueError:
        raise source.error(
            "the numbers of vertices and faces are missing: expected two whole numbers after 'OFF'", number
        ) from None
    points = np.array([_numbers(source, rows, "vertices") for _ in range(vertex_count)], np.float64).reshape(-1, 3)
    counts, corners = list[int](), list[int]()
    for _ in range(face_count):
        own = _corners(source, rows)
        counts.append(len(own))
        corners += own
    return one_mesh(str(source.path), points, np.array(counts, np.int64), np.array(corners, np.int64))


def _numbers(source: Source, rows: Iterator[tuple[int, list[bytes]]], what: str) -> list[float]:
    number, words = next(rows, (0, []))
    try:
        x, y, z = map(real, words[:3])
    except ValueError:
        raise _broken(source, number, words, what) from None
    return [x, y, z]


def _corners(source: Source, rows: Iterator[tuple[int, list[bytes]]]) -> list[int]:
    number, words = next(rows, (0, []))
    try:
        count = integer(words[0])
        corners = [integer(word) for word in words[1 : 1 + count]]
        if len(corners) != count:
            raise ValueError
    except (ValueError, IndexError):
        raise _broken(source, number, words, "faces") from None
    return corners


def _broken(source: Source, number: int, words: list[bytes], what: str) -> InvalidFile:
    if not words:
        return source.error(f"the file ends within the {what}: it has fewer {what} than its header says")
    expected = "three numbers" if what == "vertices" else "the number of corners, and then one vertex number for each"
    return source.error(f"the line {b' '.join(words)[:80]!r} is damaged: expected {expected}", number)
