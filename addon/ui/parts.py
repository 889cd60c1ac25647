"""Shared parts of panels."""

from __future__ import annotations

from typing import Any

from bpy.types import Panel

from .. import preferences
from ..core.short_names import CUT, whole_words
from ..props import STATUSES
from ..screens import TAB_NAME
from ..texts import said, text_width, wrapped
from ..translations import CONTEXT, translated

NO_WIDTH, LINE_MARGIN, BUTTON = 280.0, 90.0, 20.0  # [px at scale 1]


class TabPanel(Panel):
    """Place of all panels: the sidebar of the 3D viewport."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB_NAME


class ResearchPanel(TabPanel):
    """Base of panels for research on how results are computed."""

    @classmethod
    def poll(cls, context: Any) -> bool:
        return bool(preferences.of(context).show_research)


def draw_text(layout: Any, text: str, region: Any, icon: str) -> None:
    """Draw a text of several lines, in the user's language if it has a translation."""
    column = layout.column(align=True)
    for index, line in enumerate(wrapped(translated(text), region)):
        column.label(text=line, icon="BLANK1" if index else icon, translate=False)


def draw_line(layout: Any, context: Any, text: str, icon: str, lines: int = 1, buttons: int = 0) -> Any:
    """Draw a text with a fixed number of lines, so that nothing moves when it changes.

    Args:
        layout: layout to draw in.
        context: context of the region.
        text: the text. A text that is too long is cut between words, and a click or the tooltip shows the whole text.
        icon: icon before the text.
        lines: number of lines, regardless of the text's length.
        buttons: number of buttons that will be added to the returned row.
    """
    text, scale = translated(text), context.preferences.system.ui_scale or 1.0
    width = (context.region.width if context.region else NO_WIDTH) - buttons * BUTTON * scale
    row = layout.row(align=True)
    column, shown = row.column(align=True), wrapped(text, None, within=width)
    if len(shown) > lines:
        rest = " ".join(shown[lines - 1 :])
        shown = [*shown[: lines - 1], whole_words(rest, width - LINE_MARGIN * scale, text_width)]
    cut = CUT in shown[-1] and CUT not in text
    for index in range(lines):
        line = shown[index] if index < len(shown) else ""
        sign = "BLANK1" if index or not text else icon
        if cut and index == lines - 1:
            cell = column.row()
            cell.alignment = "LEFT"
            told = cell.operator("meshclash.read_message", text=line, icon=sign, emboss=False, translate=False)
            told.text = text
        else:
            column.label(text=line, icon=sign, translate=False)
    return row


def draw_statuses(layout: Any, operator: str, current: str = "") -> None:
    """Draw a button for each status, with its icon and name; that of `current` is pressed."""
    grid = layout.grid_flow(row_major=True, columns=2, even_columns=True, align=True)
    for status, label, _tip, icon, _number in STATUSES:
        pressed = {"depress": True} if status == current else {}
        grid.operator(operator, text=label, text_ctxt=CONTEXT, icon=icon, **pressed).status = status


def named_row(layout: Any, name: str, share: float = 0.29) -> Any:
    """Draw a name on a share of a row's width; return the remaining part of the row."""
    split = layout.row(align=True).split(factor=share, align=True)
    split.label(text=said(name), translate=False)
    return split


def draw_table(layout: Any, rows: list[tuple[str, str]]) -> None:
    """Draw names on the left and values on the right."""
    column = layout.box().column(align=True)
    for name, value in rows:
        split = column.split(factor=0.5)
        split.label(text=said(name), translate=False)
        right = split.row()
        right.alignment = "RIGHT"
        right.label(text=value, translate=False)


def draw_facts(
    layout: Any, facts: list[tuple[str, str]], region: Any, share: float, within: float = 1.0, lines: int = 0
) -> None:
    """Draw names on the left, on a share of the width, and texts of several lines on the right.

    Args:
        layout: layout to draw in, on a share `within` of the width of `region`.
        facts: names and texts.
        region: region that is drawn.
        share: share of the width for the names.
        within: see `layout`.
        lines: least number of lines, so that nothing below moves.
    """
    box, used = layout.box().column(align=True), 0
    for name, text in facts:
        for index, line in enumerate(wrapped(text, region, within * (1.0 - share))):
            split, used = box.split(factor=share), used + 1
            left = split.row()
            left.active = False
            left.label(text="" if index else said(name), translate=False)
            split.label(text=line, translate=False)
    for _ in range(used, lines):
        box.label(text="", icon="BLANK1")
