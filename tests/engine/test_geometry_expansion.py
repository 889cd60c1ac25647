"""Expansions against fractions."""

import itertools
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from meshclash.geometry import expansion
from meshclash.jit import kernel

SAFE = st.floats(-(2.0**300), 2.0**300).filter(lambda x: x == 0.0 or abs(x) >= 2.0**-250)
"""The range that the predicates let through to expansions."""


@kernel
def _two(a, b):
    return expansion.two_sum(a, b), expansion.two_difference(a, b), expansion.two_product(a, b)


@kernel
def _add(e, f, out):
    return expansion.add_expansions(e, e.shape[0], f, f.shape[0], out)


@kernel
def _scale(e, factor, out):
    return expansion.scale_expansion(e, e.shape[0], factor, out)


@kernel
def _sign(e):
    return expansion.sign_of(e, e.shape[0])


def value(components) -> Fraction:
    return sum((Fraction(float(x)) for x in components), Fraction(0))


def expansion_of(numbers) -> np.ndarray:
    """The sum of floats as components that do not overlap, smallest first: round, subtract, repeat."""
    rest, components = value(numbers), []
    while rest:
        components.append(float(rest))
        rest -= Fraction(components[-1])
    return np.array(components[::-1], np.float64)


def added(e, f) -> np.ndarray:
    out = np.full(len(e) + len(f), np.nan)
    return out[: _add(e, f, out)]


def scaled(e, factor) -> np.ndarray:
    out = np.full(2 * len(e), np.nan)
    return out[: _scale(e, factor, out)]


def assert_expansion(components, expected: Fraction):
    """The right value, no zeros, each component below the last bit of the next one."""
    assert value(components) == expected
    assert (components != 0.0).all()
    for small, large in itertools.pairwise(components):
        lowest_bit = Fraction(large).numerator & -Fraction(large).numerator
        assert abs(Fraction(small)) < Fraction(lowest_bit, Fraction(large).denominator)
    assert _sign(components) == (expected > 0) - (expected < 0)


expansions = st.lists(SAFE, max_size=6).map(expansion_of)


@given(SAFE, SAFE)
def test_rounded_result_and_error_add_up_exactly(a, b):
    total, difference, product = _two(a, b)
    assert value(total) == Fraction(a) + Fraction(b)
    assert total[0] == a + b
    assert value(difference) == Fraction(a) - Fraction(b)
    assert value(product) == Fraction(a) * Fraction(b)
    assert product[0] == a * b


@given(expansions, expansions)
def test_sum_of_expansions(e, f):
    assert_expansion(added(e, f), value(e) + value(f))


@given(expansions, SAFE.filter(bool))
def test_expansion_times_number(e, factor):
    assert_expansion(scaled(e, factor), value(e) * Fraction(factor))


@given(expansions, SAFE.filter(bool), SAFE.filter(bool))
def test_results_serve_as_input_again(e, x, y):
    """(e * x + e * y) - (e * x): what the predicates do, several steps deep."""
    first, second = scaled(e, x), scaled(e, y)
    total = added(first, second)
    assert_expansion(total, value(e) * (Fraction(x) + Fraction(y)))
    assert_expansion(added(total, -first), value(second))


@given(expansions)
def test_zero_has_no_components(e):
    assert len(added(e, -e)) == 0
    assert _sign(added(e, -e)) == 0
