"""Write a report in the format of its file's extension."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .files.junit import to_junit
from .files.sarif import to_sarif
from .files.topics import to_bcf
from .files.xlsx import library, to_xlsx
from .report import DetectReport

Writer = Callable[[DetectReport], "str | bytes"]

WRITERS: dict[str, Writer] = {
    ".json": DetectReport.to_json,
    ".csv": DetectReport.to_csv,
    ".html": DetectReport.to_html,
    ".xlsx": lambda report: to_xlsx(report.as_dict(), dict(report.pictures)),
    ".bcf": lambda report: _bcf(report, "3.0"),
    ".bcfzip": lambda report: _bcf(report, "2.1"),
    ".xml": lambda report: to_junit(report.as_dict()),
    ".sarif": lambda report: to_sarif(report.as_dict(), report.version),
}
"""How a file of each ending is written: `.bcf` is BCF 3.0, `.bcfzip` BCF 2.1, `.xml` JUnit."""


def check_library(path: Path) -> None:
    """Raise InputError if the library for the format of a file is not installed."""
    if path.suffix.lower() == ".xlsx":
        library()


def written(path: Path, report: DetectReport) -> str | bytes:
    """Return the contents of a report file; its extension is a key of `WRITERS`."""
    return WRITERS[path.suffix.lower()](report)


def _bcf(report: DetectReport, version: str) -> bytes:
    def size(pair: dict[str, Any]) -> float | None:
        """Return the length of the smaller of the two objects."""
        if report.triangles is None:
            return None
        shapes = (report.triangles(pair[name]).reshape(-1, 3) for name in ("a", "b"))
        return min(float(np.ptp(points, axis=0).max()) for points in shapes if len(points))

    return to_bcf(report.as_dict(), version, report.pictures, size, report.topics)
