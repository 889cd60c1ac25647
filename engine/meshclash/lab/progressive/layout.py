"""The file format of the progressive meshes of a clustered mesh (docs/massive.md).

As that of levels (``level_layout.py``): a header of 256 bytes, a page for each node, the table. Clusters along the
curve are joined in pairs, and the nodes are stored in the order in which this procedure finishes them, so that the file
contains no information about the tree except its size. The file contains no addresses or code, and counts are compared
with sizes before memory is allocated.
"""

import zlib
from pathlib import Path

import numpy as np

from ...errors import InvalidFile
from ...massive.layout import HEADER_BYTES
from ...massive.level_layout import FileKind, LevelHeader, positions_of
from ...types.pose import LARGEST_COORDINATE
from .mesh import ProgressiveMesh

MOST_STOPS = 4
"""Meshes of a node for which bounds are proved."""
MOST_VERTICES = 1 << 16
_ALIGNED = 8

NODE = np.dtype(
    [
        ("at", "<u8"), ("bytes", "<u4"), ("crc", "<u4"), ("stops", "<u4"), ("vertices", "<u4"), ("splits", "<u4"),
        ("reserved", "<u4"), ("first", "<u8"), ("clusters", "<u8"), ("bounds", "<f8", 6), ("out", "<f8", MOST_STOPS),
        ("back", "<f8", MOST_STOPS), ("stop_splits", "<u4", MOST_STOPS), ("stop_triangles", "<u4", MOST_STOPS),
        ("box", "<f4", 15), ("reserved_too", "<u4"),
    ]
)  # fmt: skip
"""A row of the table: a page and its checksum; its numbers of stops, vertices and splits; the clusters that it
represents; the box of its positions; for each stop, from the finest on, the bounds [m] and the numbers of base splits
and triangles; and an oriented box that contains all triangles of the clusters, relative to the centre of the mesh."""
KIND = FileKind(b"\x89MESHPRG", 1, NODE, "progressive meshes", ".progressive")


def runs_of(clusters: int) -> np.ndarray:
    """Return the nodes over a number of clusters in order: first cluster and number of clusters, (2 clusters - 1, 2)
    int64.
    """
    runs: list[tuple[int, int]] = []
    waiting: list[tuple[int, int, int]] = []

    def join() -> None:
        height, _, more = waiting.pop()
        other, first, count = waiting.pop()
        waiting.append((max(height, other) + 1, first, count + more))
        runs.append((first, count + more))

    for number in range(clusters):
        waiting.append((0, number, 1))
        runs.append((number, 1))
        while len(waiting) > 1 and waiting[-1][0] == waiting[-2][0]:
            join()
    while len(waiting) > 1:
        join()
    return np.array(runs, np.int64)


def children_of(runs: np.ndarray) -> np.ndarray:
    """Return both children of each node of ``runs_of``, (n, 2) int32; -1 for clusters."""
    children = np.full((len(runs), 2), -1, np.int32)
    waiting: list[int] = []
    for node, count in enumerate(runs[:, 1].tolist()):
        if count > 1:
            right, left = waiting.pop(), waiting.pop()
            children[node] = left, right
        waiting.append(node)
    return children


def encode_progressive(places: np.ndarray, others: np.ndarray, parents: np.ndarray, triangles: np.ndarray) -> bytes:
    """Return the bytes of a page: positions (n, 3) and (k, 3) uint16, parents (k,), triangles (m, 3)."""
    raw = b"".join(np.ascontiguousarray(array, "<u2").tobytes() for array in (places, others, parents, triangles))
    return raw + bytes(-len(raw) % _ALIGNED)


def decode_progressive(path: Path, row: np.void, number: int, raw: bytes) -> ProgressiveMesh:
    """Return a node from its bytes; raises InvalidFile if they do not match the table."""
    if len(raw) != int(row["bytes"]) or zlib.crc32(raw) != int(row["crc"]):
        raise InvalidFile(f"{path}: node {number} is damaged: its checksum is not that of the table")
    n, k, m = int(row["vertices"]), int(row["splits"]), int(row["stop_triangles"][0])
    numbers: np.ndarray = np.frombuffer(raw, "<u2", 3 * (n + k + m) + k)
    places, others = (part.reshape(-1, 3) for part in (numbers[: 3 * n], numbers[3 * n : 3 * (n + k)]))
    parents, triangles = numbers[3 * (n + k) : 3 * (n + k) + k], numbers[3 * (n + k) + k :]
    if triangles.max() >= n or (parents >= n - k + np.arange(k)).any():
        raise InvalidFile(f"{path}: node {number} is invalid: it refers to a vertex that does not exist")
    bounds = row["bounds"]
    return ProgressiveMesh(
        positions_of(places, bounds), positions_of(others, bounds), parents.astype(np.int32),
        triangles.reshape(-1, 3).astype(np.int32),
    )  # fmt: skip


def decode_table(path: Path, header: LevelHeader, raw: bytes) -> np.ndarray:
    """Return the rows of the table, read-only; raises InvalidFile unless the pages fill the file and the nodes are as
    expected.
    """
    if zlib.crc32(raw) != header.table_crc:
        raise InvalidFile(f"{path}: the table of nodes is damaged: its checksum is wrong")
    table: np.ndarray = np.frombuffer(raw, NODE)
    if header.mesh_clusters > len(table) or len(table) != 2 * header.mesh_clusters - 1 or not _fits(table, header):
        raise InvalidFile(f"{path}: the table of nodes does not match the file")
    return table


def _fits(table: np.ndarray, header: LevelHeader) -> bool:
    sizes, n, k = (table[name].astype(np.int64) for name in ("bytes", "vertices", "splits"))
    stops = table["stops"].astype(np.int64)
    splits, triangles = (table[name].astype(np.int64) for name in ("stop_splits", "stop_triangles"))
    ends = np.cumsum(sizes) + HEADER_BYTES
    expected = 2 * (3 * (n + k + triangles[:, 0]) + k)
    errors = np.concatenate([table["out"], table["back"]], axis=1)
    rising = np.stack([table["out"], table["back"]])
    used = np.arange(MOST_STOPS) < stops[:, None]
    low, high = table["bounds"][:, :3], table["bounds"][:, 3:]
    box = table["box"]
    return bool(
        (table["at"] == (ends - sizes).astype(np.uint64)).all()
        and int(ends[-1]) == header.table_at
        and (sizes == expected + -expected % _ALIGNED).all()
        and (stops <= MOST_STOPS).all()
        and ((stops > 0) == (n > 0)).all()
        and (k <= n).all() and (n <= MOST_VERTICES).all()
        and (used == (triangles > 0)).all() and (triangles <= triangles[:, :1]).all()
        and (splits[:, 0] == k).all() and (splits[:, 1:] <= splits[:, :-1]).all()
        and int(triangles[:, 0].sum()) == header.triangles
        and (np.stack([table["first"], table["clusters"]], axis=1) == runs_of(header.mesh_clusters)).all()
        and ((low <= high) & (low >= -2 * LARGEST_COORDINATE) & (high <= 2 * LARGEST_COORDINATE)).all()
        and ((errors >= 0.0) & (errors <= 8 * LARGEST_COORDINATE)).all()
        and ((rising[:, :, 1:] >= rising[:, :, :-1]) | ~used[:, 1:]).all()
        and np.isfinite(box).all() and (box[:, 12:] >= 0.0).all()
    )  # fmt: skip
