"""The folder in which a build works. Finished stages are stored, so that a build that was interrupted can resume.

The journal is replaced as a whole after each stage, once the stage's files are on disk. A process that opens the folder
takes a lock, which the system releases when the process ends.
"""

import json
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import InvalidFile

ENDING = ".building"
_JOURNAL, _LOCK = "journal.json", "lock"
_OWN = ("journal.json*", "vertices", "triangles", "run-*", "stack-*", "mesh", _LOCK)
"""Name patterns of the files that a build makes in its folder."""


def write_whole(path: Path, data: bytes | memoryview) -> None:
    """Write a file; the data is on disk when this function returns."""
    with path.open("wb") as stream:
        stream.write(data)
        settle(stream)


def settle(stream: Any) -> None:
    """Flush a stream to disk."""
    stream.flush()
    os.fsync(stream.fileno())


def _is_own_folder(path: Path) -> bool:
    """Return whether a folder belongs to this user and is not a link; otherwise others could redirect its files."""
    found = path.lstat()
    return stat.S_ISDIR(found.st_mode) and (os.name != "posix" or found.st_uid == os.geteuid())


class WorkFolder:
    """The locked folder of a single build.

    Attributes:
        path: path of the folder.
        journal: the finished stages and their results; ``note`` adds to it.
    """

    def __init__(self, target: Path) -> None:
        self.path = target.with_name(target.name + ENDING)
        self.journal: dict[str, Any] = {}
        try:
            self.path.mkdir(exist_ok=True)
            if not _is_own_folder(self.path):
                raise InvalidFile(
                    f"{target}: cannot be written: {self.path} is a link or belongs to another user: remove it"
                )
            self._lock = (self.path / _LOCK).open("ab")
        except OSError as error:
            raise InvalidFile(f"{target}: cannot be written: {error.strerror or error}") from None
        if not _locked(self._lock.fileno()):
            self._lock.close()
            raise InvalidFile(f"{target}: another process is already building this file")

    def begin(self, plan: dict[str, Any], resumes: bool) -> None:
        """Resume from the journal of a build with the same plan, if allowed; otherwise start with an empty folder."""
        with suppress(OSError, ValueError):
            found = json.loads((self.path / _JOURNAL).read_bytes())
            if resumes and isinstance(found, dict) and found.get("plan") == plan:
                self.journal = found
                return
        self._remove_files(keep=_LOCK)
        self.journal = {"plan": plan}

    def note(self, **done: Any) -> None:
        """Add entries to the journal."""
        self.journal.update(done)
        unfinished = self.path / f"{_JOURNAL}.new"
        write_whole(unfinished, json.dumps(self.journal).encode())
        unfinished.replace(self.path / _JOURNAL)

    def has(self, name: str, size: int) -> bool:
        """Return whether a file exists and has the given size [bytes]."""
        with suppress(OSError):
            return (self.path / name).stat().st_size == size
        return False

    def remove(self, *names: str) -> None:
        """Remove files that the build no longer needs."""
        for name in names:
            (self.path / name).unlink(missing_ok=True)

    def close(self) -> None:
        """Release the lock, so that other processes can build."""
        self._lock.close()

    def discard(self) -> None:
        """Remove the folder and the build's files in it."""
        self._lock.close()  # first, since Windows cannot remove an open file
        self._remove_files()
        with suppress(OSError):  # files of others stay
            self.path.rmdir()

    def _remove_files(self, keep: str = "") -> None:
        for pattern in _OWN:
            for path in self.path.glob(pattern):
                if path.name != keep:
                    path.unlink(missing_ok=True)


if sys.platform == "win32":
    import msvcrt

    def _locked(descriptor: int) -> bool:
        """Try to lock an open file; return whether this process has the lock."""
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _locked(descriptor: int) -> bool:
        """Try to lock an open file; return whether this process has the lock."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
