"""Output files for users: written completely or not at all, and never over anything that is not a regular file."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

from .errors import InvalidFile


class OutputFile:
    """A file whose path is checked before the work and which is written after the work.

    A new file next to the target is filled, flushed to the disk and renamed to the target. So the target always has
    either the old or the new content, even after a crash. The temporary name is random, so a file left by a killed
    process does no harm. Links are followed: the file that a link points to is replaced, the link stays.

    Args:
        path: the target, as the user gives it.
        purpose: description for messages: "report", "picture".
        suffixes: allowed suffixes; empty allows all.
        sources: files that the work reads, which must not be overwritten.
        error: makes the error that is raised.

    Attributes:
        path: the target as it was given.
        target: the target with links resolved.
        temporary: the file to fill; at the end of the `with` block it is removed unless it was committed.

    Raises:
        InvalidFile, or ``error``: the suffix is not allowed, or the target cannot be written: a folder, a device, a
            pipe, a loop of links, a file that the work reads, missing permissions.
    """

    def __init__(
        self,
        path: Path,
        purpose: str,
        suffixes: tuple[str, ...] = (),
        sources: Iterable[Path] = (),
        error: Callable[[str], Exception] = InvalidFile,
    ) -> None:
        self.path, self._purpose, self._error = path, purpose, error
        if suffixes and path.suffix.lower() not in suffixes:
            raise error(f"the {purpose} '{path}' must end in {' or '.join(suffixes)}")
        if not _can_be_named(path):
            raise self._refusal("the file name is invalid")
        try:
            self.target = Path(os.path.realpath(path))
            self._refuse_what_is_no_file()
            for source in sources:
                if source.exists() and self.target.exists() and source.samefile(self.target):
                    raise self._refusal(f"the new file would replace '{source}', which MeshClash needs to make it")
            self.temporary = self.target.with_name(f".meshclash-{secrets.token_hex(8)}{path.suffix}")
            self.temporary.open("xb").close()
            self.temporary.unlink()  # it is made again when it is filled, so a process killed before leaves nothing
        except OSError as reason:
            raise self._refusal(reason.strerror) from reason

    def _refuse_what_is_no_file(self) -> None:
        if self.target.is_symlink():
            raise self._refusal("its links form a loop")
        if self.target.is_dir():
            raise self._refusal("it is a folder")
        if self.target.exists() and not self.target.is_file():
            raise self._refusal("it is a device or a pipe, not a file")
        if self.target.exists() and not os.access(self.target, os.W_OK):
            raise self._refusal("it is write-protected")

    def __enter__(self) -> OutputFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):  # the disk may be gone or read-only; the current error is more informative
            self.temporary.unlink(missing_ok=True)

    def commit(self, text: str | bytes | None = None) -> None:
        """Move the file to its target. Text or bytes are written first; None if `temporary` was filled in another way.

        Raises:
            InvalidFile, or the ``error`` that was chosen: the disk is full, or the target cannot be written any more.
                The old file is unchanged.
        """
        try:
            if isinstance(text, bytes):
                self.temporary.write_bytes(text)
            elif text is not None:
                # Blender's names may be invalid text: characters that UTF-8 cannot represent are escaped.
                self.temporary.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
            self._put(self.temporary)
        except OSError as reason:
            raise self._refusal(reason.strerror) from reason

    def take(self, filled: Path) -> None:
        """Move a file on the same disk that was written in another place to the target; raises like ``commit``."""
        try:
            self._put(filled)
        except OSError as reason:
            raise self._refusal(reason.strerror) from reason

    def _put(self, filled: Path) -> None:
        self._refuse_what_is_no_file()  # check again: the work may have taken hours
        _bring_to_disk(filled)
        if self.target.exists():
            shutil.copymode(self.target, filled)
        filled.replace(self.target)
        _bring_to_disk(self.target.parent)

    def _refusal(self, reason: str | None) -> Exception:
        return self._error(f"the {self._purpose} '{self.path}' cannot be written: {reason or 'unknown reason'}")


def _can_be_named(path: Path) -> bool:
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def _bring_to_disk(path: Path) -> None:
    """Flush a file, or the entries of a folder, to the disk; Windows has no such call for folders."""
    folder = path.is_dir()
    if folder and os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY if folder else os.O_RDWR)
    try:
        os.fsync(descriptor)
    except OSError:
        if not folder:  # some network file systems cannot flush folders; the renamed file is complete anyway
            raise
    finally:
        os.close(descriptor)
