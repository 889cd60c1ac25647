"""The feature of a triangle (vertex, edge or face) on which a point lies, and barycentric coordinates."""

from enum import IntEnum

import numpy as np

from ..types.arguments import no_member

_ON_EDGE = 2.0**-20
"""Barycentric coordinates up to this value count as 0: points are rounded, and times of contact are lower bounds."""


class Feature(IntEnum):
    """The feature of a triangle on which a point lies, which is 1 ``VERTEX``, 2 ``EDGE`` or 3 ``FACE``. The value is
    the number of corners of the triangle whose weight is above 0.
    """

    VERTEX = 1
    EDGE = 2
    FACE = 3

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise no_member(cls, value)


def barycentric(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return barycentric coordinates (k, 3), 0 to 1, in triangles (k, 3, 3); for a triangle without area, coordinates
    on an edge.
    """
    edges = corners[:, 1:] - corners[:, :1]
    solved = np.linalg.pinv(edges.transpose(0, 2, 1)) @ (points - corners[:, 0])[:, :, None]
    weights = np.concatenate([1.0 - solved.sum(axis=1), solved[:, :, 0]], axis=1).clip(0.0, 1.0)
    shares: np.ndarray = weights / weights.sum(axis=1, keepdims=True)
    return shares


def features_of(weights: np.ndarray) -> np.ndarray:
    """Return the ``Feature`` of points with barycentric coordinates (..., 3), uint8 (...)."""
    found: np.ndarray = (weights > _ON_EDGE).sum(axis=-1).astype(np.uint8)
    return found


def unit_normals(corners: np.ndarray) -> np.ndarray:
    """Return unit normals (k, 3) of triangles (k, 3, 3) by their winding; NaN for triangles without area."""
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return unit(across)


def unit(vectors: np.ndarray) -> np.ndarray:
    """Scale vectors (..., 3) to length 1. A vector of length 0 becomes NaN."""
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = vectors / np.abs(vectors).max(axis=-1, keepdims=True)  # squares of tiny numbers would underflow
        found: np.ndarray = scaled / np.linalg.norm(scaled, axis=-1, keepdims=True)
    return found
