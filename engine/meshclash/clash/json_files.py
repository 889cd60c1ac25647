"""JSON files of users: read within a bounded memory, and refused with a sentence."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from .errors import InputError

MOST_BYTES = 1 << 30


def read_json(path: Path, what: str) -> Any:
    """What a file holds.

    Args:
        path: of a file, or of a pipe that ends.
        what: the file is, for messages: "report".

    Raises:
        InputError: it cannot be read, is larger than ``MOST_BYTES``, or no JSON.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"the {what} '{path}' cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # no file can be called so
        raise InputError(f"the {what} {str(path)!r:.80} cannot be read: {error}") from error
    if len(content) > MOST_BYTES:
        raise InputError(f"the {what} '{path}' is larger than {MOST_BYTES >> 20} MiB")
    try:
        return json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # no UTF-8, no JSON
        raise InputError(f"'{path}' is no JSON {what}: {error}") from error


def is_number(value: Any) -> bool:
    """Whether it is a number that float64 holds, and no truth."""
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False
