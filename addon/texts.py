"""Format texts of panels, overlays and messages."""

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
from meshclash.clash.review.lengths import Length
from meshclash.clash.units import at_most, length_in_words, plain, time_in_words, volume_between
from meshclash.clash.verdicts import MEETS, VERDICTS
from meshclash.clash.words import counted
from meshclash.messages import Sentence, capital

from .core.way_out import Way, direction
from .translations import translated

UNMEASURED = "–"
ALMOST = 1.0 - 1e-9
ROUNDING = 1e-6  # coordinates below this share of a point's largest one are rounding errors
FONT, POINTS = 0, 11.0  # Blender's default font, and its size in the default theme
MARGIN = 90.0  # margins of a panel around a text with an icon, both sides together [px at scale 1]
PIECES = re.compile(r"\S+\s*")


def length(
    blender_units: float,
    unit_settings: bpy.types.UnitSettings,
    digits: int = 3,
    like: float | None = None,
    up: bool = False,
) -> str:
    """Return a length in the scene's units, such as "0.25 mm", or a plain number if the scene has no units.

    Args:
        blender_units: the length.
        unit_settings: units of the scene.
        digits: significant digits.
        like: a length that determines the unit, so that lengths shown together have the same unit.
        up: whether to round up.
    """
    if unit_settings.system == "NONE":
        return plain(blender_units, digits, up)
    scale, system, unit = unit_settings.scale_length, unit_settings.system, unit_settings.length_unit
    return length_in_words(blender_units * scale, system, unit, digits, like and like * scale, up)


def reason(text: str, unit_settings: bpy.types.UnitSettings) -> str:
    """Return the reason of a group in the user's language, with its lengths in the scene's units."""
    return translated(_in_units(text, unit_settings))


def _in_units(text: str, unit_settings: bpy.types.UnitSettings) -> str:
    if isinstance(text, Length):
        scale = unit_settings.scale_length
        return length(text.metres / scale, unit_settings, like=text.like / scale)
    if isinstance(text, Sentence):
        made = Sentence(text.template, **{name: _in_units(value, unit_settings) for name, value in text.values.items()})
        return capital(made) if text.is_capital else made
    return text


def volume(low: float, high: float, unit_settings: bpy.types.UnitSettings, digits: int = 3) -> str:
    """Return a volume between two bounds, given in cubic Blender units, in the scene's units."""
    if unit_settings.system == "NONE":
        return " to ".join(dict.fromkeys(plain(value, digits) for value in (low, high)))
    cube = unit_settings.scale_length**3
    return volume_between(low * cube, high * cube, unit_settings.system, unit_settings.length_unit, digits)


def place(point: Sequence[float], unit_settings: bpy.types.UnitSettings) -> str:
    """Return the coordinates of a point in a common unit; rounding errors become 0."""
    reach = max(map(abs, point))
    return ", ".join(length(x if abs(x) > ROUNDING * reach else 0.0, unit_settings, like=reach) for x in point)


def way_out(way: Way, unit_settings: bpy.types.UnitSettings) -> str:
    """Return the translation that separates a pair as text: length and direction, rounded so that the rounded move also
    separates it.
    """
    text, along = direction(way)
    return f"{length(math.hypot(*way) / along, unit_settings, up=True)} {text}"


def typical(lengths: Iterable[float]) -> float | None:
    """Return a length that determines the common unit of some lengths: the median; None if all lengths are 0."""
    known = sorted(length for length in lengths if length > 0.0)
    return known[len(known) // 2] if known else None


def certainty(row: Any) -> str:
    """Return the certainty of a listed row's verdict; "" for a certain verdict."""
    return said("{share} certain", share=format_share(row.certainty)) if row.certainty < 1.0 else ""


def measure(row: Any, names: Sequence[str], unit_settings: bpy.types.UnitSettings, like: float | None = None) -> str:
    """Return the first known measure of a listed row; a measure below 0 means unknown. `like`: as in `length`."""
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
    """Return the value of a column for a row, in the scene's units; "" if the value is unknown."""
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
    """Return the depth of a row or an event, or else its upper bound; "" if both are unknown."""
    if found.depth is not None:
        return length(found.depth, unit_settings)
    return "" if found.depth_upper is None else at_most(length(found.depth_upper, unit_settings))


def probability(value: float, verdict: str, digits: int = 0) -> str:
    """Return a probability in percent; only certain contacts have 100 %."""
    return format_share(value if verdict == MEETS else min(value, ALMOST), digits)


def verdict_in_words(row: Any) -> str:
    """Return the verdict of a row as text, with its limits: the resolution of the coordinates, or an open mesh."""
    parts = [said(VERDICTS[row.verdict].label)]
    if row.flush:
        parts.append(said("flush within the precision of the coordinates"))
    if row.certainty < 1.0:
        text = "{share} certain: the open mesh is treated as the solid that it seems to enclose"
        parts.append(said(text, share=format_share(row.certainty)))
    return ", ".join(parts)


def said(text: str, **parts: str | int | tuple[int, str]) -> str:
    """Return a text of the tab in the user's language.

    Args:
        text: English text as in the translation table, with names of its parts in braces.
        parts: values for the parts; a pair of number and noun is written with the right plural.
    """
    return translated(Sentence(text, **{name: _part(part) for name, part in parts.items()}))


def progress_text(fraction: float, seconds_left: float | None) -> str:
    """Return the progress of a task in short: "42 %", or "42 %, 12 s left"."""
    percent = int(100.0 * fraction)
    if seconds_left is None:
        return f"{percent} %"
    return said("{percent} %, {time} left", percent=percent, time=time_in_words(seconds_left))


def _part(part: str | int | tuple[int, str]) -> str:
    if isinstance(part, tuple):
        return counted(*part)
    return part if isinstance(part, str) else f"{part:,}"


def text_width(text: str) -> float:
    """Return the width of a panel's text [px]."""
    return text_widths()(text)


def text_widths() -> Callable[[str], float]:
    """Return a function like `text_width` that is fast for many texts, as long as the font size does not change."""
    style = bpy.context.preferences.ui_styles[0].widget if bpy.context.preferences.ui_styles else None
    blf.size(FONT, (style.points if style else POINTS) * (bpy.context.preferences.system.ui_scale or 1.0))
    dimensions: Callable[[int, str], tuple[float, float]] = blf.dimensions  # type: ignore[assignment]  # so say the stubs
    return lambda text: dimensions(FONT, text)[0]


def wrapped(text: str, region: bpy.types.Region | None, share: float = 1.0, within: float | None = None) -> list[str]:
    """Wrap `text` to a share of the region's width, or to `within`, since labels do not wrap; return the lines."""
    width = within if within is not None else region.width if region else 280
    room = share * (width - MARGIN * (bpy.context.preferences.system.ui_scale or 1.0))
    lines = [""]
    for piece in PIECES.findall(text):
        if text_width((lines[-1] + piece).rstrip()) <= room:
            lines[-1] += piece
            continue
        whole = piece.rstrip()
        while text_width(whole) > room and len(whole) > 1:  # splits a word that is longer than a line
            length = next((size for size in range(len(whole) - 1, 1, -1) if text_width(whole[:size]) <= room), 1)
            lines.append(whole[:length])
            whole = whole[length:]
        lines.append(whole + piece[len(piece.rstrip()) :])
    return [line.rstrip() for line in lines if line.strip()] or [""]
