"""``Verdict`` and the record of a pair: ordered by severity, with measures."""

import itertools
import pickle

import meshclash as mc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.solid.pair_verdict import verdict_order

IN_ORDER = (
    mc.Verdict.APART, mc.Verdict.TOUCHING, mc.Verdict.CONTAINED, mc.Verdict.DUPLICATE, mc.Verdict.CLASH,
)  # fmt: skip


def record(verdict, *measures, **others):
    return mc.PairVerdict(0, 1, verdict, *measures, **others)


def test_verdicts_are_ordered_by_severity():
    assert sorted((*IN_ORDER[2:], *IN_ORDER[:2])) == list(IN_ORDER) == list(mc.Verdict)
    for (i, a), (j, b) in itertools.product(enumerate(IN_ORDER), repeat=2):
        for one, other in itertools.product((a, record(a, 7.0 - i)), (b, record(b, 7.0 - j))):
            assert (one < other, one <= other, one == other) == (i < j, i <= j, i == j)
            assert (one >= other, one > other, one != other) == (i >= j, i > j, i != j)


def test_a_record_equals_its_verdict_and_is_found_where_that_is():
    deep = record(mc.Verdict.CLASH, 0.5, 0.25, 0.75, certainty=0.5, flush=True)
    assert (deep.depth, deep.depth_lower, deep.depth_upper, deep.certainty, deep.flush) == (0.5, 0.25, 0.75, 0.5, True)
    assert deep == mc.Verdict.CLASH == deep and deep.verdict is mc.Verdict.CLASH and deep in (mc.Verdict.CLASH,)
    assert {mc.Verdict.CLASH: 1}[deep] == 1 and (deep.name, str(deep), deep.severity) == ("CLASH", "CLASH", 4)


def test_records_of_different_pairs_are_different():
    first, second = (mc.PairVerdict(0, k, mc.Verdict.CLASH) for k in (1, 2))
    assert first != second and len({first, second}) == 2 and not first < second
    assert first == record(mc.Verdict.CLASH, 3.0) and first != record(mc.Verdict.TOUCHING)


def test_a_verdict_is_compared_with_verdicts_only():
    assert mc.Verdict.CLASH != "CLASH" and record(mc.Verdict.CLASH) != "CLASH"
    for one in (mc.Verdict.CLASH, record(mc.Verdict.CLASH)):
        with pytest.raises(TypeError):
            assert one < 4


def test_records_are_told_in_a_line_and_can_be_pickled():
    for found in (record(mc.Verdict.CLASH, None, 0.0, 0.25), record(mc.Verdict.CONTAINED, 0.5, certainty=0.75)):
        again = pickle.loads(pickle.dumps(found))
        assert again == found and repr(again) == repr(found) and again.depth == found.depth
    assert repr(found) == "PairVerdict(0, 1, CONTAINED, depth=0.5, certainty=0.75)"


def test_pairs_are_sorted_by_what_is_proved_and_never_by_a_bound_from_above():
    clash = mc.Verdict.CLASH
    fit, rounding, nothing = record(clash, None, 0.0, 1.9), record(clash, None, 0.0, 1e-12), record(clash)
    thin, thick = record(clash, 1e-6, 1e-6, 2.0), record(clash, 0.5)
    inside = record(mc.Verdict.CONTAINED, 3.0, 3.0, 3.0)
    wanted = [thick, thin, fit, rounding, nothing, inside]
    ranked = sorted([rounding, nothing, inside, fit, thin, thick], key=verdict_order)
    assert all(one is other for one, other in zip(ranked, wanted, strict=True))


seconds = st.floats(0.0, 1e3)
timings = st.dictionaries(st.sampled_from(["building", "traversal", "verdicts"]), seconds)


@given(seconds, seconds, timings, timings, st.integers(0, 9), st.integers(0, 9))
def test_statistics_of_work_one_after_the_other_add_up(first, second, stages, more, tests, others):
    one = mc.QueryStats(volume_tests=tests, seconds=first, timings=stages, note="a")
    other = mc.QueryStats(volume_tests=others, seconds=second, timings=more, note="a", device="cuda")
    both = one.plus(other)
    assert (both.volume_tests, both.seconds, both.note, both.device) == (tests + others, first + second, "a", "cuda")
    assert both.timings.keys() == stages.keys() | more.keys()
    assert all(both.timings[name] == stages.get(name, 0.0) + more.get(name, 0.0) for name in both.timings)
    assert one.timings == stages  # the statistics themselves stay as they are
