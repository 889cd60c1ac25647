"""Primitives as meshes, convex hulls, and the features of two hulls that are nearest to each other."""

from ..convex.closest import ClosestFeatures as ClosestFeatures
from ..convex.closest import closest_features as closest_features
from ..convex.hull import ConvexHull as ConvexHull
from ..convex.parts import convex_parts as convex_parts
from .primitives import box as box
from .primitives import capsule as capsule
from .primitives import cone as cone
from .primitives import cylinder as cylinder
from .primitives import plane as plane
from .primitives import sphere as sphere
