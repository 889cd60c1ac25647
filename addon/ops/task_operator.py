"""Base of operators that run a task in Object Mode: imports, builds of files, measurements of scans."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Operator

from .detect import begin, handle, run_at_once
from .polls import in_object_mode, is_idle
from .task import Task


class TaskOperator(Operator):
    """An operator that runs a task: modal in a window, where ESC stops it, and directly to the end without a window."""

    def make_task(self, context: bpy.types.Context) -> Task:
        """Return the task to run."""
        raise NotImplementedError

    def finish(self, context: bpy.types.Context, result: Any) -> str:
        """Add the task's result to the scene; return the message to report; raises DetectError."""
        raise NotImplementedError

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return is_idle(cls) and in_object_mode(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        if bpy.app.background:
            return run_at_once(self, context, self.make_task, lambda result: self.finish(context, result))
        return begin(self, context, self.make_task)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return handle(self, context, event, lambda result: self.finish(context, result))

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator itself: a file is loaded or the window is closed."""
        self.run.end(context)
