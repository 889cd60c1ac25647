"""Texts of panels, overlays and messages."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import blf
import bpy
from meshclash.clash.cell_text import format_share
from meshclash.clash.column_table import Column, Notes
from meshclash.clash.pair_row import PairRow
from meshclash.clash.units import at_most, length_in_words, plain, volume_between
from meshclash.clash.verdicts import MEETS, VERDICTS
from meshclash.clash.words import counted
from meshclash.messages import Sentence

from .core.way_out import Way, direction
from .translations import translated

UNMEASURED = "–"
ALMOST = 1.0 - 1e-9
ROUNDING = 1e-6  # share of the largest coordinate of a point below which others are roundings
FONT, POINTS = 0, 11.0  # Blender's own, and its size in its own theme
MARGIN = 90.0  # of a panel beside a text with its icon, both sides together [px at scale 1]
PIECES = re.compile(r"\S+\s*")


def length(
    blender_units: float,
    unit_settings: bpy.types.UnitSettings,
    digits: int = 3,
    like: float | None = None,
    up: bool = False,
) -> str:
    """A length as the scene's units have it: "0.25 mm", or a bare number where the scene has no units.

    Args:
        blender_units: the length.
        unit_settings: of the scene.
        digits: significant ones.
        like: a length whose unit is taken, so that lengths that are read together have one unit.
        up: whether it is rounded up.
    """
    if unit_settings.system == "NONE":
        return plain(blender_units, digits, up)
    scale, system, unit = unit_settings.scale_length, unit_settings.system, unit_settings.length_unit
    return length_in_words(blender_units * scale, system, unit, digits, like and like * scale, up)


def volume(low: float, high: float, unit_settings: bpy.types.UnitSettings, digits: int = 3) -> str:
    """A volume between two bounds, cubic Blender units, as the scene's units have it."""
    if unit_settings.system == "NONE":
        return " to ".join(dict.fromkeys(plain(value, digits) for value in (low, high)))
    cube = unit_settings.scale_length**3
    return volume_between(low * cube, high * cube, unit_settings.system, unit_settings.length_unit, digits)


def place(point: Sequence[float], unit_settings: bpy.types.UnitSettings) -> str:
    """The coordinates of a point in one unit; roundings are 0."""
    reach = max(map(abs, point))
    return ", ".join(length(x if abs(x) > ROUNDING * reach else 0.0, unit_settings, like=reach) for x in point)


def way_out(way: Way, unit_settings: bpy.types.UnitSettings) -> str:
    """A way out of an overlap: its length and its direction, which lead out as they are written."""
    text, along = direction(way)
    return f"{length(math.hypot(*way) / along, unit_settings, up=True)} {text}"


def typical(lengths: Iterable[float]) -> float | None:
    """The length in whose unit some lengths are written: the one in their middle; None where all are 0."""
    known = sorted(length for length in lengths if length > 0.0)
    return known[len(known) // 2] if known else None


def certainty(row: Any) -> str:
    """How certain the verdict of a listed row is; "" where it is sure."""
    return said("{share} certain", share=format_share(row.certainty)) if row.certainty < 1.0 else ""


def measure(row: Any, names: Sequence[str], unit_settings: bpy.types.UnitSettings, like: float | None = None) -> str:
    """The first measure that a listed row has; all are negative where they are unknown. `like`: as in `length`."""
    for name in names:
        value = getattr(row, name)
        if value >= 0.0 and name == "probability":
            return probability(value, row.verdict)
        if value >= 0.0 and name == "volume":
            return volume(value, value, unit_settings, digits=2)
        if value >= 0.0:
            return length(value, unit_settings, digits=2, like=like)
        if name == "depth" and row.depth_upper >= 0.0:
            return at_most(length(row.depth_upper, unit_settings, digits=2, like=like), "≤ ")
    return UNMEASURED


def column_text(column: Column, row: PairRow, unit_settings: bpy.types.UnitSettings) -> str:
    """The value of a column of the table for a row, as the scene's units have it; "" if it is unknown."""
    value = None if column.read is None else column.read(row, Notes())
    if value is None:
        return ""
    if column.kind == "number" and column.unit == "m":
        return length(value, unit_settings, digits=2)
    if column.kind == "number" and column.unit == "m³":
        return volume(value, value, unit_settings, digits=2)
    if column.kind == "share":
        return format_share(value)
    if column.kind == "integer":
        return str(value) if column.name == "frame" else f"{value:,}"
    return str(value)


def depth(found: Any, unit_settings: bpy.types.UnitSettings) -> str:
    """The depth of a row or of an event, else what it is at most; "" where neither is known."""
    if found.depth is not None:
        return length(found.depth, unit_settings)
    return "" if found.depth_upper is None else at_most(length(found.depth_upper, unit_settings))


def probability(value: float, verdict: str, digits: int = 0) -> str:
    """A probability in percent; only what certainly meets has 100 %."""
    return format_share(value if verdict == MEETS else min(value, ALMOST), digits)


def verdict_in_words(row: Any) -> str:
    """The verdict of a row, with what limits it: the resolution of the coordinates, an open mesh."""
    parts = [said(VERDICTS[row.verdict].label)]
    if row.flush:
        parts.append(said("flush within the resolution"))
    if row.certainty < 1.0:
        text = "{share} certain: an open mesh is judged as the solid that it seems to bound"
        parts.append(said(text, share=format_share(row.certainty)))
    return ", ".join(parts)


def said(text: str, **parts: str | int | tuple[int, str]) -> str:
    """A text of the tab in the user's language.

    Args:
        text: English, as the table of translations has it, with the names of its parts in braces.
        parts: what is put in their places; a number and a noun are counted.
    """
    return translated(Sentence(text, **{name: _part(part) for name, part in parts.items()}))


def _part(part: str | int | tuple[int, str]) -> str:
    if isinstance(part, tuple):
        return counted(*part)
    return part if isinstance(part, str) else f"{part:,}"


def text_width(text: str) -> float:
    """How wide a text of a panel is [px]."""
    return text_widths()(text)


def text_widths() -> Callable[[str], float]:
    """The same as a function that is quick for many texts, as long as no other size of letters is set."""
    style = bpy.context.preferences.ui_styles[0].widget if bpy.context.preferences.ui_styles else None
    blf.size(FONT, (style.points if style else POINTS) * (bpy.context.preferences.system.ui_scale or 1.0))
    dimensions: Callable[[int, str], tuple[float, float]] = blf.dimensions  # type: ignore[assignment]  # so say the stubs
    return lambda text: dimensions(FONT, text)[0]


def wrapped(text: str, region: bpy.types.Region | None, share: float = 1.0, within: float | None = None) -> list[str]:
    """Lines of `text` that fit that share of the region's width, or `within`; labels do not wrap by themselves."""
    width = within if within is not None else region.width if region else 280
    room = share * (width - MARGIN * (bpy.context.preferences.system.ui_scale or 1.0))
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
