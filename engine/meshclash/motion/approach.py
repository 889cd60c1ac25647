"""Upper bounds of the speed at which two moving objects approach each other, valid for every point of both.

Let the pieces of two motions (``motion_piece.py``) have pivots c, velocities v and angular velocities W = w u, and let
q = x - c be the position of a point relative to its pivot. Its velocity is v + W x q, up to a deviation of at most
|E| |p| (1 + w T), which comes from poses that are not quite rotations. T is the duration of the piece.

The distance of two surfaces is that of two points x of a and y of b. Its derivative is at least the component of their
relative velocity along y - x (Zhang, Lee, Kim 2006; Tang, Kim, Manocha 2009). A rotation of a about any point gives
both ends of a vector velocities that differ by W x (y - x), which has no component along y - x. So x may be replaced by
y in the bound:

    approach <= max over y in b of |V_b(y) - V_a(y)|,  V(y) = v + W x (y - c)
    V_b(y) - V_a(y) = [v_b - v_a - W_a x (c_b - c_a)] + (W_b - W_a) x (y - c_b)

The bracket is affine in time, so its length is largest at one end of an interval. The part of W_b - W_a along u_b is
multiplied by the largest distance of b's points from the axis, the rest by that from the pivot. The same bound with a
and b exchanged, and the sum of the speeds of both in the world, are bounds, too. The smallest of the three is used.

If a plane with normal n separates the objects, their gap along n shrinks by at most n (v_a - v_b) plus, for each
object, w |n x u| times the largest distance from its axis. This bound does not hold for objects that no plane
separates: the approach along the line between the nearest points is a bound for convex objects only.
"""

import math
from typing import NamedTuple

import numpy as np

from .motion_piece import MotionPiece

_LARGER = 1.0 + 1e-9  # covers the rounding errors of the bounds themselves

Vector = tuple[float, float, float]  # Python floats: NumPy arrays of three numbers take ten times as long


class Mover(NamedTuple):
    """The motion of an object during a single piece of its motion."""

    start: float
    centre: Vector
    """World position of the pivot at the start."""
    velocity: Vector
    """Velocity of the pivot."""
    turning: Vector
    """Angular velocity W."""
    axis: Vector
    from_axis: float
    """Largest distance of its points from the axis [m]."""
    from_pivot: float
    """Largest distance of its points from the pivot [m]."""
    deviation: float
    """Upper bound of the speed that poses which are not exact rotations add to any point."""
    speed: float
    """Upper bound of the speed of any point, in the world."""

    def centre_at(self, time: float) -> Vector:
        """Return the position of the pivot at a time."""
        return _plus(self.centre, time - self.start, self.velocity)


def make_mover(span: MotionPiece, points: np.ndarray, margin: float = 0.0) -> Mover:
    """Make the mover of an object with points (n, 3), in its own coordinates, during a piece.

    Args:
        span: the piece.
        points: every point of the object is within ``margin`` [m] of the convex hull of these points.
        margin: [m].
    """
    world = points @ span.first[:, :3].T + span.first[:, 3]
    centre, velocity = span.pivot(0.5 * (world.min(axis=0) + world.max(axis=0)))
    offsets = world - centre
    from_axis = float(np.sqrt((np.cross(offsets, span.axis) ** 2).sum(axis=1).max()))
    from_pivot = float(np.sqrt((offsets**2).sum(axis=1).max()))
    local = float(np.sqrt((points**2).sum(axis=1).max())) + margin
    drift = float(np.linalg.norm(span.drift, 2)) * local
    rounding = 1e-15 * float(np.abs(world).max() + np.abs(centre).max()) + margin + span.duration * drift
    from_axis, from_pivot = (from_axis + rounding) * _LARGER, (from_pivot + rounding) * _LARGER
    deviation = drift * (1.0 + span.angle) * _LARGER
    along = float(velocity @ span.axis)
    across = float(np.linalg.norm(velocity - along * span.axis))
    speed = math.hypot(along, across + span.rate * from_axis) + deviation
    return Mover(
        span.start, _vector(centre), _vector(velocity), _vector(span.rate * span.axis), _vector(span.axis), from_axis,
        from_pivot, deviation, speed,
    )  # fmt: skip


def approach_speed(a: Mover, b: Mover, start: float, end: float) -> float:
    """Return an upper bound of the speed at which the surfaces of two objects approach, at any time of an interval."""
    least = a.speed + b.speed
    deviation = a.deviation + b.deviation
    for one, other in ((a, b), (b, a)):
        relative = _plus(other.turning, -1.0, one.turning)
        swept = max(_relative_speed(one, other, start), _relative_speed(one, other, end))
        along = _dot(relative, other.axis)
        rest = math.hypot(*_plus(relative, -along, other.axis))
        least = min(least, swept + abs(along) * other.from_axis + rest * other.from_pivot + deviation)
    return least * _LARGER


def _relative_speed(one: Mover, other: Mover, time: float) -> float:
    """Return the speed of the second object's pivot in the frame of the first, enlarged by its rounding error."""
    carried = _cross(one.turning, _plus(other.centre_at(time), -1.0, one.centre_at(time)))
    terms = math.hypot(*other.velocity) + math.hypot(*one.velocity) + math.hypot(*carried)
    return math.hypot(*_plus(_plus(other.velocity, -1.0, one.velocity), -1.0, carried)) + 1e-14 * terms


def closing_speed(a: Mover, b: Mover, direction: np.ndarray) -> float:
    """Return an upper bound of the speed at which a gap along a unit vector (3,) from a to b shrinks."""
    along = _vector(direction)
    closing = _dot(along, _plus(a.velocity, -1.0, b.velocity))
    size = abs(closing) + math.hypot(*a.velocity) + math.hypot(*b.velocity)
    for mover in (a, b):
        turning = math.hypot(*mover.turning)
        closing += turning * math.hypot(*_cross(along, mover.axis)) * mover.from_axis
        closing += mover.deviation
        size += turning * mover.from_axis
    return closing + (_LARGER - 1.0) * size


def _vector(array: np.ndarray) -> Vector:
    x, y, z = array.tolist()
    return x, y, z


def _plus(a: Vector, share: float, b: Vector) -> Vector:
    """Return a + share * b."""
    return a[0] + share * b[0], a[1] + share * b[1], a[2] + share * b[2]


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
