"""The list of a report as text, so that it can be kept in a .blend file: names and numbers, no faces."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .errors import InputError
from .options import DEFAULT_TEST, DetectOptions
from .pair_row import PairRow, Point
from .report import DetectReport
from .rules import Rules
from .verdicts import FINAL_VERDICTS

FORMAT = 1
MOST_ROWS = 1000

_PLAIN = (
    "id", "a", "b", "owner_a", "owner_b", "source_a", "source_b", "frame", "verdict", "severity", "contacts", "depth",
)  # fmt: skip
_LATER = (
    "distance",
    "point_a",
    "point_b",
    "face_a",
    "face_b",
    "probability",
    "scans",
    "flush",
    "certainty",
    "volume_lower",
    "volume_upper",
)  # lists of earlier versions lack them
_ASKED = ("test", "tolerance", "budget")
_ASKED_LATER = ("set_a", "set_b", "permitted_overlap", "touch_tolerance", "point_budget", "overlap_volume")
_RULES = ("same_parent", "same_armature", "same_collection")
_NO_FACES = np.empty(0, dtype=np.int32)


def to_text(report: DetectReport) -> str:
    """The worst rows of a report; rows of an incomplete answer are left out."""
    rows = [row for row in report.rows if row.verdict in FINAL_VERDICTS]
    options = report.options
    asked = {name: getattr(options, name) for name in (*_ASKED, *_ASKED_LATER)}
    rules = {name: getattr(options.rules, name) for name in _RULES}
    plain = [_plain(row) for row in rows[:MOST_ROWS]]
    total = len(rows) + (report.missing or 0)  # of a list that came with a file, and was not detected anew
    about = {"asked": asked, "rules": rules, "excluded": sorted(options.rules.listed_pairs), "created": report.created}
    return json.dumps({"format": FORMAT, **about, "total": total, "rows": plain})


def from_text(text: str, file: str, scale_length: float) -> DetectReport | None:
    """The report of such a text, without faces; None for "", a damaged text, another version or an unknown test."""
    try:
        data = json.loads(text)
        if data["format"] != FORMAT:
            return None
        rows = [_row(item) for item in data["rows"]]
        options = DetectOptions(**data.get("asked", {"test": DEFAULT_TEST}), rules=_rules(data))
        created, missing = data.get("created", ""), max(0, int(data.get("total", 0)) - len(rows))
        if not all(isinstance(value, str) for value in (options.set_a, options.set_b, created)):
            return None
    except (ValueError, TypeError, KeyError, AttributeError, InputError):
        return None
    return DetectReport(file, scale_length, options, rows, created=created, missing=missing)


def _rules(data: dict[str, Any]) -> Rules:
    given = data.get("rules", {})
    pairs = frozenset((str(a), str(b)) for a, b in data.get("excluded", ()))
    return Rules(**{name: bool(given.get(name)) for name in _RULES}, listed_pairs=pairs)


def _plain(row: PairRow) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in (*_PLAIN, *_LATER)}
    return {**values, "faces": [row.count_a, row.count_b], "location": row.location}


def _row(item: dict[str, Any]) -> PairRow:
    values = {name: item[name] for name in _PLAIN}
    texts = ("id", "a", "b", "owner_a", "owner_b", "source_a", "source_b", "verdict")
    if not all(isinstance(values[name], str) for name in texts):
        raise TypeError("a name is no text")
    if values["verdict"] not in FINAL_VERDICTS:
        raise ValueError("a verdict is unknown")
    count_a, count_b = map(int, item["faces"])
    depth = values.pop("depth")
    later = {name: item.get(name) for name in _LATER}
    return PairRow(
        **{**values, "frame": int(values["frame"]), "severity": int(values["severity"])},
        faces_a=_NO_FACES,
        faces_b=_NO_FACES,
        location=_point(item["location"]),
        depth=_number(depth),
        distance=_number(later["distance"]),
        point_a=_point(later["point_a"]),
        point_b=_point(later["point_b"]),
        face_a=None if later["face_a"] is None else int(later["face_a"]),
        face_b=None if later["face_b"] is None else int(later["face_b"]),
        probability=_number(later["probability"]),
        flush=bool(later["flush"]),
        certainty=1.0 if later["certainty"] is None else float(later["certainty"]),
        volume_lower=_number(later["volume_lower"]),
        volume_upper=_number(later["volume_upper"]),
        counts=(count_a, count_b),
        scans="".join(letter for letter in "ab" if letter in (later["scans"] or "")),
    )


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _point(value: Any) -> Point | None:
    if value is None:
        return None
    x, y, z = map(float, value)
    return x, y, z
