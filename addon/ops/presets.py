"""Save the settings of Detect as a user preset, or remove a preset."""

from __future__ import annotations

from bl_operators.presets import AddPresetBase
from bpy.types import Operator

from ..ui.presets import FOLDER, MESHCLASH_PT_presets


class MESHCLASH_OT_add_preset(AddPresetBase, Operator):
    """Save the test and its options as a preset for all files"""

    bl_idname = "meshclash.add_preset"
    bl_label = "Add Detect Preset"
    preset_menu = MESHCLASH_PT_presets.__name__
    preset_subdir = FOLDER
    preset_defines = ["settings = bpy.context.scene.meshclash"]
    preset_values = ["settings.preset"]


CLASSES = (MESHCLASH_OT_add_preset,)
