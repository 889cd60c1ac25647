"""``Transform``: position and rotation; ``CollisionObject``: a shape and its transform."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...errors import InvalidPose, UnsupportedOption
from ...messages import a_type
from ...types.copying import Changeable
from ...types.numbers import float_array
from ...types.pose import LARGEST_COORDINATE, Pose
from .collision_data import NODE_TYPE, OBJECT_TYPE
from .geometry import Ball, CollisionGeometry, Point

_BALL_ROUNDING = 1e-12
"""Share of the coordinates that balls around objects are larger than needed, so that rounding never makes them too
small."""


class Transform(Changeable):
    """A rotation and a translation (3,) [m]. The rotation is given as a matrix (3, 3) or as a quaternion (w, x, y, z).

    You can pass a rotation, a translation, both of them in this order, another transform to copy, or nothing for the
    identity. A quaternion may have any length above 0, and is scaled to length 1.

    Raises:
        InvalidPose, a ValueError: the wrong shape, not finite, or a matrix that is not a rotation.
    """

    def __init__(self, *given: Any) -> None:
        if len(given) == 1 and isinstance(given[0], Transform):
            self._pose: np.ndarray = given[0]._pose.copy()
            return
        self._pose = np.eye(4)
        if len(given) > 2:
            raise InvalidPose(f"a Transform takes at most a rotation and a translation, not {len(given)} arguments")
        if len(given) == 2:
            self.setRotation(given[0])
            self.setTranslation(given[1])
        elif given:
            numbers = float_array("a Transform", given[0], InvalidPose)
            if numbers.shape == (3,):
                self.setTranslation(numbers)
            else:
                self.setRotation(numbers)

    @property
    def pose(self) -> np.ndarray:
        """A copy of the transformation matrix (4, 4)."""
        return self._pose.copy()

    def getRotation(self) -> np.ndarray:
        """Return the rotation matrix (3, 3)."""
        return self._pose[:3, :3].copy()

    def getTranslation(self) -> np.ndarray:
        """Return the translation (3,) [m]."""
        return self._pose[:3, 3].copy()

    def getQuatRotation(self) -> np.ndarray:
        """Return the rotation as a unit quaternion (w, x, y, z)."""
        return _quaternion(self._pose[:3, :3])

    def setRotation(self, R: Any) -> None:
        """Set the rotation from a matrix (3, 3) or a quaternion (w, x, y, z). If the argument is not a rotation, the
        method raises InvalidPose.
        """
        given = float_array("a rotation", R, InvalidPose)
        if given.shape not in ((3, 3), (4,)):
            raise InvalidPose(
                "a rotation must be a (3, 3) matrix or a quaternion of four numbers, not an array of "
                f"shape {given.shape}"
            )
        matrix = np.eye(4)
        matrix[:3, :3] = given if given.ndim == 2 else _matrix(given)
        self._pose[:3, :3] = Pose.from_matrix(matrix).rows[:, :3]

    def setTranslation(self, T: Any) -> None:
        """Set the translation (3,) [m]. If the argument is not three finite numbers, the method raises InvalidPose."""
        given = float_array("a translation", T, InvalidPose).squeeze()
        if given.shape != (3,):
            raise InvalidPose(f"a translation must have three numbers, not shape {given.shape}")
        if not np.abs(given).max() <= LARGEST_COORDINATE:
            raise InvalidPose(f"a translation must be finite and within {LARGEST_COORDINATE:g} m, not {given.tolist()}")
        self._pose[:3, 3] = given

    def setQuatRotation(self, q: Any) -> None:
        """Set the rotation from a quaternion (w, x, y, z). If the argument is not a rotation, the method raises
        InvalidPose.
        """
        self.setRotation(q)


def _matrix(quaternion: np.ndarray) -> np.ndarray:
    """Return the rotation (3, 3) of a quaternion (w, x, y, z) of any length above 0."""
    largest = np.abs(quaternion).max()
    if not 0.0 < largest < np.inf:
        raise InvalidPose(f"a quaternion must be finite and not zero, not {quaternion.tolist()}")
    scaled = quaternion / largest
    w, x, y, z = scaled / np.linalg.norm(scaled)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _quaternion(r: np.ndarray) -> np.ndarray:
    """Return the quaternion (w, x, y, z) of a rotation (3, 3), from a column of 4 q q^T, with python-fcl's sign."""
    products = np.array(
        [
            [1 + r[0, 0] + r[1, 1] + r[2, 2], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
            [r[2, 1] - r[1, 2], 1 + r[0, 0] - r[1, 1] - r[2, 2], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]],
            [r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], 1 - r[0, 0] + r[1, 1] - r[2, 2], r[1, 2] + r[2, 1]],
            [r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], 1 - r[0, 0] - r[1, 1] + r[2, 2]],
        ]
    )
    largest = 0 if np.trace(r) > 0.0 else 1 + int(np.argmax(np.diag(products)[1:]))
    column: np.ndarray = products[:, largest]
    return column / np.linalg.norm(column)


def _moved(ball: Ball, pose: np.ndarray) -> Ball:
    """Return a ball in a pose (4, 4), larger by the rounding errors of its centre and radius."""
    (x, y, z), radius = ball
    centre = p, q, r = _placed(ball[0], pose.tolist())
    size = radius + abs(p) + abs(q) + abs(r) + abs(x) + abs(y) + abs(z)
    return centre, radius + _BALL_ROUNDING * size


def _placed(point: Point, rows: list[list[float]]) -> Point:
    """Return a point in a pose, given as rows of numbers."""
    x, y, z = point
    (a, b, c, p), (d, e, f, q), (g, h, i, r) = rows[:3]
    if x == y == z == 0.0:
        return p, q, r
    return a * x + b * y + c * z + p, d * x + e * y + f * z + q, g * x + h * y + i * z + r


class CollisionObject(Changeable):
    """A shape with a transform. Several objects may share the same shape.

    Raises:
        UnsupportedOption, a ValueError: without a shape.
    """

    def __init__(self, geom: CollisionGeometry | None = None, tf: Transform | None = None) -> None:
        if not isinstance(geom, CollisionGeometry):
            raise UnsupportedOption(f"a CollisionObject needs a shape such as Box or BVHModel, not {a_type(geom)}")
        self._geometry, self._transform = geom, Transform() if tf is None else Transform(tf)
        self._ball: tuple[Ball, Ball] | None = None

    @property
    def ball(self) -> Ball:
        """A ball that certainly contains the object: the centre in world coordinates [m], and the radius [m]."""
        local = self._geometry.ball
        if self._ball is None or self._ball[0] is not local:
            self._ball = local, _moved(local, self._transform._pose)
        return self._ball[1]

    def _shared_things(self) -> Iterable[object]:
        return (self._geometry,)

    @property
    def pose(self) -> np.ndarray:
        """The transformation matrix (4, 4)."""
        return self._transform.pose

    @property
    def matrix(self) -> np.ndarray:
        """The transformation matrix (4, 4). Do not modify the matrix, because it is not a copy."""
        return self._transform._pose

    @property
    def geometry(self) -> CollisionGeometry:
        """The shape."""
        return self._geometry

    def getObjectType(self) -> int:
        """Return the kind of object, which is ``OT_BVH`` for a ``BVHModel`` and ``OT_GEOM`` for all other shapes."""
        return OBJECT_TYPE.OT_BVH if self.getNodeType() == NODE_TYPE.BV_OBBRSS else OBJECT_TYPE.OT_GEOM

    def getNodeType(self) -> int | None:
        """Return the kind of shape, which is a member of ``NODE_TYPE``."""
        return self._geometry.getNodeType()

    def getTransform(self) -> Transform:
        """Return a copy of the transform."""
        return Transform(self._transform)

    def setTransform(self, tf: Transform) -> None:
        """Set the transform."""
        self._transform._pose = (tf if isinstance(tf, Transform) else Transform(tf))._pose.copy()
        self._ball = None

    def getTranslation(self) -> np.ndarray:
        """Return the translation (3,) [m]."""
        return self._transform.getTranslation()

    def setTranslation(self, vec: Any) -> None:
        """Set the translation, and keep the current rotation."""
        self._ball = None
        self._transform.setTranslation(vec)

    def getRotation(self) -> np.ndarray:
        """Return the rotation matrix (3, 3)."""
        return self._transform.getRotation()

    def setRotation(self, mat: Any) -> None:
        """Set the rotation, and keep the current translation."""
        self._ball = None
        self._transform.setRotation(mat)

    def getQuatRotation(self) -> np.ndarray:
        """Return the rotation as a unit quaternion (w, x, y, z)."""
        return self._transform.getQuatRotation()

    def setQuatRotation(self, q: Any) -> None:
        """Set the rotation from a quaternion (w, x, y, z), and keep the current translation."""
        self._ball = None
        self._transform.setQuatRotation(q)

    def isOccupied(self) -> bool:
        """Return True, because every shape counts as occupied. In python-fcl, only octrees can have free or uncertain
        cells.
        """
        return True

    def isFree(self) -> bool:
        """Return False, because no shape counts as free. In python-fcl, only octrees can have free cells."""
        return False

    def isUncertain(self) -> bool:
        """Return False, because no shape counts as uncertain. In python-fcl, only octrees can have uncertain cells."""
        return False


def are_far(o1: CollisionObject, o2: CollisionObject) -> bool:
    """Return whether the balls around two objects have no common point, so that the objects have none."""
    (first, reach), (second, more) = o1.ball, o2.ball
    return math.dist(first, second) > reach + more


def may_contain(outer: CollisionObject, inner: CollisionObject) -> bool:
    """Return whether a point of an object is in the box around another one, as it is if that one contains it."""
    x, y, z = _placed(inner.geometry.a_point, inner.matrix.tolist())
    rows = outer.matrix.tolist()
    ways = x - rows[0][3], y - rows[1][3], z - rows[2][3]
    slack = _BALL_ROUNDING * (outer.ball[1] + sum(map(abs, (x, y, z))) + sum(abs(row[3]) for row in rows[:3]))
    for k, (low, high) in enumerate(outer.geometry.box):
        height = rows[0][k] * ways[0] + rows[1][k] * ways[1] + rows[2][k] * ways[2]
        if not low - slack <= height <= high + slack:
            return False
    return True
