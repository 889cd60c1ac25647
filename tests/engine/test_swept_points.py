"""First touches between two frames: points, normals and features of pairs whose answer is known."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import rotation

PLATE = np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0]])
DART = np.array([[1.0, 1, 1], [1.1, 1, 1.5], [1, 1.1, 1.5]])
FACE, EDGE, VERTEX = 3, 2, 1


def one(vertices):
    return mc.TriangleMesh(vertices, [[0, 1, 2]])


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_a_corner_meets_a_face_wherever_both_are_turned(seed):
    rng = np.random.default_rng(seed)
    turn, shift = rotation(rng), rng.uniform(-5, 5, 3)
    a, b, end = (x @ turn.T + shift for x in (PLATE, DART, DART - [0, 0, 4]))
    for first, second, ends, sign in ((a, b, {"end_b": end}, 1.0), (b, a, {"end_a": end}, -1.0)):
        found = mc.motion.swept_collide(one(first), one(second), **ends)
        at = found.points()
        assert found.time == pytest.approx([0.25])
        assert np.allclose(at.point[0], turn @ [1, 1, 0] + shift, atol=1e-9)
        assert np.allclose(at.normal[0], sign * turn[:, 2], atol=1e-9)
        features = (at.feature_a[0], at.feature_b[0])
        assert features == ((FACE, VERTEX) if sign > 0 else (VERTEX, FACE))
        bary = at.barycentric_a[0] if sign > 0 else at.barycentric_b[0]
        assert np.allclose(bary @ PLATE, [1, 1, 0], atol=1e-9)


def test_edges_cross():
    blade = np.array([[-1.0, 1, 1], [1, 1, 2], [-1, 1, 3]])
    rail = np.array([[0.0, 0, 0], [0, 4, 0], [4, 2, -3]])
    found = mc.motion.swept_collide(one(rail), one(blade), end_b=blade - [0, 0, 3])
    at = found.points()
    assert found.time == pytest.approx([0.5]) and np.allclose(at.point, [[0, 1, 0]], atol=1e-9)
    assert (at.feature_a[0], at.feature_b[0]) == (EDGE, EDGE)
    assert np.allclose(at.normal[0], np.array([-1, 0, 2]) / np.sqrt(5), atol=1e-9)
    assert np.allclose(at.barycentric_b[0], [0.5, 0.5, 0], atol=1e-9)


def test_pairs_that_meet_already_have_no_normal_and_stacks_and_one_object_answer():
    low = DART - [0, 0, 1.2]
    met = mc.motion.swept_collide(one(PLATE), one(low), end_b=low - 1.0)
    assert met.time.tolist() == [0.0] and np.isnan(met.points().normal).all()
    both = mc.TriangleMesh(np.concatenate([PLATE, DART]), [[0, 1, 2], [3, 4, 5]])
    fallen = both.vertices.copy()
    fallen[3:, 2] -= 4.0
    stack = mc.motion.swept_self_collide(both, end=np.stack([fallen, fallen]))
    assert np.allclose(stack.points().normal, [[0, 0, 1]] * 2, atol=1e-9) and stack.frame.tolist() == [0, 1]
    assert len(mc.motion.swept_collide(one(PLATE), one(DART + 9.0)).points().point) == 0
