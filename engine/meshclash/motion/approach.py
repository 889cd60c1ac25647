"""How fast two moving objects may approach each other: bounds that hold for every point of both.

Let the pieces of two motions (``span.py``) have pivots c, velocities v, angular velocities W = w u, and let q = x - c
be where a point is, seen from its pivot. Its velocity is v + W x q, up to a deviation of at most |E| |p| (1 + w T) that
comes from poses that are not quite rotations; T is the length of the piece.

The distance of two surfaces is that of two points x of a and y of b, and its derivative is at least the component of
their relative velocity along y - x (Zhang, Lee, Kim 2006; Tang, Kim, Manocha 2009). Rotations of a about any point
give both ends of a vector velocities that differ by W x (y - x), without component along it. So x may be replaced by y:

    approach <= max over y in b of |V_b(y) - V_a(y)|,  V(y) = v + W x (y - c)
    V_b(y) - V_a(y) = [v_b - v_a - W_a x (c_b - c_a)] + (W_b - W_a) x (y - c_b)

The bracket is affine in time, so its length is largest at one end of an interval. Of W_b - W_a the part along u_b
counts with the largest distance of b's points from the axis, the rest with that from the pivot. The same with a and b
exchanged, and the sum of the speeds of both in the world, are bounds too: the least of the three is taken.

Where a plane across a direction n separates the objects, their gap along n shrinks by at most
n (v_a - v_b) + sum of w |n x u| times the largest distance from the axis. This is not a bound for objects that no plane
separates: the approach along the way between the nearest points is one for convex objects only.
"""

from typing import NamedTuple

import numpy as np

from .span import Span

_LARGER = 1.0 + 1e-9  # covers the rounding of the bounds themselves


class Mover(NamedTuple):
    """An object during one piece of its motion."""

    start: float
    centre: np.ndarray
    """World position of the pivot at the start, (3,)."""
    velocity: np.ndarray
    """Of the pivot, (3,)."""
    turning: np.ndarray
    """Angular velocity W, (3,)."""
    axis: np.ndarray
    from_axis: float
    """Largest distance of its points from the axis [m]."""
    from_pivot: float
    """Largest distance of its points from the pivot [m]."""
    deviation: float
    """What the poses' not being rotations adds to the speed of any point."""

    @property
    def speed(self) -> float:
        """No point is faster, in the world."""
        along = float(self.velocity @ self.axis)
        across = float(np.linalg.norm(self.velocity - along * self.axis))
        turning = float(np.linalg.norm(self.turning)) * self.from_axis
        return float(np.hypot(along, across + turning)) + self.deviation

    def centre_at(self, time: float) -> np.ndarray:
        """Where the pivot is, (3,)."""
        return self.centre + (time - self.start) * self.velocity


def make_mover(span: Span, points: np.ndarray, margin: float = 0.0) -> Mover:
    """An object of points (n, 3), in its own coordinates, during a piece.

    Args:
        span: the piece.
        points: no other point of the object is farther from any of them than ``margin`` [m], or from their hull.
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
    return Mover(
        span.start, centre, velocity, span.rate * span.axis, span.axis, (from_axis + rounding) * _LARGER,
        (from_pivot + rounding) * _LARGER, drift * (1.0 + span.angle) * _LARGER,
    )  # fmt: skip


def approach_speed(a: Mover, b: Mover, start: float, end: float) -> float:
    """Their surfaces' distance shrinks by no more than this per unit of time, at any time of an interval."""
    least = a.speed + b.speed
    deviation = a.deviation + b.deviation
    for one, other in ((a, b), (b, a)):
        relative = other.turning - one.turning
        swept = max(_relative_speed(one, other, time) for time in (start, end))
        along = float(relative @ other.axis)
        rest = float(np.linalg.norm(relative - along * other.axis))
        least = min(least, swept + abs(along) * other.from_axis + rest * other.from_pivot + deviation)
    return least * _LARGER


def _relative_speed(one: Mover, other: Mover, time: float) -> float:
    """Of the other's pivot, seen from the frame of the first; with room for its rounding."""
    carried = np.cross(one.turning, other.centre_at(time) - one.centre_at(time))
    terms = np.linalg.norm(other.velocity) + np.linalg.norm(one.velocity) + np.linalg.norm(carried)
    return float(np.linalg.norm(other.velocity - one.velocity - carried) + 1e-14 * terms)


def closing_speed(a: Mover, b: Mover, direction: np.ndarray) -> float:
    """A gap between planes across a unit vector (3,) from a to b shrinks by no more than this per unit of time."""
    closing = float(direction @ (a.velocity - b.velocity))
    size = abs(closing) + float(np.linalg.norm(a.velocity) + np.linalg.norm(b.velocity))
    for mover in (a, b):
        turning = float(np.linalg.norm(mover.turning))
        closing += turning * float(np.linalg.norm(np.cross(direction, mover.axis))) * mover.from_axis
        closing += mover.deviation
        size += turning * mover.from_axis
    return closing + (_LARGER - 1.0) * size
