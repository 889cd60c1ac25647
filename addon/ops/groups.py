"""Operators on all listed pairs, or on a group: decide about many pairs at once, and select their objects."""

from __future__ import annotations

import secrets
from datetime import date
from typing import Any

import bpy
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import BoolProperty, StringProperty
from bpy.types import Operator
from meshclash.clash.words import counted
from meshclash.messages import Sentence

from .. import histories, results, reviews, shown_things, view
from ..props import PRIORITIES, STATUS_LABELS, STATUSES
from ..redraw import tag_redraw
from ..translations import CONTEXT, ChoiceProperty, translated
from .polls import lists_pairs, possible


class OfListed(Operator):
    """Base of the operators on all listed pairs."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return lists_pairs(cls, context)


class MESHCLASH_OT_set_listed_status(OfListed):
    """Set this status for all listed pairs"""

    bl_idname = "meshclash.set_listed_status"
    bl_label = "Status of All Listed"
    bl_options = {"REGISTER", "UNDO"}

    status: ChoiceProperty(name="Status", items=STATUSES, default="REVIEWED")

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """The tooltip."""
        return f"{tip_(STATUS_LABELS[properties.status], CONTEXT)}: {tip_(cls.__doc__ or '')}"

    def execute(self, context: bpy.types.Context) -> set[str]:
        rows = results.chosen_rows(context)
        reviews.say(context.scene, rows, status=self.status)
        results.list_said(context)
        self.report({"INFO"}, translated(counted(len(rows), "pair") + ": " + Sentence(STATUS_LABELS[self.status])))
        return {"FINISHED"}


class MESHCLASH_OT_select_listed(OfListed):
    """Select the objects of all listed pairs and frame them"""

    bl_idname = "meshclash.select_listed"
    bl_label = "Select Objects of Listed Pairs"
    bl_options = {"REGISTER", "UNDO"}

    isolate: BoolProperty(name="Isolate", description="Hide all other objects (local view)", options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        view.leave_isolation(context)
        names = {name for row in results.chosen_rows(context) for name in (row.a.owner, row.b.owner)}
        found = [item for item in context.view_layer.objects if item.name_full in names and item.visible_get()]
        if not found:
            self.report(
                {"WARNING"}, translated("The objects of these pairs are hidden, or no longer in this view layer")
            )
            return {"CANCELLED"}
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        for item in context.view_layer.objects:
            item.select_set(item in found)
        context.view_layer.objects.active = found[0]
        if context.area is not None and context.area.type == "VIEW_3D":
            if self.isolate:
                view.isolate(context, found)
            region = next((region for region in context.area.regions if region.type == "WINDOW"), None)
            with context.temp_override(region=region):
                bpy.ops.view3d.view_selected()
        self.report({"INFO"}, translated(Sentence("{objects} selected", objects=counted(len(found), "object"))))
        return {"FINISHED"}


class MESHCLASH_OT_say_of_listed(OfListed):
    """Set assignee, priority, due date and comment of all listed pairs"""

    bl_idname = "meshclash.say_of_listed"
    bl_label = "Assign Listed Pairs"
    bl_options = {"REGISTER", "UNDO"}

    assignee: StringProperty(
        name="Assignee", description="Person responsible for the pairs; leave empty to keep the current one"
    )
    priority: ChoiceProperty(name="Priority", description="Urgency of the pairs", items=PRIORITIES)
    due: StringProperty(name="Due", description="Due date, such as 2026-12-24; leave empty to keep the current one")
    comment: StringProperty(name="Comment", description="Comment on the pairs; leave empty for none")

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context: bpy.types.Context) -> set[str]:
        if self.due:
            try:
                date.fromisoformat(self.due)
            except ValueError:
                self.report(
                    {"ERROR"}, translated(Sentence("'{due}' is not a date: write it as 2026-12-24", due=self.due))
                )
                return {"CANCELLED"}
        given = {"assignee": self.assignee, "priority": self.priority.lower(), "due": self.due, "comment": self.comment}
        said = {name: value for name, value in given.items() if value not in ("", "as_it_is")}
        rows = results.chosen_rows(context)
        reviews.say(context.scene, rows, **said)
        results.list_said(context)
        names = Sentence.joined(", ", (Sentence(name.capitalize()) for name in said)) or Sentence("nothing was changed")
        self.report({"INFO"}, translated(counted(len(rows), "pair") + ": " + names))
        return {"FINISHED"}


class MESHCLASH_OT_exclude_listed(OfListed):
    """Exclude the listed pairs from all tests"""

    bl_idname = "meshclash.exclude_listed"
    bl_label = "Exclude Listed Pairs"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        excluded, rows = context.scene.meshclash.excluded_pairs, results.chosen_rows(context)
        known = {frozenset((pair.name_a, pair.name_b)) for pair in excluded}
        for row in rows:
            if frozenset(row.names) not in known:
                pair = excluded.add()
                pair.name_a, pair.name_b = row.names
        view.leave_isolation(context)
        results.follow_exclusions(context, context.scene)
        self.report({"INFO"}, translated(Sentence("{pairs} excluded", pairs=counted(len(rows), "pair"))))
        return {"FINISHED"}


class OfGroup(Operator):
    """Base of the operators on the chosen group."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        listed = context.window_manager.meshclash
        chosen = listed.scene_uid == context.scene.session_uid and 0 <= listed.active_group < len(listed.groups)
        return possible(cls, chosen, "Choose a group first")


class MESHCLASH_OT_name_group(OfGroup):
    """Name the group. Without a name, its cause is shown"""

    bl_idname = "meshclash.name_group"
    bl_label = "Name Group"
    bl_options = {"REGISTER"}

    name: StringProperty(name="Name", maxlen=200)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        listed = context.window_manager.meshclash
        self.name = listed.groups[listed.active_group].name[:200]
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context: bpy.types.Context) -> set[str]:
        listed = context.window_manager.meshclash
        histories.say(context.scene, [listed.groups[listed.active_group].key], "name", self.name.strip())
        results.relist(context, context.scene, listed.selected)
        return {"FINISHED"}


class MESHCLASH_OT_comment_group(OfGroup):
    """Add a comment to the group, with your name and the time"""

    bl_idname = "meshclash.comment_group"
    bl_label = "Comment on Group"
    bl_options = {"REGISTER"}

    text: StringProperty(name="Comment", options={"SKIP_SAVE"})

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context: bpy.types.Context) -> set[str]:
        listed = context.window_manager.meshclash
        if not self.text.strip():
            return {"CANCELLED"}
        histories.say(context.scene, [listed.groups[listed.active_group].key], "comment", self.text.strip())
        tag_redraw(context, ("UI",))
        return {"FINISHED"}


class MESHCLASH_OT_split_group(OfGroup):
    """Group the selected pairs (select with Ctrl or Shift in the list)"""

    bl_idname = "meshclash.split_group"
    bl_label = "Split Group"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        marked = shown_things.listed().marked
        return possible(cls, marked, "Select pairs in the list with Ctrl or Shift first") and super().poll(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        listed, state = context.window_manager.meshclash, shown_things.listed()
        key = f"hand|{listed.group_by}|{secrets.token_hex(8)}"
        histories.say(context.scene, sorted(state.marked), "group", key)
        reason = listed.groups[listed.active_group].name
        histories.say(context.scene, [key], "name", f"{len(state.marked)} of: {reason}"[:200])
        state.marked = frozenset()
        results.relist(context, context.scene, listed.selected)
        return {"FINISHED"}


def _other_groups(self: Any, context: bpy.types.Context) -> list[tuple[str, str, str]]:
    """Return all groups except the chosen one; the strings are stored, as Blender requires."""
    listed = context.window_manager.meshclash
    found = [(item.key, item.name, "") for at, item in enumerate(listed.groups) if at != listed.active_group]
    _KEPT[:] = found
    return _KEPT


_KEPT: list[tuple[str, str, str]] = []


class MESHCLASH_OT_merge_group(OfGroup):
    """Merge the group into another one, with pairs found later"""

    bl_idname = "meshclash.merge_group"
    bl_label = "Merge Group"
    bl_property = "into"
    bl_options = {"REGISTER"}

    into: ChoiceProperty(name="Merge Into Group", items=_other_groups)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        context.window_manager.invoke_search_popup(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        listed = context.window_manager.meshclash
        chosen = listed.groups[listed.active_group].key
        histories.say(context.scene, [self.into], "merged", "")  # replaces an earlier merge
        histories.say(context.scene, [chosen], "merged", self.into)
        results.relist(context, context.scene, listed.selected)
        return {"FINISHED"}


class MESHCLASH_OT_reset_groups(Operator):
    """Undo all manual changes of groups: names, splits and merges"""

    bl_idname = "meshclash.reset_groups"
    bl_label = "Reset Groups"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return possible(cls, histories.edited_groups(context.scene), "No group was edited")

    def execute(self, context: bpy.types.Context) -> set[str]:
        histories.forget_edits(context.scene)
        results.relist(context, context.scene, context.window_manager.meshclash.selected)
        return {"FINISHED"}


CLASSES = (
    MESHCLASH_OT_set_listed_status,
    MESHCLASH_OT_select_listed,
    MESHCLASH_OT_say_of_listed,
    MESHCLASH_OT_exclude_listed,
    MESHCLASH_OT_name_group,
    MESHCLASH_OT_comment_group,
    MESHCLASH_OT_split_group,
    MESHCLASH_OT_merge_group,
    MESHCLASH_OT_reset_groups,
)
