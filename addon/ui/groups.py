"""The groups of clashes: a decision a line, with its reason in words."""

from __future__ import annotations

from typing import Any

from bpy.types import UIList

from .. import scene_results, shown_things
from .lists import STATUS_ICONS
from .parts import TabPanel

ROWS = 6


class MESHCLASH_UL_groups(UIList):
    """How many pairs a group has, and why they belong together."""

    def draw_item(
        self, _context: Any, layout: Any, _data: Any, item: Any, _icon: int, _active_data: Any, _active: str
    ) -> None:
        row = layout.split(factor=0.16, align=True)
        row.label(text=f"{item.count:,}")
        row.label(text=item.name, translate=False)


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
        self.layout.label(text=f"{len(listed.groups):,} of {clashes:,} clashes")

    def draw(self, context: Any) -> None:
        draw_groups(self.layout, context, ROWS)


def draw_groups(layout: Any, context: Any, most_rows: int) -> None:
    """The list of groups, and what can be done with all pairs of the chosen one."""
    listed = context.window_manager.meshclash
    layout.prop(listed, "group_by", text="By")
    rows = min(most_rows, max(3, len(listed.groups)))
    layout.template_list("MESHCLASH_UL_groups", "", listed, "groups", listed, "active_group", rows=rows)
    if shown_things.listed().group is None:
        return
    line = layout.row(align=True)
    line.label(text="All listed:")
    for status, icon in STATUS_ICONS.items():
        line.operator("meshclash.set_listed_status", text="", icon=icon).status = status
    line.operator("meshclash.select_listed", text="", icon="RESTRICT_SELECT_OFF")


CLASSES = (MESHCLASH_UL_groups, MESHCLASH_PT_groups)
