"""A file that is being read: errors name the file and the position, and files too large for memory raise an error."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from ..errors import InvalidFile

LONGEST_LINE = 1 << 16
"""Longest accepted line in bytes; a file with a longer line probably has another format."""
CHUNK_POINTS = 1 << 18
"""Number of points that are read between two reports of progress."""
BYTES_PER_POINT = 120
"""Bytes of memory for each point, while reading and as a cloud with its hierarchy: see ``PointCloud.nbytes``."""


_BLOCK = 1 << 20
_RECORDS = 1 << 24
"""Bytes of records that are read at a time, unless a single record is larger."""
_MOST_DIGITS = 18


def whole_number(text: str) -> int | None:
    """Parse a whole number of ASCII digits, below 10^18; None for other texts, also for digits of other scripts."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None


def integer(word: bytes) -> int:
    """Parse an integer with optional sign, below 10^18; raise ValueError for other texts, such as Python's 1_000."""
    digits = word[1:] if word.startswith((b"+", b"-")) else word
    if not digits.isdigit() or len(digits) > _MOST_DIGITS:
        raise ValueError(f"{word[:80]!r} is not a whole number")
    return int(word)


def real(word: bytes) -> float:
    """Parse a floating point number; raise ValueError for other texts, such as Python's 1_000."""
    if b"_" in word:
        raise ValueError(f"{word[:80]!r} is not a number")
    return float(word)


class RawPoints(NamedTuple):
    """The points of a file, in the file's unit."""

    points: np.ndarray
    """(n, 3) float64."""
    normals: np.ndarray | None
    """(n, 3) float64, or None."""
    dropped: int
    """Number of points left out because the file marks them as invalid."""


class Source:
    """An open file with its path, for readers of file formats."""

    def __init__(self, path: Path, stream: BinaryIO, memory: float | None) -> None:
        self.path = path
        self.size = os.fstat(stream.fileno()).st_size
        self.line_number = 0
        self._stream = stream
        self._blocks = self.text_lines()
        self._waiting: tuple[int, list[bytes]] = 1, []
        self._memory = available_memory() if memory is None else memory

    @property
    def position(self) -> int:
        """Position in the file, in bytes."""
        return self._stream.tell()

    def error(self, what: str, line: int | None = None, byte: int | None = None) -> InvalidFile:
        """Return an error that names the file and the position."""
        place = "" if line is None else f", line {line}"
        place += "" if byte is None else f", byte {byte}"
        return InvalidFile(f"{self.path}{place}: {what}")

    def line(self) -> str:
        """Read the next line without its end; raise InvalidFile at the end of the file or if the line is too long."""
        raw = self._stream.readline(LONGEST_LINE + 1)
        self.line_number += 1
        if not raw:
            raise self.error(
                "the file ends within its header: the file is incomplete, or its format is another one",
                self.line_number,
            )
        if len(raw) > LONGEST_LINE:
            raise self.error(
                f"the file has a line of more than {LONGEST_LINE} bytes, so its format is probably another one",
                self.line_number,
            )
        return raw.decode("utf-8", "replace").strip()

    def seek(self, position: int) -> None:
        """Move to a byte of the file."""
        self._stream.seek(position)

    def read(self, count: int, what: str) -> bytes:
        """Read exactly ``count`` bytes; raise InvalidFile if the file is shorter."""
        self._check_rest(count, what)
        start = self.position
        data = self._stream.read(count)
        if len(data) != count:  # the file was truncated in the meantime
            raise self.error(
                f"the file ends within {what}: the file became shorter while it was read; read it again when it is "
                "complete",
                byte=start,
            )
        return data

    def skip(self, count: int, what: str) -> None:
        """Skip ``count`` bytes; raise InvalidFile if the file is shorter."""
        self._check_rest(count, what)
        self.seek(self.position + count)

    def _check_rest(self, count: int, what: str) -> None:
        start = self.position
        left = max(0, self.size - start)
        if count > left:
            raise self.error(
                f"the file ends within {what}: it needs {count} bytes, but only {left} are left", byte=start
            )

    def records(self, count: int, record: np.dtype, what: str) -> Iterator[np.ndarray]:
        """Yield ``count`` records, some megabytes at a time; raise InvalidFile as ``check_count`` and ``read`` do."""
        self.check_count(count, record.itemsize)
        most = max(1, min(CHUNK_POINTS, _RECORDS // record.itemsize))
        for begin in range(0, count, most):
            yield np.frombuffer(self.read(min(most, count - begin) * record.itemsize, what), record)

    def text_lines(self) -> Iterator[tuple[int, list[bytes]]]:
        """Yield the remaining lines without their ends (LF, CR LF or CR): number of the first line, and the lines.

        Each block has about a megabyte. ``line_number`` becomes the number of its last line.
        """
        rest = b""
        while block := self._stream.read(_BLOCK):
            if block.endswith(b"\r"):
                block += self._stream.read(1)
            lines = (rest + block).splitlines()
            rest = b"" if block.endswith((b"\n", b"\r")) else lines.pop()
            first = self.line_number + 1
            self.line_number += len(lines)
            if len(rest) > LONGEST_LINE:
                raise self.error(
                    f"the file has a line of more than {LONGEST_LINE} bytes, so its format is probably another one",
                    first + len(lines),
                )
            yield first, lines
        if rest:
            self.line_number += 1
            yield self.line_number, [rest]

    def next_lines(self, most: int) -> tuple[int, list[bytes]]:
        """Return the number of the next line, and at most ``most`` lines; no lines at the end of the file."""
        first, lines = self._waiting
        while not lines:
            block = next(self._blocks, None)
            if block is None:
                return self.line_number + 1, []
            first, lines = block
        self._waiting = first + most, lines[most:]
        return first, lines[:most]

    def check_count(self, count: int, record: int = 0, beside: int = 0) -> None:
        """Raise InvalidFile if the file or the memory is too small for a number of points.

        The last line of a text file may have no line end, so the file may be one byte shorter than expected.

        Args:
            count: number of points.
            record: bytes of each point in the file; 0 leaves the file's size unchecked.
            beside: additional bytes of memory that reading needs.
        """
        if count > 0 and record * count > self.size - self.position + 1:
            possible = max(0, self.size - self.position) // record
            raise self.error(
                f"the header says {count:,} points of {record} bytes, but the file is only large "
                f"enough for {possible:,}",
                byte=self.position,
            )
        needed = count * BYTES_PER_POINT + beside
        if self._memory is not None and needed > self._memory:
            raise self.error(
                f"{count:,} points need about {needed / 1000000000.0:.1f} GB of memory, but only "
                f"{self._memory / 1000000000.0:.1f} GB are free: reduce the number of points or split "
                "the file first"
            )


def available_memory() -> int | None:
    """Return the bytes of free memory, or of all memory if the free memory is unknown; None if both are unknown."""
    try:
        with Path("/proc/meminfo").open(encoding="ascii") as stream:
            for line in stream:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
