"""Moving points and edges decided in integers of fixed width: against Python's, to the last bit of the time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.continuous import forms
from meshclash.continuous.grid import LONG, SHORT
from meshclash.continuous.integer_stages import integer_stage_steps
from meshclash.continuous.rational import rational_impact
from meshclash.continuous.stages import HIT, INTEGERS, RATIONAL, STAGES, UNDECIDED
from meshclash.continuous.wide_stage import decide_all_in_integers
from meshclash.types.steps import run
from oracles.impact_cases import CASES, make_cases

KINDS = (0, 1)


def in_integers(x, kind):
    start, end = np.ascontiguousarray(x[:, :4]), np.ascontiguousarray(x[:, 4:])
    verdicts, times = np.empty(len(x), np.uint8), np.empty(len(x))
    decide_all_in_integers(start, end, kind, verdicts, times)
    return verdicts, times


def assert_same(x, kind):
    """Returns how many are left undecided."""
    verdicts, times = in_integers(x, kind)
    for row, verdict, time in zip(x, verdicts, times, strict=True):
        if verdict != UNDECIDED:
            hit, moment = rational_impact(row[:4], row[4:], kind)
            assert hit == (verdict == HIT), row.tolist()
            assert moment == time or (not hit and np.isnan(time)), (row.tolist(), moment, time)
    return int((verdicts == UNDECIDED).sum())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CASES)
def test_verdicts_and_times_equal_those_of_pythons_integers(name, kind):
    assert assert_same(make_cases(name, 60, seed=40 + kind), kind) <= 3


@pytest.mark.needs_jit
def test_nearly_everything_is_decided_in_fixed_width():
    left = total = 0
    for name in CASES:
        for kind in KINDS:
            verdicts, _ = in_integers(make_cases(name, 1000, seed=2), kind)
            left, total = left + (verdicts == UNDECIDED).sum(), total + len(verdicts)
    assert 0 < left < 0.003 * total


def through_a_point(count, seed):
    """Points that go through one point, or nearly so: reflected, shrunk to it or beyond, all numbers rounded."""
    rng = np.random.default_rng(seed)
    x = np.empty((count, 8, 3))
    for row in x:
        centre = rng.choice([0.1, 1 / 3, 1.0, 100.1]) * rng.uniform(-1, 1, 3) + rng.choice([0.0, 1e-9])
        row[:4] = centre + rng.normal(size=(4, 3)) * rng.choice([1.0, 0.25])
        row[4:] = centre + rng.choice([-1.0, -0.3, -3.0, -1e-3, 0.0, -1.0 / 7]) * (row[:4] - centre)
        if rng.random() < 0.3:
            row[rng.integers(4, 8)] += rng.integers(-3, 4, 3) * 2.0 ** rng.integers(-60, -20)
        if rng.random() < 0.2:
            row[[1, 5]] = row[[0, 4]]
    return x


@pytest.mark.parametrize("kind", KINDS)
def test_what_goes_through_a_rounded_point_is_decided_in_windows(kind):
    assert assert_same(through_a_point(150, kind), kind) <= 15


@pytest.mark.needs_jit
@pytest.mark.parametrize("kind", KINDS)
def test_few_of_them_are_left_to_pythons_integers(kind):
    x = through_a_point(3000, 7)
    assert (in_integers(x, kind)[0] == UNDECIDED).mean() < 0.15


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bits", (SHORT, LONG))
def test_the_largest_numbers_of_a_width_fit(bits, kind):
    """Corners of the range, and numbers close by: every sum is as large as it can be somewhere."""
    rng = np.random.default_rng([bits, kind])
    for spread in (0.0, 2.0 ** (bits - 3)):
        size = (
            2.0**bits - 2.0 ** (bits - 53) * rng.integers(1, 4, (150, 8, 3)) - spread * rng.integers(0, 3, (150, 8, 3))
        )
        x = rng.choice([-1.0, 1.0], size.shape) * size
        assert 2.0 ** (bits - 1) <= np.abs(x).max() < 2.0**bits
        assert_same(x, kind)


small = st.integers(-3, 3)


@given(
    st.lists(st.tuples(small, small, small), min_size=8, max_size=8), st.sampled_from(KINDS),
    st.sampled_from((0, 56, 100)), st.integers(-2, 2),
)  # fmt: skip
def test_a_finer_grid_changes_nothing(points, kind, shift, ulps):
    """Small whole coordinates far apart from the smallest one: the same answers in one word, two, and in Python's."""
    x = np.array([points], dtype=float)
    x[0, 0, 0] += ulps * 2.0**-shift
    assert_same(x, kind)


def test_what_is_on_no_grid_is_left_to_pythons_integers_and_counted():
    x = make_cases("integers", 30, seed=3)
    x[:, 0, 1] = 2.0**-200
    counts = np.zeros(STAGES, np.int64)
    verdicts, times = run(integer_stage_steps(x[:, :4].copy(), x[:, 4:].copy(), 0, counts))
    assert (in_integers(x, 0)[0] == UNDECIDED).all()
    assert counts[RATIONAL] == 30 and counts[INTEGERS] == 0
    for row, verdict, time in zip(x, verdicts, times, strict=True):
        hit, moment = rational_impact(row[:4], row[4:], 0)
        assert hit == (verdict == HIT) and (moment == time or not hit)


@pytest.mark.parametrize("kind", KINDS)
def test_each_axis_has_a_grid_of_its_own(kind):
    x = make_cases("integers", 60, seed=6)
    scaled = x * np.array([5e-324, 1.0, 2.0**1000])
    for found, expected in zip(in_integers(scaled, kind), in_integers(x, kind), strict=True):
        assert np.array_equal(found, expected, equal_nan=True)
    assert assert_same(scaled[:20], kind) <= 1


def test_huge_and_denormal_together_are_on_no_grid():
    """The smaller ones must not become zeros on the way to the grid."""
    x = make_cases("integers", 20, seed=4)
    x[:, 0, 0] *= 5e-324
    x[:, 1:, 0] *= 2.0**1000
    assert (in_integers(x, 1)[0] == UNDECIDED).sum() > 10
    assert_same(x, 1)


@given(st.lists(st.integers(-(2**60), 2**60), min_size=1, max_size=7), st.integers(0, 12), st.integers(0, 4095))
def test_a_form_between_two_moments_is_the_form_there(form, depth, index):
    """Of any degree: certificates ask forms of degree 4 and 5."""
    index %= 1 << depth
    inside = forms.between(form, index, depth)
    degree, whole = len(form) - 1, 1 << depth
    for share in range(degree + 1):  # at as many moments as decide a form
        t = index * max(degree, 1) + share  # over whole * degree
        m = whole * max(degree, 1) - t
        there = sum(x * t**i * m ** (degree - i) for i, x in enumerate(form))
        here = sum(x * share**i * (max(degree, 1) - share) ** (degree - i) for i, x in enumerate(inside))
        assert there == here
