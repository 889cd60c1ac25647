"""No triangle that matters to a question about a point is left out: compared with exact answers for every triangle."""

import exact
import meshclash as mc
import numpy as np
import pytest
from distances import fill_distances
from hypothesis import given
from hypothesis import strategies as st
from meshclash.jit import config, kernel
from meshclash.traversal.candidates import begin_far, begin_near, begin_on_line, next_far, next_near, next_on_line
from meshclash.traversal.forest import pack_trees
from meshclash.traversal.frames import inverses_of
from meshclash.traversal.point import local_slack, new_point_workspace, to_local
from solids import torus
from strategies import any_points, matrix, poses, rotation, scaled_points, soup


@kernel
def _list_near(forest, pose, inverse, origin, reach, p, limit, work, listed):
    q = to_local((p[0], p[1], p[2]), pose, inverse, origin)
    begin_near(forest, 0, q, local_slack((p[0], p[1], p[2]), pose, reach), work)
    count, t = 0, next_near(forest, 0, limit, work)
    while t >= 0:
        listed[count] = t
        count += 1
        t = next_near(forest, 0, limit, work)
    return count


@kernel
def _list_on_line(forest, pose, inverse, origin, reach, p, q, work, listed):
    a, b = (p[0], p[1], p[2]), (q[0], q[1], q[2])
    slack = local_slack(a, pose, reach) + local_slack(b, pose, reach)
    begin_on_line(forest, 0, to_local(a, pose, inverse, origin), to_local(b, pose, inverse, origin), slack, work)
    count, t = 0, next_on_line(forest, 0, work)
    while t >= 0:
        listed[count] = t
        count += 1
        t = next_on_line(forest, 0, work)
    return count


@kernel
def _list_far(forest, m, limit, work, listed):
    begin_far(forest, 0, (m[0], m[1], m[2]), work)
    count, t = 0, next_far(forest, 0, limit, work)
    while t >= 0:
        listed[count] = t
        count += 1
        t = next_far(forest, 0, limit, work)
    return count


class Posed:
    """A mesh in a pose, with leaves of so many triangles."""

    def __init__(self, vertices, triangles, pose, leaf_size=8):
        self.pose = mc.Pose.from_matrix(pose)
        trees = pack_trees([mc.build(mc.TriangleMesh(vertices, triangles), leaf_size=leaf_size)])
        rows = self.pose.rows.copy()
        self.frame = trees.forest, rows, inverses_of(rows[None])[0], trees.origins[0], trees.reaches[0]
        self.local, self.origin = vertices[triangles], trees.origins[0]
        self.triangles = self.pose.apply(vertices)[triangles]

    def near(self, p, limit):
        listed = np.empty(len(self.triangles), np.int64)
        return listed[: _list_near(*self.frame, p, limit, new_point_workspace(), listed)].tolist()

    def on_line(self, p, q):
        listed = np.empty(len(self.triangles), np.int64)
        return listed[: _list_on_line(*self.frame, p, q, new_point_workspace(), listed)].tolist()

    def far(self, m, limit):
        """Of triangles in the hierarchy's frame."""
        listed = np.empty(len(self.triangles), np.int64)
        return listed[: _list_far(self.frame[0], m, limit, new_point_workspace(), listed)].tolist()


def meets(p, q, triangle):
    """Whether a segment certainly meets a triangle in whose plane it does not lie."""
    a, b, c = triangle
    ends = exact.orient3d(a, b, c, p) * exact.orient3d(a, b, c, q)
    sides = [exact.orient3d(p, q, u, v) for u, v in ((a, b), (b, c), (c, a))]
    return ends <= 0 and any(sides) and not (1 in sides and -1 in sides)


@st.composite
def posed_soups(draw, most_triangles=12):
    """Any triangles over a few points of all sorts, in a pose; leaves that have an 8-wide form, and larger ones."""
    count = draw(st.integers(3, 9))
    vertices = draw(any_points(count) | scaled_points(count)).clip(-1e30, 1e30)
    corner = st.integers(0, count - 1)
    triangles = draw(st.lists(st.tuples(corner, corner, corner), min_size=1, max_size=most_triangles))
    pose = draw(st.just(np.eye(4)) | poses())
    return Posed(vertices, np.array(triangles), pose, draw(st.sampled_from((1, 3, 8, 16))))


@st.composite
def places(draw, posed):
    """Points on, beside and away from the triangles."""
    corners = posed.triangles.reshape(-1, 3)
    p, q, r = (corners[draw(st.integers(0, len(corners) - 1))] for _ in range(3))
    s, t = draw(st.sampled_from((0.0, 0.25, 0.5, 1.0, 1.5, -3.0))), draw(st.sampled_from((0.0, 1e-9, 0.3, -1.0)))
    return p + s * (q - p) + t * (r - p)


@given(st.data())
def test_every_triangle_as_near_as_the_limit_is_given(data):
    posed = data.draw(posed_soups())
    p = data.draw(places(posed))
    distances = np.array([exact.distance_to_triangle(p, triangle) for triangle in posed.triangles])
    limit = data.draw(st.sampled_from(distances.tolist())) * data.draw(st.sampled_from((1.0, 1.25, 0.5)))
    given_out = posed.near(p, limit)
    assert len(set(given_out)) == len(given_out)
    assert set(np.flatnonzero(distances <= limit)) <= set(given_out)


@given(st.data())
def test_every_triangle_that_a_line_meets_is_given(data):
    posed = data.draw(posed_soups())
    p, q = data.draw(places(posed)), data.draw(places(posed))
    q = data.draw(st.sampled_from((1.0, 0.5, 1e3))) * (q - p) + p
    given_out = posed.on_line(p, q)
    assert len(set(given_out)) == len(given_out)
    assert {i for i, triangle in enumerate(posed.triangles) if meets(p, q, triangle)} <= set(given_out)


def random_soup(rng, count=12):
    """Small triangles at random places, in a random pose: all coordinates are rounded in float32."""
    corners = rng.normal(size=(count, 1, 3)) + 0.3 * rng.normal(size=(count, 3, 3))
    return Posed(*soup(corners), matrix(rotation(rng), rng.normal(size=3)))


@pytest.mark.slow
def test_triangles_just_as_near_as_the_limit_are_given():
    """Beyond a corner, where the bound is the distance itself but for rounding."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        posed = random_soup(rng)
        for t, triangle in enumerate(posed.triangles):
            for size in (1.0, 0.1, 1e-3, 1e-4, 1e-5):
                beyond = triangle[0] - triangle.mean(axis=0)
                p = triangle[0] + size * (beyond + 0.1 * rng.normal(size=3))
                assert t in posed.near(p, exact.distance_to_triangle(p, triangle))


@pytest.mark.slow
def test_triangles_whose_edges_a_line_just_meets_are_given():
    rng, total = np.random.default_rng(5), 0
    for _ in range(20):
        posed = random_soup(rng)
        for t, triangle in enumerate(posed.triangles):
            p, share = rng.normal(size=3), rng.random()
            q = p + rng.choice((1.0, 2.0, 50.0)) * (triangle[0] + share * (triangle[1] - triangle[0]) - p)
            if meets(p, q, triangle):
                assert t in posed.on_line(p, q)
                total += 1
    assert total > 50


@given(st.data())
def test_every_triangle_that_reaches_so_far_is_given(data):
    posed = data.draw(posed_soups())
    m = np.array(data.draw(st.tuples(*3 * [st.floats(-1.0, 1.0)])))
    m = m / np.linalg.norm(m) if np.linalg.norm(m) > 0.1 else np.array([0.0, 0.0, 1.0])
    (direction,), (origin,) = exact.fractions([m]), exact.fractions([posed.origin])
    heights = [
        max(exact.dot(direction, exact.minus(corner, origin)) for corner in exact.fractions(triangle))
        for triangle in posed.local
    ]
    limit = data.draw(st.sampled_from(heights))
    found = posed.far(m, np.nextafter(float(limit), -np.inf))
    assert len(set(found)) == len(found)
    assert {i for i, height in enumerate(heights) if height >= limit} <= set(found)


@pytest.mark.skipif(config.DISABLE_JIT, reason="lanes exist in compiled code only")
def test_few_others_reach_far():
    posed = Posed(*torus(3.0, 1.0, 48, 24), np.eye(4))
    for direction in np.random.default_rng(3).normal(size=(50, 3)):
        m = direction / np.linalg.norm(direction)
        heights = ((posed.local - posed.origin) @ m).max(axis=1)
        assert len(posed.far(m, heights.max() - 1e-12)) <= np.count_nonzero(heights >= heights.max() - 1e-4)


@pytest.mark.skipif(config.DISABLE_JIT, reason="lanes exist in compiled code only")
@pytest.mark.slow
def test_few_others_are_given():
    """About the nearest alone, and the nearest first."""
    rng = np.random.default_rng(1)
    posed = Posed(*torus(3.0, 1.0, 48, 24), np.eye(4))
    counts = []
    for p in rng.normal(size=(50, 3)) * (2.0, 2.0, 0.7):
        distances = np.empty((1, len(posed.triangles)))
        fill_distances(np.tile(p, (1, 3, 1)), posed.triangles, distances)
        distances = distances[0]
        found = posed.near(p, 1.001 * distances.min())
        assert distances[found[0]] <= 1.001 * distances.min()
        counts.append(len(found) - np.count_nonzero(distances <= 1.001 * distances.min()))
    assert np.mean(counts) < 1.0


@pytest.mark.skipif(config.DISABLE_JIT, reason="lanes exist in compiled code only")
@pytest.mark.slow
def test_few_others_are_on_a_line():
    rng = np.random.default_rng(2)
    posed = Posed(*torus(3.0, 1.0, 24, 12), np.eye(4))
    counts = []
    for p, q in zip(rng.normal(size=(6, 3)), 9.0 * rng.normal(size=(6, 3)), strict=True):
        met = {i for i, triangle in enumerate(posed.triangles) if meets(p, q, triangle)}
        found = set(posed.on_line(p, q))
        assert met <= found
        counts.append(len(found - met))
    assert np.mean(counts) < 0.1
