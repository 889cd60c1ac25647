"""Sort more triangles than fit into memory along a Morton curve: sorted runs on disk, merged block by block.

The order is by (code, index of the triangle) for any memory limit: a run contains consecutive triangles, and among
equal codes those of the earlier run come first.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .work import write_whole

_BITS = 21  # bits of a code per axis
_SPREAD = (
    (32, 0x1F00000000FFFF), (16, 0x1F0000FF0000FF), (8, 0x100F00F00F00F00F), (4, 0x10C30C30C30C30C3),
    (2, 0x1249249249249249),
)  # fmt: skip
_FEWEST = 64
"""Least number of records of a run that are read together."""


def record_type(coordinate_bytes: int, id_bytes: int, soup: bool) -> np.dtype:
    """Return the type of a triangle's record in a run: code, index, vertex indices (not in a soup), coordinates."""
    fields: list[tuple] = [("code", "=u8"), ("triangle", f"=u{id_bytes}")]
    if not soup:
        fields.append(("vertices", f"=u{id_bytes}", 3))
    return np.dtype([*fields, ("corners", f"=f{coordinate_bytes}", (3, 3))])


def morton_codes(corners: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Return 63-bit Morton codes, (n,) uint64, of the box centres of triangles (n, 3, 3), within bounds (2, 3) [m]."""
    middle = 0.5 * corners.min(axis=1).astype(np.float64) + 0.5 * corners.max(axis=1).astype(np.float64)
    extent = float((bounds[1] - bounds[0]).max())
    scale = (1 << _BITS) / extent if extent > 0.0 and np.isfinite((1 << _BITS) / extent) else 0.0
    cells = np.clip((middle - bounds[0]) * scale, 0.0, (1 << _BITS) - 1).astype(np.uint64)
    code = np.zeros(len(corners), np.uint64)
    for axis in range(3):
        bits = cells[:, axis].copy()
        for shift, mask in _SPREAD:
            bits = (bits | (bits << np.uint64(shift))) & np.uint64(mask)
        code |= bits << np.uint64(axis)
    return code


def write_run(
    path: Path, kind: np.dtype, first: int, corners: np.ndarray, vertices: np.ndarray | None, bounds: np.ndarray
) -> None:
    """Write consecutive triangles, of which the first has the index ``first``, as a sorted run."""
    code = morton_codes(corners, bounds)
    order = np.argsort(code, kind="stable")
    records = np.empty(len(order), kind)
    records["code"] = code[order]
    records["triangle"] = first + order
    if vertices is not None:
        records["vertices"] = vertices[order]
    records["corners"] = corners[order]
    write_whole(path, records.view(np.uint8).data)


class _Run:
    """A sorted run that is being read, with a buffer of the next records."""

    def __init__(self, path: Path, kind: np.dtype, room: int) -> None:
        self._path, self._kind = path, kind
        self._at = 0
        self._total = path.stat().st_size // kind.itemsize
        self._room = min(room, self._total)  # NumPy allocates the requested number, even beyond the end of the file
        self.records = np.empty(0, kind)

    def fill(self) -> None:
        """Read the next records if the buffer is empty."""
        if len(self.records) == 0 and self.has_more:
            self.records = np.fromfile(self._path, self._kind, self._room, offset=self._at * self._kind.itemsize)
            self._at += len(self.records)

    @property
    def has_more(self) -> bool:
        """Whether there are records that have not been read yet."""
        return self._at < self._total

    def take(self, code: int, including: bool) -> np.ndarray:
        """Remove and return the records whose codes are below ``code``, or at most ``code`` if ``including`` is set."""
        codes: np.ndarray = self.records["code"]
        count = int(codes.searchsorted(np.uint64(code), "right" if including else "left"))
        taken, self.records = self.records[:count], self.records[count:]
        return taken


def merged(paths: list[Path], kind: np.dtype, memory: int) -> Iterator[np.ndarray]:
    """Yield all records of some runs in order, in blocks."""
    room = max(_FEWEST, memory // (kind.itemsize * len(paths)))
    runs = [_Run(path, kind, room) for path in paths]
    while True:
        for run in runs:
            run.fill()
        unread = [(int(run.records["code"][-1]), k) for k, run in enumerate(runs) if run.has_more]
        # Records up to the smallest last buffered record are complete: no unread record comes before them.
        code, last = min(unread, default=((1 << 64) - 1, len(runs)))
        parts = [run.take(code, k <= last) for k, run in enumerate(runs)]
        block = np.concatenate(parts)
        if len(block) == 0:
            return
        yield block[np.argsort(block["code"], kind="stable")]
