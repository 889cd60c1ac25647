"""A report dictionary of schema `meshclash.report/1` as one page to read and print."""

from __future__ import annotations

import html
import ntpath
import re
from typing import Any

from .options import set_in_words
from .queries.registry import test_named
from .report_formats import (
    coarse,
    event_header,
    event_rows,
    format_length,
    format_seconds,
    format_volume,
    permitted,
    summary,
    table_header,
    table_rows,
)
from .terminal import without_controls
from .verdicts import AMBER, GREEN, QUIET_VERDICTS, RED, VERDICTS

_STYLED = {
    style: [f".{entry.name} td:first-child" for entry in reversed(VERDICTS.values()) if entry.style == style]
    for style in (RED, AMBER, GREEN)
}
_VERDICT_RULES = "".join(f"{', '.join(names)} {{ {style} }}\n" for style, names in _STYLED.items())
STYLE = f"""
body {{ font: 14px/1.5 system-ui, sans-serif; margin: 2em auto; padding: 0 1em; color: #222; }}
h1, dd, li, td {{ overflow-wrap: anywhere; }}
dl {{ display: grid; grid-template-columns: max-content 1fr; gap: 0 1.5em; }}
dt {{ color: #666; }} dd {{ margin: 0; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ border-bottom: 1px solid #ddd; padding: .3em .5em; text-align: right; vertical-align: top; }}
th:nth-child(-n+3), td:nth-child(-n+3), .said {{ text-align: left; }}
td:nth-child(2), td:nth-child(3), td.said:last-child {{ min-width: 10em; }}
td.number, td.said {{ white-space: nowrap; }}
td:first-child, td.number:nth-last-child(3) {{ overflow-wrap: normal; white-space: normal; }}
td.said:last-child {{ white-space: normal; }}
th {{ background: #f4f4f4; position: sticky; top: 0; }}
summary {{ cursor: pointer; margin: 1em 0; }}
{_VERDICT_RULES}.approved td:first-child {{ color: inherit; font-weight: inherit; }}
.outdated td {{ color: #999; }}
@media print {{ body {{ margin: 0; max-width: none; font-size: 10px; }} th {{ position: static; }} }}
"""
SIGNS = re.compile(r"([._:/\\|-]+)(?=\w)")
TEXT_CELLS = 3  # verdict and names come first, numbers follow
OUTDATED = "Of pairs in grey an object may have changed since."
SAVED = "The list came with the .blend file: which faces are in contact was not saved with it."


def to_html(report: dict[str, Any]) -> str:
    """One page without any outside reference; every name is escaped."""
    escape = html.escape
    title = f"MeshClash: {escape(ntpath.basename(report['file'] or '') or 'unsaved file')}"
    facts = "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in _facts(report))
    left_out = [f"{item['name']}: {item['reason']}" for item in report["stats"]["skipped"]]
    items = "".join(f"<li>{escape(line)}</li>" for line in left_out)
    notes = "".join(f"<p>{escape(line)}</p>\n" for line in (summary(report), *_notes(report)))
    return without_controls(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title>\n<style>{STYLE}</style></head>\n'
        f"<body><h1>{title}</h1>\n{notes}<dl>\n{facts}\n</dl>\n"
        f"{_events(report)}"
        f"{_tables(table_header(report), report['pairs'], table_rows(report))}"
        f"{f'<h2>Left out</h2><ul>{items}</ul>' if left_out else ''}"
        f"<p>Schema {escape(report['schema'])}</p></body></html>\n"
    )


def _events(report: dict[str, Any]) -> str:
    """The events of a range of frames, before the pairs of each frame; "" of one frame."""
    if report["events"] is None:
        return ""
    tables = _tables(event_header(report), report["events"], event_rows(report))
    return f"<h2>Events</h2>\n{tables}<h2>Frame by frame</h2>\n"


def _tables(titles: tuple[str, ...], said: list[dict[str, Any]], cells: list[tuple[str, ...]]) -> str:
    """A table of pairs or events; those that only touch, or are apart, in one that is closed, where there are others.

    In an assembly nearly everything touches something: clashes would be lost among them, on a page that nobody prints.
    """
    rows = [(_row(pair, row), pair["verdict"] in QUIET_VERDICTS) for pair, row in zip(said, cells, strict=True)]
    loud, quiet = ([row for row, is_quiet in rows if is_quiet == kind] for kind in (False, True))
    if not loud or not quiet:
        return _table(titles, loud or quiet)
    names = " or ".join(VERDICTS[name].counted for name in dict.fromkeys(pair["verdict"] for pair in said)
                        if name in QUIET_VERDICTS)  # fmt: skip
    more = f"<details><summary>{len(quiet):,} more: {names}</summary>\n{_table(titles, quiet)}</details>\n"
    return _table(titles, loud) + more


def _table(titles: tuple[str, ...], rows: list[str]) -> str:
    head = "".join(f"<th>{html.escape(title)}</th>" for title in titles)
    head += '<th class="said">status</th><th class="said">comment</th>'
    body = "\n".join(rows)
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>\n"


def _breakable(text: str) -> str:
    """A text, escaped, that may be broken after the signs between its words; longer words only where they must."""
    return SIGNS.sub(r"\1<wbr>", html.escape(text))


def _row(pair: dict[str, Any], cells: tuple[str, ...]) -> str:
    classes = [pair["verdict"], pair["status"], *(["outdated"] if pair.get("outdated") else [])]
    shown = [f"<td>{_breakable(cell)}</td>" for cell in cells[:TEXT_CELLS]]
    shown += [f'<td class="number">{html.escape(cell)}</td>' for cell in cells[TEXT_CELLS:]]
    shown += [f'<td class="said">{_breakable(pair[name])}</td>' for name in ("status", "comment")]
    return f'<tr class="{html.escape(" ".join(classes))}">{"".join(shown)}</tr>'


def _notes(report: dict[str, Any]) -> list[str]:
    saved = report["saved_list"]
    missing = f" {saved['missing']:,} more pairs were found, but not saved." if saved and saved["missing"] else ""
    return [
        *([OUTDATED] if any(pair["outdated"] for pair in report["pairs"]) else []),
        *([SAVED + missing] if saved else []),
        *([warning[0].upper() + warning[1:] + "."] if (warning := coarse(report)) else []),
    ]


def _facts(report: dict[str, Any]) -> list[tuple[str, str]]:
    """What was asked, when, and of which file: only what the test uses, in words."""
    asked = report["options"]
    test = test_named(asked["test"])
    facts = [
        ("File", report["file"] or "never saved"),
        ("Detected", (report["created"] or "at an unknown time").replace("T", " ")),
        ("Test", test.label),
        ("Set A" if test.of_pairs else "Objects", set_in_words(asked["set_a"])),
        *([("Set B", set_in_words(asked["set_b"]))] if test.of_pairs else []),
    ]
    lengths = {name: format_length(asked[name]) for name in LENGTHS}
    lengths["permitted_overlap"] = permitted(report) or lengths["permitted_overlap"]
    facts += [(title, lengths[name]) for name, title in LENGTHS.items() if name in test.takes]
    if asked["min_volume"]:
        facts.append(("Common volume", f"at least {format_volume(asked['min_volume'])}"))
    if "budget" in test.takes:
        facts.append(("Budget", format_seconds(asked["budget"])))
    facts.append(("Frames", asked["frames"] or "the current one"))
    if asked["point_budget"]:
        facts.append(("Points of a scan", f"at most {asked['point_budget']:,}"))
    if asked["exclude"]:
        facts.append(("Pairs left out", ", ".join(asked["exclude"])))
    if asked["exclude_pairs"]:
        facts.append(("Single pairs left out", "; ".join(" × ".join(pair) for pair in asked["exclude_pairs"])))
    return facts


LENGTHS = {
    "tolerance": "Tolerance",
    "permitted_overlap": "Permitted overlap",
    "touch_tolerance": "Touch tolerance",
}
"""Options of tests that are lengths, as the page calls them."""
