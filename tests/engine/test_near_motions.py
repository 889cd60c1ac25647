"""Distances along motions, each from the answer before: those of a cold question, whatever happened before."""

from functools import cache

import meshclash as mc
import numpy as np
import pytest
from distances import all_distances
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.mesh_generators import bumpy_sphere
from solids import box, refined, torus
from strategies import grid_meshes, matrix, rotation

pytestmark = pytest.mark.needs_jit


@cache
def things():
    """Smooth, flat, and ragged."""
    rng = np.random.default_rng(5)
    ring = torus(2, 0.7)
    ragged = ring[0] + 0.1 * rng.normal(size=ring[0].shape), ring[1]
    meshes = [ring, refined(box((-1, -1, -1), (2, 2, 2)), 2), ragged]
    return [mc.build(mc.TriangleMesh(*mesh), split="sah") for mesh in meshes]


def same(found, other):
    return (
        found.distance == other.distance
        and (found.triangle_a, found.triangle_b) == (other.triangle_a, other.triangle_b)
        and found.point_a.tobytes() == other.point_a.tobytes()
        and found.point_b.tobytes() == other.point_b.tobytes()
    )


STEPS = st.tuples(
    st.sampled_from(("drift", "drift", "turn", "teleport", "meet", "touch", "grid", "stay")), st.integers(0, 2**32 - 1)
)


def moved_on(kind, seed, pose):
    """The next pose (4, 4) of a motion."""
    rng = np.random.default_rng(seed)
    if kind == "drift":
        return matrix(np.eye(3), 0.01 * rng.normal(size=3)) @ pose
    if kind == "turn":
        angle = np.radians(rng.uniform(0.05, 3.0))
        turn = np.eye(3)
        turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        return matrix(turn) @ pose
    if kind == "teleport":
        return matrix(rotation(rng), 8.0 * rng.normal(size=3))
    if kind == "meet":
        return matrix(rotation(rng), rng.normal(size=3))
    if kind == "touch":
        return matrix(shift=(2.0, 0.0, float(rng.integers(-2, 3))))
    if kind == "grid":
        return matrix(shift=rng.integers(-8, 9, 3) / 2.0)
    return pose


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(0, 2), st.integers(0, 2), st.lists(STEPS, min_size=2, max_size=8))
def test_warm_is_cold_and_brute_force_along_any_motion(first, second, steps):
    a, b = things()[first], things()[second]
    pose, last = matrix(shift=(6.0, 0.5, 0.25)), None
    size = float(np.ptp(a.mesh.bounds, axis=0).max())
    for kind, seed in steps:
        pose = moved_on(kind, seed, pose)
        cold = mc.distance(a, b, None, pose)
        last = mc.distance(a, b, None, pose, start=last)
        assert (cold.distance == 0.0) == (last.distance == 0.0) == mc.collides(a, b, None, pose)
        assert same(last, cold)
        expected = all_distances(a.mesh, b.mesh, pose).min()
        assert abs(cold.distance - expected) <= 1e-12 * (size + expected)


@settings(max_examples=40)
@given(grid_meshes(), grid_meshes(), st.integers(0, 2**32 - 1), st.data())
def test_any_pair_to_start_from_gives_the_same(first, second, seed, data):
    a, b = mc.TriangleMesh(*first), mc.TriangleMesh(*second)
    rng = np.random.default_rng(seed)
    pose = matrix(rotation(rng), 4.0 * rng.normal(size=3))
    cold = mc.distance(a, b, None, pose)
    start = mc.distance(a, b, None, matrix(rotation(rng), 9.0 * rng.normal(size=3)))
    start.triangle_a = data.draw(st.integers(0, a.triangle_count - 1))
    start.triangle_b = data.draw(st.integers(0, b.triangle_count - 1))
    warm = mc.distance(a, b, None, pose, start=start)
    assert same(warm, cold)


@settings(max_examples=40)
@given(st.integers(0, 2), st.tuples(*[st.integers(-12, 12)] * 3), st.integers(0, 2**32 - 1))
def test_of_equally_near_pairs_the_first_is_named(index, shift, seed):
    cube = mc.build(mc.TriangleMesh(*refined(box((-1, -1, -1), (2, 2, 2)), 2)), split=("sah", "lbvh", "median")[index])
    pose = matrix(shift=np.array(shift) / 4.0 + (6.0, 0.0, 0.0))
    expected = all_distances(cube.mesh, cube.mesh, pose)
    first = np.unravel_index(expected.argmin(), expected.shape)
    start = mc.distance(cube, cube, None, matrix(rotation(np.random.default_rng(seed)), (7.0, 1.0, 0.0)))
    for found in (mc.distance(cube, cube, None, pose), mc.distance(cube, cube, None, pose, start=start)):
        assert found.distance == expected.min()
        assert (found.triangle_a, found.triangle_b) == first


@settings(max_examples=15)
@given(st.booleans(), st.integers(0, 2**32 - 1))
def test_a_deformed_mesh_may_start_from_its_former_shape(in_place, seed):
    rng = np.random.default_rng(seed)
    still, bent = things()[0], mc.build(mc.TriangleMesh(*torus(2, 0.7)))
    pose, last = matrix(rotation(rng), (6.0, 1.0, 0.0)), None
    for _ in range(4):
        last = mc.distance(bent, still, None, pose, start=last)
        fresh = mc.distance(mc.TriangleMesh(*bent.mesh.arrays), still, None, pose)
        assert same(last, fresh)
        wave = 0.3 * np.sin(3.0 * bent.mesh.vertices[:, ::-1] + rng.normal(size=3))
        bent = mc.refit(bent, bent.mesh.vertices + wave, in_place=in_place)


def test_a_start_of_other_objects_is_refused_where_its_triangles_do_not_exist():
    ring, cube = things()[:2]
    assert ring.mesh.triangle_count != cube.mesh.triangle_count
    large, small = sorted((ring, cube), key=lambda tree: -tree.mesh.triangle_count)
    start = mc.distance(large, large, None, matrix(shift=(9.0, 0.0, 0.0)))
    start.triangle_a = large.mesh.triangle_count - 1
    with pytest.raises(mc.UnsupportedOption, match="do not exist"):
        mc.distance(small, small, None, matrix(shift=(9.0, 0.0, 0.0)), start=start)


def test_of_objects_in_contact_a_known_pair_that_meets_saves_the_search():
    first, second = (mc.build(mc.TriangleMesh(*bumpy_sphere(20_000, seed)), split="sah") for seed in (1, 2))
    pose = matrix(rotation(np.random.default_rng(0)), (1.9, 0.3, 0.0))
    cold = mc.distance(first, second, None, pose)
    warm = mc.distance(first, second, None, pose, start=cold)
    contacts = mc.collide(first, second, None, pose)
    assert len(contacts) > 0 and same(warm, cold)
    assert warm.distance == 0.0 and [warm.triangle_a, warm.triangle_b] in contacts.pairs.tolist()
    assert warm.stats.volume_tests < 0.5 * cold.stats.volume_tests


def test_slabs_come_with_use_save_tests_and_change_nothing():
    ball = mc.build(mc.TriangleMesh(*bumpy_sphere(20_000)), split="sah")
    pose = matrix(rotation(np.random.default_rng(0)), (2.6, 0.3, 0.0))
    known = mc.distance(ball, ball, None, pose)
    assert known.distance > 0.0
    by_boxes = mc.distance(ball, ball, None, pose, start=known)
    assert "slabs" not in ball.parts.derived
    tests = by_boxes.stats.volume_tests
    for _ in range(2 + 20_000 // tests):
        warm = mc.distance(ball, ball, None, pose, start=known)
        assert same(warm, by_boxes)
    assert "slabs" in ball.parts.derived
    assert warm.stats.volume_tests < 0.6 * by_boxes.stats.volume_tests


def test_a_stack_gets_slabs_too():
    ball, other = (mc.build(mc.TriangleMesh(*bumpy_sphere(20_000, seed))) for seed in (1, 2))
    turn = rotation(np.random.default_rng(0))
    poses = np.stack([matrix(turn, (x, 0.3, 0.0)) for x in np.linspace(2.5, 3.0, 200)])
    first, second = (mc.distance(ball, other, None, poses) for _ in range(2))
    assert "slabs" in ball.parts.derived and "slabs" in other.parts.derived
    assert second.stats.volume_tests < 0.8 * first.stats.volume_tests
    assert first.distance.tobytes() == second.distance.tobytes()
    assert np.array_equal(first.triangle_a, second.triangle_a) and np.array_equal(first.triangle_b, second.triangle_b)
