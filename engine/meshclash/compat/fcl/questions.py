"""``collide``, ``distance`` and ``continuousCollide``, and the callbacks that managers call."""

from typing import Any, TypeVar

import numpy as np

from ...errors import UnsupportedOption
from ...messages import shown
from ...motion.contact_times import time_of_contact
from ...motion.motions import KeyframedMotion, Motion, ScrewMotion
from ...types.arguments import instance
from ...types.numbers import real_number, truth, whole_number
from .convex_pairs import ConvexPair, meet, nearest, short_gap
from .data import (
    CCDMotionType,
    CollisionData,
    CollisionRequest,
    CollisionResult,
    Contact,
    ContinuousCollisionRequest,
    ContinuousCollisionResult,
    DistanceData,
    DistanceRequest,
    DistanceResult,
)
from .objects import CollisionObject, Transform
from .pairs import NONE, BoundedPair, Pair, RoundSolidPair
from .plane_pairs import FacePair, TwoFaces

_R = TypeVar("_R", CollisionRequest, DistanceRequest, ContinuousCollisionRequest)
_TIME_TOLERANCE = 1e-5
"""Moving objects whose distance always exceeds this tolerance do not collide; relative to the size of the smaller
object."""
_LEAST_TOLERANCE = 1e-12
"""Smallest tolerance, relative to sizes and ways, that float64 can resolve for moving objects."""


def _pair(o1: CollisionObject, o2: CollisionObject) -> Pair:
    if o1.geometry.is_bounded and o2.geometry.is_bounded:
        first, second = o1.geometry.shape, o2.geometry.shape
        if first is not None and second is not None:
            return ConvexPair(o1, o2, first, second)
        convex = first or second
        return BoundedPair(o1, o2) if convex is None or convex.is_polyhedron else RoundSolidPair(o1, o2)
    if o1.geometry.is_bounded or o2.geometry.is_bounded:
        return FacePair(o1, o2)
    return TwoFaces(o1, o2)


def _checked(
    o1: CollisionObject, o2: CollisionObject, request: _R | None, request_kind: type[_R], result: Any, result_kind: type
) -> _R:
    """Return the request, or the default request; raise UnsupportedOption for an argument of another class."""
    if not (isinstance(o1, CollisionObject) and isinstance(o2, CollisionObject)):
        instance("o1", o1, CollisionObject)
        instance("o2", o2, CollisionObject)
    if result is not None and not isinstance(result, result_kind):
        instance("result", result, result_kind)
    return request_kind() if request is None else instance("request", request, request_kind)


def is_plain(request: CollisionRequest) -> bool:
    """Return whether a request only needs to know whether two objects meet."""
    return request.num_max_contacts == 1 and request.enable_contact is False and request.enable_cost is False


def collide(
    o1: CollisionObject,
    o2: CollisionObject,
    request: CollisionRequest | None = None,
    result: CollisionResult | None = None,
) -> int:
    """Return the number of contacts that this call found: 0 if the objects do not meet. Containment counts as meeting.

    The contacts are added to the contacts of the result, and its ``is_collision`` stays True once it is set.

    Raises:
        UnsupportedOption: ``num_max_contacts`` below 1, or ``enable_cost``: cost maps are not computed.
    """
    request = _checked(o1, o2, request, CollisionRequest, result, CollisionResult)
    first, second = o1.geometry.shape, o2.geometry.shape
    if first is not None and second is not None and is_plain(request):
        if not meet(o1, o2, first, second, nearest(o1, o2, first, second)):
            return 0
        if result is not None:
            result.is_collision = True
            result.contacts.append(Contact(o1.geometry, o2.geometry, NONE, NONE))
        return 1
    most = whole_number("num_max_contacts", request.num_max_contacts, 1)
    if request.enable_cost:
        raise UnsupportedOption("enable_cost is not supported: use meshclash.verdict to get the depth of an overlap")
    pair = _pair(o1, o2)
    if pair.is_apart:
        return 0
    touches = pair.touches(most, truth("enable_contact", request.enable_contact))
    if result is not None:
        result.is_collision = True
        result.contacts += [
            Contact(o1.geometry, o2.geometry, *found.triangles, found.normal, found.point, found.depth)
            for found in touches
        ]
    return len(touches)


def distance(
    o1: CollisionObject,
    o2: CollisionObject,
    request: DistanceRequest | None = None,
    result: DistanceResult | None = None,
) -> float:
    """Return the distance of two objects [m]. For objects that meet, the distance is minus the depth if signed
    distances are enabled, else -1.

    A result stores the smallest distance of all calls with it.
    """
    request = _checked(o1, o2, request, DistanceRequest, result, DistanceResult)
    triangles = NONE, NONE
    told = _short_distance(o1, o2, bool(request.enable_signed_distance))
    if told is not None:
        value, points = told[0], list(told[1])
    elif (pair := _pair(o1, o2)).is_apart:
        value, points, triangles = pair.gap()
    elif request.enable_signed_distance:
        depth, _, points = pair.parting()
        value = -depth
    else:
        value, points = -1.0, [pair.common_point() for _ in range(2)]
    if result is not None and value < result.min_distance:
        result.min_distance, result.nearest_points = value, points
        result.o1, result.o2 = o1.geometry, o2.geometry
        result.b1, result.b2 = triangles
    return value


def _short_distance(
    o1: CollisionObject, o2: CollisionObject, signed: bool
) -> tuple[float, tuple[np.ndarray, np.ndarray]] | None:
    """Return the distance of two convex shapes if their nearest points suffice, else None."""
    first, second = o1.geometry.shape, o2.geometry.shape
    if first is None or second is None:
        return None
    answer = nearest(o1, o2, first, second)
    apart = not meet(o1, o2, first, second, answer)
    return short_gap(first, second, answer, apart) if apart or not signed else None


def continuousCollide(
    o1: CollisionObject,
    tf1_end: Transform,
    o2: CollisionObject,
    tf2_end: Transform,
    request: ContinuousCollisionRequest | None = None,
    result: ContinuousCollisionResult | None = None,
) -> float:
    """Return the time at which two moving objects meet, from 0 at their transforms to 1 at the ends; 1 if they do not.

    Every meeting is found, no matter how fast. Objects that stay farther apart than 1e-5 of the size of the smaller one
    do not collide. Round shapes are meshes here, which exceed the true shapes by at most ``TOLERANCE`` of the radius.
    ``toc_err`` is the accuracy of the time, as a fraction of the motion. ``CCDM_TRANS`` and ``CCDM_LINEAR`` move the
    origin along a line and rotate at constant speed; ``CCDM_SCREW`` is a screw motion.

    Raises:
        UnsupportedOption: ``CCDM_SPLINE``, a ``toc_err`` that is not above 0, a half-space or a plane.
    """
    request = _checked(o1, o2, request, ContinuousCollisionRequest, result, ContinuousCollisionResult)
    for name, end in (("tf1_end", tf1_end), ("tf2_end", tf2_end)):
        instance(name, end, Transform)
    shapes = [item.geometry.enclosing for item in (o1, o2)]
    motions = [_motion(item.pose, end.pose, request.ccd_motion_type) for item, end in ((o1, tf1_end), (o2, tf2_end))]
    tolerance = _tolerance(request.toc_err, [tree.mesh.bounds for tree in shapes], motions)
    found = time_of_contact(*shapes, *motions, tolerance=tolerance, depth=False)
    time = 1.0 if found.time is None else float(found.time)
    if result is not None:
        result.is_collide = result.is_collide or found.time is not None
        result.time_of_contact = min(result.time_of_contact, time)
    return time


def _motion(begin: np.ndarray, end: np.ndarray, kind: int) -> Motion:
    if kind in (CCDMotionType.CCDM_TRANS, CCDMotionType.CCDM_LINEAR):
        return KeyframedMotion([0.0, 1.0], [begin, end])
    if kind == CCDMotionType.CCDM_SCREW:
        return ScrewMotion(begin, end)
    raise UnsupportedOption(
        f"ccd_motion_type {kind!r} is not supported: use CCDM_TRANS, CCDM_LINEAR or CCDM_SCREW; for a "
        "spline use meshclash.motion.KeyframedMotion"
    )


def _tolerance(toc_err: Any, bounds: list[Any], motions: list[Motion]) -> float:
    """Return the distance below which objects collide [m]: relative to their size, or less if the way is short."""
    share = real_number(toc_err)
    if not 0.0 < share < np.inf:
        raise UnsupportedOption(f"toc_err must be a positive fraction of the motion, not {shown(toc_err)}")
    sizes, ways, places = [], [], []
    for (low, high), motion in zip(bounds, motions, strict=True):
        corners = np.array([[(low, high)[k >> axis & 1][axis] for axis in range(3)] for k in range(8)])
        first, last = (corners @ rows[:, :3].T + rows[:, 3] for rows in (motion.rows_at(0.0), motion.rows_at(1.0)))
        ways.append(float(np.linalg.norm(last - first, axis=1).max()))
        sizes.append(float(np.max(high - low)))
        places.append(first)
    between = float(np.abs(places[0][0] - places[1][0]).max())
    wanted = _TIME_TOLERANCE * min(sizes)
    if sum(ways) > 0.0:
        wanted = min(wanted, share * sum(ways))
    return max(wanted, _LEAST_TOLERANCE * (sum(sizes) + sum(ways) + between))


def defaultCollisionCallback(o1: CollisionObject, o2: CollisionObject, cdata: CollisionData) -> bool:
    """Call ``collide``, and return whether the search may end, because more contacts are known than were requested."""
    if instance("cdata", cdata, CollisionData).done:
        return True
    collide(o1, o2, cdata.request, cdata.result)
    if cdata.result.is_collision and len(cdata.result.contacts) > cdata.request.num_max_contacts:
        cdata.done = True
    return cdata.done


def defaultDistanceCallback(o1: CollisionObject, o2: CollisionObject, ddata: DistanceData) -> tuple[bool, float]:
    """Measure the distance, and return whether the search may end and the smallest distance so far.

    The search ends if objects meet, unless signed distances are enabled: then it continues to find the deepest pair.
    """
    if instance("ddata", ddata, DistanceData).done:
        return True, ddata.result.min_distance
    distance(o1, o2, ddata.request, ddata.result)
    least = ddata.result.min_distance
    return least <= 0.0 and not ddata.request.enable_signed_distance, least
