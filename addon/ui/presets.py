"""Blender's own preset menu for what Detect tests."""

from __future__ import annotations

from pathlib import Path

import bpy
from bl_ui.utils import PresetPanel
from bpy.types import Panel

FOLDER = "meshclash"
"""Of the presets, below a folder "presets": those beside this package, and the user's own."""


class MESHCLASH_PT_presets(PresetPanel, Panel):
    """Tests with their lengths, under a name."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_label = "Presets"
    preset_subdir = FOLDER
    preset_operator = "script.execute_preset"
    preset_add_operator = "meshclash.add_preset"


def attach() -> None:
    """Lets Blender find the presets of the extension."""
    bpy.utils.register_preset_path(str(Path(__file__).parents[1]))


def detach() -> None:
    """Blender finds them no longer."""
    bpy.utils.unregister_preset_path(str(Path(__file__).parents[1]))


CLASSES = (MESHCLASH_PT_presets,)
