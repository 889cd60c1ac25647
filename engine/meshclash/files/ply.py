"""Read PLY files (ascii, little and big endian): the header, rows of elements, and the vertices as points.

The readers of meshes (``reading/ply_files.py``) and of meshes page by page (``massive/ply.py``) use the functions for
headers and rows, too.
Format: Turk, "The PLY Polygon File Format" (1994).
"""

from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from .source import RawPoints, Source, integer, whole_number
from .table import find_columns, read_counted_rows

TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2",
    "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "float": "f4", "float32": "f4",
    "double": "f8", "float64": "f8",
}  # fmt: skip
"""NumPy types by their PLY names, without the byte order."""
_MOST_LINES = 1 << 12
"""Largest number of lines in a header that describe elements and properties."""
CORNER_LISTS = ("vertex_indices", "vertex_index")
"""Names of the property that lists a face's corners."""
_FORMATS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}


class Property(NamedTuple):
    """A number, or a list of numbers, in each row of an element."""

    name: str
    kind: str
    length_kind: str
    """Type of a list's length; empty for a single number."""


class Element(NamedTuple):
    """An element of a PLY file: a table of rows with the same properties."""

    name: str
    count: int  # type: ignore[assignment]  # tuple.count is not needed
    properties: list[Property]

    @property
    def has_lists(self) -> bool:
        """Whether rows may differ in length."""
        return any(p.length_kind for p in self.properties)


def _read_property(source: Source, words: list[str]) -> Property:
    is_list = words[1:2] == ["list"]
    kinds = words[2:4] if is_list else words[1:2]
    known = len(words) == (5 if is_list else 3) and all(kind in TYPES for kind in kinds)
    if not known or (is_list and TYPES[kinds[0]].startswith("f")):
        raise source.error(f"{' '.join(words)[:80]!r} is not a valid property", source.line_number)
    if is_list:
        return Property(words[-1], TYPES[kinds[1]], TYPES[kinds[0]])
    return Property(words[-1], TYPES[kinds[0]], "")


def read_header(source: Source) -> tuple[str, list[Element]]:
    """Read the header; return the byte order ("" for ascii) and the elements."""
    if source.line() != "ply":
        raise source.error("this is not a PLY file: it does not begin with the line 'ply'", 1)
    order: str | None = None
    elements: list[Element] = []
    described = 0
    while (text := source.line()) != "end_header":
        words = text.split()
        if not words or words[0] in ("comment", "obj_info"):
            continue
        if words[0] == "format" and len(words) == 3 and words[1] in _FORMATS:
            order = _FORMATS[words[1]]
        elif words[0] == "element" and len(words) == 3 and (count := whole_number(words[2])) is not None:
            elements.append(Element(words[1], count, []))
        elif words[0] == "property" and elements:
            elements[-1].properties.append(_read_property(source, words))
        else:
            raise source.error(f"the header line {text[:80]!r} is invalid", source.line_number)
        described += 1
        if described > _MOST_LINES:
            raise source.error(f"the header has more than {_MOST_LINES} elements and properties", source.line_number)
    if order is None:
        raise source.error("the header does not contain a format line", source.line_number)
    return order, elements


def skip_binary(source: Source, element: Element, order: str) -> None:
    """Skip an element of a binary file; elements with lists are skipped row by row."""
    sizes = [np.dtype(p.kind).itemsize for p in element.properties]
    if not element.has_lists:
        source.skip(element.count * sum(sizes), f"element {element.name}")
        return
    for _ in range(element.count):
        for p, size in zip(element.properties, sizes, strict=True):
            length = 1
            if p.length_kind:
                kind = np.dtype(order + p.length_kind)
                length = int(np.frombuffer(source.read(kind.itemsize, f"element {element.name}"), kind)[0])
                if length < 0:
                    raise source.error(
                        f"a list of element {element.name} has the length {length}, but a length must be at least 0",
                        byte=source.position,
                    )
            source.skip(length * size, f"element {element.name}")


def binary_columns(source: Source, element: Element, order: str, wanted: Sequence[int]) -> Iterator[np.ndarray]:
    """Yield the wanted columns of an element without lists, (k, len(wanted)), some megabytes of rows at a time.

    Raises:
        InvalidFile: the file or the memory is too small for the rows.
    """
    names = [f"p{i}" for i in range(len(element.properties))]  # names in the file may be repeated
    record = np.dtype([(name, order + p.kind) for name, p in zip(names, element.properties, strict=True)])
    for rows in source.records(element.count, record, "the vertices"):
        yield np.stack([rows[names[i]] for i in wanted], axis=1)


def text_blocks(source: Source, element: Element, most: int) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the lines of an element, at most ``most`` at a time, with the number of the first.

    Raises:
        InvalidFile: the file ends too early.
    """
    done = 0
    while done < element.count:
        first, lines = source.next_lines(min(most, element.count - done))
        if not lines:
            raise source.error(f"the file ends after {done:,} of {element.count:,} rows of {element.name}")
        done += len(lines)
        yield first, lines


def split_row(element: Element, words: list[bytes]) -> list[list[bytes]]:
    """Return the words of a line for each property, and at the end the remaining words.

    Raises:
        ValueError: the length of a list is not a whole number, or the row has too few words.
    """
    at, parts = 0, []
    for p in element.properties:
        length = 1
        if p.length_kind:
            if at == len(words):
                raise ValueError("the row ends before the length of a list")
            length = integer(words[at])
            at += 1
        if not 0 <= length <= len(words) - at:
            raise ValueError("the row has too few values")
        parts.append(words[at : at + length])
        at += length
    return [*parts, words[at:]]


def read_ply(source: Source) -> Generator[float, None, RawPoints]:
    """Read the vertices of a PLY file; yields the share read."""
    order, elements = read_header(source)
    for element in elements:
        if element.name == "vertex":
            break
        if order:
            skip_binary(source, element, order)
        else:
            for _ in range(element.count):
                source.line()
    else:
        raise source.error("the file has no element 'vertex'", source.line_number)
    if element.has_lists:
        raise source.error("list properties of vertices are not supported", source.line_number)
    names = [p.name for p in element.properties]
    at, normals_at = find_columns(names)
    if at is None or len(set(names)) != len(names):
        raise source.error(f"vertices need exactly one property each for x, y and z, not {', '.join(names)}")
    wanted = [*at, *(normals_at or ())]
    if order:
        table = yield from _read_binary(source, element, order, wanted)
    else:
        source.check_count(element.count, 2 * len(names))
        table = yield from read_counted_rows(source, element.count, len(names), wanted, "vertices")
    return RawPoints(table[:, :3], table[:, 3:] if normals_at else None, 0)


def _read_binary(source: Source, element: Element, order: str, wanted: list[int]) -> Generator[float, None, np.ndarray]:
    source.check_count(element.count, sum(np.dtype(p.kind).itemsize for p in element.properties))
    table, done = np.empty((element.count, len(wanted))), 0
    for rows in binary_columns(source, element, order, wanted):
        table[done : done + len(rows)] = rows
        done += len(rows)
        yield done / element.count
    return table
