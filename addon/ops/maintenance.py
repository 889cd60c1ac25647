"""Operators of the preferences: the cache of compiled kernels and the diagnostics."""

from __future__ import annotations

import bpy
from bpy.types import Operator
from meshclash.messages import Sentence

from .. import engine, preferences
from ..translations import translated
from .polls import possible


class MESHCLASH_OT_clear_cache(Operator):
    """Delete the compiled kernels; the next Detect after a restart compiles them again"""

    bl_idname = "meshclash.clear_cache"
    bl_label = "Clear Compiled Cache"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return possible(cls, preferences.cache_folder(), "Only an installed extension has a cache folder of its own")

    def execute(self, _context: bpy.types.Context) -> set[str]:
        try:
            count = preferences.clear_cache()
        except OSError as error:
            self.report({"ERROR"}, translated(Sentence("The cache could not be deleted: {why}", why=error)))
            return {"CANCELLED"}
        self.report({"INFO"}, translated(Sentence("{count} files deleted", count=count)))
        return {"FINISHED"}


class MESHCLASH_OT_copy_diagnostics(Operator):
    """Copy versions and the state of the engine, for a bug report"""

    bl_idname = "meshclash.copy_diagnostics"
    bl_label = "Copy Diagnostics"
    bl_options = {"INTERNAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        lines = [f"Blender {bpy.app.version_string}, {bpy.app.build_platform.decode()}", *engine.diagnose()]
        context.window_manager.clipboard = "\n".join(lines)
        self.report({"INFO"}, translated("Diagnostics copied to the clipboard"))
        return {"FINISHED"}


class MESHCLASH_OT_look_for_gpu(Operator):
    """Look for an NVIDIA GPU that MeshClash can use"""

    bl_idname = "meshclash.look_for_gpu"
    bl_label = "Look for a GPU"
    bl_options = {"INTERNAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        try:
            usable, text = engine.look_for_gpu(preferences.cache_folder())
        except engine.EngineMissing as error:
            self.report({"ERROR"}, translated(str(error)))
            return {"CANCELLED"}
        self.report({"INFO"}, translated(text if usable else Sentence("No GPU can be used. {why}", why=text)))
        return {"FINISHED"}


CLASSES = (MESHCLASH_OT_clear_cache, MESHCLASH_OT_copy_diagnostics, MESHCLASH_OT_look_for_gpu)
