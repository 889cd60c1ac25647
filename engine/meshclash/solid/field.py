"""Position of many points relative to one mesh: nearest points, exact sides of a solid, winding numbers.

Points are visited along a Morton curve, so that each search starts from the result of the previous point. The nearest
triangle of that point bounds the search. The winding number of a point is updated from the previous point: it stays the
same within the ball that is free of the surface. Outside this ball, the winding number changes by the crossings of the
segment between the two points, which are decided exactly. A segment that grazes an edge is replaced by a ray to the
outside. If all rays graze edges, the point may lie on the surface, which the exact predicates decide, too.
"""

import math
from collections.abc import Generator, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from ..geometry.incidence import LIES_ON, crossing_of_integers, lies_on_of_integers
from ..geometry.predicates import UNCERTAIN, ExactWorkspace
from ..geometry.triangle_distance import squared_distance
from ..hierarchy.bvh import Hierarchy
from ..hierarchy.moments import moment_unit, moments_of
from ..hierarchy.morton import order_points
from ..jit import inner, is_compiled, kernel, parallel_kernel, parallel_region, prange, thread_limit
from ..reference import by_reference
from ..traversal.crossings import winding_along
from ..traversal.forest import pack_trees
from ..traversal.frames import beyond_root, make_frame, surface_tolerance, winding_in
from ..traversal.nearest_triangles import COMPILED_FOR, Nearest, find_nearest, new_nearest, parts_of
from ..traversal.point import (
    PointWorkspace,
    new_workspace_arrays,
    on_surface,
)
from ..traversal.solids import kept_solids
from ..traversal.winding import NO_MOMENTS, generalised_winding
from ..types.pose import inverse_rotations, transform_points
from ..types.slices import Pace

NEAREST, EXACT_SIDE, WINDING, WINDING_SIDE = 1, 2, 4, 8
"""The values to compute: nearest points; winding numbers of a closed mesh by crossings; generalised winding numbers,
precise or just precise enough to distinguish inside from outside."""
ON, CLEAR, UNDECIDED = 0, 1, 2
"""Location of a point: on the surface, off it, or undecided because of the predicates' number range."""

_PART = 512  # points in a row; after them a search starts without an earlier result
_SHARED_FROM = 1 << 14  # number of points from which several cores are faster
_LEAST = 2.0**-1022


class Field(NamedTuple):
    """Results for n points; arrays of quantities that were not requested are empty."""

    distances: np.ndarray
    """Distance to the surface, (n,) float64 [m]; with exact sides it is 0 exactly for points on the surface."""
    points: np.ndarray
    """Nearest point of the surface, (n, 3) float64 [m], world."""
    triangles: np.ndarray
    """Triangle that contains the nearest point, (n,) int32."""
    windings: np.ndarray
    """Winding number, (n,) float64."""
    states: np.ndarray
    """ON or CLEAR if exact sides were requested, (n,) int8."""


@inner
def _crossed_number(forest, solids, frame, p, reference, work):
    """Return (exact winding number, ON, CLEAR or UNDECIDED) of p from a reference point (x, y, z, number, known)."""
    if reference[4] > 0.0:
        q = (reference[0], reference[1], reference[2])
        if p[0] == q[0] and p[1] == q[1] and p[2] == q[2]:
            return reference[3], CLEAR
        change, clear = winding_along(
            forest, frame.tree, frame.pose, frame.inverse, frame.origin, frame.reach, solids.orientation, p, q,
            np.int64(-1), solids.component, work,
        )  # fmt: skip
        if clear:
            return reference[3] + change, CLEAR
    number, clear = winding_in(forest, solids, frame, np.int64(-1), p, work)
    if clear:
        return np.float64(number), CLEAR
    incident = on_surface(forest, frame.tree, frame.pose, frame.inverse, frame.origin, frame.reach, p, work)
    return 0.0, (ON if incident == LIES_ON else UNDECIDED)


@inner
def _within_free_ball(p, reference, free, tolerance):
    """Return whether the reference point is in the ball around p that contains no point of the surface."""
    q = (reference[0], reference[1], reference[2])
    return reference[4] > 0.0 and math.sqrt(squared_distance(p, q)) + tolerance < free * (1.0 - 1e-9)


@inner
def _measure_tasks(
    forest, solids, pose, inverse, origins, reaches, moments, unit, points, places, tasks, wanted,
    stack, gaps, counter, expansions, scratch, found, windings, states,
):  # fmt: skip
    """Fill a Nearest and the other arrays of a ``Field`` for ``points`` (n, 3), row places[i] for point i.

    ``tasks`` (k, 3) are ranges of points, and the row from which the first search starts, -1 for no row.
    """
    forest = by_reference(forest)
    solids = by_reference(solids)
    found = by_reference(found)
    work = by_reference(PointWorkspace(stack, gaps, ExactWorkspace(counter, expansions), scratch))
    frame = by_reference(make_frame(np.int64(0), pose, inverse, origins, reaches))
    for task in range(tasks.shape[0]):
        before = np.int64(tasks[task, 2])
        reference = (0.0, 0.0, 0.0, 0.0, 0.0)
        for i in range(tasks[task, 0], tasks[task, 1]):
            p = (points[i, 0], points[i, 1], points[i, 2])
            row = places[i]
            free = 0.0
            if wanted & NEAREST:
                find_nearest(forest, frame, p, math.inf, found, row, before, work)
                before = row
                free = found.distances[row, 0]
            if wanted & EXACT_SIDE:
                tolerance = surface_tolerance(p, frame)
                if beyond_root(forest, frame, p, 0.0):
                    number, state = 0.0, CLEAR
                elif _within_free_ball(p, reference, free, tolerance):
                    number, state = reference[3], CLEAR
                else:
                    number, state = _crossed_number(forest, solids, frame, p, reference, work)
                windings[row] = number
                states[row] = state
                if state == CLEAR:
                    reference = (p[0], p[1], p[2], number, 1.0)
                    if wanted & NEAREST:
                        found.distances[row, 0] = max(found.distances[row, 0], _LEAST)
                elif state == ON and wanted & NEAREST:
                    found.distances[row, 0] = 0.0
                    for k in range(3):
                        found.points[row, 0, k] = p[k]
            elif wanted & (WINDING | WINDING_SIDE):
                windings[row] = generalised_winding(forest, frame, moments, unit, p, wanted & WINDING_SIDE != 0, work)


@kernel
def _measure(
    forest, solids, pose, inverse, origins, reaches, moments, unit, points, places, tasks, wanted,
    stack, gaps, counter, expansions, scratch, found, windings, states,
):  # fmt: skip
    """Wrapper of ``_measure_tasks`` that Python calls."""
    _measure_tasks(
        forest, solids, pose, inverse, origins, reaches, moments, unit, points, places, tasks, wanted,
        stack, gaps, counter, expansions, scratch, found, windings, states,
    )  # fmt: skip


@parallel_kernel
def _measure_together(
    forest, solids, pose, inverse, origins, reaches, moments, unit, points, places, tasks, wanted,
    stack, gaps, counter, expansions, scratch, found, windings, states,
):  # fmt: skip
    """Run ``_measure_tasks`` in parallel; worker w takes every ``workers``-th task, starting with task w."""
    workers = stack.shape[0]
    for w in prange(workers):
        _measure_tasks(
            forest, solids, pose, inverse, origins, reaches, moments, unit, points, places, tasks[w::workers], wanted,
            stack[w], gaps[w], counter[w], expansions[w], scratch[w], found, windings, states,
        )  # fmt: skip


class PosedSurface:
    """A hierarchy of boxes in a pose, prepared for any number of queries about points."""

    def __init__(self, hierarchy: Hierarchy, rows: np.ndarray) -> None:
        """Prepare a hierarchy in a pose (3, 4)."""
        self._hierarchy = hierarchy
        self._rows = np.array(rows)  # writeable, unlike those of a Pose: read-only arrays need another compilation
        tree_set = pack_trees([hierarchy])
        self._forest = tree_set.forest, kept_solids(hierarchy)
        self._frame = self._rows, inverse_rotations(self._rows), tree_set.origins, tree_set.reaches
        self._unit = moment_unit(hierarchy.parts)
        self._work, self._pace = new_workspace_arrays(()), Pace()

    def measure(self, points: np.ndarray, wanted: int, threads: int | None = None) -> Field:
        """Measure points; the arguments are the same as for ``measure_field``."""
        _, places, (found, windings, states), field = self._room(points, wanted)
        tasks = parts_of(0, len(points), _PART)
        tasks = np.column_stack([tasks, np.full(len(tasks), -1)])
        given = *places, tasks, np.int64(wanted)
        allowed = thread_limit(threads)
        shared = len(points) >= (_SHARED_FROM if is_compiled(_measure_together) else COMPILED_FOR)
        with parallel_region(allowed if shared else 1) as workers:
            if workers > 1:
                _measure_together(*given, *new_workspace_arrays((workers,)), found, windings, states)
            else:
                _measure(*given, *self._work, found, windings, states)
        for row in np.flatnonzero(field.states == UNDECIDED).tolist():
            _decide(self._hierarchy, self._rows, points, row, field)
        return field

    def measure_steps(self, points: np.ndarray, wanted: int) -> Generator[None, None, Field]:
        """Return the same as ``measure``, without exact sides; yields every few milliseconds, if a point takes less."""
        order, places, filled, field = self._room(points, wanted)
        for portion in range(0, len(points), _PART):
            end, before = min(portion + _PART, len(points)), -1
            for begin, until in self._pace.ranges(portion, end):
                _measure(*places, np.array([[begin, until, before]]), np.int64(wanted), *self._work, *filled)
                before = int(order[until - 1])
                yield
        return field

    def _room(
        self, points: np.ndarray, wanted: int
    ) -> tuple[np.ndarray, tuple[Any, ...], tuple[Nearest, np.ndarray, np.ndarray], Field]:
        """Return the order of points, the first arguments of kernels, the arrays to fill, and the field over these."""
        asked_windings = bool(wanted & (WINDING | WINDING_SIDE))
        moments = moments_of(self._hierarchy.parts) if asked_windings else NO_MOMENTS
        order = order_points(points)
        count = len(points)
        nearest, sides = count if wanted & NEAREST else 0, count if wanted & EXACT_SIDE else 0
        found = new_nearest(nearest, 1)
        windings, states = np.empty(sides if sides else count * asked_windings), np.empty(sides, np.int8)
        field = Field(found.distances[:, 0], found.points[:, 0], found.triangles[:, 0], windings, states)
        places = *self._forest, *self._frame, moments, self._unit, points[order], order
        return order, places, (found, windings, states), field


def measure_field(
    hierarchy: Hierarchy, rows: np.ndarray, points: np.ndarray, wanted: int, threads: int | None = None
) -> Field:
    """Measure world points (n, 3) float64 [m] against a hierarchy of boxes in a pose (3, 4).

    Args:
        hierarchy: the hierarchy; its mesh must be closed if exact sides are requested.
        rows: the pose.
        points: finite.
        wanted: what to compute: the sum of some of the constants above, with one kind of winding number at most.
        threads: maximum number of threads; the result does not depend on it.
    """
    return PosedSurface(hierarchy, rows).measure(points, wanted, threads)


def _decide(hierarchy: Hierarchy, rows: np.ndarray, points: np.ndarray, row: int, field: Field) -> None:
    """Decide the side of one point with integers, if double precision cannot represent the products; tests all
    triangles.
    """
    vertices, triangles = hierarchy.mesh.arrays
    corners, p = transform_points(rows, vertices)[triangles], points[row]
    near = _with_boxes_that_meet(corners, p, p)
    if any(lies_on_of_integers(*_integers([p, *corners[t]]), None) == LIES_ON for t in near):
        field.states[row] = ON
        if len(field.distances):
            field.distances[row], field.points[row] = 0.0, p
        return
    reach = 8.0 * float(np.abs(corners - p).max())
    turns = hierarchy.mesh.topology.orientation
    rng = np.random.default_rng(1)
    number: int | None = None
    while number is None:  # a point off the surface sees its edges in a set of directions of measure zero
        q = p + reach * np.array([1.0, *rng.uniform(-1e-3, 1e-3, 2)])  # nearly along an axis to meet few boxes
        near = _with_boxes_that_meet(corners, np.minimum(p, q), np.maximum(p, q))
        number = _crossings_by_integers(p, q, corners[near], turns[near].tolist())
    field.windings[row] = number
    field.states[row] = CLEAR
    if len(field.distances):
        field.distances[row] = max(field.distances[row], _LEAST)


def _with_boxes_that_meet(corners: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return which of the triangles (m, 3, 3) have boxes that meet a given box, (k,)."""
    return np.flatnonzero(((corners.min(axis=1) <= high) & (corners.max(axis=1) >= low)).all(axis=1))


def _crossings_by_integers(p: np.ndarray, q: np.ndarray, corners: np.ndarray, turns: list[int]) -> int | None:
    """Return the sum of segment pq's crossings with triangles (m, 3, 3), each with its sign; None if the segment grazes
    a triangle.
    """
    total = 0
    for corner, turn in zip(corners, turns, strict=True):
        passed = crossing_of_integers(*_integers([p, q, *corner]), None)
        if passed == UNCERTAIN:
            return None
        total += passed * turn
    return total


def _integers(points: Sequence[np.ndarray]) -> list[tuple[int, ...]]:
    """Return float points as integers, all multiplied by the same power of two."""
    rows = [[Fraction(float(x)) for x in point] for point in points]
    scale = lcm(*(x.denominator for row in rows for x in row))
    return [tuple(int(x * scale) for x in row) for row in rows]
