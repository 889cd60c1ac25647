"""A report dictionary of schema `meshclash.report/1` as JSON, CSV, HTML or a table of text."""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Callable
from typing import Any

from .queries import test_named
from .terminal import printable

CSV_COLUMNS = (
    "id",
    "a",
    "b",
    "frame",
    "verdict",
    "contacts",
    "faces_a",
    "faces_b",
    "original_faces_a",
    "original_faces_b",
    "location_x",
    "location_y",
    "location_z",
    "depth",
    "distance",
    "point_a_x",
    "point_a_y",
    "point_a_z",
    "point_b_x",
    "point_b_y",
    "point_b_z",
    "face_a",
    "face_b",
    "probability",
    "points_a",
    "points_b",
)
POINTS = ("location", "point_a", "point_b")
LEFT_ALIGNED = 3  # columns of names; numbers are right-aligned
MILLIMETRES_BELOW = 0.1
LINE_BEGINS = ("\t", "\r", "\n")
FORMULA_BEGINS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "'")
"""Of cells that spreadsheets run (the wide ones in East Asia), and the apostrophe itself, so that it can be undone."""

STYLE = """
body { font: 14px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; color: #222; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #ddd; padding: .3em .6em; text-align: right; }
th:nth-child(-n+3), td:nth-child(-n+3) { text-align: left; }
th { background: #f4f4f4; position: sticky; top: 0; }
.duplicate td:first-child, .contained td:first-child, .clash td:first-child { color: #b00020; font-weight: 600; }
.near td:first-child { color: #8a5a00; font-weight: 600; }
.touching td:first-child { color: #1b6e3c; }
"""


def to_json(report: dict[str, Any]) -> str:
    """Strict JSON; a NaN or infinity raises ValueError."""
    return json.dumps(report, allow_nan=False, ensure_ascii=False, indent=1) + "\n"


def to_csv(report: dict[str, Any]) -> str:
    """Lines ended by CR LF; lists of faces are separated by blanks; what is unknown is empty.

    A name that a spreadsheet would run as a formula has an apostrophe in front; numbers stay numbers.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(CSV_COLUMNS)
    for pair in report["pairs"]:
        cells = {**pair, "a": _csv_name(pair["a"]), "b": _csv_name(pair["b"])}
        for name in POINTS:
            point = pair[name] or (None, None, None)
            cells |= {f"{name}_{axis}": value for axis, value in zip("xyz", point, strict=True)}
        writer.writerow([_csv_cell(cells[column]) for column in CSV_COLUMNS])
    return text.getvalue()


def to_table(report: dict[str, Any]) -> str:
    """The rows in aligned columns under a header, without a trailing line break; names cannot steer a terminal."""
    rows = [_table_header(report), *(tuple(map(printable, row)) for row in _table_rows(report))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, tuple("-" * width for width in widths))
    return "\n".join("  ".join(_aligned(row, widths)).rstrip() for row in rows)


def to_html(report: dict[str, Any]) -> str:
    """One page without any outside reference; every name is escaped."""
    escape = html.escape
    head = "".join(f"<th>{escape(title)}</th>" for title in _table_header(report))
    body = "\n".join(
        f'<tr class="{escape(row[0])}">' + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row in _table_rows(report)
    )
    title = f"MeshClash: {escape(report['file'] or 'unsaved file')}"
    options = escape(json.dumps(report["options"], ensure_ascii=False))
    left_out = [f"{item['name']}: {item['reason']}" for item in report["stats"]["skipped"]]
    notes = "<h2>Left out</h2><ul>" + "".join(f"<li>{escape(line)}</li>" for line in left_out) + "</ul>"
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f"<style>{STYLE}</style></head>\n"
        f"<body><h1>{title}</h1>\n<p>{escape(summary(report))}</p>\n"
        f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>\n"
        f"{notes if left_out else ''}<p>Options: <code>{options}</code></p>\n"
        f"<p>Schema {escape(report['schema'])}</p></body></html>\n"
    )


WRITERS: dict[str, Callable[[dict[str, Any]], str]] = {".json": to_json, ".csv": to_csv, ".html": to_html}


def summary(report: dict[str, Any]) -> str:
    """One or two sentences: how many pairs of which verdict, and how many were left out."""
    test = test_named(report["options"]["test"])
    counts: dict[str, int] = {}
    for pair in report["pairs"]:
        counts[pair["verdict"]] = counts.get(pair["verdict"], 0) + 1
    if not counts:
        return f"{test.nothing}."
    parts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    count = len(report["pairs"])
    found = f"1 pair {test.found[0]}" if count == 1 else f"{count} pairs {test.found[1]}"
    return f"{found}: {parts}.{left_out(report['stats'].get('left_out'))}"


def left_out(counted: dict[str, Any] | None) -> str:
    """A sentence about pairs that are not listed, after a blank; "" where all are."""
    if counted is None or not counted["pairs"]:
        return ""
    return f" {counted['pairs']:,} more are at least {format_length(counted['beyond'])} apart."


def format_length(metres: float | None) -> str:
    """Millimetres for small lengths, else metres; "" when unknown."""
    if metres is None:
        return ""
    return f"{metres * 1000:.4g} mm" if abs(metres) < MILLIMETRES_BELOW else f"{metres:.4g} m"


def format_share(share: float, digits: int = 0) -> str:
    """A probability in percent; what is not certain is neither called 0 nor 100 %."""
    step = 10.0 ** -(digits + 2)
    if 1.0 - 0.5 * step <= share < 1.0:
        return f">{1.0 - step:.{digits}%}"
    return f"<{step:.{digits}%}" if 0.0 < share < 0.5 * step else f"{share:.{digits}%}"


def format_seconds(seconds: float) -> str:
    """A time, in milliseconds where it is short."""
    return f"{seconds:.1f} s" if seconds >= 0.1 else f"{1000.0 * seconds:.0f} ms"


MEASURES: dict[str, tuple[str, Callable[[Any], str]]] = {
    "depth": ("depth", format_length),
    "distance": ("gap", format_length),
    "probability": ("probability", lambda share: "" if share is None else format_share(share)),
}


def _measures(report: dict[str, Any]) -> tuple[str, ...]:
    return test_named(report["options"]["test"]).measures


def _table_header(report: dict[str, Any]) -> tuple[str, ...]:
    measured = (MEASURES[name][0] for name in _measures(report))
    return ("verdict", "a", "b", "frame", "contacts", "faces a", "faces b", *measured, "location [m]")


def _table_rows(report: dict[str, Any]) -> list[tuple[str, ...]]:
    measures = _measures(report)
    return [
        (
            pair["verdict"],
            pair["a"],
            pair["b"],
            str(pair["frame"]),
            str(pair["contacts"]),
            _members(pair, "a"),
            _members(pair, "b"),
            *(MEASURES[name][1](pair[name]) for name in measures),
            "" if pair["location"] is None else " ".join(f"{x:.4f}" for x in pair["location"]),
        )
        for pair in report["pairs"]
    ]


def _members(pair: dict[str, Any], letter: str) -> str:
    """How many faces, or points of a scan, are in contact."""
    points = len(pair[f"points_{letter}"])
    return f"{points} points" if points else str(len(pair[f"faces_{letter}"]))


def _aligned(row: tuple[str, ...], widths: list[int]) -> list[str]:
    return [
        cell.ljust(width) if column < LEFT_ALIGNED else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]


def _csv_name(name: str) -> str:
    """The name as text for spreadsheets; without the first apostrophe, if there is one, it is the name again."""
    begin = next((letter for letter in name if letter.isprintable() and not letter.isspace()), "")
    runs = begin in FORMULA_BEGINS or name[:1] in LINE_BEGINS
    return f"'{name}" if name and runs else name


def _csv_cell(value: Any) -> Any:
    if value is None:
        return ""
    return " ".join(map(str, value)) if isinstance(value, list) else value
