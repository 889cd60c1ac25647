"""Find a move of one of two clashing solids out of the other: a direction and a length."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from meshclash.clash.errors import InputError, UnusableObject
from meshclash.clash.frame_scene import SceneSource
from meshclash.clash.pair_row import PairRow
from meshclash.types.steps import scale_progress

from .placed_pair import placed_pair_steps

Way = tuple[float, float, float]
"""Translation of B that moves B out of A [Blender units]."""
AXES = "XYZ"
DIGITS = 3  # decimal places of a direction
READ_END = 0.3
HEAD, HEAD_WIDTH = 0.25, 0.1  # size of an arrow's head, as shares of its length


def way_steps(source: SceneSource, engine: ModuleType, row: PairRow) -> Generator[Any, None, Way | None]:
    """Return a short translation that separates the two objects of a row in their current state.

    Returns None if an object is open or was deleted, or if the objects do not overlap.

    Args:
        source, engine: as for `job.detect_steps`.
        row: the pair.
    """
    try:
        (a, pose_a), (b, pose_b) = yield from scale_progress(placed_pair_steps(source, engine, row), 0.0, READ_END)
        found = yield from scale_progress(engine.steps(engine.penetration, a, b, pose_a, pose_b), READ_END, 1.0)
    except (InputError, UnusableObject, engine.errors.MeshClashError):
        return None
    x, y, z = map(float, found.translation)
    return (x, y, z) if found.depth > 0.0 else None


def arrow(way: Way, start: Sequence[float]) -> np.ndarray:
    """Return the lines of an arrow along a way out, (10, 3) float32: pairs of ends of its shaft and four head lines."""
    along, begin = np.asarray(way, np.float64), np.asarray(start, np.float64)
    across = np.eye(3)[int(np.abs(along).argmin())]
    first = np.cross(along, across)
    first *= np.linalg.norm(along) / np.linalg.norm(first)
    second = np.cross(along, first) / np.linalg.norm(along)
    tip = begin + along
    ends = [tip - HEAD * along + HEAD_WIDTH * side for side in (first, -first, second, -second)]
    return np.array([begin, tip, *(point for end in ends for point in (tip, end))], np.float32)


def direction(way: Way) -> tuple[str, float]:
    """Return the direction of a way as text: "+Z" along an axis, otherwise its three components.

    Also returns how far a unit step in that rounded direction leads along the way, rounded down.
    """
    unit = np.asarray(way) / np.linalg.norm(way)
    written = np.round(unit, DIGITS) + 0.0
    along, axis = float(written @ unit), int(np.abs(written).argmax())
    if np.count_nonzero(written) == 1:
        return f"{'+' if written[axis] > 0.0 else '−'}{AXES[axis]}", along
    return ", ".join(f"{part:.{DIGITS}f}".replace("-", "−") for part in written), along - 10.0**-DIGITS
