"""Wake-up times: ballistic scenes against fine stepping, limits of the formula, a heap that is always right."""

import math

import meshclash as mc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.ballistic import check_ballistic

NUMBERS = st.floats(0.0, 1e6)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_no_collision_of_finer_stepping_is_missed(block):
    """Random ballistic scenes; the bench runs ten thousand."""
    rows = [check_ballistic(25 * block + seed) for seed in range(25)]
    assert sum(row["missed"] for row in rows) == 0
    assert sum(row["narrow calls"] for row in rows) < sum(row["frames x pairs"] for row in rows) / 2


@given(NUMBERS, st.floats(-1e3, 1e6), NUMBERS)
def test_nothing_is_reached_before_the_safe_time(distance, speed, acceleration):
    time = mc.lab.safe_time(distance, speed, acceleration)
    assert time >= 0.0
    if math.isfinite(time):
        for share in (0.25, 0.5, 0.999):
            t = share * time
            assert speed * t + 0.5 * acceleration * t * t <= distance * (1 + 1e-9) + 1e-300


def test_limits():
    assert mc.lab.safe_time(0.0, 1.0) == 0.0
    assert mc.lab.safe_time(3.0, 2.0) == 1.5
    assert mc.lab.safe_time(3.0, 0.0) == math.inf
    assert mc.lab.safe_time(3.0, -1.0) == math.inf
    assert mc.lab.safe_time(2.0, 0.0, 1.0) == pytest.approx(2.0)
    assert mc.lab.safe_time(2.0, 1.0, 1e-30) == pytest.approx(2.0)
    for bad in ((-1.0, 1.0, 0.0), (1.0, math.nan, 0.0), (1.0, 1.0, -1.0), (math.inf, 1.0, 0.0)):
        with pytest.raises(mc.UnsupportedOption):
            mc.lab.safe_time(*bad)


@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from([None, 1.0, math.inf])), max_size=200))
def test_a_heap_keeps_no_more_than_a_few_entries_for_each_key(actions):
    heap = mc.lab.WakeUps()
    for key, moment in actions * 20:
        if moment is None:
            heap.forget(key)
        else:
            heap.set(key, moment)
        assert len(heap._heap) <= 2 * len(heap) + 16


@pytest.mark.parametrize(
    "call",
    [
        lambda heap: heap.set("a", "soon"),
        lambda heap: heap.set([], 1.0),
        lambda heap: heap.forget({}),
        lambda heap: heap.take_due("now"),
        lambda heap: heap.take_due(math.nan),
    ],
)
def test_a_heap_refuses_what_is_no_moment_or_no_key(call):
    heap = mc.lab.WakeUps()
    heap.set("a", 1.0)
    with pytest.raises(mc.UnsupportedOption):
        call(heap)
    assert heap.next_moment == 1.0 and len(heap) == 1


@given(st.lists(st.tuples(st.integers(0, 5), st.one_of(st.none(), st.integers(0, 9)), st.booleans())))
def test_a_heap_gives_what_is_due_and_nothing_else(actions):
    heap, truth = mc.lab.WakeUps(), {}
    for key, moment, take in actions:
        if moment is None:
            heap.forget(key)
            truth.pop(key, None)
        else:
            heap.set(key, moment)
            truth[key] = moment
        if take:
            due = heap.take_due(4)
            assert sorted(due) == sorted(k for k, m in truth.items() if m <= 4)
            assert [truth[k] for k in due] == sorted(truth[k] for k in due)
            truth = {k: m for k, m in truth.items() if m > 4}
        assert len(heap) == len(truth)
        assert heap.next_moment == min(truth.values(), default=math.inf)
