"""Files that tasks name: marked by the client, used by the worker only if they are the files meant."""

import zlib
from pathlib import Path
from typing import NamedTuple

from meshclash.errors import InvalidFile

_PIECE = 1 << 20


class FileMark(NamedTuple):
    """Where a file lies, and what it is told from others by."""

    path: str
    size: int
    """Bytes."""
    crc: int
    """CRC-32 of the table of a clustered mesh, which has those of its pages; of any other file of all its bytes."""


def mark_of_file(path: Path) -> FileMark:
    """The mark of any file, which is read whole; raises InvalidFile where that cannot be."""
    crc = size = 0
    try:
        with path.open("rb") as stream:
            while piece := stream.read(_PIECE):
                crc, size = zlib.crc32(piece, crc), size + len(piece)
    except OSError as error:
        raise InvalidFile(f"{path}: cannot be read: {error.strerror or error}") from None
    return FileMark(str(path.resolve()), size, crc)


def check_file(mark: FileMark) -> None:
    """Raise InvalidFile unless the file of a mark can be read here, and is the client's."""
    found = mark_of_file(Path(mark.path))
    compare(mark, found.size, found.crc)


def compare(mark: FileMark, size: int, crc: int) -> None:
    """Raise InvalidFile unless size and CRC-32 of a file are those of a mark."""
    if (size, crc) != (mark.size, mark.crc):
        raise InvalidFile(
            f"{mark.path}: this worker has another file under that name than the client: {size} bytes with CRC-32 "
            f"{crc:08x}, not {mark.size} with {mark.crc:08x}"
        )
