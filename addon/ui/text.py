"""Texts of the panels."""

from __future__ import annotations

import textwrap

import bpy

VERDICT_LABELS = {"clash": "Clash", "contained": "Inside", "duplicate": "Duplicate", "touching": "Touching"}
VERDICT_ICONS = {
    "clash": "COLLECTION_COLOR_01",
    "contained": "COLLECTION_COLOR_02",
    "duplicate": "COLLECTION_COLOR_06",
    "touching": "COLLECTION_COLOR_04",
}


def length(blender_units: float, unit_settings: bpy.types.UnitSettings) -> str:
    """A length as the scene's units have it: "0.25 mm", or a bare number where the scene has no units."""
    if unit_settings.system == "NONE":
        return f"{blender_units:.4g}"
    metres = blender_units * unit_settings.scale_length
    return bpy.utils.units.to_string(unit_settings.system, "LENGTH", metres, precision=3)


def wrapped(text: str, region: bpy.types.Region | None) -> list[str]:
    """Lines of `text` that fit the width of the region; labels do not wrap by themselves."""
    pixels_per_letter = 7.0 * (bpy.context.preferences.system.ui_scale or 1.0)  # 0 in background
    columns = int((region.width if region else 280) / pixels_per_letter) - 6
    return textwrap.wrap(text, max(columns, 16)) or [""]
