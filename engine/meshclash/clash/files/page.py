"""Write a report of schema `meshclash.report/1` as one web page to read, search and print.

The page is complete without its script, which adds filters, search, sorting and views that turn. The page needs no
other files, and loads nothing from the network. The page shows file names without folders.
"""

from __future__ import annotations

import base64
import html
import json
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from ..cell_text import format_depth
from ..colours import COLOUR_A, COLOUR_B, hexadecimal
from ..fasteners import REASONS
from ..gone import NOT_TESTED as UNTESTED
from ..gone import REASONS as REASONS_GONE
from ..report_formats import APPROVED, coarse, lost, summary, understood
from ..sent_paths import without_folders
from ..terminal import without_controls
from ..units import length_in_words
from ..verdicts import AMBER, CLASH_VERDICTS, GREEN, NEAR, QUIET_VERDICTS, RED, VERDICTS
from ..words import counted, kinds_in_words, plural
from .page_objects import Matrix, Objects, base_name, matrices
from .page_rows import PageRows, breakable, image, label_style, table
from .page_settings import MOST_IN_TITLE, settings, tests_of, title, when

FOLDER = Path(__file__).parent
TONES = {RED: "red", AMBER: "amber", GREEN: "green"}
"""Variables of the style sheet for the colours of verdicts, so that they are readable on a dark page, too."""
CARDS_AT_ONCE = 60
"""Groups that a browser lays out before somebody wants more."""
MOST_NAMED = 5
"""Lost objects that the head of the page names."""
MOST_OPEN = 20
"""Clashes of one reason that are listed without a click."""
UNKNOWN = " (they may still exist)"
WORDS_OF_TESTS = {"intersection", "clearance"}
"""Tests whose result is described as a number of clashes; other tests use other words."""
OUTDATED = "An object of the pairs in grey may have changed since the test."
SAVED = "The list came with the .blend file: which faces are in contact was not saved with it."
SHARED_TITLE = "Elements that several models contain"
SHARED = (
    "Equal GlobalId, shape and place in several models, such as origin markers and shared grids. The models contain "
    "the same element, so these pairs are duplicates, and no clash between different elements."
)


def to_html(
    report: dict[str, Any], pictures: Mapping[str, bytes] | None = None, shapes: Mapping[str, bytes] | None = None
) -> str:
    """Return a self-contained page; every name is escaped.

    Args:
        report: the report to write.
        pictures: PNG by the ids of pairs.
        shapes: binary glTF by the ids of pairs, for views that turn.
    """
    return _Page(report, pictures or {}, shapes or {}).text()


class _Page:
    """Writes the parts of one page, from top to bottom."""

    def __init__(self, report: dict[str, Any], pictures: Mapping[str, bytes], shapes: Mapping[str, bytes]) -> None:
        self.report, self.pictures, self.shapes = report, pictures, shapes
        self.objects = Objects(report)
        self.matrices = matrices(report, self.objects)
        self.by_id = {pair["id"]: pair for pair in reversed(report["pairs"])}  # the worst row of each
        groups = list(enumerate(report.get("groups") or [], start=1))
        known = [(k, group, [self.by_id[each] for each in group["pairs"] if each in self.by_id]) for k, group in groups]
        shared = [all(map(self.objects.is_shared, pairs)) for _, _, pairs in known]
        self.groups = [item for item, is_shared in zip(known, shared, strict=True) if not is_shared and item[2]]
        self.shared = [item for item, is_shared in zip(known, shared, strict=True) if is_shared and item[2]]
        of_cards = {self._face(pairs) for _, _, pairs in known}
        self.rows = PageRows(
            report, self.objects, self.matrices, {key: pictures[key] for key in pictures if key not in of_cards}
        )

    def text(self) -> str:
        """Return the whole page."""
        name = html.escape(title(self.objects))
        body = "".join((
            self._head(name), self._matrices(), self._controls(), self._groups(), self._tables(),
            self._gone(), self._not_tested(), self._settings(),
        ))  # fmt: skip
        page = without_controls(
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{name} – Clash report</title>\n<style>\n{self._style()}</style>\n</head>\n<body>\n"
            f'<a class="skip" href="#findings">Skip to the findings</a>\n{body}'
        )
        return f"{page}{self._scripts()}</body></html>\n"

    # ---- first screen

    def _head(self, name: str) -> str:
        told = [part for part in ("Clash report", when(self.report)) if part]
        models = "".join(f"<li>{breakable(model)}</li>" for model in self._model_names())
        return (
            f'<main>\n<header><p class="soft">{html.escape(" · ".join(told))}</p>\n<h1>{name}</h1>\n'
            f'<p class="outcome">{html.escape(self.outcome())}</p>\n'
            f"{_paragraphs(summary(self.report), *_notes(self.report))}\n"
            + (f'<ul class="models" aria-label="Models that were compared">{models}</ul>\n' if models else "")
            + f"{self._figures()}{self._lost()}{self._warnings()}</header>\n"
        )

    def _model_names(self) -> list[str]:
        """Return the full names of the models if the title does not contain all of them."""
        names = self.objects.models
        said = {item["name"]: item.get("discipline") for item in self.report.get("models") or []}
        if len(names) <= MOST_IN_TITLE and not any(said.values()):
            return []
        return [f"{self.objects.short(name)}: {said[name]}" if said.get(name) else name for name in names]

    def outcome(self) -> str:
        """Return the result in one sentence."""
        report = self.report
        if not tests_of(report) <= WORDS_OF_TESTS:
            return summary(report)
        listed = [pair for pair in self.by_id.values() if pair["status"] != APPROVED]
        clashes = [pair for pair in listed if pair["verdict"] in CLASH_VERDICTS and not self.objects.is_shared(pair)]
        near = sum(pair["verdict"] == NEAR for pair in listed)
        if clashes:
            groups = len({pair.get("group") for pair in clashes} - {None})
            words = _number(len(clashes), "clash")
            words += f" in {_number(groups, 'group')}" if 0 < groups < len(clashes) else ""
            new = sum(bool(pair.get("new")) for pair in clashes)
            words += f", {new:,} of them new" if report["baseline"] is not None else ""
        else:
            settled = (pair["verdict"] for pair in self.by_id.values() if pair["status"] == APPROVED)
            approved = any(verdict in CLASH_VERDICTS for verdict in settled)
            words = "No clashes besides the approved ones" if approved else "No clashes"
            words += " between different elements" if self.shared else ""
        if near:
            words += f", and {_number(near, 'pair')} too near"
        if lost(report["stats"]):
            words += ". Some objects could not be tested"
        return f"{words}."

    def _figures(self) -> str:
        """Return the numbers of the report in one line."""
        pairs = self.by_id.values()
        found = [pair for pair in pairs if pair["verdict"] in CLASH_VERDICTS]
        clashes = [pair for pair in found if not self.objects.is_shared(pair)]
        shared = len(found) - len(clashes)
        statuses = Counter(pair["status"] for pair in clashes)
        quiet = Counter(pair["verdict"] for pair in pairs if pair["verdict"] not in CLASH_VERDICTS)
        numbers = [
            (len(self.groups), _noun(len(self.groups), "group"), ""), (len(clashes), _noun(len(clashes), "clash"), ""),
            *((count, status, "") for status, count in statuses.items()),
            *([(sum(bool(pair.get("new")) for pair in clashes), "new", "")] if self.report["baseline"] else []),
            *((count, VERDICTS[verdict].counted, "") for verdict, count in quiet.items()),
            (len(self.report.get("gone") or []), "gone", ""),
            (shared, _noun(shared, "pair") + " of one element in two models", ""),
            (len(lost(self.report["stats"])), "lost, not tested", "lost"),
        ]  # fmt: skip
        items = "".join(
            f"<li{f' class={kind}' if kind else ''}><b>{number:,}</b> {html.escape(words)}</li>"
            for number, words, kind in numbers
            if number
        )
        return f'<ul class="figures" aria-label="Numbers">{items}</ul>\n' if items else ""

    def _lost(self) -> str:
        """Return a warning about objects that could not be tested; "" if all objects were tested."""
        gone = lost(self.report["stats"])
        if not gone:
            return ""
        named = [f"{item['name']}: {self._without_folders(item['reason'])}" for item in gone[:MOST_NAMED]]
        more = [f"and {len(gone) - MOST_NAMED:,} more"] if len(gone) > MOST_NAMED else []
        items = "".join(f"<li>{html.escape(line)}</li>" for line in (*named, *more))
        head = f"{counted(len(gone), 'object')} could not be tested. Clashes with {'it' if len(gone) == 1 else 'them'} "
        return (
            f'<div class="warning" role="note"><b>{head}are unknown.</b><ul>{items}</ul>'
            '<a href="#not-tested">What was not tested</a></div>\n'
        )

    def _warnings(self) -> str:
        """Return warnings about models that do not match, and about decisions that have to be made again."""
        told = [line[:1].upper() + line[1:] for line in self.report.get("warnings") or []]
        if again := [item for item in self.report.get("undecided") or [] if item["candidates"]]:
            told.append(f"{counted(len(again), 'decision')} of the earlier report cannot be told apart: decide again")
        items = "".join(f"<li>{html.escape(line)}</li>" for line in told)
        return f'<div class="warning mild" role="note"><b>Please check</b><ul>{items}</ul></div>\n' if told else ""

    # ---- matrices and filters

    def _matrices(self) -> str:
        """Return tables with the number of pairs between models, and between kinds of objects."""
        if not self.matrices:
            return ""
        parts = []
        if matrix := self.matrices.get("m"):
            parts.append(_matrix("m", matrix, "Clashes between models", self.objects.short))
        if matrix := self.matrices.get("k"):
            word = {"class": "classes", "collection": "collections"}.get(self.objects.kind_word, "kinds of objects")
            shown = _matrix("k", matrix, f"Clashes between {word}", str)
            parts.append(
                f"<details><summary>By {self.objects.kind_word}</summary>{shown}</details>" if parts else shown
            )
        hint = '<p class="soft scripted" hidden>Click a number to see only these clashes.</p>'
        head = '<h2 id="where">Where the clashes are</h2>'
        return f'<section aria-labelledby="where">{head}{hint}{"".join(parts)}</section>\n'

    def _controls(self) -> str:
        """Return the search field and filters, which the script shows."""
        pairs = self.report["pairs"]
        menus = []
        for name, label, words in (("verdict", "Result", _verdict_label), ("status", "Status", str)):
            values = list(dict.fromkeys(pair[name] for pair in pairs))
            if len(values) > 1:
                menus.append(_menu(name, label, {value: words(value) for value in values}))
        if self.report["baseline"] is not None:
            menus.append(_menu("new", "Since the earlier report", {"new": "new", "known": "known"}))
        storeys = sorted({name for pair in pairs for name in self.objects.storeys(pair)})
        if len(storeys) > 1:
            menus.append(_menu("storey", "Storey", {name: name for name in storeys}))
        return (
            '<div id="findings"></div><form id="controls" role="search" hidden>'
            '<label>Search<input id="search" type="search" placeholder="Name, class, GlobalId"></label>'
            f'{"".join(menus)}<button type="button" class="plain" id="clear" hidden>Clear filters</button>'
            '<output id="counted" aria-live="polite"></output></form>\n'
        )

    # ---- groups

    def _groups(self) -> str:
        """Return a card for each group of clashes; groups of shared elements come last."""
        way = self.report.get("group_by", "")
        head = f"{_number(len(self.groups), 'group')} by {way}. One decision can cover all pairs of a group."
        return (
            self._cards("Groups of clashes", head, self.groups)
            + self._cards(SHARED_TITLE, SHARED, self.shared)
            + self._shared_once()
        )

    def _shared_once(self) -> str:
        """Return the elements that several models contain and that were tested only once."""
        found = Counter(
            f"{item['name']} in {', '.join(map(self.objects.short, item['models']))}"
            for item in self.report.get("shared") or []
        )
        if not found:
            return ""
        items = "".join(
            f"<li>{html.escape(words)}{f' ({count:,})' if count > 1 else ''}</li>" for words, count in found.items()
        )
        head = f"{counted(found.total(), 'element')} with equal GlobalId, shape and place; each was tested once."
        return (
            f'<section><h2>{SHARED_TITLE}</h2><details><summary>{head}</summary><ul class="plainlist">{items}</ul>'
            "</details></section>\n"
        )

    def _cards(self, name: str, head: str, groups: list[tuple[int, dict[str, Any], list[dict[str, Any]]]]) -> str:
        if not groups:
            return ""
        cards = [self._card(*group) for group in groups]
        rest = cards[CARDS_AT_ONCE:]
        more = f'<noscript class="rest">{"".join(rest)}</noscript>\n' if rest else ""
        return (
            f'<section class="groups"><h2>{name}</h2><p class="soft">{html.escape(head)}</p>\n'
            f'<div class="cards">{"".join(cards[:CARDS_AT_ONCE])}</div>\n{more}</section>\n'
        )

    def _card(self, number: int, group: dict[str, Any], pairs: list[dict[str, Any]]) -> str:
        look = self._look(pairs)
        name = group.get("name") or ""
        reason = f"{name}: {group['reason']}" if name else group["reason"]
        verdicts = Counter(pair["verdict"] for pair in pairs)
        badges = "".join(
            f'<span class="badge {html.escape(verdict)}">{count:,} {html.escape(VERDICTS[verdict].counted)}</span>'
            for verdict, count in verdicts.items()
        )
        new = sum(bool(pair.get("new")) for pair in pairs)
        badges += f'<span class="badge">{new:,} new</span>' if new else ""
        again = sum(bool(pair.get("decide_again")) for pair in pairs)
        badges += f'<span class="badge again">{again:,} to decide again</span>' if again else ""
        facts = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in self._facts_of(group, pairs) if value)
        members = (
            f'<details class="members"><summary>{_number(len(pairs), "pair")}</summary>'
            '<p class="listed"><a href="#pairs">In the list of all pairs</a></p></details>'
        )
        return (
            f'<article class="group{"" if look else " bare"}" id="group-{number}" data-group="{number}" '
            f'aria-labelledby="group-{number}-title">\n{look}<div class="said"><p>{badges}'
            f'<span class="tag scripted matching"></span></p>\n'
            f'<h3 id="group-{number}-title">{number}. {breakable(reason)}</h3>\n'
            f"<dl>{facts}</dl>{'' if look else self._view(pairs)}</div>\n{members}</article>\n"
        )

    def _look(self, pairs: list[dict[str, Any]]) -> str:
        """Return the picture of a group with a button for a 3D view; "" without a picture and shapes."""
        face = self._face(pairs)
        if face is None:
            return ""
        pair = self.by_id[face]
        label = f"{pair['a']} in red and {pair['b']} in blue"
        return f"<figure>{image(self.pictures[face], label)}{self._view(pairs)}</figure>"

    def _view(self, pairs: list[dict[str, Any]]) -> str:
        """Return the button that opens a 3D view; "" if the pair has no shape."""
        pair = next((pair for pair in pairs if pair["id"] in self.shapes), None)
        if pair is None:
            return ""
        label = html.escape(f"View {pair['a']} and {pair['b']} in 3D")
        return (
            f'<button type="button" class="plain turn" hidden data-id="{html.escape(pair["id"])}" '
            f'aria-label="{label}">View in 3D</button>'
        )

    def _face(self, pairs: list[dict[str, Any]]) -> str | None:
        """Return the pair whose picture represents a group: the first pair that has one."""
        return next((pair["id"] for pair in pairs if pair["id"] in self.pictures), None)

    def _facts_of(self, group: dict[str, Any], pairs: list[dict[str, Any]]) -> list[tuple[str, str]]:
        """Return names and values for a card, as HTML."""
        worst = pairs[0]
        objects = self.objects
        storeys = Counter(name for pair in pairs for name in objects.storeys(pair))
        models = dict.fromkeys(words for pair in pairs if (words := self._models_of(pair)))
        statuses = Counter(pair["status"] for pair in pairs)
        alone = len(pairs) == 1 and worst["location"] is not None
        who, due = (_most_said(group, pairs, name) for name in ("assignee", "due"))
        write = '<span class="write"></span>'
        comments = list(dict.fromkeys(pair["comment"] for pair in pairs if pair["comment"]))
        return [
            ("Objects", _coloured(worst["a"], worst["b"]) if alone else ""),
            ("Worst pair", "" if alone else _coloured(worst["a"], worst["b"])),
            ("Depth", html.escape(_depths(pairs))),
            ("Models", html.escape(", ".join(models)) if len(objects.models) > 1 else ""),
            ("Storey", html.escape(_shares(storeys))),
            ("Place", html.escape(" ".join(f"{x:.2f}" for x in worst["location"])) + " m" if alone else ""),
            ("Status", html.escape(group.get("status") or _with_counts(statuses))),
            ("Assigned to", html.escape(who) or f'<span class="nobody soft">nobody yet</span>{write}'),
            ("Due", html.escape(due) or f'<span class="nobody soft">no date</span>{write}'),
            ("Comment", html.escape(group.get("comment") or " · ".join(comments[:3]))),
        ]

    def _models_of(self, pair: dict[str, Any]) -> str:
        """Return the models of a pair as text; "" if they are unknown."""
        names = sorted(self.objects.short(self.objects.model(pair, side)) for side in "ab")
        if not all(names):
            return ""
        return f"within {names[0]}" if names[0] == names[1] else " × ".join(names)

    # ---- pairs

    def _tables(self) -> str:
        """Return the table of all pairs, preceded by the table of events for a range of frames."""
        report = self.report
        if not report["pairs"]:
            return ""
        columns, events = self.rows.pair_columns(), ""
        if report["events"] is not None:
            told = self.rows.event_columns()
            rows = [(event, self.rows.row(k, event, told)) for k, event in enumerate(report["events"], start=1)]
            events = f"<h2>Events</h2>\n{_loud_and_quiet(told, rows, 'events')}"
        rows = [(pair, self.rows.row(k, pair, columns)) for k, pair in enumerate(report["pairs"], start=1)]
        name = "All pairs" if report["events"] is None else "Frame by frame"
        key = f'<p class="soft">{_key("a")}first object {_key("b")}second object, as in pictures and 3D views</p>'
        return (
            f'<section id="pairs" class="{"in-cards" if self.groups or self.shared else ""}">{events}'
            f"<h2>{name}</h2>\n{key if self.pictures or self.shapes else ''}"
            f"{_loud_and_quiet(columns, rows, 'list')}</section>\n"
        )

    # ---- the end

    def _gone(self) -> str:
        """Return the clashes of the earlier report that are no longer found, by the reasons."""
        found: dict[str, list[dict[str, Any]]] = {why: [] for why in REASONS_GONE}
        for item in self.report.get("gone") or []:
            found.setdefault(item["why"], []).append(item)
        parts = "".join(
            f"<details{' open' if len(items) <= MOST_OPEN else ''}><summary>{html.escape(why.capitalize())}"
            f"{UNKNOWN if why in UNTESTED else ''}: {_number(len(items), 'clash')}</summary>"
            f'<ul class="plainlist">{"".join(map(self._gone_line, items))}</ul></details>'
            for why, items in found.items() if items
        )  # fmt: skip
        if not parts:
            return ""
        earlier = base_name(self.report["baseline"] or "the earlier report")
        head = f"Clashes of {earlier} that this test did not find, by reason."
        return (
            f'<section id="gone"><h2>Gone since the earlier report</h2><p class="soft">{html.escape(head)}</p>'
            f"{parts}</section>\n"
        )

    def _gone_line(self, item: dict[str, Any]) -> str:
        """Return a clash that is gone as an entry of a list: the objects, their models, and what was decided."""
        sides = [
            f"{item[side]} ({self.objects.short(model)})" if (model := item.get(f"model_{side}")) else item[side]
            for side in "ab"
        ]
        told = [item["detail"], format_depth(item), item["status"], item["comment"]]
        more = " · ".join(text for text in told if text)
        return f"<li>{html.escape(' × '.join(sides))} <small>{html.escape(more)}</small></li>"

    def _not_tested(self) -> str:
        """Return the objects that were not tested: objects that could not be read, and objects without geometry."""
        stats = self.report["stats"]
        gone = [f"{item['name']}: {self._without_folders(item['reason'])}" for item in lost(stats)]
        left_out = [
            f"{item['name']}: {self._without_folders(item['reason'])}"
            for item in stats["skipped"] if not item["lost"] and item["reason"] not in REASONS
        ]  # fmt: skip
        ignored = [f"{item['name']}: {item['reason']}" for item in stats["skipped"] if item["reason"] in REASONS]
        kinds = kinds_in_words(stats["no_geometry"])
        if not gone and not left_out and not kinds and not ignored:
            return ""
        parts = _listed("Lost: should have been tested", gone) + _listed(
            "No geometry, nothing to test", [*left_out, *([kinds] if kinds else [])]
        )
        parts += _listed("Fasteners: ignored, as asked", ignored)
        return f'<section id="not-tested"><h2>What was not tested</h2>{parts}</section>\n'

    def _without_folders(self, reason: str) -> str:
        """Remove folder names from a reason."""
        paths = [item["path"] for item in self.report.get("files") or []] + [self.report["file"] or ""]
        return without_folders(reason, paths)

    def _settings(self) -> str:
        facts = "\n".join(
            f"<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>" for name, value in settings(self.report)
        )
        return (
            f'<section class="settings"><h2>How it was tested</h2><dl>\n{facts}\n</dl></section>\n</main>\n'
            f"<footer>MeshClash {html.escape(self.report['version'])} · {html.escape(self.report['schema'])}</footer>\n"
        )

    def _style(self) -> str:
        tables = [(self.rows.pair_columns(), "list")]
        if self.report["events"] is not None:
            tables.append((self.rows.event_columns(), "events"))
        colours = f":root {{ --one: #{hexadecimal(COLOUR_A)}; --two: #{hexadecimal(COLOUR_B)}; }}\n"
        verdicts = "".join(
            f".badge.{entry.name}, .verdict.{entry.name} {{ color: var(--{TONES.get(entry.style, 'ink')}); }}\n"
            for entry in VERDICTS.values()
        )
        labels = "".join(label_style(columns, name) for columns, name in tables)
        return (FOLDER / "page.css").read_text("utf-8") + colours + verdicts + labels

    def _scripts(self) -> str:
        """Return the scripts of the page; pages with shapes also need the script that draws them."""
        if not self.report["pairs"]:
            return ""
        parts = list[str]()
        if self.shapes:
            encoded = {pair: base64.b64encode(zlib.compress(data)).decode() for pair, data in self.shapes.items()}
            texts = json.dumps(encoded).replace("<", "\\u003c")
            viewer = (FOLDER / "model_viewer.js").read_text("utf-8").replace("</script", "<\\/script")
            parts = [
                '<dialog id="view" aria-labelledby="view-title"><h2 id="view-title"></h2><div class="place"></div>'
                '<p class="bar"><span class="soft">Drag to turn, scroll or pinch to zoom</span>'
                '<button type="button" class="plain close">Close</button></p></dialog>',
                f'<script type="application/json" id="shapes">{texts}</script>',
                f'<script type="module">{viewer}</script>',
            ]
        parts.append(f'<script type="module">{(FOLDER / "page.js").read_text("utf-8")}</script>')
        return "\n".join(parts) + "\n"


def _paragraphs(*lines: str) -> str:
    return "".join(f"<p>{html.escape(line)}</p>" for line in lines)


def _number(count: int, noun: str) -> str:
    return f"{count:,} {_noun(count, noun)}"


def _noun(count: int, noun: str) -> str:
    return noun if count == 1 else plural(noun)


def _verdict_label(verdict: str) -> str:
    return VERDICTS[verdict].label


def _with_counts(counts: Mapping[str, int]) -> str:
    """Format counts: "24 open, 3 approved"."""
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def _shares(counts: Mapping[str, int]) -> str:
    """Format counts: "Level 0 (8), Level 1 (4)"; without numbers for a single entry."""
    return ", ".join(f"{name} ({counts[name]:,})" if len(counts) > 1 else name for name in sorted(counts))


def _depths(pairs: Collection[dict[str, Any]]) -> str:
    """Format the proved depths of pairs, as "37.3 mm to 59.6 mm"; without proof, the bounds of the worst pair."""
    known = [pair["depth"] for pair in pairs if pair["depth"] is not None]
    if not known:
        return format_depth(next(iter(pairs)))
    least, most = (length_in_words(length, "METRIC", "MILLIMETERS") for length in (min(known), max(known)))
    return most if least == most else f"{least} to {most}"


def _coloured(a: str, b: str) -> str:
    """Return two names in the colours that the objects have in pictures."""
    return f"{_key('a')}{breakable(a)}<br>{_key('b')}{breakable(b)}"


def _key(side: str) -> str:
    return f'<span class="key {side}" aria-hidden="true"></span>'


def _most_said(group: Mapping[str, Any], pairs: Collection[dict[str, Any]], name: str) -> str:
    """Return the assignee or due date of a group, or else the most common value of its pairs."""
    found = group.get(name) or ", ".join(dict.fromkeys(str(pair[name]) for pair in pairs if pair.get(name)))
    return str(found)


def _matrix(letter: str, matrix: Matrix, caption: str, short: Callable[[str], str]) -> str:
    """Return a table with a number for each two names; the script turns the numbers into filters."""
    names = [short(name) for name in matrix.names]
    most = max(matrix.counts.values())
    heads = "".join(f'<th scope="col">{breakable(name)}</th>' for name in names)
    lines = []
    for row, name in enumerate(names):
        cells = '<td class="twice"></td>' * row
        for column in range(row, len(names)):
            count = matrix.counts[row, column]
            if not count:
                cells += '<td class="none"><span class="count">–</span></td>'
                continue
            label = html.escape(f"{name} and {names[column]}")
            cells += (
                f'<td class="heat-{round(9 * (count / most) ** 0.5)}">'
                f'<span class="count" data-cell="{letter}{row}-{column}" data-label="{label}">{count:,}</span></td>'
            )
        lines.append(f'<tr><th scope="row">{breakable(name)}</th>{cells}</tr>')
    return (
        f'<div class="scroll"><table class="matrix"><caption>{caption}</caption>'
        f'<thead><tr><td class="twice"></td>{heads}</tr></thead>'
        f"<tbody>\n{''.join(lines)}\n</tbody></table></div>"
    )


def _menu(name: str, label: str, words: Mapping[str, str]) -> str:
    options = "".join(
        f'<option value="{html.escape(value)}">{html.escape(shown)}</option>' for value, shown in words.items()
    )
    return f'<label>{label}<select id="filter-{name}"><option value="">all</option>{options}</select></label>'


def _loud_and_quiet(columns: list[Any], rows: list[tuple[dict[str, Any], str]], name: str) -> str:
    """Return a table of pairs or events; pairs that only touch or are apart go to a separate, collapsed table.

    In an assembly nearly all parts touch other parts. A list of all touching pairs would hide the clashes and make the
    page too long to print.
    """
    loud, quiet = (
        [row for pair, row in rows if (pair["verdict"] in QUIET_VERDICTS) == is_quiet] for is_quiet in (False, True)
    )
    if not loud or not quiet:
        return table(columns, loud or quiet, name)
    words = " or ".join(
        VERDICTS[verdict].counted
        for verdict in dict.fromkeys(pair["verdict"] for pair, _ in rows)
        if verdict in QUIET_VERDICTS
    )
    return (
        f'{table(columns, loud, name)}<details class="quiet"><summary>{len(quiet):,} more: {words}</summary>\n'
        f"{table(columns, quiet, name)}</details>\n"
    )


def _listed(name: str, lines: list[str]) -> str:
    items = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
    return f'<h3>{name}</h3><ul class="plainlist">{items}</ul>\n' if lines else ""


def _notes(report: dict[str, Any]) -> list[str]:
    saved = report["saved_list"]
    missing = f" {saved['missing']:,} more pairs were found, but not saved." if saved and saved["missing"] else ""
    return [
        *([OUTDATED] if any(pair["outdated"] for pair in report["pairs"]) else []),
        *([SAVED + missing] if saved else []),
        *([warning[0].upper() + warning[1:] + "."] if (warning := coarse(report)) else []),
        *([told[0].upper() + told[1:].rstrip(".") + "."] if (told := understood(report)) else []),
    ]
