"""Plain text tables and the JSON file that every bench can write."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

Row = dict[str, Any]
"""One line of a table: heading to value."""


def format_table(rows: Sequence[Row]) -> str:
    """Rows with the same keys as aligned text: the keys as heading, text to the left, numbers to the right."""
    names = list(rows[0])
    cells = [names, *([_cell(row[name]) for name in names] for row in rows)]
    widths = [max(len(line[k]) for line in cells) for k in range(len(names))]
    left = [isinstance(rows[0][name], str) for name in names]
    lines = (
        "  ".join(c.ljust(w) if at_left else c.rjust(w) for c, w, at_left in zip(line, widths, left, strict=True))
        for line in cells
    )
    return "\n".join(line.rstrip() for line in lines)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def write_json(path: Path, report: Row) -> None:
    """Write a report together with what it ran on."""
    machine = {"python": platform.python_version(), "numpy": np.__version__, "machine": platform.machine()}
    path.write_text(json.dumps({**report, "machine": machine}, indent=1) + "\n")
