"""What the joints of a robot do: poses of a child's frame in the joint's frame, for the joint's coordinates."""

import numpy as np

from ..errors import InvalidPose


def joint_motion(kind: str, axis: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The poses (m, 4, 4) of a joint.

    Args:
        kind: a type of joint that moves.
        axis: (3,), of length 1.
        values: (m, k) coordinates of the joint.

    Raises:
        InvalidPose: a quaternion of zeros.
    """
    moved = np.tile(np.eye(4), (len(values), 1, 1))
    if kind == "prismatic":
        moved[:, :3, 3] = values[:, :1] * axis
    elif kind == "planar":
        moved[:, :3, 3] = values[:, :2] @ plane_axes(axis)
        moved[:, :3, :3] = _turned(axis, values[:, 2])
    elif kind == "floating":
        moved[:, :3, 3] = values[:, :3]
        moved[:, :3, :3] = _of_quaternions(values[:, 3:])
    else:
        moved[:, :3, :3] = _turned(axis, values[:, 0])
    return moved


def plane_axes(normal: np.ndarray) -> np.ndarray:
    """The directions (2, 3) of x and y of a planar joint.

    x is the coordinate axis that follows, in the order x, y, z, x, the one to which the normal is nearest, made
    perpendicular to the normal; x, y and the normal are right-handed. The normal z has x and y themselves.
    """
    first = np.roll(np.eye(3), 1, axis=1)[int(np.abs(normal).argmax())]
    first = first - (first @ normal) * normal
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(normal, first)])


def _turned(axis: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Rotations (m, 3, 3) about an axis by angles (m,) [rad], by the formula of Rodrigues."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    sines, cosines = np.sin(angles)[:, None, None], np.cos(angles)[:, None, None]
    rotations: np.ndarray = np.eye(3) + sines * cross + (1.0 - cosines) * (cross @ cross)
    return rotations


def _of_quaternions(quaternions: np.ndarray) -> np.ndarray:
    """Rotations (m, 3, 3) of quaternions (m, 4), x y z w, of any length but 0."""
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
