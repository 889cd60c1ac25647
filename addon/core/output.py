"""Files that are either written completely or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

from .errors import InputError


class OutputFile:
    """A file whose place is claimed before the work and filled after it.

    A temporary file beside the target shows at once whether the place can be written; `commit` renames it onto the
    target, leaving the `with` block without `commit` removes it.

    Args:
        path: the target.
        purpose: what it is, for messages: "report", "picture".
        suffixes: the allowed endings.

    Raises:
        InputError: the ending is not allowed or the place cannot be written.
    """

    def __init__(self, path: Path, purpose: str, suffixes: tuple[str, ...]) -> None:
        if path.suffix.lower() not in suffixes:
            raise InputError(f"the {purpose} '{path}' must end in {' or '.join(suffixes)}")
        if path.is_dir():
            raise InputError(f"the {purpose} cannot be written: '{path}' is a folder")
        if path.exists() and not os.access(path, os.W_OK):
            raise InputError(f"the {purpose} cannot be written: '{path}' is write-protected")
        self.path = path
        self.temporary = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
        try:
            self.temporary.open("x").close()
        except OSError as error:
            raise InputError(f"the {purpose} '{path}' cannot be written: {error.strerror}") from error

    def __enter__(self) -> OutputFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.temporary.unlink(missing_ok=True)

    def commit(self, text: str | None = None) -> None:
        """Puts the file in its place; with `text`, fills it first (None: something else has filled `temporary`)."""
        if text is not None:
            # Blender's names need not be valid text: what UTF-8 cannot hold is written as an escape.
            self.temporary.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
        self.temporary.replace(self.path)
