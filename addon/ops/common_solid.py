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
from .loading import load_steps
from .pair_look import OfSelectedPair
from .task import Task


class MESHCLASH_OT_show_common_solid(OfSelectedPair):
    """Draw and measure the solid that the selected pair has in common, as the two objects stand"""

    bl_idname = "meshclash.show_common_solid"
    bl_label = "Show Common Solid"
    bl_options = {"REGISTER"}

    def task(self, context: bpy.types.Context) -> Task:
        return Task(_steps(BlenderSource.from_context(context), results.selected_pair(context)))

    def take(self, context: bpy.types.Context, scene_uid: int, shown: ShownSolid) -> str:
        """Draws the solid and says how large it is."""
        shown_things.solid.show(scene_uid, shown)
        shown_things.solid.age(scene_uid, running_work.changed_meanwhile())
        tag_redraw(context)
        named = " and ".join(shown.names)
        if shown.box is None:
            return f"{named} have no volume in common"
        return f"{named}: {volume(shown.volume, shown.volume, context.scene.unit_settings)} in common"


def _steps(source: BlenderSource, row: PairRow) -> Generator[Any, None, ShownSolid]:
    module = yield from load_steps(preferences.cache_folder(), BASIC_PARTS)
    return (yield from solid_steps(source, module, row))


class OfShownSolid(Operator):
    """What the operators of a shown common solid have in common."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        shown = shown_things.solid.of(context.scene.session_uid)
        return shown is not None and shown.box is not None


class MESHCLASH_OT_frame_common_solid(OfShownSolid):
    """Look at the common solid from near by"""

    bl_idname = "meshclash.frame_common_solid"
    bl_label = "Frame Common Solid"
    bl_options = {"INTERNAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        shown = shown_things.solid.of(context.scene.session_uid)
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
        shown = shown_things.solid.of(context.scene.session_uid)
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
        return shown_things.solid.of(context.scene.session_uid) is not None

    def execute(self, context: bpy.types.Context) -> set[str]:
        shown_things.solid.drop()
        tag_redraw(context)
        return {"FINISHED"}


CLASSES = (
    MESHCLASH_OT_show_common_solid,
    MESHCLASH_OT_frame_common_solid,
    MESHCLASH_OT_make_common_solid,
    MESHCLASH_OT_hide_common_solid,
)
