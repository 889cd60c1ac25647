"""Checks of the tolerances of a verdict."""

from typing import Any

from ..errors import UnsupportedOption
from ..messages import shown
from ..solid.case import Limits
from ..types.numbers import truth
from .options import check_length

RESOLUTION, EXACT = "resolution", "exact"


def checked_limits(permitted_overlap: Any = 0.0, touch_tolerance: Any = 0.0, depth: Any = True) -> Limits:
    """Return limits from the options of ``verdict``; raise UnsupportedOption, which names the wrong option."""
    tolerance, exact = check_length("touch_tolerance", touch_tolerance), isinstance(depth, str)
    if exact and depth != EXACT:
        raise UnsupportedOption(f"depth must be True, False or '{EXACT}', not {shown(depth)}")
    depths = exact or truth("depth", depth)
    if not isinstance(permitted_overlap, str):
        return Limits(check_length("permitted_overlap", permitted_overlap), tolerance, depths=depths, exact=exact)
    if permitted_overlap != RESOLUTION:
        raise UnsupportedOption(
            f"permitted_overlap must be a number of metres or '{RESOLUTION}', not {shown(permitted_overlap)}"
        )
    return Limits(touch_tolerance=tolerance, by_resolution=True, depths=depths, exact=exact)
