"""Quantiles of millions of numbers, in slices: against NumPy's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from meshclash.types.steps import run_to_end

from addon.core import chunks

numbers = st.floats(-1e6, 1e6, width=32)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK", 7)


@given(
    st.lists(arrays(np.float32, st.integers(1, 30), elements=numbers), min_size=1, max_size=3),
    st.lists(st.floats(0, 1), min_size=1, max_size=4),
)
@settings(max_examples=300, deadline=None)
def test_quantiles_of_sizes_are_numpys(parts, shares):
    found = run_to_end(chunks.quantile_steps(parts, shares))
    wanted = np.quantile(np.abs(np.concatenate(parts).astype(np.float64)), shares)
    assert np.allclose(found, wanted, rtol=1e-12, atol=0.0)


def test_a_step_looks_at_one_chunk():
    """Twice at most for each number that is asked for and once more: no step sorts or looks at everything."""
    values = np.random.default_rng(1).normal(size=700).astype(np.float32)
    steps = sum(1 for _ in chunks.quantile_steps([values[:350], values[350:]], (0.5, 0.95)))
    assert 2 * 100 <= steps <= 5 * 100


@given(st.integers(0, 100))
def test_chunks_are_all_of_it(count):
    parts = list(chunks.chunks(count))
    assert [k for part in parts for k in range(part.start, part.stop)] == list(range(count))
    assert all(part.stop - part.start <= 7 for part in parts)
