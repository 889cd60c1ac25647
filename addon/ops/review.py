"""Operators for decisions on pairs: a status and a comment, saved in the .blend file and kept in later detections."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import StringProperty
from bpy.types import Operator

from .. import results, reviews, shown_things
from ..props import STATUSES
from ..translations import CONTEXT, ChoiceProperty
from .polls import has_pair


class SetStatus(Operator):
    """Base of the operators that set a status; registered classes are never base classes of others."""

    bl_options = {"REGISTER", "UNDO"}

    status: ChoiceProperty(name="Status", items=STATUSES, default="OPEN")

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """The tooltip."""
        label, tip = next((label, tip) for status, label, tip, *_ in STATUSES if status == properties.status)
        return (
            f"{tip_(label, CONTEXT)}: {tip_(tip)}. {tip_('Saved with the file and kept when the pair is found again')}"
        )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return has_pair(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        rows = results.chosen_rows(context) if shown_things.listed().marked else [results.selected_pair(context)]
        reviews.say(context.scene, rows, status=self.status)
        results.list_said(context)
        return {"FINISHED"}


class MESHCLASH_OT_set_status(SetStatus):
    """Set the status of the selected pair. It is saved with the file and kept when the pair is found again"""

    bl_idname = "meshclash.set_status"
    bl_label = "Status"


class MESHCLASH_OT_read_message(Operator):
    """Show the full text"""

    bl_idname = "meshclash.read_message"
    bl_label = "Message"
    bl_options = {"INTERNAL"}

    text: StringProperty(options={"SKIP_SAVE", "HIDDEN"})

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """Return the tooltip: the full text."""
        return str(properties.text)

    def execute(self, _context: bpy.types.Context) -> set[str]:
        if self.text:
            self.report({"INFO"}, self.text)
        return {"FINISHED"}


CLASSES = (
    MESHCLASH_OT_read_message,
    MESHCLASH_OT_set_status,
)
