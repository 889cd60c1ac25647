"""The exponential and the cosine that are the same bits everywhere, against decimal arithmetic of 50 digits."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from meshclash.geometry.elementary import LEAST_EXPONENT, exp_below, least_cosine
from meshclash.jit import kernel


@kernel
def _exponentials(x, out):
    for k in range(x.shape[0]):
        out[k] = exp_below(x[k])


@kernel
def _cosines(x, out):
    for k in range(x.shape[0]):
        out[k] = least_cosine(x[k])


def applied(function, x):
    out = np.empty(len(x))
    function(np.array(x), out)
    return out.tolist()


@given(st.lists(st.floats(LEAST_EXPONENT, 0.0), min_size=1, max_size=20))
@example([0.0, -0.0, LEAST_EXPONENT, -1e-300, -0.5 * math.log(2.0), -4.605170185988091])
def test_the_exponential(x):
    with localcontext(prec=50):
        for given_x, found in zip(x, applied(_exponentials, x), strict=True):
            exact = Decimal(given_x).exp()
            assert abs(Decimal(found) - exact) <= Decimal("1.5") * Decimal(math.ulp(float(exact)))
            assert 0.0 < found <= 1.0


@given(st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=20))
@example([1.0, -1.0, 0.0, math.nextafter(1.0, 0.0), math.nextafter(-1.0, 0.0)])
def test_the_least_cosine(x):
    """It is a root of 4 c^3 - 3 c = x, the least one: below -1/2 there is no other."""
    with localcontext(prec=50):
        for third, found in zip(x, applied(_cosines, x), strict=True):
            assert -1.0 <= found <= -0.5
            c = Decimal(found)
            off = 4 * c**3 - 3 * c - Decimal(third)
            slope = 12 * c * c - 3
            # Near 1 two roots meet: there the distance to -1/2 counts, of which 6 times the square is 1 - x.
            assert abs(off) <= Decimal("4e-16") * slope + 12 * Decimal("2e-16") ** 2


@pytest.mark.parametrize("third", [-1.0, -0.5, 0.0, 0.5, 1.0])
def test_the_least_cosine_at_known_angles(third):
    assert applied(_cosines, [third])[0] == pytest.approx(math.cos((math.acos(third) + 2.0 * math.pi) / 3.0), abs=4e-16)
