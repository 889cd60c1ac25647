"""Units of length, and lengths that suit what is measured."""

from __future__ import annotations

import math

UNITS = {
    "KILOMETERS": (1e3, "km"), "METERS": (1.0, "m"), "CENTIMETERS": (1e-2, "cm"), "MILLIMETERS": (1e-3, "mm"),
    "MICROMETERS": (1e-6, "µm"), "MILES": (1609.344, "mi"), "FEET": (0.3048, "ft"), "INCHES": (0.0254, "in"),
    "THOU": (2.54e-5, "thou"),
}  # fmt: skip
"""By Blender's names: metres, and how it is written."""
FREE_SHARE = 0.001  # of the size of a scene: a clearance that is neither nothing nor everything
FREE_WHERE_EMPTY = 0.01  # metres


def usual_clearance(size: float, unit: float) -> float:
    """A clearance to begin with [m]: about a thousandth of the scene, a round number in its unit.

    Args:
        size: of the scene [m]; 0 where nothing is in it.
        unit: in which the scene shows lengths [m].
    """
    wanted = FREE_SHARE * size if size > 0.0 else FREE_WHERE_EMPTY
    power = math.floor(math.log10(wanted / unit) + 1e-9)  # down to a power of ten; 10.000000001 is one, too
    return unit * 10.0**power
