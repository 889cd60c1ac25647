"""A report dictionary of schema `meshclash.report/1` as one page to read, search and print.

The page is complete without its script, which adds search, filters, sorting and views that turn. No file beside it is
needed, and nothing is loaded from anywhere.
"""

from __future__ import annotations

import base64
import html
import json
import ntpath
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..option_table import OPTIONS, Option
from ..options import set_in_words
from ..queries.registry import test_named
from ..report_formats import (
    coarse,
    event_header,
    event_rows,
    format_length,
    format_seconds,
    format_volume,
    lost,
    permitted,
    summary,
    table_header,
    table_rows,
    understood,
)
from ..terminal import without_controls
from ..verdicts import AMBER, GREEN, QUIET_VERDICTS, RED, VERDICTS
from ..words import kinds_in_words

_STYLED = {
    style: [f".{entry.name} td:nth-child(2)" for entry in reversed(VERDICTS.values()) if entry.style == style]
    for style in (RED, AMBER, GREEN)
}
_VERDICT_RULES = "".join(f"{', '.join(names)} {{ {style} }}\n" for style, names in _STYLED.items())
STYLE = f"""
body {{ font: 14px/1.5 system-ui, sans-serif; margin: 2em auto; padding: 0 1em; color: #222; background: #fff; }}
h1, dd, li, td {{ overflow-wrap: anywhere; }}
dl {{ display: grid; grid-template-columns: max-content 1fr; gap: 0 1.5em; }}
dt {{ color: #595959; }} dd {{ margin: 0; }}
table {{ border-collapse: collapse; width: 100%; }}
table.overview {{ width: auto; margin: 1em 0; }}
th, td {{ border-bottom: 1px solid #ddd; padding: .3em .5em; text-align: right; vertical-align: top; }}
.pairs th:nth-child(-n+4), .pairs td:nth-child(-n+4), .said, .overview th:first-child {{ text-align: left; }}
.pairs td:nth-child(3), .pairs td:nth-child(4), td.said:last-child {{ min-width: 10em; }}
td.number, td.said {{ white-space: nowrap; }}
td.said:last-child {{ white-space: normal; }}
.pairs td:nth-child(2) {{ overflow-wrap: normal; }}
td small {{ display: block; color: #595959; }}
td img {{ display: block; width: 16em; max-width: 100%; margin: .3em 0; border: 1px solid #ddd; }}
th {{ background: #f4f4f4; position: sticky; top: 0; }}
button {{ white-space: nowrap; }}
th button {{ all: unset; cursor: pointer; font-weight: inherit; }}
th[aria-sort] button::after {{ content: " ▲"; }} th[aria-sort=descending] button::after {{ content: " ▼"; }}
:focus-visible {{ outline: 2px solid #2f6fde !important; outline-offset: 2px; }}
summary {{ cursor: pointer; margin: 1em 0; }}
#controls {{ display: flex; flex-wrap: wrap; gap: .5em 1em; align-items: end; margin: 1em 0; }}
#controls[hidden], tr[hidden], button[hidden] {{ display: none; }}
#controls label {{ display: grid; }} #controls select {{ max-width: 20em; }}
#controls input, #controls select, #view button {{ font: inherit; padding: .3em; }}
dialog {{ width: min(60em, 92vw); height: min(44em, 88vh); border: 1px solid #999; border-radius: 6px; padding: 1em; }}
dialog h2 {{ margin: 0 0 .5em; font-size: 1em; }} dialog .place {{ height: calc(100% - 6em); }}
model-viewer {{ width: 100%; height: 100%; background: #f6f6f6; }}
{_VERDICT_RULES}.approved td:nth-child(2) {{ color: inherit; font-weight: inherit; }}
.outdated td {{ color: #707070; }}
@media (max-width: 700px) {{
  body {{ margin: 1em auto; }}
  table.pairs thead {{ position: absolute; clip-path: inset(50%); }}
  table.pairs, table.pairs tbody {{ display: block; }}
  table.pairs tr {{ display: grid; border: 1px solid #ccc; border-radius: 6px; margin: .7em 0; padding: .3em .6em; }}
  table.pairs tr[hidden] {{ display: none; }}
  table.pairs td {{ display: grid; grid-template-columns: 7em 1fr; border: 0; padding: .1em 0; text-align: left; }}
  table.pairs td::before {{ content: attr(data-label); color: #595959; font-weight: normal; }}
  table.pairs td > * {{ grid-column: 2; }}
  table.pairs td:empty {{ display: none; }}
}}
@media print {{
  body {{ margin: 0; max-width: none; font-size: 10px; }} th {{ position: static; }}
  #controls, button.turn {{ display: none !important; }}
  tbody tr {{ break-inside: avoid; }}
}}
"""
SIGNS = re.compile(r"([._:/\\|-]+)(?=\w)")
TEXT_CELLS = ("verdict", "a", "b", "test")  # numbers are all others
AT_ONCE, NEWLINE = 200, "\n"
"""Rows of a table that a browser builds before somebody wants more."""
FEWEST_OF_OVERVIEW, MOST_KINDS = 8, 20
"""Pairs from which on there is an overview; pairs of classes in it."""
OUTDATED = "Of pairs in grey an object may have changed since."
SAVED = "The list came with the .blend file: which faces are in contact was not saved with it."


def to_html(
    report: dict[str, Any], pictures: Mapping[str, bytes] | None = None, shapes: Mapping[str, bytes] | None = None
) -> str:
    """One page without any outside reference; every name is escaped.

    Args:
        report: what it says.
        pictures: PNG by the ids of pairs.
        shapes: binary glTF by the ids of pairs, for views that turn.
    """
    escape = html.escape
    pictures, shapes = pictures or {}, shapes or {}
    title = f"MeshClash: {escape(ntpath.basename(report['file'] or '') or 'unsaved file')}"
    facts = "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in _facts(report))
    notes = "".join(f"<p>{escape(line)}</p>\n" for line in (summary(report), *_notes(report)))
    page = without_controls(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title>\n<style>{STYLE}</style>\n'
        f"</head><body><main><h1>{title}</h1>\n{notes}<dl>\n{facts}\n</dl>\n{_overview(report)}{_controls(report)}"
        f"{_events(report)}"
        f"{_tables(table_header(report), report['pairs'], table_rows(report), _Told(report, pictures, shapes))}"
        f"{_not_tested(report['stats'])}"
        f"<p>Schema {escape(report['schema'])}, MeshClash {escape(report['version'])}</p></main>\n"
    )
    return f"{page}{_scripts(report, shapes)}</body></html>\n"


def _not_tested(stats: dict[str, Any]) -> str:
    """What took no part: what is lost, and what has nothing to collide with."""
    gone = [f"{item['name']}: {item['reason']}" for item in lost(stats)]
    left_out = [f"{item['name']}: {item['reason']}" for item in stats["skipped"] if not item["lost"]]
    kinds = kinds_in_words(stats["no_geometry"])
    return _listed("Lost", gone) + _listed("Not tested: no geometry", [*left_out, *([kinds] if kinds else [])])


def _listed(title: str, lines: list[str]) -> str:
    items = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
    return f"<h2>{title}</h2><ul>{items}</ul>\n" if lines else ""


def _scripts(report: dict[str, Any], shapes: Mapping[str, bytes]) -> str:
    """What makes the page move; of a page with shapes also what draws them."""
    if not report["pairs"]:
        return ""
    folder, parts = Path(__file__).parent, list[str]()
    if shapes:
        encoded = json.dumps({pair: base64.b64encode(content).decode() for pair, content in shapes.items()})
        encoded = encoded.replace("<", "\\u003c")
        viewer = (folder / "model_viewer.js").read_text("utf-8").replace("</script", "<\\/script")
        parts = [
            '<dialog id="view" aria-labelledby="view-title"><h2 id="view-title"></h2><div class="place"></div>'
            '<p><button type="button" class="close">Close</button></p></dialog>',
            f'<script type="application/json" id="shapes">{encoded}</script>',
            f'<script type="module">{viewer}</script>',
        ]
    parts.append(f'<script type="module">{(folder / "page.js").read_text("utf-8")}</script>')
    return "\n".join(parts) + "\n"


def _overview(report: dict[str, Any]) -> str:
    """How many pairs of each verdict have which status, and which kinds of things they are; "" of a few."""
    pairs = report["pairs"]
    if len(pairs) < FEWEST_OF_OVERVIEW:
        return ""
    told = {item["name"]: item for item in report["objects"]}
    statuses = list(dict.fromkeys(pair["status"] for pair in pairs))
    verdicts = list(dict.fromkeys(pair["verdict"] for pair in pairs))
    counts = Counter((pair["verdict"], pair["status"]) for pair in pairs)
    rows = [[verdict, *(counts[verdict, status] for status in statuses)] for verdict in verdicts]
    tables = _counts(["verdict", *statuses], rows)
    kinds = Counter(
        " and ".join(sorted(kind)) for pair in pairs
        if pair["verdict"] not in QUIET_VERDICTS and all(kind := _kinds(pair, told))
    )  # fmt: skip
    if kinds:
        tables += _counts(["classes", "pairs"], [[name, count] for name, count in kinds.most_common(MOST_KINDS)])
    return f"<h2>Overview</h2>\n{tables}{_groups(report)}"


def _groups(report: dict[str, Any]) -> str:
    """The groups of clashes with their reasons, folded; "" where each clash is one of its own."""
    groups = report.get("groups") or []
    count = sum(len(group["pairs"]) for group in groups)
    if len(groups) in (0, count):
        return ""
    items = "".join(f"<li>{html.escape(group['reason'])}: {len(group['pairs']):,}</li>" for group in groups)
    head = html.escape(f"{count:,} clashes in {len(groups):,} groups by {report['group_by']}")
    return f"<details><summary>{head}</summary><ol>{items}</ol></details>\n"


def _kinds(pair: dict[str, Any], told: Mapping[str, Mapping[str, str]]) -> list[str]:
    return [told.get(pair[name], {}).get("class", "") for name in ("a", "b")]


def _counts(titles: list[str], rows: list[list[Any]]) -> str:
    head = "".join(f'<th scope="col">{html.escape(title)}</th>' for title in titles)
    body = "\n".join(
        f'<tr><th scope="row">{html.escape(str(row[0]))}</th>{"".join(f"<td>{count:,}</td>" for count in row[1:])}</tr>'
        for row in rows
    )
    return f'<table class="overview"><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>\n'


def _controls(report: dict[str, Any]) -> str:
    """Search and filters, which the script shows."""
    menus = []
    for name in ("verdict", "status"):
        values = list(dict.fromkeys(pair[name] for pair in report["pairs"]))
        if len(values) > 1:
            menus.append(_menu(name, values))
    if report["baseline"] is not None:
        menus.append(_menu("new", ["new", "known"]))
    groups = report.get("groups") or []
    if len(groups) > 1:
        named = {str(k): f"{k}: {group['reason']} ({len(group['pairs'])})" for k, group in enumerate(groups, start=1)}
        menus.append(_menu("group", list(named), named))
    return (
        '<div id="controls" role="search" hidden><label>Search<input id="search" type="search"></label>'
        f'{"".join(menus)}<output id="counted"></output>'
        '<button type="button" id="more" hidden>Show more</button></div>\n'
    )


def _menu(name: str, values: list[str], words: Mapping[str, str] | None = None) -> str:
    shown = words or {}
    options = "".join(
        f'<option value="{html.escape(value, quote=True)}">{html.escape(shown.get(value, value))}</option>'
        for value in values
    )
    return f'<label>{name}<select id="filter-{name}"><option value="">all</option>{options}</select></label>'


class _Told:
    """What a page shows of pairs beside their cells."""

    def __init__(self, report: dict[str, Any], pictures: Mapping[str, bytes], shapes: Mapping[str, bytes]) -> None:
        self.objects = {item["name"]: item for item in report["objects"]}
        self.pictures, self.shapes = dict(pictures), shapes

    def of_name(self, name: str) -> str:
        """GlobalId, class and storey under a name."""
        item = self.objects.get(name, {})
        known = [item[key] for key in ("class", "type", "storey", "system", "GlobalId") if item.get(key)]
        return f"<small>{html.escape(' · '.join(known))}</small>" if known else ""

    def look(self, pair: dict[str, Any]) -> str:
        """A picture and a button, of the first row of a pair."""
        label = html.escape(f"{pair['a']} and {pair['b']}", quote=True)
        picture = self.pictures.pop(pair["id"], None)
        shown = ""
        if picture is not None:
            data = base64.b64encode(picture).decode()
            shown = f'<img loading="lazy" alt="{label}" src="data:image/png;base64,{data}">'
        if pair["id"] in self.shapes:
            given = f'class="turn" data-id="{html.escape(pair["id"], quote=True)}" aria-label="View {label}"'
            shown += f'<button type="button" hidden {given}>View</button>'
        return shown


def _events(report: dict[str, Any]) -> str:
    """The events of a range of frames, before the pairs of each frame; "" of one frame."""
    if report["events"] is None:
        return ""
    tables = _tables(event_header(report), report["events"], event_rows(report), _Told(report, {}, {}))
    return f"<h2>Events</h2>\n{tables}<h2>Frame by frame</h2>\n"


def _tables(titles: tuple[str, ...], said: list[dict[str, Any]], cells: list[tuple[str, ...]], told: _Told) -> str:
    """A table of pairs or events; those that only touch, or are apart, in one that is closed, where there are others.

    In an assembly nearly everything touches something: clashes would be lost among them, on a page that nobody prints.
    """
    heads = ("no.", *titles, "status", "comment")
    rows = [
        (_row(number, pair, row, heads, told), pair["verdict"] in QUIET_VERDICTS)
        for number, (pair, row) in enumerate(zip(said, cells, strict=True), start=1)
    ]
    loud, quiet = ([row for row, is_quiet in rows if is_quiet == kind] for kind in (False, True))
    if not loud or not quiet:
        return _table(heads, loud or quiet)
    names = " or ".join(VERDICTS[name].counted for name in dict.fromkeys(pair["verdict"] for pair in said)
                        if name in QUIET_VERDICTS)  # fmt: skip
    more = f'<details class="quiet"><summary>{len(quiet):,} more: {names}</summary>\n{_table(heads, quiet)}</details>\n'
    return _table(heads, loud) + more


def _table(titles: tuple[str, ...], rows: list[str]) -> str:
    """A table; what follows its first rows is text for the script, and a table of its own where none runs."""
    head = "".join(f'<th scope="col">{html.escape(title)}</th>' for title in titles[:-2])
    head += "".join(f'<th scope="col" class="said">{title}</th>' for title in titles[-2:])
    parts = [
        f'<table class="pairs"><thead><tr>{head}</tr></thead>\n<tbody>\n{NEWLINE.join(part)}\n</tbody></table>\n'
        for part in (rows[:AT_ONCE], rows[AT_ONCE:])
    ]
    return parts[0] + (f'<noscript class="more">{parts[1]}</noscript>\n' if rows[AT_ONCE:] else "")


def _breakable(text: str) -> str:
    """A text, escaped, that may be broken after the signs between its words; longer words only where they must."""
    return SIGNS.sub(r"\1<wbr>", html.escape(text))


def _row(number: int, pair: dict[str, Any], cells: tuple[str, ...], titles: tuple[str, ...], told: _Told) -> str:
    classes = [pair["verdict"], pair["status"], *(["outdated"] if pair.get("outdated") else [])]
    new = {None: "", True: "new", False: "known"}[pair.get("new")]
    labels = [html.escape(title, quote=True) for title in titles]
    look = told.look(pair)
    shown = [f'<td data-label="{labels[0]}" data-value="{number}"><span>{number}</span>{look}</td>']
    for k, cell in enumerate(cells):
        is_text = titles[k + 1] in TEXT_CELLS
        inner = f"<span>{_breakable(cell) if is_text else html.escape(cell)}</span>" if cell else ""
        if k in (1, 2):
            inner += told.of_name(cell)
        kind = f' data-value="{VALUES[titles[k + 1]](pair)!r}"' if _has_value(titles[k + 1], pair) else ""
        style = "" if is_text else ' class="number"'
        mark = f" ({new})" if k == 0 and new else ""
        shown.append(f'<td{style} data-label="{labels[k + 1]}"{kind}>{inner}{mark}</td>')
    for name, label in zip(("status", "comment"), labels[-2:], strict=True):
        inner = f"<span>{_breakable(pair[name])}</span>" if pair[name] else ""
        shown.append(f'<td class="said" data-label="{label}">{inner}</td>')
    given = {"verdict": pair["verdict"], "status": pair["status"], "new": new, "group": str(pair.get("group") or "")}
    data = "".join(f' data-{name}="{html.escape(value, quote=True)}"' for name, value in given.items())
    return f'<tr class="{html.escape(" ".join(classes))}"{data} title="{html.escape(pair["id"])}">{"".join(shown)}</tr>'


VALUES: dict[str, Any] = {
    "depth": lambda pair: pair["depth"] if pair["depth"] is not None else pair["depth_upper"],
    "gap": lambda pair: pair["distance"],
    "common volume": lambda pair: pair["volume"],
    "probability": lambda pair: pair["probability"],
    "contacts": lambda pair: pair["contacts"],
    "frame": lambda pair: pair["frame"],
}
"""Numbers by which columns are sorted, by their titles."""


def _has_value(title: str, pair: dict[str, Any]) -> bool:
    try:
        return title in VALUES and VALUES[title](pair) is not None
    except KeyError:  # events have fewer
        return False


def _notes(report: dict[str, Any]) -> list[str]:
    saved = report["saved_list"]
    missing = f" {saved['missing']:,} more pairs were found, but not saved." if saved and saved["missing"] else ""
    return [
        *([OUTDATED] if any(pair["outdated"] for pair in report["pairs"]) else []),
        *([SAVED + missing] if saved else []),
        *([warning[0].upper() + warning[1:] + "."] if (warning := coarse(report)) else []),
        *([told[0].upper() + told[1:].rstrip(".") + "."] if (told := understood(report)) else []),
    ]


def _facts(report: dict[str, Any]) -> list[tuple[str, str]]:
    """What was asked, when, and of which file: only what the test uses, in words."""
    asked = report["options"]
    test = test_named(asked["test"])
    common = [
        ("File", report["file"] or "never saved"),
        *([("Compared with", report["baseline"])] if report["baseline"] else []),
        ("Detected", (report["created"] or "at an unknown time").replace("T", " ")),
    ]
    if report.get("tests", ()):
        return [*common, *((item["name"], _of_test(item)) for item in report.get("tests", ()))]
    facts = [
        *common,
        ("Test", test.label),
        ("Set A" if test.of_pairs else "Objects", set_in_words(asked["set_a"])),
        *([("Set B", set_in_words(asked["set_b"]))] if test.of_pairs else []),
    ]
    for option in OPTIONS.values():
        known = asked.get(option.name, option.default)
        if option.is_for(test.name) and (option.tests or known != option.default):
            told = permitted(report) if option.name == "permitted_overlap" else ""
            if value := told or _of_option(option, known):
                facts.append((option.title.capitalize(), value))
    if files := report.get("files"):
        facts.append(("Units", _units(files)))
    else:
        facts.append(("Frames", asked["frames"] or "the current one"))
    if asked["exclude"]:
        facts.append(("Pairs left out", ", ".join(asked["exclude"])))
    if asked["exclude_pairs"]:
        facts.append(("Single pairs left out", "; ".join(" × ".join(pair) for pair in asked["exclude_pairs"])))
    return facts


def _of_option(option: Option, value: Any) -> str:
    """The value of an option in words; "" where there is nothing to say."""
    if option.kind == "length":
        return format_length(value)
    if option.kind == "volume":
        return f"at least {format_volume(value)}"
    if option.kind == "time":
        return format_seconds(value)
    if option.kind == "count":
        return f"at most {value:,}"
    if option.kind == "fits":
        return "; ".join(f"{a} × {b} {format_length(permitted)}" for a, b, permitted in value)
    return value if option.kind == "choice" else "yes" if value else ""


def _units(files: list[dict[str, Any]]) -> str:
    """What a length of 1 means in the files."""
    kinds = Counter((format_length(item["metres_per_unit"]), item["names_unit"]) for item in files)
    told = (
        length if named else f"{length} taken for {count:,} without a unit" for (length, named), count in kinds.items()
    )
    return "; ".join(told)


def _of_test(asked: dict[str, Any]) -> str:
    """What one of several tests asks: its kind, its sets and its lengths."""
    test = test_named(asked["test"])
    sets = f"{set_in_words(asked['set_a'])} with {set_in_words(asked['set_b'])}" if test.of_pairs else asked["set_a"]
    lengths = [
        f"{option.title} {format_length(asked[option.name])}"
        for option in OPTIONS.values()
        if option.kind == "length" and option.tests and asked[option.name]
    ]
    return ", ".join([f"{test.label}: {sets}", *lengths])
