"""Units of length: conversion, choice of a readable unit, lengths and volumes as text."""

from __future__ import annotations

import math
from decimal import Decimal

UNITS = {
    "KILOMETERS": (1e3, "km"), "METERS": (1.0, "m"), "CENTIMETERS": (1e-2, "cm"), "MILLIMETERS": (1e-3, "mm"),
    "MICROMETERS": (1e-6, "µm"), "MILES": (1609.344, "mi"), "FEET": (0.3048, "ft"), "INCHES": (0.0254, "in"),
    "THOU": (2.54e-5, "thou"),
}  # fmt: skip
"""By the names of units in a scene: metres, and the abbreviation."""
SYSTEMS = {
    "METRIC": ("KILOMETERS", "METERS", "MILLIMETERS"), "IMPERIAL": ("MILES", "FEET", "INCHES", "THOU"),
}  # fmt: skip
"""Units for lengths that do not suit the given unit, the largest first, by the system of units."""
VOLUME_UNITS = {"METRIC": ("METERS", "CENTIMETERS", "MILLIMETERS"), "IMPERIAL": ("FEET", "INCHES")}
"""Units for volumes: cubes of these units."""
USUAL = 1  # of these, where there is no length
FINEST = {"METRIC": (1e-6, "<0.001 mm"), "IMPERIAL": (2.54e-6, "<0.0001 in")}
"""For each system, the length below which lengths are rounding errors [m], and the text that is written instead."""
READABLE = (0.01, 10000.0)
LEAST_AMONG_OTHERS = 0.001  # in the unit of lengths beside it
FREE_SHARE = 0.001  # of the size of a scene: a clearance that is neither nothing nor everything
FREE_WHERE_EMPTY = 0.01  # metres
SEVERAL = 5.0


def usual_clearance(size: float, unit: float) -> float:
    """Return a default clearance [m]: about a thousandth of the scene size, rounded in its unit.

    Args:
        size: size of the scene [m]; 0 for an empty scene.
        unit: unit in which the scene shows lengths [m].
    """
    wanted = FREE_SHARE * size if size > 0.0 else FREE_WHERE_EMPTY
    power = math.floor(math.log10(wanted / unit) + 1e-9)  # down to a power of ten; 10.000000001 is one, too
    return unit * 10.0**power


def clearly_above(length: float, unit: float) -> float:
    """Return a power of ten in a unit that is at least five times a length [m].

    Args:
        length: the length to exceed [m]; for 0, a thousandth of the unit.
        unit: unit in which the scene shows lengths [m].
    """
    return unit * 10.0 ** math.ceil(math.log10(SEVERAL * length / unit) - 1e-9) if length > 0.0 else 1e-3 * unit


def rounded_up(value: float, digits: int) -> float:
    """Round a number up to some significant digits; a number that exceeds one only by a rounding error stays."""
    step = 10.0 ** (math.floor(math.log10(value)) + 1 - digits) if value > 0.0 else 1.0
    return math.ceil(value / step - 1e-4) * step


def plain(value: float, digits: int = 3, up: bool = False) -> str:
    """Format a number with some significant digits and without an exponent."""
    value = rounded_up(value, digits) if up else value
    rounded = f"{value:.{digits}g}" if abs(value) < 10**digits else f"{value:.0f}"
    return f"{Decimal(rounded):f}"


def time_in_words(seconds: float) -> str:
    """Format a remaining time: "8 s", "3 min", "2 h 10 min"."""
    if seconds < 99.5:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60.0)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def length_in_words(
    metres: float, system: str, unit: str = "", digits: int = 3, like: float | None = None, up: bool = False
) -> str:
    """Format a length with a readable unit: "0.25 mm", "12.5 m"; "<0.001 mm" for rounding errors.

    Args:
        metres: the length.
        system: "METRIC" or "IMPERIAL".
        unit: the preferred unit, a key of `UNITS`; it is used as long as the number is readable.
        digits: significant ones.
        like: a length [m] whose unit is used, so that lengths shown together have one unit; smaller lengths than a
            thousandth of the unit are written as such.
        up: whether the number is rounded up.
    """
    if like:
        size, name = fitting_unit(like, system, unit)
        small = 0.0 < abs(metres) < LEAST_AMONG_OTHERS * size
        return f"<{LEAST_AMONG_OTHERS} {name}" if small else f"{plain(metres / size, digits)} {name}"
    finest, instead = _finest(system, unit)
    if 0.0 < abs(metres) < finest:
        return instead
    size, name = UNITS.get(unit, (1.0, ""))
    if not name or (metres != 0.0 and not READABLE[0] <= abs(metres) / size < READABLE[1]):
        size, name = fitting_unit(metres, system)
    return f"{plain(metres / size, digits, up)} {name}"


def at_most(length: str, words: str = "at most ") -> str:
    """Format an upper bound: "at most 0.25 mm"; "<0.001 mm" stays unchanged."""
    return length if length.startswith("<") else f"{words}{length}"


def volume_in_words(cubic_metres: float, system: str, unit: str = "", digits: int = 3) -> str:
    """Format a volume with a readable unit: "1.25 cm³"; "<0.001 mm³" for rounding errors.

    Args:
        cubic_metres: the volume.
        system, unit: as in `length_in_words`; the unit is a unit of length.
        digits: significant ones.
    """
    return volume_between(cubic_metres, cubic_metres, system, unit, digits)


def volume_between(low: float, high: float, system: str, unit: str = "", digits: int = 3) -> str:
    """Format the bounds of a volume: "1.24 to 1.26 cm³", or a single number if both have the same text."""
    size, name = _fitting_volume(high, system, unit)
    if 0.0 < high < LEAST_AMONG_OTHERS * size:
        return f"<{LEAST_AMONG_OTHERS} {name}"
    texts = list(dict.fromkeys(plain(value / size, digits) for value in (low, high)))
    return f"{' to '.join(texts)} {name}"


def _fitting_volume(cubic_metres: float, system: str, unit: str) -> tuple[float, str]:
    """Return the cube of the given unit if it suits a volume, otherwise the largest suitable one."""
    size, name = UNITS.get(unit, (1.0, ""))
    if name and READABLE[0] <= cubic_metres / size**3 < READABLE[1]:
        return size**3, f"{name}³"
    known = [(UNITS[unit][0] ** 3, f"{UNITS[unit][1]}³") for unit in VOLUME_UNITS[system]]
    least = 0.1 * (1.0 - 1e-9)  # 0.1 cm³ is not quite 1e-7
    return next((unit for unit in known if least * unit[0] <= cubic_metres), known[-1])


def fitting_unit(metres: float, system: str, unit: str = "") -> tuple[float, str]:
    """Return the given unit if it suits a length, otherwise the largest suitable one."""
    size, name = UNITS.get(unit, (1.0, ""))
    if name and READABLE[0] <= abs(metres) / size < READABLE[1]:
        return size, name
    known = [UNITS[unit] for unit in SYSTEMS[system]]
    if metres == 0.0:
        return known[USUAL]
    return next((unit for unit in known if 0.1 * unit[0] <= abs(metres)), known[-1])


def _finest(system: str, unit: str) -> tuple[float, str]:
    """Return the length below which lengths are rounding errors [m], and its text; the length is smaller for finer
    units.
    """
    size, name = UNITS.get(unit, (1.0, ""))
    return min(FINEST[system], (LEAST_AMONG_OTHERS * size, f"<{LEAST_AMONG_OTHERS} {name}")) if name else FINEST[system]
