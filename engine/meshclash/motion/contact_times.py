"""``time_of_contact``: the first contact of two objects in rigid motion, and the intervals of contact.

The method is conservative advancement (Mirtich 1996; Zhang, Lee, Kim 2006; Tang, Kim, Manocha, "C2A" 2009): if the
objects are at distance d and approach at a speed of at most m, they cannot touch within the time d / m. So time is
advanced by d / m and the distance is measured again, until the distance is within the tolerance. The skipped time is
proved to be free of contact, so even thin and fast objects are not missed. ``approach.py`` derives m.

The advance is (d - tolerance / 2) / m. During this time the objects stay more than half a tolerance apart. So

* at every time before the time of contact the objects are certainly apart;
* at the time of contact they are within the tolerance;
* every approach to within half a tolerance is found, and a step is never shorter than half a tolerance / m.

The end of a contact is found in the same way, backwards, from a later time at which the objects are apart.

If a plane perpendicular to the line between the nearest points separates the objects, the gap between two such planes
is a second distance d, with its own speed bound m. The longer advance is taken.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from ..convex.exact_shapes import ConvexShape, Inflated
from ..errors import UnsupportedOption
from ..hierarchy.build import as_hierarchy
from ..hierarchy.bvh import Hierarchy
from ..messages import shown
from ..pointcloud.cloud import PointCloud
from ..pointcloud.cloud_distance import CloudDistance
from ..pointcloud.searches import Thing, is_for_clouds
from ..query.distance import distance
from ..query.results import Distance
from ..query.verdict import verdict
from ..types.foreign_meshes import ForeignMesh, as_own
from ..types.mesh import TriangleMesh, no_mesh
from ..types.numbers import real_number, truth
from ..types.pose import pose_of
from ..types.results import Progress
from ..types.slices import Slice
from ..types.steps import in_slices
from ..types.verdict import APART, TOUCHING
from .approach import Mover, approach_speed, closing_speed, make_mover
from .deepest_moment import Approach, ContactInterval, deepest_moment_steps
from .motion_piece import MotionPiece
from .motions import Motion, as_motion

_DEFAULT_TOLERANCE = 1e-5  # relative to the objects' size
_ROUNDING = 64.0 * 2.0**-53
"""Bound of the rounding error of a distance, relative to the coordinates: poses, world coordinates and the search."""
_PARTS = 256


@dataclass(frozen=True, eq=False)
class TimeOfContact:
    """The first contact of two moving objects. If there is no contact, the truth value of a TimeOfContact is False.

    Attributes:
        time: Time of the first contact; None without a contact. At all times before, the objects are certainly apart.
        distance: Distance at that time [m], at most the tolerance; infinite if there is no contact.
        point_a: The point on the surface of a that is nearest to b at that time, in world coordinates, (3,) [m]; None
            without a contact.
        intervals: The intervals of contact; empty unless ``intervals`` was set.
        tolerance: the tolerance [m] that you gave, or that was derived from the size of the objects.
        queries: The number of distances that the search measured.
    """

    time: float | None
    distance: float
    point_a: np.ndarray | None
    point_b: np.ndarray | None
    intervals: list[ContactInterval]
    tolerance: float
    queries: int

    def __bool__(self) -> bool:
        return self.time is not None

    def __repr__(self) -> str:
        return f"TimeOfContact({self.time!r}, {len(self.intervals)} intervals, {self.queries} distances)"


@in_slices
def time_of_contact(
    a: Thing | ForeignMesh | ConvexShape,
    b: Thing | ForeignMesh | ConvexShape,
    motion_a: Any = None,
    motion_b: Any = None,
    *,
    tolerance: float | None = None,
    intervals: bool = False,
    interruption: float | None = None,
    depth: bool = True,
) -> Generator[Progress, None, TimeOfContact]:
    """Find the time at which two objects in rigid motion first touch, and the intervals in which they are in contact.

    Two objects are in contact if the distance between their surfaces is at most the tolerance, or if one object lies
    inside a closed mesh. The function finds every contact, no matter how fast the objects move. If the smallest
    distance is between half the tolerance and the tolerance, the function may or may not report a contact.

    Args:
        a, b: meshes, hierarchies made by ``build``, PointClouds, or exact shapes except half-spaces and planes.
            Distances of clouds are computed by ``cloud_distance``: they are as accurate as the surface that a cloud
            represents.
        motion_a, motion_b: a ScrewMotion or KeyframedMotion; or a pose (None: identity) for an object at rest. The
            query covers the time from the earlier start to the later end of the two motions. Before and after its own
            motion, an object is at rest. If both objects are at rest, the time is 0.
        tolerance: [m], above 0; None: 1e-5 of the size of the smaller object.
        intervals: True also finds the intervals of contact, and the time of the deepest contact in each.
        depth: False skips the times of greatest depth, which often take most of the computation; exact shapes have no
            depth.
        interruption: two contacts may be reported as one if less than this time lies between them; default: 1/256 of
            the time. The function finds contacts of any length, however short. At all times outside the reported
            intervals, the objects are certainly apart.

    Raises:
        InvalidMesh, InvalidPose: an object or a pose is invalid.
        UnsupportedOption: a tolerance or interruption that is not above 0, or is too small to be resolved in float64 at
            these coordinates, speeds and times.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> box = mc.shapes.box(1.0)
        >>> first, last = np.eye(4), np.eye(4)
        >>> first[0, 3], last[0, 3] = -4.0, 4.0
        >>> way = mc.motion.KeyframedMotion([0.0, 8.0], [first, last])
        >>> round(mc.motion.time_of_contact(box, box, way).time, 3)
        3.0
    """
    motions = as_motion("motion_a", motion_a), as_motion("motion_b", motion_b)
    chase = _Chase(as_own(a), as_own(b), *motions, tolerance)
    wanted, deepest = truth("intervals", intervals), truth("depth", depth)
    pause = chase.checked_pause(interruption)
    at = chase.measure(chase.start)
    first = meeting = at if chase.is_contact(at) else (yield from chase.contact_towards_steps(at, chase.end))
    spans: list[list[float]] = []
    while wanted and meeting is not None:
        last, free = yield from chase.end_steps(meeting, pause)
        if spans and meeting.time - spans[-1][1] <= pause:
            spans[-1][1] = last
        else:
            spans.append([meeting.time, last])
        meeting = None if free is None else (yield from chase.contact_towards_steps(free, chase.end))
    found = []
    for span in spans:
        measured = deepest and not chase.has_shape
        found.append((yield from deepest_moment_steps(chase, *span)) if measured else ContactInterval(*span))
    return chase.answer(first, found)


Moving = Thing | ConvexShape


@dataclass
class _Chase:
    """The state of a search for contacts: two moving objects and the last measurement."""

    a: Moving
    b: Moving
    motion_a: Motion
    motion_b: Motion
    wanted: float | None
    queries: int = 0
    _start_pair: Any = None
    _movers: dict[tuple[int, int], Mover] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.has_shape or not is_for_clouds(self.a, self.b):
            self.a, self.b = (
                thing if isinstance(thing, ConvexShape) else as_hierarchy(thing) for thing in (self.a, self.b)
            )
        self._points = [_points_of(thing) for thing in (self.a, self.b)]
        motions = [m for m in (self.motion_a, self.motion_b) if m.end > m.start]
        self.start = min((m.start for m in motions), default=0.0)
        self.end = max((m.end for m in motions), default=0.0)
        self._tick = math.ulp(max(abs(self.start), abs(self.end)))  # within a tick nothing moves by a tolerance / 16
        # Moved near the world's origin, where rounding is smallest: so the answer does not depend on the location.
        rows, points = self.motion_a.rows_at(self.start), self._points[0][0]
        self._origin = rows[:, :3] @ (0.5 * (points.min(axis=0) + points.max(axis=0))) + rows[:, 3]
        self.motion_a, self.motion_b = self.motion_a.moved(-self._origin), self.motion_b.moved(-self._origin)
        sizes = [
            float(np.ptp(thing.bounds if isinstance(thing, ConvexShape) else points, axis=0).max())
            for thing, (points, _) in zip((self.a, self.b), self._points, strict=True)
        ]
        self.tolerance = self._checked_tolerance(self.wanted, min(sizes) or max(sizes) or 1.0)

    def _checked_tolerance(self, wanted: float | None, size: float) -> float:
        tolerance = _DEFAULT_TOLERANCE * size if wanted is None else real_number(wanted)
        if not (math.isfinite(tolerance) and tolerance > 0.0):
            raise UnsupportedOption(f"tolerance must be a length above 0 [m], not {shown(wanted)}")
        self._rounding = _ROUNDING * max(self._reach(motion, *extent) for motion, extent in self._sides())
        with np.errstate(over="ignore", invalid="ignore"):  # overflow is checked below
            farthest = sum(
                max(self._way_in_a_tick(side, span) for span in motion.spans)
                for side, motion in enumerate((self.motion_a, self.motion_b))
            )
        least = max(4.0 * self._rounding, 16.0 * farthest) if math.isfinite(farthest) else math.inf
        if tolerance < least:
            raise UnsupportedOption(
                f"tolerance {tolerance:g} m is too small for float64 at these coordinates, speeds and "
                f"times: it must be at least {least:.2g} m"
            )
        return tolerance

    def _way_in_a_tick(self, side: int, span: MotionPiece) -> float:
        """Return an upper bound [m] of the distance that any point travels within a piece, or within a short part of a
        longer piece.

        For pieces no longer than a tick, the function does not use speeds, which may be too large for a float.
        """
        if span.duration > self._tick:
            return self._tick * self._mover(side, span.start).speed
        return make_mover(replace(span, start=0.0, end=1.0), *self._points[side]).speed

    def checked_pause(self, interruption: float | None) -> float:
        """Return the longest interruption that still counts as one contact; raise UnsupportedOption."""
        pause = (self.end - self.start) / _PARTS if interruption is None else real_number(interruption)
        if not math.isfinite(pause) or pause < 0.0 or (interruption is not None and pause == 0.0):
            raise UnsupportedOption(f"interruption must be a time above 0 s, not {shown(interruption)}")
        return pause

    def _sides(self) -> list[tuple[Motion, tuple[np.ndarray, float]]]:
        return list(zip((self.motion_a, self.motion_b), self._points, strict=True))

    @staticmethod
    def _reach(motion: Motion, points: np.ndarray, margin: float) -> float:
        """Return an upper bound of the coordinates of both objects at any time."""
        local = float(np.abs(points).max()) + margin
        return max(
            2.0 * local + 2.0 * float(np.abs(rows[:, 3]).max()) for s in motion.spans for rows in (s.first, s.last)
        )

    def _mover(self, side: int, time: float) -> Mover:
        motion = (self.motion_a, self.motion_b)[side]
        place = motion.place_of(time)
        if (side, place) not in self._movers:
            self._movers[side, place] = make_mover(motion.piece(place), *self._points[side])
        return self._movers[side, place]

    def _change_towards(self, time: float, goal: float) -> float:
        """Return the time up to which both motions stay in their current pieces, on the way to ``goal``."""
        if goal > time:
            return min(self.motion_a.next_change(time), self.motion_b.next_change(time), goal)
        return max(self.motion_a.previous_change(time), self.motion_b.previous_change(time), goal)

    def measure(self, time: float) -> Approach:
        """Measure the distance between the objects at a time."""
        poses = pose_of(self.motion_a.rows_at(time)), pose_of(self.motion_b.rows_at(time))
        a: Any = self.a
        found: Distance | CloudDistance = distance(a, cast(Any, self.b), *poses, start=self._start_pair, device="cpu")
        if isinstance(found, Distance):
            self._start_pair = found
        self.queries += 1
        return Approach(time, float(found.distance), found.point_a, found.point_b, poses)

    def is_inside(self, at: Approach) -> bool:
        """Return whether one object lies inside the other object, a closed mesh, although their surfaces are apart."""
        if isinstance(self.a, PointCloud) or isinstance(self.b, PointCloud):
            return False
        if self.has_shape:
            surfaces = [thing for thing in map(_surface_of, (self.a, self.b)) if thing is not None]
            closed = any(_mesh_of(surface).is_closed for surface in surfaces)
            return closed and verdict(cast(Any, self.a), cast(Any, self.b), *at.poses).verdict not in (APART, TOUCHING)
        if not (_mesh_of(self.a).is_closed or _mesh_of(self.b).is_closed):
            return False
        return verdict(cast(Any, self.a), cast(Any, self.b), *at.poses, depth=False).verdict not in (APART, TOUCHING)

    @property
    def has_shape(self) -> bool:
        """Whether one of the objects is an exact shape."""
        return isinstance(self.a, ConvexShape) or isinstance(self.b, ConvexShape)

    def is_contact(self, at: Approach) -> bool:
        """Return whether the objects are in contact."""
        return at.distance <= self.tolerance or self.is_inside(at)

    def contact_towards_steps(self, at: Approach, goal: float) -> Generator[Progress, None, Approach | None]:
        """Find the first contact between the time ``at``, when the objects are apart, and ``goal``, which may be
        earlier or later.

        Returns None if there is none. All times that are skipped are certainly free of contact.
        """
        piece = Slice()
        while at.time != goal:
            at = self.measure(self._advanced(at, self._change_towards(at.time, goal)))
            if at.distance <= self.tolerance:
                return at
            if piece.over:
                yield self._progress(at.time)
                piece = Slice()
        return None

    def _progress(self, time: float) -> Progress:
        return Progress((time - self.start) / max(self.end - self.start, math.ulp(0.0)), f"moving to {time:.6g}")

    def _advanced(self, at: Approach, change: float) -> float:
        """Return the time up to which the objects certainly stay apart, on the way to a change of motion."""
        low, high = min(at.time, change), max(at.time, change)
        if high - low <= self._tick:
            return change
        a, b = self._mover(0, low), self._mover(1, low)
        spare = 0.5 * self.tolerance + self._rounding
        fastest = approach_speed(a, b, low, high)
        if fastest * (high - low) < at.distance - spare:
            return change
        advance = (at.distance - spare) / fastest
        direction = (at.point_b - at.point_a) / at.distance
        gap = self._gap_along(at, direction) - spare
        if gap > 0.0:
            closing = closing_speed(a, b, direction if change > at.time else -direction)
            if closing * (high - low) < gap:
                return change
            advance = max(advance, gap / closing)
        if change > at.time:
            return min(max(at.time + advance, math.nextafter(at.time, math.inf)), change)
        return max(min(at.time - advance, math.nextafter(at.time, -math.inf)), change)

    def _gap_along(self, at: Approach, direction: np.ndarray) -> float:
        """Return the gap between two separating planes perpendicular to a direction; 0 or less if such planes do not
        exist.
        """
        ends = []
        for (points, margin), pose, sign in zip(self._points, at.poses, (1.0, -1.0), strict=True):
            along = sign * (pose.rows[:, :3].T @ direction)
            ends.append(float((points @ along).max()) + margin + sign * float(pose.rows[:, 3] @ direction))
        return -(ends[0] + ends[1])

    def end_steps(self, known: Approach, pause: float) -> Generator[Progress, None, tuple[float, Approach | None]]:
        """Return the end of a contact, and the next time at which the objects are measured apart, if such a time
        exists.

        The function measures at times at most a pause apart until the objects are apart, then searches backwards for
        the contact, in the same way as for its start.
        """
        piece = Slice()
        while known.time < self.end:
            time = min(known.time + max(pause, self._sure_contact(known)), self.end)
            at = self.measure(max(time, math.nextafter(known.time, math.inf)))
            if not self.is_contact(at):
                last = yield from self.contact_towards_steps(at, known.time)
                return (last or known).time, at
            known = at
            if piece.over:
                yield self._progress(known.time)
                piece = Slice()
        return known.time, None

    def _sure_contact(self, at: Approach) -> float:
        """Return a lower bound of the time for which the surfaces certainly stay within the tolerance."""
        change = self._change_towards(at.time, self.end)
        if at.distance >= self.tolerance or change - at.time <= self._tick:
            return 0.0
        fastest = approach_speed(self._mover(0, at.time), self._mover(1, at.time), at.time, change)
        return min((self.tolerance - at.distance) / fastest, change - at.time) if fastest > 0.0 else change - at.time

    def answer(self, first: Approach | None, found: list[ContactInterval]) -> TimeOfContact:
        """Return the result in the caller's world coordinates."""
        if first is None:
            return TimeOfContact(None, math.inf, None, None, [], self.tolerance, self.queries)
        points = first.point_a + self._origin, first.point_b + self._origin
        return TimeOfContact(first.time, first.distance, *points, found, self.tolerance, self.queries)


def _surface_of(thing: Moving) -> Any:
    """Return the surface of a mesh or inflated mesh; None for other shapes."""
    if isinstance(thing, Inflated):
        return thing.surface
    return None if isinstance(thing, ConvexShape) else thing


def _points_of(thing: Moving) -> tuple[np.ndarray, float]:
    """Return points (n, 3) and a margin [m]; the object lies within the margin around the hull of the points."""
    if isinstance(thing, ConvexShape):
        surface = _surface_of(thing)
        return _points_of(thing.enclosing if surface is None else surface)[0], thing.radius
    if isinstance(thing, PointCloud):
        return thing.points, float(thing.lengths.horizon)
    mesh = _mesh_of(thing)
    used = mesh.used_vertices
    return (mesh.vertices if used is None else mesh.vertices[used]), 0.0


def _mesh_of(thing: Moving) -> TriangleMesh:
    if isinstance(thing, Hierarchy):
        return thing.mesh
    if not isinstance(thing, TriangleMesh):
        raise no_mesh(thing)
    return thing
