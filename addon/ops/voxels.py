"""Looking at what the two objects of a pair have in common: draws the voxels that both surfaces touch."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import bpy
from bpy.types import Operator
from meshclash.detection.kernel_parts import BASIC_PARTS
from meshclash.detection.pair_row import PairRow

from .. import preferences, results, running_work, shown_things
from ..adapters.source import BlenderSource
from ..core.voxel_boxes import PARTS, ShownVoxels, voxels_steps
from ..redraw import tag_redraw
from ..texts import counted
from .detect import begin, handle, run_at_once
from .loading import load_steps
from .task import Task


class MESHCLASH_OT_show_voxels(Operator):
    """Draw the voxels that the surfaces of the selected pair share, as the two objects stand"""

    bl_idname = "meshclash.show_voxels"
    bl_label = "Show Common Voxels"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        row = results.active_pair(context)
        if row is None:
            cls.poll_message_set("Select a pair in the list")
        elif row.scans:
            cls.poll_message_set("A scan has points, and no faces")
        elif running_work.running_task() is not None:
            cls.poll_message_set("A detection is running: press ESC to stop it")
        else:
            return True
        return False

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        return self.execute(context) if bpy.app.background else begin(self, context, _task)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return handle(self, context, event, lambda shown: _take(context, self.run.scene_uid, shown))

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator itself: a file is loaded or the window is closed."""
        self.run.end(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        return run_at_once(self, context, _task, lambda shown: _take(context, context.scene.session_uid, shown))


def _task(context: bpy.types.Context) -> Task:
    settings = context.scene.meshclash
    source, row = BlenderSource.from_context(context), results.selected_pair(context)
    return Task(_steps(source, row, settings.voxel_resolution, settings.voxel_size))


def _steps(
    source: BlenderSource, row: PairRow, resolution: int, voxel_size: float
) -> Generator[Any, None, ShownVoxels]:
    module = yield from load_steps(preferences.cache_folder(), (*BASIC_PARTS, *PARTS))
    return (yield from voxels_steps(source, module, row, resolution, voxel_size))


def _take(context: bpy.types.Context, scene_uid: int, shown: ShownVoxels) -> str:
    """Draws the voxels and says how many they are."""
    shown_things.show_voxels(scene_uid, shown)
    shown_things.age_voxels(scene_uid, running_work.changed_meanwhile())
    tag_redraw(context)
    named = " and ".join(shown.names)
    return f"{named}: {counted(shown.count, 'common voxel')}" if shown.count else f"{named}: the surfaces are apart"


class MESHCLASH_OT_hide_voxels(Operator):
    """Draw no voxels any more, and free them"""

    bl_idname = "meshclash.hide_voxels"
    bl_label = "Hide Common Voxels"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return shown_things.shown_voxels(context.scene.session_uid) is not None

    def execute(self, context: bpy.types.Context) -> set[str]:
        shown_things.drop_voxels()
        tag_redraw(context)
        return {"FINISHED"}


CLASSES = (MESHCLASH_OT_show_voxels, MESHCLASH_OT_hide_voxels)
