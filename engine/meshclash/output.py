"""Files for users: each is either written completely or not at all, and never in the place of what is no file."""

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
    """A file whose place is checked before the work and filled after it.

    A new file beside the target is filled, brought to the disk and renamed onto the target, so that the target holds
    the old content or the new one, also after a crash. Its name is random: what a killed run leaves behind is in
    nobody's way. A link is followed: the file that it points to is replaced, the link stays.

    Args:
        path: the target, as the user names it.
        purpose: what it is, for messages: "report", "picture".
        suffixes: the allowed endings; none allows any.
        sources: files that the work reads, which must stay.
        error: what a refusal is.

    Attributes:
        path: the target as it was named.
        target: where its links lead.
        temporary: the file to fill; the `with` block removes it where it was not committed.

    Raises:
        InvalidFile, or ``error``: the ending is not allowed, or the place cannot be written: a folder, a device, a
            pipe, links in a circle, a file that the work reads, no rights.
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
            raise self._refusal("no file can have that name")
        try:
            self.target = Path(os.path.realpath(path))
            self._refuse_what_is_no_file()
            for source in sources:
                if source.exists() and self.target.exists() and source.samefile(self.target):
                    raise self._refusal(f"'{source}' is read for it")
            self.temporary = self.target.with_name(f".meshclash-{secrets.token_hex(8)}{path.suffix}")
            self.temporary.open("xb").close()
            self.temporary.unlink()  # until it is filled: a run that is killed before leaves nothing
        except OSError as reason:
            raise self._refusal(reason.strerror) from reason

    def _refuse_what_is_no_file(self) -> None:
        if self.target.is_symlink():
            raise self._refusal("its links lead in a circle")
        if self.target.is_dir():
            raise self._refusal("it is a folder")
        if self.target.exists() and not self.target.is_file():
            raise self._refusal("it is a device or a pipe, no file")
        if self.target.exists() and not os.access(self.target, os.W_OK):
            raise self._refusal("it is write-protected")

    def __enter__(self) -> OutputFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):  # the disk is gone or read-only now: the error at hand says more
            self.temporary.unlink(missing_ok=True)

    def commit(self, text: str | bytes | None = None) -> None:
        """Puts the file in its place; with text or bytes, fills it first (None: something else has filled `temporary`).

        Raises:
            InvalidFile, or the ``error`` that was chosen: the disk is full, or the place cannot be written any more.
                The old file is as it was.
        """
        try:
            if isinstance(text, bytes):
                self.temporary.write_bytes(text)
            elif text is not None:
                # Blender's names need not be valid text: what UTF-8 cannot hold is written as an escape.
                self.temporary.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
            self._put(self.temporary)
        except OSError as reason:
            raise self._refusal(reason.strerror) from reason

    def take(self, filled: Path) -> None:
        """As ``commit``, with a file of the same disk that something else has filled; raises as ``commit``."""
        try:
            self._put(filled)
        except OSError as reason:
            raise self._refusal(reason.strerror) from reason

    def _put(self, filled: Path) -> None:
        self._refuse_what_is_no_file()  # the work may have taken hours
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
    """Waits until a file, or the names in a folder, are on the disk; Windows has no such call for folders."""
    folder = path.is_dir()
    if folder and os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY if folder else os.O_RDWR)
    try:
        os.fsync(descriptor)
    except OSError:
        if not folder:  # some network file systems know no fsync of folders: the renamed file is complete all the same
            raise
    finally:
        os.close(descriptor)
