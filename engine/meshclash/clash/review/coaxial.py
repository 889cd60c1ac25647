"""Find screws in tapped holes and press fits: intended overlaps with the same thickness all around an axis."""

from dataclasses import dataclass

import numpy as np

from ...manifold.connected_components import components
from ...types.foreign_meshes import ForeignMesh, as_own
from ...types.mesh import TriangleMesh, no_mesh

SECTORS = 12
"""Number of sectors around the axis, each of which must contain the same overlap."""
SAME_OVERLAP = 0.5
"""Minimum ratio of the thinnest and the thickest sector's overlap: the facets of two cylinders cause such differences.
"""
THIN = 0.5
"""Most that the overlap is, of the outer radius."""
SAMPLES = 6
"""Points along each side of a face that is looked at."""


@dataclass(frozen=True, eq=False)
class CoaxialFit:
    """An overlap that has the same thickness all around an axis.

    Attributes:
        point, axis: a point on the axis, (3,) [m], and the direction of the axis, (3,), of length 1.
        radius: radius of the middle of the overlap [m].
        overlap: mean thickness of the overlap across the axis [m].
        length: length of the overlap along the axis [m].
    """

    point: np.ndarray
    axis: np.ndarray
    radius: float
    overlap: float
    length: float


def coaxial_fit(solid: TriangleMesh | ForeignMesh) -> CoaxialFit | None:
    """Return the coaxial fit between two parts, or None if the common solid of the parts does not have the form of a
    coaxial fit.

    If a hole is too narrow for its bolt, the bolt and the part around it overlap in a ring. The bolt may be modelled
    with or without a thread. The function finds a fit only if all pieces of the common solid are rings about the same
    axis.

    Args:
        solid: common solid of two parts, as returned by ``interference``.

    Raises:
        InvalidMesh: the argument is not a mesh.

    Example:
        >>> import meshclash as mc
        >>> mc.clash.coaxial_fit(mc.shapes.box(1.0)) is None
        True
    """
    solid = as_own(solid)
    if not isinstance(solid, TriangleMesh):
        raise no_mesh(solid, "a TriangleMesh")
    points, areas = _sampled(solid.vertices[solid.triangles])
    middle = np.average(points, axis=0, weights=areas)
    moved = points - middle
    axes = np.linalg.eigh((moved * areas[:, None]).T @ moved)[1].T
    pieces = components(len(solid.vertices), _edges(solid.triangles))[solid.triangles[:, 0]]
    of_point = np.repeat(pieces, len(points) // len(solid.triangles))
    for axis in axes:
        along = moved @ axis
        across = moved - along[:, None] * axis
        radii, angles = np.linalg.norm(across, axis=1), _angles(across, axis)
        rings = [_is_ring(radii[of_point == piece], angles[of_point == piece]) for piece in np.unique(pieces)]
        if all(rings):
            low, high = radii.min(), radii.max()
            return CoaxialFit(middle, axis, 0.5 * float(low + high), float(np.mean(rings)), float(np.ptp(along)))
    return None


def _is_ring(radii: np.ndarray, angles: np.ndarray) -> float:
    """Return the mean thickness of a ring around the origin; 0 if the points do not form a ring."""
    sector = np.minimum((angles * SECTORS).astype(np.int64), SECTORS - 1)
    if len(np.unique(sector)) < SECTORS:
        return 0.0
    least, most = np.full(SECTORS, np.inf), np.zeros(SECTORS)
    np.minimum.at(least, sector, radii)
    np.maximum.at(most, sector, radii)
    thick = most - least
    same = thick.min() >= SAME_OVERLAP * thick.max() and thick.max() <= THIN * most.min()
    return float(thick.mean()) if same else 0.0


def _angles(across: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Return angles around an axis, from 0 to 1."""
    first = np.eye(3)[np.argmin(np.abs(axis))]
    first = first - (first @ axis) * axis
    first /= np.linalg.norm(first)
    return np.arctan2(across @ np.cross(axis, first), across @ first) / (2.0 * np.pi) + 0.5


def _edges(triangles: np.ndarray) -> np.ndarray:
    return np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]]])


def _sampled(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points spread over triangles (t, 3, 3), and the area that each point represents."""
    i, j = np.meshgrid(np.arange(SAMPLES + 1), np.arange(SAMPLES + 1))
    inside = i + j <= SAMPLES
    u, v = (x[inside] / SAMPLES for x in (i, j))
    weights = np.stack([1.0 - u - v, u, v], axis=1)
    points = np.einsum("sk,tkx->tsx", weights, corners)
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return points.reshape(-1, 3), np.repeat(area / len(weights), len(weights))
