"""A file that is read in parts at given positions."""

import os
from io import FileIO
from pathlib import Path
from typing import Any

from ..errors import InvalidFile, UnsupportedOption


class HoldsFile:
    """Base class of objects that read from an open file on demand. They cannot be copied or pickled."""

    path: Path

    def __reduce_ex__(self, _protocol: Any) -> Any:
        raise TypeError(
            f"a {type(self).__name__} cannot be copied or pickled, because it reads from the open "
            f"file '{self.path}': open the file again instead"
        )


class PartFile(HoldsFile):
    """An open file that is read by position.

    The file is never memory-mapped, so a file that is truncated while open raises an error instead of crashing the
    process.

    Args:
        path: path of the file.
        when_closed: message of the error for a closed file.

    Attributes:
        path: path of the file.
        size: size in bytes.
    """

    def __init__(self, path: Path, when_closed: str) -> None:
        self.path, self._when_closed = path, when_closed
        try:
            self._stream = path.open("rb", buffering=0)
            self.size = os.fstat(self._stream.fileno()).st_size
        except (OSError, ValueError) as error:
            raise InvalidFile(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None

    @property
    def closed(self) -> bool:
        """Whether the file is closed."""
        return self._stream.closed

    def read(self, at: int, count: int) -> bytes:
        """Read bytes of the file; raise InvalidFile if it ends too early, UnsupportedOption if it was closed."""
        if self.closed:
            raise UnsupportedOption(f"{self.path}: {self._when_closed}")
        try:
            raw = _read_at(self._stream, at, count)
        except OSError as error:
            raise InvalidFile(f"{self.path}, byte {at}: cannot be read: {error.strerror or error}") from None
        if len(raw) != count:
            raise InvalidFile(f"{self.path}, byte {at}: the file ends here, {count - len(raw)} bytes too early")
        return raw

    def advise(self, at: int, count: int) -> None:
        """Tell the operating system which parts of the file will be read, so that it reads ahead."""
        if hasattr(os, "posix_fadvise") and not self.closed:
            os.posix_fadvise(self._stream.fileno(), at, count, os.POSIX_FADV_WILLNEED)

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def _read_at(stream: FileIO, at: int, count: int) -> bytes:
    """Read bytes of a file; fewer bytes if the file ends before."""
    parts, left = [], count
    if not hasattr(os, "pread"):
        stream.seek(at)
    while left:
        part = os.pread(stream.fileno(), left, at + count - left) if hasattr(os, "pread") else stream.read(left)
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
