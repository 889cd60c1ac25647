"""How good a hierarchy of boxes still is after it was refitted to a deformed mesh."""

import numpy as np

from ..volumes.registry import DEFAULT_VOLUME
from .bvh import Hierarchy

WORN = 1.5
"""A refitted hierarchy whose expected tests have grown by this factor is worth building anew: building takes about as
long as refitting, and a query pays for every loose box."""


def expected_tests(hierarchy: Hierarchy) -> float:
    """Surface area of all boxes, as a share of the root's: how many a line through the root passes on the average.

    Source: Goldsmith, Salmon, "Automatic creation of object hierarchies for ray tracing" (1987). 0 for other volumes
    than boxes, and for a root without area.
    """
    if hierarchy.volume != DEFAULT_VOLUME:
        return 0.0
    boxes = hierarchy.volumes
    x, y, z = (boxes[:, k + 3] - boxes[:, k] for k in range(3))
    areas = x * y + y * z + z * x
    return float(areas.sum(dtype=np.float64) / areas[0]) if areas[0] > 0.0 else 0.0
