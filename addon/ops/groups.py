"""Operators of all listed pairs together: one decision about many pairs, and a look at all their places."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty
from bpy.types import Operator

from .. import results, reviews, scene_results, shown_things, view
from ..props import STATUSES
from ..texts import counted


def _listed_rows(context: bpy.types.Context) -> list[Any]:
    result = scene_results.result_of(context.scene.session_uid)
    if result is None or context.window_manager.meshclash.scene_uid != context.scene.session_uid:
        return []
    return [result.report.rows[at] for at in shown_things.listed().order.tolist()]


class OfListed(Operator):
    """What the operators of listed pairs have in common."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.window_manager.meshclash.found == 0:
            cls.poll_message_set("No pairs are listed")
            return False
        return True


class MESHCLASH_OT_set_listed_status(OfListed):
    """Say the same of all pairs that are listed"""

    bl_idname = "meshclash.set_listed_status"
    bl_label = "Status of All Listed"
    bl_options = {"REGISTER", "UNDO"}

    status: EnumProperty(name="Status", items=STATUSES, default="REVIEWED")

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """The tooltip."""
        label = next(label for status, label, *_ in STATUSES if status == properties.status)
        return f"{label}, for all pairs that are listed. Saved with the file and kept when they are found again"

    def execute(self, context: bpy.types.Context) -> set[str]:
        rows = {row.id: row for row in _listed_rows(context)}
        reviews.say(context.scene, rows.values(), status=self.status)
        results.list_again(context)
        self.report({"INFO"}, f"{counted(len(rows), 'pair')}: {self.status.lower()}")
        return {"FINISHED"}


class MESHCLASH_OT_select_listed(OfListed):
    """Select the objects of all listed pairs, and look at them together"""

    bl_idname = "meshclash.select_listed"
    bl_label = "Select Objects of Listed Pairs"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        view.leave_isolation(context)
        names = {name for row in _listed_rows(context) for name in (row.a.owner, row.b.owner)}
        found = [item for item in context.view_layer.objects if item.name_full in names and item.visible_get()]
        if not found:
            self.report({"WARNING"}, "The objects of these pairs are hidden, or no longer in this view layer")
            return {"CANCELLED"}
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        for item in context.view_layer.objects:
            item.select_set(item in found)
        context.view_layer.objects.active = found[0]
        if context.area is not None and context.area.type == "VIEW_3D":
            region = next((region for region in context.area.regions if region.type == "WINDOW"), None)
            with context.temp_override(region=region):
                bpy.ops.view3d.view_selected()
        self.report({"INFO"}, f"{counted(len(found), 'object')} selected")
        return {"FINISHED"}


CLASSES = (MESHCLASH_OT_set_listed_status, MESHCLASH_OT_select_listed)
