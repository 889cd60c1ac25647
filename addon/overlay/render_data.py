"""What the overlay draws, as plain arrays: no GPU, no Blender, so it is made and tested anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.pair_row import APART, LIKELY, TOUCHING, UNLIKELY

if TYPE_CHECKING:
    from ..core.pair_row import PairRow

GUESSES = frozenset({LIKELY, UNLIKELY})
QUIET = frozenset({TOUCHING, APART})  # verdicts that are drawn for the selected pair only
GAP_SURROUNDINGS = 3.0  # how far around its middle a gap is looked at, in its lengths
MOST_LABELS = 100  # more would hide the scene
MOST_DOTS = 200_000
"""Points drawn at once: more would only hide each other, and cost time at each redraw."""


@dataclass(frozen=True)
class OverlayData:
    """World positions in Blender units, float32, C-contiguous.

    Attributes:
        faces_a: corners of the contacting triangles of the first objects, shape (3 t, 3).
        faces_b: the same of the second objects.
        curves: end points of the segments of the intersection curves, shape (2 s, 3).
        stale: corners of the triangles of both objects of pairs that may no longer be true, shape (3 t, 3).
        gaps: end points of the lines between nearest points of objects that are apart, shape (2 g, 3).
        witnesses: nearest points, of objects that meet only the common one, shape (w, 3).
        dots_a: points of scans in contact among the first objects, shape (k, 3); of very many a part.
        dots_b: the same of the second objects.
        stale_dots: the same of both objects of pairs that may no longer be true.
        radii_a, radii_b, stale_radii: how large Blender draws these points, shape (k,); 0 where as dots.
        guesses: end points of the edges of boxes in which objects may meet, shape (2 e, 3).
        guess_colours: their colours, by probability, shape (2 e, 4).
        labels: world position (3,) and length, Blender units, of the gaps of the first pairs.
    """

    faces_a: NDArray[np.float32]
    faces_b: NDArray[np.float32]
    curves: NDArray[np.float32]
    stale: NDArray[np.float32]
    gaps: NDArray[np.float32]
    witnesses: NDArray[np.float32]
    dots_a: NDArray[np.float32]
    radii_a: NDArray[np.float32]
    dots_b: NDArray[np.float32]
    radii_b: NDArray[np.float32]
    stale_dots: NDArray[np.float32]
    stale_radii: NDArray[np.float32]
    guesses: NDArray[np.float32]
    guess_colours: NDArray[np.float32]
    labels: tuple[tuple[tuple[float, float, float], float], ...] = ()


def rows_to_draw(
    rows: Iterable[PairRow],
    scope: str,
    active_id: str | None,
    verdicts: frozenset[str],
    approved: frozenset[str] = frozenset(),
) -> list[PairRow]:
    """The rows the overlay shows.

    With scope "ACTIVE" only the selected pair. With "ALL" also every clash and every gap whose verdict is listed and
    that nobody has approved; pairs that touch are left out because in an assembly nearly every face touches another,
    and pairs that are merely apart because nearly all pairs are.
    """
    drawn = verdicts - QUIET if scope == "ALL" else frozenset()
    return [row for row in rows if row.id == active_id or (row.verdict in drawn and row.id not in approved)]


def collect(rows: Iterable[PairRow], is_stale: Callable[[PairRow], bool] = lambda _row: False) -> OverlayData:
    """Joins the arrays of the rows; those of stale rows apart, without their curves, gaps and points."""
    fresh: list[PairRow] = []
    stale: list[PairRow] = []
    for row in rows:
        (stale if is_stale(row) else fresh).append(row)
    return OverlayData(
        _points([row.highlight_a for row in fresh]),
        _points([row.highlight_b for row in fresh]),
        _points([row.curves for row in fresh if row.verdict not in GUESSES]),
        _points([part for row in stale for part in (row.highlight_a, row.highlight_b)]),
        _points([row.gap for row in fresh]),
        _points([_witnesses(row) for row in fresh]),
        *_dots([(row.dots_a, row.dot_radius_a) for row in fresh]),
        *_dots([(row.dots_b, row.dot_radius_b) for row in fresh]),
        *_dots([side for row in stale for side in ((row.dots_a, row.dot_radius_a), (row.dots_b, row.dot_radius_b))]),
        _points([row.curves for row in fresh if row.verdict in GUESSES]),
        _colours([row for row in fresh if row.verdict in GUESSES]),
        tuple(label for row in fresh for label in _label(row))[:MOST_LABELS],
    )


def thinned(points: NDArray[np.float32], most: int = MOST_DOTS) -> NDArray[np.float32]:
    """At most so many of the points (or of anything else per point), spread over their order."""
    if len(points) <= most:
        return points
    return np.ascontiguousarray(points[np.linspace(0, len(points) - 1, most).astype(np.int64)])


def _dots(parts: list[tuple[NDArray[np.float32], float]]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Points of scans and their radii, at most `MOST_DOTS`."""
    radii = [np.full(len(points), radius, np.float32) for points, radius in parts]
    joined = np.concatenate(radii) if radii else np.empty(0, np.float32)
    return thinned(_points([points for points, _ in parts])), thinned(joined)


def chance_colour(probability: float) -> tuple[float, float, float, float]:
    """From green (they do not meet) through yellow to red (they do)."""
    return min(1.0, 2.0 * probability), min(1.0, 2.0 - 2.0 * probability), 0.1, 1.0


def _colours(rows: list[PairRow]) -> NDArray[np.float32]:
    """The colour of each end point of the rows' curves, (n, 4)."""
    colours = [
        np.tile(np.array(chance_colour(row.probability or 0.0), np.float32), (2 * len(row.curves), 1)) for row in rows
    ]
    return np.concatenate(colours) if colours else np.empty((0, 4), np.float32)


def _witnesses(row: PairRow) -> NDArray[np.float32]:
    """The nearest points of a pair, (0..2, 3)."""
    points = [point for point in (row.point_a, row.point_b) if point is not None]
    return np.array(points[: 2 if row.distance else 1], np.float32).reshape(-1, 3)


def _label(row: PairRow) -> list[tuple[tuple[float, float, float], float]]:
    """Where the length of a pair's gap is written, and that length; nothing for a pair without gap."""
    if not row.distance or not len(row.gap):
        return []
    x, y, z = row.gap[0].mean(axis=0).tolist()
    return [((x, y, z), row.distance)]


def _points(parts: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    flat = [np.ascontiguousarray(part, np.float32).reshape(-1, 3) for part in parts]
    return np.concatenate(flat) if flat else np.empty((0, 3), np.float32)


def signature(
    serial: int,
    stale: frozenset[str],
    scope: str,
    active_id: str | None,
    verdicts: frozenset[str],
    approved: frozenset[str],
) -> tuple[object, ...]:
    """Equal signatures mean equal arrays; colours and x-ray are not part of it."""
    return serial, stale, scope, active_id, tuple(sorted(verdicts)), approved


def bounds(row: PairRow) -> NDArray[np.float64] | None:
    """Lowest and highest corner of what to look at of a pair, shape (2, 3), or None if nothing is drawn of it.

    That is a gap with its surroundings, the points of scans, or everything that is drawn: the faces beside a gap or
    around points may be as large as a house.
    """
    if row.distance and len(row.gap):
        middle, reach = row.gap[0].mean(axis=0, dtype=np.float64), GAP_SURROUNDINGS * row.distance
        return np.array((middle - reach, middle + reach))
    data = collect([row])
    points = np.concatenate((data.dots_a, data.dots_b))
    if not len(points):
        points = np.concatenate((data.faces_a, data.faces_b, data.curves, data.guesses))
    if not len(points):
        return None
    return np.array((points.min(axis=0), points.max(axis=0)), np.float64)
