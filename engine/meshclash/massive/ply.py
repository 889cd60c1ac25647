"""PLY files: vertices and faces, ascii, little and big endian; other elements are ignored. Turk (1994)."""

from collections.abc import Generator, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from ..errors import InvalidFile
from ..files.ply import (
    CORNER_LISTS,
    Element,
    Property,
    binary_columns,
    read_header,
    skip_binary,
    split_row,
    text_blocks,
)
from ..files.source import Source, integer
from ..files.table import Layout, parse_rows
from ..jit import kernel
from .sources import CHUNK, NO_TRIANGLES, NO_VERTICES, MeshSource, SourcePiece, opened

_BLOCK, _LONGEST_ROW = 1 << 20, 1 << 24
"""Bytes of faces that are processed together, and most bytes of one face."""
NEGATIVE = -1
"""Returned instead of a number of rows if a list has a negative length."""


def ply_source(path: Path, fingerprint: str) -> MeshSource:
    """Return a PLY file as a source.

    Coordinates are float32 if x, y and z are, otherwise float64. Polygons are split into fans around a corner.
    """
    try:
        with path.open("rb") as stream:
            source = Source(path, stream, float("inf"))
            vertex = _element_of(source, read_header(source)[1], "vertex")
    except OSError as error:
        raise InvalidFile(f"{path}: cannot be read: {error.strerror or error}") from None
    kinds = {p.name: p.kind for p in vertex.properties}
    single = all(kinds[axis] == "f4" for axis in "xyz")
    return MeshSource(str(path), 4 if single else 8, False, partial(opened, path, _read), fingerprint)


def _element_of(source: Source, elements: list[Element], name: str) -> Element:
    found = [element for element in elements if element.name == name]
    if len(found) != 1:
        raise source.error(
            f"a PLY file of a mesh must have exactly one element {name!r}, not {len(found)}", source.line_number
        )
    names = [p.name for p in found[0].properties]
    if name == "vertex" and (any(names.count(axis) != 1 for axis in "xyz") or found[0].has_lists):
        raise source.error("vertices need exactly one number each for x, y and z, and no lists", source.line_number)
    if name == "face" and sum(_is_corners(p) for p in found[0].properties) != 1:
        raise source.error(
            f"faces need exactly one list {' or '.join(CORNER_LISTS)} of whole numbers", source.line_number
        )
    return found[0]


def _is_corners(p: Property) -> bool:
    return p.name in CORNER_LISTS and bool(p.length_kind) and not p.kind.startswith("f")


def _read(source: Source) -> Generator[SourcePiece, None, None]:
    order, elements = read_header(source)
    _element_of(source, elements, "vertex")
    _element_of(source, elements, "face")
    for element in elements:
        if order:
            yield from _read_binary(source, element, order)
        else:
            yield from _read_text(source, element)


def _read_binary(source: Source, element: Element, order: str) -> Generator[SourcePiece, None, None]:
    if element.name == "vertex":
        yield from _binary_vertices(source, element, order)
    elif element.name == "face":
        yield from _binary_faces(source, element, order)
    else:
        skip_binary(source, element, order)


def _binary_vertices(source: Source, element: Element, order: str) -> Generator[SourcePiece, None, None]:
    names = [p.name for p in element.properties]
    for rows in binary_columns(source, element, order, [names.index(axis) for axis in "xyz"]):
        yield SourcePiece(source.position / source.size, rows, NO_TRIANGLES)


@kernel
def walk_rows(data, swapped, sizes, lengths, corners, starts, counts):
    """Find the lists of corners in rows of bytes: the start and the length of each.

    ``sizes`` has the bytes per number of each property. ``lengths`` contains the number of bytes of a list's length,
    negative if it is signed, and 0 for single numbers. Incomplete rows at the end are left over.

    Returns:
        Returns (number of rows, their size in bytes); the first is ``NEGATIVE`` if a list has a negative length.
    """
    at = 0
    for row in range(starts.shape[0]):
        begin = at
        for k in range(sizes.shape[0]):
            length = 1
            width = abs(lengths[k])
            if width > 0:
                if at + width > data.shape[0]:
                    return row, begin
                length = 0
                for i in range(width):
                    length |= np.int64(data[at + (i if swapped else width - 1 - i)]) << (8 * (width - 1 - i))
                if lengths[k] < 0 and length >> (8 * width - 1):
                    return NEGATIVE, begin
                at += width
            if k == corners:
                starts[row], counts[row] = at, length
            at += length * sizes[k]
            if at > data.shape[0]:
                return row, begin
    return starts.shape[0], at


def _binary_faces(source: Source, element: Element, order: str) -> Generator[SourcePiece, None, None]:
    kinds = [np.dtype(p.kind) for p in element.properties]
    sizes = np.array([kind.itemsize for kind in kinds], np.int64)
    lengths = np.array([_signed_width(p.length_kind) for p in element.properties], np.int64)
    corners = next(k for k, p in enumerate(element.properties) if _is_corners(p))
    least = int(np.where(lengths == 0, sizes, np.abs(lengths)).sum())
    source.check_count(element.count, least)
    left, room = element.count, _BLOCK
    while left:
        begin = source.position
        data = np.frombuffer(bytearray(source.read(min(room, source.size - begin), "the faces")), np.uint8)
        starts, counts = np.empty((2, min(left, len(data) // least + 1, _BLOCK)), np.int64)
        rows, used = walk_rows(data, order == ">", sizes, lengths, corners, starts, counts)
        if rows == NEGATIVE:
            raise source.error("a list has a negative length", byte=begin + used)
        if rows == 0:
            if begin + len(data) == source.size:
                raise source.error(f"the file ends within the faces: {left} are missing", byte=begin)
            if room >= _LONGEST_ROW:
                raise source.error(f"a face takes more than {_LONGEST_ROW} bytes of the file", byte=begin)
            source.seek(begin)
            room *= 2
            continue
        left, room = left - rows, _BLOCK
        source.seek(begin + used)
        kind = np.dtype(order + element.properties[corners].kind)
        for triangles in _fans(starts[:rows], counts[:rows], data, kind):
            yield SourcePiece((begin + used) / source.size, NO_VERTICES, triangles)


def _signed_width(kind: str) -> int:
    """Return the bytes of a list's length, negative if its type is signed; 0 if there is no list."""
    return 0 if not kind else int(kind[1]) * (-1 if kind[0] == "i" else 1)


def _fans(starts: np.ndarray, counts: np.ndarray, data: np.ndarray, kind: np.dtype) -> Iterator[np.ndarray]:
    """Yield triangles (m, 3) int64 of polygons whose corners begin at bytes ``starts``.

    Polygons with fewer than three corners have no triangles.
    """
    each = np.maximum(counts - 2, 0)
    ends = np.cumsum(each)
    total = int(ends[-1])
    for begin in range(0, total, CHUNK):
        number = np.arange(begin, min(begin + CHUNK, total))
        row = np.searchsorted(ends, number, "right")
        place = number - (ends - each)[row]
        bytes_at = starts[row][:, None] + np.stack([np.zeros_like(place), place + 1, place + 2], axis=1) * kind.itemsize
        raw: np.ndarray = data[bytes_at[:, :, None] + np.arange(kind.itemsize)]
        yield raw.reshape(-1).view(kind).astype(np.int64).reshape(-1, 3)


def _read_text(source: Source, element: Element) -> Generator[SourcePiece, None, None]:
    for first, part in text_blocks(source, element, CHUNK):
        share = source.position / max(source.size, 1)
        if element.name == "vertex":
            names = [p.name for p in element.properties]
            wanted = [names.index(axis) for axis in "xyz"]
            table = parse_rows(source, part, first, Layout(len(names), None, range(len(names))))
            yield SourcePiece(share, _as_stored(table[:, wanted], element), NO_TRIANGLES)
        elif element.name == "face":
            yield SourcePiece(share, NO_VERTICES, _text_faces(source, element, part, first))


def _as_stored(values: np.ndarray, element: Element) -> np.ndarray:
    """Convert numbers of a text file to the type that the header announces, as in a binary file."""
    kinds = {p.name: p.kind for p in element.properties}
    return values.astype(np.float32) if all(kinds[axis] == "f4" for axis in "xyz") else values


def _text_faces(source: Source, element: Element, lines: list[bytes], first: int) -> np.ndarray:
    triangles: list[tuple[int, int, int]] = []
    place = next(k for k, p in enumerate(element.properties) if _is_corners(p))
    for k, line in enumerate(lines):
        try:
            *parts, rest = split_row(element, line.split())
            corners = [integer(word) for word in parts[place]]
            if rest:
                raise ValueError("the row has too many values")
        except ValueError:
            raise source.error(f"the face {line[:80]!r} does not match the header", first + k) from None
        triangles += [(corners[0], corners[i], corners[i + 1]) for i in range(1, len(corners) - 1)]
    return np.array(triangles, np.int64).reshape(-1, 3)
