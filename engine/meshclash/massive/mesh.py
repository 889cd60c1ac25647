"""``ClusteredMesh``: a mesh of any size in a file. Only the pages that a query needs are loaded into memory."""

import os
from collections.abc import Generator
from typing import Any

import numpy as np

from ..errors import InvalidFile, UnsupportedOption
from ..hierarchy.bvh import Hierarchy
from ..messages import Sentence, shown
from ..types.numbers import real_number, whole_number
from ..types.results import Progress
from ..types.steps import in_slices
from .blocks import tree_over
from .build import build_file_steps
from .file import HoldsFile
from .inputs import checked_path, source_of
from .layout import FEWEST_TRIANGLES, MOST_TRIANGLES, PageData
from .pages import PageFile

DEFAULT_MEMORY = 1 << 28
"""Default memory limit of an open mesh [bytes]."""
BUILD_MEMORY = 1 << 30
"""Default memory limit of a build [bytes]."""
LEAST_MEMORY = 1 << 22
DEFAULT_CLUSTER = 2048
"""Default of the most triangles of a cluster."""


class ClusteredMesh(HoldsFile):
    """A mesh that stays in a file and may have any number of triangles. You can pass a ClusteredMesh to ``collide`` and
    similar queries, as you would a mesh in memory.

    ``ClusteredMesh.open`` and ``ClusteredMesh.build`` create a ClusteredMesh. The triangles are grouped into clusters
    of neighbouring triangles, and each cluster has its own page in the file. A query reads the page of a cluster only
    when it comes near this cluster. The bounding boxes of all clusters stay in memory. Only one thread at a time may
    use a ClusteredMesh.

    Attributes:
        path: path of the file.
        triangle_count, vertex_count: numbers of triangles and vertices of the source.
        cluster_count: number of pages of the file.
        bounds: lowest and highest coordinates of the triangles [m], (2, 3) float64.
        memory: maximum memory of the clusters' boxes and pages together, in bytes.
    """

    def __init__(self, pages: PageFile, clusters: Hierarchy, memory: int) -> None:
        self.pages = pages
        """The open file."""
        self.clusters = clusters
        """Hierarchy over the boxes of the clusters: triangle k of its mesh is the diagonal of the box of cluster k."""
        header = pages.header
        self.path = pages.path
        self.triangle_count = header.triangles
        self.vertex_count = header.vertices
        self.cluster_count = header.clusters
        self.bounds = header.bounds
        self.memory = memory
        self.beside: dict[str, Any] = {}
        """Open companion files by the suffix of their names; they are closed together with the mesh."""

    @classmethod
    @in_slices
    def build(
        cls,
        source: Any,
        path: str | os.PathLike[str],
        *,
        memory: int = BUILD_MEMORY,
        cluster_triangles: int = DEFAULT_CLUSTER,
    ) -> Generator[Progress, None, "ClusteredMesh"]:
        """Write a mesh to a file as clusters, and open the file. The build does not load the whole mesh into memory.

        The build sorts the triangles along a Morton curve. The triangles are sorted on disk, in a folder next to
        ``path`` whose name ends in ".building". The folder takes about 130 bytes per triangle, and the build removes it
        at the end. If a build from a file is interrupted, call ``build`` again with the same arguments to resume it.
        When the file is finished, it replaces any older file at ``path`` in a single step.

        Args:
            source: a file (.ply, .stl, .obj, .npz), a TriangleMesh, arrays (vertices, triangles), corners (n, 3, 3) of
                a soup, or an iterable of chunks. A chunk is either corners (n, 3, 3), or a pair (vertices, triangles)
                whose indices refer to the vertices of the same chunk. All chunks must have the same form. Polygons are
                split into fans of triangles. Coordinates are stored in float32 or float64 without any change. Triangles
                and vertices keep their indices. In an STL file, the triangles do not share any vertices.
            path: the file to be written, or a link to this file.
            memory: approximate number of bytes that the build may use, at least 4 MB; the limit does not change the
                file.
            cluster_triangles: maximum number of triangles in a cluster, from 16 to 16384.
            progress: a function that is called with Progress.

        Raises:
            InvalidFile: the source file cannot be read, or contains no mesh that ``TriangleMesh`` accepts; or ``path``
                cannot be written: it is a folder, a device, a pipe or the source itself. The message names the file and
                the cause.
            InvalidMesh: the source is neither a file nor a mesh that ``TriangleMesh`` accepts.
            UnsupportedOption: an option is out of its range.
        """
        room = checked_memory(memory)
        size = _checked_size(cluster_triangles)
        target = checked_path(path)
        yield from build_file_steps(source_of(source), target, room, size)
        return cls.open(target)

    @classmethod
    def open(cls, path: str | os.PathLike[str], memory: int = DEFAULT_MEMORY) -> "ClusteredMesh":
        """Open a file that ``build`` has written.

        Args:
            path: the file.
            memory: maximum memory of the boxes of the clusters and the loaded pages together, in bytes; results of
                queries are not included. The memory must be at least 4 MB, and large enough for the boxes and two
                pages.

        Raises:
            InvalidFile: the file is missing, damaged, or not a clustered mesh.
            UnsupportedOption: ``memory`` is too small.
        """
        room = checked_memory(memory)
        pages = PageFile(checked_path(path), room)
        try:
            clusters = tree_within(pages, room)
        except UnsupportedOption:
            pages.close()
            raise
        return ClusteredMesh(pages, clusters, room)

    @property
    def nbytes(self) -> int:
        """The memory that the boxes of the clusters and the loaded pages use [bytes]."""
        return self.memory - self.pages.memory + self.pages.nbytes

    @in_slices
    def verify(self) -> Generator[Progress, None, None]:
        """Read every page, and compare it with its checksum and with the table of pages. At the first wrong page, the
        method raises InvalidFile.

        The method also checks that every triangle occurs exactly once. To check this, the method needs one bit of
        memory per triangle.
        """
        seen = np.zeros(self.triangle_count // 8 + 1, np.uint8)
        for number in range(self.cluster_count):
            data = self.pages.read(number)
            if not self._blocks_hold(number, data):
                raise InvalidFile(f"{self.path}: the block boxes of page {number} do not contain its triangles")
            ids = data.triangle_ids.astype(np.int64)
            np.bitwise_or.at(seen, ids >> 3, (1 << (ids & 7)).astype(np.uint8))
            yield Progress((number + 1) / self.cluster_count, Sentence("reading {name}", name=self.path))
        if int(np.unpackbits(seen).sum()) != self.triangle_count:
            raise InvalidFile(f"{self.path}: the pages do not contain each triangle exactly once")

    def _blocks_hold(self, number: int, data: PageData) -> bool:
        """Return whether each triangle of a page lies in the box of its block."""
        pages = self.pages
        boxes, _ = pages.blocks.boxes_of(np.array([number]), pages.table["bounds"][number : number + 1])
        corners = data.vertices[data.corners]
        low, high = corners.min(axis=1)[:, None], corners.max(axis=1)[:, None]
        return bool(((low >= boxes[:, :3]) & (high <= boxes[:, 3:])).all(axis=2).any(axis=1).all())

    @in_slices
    def sample(self, most: int) -> Generator[Progress, None, np.ndarray]:
        """Return some triangles as a preview of the mesh. The triangles are spread evenly over all clusters.

        Args:
            most: approximate number of triangles; at least one per cluster is returned.

        Returns:
            Their corners, (n, 3, 3) in the stored type [m].
        """
        stride = max(1, self.triangle_count // whole_number("most", most, 1, of="triangles"))
        parts = []
        for number in range(self.cluster_count):
            data = self.pages.read(number)
            parts.append(data.vertices[data.corners[::stride]])
            yield Progress((number + 1) / self.cluster_count, Sentence("reading {name}", name=self.path.name))
        return np.concatenate(parts)

    @in_slices
    def loaded(self) -> Generator[Progress, None, tuple[np.ndarray, np.ndarray]]:
        """Load the whole mesh into memory, page by page. Call ``loaded`` only if the mesh fits into memory, as a level
        of detail usually does.

        Returns:
            Vertices (n, 3) in the stored type [m], shared within a page, and triangles (m, 3) int64, sorted by page.
        """
        vertices, triangles, start = [], [], 0
        for number in range(self.cluster_count):
            data = self.pages.read(number)
            vertices.append(data.vertices)
            triangles.append(data.corners.astype(np.int64) + start)
            start += len(data.vertices)
            yield Progress((number + 1) / self.cluster_count, Sentence("reading {name}", name=self.path.name))
        return np.concatenate(vertices), np.concatenate(triangles)

    def close(self) -> None:
        """Close the file. After you close the file, you cannot use the mesh."""
        for thing in self.beside.values():
            thing.close()
        self.beside.clear()
        self.pages.close()

    def __enter__(self) -> "ClusteredMesh":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"ClusteredMesh({str(self.path)!r}, {self.triangle_count} triangles in {self.cluster_count} clusters)"


def tree_within(pages: PageFile, memory: int) -> Hierarchy:
    """Build a hierarchy over the boxes of clusters, and leave the rest of ``memory`` to the pages.

    Raises:
        UnsupportedOption: the rest is too small for two pages.
    """
    clusters = tree_over(pages.table["bounds"], "sah")
    resident = _bytes_of(clusters) + pages.table.nbytes + pages.blocks.nbytes
    pages.memory = memory - resident
    needed = resident + 2 * int(pages.bytes_of().max())
    if memory < needed:
        raise UnsupportedOption(
            f"{pages.path} needs at least memory={needed}: {resident} of it for the boxes of clusters"
        )
    return clusters


def _bytes_of(clusters: Hierarchy) -> int:
    parts = clusters.parts
    arrays = [*parts.mesh.arrays, *parts.tree[:3], parts.volumes, *(parts.wide or ())]
    return sum(array.nbytes for array in arrays)


def checked_memory(memory: Any) -> int:
    """Return a checked memory limit [bytes]; raise UnsupportedOption if it is not a number of bytes, or too small."""
    number = real_number(memory)
    if not LEAST_MEMORY <= number < 1 << 62:
        raise UnsupportedOption(f"memory must be at least {LEAST_MEMORY} bytes, not {shown(memory)}")
    return int(number)


def _checked_size(value: Any) -> int:
    least, most = FEWEST_TRIANGLES, MOST_TRIANGLES
    return whole_number("cluster_triangles", value, least, most)
