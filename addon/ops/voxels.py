"""Operators for common voxels of a pair: draw the voxels that both surfaces touch."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import bpy
from bpy.types import Operator
from meshclash.clash.kernel_parts import BASIC_PARTS
from meshclash.clash.pair_row import PairRow
from meshclash.clash.words import counted
from meshclash.messages import Sentence

from .. import preferences, results, running_work, shown_things
from ..adapters.source import BlenderSource
from ..core.voxel_boxes import PARTS, ShownVoxels, voxels_steps
from ..redraw import tag_redraw
from .loading import load_steps
from .pair_look import OfSelectedPair
from .polls import possible
from .task import Task


class MESHCLASH_OT_show_voxels(OfSelectedPair):
    """Draw the voxels that both surfaces of the selected pair pass through"""

    bl_idname = "meshclash.show_voxels"
    bl_label = "Show Common Voxels"
    bl_options = {"REGISTER"}

    def task(self, context: bpy.types.Context) -> Task:
        settings = context.scene.meshclash
        source, row = BlenderSource.from_context(context), results.selected_pair(context)
        return Task(_steps(source, row, settings.voxel_resolution, settings.voxel_size))

    def take(self, context: bpy.types.Context, scene_uid: int, shown: ShownVoxels) -> str:
        """Draw the voxels; return a message with their number."""
        shown_things.voxels.show(scene_uid, shown)
        shown_things.voxels.age(scene_uid, running_work.changed_meanwhile())
        tag_redraw(context)
        named = " × ".join(shown.names)
        return (
            f"{named}: {counted(shown.count, 'common voxel')}"
            if shown.count
            else Sentence("{names}: the surfaces do not meet", names=named)
        )


def _steps(
    source: BlenderSource, row: PairRow, resolution: int, voxel_size: float
) -> Generator[Any, None, ShownVoxels]:
    module = yield from load_steps(preferences.cache_folder(), (*BASIC_PARTS, *PARTS))
    return (yield from voxels_steps(source, module, row, resolution, voxel_size))


class MESHCLASH_OT_hide_voxels(Operator):
    """Stop drawing the voxels and free their memory"""

    bl_idname = "meshclash.hide_voxels"
    bl_label = "Hide Common Voxels"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return possible(cls, shown_things.voxels.of(context.scene.session_uid), "There is nothing to hide")

    def execute(self, context: bpy.types.Context) -> set[str]:
        shown_things.voxels.drop()
        tag_redraw(context)
        return {"FINISHED"}


CLASSES = (MESHCLASH_OT_show_voxels, MESHCLASH_OT_hide_voxels)
