"""The sort in slices against NumPy's, and how much of it is one slice."""

from unittest import mock

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from meshclash.solid import judge, ordering
from solids import box, moved, refined


def sorted_in_slices(keys, at_once):
    with mock.patch.object(ordering, "AT_ONCE", at_once):
        steps, count = ordering.stable_order_steps(keys), 0
        while True:
            try:
                next(steps)
            except StopIteration as done:
                return done.value, count
            count += 1


@settings(max_examples=300)
@given(
    arrays(np.int64, st.integers(0, 300), elements=st.integers(-5, 5) | st.integers(-(2**62), 2**62)),
    st.integers(1, 40),
)
def test_it_is_a_stable_argsort(keys, at_once):
    order, _ = sorted_in_slices(keys, at_once)
    assert np.array_equal(order, np.argsort(keys, kind="stable"))


@pytest.mark.parametrize("kind", ["random", "rising", "runs", "one often", "all equal"])
def test_no_slice_sorts_much_more_than_it_may(kind):
    count, at_once = 40_000, 1000
    rng = np.random.default_rng(2)
    keys = {
        "random": rng.integers(0, 10**9, count),
        "rising": np.arange(count),
        "runs": np.tile(np.arange(200), count // 200),
        "one often": np.where(rng.random(count) < 0.9, 77, rng.integers(0, 10**6, count)),
        "all equal": np.zeros(count, np.int64),
    }[kind]
    lengths = []
    argsort = np.argsort

    def measured(values, **options):
        lengths.append(len(values))
        return argsort(values, **options)

    with mock.patch.object(np, "argsort", measured):
        order, steps = sorted_in_slices(keys, at_once)
    assert np.array_equal(order, argsort(keys, kind="stable"))
    assert max(lengths) <= at_once and steps >= 2 * count // at_once


def test_portions_change_no_verdict():
    """Many touching pairs at once: their contacts are sorted in portions, and one pair's in several."""
    scene = mc.Scene()
    for k in range(6):
        scene.add(mc.TriangleMesh(*box((0, 0, k), (1 + 0.1 * k, 1, k + 1))))
        scene.add(mc.TriangleMesh(*moved(refined(box((0, 0, 0), (1, 1, 1)), 3), (-1.0, 0.3, k))))
    whole = scene.contacts().pairs
    with mock.patch.object(ordering, "AT_ONCE", 5), mock.patch.object(judge, "AT_ONCE", 5):
        pieces = scene.contacts().pairs
    assert len(whole) > 10 and {found.verdict.name for found in whole} == {"TOUCHING"}
    told = [[(f.a, f.b, f.verdict, f.location.tolist()) for f in found] for found in (whole, pieces)]
    assert told[0] == told[1]
