"""``ClusteredMesh``: a mesh of any size in a file, of which only the pages that a question needs are in memory."""

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
"""Bytes that an open mesh may take."""
BUILD_MEMORY = 1 << 30
"""Bytes that a build may take."""
LEAST_MEMORY = 1 << 22
DEFAULT_CLUSTER = 2048
"""Triangles of a cluster at most."""


class ClusteredMesh(HoldsFile):
    """A mesh of any number of triangles in a file; accepted where a mesh is by ``collide`` and its like.

    Made by ``ClusteredMesh.open``, or by ``ClusteredMesh.build``. Triangles that lie together form a cluster, whose
    page is read when a question comes near it. The boxes of all clusters stay in memory. One thread may ask at a time.

    Attributes:
        path: of the file.
        triangle_count, vertex_count: those of the source.
        cluster_count: how many pages the file has.
        bounds: lowest and highest coordinates of the triangles [m], (2, 3) float64.
        memory: bytes that the clusters' boxes and pages may take together.
    """

    def __init__(self, pages: PageFile, clusters: Hierarchy, memory: int) -> None:
        self.pages = pages
        """The open file."""
        self.clusters = clusters
        """Over the boxes of the clusters: triangle k of its mesh is the diagonal of the box of cluster k."""
        header = pages.header
        self.path = pages.path
        self.triangle_count = header.triangles
        self.vertex_count = header.vertices
        self.cluster_count = header.clusters
        self.bounds = header.bounds
        self.memory = memory
        self.beside: dict[str, Any] = {}
        """What was opened for it and is closed with it, by the ending of the file."""

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
        """Write a mesh as clusters to a file, without ever holding it in memory, and open it.

        Triangles are sorted along a Morton curve on the disk, beside ``path`` in a folder that ends in ".building"
        (some 130 bytes a triangle, removed in the end). A build from a file that was stopped, however, goes on
        where it was when the same is asked again; the finished file replaces ``path`` at once.

        Args:
            source: a file (.ply, .stl, .obj, .npz), a TriangleMesh, arrays (vertices, triangles), corners
                (n, 3, 3) of a soup, or an iterable of chunks, each of them such corners or each of them
                (vertices, triangles) over its own vertices. Polygons become fans. Coordinates stay bit by bit as they
                are, in float32 or float64; triangles and vertices keep their numbers. Triangles of an STL file share
                no vertices.
            path: the file to be written; a link stays, and where it leads is written.
            memory: bytes that the build may use, about; from 4 MB on. The file is the same whatever they are.
            cluster_triangles: of a cluster at most, 16 to 16384.
            progress: is called with Progress.

        Raises:
            InvalidFile: the source is a file that cannot be read or holds no mesh that ``TriangleMesh`` takes, or
                ``path`` cannot be written: a folder, a device, a pipe, the source itself; names file and cause.
            InvalidMesh: the source is no file, and no mesh that ``TriangleMesh`` takes.
            UnsupportedOption: an option out of its range.
        """
        room = checked_memory(memory)
        size = _checked_size(cluster_triangles)
        target = checked_path(path)
        yield from build_file_steps(source_of(source), target, room, size)
        return cls.open(target)

    @classmethod
    def open(cls, path: str | os.PathLike[str], memory: int = DEFAULT_MEMORY) -> "ClusteredMesh":
        """Open a file that ``build`` wrote.

        Args:
            path: the file.
            memory: bytes that the boxes of the clusters and the pages in memory may take together; what a question
                finds comes on top. From 4 MB on, and enough for the boxes and two pages.

        Raises:
            InvalidFile: the file is missing, damaged, or none of a clustered mesh.
            UnsupportedOption: ``memory`` is too little.
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
        """Bytes that the boxes of clusters and the pages in memory take now."""
        return self.memory - self.pages.memory + self.pages.nbytes

    @in_slices
    def verify(self) -> Generator[Progress, None, None]:
        """Read every page and compare it with its checksum and the table; raises InvalidFile at the first wrong one.

        Every triangle must be there once, which takes a bit of memory for each.
        """
        seen = np.zeros(self.triangle_count // 8 + 1, np.uint8)
        for number in range(self.cluster_count):
            data = self.pages.read(number)
            if not self._blocks_hold(number, data):
                raise InvalidFile(f"{self.path}: the boxes of blocks of page {number} do not hold its triangles")
            ids = data.triangle_ids.astype(np.int64)
            np.bitwise_or.at(seen, ids >> 3, (1 << (ids & 7)).astype(np.uint8))
            yield Progress((number + 1) / self.cluster_count, Sentence("reading {name}", name=self.path))
        if int(np.unpackbits(seen).sum()) != self.triangle_count:
            raise InvalidFile(f"{self.path}: some triangles are in more than one page, and others in none")

    def _blocks_hold(self, number: int, data: PageData) -> bool:
        """Whether each triangle of a page lies in the box of a block."""
        pages = self.pages
        boxes, _ = pages.blocks.boxes_of(np.array([number]), pages.table["bounds"][number : number + 1])
        corners = data.vertices[data.corners]
        low, high = corners.min(axis=1)[:, None], corners.max(axis=1)[:, None]
        return bool(((low >= boxes[:, :3]) & (high <= boxes[:, 3:])).all(axis=2).any(axis=1).all())

    @in_slices
    def sample(self, most: int) -> Generator[Progress, None, np.ndarray]:
        """Some of the triangles, spread evenly over all clusters, to show where the mesh is.

        Args:
            most: how many, about; of each cluster one at least.

        Returns:
            Their corners, (n, 3, 3) as stored [m].
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
        """All of it in memory, page by page: what fits there, as a level does.

        Returns:
            Vertices (n, 3) as stored [m], shared within a page, and triangles (m, 3) int64, sorted by page.
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
        """Close the file; the mesh can no longer be asked."""
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
    """A hierarchy over the boxes of clusters; pages may take what it leaves of some bytes.

    Raises:
        UnsupportedOption: it leaves less than two pages need.
    """
    clusters = tree_over(pages.table["bounds"], "sah")
    resident = _bytes_of(clusters) + pages.table.nbytes + pages.blocks.nbytes
    pages.memory = memory - resident
    needed = resident + 2 * int(pages.bytes_of().max())
    if memory < needed:
        raise UnsupportedOption(f"{pages.path} needs memory={needed} at least: {resident} for boxes of clusters")
    return clusters


def _bytes_of(clusters: Hierarchy) -> int:
    parts = clusters.parts
    arrays = [*parts.mesh.arrays, *parts.tree[:3], parts.volumes, *(parts.wide or ())]
    return sum(array.nbytes for array in arrays)


def checked_memory(memory: Any) -> int:
    """A number of bytes that a mesh may take; raises UnsupportedOption for what is none, or too little."""
    number = real_number(memory)
    if not LEAST_MEMORY <= number < 1 << 62:
        raise UnsupportedOption(f"memory must be a number of bytes from {LEAST_MEMORY} on, not {shown(memory)}")
    return int(number)


def _checked_size(value: Any) -> int:
    least, most = FEWEST_TRIANGLES, MOST_TRIANGLES
    return whole_number("cluster_triangles", value, least, most)
