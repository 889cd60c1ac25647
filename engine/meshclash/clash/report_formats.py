"""A report dictionary of schema `meshclash.report/1` as JSON, CSV or a table of text; `files/` has others."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from .queries.registry import test_named
from .reviews import APPROVED
from .terminal import printable, without_controls
from .units import at_most, length_in_words, volume_between, volume_in_words
from .verdicts import SOLID_VERDICTS
from .words import counted

SCHEMA = "meshclash.report/1"
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
    "count_a",
    "count_b",
    "status",
    "comment",
    "outdated",
    "flush",
    "unit",
    "certainty",
    "volume",
    "volume_lower",
    "volume_upper",
    "depth_lower",
    "depth_upper",
    "event_start",
    "event_end",
    "event_worst_frame",
    "new",
    "group",
    "test",
    "global_id_a",
    "global_id_b",
)
POINTS = ("location", "point_a", "point_b")
MOST_GROUPS = 12  # that are printed
TEXTS = ("verdict", "a", "b", "test")  # columns that are left-aligned; numbers are right-aligned
MILLIMETRES_BELOW, MICROMETRES_BELOW = 0.1, 1e-5
NO_SOLID = "not a solid"  # in the place of a volume
NOTHING, FOUND = "No test found a pair", ("is listed", "are listed")
"""What tests of several kinds found, in words; of one kind, `DetectTest` has them."""
LINE_BEGINS = ("\t", "\r", "\n")
FORMULA_BEGINS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "'")
"""Of cells that spreadsheets run (the wide ones in East Asia), and the apostrophe itself, so that it can be undone."""


def to_json(report: dict[str, Any]) -> str:
    """Strict JSON; a NaN or infinity raises ValueError."""
    text = json.dumps(report, allow_nan=False, ensure_ascii=False, indent=1) + "\n"
    return without_controls(text, "\\u{:04x}")


def to_csv(report: dict[str, Any]) -> str:
    """Lines ended by CR LF; lists of faces are separated by blanks; what is unknown is empty.

    A text that a spreadsheet would run as a formula has an apostrophe in front, whatever column it is in; numbers stay
    numbers. Control characters are escapes, as "\\x1b".
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(CSV_COLUMNS)
    events = _events_by_pair(report)
    ids = {item["name"]: item.get("GlobalId") or "" for item in report["objects"]}
    for pair in report["pairs"]:
        cells = {**pair, "unit": report["unit"]} | {name: _csv_truth(pair[name]) for name in ("outdated", "new")}
        event = next((item for item in events.get(pair["id"], ()) if item["start"] <= pair["frame"] <= item["end"]), {})
        cells |= {f"event_{name}": event.get(name) for name in ("start", "end", "worst_frame")}
        cells |= {f"global_id_{side}": ids.get(pair[side], "") for side in "ab"}
        for name in POINTS:
            point = pair[name] or (None, None, None)
            cells |= {f"{name}_{axis}": value for axis, value in zip("xyz", point, strict=True)}
        writer.writerow([_csv_cell(cells[column]) for column in CSV_COLUMNS])
    return text.getvalue()


def to_table(report: dict[str, Any]) -> str:
    """The rows in aligned columns under a header, without a trailing line break; names cannot steer a terminal.

    Of a range of frames, the events.
    """
    if report["events"] is not None:
        return _in_columns([event_header(report), *event_rows(report)])
    return _in_columns([table_header(report), *table_rows(report)])


def clash_line(pair: dict[str, Any]) -> str:
    """A clash on one line: its verdict, its objects and its depth."""
    return printable(f"{pair['verdict']} {pair['a']} | {pair['b']} {format_depth(pair)}".rstrip())


def new_clashes(report: dict[str, Any], most: int) -> list[str]:
    """A line for each clash that the baseline has not and that is not approved, the worst ones first.

    Args:
        report: of schema `meshclash.report/1`.
        most: lines; one more says how many others there are.
    """
    found = {pair["id"]: pair for pair in reversed(report["pairs"]) if pair["new"] and pair["status"] != APPROVED}
    lines = [f"new: {clash_line(pair)}" for pair in reversed(found.values())]
    return lines[:most] + ([f"... and {len(lines) - most:,} more new clashes"] if len(lines) > most else [])


def decide_again(report: dict[str, Any], most: int) -> list[str]:
    """A line for each decision of the baseline that may be about a pair of now, and cannot be told from others."""
    lines = [
        printable(f"decide again: {item['a']} | {item['b']}: it was {item['status']}; {item['why']}")
        for item in report["undecided"] if item["candidates"]
    ]  # fmt: skip
    return lines[:most] + ([f"... and {len(lines) - most:,} more to be decided again"] if len(lines) > most else [])


def gone_clashes(report: dict[str, Any], most: int) -> list[str]:
    """A line for each clash of the baseline that is not there any more, with the reason."""
    lines = [
        printable(f"gone: {clash_line(pair)} ({pair['why']}{': ' if pair['detail'] else ''}{pair['detail']})")
        for pair in report["gone"]
    ]
    return lines[:most] + ([f"... and {len(lines) - most:,} more are gone"] if len(lines) > most else [])


def shared_things(report: dict[str, Any]) -> list[str]:
    """A line about what several models have in common, and what is tested once."""
    items = report["shared"]
    if not items:
        return []
    some = ", ".join(f"{item['name']} ({', '.join(item['models'])})" for item in items[:3])
    more = f" and {len(items) - 3:,} more" if len(items) > 3 else ""
    return [printable(f"{counted(len(items), 'object')} shared by several models, tested once: {some}{more}")]


def groups_in_words(report: dict[str, Any]) -> list[str]:
    """A line for each of the largest groups of clashes; none where every clash is a group of its own."""
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
    texts = [title in TEXTS for title in given[0]]
    return "\n".join("  ".join(_aligned(row, widths, texts)).rstrip() for row in rows)


def _events_by_pair(report: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for event in report["events"] or ():
        found.setdefault(event["id"], []).append(event)
    return found


def summary(report: dict[str, Any]) -> str:
    """Some sentences: how many pairs of which verdict, how many are approved, what was left out, and what is lost."""
    kinds = {options["test"] for options in asked(report)}
    test = test_named(report["options"]["test"])
    nothing, words = (test.nothing, test.found) if len(kinds) == 1 else (NOTHING, FOUND)
    listed = report["pairs"] if report["events"] is None else report["events"]
    counts = Counter(pair["verdict"] for pair in listed if pair["status"] != APPROVED)
    counts[APPROVED] = len(listed) - counts.total()
    counts = +counts  # without zeros
    gone = lost_in_words(report["stats"])
    if not counts:
        return f"{nothing}.{too_small(report['stats'], report['options'])}{gone}"
    parts = ", ".join(f"{count:,} {verdict}" for verdict, count in counts.items())
    events = report["events"]
    count = len(listed) if events is None else len({event["id"] for event in events})
    found = f"1 pair {words[0]}" if count == 1 else f"{count:,} pairs {words[1]}"
    if events is not None:
        found += f" in {len(events):,} event{'' if len(events) == 1 else 's'}"
    more = left_out(report["stats"].get("left_out")) + too_small(report["stats"], report["options"]) + gone
    return f"{found}: {parts}.{more}"


def lost(stats: dict[str, Any]) -> list[dict[str, Any]]:
    """The objects that should have been tested, and could not: "name" and "reason" of each."""
    return [item for item in stats["skipped"] if item["lost"]]


def lost_in_words(stats: dict[str, Any]) -> str:
    """A sentence about objects that are lost, after a blank; "" where none is."""
    count = len(lost(stats))
    return f" {counted(count, 'object')} {'was' if count == 1 else 'were'} lost and not tested." if count else ""


def permitted(report: dict[str, Any]) -> str:
    """What is permitted by the resolution of the coordinates, in words; "" where a length is, or nothing is known."""
    resolution = report["stats"].get("resolution")
    if report["options"]["permitted_by"] == "length" or resolution is None:
        return ""
    most = 2.0 * resolution  # of two objects together
    unit = "MICROMETERS" if most < MICROMETRES_BELOW else "MILLIMETERS"
    return f"up to {length_in_words(most, 'METRIC', unit, 2)}, which the coordinates cannot tell from flush"


def coarse(report: dict[str, Any]) -> str:
    """A warning about objects whose coordinates are stored too coarsely to permit what they cannot tell; "" if none."""
    found = report["stats"].get("coarse") or []
    if not found:
        return ""
    worst = max(found, key=lambda item: item["resolution"])
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return (
        f"coordinates of {worst['name']}{more} are stored no finer than {format_length(worst['resolution'])}: clashes "
        "up to that depth may be roundings; move the parts towards the origin, or permit any resolution"
    )


def left_out(counted: dict[str, Any] | None) -> str:
    """A sentence about pairs that are not listed, after a blank; "" where all are."""
    if counted is None or not counted["pairs"]:
        return ""
    return f" {counted['pairs']:,} more are at least {format_length(counted['beyond'])} apart."


def too_small(stats: dict[str, Any], options: dict[str, Any]) -> str:
    """A sentence about pairs that are not listed as they share too little, after a blank; "" where all are."""
    if not stats.get("smaller"):
        return ""
    return f" {stats['smaller']:,} more have less than {format_volume(options['min_volume'])} in common."


def format_length(metres: float | None) -> str:
    """Millimetres for small lengths, else metres, "<0.001 mm" for roundings; "" when unknown."""
    if metres is None:
        return ""
    return length_in_words(metres, "METRIC", "MILLIMETERS" if abs(metres) < MILLIMETRES_BELOW else "METERS", 4)


def format_depth(pair: dict[str, Any]) -> str:
    """The depth that is proved, else what it is at most, as in "at most 0.002 mm"; "" when nothing is known."""
    if pair["depth"] is None and pair["depth_upper"] is not None:
        return at_most(format_length(pair["depth_upper"]))
    return format_length(pair["depth"])


def format_volume(cubic_metres: float | None) -> str:
    """A volume in cubic metres, centimetres or millimetres, "<0.001 mm³" for roundings; "" when unknown."""
    return "" if cubic_metres is None else volume_in_words(cubic_metres, "METRIC", digits=4)


def format_volume_of(pair: dict[str, Any]) -> str:
    """The common volume of a pair with its bounds; "not a solid" where one of the two bounds none."""
    if pair["volume"] is None:
        return NO_SOLID if pair["verdict"] in SOLID_VERDICTS else ""
    return volume_between(pair["volume_lower"], pair["volume_upper"], "METRIC", digits=4)


def format_share(share: float, digits: int = 0) -> str:
    """A probability in percent; what is not certain is neither called 0 nor 100 %."""
    step = 10.0 ** -(digits + 2)
    if 1.0 - 0.5 * step <= share < 1.0:
        return f">{1.0 - step:.{digits}%}"
    return f"<{step:.{digits}%}" if 0.0 < share < 0.5 * step else f"{share:.{digits}%}"


def format_seconds(seconds: float) -> str:
    """A time, in milliseconds where it is short."""
    return f"{seconds:.1f} s" if seconds >= 0.1 else f"{1000.0 * seconds:.0f} ms"


MEASURES: dict[str, tuple[str, Callable[[dict[str, Any]], str]]] = {
    "depth": ("depth", format_depth),
    "volume": ("common volume", format_volume_of),
    "distance": ("gap", lambda pair: format_length(pair["distance"])),
    "probability": ("probability", lambda pair: _known_share(pair["probability"])),
}
"""The columns of what tests measure: their titles, and their cells for a pair."""


def _known_share(share: float | None) -> str:
    return "" if share is None else format_share(share)


def _measures(report: dict[str, Any]) -> list[str]:
    """What the rows of a report say, in the order of the columns."""
    found = {name for options in asked(report) for name in test_named(options["test"]).measures}
    found |= {"volume"} if any(options.get("overlap_volume") for options in asked(report)) else set()
    return [name for name in MEASURES if name in found]


def asked(report: dict[str, Any]) -> list[dict[str, Any]]:
    """The options of each test that was run, or of the single question."""
    return report.get("tests") or [report["options"]]


def _of_test(report: dict[str, Any], cell: str) -> tuple[str, ...]:
    """A cell of the column `test`, which is there where tests were run together."""
    return (cell,) if report.get("tests") else ()


def _of_frame(report: dict[str, Any], cell: str) -> tuple[str, ...]:
    """A cell of the column `frame`, which files of meshes have no use for."""
    return () if report.get("files") else (cell,)


def table_header(report: dict[str, Any]) -> tuple[str, ...]:
    """The titles of the columns."""
    measured = (MEASURES[name][0] for name in _measures(report))
    numbers = (*_of_frame(report, "frame"), "contacts", "faces a", "faces b")
    return ("verdict", "a", "b", *_of_test(report, "test"), *numbers, *measured, "location [m]")


def table_rows(report: dict[str, Any]) -> list[tuple[str, ...]]:
    """The cells of each pair, as text."""
    measures = _measures(report)
    return [
        (
            _verdict(pair),
            pair["a"],
            pair["b"],
            *_of_test(report, pair.get("test") or ""),
            *_of_frame(report, str(pair["frame"])),
            str(pair["contacts"]),
            _members(pair, "a"),
            _members(pair, "b"),
            *(MEASURES[name][1](pair) for name in measures),
            "" if pair["location"] is None else " ".join(f"{x:.4f}" for x in pair["location"]),
        )
        for pair in report["pairs"]
    ]


def event_header(report: dict[str, Any]) -> tuple[str, ...]:
    """The titles of the columns of events."""
    measured = (MEASURES[name][0] for name in _event_measures(report))
    moments = ("start", "end", "worst", "frames")
    return ("verdict", "a", "b", *_of_test(report, "test"), *moments, *measured, "begins", "ends")


def event_rows(report: dict[str, Any]) -> list[tuple[str, ...]]:
    """The cells of each event, as text."""
    measures = _event_measures(report)
    return [
        (
            _verdict(event),
            event["a"],
            event["b"],
            *_of_test(report, event.get("test") or ""),
            format_moment(event["start"], event["start_time"]),
            format_moment(event["end"], event["end_time"]),
            str(event["worst_frame"]),
            str(event["frames"]),
            *(MEASURES[name][1](event) for name in measures),
            event["begins"],
            event["ends"],
        )
        for event in report["events"]
    ]


def format_moment(frame: int, time: float | None) -> str:
    """A moment in frames, or the whole frame where no moment is known."""
    return str(frame) if time is None else f"{time:.2f}"


def _event_measures(report: dict[str, Any]) -> list[str]:
    return [name for name in _measures(report) if name != "volume"]


def _verdict(pair: dict[str, Any]) -> str:
    """The verdict with what is to be known of it: "touching (flush)", "contained (87% certain)"."""
    notes = ["flush"] if pair["flush"] else []
    if pair["certainty"] < 1.0:
        notes.append(f"{format_share(pair['certainty'])} certain")
    return f"{pair['verdict']} ({', '.join(notes)})" if notes else str(pair["verdict"])


def _members(pair: dict[str, Any], letter: str) -> str:
    """How many faces, or points of a scan, are in contact."""
    points = len(pair[f"points_{letter}"])
    return f"{points} points" if points else str(pair[f"count_{letter}"])


def _aligned(row: tuple[str, ...], widths: list[int], texts: list[bool]) -> list[str]:
    return [
        cell.ljust(width) if is_text else cell.rjust(width)
        for cell, width, is_text in zip(row, widths, texts, strict=True)
    ]


def _csv_text(given: str) -> str:
    """Text as such for spreadsheets; without the first apostrophe, if there is one, it is what was given."""
    begin = next((letter for letter in given if letter.isprintable() and not letter.isspace()), "")
    runs = begin in FORMULA_BEGINS or given[:1] in LINE_BEGINS
    return without_controls(f"'{given}" if given and runs else given)


def _csv_truth(value: bool | None) -> str | None:
    return None if value is None else str(value).lower()


def _csv_cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, list):
        return " ".join(map(str, value))
    return _csv_text(value) if isinstance(value, str) else value
