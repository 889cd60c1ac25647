"""The file format of the levels of a clustered mesh, byte by byte (docs/massive.md): encoding, and checked decoding.

The file is next to the mesh file and has its own version number. It consists of a header of 256 bytes, a page for each
node, and the table. A node represents a range of clusters. Positions are 16-bit numbers within the node's box; the
node's bounds include the rounding. The file contains no pointers, tree nodes or code. Counts and sizes are compared
with the size of the file before anything is allocated.
"""

import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..errors import InvalidFile
from ..types.pose import LARGEST_COORDINATE
from .layout import HEADER_BYTES, ROW, Header, PageData

MAGIC = b"\x89MESHLVL"
VERSION = 1
MOST_TRIANGLES = 1 << 15
"""Most triangles of a node."""
MOST_VERTICES = 1 << 16
_ORDER_MARK = 0x01020304
_ALIGNED = 8
_STEPS = 65535
_NO_VERTICES = np.empty(0, np.uint64)

_HEADER = np.dtype(
    [
        ("magic", "S8"), ("version", "<u4"), ("order_mark", "<u4"), ("nodes", "<u8"), ("triangles", "<u8"),
        ("table_at", "<u8"), ("file_bytes", "<u8"), ("mesh_triangles", "<u8"), ("mesh_clusters", "<u8"),
        ("mesh_bytes", "<u8"), ("mesh_crc", "<u4"), ("table_crc", "<u4"), ("reserved", "V172"), ("crc", "<u4"),
    ]
)  # fmt: skip
NODE = np.dtype(
    [
        ("at", "<u8"), ("bytes", "<u4"), ("crc", "<u4"), ("triangles", "<u4"), ("vertices", "<u4"), ("first", "<u8"),
        ("clusters", "<u8"), ("out", "<f8"), ("back", "<f8"), ("bounds", "<f8", 6),
    ]
)  # fmt: skip
"""A row of the table: position, size and checksum of a page, its numbers of triangles and vertices, the range of
clusters that it represents, the largest distances of the clusters from the node and of the node from the clusters [m],
and its box."""


class FileKind(NamedTuple):
    """A kind of file beside that of the mesh: its first bytes, and the type of its table's rows."""

    magic: bytes
    version: int
    row: np.dtype
    name: str
    """Name of their contents, for messages."""
    ending: str
    """Suffix that is appended to the name of the mesh's file."""


KIND = FileKind(MAGIC, VERSION, NODE, "levels", ".levels")


class LevelHeader(NamedTuple):
    """The header of a file of levels, or of another kind."""

    nodes: int
    triangles: int
    """Number of triangles of all nodes together."""
    table_at: int
    mesh_triangles: int
    """Number of triangles of the mesh that the file belongs to."""
    mesh_clusters: int
    mesh_bytes: int
    """Size of the mesh's file [bytes]."""
    mesh_crc: int
    """Checksum of the mesh's table of pages, which contains the checksums of all pages."""
    table_crc: int


def header_for(mesh: Header) -> LevelHeader:
    """Return the header of a mesh's levels, without nodes yet."""
    file_bytes = mesh.table_at + mesh.clusters * ROW.itemsize
    return LevelHeader(0, 0, HEADER_BYTES, mesh.triangles, mesh.clusters, file_bytes, mesh.table_crc, 0)


def steps_of(vertices: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Encode positions (n, 3) float64 [m] as 16-bit numbers within a box (6,)."""
    low, size = bounds[:3], bounds[3:] - bounds[:3]
    shares = np.divide(vertices - low, size, out=np.zeros_like(vertices), where=size > 0.0)
    return np.rint(np.clip(shares, 0.0, 1.0) * _STEPS).astype(np.uint16)


def positions_of(steps: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Decode positions as the file format defines them: low + step * ((high - low) / 65535), at most high."""
    low, high = bounds[:3], bounds[3:]
    positions: np.ndarray = np.minimum(low + steps.astype(np.float64) * ((high - low) / _STEPS), high)
    return positions


def encode_node(steps: np.ndarray, corners: np.ndarray) -> bytes:
    """Encode a page: positions (n, 3) and corners (m, 3) uint16."""
    raw = steps.astype("<u2").tobytes() + corners.astype("<u2").tobytes()
    return raw + bytes(-len(raw) % _ALIGNED)


def decode_node(path: Path, row: np.void, number: int, raw: bytes, first_triangle: int) -> PageData:
    """Decode a node as a page of a soup whose triangle indices begin at ``first_triangle``.

    Raises InvalidFile if the node is invalid.
    """
    if len(raw) != int(row["bytes"]) or zlib.crc32(raw) != int(row["crc"]):
        raise InvalidFile(f"{path}: node {number} is damaged: its checksum is not that of the table")
    n, m = int(row["vertices"]), int(row["triangles"])
    steps: np.ndarray = np.frombuffer(raw, "<u2", 3 * n).reshape(-1, 3)
    corners: np.ndarray = np.frombuffer(raw, "<u2", 3 * m, 6 * n).reshape(-1, 3)
    if corners.max() >= n:
        raise InvalidFile(f"{path}: node {number} is invalid: a corner refers to a vertex that does not exist")
    ids = np.arange(first_triangle, first_triangle + m, dtype=np.uint64)
    return PageData(positions_of(steps, row["bounds"]), corners, ids, _NO_VERTICES)


def encode_level_header(header: LevelHeader, kind: FileKind = KIND) -> bytes:
    """Encode the header: the first 256 bytes of a file."""
    record = np.zeros(1, _HEADER)
    record["magic"], record["version"], record["order_mark"] = kind.magic, kind.version, _ORDER_MARK
    for name, value in header._asdict().items():
        record[name] = value
    record["file_bytes"] = header.table_at + header.nodes * kind.row.itemsize
    record["crc"] = zlib.crc32(record.tobytes()[:-4])
    return record.tobytes()


def decode_level_header(
    path: Path, raw: bytes, file_bytes: int, mesh: LevelHeader, kind: FileKind = KIND
) -> LevelHeader:
    """Decode the header of a file of ``file_bytes`` bytes; raise InvalidFile unless it matches size and mesh."""
    if raw[: len(kind.magic)] != kind.magic:
        raise InvalidFile(f"{path}: these are not the {kind.name} of a clustered mesh: the first bytes are {raw[:8]!r}")
    if len(raw) != HEADER_BYTES:
        raise InvalidFile(f"{path}: the file ends within its header: {len(raw)} of {HEADER_BYTES} bytes")
    record = np.frombuffer(raw, _HEADER)[0]
    if zlib.crc32(raw[:-4]) != int(record["crc"]):
        raise InvalidFile(f"{path}: the header is damaged: its checksum is wrong")
    if int(record["version"]) != kind.version or int(record["order_mark"]) != _ORDER_MARK:
        found = int(record["version"])
        raise InvalidFile(
            f"{path}: the file has format {found}, but this version of meshclash reads format {kind.version}"
        )
    if int(record["file_bytes"]) != file_bytes:
        raise InvalidFile(f"{path}: the file has {file_bytes} bytes, but its header says {int(record['file_bytes'])}")
    header = LevelHeader(*(int(record[name]) for name in LevelHeader._fields))
    if header[3:7] != mesh[3:7]:
        raise InvalidFile(f"{path}: these {kind.name} belong to a different mesh: build them again")
    if header.nodes > file_bytes or header.table_at + header.nodes * kind.row.itemsize != file_bytes:
        raise InvalidFile(f"{path}: the counts in the header do not match a file of {file_bytes} bytes")
    return header


def decode_nodes(path: Path, header: LevelHeader, raw: bytes) -> np.ndarray:
    """Decode the rows of the table, read-only; raise InvalidFile unless the pages fill the file and represent the
    clusters.
    """
    if zlib.crc32(raw) != header.table_crc:
        raise InvalidFile(f"{path}: the table of nodes is damaged: its checksum is wrong")
    table: np.ndarray = np.frombuffer(raw, NODE)
    sizes, triangles, vertices = (table[name].astype(np.int64) for name in ("bytes", "triangles", "vertices"))
    ends = np.cumsum(sizes) + HEADER_BYTES
    low, high = table["bounds"][:, :3], table["bounds"][:, 3:]
    clusters = np.uint64(header.mesh_clusters)
    errors = np.stack([table["out"], table["back"]])
    fits = (
        ((triangles >= 1) & (triangles <= MOST_TRIANGLES)).all()
        and ((vertices >= 1) & (vertices <= np.minimum(3 * triangles, MOST_VERTICES))).all()
        and (table["at"] == (ends - sizes).astype(np.uint64)).all()
        and (int(ends[-1]) if len(ends) else HEADER_BYTES) == header.table_at
        and (sizes == 6 * (triangles + vertices) + -6 * (triangles + vertices) % _ALIGNED).all()
        and int(triangles.sum()) == header.triangles
        and ((low <= high) & (low >= -2 * LARGEST_COORDINATE) & (high <= 2 * LARGEST_COORDINATE)).all()
        and ((table["clusters"] >= 1) & (table["clusters"] <= clusters)).all()
        and (table["first"] <= clusters - table["clusters"]).all()
        and ((errors >= 0.0) & (errors <= 8 * LARGEST_COORDINATE)).all()
    )
    if not fits:
        raise InvalidFile(f"{path}: the table of nodes does not match the file")
    return table
