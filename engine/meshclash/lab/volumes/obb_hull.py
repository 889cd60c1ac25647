"""Oriented boxes along the principal axes of the convex hull of their contents; otherwise like the boxes of ``obb.py``.

Source: Gottschalk, Lin, Manocha, "OBBTree: a hierarchical structure for rapid interference detection" (1996).
"""

import numpy as np

from ...jit import portable
from ...volumes.obb import WIDTH, contains, fit_to_axes, gap, overlap, size, wireframe
from .hull_axes import hull_axes

__all__ = ["WIDTH", "contains", "fit", "gap", "overlap", "size", "wireframe"]


@portable
def fit(points, volume):
    """Fit the box along the principal axes of the convex hull of a surface, (3 m, 3) float64 corners of its
    triangles.
    """
    axes = np.empty((3, 3))
    hull_axes(points, axes)
    fit_to_axes(points, axes, volume)
