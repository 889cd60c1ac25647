"""Read JSON files of users with limited memory."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from ..messages import Sentence
from .errors import InputError

MOST_BYTES, MOST_MEMORY = 1 << 29, 1 << 30
"""Maximum size of a file, and of its content in memory."""
VALUE_BYTES, GROUP_BYTES = 40, 64
"""Memory of a number or a short text, and of a list or an object without its values."""

AT_ONCE = 1 << 20  # bytes of a file

Keep = Callable[[dict[str, Any]], dict[str, Any]]


def read_json(path: Path, what: str, keep: Keep | None = None) -> Any:
    """Read a JSON file.

    Args:
        path: path of a file, or of a pipe that ends.
        what: description of the file for error messages, for example "report".
        keep: function that selects the parts of each JSON object to store as soon as it is read; None: store
            everything.

    Raises:
        InputError: the file cannot be read, is larger than ``MOST_BYTES``, would take more than ``MOST_MEMORY``, or is
            not JSON.
    """
    too_large = Sentence("the {what} '{path}' is larger than {size}", what=what, path=path, size=_in_words(MOST_BYTES))
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size > MOST_BYTES:
                raise InputError(too_large)
            content = _read(file)
    except OSError as error:
        raise InputError(
            Sentence(
                "the {what} {path} cannot be read: {why}", what=what, path=f"'{path}'", why=error.strerror or error
            )
        ) from error
    except ValueError as error:  # no file can be called so
        raise InputError(
            Sentence("the {what} {path} cannot be read: {why}", what=what, path=f"{str(path)!r:.80}", why=error)
        ) from error
    if len(content) > MOST_BYTES:
        raise InputError(too_large)
    memory = _memory(content)
    if memory > MOST_MEMORY:
        raise InputError(
            Sentence(
                "the {what} '{path}' would take {size} of memory; the limit is {most}",
                what=what,
                path=path,
                size=_in_words(memory),
                most=_in_words(MOST_MEMORY),
            )
        )
    try:
        text = content.decode("utf-8")
        del content
        return json.loads(text, object_hook=keep)
    except (ValueError, RecursionError) as error:  # no UTF-8, no JSON
        raise InputError(
            Sentence("'{path}' is not a valid JSON {what}: {why}", path=path, what=what, why=error)
        ) from error


def _read(file: BinaryIO) -> bytes:
    """Read all bytes of a file, or slightly more than ``MOST_BYTES`` if it is longer.

    One call for all would reserve the most at once.
    """
    parts, count = list[bytes](), 0
    while count <= MOST_BYTES and (part := file.read(AT_ONCE)):
        parts.append(part)
        count += len(part)
    return b"".join(parts)


def _memory(content: bytes) -> int:
    """Estimate the memory for reading a JSON text [bytes]: twice the text, and its values."""
    values, groups = content.count(b","), content.count(b"[") + content.count(b"{")
    return 2 * len(content) + VALUE_BYTES * values + GROUP_BYTES * groups


def _in_words(count: int) -> str:
    """Format a number of bytes."""
    return f"{count / (1 << 20):,.0f} MiB" if count >= 1 << 20 else f"{count:,} bytes"


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number that float64 can represent, and not a bool."""
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False
