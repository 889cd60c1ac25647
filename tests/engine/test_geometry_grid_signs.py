"""Signs by integers on a common grid: as of fractions wherever they are given, and given for coordinates of models."""

import exact
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.geometry.grid_signs import OFF_GRID, grid_orient2d, grid_orient3d
from meshclash.jit import kernel
from strategies import points


@kernel
def _orient3d(p):
    return grid_orient3d(
        (p[0, 0], p[0, 1], p[0, 2]), (p[1, 0], p[1, 1], p[1, 2]),
        (p[2, 0], p[2, 1], p[2, 2]), (p[3, 0], p[3, 1], p[3, 2]),
    )  # fmt: skip


@kernel
def _orient2d(p):
    return grid_orient2d(p[0, 0], p[0, 1], p[1, 0], p[1, 1], p[2, 0], p[2, 1])


SIGN = {3: _orient3d, 2: _orient2d}
TRUTH = {3: exact.orient3d, 2: exact.orient2d}
LARGEST = 2**61 - 2**8  # of the doubles below 2**61
EXTREMES = st.sampled_from([-LARGEST, -(2**60), -1, 0, 1, 2**60, LARGEST])


def check(p, on_grid=True):
    if not p.any():
        return  # the caller has met this already
    sign = SIGN[p.shape[1]](p)
    assert sign == TRUTH[p.shape[1]](*p) or (sign == OFF_GRID and not on_grid)


@given(st.one_of(points(EXTREMES, 4), points(EXTREMES, 3, 2)), st.integers(-240, 230))
def test_the_widest_integers_do_not_overflow(p, exponent):
    check(np.ldexp(p.astype(float), exponent))


@given(st.one_of(points(st.integers(-(2**50), 2**50), 4), points(st.integers(-3, 3), 4)), st.integers(-240, 240))
def test_whole_steps_have_a_sign(p, exponent):
    check(np.ldexp(p.astype(float), exponent))


@given(points(st.floats(-1000.0, 1000.0, width=32), 4), points(st.floats(-1.0, 1.0), 4))
def test_other_numbers_have_the_right_sign_or_none(coarse, fine):
    check(coarse, on_grid=False)
    check(fine, on_grid=False)
    check(coarse + fine * 1e-30, on_grid=False)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_numbers_without_a_common_grid_have_no_sign(dimensions):
    p = np.zeros((dimensions + 1, dimensions))
    p[0, 0], p[1, 1] = 1.0, 2.0**-61
    assert SIGN[dimensions](p) == OFF_GRID
    p[1, 1] = 2.0**-60
    assert SIGN[dimensions](p) == TRUTH[dimensions](*p)
