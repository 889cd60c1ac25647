"""Enums, requests, results and callback data, with the names, arguments and defaults of python-fcl."""

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...errors import UnsupportedOption
from ...types.copying import Changeable
from ...types.numbers import float_array


class OBJECT_TYPE:  # noqa: N801 (the name is python-fcl's)
    """The kinds of objects, as returned by ``CollisionObject.getObjectType``."""

    OT_UNKNOWN, OT_BVH, OT_GEOM, OT_OCTREE, OT_COUNT = range(5)


class NODE_TYPE:  # noqa: N801
    """The kinds of shapes, as returned by ``getNodeType``."""

    (
        BV_UNKNOWN, BV_AABB, BV_OBB, BV_RSS, BV_kIOS, BV_OBBRSS, BV_KDOP16, BV_KDOP18, BV_KDOP24, GEOM_BOX,
        GEOM_SPHERE, GEOM_ELLIPSOID, GEOM_CAPSULE, GEOM_CONE, GEOM_CYLINDER, GEOM_CONVEX, GEOM_PLANE, GEOM_HALFSPACE,
        GEOM_TRIANGLE, GEOM_OCTREE, NODE_COUNT,
    ) = range(21)  # fmt: skip


class CCDMotionType:
    """How ``continuousCollide`` interpolates the motion between two transforms."""

    CCDM_TRANS, CCDM_LINEAR, CCDM_SCREW, CCDM_SPLINE = range(4)


class CCDSolverType:
    """The solvers of python-fcl for moving objects. ``continuousCollide`` uses its own solver and ignores this
    choice.
    """

    CCDC_NAIVE, CCDC_CONSERVATIVE_ADVANCEMENT, CCDC_RAY_SHOOTING, CCDC_POLYNOMIAL_SOLVER = range(4)


class GJKSolverType:
    """The solvers of python-fcl for convex shapes. MeshClash has its own solver and ignores this choice."""

    GST_LIBCCD, GST_INDEP = range(2)


_ZEROS = 0.0, 0.0, 0.0


class Contact:
    """A contact between two objects.

    Attributes:
        o1, o2: the shapes.
        b1, b2: triangle of the ``BVHModel`` of that object; -1 for other shapes, and if one object lies inside the
            other.
        normal: (3,) unit vector from the first object to the second; zero unless contacts were enabled.
        pos: (3,) the point of contact; zero unless contacts were enabled.
        penetration_depth: distance [m] that the second object must move along the normal to separate the objects here.
    """

    def __init__(
        self, o1: Any = None, o2: Any = None, b1: int = 0, b2: int = 0, normal: Any = _ZEROS, pos: Any = _ZEROS,
        penetration_depth: float = 0.0,
    ) -> None:  # fmt: skip
        self.o1, self.o2, self.b1, self.b2 = o1, o2, b1, b2
        self.normal = _vector("normal", normal)
        self.pos = _vector("pos", pos)
        self.penetration_depth = penetration_depth


def _vector(name: str, given: Any) -> np.ndarray:
    """Return a new array (3,) of the numbers of a contact."""
    return np.zeros(3) if given is _ZEROS else float_array(f"{name} of a Contact", given, UnsupportedOption)


class CostSource:
    """A box in a cost map of python-fcl. MeshClash does not compute cost maps. If a request enables cost maps,
    ``collide`` raises an error.
    """

    def __init__(self) -> None:
        self.aabb_min, self.aabb_max = np.zeros(3), np.zeros(3)
        self.cost_density = self.total_cost = 0.0


class CollisionRequest:
    """The options of a collision query: the maximum number of contacts, and whether to compute points, normals and
    depths.
    """

    def __init__(
        self, num_max_contacts: int = 1, enable_contact: bool = False, num_max_cost_sources: int = 1,
        enable_cost: bool = False, use_approximate_cost: bool = True, gjk_solver_type: int = GJKSolverType.GST_LIBCCD,
    ) -> None:  # fmt: skip
        self.num_max_contacts, self.enable_contact = num_max_contacts, enable_contact
        self.num_max_cost_sources, self.enable_cost = num_max_cost_sources, enable_cost
        self.use_approximate_cost, self.gjk_solver_type = use_approximate_cost, gjk_solver_type


class CollisionResult(Changeable):
    """Collects the results of one or more calls: whether any of them found a collision, and all contacts that they
    found.
    """

    def __init__(self, is_collision: bool = False) -> None:
        self.is_collision = is_collision
        self.contacts: list[Contact] = []
        self.cost_sources: list[CostSource] = []

    def _shared_things(self) -> Iterable[object]:
        return self.contacts


class ContinuousCollisionRequest:
    """The options of a query for moving objects: the accuracy of the time, as a fraction of the motion, and how the
    motion is interpolated.
    """

    def __init__(
        self, num_max_iterations: int = 10, toc_err: float = 1e-4, ccd_motion_type: int = CCDMotionType.CCDM_TRANS,
        gjk_solver_type: int = GJKSolverType.GST_LIBCCD,
        ccd_solver_type: int = CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT,
    ) -> None:  # fmt: skip
        self.num_max_iterations, self.toc_err, self.ccd_motion_type = num_max_iterations, toc_err, ccd_motion_type
        self.gjk_solver_type, self.ccd_solver_type = gjk_solver_type, ccd_solver_type


class ContinuousCollisionResult(Changeable):
    """Collects the results of one or more calls: whether any of them found a collision, and the earliest time of
    contact.
    """

    def __init__(self, is_collide: bool = False, time_of_contact: float = 1.0) -> None:
        self.is_collide, self.time_of_contact = is_collide, time_of_contact


class DistanceRequest:
    """The options of a distance query. With signed distances, the distance of overlapping objects is minus their
    penetration depth.

    MeshClash always computes the nearest points, even if you do not request them.
    """

    def __init__(
        self, enable_nearest_points: bool = False, enable_signed_distance: bool = False,
        gjk_solver_type: int = GJKSolverType.GST_LIBCCD,
    ) -> None:  # fmt: skip
        self.enable_nearest_points, self.enable_signed_distance = enable_nearest_points, enable_signed_distance
        self.gjk_solver_type = gjk_solver_type


class DistanceResult(Changeable):
    """Collects the results of one or more calls: the smallest distance that any of them found, and the nearest points.

    Attributes:
        min_distance: the smallest distance [m].
        nearest_points: two world points (3,), one of each object, whose distance is the absolute value of
            ``min_distance``; if the objects overlap and signed distances were not enabled, both are the same common
            point.
        o1, o2: the shapes.
        b1, b2: triangles of the ``BVHModel`` that contain these points; -1 for other shapes.
    """

    def __init__(self, min_distance_: float = sys.float_info.max) -> None:
        self.min_distance = min_distance_
        self.nearest_points: list[Any] = [None, None]
        self.o1: Any = None
        self.o2: Any = None
        self.b1 = self.b2 = -1

    def _shared_things(self) -> Iterable[object]:
        return self.o1, self.o2


class CollisionData:
    """The data that a manager passes to ``defaultCollisionCallback``. The search ends when ``done`` is True."""

    def __init__(self, request: CollisionRequest | None = None, result: CollisionResult | None = None) -> None:
        self.request = CollisionRequest() if request is None else request
        self.result = CollisionResult() if result is None else result
        self.done = False


class DistanceData:
    """The data that a manager passes to ``defaultDistanceCallback``. The search ends when ``done`` is True."""

    def __init__(self, request: DistanceRequest | None = None, result: DistanceResult | None = None) -> None:
        self.request = DistanceRequest() if request is None else request
        self.result = DistanceResult() if result is None else result
        self.done = False
