"""Whether and when a moving point meets a triangle, or an edge an edge: against rational root isolation."""

from fractions import Fraction

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.continuous.rational import rational_impact
from oracles.impact_cases import CASES, make_cases
from oracles.impact_oracle import first_moment

ASK = (mc.motion.point_triangle_impacts, mc.motion.edge_edge_impacts)
TIGHT = Fraction(1, 1 << 40)


def ask(kind, x):
    return ASK[kind](x[:, :4], x[:, 4:])


def assert_true(kind, x, hit, time):
    """One answer against the oracle: the verdict, and the time as a bound."""
    truth = first_moment(x[:4], x[4:], kind == 1)
    assert hit == (truth is not None), x.tolist()
    if truth is None:
        assert np.isnan(time)
        return
    low, high = truth
    assert Fraction(float(time)) <= high and low - Fraction(float(time)) <= TIGHT, (x.tolist(), time, float(low))
    assert (time == 0.0) == (high == 0), x.tolist()


@pytest.mark.parametrize("kind", (0, 1))
@pytest.mark.parametrize("name", CASES)
def test_verdicts_and_times_equal_the_oracle(name, kind):
    x = make_cases(name, 40, seed=5 + kind)
    found = ask(kind, x)
    for row, hit, time in zip(x, found.hit, found.time, strict=True):
        assert_true(kind, row, hit, time)
    assert sum(found.counters.values()) == len(found) == 40


@pytest.mark.parametrize("kind", (0, 1))
def test_the_last_stage_decides_everything_alone(kind):
    for name in ("integers", "in a plane", "double roots", "random"):
        for row in make_cases(name, 25, seed=9):
            assert_true(kind, row, *rational_impact(row[:4], row[4:], kind))


def test_classes_hold_hits_and_misses_and_every_stage_is_used():
    used, hits = dict.fromkeys(mc.motion.point_triangle_impacts([[[0] * 3] * 4], [[[0] * 3] * 4]).counters, 0), 0
    for name in CASES:
        for kind in (0, 1):
            found = ask(kind, make_cases(name, 400 if name == "random" else 40, seed=5 + kind))
            hits += found.hit.sum()
            for stage, count in found.counters.items():
                used[stage] += count
    assert hits > 100
    assert all(used[stage] for stage in ("comparisons", "signs", "bracket", "integers")), used


def test_slow_crossings_are_timed_in_integers():
    """A point that sinks by a millionth of its way along a slope: float64 knows the moment to some 30 bits."""
    rng = np.random.default_rng(3)
    x = np.zeros((50, 8, 3))
    x[:, 1:4] = x[:, 5:8] = [[-3.0, -3.0, -0.3], [5.0, -1.0, 0.7], [-1.0, 5.0, 0.1]]
    x[:, 0, :2], x[:, 4, :2] = rng.uniform(-0.3, 0.3, (2, 50, 2))
    normal = np.cross(x[0, 2] - x[0, 1], x[0, 3] - x[0, 1])
    for i, height in ((0, 1e-5), (4, -1e-5)):
        x[:, i, 2] = x[:, 1, 2] - ((x[:, i, :2] - x[:, 1, :2]) @ normal[:2]) / normal[2] + height
    found = ask(0, x)
    assert found.counters["integers"] > 40
    for row, hit, time in zip(x, found.hit, found.time, strict=True):
        assert_true(0, row, hit, time)


small = st.integers(-3, 3)
moving = st.lists(st.tuples(small, small, small), min_size=8, max_size=8)


@settings(max_examples=60, deadline=None)
@given(moving, st.integers(0, 1), st.floats(-1e6, 1e6), st.integers(-3, 3))
def test_verdicts_follow_symmetries(points, kind, offset, power):
    """Reversed time, other orders of the corners, edges exchanged, scales of two, and mirrors change no verdict."""
    x = np.array(points, float) * 2.0**power
    if abs(offset) > 1.0:
        x += np.round(offset)
    orders = {
        0: ([0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 2, 1]),
        1: ([0, 1, 2, 3], [1, 0, 2, 3], [2, 3, 0, 1]),
    }[kind]
    start = np.stack([x[:4][order] for order in orders] + [x[4:], -x[:4], 8.0 * x[:4]])
    end = np.stack([x[4:][order] for order in orders] + [x[:4], -x[4:], 8.0 * x[4:]])
    found = ASK[kind](start, end)
    assert len(set(found.hit.tolist())) == 1, points
    times = np.delete(found.time, 3)
    assert np.ptp(times) <= 2.0**-39 if found.hit[0] else np.isnan(times).all()


@settings(max_examples=60, deadline=None)
@given(moving, st.integers(0, 1), st.integers(1, 7))
def test_splitting_the_interval_loses_nothing(points, kind, eighth):
    x = np.array(points, float) * 8.0  # so that positions at eighths of the time are integers
    middle = x[:4] + (x[4:] - x[:4]) * (eighth / 8.0)
    found = ASK[kind]([x[:4], x[:4], middle], [x[4:], middle, x[4:]])
    assert found.hit[0] == (found.hit[1] or found.hit[2])
    if found.hit[0]:
        t = eighth / 8.0
        first = t * found.time[1] if found.hit[1] else t + (1.0 - t) * found.time[2]
        assert abs(first - found.time[0]) <= 2.0**-39


def test_nothing_is_asked_of_no_rows():
    found = mc.motion.edge_edge_impacts(np.empty((0, 4, 3)), np.empty((0, 4, 3)))
    assert len(found) == 0 and found.hit.dtype == bool and not any(found.counters.values())


def test_lists_integers_and_read_only_arrays_are_taken():
    start, end = np.zeros((1, 4, 3), np.int64), np.zeros((1, 4, 3), np.float32)
    start.flags.writeable = False
    for given_start in (start, start.tolist(), start.astype(np.float32)[:, ::-1]):
        found = mc.motion.point_triangle_impacts(given_start, end)
        assert found.hit.tolist() == [True] and found.time.tolist() == [0.0]


@pytest.mark.parametrize("ask_one", ASK)
@pytest.mark.parametrize(
    ("start", "message"),
    [
        (np.zeros((2, 3, 3)), r"start must have shape \(n, 4, 3\), not \(2, 3, 3\)"),
        (np.zeros((4, 3)), r"start must have shape"),
        (np.zeros((1, 4, 3)), "start has 1 rows of four points, but end has 2"),
        (np.full((2, 4, 3), np.nan), r"start\[0\] is .* \(2 such rows in total\): coordinates must be finite"),
        (np.full((2, 4, 3), np.inf), "must be finite"),
        (np.zeros((2, 4, 3), complex), "cannot be read as numbers"),
        (np.ma.masked_array(np.zeros((2, 4, 3))), "masked arrays are not supported"),
        ("frame", "cannot be read as numbers"),
        (None, "start"),
    ],
)
def test_bad_points_are_refused_with_words(ask_one, start, message):
    with pytest.raises(mc.InvalidMesh, match=message):
        ask_one(start, np.zeros((2, 4, 3)))


@pytest.mark.parametrize("kind", (0, 1))
def test_coordinates_of_any_magnitude_are_decided(kind):
    """Huge differences overflow, denormal ones underflow, and both at once need integers of two thousand bits."""
    largest = np.finfo(np.float64).max
    x = make_cases("integers", 30, seed=2)
    for scale in (largest / 2.0, 5e-324, 2.0**-1000):
        found = ask(kind, x * scale)
        assert np.array_equal(found.hit, ask(kind, x).hit)
    x[:, :, 1] *= 5e-324
    x[:, :, 2] *= largest / 2.0
    found = ask(kind, x)
    for row, hit, time in list(zip(x, found.hit, found.time, strict=True))[:10]:
        assert_true(kind, row, hit, time)
