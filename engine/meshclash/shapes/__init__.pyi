"""Primitives as meshes, convex hulls, and the features of two hulls that are nearest to each other."""

from ..convex.closest_features import ClosestFeatures as ClosestFeatures
from ..convex.closest_features import closest_features as closest_features
from ..convex.hull import ConvexHull as ConvexHull
from ..convex.parts import convex_parts as convex_parts
from ..convex.primitives import box as box
from ..convex.primitives import capsule as capsule
from ..convex.primitives import cone as cone
from ..convex.primitives import cylinder as cylinder
from ..convex.primitives import plane as plane
from ..convex.primitives import sphere as sphere
