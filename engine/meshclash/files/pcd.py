"""Read PCD files of the Point Cloud Library: ascii, binary and binary_compressed. Points with NaN are invalid.

Format: pointclouds.org, "The PCD (Point Cloud Data) file format", version 0.7.
"""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..jit import kernel
from .source import RawPoints, Source, whole_number
from .table import find_columns, read_counted_rows

_DATA = ("ascii", "binary", "binary_compressed")
_ENTRIES = ("VERSION", "FIELDS", "SIZE", "TYPE", "COUNT", "WIDTH", "HEIGHT", "VIEWPOINT", "POINTS", "DATA")
_KINDS = {"F": "f", "I": "i", "U": "u"}
_LONGEST_RECORD = 1 << 20  # bytes of the largest accepted point


class _Header(NamedTuple):
    names: list[str]
    kinds: list[str]
    counts: list[int]
    points: int
    data: str

    @property
    def record(self) -> np.dtype:
        """NumPy type of one point in a binary file."""
        fields = [(f"p{i}", kind, (n,)) for i, (kind, n) in enumerate(zip(self.kinds, self.counts, strict=True))]
        return np.dtype(fields)


def _read_entries(source: Source) -> dict[str, list[str]]:
    entries: dict[str, list[str]] = {}
    while "DATA" not in entries:
        text = source.line()
        words = text.split()
        if not words or text.startswith("#"):
            continue
        if words[0] not in _ENTRIES:
            raise source.error(
                f"the header line {text[:80]!r} is invalid: expected one of {', '.join(_ENTRIES)}", source.line_number
            )
        entries[words[0]] = words[1:]
    return entries


def _whole(source: Source, entries: dict[str, list[str]], name: str, default: list[str] | None = None) -> list[int]:
    words = entries.get(name, default) or ["nothing"]
    numbers = [number for word in words if (number := whole_number(word)) is not None]
    if len(numbers) < len(words):
        raise source.error(f"{name} must contain whole numbers, not {' '.join(words)[:80]!r}")
    return numbers


def _read_header(source: Source) -> _Header:
    entries = _read_entries(source)
    names = entries.get("FIELDS", [])
    sizes, types = _whole(source, entries, "SIZE"), entries.get("TYPE", [])
    counts = _whole(source, entries, "COUNT", ["1"] * len(names))
    if not names or not len(names) == len(sizes) == len(types) == len(counts):
        raise source.error("FIELDS, SIZE, TYPE and COUNT must have the same number of entries")
    kinds = []
    for name, size, letter in zip(names, sizes, types, strict=True):
        if letter not in _KINDS or size not in (1, 2, 4, 8) or (letter == "F" and size < 4):
            raise source.error(f"field {name}: type {letter} of size {size} is not supported")
        kinds.append(f"<{_KINDS[letter]}{size}")
    record = sum(size * count for size, count in zip(sizes, counts, strict=True))
    if record > _LONGEST_RECORD:
        raise source.error(f"points of {record:,} bytes each are not supported")
    points = _whole(source, entries, "POINTS", entries.get("WIDTH"))[0]
    if "WIDTH" in entries and "HEIGHT" in entries:
        area = _whole(source, entries, "WIDTH")[0] * _whole(source, entries, "HEIGHT")[0]
        if area != points:
            raise source.error(f"POINTS is {points}, but WIDTH times HEIGHT is {area}: they must be equal")
    data = " ".join(entries["DATA"])
    if data not in _DATA:
        raise source.error(f"DATA {data!r} is not supported: expected one of {', '.join(_DATA)}", source.line_number)
    return _Header(names, kinds, counts, points, data)


def read_pcd(source: Source) -> Generator[float, None, RawPoints]:
    """Read the points of a PCD file; yields the share read."""
    header = _read_header(source)
    at, normals_at = find_columns(header.names)
    if at is None:
        raise source.error(f"the fields {', '.join(header.names)} do not include x, y and z")
    wanted = [*at, *(normals_at or ())]
    if any(header.counts[i] != 1 for i in wanted):
        raise source.error("the fields x, y, z and normals must contain one number each")
    if header.data == "ascii":
        source.check_count(header.points, 2 * sum(header.counts))
        offsets = np.concatenate([[0], np.cumsum(header.counts)[:-1]])
        table = yield from read_counted_rows(
            source, header.points, sum(header.counts), offsets[wanted].tolist(), "points"
        )  # fmt: skip
    elif header.data == "binary":
        table = yield from _read_binary(source, header, wanted)
    else:
        table = yield from _read_compressed(source, header, wanted)
    valid = np.isfinite(table).all(axis=1)
    kept = table if valid.all() else table[valid]
    return RawPoints(kept[:, :3], kept[:, 3:] if normals_at else None, int(len(table) - len(kept)))


def _read_binary(source: Source, header: _Header, wanted: list[int]) -> Generator[float, None, np.ndarray]:
    record = header.record
    source.check_count(header.points, record.itemsize)
    table, done = np.empty((header.points, len(wanted))), 0
    for rows in source.records(header.points, record, "the points"):
        for column, i in enumerate(wanted):
            table[done : done + len(rows), column] = rows[f"p{i}"][:, 0]
        done += len(rows)
        yield done / header.points
    return table


def _read_compressed(source: Source, header: _Header, wanted: list[int]) -> Generator[float, None, np.ndarray]:
    """Read LZF-compressed data, in which the values of each field are stored together."""
    start = source.position
    packed_size, size = np.frombuffer(source.read(8, "the sizes of the compressed data"), "<u4").astype(np.int64)
    if size != header.points * header.record.itemsize:
        raise source.error(
            f"the file has {size} bytes of data, but {header.points} points of "
            f"{header.record.itemsize} bytes need another size",
            byte=start,
        )
    source.check_count(header.points, beside=int(2 * packed_size + size))
    packed = np.frombuffer(bytearray(source.read(int(packed_size), "the compressed points")), np.uint8)
    yield 0.5
    data = np.empty(int(size), np.uint8)
    written = unpack_lzf(packed, data)
    if written != size:
        raise source.error("the compressed data is damaged", byte=start + 8)
    table = np.empty((header.points, len(wanted)))
    sizes = [np.dtype(kind).itemsize * n * header.points for kind, n in zip(header.kinds, header.counts, strict=True)]
    begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    for column, i in enumerate(wanted):
        table[:, column] = data[begins[i] : begins[i] + sizes[i]].view(header.kinds[i])
    yield 1.0
    return table


@kernel
def unpack_lzf(packed, out):
    """Decompress LZF (Lehmann's LibLZF); return the number of bytes written, or -1 if the data is damaged."""
    read = 0
    written = 0
    while read < packed.shape[0]:
        control = np.int64(packed[read])
        read += 1
        if control < 32:
            length = control + 1
            if read + length > packed.shape[0] or written + length > out.shape[0]:
                return -1
            for k in range(length):
                out[written + k] = packed[read + k]
            read += length
            written += length
            continue
        length = control >> 5
        if length == 7:
            if read >= packed.shape[0]:
                return -1
            length += np.int64(packed[read])
            read += 1
        if read >= packed.shape[0]:
            return -1
        back = ((control & 31) << 8) + np.int64(packed[read]) + 1
        read += 1
        length += 2
        if back > written or written + length > out.shape[0]:
            return -1
        for k in range(length):
            out[written + k] = out[written + k - back]
        written += length
    return written
