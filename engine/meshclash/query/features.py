"""What of a triangle a point lies on, and where in it."""

from enum import IntEnum

import numpy as np

from ..types.arguments import no_member

_ON_EDGE = 2.0**-20
"""Barycentric coordinates up to this are 0: points are rounded, and moments of contact are lower bounds."""


class Feature(IntEnum):
    """What of a triangle: 1 ``VERTEX``, 2 ``EDGE``, 3 ``FACE``, as many corners as have a part in the point."""

    VERTEX = 1
    EDGE = 2
    FACE = 3

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise no_member(cls, value)


def barycentric(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Coordinates (k, 3) of points in triangles (k, 3, 3), from 0 to 1; of triangles without area those of an edge."""
    edges = corners[:, 1:] - corners[:, :1]
    solved = np.linalg.pinv(edges.transpose(0, 2, 1)) @ (points - corners[:, 0])[:, :, None]
    weights = np.concatenate([1.0 - solved.sum(axis=1), solved[:, :, 0]], axis=1).clip(0.0, 1.0)
    shares: np.ndarray = weights / weights.sum(axis=1, keepdims=True)
    return shares


def features_of(weights: np.ndarray) -> np.ndarray:
    """``Feature`` of points by their barycentric coordinates (..., 3), uint8 (...)."""
    found: np.ndarray = (weights > _ON_EDGE).sum(axis=-1).astype(np.uint8)
    return found


def unit_normals(corners: np.ndarray) -> np.ndarray:
    """Unit normals (k, 3) of triangles (k, 3, 3) as they are wound; NaN for those without area."""
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return unit(across)


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors (..., 3) of length 1; NaN for those without length."""
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = vectors / np.abs(vectors).max(axis=-1, keepdims=True)  # squares of tiny ones would vanish
        found: np.ndarray = scaled / np.linalg.norm(scaled, axis=-1, keepdims=True)
    return found
