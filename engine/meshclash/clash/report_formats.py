"""Write a report (schema `meshclash.report/1`) as JSON, CSV or text; `files/` has the other formats."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ..messages import Sentence
from .cell_text import format_depth, format_length, format_verdict, format_volume
from .column_table import CSV, TEXT, Column, Surroundings
from .fasteners import REASONS
from .queries.registry import test_named
from .reviews import APPROVED
from .terminal import printable, without_controls
from .units import length_in_words
from .words import counted

SCHEMA = "meshclash.report/1"
MOST_GROUPS = 12  # that are printed
TEXT_TITLES = tuple(column.title for column in TEXT if column.is_text)
"""Columns that are left-aligned; numbers are right-aligned."""
MICROMETRES_BELOW = 1e-5
NEXT_ENTRY = ",\n  "
NOTHING, FOUND = "No test found a pair", ("is listed", "are listed")
"""Descriptions of the results of several different tests; `DetectTest` has those of a single test."""
LINE_BEGINS = ("\t", "\r", "\n")
FORMULA_BEGINS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "'")
"""First characters of cells that spreadsheets interpret as formulas (including wide characters of East Asia), and the
apostrophe itself, so that escaping can be undone."""


def to_json(report: dict[str, Any]) -> str:
    """Write strict JSON with a line for each value and each entry of a list; raises ValueError for NaN and infinity.

    A number a line, as an indent would give, takes several times as long for the faces of thousands of pairs.
    """
    write = json.JSONEncoder(allow_nan=False, ensure_ascii=False).encode
    lines = []
    for name, value in report.items():
        entries = isinstance(value, list) and len(value) > 0
        text = f"[\n  {NEXT_ENTRY.join(map(write, value))}\n ]" if entries else write(value)
        lines.append(f" {write(name)}: {text}")
    return without_controls("{\n" + ",\n".join(lines) + "\n}\n", "\\u{:04x}")


def to_csv(report: dict[str, Any]) -> str:
    """Write CSV: CR LF line ends, lists of faces separated by spaces, unknown values empty.

    An apostrophe is added to a text that a spreadsheet would interpret as a formula, in every column; numbers stay
    numbers. Control characters are escapes, as "\\x1b".
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(name for column in CSV for name in column.cells)
    for pair, around in surroundings(report):
        writer.writerow(_csv_cell(value) for column in CSV for value in column.file_values(pair, around))
    return text.getvalue()


def to_table(report: dict[str, Any]) -> str:
    """Return the rows in aligned columns under a header, without control characters in names and without a final line
    break.

    Of a range of frames, the events.
    """
    if report["events"] is not None:
        return _in_columns([event_header(report), *event_rows(report)])
    return _in_columns([table_header(report), *table_rows(report)])


def clash_line(pair: dict[str, Any]) -> str:
    """Write a clash on one line: verdict, objects, depth."""
    return printable(f"{pair['verdict']} {pair['a']} | {pair['b']} {format_depth(pair)}".rstrip())


def new_clashes(report: dict[str, Any], most: int) -> list[str]:
    """Return a line for each clash that is neither approved nor in the baseline, worst first.

    Args:
        report: a report of schema `meshclash.report/1`.
        most: maximum number of lines; one more line gives the number of remaining clashes.
    """
    found = {pair["id"]: pair for pair in reversed(report["pairs"]) if pair["new"] and pair["status"] != APPROVED}
    lines = [f"new: {clash_line(pair)}" for pair in reversed(found.values())]
    return lines[:most] + ([f"... and {len(lines) - most:,} more new clashes"] if len(lines) > most else [])


def decide_again(report: dict[str, Any], most: int) -> list[str]:
    """Return a line for each baseline decision that cannot be assigned to one pair with certainty."""
    lines = [
        printable(f"decide again: {item['a']} | {item['b']}: it was {item['status']}; {item['why']}")
        for item in report["undecided"] if item["candidates"]
    ]  # fmt: skip
    return lines[:most] + ([f"... and {len(lines) - most:,} more to be decided again"] if len(lines) > most else [])


def gone_clashes(report: dict[str, Any], most: int) -> list[str]:
    """Return a line for each baseline clash that is no longer found, with the reason."""
    lines = [
        printable(f"gone: {clash_line(pair)} ({pair['why']}{': ' if pair['detail'] else ''}{pair['detail']})")
        for pair in report["gone"]
    ]
    return lines[:most] + ([f"... and {len(lines) - most:,} more are gone"] if len(lines) > most else [])


def shared_things(report: dict[str, Any]) -> list[str]:
    """Return a line about objects that several models share and that were tested once."""
    items = report["shared"]
    if not items:
        return []
    some = ", ".join(f"{item['name']} ({', '.join(item['models'])})" for item in items[:3])
    more = f" and {len(items) - 3:,} more" if len(items) > 3 else ""
    return [printable(f"{counted(len(items), 'object')} shared by several models, tested once: {some}{more}")]


def groups_in_words(report: dict[str, Any]) -> list[str]:
    """Return a line for each of the largest groups of clashes; none if every clash is a group of its own."""
    groups = report["groups"]
    count = sum(len(group["pairs"]) for group in groups)
    if len(groups) == count:
        return []
    many = "group" if len(groups) == 1 else "groups"
    lines = [f"{count} clashes in {len(groups)} {many} by {report['group_by']}:"]
    lines += [f"{len(group['pairs']):6d}  {printable(group['reason'])}" for group in groups[:MOST_GROUPS]]
    return [*lines, *([f"        and {len(groups) - MOST_GROUPS} more"] if len(groups) > MOST_GROUPS else [])]


def _in_columns(given: list[tuple[str, ...]]) -> str:
    rows = [given[0], *(tuple(map(printable, row)) for row in given[1:])]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, tuple("-" * width for width in widths))
    texts = [title in TEXT_TITLES for title in given[0]]
    return "\n".join("  ".join(_aligned(row, widths, texts)).rstrip() for row in rows)


def surroundings(report: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Surroundings]]:
    """Return the pairs of a report, each with the additional values for files."""
    events = _events_by_pair(report)
    objects = {item["name"]: item for item in report["objects"]}
    for number, pair in enumerate(report["pairs"], start=1):
        event = next((item for item in events.get(pair["id"], ()) if item["start"] <= pair["frame"] <= item["end"]), {})
        yield pair, Surroundings(number, report["unit"], event, objects)


def _events_by_pair(report: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for event in report["events"] or ():
        found.setdefault(event["id"], []).append(event)
    return found


def counts(listed: Iterable[tuple[str, str]]) -> Counter[str]:
    """Return the number of pairs or events of each verdict, and of approved ones, from their verdicts and statuses."""
    found = Counter(APPROVED if status == APPROVED else verdict for verdict, status in listed)
    if APPROVED in found:
        found[APPROVED] = found.pop(APPROVED)  # the last one
    return found


def summary(report: dict[str, Any], counted: Counter[str] | None = None) -> str:
    """Return a summary: pairs by verdict, approved pairs, pairs left out, and objects that could not be tested.

    Args:
        report: a report of schema `meshclash.report/1`.
        counted: the counts of all pairs or events, if the report contains only some of them.
    """
    kinds = {options["test"] for options in asked(report)}
    test = test_named(report["options"]["test"])
    nothing, words = (test.nothing, test.found) if len(kinds) == 1 else (NOTHING, FOUND)
    events = report["events"]
    listed = report["pairs"] if events is None else events
    found = counts((item["verdict"], item["status"]) for item in listed) if counted is None else counted
    gone, ignored = (
        lost_in_words(report["stats"]),
        ignored_fasteners(item["reason"] for item in report["stats"]["skipped"]),
    )
    if not found:
        return f"{nothing}.{too_small(report['stats'], asked(report))}{ignored}{gone}"
    parts = ", ".join(f"{count:,} {verdict}" for verdict, count in found.items())
    count = found.total() if events is None else len({event["id"] for event in events})
    told = f"1 pair {words[0]}" if count == 1 else f"{count:,} pairs {words[1]}"
    if events is not None:
        told += f" in {len(events):,} event{'' if len(events) == 1 else 's'}"
    more = left_out(report["stats"].get("left_out")) + too_small(report["stats"], asked(report)) + ignored + gone
    return f"{told}: {parts}.{more}"


def lost(stats: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the objects that should have been tested but were not: "name" and "reason" of each."""
    return [item for item in stats["skipped"] if item["lost"]]


def lost_in_words(stats: dict[str, Any]) -> str:
    """Return a sentence about objects that could not be tested, with a leading space; "" if all objects were tested."""
    count = len(lost(stats))
    return f" {counted(count, 'object')} could not be tested." if count else ""


def permitted(report: dict[str, Any]) -> str:
    """Describe the overlap that the coordinate resolution permits; "" for a fixed length, or if the resolution is
    unknown.
    """
    length = permitted_length(report)
    return Sentence("up to {length}, the precision of the coordinates", length=length) if length else ""


def permitted_length(report: dict[str, Any]) -> str:
    """Return the depth that the coordinate resolution permits, with its unit; "" in the same cases as ``permitted``."""
    resolution = report["stats"].get("resolution")
    if report["options"]["permitted_by"] == "length" or resolution is None:
        return ""
    most = 2.0 * resolution  # of two objects together
    unit = "MICROMETERS" if most < MICROMETRES_BELOW else "MILLIMETERS"
    return length_in_words(most, "METRIC", unit, 2)


def coarse(report: dict[str, Any]) -> str:
    """Return a warning about objects with coordinates too coarse for the permitted overlap; "" if there are no such
    objects.
    """
    found = report["stats"].get("coarse") or []
    if not found:
        return ""
    worst = max(found, key=lambda item: item["resolution"])
    name = worst["name"]
    if len(found) > 1:
        name = Sentence("{name} and {count} more", name=name, count=len(found) - 1)
    return Sentence(
        "coordinates of {name} are only precise to {length}: clashes up to that depth may be rounding errors; move "
        "the parts towards the origin, or allow any resolution",
        name=name, length=format_length(worst["resolution"]),
    )  # fmt: skip


def understood(report: dict[str, Any]) -> str:
    """Return a sentence about objects whose meshes were repaired before they were judged; "" if no mesh was
    repaired.
    """
    found = report["stats"].get("understood") or []
    if not found:
        return ""
    first = min(found, key=lambda item: item["certainty"])
    more = f"; and {len(found) - 1} more" if len(found) > 1 else ""
    return f"repaired for the test: {first['name']}: {first['what'].rstrip('.')}{more}"


def left_out(counted: dict[str, Any] | None) -> str:
    """Return a sentence about pairs that are not listed, with a leading space; "" if all are listed."""
    if counted is None or not counted["pairs"]:
        return ""
    count, least = f"{counted['pairs']:,}", format_length(counted["beyond"])
    return " " + Sentence("{count} more are at least {length} apart.", count=count, length=least)


def too_small(stats: dict[str, Any], tests: Iterable[dict[str, Any]]) -> str:
    """Return a sentence about pairs that are not listed because their common volume is too small; "" if all are
    listed.

    Args:
        stats: of the report.
        tests: the options of each test.
    """
    if not stats.get("smaller"):
        return ""
    count, least = f"{stats['smaller']:,}", {options["min_volume"] for options in tests if options["min_volume"]}
    if len(least) != 1:  # a damaged file may name none
        return " " + Sentence("{count} more have too little volume in common.", count=count)
    return " " + Sentence("{count} more have less than {volume} in common.", count=count, volume=format_volume(*least))


def ignored_fasteners(reasons: Iterable[str]) -> str:
    """Return a sentence with the number of fasteners that were left out; "" if there are none.

    Args:
        reasons: of all objects that were left out.
    """
    count = sum(reason in REASONS for reason in reasons)
    return " " + Sentence("{fasteners} ignored.", fasteners=counted(count, "fastener")) if count else ""


def format_seconds(seconds: float) -> str:
    """Format a time; short times in milliseconds."""
    return f"{seconds:.1f} s" if seconds >= 0.1 else f"{1000.0 * seconds:.0f} ms"


def asked(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the options of each test that was run, or of the single test."""
    return report.get("tests") or [report["options"]]


def _of_test(report: dict[str, Any], cell: str) -> tuple[str, ...]:
    """Return a cell of the column `test`, which exists if several tests were run together."""
    return (cell,) if report.get("tests") else ()


def shown_columns(report: dict[str, Any]) -> list[Column]:
    """Return the columns of the page and the terminal.

    `test` is shown if several tests were run; `frame` is not shown for files of meshes.
    """
    unused = {*(() if report.get("tests") else ("test",)), *(("frame",) if report.get("files") else ())}
    filled = [column for column in TEXT if any(column.is_filled(options) for options in asked(report))]
    return [column for column in filled if column.name not in unused]


def table_header(report: dict[str, Any]) -> tuple[str, ...]:
    """Return the titles of the columns."""
    return tuple(column.title for column in shown_columns(report))


def table_rows(report: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the cells of each pair, as text."""
    columns = shown_columns(report)
    return [tuple(column.in_words(pair) for column in columns) for pair in report["pairs"]]


def event_header(report: dict[str, Any]) -> tuple[str, ...]:
    """Return the titles of the event columns."""
    measured = (column.title for column in _event_measures(report))
    moments = ("start", "end", "worst", "frames")
    return ("verdict", "a", "b", *_of_test(report, "test"), *moments, *measured, "begins", "ends")


def event_rows(report: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the cells of each event, as text."""
    measures = _event_measures(report)
    return [
        (
            format_verdict(event),
            event["a"],
            event["b"],
            *_of_test(report, event.get("test") or ""),
            format_moment(event["start"], event["start_time"]),
            format_moment(event["end"], event["end_time"]),
            str(event["worst_frame"]),
            str(event["frames"]),
            *(column.in_words(event) for column in measures),
            event["begins"],
            event["ends"],
        )
        for event in report["events"]
    ]


def format_moment(frame: int, time: float | None) -> str:
    """Format a time between frames, or the whole frame if no such time is known."""
    return str(frame) if time is None else f"{time:.2f}"


def _event_measures(report: dict[str, Any]) -> list[Column]:
    """Return the measures of the tests, except the volume, which events do not have."""
    return [column for column in shown_columns(report) if column.tests and column.name != "volume"]


def _aligned(row: tuple[str, ...], widths: list[int], texts: list[bool]) -> list[str]:
    return [
        cell.ljust(width) if is_text else cell.rjust(width)
        for cell, width, is_text in zip(row, widths, texts, strict=True)
    ]


def _csv_text(given: str) -> str:
    """Protect a text from being read as a formula by spreadsheets, by a leading apostrophe."""
    begin = next((letter for letter in given if letter.isprintable() and not letter.isspace()), "")
    runs = begin in FORMULA_BEGINS or given[:1] in LINE_BEGINS
    return without_controls(f"'{given}" if given and runs else given)


def _csv_cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return " ".join(map(str, value))
    return _csv_text(value) if isinstance(value, str) else value
