"""Write the tables of pairs and events on a page."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..cell_text import format_verdict
from ..column_table import Column
from ..report_formats import format_moment, shown_columns
from ..verdicts import VERDICTS
from ..words import counted
from .page_objects import Matrix, Objects

SIGNS = re.compile(r"([_:/\\|-]+|(?<!\d)\.+|\.+(?!\d))(?=\w)")
"""Signs behind which a name may be broken; not the point of a number."""
AT_ONCE, NEWLINE = 200, "\n"
"""Rows of a table that a browser builds before somebody wants more."""

Pair = dict[str, Any]


class PageColumn(NamedTuple):
    """A column of a table.

    Attributes:
        title: over it.
        cell: HTML of its cell for a pair or an event.
        number: the number by which the column is sorted; None: the column is sorted by its text.
        kind: classes of its cells; "number" is right-aligned.
    """

    title: str
    cell: Callable[[Pair], str]
    number: Callable[[Pair], float | None] | None = None
    kind: str = ""


class PageRows:
    """Writes the table rows of one report.

    Args:
        report: a report of schema `meshclash.report/1`.
        objects: properties of the objects in the report.
        matrices: the matrices by their letters; rows name their cells, so that a click on a cell filters the rows.
        pictures: PNG by the ids of pairs, which their first rows show.
    """

    def __init__(
        self,
        report: dict[str, Any],
        objects: Objects,
        matrices: Mapping[str, Matrix],
        pictures: Mapping[str, bytes],
    ) -> None:
        self._report, self._objects, self._matrices = report, objects, matrices
        self._pictures = dict(pictures)

    def pair_columns(self) -> list[PageColumn]:
        """Return the columns of the table of pairs. This function is the only place that lists these columns."""
        report = self._report
        return [
            self._verdict(),
            self._object("a"),
            self._object("b"),
            *([PageColumn("Test", lambda pair: text(pair.get("test") or ""))] if report.get("tests") else []),
            *([_count("Frame", "frame")] if report["options"]["frames"] else []),
            *[_measure(column) for column in self._measures()],
            PageColumn("Place [m]", _place, kind="number place"),
            *_decision(report["pairs"]),
        ]

    def event_columns(self) -> list[PageColumn]:
        """Return the columns of the table of events."""
        report = self._report
        return [
            self._verdict(),
            self._object("a"),
            self._object("b"),
            *([PageColumn("Test", lambda event: text(event.get("test") or ""))] if report.get("tests") else []),
            *(_moment(title, name) for title, name in (("Start", "start"), ("End", "end"))),
            _count("Worst Frame", "worst_frame"),
            _count("Frames", "frames"),
            *[_measure(column) for column in self._measures() if column.name != "volume"],
            PageColumn("Starts", lambda event: text(event["begins"])),
            PageColumn("Ends", lambda event: text(event["ends"])),
            *_decision(report["events"]),
        ]

    def row(self, number: int, pair: Pair, columns: list[PageColumn]) -> str:
        """Return one table row, with the values that the script filters by as attributes."""
        new = {None: "", True: "new", False: "known"}[pair.get("new")]
        cells = [
            f"{letter}{cell[0]}-{cell[1]}"
            for letter, of in (("m", self._objects.model), ("k", self._objects.kind))
            if letter in self._matrices and (cell := self._matrices[letter].cell(of(pair, "a"), of(pair, "b")))
        ]
        given = {
            "id": pair["id"], "verdict": pair["verdict"], "status": pair["status"], "new": new,
            "group": str(pair.get("group") or ""), "storey": NEWLINE.join(self._objects.storeys(pair)),
            "cells": " ".join(cells),
        }  # fmt: skip
        data = "".join(f' data-{name}="{html.escape(value)}"' for name, value in given.items() if value)
        kind = f' class="{mark}"' if (mark := "outdated" if pair.get("outdated") else "") else ""
        shown = f'<td class="number"><span>{number}</span>{self._picture(pair)}</td>'
        return f"<tr{kind}{data}>{shown}{''.join(_cell(column, pair) for column in columns)}</tr>"

    def _picture(self, pair: Pair) -> str:
        picture = self._pictures.pop(pair["id"], None)
        if picture is None:
            return ""
        return image(picture, f"{pair['a']} and {pair['b']}")

    def _verdict(self) -> PageColumn:
        def cell(pair: Pair) -> str:
            label = VERDICTS[pair["verdict"]].label
            said = format_verdict(pair).replace(pair["verdict"], label, 1)
            mark = " (new)" if pair.get("new") else " (decide again)" if pair.get("decide_again") else ""
            return f'<span class="verdict {html.escape(pair["verdict"])}">{html.escape(said)}</span>{mark}'

        return PageColumn("Result", cell)

    def _object(self, side: str) -> PageColumn:
        title = {"a": "First object", "b": "Second object"}[side]

        def cell(pair: Pair) -> str:
            said = self._objects.said(pair[side])
            known = [said[key] for key in ("class", "type", "storey", "system") if said.get(key)]
            model = self._objects.short(self._objects.model(pair, side)) if len(self._objects.models) > 1 else ""
            told = " · ".join([*([model] if model else []), *known])
            more = f"<small>{html.escape(told)}</small>" if told else ""
            if said.get("GlobalId"):
                more += f'<small class="id">{html.escape(said["GlobalId"])}</small>'
            return f"{text(pair[side])}{more}"

        return PageColumn(title, cell, kind="name")

    def _measures(self) -> list[Column]:
        return [column for column in shown_columns(self._report) if column.tests]


def table(columns: list[PageColumn], rows: list[str], name: str) -> str:
    """Return a table; rows after the first ones are stored as text for the script, or in a second table if scripts are
    disabled.
    """
    heads = "".join(f'<th scope="col"{_kind(column)}>{html.escape(column.title)}</th>' for column in columns)
    head = f'<tr><th scope="col" class="number">No.</th>{heads}</tr>'
    parts = [
        f'<table class="pairs {name}"><thead>{head}</thead>\n<tbody>\n{NEWLINE.join(part)}\n</tbody></table>\n'
        for part in (rows[:AT_ONCE], rows[AT_ONCE:])
    ]
    return parts[0] + (f'<noscript class="rest">{parts[1]}</noscript>\n' if rows[AT_ONCE:] else "")


def label_style(columns: list[PageColumn], name: str) -> str:
    """Return CSS rules that label the cells of a table on a narrow screen, where the table has no header."""
    titles = ["No.", *(column.title for column in columns)]
    rules = "".join(
        f"  table.{name} td:nth-child({k})::before {{ content: {_css_text(title)}; }}\n"
        for k, title in enumerate(titles, start=1)
    )
    return f"@media (max-width: 720px) {{\n{rules}}}\n"


def text(value: str) -> str:
    """Return a text for a cell, escaped, with line breaks allowed between its words; "" for an empty text."""
    return f"<span>{breakable(value)}</span>" if value else ""


def breakable(value: str) -> str:
    """Return an escaped text with line breaks allowed after punctuation, and in longer words only if necessary."""
    return SIGNS.sub(r"\1<wbr>", html.escape(value))


def image(picture: bytes, label: str) -> str:
    """Embed a PNG in the page."""
    data = base64.b64encode(picture).decode()
    return f'<img alt="{html.escape(label)}" src="data:image/png;base64,{data}">'


def _css_text(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _cell(column: PageColumn, pair: Pair) -> str:
    value = column.number(pair) if column.number else None
    data = "" if value is None else f' data-value="{value!r}"'
    return f"<td{_kind(column)}{data}>{column.cell(pair)}</td>"


def _kind(column: PageColumn) -> str:
    return f' class="{column.kind}"' if column.kind else ""


def _measure(column: Column) -> PageColumn:
    return PageColumn(column.label, lambda pair: text(column.in_words(pair)), column.sorts_as, "number")


def _count(title: str, name: str) -> PageColumn:
    return PageColumn(title, lambda pair: text(str(pair[name])), lambda pair: float(pair[name]), "number")


def _moment(title: str, name: str) -> PageColumn:
    def cell(event: Pair) -> str:
        return text(format_moment(event[name], event[f"{name}_time"]))

    return PageColumn(title, cell, lambda event: float(event[name]), "number")


def _place(pair: Pair) -> str:
    """Return the location of a pair, with the number of faces or scan points in contact."""
    where = "" if pair["location"] is None else text(" ".join(f"{x:.2f}" for x in pair["location"]))
    members = " with ".join(
        counted(len(points), "point") if (points := pair[f"points_{side}"]) else counted(pair[f"count_{side}"], "face")
        for side in "ab"
    )
    return f"{where}<small>{members}</small>" if any(pair[f"count_{side}"] for side in "ab") else where


def _decision(pairs: list[Pair]) -> list[PageColumn]:
    """Return the status of a pair and, if set, its assignee, due date and comment."""
    told = [
        PageColumn(title, lambda pair, name=name: text(str(pair.get(name) or "")))  # type: ignore[misc]
        for title, name in (("Assigned to", "assignee"), ("Due", "due"), ("Comment", "comment"))
        if any(pair.get(name) for pair in pairs)
    ]
    return [PageColumn("Status", lambda pair: text(pair["status"])), *told]
