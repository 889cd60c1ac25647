"""An exponential and a cosine computed only by additions, multiplications, divisions and square roots.

IEEE 754 defines the result of these operations completely, so the results have the same bits on every processor,
platform and CUDA device. The ``exp``, ``cos`` and ``acos`` functions of platforms and devices differ in the last bits.
"""

import math

from ..jit import inlined, inner

_LOG2_E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01  # 32 bits: its product with an integer below 64 is exact
_LN2_LOW = 1.90821492927058770002e-10
LEAST_EXPONENT = -42.0


@inlined
def exp_below(x):
    """Return exp(x) for ``LEAST_EXPONENT`` <= x <= 0, within 1.5 units in the last place.

    The function is computed as 2^-k exp(r) with r = x + k ln 2, whose magnitude is at most half of ln 2; there Taylor's
    polynomial of degree 13 has an error of 5e-18.
    """
    k = int(0.5 - x * _LOG2_E)
    r = (x + k * _LN2_HIGH) + k * _LN2_LOW
    r2 = r * r
    r4 = r2 * r2
    low = (1.0 / 2.0 + r * (1.0 / 6.0)) + r2 * (1.0 / 24.0 + r * (1.0 / 120.0))
    high = (1.0 / 720.0 + r * (1.0 / 5040.0)) + r2 * (1.0 / 40320.0 + r * (1.0 / 362880.0))
    highest = (1.0 / 3628800.0 + r * (1.0 / 39916800.0)) + r2 * (1.0 / 479001600.0 + r * (1.0 / 6227020800.0))
    tail = r2 * (low + r4 * (high + r4 * highest))
    return (1.0 + (r + tail)) / (1 << k)


@inner
def least_cosine(third):
    """Return the least cos(phi) with cos(3 phi) = ``third``, from -1 to 1: cos((acos(third) + 2 pi) / 3).

    -2 cos(phi) = 1 + s solves 4 cos^3 - 3 cos = third if s^2 (3 + s) = 2 (1 - third), 0 <= s <= 1. Newton's method
    finds s from a start with an error of 3 % at most. Computing the difference from 1 avoids cancellation where two
    roots meet (s = 0).
    """
    square = 2.0 * (1.0 - third)
    if not square > 0.0:
        return -0.5
    s = math.sqrt(square / (3.0 + 0.5 * math.sqrt(square)))
    for _ in range(3):
        s -= (s * s * (3.0 + s) - square) / (3.0 * s * (2.0 + s))
    return -0.5 * (1.0 + s)
