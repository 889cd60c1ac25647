"""How one of two clashing solids is moved out of the other: a direction and a length."""

from __future__ import annotations

from collections.abc import Generator
from types import ModuleType
from typing import Any

import numpy as np
from meshclash.detection.errors import InputError, UnusableObject
from meshclash.detection.frame_scene import SceneSource
from meshclash.detection.pair_row import PairRow
from meshclash.detection.steps import within

from .placed_pair import placed_pair_steps

Way = tuple[float, float, float]
"""What to add to the position of B so that it leaves A [Blender units]."""
AXES = "XYZ"
ALONG = 0.9998  # cosine of the angle to an axis that counts as along it: a degree
READ_END = 0.3


def way_steps(source: SceneSource, engine: ModuleType, row: PairRow) -> Generator[Any, None, Way | None]:
    """A short way out, as the two objects of a row stand; None where one is open, gone, or they do not overlap.

    Args:
        source, engine: as `job.detect_steps` takes them.
        row: the pair.
    """
    try:
        (a, pose_a), (b, pose_b) = yield from within(placed_pair_steps(source, engine, row), 0.0, READ_END)
        found = yield from within(engine.steps(engine.penetration, a, b, pose_a, pose_b), READ_END, 1.0)
    except (InputError, UnusableObject, engine.errors.MeshClashError):
        return None
    x, y, z = map(float, found.translation)
    return (x, y, z) if found.depth > 0.0 else None


def direction(way: Way) -> tuple[str, float]:
    """The direction of a way: "+Z" where it is along an axis, else its three parts; how far a step so leads along."""
    unit = np.asarray(way) / np.linalg.norm(way)
    axis = int(np.abs(unit).argmax())
    if abs(unit[axis]) >= ALONG:
        return f"{'+' if unit[axis] > 0.0 else '−'}{AXES[axis]}", float(abs(unit[axis]))
    written = np.round(unit, 2) + 0.0
    return ", ".join(f"{part:.2f}".replace("-", "−") for part in written), float(written @ unit)
