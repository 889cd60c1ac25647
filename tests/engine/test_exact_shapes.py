"""Exact shapes: against whole numbers and proofs (``round_campaign.py``), in scenes, in motion, and their refusals."""

from decimal import localcontext
from fractions import Fraction

import meshclash as mc
import numpy as np
import pytest
import round_campaign
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.convex.exact_comparison import is_within

S = mc.shapes
SEEDS = st.integers(0, 2**32)
KINDS = [
    (a, b)
    for a in round_campaign.KINDS[::-1]
    for b in round_campaign.KINDS[:3]
    if round_campaign.KINDS.index(a) >= round_campaign.KINDS.index(b)
]
ROUND = [(a, b) for a in ("cylinder", "cone", "ellipsoid") for b in round_campaign.ROUND]
BOX = S.box(1.0)


def at(x=0.0, y=0.0, z=0.0):
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.sampled_from(KINDS))
def test_points_segments_boxes_and_faces_are_compared_exactly(seed, kinds):
    assert round_campaign.one_pair(kinds, np.random.default_rng(seed))[0]


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.sampled_from(ROUND))
def test_distances_of_round_solids_are_proved(seed, kinds):
    with localcontext() as context:
        context.prec = round_campaign.DIGITS
        assert round_campaign.one_round_pair(kinds, np.random.default_rng(seed)) <= 1e-12


@given(st.integers(-5, 5), st.integers(-5, 5), st.integers(-5, 5), st.floats(0.0, 8.0))
def test_whole_numbers_compare_a_distance_with_a_length(x, y, z, length):
    told = is_within(np.zeros((1, 3)), np.array([[x, y, z]], float), (length,), np.array([x, y, z], float))
    assert told == (x * x + y * y + z * z <= Fraction(length) ** 2)
    nearer = is_within(np.zeros((1, 3)), np.array([[x, y, z]], float), (length,), np.ones(3), strict=True)
    assert nearer == (x * x + y * y + z * z < Fraction(length) ** 2)


@pytest.mark.parametrize("scale", [1.0, 2.0**-300, 2.0**80])
def test_spheres_that_touch_collide_and_one_ulp_less_does_not(scale):
    ball = S.Sphere(1.0 * scale)
    assert mc.collides(ball, ball, None, at(2.0 * scale))
    assert not mc.collides(ball, ball, None, at(np.nextafter(2.0 * scale, np.inf)))
    assert not mc.collides(S.Sphere(np.nextafter(scale, 0.0)), ball, None, at(2.0 * scale))


def test_a_margin_around_a_mesh_touches_exactly():
    margin = S.Inflated(BOX, 0.25)
    assert mc.collides(margin, BOX, None, at(1.25))
    assert not mc.collides(margin, BOX, None, at(np.nextafter(1.25, 2.0)))
    assert mc.collides(margin, S.Inflated(BOX, 0.5), None, at(1.75))
    assert len(mc.clearance(margin, BOX, 0.1, None, at(1.3))) and not len(mc.clearance(margin, BOX, 0.1, None, at(1.4)))


@pytest.mark.parametrize(
    ("a", "b", "touching"),
    [
        (S.Sphere(1.0), S.Sphere(1.0), 2.0),
        (S.Sphere(0.5), S.Capsule(0.25, 2.0), 0.75),
        (S.Sphere(0.5), S.Box(1.0), 1.0),
        (S.Box(1.0), S.Box(0.5), 0.75),
        (S.Inflated(BOX, 0.25), BOX, 1.25),
        (S.Inflated(BOX, 0.25), S.Inflated(BOX, 0.5), 1.75),
        (S.Sphere(0.5), BOX, 1.0),
        (S.Halfspace([1.0, 0.0, 0.0], 0.25), S.Sphere(0.5), 0.75),
        (S.Plane([1.0, 0.0, 0.0], 0.25), S.Sphere(0.5), 0.75),
        (S.Halfspace([1.0, 0.0, 0.0], 0.25), BOX, 0.75),
    ],
)
def test_shapes_that_share_only_their_boundaries_touch(a, b, touching):
    for place, verdict in (
        (touching, mc.Verdict.TOUCHING),
        (np.nextafter(touching, 0.0), mc.Verdict.CLASH),
        (np.nextafter(touching, 9.0), mc.Verdict.APART),
    ):
        assert mc.verdict(a, b, None, at(place)).verdict == verdict
        assert mc.verdict(b, a, at(place), None).verdict == verdict


def test_hulls_are_filled_and_meshes_are_surfaces():
    small, hull = S.box(0.1), S.Inflated(S.ConvexHull(BOX), 0.0)
    assert mc.collides(hull, small) and mc.distance(hull, small).distance == 0.0
    assert not mc.collides(S.Inflated(BOX, 0.1), small)
    assert mc.collides(S.Cylinder(1.0, 2.0), small)


def test_stacks_tell_what_single_poses_tell():
    random = np.random.default_rng(3)
    poses = np.stack([at(*place) for place in random.normal(size=(30, 3))])
    for a, b in ((S.Capsule(0.3, 1.0), S.Box(0.5)), (S.Cone(0.4, 1.0), BOX), (S.Plane([1.0, 2.0, 0.0]), S.Sphere(0.2))):
        told = mc.collides(a, b, None, poses)
        assert told.tolist() == [mc.collides(a, b, None, pose) for pose in poses]
        assert mc.distance(a, b, None, poses).distance.tolist() == [mc.distance(a, b, None, p).distance for p in poses]


def test_a_scene_takes_shapes():
    scene = mc.Scene()
    scene.add(BOX, name="box")
    scene.add(S.Sphere(0.5), at(0.9), name="ball")
    scene.add(S.Halfspace([0.0, 0.0, 1.0], -0.75), name="floor")
    scene.add(S.Sphere(0.1), name="inside")
    found = {(pair.name_a, pair.name_b): pair.name for pair in scene.contacts()}
    assert found == {("box", "ball"): "CLASH", ("box", "inside"): "CONTAINED"}
    gaps = {(gap.name_a, gap.name_b): gap.gap for gap in scene.distances()}
    assert gaps["ball", "floor"] == pytest.approx(0.25, abs=1e-15)
    assert gaps["box", "floor"] == pytest.approx(0.25, abs=1e-15)
    near = {(gap.a, gap.b) for gap in scene.clearances(0.3)}
    assert (0, 2) in near and (1, 2) in near


def test_moving_shapes_meet_when_they_are_as_near_as_their_radii():
    way = mc.motion.KeyframedMotion([0.0, 1.0], [at(-10.0), at(10.0)])
    for shape, reach in ((S.Sphere(1.0), 1.0), (S.Cylinder(1.0, 3.0), 1.0), (S.Inflated(BOX, 0.5), 1.0)):
        found = mc.motion.time_of_contact(shape, BOX, way, tolerance=1e-9, depth=False)
        assert found.time == pytest.approx((10.0 - reach - 0.5) / 20.0, abs=1e-9)


@pytest.mark.parametrize(
    "ask",
    [
        lambda ball: mc.collide(ball, BOX),
        lambda ball: mc.penetration(BOX, ball),
        mc.self_collide,
        lambda ball: mc.motion.swept_collide(ball, BOX),
        lambda ball: mc.voxels.voxel_collide(ball, BOX),
        lambda ball: mc.distance(ball, mc.clouds.PointCloud(np.random.default_rng(1).normal(size=(20, 3)))),
    ],
)
def test_other_questions_refuse_shapes_by_name(ask):
    with pytest.raises(mc.InvalidMesh, match="a Sphere"):
        ask(S.Sphere(1.0))


@pytest.mark.parametrize(
    "make",
    [
        lambda: S.Sphere(-1.0),
        lambda: S.Capsule(1.0, float("nan")),
        lambda: S.Box([1.0, 0.0, 1.0]),
        lambda: S.Cylinder(0.0, 1.0),
        lambda: S.Ellipsoid([1.0, 2.0]),
        lambda: S.Halfspace([0.0, 0.0, 0.0]),
        lambda: S.Plane([0.0, 0.0, 1.0], float("inf")),
        lambda: S.Inflated(BOX, -0.1),
        lambda: S.Inflated(np.zeros((5, 3)), 0.1),
        lambda: S.Inflated(S.Halfspace([0.0, 0.0, 1.0]), 0.1),
        lambda: S.Inflated("a core", 0.1),
    ],
)
def test_wrong_shapes_are_refused(make):
    with pytest.raises((mc.InvalidMesh, mc.UnsupportedOption)):
        make()
