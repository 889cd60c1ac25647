"""Operators for the common solid of a pair: draw it, measure it, frame it, make it an object."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import bpy
import numpy as np
from bpy.types import Operator
from meshclash.clash.kernel_parts import BASIC_PARTS
from meshclash.clash.pair_row import PairRow
from meshclash.clash.verdicts import CLASH_VERDICTS
from meshclash.clash.words import counted
from meshclash.messages import Sentence

from .. import preferences, results, running_work, scene_results, shown_things, view
from ..adapters.source import BlenderSource
from ..core.common_solid import ShownSolid, fit_steps, solid_steps
from ..redraw import tag_redraw
from ..texts import volume
from ..translations import translated
from .loading import load_steps
from .pair_look import OfSelectedPair
from .polls import lists_pairs, possible
from .task import Task
from .task_operator import TaskOperator


class MESHCLASH_OT_show_common_solid(OfSelectedPair):
    """Draw and measure the common solid of the selected pair at the current frame"""

    bl_idname = "meshclash.show_common_solid"
    bl_label = "Show Common Solid"
    bl_options = {"REGISTER"}

    def task(self, context: bpy.types.Context) -> Task:
        return Task(_steps(BlenderSource.from_context(context), results.selected_pair(context)))

    def take(self, context: bpy.types.Context, scene_uid: int, shown: ShownSolid) -> str:
        """Draw the solid; return its size as a message."""
        shown_things.solid.show(scene_uid, shown)
        scene_results.note_solid(scene_uid, shown.pair_id, shown.volume, shown.contradicts)
        shown_things.solid.age(scene_uid, running_work.changed_meanwhile())
        tag_redraw(context)
        named = " × ".join(shown.names)
        if shown.box is None:
            return Sentence("{names} have no volume in common", names=named)
        return Sentence(
            "{names} have a common volume of {volume}",
            names=named,
            volume=volume(shown.volume, shown.volume, context.scene.unit_settings),
        )


def _steps(source: BlenderSource, row: PairRow) -> Generator[Any, None, ShownSolid]:
    module = yield from load_steps(preferences.cache_folder(), BASIC_PARTS)
    return (yield from solid_steps(source, module, row))


class MESHCLASH_OT_find_fits(TaskOperator):
    """Select listed clashes that are screws in tapped holes or press fits, to approve them together"""

    bl_idname = "meshclash.find_fits"
    bl_label = "Find Screws and Press Fits"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return lists_pairs(cls, context) and super().poll(context)

    def make_task(self, context: bpy.types.Context) -> Task:
        """Check all listed pairs, regardless of the selection."""
        shown_things.listed().marked = frozenset()
        context.window_manager.meshclash.selected = ""
        rows = [row for row in results.chosen_rows(context) if row.verdict in CLASH_VERDICTS and not row.scans]
        return Task(_fit_steps(BlenderSource.from_context(context), rows))

    def finish(self, context: bpy.types.Context, found: list[str]) -> str:
        """List only the fits, all selected."""
        if not found:
            return "No listed pair is a screw in its hole or a press fit"
        state = shown_things.listed()
        state.group = state.marked = frozenset(found)
        results.list_said(context)
        return Sentence(
            "{fits} selected: you can approve them together", fits=counted(len(found), "screw or press fit")
        )


def _fit_steps(source: BlenderSource, rows: list[PairRow]) -> Generator[Any, None, list[str]]:
    module = yield from load_steps(preferences.cache_folder(), BASIC_PARTS)
    return (yield from fit_steps(source, module, rows))


class OfShownSolid(Operator):
    """Base of the operators on a shown common solid."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        shown = shown_things.solid.of(context.scene.session_uid)
        return possible(cls, shown is not None and shown.box is not None, "Show the common solid of a pair first")


class InView(OfShownSolid):
    """Base of the operators that show the common solid in a 3D view."""

    def look(self, context: bpy.types.Context, box: np.ndarray) -> None:
        """Make the 3D view of the context show a box, (2, 3) in Blender units."""
        raise NotImplementedError

    def execute(self, context: bpy.types.Context) -> set[str]:
        shown = shown_things.solid.of(context.scene.session_uid)
        if shown is None or shown.box is None or context.area is None or context.area.type != "VIEW_3D":
            return {"CANCELLED"}
        self.look(context, shown.box)
        return {"FINISHED"}


class MESHCLASH_OT_frame_common_solid(InView):
    """Move the view to the common solid"""

    bl_idname = "meshclash.frame_common_solid"
    bl_label = "Frame Common Solid"
    bl_options = {"INTERNAL"}

    def look(self, context: bpy.types.Context, box: np.ndarray) -> None:
        """Implement `InView.look`."""
        view.frame_box(context.area, box)


class MESHCLASH_OT_clip_common_solid(InView):
    """Clip the view to the surroundings of the common solid. Press again to show everything"""

    bl_idname = "meshclash.clip_common_solid"
    bl_label = "Clip View to Common Solid"
    bl_options = {"INTERNAL"}

    def look(self, context: bpy.types.Context, box: np.ndarray) -> None:
        """Implement `InView.look`."""
        view.clip_to_box(context, context.area, box)


class MESHCLASH_OT_make_common_solid(OfShownSolid):
    """Add the common solid to the scene as an object"""

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
        self.report({"INFO"}, translated(Sentence("Created object {name}", name=made.name)))
        return {"FINISHED"}


class MESHCLASH_OT_hide_common_solid(Operator):
    """Stop drawing the common solid and free its memory"""

    bl_idname = "meshclash.hide_common_solid"
    bl_label = "Hide Common Solid"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return possible(cls, shown_things.solid.of(context.scene.session_uid), "There is nothing to hide")

    def execute(self, context: bpy.types.Context) -> set[str]:
        shown_things.solid.drop()
        tag_redraw(context)
        return {"FINISHED"}


CLASSES = (
    MESHCLASH_OT_find_fits,
    MESHCLASH_OT_show_common_solid,
    MESHCLASH_OT_frame_common_solid,
    MESHCLASH_OT_clip_common_solid,
    MESHCLASH_OT_make_common_solid,
    MESHCLASH_OT_hide_common_solid,
)
