"""The list of results at full width: a Properties editor that shows only the list (`screens.become_results`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bpy.types import Panel, UIList
from meshclash.clash.column_table import COLUMNS, WINDOW, Column

from .. import results, scene_results, shown_things
from ..adapters.lookup import object_named
from ..core.short_names import whole_words
from ..props import STATUS_LABELS
from ..reviews import review_of
from ..screens import TAB, shows_results
from ..texts import column_text, measure, reason, said, text_width, way_out
from ..translations import CONTEXT
from .groups import GROUPS_SHARE, draw_groups
from .lists import (
    CONTRADICTS,
    STATUS_ICONS,
    Cell,
    draw_cell,
    shortened,
    spaces,
    touched_cell,
    verdict_cell,
)
from .panels import draw_detection, draw_filters, draw_pages, draw_pair_facts, draw_steps, draw_verdicts

FRAME, PADDING, ICON = 110.0, 12.0, 20.0  # [px at scale 1]: editor without rows, cell without its text, icon
SIGN = 0.02  # share of the width for the verdict's icon
ROW, AROUND = 20.0, 180.0  # heights of a row, and of all but the list, with Blender's panels below [px at scale 1]
PAGES = 45.0  # height of the page buttons [px at scale 1]
LEAST_ROWS, MOST_ROWS, MOST_GROUPS = 5, 60, 12
GROUPS_FROM = 1100.0  # least width of an area with groups on its left [px at scale 1]


def columns(result: Any) -> dict[Column, float]:
    """Return the columns of a result's list, each with its share of the width."""
    known = {} if result is None else result.table.measures
    unused = {column.name for column in WINDOW if column.option and column.name not in known}
    if result is None or not result.report.tests:
        unused.add("test")
    asked = set() if result is None else {options.test for options in result.report.asked_all}
    unused |= {column.name for column in WINDOW if column.tests and not asked & {*column.tests}}
    shown = [column for column in WINDOW if column.name not in unused]
    total = sum(column.share for column in shown)
    return {column: column.share / total for column in shown}


def _cells(layout: Any, shares: Iterable[float]) -> list[Any]:
    """Return a layout for each column, the first for the icon."""
    rest, left, cells = layout, 1.0, []
    for share in (SIGN, *(share * (1.0 - SIGN) for share in [*shares][:-1])):
        split = rest.split(factor=share / left, align=True)
        cells.append(split.row(align=True))
        rest, left = split, left - share
    return [*cells, rest.row(align=True)]


def _scale(context: Any) -> float:
    return float(context.preferences.system.ui_scale or 1.0)


def _beside_groups(context: Any) -> bool:
    width = context.region.width / _scale(context) if context.region else 0.0
    return width >= GROUPS_FROM and len(context.window_manager.meshclash.groups) > 0


def _list_width(context: Any) -> float:
    """Return the width of the rows [px]."""
    width = (context.region.width if context.region else 1000.0) - FRAME * _scale(context)
    return max(100.0, width * (1.0 - GROUPS_SHARE if _beside_groups(context) else 1.0))


class MESHCLASH_UL_wide(UIList):
    """A page of object pairs, a line each."""

    def draw_item(
        self, context: Any, layout: Any, data: Any, item: Any, _icon: int, _active_data: Any, _active: str, index: int
    ) -> None:
        result, shown = scene_results.result_of(data.scene_uid), shown_things.listed()
        pair = None if result is None else result.row(item.pair_id)
        layout.active = result is not None and result.is_fresh(item.pair_id)
        review = review_of(context.scene, item.pair_id)
        status = review.status if review else "OPEN"
        measures = () if result is None else result.report.measures
        shares, way = columns(result), None if result is None else result.ways.get(item.pair_id)
        cells, width = _cells(layout, shares.values()), _list_width(context)
        room = shares[COLUMNS["a"]] * width - PADDING * _scale(context)
        name_a, name_b = shortened(item, room, shown.names, data.search)
        wrong = result is not None and result.contradicts(item.pair_id)
        sign = CONTRADICTS if wrong else touched_cell(result, item) or verdict_cell(item, review, shown.marked)
        draw_cell(cells[0], "meshclash.pick_row", index, sign)
        texts = {
            "group": group_text(context, shown, item.pair_id), "a": name_a, "b": name_b,
            "collections": collections(pair),
            "measure": measure(item, measures, context.scene.unit_settings, shown.typical),
            "way_out": "" if way is None else way_out(way, context.scene.unit_settings),
            "faces": f"{item.faces_a + item.faces_b:,}", "status": said(STATUS_LABELS[status]),
        }  # fmt: skip
        for place, (column, share) in zip(cells[1:], shares.items(), strict=True):
            place.alignment = "LEFT"
            name, icon = column.name in ("a", "b"), STATUS_ICONS[status] if column.name == "status" else "NONE"
            text = texts.get(column.name)
            if text is None:
                text = "" if pair is None else column_text(column, pair, context.scene.unit_settings)
            room = share * width - (PADDING if icon == "NONE" else PADDING + ICON) * _scale(context)
            fitting = text if name else whole_words(text, room, text_width)
            cell = Cell(fitting + spaces(fitting, room), column.tip, text, icon)
            draw_cell(place, "meshclash.pick_row", index, cell, column.name if name else "a")

    def draw_filter(self, _context: Any, _layout: Any) -> None:
        """Draw nothing: search and filters are above the list."""

    def filter_items(self, _context: Any, _data: Any, _propname: str) -> tuple[list[int], list[int]]:
        return [], []


def group_text(context: Any, shown: Any, pair_id: str) -> str:
    """Return the number of a pair's group in the list of groups, and its reason."""
    why = reason(shown.reasons.get(pair_id, ""), context.scene.unit_settings)
    return f"#{shown.group_numbers[pair_id] + 1} {why}" if why and pair_id in shown.group_numbers else why


def collections(pair: Any) -> str:
    """Return the collections of the two objects of a row, each once."""
    owners = () if pair is None else (object_named(side.owner) for side in pair.sides)
    return ", ".join(dict.fromkeys(found.name for item in owners if item for found in item.users_collection))


class MESHCLASH_PT_wide_results(Panel):
    """Panel with all results, as wide as its area."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = TAB.lower()
    bl_label = "Clash Results"
    bl_options = {"HIDE_HEADER"}  # so that it is above Blender's panels

    @classmethod
    def poll(cls, context: Any) -> bool:
        return shows_results(context.space_data)

    def draw(self, context: Any) -> None:
        layout, listed = self.layout, context.window_manager.meshclash
        result = scene_results.result_of(context.scene.session_uid)
        row = layout.row(align=True)
        draw_detection(row)
        if result is None:
            layout.label(text="No results in this scene yet", text_ctxt=CONTEXT, icon="INFO")
            return
        row.operator("meshclash.export_report", text="", icon="EXPORT")
        row.operator("meshclash.clear_results", text="", icon="TRASH")
        if listed.scene_uid != context.scene.session_uid:
            layout.operator("meshclash.show_results", icon="FILE_REFRESH")
            return
        draw_verdicts(row.row(align=True), context, result)
        draw_filters(layout, context, result)
        pair = results.active_pair(context)
        if _beside_groups(context):
            split = layout.split(factor=GROUPS_SHARE)
            left = split.column()
            draw_groups(left, context, MOST_GROUPS)
            layout = split.column()
            if pair is not None:
                draw_pair_facts(left, context, pair, result.report.asked(pair), GROUPS_SHARE)
        _draw_titles(layout, listed, columns(result))
        layout.template_list(
            "MESHCLASH_UL_wide", "", listed, "rows", listed, "active_row", rows=_rows(context), maxrows=_rows(context)
        )
        draw_pages(layout, context, listed)
        draw_steps(layout.column(align=True), context, pair)


def _rows(context: Any) -> int:
    """Return how many rows of the list fit."""
    height = context.area.height / _scale(context) if context.area else 0.0
    listed = context.window_manager.meshclash
    around = AROUND + (PAGES if len(listed.rows) < listed.total else 0.0)
    return int(min(max((height - around) // ROW, LEAST_ROWS), MOST_ROWS))


def _draw_titles(layout: Any, listed: Any, shares: dict[Column, float]) -> None:
    """Draw the titles of the columns; a click sorts by a column, another click reverses the order."""
    line = layout.row(align=True)
    titles = line.row(align=True)
    line.label(text="", icon="BLANK1")  # above the list's scroll bar
    for cell, column in zip(_cells(titles, shares.values())[1:], shares, strict=True):
        cell.alignment = "LEFT"
        if column.name == "way_out":
            cell.operator(
                "meshclash.find_ways_out", text=column.list_title, text_ctxt=CONTEXT, emboss=False
            ).scope = "LISTED"
            continue
        if not column.key:
            cell.label(text=column.list_title, text_ctxt=CONTEXT)
            continue
        sorted_by = listed.sort_key == column.key
        icon = "NONE" if not sorted_by else "SORT_DESC" if listed.sort_reverse else "SORT_ASC"
        cell.operator(
            "meshclash.sort_rows", text=column.list_title, text_ctxt=CONTEXT, icon=icon, emboss=False, depress=sorted_by
        ).key = column.key


CLASSES = (MESHCLASH_UL_wide, MESHCLASH_PT_wide_results)
