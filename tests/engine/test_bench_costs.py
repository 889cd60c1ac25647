"""The designed experiment finds costs that are put in."""

import numpy as np
import pytest
from bench.costs import fit
from hypothesis import given
from hypothesis import strategies as st

COST = st.floats(1e-9, 1e-6)


@given(st.integers(0, 2**32 - 1), COST, COST, st.floats(0, 1e-5))
def test_costs_that_are_put_in_come_out(seed, volume_cost, triangle_cost, call_cost):
    rng = np.random.default_rng(seed)
    counts = 10.0 ** rng.uniform(2, 6, (20, 4, 2))
    costs = np.array([call_cost, volume_cost, triangle_cost])
    cells = np.concatenate([np.ones((20, 4, 1)), counts], axis=2)
    times = cells @ costs
    assert fit(np.concatenate([cells, times[..., None]], axis=2)) == pytest.approx(costs, rel=1e-5, abs=1e-10)
