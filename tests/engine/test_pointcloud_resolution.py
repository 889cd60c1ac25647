"""Verdicts on clouds are right or undecided; what the points resolve is decided."""

import meshclash as mc
import numpy as np
import pytest
from clouds import ball_mesh, plane, random_pose, shifted, sphere
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.pointcloud.build import bandwidth_of
from meshclash.pointcloud.pair_search import PairSearch
from meshclash.pointcloud.resolution import contact_certain_steps
from meshclash.types.steps import run
from oracles.cloud_solids import KINDS, Solid, Surface, make_shape, sample_surface, undecided_rows
from oracles.cloud_solids import random_pose as pose_of_solid

BALL = mc.clouds.PointCloud(sphere(np.random.default_rng(0), 3000)[0])
SHEET = mc.clouds.PointCloud(plane(np.random.default_rng(1), 3000)[0])
SOLID = ball_mesh()


@given(st.sampled_from((BALL, SOLID)), st.floats(-8.0, 8.0), st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=60, deadline=None)
def test_balls_are_decided_rightly_or_not_at_all(other, multiple, seed, exchanged):
    gap, ours = multiple * BALL.resolution, random_pose(seed, (3.0, -2.0, 1.0))
    pairs = (BALL, other, ours, ours @ shifted(2.0 + gap))
    found = mc.verdict(*(pairs if not exchanged else (other, BALL, pairs[3], ours)))
    if found.undecided:
        assert found.verdict == mc.Verdict.TOUCHING and abs(multiple) < 2.0
    else:
        assert found.verdict == (mc.Verdict.CLASH if gap < 0.0 else mc.Verdict.APART)
    hits = mc.collide(BALL, other, ours, pairs[3])
    if other is BALL:
        assert hits.undecided().tolist() == [found.undecided]


@given(st.floats(0.0, 1.2), st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_a_rim_beside_a_surface_is_undecided(gap, seed):
    upright = np.array([[1.0, 0, 0, 0], [0, 0, -1.0, 0], [0, 1.0, 0, 0], [0, 0, 0, 1.0]])
    lowest = (SHEET.points @ upright[:3, :3].T)[:, 2].min()
    pose = shifted(z=gap * SHEET.sampling_radius - lowest) @ upright
    ours = random_pose(seed, (1.0, 2.0, 3.0))
    assert mc.verdict(SHEET, SHEET, ours, ours @ pose).undecided


@pytest.mark.slow
def test_thin_and_thick_solids_are_decided_rightly_or_not_at_all():
    shapes = [("thin tree", 7), ("wire", 7), ("comb", 7), ("plates", 7), ("sheet", 7)]
    *rows, whole = undecided_rows(8000, 25, shapes)
    assert whole["missed"] == whole["false"] == 0 and 0 < whole["meet"] < whole["poses"], rows
    assert whole["undecided"] < 0.3 * whole["poses"], rows


@pytest.mark.parametrize(("kind", "number"), [("thin tree", 18), ("wire", 16)])
def test_contacts_that_moves_make_elsewhere_prove_nothing(kind, number):
    """The surfaces are apart, and each move that parts them at one place makes a contact far away."""
    solid, rng = make_shape(kind, 7), np.random.default_rng([7, 7, KINDS[kind].seed])
    a, b = (mc.clouds.PointCloud(sample_surface(solid, 8000, rng)) for _ in range(2))
    pose = [pose_of_solid(rng, 2.0) for _ in range(number + 1)][-1]
    meet, near = Surface(solid).meets(solid, pose)
    assert not meet and near > 1e-3
    for pair in ((a, b, None, pose), (b, a, pose, None)):
        found = mc.verdict(*pair)
        assert found.undecided or found.verdict == mc.Verdict.APART


WIRE = (np.array([[-1.0, 0, 0]]), np.array([[1.0, 0, 0]]), np.array([0.02]), np.empty((0, 3)), np.empty((0, 3)))


@given(st.floats(-1.5, 1.5), st.floats(0.3, 1.57), st.sampled_from((700, 1500, 4000)), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_crossing_wires_are_decided_rightly_or_not_at_all(overlap, angle, points, seed):
    """Two straight wires meet if and only if their axes are closer than two radii, also where points hardly show it."""
    solid, rng = Solid(*WIRE), np.random.default_rng(seed)
    a, b = (mc.clouds.PointCloud(sample_surface(solid, points, rng)) for _ in range(2))
    turn = np.eye(4)
    turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    gap = -overlap * 0.02
    ours = random_pose(seed, (1.0, 2.0, 3.0))
    found = mc.verdict(a, b, ours, ours @ shifted(z=0.04 + gap) @ turn)
    if not found.undecided:
        assert found.verdict == (mc.Verdict.CLASH if gap < 0.0 else mc.Verdict.APART)


@pytest.mark.parametrize("gap", [-4.0, -0.2, 0.2, 4.0])
def test_a_search_near_a_contact_decides_like_a_search_everywhere(gap, monkeypatch):
    ours, theirs = np.eye(4)[:3], shifted(2.0 + gap * BALL.resolution)[:3]
    for other in (BALL, SOLID):
        hits = mc.collide(BALL, other, None, theirs_of(theirs))
        if len(hits):
            local = run(contact_certain_steps(BALL, other, ours, theirs, hits.points))
            monkeypatch.setattr(PairSearch, "begin_at", lambda search, nodes: None)
            assert run(contact_certain_steps(BALL, other, ours, theirs, hits.points)) == local
            monkeypatch.undo()


def theirs_of(rows):
    """Return a pose (4, 4) with the given first three rows."""
    return np.vstack([rows, [0.0, 0.0, 0.0, 1.0]])


def test_the_oracle_knows_when_balls_of_a_chain_meet():
    solid = make_shape("blobs", 3)
    surface = Surface(solid)
    rng = np.random.default_rng(4)
    for _ in range(20):
        pose = pose_of_solid(rng, 2.0)
        meet, near = surface.meets(solid, pose)
        ends = [points @ pose[:3, :3].T + pose[:3, 3] for points in (solid.starts, solid.ends)]
        apart = np.linalg.norm(solid.starts[1::2, None] - ends[0][None, 1::2], axis=2)
        gap = (apart - solid.radii[1::2, None] - solid.radii[None, 1::2]).min()  # of the balls alone
        assert near >= 0.0 and (meet or gap > -1e-9)


def test_wires_are_not_noise():
    points = sample_surface(make_shape("wire", 1), 8000, np.random.default_rng(1))
    cloud = mc.clouds.PointCloud(points)
    assert cloud.bandwidth == pytest.approx(bandwidth_of(cloud.sampling_radius))
    for seed in (3, 6, 12):  # as thick as the horizon
        cloud = mc.clouds.PointCloud(sample_surface(make_shape("wire", seed), 20000, np.random.default_rng(seed)))
        assert cloud.bandwidth == pytest.approx(bandwidth_of(cloud.sampling_radius))
    noisy = mc.clouds.PointCloud(sphere(np.random.default_rng(0), 8000, noise=0.05)[0])
    assert noisy.bandwidth > 1.5 * bandwidth_of(noisy.sampling_radius)


def test_a_scene_lists_what_is_undecided():
    scene = mc.Scene()
    scene.add(BALL)
    small, large = 2.0 + 0.5 * BALL.resolution, 2.0 + 3.0 * BALL.resolution
    moving = scene.add(BALL, shifted(small))
    live = mc.motion.LiveContacts(scene)
    (pair,) = scene.contacts().pairs
    (gap,) = scene.distances().pairs
    assert pair.undecided and pair.verdict == mc.Verdict.TOUCHING and pair.location is not None
    assert gap.undecided and 0.0 < gap.gap < BALL.resolution
    assert "undecided" in repr(pair) and not scene.collides()
    assert [item.undecided for item in live.update().found.values()] == [True]
    scene.set_pose(moving, shifted(1.8))
    (pair,) = scene.contacts().pairs
    assert not pair.undecided and pair.verdict == mc.Verdict.CLASH and scene.collides()
    assert [item.undecided for item in live.update().found.values()] == [False]
    scene.set_pose(moving, shifted(large))
    assert not scene.contacts().pairs and not scene.distances().pairs[0].undecided
    assert live.update().gone


def test_a_stack_of_poses_is_undecided_one_by_one():
    stack = np.stack([shifted(2.0 + k * BALL.resolution) for k in (-3.0, 0.3, 3.0)])
    assert mc.collide(BALL, BALL, None, stack).undecided().tolist() == [False, True, False]
