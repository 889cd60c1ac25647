"""Exact shapes: against whole numbers and proofs (``round_campaign.py``), in scenes, in motion, and their refusals."""

from decimal import localcontext
from fractions import Fraction

import meshclash as mc
import numpy as np
import pytest
import round_campaign
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.convex.convex_distance import LOWER, UPPER, bounds_steps
from meshclash.convex.exact_comparison import BEYOND, NO_BOXES, WITHIN, boxes_within, is_within
from meshclash.convex.near_surface import surface_bounds_steps, triangles_near
from meshclash.convex.supports import POINTS_FORM
from meshclash.types.pose import transform_points
from meshclash.types.steps import run
from strategies import rotation

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


def ulps(value, steps):
    """The float so many steps above a value."""
    for _ in range(abs(steps)):
        value = np.nextafter(value, np.inf if steps > 0 else -np.inf)
    return float(value)


STEPS = st.integers(-2, 2)
LENGTHS = st.sampled_from((0.0, 0.1, 0.3, 1 / 3, 0.5, 1.0, 2.5, 1e-9, 7e5))


AXIS = st.tuples(LENGTHS, LENGTHS, LENGTHS, st.booleans(), STEPS)


@given(st.tuples(AXIS, AXIS, AXIS), LENGTHS, LENGTHS, st.booleans())
def test_boxes_along_the_axes_are_compared_exactly(axes, radius_a, radius_b, strict):
    """Boxes whose gap along an axis is the sum of the radii or nothing, up to some ulps, against fractions."""
    low_a, high_a, low_b, high_b, square = [], [], [], [], Fraction(0)
    for size_a, size_b, shift, beside, steps in axes:
        low_a.append(shift)
        high_a.append(shift + size_a)
        low_b.append(ulps(high_a[-1] + (radius_a + radius_b if beside else 0.0), steps))
        high_b.append(low_b[-1] + size_b)
        gap = max(Fraction(low_b[-1]) - Fraction(high_a[-1]), Fraction(low_a[-1]) - Fraction(high_b[-1]), Fraction(0))
        square += gap**2
    choose = np.array([[i, j, k] for i in range(2) for j in range(2) for k in range(2)])
    a, b = (np.choose(choose, [low, high])[None] for low, high in ((low_a, high_a), (low_b, high_b)))
    limit = (Fraction(radius_a) + Fraction(radius_b)) ** 2
    expected = square < limit or (square == limit and not strict)
    for x, y in ((a, b), (b, a)):
        assert boxes_within(x, y, (radius_a, radius_b), strict).tolist() == [WITHIN if expected else BEYOND]
    assert is_within(a[0], b[0], (radius_a, radius_b), np.ones(3), strict) == expected
    if len(np.unique(a[0], axis=0)) == 8:  # a box without a corner is none
        assert boxes_within(a[:, 1:].copy(), b, (radius_a, radius_b), strict).tolist() == [NO_BOXES]


@given(SEEDS, STEPS, st.sampled_from(("boxes", "turned boxes", "spheres", "capsules", "rounded boxes", "edges")))
def test_stacks_of_shapes_in_contact_are_decided_as_by_whole_numbers(seed, steps, kind):
    rng = np.random.default_rng(seed)
    sides, radius = rng.choice((0.1, 0.25, 0.3, 1.0), 3), float(rng.choice((0.1, 0.25, 0.7)))
    a, b = {
        "spheres": (S.Box(sides), S.Sphere(radius)),
        "capsules": (S.Box(sides), S.Capsule(radius, 0.3)),
        "rounded boxes": (S.Box(sides, radius), S.Box(sides[::-1], 0.1)),
    }.get(kind, (S.Box(sides), S.Box(sides[::-1])))
    poses = np.tile(np.eye(4), (6, 1, 1))
    if kind in ("turned boxes", "edges"):
        turned = rotation(rng)
        poses[:, :2, :2] = np.linalg.qr(turned[:2, :2])[0] if kind == "turned boxes" else np.eye(2)
        poses[:, 2, 2] = np.linalg.det(poses[0, :2, :2]).round()
    poses[:, :2, 3] = rng.uniform(-0.1, 0.1, (6, 2))
    half = 0.5 * (a.points[0, :, 2].max() - a.points[0, :, 2].min() + np.ptp(b.points[0, :, 2]))
    poses[:, 2, 3] = ulps(half + a.radius + b.radius, steps)
    if kind == "edges":
        poses[:, 0, 3] = 0.5 * (sides[0] + sides[2])
    met = mc.collides(a, b, None, poses)
    for k, pose in enumerate(poses):
        far = mc.Pose(pose).apply(b.points[0])
        assert met[k] == is_within(a.points[0], far, (a.radius, b.radius), np.array([0.0, 0.0, 1.0]))


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


@settings(deadline=None)
@given(st.integers(0, 8), st.integers(0, 8), st.integers(1, 40), st.sampled_from(["mesh", "ball", "rounded box"]))
def test_verdicts_of_margins_compare_the_gap_with_the_sum_of_the_radii(radius_a, radius_b, sixteenths, kind):
    """Boxes of side 1 beside each other: the gap and the radii are whole numbers of sixteenths."""
    radius_a = max(radius_a, 1)
    a, size = {
        "mesh": (S.Inflated(BOX, radius_a / 16), 1.0),
        "ball": (S.Sphere(radius_a / 16), 0.5),
        "rounded box": (S.Box(1.0, radius_a / 16), 1.0),
    }[kind]
    pose, reach = at(size + sixteenths / 16), radius_a + radius_b
    b = S.Inflated(BOX, radius_b / 16)
    expected = mc.Verdict.CLASH if sixteenths < reach else mc.Verdict.APART
    if sixteenths == reach:
        expected = mc.Verdict.TOUCHING
    assert mc.verdict(a, b, None, pose).verdict == expected
    assert mc.verdict(b, a, pose, None).verdict == expected


@pytest.mark.parametrize("a", [S.Inflated(S.sphere(1.0, 0.001), 0.25), S.Capsule(0.5, 1.5)])
def test_the_verdict_of_a_deep_overlap_does_not_list_all_near_triangles(monkeypatch, a):
    def listed(*_arguments, **_options):
        raise AssertionError("a triangle that is surely nearer decides")

    monkeypatch.setattr("meshclash.query.shape_pairs._are_within", listed)
    monkeypatch.setattr("meshclash.query.shape_pairs.is_within", listed)
    assert mc.verdict(a, S.sphere(1.0, 0.001), None, at(1.0)).verdict == mc.Verdict.CLASH


def test_hulls_are_filled_and_meshes_are_surfaces():
    small, hull = S.box(0.1), S.Inflated(S.ConvexHull(BOX), 0.0)
    assert mc.collides(hull, small) and mc.distance(hull, small).distance == 0.0
    assert not mc.collides(S.Inflated(BOX, 0.1), small)
    assert mc.collides(S.Cylinder(1.0, 2.0), small)


SOLIDS = [
    lambda rng: S.Sphere(rng.uniform(0.1, 1.0)),
    lambda rng: S.Box(rng.uniform(0.1, 1.0, 3), rng.choice([0.0, 0.2])),
    lambda rng: S.Cylinder(*rng.uniform(0.1, 1.0, 2)),
    lambda rng: S.Cone(*rng.uniform(0.1, 1.0, 2)),
    lambda rng: S.Ellipsoid(rng.uniform(0.1, 1.0, 3)),
]
THINGS = [
    *SOLIDS,
    lambda rng: S.Capsule(*rng.uniform(0.1, 1.0, 2)),
    lambda rng: S.Inflated(S.ConvexHull(rng.normal(size=(9, 3)) + rng.choice([0.0, 5.0])), rng.choice([0.0, 0.1])),
    lambda rng: S.Inflated(S.box(rng.uniform(0.1, 1.0, 3)), 0.1),
    lambda rng: S.box(rng.uniform(0.1, 1.0, 3)),
    lambda rng: S.Halfspace(rng.normal(size=3), rng.normal()),
    lambda rng: S.Plane(rng.normal(size=3), 0.0),
]
"""Every kind of side: convex solids with and without corners, surfaces, half-spaces and planes."""


@settings(max_examples=100, deadline=None)
@given(SEEDS, st.sampled_from(THINGS), st.sampled_from(THINGS), st.booleans())
def test_stacks_tell_what_single_poses_tell(seed, make_a, make_b, both):
    """A stack, single poses, and the distances, which are found without ending early."""
    rng = np.random.default_rng(seed)
    a, b = make_a(rng), make_b(rng)
    if isinstance(a, mc.TriangleMesh) and isinstance(b, mc.TriangleMesh):
        return
    count = 12
    poses, others = (
        np.stack([round_campaign.matrix(round_campaign.rotation(rng), 1.5 * rng.normal(size=3)) for _ in range(count)])
        for _ in range(2)
    )
    others = others if both else np.tile(np.eye(4), (count, 1, 1))
    gaps = mc.distance(a, b, others, poses)
    if np.isfinite(gaps.distance).all():  # move every third pose until both nearly touch, up to some ulps
        ways = gaps.point_a - gaps.point_b
        lengths = np.linalg.norm(ways, axis=1)
        some = np.arange(count) % 3 == 0
        steps = (1.0 + 2.0**-52 * rng.integers(-4, 5, count))[:, None]
        poses[:, :3, 3] += np.where((some & (lengths > 0.0))[:, None], ways * steps, 0.0)
    poses[1, :3, :3] *= 1.0 + 4e-5  # the largest deviation from a rigid pose is 1e-4
    poses[2, :3, :3] *= 1.0 - 4e-5
    base = others if both else None
    told, gaps = mc.collides(a, b, base, poses), mc.distance(a, b, base, poses)
    assert told.tolist() == (gaps.distance == 0.0).tolist()
    for k in range(count):
        pose = others[k] if both else None
        assert told[k] == mc.collides(a, b, pose, poses[k]) == (not mc.distance(a, b, pose, poses[k]).distance)
        assert told[k] == mc.collides(b, a, poses[k], pose)
        assert gaps.distance[k] == mc.distance(a, b, pose, poses[k]).distance


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


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.sampled_from(SOLIDS), st.sampled_from([0.0, 0.5, 1.0, 2.0, 1e3]))
def test_the_triangles_near_a_solid_are_those_of_a_comparison_with_all(seed, make, away):
    """A search through the hierarchy, beside the distance of each triangle alone."""
    rng = np.random.default_rng(seed)
    solid, corners = make(rng), rng.normal(size=(rng.integers(1, 60), 3, 3)) * rng.uniform(0.1, 1.0)
    corners += rng.normal(size=(len(corners), 1, 3))
    surface = mc.TriangleMesh(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))
    poses = [round_campaign.matrix(round_campaign.rotation(rng), away * rng.normal(size=3)) for _ in range(2)]
    row_a, row_b = poses[0][:3], poses[1][:3]
    alone = np.stack([transform_points(row_b, corner) for corner in corners])
    every = run(bounds_steps(solid.points, solid.form, row_a[None], alone, POINTS_FORM, np.eye(4)[None, :3].copy()))
    least, within = every[:, LOWER].min(), rng.uniform(0.0, 2.0) * max(every[:, LOWER].mean(), 0.0)
    rounding = 1e-12 * (1.0 + away)

    answers, nearest = run(surface_bounds_steps(solid, surface, row_a[None].copy(), row_b[None].copy(), 0.0, np.inf))
    assert abs(max(answers[0, UPPER], 0.0) - max(every[:, UPPER].min(), 0.0)) <= 2.0 * rounding
    assert answers[0, LOWER] <= max(least, 0.0) + rounding
    assert every[nearest[0], LOWER] <= max(least, 0.0) + 2.0 * rounding

    near, _ = triangles_near(solid, surface, row_a, row_b, within)
    assert set(np.flatnonzero(every[:, UPPER] < within - rounding)) <= set(near.tolist())
    assert set(near.tolist()) <= set(np.flatnonzero(every[:, LOWER] <= within + rounding))

    met, _ = triangles_near(solid, surface, row_a, row_b, rounding, -rounding)
    assert (len(met) > 0) == bool((every[:, LOWER] <= rounding).any()) or abs(least) <= 2.0 * rounding
