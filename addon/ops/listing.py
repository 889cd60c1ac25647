"""Operators of the result list: sort, turn pages, step through pairs, list the pairs of an object."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import IntProperty, StringProperty
from bpy.types import Operator
from meshclash.clash.pair_row import PairRow
from meshclash.clash.words import counted
from meshclash.messages import Sentence

from .. import results, scene_results, shown_things, view
from ..redraw import tag_redraw
from ..texts import said, verdict_in_words
from ..translations import ChoiceProperty, translated
from .polls import lists_pairs, possible

GONE = "no longer in this view layer"
SIDES = (("a", "A", "The first object"), ("b", "B", "The second object"))


def _has_rows(cls: type[Operator], context: bpy.types.Context) -> bool:
    result = scene_results.result_of(context.scene.session_uid)
    return possible(cls, result is not None and result.report.rows, "There are no pairs: press Detect first")


class PickRow(Operator):
    """Base of the operators that are cells of lists."""

    bl_options = {"INTERNAL"}

    index: IntProperty(options={"SKIP_SAVE"})
    side: ChoiceProperty(items=SIDES, options={"SKIP_SAVE"})
    tip: StringProperty(options={"SKIP_SAVE", "HIDDEN"})
    value: StringProperty(options={"SKIP_SAVE", "HIDDEN"})

    @classmethod
    def description(cls, context: bpy.types.Context, properties: Any) -> str:
        """Return the tooltip: the meaning and full text of the cell, or else information about the row."""
        own = ": ".join(filter(None, (tip_(properties.tip), properties.value))) if properties.tip else ""
        return own or cls._about_row(context, properties) or tip_(cls.__doc__ or "")

    @classmethod
    def _about_row(cls, context: bpy.types.Context, properties: Any) -> str:
        raise NotImplementedError


class MESHCLASH_OT_pick_row(PickRow):
    """Select this pair. Hold Ctrl or Shift to select several"""

    bl_idname = "meshclash.pick_row"
    bl_label = "Select Pair"

    extend: ChoiceProperty(
        items=(("NONE", "None", ""), ("ONE", "One", ""), ("RANGE", "Range", "")), options={"SKIP_SAVE", "HIDDEN"}
    )

    @classmethod
    def _about_row(cls, context: bpy.types.Context, properties: Any) -> str:
        """Return the full names and the collections of the objects."""
        rows, result = context.window_manager.meshclash.rows, scene_results.result_of(context.scene.session_uid)
        if result is None or not 0 <= properties.index < len(rows):
            return ""
        row = result.row(rows[properties.index].pair_id)
        return "" if row is None else tooltip(context, row, properties.side)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Select a pair: Ctrl adds it to the selection or removes it; Shift extends the selection to it."""
        self.extend = "RANGE" if event.shift else "ONE" if event.ctrl or event.oskey else "NONE"
        return self.execute(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        listed, state = context.window_manager.meshclash, shown_things.listed()
        if not 0 <= self.index < len(listed.rows):
            return {"CANCELLED"}
        if self.extend == "NONE":
            state.marked = frozenset()
            listed.active_row = self.index
            return {"FINISHED"}
        first = listed.active_row if listed.active_row >= 0 else self.index
        some = range(*sorted((first, self.index))) if self.extend == "RANGE" else ()
        pairs = {listed.rows[at].pair_id for at in (*some, self.index, *((first,) if self.extend == "RANGE" else ()))}
        if self.extend == "RANGE":
            state.marked |= pairs
        else:
            active = {listed.selected} if listed.selected and not state.marked else set()
            state.marked = (state.marked | active) ^ pairs
        tag_redraw(context, ("UI",))
        return {"FINISHED"}


def tooltip(context: bpy.types.Context, row: PairRow, first: str) -> str:
    """Return the tooltip of a name: this object and its collections, then the other object and the pair."""
    lines = []
    for letter in (first, "b" if first == "a" else "a"):
        side = row.a if letter == "a" else row.b
        name, owner = side.name, side.owner
        item = view.find_object(context, owner)
        found = ", ".join(collection.name for collection in item.users_collection) if item else ""
        instance = "" if owner == name else said(", instance of {owner}", owner=owner)
        where = said("in {collections}", collections=found) if found else said("in no collection" if item else GONE)
        lines.append(f"{letter.upper()}: {name}{instance}\n     {where}")
    return "\n".join((*lines, verdict_in_words(row)))


class StepPair(Operator):
    """Base of the operators that step through pairs; registered classes are never base classes of others."""

    bl_options = {"INTERNAL"}

    step: IntProperty(default=1, options={"SKIP_SAVE"})

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """Return the tooltip."""
        previous = "Select the previous pair of the list"
        return tip_("Select the next pair of the list" if properties.step > 0 else previous)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return lists_pairs(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        found = results.neighbour(context, self.step)
        if found is None:
            return {"CANCELLED"}
        results.select_pair(context, found)
        return {"FINISHED"}


class MESHCLASH_OT_step_pair(StepPair):
    """Select the next pair of the list"""

    bl_idname = "meshclash.step_pair"
    bl_label = "Next Pair"


class MESHCLASH_OT_sort_rows(Operator):
    """Sort by this column. Click again to reverse the order"""

    bl_idname = "meshclash.sort_rows"
    bl_label = "Sort Pairs"
    bl_options = {"INTERNAL"}

    key: StringProperty(options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        listed = context.window_manager.meshclash
        if listed.sort_key == self.key:
            listed.sort_reverse = not listed.sort_reverse
        else:
            listed.sort_key = self.key
        return {"FINISHED"}


class MESHCLASH_OT_turn_page(Operator):
    """Show another page of the list"""

    bl_idname = "meshclash.turn_page"
    bl_label = "Turn Page"
    bl_options = {"INTERNAL"}

    step: IntProperty(default=1, options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        listed = context.window_manager.meshclash
        listed.page = min(max(1, listed.page + self.step), results.page_count(listed.found))
        return {"FINISHED"}


class MESHCLASH_OT_list_selected(Operator):
    """List only the pairs of the selected objects"""

    bl_idname = "meshclash.list_selected"
    bl_label = "List Pairs of Selected Objects"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return possible(cls, context.selected_objects, "Select an object first") and _has_rows(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        names = frozenset(item.name_full for item in context.selected_objects)
        view.leave_isolation(context)
        shown_things.listed().owners = names
        context.window_manager.meshclash.show_all()
        results.relist(context, context.scene)
        found = context.window_manager.meshclash.found
        self.report(
            {"INFO"},
            translated(
                Sentence(
                    "{pairs} of {objects} listed", pairs=counted(found, "pair"), objects=counted(len(names), "object")
                )
            ),
        )
        return {"FINISHED"}


class MESHCLASH_OT_list_found_again(Operator):
    """List pairs that are marked as resolved and were still found by the last detection"""

    bl_idname = "meshclash.list_found_again"
    bl_label = "List Resolved Pairs That Still Clash"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return _has_rows(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        view.leave_isolation(context)
        listed = context.window_manager.meshclash
        listed.show_all()
        listed.progress = {"STILL"}
        results.relist(context, context.scene)
        return {"FINISHED"}


class MESHCLASH_OT_list_all(Operator):
    """Clear the search and all filters"""

    bl_idname = "meshclash.list_all"
    bl_label = "List All Pairs"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return _has_rows(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        listed = context.window_manager.meshclash
        shown_things.listed().owners = None
        listed.show_all()
        results.relist(context, context.scene, listed.selected)
        return {"FINISHED"}


CLASSES = (
    MESHCLASH_OT_pick_row,
    MESHCLASH_OT_step_pair,
    MESHCLASH_OT_sort_rows,
    MESHCLASH_OT_turn_page,
    MESHCLASH_OT_list_selected,
    MESHCLASH_OT_list_found_again,
    MESHCLASH_OT_list_all,
)
