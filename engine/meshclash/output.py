"""Files that are either written completely or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from pathlib import Path
from types import TracebackType

from .errors import InputError


class OutputFile:
    """A file whose place is checked before the work and filled after it.

    A new file beside the target is filled, brought to the disk and renamed onto the target, so that the target holds
    the old content or the new one, also after a crash. Its name is random: what a killed run leaves behind is in
    nobody's way. A link is followed: the file that it points to is replaced, the link stays.

    Args:
        path: the target, as the user names it.
        purpose: what it is, for messages: "report", "picture".
        suffixes: the allowed endings.

    Attributes:
        path: the target.
        temporary: the file to fill; the `with` block removes it where it was not committed.

    Raises:
        InputError: the ending is not allowed or the place cannot be written.
    """

    def __init__(self, path: Path, purpose: str, suffixes: tuple[str, ...]) -> None:
        self.path, self._purpose = path, purpose
        if path.suffix.lower() not in suffixes:
            raise InputError(f"the {purpose} '{path}' must end in {' or '.join(suffixes)}")
        self._target = Path(os.path.realpath(path))
        if self._target.is_symlink():
            raise self._refusal("its links lead in a circle")
        if self._target.is_dir():
            raise self._refusal("it is a folder")
        if self._target.exists() and not self._target.is_file():
            raise self._refusal("it is a device or a pipe, no file")
        if self._target.exists() and not os.access(self._target, os.W_OK):
            raise self._refusal("it is write-protected")
        self.temporary = self._target.with_name(f".meshclash-{secrets.token_hex(8)}{path.suffix}")
        try:
            self.temporary.open("xb").close()
            self.temporary.unlink()  # until it is filled: a run that is killed before leaves nothing
        except OSError as error:
            raise self._refusal(error.strerror) from error

    def __enter__(self) -> OutputFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):  # the disk is gone or read-only now: the error at hand says more
            self.temporary.unlink(missing_ok=True)

    def commit(self, text: str | None = None) -> None:
        """Puts the file in its place; with `text`, fills it first (None: something else has filled `temporary`).

        Raises:
            InputError: the disk is full, or the place cannot be written any more. The old file is as it was.
        """
        try:
            if text is not None:
                # Blender's names need not be valid text: what UTF-8 cannot hold is written as an escape.
                self.temporary.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
            _bring_to_disk(self.temporary)
            if self._target.exists():
                shutil.copymode(self._target, self.temporary)
            self.temporary.replace(self._target)
            _bring_to_disk(self._target.parent)
        except OSError as error:
            raise self._refusal(error.strerror) from error

    def _refusal(self, reason: str | None) -> InputError:
        return InputError(f"the {self._purpose} '{self.path}' cannot be written: {reason or 'unknown reason'}")


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
