"""Base of the operators that show something of the selected pair."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Operator

from .. import results
from .detect import begin, handle, run_at_once
from .polls import has_pair, is_idle, possible


class OfSelectedPair(Operator):
    """Runs a task about the selected pair: with progress in a window, to the end in background mode.

    A class has `task(context)`, which returns the task, and `take(context, scene_uid, shown)`, which draws the result
    and returns a message.
    """

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        row = results.active_pair(context)
        meshes = row is None or not row.scans
        return has_pair(cls, context) and possible(cls, meshes, "Scans have points but no faces") and is_idle(cls)

    def invoke(self: Any, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        return self.execute(context) if bpy.app.background else begin(self, context, self.task)

    def modal(self: Any, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return handle(self, context, event, lambda shown: self.take(context, self.run.scene_uid, shown))

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator itself: a file is loaded or the window is closed."""
        self.run.end(context)

    def execute(self: Any, context: bpy.types.Context) -> set[str]:
        return run_at_once(self, context, self.task, lambda shown: self.take(context, context.scene.session_uid, shown))
