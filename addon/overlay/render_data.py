"""What the overlay draws, as plain arrays: no GPU, no Blender, so it is made and tested anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.report import CONTACT

if TYPE_CHECKING:
    from ..core.report import PairRow

TOUCHING = "touching"


@dataclass(frozen=True)
class OverlayData:
    """World positions in Blender units, float32, C-contiguous.

    Attributes:
        faces_a: corners of the contacting triangles of the first objects, shape (3 t, 3).
        faces_b: the same of the second objects.
        curves: end points of the segments of the intersection curves, shape (2 s, 3).
        stale: corners of the triangles of both objects of pairs that may no longer be true, shape (3 t, 3).
    """

    faces_a: NDArray[np.float32]
    faces_b: NDArray[np.float32]
    curves: NDArray[np.float32]
    stale: NDArray[np.float32]


def rows_to_draw(rows: Iterable[PairRow], scope: str, active_id: str | None, verdicts: frozenset[str]) -> list[PairRow]:
    """The rows the overlay shows.

    With scope "ACTIVE" only the selected pair. With "ALL" also every clash whose verdict is listed; touching pairs are
    left out because in an assembly nearly every face touches another.
    """
    drawn = (verdicts - {TOUCHING}) | {CONTACT} if scope == "ALL" else frozenset()
    return [row for row in rows if row.id == active_id or row.verdict in drawn]


def collect(rows: Iterable[PairRow], is_stale: Callable[[PairRow], bool] = lambda _row: False) -> OverlayData:
    """Joins the arrays of the rows; those of stale rows apart, without their curves."""
    fresh: list[PairRow] = []
    stale: list[PairRow] = []
    for row in rows:
        (stale if is_stale(row) else fresh).append(row)
    return OverlayData(
        _points([row.highlight_a for row in fresh]),
        _points([row.highlight_b for row in fresh]),
        _points([row.curves for row in fresh]),
        _points([part for row in stale for part in (row.highlight_a, row.highlight_b)]),
    )


def _points(parts: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    flat = [np.ascontiguousarray(part, np.float32).reshape(-1, 3) for part in parts]
    return np.concatenate(flat) if flat else np.empty((0, 3), np.float32)


def signature(
    serial: int, stale: frozenset[str], scope: str, active_id: str | None, verdicts: frozenset[str]
) -> tuple[object, ...]:
    """Equal signatures mean equal arrays; colours and x-ray are not part of it."""
    return serial, stale, scope, active_id, tuple(sorted(verdicts))


def bounds(row: PairRow) -> NDArray[np.float64] | None:
    """Lowest and highest corner of what is drawn for a pair, shape (2, 3), or None if nothing is."""
    data = collect([row])
    points = np.concatenate((data.faces_a, data.faces_b, data.curves))
    if not len(points):
        return None
    return np.array((points.min(axis=0), points.max(axis=0)), np.float64)
