"""What operators share whose work is a task in Object Mode: imports, builds of files, measurements of scans."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Operator

from .. import running_work
from .detect import begin, handle, run_at_once
from .task import Task


class TaskOperator(Operator):
    """An operator whose work is a task: modal in a window, where ESC stops it, and at once without one."""

    def make_task(self, context: bpy.types.Context) -> Task:
        """The task to run."""
        raise NotImplementedError

    def finish(self, context: bpy.types.Context, result: Any) -> str:
        """Puts the task's result into the scene and says what to report; raises DetectError."""
        raise NotImplementedError

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if running_work.running_task() is not None:
            cls.poll_message_set("Something is running: press ESC to stop it")
            return False
        if context.scene is not None and context.mode == "OBJECT":
            return True
        cls.poll_message_set("Leave Edit Mode first")
        return False

    def execute(self, context: bpy.types.Context) -> set[str]:
        if bpy.app.background:
            return run_at_once(self, context, self.make_task, lambda result: self.finish(context, result))
        return begin(self, context, self.make_task)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return handle(self, context, event, lambda result: self.finish(context, result))

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator itself: a file is loaded or the window is closed."""
        self.run.end(context)
