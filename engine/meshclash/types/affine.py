"""Split affine matrices into a rigid pose and a remainder, which must be baked into the mesh."""

from typing import Any

import numpy as np

from .pose import LARGEST_COORDINATE, RIGID_TOLERANCE, Pose, checked_matrix, pose_of

_SCALED_TOLERANCE = 1e-6
"""Like ``RIGID_TOLERANCE``, for a matrix whose columns were scaled to length 1."""
_STILL = np.eye(4)


def split_matrix(matrix: Any) -> tuple[Pose, np.ndarray | None]:
    """Split an affine matrix into a rigid pose and a matrix that you apply to the mesh.

    Args:
        matrix: array-like, shape (4, 4), any affine map.

    Returns:
        (pose, stretch): ``matrix`` equals ``pose.matrix @ stretch`` up to the last bit. ``stretch`` is None if the
        matrix is already rigid. If the matrix scales the object along its own axes, the scale becomes part of the
        stretch, even if it is negative. For this reason, a scaled object still moves rigidly over time. If the matrix
        has shear, the whole matrix is returned as the stretch, and the pose is the identity.

    Raises:
        InvalidPose: wrong shape or not finite.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> scaled = np.diag([2.0, 1.0, 1.0, 1.0])
        >>> pose, rest = mc.split_matrix(scaled)
        >>> rest
        array([[2., 0., 0., 0.],
               [0., 1., 0., 0.],
               [0., 0., 1., 0.],
               [0., 0., 0., 1.]])
    """
    rows, stretches, stretched = split_matrices(checked_matrix(matrix)[None])
    return pose_of(rows[0]), stretches[0] if stretched[0] else None


def split_matrices(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Split many matrices (k, 4, 4) float64 as ``split_matrix`` does.

    Returns:
        The rows of the poses (k, 3, 4), the stretches (k, 4, 4), and (k,) bool: True if a matrix was not already rigid.

    Raises:
        InvalidPose: a matrix is not an affine map.
    """
    usable = (np.abs(matrices) <= LARGEST_COORDINATE).all(axis=(1, 2)) & (matrices[:, 3] == _STILL[3]).all(axis=1)
    if not usable.all():
        checked_matrix(matrices[np.argmin(usable)])
    linear, rows, stretches = matrices[:, :3, :3], matrices[:, :3].copy(), np.tile(_STILL, (len(matrices), 1, 1))
    mirrored = np.linalg.det(linear) < 0.0
    stretched = mirrored | ~(_rigidity_errors(linear) <= RIGID_TOLERANCE)
    some = np.flatnonzero(stretched)
    lengths = np.sqrt((linear[some] * linear[some]).sum(axis=1))
    lengths[mirrored[some], 0] *= -1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        rotations = linear[some] / lengths[:, None]
        scaled = lengths.all(axis=1) & (_rigidity_errors(rotations) <= _SCALED_TOLERANCE)
    rows[some[scaled], :, :3] = rotations[scaled]
    stretches[some[scaled, None], [0, 1, 2], [0, 1, 2]] = lengths[scaled]
    sheared = some[~scaled]
    rows[sheared], stretches[sheared] = _STILL[:3], matrices[sheared]
    return rows, stretches, stretched


def _rigidity_errors(rotations: np.ndarray) -> np.ndarray:
    """Return the largest absolute entry of R^T R - I for each matrix (k, 3, 3)."""
    with np.errstate(over="ignore", invalid="ignore"):
        errors: np.ndarray = np.abs(rotations.swapaxes(1, 2) @ rotations - _STILL[:3, :3]).max(axis=(1, 2))
    return errors
