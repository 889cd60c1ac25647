"""Pages in memory: loaded when they are asked for, the least recently used ones given up, within a number of bytes."""

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
"""Pages that the system is told of together."""
_BESIDE = 4096
"""Bytes of the Python objects of a page."""
_PER_TRIANGLE, _PER_VERTEX = 192, 40
"""Bytes at most in memory: a tree whose every leaf has one triangle, numbers of triangles; positions, numbers."""


class Page(NamedTuple):
    """A page with its hierarchy, ready to be asked."""

    hierarchy: Hierarchy
    """Over its triangles, in the order of ``triangle_ids``."""
    triangle_ids: np.ndarray
    """Numbers in the whole mesh, ascending, (m,) int64."""
    vertex_ids: np.ndarray
    """Numbers in the whole mesh, (n,) int64; of a soup empty."""
    nbytes: int
    """That it takes in memory."""


class PageFile(HoldsFile):
    """An open file of a clustered mesh, and the pages of it that are in memory.

    The file is read by position, never mapped: what is cut off while it is open is an error, and does not end the
    process.

    Attributes:
        path: of the file.
        header, table, blocks: what it says.
        nbytes: bytes of pages in memory now; at most ``memory``, unless one question needs two larger ones.
        most_bytes: the most that ``nbytes`` has been.
        memory: bytes that pages may take.
        loads: how many pages were read.
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
        """Have no page in memory."""
        self.header, self.table, self.blocks, self.memory = header, table, blocks, memory
        self.nbytes = self.most_bytes = self.loads = 0
        self._pages: OrderedDict[int, Page] = OrderedDict()

    def close(self) -> None:
        """Give up the file and all pages."""
        self._file.close()
        self.forget()

    def forget(self) -> None:
        """Give up all pages."""
        self._pages.clear()
        self.nbytes = 0

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._file.closed

    def bytes_of(self, numbers: np.ndarray | slice = slice(None)) -> np.ndarray:
        """What pages take in memory at most."""
        rows = self.table[numbers]
        return _PER_TRIANGLE * rows["triangles"].astype(np.int64) + _PER_VERTEX * rows["vertices"] + _BESIDE

    def boxes_of(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Boxes (n, 6) float64 [m] of the blocks of pages (k,), and which of these each belongs to, (n,)."""
        return self.blocks.boxes_of(numbers, self.table["bounds"][numbers])

    def load(self, numbers: Sequence[int]) -> list[Page]:
        """Some pages, all in memory at the same time; the caller asks for no more than memory holds.

        Raises:
            InvalidFile: one cannot be read, is damaged, or is no page of this mesh.
        """
        wanted = set(numbers)
        self._advise([n for n in numbers if n not in self._pages])
        return [self._page(n, wanted, []) for n in numbers]

    def load_first(self, numbers: Sequence[int], room: int, beside: set[int]) -> int:
        """Load pages in order as far as they fit in so many bytes; how many: one at least. Those ``beside`` stay."""
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
        """Whether a page is in memory."""
        return number in self._pages

    def _page(self, number: int, wanted: set[int], sooner: Sequence[int]) -> Page:
        """A page, loaded if need be in the place of pages that are not wanted, and then of those given up sooner."""
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
        """A page as it is in the file, compared with the table; raises InvalidFile."""
        row = self.table[number]
        raw = self._file.read(int(row["at"]), int(row["bytes"]))
        return decode_page(self.path, self.header, row, number, raw)

    def _make_room(self, count: int, wanted: set[int], sooner: Sequence[int]) -> None:
        """Give up pages that were not used for longest, but those wanted only in the order of ``sooner``."""
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
        hierarchy = build(mesh, split=_SPLIT, threads=1)
        triangle_ids, vertex_ids = data.triangle_ids.astype(np.int64), data.vertex_ids.astype(np.int64)
        parts = hierarchy.parts
        arrays = [*mesh.arrays, *parts.tree[:3], parts.volumes, *(parts.wide or ()), triangle_ids, vertex_ids]
        return Page(hierarchy, triangle_ids, vertex_ids, sum(array.nbytes for array in arrays) + _BESIDE)

    def _advise(self, numbers: list[int]) -> None:
        """Tell the system what will be read, so that it reads ahead while pages are unpacked."""
        for number in numbers:
            row = self.table[number]
            self._file.advise(int(row["at"]), int(row["bytes"]))
