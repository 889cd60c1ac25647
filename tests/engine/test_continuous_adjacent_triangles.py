"""Triangles of one object that share vertices: found between frames if and only if ``self_collide`` has them then."""

from fractions import Fraction
from itertools import combinations

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.answering import engine_choice
from meshclash.continuous import adjacent_triangles, moving_engine
from meshclash.continuous.rational import Encounter
from meshclash.continuous.roots import Root
from meshclash.continuous.separating_planes import moments_left, roots_of, whole_corners
from oracles.impact_oracle import first_moment
from strategies import rotation

FLOOR = [(0, 0, 0), (4, 0, 0), (0, 4, 0)]
"""Triangle 0, 1, 2, which rests. The other one is 0, 3, 4, or 0, 1, 3 where it has one corner of its own."""


def asked(start, end):
    """The first moment of the two triangles, None where they do not count, of the corners of the second one."""
    mesh = mc.TriangleMesh([*FLOOR, *start], [[0, 1, 2], [0, 3, 4] if len(start) == 2 else [0, 1, 3]])
    found = mc.motion.swept_self_collide(mesh, None, [*FLOOR, *end])
    first = mc.motion.swept_self_collide(mesh, None, [*FLOOR, *end], first_only=True)
    assert np.array_equal(found.time, first.time)
    return float(found.time[0]) if len(found) else None


CASES = {
    "through the shared vertex and away": ([(-1, -1, 1), (-5, -5, 3)], [(1, 1, -1), (-5, -5, 3)], None),
    "through the shared vertex, and across from then on": ([(-1, -1, 1), (5, 5, 3)], [(1, 1, -1), (5, 5, 3)], 0.5),
    "through the other triangle": ([(1, 1, 1), (1, 2, 3)], [(1, 1, -3), (1, 2, 3)], 0.25),
    "onto the other triangle at the end": ([(1, 1, 1), (1, 2, 3)], [(1, 1, 0), (1, 2, 3)], 1.0),
    "the vertex on the opposite edge": ([(-2, 1, 1), (2, -1, 1)], [(-2, 1, -1), (2, -1, -1)], None),
    "an edge along the other's edge": ([(2, -1, 0), (0, -1, 3)], [(2, 1, 0), (0, -1, 3)], 0.5),
    "shrinks to the shared vertex": ([(-1, -1, 1), (-2, -1, 1)], [(0, 0, 0), (0, 0, 0)], None),
    "grows from the shared vertex across the other": ([(0, 0, 0), (0, 0, 0)], [(1, 1, -1), (2, 1, 2)], 0.0),
    "opens in the plane": ([(2, -1, 0)], [(-2, -1, 0)], None),
    "turns over in the plane": ([(1, -3, 0)], [(1, 1, 0)], 0.75),
    "turns over in the plane beside the edge": ([(9, -3, 0)], [(9, 1, 0)], 0.75),
    "flattens onto the shared edge": ([(1, -3, 0)], [(1, 0, 0)], None),
    "folds onto the other": ([(1, -3, 3)], [(1, 1, 0)], 1.0),
    "folds beside the other": ([(1, -3, 3)], [(1, -1, 0)], None),
}


@pytest.mark.parametrize("name", CASES)
def test_neighbours_count_when_they_meet_in_more_than_they_share(name):
    start, end, expected = CASES[name]
    time = asked(start, end)
    assert time == expected if expected is None or time is None else 0 <= expected - time <= 2.0**-40


def off_shared(points, rows, kind, shared):
    """Whether four points which meet, positions (v, 3), do so away from what their triangles share."""
    if kind == 0:
        corner, on = points[rows[0]], [points[v] for v in shared]
        way, edge = corner - on[0], on[-1] - on[0]
        along = np.clip(way @ edge / max(edge @ edge, 1e-30), 0, 1)
        return np.linalg.norm(way - along * edge) > 1e-6
    for v in shared:
        p, q = (points[i] for i in (rows[2:] if v in rows[:2] else rows[:2]))
        way, edge = points[v] - p, q - p
        along = np.clip(way @ edge / max(edge @ edge, 1e-30), 0, 1)
        if np.linalg.norm(way - along * edge) < 1e-6:
            return False
    return True


def elements(t, u):
    for x, y in ((t, u), (u, t)):
        yield from (([v, *y], 0) for v in x if v not in y)
    for e, f in ((e, f) for e in combinations(t, 2) for f in combinations(u, 2) if not {*e} & {*f}):
        yield [*e, *f], 1


def contacts(start, end, kind, step=2.0**-12):
    """Moments at which four points meet, each a step after the one before."""
    low = 0.0
    while low < 1.0:
        bracket = first_moment(start + low * (end - start), end, kind == 1)
        if bracket is None:
            return
        low += (1.0 - low) * float(bracket[0])
        yield low
        low = np.floor((low + step) / step) * step


def has_hazards(mesh, end, i, j):
    """Whether two triangles certainly count at some time: by ``self_collide``, or by an element off what they share."""
    t, u = mesh.triangles[i].tolist(), mesh.triangles[j].tolist()
    shared = [v for v in t if v in u]

    def at(time):
        return mesh.vertices + time * (end - mesh.vertices)

    def count_at(time):
        return len(mc.self_collide(mc.TriangleMesh(at(time), [t, u]))) > 0

    if any(count_at(k / 4) for k in range(5)):
        return True
    for rows, kind in elements(t, u):
        for moment in contacts(mesh.vertices[rows], end[rows], kind):
            if off_shared(at(moment), rows, kind, shared):
                return True
            # Otherwise it can only count for a while that begins or ends here.
            if any(count_at(round((moment + d) * 2**30) / 2**30) for d in (-1e-4, 1e-4) if 0 <= moment + d <= 1):
                return True
    return False


@pytest.mark.needs_jit
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from((1, 2)))
def test_neighbours_are_found_as_the_oracle_says(seed, size):
    rng = np.random.default_rng(seed)
    start = rng.integers(-size, size + 1, (5, 3)).astype(float)
    end = rng.integers(-size, size + 1, (5, 3)).astype(float)
    mesh = mc.TriangleMesh(start, [[0, 1, 2], [0, 3, 4], [0, 1, 3]])
    found = mc.motion.swept_self_collide(mesh, None, end)
    pairs = {tuple(p) for p in found.pairs.tolist()}
    assert pairs == {(i, j) for i, j in combinations(range(3), 2) if has_hazards(mesh, end, i, j)}
    back = mc.motion.swept_self_collide(mesh, end, start)
    assert np.array_equal(back.pairs, found.pairs)


def test_moments_are_told_apart_and_together():
    """Square roots of a half: one of 1 - 2 t^2, another of its product with another polynomial, one a hair beside."""
    half = [1, 2, -1]  # (1 - t)^2 + 2 t (1 - t) - t^2 = 1 - 2 t^2
    other = [3, 5, -5, 1]  # times (3 (1 - t) - t)
    assert not adjacent_triangles._part(Root(half, 1, 1), Root(other, 2, 2))
    beside = Root([2**70 + 1, 2**71, -(2**70)], 1, 1)
    root = Root(half, 1, 1)
    assert adjacent_triangles._part(root, beside) and root.high < beside.low
    assert adjacent_triangles._part(Root([0, 1], 0, 0, exact=True), root)
    quarter = Root([-1, 3], 0, 0)
    assert not adjacent_triangles._part(quarter, Root([-1, 3], 1, 2, exact=True))
    assert adjacent_triangles._part(quarter, Root([-1, 1], 1, 1, exact=True)) and quarter.high < Fraction(1, 2)


SMALL = st.integers(-2, 2)
POINT = st.tuples(SMALL, SMALL, SMALL)
ROUNDED = rotation(np.random.default_rng(1))


@st.composite
def neighbours_that_move(draw):
    """Two triangles with one or two vertices in common: at random, or shrunk, or reflected, alike or nearly so."""
    ids = draw(st.sampled_from(([0, 1, 2, 0, 3, 4], [0, 1, 2, 3, 1, 4], [0, 1, 2, 0, 1, 3], [2, 0, 1, 3, 1, 0])))
    start = np.array(draw(st.lists(POINT, min_size=5, max_size=5)), float)
    end = np.array(draw(st.lists(POINT, min_size=5, max_size=5)), float)
    factor = draw(st.sampled_from([None, 0.0, -1.0, -0.3, -3.0, 0.5]))
    if draw(st.booleans()):  # nothing goes exactly through one point then
        start, end = (points @ ROUNDED for points in (start, end))
    if factor is not None:
        end = end[0] + factor * (start - end[0])
    if draw(st.booleans()):
        end[draw(st.integers(0, 4))] += draw(st.sampled_from([1e-17, 0.25, -0.25]))
    return np.array(ids), start[ids], end[ids]


@given(neighbours_that_move())
@settings(max_examples=80, deadline=None)
def test_what_planes_leave_over_is_what_all_moments_say(pair):
    ids, start, end = pair
    corners = whole_corners(start[None], end[None])
    (left,) = moments_left(ids[None], corners)
    if left is not None:
        both = adjacent_triangles._Pair(ids.tolist(), corners[0].tolist())
        assert np.array_equal(both.first_of(roots_of(left)), both.first_moment(), equal_nan=True)


@given(neighbours_that_move())
@settings(max_examples=60, deadline=None)
def test_elements_that_never_meet_change_no_moment(pair):
    ids, start, end = pair
    places = np.zeros((2, 5, 3))
    places[0, ids], places[1, ids] = start, end
    neighbours = adjacent_triangles.Neighbours(ids.reshape(2, 3), *places, None)
    (meeting, unasked), earliest = neighbours._elements_that_meet(np.stack([ids, ids]), np.array([True, False]))
    assert unasked == [] and earliest[0] * 2.0**41 % 1.0 == 0.0
    points = whole_corners(start[None], end[None])[0].tolist()
    both = adjacent_triangles._Pair(ids.tolist(), points)
    assert np.array_equal(both.first_moment(meeting, earliest[0]), both.first_moment(), equal_nan=True)
    for corners, kind in adjacent_triangles._elements(ids.tolist()):
        if (corners, kind) not in meeting:
            assert not any(Encounter([points[i] for i in corners], kind).meetings())


def octahedron(turn):
    points = np.vstack([np.eye(3), -np.eye(3)]) @ turn.T
    return mc.TriangleMesh(
        points, [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]]
    )


@pytest.mark.parametrize("factor", [-1.0, 0.0, -2.0])
def test_what_is_reflected_through_a_point_is_parted_by_planes(factor, monkeypatch):
    """No pair of neighbours has all its moments looked at, which takes milliseconds."""
    monkeypatch.delattr(adjacent_triangles._Pair, "first_moment")
    mesh = octahedron(rotation(np.random.default_rng(1)))
    found = mc.motion.swept_self_collide(mesh, None, factor * mesh.vertices)
    shared = (mesh.triangles[found.pairs[:, 0], :, None] == mesh.triangles[found.pairs[:, 1], None, :]).any(axis=(1, 2))
    assert len(found) == 4 and not shared.any()  # opposite faces
    assert np.allclose(found.time, 1.0 / (1.0 - factor))


def test_progress_goes_on_while_neighbours_are_looked_at(monkeypatch):
    class Short:
        """A slice of one step."""

        def __init__(self):
            self._asked = 0

        @property
        def over(self):
            self._asked += 1
            return self._asked > 1

    class Over:
        over = True

    monkeypatch.setattr(moving_engine, "Slice", Short)
    monkeypatch.setattr(engine_choice, "Slice", Over)
    mesh = octahedron(rotation(np.random.default_rng(1)))
    centre = np.array([0.1, 0.2, 0.3])  # rounded: nothing is exactly reflected
    told = list(mc.steps(mc.motion.swept_self_collide, mesh, None, 2.0 * centre - mesh.vertices))
    assert len({progress.fraction for progress in told}) > 20
