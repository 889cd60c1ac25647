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

from ..broadphase.sweep import world_boxes
from ..convex.convex_distance import (
    COLUMNS,
    LEAST,
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
from ..convex.near_surface import SURFACE_ROUNDING, extent_of, surface_bounds_steps, triangles_near
from ..convex.supports import POINTS_FORM
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..traversal.question import pose_rows
from ..types.equal_values import places_of_each
from ..types.mesh import TriangleMesh
from ..types.pose import pose_of, transform_points
from ..types.slices import portions
from ..types.steps import hold_progress, map_progress, run
from ..types.verdict import APART, TOUCHING
from .flat_faces import Face, Hulls, enters, face_and_hulls_steps, face_and_points, faces
from .options import Options
from .results import Clearances, Distance
from .table import CLEARANCE, COLLIDES, CONTAINS, DISTANCE, VERDICT, Request, ask

Steps = Generator[Any, None, Any]
_NO_TRIANGLES = np.empty((0, 2), np.int32)
_REACH_ROUNDING = 2.0**-50
"""Bound of the error of the sum of the radii, relative to the sum, with a margin."""
_TOGETHER = 256
"""Number of poses that are compared exactly at a time."""


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

    def turned(self) -> "Near":
        """Return the same distances with the two objects exchanged."""
        return Near(self.met, self.distances, self.points[:, ::-1], self.triangles[:, ::-1])


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
    """Find whether two objects meet in each pose, and their distances.

    With ``only_met``, all fields but ``met`` are undefined.
    """
    a, b = map(ShapeSide.of, request.things)
    if a.surface is not None and b.surface is not None:
        return (yield from _surfaces(a, b, *request.every_row, request, only_met))
    if a.flat and b.flat:
        return (yield from _faces(a.flat, b.flat, *request.every_row))
    if b.flat or (b.convex and a.surface is not None):
        return (yield from _near_solid(b, a, *request.rows[::-1], request.options, only_met)).turned()
    return (yield from _near_solid(a, b, *request.rows, request.options, only_met))


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
    assert side.surface is not None
    rounding = _rounding(convex, side.mesh, row, far, reach)
    met_below = reach - rounding if reach > rounding else -math.inf  # a triangle that meets the core may only touch it
    triangles, answers = triangles_near(convex, side.surface, row, far, reach + rounding, met_below)
    if (answers[:, UPPER] < met_below).any():
        return None
    corners: np.ndarray = transform_points(far, side.mesh.corners_of(triangles))
    return corners


def _groups(side: ShapeSide, row: np.ndarray) -> np.ndarray | None:
    """Return the world points of the hulls that an object consists of, (g, n, 3); None for a round solid or a face."""
    if side.surface is not None:
        return transform_points(row, side.mesh.corners_of(np.arange(side.mesh.triangle_count)))
    if side.convex is None or not side.convex.is_polyhedron:
        return None
    return transform_points(row, side.convex.points)


def _near_solid(
    a: ShapeSide, b: ShapeSide, rows_a: np.ndarray, rows_b: np.ndarray, options: Options, only_met: bool
) -> Generator[Any, None, Near]:
    """Compare a convex solid with a convex solid or a surface, or a half-space or plane with either, in poses
    (k, 3, 4), or (1, 3, 4) for all.
    """
    if a.convex is None:
        assert a.flat is not None
        return (yield from _near_face(a.flat, b, rows_a, rows_b, options.threads))
    if b.convex is not None:
        return (yield from _near_convex(a.convex, b.convex, rows_a, rows_b, only_met, options.threads))
    upper_limit = 0.0 if only_met else options.upper_limit
    return (yield from _near_surface(a, b, rows_a, rows_b, upper_limit, options.threads))


def _faces(a: Halfspace, b: Halfspace, rows_a: np.ndarray, rows_b: np.ndarray) -> Generator[float, None, Near]:
    """Compare two half-spaces or planes, in poses (k, 3, 4)."""
    found = []
    for k, (row_a, row_b) in enumerate(zip(rows_a, rows_b, strict=True)):
        yield k / len(rows_a)
        found.append(faces(Face.of(a, row_a), Face.of(b, row_b)))
    met, distances, points = (np.array(part) for part in zip(*found, strict=True))
    return Near(met, distances, points, np.full((len(met), 2), -1, np.int32))


def _near_face(
    face: Halfspace, side: ShapeSide, rows_a: np.ndarray, rows_b: np.ndarray, threads: int
) -> Generator[float, None, Near]:
    """Compare a half-space or plane with a convex solid or a surface, in poses (k, 3, 4), or (1, 3, 4) for all."""
    asked = face, _hulls(side), rows_a, rows_b, side.radius, threads
    met, distances, points, groups = yield from face_and_hulls_steps(*asked)
    triangles = np.full((len(met), 2), -1, np.int32)
    if side.surface is not None:
        triangles[:, 1] = groups
    return Near(met, distances, points, triangles)


def _hulls(side: ShapeSide) -> Hulls:
    """Return the hulls that an object consists of, in its own coordinates."""
    if side.convex is not None:
        return Hulls.of(
            side.convex.points[0], np.arange(side.convex.points.shape[1], dtype=np.int32)[None], side.convex.form
        )
    return Hulls.of(side.mesh.vertices, side.mesh.triangles, POINTS_FORM)


def _near_convex(
    a: ConvexShape, b: ConvexShape, rows_a: np.ndarray, rows_b: np.ndarray, only_met: bool, threads: int
) -> Generator[float, None, Near]:
    """Compare two convex solids in poses (k, 3, 4), or (1, 3, 4) for all."""
    reach = a.radius + b.radius
    until = (reach, np.stack([a.balls, b.balls])) if only_met else ()
    bounds = bounds_steps(a.points, a.form, rows_a, b.points, b.form, rows_b, threads, *until)
    answers = yield from map_progress(bounds, lambda done: 0.9 * done)
    both = a.is_polyhedron and b.is_polyhedron  # for round solids the lower bound is more accurate
    met, doubtful = _compared(answers, reach, both)
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
    rounding = ROUNDING * answers[:, SIZE] + _REACH_ROUNDING * reach + LEAST
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


def _rounding(a: Any, b: Any, row_a: np.ndarray, row_b: np.ndarray, reach: float) -> float:
    """Return a bound of the rounding error of a distance of two objects near the reach [m], in poses (3, 4)."""
    extent = float(np.abs(row_a[:, 3] - row_b[:, 3]).max()) + extent_of(a, b)
    return SURFACE_ROUNDING * (extent + reach) + LEAST


def convex_and_surface(a: ShapeSide, b: ShapeSide, row_a: np.ndarray, row_b: np.ndarray, only_met: bool) -> Near:
    """Compare a convex solid and a surface in one pose (3, 4) each; with ``only_met``, the distance of objects that do
    not meet is not measured.
    """
    return run(_near_surface(a, b, row_a[None], row_b[None], 0.0 if only_met else math.inf, 1))


def _near_surface(
    a: ShapeSide, b: ShapeSide, rows_a: np.ndarray, rows_b: np.ndarray, upper_limit: float, threads: int
) -> Generator[float, None, Near]:
    """Compare a convex solid and a surface, in poses (k, 3, 4), or (1, 3, 4) for all.

    Surfaces farther away than the upper limit [m] have an infinite distance.
    """
    assert a.convex is not None
    assert b.surface is not None
    reach = a.radius + b.radius
    bounds = surface_bounds_steps(a.convex, b.surface, rows_a, rows_b, reach, upper_limit, threads)
    answers, triangles = yield from map_progress(bounds, lambda done: 0.9 * done)
    answers = _of_surface(a.convex, answers)
    met, doubtful = _compared(answers, reach, a.convex.is_polyhedron)
    for k in doubtful.tolist():
        yield 0.9
        row_a, row_b = rows_a[min(k, len(rows_a) - 1)], rows_b[min(k, len(rows_b) - 1)]
        found = _exactly_near_surface(a, b, row_a, row_b)
        met[k] = found is not None
        if found is not None:
            triangles[k], answers[k] = found
    distances, points = _with_radii(met, answers, a.radius, b.radius)
    return Near(met, distances, points, np.stack([np.full(len(met), -1, np.int32), triangles], axis=1))


def _exactly_near_surface(
    a: ShapeSide, b: ShapeSide, row_a: np.ndarray, row_b: np.ndarray
) -> tuple[int, np.ndarray] | None:
    """Return a triangle of a surface that is exactly within the sum of the radii of a polyhedron, and its result of
    ``convex_distances``, (COLUMNS,); None if there is no such triangle. In poses (3, 4).
    """
    assert a.convex is not None
    assert b.surface is not None
    reach = a.radius + b.radius
    rounding = _rounding(a.convex, b.mesh, row_a, row_b, reach)
    triangles, answers = triangles_near(a.convex, b.surface, row_a, row_b, reach + rounding)
    points, corners = transform_points(row_a, a.convex.points[0]), transform_points(row_b, b.mesh.corners_of(triangles))
    for k in np.argsort(answers[:, UPPER], kind="stable").tolist():
        if is_within(points, corners[k], (a.radius, b.radius), _way(answers[k])):
            return int(triangles[k]), answers[k]
    return None


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
    rounding = max(_rounding(a.mesh, b.mesh, *pair, reach) for pair in zip(rows_a, rows_b, strict=True))
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


def contained_steps(
    things: tuple[Any, Any], rows_a: np.ndarray, rows_b: np.ndarray
) -> Generator[Any, None, np.ndarray]:
    """Return in which poses (k, 3, 4) one of two objects whose boundaries do not meet is inside the other, which is a
    closed mesh, (k,) bool.
    """
    sides, rows = tuple(map(ShapeSide.of, things)), (rows_a, rows_b)
    inside = np.zeros(len(rows_a), np.bool_)
    for k, (inner, outer) in enumerate((sides, sides[::-1])):
        if outer.surface is None or inner.flat or not outer.mesh.is_closed:
            continue
        points = transform_points(rows[k], _a_point(inner)[None])
        boxes = world_boxes(outer.mesh.bounds[None], rows[1 - k][:, None], 0.0)[:, 0]
        near = np.flatnonzero(((points >= boxes[:, :3]) & (points <= boxes[:, 3:])).all(axis=1))
        _, place = np.unique(rows[1 - k][near].reshape(-1, 12), axis=0, return_inverse=True)
        for same in places_of_each(place.reshape(-1)):
            some = near[same]
            inside[some] |= yield from ask(CONTAINS, (outer.mesh, points[some]), (pose_of(rows[1 - k][some[0]]), None))
    return inside


def _a_point(side: ShapeSide) -> np.ndarray:
    """Return any point of an object, in its own coordinates."""
    if side.convex is not None:
        point: np.ndarray = side.convex.points[0, 0] if side.convex.is_polyhedron else np.zeros(3)
        return point
    corner: np.ndarray = side.mesh.vertices[side.mesh.triangles[0, 0]]
    return corner


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
            within += _rounding(a.convex, b.mesh, row_a, row_b, within)
            yield 0.0
            assert b.surface is not None
            triangles, answers = triangles_near(a.convex, b.surface, row_a, row_b, within)
            order = np.argsort(triangles)
            triangles, answers = triangles[order], _of_surface(a.convex, answers[order])
            met = answers[:, UPPER] <= a.radius + b.radius
            distances, points = _with_radii(met, answers, a.radius, b.radius)
        near = np.flatnonzero(distances <= tolerance)
        pairs = np.stack([np.full(len(near), -1), triangles[near]], axis=1).astype(np.int32)
        every.append((turned(pairs), distances[near], np.full(len(near), k, np.int32), turned(points[near])))
    pairs, distances, poses, points = (np.concatenate(parts) for parts in zip(*every, strict=True))
    return np.ascontiguousarray(pairs), distances, poses, np.ascontiguousarray(points)
