"""The file format of a clustered mesh, byte by byte (docs/massive.md): encoding, and decoding with checks.

All numbers are little endian. A file consists of a header of 256 bytes, the pages, the boxes of blocks, and the table
of the clusters. The file contains no pointers, tree nodes or code: hierarchies are built from the coordinates when a
page is loaded. So a malicious file can only be rejected or describe another mesh. Counts and sizes are compared with
the size of the file before anything is allocated, and each part is checked with its CRC-32.
"""

import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import InvalidFile
from ..types.pose import LARGEST_COORDINATE
from .blocks import BLOCK_BYTES, Blocks, block_counts, whole_clusters

MAGIC = b"\x89MESHCLU"
VERSION = 2
"""Version 1, which has no blocks, can be read, too: a page's box is then its only block."""
HEADER_BYTES = 256
FEWEST_TRIANGLES, MOST_TRIANGLES = 16, 1 << 14
"""Range of the option ``cluster_triangles``: the vertex indices of so many triangles fit into 16 bits."""
_ORDER_MARK = 0x01020304
_ALIGNED = 8

_HEADER = np.dtype(
    [
        ("magic", "S8"), ("version", "<u4"), ("order_mark", "<u4"), ("triangles", "<u8"), ("vertices", "<u8"),
        ("clusters", "<u8"), ("table_at", "<u8"), ("file_bytes", "<u8"), ("coordinate_bytes", "<u4"),
        ("id_bytes", "<u4"), ("soup", "<u4"), ("cluster_triangles", "<u4"), ("bounds", "<f8", (2, 3)),
        ("table_crc", "<u4"), ("block_triangles", "<u4"), ("blocks_crc", "<u4"), ("reserved", "V120"), ("crc", "<u4"),
    ]
)  # fmt: skip
ROW = np.dtype(
    [("at", "<u8"), ("bytes", "<u4"), ("crc", "<u4"), ("triangles", "<u4"), ("vertices", "<u4"), ("bounds", "<f8", 6)]
)
"""A row of the table: position, size and checksum of a page, its numbers of triangles and vertices, and their box."""


class Header(NamedTuple):
    """The header of a file."""

    triangles: int
    vertices: int
    """Number of vertices of the source; three for each triangle of a soup."""
    clusters: int
    table_at: int
    """First byte of the table, which extends to the end of the file."""
    coordinate_bytes: int
    """Bytes per coordinate, 4 or 8."""
    id_bytes: int
    """Bytes per index of a triangle or vertex, 4 or 8."""
    soup: bool
    """Whether triangles share no vertices: vertex 3 t + k is corner k of triangle t, and pages have no vertex ids."""
    cluster_triangles: int
    """Most triangles of a cluster."""
    bounds: np.ndarray
    """Lowest and highest coordinates of the triangles, (2, 3) float64 [m]."""
    table_crc: int
    block_triangles: int = 0
    """Most triangles of a block; 0 if the file has no blocks."""
    blocks_crc: int = 0

    @property
    def file_bytes(self) -> int:
        """Size of the file [bytes]."""
        return self.table_at + self.clusters * ROW.itemsize


class PageData(NamedTuple):
    """The contents of a page."""

    vertices: np.ndarray
    """(n, 3) float32 or float64 [m]."""
    corners: np.ndarray
    """Indices of these positions for each triangle, (m, 3) uint16."""
    triangle_ids: np.ndarray
    """Indices of the triangles in the source, ascending, (m,) uint32 or uint64."""
    vertex_ids: np.ndarray
    """Indices of the vertices in the source, (n,); empty for a soup."""


def encode_page(data: PageData) -> bytes:
    """Encode a page to ``page_bytes`` bytes."""
    arrays = (data.vertices, data.vertex_ids, data.triangle_ids, data.corners)
    raw = b"".join(np.ascontiguousarray(a, a.dtype.newbyteorder("<")).tobytes() for a in arrays)
    return raw + bytes(-len(raw) % _ALIGNED)


def page_bytes(header: Header, triangles: Any, vertices: Any) -> Any:
    """Return the size [bytes] of a page with these numbers of triangles and vertices, which may be arrays."""
    ids = triangles + (0 if header.soup else vertices)
    raw = 3 * header.coordinate_bytes * vertices + header.id_bytes * ids + 6 * triangles
    return raw + -raw % _ALIGNED


def decode_page(path: Path, header: Header, row: np.void, number: int, raw: bytes) -> PageData:
    """Decode a page from its bytes; raise InvalidFile unless it matches the table."""
    if len(raw) != int(row["bytes"]) or zlib.crc32(raw) != int(row["crc"]):
        raise InvalidFile(f"{path}: page {number} is damaged: its checksum is not that of the table")
    triangles, vertices = int(row["triangles"]), int(row["vertices"])
    at = 0

    def take(kind: str, count: int) -> np.ndarray:
        nonlocal at
        array: np.ndarray = np.frombuffer(raw, kind, count, at)
        at += array.nbytes
        return array

    positions = take(f"<f{header.coordinate_bytes}", 3 * vertices).reshape(-1, 3)
    vertex_ids = take(f"<u{header.id_bytes}", 0 if header.soup else vertices)
    triangle_ids = take(f"<u{header.id_bytes}", triangles)
    corners = take("<u2", 3 * triangles).reshape(-1, 3)
    data = PageData(positions, corners, triangle_ids, vertex_ids)
    problem = _problem_of(data, header, row["bounds"])
    if problem:
        raise InvalidFile(f"{path}: page {number} is not a valid page of this mesh: {problem}")
    return data


def _problem_of(data: PageData, header: Header, bounds: np.ndarray) -> str:
    """Return the problem of a page with a correct checksum that a faulty program wrote; "" for a valid page."""
    if data.corners.max() >= len(data.vertices):
        return "a corner names a vertex that is not there"
    axes = np.ascontiguousarray(data.vertices.T)  # NumPy finds extremes ten times faster along contiguous axes
    if not ((axes.min(axis=1) >= bounds[:3]) & (axes.max(axis=1) <= bounds[3:])).all():
        return "a vertex lies outside of its box"  # also where one is NaN
    if int(data.triangle_ids[-1]) >= header.triangles or not (data.triangle_ids[1:] > data.triangle_ids[:-1]).all():
        return "its triangles are not numbered upwards"
    if len(data.vertex_ids) and int(data.vertex_ids.max()) >= header.vertices:
        return "a vertex has a number that the mesh does not have"
    return ""


def encode_header(header: Header) -> bytes:
    """Encode the header: the first 256 bytes of a file."""
    record = np.zeros(1, _HEADER)
    record["magic"], record["version"], record["order_mark"] = MAGIC, VERSION, _ORDER_MARK
    for name, value in header._asdict().items():
        record[name] = value
    record["file_bytes"] = header.file_bytes
    record["crc"] = zlib.crc32(record.tobytes()[:-4])
    return record.tobytes()


def decode_header(path: Path, raw: bytes, file_bytes: int) -> Header:
    """Decode the header of a file with ``file_bytes`` bytes; raise InvalidFile unless both match."""
    if raw[: len(MAGIC)] != MAGIC:
        raise InvalidFile(f"{path}: this is not a clustered mesh: its first bytes are {raw[: len(MAGIC)]!r}")
    if len(raw) != HEADER_BYTES:
        raise InvalidFile(f"{path}: the file ends within its header: {len(raw)} of {HEADER_BYTES} bytes")
    record = np.frombuffer(raw, _HEADER)[0]
    if zlib.crc32(raw[:-4]) != int(record["crc"]):
        raise InvalidFile(f"{path}: the header is damaged: its checksum is wrong")
    version = int(record["version"])
    if not 1 <= version <= VERSION or int(record["order_mark"]) != _ORDER_MARK:
        raise InvalidFile(
            f"{path}: the file has format {version}, but this version of meshclash reads formats 1 to {VERSION}"
        )
    if int(record["file_bytes"]) != file_bytes:
        raise InvalidFile(f"{path}: the file has {file_bytes} bytes, but its header says {int(record['file_bytes'])}")
    header = Header(
        int(record["triangles"]), int(record["vertices"]), int(record["clusters"]), int(record["table_at"]),
        int(record["coordinate_bytes"]), int(record["id_bytes"]), bool(record["soup"]),
        int(record["cluster_triangles"]), np.array(record["bounds"], np.float64), int(record["table_crc"]),
        int(record["block_triangles"]), int(record["blocks_crc"]),
    )  # fmt: skip
    if not _is_possible(header, file_bytes):
        raise InvalidFile(f"{path}: the counts in the header do not match a file of {file_bytes} bytes")
    return header


def _is_possible(header: Header, file_bytes: int) -> bool:
    return (
        header.coordinate_bytes in (4, 8)
        and header.id_bytes in (4, 8)
        and FEWEST_TRIANGLES <= header.cluster_triangles <= MOST_TRIANGLES
        and (header.block_triangles == 0 or FEWEST_TRIANGLES <= header.block_triangles <= MOST_TRIANGLES)
        and 1 <= header.clusters <= header.triangles < 1 << 60
        and header.table_at >= HEADER_BYTES
        and header.file_bytes == file_bytes
        and bool((np.abs(header.bounds) <= LARGEST_COORDINATE).all())
        and bool((header.bounds[0] <= header.bounds[1]).all())
    )


def decode_table(path: Path, header: Header, raw: bytes) -> np.ndarray:
    """Decode the rows of the table, read-only.

    Raises InvalidFile unless the pages fill the file and have all triangles.
    """
    if zlib.crc32(raw) != header.table_crc:
        raise InvalidFile(f"{path}: the table of pages is damaged: its checksum is wrong")
    table: np.ndarray = np.frombuffer(raw, ROW)
    sizes, triangles, vertices = (table[name].astype(np.int64) for name in ("bytes", "triangles", "vertices"))
    ends = np.cumsum(sizes) + HEADER_BYTES
    low, high = table["bounds"][:, :3], table["bounds"][:, 3:]
    fits = (
        ((triangles >= 1) & (triangles <= header.cluster_triangles)).all()
        and ((vertices >= 1) & (vertices <= 3 * triangles)).all()
        and (table["at"] == (ends - sizes).astype(np.uint64)).all()
        and int(ends[-1]) + _blocks_bytes(header, triangles) == header.table_at
        and (sizes == page_bytes(header, triangles, vertices)).all()
        and int(triangles.sum()) == header.triangles
        and ((low >= header.bounds[0]) & (high <= header.bounds[1]) & (low <= high)).all()
    )
    if not fits:
        raise InvalidFile(f"{path}: the table of pages does not match the file")
    return table


def _blocks_bytes(header: Header, triangles: np.ndarray) -> int:
    """Return the size [bytes] of the block boxes of clusters with these numbers of triangles (n,)."""
    if header.block_triangles == 0:
        return 0
    raw = BLOCK_BYTES * int(block_counts(triangles, header.block_triangles).sum())
    return raw + -raw % _ALIGNED


def blocks_bytes(header: Header, table: np.ndarray) -> int:
    """Return the size [bytes] of the block boxes, which end where the table begins."""
    return _blocks_bytes(header, table["triangles"])


def encode_blocks(steps: np.ndarray) -> bytes:
    """Encode the boxes of all blocks (n, 6)."""
    raw = steps.tobytes()
    return raw + bytes(-len(raw) % _ALIGNED)


def decode_blocks(path: Path, header: Header, table: np.ndarray, raw: bytes) -> Blocks:
    """Decode the blocks of a file; raise InvalidFile unless their checksum matches."""
    if zlib.crc32(raw) != header.blocks_crc:
        raise InvalidFile(f"{path}: the boxes of blocks are damaged: their checksum is wrong")
    if header.block_triangles == 0:
        return whole_clusters(len(table))
    counts = block_counts(table["triangles"], header.block_triangles)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    steps: np.ndarray = np.frombuffer(raw, np.uint8, BLOCK_BYTES * int(starts[-1]))
    return Blocks(steps.reshape(-1, BLOCK_BYTES), starts)
