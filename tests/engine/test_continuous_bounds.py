"""The error bounds that the filters of continuous detection rest on, measured against fractions."""

from fractions import Fraction

import numpy as np
import pytest
from meshclash.continuous.coplanarity import CUBIC_BOUND, UNIT, coplanarity, cubic_between, larger, permanent, vectors
from meshclash.continuous.rational import Encounter, integer_points
from meshclash.jit import kernel
from oracles.impact_cases import make_cases

LOW, HIGH = 0.3, 0.8125


@kernel
def _measured(start, end, kind, out):
    """Bernstein coefficients on [0, 1] and on [LOW, HIGH], and the permanent."""
    d0, u0, v0 = vectors(start, kind)
    d1, u1, v1 = vectors(end, kind)
    b = coplanarity(d0, u0, v0, d1, u1, v1)
    c = cubic_between(b, LOW, HIGH)
    for i in range(4):
        out[i], out[4 + i] = b[i], c[i]
    out[8] = permanent(larger(d0, d1), larger(u0, u1), larger(v0, v1))


def exact_cubic(start, end, kind):
    """Scaled Bernstein coefficients as fractions."""
    form = Encounter(integer_points(start, end), kind).coplanarity
    scale = max(float(x).as_integer_ratio()[1] for x in (*start.ravel(), *end.ravel())) ** 3
    return [Fraction(x, scale) for x in form]


def exact_between(s):
    """Bernstein coefficients on [LOW, HIGH]."""

    def blossom(a, b, c):
        m = [1 - a, 1 - b, 1 - c]
        t = [a, b, c]
        ones = [(t[0] * m[1] * m[2]), (m[0] * t[1] * m[2]), (m[0] * m[1] * t[2])]
        twos = [(t[0] * t[1] * m[2]), (t[0] * m[1] * t[2]), (m[0] * t[1] * t[2])]
        return s[0] * m[0] * m[1] * m[2] + s[1] * sum(ones) / 3 + s[2] * sum(twos) / 3 + s[3] * t[0] * t[1] * t[2]

    low, high = Fraction(LOW), Fraction(HIGH)
    return [blossom(*([high] * k + [low] * (3 - k))) for k in range(4)]


@pytest.mark.needs_jit
@pytest.mark.parametrize("kind", (0, 1))
def test_errors_of_the_cubic_stay_within_their_bounds(kind):
    worst = 0.0
    for name in ("random", "far off", "in a turned plane", "grazing"):
        for x in make_cases(name, 150, seed=12):
            out = np.empty(9)
            _measured(x[:4].copy(), x[4:].copy(), kind, out)
            s = exact_cubic(x[:4], x[4:], kind)
            exact = [s[0], s[1] / 3, s[2] / 3, s[3], *exact_between(s)]
            size = out[8]
            if size == 0.0:
                continue  # everything is exactly 0
            error = max(abs(Fraction(float(a)) - b) for a, b in zip(out[:8], exact, strict=True))
            worst = max(worst, float(error) / size)
    assert 0.5 * UNIT < worst < 0.75 * CUBIC_BOUND
