"""Prepare the data that the overlay draws as plain arrays, without GPU and Blender, so that it can be tested
anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from meshclash.clash.regions import cut_rows
from meshclash.clash.verdicts import GUESSES, QUIET_VERDICTS, VERDICTS
from numpy.typing import NDArray

from ..core.table import Mask, Positions, RowTable
from ..core.way_out import Way, arrow

if TYPE_CHECKING:
    from meshclash.clash.pair_row import PairRow, PairSide

Label = tuple[tuple[float, float, float], float]
GAP_SURROUNDINGS = 3.0  # size of the surroundings shown around a gap's middle, in lengths of the gap
ROUNDING = 2.0**-21  # gaps shorter than this share of their largest coordinate are rounding errors
MOST_LABELS = 100  # more would hide the scene
CELLS = 64  # grid cells along the extent of all lines
GROUPS = 10  # groups of lines, each with half the space of the previous one
MOST_DOTS = 200_000
"""Largest number of points drawn: more points would only hide each other, and slow down each redraw."""


@dataclass(frozen=True)
class OverlayData:
    """World positions in Blender units, float32, C-contiguous.

    Attributes:
        faces_a: corners of the contacting triangles of the first objects, shape (3 t, 3).
        faces_b: faces in contact of the second objects.
        curves: end points of the segments of the intersection curves, shape (2 s, 3).
        curve_rows: the row of each segment, shape (s,), ascending.
        stale: corners of the triangles of both objects of stale pairs, shape (3 t, 3).
        gaps: end points of the lines between nearest points of objects that are apart, shape (2 g, 3).
        witnesses: nearest points, or the common point of objects in contact, shape (w, 3).
        dots_a: points in contact of scans among the first objects, shape (k, 3); a sample if there are very many.
        dots_b: points in contact of scans among the second objects.
        stale_dots: points in contact of both objects of stale pairs.
        radii_a, radii_b, stale_radii: radii with which Blender draws these points, shape (k,); 0 for dots.
        guesses: end points of the edges of boxes in which objects may touch, shape (2 e, 3).
        guess_colours: their colours, by probability, shape (2 e, 4).
        labels: world position (3,) and length [Blender units] of the gaps of the first pairs.
    """

    faces_a: NDArray[np.float32]
    faces_b: NDArray[np.float32]
    curves: NDArray[np.float32]
    curve_rows: NDArray[np.int64]
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
    labels: tuple[Label, ...] = ()


def rows_to_draw(table: RowTable, listed: Positions, approved: Iterable[str] = ()) -> Mask:
    """Return the rows of a table that the overlay shows besides the selected pair, as a mask (n,).

    The rows to draw are all listed clashes and gaps that are not approved. Touching pairs are not drawn, because in an
    assembly nearly every face touches another face. Pairs that are apart are not drawn, because nearly all pairs are
    apart.

    Args:
        table: the rows.
        listed: positions of the rows that are listed.
        approved: ids of pairs.
    """
    drawn = np.zeros(len(table), np.bool_)
    drawn[listed] = True
    drawn &= ~np.array([name in QUIET_VERDICTS for name in VERDICTS])[table.verdicts]
    drawn[[table.positions[pair] for pair in approved if pair in table.positions]] = False
    return drawn


class _Joined:
    """Concatenated arrays of rows, from which the values of some rows can be selected."""

    def __init__(self, parts: list[NDArray[np.float32]], *shape: int) -> None:
        self._lengths = np.array([len(part) for part in parts], np.int64)
        whole = [part for part, length in zip(parts, self._lengths.tolist(), strict=True) if length]
        joined = np.concatenate(whole) if whole else np.empty((0, *shape), np.float32)
        self._values = np.ascontiguousarray(joined, np.float32)

    def take(self, rows: Mask) -> NDArray[np.float32]:
        """Return the values of the rows in a mask."""
        some = rows & (self._lengths > 0)
        if some.sum() == np.count_nonzero(self._lengths):
            return self._values
        return self._values[np.repeat(rows, self._lengths)]

    def rows(self, rows: Mask) -> NDArray[np.int64]:
        """Return, for each value of the rows in a mask, the index of its row among these rows."""
        return np.repeat(np.arange(int(rows.sum())), self._lengths[rows])

    @property
    def nbytes(self) -> int:
        return self._values.nbytes + self._lengths.nbytes


class JoinedRows:
    """The geometry of all rows of a result, combined once, so that selecting other rows is fast.

    Args:
        rows: the rows.
        quiet: whether rows with a quiet verdict are drawn, too.
    """

    def __init__(self, rows: Sequence[PairRow], quiet: bool = False) -> None:
        self._drawn = np.array([quiet or row.verdict not in QUIET_VERDICTS for row in rows], np.bool_)
        rows = [row for row, drawn in zip(rows, self._drawn.tolist(), strict=True) if drawn]
        guess = [row.verdict in GUESSES for row in rows]
        apart = [bool(row.distance) for row in rows]
        none, nowhere, alone = (np.empty(shape, np.float32) for shape in ((0, 2, 3), (0, 3), (0,)))
        plain = np.empty((0, 4), np.float32)  # shared by the many rows without data of a kind
        self._faces_a = _Joined([row.a.highlight for row in rows], 3, 3)
        self._faces_b = _Joined([row.b.highlight for row in rows], 3, 3)
        self._curves = _Joined([none if g else row.curves for g, row in zip(guess, rows, strict=True)], 2, 3)
        self._guesses = _Joined([row.curves if g else none for g, row in zip(guess, rows, strict=True)], 2, 3)
        self._colours = _Joined([_colours(row) if g else plain for g, row in zip(guess, rows, strict=True)], 4)
        self._gaps = _Joined([row.gap if g else none for g, row in zip(apart, rows, strict=True)], 2, 3)
        self._witnesses = _Joined([nowhere if row.a.point is None else _witnesses(row) for row in rows], 3)
        sides = [[row.a for row in rows], [row.b for row in rows]]
        self._dots = [_Joined([side.dots for side in of], 3) for of in sides]
        self._radii = [_Joined([_radii(side) if len(side.dots) else alone for side in of]) for of in sides]
        self._labels = [_label(row) if g else None for g, row in zip(apart, rows, strict=True)]
        self._labelled = np.array([label is not None for label in self._labels], np.bool_)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        whole = (self._faces_a, self._faces_b, self._curves, self._guesses, self._colours, self._gaps, self._witnesses)
        return sum(part.nbytes for part in (*whole, *self._dots, *self._radii))

    def take(self, rows: Mask, stale: Mask) -> OverlayData:
        """Return the arrays of some rows; stale rows are separate, without curves, gaps and points."""
        rows, stale = rows[self._drawn], stale[self._drawn]
        fresh, old = rows & ~stale, rows & stale
        first = np.flatnonzero(fresh & self._labelled)[:MOST_LABELS]
        labels = tuple(label for at in first.tolist() if (label := self._labels[at]) is not None)
        dots_a, dots_b = (thinned(part.take(fresh)) for part in self._dots)
        radii_a, radii_b = (thinned(part.take(fresh)) for part in self._radii)
        old_dots, old_radii = (
            thinned(np.concatenate([part.take(old) for part in parts])) for parts in (self._dots, self._radii)
        )
        return OverlayData(
            _points(self._faces_a.take(fresh)),
            _points(self._faces_b.take(fresh)),
            _points(self._curves.take(fresh)),
            self._curves.rows(fresh),
            np.concatenate((_points(self._faces_a.take(old)), _points(self._faces_b.take(old)))),
            _points(self._gaps.take(fresh)),
            self._witnesses.take(fresh),
            dots_a,
            radii_a,
            dots_b,
            radii_b,
            old_dots,
            old_radii,
            _points(self._guesses.take(fresh)),
            self._colours.take(fresh),
            labels,
        )


def collect(rows: Sequence[PairRow], is_stale: Callable[[PairRow], bool] = lambda _row: False) -> OverlayData:
    """Join the arrays of a few rows; stale rows are separate, without curves, gaps and points."""
    stale = np.array([is_stale(row) for row in rows], np.bool_)
    return JoinedRows(cut_rows(rows), quiet=True).take(np.ones(len(rows), np.bool_), stale)


def thinned(points: NDArray[np.float32], most: int = MOST_DOTS) -> NDArray[np.float32]:
    """Return at most ``most`` of the points (or other values per point), evenly spread over their order."""
    if len(points) <= most:
        return points
    return np.ascontiguousarray(points[np.linspace(0, len(points) - 1, most).astype(np.int64)])


def _radii(side: PairSide) -> NDArray[np.float32]:
    """Return the radius with which each point of a side is drawn."""
    return np.full(len(side.dots), side.dot_radius, np.float32)


def probability_colour(probability: float) -> tuple[float, float, float, float]:
    """Return a colour from green (no contact) through yellow to red (contact)."""
    return min(1.0, 2.0 * probability), min(1.0, 2.0 - 2.0 * probability), 0.1, 1.0


def _colours(row: PairRow) -> NDArray[np.float32]:
    """Return the colour of each end point of a guess's edges, (n, 4)."""
    return np.tile(np.array(probability_colour(row.probability or 0.0), np.float32), (2 * len(row.curves), 1))


def _witnesses(row: PairRow) -> NDArray[np.float32]:
    """Return the nearest points of a pair, (0..2, 3)."""
    points = [point for point in (row.a.point, row.b.point) if point is not None]
    return np.array(points[: 2 if row.distance else 1], np.float32).reshape(-1, 3)


def _label(row: PairRow) -> Label | None:
    """Return the position and length of a pair's gap label; None without a gap.

    Gaps within the rounding errors of their ends have no label, because parts that were designed flush have hundreds of
    such gaps.
    """
    if not row.distance or not len(row.gap) or row.distance <= ROUNDING * float(np.abs(row.gap).max()):
        return None
    x, y, z = row.gap[0].mean(axis=0).tolist()
    return (x, y, z), row.distance


def _points(parts: NDArray[np.float32]) -> NDArray[np.float32]:
    return parts.reshape(-1, 3)


def with_way(data: OverlayData, row: PairRow, way: Way) -> OverlayData:
    """Add to the data of a pair an arrow from the contact along the way that moves B out of A, and its length."""
    if row.location is None:
        return data
    lines = arrow(way, row.location)
    x, y, z = lines[1].tolist()
    labels = (*data.labels, ((x, y, z), math.hypot(*way)))
    return replace(data, gaps=np.concatenate([data.gaps, lines]), labels=labels)


def apart(boxes: NDArray[np.float64], gap: float) -> list[int]:
    """Return the indices of the texts to draw: those that are far enough from all earlier texts.

    Args:
        boxes: (k, 4) left, bottom, width, height of each text [px], the most important first.
        gap: the distance [px].
    """
    low, high = boxes[:, :2] - gap, boxes[:, :2] + boxes[:, 2:]
    chosen: list[int] = []
    for at in range(len(boxes)):
        beside = (low[chosen] < high[at]) & (low[at] < high[chosen])
        if not beside.all(axis=1).any():
            chosen.append(at)
    return chosen


def rectangles(boxes: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return two triangles for each box (k, 4) of left, bottom, width, height, as corners (6 k, 3) at z = 0."""
    at = np.array([(0, 0), (1, 0), (0, 1), (0, 1), (1, 0), (1, 1)])
    corners = boxes[:, None, :2] + at * boxes[:, None, 2:]
    flat = np.zeros((len(boxes), len(at), 3), np.float32)
    flat[..., :2] = corners
    return flat.reshape(-1, 3)


def line_groups(lines: NDArray[np.float32], rows: NDArray[np.int64]) -> list[tuple[float, NDArray[np.float32]]]:
    """Group lines by the space between them, largest space first.

    The space in a grid cell is the cell's area divided by the length of the lines in it. A line longer than a cell
    counts in the cell of its centre. The space is at most half the extent of all lines of the same pair.

    Args:
        lines: (2 s, 3) end points.
        rows: (s,) the row of each line, in ascending order.

    Returns:
        For each group the space (a length), and its end points (2 k, 3).
    """
    if not len(lines):
        return []
    columns = np.ascontiguousarray(lines.T)  # three long rows are several times faster than many short ones
    begin, end = columns[:, ::2], columns[:, 1::2]
    low, high = columns.min(axis=1), columns.max(axis=1)
    cell = float((high - low).max()) / CELLS or 1.0
    x, y, z = ((0.5 * (begin + end) - low[:, None]) * (1.0 / cell)).astype(np.int32).clip(0, CELLS - 1)
    where = (x * CELLS + y) * CELLS + z
    along = end - begin
    length = np.minimum(np.sqrt(np.einsum("ij,ij->j", along, along)), cell)
    crowd = np.bincount(where, length, CELLS**3)[where]
    first = np.flatnonzero(np.diff(rows, prepend=-1))
    size = np.maximum.reduceat(columns, 2 * first, axis=1) - np.minimum.reduceat(columns, 2 * first, axis=1)
    own = np.repeat(0.5 * np.linalg.norm(size, axis=0), np.diff(first, append=len(rows)))
    space = np.minimum(cell * cell / np.maximum(crowd, 1e-3 * cell), own)
    widest = float(space.max()) or 1.0
    group = np.floor(np.log2(widest / np.maximum(space, 1e-9 * widest))).clip(0, GROUPS - 1).astype(np.uint8)
    order = np.argsort(group, kind="stable")
    ends = lines.reshape(-1, 2, 3)[order]
    counts = np.bincount(group, minlength=GROUPS)
    parts = np.split(ends, np.cumsum(counts)[:-1])
    return [(widest * 0.5**k, part.reshape(-1, 3)) for k, part in enumerate(parts) if len(part)]


def bounds(row: PairRow) -> NDArray[np.float64] | None:
    """Return the lowest and highest corner of the region to show for a pair, (2, 3); None if nothing is drawn.

    The region is a gap with its surroundings, the points of scans, or everything that is drawn. Faces next to a gap or
    around points are not included, because they may be as large as a house.
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
