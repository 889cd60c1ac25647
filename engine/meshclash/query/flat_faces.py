"""Compare half-spaces and planes with points, triangles, round solids and each other; results for points and triangles
are exact.

In a pose (R, t) a half-space is the set of all points x with (R n) . (x - t) <= offset, in real numbers. The height of
a point above the boundary is a rational number divided by a square root, so the root is not needed to decide whether
the height is within a radius.
"""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..convex.exact_shapes import Halfspace, Plane
from ..convex.supports import farthest_of_round

_ROUNDING = 2.0**-46
"""Bound of the error of a height, relative to the coordinates, with a margin."""
_LEAST = 2.0**-1060


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
        return heights, _ROUNDING * sizes + _LEAST

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
        height = float(nearest[best])
        side = math.copysign(1.0, height)
        point = groups[best, int(np.argmin(np.abs(heights[best])))]
        ends = np.stack([face.put(point, height), point - side * radius * face.normal])
        return False, max(abs(height) - radius, math.ulp(radius)), ends, best
    lowest, highest = groups[best, int(heights[best].argmin())], groups[best, int(heights[best].argmax())]
    common = _common(face, lowest, float(low[best]), highest, float(high[best]))
    return True, 0.0, np.stack([common, common]), best


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


def _common(face: Face, lowest: np.ndarray, low: float, highest: np.ndarray, high: float) -> np.ndarray:
    """Return a common point, up to rounding, of the face's object and a hull between two heights."""
    if low > 0.0:
        return face.put(lowest, low)
    if not face.is_plane:
        return lowest
    if high < 0.0:
        return face.put(highest, high)
    share = -low / (high - low) if high > low else 0.0
    common: np.ndarray = lowest + share * (highest - lowest)
    return common


def face_and_round(face: Face, form: np.ndarray, row: np.ndarray, radius: float) -> tuple[bool, float, np.ndarray]:
    """Compare a half-space or plane with a round solid in a pose, with a radius; like ``face_and_points``."""
    u = face.normal @ row[:, :3]
    ends = [np.array(farthest_of_round(form, *(sign * u).tolist())) for sign in (-1.0, 1.0)]
    points = np.stack([row[:, :3] @ end + row[:, 3] for end in ends])
    heights, rounding = face.heights(points)
    rounding = rounding + 8.0 * _ROUNDING * float(np.abs(form[1:]).max())
    low, high = heights.tolist()
    height = (low if low > 0.0 else high if high < 0.0 else 0.0) if face.is_plane else max(low, 0.0)
    if abs(height) <= radius + float(rounding.max()):
        common = _common(face, points[0], low, points[1], high)
        return True, 0.0, np.stack([common, common])
    point = points[0] if height > 0.0 else points[1]
    side = math.copysign(1.0, height)
    foot = np.stack([face.put(point, height), point - side * radius * face.normal])
    return False, abs(height) - radius, foot


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
