"""Texts of the panels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import blf
import bpy

from ..core.pair_row import MEETS
from ..core.report_formats import format_share
from ..core.units import UNITS

VERDICT_LABELS = {
    "clash": "Clash", "contained": "Inside", "duplicate": "Duplicate", "touching": "Touching", "contact": "Contact",
    "near": "Near", "apart": "Apart", "meets": "Meets", "likely": "Likely", "unlikely": "Unlikely",
}  # fmt: skip
VERDICT_ICONS = {
    "clash": "COLLECTION_COLOR_01",
    "contained": "COLLECTION_COLOR_02",
    "duplicate": "COLLECTION_COLOR_06",
    "touching": "COLLECTION_COLOR_04",
    "contact": "COLLECTION_COLOR_08",
    "near": "COLLECTION_COLOR_03",
    "apart": "COLLECTION_COLOR_05",
    "meets": "COLLECTION_COLOR_01",
    "likely": "COLLECTION_COLOR_02",
    "unlikely": "COLLECTION_COLOR_04",
}
MEASURE_LABELS = {"depth": "Depth", "distance": "Gap", "probability": "Chance"}
UNMEASURED = "–"
ALMOST = 1.0 - 1e-9
FONT, POINTS = 0, 11.0  # Blender's own, and its size in its own theme
MARGIN = 90.0  # of a panel beside a text with its icon, both sides together [px at scale 1]
PIECES = re.compile(r"\S+\s*")


SYSTEMS = {
    "METRIC": ("KILOMETERS", "METERS", "MILLIMETERS", "MICROMETERS"), "IMPERIAL": ("MILES", "FEET", "INCHES", "THOU"),
}  # fmt: skip
"""What lengths that do not suit the scene's unit are written in."""
READABLE = (0.01, 10000.0)


def length(
    blender_units: float, unit_settings: bpy.types.UnitSettings, digits: int = 3, like: float | None = None
) -> str:
    """A length as the scene's units have it: "0.25 mm", or a bare number where the scene has no units.

    Args:
        blender_units: the length.
        unit_settings: of the scene.
        digits: significant ones.
        like: a length whose unit is taken, so that lengths that are read together have one unit.
    """
    if unit_settings.system == "NONE":
        return f"{blender_units:.{digits}g}"
    metres = blender_units * unit_settings.scale_length
    size, name = UNITS.get(unit_settings.length_unit, (1.0, ""))
    if like:
        size, name = _unit_for(like * unit_settings.scale_length, unit_settings)
        value = metres / size
        return f"{value:.{digits}g} {name}" if abs(value) < 10**digits else f"{value:.0f} {name}"
    value = metres / size
    if name and (value == 0.0 or READABLE[0] <= abs(value) < READABLE[1]):
        return f"{value:.{digits}g} {name}" if abs(value) < 10**digits else f"{value:.0f} {name}"
    # too small or large for that unit: one that fits the size
    return bpy.utils.units.to_string(unit_settings.system, "LENGTH", metres, precision=digits)


def _unit_for(metres: float, unit_settings: bpy.types.UnitSettings) -> tuple[float, str]:
    """The scene's unit where a length is readable in it, else the largest of its system of which it is a tenth."""
    size, name = UNITS.get(unit_settings.length_unit, (1.0, ""))
    if name and READABLE[0] <= abs(metres) / size < READABLE[1]:
        return size, name
    known = sorted((UNITS[unit] for unit in SYSTEMS[unit_settings.system]), reverse=True)
    return next((unit for unit in known if 0.1 * unit[0] <= abs(metres)), known[-1])


def typical(lengths: Iterable[float]) -> float | None:
    """The length in whose unit some lengths are written: the one in their middle; None where all are 0."""
    known = sorted(length for length in lengths if length > 0.0)
    return known[len(known) // 2] if known else None


def measure(row: Any, names: Sequence[str], unit_settings: bpy.types.UnitSettings, like: float | None = None) -> str:
    """The first measure that a listed row has; all are negative where they are unknown. `like`: as in `length`."""
    for name in names:
        value = getattr(row, name)
        if value >= 0.0 and name == "probability":
            return chance(value, row.verdict)
        if value >= 0.0:
            return length(value, unit_settings, digits=2, like=like)
    return UNMEASURED


def chance(probability: float, verdict: str, digits: int = 0) -> str:
    """A probability in percent; only what certainly meets has 100 %."""
    return format_share(probability if verdict == MEETS else min(probability, ALMOST), digits)


def counted(number: int, noun: str) -> str:
    """ "1 face", "2 faces"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def text_width(text: str) -> float:
    """How wide a text of a panel is [px]."""
    style = bpy.context.preferences.ui_styles[0].widget if bpy.context.preferences.ui_styles else None
    blf.size(FONT, (style.points if style else POINTS) * (bpy.context.preferences.system.ui_scale or 1.0))
    size: Any = blf.dimensions(FONT, text)  # type: ignore[func-returns-value]  # the stubs miss what it returns
    return float(size[0])


def wrapped(text: str, region: bpy.types.Region | None, share: float = 1.0) -> list[str]:
    """Lines of `text` that fit that share of the region's width; labels do not wrap by themselves."""
    room = share * ((region.width if region else 280) - MARGIN * (bpy.context.preferences.system.ui_scale or 1.0))
    lines = [""]
    for piece in PIECES.findall(text):
        if text_width((lines[-1] + piece).rstrip()) <= room:
            lines[-1] += piece
            continue
        whole = piece.rstrip()
        while text_width(whole) > room and len(whole) > 1:  # a word that is longer than a line
            length = next((size for size in range(len(whole) - 1, 1, -1) if text_width(whole[:size]) <= room), 1)
            lines.append(whole[:length])
            whole = whole[length:]
        lines.append(whole + piece[len(piece.rstrip()) :])
    return [line.rstrip() for line in lines if line.strip()] or [""]
