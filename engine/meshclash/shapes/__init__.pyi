"""Exact shapes, primitives as meshes, convex hulls, and the closest features of two hulls."""

from ..convex.closest_features import ClosestFeatures as ClosestFeatures
from ..convex.closest_features import closest_features as closest_features
from ..convex.exact_shapes import Box as Box
from ..convex.exact_shapes import Capsule as Capsule
from ..convex.exact_shapes import Cone as Cone
from ..convex.exact_shapes import Cylinder as Cylinder
from ..convex.exact_shapes import Ellipsoid as Ellipsoid
from ..convex.exact_shapes import ExactShape as ExactShape
from ..convex.exact_shapes import Halfspace as Halfspace
from ..convex.exact_shapes import Inflated as Inflated
from ..convex.exact_shapes import Plane as Plane
from ..convex.exact_shapes import Sphere as Sphere
from ..convex.hull import ConvexHull as ConvexHull
from ..convex.parts import convex_parts as convex_parts
from ..convex.primitives import box as box
from ..convex.primitives import capsule as capsule
from ..convex.primitives import cone as cone
from ..convex.primitives import cylinder as cylinder
from ..convex.primitives import plane as plane
from ..convex.primitives import sphere as sphere
from ..query.enclosing import EnclosingCapsule as EnclosingCapsule
from ..query.enclosing import EnclosingSpheres as EnclosingSpheres
from ..query.enclosing import enclosing_capsule as enclosing_capsule
from ..query.enclosing import enclosing_spheres as enclosing_spheres
