"""No triangle that matters to a question about a point is left out: compared with exact answers for every triangle."""

import exact
import meshclash as mc
import numpy as np
import pytest
from distances import fill_distances
from hypothesis import given
from hypothesis import strategies as st
from meshclash.jit import config, kernel
from meshclash.solid.frames import inverses_of
from meshclash.traversal.candidates import begin_near, next_near
from meshclash.traversal.forest import pack_trees
from meshclash.traversal.point import local_slack, new_point_workspace, to_local
from solids import torus
from strategies import any_points, poses, scaled_points


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


class Posed:
    """A mesh in a pose, with leaves of so many triangles."""

    def __init__(self, vertices, triangles, pose, leaf_size=8):
        self.pose = mc.Pose.from_matrix(pose)
        trees = pack_trees([mc.build(mc.TriangleMesh(vertices, triangles), leaf_size=leaf_size)])
        rows = self.pose.rows.copy()
        self.frame = trees.forest, rows, inverses_of(rows[None])[0], trees.origins[0], trees.reaches[0]
        self.triangles = self.pose.apply(vertices)[triangles]

    def near(self, p, limit):
        listed = np.empty(len(self.triangles), np.int64)
        return listed[: _list_near(*self.frame, p, limit, new_point_workspace(), listed)].tolist()


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


@pytest.mark.skipif(config.DISABLE_JIT, reason="lanes exist in compiled code only")
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
