"""``point_triangle_impacts`` and ``edge_edge_impacts``: whether and when moving points and edges meet."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InvalidMesh
from ..jit import kernel
from ..reference import by_reference
from ..types.numbers import given_array
from ..types.steps import run
from .coplanarity import EDGE_EDGE, POINT_TRIANGLE, Rows, apart_along_axes
from .filter import decide_in_float
from .integer_stages import integer_stage_steps
from .stages import COMPARISONS, HIT, MISS, STAGES, UNDECIDED

STAGE_NAMES = ("comparisons", "signs", "bracket", "integers", "rational")
"""Names of the stages, in the order of ``filter.py``."""


@dataclass(frozen=True, eq=False)
class Impacts:
    """The results for many pairs of moving elements: which pairs touch, and the first time at which each pair
    touches.
    """

    hit: np.ndarray
    """(n,) bool: whether they meet at any time from 0 to 1, both included; exact."""
    time: np.ndarray
    """(n,) float64: a lower bound of the first time of contact, at most 2**-40 below the exact time; NaN for pairs that
    do not meet. The bound is 0 only for pairs that meet at time 0 (or before 2**-1074)."""
    counters: dict[str, int]
    """Number of pairs decided by each stage: "comparisons" of coordinates, "signs" of the coplanarity's coefficients, a
    certified "bracket" in float64, "integers" of fixed width, "rational" signs in Python integers."""

    def __len__(self) -> int:
        return len(self.hit)

    def __repr__(self) -> str:
        return f"Impacts({int(self.hit.sum())} of {len(self)} meet)"


def point_triangle_impacts(start: Any, end: Any) -> Impacts:
    """Decide exactly whether points touch triangles while all of them move along straight lines from time 0 to time 1.

    A contact counts even if the elements only touch, and even if this happens exactly at time 0 or 1. The function
    handles all degenerate cases, such as elements at rest, motion within a plane, and triangles without area.

    Args:
        start: array-like, (n, 4, 3) [m], converted to float64: the point, then the three corners of the triangle, at
            time 0.
        end: vertices at time 1, in the same form.

    Returns:
        Impacts.

    Raises:
        InvalidMesh: the array has another shape, or coordinates are not finite numbers.

    Example:
        >>> import meshclash as mc
        >>> start = [[[0.2, 0.2, 1], [0, 0, 0], [1, 0, 0], [0, 1, 0]]]
        >>> end = [[[0.2, 0.2, -1], [0, 0, 0], [1, 0, 0], [0, 1, 0]]]
        >>> mc.motion.point_triangle_impacts(start, end).hit
        array([ True])
    """
    return _impacts(start, end, POINT_TRIANGLE)


def edge_edge_impacts(start: Any, end: Any) -> Impacts:
    """Decide exactly whether edges touch edges while all of them move along straight lines from time 0 to time 1.

    Args:
        start: array-like, (n, 4, 3) [m], converted to float64: the two ends of the first edge, then those of the second
            edge, at time 0.
        end: vertices at time 1, in the same form.

    Returns, raises: as ``point_triangle_impacts``.

    Example:
        >>> import meshclash as mc
        >>> start = [[[-1, 0, 1], [1, 0, 1], [0, -1, 0], [0, 1, 0]]]
        >>> end = [[[-1, 0, -1], [1, 0, -1], [0, -1, 0], [0, 1, 0]]]
        >>> mc.motion.edge_edge_impacts(start, end).hit
        array([ True])
    """
    return _impacts(start, end, EDGE_EDGE)


def _impacts(start: Any, end: Any, kind: int) -> Impacts:
    start, end = checked_points("start", start, 4), checked_points("end", end, 4)
    if len(start) != len(end):
        raise InvalidMesh(
            f"start has {len(start)} rows of four points, but end has {len(end)}: both need the same number of rows"
        )
    verdicts, times = np.empty(len(start), np.uint8), np.empty(len(start))
    counts = np.zeros(STAGES, np.int64)
    _decide_all(start, end, kind, verdicts, times, counts)
    left = np.flatnonzero(verdicts == UNDECIDED)
    if len(left):
        verdicts[left], times[left] = run(integer_stage_steps(start[left], end[left], kind, counts))
    return Impacts(verdicts == HIT, times, dict(zip(STAGE_NAMES, counts.tolist(), strict=True)))


def checked_points(name: str, points: Any, count: int) -> np.ndarray:
    """Return rows of points, (n, count, 3) float64, as kernels take them; InvalidMesh names the argument."""
    try:
        if isinstance(points, np.ma.MaskedArray):
            raise TypeError("masked arrays are not supported")
        given = given_array(name, points, InvalidMesh)
        if given.dtype.kind not in "fiuO":
            raise TypeError(f"they are {given.dtype}")
        array = np.require(given, np.float64, ["C", "W"])  # kernels are compiled for writable arrays
    except (TypeError, ValueError, ArithmeticError, MemoryError) as error:
        raise InvalidMesh(f"{name} cannot be read as numbers: {error!s:.120}") from None
    if array.ndim != 3 or array.shape[1:] != (count, 3):
        raise InvalidMesh(f"{name} must have shape (n, {count}, 3), not {array.shape}")
    if not np.isfinite(array).all():
        finite = np.isfinite(array).all(axis=(1, 2))
        i = int(np.argmin(finite))
        raise InvalidMesh(
            f"{name}[{i}] is {array[i].tolist()!s:.200} ({int((~finite).sum())} such rows in total): "
            "coordinates must be finite"
        )
    return array


@kernel
def _decide_all(start, end, kind, verdicts, times, counts):
    rows = by_reference(Rows(start, end))
    for i in range(start.shape[0]):
        first, last = rows.start[i], rows.end[i]
        times[i] = np.nan
        if apart_along_axes(first, last, kind):
            verdicts[i] = MISS
            counts[COMPARISONS] += 1
            continue
        verdict, low, stage = decide_in_float(first, last, kind)
        verdicts[i] = verdict
        if verdict == UNDECIDED:
            continue
        counts[stage] += 1
        if verdict == HIT:
            times[i] = low
