"""The result list and the list of excluded pairs."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import UIList

from .. import session
from ..core.queries import test_named
from ..props import STATUSES
from .text import VERDICT_ICONS, VERDICT_LABELS, measure

STATUS_ICONS = {status: icon for status, _label, _tip, icon, _number in STATUSES}
WIDE = 340  # width of the sidebar [px at scale 1] from which the verdict is written out
VERDICT_SHARE = 0.28  # room for "Duplicate" beside its icon
NAMES_SHARE = 0.47
FACES_SHARE = 0.32


def columns(layout: Any, context: Any) -> tuple[Any, Any, Any, Any]:
    """Four columns shared by the heading and the rows: verdict, names, faces, measure."""
    if is_wide(context):
        split = layout.split(factor=VERDICT_SHARE)
        verdict = split.row()
    else:
        split = layout.row(align=True)
        verdict = split.row(align=True)
        verdict.alignment = "LEFT"
    names = split.split(factor=NAMES_SHARE)
    name_cell = names.row(align=True)
    numbers = names.split(factor=FACES_SHARE)
    faces, value = numbers.row(align=True), numbers.row(align=True)
    faces.alignment = value.alignment = "RIGHT"
    return verdict, name_cell, faces, value


def is_wide(context: Any) -> bool:
    """Whether there is room for the verdict in words; its icon is always there."""
    return context.region is not None and context.region.width > WIDE * context.preferences.system.ui_scale


class MESHCLASH_UL_pairs(UIList):
    """Object pairs, worst first."""

    def draw_item(
        self, context: Any, layout: Any, data: Any, item: Any, _icon: int, _active_data: Any, _active: str
    ) -> None:
        result = session.result_of(data.scene_uid)
        layout.active = result is not None and result.is_fresh(item.pair_id)
        verdict, names, faces, value = columns(layout, context)
        verdict.label(text=VERDICT_LABELS[item.verdict] if is_wide(context) else "", icon=VERDICT_ICONS[item.verdict])
        review = context.scene.meshclash.reviews.get(item.pair_id)
        names.label(text=item.name, icon=STATUS_ICONS[review.status] if review else "NONE")
        faces.label(text=str(item.faces_a + item.faces_b))
        measures = () if result is None else test_named(result.report.options.test).measures
        value.label(text=measure(item, measures, context.scene.unit_settings))

    def filter_items(self, _context: Any, data: Any, propname: str) -> tuple[list[int], list[int]]:
        rows = getattr(data, propname)
        if self.filter_name:
            flags = bpy.types.UI_UL_list.filter_items_by_name(self.filter_name, self.bitflag_filter_item, rows, "name")
        else:
            flags = [self.bitflag_filter_item] * len(rows)
        for index, row in enumerate(rows):
            if not data.shows(row.verdict):
                flags[index] &= ~self.bitflag_filter_item
        return flags, []


class MESHCLASH_UL_excluded(UIList):
    """Pairs that are never tested."""

    def draw_item(
        self, _context: Any, layout: Any, _data: Any, item: Any, _icon: int, _active_data: Any, _active: str
    ) -> None:
        layout.label(text=f"{item.name_a} × {item.name_b}")


CLASSES = (MESHCLASH_UL_pairs, MESHCLASH_UL_excluded)
