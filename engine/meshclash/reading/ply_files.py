"""Read PLY meshes: polygons and triangle strips; edges are counted, other elements ignored."""

import struct
from pathlib import Path
from typing import Any

import numpy as np

from ..files.ply import CORNER_LISTS, Element, read_header, split_row, text_blocks
from ..files.source import Source, real
from .one_mesh import one_mesh
from .raw_parts import RawParts

_SURFACES = ("face", "tristrips")
_LINES = 1 << 16  # lines that are read at a time


def has_surface(file: Path) -> bool:
    """Return whether a PLY file has faces or strips; otherwise the file is a scan. Raises InvalidFile if the file is
    not a PLY file.
    """
    with file.open("rb") as stream:
        elements = read_header(Source(file, stream, float("inf")))[1]
    return any(element.name in _SURFACES and element.count for element in elements)


def read_ply(file: Path) -> RawParts:
    """Read a file as one object.

    Raises:
        InvalidFile: the file is not a PLY file of a mesh, or is damaged or truncated.
    """
    with file.open("rb") as stream:
        source = Source(file, stream, float("inf"))
        order, elements = read_header(source)
        rows = _Binary(source, stream.read(), order) if order else _Text(source)
        points, counts, corners, edges = np.empty((0, 3)), list[np.ndarray](), list[np.ndarray](), 0
        for element in elements:
            table = rows.read(element)
            if element.name == "vertex":
                points = _points(source, element, table)
            elif element.name in _SURFACES:
                lengths, values = _lists(source, element, table)
                if element.name == "tristrips":
                    values = _strips(lengths, values)
                    lengths = np.full(len(values) // 3, 3)
                counts.append(lengths)
                corners.append(values)
            edges += element.count if element.name == "edge" else 0
    found = one_mesh(str(file), points, np.concatenate(counts), np.concatenate(corners))
    if edges:
        found.no_geometry["lines"] += 1
        found.found += 1
    return found


Table = dict[str, tuple[np.ndarray, np.ndarray | None]]
"""For each property: the numbers of all rows, and the lengths of its lists, or None for a single number per row."""


class _Binary:
    """Reads the rows of elements in a binary file."""

    def __init__(self, source: Source, data: bytes, order: str) -> None:
        self._source, self._data, self._order, self._place = source, data, order, 0

    def read(self, element: Element) -> Table:
        """All rows of an element; raises InvalidFile."""
        least = sum(np.dtype(p.length_kind or p.kind).itemsize for p in element.properties)
        if element.count * least > len(self._data) - self._place:
            raise self._source.error(f"the file ends within the element {element.name}")
        if not element.count or not least:
            return {p.name: (np.empty(0), np.empty(0, np.int64) if p.length_kind else None) for p in element.properties}
        table = self._uniform(element)
        return self._walked(element) if table is None else table

    def _uniform(self, element: Element) -> Table | None:
        """Read rows whose lists all have the lengths of the first row (fast path); None if a length differs."""
        fields: list[Any] = []
        place = self._place
        for k, p in enumerate(element.properties):
            if not p.length_kind:
                fields.append((f"v{k}", self._order + p.kind))
            else:
                kind = np.dtype(self._order + p.length_kind)
                if place + kind.itemsize > len(self._data):
                    return None
                length = int(np.frombuffer(self._data, kind, 1, place)[0])
                if not 0 <= length * np.dtype(p.kind).itemsize <= len(self._data):
                    return None
                fields += [(f"n{k}", kind), (f"v{k}", self._order + p.kind, (length,))]
            place = self._place + np.dtype(fields).itemsize
        record = np.dtype(fields)
        if self._place + element.count * record.itemsize > len(self._data):
            return None
        rows = np.frombuffer(self._data, record, element.count, self._place)
        table: Table = {}
        for k, p in enumerate(element.properties):
            if p.length_kind and (rows[f"n{k}"] != rows[f"n{k}"][0]).any():
                return None
            table[p.name] = rows[f"v{k}"].ravel(), rows[f"n{k}"].astype(np.int64) if p.length_kind else None
        self._place += element.count * record.itemsize
        return table

    def _walked(self, element: Element) -> Table:
        """Read rows one by one."""
        values: list[list[Any]] = [[] for _ in element.properties]
        lengths: list[list[int]] = [[] for _ in element.properties]
        order = "<" if self._order == "<" else ">"
        codes = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "f4": "f", "f8": "d"}
        place, data = self._place, self._data
        try:
            for _ in range(element.count):
                for k, p in enumerate(element.properties):
                    length = 1
                    if p.length_kind:
                        (length,) = struct.unpack_from(order + codes[p.length_kind], data, place)
                        place += int(p.length_kind[1])
                        lengths[k].append(length)
                    values[k] += struct.unpack_from(f"{order}{length}{codes[p.kind]}", data, place)
                    place += length * int(p.kind[1])
        except struct.error:
            raise self._source.error(f"the file ends within the element {element.name}, or a list is damaged") from None
        self._place = place
        return {
            p.name: (np.array(own, p.kind), np.array(count, np.int64) if p.length_kind else None)
            for p, own, count in zip(element.properties, values, lengths, strict=True)
        }


class _Text:
    """Reads the rows of elements in an ascii file."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def read(self, element: Element) -> Table:
        """All rows of an element; raises InvalidFile."""
        values: list[list[float]] = [[] for _ in element.properties]
        lengths: list[list[int]] = [[] for _ in element.properties]
        for first, lines in text_blocks(self._source, element, _LINES):
            for k, line in enumerate(lines):
                try:
                    _read_row(element, line.split(), values, lengths)
                except ValueError:
                    text = f"the {element.name} {line[:80]!r} does not match the header"
                    raise self._source.error(text, first + k) from None
        return {
            p.name: (np.array(own, np.float64), np.array(count, np.int64) if p.length_kind else None)
            for p, own, count in zip(element.properties, values, lengths, strict=True)
        }


def _read_row(element: Element, words: list[bytes], values: list[list[float]], lengths: list[list[int]]) -> None:
    *parts, _ = split_row(element, words)  # extra words at the end are ignored
    for k, (p, part) in enumerate(zip(element.properties, parts, strict=True)):
        if p.length_kind:
            lengths[k].append(len(part))
        values[k] += [real(word) for word in part]


def _points(source: Source, element: Element, table: Table) -> np.ndarray:
    """Return the vertices (n, 3) float64, in the file's unit."""
    kinds = {p.name: p.kind for p in element.properties}
    if not set("xyz") <= set(table) or any(table[axis][1] is not None for axis in "xyz"):
        raise source.error("vertices need numbers for x, y and z")
    columns = [table[axis][0].astype(kinds[axis]).astype(np.float64) for axis in "xyz"]
    return np.column_stack(columns)


def _lists(source: Source, element: Element, table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Return the lengths and the numbers of the lists of corners."""
    name = next((name for name in CORNER_LISTS if name in table and table[name][1] is not None), None)
    if name is None:
        raise source.error(f"the element {element.name} needs a list {' or '.join(CORNER_LISTS)}")
    values, lengths = table[name]
    assert lengths is not None  # the property is a list
    whole = values.astype(np.int64)
    if (whole != values).any():
        raise source.error(f"the vertex indices of the element {element.name} must be whole numbers")
    return lengths, whole


def _strips(lengths: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the corners of triangles in strips; -1 begins a new strip."""
    found: list[int] = []
    for strip in np.split(values, np.cumsum(lengths)[:-1]):
        for run in np.split(strip, np.flatnonzero(strip < 0)):
            own = run[run >= 0].tolist()
            for k in range(len(own) - 2):
                a, b, c = own[k : k + 3]
                if a != b and b != c and c != a:
                    found += [b, a, c] if k % 2 else [a, b, c]
    return np.array(found, np.int64)
