"""Read LAS files, versions 1.0 to 1.4, and LAZ files if laspy and lazrs are installed.

Format: ASPRS, "LAS Specification 1.4 - R15". Every point record begins with X, Y and Z as int32. Coordinates are these
integers times the scale plus the offset in the header, in float64, so georeferenced clouds keep their precision.
"""

import struct
from collections.abc import Generator
from importlib import import_module
from importlib.util import find_spec

import numpy as np

from .source import CHUNK_POINTS, RawPoints, Source

_LAZ_BITS = 0xC0  # bits of the point format that are set if points are compressed
_LASZIP_RECORD = 34  # least bytes of the record that describes the compression
_ANY_SIZE = 0xFFFFFFFF  # chunks of variable size: the table has their numbers of points
_LAZ_BYTES = 1 << 24  # bytes of points that are unpacked at a time
_LEAST_RECORD = 20
_LAYERS = {6: (30, 9), 7: (36, 10), 8: (38, 11), 9: (59, 10), 10: (67, 12)}
"""Bytes of a point and number of layers, for the point formats that LAZ stores in layers.

Each extra byte of a point has a layer, too.
"""
_VARIABLE_RECORD, _EXTENDED_RECORD = 54, 60  # least bytes of a record before and behind the points


def _scale_and_offset(source: Source, header: bytes) -> tuple[np.ndarray, np.ndarray]:
    numbers = np.frombuffer(header, "<f8", 6, 131)
    if not np.isfinite(numbers).all() or (numbers[:3] == 0.0).any():
        raise source.error(f"the scale and offset {numbers.tolist()} are not valid lengths", byte=131)
    return numbers[:3], numbers[3:]


def read_las(source: Source) -> Generator[float, None, RawPoints]:
    """Read the points of a LAS or LAZ file; yields the share read."""
    header = source.read(227, "the header")
    if header[:4] != b"LASF":
        raise source.error("this is not a LAS file: it does not begin with 'LASF'", byte=0)
    minor = header[25]
    if header[24] != 1 or minor > 4:
        raise source.error(
            f"LAS version {header[24]}.{minor} is not supported; supported versions are 1.0 to 1.4", byte=24
        )
    size, start, variable, kind, record, count = struct.unpack_from("<HIIBHI", header, 94)
    if not len(header) <= size <= start <= source.size or variable * _VARIABLE_RECORD > start - size:
        raise source.error(
            f"the LAS header is invalid: a header of {size} bytes and {variable:,} records do not fit "
            f"before byte {start}, where the points begin",
            byte=94,
        )
    if minor == 4:
        header += source.read(148, "the header")
        at, extended, whole = struct.unpack_from("<QIQ", header, 235)
        if extended * _EXTENDED_RECORD > max(0, source.size - at):
            raise source.error(
                f"the LAS header is invalid: {extended:,} extended records at byte {at} do not fit into the file",
                byte=235,
            )
        count = whole or count
    scale, offset = _scale_and_offset(source, header)
    if kind & _LAZ_BITS:
        source.check_count(count)
        _refuse_without_libraries(source)
        each = _points_of_chunks(source, size, variable)
        return (yield from _read_laz(source, start, count, kind & ~_LAZ_BITS, record, each))
    if record < _LEAST_RECORD or start < len(header):
        raise source.error(
            f"the LAS header is invalid: points of {record} bytes at byte {start} do not fit into the file", byte=96
        )
    source.seek(start)
    source.check_count(count, record)
    points, done = np.empty((count, 3)), 0
    whole = np.dtype({"names": ["xyz"], "formats": ["(3,)<i4"], "offsets": [0], "itemsize": record})
    for rows in source.records(count, whole, "the points"):
        points[done : done + len(rows)] = rows["xyz"] * scale + offset
        done += len(rows)
        yield done / count
    return RawPoints(points, None, 0)


def _check_chunks(source: Source, start: int, count: int, kind: int, record: int, each: int) -> None:
    """Raise an error for more chunks than points, layers longer than the file, and points that are in no chunk.

    lazrs allocates memory for all points that a file declares, and crashes the process if there is not enough memory.
    """
    source.seek(start)
    table = struct.unpack("<q", source.read(8, "the compressed points"))[0]
    if table == -1:  # written by a program that could not seek: the position is at the end
        source.seek(source.size - 8)
        table = struct.unpack("<q", source.read(8, "the compressed points"))[0]
    if not start < table < source.size:
        raise source.error(f"the chunk table is invalid: it cannot begin at byte {table}", byte=start)
    source.seek(table)
    chunks = struct.unpack("<4xI", source.read(8, "the table of chunks"))[0]
    if chunks > count + 1:
        raise source.error(
            f"the chunk table is invalid: {chunks:,} chunks of {count:,} points do not fit into the file",
            byte=table + 4,
        )
    if kind not in _LAYERS:
        return
    usual, layers = _LAYERS[kind]
    layers += max(0, record - usual)
    at, left = start + 8, count
    # A chunk consists of one uncompressed point, the number of points, the sizes of the layers, and the layers.
    for _ in range(chunks):
        source.seek(at + record)
        found = np.frombuffer(source.read(4 + 4 * layers, "the sizes of layers"), "<u4").astype(np.int64)
        if each not in (_ANY_SIZE, found[0]) and (found[0] != left or left > each):
            raise source.error(f"a chunk has {int(found[0]):,} points, but the header says {each:,}", byte=at)
        left -= int(found[0])
        at += record + 4 + 4 * layers + int(found[1:].sum())
        if at > table:
            raise source.error(
                f"the chunk is invalid: its layers of {int(found[1:].max()):,} bytes do not fit into the file", byte=at
            )
    if left:
        raise source.error(f"the chunks have {count - left:,} points, but the header says {count:,}", byte=at)


def _points_of_chunks(source: Source, at: int, variable: int) -> int:
    """Return the number of points in each chunk but the last, from the LASzip record.

    That record is one of ``variable`` variable length records, which begin at byte ``at``.
    """
    for _ in range(variable):
        source.seek(at)
        head = source.read(_VARIABLE_RECORD, "the variable length records")
        length = int.from_bytes(head[20:22], "little")
        if head[2:18].rstrip(b"\0") == b"laszip encoded" and length >= _LASZIP_RECORD:
            return int.from_bytes(source.read(_LASZIP_RECORD, "the record of LASzip")[12:16], "little")
        at += _VARIABLE_RECORD + length
    raise source.error("the points are compressed, but the file does not name the compression", byte=at)


def _refuse_without_libraries(source: Source) -> None:
    missing = [name for name in ("laspy", "lazrs") if find_spec(name) is None]
    if missing:
        raise source.error(
            f"the points are compressed (LAZ), and {' and '.join(missing)} cannot be imported: "
            "pip install meshclash[laz], or save the file as LAS"
        )


def _read_laz(
    source: Source, start: int, count: int, kind: int, record: int, each: int
) -> Generator[float, None, RawPoints]:
    _check_chunks(source, start, count, kind, record, each)
    laspy = import_module("laspy")
    blocks = []
    try:
        # Not lazrs' parallel reader: it allocates memory for whole chunks, so a damaged chunk size ends the process.
        with laspy.open(str(source.path), laz_backend=laspy.LazBackend.Lazrs) as reader:
            total = int(reader.header.point_count)
            for chunk in reader.chunk_iterator(max(1, min(CHUNK_POINTS, _LAZ_BYTES // max(1, record)))):
                blocks.append(np.column_stack([chunk.x, chunk.y, chunk.z]).astype(np.float64))
                yield min(1.0, sum(map(len, blocks)) / max(1, total))
    except BaseException as error:  # of many kinds; Rust's panics are not derived from Exception
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise source.error(f"the compressed points cannot be decompressed: {error}") from error
    points = np.concatenate(blocks) if blocks else np.empty((0, 3))
    if len(points) != total:
        raise source.error(f"the header says {total:,} points, but only {len(points):,} could be read")
    return RawPoints(points, None, 0)
