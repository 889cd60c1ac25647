"""Measure how good a hierarchy of boxes still is after a refit to a deformed mesh."""

import numpy as np

from ..volumes.registry import DEFAULT_VOLUME
from .bvh import Hierarchy

WORN = 1.5
"""A refitted hierarchy whose expected tests have grown by this factor is worth rebuilding: building takes about as long
as refitting, and loose boxes make every query slower."""


def expected_tests(hierarchy: Hierarchy) -> float:
    """Return the total surface area of all boxes divided by the root's: the average number of boxes on a random line.

    The lines go through the root's box. Source: Goldsmith, Salmon, "Automatic creation of object hierarchies for ray
    tracing" (1987). Returns 0 for volumes other than boxes, and for a root without area.
    """
    if hierarchy.volume != DEFAULT_VOLUME:
        return 0.0
    boxes = hierarchy.volumes
    x, y, z = (boxes[:, k + 3] - boxes[:, k] for k in range(3))
    areas = x * y + y * z + z * x
    return float(areas.sum(dtype=np.float64) / areas[0]) if areas[0] > 0.0 else 0.0
