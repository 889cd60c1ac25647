"""The shortest translation that separates convex hulls, against the hull of all differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.convex.hull_separation import hull_separation
from meshclash.shapes import sphere
from scipy.spatial import ConvexHull
from strategies import rotation

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], float)


def shapes(seed, kind):
    rng = np.random.default_rng(seed)
    if kind == "clouds":
        return rng.normal(size=(rng.integers(4, 40), 3)), rng.normal(size=(20, 3)) + 0.5 * rng.normal(size=3)
    if kind == "parallel boxes":
        return CORNERS, CORNERS + rng.integers(-3, 4, 3) / 4
    if kind == "turned boxes":
        return CORNERS, (CORNERS - (0.5, 1, 1.5)) @ rotation(rng) + (0.5, 1, 1.5) + 0.3 * rng.normal(size=3)
    if kind == "long ellipsoids":  # few corners are far out along any direction, and they mirror each other
        radii = 10.0 ** rng.uniform(-4, -0.5, 3)
        radii[rng.integers(3)] = 1.0
        long = (sphere(1.0, 0.1).vertices * radii) @ rotation(rng)
        return (long, long + 1e-6 * rng.normal(size=3)) if rng.random() < 0.5 else (long, np.zeros((1, 3)))
    ball = rng.normal(size=(90, 3))
    ball /= np.linalg.norm(ball, axis=1)[:, None]
    return ball, ball + 0.4 * rng.normal(size=3)


@pytest.mark.parametrize("kind", ["clouds", "parallel boxes", "turned boxes", "balls", "long ellipsoids"])
@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.sampled_from((1e-6, 1.0, 1e6)))
def test_it_is_the_nearest_facet_of_the_differences(kind, seed, scale):
    a, b = (scale * points for points in shapes(seed, kind))
    expected = float((-ConvexHull((a[:, None] - b[None]).reshape(-1, 3)).equations[:, 3]).min())
    if expected <= 1e-9 * scale:
        return
    found = hull_separation(a, b)
    assert abs(found.length - expected) <= 1e-9 * scale
    assert found.lower <= found.length <= found.lower + 1e-9 * scale
    assert np.linalg.norm(found.direction) == pytest.approx(1.0)
    reach = (a @ found.direction).max() - (b @ found.direction).min()
    assert reach == pytest.approx(found.length, rel=1e-9)


@pytest.mark.parametrize("kind", ["clouds", "parallel boxes", "turned boxes", "balls"])
@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.floats(0.0, 0.2), st.booleans())
def test_known_pairs_change_nothing_but_the_work(kind, seed, moved, sensible):
    """From the pairs of a question nearby, or from any pairs at all."""
    rng = np.random.default_rng(seed)
    a, b = shapes(seed, kind)
    known = hull_separation(a, b).pairs
    if not sensible:
        known = np.stack([rng.integers(len(a), size=7), rng.integers(len(b), size=7)], axis=1)
    b = b + moved * rng.normal(size=3)
    cold, warm = hull_separation(a, b), hull_separation(a, b, known)
    if cold.length < 0.0:
        assert warm.length < 1e-12
        return
    assert abs(warm.length - cold.length) <= 1e-12 and abs(warm.lower - cold.lower) <= 1e-12
    reach = (a @ warm.direction).max() - (b @ warm.direction).min()
    assert reach == pytest.approx(warm.length, abs=1e-12)


def test_along_a_motion_nearly_everything_is_at_hand():
    rng = np.random.default_rng(3)
    ball = rng.normal(size=(300, 3))
    ball /= np.linalg.norm(ball, axis=1)[:, None]
    known, searches = None, []
    for step in range(20):
        found = hull_separation(ball, ball + np.array((1.2 + 0.01 * step, 0.1, 0.002 * step)), known)
        known = found.pairs
        searches.append(found.searches)
    assert searches[0] > 20 and np.mean(searches[1:]) < 5


def test_hulls_that_are_apart_have_a_negative_length():
    for shift in ((2.0, 0, 0), (1.5, 3.0, 4.0)):
        found = hull_separation(CORNERS, CORNERS + np.array(shift))
        assert found.length < 0.0 and found.lower <= 0.0
        assert (CORNERS @ found.direction).max() < ((CORNERS + np.array(shift)) @ found.direction).min()


def test_points_in_one_plane_are_separated_at_once():
    flat = CORNERS * (1, 1, 0)
    found = hull_separation(flat, flat + np.array((0.25, 0.25, 0)))
    assert (found.length, found.lower) == (0.0, 0.0)
    assert abs(found.direction[2]) == pytest.approx(1.0)


@pytest.mark.parametrize("axes", [(1, 0, 0), (1, 1, 0), (0, 0, 0)])
@pytest.mark.parametrize("size", [1e-100, 1.0])
def test_points_in_one_line_or_place_are_separated_across(axes, size):
    line = size * np.linspace(0.0, 1.0, 5)[:, None] * np.array(axes, float)
    for known in (None, np.zeros((6, 2), np.int64)):
        found = hull_separation(line, line, known)
        assert (found.length, found.lower) == (0.0, 0.0)
        assert np.linalg.norm(found.direction) == pytest.approx(1.0)
        assert abs(found.direction @ axes) <= 1e-12
