"""Rigid motion: analytic moments of contact, finer stepping, and motions that must hit their poses."""

import math
from itertools import pairwise

import meshclash as mc
import numpy as np
import pytest
from bench.motion import _campaign
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.motion.approach import approach_speed, closing_speed, make_mover
from meshclash.motion.motion_piece import axis_and_angle, rotation_about
from meshclash.types.pose import Pose
from oracles.motion_oracle import path_of, turned_by
from oracles.motion_scenes import check_scene, random_scene
from solids import box, sheet
from strategies import matrix, rotation

KILOMETRE = (1000.0, -1000.0, 1000.0)


def ball(radius=1.0, rings=24):
    """A sphere's vertices on the sphere: no vertex is farther out, the lowest one is a pole."""
    turns = 2 * rings
    u, v = np.meshgrid(np.arange(1, rings) * np.pi / rings, np.arange(turns) * 2 * np.pi / turns, indexing="ij")
    body = np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], axis=-1).reshape(-1, 3)
    points = np.vstack([body, [0, 0, 1], [0, 0, -1]]) * radius
    index = np.arange((rings - 1) * turns).reshape(rings - 1, turns)
    right = np.roll(index, -1, axis=1)
    low, high = index[:-1], index[1:]
    quads = [(low, high, right[1:]), (low, right[1:], right[:-1])]
    faces = [np.stack(q, axis=-1).reshape(-1, 3) for q in quads]
    top, bottom = len(points) - 2, len(points) - 1
    caps = [(np.full(turns, top), index[0], right[0]), (np.full(turns, bottom), right[-1], index[-1])]
    return mc.TriangleMesh(points, np.vstack([*faces, *(np.stack(c, axis=-1) for c in caps)]))


def solid(low, high):
    return mc.TriangleMesh(*box(low, high))


@pytest.mark.parametrize("far", [(0.0, 0.0, 0.0), KILOMETRE])
def test_a_sphere_falls_on_a_plane(far):
    plane = mc.TriangleMesh(*sheet((-5, -5), (5, 5), 0.0))
    fall = mc.motion.ScrewMotion(matrix(shift=np.add(far, (0, 0, 4))), matrix(shift=np.add(far, (0, 0, -4))))
    found = mc.motion.time_of_contact(plane, ball(), matrix(shift=far), fall, tolerance=1e-6, intervals=True)
    assert found.time <= 3 / 8 <= found.time + 1e-6 / 8 + 1e-12
    assert 0.0 <= found.distance <= 1e-6
    assert np.allclose(found.point_a, far, atol=1e-3)
    (lasting,) = found.intervals
    assert lasting.start == found.time
    assert lasting.end == pytest.approx(5 / 8, abs=1e-6)


@pytest.mark.parametrize("far", [(0.0, 0.0, 0.0), KILOMETRE])
def test_a_pendulum_strikes_a_wall(far):
    """A rod of length 2 hangs from the origin and swings about y from 60 degrees; its end strikes a wall at x = 1."""
    rod = solid((-0.01, -0.01, -2.0), (0.01, 0.01, 0.0))
    wall = solid((-1.5, -1, -3), (-1.0, 1, 1))
    start = matrix(rotation_about(np.array([0.0, 1, 0]), -math.pi / 3), far)
    swing = mc.motion.ScrewMotion.about(far, (0, 1, 0), 2 * math.pi / 3, pose=start)
    found = mc.motion.time_of_contact(rod, wall, swing, matrix(shift=far), tolerance=1e-7)
    # The corner (0.01, -2) is sqrt(4.0001) from the axis, at atan(0.005) from the rod's middle.
    angle = math.asin(1.0 / math.hypot(2.0, 0.01)) - math.atan2(0.01, 2.0)
    expected = (math.pi / 3 + angle) / (2 * math.pi / 3)
    assert found.time <= expected <= found.time + 1e-6


def test_a_rod_that_spins_many_turns_strikes_what_comes_near_slowly():
    rod = solid((-1.0, -0.02, -0.02), (1.0, 0.02, 0.02))
    block = solid((0.0, -0.5, -0.5), (0.5, 0.5, 0.5))
    spin = mc.motion.ScrewMotion.about((0, 0, 0), (0, 0, 1), 40 * math.pi)
    come = mc.motion.ScrewMotion(matrix(shift=(3.0, 0, 0)), matrix(shift=(0.9, 0, 0)))
    found = mc.motion.time_of_contact(rod, block, spin, come, tolerance=1e-5)
    reach = math.hypot(1.0, 0.02)
    soonest = (3.0 - reach) / 2.1  # when the block comes within reach of the corners
    latest = soonest + 1 / 40 + (reach - 1.0) / 2.1  # a corner comes round every half turn
    assert soonest - 1e-5 <= found.time <= latest


@pytest.mark.parametrize("speed", [1.0, 1e3, 1e6])
def test_a_bullet_never_passes_a_plate(speed):
    bullet = solid((-0.01, -0.01, -0.01), (0.01, 0.01, 0.01))
    plate = mc.TriangleMesh(*sheet((-1, -1), (1, 1), 0.0))
    flight = mc.motion.ScrewMotion(matrix(shift=(0, 0, 5)), matrix(shift=(0.3, 0.2, 5 - 10 * speed)), 0.0, 10.0)
    found = mc.motion.time_of_contact(plate, bullet, None, flight, tolerance=1e-6, intervals=True)
    expected = 4.99 / speed
    assert found.time <= expected <= found.time + 2e-6 / speed + 1e-12
    assert len(found.intervals) == 1
    assert found.intervals[0].end >= found.time


def test_what_moves_together_needs_one_look():
    a, b = solid((0, 0, 0), (1, 1, 1)), solid((1.001, 0, 0), (2, 1, 1))
    fly = mc.motion.ScrewMotion.about((50, 3, 0), (1, 2, 3), 6.0, advance=100.0)
    found = mc.motion.time_of_contact(a, b, fly, fly, tolerance=1e-5)
    assert not found
    assert found.queries <= 8
    assert mc.motion.time_of_contact(a, b, fly, fly, tolerance=2e-3).time == 0.0


def test_what_slides_past_at_a_small_gap_is_seen_to_be_free_at_once():
    a = solid((0, 0, 0), (1, 1, 1))
    slide = mc.motion.ScrewMotion(matrix(shift=(-1000, 0, 1.0001)), matrix(shift=(1000, 0, 1.0001)))
    found = mc.motion.time_of_contact(a, a, None, slide, tolerance=1e-5)
    assert not found and found.queries < 10


def test_two_visits_are_two_intervals_with_their_deepest_moments():
    a, b = solid((0, 0, 0), (1, 1, 1)), solid((0, 0, 0), (1, 1, 1))
    heights = [2.0, 0.75, 2.0, 0.5, 2.0]
    motion = mc.motion.KeyframedMotion(range(5), np.array([matrix(shift=(0.125, 0.0625, z)) for z in heights]))
    found = mc.motion.time_of_contact(a, b, None, motion, tolerance=1e-6, intervals=True)
    one, two = found.intervals
    assert (one.start, one.end) == (pytest.approx(0.8, abs=1e-5), pytest.approx(1.2, abs=1e-5))
    assert one.deepest == pytest.approx(1.0, abs=1e-3) and one.depth == pytest.approx(0.25, abs=1e-3)
    assert two.deepest == pytest.approx(3.0, abs=1e-3) and two.depth == pytest.approx(0.5, abs=1e-3)
    without = mc.motion.time_of_contact(a, b, None, motion, tolerance=1e-6, intervals=True, depth=False).intervals
    assert without == [mc.motion.ContactInterval(span.start, span.end, None, None) for span in found.intervals]


def moved(pose, *rest):
    """A pose matrix after which others are taken, each in the coordinates of the one before."""
    for other in rest:
        pose = pose @ other
    return pose


def place(rng):
    return matrix(rotation(rng), rng.uniform(-3, 3, 3))


@given(st.integers(0, 2**32 - 1), st.sampled_from(["linear", "screw"]))
@settings(max_examples=10, deadline=None)
def test_what_rests_in_a_turned_pose(seed, interpolation):
    """At rest for ever, before and after its motion, between equal keys, with one key, and keys an ulp apart."""
    rng = np.random.default_rng(seed)
    plate, dart, here = solid((-1, -1, -1), (1, 1, 0)), solid((-0.1, -0.1, 0), (0.1, 0.1, 0.2)), place(rng)
    high, low = moved(here, matrix(shift=(0, 0, 3))), moved(here, matrix(shift=(0, 0, -1)))
    fall = mc.motion.KeyframedMotion([1, 5], [high, low], interpolation)
    tick = float(np.nextafter(3.0, 4.0))
    resting = (
        here,
        mc.motion.KeyframedMotion([rng.uniform(0, 9)], [here], interpolation),
        mc.motion.KeyframedMotion([0.0, 3.0, 9.0], [here] * 3, interpolation),
        mc.motion.KeyframedMotion([0.0, 3.0, tick, 9.0], [here] * 4, interpolation),
    )
    for rest in resting:
        for things, motions in (((plate, dart), (rest, fall)), ((dart, plate), (fall, rest))):
            found = mc.motion.time_of_contact(*things, *motions, tolerance=1e-6, intervals=True)
            assert found.time <= 4.0 + 1e-9 and found.time == pytest.approx(4.0, abs=2e-6)
            assert found.intervals[0].end == (9.0 if getattr(rest, "end", 0.0) == 9.0 else 5.0)


@st.composite
def heights(draw):
    """Times and heights of a box above a plate, on a grid of tenths, and an exact picture of when they touch."""
    count = draw(st.integers(2, 12))
    pauses = draw(st.lists(st.sampled_from([0.001, 0.25, 1.0, 7.0]), min_size=count - 1, max_size=count - 1))
    values = draw(st.lists(st.integers(-3, 9), min_size=count, max_size=count))
    return np.concatenate([[0.0], np.cumsum(pauses)]), 0.1 * np.array(values, float)


def times_at(level, times, values):
    """Sorted times at which the polygon of heights is at a level, and all keys."""
    found = set(times.tolist())
    for (t, u), (x, y) in zip(pairwise(times.tolist()), pairwise(values.tolist()), strict=True):
        if (x - level) * (y - level) < 0.0:
            found.add(t + (u - t) * (level - x) / (y - x))
    return sorted(found)


@given(heights(), st.integers(0, 2**32 - 1), st.sampled_from([None, 1e-3, 0.3]))
@settings(max_examples=60, deadline=None)
def test_contacts_begin_and_end_when_they_do(polygon, seed, resolution):
    """A box rises above a plate and comes down to it: no contact is lost, and what is said to be one is one."""
    times, values = polygon
    tolerance, rng = 1e-5, np.random.default_rng(seed)
    here, turn = place(rng), matrix(rotation_about(np.array([0.0, 0, 1]), rng.uniform(0, 6)))
    poses = np.array([moved(here, matrix(shift=(0, 0, z)), turn) for z in values])
    plate, thing = solid((-1, -1, -1), (1, 1, 0)), solid((-0.2, -0.2, 0), (0.2, 0.2, 0.4))
    motion = mc.motion.KeyframedMotion(times, poses)
    found = mc.motion.time_of_contact(
        plate, thing, here, motion, tolerance=tolerance, intervals=True, interruption=resolution
    )
    spans = [(span.start, span.end) for span in found.intervals]
    pause = (resolution or times[-1] / 256) * (1 + 1e-9)
    assert all(start <= end for start, end in spans)
    assert all(end < start for (_, end), (start, _) in pairwise(spans))
    for t in [*times_at(0.0, times, values - 1e-9), *times]:
        if np.interp(t, times, values) <= 0.0:
            assert any(start <= t <= end for start, end in spans), t
    for t in np.ravel(spans):
        assert np.interp(t, times, values) <= tolerance * (1 + 1e-6)
    free = times_at(tolerance, times, values)
    for t, u in pairwise(free):
        if np.interp(0.5 * (t + u), times, values) > tolerance and u - t > pause:
            assert not any(start <= t and u <= end for start, end in spans)
    assert bool(found) == bool((values <= 0.0).any()) or (values <= tolerance).any()


def test_short_contacts_are_found_and_the_end_of_a_rest_too():
    """A minute at 24 frames a second: the box rests on the plate, rises, and knocks twice in passing."""
    times = np.arange(24 * 60 + 1) / 24.0
    z = np.where(times < 29.0, 0.0, 0.5)
    z[702:704] = -0.001, 0.5  # at 29.25 s, less than a frame
    z[1200] = -1e-4
    plate, thing = solid((-1, -1, -1), (1, 1, 0)), solid((-0.2, -0.2, 0), (0.2, 0.2, 0.4))
    motion = mc.motion.KeyframedMotion(times, [matrix(shift=(0, 0, h)) for h in z])
    found = mc.motion.time_of_contact(plate, thing, None, motion, tolerance=1e-5, intervals=True)
    ends = [(span.start, span.end) for span in found.intervals]
    assert np.allclose(ends, [(0.0, times[695]), (29.25, 29.25), (50.0, 50.0)], atol=1e-3)
    assert all(start <= t <= end for (start, end), t in zip(ends, (times[695], 29.25, 50.0), strict=True))
    (one, two) = mc.motion.time_of_contact(plate, thing, None, motion, intervals=True, interruption=0.3).intervals
    assert one.end >= 29.25 and two.start <= 50.0 <= two.end  # an interruption shorter than the resolution is none


@pytest.mark.parametrize("begin", [0.0, -1.0, 1.0, 1e6])
@pytest.mark.parametrize("resolution", [None, 1e-3])
def test_keys_an_ulp_apart_may_differ_by_less_than_the_tolerance(begin, resolution):
    """Of a fall and a rise that is interrupted; next to 0 an ulp is so short that no float is as large as the speed."""
    plate, thing = solid((-1, -1, -1), (1, 1, 0)), solid((-0.2, -0.2, 0), (0.2, 0.2, 0.4))
    times = [t for k in range(3) for t in (begin + k, math.nextafter(begin + k, math.inf))] + [begin + 3.0]
    heights = 1.0, 1.0 - 1e-8, -0.1, -0.1 + 1e-8, -0.1 + 2e-8, -0.1 + 3e-8, 1.0
    poses = [matrix(rotation_about(np.array([0.0, 0, 1]), 1e-9 * k), (0, 0, z)) for k, z in enumerate(heights)]
    motion = mc.motion.KeyframedMotion(times, poses)
    found = mc.motion.time_of_contact(
        plate, thing, None, motion, tolerance=1e-5, intervals=True, interruption=resolution
    )
    (lasting,) = found.intervals
    assert lasting.start == found.time == pytest.approx(begin + 1.0 / 1.1, abs=1.1e-5)
    assert lasting.start <= begin + 1.0 / 1.1 + 1e-9 and begin + 2.0 + 0.1 / 1.1 - 1e-7 <= lasting.end
    assert lasting.end == pytest.approx(begin + 2.0 + 0.1 / 1.1, abs=1.1e-5)


def test_what_is_inside_is_in_contact():
    a, b = solid((0, 0, 0), (4, 4, 4)), solid((1, 1, 1), (2, 2, 2))
    out = mc.motion.ScrewMotion(None, matrix(shift=(10, 0, 0)))
    found = mc.motion.time_of_contact(a, b, None, out, tolerance=1e-6, intervals=True)
    assert found.time == 0.0
    assert found.intervals[0].end == pytest.approx(0.3, abs=1e-5)


def test_a_cloud_meets_a_plate():
    rng = np.random.default_rng(4)
    directions = rng.normal(size=(1500, 3))
    cloud = mc.clouds.PointCloud(directions / np.linalg.norm(directions, axis=1)[:, None])
    plate = mc.TriangleMesh(*sheet((-3, -3), (3, 3), 0.0, cells=4))
    fall = mc.motion.ScrewMotion(matrix(shift=(0, 0, 3)), matrix(shift=(0, 0, 0)))
    found = mc.motion.time_of_contact(plate, cloud, None, fall, tolerance=1e-3)
    assert found.time == pytest.approx(2 / 3, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_finer_stepping_finds_nothing_missed_late_or_false(seed):
    """Ten scenes a seed; the bench runs all of ten thousand."""
    for k in range(10):
        row = check_scene(random_scene(10 * seed + k))
        assert (row["missed"], row["late"], row["false"]) == (0, 0, 0), 10 * seed + k


@pytest.mark.slow
def test_the_answer_does_not_depend_on_where_the_scene_is():
    for seed in range(30):
        scene = random_scene(seed)
        here = mc.motion.time_of_contact(*scene.things, *scene.motions, tolerance=scene.tolerance)
        there = mc.motion.time_of_contact(*scene.things, *scene.moved(KILOMETRE).motions, tolerance=scene.tolerance)
        assert bool(here) == bool(there)
        if here:
            assert here.time == pytest.approx(there.time, abs=1e-7)


@given(st.integers(0, 2**32 - 1), st.sampled_from(["linear", "screw"]), st.sampled_from([1e-12, 1e-6, 1e-2, 1.0, 3.14]))
def test_motions_go_through_their_poses_and_are_rigid_between(seed, interpolation, angle):
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    first = matrix(rotation(rng), rng.normal(size=3))
    last = matrix(rotation_about(axis / np.linalg.norm(axis), angle) @ first[:3, :3], rng.normal(size=3))
    if rng.random() < 0.5:  # as Blender stores them
        first, last = (np.float64(np.float32(m)) for m in (first, last))
    motion = mc.motion.KeyframedMotion(
        [2.0, 5.0], [mc.Pose.from_matrix(first), mc.Pose.from_matrix(last)], interpolation
    )
    assert np.array_equal(motion.poses([2.0, 5.0, 1.0, 9.0]), np.stack([first, last, first, last]))
    for time in rng.uniform(2.0, 5.0, 4):
        turned = motion.pose(time).rows[:, :3]
        assert np.allclose(turned.T @ turned, np.eye(3), atol=1e-6)
    near = motion.poses([2.0 + 1e-12, 5.0 - 1e-12])
    assert np.allclose(near, np.stack([first, last]), atol=1e-8)


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
@settings(max_examples=200)
def test_no_two_points_approach_faster_than_the_bounds_say(seed, screw_a, screw_b):
    rng = np.random.default_rng(seed)
    movers, spans, points = [], [], []
    for screw in (screw_a, screw_b):
        ends = [matrix(rotation(rng), rng.normal(size=3) * 3) for _ in range(2)]
        if rng.random() < 0.3:
            ends = [np.float64(np.float32(m)) for m in ends]
        make = mc.motion.ScrewMotion if screw else lambda p, q: mc.motion.KeyframedMotion([0, 1], [p, q])
        span = make(*map(mc.Pose.from_matrix, ends)).spans[0]
        spans.append(span)
        points.append(rng.normal(size=(20, 3)))
        movers.append(make_mover(span, points[-1]))
    begin = rng.uniform(0, 0.9)
    end = rng.uniform(begin, 1.0)
    fastest = approach_speed(*movers, begin, end)
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    closing = closing_speed(*movers, direction)
    times = np.linspace(begin, end, 9)
    places = [[Pose(s.rows_at(t)).apply(p) for t in times] for s, p in zip(spans, points, strict=True)]
    gaps = np.array([[np.linalg.norm(x - y) for x, y in zip(a, b, strict=True)] for a, b in zip(*places, strict=True)])
    assert (gaps[:-1] - gaps[1:] <= fastest * np.diff(times)[:, None] + 1e-12).all()
    planes = np.array([(b @ direction).min() - (a @ direction).max() for a, b in zip(*places, strict=True)])
    assert (planes[:-1] - planes[1:] <= closing * np.diff(times) + 1e-12).all()


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_the_closed_form_turns_half_a_turn_either_way(seed, screw):
    """Both ways round begin and end alike, and are mirror images of each other in between."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    turn, way = np.pi * axis / np.linalg.norm(axis), rng.normal(size=3)
    first = matrix(rotation(rng), rng.normal(size=3))
    path = path_of(np.array([0.0, 1.0]), first, turn[None], way[None], screw)
    other = path.turned_back(np.array([0]))
    ends = np.array([0.0, 1.0])
    assert np.allclose(path.poses(ends), other.poses(ends), atol=1e-14)
    one, two = path.poses(np.array([0.5]))[0], other.poses(np.array([0.5]))[0]
    assert np.allclose(one[:3, :3] @ turned_by(-turn[None])[0], two[:3, :3], atol=1e-14)
    motion = (mc.motion.ScrewMotion if screw else lambda *ends: mc.motion.KeyframedMotion([0, 1], ends))(
        *path.poses(ends)
    )
    times = rng.random(5)
    assert min(np.abs(motion.poses(times) - p.poses(times)).max() for p in (path, other)) < 1e-13


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1e-200, 1e-9, 1.0, math.pi - 1e-9, math.pi]))
def test_axis_and_angle_give_back_the_rotation(seed, angle):
    axis = np.random.default_rng(seed).normal(size=3)
    turned = rotation_about(axis / np.linalg.norm(axis), angle)
    assert np.allclose(rotation_about(*axis_and_angle(turned)), turned, atol=1e-15 * 20)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda a: mc.motion.time_of_contact(a, a, tolerance=0.0), "above 0"),
        (lambda a: mc.motion.time_of_contact(a, a, tolerance=1e-18), "too small"),
        (lambda a: mc.motion.time_of_contact(a, a, interruption=0.0), "interruption"),
        (lambda a: mc.motion.time_of_contact(a, a, depth="exact"), "depth must be True or False"),
        (lambda a: mc.motion.ScrewMotion(start=1.0, end=1.0), "times must be in ascending order"),
        (lambda a: mc.motion.ScrewMotion(start=-1.7e308, end=1.7e308), "too far apart"),
        (lambda a: mc.motion.ScrewMotion.about((0, 0, 0), (0, 0, 1), 99.0, start=1.0, end=1.0 + 2e-15), "too short"),
        (
            lambda a: mc.motion.time_of_contact(
                a, a, None, mc.motion.ScrewMotion(None, matrix(shift=(9, 0, 0)), 0, 5e-324)
            ),
            "at least 1.4e\\+02 m",
        ),
        (lambda a: mc.motion.ScrewMotion.about((0, 0, 0), (0, 0, 0), 1.0), "direction"),
        (lambda a: mc.motion.KeyframedMotion([0, 1], [np.eye(4)]), "one pose for each of the 2 times, not 1"),
        (lambda a: mc.motion.KeyframedMotion([1, 1], [np.eye(4)] * 2), "times must be in ascending order"),
        (lambda a: mc.motion.KeyframedMotion([0], [np.eye(4)], "spline"), "interpolation"),
    ],
)
def test_what_cannot_be_answered_is_refused(call, says):
    with pytest.raises(mc.UnsupportedOption, match=says):
        call(solid((0, 0, 0), (1, 1, 1)))


def test_no_motion_is_a_question_about_now():
    a = solid((0, 0, 0), (1, 1, 1))
    assert mc.motion.time_of_contact(a, a).time == 0.0
    assert not mc.motion.time_of_contact(a, a, None, matrix(shift=(3, 0, 0)))


def test_a_campaign_goes_on_after_an_exception_and_counts_it(capsys):
    def check(seed):
        return {"scenes": 1, "missed": 1 // seed}

    assert _campaign("planted", 0, 3, check).items() >= {"seeds": 3, "scenes": 2, "missed": 1, "raised": 1}.items()
    assert "seed 0" in capsys.readouterr().out


def test_closing_the_generator_gives_up():
    steps = mc.steps(
        mc.motion.time_of_contact, ball(), ball(), None, mc.motion.ScrewMotion(matrix(shift=(9, 0, 0)), None)
    )
    steps.close()
