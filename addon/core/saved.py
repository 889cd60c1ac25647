"""Convert the list of a report to text and back, to save it in a .blend file: names and numbers, no faces."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import numpy as np
from meshclash.clash.column_table import JSON, Column
from meshclash.clash.errors import InputError
from meshclash.clash.fits import Fit
from meshclash.clash.frame_scene import Skipped
from meshclash.clash.grouping import PlacedShape
from meshclash.clash.named_tests import TESTS_SCHEMA, parse_tests
from meshclash.clash.option_table import OPTIONS
from meshclash.clash.options import DEFAULT_TEST, DetectOptions
from meshclash.clash.pair_row import PairRow, PairSide, Point
from meshclash.clash.report import DetectReport
from meshclash.clash.rules import Rules
from meshclash.clash.verdicts import FINAL_VERDICTS
from meshclash.messages import Sentence

FORMAT = 1
MOST_ROWS = 10_000

_COLUMNS = tuple(column for column in JSON if column.name in {item.name for item in fields(PairRow)} - {"a", "b"})
"""Columns that are saved for rows, in addition to their sides; lists of earlier versions lack some."""
_SIDE, _SIDE_LATER = ("owner", "source"), ("point", "face")
"""Fields that are saved for the two objects; lists of earlier versions lack the later fields."""
_ASKED = ("test", "set_a", "set_b", *(name for name in OPTIONS if name != "fits"))
_RULES = ("same_parent", "same_armature", "same_collection")
_STATS = ("objects", "smaller", "left_out", "resolution", "coarse", "no_geometry")
"""Statistics that the tab shows next to the rows."""
_MOST_WHOLE, _MOST_LENGTH = 2**31 - 1, 1e36
"""Convert the worst rows of a report to text; rows of an incomplete result are left out."""
_NO_FACES = np.empty(0, dtype=np.int32)


def to_text(report: DetectReport) -> str:
    """Convert the worst rows of a report to text; rows of an incomplete answer are left out."""
    rows = [row for row in report.rows if row.verdict in FINAL_VERDICTS]
    options = report.options
    asked = {name: getattr(options, name) for name in _ASKED}
    rules = {name: getattr(options.rules, name) for name in _RULES}
    plain = [_plain(row) for row in rows[:MOST_ROWS]]
    total = len(rows) + (report.missing or 0)  # for a list that was loaded with a file and not detected again
    skipped = [[item.name, item.reason, item.lost] for item in report.skipped[:MOST_ROWS]]
    placed = sorted(report.placed.items())
    about = {
        "asked": asked, "rules": rules, "excluded": sorted(options.rules.listed_pairs), "fits": options.fits,
        "created": report.created, "tested": report.tested[:MOST_ROWS], "skipped": skipped,
        "stats": {name: report.stats[name] for name in _STATS if name in report.stats},
        "placed": [[name, item.shape, *item.pose[:3].ravel().tolist()] for name, item in placed[:MOST_ROWS]],
    }  # fmt: skip
    tests = {"tests": [test.as_dict() for test in report.tests]} if report.tests else {}
    return json.dumps({"format": FORMAT, **about, **tests, "total": total, "rows": plain})


def from_text(text: str, file: str, scale_length: float) -> DetectReport | None:
    """Convert text back to a report, without faces; None for "".

    Raises:
        InputError: the text is damaged, of another version, or of an unknown test; the message is for the user. In case
            of an error no part of the text is used, so everything that is shown can also be written to a file.
    """
    if not text:
        return None
    try:
        data = strict_json(text)
        if data["format"] != FORMAT:
            raise InputError("it belongs to another version of MeshClash")
        rows = [_row(item) for item in data["rows"]]
        asked = data.get("asked", {"test": DEFAULT_TEST})
        if not {*asked} <= {*_ASKED}:
            raise ValueError("the file contains an unknown option")
        fits = tuple(Fit(_text(a), _text(b), _length(most)) for a, b, most in data.get("fits", ()))
        options = DetectOptions(**asked, rules=_rules(data), fits=fits)
        _text(options.set_a), _text(options.set_b), _whole(options.point_budget)
        if not isinstance(options.overlap_volume, bool):
            raise TypeError("an option must be on or off")
        tests = parse_tests({"schema": TESTS_SCHEMA, "tests": data["tests"]}) if "tests" in data else ()
        created, missing = _text(data.get("created", "")), max(0, _whole(data.get("total", 0)) - len(rows))
        skipped = [Skipped(_text(name), _text(why), bool(bad)) for name, why, bad in data.get("skipped", ())]
        tested = [_text(name) for name in data.get("tested", ())]
        stats = _stats(data.get("stats", {}))
        placed = {_text(item[0]): _placed(item[1:]) for item in data.get("placed", ())}
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, InputError) as error:
        text = Sentence("The list of results in this file is damaged. Press Detect for a new one")
        if isinstance(error, InputError):
            text = Sentence("The list of results in this file is damaged: {why}. Press Detect for a new one", why=error)
        raise InputError(text) from error
    return DetectReport(
        file, scale_length, options, rows, skipped, stats, created=created, missing=missing, tested=tested, tests=tests,
        placed=placed,
    )  # fmt: skip


def strict_json(text: str) -> Any:
    """Parse JSON from a .blend file strictly: NaN, very deep nesting and invalid characters raise an error.

    Raises:
        ValueError: the text is invalid.
    """
    try:
        data = json.loads(text, parse_constant=_refuse)
        json.dumps(data, ensure_ascii=False).encode()  # refuses lone surrogates
    except RecursionError:
        raise ValueError("the list is nested too deeply") from None
    return data


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a number")


def _rules(data: dict[str, Any]) -> Rules:
    given = data.get("rules", {})
    pairs = frozenset((_text(a), _text(b)) for a, b in data.get("excluded", ()))
    parent, armature, collection = (bool(given.get(name)) for name in _RULES)
    return Rules(parent, armature, collection, pairs)


def _stats(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {name: _whole(data[name]) for name in ("objects", "smaller") if name in data}
    if "left_out" in data:
        pairs, beyond = _whole(data["left_out"]["pairs"]), _number(data["left_out"]["beyond"])
        found["left_out"] = {"pairs": pairs if beyond is not None else 0, "beyond": beyond}
    if "no_geometry" in data:
        found["no_geometry"] = {_text(kind): _whole(count) for kind, count in data["no_geometry"].items()}
    if "resolution" in data:
        found["resolution"] = _length(data["resolution"])
    found["coarse"] = [
        {"name": _text(item["name"]), "resolution": _length(item["resolution"])} for item in data.get("coarse", ())
    ]
    return found


def _plain(row: PairRow) -> dict[str, Any]:
    sides = tuple(zip("ab", row.sides, strict=True))
    named = {f"{name}_{letter}": getattr(side, name) for name in _SIDE for letter, side in sides}
    later = {f"{name}_{letter}": getattr(side, name) for name in _SIDE_LATER for letter, side in sides}
    return {
        "a": row.a.name,
        "b": row.b.name,
        **named,
        **later,
        **{column.name: getattr(row, column.name) for column in _COLUMNS},
        "severity": row.severity,
        "scans": row.scans,
        "faces": [row.a.count, row.b.count],
    }


def _row(item: dict[str, Any]) -> PairRow:
    count_a, count_b = map(_whole, item["faces"])
    values: dict[str, Any] = {
        column.name: _value(column, item[column.name]) for column in _COLUMNS if item.get(column.name) is not None
    }
    a, b = _side(item, "a", count_a), _side(item, "b", count_b)
    return PairRow(a=a, b=b, severity=_whole(item["severity"]), **values)


def _value(column: Column, value: Any) -> Any:
    """Return the saved value of a column.

    Raises:
        TypeError, ValueError: the value is invalid.
    """
    if column.kind == "choice":
        if value not in column.choices:
            raise ValueError(f"a {column.name} has an unknown value")
        return value
    if column.kind in ("id", "text"):
        return _text(value)
    if column.kind == "integer":
        return _whole(value, -_MOST_WHOLE if column.least is None else column.least)
    if column.kind == "point":
        return _point(value)
    if column.kind == "flag":
        return bool(value)
    return _number(value, 1.0 if column.kind == "share" else _MOST_LENGTH)


def _side(item: dict[str, Any], letter: str, count: int) -> PairSide:
    """Read one object of a saved row."""
    name, owner, source = (_text(item[key]) for key in (letter, f"owner_{letter}", f"source_{letter}"))
    face = item.get(f"face_{letter}")
    return PairSide(
        name,
        owner,
        source,
        faces=_NO_FACES,
        is_scan=letter in _text(item.get("scans") or ""),
        point=_point(item.get(f"point_{letter}")),
        face=None if face is None else _whole(face),
        counted=count,
    )


def _placed(item: list[Any]) -> PlacedShape:
    """Read the shape and the pose of an object."""
    shape, *numbers = item
    if len(numbers) != 12:
        raise ValueError("the pose of an object is not a 4x4 matrix")
    values = [float(_number(value, least=-_MOST_LENGTH) or 0.0) for value in numbers]
    return PlacedShape(_text(shape), np.array([*values, 0.0, 0.0, 0.0, 1.0]).reshape(4, 4))


def _text(value: Any) -> str:
    """Check a text that Blender can store."""
    if not isinstance(value, str) or "\0" in value:
        raise TypeError("a name must be a string")
    return value


def _whole(value: Any, least: int = 0) -> int:
    """Check a whole number that Blender can store."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= _MOST_WHOLE:
        raise ValueError("a count must be a whole number")
    return value


def _number(value: Any, most: float = _MOST_LENGTH, least: float = 0.0) -> float | None:
    """Check a measure, which is never negative, or a coordinate; the value must be finite in every unit."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ValueError("a measure must be a number")
    return float(value)


def _length(value: Any) -> float:
    """Check a number; raise an error if it is None."""
    number = _number(value)
    if number is None:
        raise ValueError("a length is missing")
    return number


def _point(value: Any) -> Point | None:
    if value is None:
        return None
    x, y, z = (float(_number(item, least=-_MOST_LENGTH) or 0.0) for item in value)
    return x, y, z
