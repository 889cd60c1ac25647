"""Sources of the triangles of a massive mesh, in pieces: their interface, and functions that they share."""

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..errors import InvalidFile, InvalidMesh
from ..files.source import Source

CHUNK = 1 << 18
"""Number of vertices or triangles of a piece."""
NO_VERTICES = np.empty((0, 3), np.float32)
NO_TRIANGLES = np.empty((0, 3), np.int64)


class SourcePiece(NamedTuple):
    """A piece of a source: some vertices and triangles."""

    share: float
    """Share of the source that has been read, 0 to 1."""
    vertices: np.ndarray
    """(n, 3) [m], the next vertices; for a soup the corners of the next triangles, in groups of three."""
    triangles: np.ndarray
    """(m, 3) int64, the next triangles, whose vertices may come later; empty for a soup."""


class MeshSource(NamedTuple):
    """A mesh that can be read piece by piece."""

    name: str
    """Name of the source in messages."""
    coordinate_bytes: int
    """Bytes per coordinate, 4 or 8; coordinates are stored unchanged."""
    soup: bool
    """Whether triangles share no vertices."""
    pieces: Callable[[], Iterator[SourcePiece]]
    fingerprint: str | None
    """Shows whether a file is unchanged; None if the source is not a file, and a build cannot be resumed."""

    @property
    def is_file(self) -> bool:
        """Whether the source is a file; the name is then its path."""
        return self.fingerprint is not None

    def wrong(self, what: str) -> Exception:
        """Return the exception to raise for a problem of the mesh."""
        return (InvalidFile if self.is_file else InvalidMesh)(f"{self.name}: {what}")


def opened(
    path: Path, read: Callable[[Source], Generator[SourcePiece, None, None]]
) -> Generator[SourcePiece, None, None]:
    """Open a file and yield its pieces; turn errors of the operating system into InvalidFile."""
    try:
        with path.open("rb") as stream:
            yield from read(Source(path, stream, float("inf")))
    except OSError as error:
        raise InvalidFile(f"{path}: cannot be read: {error.strerror or error}") from None


def kept_bytes(kind: np.dtype, error: Callable[[str], Exception]) -> int:
    """Return the bytes per coordinate that store a type exactly: 4 for float32, 8 (float64) for others."""
    if kind.kind not in "fiu" or kind.itemsize > 8:
        raise error(f"coordinates must be numbers that fit into float64, not {kind}")
    return 4 if kind == np.dtype(kind.newbyteorder("=")) and kind.kind == "f" and kind.itemsize == 4 else 8
