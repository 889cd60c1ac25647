"""Compute whether two objects meet, and how far apart they are, if at least one of them is an exact shape.

A side is a convex solid, a surface of triangles, or a half-space or plane. The first two also have a radius. So there
are only a few cases for all types of shapes. Each case computes the distance of the cores and compares the distance
with the sum of the radii, in float64 if the result is certain. Otherwise points, triangles and half-spaces are compared
exactly, by their float64 world coordinates. A round solid (cylinder, cone, ellipsoid) counts as apart only if a
separating plane is proved; its distance has an error of about 1e-13 of the size.
"""

import math
from collections.abc import Callable, Generator
from typing import Any, NamedTuple

import numpy as np

from ..convex.convex_distance import (
    COLUMNS,
    LOWER,
    POINT_A,
    POINT_B,
    ROUNDING,
    SIZE,
    UPPER,
    bounds_steps,
)
from ..convex.exact_comparison import NO_BOXES, WITHIN, boxes_within, is_within
from ..convex.exact_shapes import ConvexShape, Halfspace, Inflated
from ..convex.near_surface import triangles_near
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..traversal.question import pose_rows
from ..types.mesh import TriangleMesh
from ..types.pose import pose_of, transform_points
from ..types.slices import portions
from ..types.steps import hold_progress, map_progress
from ..types.verdict import APART, TOUCHING
from .flat_faces import Face, enters, face_and_points, face_and_round, faces
from .results import Clearances, Distance
from .table import CLEARANCE, COLLIDES, DISTANCE, VERDICT, Request, ask

Steps = Generator[Any, None, Any]
_NO_TRIANGLES = np.empty((0, 2), np.int32)
_REACH_ROUNDING = 2.0**-50
"""Bound of the error of the sum of the radii, relative to the sum, with a margin."""
_LEAST = 2.0**-1060
"""[m]: largest error by underflow, where numbers no longer have full precision."""
_TOGETHER = 256
"""Number of poses that are compared exactly at a time."""
_SURFACE_ROUNDING = 2.0**-45
"""Bound of the error of distances of triangles, relative to the extent, with a margin."""


class Near(NamedTuple):
    """Distances of two objects in k poses."""

    met: np.ndarray
    """Whether they have a common point, (k,) bool."""
    distances: np.ndarray
    """(k,) [m], 0 if the objects meet."""
    points: np.ndarray
    """The nearest points of both, (k, 2, 3) [m], world; twice a common point if they meet."""
    triangles: np.ndarray
    """The triangles of both, (k, 2) int32; -1 for shapes without triangles."""


class ShapeSide(NamedTuple):
    """One object of a query; exactly one of the last three fields is not None."""

    radius: float
    convex: ConvexShape | None
    surface: MeshLike | None
    flat: Halfspace | None

    @classmethod
    def of(cls, thing: Any) -> "ShapeSide":
        """Make the side of a mesh or shape."""
        if isinstance(thing, Halfspace):
            return cls(0.0, None, None, thing)
        if isinstance(thing, Inflated) and thing.surface is not None:
            return cls(thing.radius, None, thing.surface, None)
        if isinstance(thing, ConvexShape):
            return cls(thing.radius, thing, None, None)
        assert isinstance(thing, MeshLike)
        return cls(0.0, None, thing, None)

    @property
    def mesh(self) -> TriangleMesh:
        """The mesh of a surface."""
        assert self.surface is not None
        return self.surface.mesh if isinstance(self.surface, Hierarchy) else self.surface


def near_steps(request: Request, only_met: bool = False) -> Generator[Any, None, Near]:
    """Find whether two objects meet in each pose, and their distances unless ``only_met``."""
    a, b = map(ShapeSide.of, request.things)
    if a.convex and b.convex:
        return (yield from _near_convex(a.convex, b.convex, *request.rows, only_met, request.options.threads))
    rows_a, rows_b = request.every_row
    if a.surface is not None and b.surface is not None:
        return (yield from _surfaces(a, b, rows_a, rows_b, request, only_met))
    found = []
    for row_a, row_b in zip(rows_a, rows_b, strict=True):
        found.append((yield from _one_pose(a, b, row_a, row_b, request, only_met)))
    return Near(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def overlap_steps(request: Request) -> Generator[Any, None, bool]:
    """Return whether two objects that meet in one pose share more than their boundaries.

    Exact for points, segments, triangles, polyhedra and half-spaces with radii. Other pairs count as overlapping.
    """
    a, b = map(ShapeSide.of, request.things)
    row_a, row_b = (rows[0] for rows in request.every_row)
    if a.flat or b.flat:
        flat, other, row, far = (a, b, row_a, row_b) if a.flat else (b, a, row_b, row_a)
        assert flat.flat is not None
        groups = _groups(other, far)
        face = Face.of(flat.flat, row)
        return groups is None or any(enters(face, points, other.radius) for points in groups)
    reach = a.radius + b.radius
    if any(side.convex and not side.convex.is_polyhedron for side in (a, b)):
        return True
    if reach == 0.0:
        solids = tuple(side.convex.enclosing if side.convex else side.surface for side in (a, b))
        found = yield from ask(VERDICT, solids, (pose_of(row_a), pose_of(row_b)), threads=request.options.threads)
        return found.verdict not in (APART, TOUCHING)
    if a.surface is not None and b.surface is not None:
        near, rounding = yield from _within_reach(a, b, row_a[None], row_b[None], request)
        if near.distance[0] < reach - rounding:
            return True
        return (yield from _are_within(a, b, row_a, row_b, request, reach + rounding, strict=True))
    if a.convex and b.convex:
        solid = transform_points(row_b, b.convex.points)
        told = boxes_within(transform_points(row_a, a.convex.points), solid, (a.radius, b.radius), True)[0]
        if told != NO_BOXES:
            return bool(told == WITHIN)
        hulls: np.ndarray | None = solid
    elif a.convex:
        hulls = yield from _hulls_near(a.convex, b, row_a, row_b, reach)
    else:
        assert b.convex is not None
        hulls = yield from _hulls_near(b.convex, a, row_b, row_a, reach)
    if hulls is None:
        return True
    convex, row = (a.convex, row_a) if a.convex else (b.convex, row_b)
    assert convex is not None
    points = transform_points(row, convex.points[0])
    ways = hulls.mean(axis=1) - points.mean(axis=0)
    return any(
        is_within(points, hull, (a.radius, b.radius), way, strict=True) for hull, way in zip(hulls, ways, strict=True)
    )


def _hulls_near(
    convex: ConvexShape, side: ShapeSide, row: np.ndarray, far: np.ndarray, reach: float
) -> Generator[Any, None, np.ndarray | None]:
    """Return the world corners (n, 3, 3) of the triangles of a surface that may be within reach of a convex core, or
    None if a triangle is surely nearer than the reach.
    """
    yield 0.0
    rounding = _SURFACE_ROUNDING * (_extent(convex, side.mesh, row, far) + reach) + _LEAST
    within = reach + rounding
    assert side.surface is not None
    _, answers = triangles_near(convex, side.surface, row, far, within, within, 0.0, reach - rounding)
    if (answers[:, UPPER] < reach - rounding).any():
        return None
    triangles, _ = triangles_near(convex, side.surface, row, far, within, within, 0.0)
    corners: np.ndarray = transform_points(far, side.mesh.corners_of(triangles))
    return corners


def _groups(side: ShapeSide, row: np.ndarray) -> np.ndarray | None:
    """Return the world points of the hulls that an object consists of, (g, n, 3); None for a round solid or a face."""
    if side.surface is not None:
        return transform_points(row, side.mesh.corners_of(np.arange(side.mesh.triangle_count)))
    if side.convex is None or not side.convex.is_polyhedron:
        return None
    return transform_points(row, side.convex.points)


def _one_pose(
    a: ShapeSide, b: ShapeSide, row_a: np.ndarray, row_b: np.ndarray, request: Request, only_met: bool
) -> Steps:
    """Compare two objects of which one is a half-space or plane, or a convex solid and a surface."""
    if a.flat and b.flat:
        return _as_near(*faces(Face.of(a.flat, row_a), Face.of(b.flat, row_b)))
    if b.flat or (b.convex and a.surface is not None):
        found = yield from _one_pose(b, a, row_b, row_a, request, only_met)
        return Near(found.met, found.distances, found.points[:, ::-1], found.triangles[:, ::-1])
    if not a.flat:
        yield 0.0
        return convex_and_surface(a, b, row_a, row_b, request.options.upper_limit, only_met)
    face = Face.of(a.flat, row_a)
    if b.surface is not None:
        yield 0.0
        corners = transform_points(row_b, b.mesh.corners_of(np.arange(b.mesh.triangle_count)))
        return _as_near(*face_and_points(face, corners, b.radius))
    assert b.convex is not None
    if b.convex.is_polyhedron:
        met, distance, points, _ = face_and_points(face, transform_points(row_b, b.convex.points), b.radius)
    else:
        met, distance, points = face_and_round(face, b.convex.form, row_b, b.radius)
    return _as_near(met, distance, points)


def _as_near(met: bool, distance: float, points: np.ndarray, triangle: int = -1) -> Near:
    return Near(np.array([met]), np.array([distance]), points[None], np.array([[-1, triangle]], np.int32))


def _near_convex(
    a: ConvexShape, b: ConvexShape, rows_a: np.ndarray, rows_b: np.ndarray, only_met: bool, threads: int
) -> Generator[float, None, Near]:
    """Compare two convex solids in poses (k, 3, 4), or (1, 3, 4) for all."""
    bounds = bounds_steps(a.points, a.form, rows_a, b.points, b.form, rows_b, threads)
    answers = yield from map_progress(bounds, lambda done: 0.9 * done)
    both = a.is_polyhedron and b.is_polyhedron  # for round solids the lower bound is more accurate
    met, doubtful = _compared(answers, a.radius + b.radius, both)
    for some in portions(doubtful, _TOGETHER):
        yield 0.9
        rows = pose_rows(rows_a, some), pose_rows(rows_b, some)
        met[some] = yield from _exactly_within(a, b, *rows, answers[some], threads)
    if only_met:
        return Near(met, answers[:, UPPER], answers[:, POINT_A : POINT_B + 3], _NO_TRIANGLES)
    if not both:
        answers[:, UPPER] = np.where(met, answers[:, UPPER], answers[:, LOWER])
    distances, points = _with_radii(met, answers, a.radius, b.radius)
    return Near(met, distances, points, np.full((len(met), 2), -1, np.int32))


def _exactly_within(
    a: ConvexShape, b: ConvexShape, rows_a: np.ndarray, rows_b: np.ndarray, answers: np.ndarray, threads: int
) -> Steps:
    """Decide exactly which pairs of polyhedra, in poses (k, 3, 4), are within the sum of their radii, (k,) bool.

    Shapes in contact are usually parallel to the axes, or the triangles of their hulls meet, which also proves the
    contact. Only the remaining pairs need integers, which take a hundred times longer.
    """
    corners_a, corners_b = (transform_points(rows[:, None], side.points) for rows, side in ((rows_a, a), (rows_b, b)))
    told = boxes_within(corners_a, corners_b, (a.radius, b.radius), False)
    left = np.flatnonzero(told == NO_BOXES)
    if len(left) and a.radius + b.radius == 0.0:
        solids, poses = (a.enclosing, b.enclosing), (rows_a[left], rows_b[left])
        meet = yield from hold_progress(ask(COLLIDES, solids, poses, threads=threads), 0.9)
        told[left[meet]] = WITHIN
        left = left[~meet]
    for k in left.tolist():
        told[k] = is_within(corners_a[k], corners_b[k], (a.radius, b.radius), _way(answers[k]))
    return told == WITHIN


def _way(answer: np.ndarray) -> np.ndarray:
    """Return the vector from the nearest point of the first object to that of the second."""
    way: np.ndarray = answer[POINT_B : POINT_B + 3] - answer[POINT_A : POINT_A + 3]
    return way


def _compared(answers: np.ndarray, reach: float, exact: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return which cores are within the reach, (k,) bool, and which must be compared exactly, indices (n,).

    Without ``exact`` comparison, pairs that are not proved to be apart count as meeting.
    """
    rounding = ROUNDING * answers[:, SIZE] + _REACH_ROUNDING * reach + _LEAST
    met = ~(answers[:, LOWER] > reach + rounding)
    if not exact:
        return met, np.empty(0, np.int64)
    surely = (answers[:, UPPER] < reach - rounding) | (answers[:, LOWER] < 0.0)
    return met, np.flatnonzero(met & ~surely)


def _with_radii(
    met: np.ndarray, answers: np.ndarray, radius_a: float, radius_b: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return distances (k,) and nearest points (k, 2, 3) of shapes, computed from those of their cores."""
    reach = radius_a + radius_b
    distances = np.where(met, 0.0, np.maximum(answers[:, UPPER] - reach, math.ulp(reach)))
    ends = answers[:, POINT_A : POINT_B + 3].reshape(-1, 2, 3)
    ways = ends[:, 1] - ends[:, 0]
    shares = np.full((len(met), 2, 1), radius_a / reach if reach else 0.5)
    apart = np.flatnonzero(~met)
    lengths = np.maximum(answers[apart, UPPER], math.ulp(0.0))
    with np.errstate(over="ignore"):
        shares[apart, 0, 0], shares[apart, 1, 0] = radius_a / lengths, 1.0 - radius_b / lengths
    return distances, ends[:, :1] + np.clip(shares, 0.0, 1.0) * ways[:, None]


def _extent(a: Any, b: Any, row_a: np.ndarray, row_b: np.ndarray) -> float:
    """Return an upper bound [m] of all coordinates of two objects, measured from any point of either."""
    size = float(np.abs(row_a[:, 3] - row_b[:, 3]).max())
    return size + sum(3.0 * float(np.abs(thing.bounds).max()) for thing in (a, b))


def convex_and_surface(
    a: ShapeSide, b: ShapeSide, row_a: np.ndarray, row_b: np.ndarray, upper_limit: float, only_met: bool
) -> Near:
    """Compare a convex solid and a surface in one pose (3, 4) each, by measuring the triangles that may be nearest.

    Args:
        a, b: the solid and the surface.
        row_a, row_b: the poses.
        upper_limit: surfaces farther away have an infinite distance [m].
        only_met: the distance of objects that do not meet is not needed.
    """
    convex = a.convex
    assert convex is not None
    reach = a.radius + b.radius
    rounding = _SURFACE_ROUNDING * (_extent(convex, b.mesh, row_a, row_b) + reach) + _LEAST
    within = reach + rounding
    limit = within if only_met else upper_limit + within
    assert b.surface is not None
    found = triangles_near(convex, b.surface, row_a, row_b, limit, within, rounding, reach - rounding)
    triangles, answers = found[0], _of_surface(convex, found[1])
    if not len(triangles):
        return Near(
            np.zeros(1, np.bool_), np.array([np.inf]), np.full((1, 2, 3), np.nan), np.full((1, 2), -1, np.int32)
        )
    met, doubtful = _compared(answers, reach, convex.is_polyhedron)
    surely = met.copy()
    surely[doubtful] = False
    if surely.any():
        met = surely
    else:
        points = transform_points(row_a, convex.points[0])
        corners = transform_points(row_b, b.mesh.corners_of(triangles))
        for k in doubtful.tolist():
            met[k] = is_within(points, corners[k], (a.radius, b.radius), _way(answers[k]))
            if met[k]:
                break
    best = int(np.argmin(np.where(met, -1.0, answers[:, UPPER])))
    distances, points = _with_radii(met[best : best + 1], answers[best : best + 1], a.radius, b.radius)
    return Near(met[best : best + 1], distances, points, np.array([[-1, triangles[best]]], np.int32))


def _of_surface(convex: ConvexShape, answers: np.ndarray) -> np.ndarray:
    """Take the lower bound as distance of a round solid from triangles, because it is more accurate."""
    if not convex.is_polyhedron:
        answers[:, UPPER] = np.where(answers[:, LOWER] > 0.0, answers[:, LOWER], answers[:, UPPER])
    return answers


def _ask(
    query: Any, first: Any, b: ShapeSide, row_a: np.ndarray, row_b: np.ndarray, request: Request, **options: Any
) -> Steps:
    """Run a query about two surfaces in one pose each."""
    return ask(query, (first, b.surface), (row_a[None], row_b[None]), threads=request.options.threads, **options)


def _surfaces(
    a: ShapeSide, b: ShapeSide, rows_a: np.ndarray, rows_b: np.ndarray, request: Request, only_met: bool
) -> Generator[Any, None, Near]:
    """Compare two surfaces with radii, in poses (k, 3, 4)."""
    reach = a.radius + b.radius
    near, rounding = yield from _within_reach(a, b, rows_a, rows_b, request, only_met)
    met = near.distance < reach - rounding
    if reach == 0.0:
        options = {"threads": request.options.threads}
        met = np.asarray((yield from ask(COLLIDES, (a.surface, b.surface), (rows_a, rows_b), **options)))
    else:
        for k in np.flatnonzero(~met & ~(near.distance > reach + rounding)).tolist():
            met[k] = yield from _are_within(a, b, rows_a[k], rows_b[k], request, reach + rounding)
    answers = np.empty((len(met), COLUMNS))
    answers[:, UPPER], answers[:, POINT_A : POINT_B + 3] = near.distance, near.points.reshape(-1, 6)
    distances, points = _with_radii(met, answers, a.radius, b.radius)
    return Near(met, distances, points, np.stack([near.triangle_a, near.triangle_b], axis=1))


def _within_reach(
    a: ShapeSide, b: ShapeSide, rows_a: np.ndarray, rows_b: np.ndarray, request: Request, only_met: bool = True
) -> Generator[Any, None, tuple[Distance, float]]:
    """Measure the cores of two surfaces, in poses (k, 3, 4), and return the distances and their rounding error [m].

    With ``only_met``, the search for a pose ends at the first triangles that are surely nearer than the sum of the
    radii, and distances beyond this sum are infinite.
    """
    reach = a.radius + b.radius
    extents = [_extent(a.mesh, b.mesh, *pair) for pair in zip(rows_a, rows_b, strict=True)]
    rounding = _SURFACE_ROUNDING * (max(extents) + reach) + _LEAST
    limits = {"upper_limit": request.options.upper_limit + reach}
    if only_met:
        limits = {"upper_limit": reach + 2.0 * rounding, "lower_limit": max(reach - 2.0 * rounding, 0.0)}
    poses, options = (rows_a, rows_b), {"threads": request.options.threads}
    near: Distance = yield from ask(DISTANCE, (a.surface, b.surface), poses, **limits, **options)
    return near, rounding


def _are_within(
    a: ShapeSide,
    b: ShapeSide,
    row_a: np.ndarray,
    row_b: np.ndarray,
    request: Request,
    within: float,
    strict: bool = False,
) -> Generator[Any, None, bool]:
    """Return whether two surfaces are within the sum of their radii, or nearer if ``strict``, exactly, in one pose."""
    found: Clearances = yield from _ask(CLEARANCE, a.surface, b, row_a, row_b, request, tolerance=within)
    order = np.argsort(found.distances, kind="stable")
    for i, j in found.pairs[order].tolist():
        corners_a = transform_points(row_a, a.mesh.corners_of(np.array([i]))[0])
        corners_b = transform_points(row_b, b.mesh.corners_of(np.array([j]))[0])
        way = corners_b.mean(axis=0) - corners_a.mean(axis=0)
        if is_within(corners_a, corners_b, (a.radius, b.radius), way, strict):
            return True
    return False


def within_steps(request: Request) -> Generator[Any, None, tuple[np.ndarray, ...]]:
    """Find pairs of triangles within the tolerance, with -1 for a shape without triangles.

    Returns:
        Pairs (n, 2), distances (n,), poses (n,), sorted by pose and pair, and nearest points (n, 2, 3).
    """
    a, b = map(ShapeSide.of, request.things)
    if b.surface is not None and a.surface is None:
        return (yield from _surface_within(a, b, *request.every_row, request, lambda rows: rows))
    if a.surface is not None and b.surface is None:
        rows_a, rows_b = request.every_row
        return (yield from _surface_within(b, a, rows_b, rows_a, request, lambda rows: rows[:, ::-1]))
    if a.surface is not None:
        return (yield from _surfaces_within(a, b, request))
    near = yield from near_steps(request)
    found = np.flatnonzero(near.distances <= request.options.tolerance)
    return near.triangles[found], near.distances[found], found.astype(np.int32), near.points[found]


def _surfaces_within(a: ShapeSide, b: ShapeSide, request: Request) -> Generator[Any, None, tuple[np.ndarray, ...]]:
    reach = a.radius + b.radius
    tolerance, options = request.options.tolerance + reach, {"threads": request.options.threads}
    cores: Clearances = yield from ask(
        CLEARANCE, (a.surface, b.surface), request.every_row, tolerance=tolerance, **options
    )
    answers = np.empty((len(cores), COLUMNS))
    answers[:, UPPER], answers[:, POINT_A : POINT_B + 3] = cores.distances, cores.points().reshape(-1, 6)
    distances, points = _with_radii(cores.distances <= reach, answers, a.radius, b.radius)
    return cores.pairs, distances, cores.pose, points


def _surface_within(
    a: ShapeSide,
    b: ShapeSide,
    rows_a: np.ndarray,
    rows_b: np.ndarray,
    request: Request,
    turned: Callable[[np.ndarray], np.ndarray],
) -> Generator[Any, None, tuple[np.ndarray, ...]]:
    """Find the triangles of a surface b near a shape without triangles."""
    every, tolerance = [], request.options.tolerance
    for k, (row_a, row_b) in enumerate(zip(rows_a, rows_b, strict=True)):
        if a.convex is None:
            assert a.flat is not None
            yield 0.0
            triangles = np.arange(b.mesh.triangle_count)
            corners = transform_points(row_b, b.mesh.corners_of(triangles))
            face = Face.of(a.flat, row_a)
            told = [face_and_points(face, corners[j : j + 1], b.radius)[1:3] for j in range(len(corners))]
            distances, points = np.array([t[0] for t in told]), np.array([t[1] for t in told])
        else:
            within = tolerance + a.radius + b.radius
            within += _SURFACE_ROUNDING * (_extent(a.convex, b.mesh, row_a, row_b) + within) + _LEAST
            yield 0.0
            assert b.surface is not None
            triangles, answers = triangles_near(a.convex, b.surface, row_a, row_b, within, within, 0.0)
            order = np.argsort(triangles)
            triangles, answers = triangles[order], _of_surface(a.convex, answers[order])
            met = answers[:, UPPER] <= a.radius + b.radius
            distances, points = _with_radii(met, answers, a.radius, b.radius)
        near = np.flatnonzero(distances <= tolerance)
        pairs = np.stack([np.full(len(near), -1), triangles[near]], axis=1).astype(np.int32)
        every.append((turned(pairs), distances[near], np.full(len(near), k, np.int32), turned(points[near])))
    pairs, distances, poses, points = (np.concatenate(parts) for parts in zip(*every, strict=True))
    return np.ascontiguousarray(pairs), distances, poses, np.ascontiguousarray(points)
