"""What panels share."""

from __future__ import annotations

from typing import Any

from bpy.types import Panel

from .. import preferences
from ..screens import TAB_NAME
from ..texts import said, wrapped
from ..translations import translated


class TabPanel(Panel):
    """Place of all panels: the sidebar of the 3D viewport."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB_NAME


class ResearchPanel(TabPanel):
    """What only those want to see who study how answers are found."""

    @classmethod
    def poll(cls, context: Any) -> bool:
        return bool(preferences.of(context).show_research)


def draw_text(layout: Any, text: str, region: Any, icon: str) -> None:
    """A text of several lines; a sentence that the table of translations has is shown in the user's language."""
    column = layout.column(align=True)
    for index, line in enumerate(wrapped(translated(text), region)):
        column.label(text=line, icon="BLANK1" if index else icon, translate=False)


def named_row(layout: Any, name: str, share: float = 0.18) -> Any:
    """A row that begins with a name, on a share of its width; returns the rest of it."""
    split = layout.row(align=True).split(factor=share, align=True)
    split.label(text=said(name), translate=False)
    return split


def draw_table(layout: Any, rows: list[tuple[str, str]]) -> None:
    """Names at the left, values at the right."""
    column = layout.box().column(align=True)
    for name, value in rows:
        split = column.split(factor=0.5)
        split.label(text=said(name), translate=False)
        right = split.row()
        right.alignment = "RIGHT"
        right.label(text=value, translate=False)


def draw_facts(layout: Any, facts: list[tuple[str, str]], region: Any, share: float, within: float = 1.0) -> None:
    """Names at the left, on a share of the width, and at the right texts of several lines.

    Args:
        layout: the place, on a share `within` of the width of `region`.
        facts: names and texts.
        region: that is drawn.
        share: of the width, for the names.
        within: see above.
    """
    box = layout.box().column(align=True)
    for name, text in facts:
        for index, line in enumerate(wrapped(text, region, within * (1.0 - share))):
            split = box.split(factor=share)
            left = split.row()
            left.active = False
            left.label(text="" if index else said(name), translate=False)
            split.label(text=line, translate=False)
