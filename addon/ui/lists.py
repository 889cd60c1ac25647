"""The result list and the list of excluded pairs."""

from __future__ import annotations

from typing import Any

from bpy.types import UIList
from meshclash.detection.verdicts import VERDICTS

from .. import scene_results, shown_things
from ..core.short_names import shorten
from ..core.table import FACES, MEASURE, NAME_A, NAME_B, STATUS
from ..props import STATUSES
from ..texts import measure, text_width

ACCEPTED_ICON = "OUTLINER_COLLECTION"  # of an approved pair: its verdict in no colour
STATUS_ICONS = {status: icon for status, _label, _tip, icon, _number in STATUSES}
WIDE = 480  # width of the sidebar [px at scale 1] from which the verdict is written out
VERDICT_SHARE = 0.24  # room for "Duplicate" beside two icons
# Shares of the width that is left after the verdict; the rest is for the measure.
NARROW = 340  # width of the sidebar [px at scale 1] up to which names get the room of the number of faces
WIDE_SHARES, NARROW_SHARES = (0.29, 0.17), (0.34, 0.0)  # of a name, of the number of faces
ICONS = 2
ICON_WIDTH, FRAME_WIDTH, CELL_PADDING = 20.0, 88.0, 14.0  # [px at scale 1], on both sides of rows and of a button
LEAST_NAME = 30.0  # [px at scale 1]
ITSELF = "itself"  # in the place of the second name, where an object meets itself
COLUMNS = ((STATUS, ""), (NAME_A, "A"), (NAME_B, "B"), (FACES, ""), (MEASURE, ""))
"""What the columns are sorted by, and their headings where these are always the same."""


def columns(layout: Any, context: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Columns shared by the heading and the rows: status and verdict, A, B, faces (None where narrow), measure."""
    if is_wide(context):
        row = layout.split(factor=VERDICT_SHARE)
        verdict = row.row(align=True)
    else:
        row = layout.row(align=True)
        verdict = row.row(align=True)
        verdict.alignment = "LEFT"
    share, faces = shares(context)
    split = row.split(factor=share, align=True)
    name_a = split.row(align=True)
    rest = split.split(factor=share / (1.0 - share), align=True)
    name_b = rest.row(align=True)
    numbers = rest.split(factor=faces / (1.0 - 2.0 * share), align=True) if faces else rest
    return verdict, name_a, name_b, numbers.row(align=True) if faces else None, numbers.row(align=True)


def shares(context: Any) -> tuple[float, float]:
    """How much of the width a name and the number of faces get."""
    width = context.region.width if context.region else 0.0
    return WIDE_SHARES if width > NARROW * context.preferences.system.ui_scale else NARROW_SHARES


def is_wide(context: Any) -> bool:
    """Whether there is room for the verdict in words; its icon is always there."""
    return context.region is not None and context.region.width > WIDE * context.preferences.system.ui_scale


def name_width(context: Any) -> float:
    """Room for the letters of a name [px]."""
    scale = context.preferences.system.ui_scale or 1.0
    whole = (context.region.width if context.region else 420.0) / scale - FRAME_WIDTH
    whole -= VERDICT_SHARE * whole if is_wide(context) else ICONS * ICON_WIDTH
    return scale * max(LEAST_NAME, shares(context)[0] * whole - CELL_PADDING)


class MESHCLASH_UL_pairs(UIList):
    """A page of object pairs; what is listed, and in which order, is decided before."""

    def draw_item(
        self, context: Any, layout: Any, data: Any, item: Any, _icon: int, _active_data: Any, _active: str, index: int
    ) -> None:
        result = scene_results.result_of(data.scene_uid)
        layout.active = result is not None and result.is_fresh(item.pair_id)
        verdict, name_a, name_b, faces, value = columns(layout, context)
        review = context.scene.meshclash.reviews.get(item.pair_id)
        verdict.label(text="", icon=STATUS_ICONS[review.status] if review else "BLANK1")
        icon = ACCEPTED_ICON if review and review.status == "APPROVED" else VERDICTS[item.verdict].icon
        verdict.label(text=VERDICTS[item.verdict].label if is_wide(context) else "", icon=icon)
        room, common = name_width(context), shown_things.listed().common
        measures = () if result is None else result.report.options.measures
        measured = measure(item, measures, context.scene.unit_settings, shown_things.listed().typical)
        short = [shorten(name, room, text_width, common, data.search.split()) for name in (item.name_a, item.name_b)]
        short[1] = ITSELF if item.name_a == item.name_b else short[1]
        for cell, side, text, alignment in (
            (name_a, "a", short[0], "LEFT"), (name_b, "b", short[1], "LEFT"),
            (faces, "a", str(item.faces_a + item.faces_b), "RIGHT"), (value, "a", measured, "RIGHT"),
        ):  # fmt: skip
            if cell is not None:
                cell.alignment = alignment
                picked = cell.operator("meshclash.pick_row", text=text, translate=False, emboss=False)
                picked.index, picked.side = index, side

    def draw_filter(self, _context: Any, _layout: Any) -> None:
        """Nothing: search and filters stand above the list, and are asked of all pages."""

    def filter_items(self, _context: Any, _data: Any, _propname: str) -> tuple[list[int], list[int]]:
        return [], []


class MESHCLASH_UL_excluded(UIList):
    """Pairs that are never tested."""

    def draw_item(
        self, _context: Any, layout: Any, _data: Any, item: Any, _icon: int, _active_data: Any, _active: str
    ) -> None:
        layout.label(text=f"{item.name_a} × {item.name_b}")


CLASSES = (MESHCLASH_UL_pairs, MESHCLASH_UL_excluded)
