"""Blender's preset menu for the settings of Detect."""

from __future__ import annotations

from pathlib import Path

import bpy
from bl_ui.utils import PresetPanel
from bpy.types import Panel

FOLDER = "meshclash"
"""Folder of presets, inside a folder "presets": one in this package, and one of the user."""


class MESHCLASH_PT_presets(PresetPanel, Panel):
    """Menu of the presets: saved settings of Detect."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_label = "Presets"
    preset_subdir = FOLDER
    preset_operator = "script.execute_preset"
    preset_add_operator = "meshclash.add_preset"


def attach() -> None:
    """Register the presets of the extension."""
    bpy.utils.register_preset_path(str(Path(__file__).parents[1]))


def detach() -> None:
    """Unregister the presets."""
    bpy.utils.unregister_preset_path(str(Path(__file__).parents[1]))


CLASSES = (MESHCLASH_PT_presets,)
