"""The motions of the joints of a robot: the poses of child links in the frames of their parents."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..errors import InvalidPose
from ..reading.urdf_files import KINDS, UrdfJoint


class Driver(NamedTuple):
    """The source of a joint's coordinates: ``factor * configuration[..., first:last] + offset``."""

    first: int
    last: int
    factor: float
    offset: float


_STILL = Driver(-1, 0, 0.0, 0.0)


class JointMotions:
    """The motions of all joints of a robot.

    The pose of a joint with one coordinate v is ``origin + a first + b second``, with a = sin v and b = 1 - cos v for
    angles (Rodrigues' formula), a = v and b = 0 for distances, and a = b = 0 for fixed joints. So the poses of all
    joints are computed at once.

    Args:
        joints: all joints of the robot.
        drivers: the drivers of the moving joints, including those that mimic, by joint name.
    """

    def __init__(self, joints: Sequence[UrdfJoint], drivers: Mapping[str, Driver]) -> None:
        count, found = len(joints), [drivers.get(joint.name, _STILL) for joint in joints]
        self._origins = np.array([joint.origin for joint in joints]).reshape(count, 4, 4)
        self._first, self._second = np.zeros((2, count, 4, 4))
        self._free = {k: joint for k, joint in enumerate(joints) if len(KINDS[joint.kind]) > 1}
        self._turns = np.array([joint.kind in ("revolute", "continuous") for joint in joints], np.bool_)
        self._drivers = found
        self._columns = np.array([driver.first for driver in found], np.int64)
        self._factors = np.array([driver.factor for driver in found])
        self._offsets = np.array([driver.offset for driver in found])
        for k, joint in enumerate(joints):
            if self._turns[k]:
                cross = _cross(joint.axis)
                self._first[k, :3, :3] = joint.origin[:3, :3] @ cross
                self._second[k, :3, :3] = joint.origin[:3, :3] @ (cross @ cross)
            elif joint.kind == "prismatic":
                self._first[k, :3, 3] = joint.origin[:3, :3] @ joint.axis

    def poses(self, rows: np.ndarray, which: np.ndarray) -> np.ndarray:
        """Return the poses (m, k, 4, 4) of some joints.

        Args:
            rows: (m, n) configurations.
            which: (k,) indices of joints.

        Raises:
            InvalidPose: a quaternion is zero.
        """
        rows = np.concatenate([rows, np.zeros((len(rows), 1))], axis=1)  # the last column is for fixed joints
        values = self._factors[which] * rows[:, self._columns[which]] + self._offsets[which]
        turns = self._turns[which]
        first = np.where(turns, np.sin(values), values)[:, :, None, None]
        second = np.where(turns, 1.0 - np.cos(values), 0.0)[:, :, None, None]
        poses: np.ndarray = self._origins[which] + first * self._first[which] + second * self._second[which]
        for place, k in enumerate(which.tolist()):
            if k in self._free:
                joint, driver = self._free[k], self._drivers[k]
                try:
                    moved = free_motion(joint.kind, joint.axis, rows[:, driver.first : driver.last])
                except InvalidPose as error:
                    raise InvalidPose(f"joint '{joint.name}': {error}") from None
                poses[:, place] = joint.origin @ moved
        return poses


def free_motion(kind: str, axis: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the motions (m, 4, 4) of a planar or floating joint with coordinates (m, 3) or (m, 7).

    Raises:
        InvalidPose: a quaternion is zero.
    """
    moved = np.tile(np.eye(4), (len(values), 1, 1))
    if kind == "planar":
        cross, sines, cosines = _cross(axis), np.sin(values[:, 2]), np.cos(values[:, 2])
        moved[:, :3, 3] = values[:, :2] @ plane_axes(axis)
        moved[:, :3, :3] += sines[:, None, None] * cross + (1.0 - cosines)[:, None, None] * (cross @ cross)
    else:
        moved[:, :3, 3] = values[:, :3]
        moved[:, :3, :3] = _of_quaternions(values[:, 3:])
    return moved


def plane_axes(normal: np.ndarray) -> np.ndarray:
    """Return the directions (2, 3) of x and y of a planar joint.

    Take the coordinate axis nearest to the normal, and the axis after it in the cyclic order x, y, z. The latter, made
    perpendicular to the normal, is x. x, y and the normal are right-handed. If the normal is z, the directions are the
    x and y axes.
    """
    first = np.roll(np.eye(3), 1, axis=1)[int(np.abs(normal).argmax())]
    first = first - (first @ normal) * normal
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(normal, first)])


def _cross(axis: np.ndarray) -> np.ndarray:
    """Return the matrix (3, 3) of the cross product with a vector."""
    x, y, z = axis
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _of_quaternions(quaternions: np.ndarray) -> np.ndarray:
    """Return the rotation matrices (m, 3, 3) of quaternions (m, 4), x y z w, of any length except 0."""
    scaled = quaternions / np.maximum(np.abs(quaternions).max(axis=1, keepdims=True), np.finfo(float).tiny)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    if not lengths.all():
        raise InvalidPose(f"configuration {int((lengths[:, 0] == 0.0).argmax())}: the quaternion is 0 0 0 0")
    x, y, z, w = (scaled / lengths).T
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)
