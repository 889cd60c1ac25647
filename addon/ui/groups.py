"""The groups of clashes: a decision a line, with its reason in words."""

from __future__ import annotations

from typing import Any

from bpy.types import UIList

from .. import histories, scene_results, shown_things
from ..texts import said
from ..translations import translated
from .lists import BLOCK, CELL, STATUS_ICONS, fitting, line_width
from .parts import TabPanel, draw_facts, draw_text

ROWS = 6
MOST_COMMENTS, MOST_GONE = 5, 3
COUNT_SHARE, REASON_SHARE, GROUPS_SHARE = 0.16, 0.2, 0.24  # of the width: a count, a caption, all of it beside rows


class MESHCLASH_UL_groups(UIList):
    """How many pairs a group has, and why they belong together."""

    def draw_item(
        self, context: Any, layout: Any, data: Any, item: Any, _icon: int, _active_data: Any, _active: str, index: int
    ) -> None:
        row = layout.split(factor=COUNT_SHARE, align=True)
        row.label(text=f"{item.count:,}")
        first = index // BLOCK * BLOCK
        names = tuple(_reason(data.groups, at) for at in range(first, min(first + BLOCK, len(data.groups))))
        room = (1.0 - COUNT_SHARE) * line_width(context, _share(context)) - CELL
        row.label(text=fitting(names, room)[_reason(data.groups, index)], translate=False)


def _reason(groups: Any, index: int) -> str:
    """The reason of a group in the user's language."""
    known = shown_things.listed().group_reasons
    return translated(known[index] if index < len(known) else groups[index].name)


def _share(context: Any) -> float:
    """Of the width of a region that groups have: in the area of results they stand beside the rows."""
    return GROUPS_SHARE if context.area is not None and context.area.type == "PROPERTIES" else 1.0


class MESHCLASH_PT_groups(TabPanel):
    """The decisions behind the clashes."""

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
    """The list of groups, and what can be done with all pairs of the chosen one."""
    listed = context.window_manager.meshclash
    line = layout.row(align=True)
    line.prop(listed, "group_by", text="By")
    line.operator("meshclash.find_fits", text="", icon="MOD_SCREW")
    rows = min(most_rows, max(3, len(listed.groups)))
    layout.template_list("MESHCLASH_UL_groups", "", listed, "groups", listed, "active_group", rows=rows)
    if 0 <= listed.active_group < len(listed.groups):
        reason = [("Group", _reason(listed.groups, listed.active_group))]
        draw_facts(layout, reason, context.region, REASON_SHARE, _share(context))
    _draw_progress(layout, context)
    if shown_things.listed().group is None and not shown_things.listed().marked:
        return
    marked = len(shown_things.listed().marked)
    line = layout.row(align=True)
    line.label(text=said("{marked} selected:", marked=marked) if marked else "All listed:")
    for status, icon in STATUS_ICONS.items():
        line.operator("meshclash.set_listed_status", text="", icon=icon).status = status
    line = layout.row(align=True)
    line.operator("meshclash.say_of_listed", text="Assign", icon="USER")
    line.operator("meshclash.select_listed", text="", icon="RESTRICT_SELECT_OFF")
    line.operator("meshclash.select_listed", text="", icon="HIDE_OFF").isolate = True
    line.operator("meshclash.exclude_listed", text="", icon="REMOVE")
    line.operator("meshclash.export_report", text="", icon="EXPORT").listed = True
    _draw_edits(layout, context)


def _draw_edits(layout: Any, context: Any) -> None:
    """What can be done to the chosen group itself, and what was said of it."""
    listed = context.window_manager.meshclash
    line = layout.row(align=True)
    line.operator("meshclash.name_group", text="Name")
    line.operator("meshclash.comment_group", text="Comment")
    line.operator("meshclash.split_group", text="Split")
    line.operator("meshclash.merge_group", text="Merge")
    line.operator("meshclash.reset_groups", text="", icon="LOOP_BACK")
    if not 0 <= listed.active_group < len(listed.groups):
        return
    decision = histories.history_of(context.scene).decisions.get(listed.groups[listed.active_group].key)
    for remark in decision.comments[-MOST_COMMENTS:] if decision else ():
        draw_text(
            layout, f"{remark.author}, {remark.time[:16].replace('T', ' ')}: {remark.text}", context.region, "NONE"
        )


def _draw_progress(layout: Any, context: Any) -> None:
    """What became of pairs since the last detection, and what is wrong with the journal."""
    scene = context.scene
    for text, icon in histories.notes(scene):
        draw_text(layout, text, context.region, icon)
    result = scene_results.result_of(scene.session_uid)
    still = 0 if result is None else len(histories.found_again(scene, result.rows))
    if still:
        text = said("Resolved, but still found: {pairs}", pairs=(still, "pair"))
        layout.operator("meshclash.list_found_again", text=text, icon="ERROR")
    gone = histories.gone(scene)
    if gone:
        column = layout.column(align=True)
        column.label(text=said("{pairs} gone, the last ones:", pairs=(len(gone), "pair")), icon="CHECKMARK")
        for _, decision in gone[:MOST_GONE]:
            names = " × ".join(dict.fromkeys(decision.names))
            draw_text(column, f"{decision.gone[:10]} {names}", context.region, "BLANK1")


CLASSES = (MESHCLASH_UL_groups, MESHCLASH_PT_groups)
