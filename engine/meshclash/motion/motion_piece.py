"""One piece of a rigid motion, in which the velocity of the pivot and the angular velocity are constant.

A point p of the object is at time t, with tau = t - start, at

    x(t) = c + tau v + exp(tau w [u]) L (p - o) + tau E p

Here o is the pivot, c its position at the start of the piece, v its velocity, w the angular speed about the unit vector
u, and L the linear part of the first pose. E corrects the deviation of both poses from exact rotations: poses keep
their twelve numbers (``Pose``), and both ends of a piece are exactly the given poses.

A screw motion has a pivot on its axis and v along it. A rotating motion along a straight line has the origin of the
object's own coordinates as pivot, and any v. So one formula and one derivation of bounds apply to both types of motion.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..jit import portable
from ..types.copying import Copyable

_HALF_TURN_SHARE = 1e-9
"""A screw motion with a smaller angle is treated as a straight line; the relative error is at most the square of this
angle."""


@dataclass(frozen=True, eq=False)
class MotionPiece(Copyable):
    """A piece of a motion; see the module's docstring."""

    start: float
    end: float
    first: np.ndarray
    """Rows (3, 4) of the pose at the start."""
    last: np.ndarray
    """Rows (3, 4) of the pose at the end."""
    axis: np.ndarray
    """Unit vector u, (3,)."""
    angle: float
    """Angle of the whole piece, from 0 to pi [rad]."""
    is_screw: bool

    @property
    def duration(self) -> float:
        """Length of the piece in time."""
        return self.end - self.start

    @property
    def rate(self) -> float:
        """Angular speed w, radians per unit of time."""
        return self.angle / self.duration if self.angle else 0.0

    @cached_property
    def drift(self) -> np.ndarray:
        """E (3, 3), per unit of time."""
        if not self.duration:
            return np.zeros((3, 3))
        turned = rotation_about(self.axis, self.angle) @ self.first[:, :3]
        return (self.last[:, :3] - turned) / self.duration

    def rows_at(self, time: float) -> np.ndarray:
        """Return the rows (3, 4) of the pose at a time inside the piece."""
        if time <= self.start:
            return self.first
        if time >= self.end:
            return self.last
        tau = time - self.start
        share = tau / self.duration
        rows = np.empty((3, 4))
        turned = rotation_about(self.axis, share * self.angle) @ self.first[:, :3]
        rows[:, :3] = turned + tau * self.drift
        rows[:, 3] = self.first[:, 3] + self._way(share)
        return rows

    def _way(self, share: float) -> np.ndarray:
        """Return the displacement (3,) of the object's origin after a fraction of the piece.

        For a screw it is a chord of the arc, computed from the chord of the whole piece. So the computation does not
        subtract numbers as large as the distance from the axis, which may be large if the angle is small.
        """
        whole = self.last[:, 3] - self.first[:, 3]
        if not self.is_screw or self.angle <= _HALF_TURN_SHARE:
            return share * whole
        along = (whole @ self.axis) * self.axis
        across = whole - along
        half, turned = 0.5 * self.angle, 0.5 * share * self.angle
        chord = (math.sin(turned) / math.sin(half)) * (rotation_about(self.axis, turned - half) @ across)
        return share * along + chord

    def pivot(self, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the world position c of the pivot at the start, and its velocity v, (3,) each.

        Args:
            near: a world point (3,) at the start; for a screw motion, the nearest point of its axis is the pivot.
        """
        duration = self.duration or 1.0
        origin, whole = self.first[:, 3], self.last[:, 3] - self.first[:, 3]
        if not self.is_screw or self.angle <= _HALF_TURN_SHARE:
            return origin, whole / duration
        along = (whole @ self.axis) * self.axis
        across = whole - along
        on_axis = origin + 0.5 * across + np.cross(self.axis, across) / (2.0 * math.tan(0.5 * self.angle))
        return on_axis + ((near - on_axis) @ self.axis) * self.axis, along / duration

    def moved(self, shift: np.ndarray) -> "MotionPiece":
        """Return the same motion, translated by a vector (3,)."""
        offset = np.zeros((3, 4))
        offset[:, 3] = shift
        return replace(self, first=self.first + offset, last=self.last + offset)


def make_piece(start: float, end: float, first: np.ndarray, last: np.ndarray, is_screw: bool) -> MotionPiece:
    """Make the piece between two poses, rows (3, 4), with the smallest rotation."""
    turns = not np.array_equal(first[:, :3], last[:, :3])  # the product of a matrix and its inverse is rounded
    axis, angle = axis_and_angle(last[:, :3] @ np.linalg.inv(first[:, :3]) if turns else np.eye(3))
    return MotionPiece(start, end, first, last, axis, angle, is_screw)


@portable
def turned_rows(x: float, y: float, z: float, angle: float) -> Any:
    """Return the rows of the rotation matrix about a unit vector, by Rodrigues' formula; kernels call it, too."""
    s, c = math.sin(angle), 2.0 * math.sin(0.5 * angle) ** 2
    return (
        (1.0 - c * (y * y + z * z), c * x * y - s * z, c * x * z + s * y),
        (c * x * y + s * z, 1.0 - c * (x * x + z * z), c * y * z - s * x),
        (c * x * z - s * y, c * y * z + s * x, 1.0 - c * (x * x + y * y)),
    )


def rotation_about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Return the rotation matrix (3, 3) about a unit vector."""
    x, y, z = axis.tolist()
    return np.array(turned_rows(x, y, z, angle))


def axis_and_angle(rotation: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the axis (unit vector) and the angle from 0 to pi [rad] of a rotation (3, 3), by its quaternion.

    The largest component of the quaternion is computed first, which avoids cancellation (Shepperd 1978).
    """
    m = rotation
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    squares = np.array([m[0, 0], m[1, 1], m[2, 2], trace])
    k = int(squares.argmax())
    q = np.empty(4)
    if k == 3:
        q[3] = 1.0 + trace
        q[:3] = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    else:
        i, j = (k + 1) % 3, (k + 2) % 3
        q[k] = 1.0 - trace + 2.0 * m[k, k]
        q[i], q[j] = m[i, k] + m[k, i], m[j, k] + m[k, j]
        q[3] = m[j, i] - m[i, j]
    if q[3] < 0.0:
        q = -q
    length = float(np.linalg.norm(q[:3]))
    if length == 0.0:
        return np.array([0.0, 0.0, 1.0]), 0.0
    return q[:3] / length, 2.0 * math.atan2(length, float(q[3]))
