"""Whether, and where, the surfaces of two clouds meet: the driver of ``traverse.py``."""

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..geometry.relative_pose import relative_rows
from .cloud import PointCloud
from .heap import grown_heap, new_heap
from .patches import new_patch
from .priority import new_sample_room
from .surface import MARGIN, SAMPLING_RADIUS
from .traverse import (
    COUNTER,
    ENOUGH,
    FIRST_ONLY,
    FOUND,
    HEAP_USED,
    PAPER_PRIORITY,
    RESOLUTION,
    SETTINGS_LENGTH,
    STATE_LENGTH,
    TEST_POINTS,
    TOLERANCE,
    WORK_LIMIT,
    traverse,
)
from .tree import SAMPLE_COUNT

ROOT_TOLERANCE = 1e-3
"""How close to both surfaces a contact point is, in sampling radii of the finer cloud."""

_HEAP = 4096
_OUTPUT = 1024


def new_scratch(a: PointCloud, b: PointCloud) -> tuple[Any, ...]:
    """What the traversal of two clouds works in."""
    return (
        new_patch(a.built.largest_patch),
        new_patch(b.built.largest_patch),
        np.empty(6),
        np.empty((SAMPLE_COUNT, 3)),
        new_sample_room(),
        np.zeros(1, np.int64),
    )
