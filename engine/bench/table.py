"""Plain text and markdown tables, and the JSON file that every bench can write."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from oracles import Row


def format_table(rows: Sequence[Row]) -> str:
    """Rows with the same keys as aligned text: the keys as heading, text to the left, numbers to the right."""
    lines = ("  ".join(cells) for cells in _aligned(rows))
    return "\n".join(line.rstrip() for line in lines)


def format_markdown(rows: Sequence[Row]) -> str:
    """The same as a markdown table, aligned too."""
    heading, *lines = _aligned(rows)
    rule = ["-" * len(cell) for cell in heading]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (heading, rule, *lines))


def _aligned(rows: Sequence[Row]) -> list[list[str]]:
    names = list(rows[0])
    cells = [names, *([_cell(row[name]) for name in names] for row in rows)]
    widths = [max(len(line[k]) for line in cells) for k in range(len(names))]
    left = [isinstance(rows[0][name], str) for name in names]
    return [
        [c.ljust(w) if at_left else c.rjust(w) for c, w, at_left in zip(line, widths, left, strict=True)]
        for line in cells
    ]


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def three_digits(value: float) -> str:
    """A positive number with three digits that count: 0.0312, 4.57, 123, 4560."""
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def write_json(path: Path, report: Row) -> None:
    """Write a report together with what it ran on."""
    machine = {"python": platform.python_version(), "numpy": np.__version__, "machine": platform.machine()}
    path.write_text(json.dumps({**report, "machine": machine}, indent=1) + "\n")
