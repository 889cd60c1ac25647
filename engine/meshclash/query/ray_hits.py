"""``RayHits``: the crossings of rays with surfaces."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..traversal.rays import RayCrossings
from ..types.copying import Copyable
from ..types.mesh import Corners
from ..types.pose import transform_points
from .features import unit_normals


@dataclass(frozen=True, eq=False)
class RayHits(Copyable):
    """The crossings of rays with surfaces. ``ray_first`` and ``ray_all`` return a RayHits.

    The result of ``ray_first`` has one row for each ray. If a ray has no crossing, its ``triangle`` is -1, and its
    ``distance`` is infinite.

    Attributes:
        ray: Index of the ray, (k,) int64.
        triangle: Index of the triangle that is crossed, (k,) int32.
        distance: Distance from the origin of the ray [m], (k,) float64.
        barycentric: Barycentric coordinates of the crossing in its triangle, in the order of the corners, (k, 3)
            float64; NaN without a crossing.
        front: Whether the ray comes from the side to which the triangle's normal points, (k,) bool.
        object: Id of the object in a scene, (k,) int64, or -1 without a crossing. For a single mesh: 0 or -1.
    """

    ray: np.ndarray
    triangle: np.ndarray
    distance: np.ndarray
    barycentric: np.ndarray
    front: np.ndarray
    object: np.ndarray
    _places: np.ndarray = field(repr=False)
    _surfaces: Sequence[tuple[Corners, np.ndarray]] = field(repr=False)

    def __len__(self) -> int:
        return len(self.ray)

    @property
    def hit(self) -> np.ndarray:
        """For each row, whether the ray crosses a surface, (k,) bool."""
        found: np.ndarray = self.triangle >= 0
        return found

    @property
    def point(self) -> np.ndarray:
        """The point where the ray crosses the triangle, in world coordinates [m], (k, 3) float64. If there is no
        crossing, the point is NaN.
        """
        points = np.full((len(self), 3), np.nan)
        for chosen, corners in self._corners():
            points[chosen] = (self.barycentric[chosen][:, :, None] * corners).sum(axis=1)
        return points

    @property
    def normal(self) -> np.ndarray:
        """The unit normal of the triangle in world coordinates, (k, 3) float64. The order of the corners decides on
        which side of the triangle the normal points. If there is no crossing, the normal is NaN.
        """
        normals = np.full((len(self), 3), np.nan)
        for chosen, corners in self._corners():
            normals[chosen] = unit_normals(corners)
        return normals

    def _corners(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return for each surface that is crossed the indices of its crossings and their triangles (n, 3, 3), world."""
        found = []
        for place in np.unique(self._places[self.hit]).tolist():
            chosen = np.flatnonzero(self._places == place)
            mesh, rows = self._surfaces[place]
            found.append((chosen, transform_points(rows, mesh.corners_of(self.triangle[chosen]))))
        return found


def ray_hits(
    of: np.ndarray, found: RayCrossings, surfaces: Sequence[tuple[Corners, np.ndarray]], ids: np.ndarray | None = None
) -> RayHits:
    """Convert the rows that a search found to RayHits.

    Args:
        of: ray of each row.
        found: the rows.
        surfaces: the meshes of the objects, and their poses (3, 4).
        ids: ids of the objects, (n,) int64; None to use their indices.
    """
    things = found.objects.astype(np.int64)
    known = things if ids is None else np.where(things < 0, -1, ids[things] if len(ids) else -1)
    return RayHits(of, found.triangles, found.distances, found.weights, found.along < 0, known, found.objects, surfaces)
