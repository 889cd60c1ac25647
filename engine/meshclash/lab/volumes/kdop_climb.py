"""Polytopes of fixed world directions around a rotating object: each support vertex is searched from its last position.

The k-DOP of a rotated object in the world's directions, updated as Klosowski, Held, Mitchell, Sowizral and Zikan
propose (1998). Each of its 2 * half support vertices is searched from the last one on among its neighbours on the
convex hull, which is exact. An object that is not convex has the extents of its hull.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...convex.hull import ConvexHull
from ...convex.support_vertex import climb
from ...errors import InvalidPose, UnsupportedOption
from ...jit import kernel
from ...messages import shown
from ...types.copying import Changeable
from ...types.numbers import float_array
from ...volumes.rounding import round_down, round_up
from .kdop import HALVES, directions_of

_ROUNDING = 16.0 * 2.0**-53
"""Of a height, share of the sum of all absolute products: seven roundings, twice, with room."""


@kernel
def _climb_all(hull, directions, rotation, last, volume):
    """Update the support vertices ``last`` (2 half,) for a rotation (3, 3), and write the polytope."""
    half = directions.shape[0]
    u = np.empty(3)
    for i in range(half):
        total = 0.0
        for k in range(3):
            u[k] = 0.0
            for j in range(3):
                u[k] += directions[i, j] * rotation[j, k]
                total += abs(directions[i, j] * rotation[j, k])
        slack = _ROUNDING * total * hull.reach
        low, last[i] = climb(hull, (-u[0], -u[1], -u[2]), last[i])
        high, last[half + i] = climb(hull, (u[0], u[1], u[2]), last[half + i])
        volume[i] = round_down(-low - slack)
        volume[half + i] = round_up(high + slack)


class ClimbingPolytope(Changeable):
    """The k-DOP around a set of points that rotates about the origin. A k-DOP is a convex polytope whose faces have
    fixed directions.

    Args:
        points: (n, 3) [m], as the argument of ``ConvexHull``.
        half: 3, 7, 9 or 13 directions, as in "dop6" to "dop26".

    Raises:
        InvalidMesh: as ``ConvexHull``. UnsupportedOption: another number of directions.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> polytope = mc.lab.ClimbingPolytope(mc.shapes.box(1.0).vertices, 3)
        >>> polytope.turned(np.eye(3)).round(3).tolist()
        [-0.5, -0.5, -0.5, 0.5, 0.5, 0.5]
    """

    def __init__(self, points: Any, half: int) -> None:
        if half not in HALVES:
            raise UnsupportedOption(f"half must be one of {', '.join(map(str, HALVES))}, not {shown(half)}")
        self.hull = ConvexHull(points)
        self._directions = directions_of(half)
        self._last = np.zeros(2 * half, np.int64)

    def _shared_things(self) -> Iterable[object]:
        return (self.hull,)

    def turned(self, rotation: Any) -> np.ndarray:
        """Rotate the points by a matrix (3, 3), and return a polytope (2 half,) float32 that certainly contains all
        rotated points.

        The first half of the numbers are the lowest coordinates of the points along the directions. The second half of
        the numbers are the highest coordinates.

        Raises:
            InvalidPose: the matrix is not (3, 3), or has numbers that are not finite.
        """
        matrix = float_array("rotation", rotation, InvalidPose)
        if matrix.shape != (3, 3) or not np.isfinite(matrix).all():
            raise InvalidPose(f"a rotation must be a (3, 3) matrix of finite numbers, not {shown(rotation)}")
        volume = np.empty(len(self._last), np.float32)
        _climb_all(self.hull.features, self._directions, np.array(matrix, order="C"), self._last, volume)
        return volume
