"""``Verdict``: a name with measures, ordered by severity."""

import itertools

import meshclash as mc
import pytest
from meshclash.scene.results import verdict_order

IN_ORDER = (
    mc.Verdict.APART, mc.Verdict.TOUCHING, mc.Verdict.CONTAINED, mc.Verdict.DUPLICATE, mc.Verdict.CLASH,
)  # fmt: skip


def test_verdicts_are_ordered_by_severity():
    assert sorted((*IN_ORDER[2:], *IN_ORDER[:2])) == list(IN_ORDER)
    for (i, a), (j, b) in itertools.product(enumerate(IN_ORDER), repeat=2):
        assert (a < b, a <= b, a == b, a >= b, a > b) == (i < j, i <= j, i == j, i >= j, i > j)


def test_measures_change_neither_equality_nor_order_nor_hash():
    deep = mc.Verdict.CLASH.with_measures(depth=0.5, depth_lower=0.25, depth_upper=0.75, certainty=0.5, flush=True)
    assert (deep.depth, deep.depth_lower, deep.depth_upper, deep.certainty, deep.flush) == (0.5, 0.25, 0.75, 0.5, True)
    assert deep == mc.Verdict.CLASH and hash(deep) == hash(mc.Verdict.CLASH) and deep <= mc.Verdict.CLASH
    assert deep > mc.Verdict.DUPLICATE.with_measures(depth=7.0)
    assert deep.with_measures() == deep and deep.with_measures().depth is None, "measures are replaced as a whole"


def test_constants_carry_no_measures():
    for verdict in IN_ORDER:
        measures = verdict.depth, verdict.depth_lower, verdict.depth_upper, verdict.certainty, verdict.flush
        assert measures == (None, None, None, 1.0, False)


def test_a_verdict_is_compared_with_verdicts_only():
    assert mc.Verdict.CLASH != "CLASH"
    with pytest.raises(TypeError):
        assert mc.Verdict.CLASH < 4


def test_verdicts_are_sorted_by_what_is_proved_and_never_by_a_bound_from_above():
    fit = mc.Verdict.CLASH.with_measures(depth=None, depth_lower=0.0, depth_upper=1.9)
    rounding = mc.Verdict.CLASH.with_measures(depth=None, depth_lower=0.0, depth_upper=1e-12)
    clash = mc.Verdict.CLASH
    thin, thick = clash.with_measures(depth=1e-6, depth_lower=1e-6, depth_upper=2.0), clash.with_measures(depth=0.5)
    inside = mc.Verdict.CONTAINED.with_measures(depth=3.0, depth_lower=3.0, depth_upper=3.0)
    wanted = [thick, thin, fit, rounding, clash, inside]
    ranked = sorted([rounding, clash, inside, fit, thin, thick], key=verdict_order)
    assert all(one is other for one, other in zip(ranked, wanted, strict=True))
