"""The point of first contact of two triangles, with normals, barycentric coordinates and features."""

from typing import NamedTuple

import numpy as np

from ..geometry.triangle_distance import nearest_points
from .features import Feature, barycentric, features_of

_PARALLEL = 2.0**-20


class SweptPoints(NamedTuple):
    """The first contacts of k pairs of triangles.

    Attributes:
        point: (k, 3) float64 [m], world.
        normal: Unit vectors from a to b, (k, 3): against the motion of b relative to a. If a pair already touches at
            the first frame, or does not move towards each other, its entry is NaN.
        barycentric_a: Barycentric coordinates of the point in the triangle of a, (k, 3), in the order of its corners.
        feature_a: ``Feature`` of the triangle of a, (k,) uint8: the number of corners with a weight above 0.
    """

    point: np.ndarray
    normal: np.ndarray
    barycentric_a: np.ndarray
    barycentric_b: np.ndarray
    feature_a: np.ndarray
    feature_b: np.ndarray


def swept_points(start: np.ndarray, end: np.ndarray, time: np.ndarray) -> SweptPoints:
    """Return the first contacts of pairs of triangles (k, 2, 3, 3) at times 0 and 1 that meet at the times (k,)."""
    way = end - start
    corners = start + time[:, None, None, None] * way
    points = nearest_points(corners[:, 0], corners[:, 1])[1]
    weights = np.stack([barycentric(corners[:, k], points[:, k]) for k in range(2)], axis=1)
    features = features_of(weights)
    velocities = np.einsum("nkc,nkcx->nkx", weights, way)
    normals = _normals(corners, weights, features, velocities[:, 1] - velocities[:, 0])
    normals[time == 0.0] = np.nan
    return SweptPoints(points.mean(axis=1), normals, weights[:, 0], weights[:, 1], *features.T)


def _normals(corners: np.ndarray, weights: np.ndarray, features: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """Return normals (k, 3): the face normal if a face takes part, across two edges, otherwise against the motion."""
    faces = np.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0])
    edges = np.stack([_edges(corners[:, k], weights[:, k]) for k in range(2)], axis=1)
    edges[features != Feature.EDGE] = 0.0
    across = np.cross(edges[:, 0], edges[:, 1])
    along = np.where((features[:, :1] == Feature.EDGE), edges[:, 0], edges[:, 1])
    against = -(velocity - (velocity * along).sum(axis=1, keepdims=True) * along)
    crossing = np.linalg.norm(across, axis=1) > _PARALLEL
    normals = np.where(crossing[:, None], across, against)
    for side in (1, 0):
        normals = np.where((features[:, side] == Feature.FACE)[:, None], faces[:, side], normals)
    towards = np.sign((normals * velocity).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        normals = -towards[:, None] * normals / np.linalg.norm(normals, axis=1, keepdims=True)
    normals[towards == 0.0] = np.nan
    return normals


def _edges(corners: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return unit vectors (k, 3) along the edge opposite the corner with the smallest weight."""
    least = weights.argmin(axis=1)
    every = np.arange(len(corners))
    edge = corners[every, (least + 2) % 3] - corners[every, (least + 1) % 3]
    length = np.linalg.norm(edge, axis=1, keepdims=True)
    unit: np.ndarray = edge / np.where(length > 0.0, length, 1.0)
    return unit
