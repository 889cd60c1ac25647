"""``NearestPoints``: the triangles of a mesh that are nearest to points."""

from dataclasses import dataclass, field

import numpy as np

from ..types.copying import Copyable
from ..types.mesh import Corners
from ..types.pose import transform_points
from .features import barycentric, features_of, unit_normals


@dataclass(frozen=True, eq=False)
class NearestPoints(Copyable):
    """For each of n points, the nearest triangles of a mesh and the nearest point on each of these triangles.
    ``nearest`` returns a NearestPoints.

    If k > 1, the second dimension of each array contains k entries for each point, the nearest triangle first.

    Attributes:
        distance: [m], (n,) or (n, k) float64; negative inside if ``signed`` was set; infinite beyond the limit.
        point: Nearest point of the triangle [m], world, (n, 3) or (n, k, 3) float64; NaN beyond the limit.
        triangle: (n,) or (n, k) int32; -1 beyond the limit.
    """

    distance: np.ndarray
    point: np.ndarray
    triangle: np.ndarray
    _surface: tuple[Corners, np.ndarray] = field(repr=False)

    def __len__(self) -> int:
        return len(self.distance)

    @property
    def barycentric(self) -> np.ndarray:
        """The barycentric coordinates of each nearest point in its triangle, (n, 3) or (n, k, 3). The coordinates are
        in the order of the corners, and NaN beyond the limit.
        """
        found, points = self._corners(), self.point.reshape(-1, 3)
        return self._filled(barycentric(found, points[self._known]))

    @property
    def feature(self) -> np.ndarray:
        """The part of its triangle on which each nearest point lies, (n,) or (n, k) uint8. The values are those of
        ``mc.motion.Feature``: 1 for a vertex, 2 for an edge, 3 for the face, and 0 beyond the limit.
        """
        return features_of(self.barycentric)

    @property
    def normal(self) -> np.ndarray:
        """The unit normal of each triangle in world coordinates, (n, 3) or (n, k, 3). The order of the corners decides
        on which side of the triangle the normal points. If a triangle has no area, its normal is NaN.
        """
        return self._filled(unit_normals(self._corners()))

    @property
    def _known(self) -> np.ndarray:
        """Indices of the entries within the limit."""
        return np.flatnonzero(self.triangle.ravel() >= 0)

    def _filled(self, rows: np.ndarray) -> np.ndarray:
        """Return rows (m, 3) of the known entries in the shape of the points, with NaN for all other entries."""
        filled = np.full((self.triangle.size, 3), np.nan)
        filled[self._known] = rows
        return filled.reshape(self.point.shape)

    def _corners(self) -> np.ndarray:
        """Return the world corners (m, 3, 3) of the triangles of the known entries."""
        mesh, rows = self._surface
        return transform_points(rows, mesh.corners_of(self.triangle.ravel()[self._known]))
