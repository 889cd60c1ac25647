"""Find the triangles of both objects near a clash, for pictures and 3D views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

MOST_TRIANGLES = 1500
"""Of an object."""
WHOLE_TRIANGLES = 300
"""An object of no more is shown whole: without some of its large triangles a slab looks torn."""
LEAST_REACH, MOST_REACH = 0.02, 5.0
"""How far around a clash is shown [m]."""

Triangles = Callable[[str], np.ndarray]


class Nearby(NamedTuple):
    """The surroundings of a clash, in metres.

    Attributes:
        a, b: world triangles (t, 3, 3) of the two objects.
        centre: the location of the clash.
        reach: distance from the centre up to which triangles are included.
        focus: distance from the centre that is visible at first.
    """

    a: np.ndarray
    b: np.ndarray
    centre: np.ndarray
    reach: float
    focus: float


def nearby(pair: dict[str, Any], triangles: Triangles) -> Nearby | None:
    """Return the surroundings of a pair of a report; None if its location is unknown, or one of the objects has no
    faces.
    """
    if pair["location"] is None:
        return None
    centre, both = np.array(pair["location"]), [triangles(pair[name]) for name in ("a", "b")]
    if not all(len(one) for one in both):
        return None
    sizes = [float(np.ptp(one.reshape(-1, 3), axis=0).max()) for one in both]
    reach = float(np.clip(0.75 * min(sizes), LEAST_REACH, MOST_REACH))
    a, b = (_around(one, centre, reach) for one in both)
    return Nearby(a, b, centre, reach, focus_of(pair, both))


def focus_of(pair: dict[str, Any], both: Sequence[np.ndarray]) -> float:
    """Return the radius of the region that is shown around a clash [m], from its depth and the size of the objects."""
    sizes = [np.sort(np.ptp(one.reshape(-1, 3), axis=0)) for one in both]
    largest, middle = (min(float(size[k]) for size in sizes) for k in (2, 1))
    return max(min(6.0 * (pair["depth"] or 0.0) + 4.0 * middle, 0.95 * largest), 0.5 * LEAST_REACH)


def _around(triangles: np.ndarray, centre: np.ndarray, reach: float) -> np.ndarray:
    """Return the triangles whose boxes are near a point; all triangles if there are few, the nearest if there are too
    many.
    """
    if len(triangles) <= WHOLE_TRIANGLES:
        return triangles
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    gap = np.maximum(np.maximum(low - centre, centre - high), 0.0).max(axis=1)
    near = np.flatnonzero(gap <= reach)
    if len(near) > MOST_TRIANGLES:
        near = np.sort(near[np.argsort(gap[near], kind="stable")[:MOST_TRIANGLES]])
    return triangles[near if len(near) else [int(gap.argmin())]]
