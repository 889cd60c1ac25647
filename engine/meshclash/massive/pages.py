"""A cache of pages within a memory limit: pages are loaded on demand, and the least recently used ones are dropped."""

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..errors import InvalidFile
from ..hierarchy.build import build
from ..hierarchy.bvh import Hierarchy
from ..types.mesh import TriangleMesh
from .blocks import Blocks
from .file import HoldsFile, PartFile
from .layout import (
    HEADER_BYTES,
    Header,
    PageData,
    blocks_bytes,
    decode_blocks,
    decode_header,
    decode_page,
    decode_table,
)

_SPLIT = "lbvh"
_AHEAD = 64
"""Number of pages that are announced to the operating system together."""
_BESIDE = 4096
"""Memory of the Python objects of a page [bytes]."""
_PER_TRIANGLE, _PER_VERTEX = 192, 40
"""Most bytes in memory per triangle (a tree with one triangle per leaf, the triangle's index), and per vertex (position
and index)."""


class Page(NamedTuple):
    """A page with its hierarchy, ready for queries."""

    hierarchy: Hierarchy
    """Hierarchy over its triangles, in the order of ``triangle_ids``."""
    triangle_ids: np.ndarray
    """Indices of its triangles in the whole mesh, ascending, (m,) int64."""
    vertex_ids: np.ndarray
    """Indices of its vertices in the whole mesh, (n,) int64; empty for a soup."""
    nbytes: int
    """Memory of the page [bytes]."""


class PageFile(HoldsFile):
    """An open file of a clustered mesh, and its pages that are in memory.

    The file is read by position and never memory-mapped, so a file that is truncated while open raises an error instead
    of crashing the process.

    Attributes:
        path: path of the file.
        header, table, blocks: the decoded parts of the file.
        nbytes: bytes of pages in memory now; at most ``memory``, unless one query needs two larger pages.
        most_bytes: largest value of ``nbytes`` so far.
        memory: bytes that pages may take.
        loads: number of pages that were read.
    """

    def __init__(self, path: Path, memory: int) -> None:
        file = self._file = PartFile(path, "the mesh was closed")
        self.path, size = path, file.size
        try:
            header = decode_header(path, file.read(0, min(size, HEADER_BYTES)), size)
            at = header.table_at
            table = decode_table(path, header, file.read(at, size - at))
            count = blocks_bytes(header, table)
            blocks = decode_blocks(path, header, table, file.read(at - count, count))
        except InvalidFile:
            file.close()
            raise
        self._begin(header, table, blocks, memory)

    def _begin(self, header: Header, table: np.ndarray, blocks: Blocks, memory: int) -> None:
        """Initialize the cache, without pages."""
        self.header, self.table, self.blocks, self.memory = header, table, blocks, memory
        self.nbytes = self.most_bytes = self.loads = 0
        self._pages: OrderedDict[int, Page] = OrderedDict()

    def close(self) -> None:
        """Close the file, and drop all pages."""
        self._file.close()
        self.forget()

    def forget(self) -> None:
        """Drop all pages."""
        self._pages.clear()
        self.nbytes = 0

    @property
    def closed(self) -> bool:
        """Whether the file is closed."""
        return self._file.closed

    def bytes_of(self, numbers: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return the most memory that pages may take [bytes]."""
        rows = self.table[numbers]
        return _PER_TRIANGLE * rows["triangles"].astype(np.int64) + _PER_VERTEX * rows["vertices"] + _BESIDE

    def boxes_of(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the boxes (n, 6) float64 [m] of the blocks of pages (k,), and for each box the index of its page in
        ``numbers``, (n,).
        """
        return self.blocks.boxes_of(numbers, self.table["bounds"][numbers])

    def load(self, numbers: Sequence[int]) -> list[Page]:
        """Load pages so that all of them are in memory at the same time. The caller must not request more than fit.

        Raises:
            InvalidFile: a page cannot be read, is damaged, or is not a page of this mesh.
        """
        wanted = set(numbers)
        self._advise([n for n in numbers if n not in self._pages])
        return [self._page(n, wanted, []) for n in numbers]

    def load_first(self, numbers: Sequence[int], room: int, beside: set[int]) -> int:
        """Load pages in order as far as they fit into ``room`` bytes, but at least one; return their number.

        The pages in ``beside`` stay in memory.
        """
        wanted, held = beside.union(numbers), 0
        for count, number in enumerate(numbers):
            page = self._pages.get(number)
            size = self._most_bytes_of(number) if page is None else page.nbytes
            if count and held + size > room:
                return count
            if page is None and count % _AHEAD == 0:
                self._advise([n for n in numbers[count : count + _AHEAD] if n not in self._pages])
            held += self._page(number, wanted, numbers[:count:-1]).nbytes
        return len(numbers)

    def has(self, number: int) -> bool:
        """Return whether a page is loaded."""
        return number in self._pages

    def _page(self, number: int, wanted: set[int], sooner: Sequence[int]) -> Page:
        """Return a page, loaded if needed. To make room, pages that are not requested are dropped first, then those in
        ``sooner``.
        """
        page = self._pages.get(number)
        if page is not None:
            self._pages.move_to_end(number)
            return page
        self._make_room(self._most_bytes_of(number), wanted, sooner)
        page = self._pages[number] = self._loaded(number)
        self.nbytes += page.nbytes
        self.most_bytes = max(self.most_bytes, self.nbytes)
        return page

    def _most_bytes_of(self, number: int) -> int:
        row = self.table[number]
        return _PER_TRIANGLE * int(row["triangles"]) + _PER_VERTEX * int(row["vertices"]) + _BESIDE

    def read(self, number: int) -> PageData:
        """Read a page from the file and check it; raise InvalidFile if it does not match the table."""
        row = self.table[number]
        raw = self._file.read(int(row["at"]), int(row["bytes"]))
        return decode_page(self.path, self.header, row, number, raw)

    def _make_room(self, count: int, wanted: set[int], sooner: Sequence[int]) -> None:
        """Drop the least recently used pages until there is room for more. Among the requested pages, drop only those
        in ``sooner``, in its order.
        """
        if self.nbytes + count <= self.memory:
            return
        unwanted = [n for n in self._pages if n not in wanted]
        for number in [*unwanted, *sooner]:
            if self.nbytes + count <= self.memory:
                return
            if number in self._pages:
                self.nbytes -= self._pages.pop(number).nbytes

    def _loaded(self, number: int) -> Page:
        data = self.read(number)
        self.loads += 1
        mesh = TriangleMesh(data.vertices, data.corners)
        hierarchy = build(mesh, "aabb", split=_SPLIT, threads=1)
        triangle_ids, vertex_ids = data.triangle_ids.astype(np.int64), data.vertex_ids.astype(np.int64)
        parts = hierarchy.parts
        arrays = [*mesh.arrays, *parts.tree[:3], parts.volumes, *(parts.wide or ()), triangle_ids, vertex_ids]
        return Page(hierarchy, triangle_ids, vertex_ids, sum(array.nbytes for array in arrays) + _BESIDE)

    def _advise(self, numbers: list[int]) -> None:
        """Tell the operating system which pages will be read, so that it reads ahead while pages are decoded."""
        for number in numbers:
            row = self.table[number]
            self._file.advise(int(row["at"]), int(row["bytes"]))
