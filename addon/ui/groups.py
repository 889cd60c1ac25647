"""The list of groups of clashes, with the reason of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bpy.types import UIList

from .. import histories, scene_results, shown_things
from ..core.short_names import whole_words
from ..texts import length, reason, said, text_width
from ..translations import CONTEXT, translated
from .lists import CELL, draw_list, line_width
from .parts import TabPanel, draw_facts, draw_statuses, draw_text, named_row

ROWS = 5
MOST_COMMENTS = 5
CAPTION_SHARE = 0.42  # share of the width for the caption of the grouping
REASON_LINES = 3  # fixed number, so that nothing below moves
REASON_SHARE, GROUPS_SHARE = 0.28, 0.24  # shares of the width: for the caption, and for all groups beside rows


class MESHCLASH_UL_groups(UIList):
    """A group on two lines: its number and its size, the two kinds of objects, and how deep they overlap."""

    def draw_item(
        self, context: Any, layout: Any, data: Any, item: Any, _icon: int, _active_data: Any, _active: str, index: int
    ) -> None:
        scale, width = context.preferences.system.ui_scale or 1.0, line_width(context, _share(context))
        known = shown_things.listed().group_sides
        sides = [translated(side) for side in (known[index] if index < len(known) else (item.side_a, item.side_b))]
        depths = depth_texts(context, item)
        first = max(map(text_width, (f"{item.count:,} ×", f"#{index + 1}"))) + CELL * scale
        last = max((text_width(text) for text in depths if text), default=0.0) + CELL * scale
        layout.scale_y = 0.5  # of the row
        rest = layout.split(factor=min(first / width, 0.4), align=True)
        _two_lines(rest, (f"{item.count:,} ×", f"#{index + 1}"), "LEFT")
        room = max(width - first - last, 0.4 * width)
        rest = rest.split(factor=min(room / (width - first), 1.0), align=True)
        _two_lines(rest, [whole_words(side, room - CELL * scale, text_width) for side in sides], "LEFT")
        _two_lines(rest, depths, "RIGHT")


def depth_texts(context: Any, item: Any) -> tuple[str, str]:
    """Return the greatest depth of a group, and the smallest depth if it differs, in the same unit."""
    if item.depth < 0.0:
        return "", ""
    units, like = context.scene.unit_settings, shown_things.listed().group_depth
    most, least = (length(value, units, digits=2, like=like) for value in (item.depth, item.least))
    return most, "" if least == most else least


def _two_lines(layout: Any, texts: Sequence[str], alignment: str) -> None:
    column = layout.column(align=True)
    for text in texts:
        line = column.row()
        line.alignment = alignment
        line.label(text=text, translate=False)


def _reason(context: Any, groups: Any, index: int) -> str:
    """Return the reason of a group in the user's language and the scene's units."""
    known = shown_things.listed().group_reasons
    return reason(known[index] if index < len(known) else groups[index].name, context.scene.unit_settings)


def _share(context: Any) -> float:
    """Return the fraction of a region's width for groups; in the area of results, groups are next to the rows."""
    return GROUPS_SHARE if context.area is not None and context.area.type == "PROPERTIES" else 1.0


class MESHCLASH_PT_groups(TabPanel):
    """Panel of the groups of clashes, each with its reason."""

    bl_label = "Groups"
    bl_parent_id = "MESHCLASH_PT_results"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 0

    @classmethod
    def poll(cls, context: Any) -> bool:
        result = scene_results.result_of(context.scene.session_uid)
        return result is not None and not result.live and len(context.window_manager.meshclash.groups) > 0

    def draw_header_preset(self, context: Any) -> None:
        listed = context.window_manager.meshclash
        clashes = sum(item.count for item in listed.groups)
        text = said(
            "1 clash" if clashes == 1 else "{clashes} clashes in {groups}", clashes=clashes, groups=len(listed.groups)
        )
        self.layout.label(text=text, translate=False)

    def draw(self, context: Any) -> None:
        draw_groups(self.layout, context, ROWS)


def draw_groups(layout: Any, context: Any, most_rows: int) -> None:
    """Draw the list of groups, and the actions for all pairs of the chosen one."""
    listed = context.window_manager.meshclash
    line = layout.row(align=True)
    named_row(line, "Group by", CAPTION_SHARE).prop(listed, "group_by", text="")
    line.operator("meshclash.find_fits", text="", icon="MOD_SCREW")
    draw_list(
        layout, "MESHCLASH_UL_groups", listed, "groups", "active_group", min(most_rows, max(3, len(listed.groups)))
    )
    chosen = listed.groups[listed.active_group] if 0 <= listed.active_group < len(listed.groups) else None
    hint = said("Choose a group to list only its pairs")
    why = _reason(context, listed.groups, listed.active_group) if chosen else hint
    draw_facts(layout, [("Group", why)], context.region, REASON_SHARE, _share(context), REASON_LINES)
    column = layout.column()
    column.enabled = shown_things.listed().group is not None or bool(shown_things.listed().marked)
    marked = len(shown_things.listed().marked)
    line = column.row(align=True)
    text = said("{marked} selected:", marked=marked) if marked else said("All listed pairs:")
    line.label(text=text, translate=False)
    draw_statuses(column, "meshclash.set_listed_status")
    line = column.row(align=True)
    line.operator("meshclash.say_of_listed", text="Assign", text_ctxt=CONTEXT, icon="USER")
    line.operator("meshclash.select_listed", text="", icon="RESTRICT_SELECT_OFF")
    line.operator("meshclash.select_listed", text="", icon="HIDE_OFF").isolate = True
    line.operator("meshclash.exclude_listed", text="", icon="REMOVE")
    line.operator("meshclash.export_report", text="", icon="EXPORT").listed = True
    _draw_edits(column, context, chosen)
    for text, icon in histories.notes(context.scene):
        draw_text(layout, text, context.region, icon)


def _draw_edits(layout: Any, context: Any, chosen: Any) -> None:
    """Draw the actions for the chosen group, and its comment."""
    line = layout.row(align=True)
    line.operator("meshclash.name_group", text="Name", text_ctxt=CONTEXT)
    line.operator("meshclash.comment_group", text="Comment", text_ctxt=CONTEXT)
    line = layout.row(align=True)
    line.operator("meshclash.split_group", text="Split", text_ctxt=CONTEXT)
    line.operator("meshclash.merge_group", text="Merge", text_ctxt=CONTEXT)
    line.operator("meshclash.reset_groups", text="", icon="LOOP_BACK")
    decision = None if chosen is None else histories.history_of(context.scene).decisions.get(chosen.key)
    for remark in decision.comments[-MOST_COMMENTS:] if decision else ():
        draw_text(
            layout, f"{remark.author}, {remark.time[:16].replace('T', ' ')}: {remark.text}", context.region, "NONE"
        )


CLASSES = (MESHCLASH_UL_groups, MESHCLASH_PT_groups)
