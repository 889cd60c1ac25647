"""How a report is written, by the ending of its file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .report import DetectReport

Writer = Callable[[DetectReport], "str | bytes"]

WRITERS: dict[str, Writer] = {
    ".json": DetectReport.to_json,
    ".csv": DetectReport.to_csv,
    ".html": DetectReport.to_html,
}
"""How a file of each ending is written."""


def written(path: Path, report: DetectReport) -> str | bytes:
    """The contents of a file; its ending is one of `WRITERS`."""
    return WRITERS[path.suffix.lower()](report)
