"""``collides`` where one object, or both, is an exact shape."""

from collections.abc import Generator
from typing import Any

import numpy as np

from ...errors import UnsupportedOption
from ..shape_pairs import near_steps
from ..table import Asked


def solve(asked: Asked) -> Generator[Any, None, bool | np.ndarray]:
    """Whether they have a common point, or (k,) bool for a stack of poses."""
    if not asked.options.touching:
        raise UnsupportedOption("touching=False is a question about triangles: exact shapes are asked without it")
    near = yield from near_steps(asked, only_met=True)
    return near.met if asked.stacked else bool(near.met[0])
