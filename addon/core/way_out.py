"""How one of two clashing solids is moved out of the other: a direction and a length."""

from __future__ import annotations

from collections.abc import Generator
from types import ModuleType
from typing import Any

import numpy as np
from meshclash.clash.errors import InputError, UnusableObject
from meshclash.clash.frame_scene import SceneSource
from meshclash.clash.pair_row import PairRow
from meshclash.types.steps import scale_progress

from .placed_pair import placed_pair_steps

Way = tuple[float, float, float]
"""What to add to the position of B so that it leaves A [Blender units]."""
AXES = "XYZ"
DIGITS = 3  # of a direction, behind the point
READ_END = 0.3


def way_steps(source: SceneSource, engine: ModuleType, row: PairRow) -> Generator[Any, None, Way | None]:
    """A short way out, as the two objects of a row stand; None where one is open, gone, or they do not overlap.

    Args:
        source, engine: as `job.detect_steps` takes them.
        row: the pair.
    """
    try:
        (a, pose_a), (b, pose_b) = yield from scale_progress(placed_pair_steps(source, engine, row), 0.0, READ_END)
        found = yield from scale_progress(engine.steps(engine.penetration, a, b, pose_a, pose_b), READ_END, 1.0)
    except (InputError, UnusableObject, engine.errors.MeshClashError):
        return None
    x, y, z = map(float, found.translation)
    return (x, y, z) if found.depth > 0.0 else None


def direction(way: Way) -> tuple[str, float]:
    """The direction of a way: "+Z" where it is along an axis, else its three parts; how far a step so leads."""
    unit = np.asarray(way) / np.linalg.norm(way)
    written = np.round(unit, DIGITS) + 0.0
    along, axis = float(written @ unit), int(np.abs(written).argmax())
    if np.count_nonzero(written) == 1:
        return f"{'+' if written[axis] > 0.0 else '−'}{AXES[axis]}", along
    return ", ".join(f"{part:.{DIGITS}f}".replace("-", "−") for part in written), along - 10.0**-DIGITS
