"""Polytopes of tumbling points: those of all vertices, whatever the last rotation was."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.lab.volumes.kdop import contains, directions_of
from meshclash.lab.volumes.kdop_climb import ClimbingPolytope
from strategies import GRID, rotation
from strategies import points as some_points

HALVES = (3, 7, 9, 13)


def turned_exactly(points, turn):
    turn, points = ([[Fraction(float(x)) for x in row] for row in rows] for rows in (turn, points))
    return [[sum(a * x for a, x in zip(row, point, strict=True)) for row in turn] for point in points]


def check(polytope, points, turn, half):
    """It contains all turned points, and is as narrow as a look at all of them makes it."""
    volume = polytope.turned(turn)
    assert all(contains([Fraction(float(x)) for x in volume], *point) for point in turned_exactly(points, turn))
    heights = directions_of(half) @ (turn @ points.T)
    expected = np.concatenate([heights.min(axis=1), heights.max(axis=1)])
    assert volume == pytest.approx(expected, rel=1e-6, abs=1e-6 * np.abs(points).max() + 1e-37)


@given(st.integers(0, 2**32 - 1), st.sampled_from(HALVES), st.integers(1, 200), st.booleans())
def test_polytopes_of_tumbling_points_are_those_of_all_points(seed, half, total, is_round):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(total, 3))
    if is_round:
        points /= np.linalg.norm(points, axis=1)[:, None]
    polytope = ClimbingPolytope(points, half)
    turn, step = np.eye(3), rotation(rng)
    for _ in range(4):
        check(polytope, points, turn, half)
        turn = turn @ step


@given(some_points(GRID, 9), st.integers(0, 2**32 - 1), st.sampled_from(HALVES))
def test_polytopes_hold_points_in_a_plane_on_a_line_and_at_one_place(points, seed, half):
    polytope, rng = ClimbingPolytope(points, half), np.random.default_rng(seed)
    for turn in (np.eye(3), np.eye(3)[[1, 2, 0]], rotation(rng)):
        check(polytope, points, turn, half)
