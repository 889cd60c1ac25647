"""The list of a report as text, so that it can be kept in a .blend file: names and numbers, no faces."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .options import DetectOptions
from .report import CONTACT, DetectReport, PairRow

FORMAT = 1
MOST_ROWS = 1000

_PLAIN = (
    "id", "a", "b", "owner_a", "owner_b", "source_a", "source_b", "frame", "verdict", "severity", "contacts", "depth",
)  # fmt: skip
_NO_FACES = np.empty(0, dtype=np.int32)


def to_text(report: DetectReport) -> str:
    """The worst rows of a report; rows of an incomplete answer are left out."""
    rows = [row for row in report.rows if row.verdict != CONTACT]
    return json.dumps({"format": FORMAT, "total": len(rows), "rows": [_plain(row) for row in rows[:MOST_ROWS]]})


def from_text(text: str, file: str, scale_length: float) -> DetectReport | None:
    """The report of such a text, without faces; None for "", a damaged text or one of another version."""
    try:
        data = json.loads(text)
        if data["format"] != FORMAT:
            return None
        rows = [_row(item) for item in data["rows"]]
    except (ValueError, TypeError, KeyError):
        return None
    return DetectReport(file, scale_length, DetectOptions(), rows)


def _plain(row: PairRow) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in _PLAIN}
    return {**values, "faces": [row.count_a, row.count_b], "location": row.location}


def _row(item: dict[str, Any]) -> PairRow:
    values = {name: item[name] for name in _PLAIN}
    texts = ("id", "a", "b", "owner_a", "owner_b", "source_a", "source_b", "verdict")
    if not all(isinstance(values[name], str) for name in texts):
        raise TypeError("a name is no text")
    count_a, count_b = map(int, item["faces"])
    location = None
    if item["location"] is not None:
        x, y, z = map(float, item["location"])
        location = (x, y, z)
    depth = values.pop("depth")
    return PairRow(
        **{**values, "frame": int(values["frame"]), "severity": int(values["severity"])},
        faces_a=_NO_FACES,
        faces_b=_NO_FACES,
        location=location,
        depth=None if depth is None else float(depth),
        counts=(count_a, count_b),
    )
