"""The meshes of nodes at all levels of detail, in shared memory: progressive meshes that change from level to level."""

from collections import OrderedDict

import numpy as np

from ...errors import InvalidFile
from ...massive.blocks import whole_clusters
from ...massive.file import PartFile
from ...massive.layout import Header, PageData
from ...massive.pages import PageFile
from .layout import MOST_STOPS, decode_progressive
from .mesh import ProgressiveMesh

_SIZES = np.dtype([("triangles", "<u4"), ("vertices", "<u4")])
_NO_VERTICES = np.empty(0, np.uint64)
_SHARE = 8
"""Divisor of the memory: progressive meshes may use this fraction of it."""


class StopPages(PageFile):
    """Meshes at levels of detail as pages: level s of node k is page k * MOST_STOPS + s; pages of clusters follow.

    Attributes:
        clusters_at: number of the first cluster.
        moves: number of vertex splits and edge collapses that were applied.
    """

    def __init__(self, mesh: PageFile, file: PartFile, nodes: np.ndarray, memory: int) -> None:
        self._mesh, self._nodes_file, self._nodes = mesh, file, nodes
        self.clusters_at, self.moves = MOST_STOPS * len(nodes), 0
        table = np.zeros(self.clusters_at + len(mesh.table), _SIZES)
        table["triangles"][: self.clusters_at] = nodes["stop_triangles"].ravel()
        gone = nodes["splits"][:, None] - nodes["stop_splits"]
        table["vertices"][: self.clusters_at] = (nodes["vertices"][:, None] - gone).ravel()
        for name in _SIZES.names or ():
            table[name][self.clusters_at :] = mesh.table[name]
        most = int(table["triangles"].max())
        header = Header(most, 3 * most, len(table), 0, 8, 8, True, most, mesh.header.bounds, 0)
        self.path = file.path
        self._kept: OrderedDict[int, ProgressiveMesh] = OrderedDict()
        self._kept_bytes, self._most_kept = 0, memory // _SHARE  # of progressive meshes
        self._begin(header, table, whole_clusters(len(table)), memory - self._most_kept)

    def boxes_of(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return boxes as `PageFile` does; the box of a mesh contains all positions of its node."""
        bounds = np.empty((len(numbers), 6))
        stops = numbers < self.clusters_at
        bounds[stops] = self._nodes["bounds"][numbers[stops] // MOST_STOPS]
        bounds[~stops] = self._mesh.table["bounds"][numbers[~stops] - self.clusters_at]
        return self.blocks.boxes_of(numbers, bounds)

    def read(self, number: int) -> PageData:
        """Read a mesh at a level of detail, or a cluster; raises InvalidFile."""
        if number >= self.clusters_at:
            data = self._mesh.read(number - self.clusters_at)
            return PageData(data.vertices.astype(np.float64), data.corners, _ids(len(data.corners)), _NO_VERTICES)
        node, stop = divmod(number, MOST_STOPS)
        row = self._nodes[node]
        progressive = self._progressive(node)
        splits = int(row["stop_splits"][stop])
        self.moves += abs(splits - progressive.splits)
        found = progressive.go_to(splits)
        if len(found[1]) != int(row["stop_triangles"][stop]):
            self._kept_bytes -= self._kept.pop(node).nbytes
            raise InvalidFile(f"{self.path}: node {node} is invalid: its splits refer to nodes outside the file")
        return PageData(*found, _ids(len(found[1])), _NO_VERTICES)

    def _progressive(self, node: int) -> ProgressiveMesh:
        """Return the progressive mesh of a node in the state of its last use."""
        kept = self._kept.get(node)
        if kept is None:
            row = self._nodes[node]
            kept = decode_progressive(
                self.path, row, node, self._nodes_file.read(int(row["at"]), int(row["bytes"]))
            )  # fmt: skip
            self._kept[node] = kept
            self._kept_bytes += kept.nbytes
            while self._kept_bytes > self._most_kept and len(self._kept) > 1:
                self._kept_bytes -= self._kept.popitem(last=False)[1].nbytes
        self._kept.move_to_end(node)
        return kept

    @property
    def unused(self) -> int:
        """Bytes that progressive meshes may still use."""
        return max(0, self._most_kept - self._kept_bytes)

    def close(self) -> None:
        """Release all pages; the files stay open."""
        self.forget()

    def forget(self) -> None:
        """Release all pages and progressive meshes."""
        super().forget()
        self._kept.clear()
        self._kept_bytes = 0

    @property
    def closed(self) -> bool:
        """Whether the mesh is closed."""
        return self._mesh.closed

    def _advise(self, numbers: list[int]) -> None:
        pass


def _ids(count: int) -> np.ndarray:
    return np.arange(count, dtype=np.uint64)
