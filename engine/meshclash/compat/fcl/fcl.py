"""The names of python-fcl's compiled module, for programs that import ``fcl.fcl``."""

from .geometry import (
    Box,
    BVHModel,
    Capsule,
    CollisionGeometry,
    Cone,
    Convex,
    Cylinder,
    Ellipsoid,
    Halfspace,
    OcTree,
    Plane,
    Sphere,
    TriangleP,
)
from .manager import DynamicAABBTreeCollisionManager
from .objects import CollisionObject, Transform
from .questions import collide, continuousCollide, defaultCollisionCallback, defaultDistanceCallback, distance

__all__ = [
    "BVHModel",
    "Box",
    "Capsule",
    "CollisionGeometry",
    "CollisionObject",
    "Cone",
    "Convex",
    "Cylinder",
    "DynamicAABBTreeCollisionManager",
    "Ellipsoid",
    "Halfspace",
    "OcTree",
    "Plane",
    "Sphere",
    "Transform",
    "TriangleP",
    "collide",
    "continuousCollide",
    "defaultCollisionCallback",
    "defaultDistanceCallback",
    "distance",
]
