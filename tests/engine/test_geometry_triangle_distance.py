"""Distances of points and triangles against exact ones and against dense sampling."""

import exact
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.geometry import triangle_distance
from meshclash.geometry.triangle_pair import classify_triangle_pairs
from meshclash.jit import kernel
from strategies import points, rotation

NUMBERS = st.integers(-3, 3) | st.floats(-4.0, 4.0, width=16)  # squares of these do not underflow


@kernel
def _to_triangle(p, t):
    return triangle_distance.closest_on_triangle(
        (p[0], p[1], p[2]), (t[0, 0], t[0, 1], t[0, 2]), (t[1, 0], t[1, 1], t[1, 2]), (t[2, 0], t[2, 1], t[2, 2])
    )


@kernel
def _of_triangles(a, b):
    return triangle_distance.closest_of_triangles(
        (a[0, 0], a[0, 1], a[0, 2]), (a[1, 0], a[1, 1], a[1, 2]), (a[2, 0], a[2, 1], a[2, 2]),
        (b[0, 0], b[0, 1], b[0, 2]), (b[1, 0], b[1, 1], b[1, 2]), (b[2, 0], b[2, 1], b[2, 2]), False,
    )  # fmt: skip


@settings(max_examples=300)
@given(points(NUMBERS, 4))
def test_nearest_point_of_a_triangle(corners):
    """It lies on the triangle and is as near as any; triangles without area included."""
    p, t = corners[0], corners[1:]
    x = np.array(_to_triangle(p, t))
    assert exact.distance_to_triangle(x, t) <= 1e-12
    assert np.linalg.norm(x - p) == pytest.approx(exact.distance_to_triangle(p, t), rel=1e-12, abs=1e-12)


def sampled(t, steps):
    """Points all over a triangle, its corners and edges included."""
    weights = [(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)]
    return np.array(weights) / steps @ t


@settings(max_examples=60)
@given(points(NUMBERS, 6))
def test_nearest_points_of_two_triangles(corners):
    """They lie on the triangles, are as far apart as said, and no sampled point is nearer; 0 only where they meet."""
    a, b = corners[:3], corners[3:]
    distance, x, y = _of_triangles(a, b)
    assert exact.distance_to_triangle(x, a) <= 1e-9
    assert exact.distance_to_triangle(y, b) <= 1e-9
    assert np.linalg.norm(np.subtract(x, y)) == pytest.approx(distance, rel=1e-9, abs=1e-9)
    meet = classify_triangle_pairs(a[None], b[None])[0][0] != 0
    assert distance <= 1e-9 if meet else distance > 0.0
    for one, other in ((a, b), (b, a)):
        for p in sampled(one, 3):
            assert distance <= exact.distance_to_triangle(p, other) + 1e-9


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1.0))
def test_known_gaps_in_any_pose(seed, gap):
    """A corner above a face, and two edges that cross at a distance."""
    rng = np.random.default_rng(seed)
    floor = np.array([[-2.0, -2, 0], [3, -2, 0], [0, 3, 0]])
    pointing = np.array([[0.0, 0, gap], [1, 0, gap + 1], [0, 1, gap + 1]])
    ridge = np.array([[-1.0, 0, 0], [1, 0, 0], [0, 0, -1]])
    across = np.array([[0.0, -1, gap], [0, 1, gap], [0, 0, gap + 1]])
    turn = rotation(rng)
    for a, b in ((floor, pointing), (ridge, across)):
        posed = (a @ turn.T, b @ turn.T)
        for first, second in (posed, posed[::-1]):
            assert _of_triangles(first, second)[0] == pytest.approx(gap, rel=1e-6)


def test_swapping_and_turning_corners_changes_little():
    rng = np.random.default_rng(1)
    for _ in range(200):
        a, b = rng.normal(size=(2, 3, 3))
        expected = _of_triangles(a, b)[0]
        assert _of_triangles(b, a)[0] == pytest.approx(expected, rel=1e-9, abs=1e-18)
        assert _of_triangles(a[[1, 2, 0]], b[[0, 2, 1]])[0] == pytest.approx(expected, rel=1e-9, abs=1e-18)


@settings(max_examples=400)
@given(st.integers(0, 2**32 - 1), st.floats(-8.0, 1.0), st.booleans())
def test_a_corner_through_a_much_smaller_triangle(seed, exponent, swapped):
    """Both ends of what they share may lie on edges of the larger one: no edge of the smaller one tells of it."""
    rng = np.random.default_rng(seed)
    size = 10.0**exponent
    large = rng.normal(size=(3, 3))
    inward = 0.5 * (large[1] + large[2]) - large[0]
    plane = rotation(rng)[:2]
    angles = rng.uniform(0.0, 6.3) + np.array([0.0, 2.1, 4.2])
    middle = large[0] + size * rng.uniform(-0.2, 0.3) * inward / np.linalg.norm(inward)
    small = middle + size * np.stack([np.cos(angles), np.sin(angles)], axis=1) @ plane
    pair = large[rng.permutation(3)], small[rng.permutation(3)]
    a, b = pair[::-1] if swapped else pair
    meet = classify_triangle_pairs(a[None], b[None])[0][0] != 0
    distance = _of_triangles(a, b)[0]
    assert distance <= 1e-14 if meet else distance > 0.0
