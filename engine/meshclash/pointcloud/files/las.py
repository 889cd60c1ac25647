"""LAS files, versions 1.0 to 1.4, and LAZ files where laspy with lazrs is installed.

Format: ASPRS, "LAS Specification 1.4 - R15". Every point record begins with X, Y and Z as int32; coordinates are those
times the scale plus the offset of the header, in float64, so georeferenced clouds lose nothing.
"""

import struct
from collections.abc import Generator
from importlib import import_module
from importlib.util import find_spec

import numpy as np

from .source import CHUNK_POINTS, RawPoints, Source

_LAZ_BITS = 0xC0  # of the point format: set where the points are compressed
_LEAST_RECORD = 20


def _scale_and_offset(source: Source, header: bytes) -> tuple[np.ndarray, np.ndarray]:
    numbers = np.frombuffer(header, "<f8", 6, 131)
    if not np.isfinite(numbers).all() or (numbers[:3] == 0.0).any():
        raise source.error(f"the scale and offset {numbers.tolist()} are no lengths", byte=131)
    return numbers[:3], numbers[3:]


def read_las(source: Source) -> Generator[float, None, RawPoints]:
    """The points of a LAS or LAZ file; yields the share read."""
    header = source.read(227, "the header")
    if header[:4] != b"LASF":
        raise source.error("a LAS file begins with 'LASF'", byte=0)
    minor = header[25]
    if header[24] != 1 or minor > 4:
        raise source.error(f"LAS version {header[24]}.{minor} is not known; 1.0 to 1.4 are", byte=24)
    start, kind, record, count = struct.unpack_from("<I4xBHI", header, 96)
    if minor == 4:
        header += source.read(148, "the header")
        count = struct.unpack_from("<Q", header, 247)[0] or count
    if kind & _LAZ_BITS:
        source.check_count(count)
        return (yield from _read_laz(source))
    if record < _LEAST_RECORD or start < len(header):
        raise source.error(f"points of {record} bytes from byte {start} on are not possible", byte=96)
    if start > source.size:
        raise source.error(f"the points begin at byte {start}, behind the end of the file", byte=96)
    scale, offset = _scale_and_offset(source, header)
    source.seek(start)
    source.check_count(count, record)
    points = np.empty((count, 3))
    whole = np.dtype({"names": ["xyz"], "formats": ["(3,)<i4"], "offsets": [0], "itemsize": record})
    for begin in range(0, count, CHUNK_POINTS):
        number = min(CHUNK_POINTS, count - begin)
        rows = np.frombuffer(source.read(number * record, "the points"), whole)
        points[begin : begin + number] = rows["xyz"] * scale + offset
        yield (begin + number) / count
    return RawPoints(points, None, 0)


def _read_laz(source: Source) -> Generator[float, None, RawPoints]:
    missing = [name for name in ("laspy", "lazrs") if find_spec(name) is None]
    if missing:
        raise source.error(
            f"the points are compressed (LAZ), and {' and '.join(missing)} cannot be imported: "
            "pip install meshclash[laz], or save the file as LAS"
        )
    laspy = import_module("laspy")
    blocks = []
    try:
        with laspy.open(str(source.path)) as reader:
            total = int(reader.header.point_count)
            for chunk in reader.chunk_iterator(CHUNK_POINTS):
                blocks.append(np.column_stack([chunk.x, chunk.y, chunk.z]).astype(np.float64))
                yield min(1.0, sum(map(len, blocks)) / max(1, total))
    except Exception as error:  # laspy and lazrs raise errors of many kinds, their own Rust panics among them
        raise source.error(f"the compressed points cannot be read: {error}") from error
    points = np.concatenate(blocks) if blocks else np.empty((0, 3))
    if len(points) != total:
        raise source.error(f"the header announces {total:,} points, {len(points):,} could be read")
    return RawPoints(points, None, 0)
