"""Arrays of an .npz file as a source. The arrays are never decompressed completely, so a file cannot exhaust the
memory.
"""

import ast
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import InvalidFile
from .sources import NO_TRIANGLES, NO_VERTICES, MeshSource, SourcePiece, kept_bytes

_NAMES = (("vertices", "triangles"), ("vertices", "faces"), ("v", "f"))
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The compression types that NumPy writes. Decoders of other types may decompress a few bytes to a huge amount at once.
"""
_ROWS = 1 << 15
"""Number of rows of an array that are read together."""
_MOST_AT_ONCE = 1 << 20
"""Most bytes of the file per read: more than ``_ROWS`` rows have, and far more than a directory needs."""
_LONGEST_HEADER = 10_000
"""Most bytes of an array's header; the limit of NumPy."""
_NUMBERS = re.compile(r"[<>|=]?(?:[iu][1248]|f[248])")
_OLD_WHOLE = re.compile(r"(\d)L")
"""Suffixes of integers as Python 2 wrote them."""
_DAMAGES = (
    OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, OverflowError, struct.error,
    zlib.error,
)  # fmt: skip
"""Exceptions of zipfile for files that are damaged, encrypted, or of other kinds."""


class _Array(NamedTuple):
    """The header of an array."""

    rows: int
    kind: np.dtype


class _BoundedFile(io.FileIO):
    """A file with a limit per read, since zipfile reads a directory of any size at once."""

    def read(self, size: int | None = -1, /) -> Any:
        """Read bytes as from any file; raise ValueError above the limit."""
        if size is None or size < 0:
            at = self.tell()
            size = self.seek(0, io.SEEK_END) - at
            self.seek(at)
        if size > _MOST_AT_ONCE:
            raise ValueError(f"the archive's directory cannot have {size} bytes")
        return super().read(size)


def npz_source(path: Path, fingerprint: str) -> MeshSource:
    """Return the arrays "vertices" and "triangles" (or "faces"; or "v" and "f") of an .npz file as a source."""
    with _opened(path) as archive:
        names = _names_of(path, archive)
        kinds = []
        for name in names:
            with archive.open(f"{name}.npy") as member:
                kinds.append(_read_header(path, member, name).kind)
    if kinds[1].kind not in "iu":
        raise InvalidFile(f"{path}: triangles must be integers (m, 3), not {kinds[1]}")

    def pieces() -> Iterator[SourcePiece]:
        with _opened(path) as archive:
            for share, rows in _rows_of(path, archive, names[0]):
                yield SourcePiece(0.5 * share, rows, NO_TRIANGLES)
            for share, rows in _rows_of(path, archive, names[1]):
                yield SourcePiece(0.5 + 0.5 * share, NO_VERTICES, rows.astype(np.int64))

    size = kept_bytes(kinds[0], lambda what: InvalidFile(f"{path}: {what}"))
    return MeshSource(str(path), size, False, pieces, fingerprint)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive; turn its errors into InvalidFile."""
    try:
        with _BoundedFile(path) as stream, zipfile.ZipFile(stream) as archive:
            yield archive
    except InvalidFile:
        raise
    except _DAMAGES as reason:
        raise InvalidFile(f"{path}: cannot be read: {reason or type(reason).__name__}") from None


def _names_of(path: Path, archive: zipfile.ZipFile) -> tuple[str, str]:
    """Return the names of the arrays of vertices and of triangles in an archive."""
    held = {name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")}
    for pair in _NAMES:
        if held.issuperset(pair):
            for name in pair:
                if archive.getinfo(f"{name}.npy").compress_type not in _PACKED:
                    raise InvalidFile(
                        f"{path}: array {name} uses a compression that NumPy does not write: save the "
                        "file with np.savez"
                    )
            return pair
    others = ascii(", ".join(sorted(held))[:80])[1:-1] or "nothing"
    raise InvalidFile(f"{path}: a mesh in an .npz file must consist of vertices and triangles, not {others}")


def _read_header(path: Path, member: Any, name: str) -> _Array:
    """Read the header of an array (n, 3) before its data. Format: numpy.lib.format, versions 1 to 3."""
    begin = member.read(8)
    wide = begin[6:7] != b"\1"
    length = int.from_bytes(member.read(4 if wide else 2), "little")
    if begin[:6] != b"\x93NUMPY" or begin[6:7] not in (b"\1", b"\2", b"\3") or length > _LONGEST_HEADER:
        raise InvalidFile(f"{path}: array {name} cannot be read: it does not begin with the header of a NumPy array")
    text = member.read(length).decode("latin1")
    try:
        found = ast.literal_eval(_OLD_WHOLE.sub(r"\1", text.strip()))
        shape, descr, by_columns = found["shape"], found["descr"], found["fortran_order"]
        rows, width = shape
    except (ValueError, TypeError, SyntaxError, KeyError, MemoryError, RecursionError):
        raise InvalidFile(f"{path}: array {name} cannot be read: its header {text[:80]!a} is invalid") from None
    plain = isinstance(descr, str) and _NUMBERS.fullmatch(descr) and type(rows) is type(width) is int
    if not plain or not 0 <= rows < 1 << 60 or width != 3 or (by_columns and rows > 1):
        what = f"{ascii(descr)[:80]} {ascii(shape)[:80]}"
        raise InvalidFile(f"{path}: array {name} must have shape (n, 3), with plain numbers row by row, not {what}")
    return _Array(rows, np.dtype(descr))


def _rows_of(path: Path, archive: zipfile.ZipFile, name: str) -> Iterator[tuple[float, np.ndarray]]:
    """Yield the rows of an array in parts, each with the fraction of the array read before it."""
    with archive.open(f"{name}.npy") as member:
        total, kind = _read_header(path, member, name)
        for begin in range(0, total, _ROWS):
            size = 3 * kind.itemsize * min(_ROWS, total - begin)
            raw = member.read(size)
            if len(raw) != size:
                raise InvalidFile(f"{path}: array {name} ends before the {total} rows that its header says")
            yield begin / total, np.frombuffer(raw, kind).reshape(-1, 3)
