"""The pages of a level: nodes of the file of levels, and clusters of the mesh, in one cache."""

import numpy as np

from .blocks import whole_clusters
from .file import PartFile
from .layout import ROW, Header, PageData
from .level_layout import decode_node
from .pages import PageFile


class LevelPages(PageFile):
    """The pages of a level, like those of a separate clustered mesh.

    Attributes:
        sources: the source of each page, (n,) int64: k for cluster k of the mesh, -1 - k for node k.
    """

    def __init__(self, mesh: PageFile, levels: PartFile, nodes: np.ndarray, sources: np.ndarray, memory: int) -> None:
        self._mesh, self._levels, self._nodes = mesh, levels, nodes
        self.sources = sources
        table = np.zeros(len(sources), ROW)
        of_nodes = sources < 0
        for chosen, rows in ((of_nodes, nodes[-1 - sources[of_nodes]]), (~of_nodes, mesh.table[sources[~of_nodes]])):
            for name in ("at", "bytes", "crc", "triangles", "vertices", "bounds"):
                table[name][chosen] = rows[name]
        self._starts = np.cumsum([0, *table["triangles"].tolist()])
        bounds = np.stack([table["bounds"][:, :3].min(axis=0), table["bounds"][:, 3:].max(axis=0)])
        count = int(self._starts[-1])
        header = Header(count, 3 * count, len(table), 0, 8, 8, True, int(table["triangles"].max()), bounds, 0)
        self.path = levels.path
        self._begin(header, table, whole_clusters(len(table)), memory)

    def read(self, number: int) -> PageData:
        """Read a part of the level; raise InvalidFile if it is damaged."""
        source, start = int(self.sources[number]), int(self._starts[number])
        if source < 0:
            row = self._nodes[-1 - source]
            return decode_node(
                self._levels.path, row, -1 - source, self._levels.read(int(row["at"]), int(row["bytes"])), start
            )
        data = self._mesh.read(source)
        ids = np.arange(start, start + len(data.corners), dtype=np.uint64)
        return PageData(data.vertices.astype(np.float64), data.corners, ids, np.empty(0, np.uint64))

    def close(self) -> None:
        """Drop all pages; the files stay open."""
        self.forget()

    @property
    def closed(self) -> bool:
        """Whether the mesh is closed."""
        return self._mesh.closed

    def _advise(self, numbers: list[int]) -> None:
        pass
