"""``NearestPoints``: the triangles of a mesh that are nearest to points."""

from dataclasses import dataclass, field

import numpy as np

from ..types.copying import Copyable
from ..types.mesh import Corners
from ..types.pose import transform_points
from .features import barycentric, features_of, unit_normals


@dataclass(frozen=True, eq=False)
class NearestPoints(Copyable):
    """The nearest triangles of n points, with the nearest point on each triangle. ``nearest`` returns them.

    If k > 1, each array has k entries for each point in its second dimension, the nearest first.

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
        """Barycentric coordinates of the nearest points in their triangles, in the order of the corners, (n, 3) or
        (n, k, 3); NaN beyond the limit."""
        found, points = self._corners(), self.point.reshape(-1, 3)
        return self._filled(barycentric(found, points[self._known]))

    @property
    def feature(self) -> np.ndarray:
        """The part of the triangle on which the nearest point lies, as ``mc.motion.Feature``: 1 vertex, 2 edge, 3 face;
        0 beyond the limit. (n,) or (n, k) uint8."""
        return features_of(self.barycentric)

    @property
    def normal(self) -> np.ndarray:
        """Unit normals of the triangles by their winding, world, (n, 3) or (n, k, 3); NaN if the area is 0."""
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
