"""Boxes: rounded outward, exactly; verbs as the registry describes them."""

from fractions import Fraction

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.jit import kernel
from meshclash.volumes import aabb, rounding
from meshclash.volumes.registry import VOLUMES, volume_named
from strategies import points

REACHABLE = st.floats(-4e30, 4e30)
VERBS = ("size", "overlap", "gap", "contains")


@kernel
def _round(x):
    return rounding.round_down(x), rounding.round_up(x)


@kernel
def _fit(corners, origin, volume):
    aabb.clear(volume)
    for i in range(corners.shape[0]):
        aabb.extend(volume, corners[i, 0] - origin[0], corners[i, 1] - origin[1], corners[i, 2] - origin[2])


@given(REACHABLE | st.floats(-1e-36, 1e-36) | st.floats(-(2.0**100), 2.0**100, width=32))
def test_rounding_is_strictly_outward_and_tight(x):
    """Compiled and in plain Python; at most two float32 steps away, or 1e-37 near zero."""
    for low, high in (_round(x), (rounding.round_down(np.float64(x)), rounding.round_up(np.float64(x)))):
        assert Fraction(float(low)) < Fraction(x) < Fraction(float(high))
        assert np.float32(low) == low
        step = max(2.1 * float(np.spacing(np.float32(abs(x)))), 1.1e-37)
        assert float(high) - x <= step
        assert x - float(low) <= step


@given(points(st.floats(-1e30, 1e30) | st.floats(-1e-35, 1e-35) | st.integers(-3, 3), 4))
def test_extended_box_contains_every_point_exactly(corners):
    """coordinate - origin is rounded to float64 on the way; the exact difference must be inside all the same."""
    origin = corners[0]
    volume = np.empty(aabb.WIDTH, np.float32)
    _fit(corners, origin, volume)
    for corner in corners:
        for k in range(3):
            exact = Fraction(corner[k]) - Fraction(origin[k])
            assert Fraction(float(volume[k])) < exact < Fraction(float(volume[k + 3]))


@given(st.lists(st.floats(-100, 100, width=32), min_size=12, max_size=12))
def test_merged_box_is_the_smallest_that_contains_both(numbers):
    numbers = np.array(numbers, np.float32).reshape(2, 2, 3)
    left, right = (np.concatenate([n.min(axis=0), n.max(axis=0)]) for n in numbers)
    merged = np.empty(6, np.float32)
    aabb.merge(merged, left, right)
    both = numbers.reshape(-1, 3)
    assert np.array_equal(merged, np.concatenate([both.min(axis=0), both.max(axis=0)]))
    assert aabb.size(merged) >= max(aabb.size(left), aabb.size(right)) >= 0.0


def test_an_empty_box_is_what_any_point_makes_its_own():
    volume = np.zeros(6, np.float32)
    aabb.clear(volume)
    aabb.merge(volume, volume, np.array([1, 2, 3, 4, 5, 6], np.float32))
    assert volume.tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("name", VOLUMES)
def test_every_registered_volume_has_all_verbs(name):
    volume = volume_named(name)
    assert all(callable(getattr(volume, verb)) for verb in VERBS)
    growing = all(map(callable, (volume.clear, volume.extend, volume.merge)))
    assert [growing, callable(volume.fit), volume.derived is not None].count(True) == 1
    assert callable(volume.prepare) == (volume.prepared > 0)
    assert volume.width > 0


def test_the_default_and_unknown_names():
    assert volume_named(None).overlap is aabb.overlap
    for unknown in ("sphere?", 7, ["aabb"]):
        with pytest.raises(mc.UnsupportedOption, match="expected one of aabb"):
            volume_named(unknown)
