"""The operator that runs a method from research papers on two objects."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import bpy
from meshclash.clash.kernel_parts import BASIC_PARTS

from .. import preferences, shown_things
from ..adapters.source import BlenderSource
from ..core.methods import METHODS, PARTS, MethodRun, method_steps
from ..texts import said
from .hierarchy import OfTwoObjects
from .loading import load_steps
from .task import Task


class MESHCLASH_OT_run_method(OfTwoObjects):
    """Run the chosen method on the two selected objects, and show its result and time"""

    bl_idname = "meshclash.run_method"
    bl_label = "Run on Selected Objects"
    bl_options = {"REGISTER"}

    def make_task(self, context: bpy.types.Context) -> Task:
        """Implement `TaskOperator.make_task`."""
        settings = context.scene.meshclash
        return Task(_steps(BlenderSource.from_context(context), settings.method, settings.method_node_size))

    def finish(self, _context: bpy.types.Context, result: MethodRun) -> str:
        """Implement `TaskOperator.finish`."""
        shown_things.set_method_run(result)
        label = next(label for name, label, _ in METHODS if name == result.method)
        return f"{' × '.join(result.names)}: {said(label)}"


def _steps(source: BlenderSource, method: str, node_size: float) -> Generator[Any, None, MethodRun]:
    module = yield from load_steps(preferences.cache_folder(), (*BASIC_PARTS, *PARTS))
    return (yield from method_steps(source, module, method, node_size))


CLASSES = (MESHCLASH_OT_run_method,)
