"""Where the triangles of a massive mesh come from, in pieces: what a source is, and what sources share."""

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..errors import InvalidFile, InvalidMesh
from ..files.source import Source

CHUNK = 1 << 18
"""Vertices or triangles of a piece."""
NO_VERTICES = np.empty((0, 3), np.float32)
NO_TRIANGLES = np.empty((0, 3), np.int64)


class SourcePiece(NamedTuple):
    """Some of a mesh."""

    share: float
    """Of the source that is read, 0 to 1."""
    vertices: np.ndarray
    """(n, 3) [m], further vertices; of a soup the corners of further triangles, three by three."""
    triangles: np.ndarray
    """(m, 3) int64, further triangles; vertices may follow later. Of a soup empty."""


class MeshSource(NamedTuple):
    """A mesh that can be read piece by piece."""

    name: str
    """For messages."""
    coordinate_bytes: int
    """4 or 8: coordinates are kept as they are."""
    soup: bool
    """Whether triangles share no vertices."""
    pieces: Callable[[], Iterator[SourcePiece]]
    fingerprint: str | None
    """What tells whether a file is still the same; None where it is none, and a build cannot be resumed."""

    @property
    def is_file(self) -> bool:
        """Whether it is read from a file, whose path is the name."""
        return self.fingerprint is not None

    def wrong(self, what: str) -> Exception:
        """The error for what is wrong with the mesh."""
        return (InvalidFile if self.is_file else InvalidMesh)(f"{self.name}: {what}")


def opened(
    path: Path, read: Callable[[Source], Generator[SourcePiece, None, None]]
) -> Generator[SourcePiece, None, None]:
    """Pieces of an open file; what the system says against it becomes InvalidFile."""
    try:
        with path.open("rb") as stream:
            yield from read(Source(path, stream, float("inf")))
    except OSError as error:
        raise InvalidFile(f"{path}: cannot be read: {error.strerror or error}") from None


def kept_bytes(kind: np.dtype, error: Callable[[str], Exception]) -> int:
    """Bytes in which coordinates of a type are kept exactly: float32 as they are, others as float64."""
    if kind.kind not in "fiu" or kind.itemsize > 8:
        raise error(f"coordinates must be numbers that float64 holds, not {kind}")
    return 4 if kind == np.dtype(kind.newbyteorder("=")) and kind.kind == "f" and kind.itemsize == 4 else 8
