"""Orientation signs, filtered and exact, against fractions."""

import exact
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.geometry import predicates
from meshclash.geometry.predicates import UNCERTAIN, new_workspace
from meshclash.jit import kernel
from strategies import any_points, points, scaled_points

EXPANSIONS_REACH = (2.0**-250, 2.0**300)


@kernel
def _filtered_3d(p, workspace):
    return predicates.filtered_orient3d(
        (p[0, 0], p[0, 1], p[0, 2]), (p[1, 0], p[1, 1], p[1, 2]),
        (p[2, 0], p[2, 1], p[2, 2]), (p[3, 0], p[3, 1], p[3, 2]), workspace,
    )  # fmt: skip


@kernel
def _exact_3d(p, workspace):
    return predicates.exact_orient3d(
        (p[0, 0], p[0, 1], p[0, 2]), (p[1, 0], p[1, 1], p[1, 2]),
        (p[2, 0], p[2, 1], p[2, 2]), (p[3, 0], p[3, 1], p[3, 2]), workspace,
    )  # fmt: skip


@kernel
def _filtered_2d(p, workspace):
    return predicates.filtered_orient2d(p[0, 0], p[0, 1], p[1, 0], p[1, 1], p[2, 0], p[2, 1], workspace)


@kernel
def _exact_2d(p, workspace):
    return predicates.exact_orient2d(p[0, 0], p[0, 1], p[1, 0], p[1, 1], p[2, 0], p[2, 1], workspace)


FILTERED = {3: _filtered_3d, 2: _filtered_2d}
EXACT = {3: _exact_3d, 2: _exact_2d}
TRUTH = {3: exact.orient3d, 2: exact.orient2d}


def in_reach(p) -> bool:
    magnitudes = np.abs(p[p != 0.0])
    return bool(((magnitudes >= EXPANSIONS_REACH[0]) & (magnitudes <= EXPANSIONS_REACH[1])).all())


def check(p):
    """Filtered: right or UNCERTAIN. Exact: right, UNCERTAIN only beyond reach, counted when float64 did not do."""
    dimensions = p.shape[1]
    workspace = new_workspace()
    truth = TRUTH[dimensions](*p)
    filtered = FILTERED[dimensions](p, workspace)
    assert filtered in (truth, UNCERTAIN)
    assert workspace[0][0] == 0
    found = EXACT[dimensions](p, workspace)
    assert found == truth or (found == UNCERTAIN and not in_reach(p))
    assert workspace[0][0] == (filtered == UNCERTAIN)


@settings(max_examples=400)
@given(st.one_of(any_points(4), scaled_points(4)))
def test_orient3d(p):
    check(p)


@settings(max_examples=400)
@given(st.one_of(any_points(3, 2), scaled_points(3, 2)))
def test_orient2d(p):
    check(p)


@given(points(st.integers(-40, 40), 4), points(st.floats(-2.0, 2.0, width=32), 2, 1))
def test_numbers_of_very_different_size_make_long_expansions(exponents, weights):
    """Full mantissas times 2**-40 to 2**40; the last point may lie nearly in the plane of the others."""
    p = np.ldexp(1.0 / 3.0, exponents.astype(int))
    check(p)
    p[3] = p[0] + weights[0] * (p[1] - p[0]) + weights[1] * (p[2] - p[0])
    check(p)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_many_nearly_degenerate_points(dimensions):
    """Off a line or plane by a few ulps: where an error bound that is too small shows."""
    rng = np.random.default_rng(3)
    for _ in range(1500):
        free = rng.uniform(-1, 1, (dimensions, dimensions)) * 2.0 ** rng.integers(-3, 4, (dimensions, 1))
        last = free[0] + rng.uniform(-2, 2, dimensions - 1) @ (free[1:] - free[0])
        check(np.vstack([free, last + rng.integers(-2, 3, dimensions) * np.spacing(last)]))


@pytest.mark.parametrize("dimensions", [2, 3])
def test_products_that_underflow(dimensions):
    """Points in one line or tilted plane, so small that their products keep few bits or none."""
    rng = np.random.default_rng(4)
    for _ in range(500):
        basis = rng.integers(-9, 10, (dimensions - 1, dimensions))
        degenerate = rng.integers(-9, 10, (dimensions + 1, dimensions - 1)) @ basis
        degenerate[0] += rng.random(dimensions) < 0.1
        check(degenerate * 10.0 ** rng.uniform(-328 / dimensions, -310 / dimensions))


@pytest.mark.parametrize("dimensions", [2, 3])
def test_filter_decides_points_in_general_position(dimensions):
    """A filter that never decided would be right as well."""
    rng = np.random.default_rng(1)
    workspace = new_workspace()
    for p in rng.uniform(-1, 1, (300, dimensions + 1, dimensions)):
        assert FILTERED[dimensions](p, workspace) == TRUTH[dimensions](*p)


@given(any_points(4), st.permutations(range(4)))
def test_shared_points_are_zero_without_expansions(p, order):
    p[order[0]] = p[order[1]]
    assert _filtered_3d(p, new_workspace()) == 0
    plane = p[:3, :2].copy()
    first, second = [i for i in order if i < 3][:2]
    plane[first] = plane[second]
    assert _filtered_2d(plane, new_workspace()) == 0


@given(any_points(4), st.integers(0, 2))
def test_common_axis_planes_are_zero_without_expansions(p, axis):
    p[:, axis] = p[0, axis]
    assert _filtered_3d(p, new_workspace()) == 0
    if axis < 2:
        assert _filtered_2d(p[:3, :2].copy(), new_workspace()) == 0


def test_tilted_planes_are_zero_by_expansions():
    """Exactly coplanar, and no case that is zero by construction: the exact stage must say so itself."""
    rng = np.random.default_rng(2)
    for _ in range(200):
        basis = rng.integers(-(2**20), 2**20, (2, 3)).astype(float)
        p = rng.integers(-(2**20), 2**20, (4, 2)) @ basis + rng.integers(-(2**20), 2**20, 3)
        workspace = new_workspace()
        assert _exact_3d(p, workspace) == 0
        assert workspace[0][0] == 1


def test_signs_are_those_of_the_docstring():
    workspace = new_workspace()
    below = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, -1]])
    assert _exact_3d(below, workspace) == 1  # counter-clockwise seen from above, the side without the fourth point
    assert _exact_2d(np.array([[0.0, 0], [1, 0], [0, 1]]), workspace) == 1
