"""Find voids: cavities that a self-intersecting surface encloses, such as those between boards that pass through each
other.

A corner of a void may be a point where three triangles meet, two of them of one surface. Such a corner is neither a
vertex nor a point where an edge passes through a triangle. One edge of the void at this corner lies on a line along
which the surface intersects itself, between two points where other triangles cut the line. This module examines the
midpoint of each such segment, in fractions. The predicates examine the corners of triangles that cross their own
surface, and the points where edges pass through these triangles.

Only pairs that would be contained or duplicates are examined, because cells in only one object may lie in a void of the
other object. Common volume of solids that are unions of simple solids needs no such search, because each of these has
corners.
"""

from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..answering.answer import answer_steps
from ..geometry.triangle_pair import CROSSING
from ..hierarchy.build import as_boxes
from ..traversal.forest import TreeSet, pack_trees
from ..traversal.point import DIRECTIONS, IDENTITY, new_point_workspace
from ..traversal.question import Question
from ..types.mesh import TriangleMesh
from ..types.pose import transform_points
from .case import Case
from .rational_cells import Corners, ExactSide, Point, along, bits_amid, exact_corners, far_point, orient
from .sampling import (
    COMMON,
    EFFORT,
    ITSELF_A,
    ONLY_A,
    ONLY_B,
    SURFACE_IN,
    SURFACE_OUT,
    TOUCHED_A,
    is_complete,
    sample_sides,
    visited_room,
)

_SLACK = 1e-12  # covers the rounding of a projection, times the largest coordinate

Steps = Generator[None, None, Any]


def void_steps(
    case: Case, posed: tuple[Any, ...], start: np.ndarray, asked: np.ndarray, bits: np.ndarray
) -> Generator[None, None, None]:
    """Add to ``bits`` (k,) the cells in voids of self-intersecting surfaces; yields every few milliseconds.

    Args:
        case, posed: the object pairs, and ``case.posed()``.
        start: the contacts of each pair.
        asked: pairs whose verdict these bits decide, (k,) bool.
        bits: the bits of ``sampling.py`` found so far.
    """
    closed = case.solids.closed[case.jobs]
    found = (bits & np.where(closed.all(axis=1), COMMON, SURFACE_IN | SURFACE_OUT)) != 0
    itself: dict[tuple[int, bytes], tuple[np.ndarray, np.ndarray]] = {}
    for job in np.flatnonzero(asked & closed.any(axis=1) & found & (np.diff(start) > 0) & ~is_complete(bits)).tolist():
        for side in range(2):
            own_bit = ONLY_A if side == 0 else ONLY_B
            of_solids = bool(closed[job].all())
            if (bits[job] & own_bit) if of_solids else (closed[job, side] or is_complete(bits[job])):
                continue
            tree = int(case.jobs[job, 1 - side])
            if not (yield from _crosses_itself_steps(case.tree_set.parts[tree].mesh)):
                continue
            rows = (case.rows_b, case.rows_a)[side][job]
            key = tree, rows.tobytes()
            if key not in itself:
                itself[key] = yield from _contacts_with_itself(case.tree_set, tree, rows)
            yield from _search(_Voids(case, job, side, start, *itself[key]), posed, bits)


def _crosses_itself_steps(mesh: TriangleMesh) -> Generator[None, None, bool]:
    """Return whether any two triangles of a mesh cross; cached with the mesh."""
    if "crosses itself" not in mesh.derived:
        _, kinds = yield from _contacts_with_itself(pack_trees([as_boxes(mesh)]), 0, IDENTITY)
        mesh.derived["crosses itself"] = bool((kinds == CROSSING).any())
    crosses: bool = mesh.derived["crosses itself"]
    return crosses


def _contacts_with_itself(tree_set: TreeSet, tree: int, rows: np.ndarray) -> Steps:
    """Return pairs (n, 2) of triangles of a posed tree that meet beyond their shared vertices, and their kinds (n,)."""
    jobs, poses = np.array([[tree, tree]], np.int64), rows[None]
    steps = answer_steps(Question(tree_set.side, tree_set.side, jobs, poses, poses, with_itself=True))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value.pairs, end.value.kinds
        yield


class _Voids:
    """One object of a pair, number ``side``, and the voids of the other object into which it may extend."""

    def __init__(
        self, case: Case, job: int, side: int, start: np.ndarray, pairs: np.ndarray, kinds: np.ndarray
    ) -> None:
        self.job, self.side = job, side
        self.trees = case.jobs[job]
        self._case = case
        self._exact: dict[tuple[int, int], Corners] = {}
        forest = case.tree_set.forest
        self.corners = [
            transform_points(
                rows[job],
                forest.vertices[
                    forest.vertex_start[tree]
                    + forest.triangles[forest.triangle_start[tree] : forest.triangle_end[tree]]
                ],
            )
            for tree, rows in zip(self.trees.tolist(), (case.rows_a, case.rows_b), strict=True)
        ]
        box = (case.boxes_a, case.boxes_b)[side][job]
        self.low, self.high = box[:3], box[3:]
        low, high = self.corners[1 - side].min(axis=1), self.corners[1 - side].max(axis=1)
        low, high = np.maximum(low, self.low), np.minimum(high, self.high)
        within = (
            np.maximum(low[pairs[:, 0]], low[pairs[:, 1]]) <= np.minimum(high[pairs[:, 0]], high[pairs[:, 1]])
        ).all(axis=1)
        self.met = pairs[within].astype(np.int64)
        """Pairs of triangles of the other object that meet each other, near this object."""
        self.crossing = self.met[kinds[within] == CROSSING]
        self.contacts = case.answer.pairs[start[job] : start[job + 1]][:, [side, 1 - side]]
        """Contacts of this object's triangles with the other object."""

    @cached_property
    def solids(self) -> bool:
        """Return whether both objects are closed."""
        return bool(self._case.solids.closed[self.trees].all())

    @cached_property
    def size(self) -> Fraction:
        """Largest absolute coordinate of both objects."""
        return Fraction(max(float(np.abs(corners).max()) for corners in self.corners))

    def lines(self) -> Iterator[tuple[Corners, Corners, list[Corners]]]:
        """Yield pairs of triangles that cross in a line which bounds cells, and the triangles that may cut this
        line.
        """
        beside, by_own = defaultdict(set), defaultdict(set)
        for t, u in self.met.tolist():
            beside[t].add(u)
            beside[u].add(t)
        for own, t in self.contacts.tolist():
            by_own[own].add(t)
        touching = defaultdict(set)
        for own, t in self.contacts.tolist():
            touching[t].add(own)
        if self.solids:
            for t, u in self.crossing.tolist():
                cutting = [self.exact(1 - self.side, w) for w in sorted(beside[t] & beside[u])]
                cutting += [self.exact(self.side, w) for w in sorted(touching[t] & touching[u])]
                if cutting:
                    yield self.exact(1 - self.side, t), self.exact(1 - self.side, u), cutting
        else:
            for own, t in self.contacts.tolist():
                cutting = [self.exact(1 - self.side, w) for w in sorted(beside[t] & by_own[own])]
                if cutting:
                    yield self.exact(self.side, own), self.exact(1 - self.side, t), cutting

    def exact(self, side: int, triangle: int) -> Corners:
        """Return a triangle as fractions."""
        key = side, triangle
        if key not in self._exact:
            self._exact[key] = exact_corners(self.corners[side][triangle])
        return self._exact[key]

    def reaches(self, point: Point) -> bool:
        """Return whether the box of this object contains a point."""
        return all(low <= x <= high for low, x, high in zip(self.low.tolist(), point, self.high.tolist(), strict=True))

    def bits_at(self, point: Point) -> int:
        """Return the bits of the cells around a point inside a triangle."""
        for number, direction in enumerate(DIRECTIONS.tolist()):
            (first, winding_first), (second, winding_second) = (self._on_ray(point, number, side) for side in range(2))
            q = far_point(point, self.size, direction)
            bits = bits_amid((first, second), (winding_first, winding_second), self.side, point, q)
            if bits is not None:
                return bits
        raise AssertionError("every search direction grazes an edge")

    def _on_ray(self, point: Point, direction: int, side: int) -> tuple[ExactSide, int]:
        """Return one side's triangles that a ray contains or may cross, and the winding number of the certain
        crossings.

        The test is done in the projection along the ray, in which the ray is a point. Signs of areas and volumes count
        if they exceed bounds far above their rounding errors.
        """
        axes, flat = self._shadows[direction, side]
        slack = _SLACK * float(self.size)
        place = np.array([float(x) for x in point]) @ axes
        near = (flat[..., :2].min(axis=1) - slack <= place[:2]) & (place[:2] <= flat[..., :2].max(axis=1) + slack)
        chosen = np.flatnonzero(near.all(axis=1))
        spokes = flat[chosen] - place
        nexts = np.roll(spokes, -1, axis=1)
        areas = spokes[..., 0] * nexts[..., 1] - spokes[..., 1] * nexts[..., 0]
        reach = np.abs(spokes).sum(axis=2).max(axis=1)
        signs = np.where(np.abs(areas) > 8.0 * slack * reach[:, None], np.sign(areas), 0.0)
        volumes = np.linalg.det(spokes) if len(spokes) else np.empty(0)
        turn = np.where((signs == signs[:, :1]).all(axis=1), signs[:, 0], 0.0)
        behind = (turn != 0.0) & (volumes * turn < -64.0 * slack * reach**2)
        ahead = (turn != 0.0) & (volumes * turn > 64.0 * slack * reach**2)
        missed = (signs.max(axis=1, initial=-1.0) > 0.0) & (signs.min(axis=1, initial=1.0) < 0.0)
        forest, tree = self._case.tree_set.forest, self.trees[side]
        orientation = self._case.solids.orientation[forest.triangle_start[tree] + chosen]
        unsure = np.flatnonzero(~(ahead | behind | missed))
        triangles = [self.exact(side, t) for t in chosen[unsure].tolist()]
        winding = int((turn * orientation)[ahead].sum())
        return ExactSide(triangles, orientation[unsure].tolist(), bool(self._case.solids.closed[tree])), winding

    @cached_property
    def _shadows(self) -> "_Shadows":
        return _Shadows(self.corners)


class _Shadows(dict[tuple[int, int], tuple[np.ndarray, np.ndarray]]):
    """Projections by direction and side: axes (3, 3), the last one along the direction, and corners (m, 3, 3)."""

    def __init__(self, corners: list[np.ndarray]) -> None:
        self._corners = corners

    def __missing__(self, key: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        direction = DIRECTIONS[key[0]] / np.linalg.norm(DIRECTIONS[key[0]])
        across = np.cross(direction, np.eye(3)[np.argmin(np.abs(direction))])
        across /= np.linalg.norm(across)
        axes = np.stack([across, np.cross(direction, across), direction], axis=1)
        self[key] = axes, self._corners[key[1]] @ axes
        return self[key]


def _search(voids: _Voids, posed: tuple[Any, ...], bits: np.ndarray) -> Steps:
    """Add the bits of one object of a pair, until a part of its own is found or everything is tested."""
    job, side = voids.job, voids.side
    wanted = (ONLY_A if side == 0 else ONLY_B) if voids.solids else SURFACE_IN | SURFACE_OUT

    def missing() -> bool:
        return bool(bits[job] & wanted != wanted)

    if voids.solids:
        triangles = np.repeat(np.unique(voids.crossing)[:, None], 2, axis=1)
        for what, rows in ((TOUCHED_A + 1 - side, triangles), (ITSELF_A + 1 - side, voids.crossing)):
            yield from _look(what, rows.astype(np.int32), job, posed, bits, missing)
    for line in voids.lines():
        for point in _middles(*line):
            if not missing():
                return
            if voids.reaches(point):
                bits[job] |= voids.bits_at(point)
                yield


def _look(what: int, pairs: np.ndarray, job: int, posed: tuple[Any, ...], bits: np.ndarray, missing: Any) -> Steps:
    """Add the bits around the triangles (n,) or pairs of triangles (n, 2) of the other object."""
    start, asked = np.zeros(len(bits) + 1, np.int64), np.zeros((len(bits), 2), np.bool_)
    start[job + 1 :], asked[job] = len(pairs), True
    kinds, places = np.full(len(pairs), CROSSING, np.uint8), np.array([what])
    visited = np.empty(visited_room(np.array([len(pairs)]), np.array([3 * len(pairs)])), np.int64)
    scratch = visited, new_point_workspace(), EFFORT, np.zeros(3, np.int64)
    done = False
    while missing() and not done:
        done = sample_sides(*posed, asked, places, start, pairs, kinds, *scratch, bits)
        yield


def _middles(first: Corners, second: Corners, cutting: Iterable[Corners]) -> Iterator[Point]:
    """Yield the midpoints of the segments into which other triangles cut the common segment of two triangles.

    The outer segments end where an edge passes through a triangle; these points are tested anyway.
    """
    ends = _common_segment(first, second)
    if ends is None:
        return
    low, high = ends
    shares: set[Fraction] = set()
    for corners in cutting:
        at_low, at_high = orient(*corners, low), orient(*corners, high)
        if at_low * at_high <= 0 and at_low != at_high:
            share = at_low / (at_low - at_high)
            if _holds(corners, along(low, high, share), low if at_low != 0 else high):
                shares.add(share)
        elif at_low == at_high == 0:
            points = {p for plane in (first, second) for p in _on_plane(corners, plane)}
            shares |= {s for p in points if (s := _share(low, high, p)) is not None and 0 <= s <= 1}
    for s, e in pairwise(sorted(shares)):
        yield along(low, high, (s + e) / 2)


def _holds(corners: Corners, point: Point, off: Point) -> bool:
    """Return whether a triangle contains a point of its plane; ``off`` is a point off the plane."""
    a, b, c = corners
    values = orient(off, a, b, point), orient(off, b, c, point), orient(off, c, a, point)
    return min(values) >= 0 or max(values) <= 0


def _common_segment(first: Corners, second: Corners) -> tuple[Point, Point] | None:
    """Return the ends of the segment in which two triangles cross; None if the triangles meet in a point or lie in one
    plane.
    """
    both = [_on_plane(first, second), _on_plane(second, first)]
    if min(map(len, both)) < 2 or max(map(len, both)) > 2:
        return None
    (a, b), (c, d) = (sorted(points) for points in both)
    low, high = max(a, c), min(b, d)  # along a line points are in the order of their coordinates
    return (low, high) if low < high else None


def _on_plane(corners: Corners, plane: Corners) -> set[Point]:
    """Return the corners of a triangle in a plane, and the points in which its edges go through the plane."""
    values = [orient(*plane, p) for p in corners]
    points = {p for p, value in zip(corners, values, strict=True) if value == 0}
    for k in range(3):
        v, w, at_v, at_w = corners[k - 1], corners[k], values[k - 1], values[k]
        if at_v * at_w < 0:
            points.add(along(v, w, at_v / (at_v - at_w)))
    return points


def _share(low: Point, high: Point, point: Point) -> Fraction | None:
    """Return the position of a point along a segment; None if the point is not on the segment's line."""
    k = next(k for k in range(3) if low[k] != high[k])
    share = (point[k] - low[k]) / (high[k] - low[k])
    return share if along(low, high, share) == point else None
