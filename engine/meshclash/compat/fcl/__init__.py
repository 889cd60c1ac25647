"""The interface of python-fcl, answered by this engine: ``from meshclash.compat import fcl``.

Names, arguments and results are those of python-fcl 0.7. Spheres and capsules are exact: a point or a segment with a
radius. Cylinders, cones and ellipsoids are meshes that contain the true shape and reach beyond it by at most
``TOLERANCE`` of the radius. So no overlap is missed, and distances may be too small by that much, never too large.
Primitives are solids, and so is a ``BVHModel`` that is closed. Normals lead from the first object to the second.
``docs/python.md`` lists the differences from python-fcl.
"""

from .data import NODE_TYPE as NODE_TYPE
from .data import OBJECT_TYPE as OBJECT_TYPE
from .data import CCDMotionType as CCDMotionType
from .data import CCDSolverType as CCDSolverType
from .data import CollisionData as CollisionData
from .data import CollisionRequest as CollisionRequest
from .data import CollisionResult as CollisionResult
from .data import Contact as Contact
from .data import ContinuousCollisionRequest as ContinuousCollisionRequest
from .data import ContinuousCollisionResult as ContinuousCollisionResult
from .data import CostSource as CostSource
from .data import DistanceData as DistanceData
from .data import DistanceRequest as DistanceRequest
from .data import DistanceResult as DistanceResult
from .data import GJKSolverType as GJKSolverType
from .geometry import TOLERANCE as TOLERANCE
from .geometry import Box as Box
from .geometry import BVHModel as BVHModel
from .geometry import Capsule as Capsule
from .geometry import CollisionGeometry as CollisionGeometry
from .geometry import Cone as Cone
from .geometry import Convex as Convex
from .geometry import Cylinder as Cylinder
from .geometry import Ellipsoid as Ellipsoid
from .geometry import Halfspace as Halfspace
from .geometry import OcTree as OcTree
from .geometry import Plane as Plane
from .geometry import Sphere as Sphere
from .geometry import TriangleP as TriangleP
from .manager import DynamicAABBTreeCollisionManager as DynamicAABBTreeCollisionManager
from .objects import CollisionObject as CollisionObject
from .objects import Transform as Transform
from .questions import collide as collide
from .questions import continuousCollide as continuousCollide
from .questions import defaultCollisionCallback as defaultCollisionCallback
from .questions import defaultDistanceCallback as defaultDistanceCallback
from .questions import distance as distance
