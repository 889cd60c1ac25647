"""The list of a report as text, so that it can be kept in a .blend file: names and numbers, no faces."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .errors import InputError
from .options import DEFAULT_TEST, DetectOptions
from .pair_row import PairRow, Point, Side
from .report import DetectReport
from .rules import Rules
from .verdicts import FINAL_VERDICTS

FORMAT = 1
MOST_ROWS = 1000

_PLAIN = ("frame", "verdict", "severity", "contacts", "depth", "distance")
_LATER = ("probability", "scans", "flush", "certainty", "volume_lower", "volume_upper", "depth_lower", "depth_upper")
_SIDE, _SIDE_LATER = ("owner", "source"), ("point", "face")
"""What is saved of rows and of their sides; lists of earlier versions lack what is later."""
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
    sides = tuple(zip("ab", row.sides, strict=True))
    named = {f"{name}_{letter}": getattr(side, name) for name in _SIDE for letter, side in sides}
    later = {f"{name}_{letter}": getattr(side, name) for name in _SIDE_LATER for letter, side in sides}
    return {
        "id": row.id,
        "a": row.a.name,
        "b": row.b.name,
        **named,
        **{name: getattr(row, name) for name in _PLAIN},
        **later,
        **{name: getattr(row, name) for name in _LATER},
        "faces": [row.a.count, row.b.count],
        "location": row.location,
    }


def _row(item: dict[str, Any]) -> PairRow:
    if not all(isinstance(item[name], str) for name in ("id", "verdict")):
        raise TypeError("an id or a verdict is no text")
    if item["verdict"] not in FINAL_VERDICTS:
        raise ValueError("a verdict is unknown")
    count_a, count_b = map(int, item["faces"])
    later = {name: item.get(name) for name in _LATER}
    return PairRow(
        id=item["id"],
        a=_side(item, "a", count_a),
        b=_side(item, "b", count_b),
        frame=int(item["frame"]),
        verdict=item["verdict"],
        severity=int(item["severity"]),
        contacts=item["contacts"],
        location=_point(item["location"]),
        depth=_number(item["depth"]),
        distance=_number(item.get("distance")),
        probability=_number(later["probability"]),
        flush=bool(later["flush"]),
        certainty=1.0 if later["certainty"] is None else float(later["certainty"]),
        volume_lower=_number(later["volume_lower"]),
        volume_upper=_number(later["volume_upper"]),
        depth_lower=_number(later["depth_lower"]),
        depth_upper=_number(later["depth_upper"]),
    )


def _side(item: dict[str, Any], letter: str, count: int) -> Side:
    """One object of a saved row."""
    name, owner, source = (item[key] for key in (letter, f"owner_{letter}", f"source_{letter}"))
    if not all(isinstance(text, str) for text in (name, owner, source)):
        raise TypeError("a name is no text")
    face = item.get(f"face_{letter}")
    return Side(
        name,
        owner,
        source,
        faces=_NO_FACES,
        is_scan=letter in (item.get("scans") or ""),
        point=_point(item.get(f"point_{letter}")),
        face=None if face is None else int(face),
        counted=count,
    )


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _point(value: Any) -> Point | None:
    if value is None:
        return None
    x, y, z = map(float, value)
    return x, y, z
