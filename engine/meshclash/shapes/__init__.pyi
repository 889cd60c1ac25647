"""Convex hulls, and the features of two of them that are nearest to each other."""

from ..convex.closest import ClosestFeatures as ClosestFeatures
from ..convex.closest import closest_features as closest_features
from ..convex.hull import ConvexHull as ConvexHull
