"""``Pose``: the rigid transformation of an object to the world."""

from collections.abc import Sequence
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidMesh, InvalidPose, UnsupportedOption
from ..jit import kernel, portable
from .copying import Copyable
from .numbers import float_array
from .vectors import cross

RIGID_TOLERANCE = 1e-4
"""Largest entry of R^T R - I that is accepted for a rotation; float32 matrices of Blender stay below 1e-6."""

LARGEST_COORDINATE = 1e30
"""Largest accepted coordinate or translation [m]: float32 volumes and error bounds of the predicates require this
limit."""

_STILL = np.eye(4)


def transform_points(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Apply matrices to points: x' = ((R00 x + R01 y) + R02 z) + tx, in float64, without fused operations.

    This order of operations defines the world coordinates on which every contact is decided.

    Args:
        matrix: (..., 3, 4) or (..., 4, 4); the leading axes are broadcast against those of the points.
        points: (..., 3) [m].

    Returns:
        (..., 3) float64 [m].
    """
    x, y, z = (np.asarray(points[..., k], np.float64, order="C") for k in range(3))
    rows = [matrix[..., k, 0] * x + matrix[..., k, 1] * y + matrix[..., k, 2] * z + matrix[..., k, 3] for k in range(3)]
    return np.stack(rows, axis=-1)


def inverse_rotations(rows: np.ndarray) -> np.ndarray:
    """Return the inverses (..., 3, 3) of the rotations in the rows (..., 3, 4) of poses, by cofactors.

    NumPy's inverse calls LAPACK for each matrix, which may start threads for nine numbers.
    """
    a, b, c = rows[..., 0, :3], rows[..., 1, :3], rows[..., 2, :3]
    columns = np.stack([cross(b, c), cross(c, a), cross(a, b)], axis=-1)
    determinants = (a * columns[..., 0]).sum(axis=-1)
    return columns / determinants[..., None, None]


def _as_motion(pose: Any) -> np.ndarray | None:
    """Convert a pair (R, t) of a rotation (3, 3) and a translation (3,) to a matrix (4, 4); None for other types."""
    if not isinstance(pose, tuple | list) or len(pose) != 2 or isinstance(pose[0], Pose) or isinstance(pose[1], Pose):
        return None
    try:
        shapes = np.shape(pose[0]), np.shape(pose[1])
    except (TypeError, ValueError):  # rows of different lengths
        return None
    if shapes[0] != (3, 3) or shapes[1] not in ((3,), (3, 1)):
        return None
    matrix = _STILL.copy()
    matrix[:3, :3] = float_array("the rotation of a pose", pose[0], InvalidPose)
    matrix[:3, 3] = float_array("the translation of a pose", pose[1], InvalidPose).ravel()
    return matrix


def _of_another_library(pose: Any) -> np.ndarray | None:
    """Return the matrix of SciPy's ``Rotation`` or ``RigidTransform``, or a stack of matrices (k, 4, 4); None for other
    types.
    """
    if not _has_matrix(pose):
        return None
    given = float_array("a pose", pose.as_matrix(), InvalidPose)
    if given.ndim not in (2, 3) or given.shape[-2:] != (3, 3):
        return given
    matrix = np.broadcast_to(_STILL, (*given.shape[:-2], 4, 4)).copy()
    matrix[..., :3, :3] = given
    return matrix


def _numbers(pose: Any) -> np.ndarray:
    """Convert a pose or a stack to an array (4, 4) or (k, 4, 4); an array of another shape is returned unchanged."""
    if isinstance(pose, Pose):
        return pose.matrix
    matrix = _as_motion(pose)
    if matrix is None:
        matrix = _of_another_library(pose)
    if matrix is not None:
        return matrix
    array = float_array("a pose", pose, InvalidPose)
    if array.ndim not in (2, 3) or array.shape[-2:] != (3, 4):
        return array
    return np.concatenate([array, np.broadcast_to(_STILL[3:], (*array.shape[:-2], 1, 4))], axis=-2)


def matrices_of(poses: Any) -> np.ndarray:
    """Convert poses in nested sequences to an array (..., 4, 4), not checked; raise InvalidPose for other types."""
    if isinstance(poses, list | tuple) and _as_motion(poses) is None and _holds_poses(poses):
        found = [matrices_of(pose) for pose in poses]
        if len({array.shape for array in found}) > 1:
            raise InvalidPose("a list must contain either single poses only, or stacks of the same length only")
        return np.stack(found)
    return _numbers(poses)


def _holds_poses(poses: Any) -> bool:
    """Return whether nested sequences contain a pose that NumPy cannot stack; searches stacks of stacks."""
    return _is_list_of_poses(poses) or any(isinstance(part, list | tuple) and _is_list_of_poses(part) for part in poses)


def checked_matrix(matrix: Any) -> np.ndarray:
    """Return an affine matrix as (4, 4) float64; raise InvalidPose for another shape or entries that are too large."""
    array = _numbers(matrix)
    if array.shape != (4, 4):
        raise InvalidPose(
            f"a pose needs a matrix of shape (4, 4) or (3, 4), or a pair (R, t), not one of shape {array.shape}"
        )
    if not np.isfinite(array).all():
        raise InvalidPose("the pose matrix has entries that are NaN or infinite")
    if not np.array_equal(array[3], (0.0, 0.0, 0.0, 1.0)):
        raise InvalidPose(f"the last row of a pose matrix must be 0 0 0 1, not {array[3].tolist()}")
    if np.abs(array[:3]).max() > LARGEST_COORDINATE:
        raise InvalidPose(f"the pose matrix has entries beyond {LARGEST_COORDINATE:g} m")
    return array


def _rigidity_error(rotation: np.ndarray) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.abs(rotation.T @ rotation - np.eye(3)).max())


class Pose(Copyable):
    """The position and orientation of an object, as a rigid motion p -> R p + t. A pose stores its twelve numbers
    exactly as you give them.

    MeshClash does not orthonormalise the rotation. R^T R may deviate from the identity by at most ``RIGID_TOLERANCE``.
    Queries decide contacts for the coordinates that these numbers give.

    Args:
        matrix: array-like, shape (4, 4) or (3, 4), with the translation in metres in the last column; a pair (R, t); or
            SciPy's ``Rotation`` or ``RigidTransform``.

    Raises:
        InvalidPose: wrong shape, not finite, or scaled, sheared or mirrored (see ``split_matrix``).

    Example:
        >>> import meshclash as mc
        >>> pose = mc.Pose([[0, -1, 0, 2], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        >>> pose.apply([[1.0, 0.0, 0.0]])
        array([[2., 1., 0.]])
    """

    __slots__ = ("_rows",)

    def __init__(self, matrix: Any) -> None:
        array = checked_matrix(matrix)
        rotation = array[:3, :3]
        error = _rigidity_error(rotation)
        if not error <= RIGID_TOLERANCE:
            raise InvalidPose(
                f"the matrix is not rigid (R^T R differs from the identity by {error:.3g}): apply "
                "scale and shear to the mesh, with split_matrix(matrix) and mesh.transformed(stretch)"
            )
        if np.linalg.det(rotation) < 0.0:
            raise InvalidPose(
                "the matrix contains a reflection: use split_matrix(matrix) and mesh.transformed(stretch)"
            )
        self._rows = np.ascontiguousarray(array[:3])

    @classmethod
    def identity(cls) -> "Pose":
        """Return the identity."""
        return cls(np.eye(4))

    @classmethod
    def from_matrix(cls, matrix: Any) -> "Pose":
        """Return ``Pose(matrix)``."""
        return cls(matrix)

    @property
    def matrix(self) -> np.ndarray:
        """The matrix of the pose, as a new (4, 4) float64 array."""
        return np.vstack([self._rows, (0.0, 0.0, 0.0, 1.0)])

    @property
    def rows(self) -> np.ndarray:
        """The twelve numbers of the pose, (3, 4) float64. Do not modify this array."""
        return self._rows

    def apply(self, points: Any) -> np.ndarray:
        """Transform points (n, 3) [m] by the pose, and return their world coordinates [m], (n, 3) float64. See
        ``transform_points``.

        Raises:
            InvalidMesh: not numbers, or the wrong shape.
        """
        array = float_array("points", points, InvalidMesh)
        if array.size % 3:
            raise InvalidMesh(f"points must have shape (n, 3), not {array.shape}")
        return transform_points(self._rows, array.reshape(-1, 3))

    def __repr__(self) -> str:
        return f"Pose({self._rows.tolist()})"


def pose_of(rows: np.ndarray) -> Pose:
    """Make a pose from rows (3, 4) float64 that are known to be rigid; the rows are not copied."""
    made = object.__new__(Pose)
    made._rows = rows
    return made


class _WithMatrix(Protocol):
    def as_matrix(self) -> np.ndarray: ...


PoseLike = Pose | ArrayLike | _WithMatrix | Sequence["Pose | _WithMatrix"] | None
"""A pose, a rigid (4, 4) matrix, a stack (k, 4, 4) of matrices, or None for the identity. Also accepted: SciPy's
``Rotation`` and ``RigidTransform``, and a list of poses."""


def pose_stack(pose: "PoseLike | Sequence[Any]") -> tuple[np.ndarray, bool]:
    """Return poses as rows (k, 3, 4) float64, and whether a stack was given.

    Args:
        pose: None (identity), a Pose, a matrix (4, 4) or (3, 4), a pair (R, t) of a rotation (3, 3) and a translation
            (3,), SciPy's Rotation or RigidTransform, a stack (k, 4, 4) or (k, 3, 4), or a sequence of such poses.

    Raises:
        InvalidPose: as for ``Pose.from_matrix``; for a stack the message names the index.
    """
    if pose is None:
        return _STILL[None, :3].copy(), False
    if isinstance(pose, Pose):
        return pose.rows[None], False
    if _is_list_of_poses(pose):
        return np.stack([_stack_item(p, i) for i, p in enumerate(cast(Sequence[Any], pose))]), True
    array = _numbers(pose)
    if array.shape == (4, 4) and plainly_rigid(array.ravel().tolist()):
        return array[None, :3], False
    if array.ndim == 2:
        return Pose.from_matrix(array).rows[None], False
    if array.ndim != 3 or array.shape[1:] != (4, 4):
        raise InvalidPose(
            "a pose must be None, a Pose, a matrix of shape (4, 4) or (3, 4), or a pair (R, t), and "
            f"a stack must have shape (k, 4, 4) or (k, 3, 4), not {array.shape}"
        )
    if len(array) == 0:
        raise UnsupportedOption("the stack of poses is empty")
    check_stack(array)
    return np.ascontiguousarray(array[:, :3]), True


def check_stack(matrices: np.ndarray) -> None:
    """Raise InvalidPose, as ``pose_stack`` does, unless all matrices (k, 4, 4) float64 are rigid."""
    if not _plainly_rigid_each(np.ascontiguousarray(matrices).reshape(-1, 16)) and not _all_rigid(matrices):
        for index, matrix in enumerate(matrices):
            _stack_item(matrix, index)


def _is_list_of_poses(pose: Any) -> bool:
    """Return whether a sequence contains a Pose, a pair (R, t) or another library's pose, which NumPy cannot stack."""
    if isinstance(pose, np.ndarray | str | bytes | range) or not isinstance(pose, Sequence):
        return False
    return any(isinstance(item, Pose) or _as_motion(item) is not None or _has_matrix(item) for item in pose)


def _has_matrix(pose: Any) -> bool:
    """Return whether an object has ``as_matrix``, as SciPy's rotations and transforms do."""
    return not isinstance(pose, type) and callable(getattr(pose, "as_matrix", None))


def put_single_pose(pose: Any, matrix: np.ndarray) -> bool:
    """Write one unchecked pose into a (4, 4) float64 matrix; return False if the pose has to be checked by
    ``pose_stack``.
    """
    if pose is None:
        matrix[...] = _STILL
    elif type(pose) is np.ndarray and pose.shape == (4, 4) and pose.dtype == _STILL.dtype:
        matrix[...] = pose
    elif isinstance(pose, Pose):
        matrix[:3], matrix[3] = pose.rows, _STILL[3]
    else:
        return False
    return True


@portable
def plainly_rigid(m: Any) -> bool:
    """Return whether ``Pose.from_matrix`` certainly accepts a matrix of 16 numbers, row by row; False for NaN."""
    tolerance = 0.5 * RIGID_TOLERANCE
    return (
        abs(m[0] * m[0] + m[4] * m[4] + m[8] * m[8] - 1.0) <= tolerance
        and abs(m[1] * m[1] + m[5] * m[5] + m[9] * m[9] - 1.0) <= tolerance
        and abs(m[2] * m[2] + m[6] * m[6] + m[10] * m[10] - 1.0) <= tolerance
        and abs(m[0] * m[1] + m[4] * m[5] + m[8] * m[9]) <= tolerance
        and abs(m[1] * m[2] + m[5] * m[6] + m[9] * m[10]) <= tolerance
        and abs(m[2] * m[0] + m[6] * m[4] + m[10] * m[8]) <= tolerance
        and m[0] * (m[5] * m[10] - m[9] * m[6]) + m[1] * (m[6] * m[8] - m[4] * m[10])
        > m[2] * (m[5] * m[8] - m[4] * m[9])
        and abs(m[3]) <= LARGEST_COORDINATE and abs(m[7]) <= LARGEST_COORDINATE and abs(m[11]) <= LARGEST_COORDINATE
        and m[12] == 0.0 and m[13] == 0.0 and m[14] == 0.0 and m[15] == 1.0
    )  # fmt: skip


@kernel
def _plainly_rigid_each(matrices):
    """Return whether ``plainly_rigid`` holds for all matrices (k, 16)."""
    rigid = True
    for i in range(matrices.shape[0]):
        rigid &= plainly_rigid(matrices[i])
    return rigid


def _all_rigid(matrices: np.ndarray) -> bool:
    """Return whether ``Pose.from_matrix`` accepts all matrices of a stack (k, 4, 4); checks all of them at once."""
    with np.errstate(over="ignore", invalid="ignore"):
        rotation = matrices[:, :3, :3]
        error = np.abs(rotation.transpose(0, 2, 1) @ rotation - np.eye(3)).max()
        return bool(
            error <= RIGID_TOLERANCE
            and np.abs(matrices[:, :3]).max() <= LARGEST_COORDINATE
            and (matrices[:, 3] == (0.0, 0.0, 0.0, 1.0)).all()
            and (np.linalg.det(rotation) > 0.0).all()
        )


def _stack_item(pose: Any, index: int) -> np.ndarray:
    try:
        return pose.rows if isinstance(pose, Pose) else Pose.from_matrix(pose).rows
    except InvalidPose as error:
        raise InvalidPose(f"pose {index} of the stack: {error}") from None


def matched_poses(pose_a: Any, pose_b: Any) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return the poses of both objects, (k, 3, 4) or (1, 3, 4) for all, and whether a stack was given.

    Raises:
        InvalidPose: as for ``pose_stack``.
        UnsupportedOption: two stacks of different lengths.
    """
    rows_a, stacked_a = pose_stack(pose_a)
    rows_b, stacked_b = pose_stack(pose_b)
    count = max(len(rows_a), len(rows_b))
    for rows, stacked in ((rows_a, stacked_a), (rows_b, stacked_b)):
        if stacked and len(rows) != count:
            raise UnsupportedOption(f"stacks of {len(rows_a)} and {len(rows_b)} poses have different lengths")
    # Copies, since Numba treats read-only arrays as another type.
    return np.array(rows_a, order="C"), np.array(rows_b, order="C"), stacked_a or stacked_b


def every_pose(pose_a: Any, pose_b: Any) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return ``matched_poses`` with one row for each query on both sides, (k, 3, 4)."""
    rows_a, rows_b, stacked = matched_poses(pose_a, pose_b)
    if len(rows_a) == len(rows_b):
        return rows_a, rows_b, stacked
    shape = (max(len(rows_a), len(rows_b)), 3, 4)
    rows_a, rows_b = (np.array(np.broadcast_to(rows, shape), order="C") for rows in (rows_a, rows_b))
    return rows_a, rows_b, stacked
