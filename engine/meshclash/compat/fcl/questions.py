"""``collide``, ``distance`` and ``continuousCollide``, and the callbacks that managers call."""

import math
from typing import Any, TypeVar

import numpy as np

from ...convex.exact_shapes import ConvexShape
from ...errors import UnsupportedOption
from ...hierarchy.bvh import Hierarchy
from ...messages import shown
from ...motion.contact_times import time_of_contact
from ...motion.convex_contact_time import convex_contact_time
from ...motion.motion_piece import MotionPiece, make_piece
from ...motion.motions import Motion
from ...types.arguments import instance
from ...types.numbers import real_number, truth, whole_number
from .collision_data import (
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
from .convex_pairs import ConvexPair, meet, nearest, short_gap
from .geometry import CollisionGeometry
from .objects import CollisionObject, Transform, are_far
from .pairs import NONE, BoundedPair, Pair, RoundSolidPair
from .plane_pairs import FacePair, TwoFaces

_NO_TRIANGLES = NONE, NONE
_R = TypeVar("_R", CollisionRequest, DistanceRequest, ContinuousCollisionRequest)
_TIME_TOLERANCE = 1e-5
"""Moving objects whose distance always exceeds this tolerance do not collide; relative to the size of the smaller
object."""
_LEAST_TOLERANCE = 1e-12
"""Smallest tolerance, relative to sizes and ways, that float64 can resolve for moving objects."""


def _pair(o1: CollisionObject, o2: CollisionObject) -> Pair:
    a, b = o1.geometry, o2.geometry
    if a.is_bounded and b.is_bounded:
        first, second = a.shape, b.shape
        if first is not None and second is not None:
            return ConvexPair(o1, o2, first, second)
        convex = first or second
        return BoundedPair(o1, o2) if convex is None or convex.is_polyhedron else RoundSolidPair(o1, o2)
    if a.is_bounded or b.is_bounded:
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
    """Return the number of contacts that this call found, which is 0 if the objects do not collide. If one object lies
    inside the other, the two objects also collide.

    If you pass a result, this call adds its contacts to those of earlier calls. As soon as one of these calls finds a
    collision, ``is_collision`` of the result is True.

    Raises:
        UnsupportedOption: ``num_max_contacts`` below 1, or ``enable_cost``: cost maps are not computed.
    """
    request = _checked(o1, o2, request, CollisionRequest, result, CollisionResult)
    plain = is_plain(request)
    if plain and are_far(o1, o2):
        return 0
    if plain:
        triangles = _first_contact(o1, o2)
        if triangles is None:
            return 0
        if result is not None:
            result.is_collision = True
            result.contacts.append(Contact(o1.geometry, o2.geometry, *triangles))
        return 1
    most = whole_number("num_max_contacts", request.num_max_contacts, 1)
    if request.enable_cost:
        raise UnsupportedOption("enable_cost is not supported: use meshclash.verdict to get the depth of an overlap")
    if are_far(o1, o2):
        return 0
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


def _first_contact(o1: CollisionObject, o2: CollisionObject) -> tuple[int, int] | None:
    """Return the triangles of any contact of two objects, NONE for shapes; None if the objects do not meet."""
    first, second = o1.geometry.shape, o2.geometry.shape
    if first is not None and second is not None:
        answer = nearest(o1, o2, first, second, first.radius + second.radius)
        return _NO_TRIANGLES if meet(o1, o2, first, second, answer) else None
    touch = _pair(o1, o2).first_touch()
    return None if touch is None else touch.triangles


def distance(
    o1: CollisionObject,
    o2: CollisionObject,
    request: DistanceRequest | None = None,
    result: DistanceResult | None = None,
) -> float:
    """Return the distance between two objects [m]. If the objects touch or overlap, the distance is -1, or minus the
    penetration depth if you enabled signed distances.

    If you pass the same result to several calls, it keeps the smallest distance of all these calls.
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
    """Return the time at which two moving objects first touch, from 0 at the start to 1 at the end of their motions. If
    the objects never touch, the time is 1.

    The function finds every collision, no matter how fast the objects move. Objects that always stay farther apart than
    1e-5 times the size of the smaller object do not collide. ``toc_err`` is the accuracy of the time, as a fraction of
    the motion. With ``CCDM_TRANS`` and ``CCDM_LINEAR``, the origin moves along a straight line while the object rotates
    at constant speed. With ``CCDM_SCREW``, the object performs a screw motion.

    Raises:
        UnsupportedOption: ``CCDM_SPLINE``, a ``toc_err`` that is not above 0, a half-space or a plane.
    """
    request = _checked(o1, o2, request, ContinuousCollisionRequest, result, ContinuousCollisionResult)
    for name, end in (("tf1_end", tf1_end), ("tf2_end", tf2_end)):
        instance(name, end, Transform)
    kind, share = _checked_motion(request.ccd_motion_type), _checked_error(request.toc_err)
    if kind != CCDMotionType.CCDM_SCREW and _stay_apart((o1, tf1_end), (o2, tf2_end)):
        meeting = None
    else:
        is_screw = kind == CCDMotionType.CCDM_SCREW
        pieces = [
            make_piece(0.0, 1.0, item.pose[:3], end.pose[:3], is_screw) for item, end in ((o1, tf1_end), (o2, tf2_end))
        ]
        meeting = _meeting(o1.geometry, o2.geometry, pieces, share)
    time = 1.0 if meeting is None else float(meeting)
    if result is not None:
        result.is_collide = result.is_collide or meeting is not None
        result.time_of_contact = min(result.time_of_contact, time)
    return time


def _stay_apart(*moving: tuple[CollisionObject, Transform]) -> bool:
    """Return whether balls around the origins of two objects stay apart while the origins move along lines."""
    reach, size, ways = 0.0, 0.0, []
    for item, end in moving:
        middle, radius = item.geometry.ball
        reach += math.hypot(*middle) + radius
        places = item.getTranslation().tolist(), end.getTranslation().tolist()
        size += sum(map(abs, (*places[0], *places[1])))
        ways.append(places)
    (a, b), (c, d) = ways
    start, last = [x - y for x, y in zip(a, c, strict=True)], [x - y for x, y in zip(b, d, strict=True)]
    step = [y - x for x, y in zip(start, last, strict=True)]
    square = sum(x * x for x in step)
    share = min(max(-sum(x * y for x, y in zip(start, step, strict=True)) / square, 0.0), 1.0) if square else 0.0
    nearest = math.hypot(*[x + share * y for x, y in zip(start, step, strict=True)])
    return nearest > reach * (1.0 + 10.0 * _TIME_TOLERANCE) + 10.0 * _LEAST_TOLERANCE * (size + reach)


def _meeting(a: CollisionGeometry, b: CollisionGeometry, pieces: list[MotionPiece], share: float) -> float | None:
    """Return the time of the first contact; None without one."""
    first, second = _moving_shape(a, b), _moving_shape(b, a)  # raises an error for shapes without bounds
    boxes = a.box, b.box
    reaches = [math.hypot(*[max(-low, high) for low, high in box]) for box in boxes]
    sizes = [max(high - low for low, high in box) for box in boxes]
    tolerance = _tolerance(share, sizes, reaches, pieces)
    if isinstance(first, ConvexShape) and isinstance(second, ConvexShape) and not pieces[0].is_screw:
        is_told, time = convex_contact_time((first, second), (pieces[0], pieces[1]), reaches, tolerance)
        if is_told:
            return time
    motions = [Motion([piece]) for piece in pieces]
    return time_of_contact(first, second, *motions, tolerance=tolerance, depth=False).time


def _moving_shape(geometry: CollisionGeometry, other: CollisionGeometry) -> Hierarchy | ConvexShape:
    """Return what moves: an exact shape, or a mesh for a polyhedron beside a model, which is faster."""
    shape = geometry.shape
    if shape is None or (other.shape is None and shape.is_polyhedron and not shape.radius):
        return geometry.core
    return shape


def _checked_motion(kind: Any) -> int:
    if kind in (CCDMotionType.CCDM_TRANS, CCDMotionType.CCDM_LINEAR, CCDMotionType.CCDM_SCREW):
        return int(kind)
    raise UnsupportedOption(
        f"ccd_motion_type {kind!r} is not supported: use CCDM_TRANS, CCDM_LINEAR or CCDM_SCREW; for a "
        "spline use meshclash.motion.KeyframedMotion"
    )


def _checked_error(toc_err: Any) -> float:
    share = real_number(toc_err)
    if not 0.0 < share < np.inf:
        raise UnsupportedOption(
            f"toc_err must be a number above 0, a fraction of the whole motion, not {shown(toc_err)}"
        )
    return share


def _tolerance(share: float, sizes: list[float], reaches: list[float], pieces: list[MotionPiece]) -> float:
    """Return the distance below which objects collide [m]: relative to their size, or less if the way is short."""
    places, ways = [piece.first[:, 3].tolist() for piece in pieces], 0.0
    for place, reach, piece in zip(places, reaches, pieces, strict=True):
        ways += max(math.dist(place, piece.last[:, 3].tolist()), 0.5 * piece.angle * reach)
    wanted = _TIME_TOLERANCE * min(sizes)
    if ways > 0.0:
        wanted = min(wanted, share * ways)
    between = max(abs(x - y) for x, y in zip(*places, strict=True))
    return max(wanted, _LEAST_TOLERANCE * (2.0 * sum(sizes) + ways + between))


def defaultCollisionCallback(o1: CollisionObject, o2: CollisionObject, cdata: CollisionData) -> bool:
    """Call ``collide``, and return whether the search may end. The search may end when more contacts are known than
    were requested.
    """
    if instance("cdata", cdata, CollisionData).done:
        return True
    collide(o1, o2, cdata.request, cdata.result)
    if cdata.result.is_collision and len(cdata.result.contacts) > cdata.request.num_max_contacts:
        cdata.done = True
    return cdata.done


def defaultDistanceCallback(o1: CollisionObject, o2: CollisionObject, ddata: DistanceData) -> tuple[bool, float]:
    """Measure the distance between two objects. Return whether the search may end, and the smallest distance found so
    far.

    The search ends when it finds two objects that touch or overlap. If signed distances are enabled, the search
    continues until it has found the deepest pair.
    """
    if instance("ddata", ddata, DistanceData).done:
        return True, ddata.result.min_distance
    distance(o1, o2, ddata.request, ddata.result)
    least = ddata.result.min_distance
    return least <= 0.0 and not ddata.request.enable_signed_distance, least
