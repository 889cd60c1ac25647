"""The float64 fast path of the pair test: it decides as the exact one, or not at all."""

import numpy as np
import pytest
from hypothesis import given
from meshclash.geometry.generic_pair import classify_generic
from meshclash.geometry.triangle_pair import APART, CROSSING, UNDECIDED, classify_triangle_pairs
from meshclash.jit import kernel
from oracles.near_contacts import near_contacts, posed
from strategies import triangle_pairs


@kernel
def _classify(a, b, kinds):
    for i in range(a.shape[0]):
        kinds[i] = classify_generic(
            (a[i, 0, 0], a[i, 0, 1], a[i, 0, 2]), (a[i, 1, 0], a[i, 1, 1], a[i, 1, 2]),
            (a[i, 2, 0], a[i, 2, 1], a[i, 2, 2]), (b[i, 0, 0], b[i, 0, 1], b[i, 0, 2]),
            (b[i, 1, 0], b[i, 1, 1], b[i, 1, 2]), (b[i, 2, 0], b[i, 2, 1], b[i, 2, 2]),
        )  # fmt: skip


def classified(a, b):
    kinds = np.empty(len(a), np.uint8)
    _classify(a, b, kinds)
    return kinds


def share_left_after_checking(a, b):
    kinds = classified(a, b)
    left = kinds == UNDECIDED
    assert np.isin(kinds[~left], (APART, CROSSING)).all()
    assert np.array_equal(kinds[~left], classify_triangle_pairs(a[~left], b[~left])[0])
    return left.mean()


def test_pairs_in_general_position_are_all_decided():
    rng = np.random.default_rng(1)
    for scale in (1e-50, 1.0, 1e30):
        a, b = rng.normal(size=(2, 20_000, 3, 3)) * scale
        assert share_left_after_checking(a, b) == 0.0


@pytest.mark.slow
@pytest.mark.needs_jit
@pytest.mark.parametrize("seed", range(4))
def test_near_contacts_are_decided_rightly_or_left(seed):
    blocks = near_contacts(seed, 4000)
    a, b = posed(blocks.rows_a, blocks.corners_a), posed(blocks.rows_b, blocks.corners_b)
    for turn in range(8):
        left = share_left_after_checking(a.reshape(-1, 3, 3), np.roll(b, turn, axis=1).reshape(-1, 3, 3))
        assert 0.0 < left < 0.8


@given(triangle_pairs())
def test_coincidences_of_every_sort(pair):
    share_left_after_checking(*(side[None] for side in pair))
