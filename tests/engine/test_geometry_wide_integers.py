"""Integers of fixed width in kernels, against Python's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.geometry.wide_integers import minus, plus, rounded, sign, times, wide
from meshclash.jit import inner, kernel

LEVELS = 4
"""Widths of 1, 2, 4 and 8 words, and sums of two of these."""


@inner
def _made(words):
    """A number of two words from small parts: words[0] 2**60 + words[1]."""
    return plus(times(wide(words[0]), wide(1 << 60)), wide(words[1]))


@kernel
def signs_of(a, b, out, floats):
    """Signs of things that are small, or zero, because of exact products, in several widths."""
    x, y = _made(a), _made(b)
    square = minus(times(plus(x, y), minus(x, y)), minus(times(x, x), times(y, y)))  # zero
    z = times(x, y)
    fourth = times(z, z)
    three = times(wide(a[0]), z)
    eighth = times(fourth, minus(fourth, x))
    out[0], out[1], out[2] = sign(x), sign(y), sign(square)
    out[3], out[4] = sign(z), sign(minus(fourth, times(times(x, x), times(y, y))))
    out[5], out[6] = sign(three), sign(minus(times(three, wide(a[0])), times(z, times(wide(a[0]), wide(a[0])))))
    out[7] = sign(minus(eighth, times(times(z, minus(fourth, x)), z)))
    out[8] = sign(minus(minus(times(fourth, fourth), eighth), times(x, fourth)))
    out[9] = sign(minus(times(plus(z, wide(1)), plus(z, wide(1))), plus(fourth, plus(z, z))))
    out[10] = sign(minus(x, times(y, wide(3))))
    floats[0], floats[1], floats[2], floats[3] = rounded(x), rounded(three), rounded(fourth), rounded(eighth)


words = st.one_of(
    st.integers(-(2**62), 2**62), st.sampled_from([0, 1, -1, 2**62, -(2**62), 2**60, -(2**60)]), st.integers(-9, 9)
)


def sign_of(x):
    return (x > 0) - (x < 0)


@pytest.mark.slow
@given(st.tuples(words, words), st.tuples(words, words))
def test_signs_and_products_equal_pythons(a, b):
    out, floats = np.empty(11, np.int64), np.empty(4)
    signs_of(np.array(a), np.array(b), out, floats)
    x, y = ((p << 60) + q for p, q in (a, b))
    expected = [sign_of(x), sign_of(y), 0, sign_of(x * y), 0, sign_of(a[0] * x * y), 0, 0, 0, 1, sign_of(x - 3 * y)]
    assert out.tolist() == expected
    for value, exact in zip(floats, (x, a[0] * x * y, (x * y) ** 2, (x * y) ** 2 * ((x * y) ** 2 - x)), strict=True):
        assert value == pytest.approx(float(exact), rel=2.0**-49, abs=0.0)
