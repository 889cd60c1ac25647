"""Describe the settings of the detection as text, for the end of a page."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..cell_text import format_length, format_volume
from ..option_table import OPTIONS, Option
from ..options import set_in_words
from ..queries.registry import test_named
from ..report_formats import asked, format_seconds, permitted_length
from ..words import counted
from .page_objects import Objects, base_name

MOST_IN_TITLE = 4
"""Models that the title of a page names."""
EXCLUDED = {
    "same-parent": "pairs with the same parent",
    "same-armature": "pairs of the same armature",
    "same-collection": "pairs in the same collection",
}


def settings(report: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the name and value of each setting that was used; files without their folders."""
    facts = [*_files(report), *([("Compared with", base_name(report["baseline"]))] if report["baseline"] else [])]
    facts.append(("Tested", when(report) or "at an unknown time"))
    if tests := report.get("tests"):
        facts += [(item["name"], _of_test(item)) for item in tests]
    else:
        facts += _of_question(report)
    stats = report["stats"]
    size = [counted(stats[key], key[:-1]) for key in ("objects", "triangles", "points") if stats.get(key)]
    if size:
        facts.append(("Size", ", ".join(size)))
    if "seconds" in stats:
        facts.append(("Time taken", format_seconds(stats["seconds"])))
    return [*facts, ("Program", f"MeshClash {report['version']}".strip())]


def when(report: dict[str, Any]) -> str:
    """Return date and time of the test with the offset from UTC; "" if the time is unknown."""
    day, _, time = (report["created"] or "").partition("T")
    return f"{day}, {time[:5]} (UTC{time[8:] or '+00:00'})" if time else day


def _files(report: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the files that were tested, with their length units."""
    files = report.get("files")
    if not files:
        return [("File", base_name(report["file"] or "") or "never saved")]
    facts = [("Files", ", ".join(base_name(item["path"]) for item in files))]
    if told := [item for item in report.get("models") or [] if item.get("discipline")]:
        facts.append(("Disciplines", ", ".join(f"{item['name']}: {item['discipline']}" for item in told)))
    return [*facts, ("Units of the files", _units(files))]


def _units(files: list[dict[str, Any]]) -> str:
    """Return the unit of lengths in the files."""
    kinds = Counter((format_length(item["metres_per_unit"]), item["names_unit"]) for item in files)
    return "; ".join(
        f"1 unit is {length}" if named else f"1 unit is assumed to be {length} in {counted(count, 'file')} without unit"
        for (length, named), count in kinds.items()
    )


def _of_question(report: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the settings of a single test."""
    options = report["options"]
    test = test_named(options["test"])
    facts = [("Test", f"{test.label}: {test.description[:1].lower()}{test.description[1:]}")]
    if not test.of_pairs:
        facts.append(("Objects", set_in_words(options["set_a"])))
    elif options["set_a"] == options["set_b"] == "all":
        facts.append(("Pairs", "every object with every other"))
    else:
        facts.append(("Pairs", f"{set_in_words(options['set_a'])} with {set_in_words(options['set_b'])}"))
    for option in OPTIONS.values():
        known = options.get(option.name, option.default)
        if option.is_for(test.name) and (option.tests or known != option.default):
            precise = permitted_length(report) if option.name == "permitted_overlap" else ""
            value = f"up to {precise}, the precision of the coordinates" if precise else _of_option(option, known)
            if value:
                facts.append((option.title.capitalize(), value))
    if not report.get("files"):
        facts.append(("Frames", options["frames"] or "the current one"))
    if options["exclude"]:
        facts.append(("Not tested", ", ".join(EXCLUDED.get(name, name) for name in options["exclude"])))
    if options["exclude_pairs"]:
        facts.append(("Excluded pairs", "; ".join(" × ".join(pair) for pair in options["exclude_pairs"])))
    return facts


def _of_option(option: Option, value: Any) -> str:
    """Return the value of an option as text; "" if the option is not shown."""
    if option.kind == "length":
        return format_length(value) if value else ""
    if option.kind == "volume":
        return f"at least {format_volume(value)}"
    if option.kind == "time":
        return format_seconds(value)
    if option.kind == "count":
        return f"at most {value:,}"
    if option.kind == "fits":
        return "; ".join(f"{a} × {b} {format_length(permitted)}" for a, b, permitted in value)
    return value if option.kind == "choice" else "yes" if value else ""


def _of_test(options: dict[str, Any]) -> str:
    """Return the settings of one of several tests: its kind, sets and lengths."""
    test = test_named(options["test"])
    sets = f"{set_in_words(options['set_a'])} with {set_in_words(options['set_b'])}"
    lengths = [
        f"{option.title} {format_length(options[option.name])}"
        for option in OPTIONS.values()
        if option.kind == "length" and option.tests and options[option.name]
    ]
    return ", ".join([f"{test.label}: {sets if test.of_pairs else set_in_words(options['set_a'])}", *lengths])


def title(objects: Objects) -> str:
    """Return the title of a page: the compared models, or the file."""
    names = [objects.short(name) for name in objects.models]
    shown = " × ".join(names[:MOST_IN_TITLE])
    shown += f" and {len(names) - MOST_IN_TITLE} more" if len(names) > MOST_IN_TITLE else ""
    return f"{objects.shared_name}: {shown}" if objects.shared_name else shown or "Unsaved file"


def tests_of(report: dict[str, Any]) -> set[str]:
    """Return the names of the kinds of tests that were run."""
    return {options["test"] for options in asked(report)}
