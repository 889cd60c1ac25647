"""Compare half-spaces and planes with points, triangles, round solids and each other; results for points and triangles
are exact.

In a pose (R, t) a half-space is the set of all points x with (R n) . (x - t) <= offset, in real numbers. The height of
a point above the boundary is a rational number divided by a square root, so the root is not needed to decide whether
the height is within a radius.
"""

import math
from collections.abc import Generator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..convex.convex_distance import LEAST, stack_steps
from ..convex.exact_shapes import Halfspace, Plane
from ..convex.face_heights import (
    COLUMNS,
    DOUBTFUL,
    HIGH,
    HIGHEST,
    LOW,
    LOWEST,
    MET,
    NEAREST,
    NORMAL,
    ROUNDING,
    face_heights,
    face_heights_together,
)
from ..types.pose import transform_points

_PART = 256
"""Number of points of consecutive poses, about, that one worker compares."""


class Face(NamedTuple):
    """The boundary of a half-space or plane in a pose."""

    normal: np.ndarray
    """Unit vector (3,), world."""
    place: np.ndarray
    """The point from which heights are measured, (3,) [m]."""
    offset: float
    """Height of the boundary above that point [m]."""
    is_plane: bool
    row: np.ndarray
    thing: Halfspace

    @classmethod
    def of(cls, thing: Halfspace, row: np.ndarray) -> "Face":
        """Make the boundary of a half-space or plane in a pose (3, 4)."""
        scale = math.frexp(float(np.abs(thing.normal).max()))[1]
        normal = row[:, :3] @ np.ldexp(thing.normal, -scale)
        length = float(np.linalg.norm(normal))
        offset = math.ldexp(thing.offset, -scale) / length
        return cls(normal / length, row[:, 3].copy(), offset, isinstance(thing, Plane), row, thing)

    def heights(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return heights of points (..., 3) above the boundary [m], and bounds of their errors [m], both (...)."""
        heights = (points - self.place) @ self.normal - self.offset
        sizes = (np.abs(points) + np.abs(self.place)).sum(axis=-1) + abs(self.offset)
        return heights, ROUNDING * sizes + LEAST

    def side_exactly(self, point: np.ndarray, radius: float) -> int:
        """Return exactly 1 if a point is above the boundary by more than ``radius``, -1 if it is below by more,
        otherwise 0.
        """
        normal, offset = self.exactly()
        height = sum((n * Fraction(x) for n, x in zip(normal, point.tolist(), strict=True)), -offset)
        if height * height <= Fraction(radius) ** 2 * sum(n * n for n in normal):
            return 0
        return 1 if height > 0 else -1

    def is_below_exactly(self, point: np.ndarray, radius: float, turned: bool = False) -> bool:
        """Return whether a point is less than ``radius`` above the boundary, or below the boundary if ``turned``.
        Exact.
        """
        normal, offset = self.exactly()
        height = sum((n * Fraction(x) for n, x in zip(normal, point.tolist(), strict=True)), -offset)
        height = -height if turned else height
        return height < 0 or height * height < Fraction(radius) ** 2 * sum(n * n for n in normal)

    def exactly(self) -> tuple[list[Fraction], Fraction]:
        """Return the normal R n, of any length, and the boundary's offset from the world's origin along this normal."""
        given = [Fraction(n) for n in self.thing.normal.tolist()]
        rows = [[Fraction(x) for x in row] for row in self.row.tolist()]
        normal = [sum((r * n for r, n in zip(row[:3], given, strict=True)), Fraction(0)) for row in rows]
        return normal, sum((n * row[3] for n, row in zip(normal, rows, strict=True)), Fraction(self.thing.offset))

    def put(self, point: np.ndarray, height: float) -> np.ndarray:
        """Project a point at some height onto the boundary."""
        foot: np.ndarray = point - height * self.normal
        return foot


def face_and_points(face: Face, groups: np.ndarray, radius: float) -> tuple[bool, float, np.ndarray, int]:
    """Compare a half-space or plane with the convex hulls of points, enlarged by a radius.

    Args:
        face: the half-space or plane.
        groups: points of g hulls, (g, n, 3) [m], world.
        radius: radius around the hulls [m].

    Returns:
        Whether one of the hulls meets the face's object; the distance [m]; the nearest points of both, (2, 3), or twice
        a common point if they meet; and the group of that hull.
    """
    heights, rounding = face.heights(groups)
    low, high, rounding = heights.min(axis=1), heights.max(axis=1), rounding.max(axis=1)
    nearest = np.where(low > 0.0, low, np.where(high < 0.0, high, 0.0)) if face.is_plane else np.maximum(low, 0.0)
    rounding = rounding + 2.0**-50 * radius
    surely = np.abs(nearest) < radius - rounding
    if radius == 0.0:
        surely = (low < -rounding) & ((high > rounding) | (not face.is_plane))
    met, best = bool(surely.any()), int(np.argmax(surely))
    if not met:
        for k in np.flatnonzero(np.abs(nearest) <= radius + rounding).tolist():
            sides = {face.side_exactly(point, radius) for point in groups[k]}
            met = (0 in sides or len(sides) == 2) if face.is_plane else (sides != {1})
            if met:
                best = k
                break
    if not met:
        best = int(np.argmin(np.abs(nearest)))
    points, ends = groups[best], np.array([low[best], high[best]])
    lowest, highest = points[int(heights[best].argmin())], points[int(heights[best].argmax())]
    answer = np.concatenate([nearest[best : best + 1], ends, lowest, highest, face.normal])
    distances, nearest_points = _ends(np.array([met]), answer[None], face.is_plane, radius)
    return met, float(distances[0]), nearest_points[0], best


class Hulls(NamedTuple):
    """The hulls of points that an object consists of, or a round solid, in the object's frame."""

    points: np.ndarray
    """(n, 3) [m]."""
    groups: np.ndarray
    """The points of each hull, (g, c) indices."""
    form: np.ndarray
    """See ``supports.py``, (4,)."""

    @classmethod
    def of(cls, points: np.ndarray, groups: np.ndarray, form: np.ndarray) -> "Hulls":
        """Make hulls with read-only arrays, because Numba treats these as another type."""
        views = points.view(), groups.view()
        for view in views:
            view.flags.writeable = False
        return cls(*views, form)


def face_and_hulls_steps(
    thing: Halfspace, hulls: Hulls, rows_a: np.ndarray, rows_b: np.ndarray, radius: float, threads: int
) -> Generator[float, None, tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Compare a half-space or plane with an object in poses (k, 3, 4), or (1, 3, 4) for all, on several threads.

    Yields:
        The finished fraction.

    Returns:
        Whether they meet, (k,) bool; the distances [m], (k,); the nearest points of both, (k, 2, 3), or twice a common
        point if they meet; and the hulls that meet or are nearest, (k,) int32, -1 for a round solid.
    """
    scale = math.frexp(float(np.abs(thing.normal).max()))[1]
    is_plane = isinstance(thing, Plane)
    face = np.array([*np.ldexp(thing.normal, -scale), math.ldexp(thing.offset, -scale), is_plane])
    count = max(len(rows_a), len(rows_b)) if len(rows_a) and len(rows_b) else 0
    told, answers = np.empty((count, 2), np.int32), np.empty((count, COLUMNS))
    asked = face, rows_a, *hulls[:2], hulls.form, rows_b, radius
    part = max(1, _PART * 8 // (8 + len(hulls.points)))
    yield from stack_steps((face_heights, face_heights_together), asked, (told, answers), part, threads)
    met, groups = told[:, 0] == MET, told[:, 1].copy()
    distances, points = _ends(met, answers, is_plane, radius)
    for k in np.flatnonzero(told[:, 0] == DOUBTFUL).tolist():
        yield 1.0
        row_a, row_b = rows_a[min(k, len(rows_a) - 1)], rows_b[min(k, len(rows_b) - 1)]
        corners = transform_points(row_b, hulls.points)[hulls.groups]
        met[k], distances[k], points[k], groups[k] = face_and_points(Face.of(thing, row_a), corners, radius)
    return met, distances, points, groups


def _ends(met: np.ndarray, answers: np.ndarray, is_plane: bool, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Return distances (k,) [m] and nearest points (k, 2, 3) of hulls, or twice a common point up to rounding.

    ``met`` (k,) tells which hulls meet the face's object, and ``answers`` (k, COLUMNS) are those of ``face_heights``.
    """
    height, low, high = answers[:, NEAREST], answers[:, LOW], answers[:, HIGH]
    lowest, highest = answers[:, LOWEST : LOWEST + 3], answers[:, HIGHEST : HIGHEST + 3]
    normals = answers[:, NORMAL : NORMAL + 3]
    distances = np.where(met, 0.0, np.maximum(np.abs(height) - radius, math.ulp(radius)))
    crosses = is_plane & (low < 0.0) & (high > 0.0)
    with np.errstate(all="ignore"):
        share = np.where(crosses, -low / (high - low), np.where(height < 0.0, 1.0, 0.0))
    points = lowest + share[:, None] * (highest - lowest)
    feet = points - height[:, None] * normals
    sides = np.where(met, height, np.copysign(radius, height))
    return distances, np.stack([feet, points - sides[:, None] * normals], axis=1)


def enters(face: Face, points: np.ndarray, radius: float) -> bool:
    """Return whether the inside of a hull, with a radius, reaches into a half-space or to both sides of a plane.

    Exact. A hull that only touches the boundary does not.

    Args:
        face: the half-space or plane.
        points: points of the hull, (n, 3) [m], world.
        radius: radius around the hull [m].
    """
    heights, rounding = face.heights(points)
    rounding = rounding + 2.0**-50 * radius

    def reaches(turned: bool) -> bool:
        signed = -heights if turned else heights
        if (signed < radius - rounding).any():
            return True
        doubtful = np.flatnonzero(signed <= radius + rounding)
        return any(face.is_below_exactly(points[k], radius, turned) for k in doubtful.tolist())

    return reaches(False) and (not face.is_plane or reaches(True))


def faces(a: Face, b: Face) -> tuple[bool, float, np.ndarray]:
    """Compare two half-spaces or planes exactly; they are apart only if they are parallel."""
    (normal, height), (other, other_height) = a.exactly(), b.exactly()
    k = max(range(3), key=lambda axis: abs(normal[axis]))
    share = other[k] / normal[k]
    parallel = all(share * n == m for n, m in zip(normal, other, strict=True))
    if not parallel:
        rows = np.stack([a.normal, b.normal])
        origin = a.place
        offsets = [a.offset, b.offset + float(b.normal @ (b.place - origin))]
        common = origin + np.linalg.lstsq(rows, np.array(offsets), rcond=None)[0]
        return True, 0.0, np.stack([common, common])
    length = math.sqrt(float(sum(n * n for n in normal)))
    there = other_height / share
    gap = there - height
    apart = gap > 0 and (b.is_plane or share < 0)  # b is above a
    apart = apart or (a.is_plane and gap < 0 and (b.is_plane or share > 0))
    first = a.place + a.offset * a.normal
    if not apart:
        inside = max(gap, Fraction(0)) if a.is_plane else min(gap, Fraction(0))
        if a.is_plane or (gap > 0 and not b.is_plane and share > 0):
            inside = Fraction(0)
        common = first + float(inside) / length * a.normal
        return True, 0.0, np.stack([common, common])
    signed = float(gap) / length
    return False, abs(signed), np.stack([first, first + signed * a.normal])
