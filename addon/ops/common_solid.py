"""Looking at what the two objects of a pair have in common as a solid: drawn, measured, framed, made an object."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import bpy
from bpy.types import Operator
from meshclash.detection.kernel_parts import BASIC_PARTS
from meshclash.detection.pair_row import PairRow

from .. import preferences, results, running_work, shown_things, view
from ..adapters.source import BlenderSource
from ..core.common_solid import ShownSolid, solid_steps
from ..redraw import tag_redraw
from ..texts import volume
from .detect import begin, handle, run_at_once
from .loading import load_steps
from .task import Task


class MESHCLASH_OT_show_common_solid(Operator):
    """Draw and measure the solid that the selected pair has in common, as the two objects stand"""

    bl_idname = "meshclash.show_common_solid"
    bl_label = "Show Common Solid"
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
    return Task(_steps(BlenderSource.from_context(context), results.selected_pair(context)))


def _steps(source: BlenderSource, row: PairRow) -> Generator[Any, None, ShownSolid]:
    module = yield from load_steps(preferences.cache_folder(), BASIC_PARTS)
    return (yield from solid_steps(source, module, row))


def _take(context: bpy.types.Context, scene_uid: int, shown: ShownSolid) -> str:
    """Draws the solid and says how large it is."""
    shown_things.show_solid(scene_uid, shown)
    shown_things.age_solid(scene_uid, running_work.changed_meanwhile())
    tag_redraw(context)
    if shown.box is None:
        return f"{' and '.join(shown.names)} have no volume in common"
    return f"{' and '.join(shown.names)}: {volume(shown.volume, shown.volume, context.scene.unit_settings)} in common"


class OfShownSolid(Operator):
    """What the operators of a shown common solid have in common."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        shown = shown_things.shown_solid(context.scene.session_uid)
        return shown is not None and shown.box is not None


class MESHCLASH_OT_frame_common_solid(OfShownSolid):
    """Look at the common solid from near by"""

    bl_idname = "meshclash.frame_common_solid"
    bl_label = "Frame Common Solid"
    bl_options = {"INTERNAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        shown = shown_things.shown_solid(context.scene.session_uid)
        if shown is None or shown.box is None or context.area is None or context.area.type != "VIEW_3D":
            return {"CANCELLED"}
        view.frame_box(context.area, shown.box)
        return {"FINISHED"}


class MESHCLASH_OT_make_common_solid(OfShownSolid):
    """Make the common solid an object of the scene"""

    bl_idname = "meshclash.make_common_solid"
    bl_label = "Make Object"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        shown = shown_things.shown_solid(context.scene.session_uid)
        if shown is None or shown.box is None:
            return {"CANCELLED"}
        middle = shown.box.mean(axis=0)
        mesh = bpy.data.meshes.new("Common Solid")
        mesh.from_pydata((shown.vertices - middle).tolist(), [], shown.triangles.tolist())
        made = bpy.data.objects.new(f"{shown.names[0]} × {shown.names[1]}", mesh)
        made.location = middle
        context.scene.collection.objects.link(made)
        self.report({"INFO"}, f"Object {made.name} made")
        return {"FINISHED"}


class MESHCLASH_OT_hide_common_solid(Operator):
    """Draw the common solid no more, and free it"""

    bl_idname = "meshclash.hide_common_solid"
    bl_label = "Hide Common Solid"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return shown_things.shown_solid(context.scene.session_uid) is not None

    def execute(self, context: bpy.types.Context) -> set[str]:
        shown_things.drop_solid()
        tag_redraw(context)
        return {"FINISHED"}


CLASSES = (
    MESHCLASH_OT_show_common_solid,
    MESHCLASH_OT_frame_common_solid,
    MESHCLASH_OT_make_common_solid,
    MESHCLASH_OT_hide_common_solid,
)
