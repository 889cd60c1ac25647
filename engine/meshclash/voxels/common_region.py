"""Place objects in the world, and find their triangles that reach the common region."""

from typing import NamedTuple

import numpy as np

from ..jit import inner, kernel
from ..types.mesh import TriangleMesh
from .cover import SLACK
from .grid import Grid

_SAMPLE = 1000
_NEEDLES = 1.2e-7  # sqrt(112 u)


class PlacedTriangles(NamedTuple):
    """An object in a pose, with the triangles that reach a region."""

    corners: np.ndarray
    """World coordinates of all vertices, (n, 3) float64 [m]."""
    triangles: np.ndarray
    """(m, 3) int32."""
    chosen: np.ndarray
    """Triangles whose boxes meet the region, ascending, (k,) int32."""
    farthest: float
    """Largest difference between a coordinate of the object and that of the region's lowest corner [m]."""


class GridTriangles(NamedTuple):
    """The triangles of an object in the coordinates of a grid."""

    points: np.ndarray
    """(n, 3) float64; values of vertices that no chosen triangle uses are undefined."""
    triangles: np.ndarray
    chosen: np.ndarray
    slack: float
    """By how much boxes are enlarged [voxels]; see ``cover.py``."""

    @property
    def worst_slack(self) -> float:
        """Maximum distance [voxels] between a triangle and each voxel reported for it, also for very thin triangles.

        A thin triangle of length L and height w has P <= 2 L**2 and |n| >= L w, so the smaller of w and 16 u M P / |n|
        is at most sqrt(32 u M L) with L <= 3.5 M.
        """
        return self.slack + _NEEDLES * (self.slack / SLACK)


@inner
def _place_all(vertices, pose, corners, bounds):
    """Fill the world coordinates, as ``Pose.apply`` defines them, and their bounds."""
    low_x = low_y = low_z = np.inf
    high_x = high_y = high_z = -np.inf
    for v in range(vertices.shape[0]):
        x, y, z = vertices[v, 0], vertices[v, 1], vertices[v, 2]
        wx = pose[0, 0] * x + pose[0, 1] * y + pose[0, 2] * z + pose[0, 3]
        wy = pose[1, 0] * x + pose[1, 1] * y + pose[1, 2] * z + pose[1, 3]
        wz = pose[2, 0] * x + pose[2, 1] * y + pose[2, 2] * z + pose[2, 3]
        corners[v, 0], corners[v, 1], corners[v, 2] = wx, wy, wz
        low_x, low_y, low_z = min(low_x, wx), min(low_y, wy), min(low_z, wz)
        high_x, high_y, high_z = max(high_x, wx), max(high_y, wy), max(high_z, wz)
    bounds[0, 0], bounds[0, 1], bounds[0, 2] = low_x, low_y, low_z
    bounds[1, 0], bounds[1, 1], bounds[1, 2] = high_x, high_y, high_z


@kernel
def _place(vertices, pose, corners, bounds):
    """Call ``_place_all`` from Python."""
    _place_all(vertices, pose, corners, bounds)


@kernel
def _place_used(vertices, used, pose, corners, bounds):
    """Like ``_place``, but with the bounds of only the ``used`` vertices."""
    _place_all(vertices, pose, corners, bounds)
    for axis in range(3):
        low, high = np.inf, -np.inf
        for v in used:
            low, high = min(low, corners[v, axis]), max(high, corners[v, axis])
        bounds[0, axis], bounds[1, axis] = low, high


def place(mesh: TriangleMesh, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the world coordinates (n, 3) of a mesh in a pose (3, 4), and their bounds (2, 3)."""
    vertices = mesh.arrays[0]
    corners, bounds = np.empty_like(vertices), np.empty((2, 3))
    used = mesh.used_vertices
    if used is None:
        _place(vertices, row, corners, bounds)
    else:
        _place_used(vertices, used, row, corners, bounds)
    return corners, bounds


@kernel
def _mark_sides(corners, low, high, sides):
    """Fill a bit mask for each vertex: the planes of a region, of six, beyond which the vertex lies."""
    for v in range(corners.shape[0]):
        side = np.uint8(0)
        for axis in range(3):
            w = corners[v, axis]
            side |= np.uint8(w < low[axis]) << np.uint8(2 * axis)
            side |= np.uint8(w > high[axis]) << np.uint8(2 * axis + 1)
        sides[v] = side


@kernel
def _choose(triangles, sides, chosen):
    """List the triangles whose boxes meet the region: their corners do not all lie beyond the same plane."""
    found = 0
    for t in range(triangles.shape[0]):
        if sides[triangles[t, 0]] & sides[triangles[t, 1]] & sides[triangles[t, 2]]:
            continue
        chosen[found] = t
        found += 1
    return found


def choose(
    mesh: TriangleMesh, corners: np.ndarray, bounds: np.ndarray, low: np.ndarray, high: np.ndarray
) -> PlacedTriangles:
    """Return an object with its triangles that reach the closed region between two corners (3,) [m].

    ``corners`` and ``bounds`` are the result of ``place``.
    """
    return choose_of(mesh.arrays[1], corners, bounds, low, high)


def choose_of(
    triangles: np.ndarray, corners: np.ndarray, bounds: np.ndarray, low: np.ndarray, high: np.ndarray
) -> PlacedTriangles:
    """Like ``choose``, with the triangles (m, 3) int32 as argument instead of a mesh."""
    farthest = float(np.abs(bounds - low).max())
    if (bounds[0] >= low).all() and (bounds[1] <= high).all():
        return PlacedTriangles(corners, triangles, np.arange(len(triangles), dtype=np.int32), farthest)
    sides = np.empty(len(corners), np.uint8)
    _mark_sides(corners, low, high, sides)
    chosen = np.empty(len(triangles), np.int32)
    return PlacedTriangles(corners, triangles, chosen[: _choose(triangles, sides, chosen)], farthest)


def mean_extent(placed: PlacedTriangles) -> float:
    """Return the mean longest side of the boxes of about a thousand chosen triangles [m]; 0 if there are none."""
    some = placed.chosen[:: max(len(placed.chosen) // _SAMPLE, 1)]
    return float(np.ptp(placed.corners[placed.triangles[some]], axis=1).max(axis=1).mean()) if len(some) else 0.0


@kernel
def _to_grid(corners, origin, scale, points):
    for v in range(corners.shape[0]):
        for axis in range(3):
            points[v, axis] = (corners[v, axis] - origin[axis]) * scale


def put_on_grid(placed: PlacedTriangles, grid: Grid) -> GridTriangles:
    """Transform an object to the coordinates of a grid.

    The origin of the grid must be at most a voxel below the region's lowest corner.
    """
    points = np.empty_like(placed.corners)
    _to_grid(placed.corners, grid.origin, 1.0 / grid.voxel_size, points)
    largest = max(placed.farthest / grid.voxel_size + 2.0, float(grid.size.max()))
    return GridTriangles(points, placed.triangles, placed.chosen, SLACK * (largest + 1.0))
