"""A file being read: its errors name it and the place, and files that memory cannot hold are refused."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from ..errors import InvalidFile

LONGEST_LINE = 1 << 16
"""Bytes of a line beyond which a file is taken for something else."""
CHUNK_POINTS = 1 << 18
"""Points that are read between two reports of progress."""
BYTES_PER_POINT = 120
"""Memory that a point takes while it is read and as a cloud with its hierarchy: see ``PointCloud.nbytes``."""


_BLOCK = 1 << 20
_RECORDS = 1 << 24
"""Bytes of records that are read at a time, unless one has more."""
_MOST_DIGITS = 18


def whole_number(text: str) -> int | None:
    """The number that ASCII digits write, up to 10^18; None for anything else, digits of other scripts included."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None


def integer(word: bytes) -> int:
    """The number below 10^18 that ASCII digits and a sign write; raises ValueError for others, as Python's 1_000."""
    digits = word[1:] if word.startswith((b"+", b"-")) else word
    if not digits.isdigit() or len(digits) > _MOST_DIGITS:
        raise ValueError(f"{word[:80]!r} is no whole number")
    return int(word)


def real(word: bytes) -> float:
    """The number that a word of a text writes; raises ValueError for others, as Python's 1_000."""
    if b"_" in word:
        raise ValueError(f"{word[:80]!r} is no number")
    return float(word)


class RawPoints(NamedTuple):
    """What a file holds, in the file's unit."""

    points: np.ndarray
    """(n, 3) float64."""
    normals: np.ndarray | None
    """(n, 3) float64, or None."""
    dropped: int
    """Points left out because the file marks them as invalid."""


class Source:
    """An open file with its path, for readers."""

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
        """Bytes read so far."""
        return self._stream.tell()

    def error(self, what: str, line: int | None = None, byte: int | None = None) -> InvalidFile:
        """An error that names the file and the place."""
        place = "" if line is None else f", line {line}"
        place += "" if byte is None else f", byte {byte}"
        return InvalidFile(f"{self.path}{place}: {what}")

    def line(self) -> str:
        """The next line without its end; raises InvalidFile at the end of the file or when no line ends."""
        raw = self._stream.readline(LONGEST_LINE + 1)
        self.line_number += 1
        if not raw:
            raise self.error("the file ends here, within its header", self.line_number)
        if len(raw) > LONGEST_LINE:
            raise self.error(f"a line of more than {LONGEST_LINE} bytes: this is no such file", self.line_number)
        return raw.decode("utf-8", "replace").strip()

    def seek(self, position: int) -> None:
        """Go to a byte."""
        self._stream.seek(position)

    def read(self, count: int, what: str) -> bytes:
        """Exactly so many bytes; raises InvalidFile when the file is shorter."""
        self._check_rest(count, what)
        start = self.position
        data = self._stream.read(count)
        if len(data) != count:  # it was cut off meanwhile
            raise self.error(f"the file ends within {what}", byte=start)
        return data

    def skip(self, count: int, what: str) -> None:
        """Pass over so many bytes; raises InvalidFile when the file is shorter."""
        self._check_rest(count, what)
        self.seek(self.position + count)

    def _check_rest(self, count: int, what: str) -> None:
        start = self.position
        left = max(0, self.size - start)
        if count > left:
            raise self.error(f"the file ends within {what}: {count} bytes are needed, {left} are left", byte=start)

    def records(self, count: int, record: np.dtype, what: str) -> Iterator[np.ndarray]:
        """So many records, some megabytes at a time; raises InvalidFile, as ``check_count`` and ``read``."""
        self.check_count(count, record.itemsize)
        most = max(1, min(CHUNK_POINTS, _RECORDS // record.itemsize))
        for begin in range(0, count, most):
            yield np.frombuffer(self.read(min(most, count - begin) * record.itemsize, what), record)

    def text_lines(self) -> Iterator[tuple[int, list[bytes]]]:
        """The remaining lines without their ends (LF, CR LF or CR), about a megabyte at a time, and the first's number.

        ``line_number`` becomes that of the last.
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
                raise self.error(f"a line of more than {LONGEST_LINE} bytes: this is no such file", first + len(lines))
            yield first, lines
        if rest:
            self.line_number += 1
            yield self.line_number, [rest]

    def next_lines(self, most: int) -> tuple[int, list[bytes]]:
        """So many of the next lines, or fewer, and the number of the first; none at the end of the file."""
        first, lines = self._waiting
        while not lines:
            block = next(self._blocks, None)
            if block is None:
                return self.line_number + 1, []
            first, lines = block
        self._waiting = first + most, lines[most:]
        return first, lines[:most]

    def check_count(self, count: int, record: int = 0, beside: int = 0) -> None:
        """Refuse a number of points that the file cannot hold (``record``: bytes of each), or memory cannot.

        A text may lack the end of its last line, so one byte less is let through here. ``beside`` are bytes of memory
        that reading takes besides.
        """
        if count > 0 and record * count > self.size - self.position + 1:
            possible = max(0, self.size - self.position) // record
            raise self.error(
                f"the header announces {count:,} points of {record} bytes, but the file has room for {possible:,} only",
                byte=self.position,
            )
        needed = count * BYTES_PER_POINT + beside
        if self._memory is not None and needed > self._memory:
            raise self.error(
                f"{count:,} points need about {needed / 1e9:.1f} GB of memory, and "
                f"{self._memory / 1e9:.1f} GB are free: thin the cloud out or split it first"
            )


def available_memory() -> int | None:
    """Bytes of memory that are free, where the system says so."""
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
