"""The operator that runs a method of the papers on two objects."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import bpy
from bpy.types import Operator
from meshclash.clash.kernel_parts import BASIC_PARTS

from .. import preferences, shown_things
from ..adapters.source import BlenderSource
from ..core.methods import METHODS, PARTS, MethodRun, method_steps
from ..texts import said
from .detect import begin, handle, run_at_once
from .hierarchy import SELECTED
from .loading import load_steps
from .polls import is_idle, possible
from .task import Task


class MESHCLASH_OT_run_method(Operator):
    """Run the chosen method on the two selected objects, and show what it finds and how long it takes"""

    bl_idname = "meshclash.run_method"
    bl_label = "Run on Selected Objects"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        two = len(context.selected_objects) == SELECTED
        return possible(cls, two, "Select the two objects to measure") and is_idle(cls)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        return self.execute(context) if bpy.app.background else begin(self, context, _task)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return handle(self, context, event, take_run)

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator itself: a file is loaded or the window is closed."""
        self.run.end(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        return run_at_once(self, context, _task, take_run)


def _task(context: bpy.types.Context) -> Task:
    settings = context.scene.meshclash
    return Task(_steps(BlenderSource.from_context(context), settings.method, settings.method_node_size))


def _steps(source: BlenderSource, method: str, node_size: float) -> Generator[Any, None, MethodRun]:
    module = yield from load_steps(preferences.cache_folder(), (*BASIC_PARTS, *PARTS))
    return (yield from method_steps(source, module, method, node_size))


def take_run(found: MethodRun) -> str:
    """Keep what a method found for the panel; return a message."""
    shown_things.set_method_run(found)
    label = next(label for name, label, _ in METHODS if name == found.method)
    return f"{' × '.join(found.names)}: {said(label)}"


CLASSES = (MESHCLASH_OT_run_method,)
