"""``distance`` and ``clearance`` against all pairs of triangles, for every volume, builder and engine."""

from functools import cache

import meshclash as mc
import numpy as np
import pytest
from distances import all_distances, extent, fill_distances
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.hierarchy.build import SPLITS
from meshclash.traversal import near_engine, near_work
from meshclash.volumes.registry import VOLUMES
from solids import box, moved, open_box, refined, shell, torus
from strategies import grid_meshes, matrix, rotation, soup

VOLUME_NAMES = sorted(VOLUMES)
CHEAP_TO_COMPILE = ("aabb", "sphere", "dop18", "obb", "ssv")  # one of each text


@cache
def scenes():
    """Pairs of meshes and poses: random, CAD-like and degenerate; apart, touching, crossing, one inside another."""
    rng = np.random.default_rng(8)
    cloud = mc.TriangleMesh(*soup(rng.normal(size=(150, 1, 3)) + 0.2 * rng.normal(size=(150, 3, 3))))
    plate = mc.TriangleMesh(*refined(box((0, 0, 0), (4, 3, 0.25))))
    ring = mc.TriangleMesh(*torus(2, 0.5))
    needles = mc.TriangleMesh(*soup(rng.normal(size=(60, 1, 3)) + rng.normal(size=(60, 3, 3)) * (3.0, 1e-3, 1e-9)))
    dots = mc.TriangleMesh(*soup(np.repeat(rng.normal(size=(40, 1, 3)), 3, axis=1)))
    lid = mc.TriangleMesh(*open_box((0, 0, 0), (1, 1, 1)))
    turned = matrix(rotation(rng), (5.0, 1.0, 0.5))
    return [
        (cloud, cloud, matrix(rotation(rng), (9.0, 2.0, 1.0))),
        (cloud, ring, matrix(rotation(rng), (6.0, -4.0, 1.0))),
        (plate, plate, matrix(shift=(0, 0, 0.5))),
        (plate, plate, matrix(shift=(4.0, 0, 0))),
        (plate, ring, turned),
        (needles, ring, matrix(shift=(12.0, 0, 0))),
        (dots, needles, matrix(shift=(0.0, 14.0, 0))),
        (dots, dots, matrix(shift=(1e-7, 0, 0))),
        (lid, mc.TriangleMesh(*box((0.25, 0.25, 0.25), (0.5, 0.5, 0.5))), np.eye(4)),
        (ring, ring, matrix(shift=(1e-13, 0, 0))),
    ]


def prepared():
    for a, b, pose in scenes():
        yield a, b, pose, all_distances(a, b, pose)


@pytest.fixture(scope="module")
def cases():
    return list(prepared())


def assert_nearest(found, a, b, pose, expected):
    size = extent(a, b)
    assert abs(found.distance - expected.min()) <= 1e-12 * (size + expected.min())
    assert (found.distance == 0.0) == mc.collides(a, b, None, pose)
    gap = np.linalg.norm(found.point_a - found.point_b)
    assert abs(gap - found.distance) <= 1e-9 * (size + found.distance)
    for point, mesh, triangle, placed in (
        (found.point_a, a, found.triangle_a, np.eye(4)),
        (found.point_b, b, found.triangle_b, pose),
    ):
        corners = mc.Pose.from_matrix(placed).apply(mesh.vertices[mesh.triangles[triangle]])
        own = np.empty((1, 1))
        fill_distances(corners[None], np.repeat(point[None], 3, axis=0)[None], own)
        assert own[0, 0] <= 1e-9 * size


@pytest.mark.parametrize("split", sorted(SPLITS))
def test_the_distance_is_that_of_all_pairs(cases, split):
    for a, b, pose, expected in cases:
        assert_nearest(
            mc.distance(mc.build(a, split=split), mc.build(b, split=split), None, pose), a, b, pose, expected
        )


@pytest.mark.slow
@pytest.mark.parametrize("volume", CHEAP_TO_COMPILE)
def test_every_volume_gives_the_same_distance_and_clearance(cases, volume, monkeypatch):
    monkeypatch.setattr(near_engine.NearWideEngine, "serves", lambda question: False)
    for a, b, pose, expected in cases[::2]:
        trees = mc.build(a, volume=volume, leaf_size=5), mc.build(b, volume=volume, leaf_size=5)
        assert_nearest(mc.distance(*trees, None, pose), a, b, pose, expected)
        tolerance = float(np.quantile(expected, 0.02))
        assert_all_pairs(mc.clearance(*trees, tolerance, None, pose), a, b, pose, expected, tolerance)


def assert_all_pairs(found, a, b, pose, expected, tolerance):
    rounding = 1e-12 * (extent(a, b) + np.abs(a.bounds).max())
    contacts = {tuple(p) for p in mc.collide(a, b, None, pose).pairs.tolist()}
    sure = {tuple(p) for p in np.argwhere(expected <= tolerance - rounding).tolist()} | contacts
    possible = {tuple(p) for p in np.argwhere(expected <= tolerance + rounding).tolist()} | contacts
    pairs = [tuple(p) for p in found.pairs.tolist()]
    assert pairs == sorted(pairs)
    assert sure <= set(pairs) <= possible
    assert {p for p, d in zip(pairs, found.distances, strict=True) if d == 0.0} == contacts
    assert (np.abs(found.distances - expected[tuple(found.pairs.T)]) <= rounding).all()
    assert (found.distances <= tolerance).all()


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.003, 0.1])
def test_clearance_is_all_pairs_within_the_tolerance(cases, share):
    for a, b, pose, expected in cases:
        tolerance = float(np.quantile(expected, share)) if share else 0.0
        found = mc.clearance(a, b, tolerance, None, pose)
        assert_all_pairs(found, a, b, pose, expected, tolerance)
        points = found.points()
        gaps = np.linalg.norm(points[:, 0] - points[:, 1], axis=-1)
        assert np.allclose(gaps, found.distances, rtol=1e-9, atol=1e-9 * extent(a, b))


def test_engines_agree_to_the_last_bit(cases, monkeypatch):
    tolerances = [float(np.quantile(expected, 0.05)) for *_, expected in cases]
    wide = [mc.clearance(a, b, t, None, pose) for (a, b, pose, _), t in zip(cases, tolerances, strict=True)]
    nearest = [mc.distance(a, b, None, pose) for a, b, pose, _ in cases]
    monkeypatch.setattr(near_engine.NearWideEngine, "serves", lambda question: False)
    for (a, b, pose, _), t, w, d in zip(cases, tolerances, wide, nearest, strict=True):
        same = mc.clearance(a, b, t, None, pose)
        assert same.pairs.tobytes() == w.pairs.tobytes()
        assert same.distances.tobytes() == w.distances.tobytes()
        assert mc.distance(a, b, None, pose[None]).distance[0] == d.distance


@settings(max_examples=60)
@given(grid_meshes(), grid_meshes(), st.integers(0, 2**32 - 1))
def test_zero_exactly_where_triangles_meet(first, second, seed):
    a, b = mc.TriangleMesh(*first), mc.TriangleMesh(*second)
    rng = np.random.default_rng(seed)
    poses = np.stack([np.eye(4), matrix(shift=rng.integers(-4, 5, 3) / 2), matrix(rotation(rng), rng.normal(size=3))])
    poses = np.concatenate([poses, [matrix(shift=(0, 0, 1e-15))]])
    found = mc.distance(a, b, None, poses)
    assert ((found.distance == 0.0) == mc.collides(a, b, None, poses)).all()
    contacts = mc.collide(a, b, None, poses)
    close = mc.clearance(a, b, 0.0, None, poses)
    assert close.pairs.tobytes() == contacts.pairs.tobytes()
    assert close.pose.tobytes() == contacts.pose.tobytes()


def test_a_stack_and_a_start_give_what_single_questions_give(cases):
    ring, plate = cases[4][1], cases[4][0]
    rng = np.random.default_rng(2)
    turn = rotation(rng)
    poses = np.stack([matrix(turn, (x, 1.0, 0.5)) for x in np.linspace(4.0, 8.0, 9)])
    stack = mc.distance(plate, ring, None, poses)
    last = None
    for k, pose in enumerate(poses):
        alone = mc.distance(plate, ring, None, pose)
        warm = mc.distance(plate, ring, None, pose, start=last)
        assert alone.distance == warm.distance == stack.distance[k]
        assert (alone.triangle_a, alone.triangle_b) == (stack.triangle_a[k], stack.triangle_b[k])
        assert alone.point_a.tobytes() == stack.point_a[k].tobytes()
        last = warm
    assert mc.distance(plate, ring, None, poses, start=stack).distance.tobytes() == stack.distance.tobytes()


@pytest.mark.parametrize("errors", [(0.1, 0.0), (0.0, 0.2), (0.5, 0.5)])
def test_allowed_errors_are_kept_and_save_work(cases, errors):
    saved = 0
    for a, b, pose, expected in cases:
        exact = mc.distance(a, b, None, pose)
        found = mc.distance(a, b, None, pose, relative_error=errors[0], absolute_error=errors[1])
        assert exact.distance <= found.distance <= (expected.min() + errors[1]) / (1.0 - errors[0]) * (1 + 1e-12)
        saved += found.stats.primitive_tests < exact.stats.primitive_tests
    assert saved > 0


def test_small_slices_full_outputs_and_heaps_that_grow(cases, monkeypatch):
    a, b, pose, expected = cases[0]
    tolerance = float(np.quantile(expected, 0.2))
    before = mc.clearance(a, b, tolerance, None, pose), mc.distance(a, b, None, pose[None])
    monkeypatch.setattr(near_work, "_STEPS_PER_CALL", 3)
    monkeypatch.setattr(near_engine, "_CHUNK", 2)
    monkeypatch.setattr(near_engine, "SMALLEST_QUEUE", 72)
    after = mc.clearance(a, b, tolerance, None, pose), mc.distance(a, b, None, pose[None])
    assert before[0].pairs.tobytes() == after[0].pairs.tobytes()
    assert before[0].stats.volume_tests == after[0].stats.volume_tests
    assert before[1].distance == after[1].distance
    assert before[1].stats.primitive_tests == after[1].stats.primitive_tests


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e12])
def test_far_away_and_of_any_size(scale):
    a = mc.TriangleMesh(*moved(box((0, 0, 0), (1, 1, 1)), (0, 0, 0)))
    a = a.transformed(np.diag([scale, scale, scale, 1.0]))
    poses = np.stack([matrix(shift=np.array([x, 0.0, 0.0]) * scale) for x in (1.5, 3.0, 1e6)])
    assert np.allclose(mc.distance(a, a, None, poses).distance, np.array([0.5, 2.0, 1e6 - 1]) * scale, rtol=1e-12)
    assert len(mc.clearance(a, a, 0.49 * scale, None, poses[0])) == 0
    close = mc.clearance(a, a, 0.51 * scale, None, poses[0])
    assert 4 <= len(close) == len(mc.clearance(a, a, 0.6 * scale, None, poses[0]))


def test_bad_options_are_named():
    a = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    small = mc.TriangleMesh(*soup(np.eye(3)[None]))
    for tolerance in (-1.0, float("nan"), float("inf"), "wide", None):
        with pytest.raises(mc.UnsupportedOption, match="tolerance"):
            mc.clearance(a, a, tolerance)
    for wrong in ({"relative_error": -0.1}, {"relative_error": 1.0}, {"absolute_error": float("nan")}):
        with pytest.raises(mc.UnsupportedOption, match="error"):
            mc.distance(a, a, **wrong)
    far = mc.distance(a, a, None, matrix(shift=(3, 0, 0)))
    for wrong, says in (
        ({"start": 3}, "earlier distance"),
        ({"volume": "egg"}, "expected one of"),
        ({"threads": 0}, "threads"),
        ({"device": "tpu"}, "device"),
    ):
        with pytest.raises(mc.UnsupportedOption, match=says):
            mc.distance(a, a, **wrong)
    with pytest.raises(mc.UnsupportedOption, match="do not exist"):
        mc.distance(small, small, None, matrix(shift=(3, 0, 0)), start=mc.Distance(1.0, *far_points(far)))
    with pytest.raises(mc.UnsupportedOption, match="has 2 poses, but the query has 3"):
        poses = np.stack([matrix(shift=(x, 0, 0)) for x in (3, 4, 5)])
        mc.distance(a, a, None, poses, start=mc.distance(a, a, None, poses[:2]))


def far_points(found):
    return np.stack([found.point_a, found.point_b]), 11, 11, found.stats


NO_GUESS = {"relative_error": 1e-300}
"""An error that changes no number, and lets the search go best-first, without a pair to start from."""


def test_a_guess_to_start_from_changes_no_answer():
    rng = np.random.default_rng(11)
    bodies = refined(box((0, 0, 0), (4, 3, 0.25)), 2), torus(2, 0.5, 48, 24), refined(box((0, 0, 0), (1, 1, 1)), 3)
    plate, ring, lump = (mc.TriangleMesh(*body) for body in bodies)
    cave = mc.TriangleMesh(*refined(shell((-3, -3, -3), (3, 3, 3), 0.5), 3))
    far = matrix(shift=(1e6, -3e5, 7.0))
    gaps = 0.5, 0.25, np.nextafter(0.25, 1), 0.25 - 1e-17, 1e-7
    cases = [(plate, plate, None, matrix(shift=(0, 0, gap))) for gap in gaps]
    cases += [(plate, lump, far, far @ matrix(shift=(4.0 + gap, 1, 0))) for gap in (0.0, 2.0**-30, 1e-9, 0.5, 1e3)]
    cases += [(cave, lump, None, matrix(rotation(rng), rng.uniform(-1, 1, 3))) for _ in range(6)]
    for _ in range(40):
        a, b = rng.choice([plate, ring, lump, cave], 2)
        shift = rng.normal(size=3) * rng.choice([2.0, 5.0, 20.0])
        cases.append((a, b, None, matrix(rotation(rng) if rng.random() < 0.7 else np.eye(3), shift)))
    apart = 0
    for a, b, pose_a, pose_b in cases:
        for question in ((a, b, pose_a, pose_b), (b, a, pose_b, pose_a)):
            found, wanted = mc.distance(*question), mc.distance(*question, **NO_GUESS)
            stack = mc.distance(*question[:2], *(None if p is None else p[None] for p in question[2:]))
            for other, own in ((wanted, slice(None)), (stack, 0)):
                assert (found.triangle_a, found.triangle_b) == (other.triangle_a, other.triangle_b)
                assert found.distance == other.distance
                for name in ("point_a", "point_b"):
                    assert getattr(found, name).tobytes() == getattr(other, name)[own].tobytes()
            apart += found.distance > 0.0
    assert 60 < apart < 2 * len(cases)
