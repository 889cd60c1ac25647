"""Certified decisions in float64: moving points are never coplanar, or at one bracketed time that is certainly a
contact or not.

The stages are: comparisons of coordinates (exact); then signs of the Bernstein coefficients of f = det(d, u, v); then
intervals of time from early to late. They are halved until in each of them f has no root, or the projections are apart,
or f has exactly one root. Newton's method finds a bracket of that root, and the signs of f at its ends prove it. If
float64 does not tell whether the two meet at a bracketed root, or does not tell precisely enough when, the root is
examined in integers at once. All bounds are those of ``coplanarity.py`` and ``projection_tests.py``. The remaining
cases are ``UNDECIDED``.

Descartes' rule: if Bernstein coefficients have exactly one change of sign, there is exactly one root between. Here the
two end coefficients have certain opposite signs, and one of the two inner ones has the certain sign that leaves one
change, whatever the other one is.
"""

from ..jit import inlined, inner
from .coplanarity import (
    CUBIC_BOUND,
    LARGEST_DIFFERENCE,
    UNDERFLOW,
    coplanarity,
    cubic_at,
    cubic_between,
    larger,
    largest,
    permanent,
    vectors,
)
from .projection_tests import FLAT, INSIDE, OUTSIDE, inside_between, inside_near
from .stages import BRACKET, HIT, INTEGERS, MISS, SIGNS, UNDECIDED
from .wide_stage import decide_at_root

TIGHT = 2.0**-40
"""Largest width of the bracket of a first time."""
_DEEPEST = 12  # halvings; roots closer to each other are left to the exact stage
_DEEPEST_FLAT = 3
_MOST_INTERVALS = 64
_NEWTON_STEPS = 40


@inlined
def _all_above(b, bound):
    return b[0] > bound and b[1] > bound and b[2] > bound and b[3] > bound


@inlined
def _all_below(b, bound):
    return b[0] < -bound and b[1] < -bound and b[2] < -bound and b[3] < -bound


@inlined
def _all_within(b, bound):
    return abs(b[0]) <= bound and abs(b[1]) <= bound and abs(b[2]) <= bound and abs(b[3]) <= bound


@inner
def _bracket(b, bound, sign, low, high, at_low, at_high):
    """Return a bracket of the only root in [low, high], where f falls through zero after multiplication by ``sign``.

    The result is (left, right, found); if found, the signs of f at both ends are certain.
    """
    lower, upper = low, high
    t = low + (high - low) * (at_low / (at_low - at_high))
    slope = 0.0
    for _ in range(_NEWTON_STEPS):
        m = 1.0 - t
        p, q, r = m * b[0] + t * b[1], m * b[1] + t * b[2], m * b[2] + t * b[3]
        first, second = m * p + t * q, m * q + t * r
        value = m * first + t * second
        slope = 3.0 * (second - first)
        if sign * value > 0.0:
            lower = t
        else:
            upper = t
        if abs(value) <= 0.25 * bound:
            break
        following = t - value / slope if slope != 0.0 else -1.0
        if not (lower < following < upper):
            following = 0.5 * (lower + upper)
        if following == t or following <= lower or following >= upper:
            break
        t = following
    if slope == 0.0:
        return low, high, False
    width = 1.5 * bound / abs(slope) + 2.0**-52
    for _ in range(6):
        left, right = max(low, t - width), min(high, t + width)
        if (left == low or sign * cubic_at(b, left) > bound) and (right == high or sign * cubic_at(b, right) < -bound):
            return left, right, True
        width *= 4.0
    return low, high, False


@inner
def decide_in_float(start, end, kind):
    """Return (decision, low, stage) for four moving points, start and end (4, 3), that no axis separates.

    For a HIT, low is a lower bound of the first time, at most ``TIGHT`` below it, and 0 only if they meet at time 0.
    """
    d0, u0, v0 = vectors(start, kind)
    d1, u1, v1 = vectors(end, kind)
    sizes_d, sizes_u, sizes_v = larger(d0, d1), larger(u0, u1), larger(v0, v1)
    if not max(largest(sizes_d), largest(sizes_u), largest(sizes_v)) < LARGEST_DIFFERENCE:
        return UNDECIDED, 0.0, BRACKET
    size = permanent(sizes_d, sizes_u, sizes_v)
    bound = CUBIC_BOUND * size + UNDERFLOW
    b = coplanarity(d0, u0, v0, d1, u1, v1)
    if _all_above(b, bound) or _all_below(b, bound):
        return MISS, 0.0, SIGNS
    index, depth, width, stage = 0, 0, 1.0, BRACKET
    for _ in range(_MOST_INTERVALS):
        low, high = index * width, (index + 1) * width
        c = b if depth == 0 else cubic_between(b, low, high)
        if not (_all_above(c, bound) or _all_below(c, bound)):
            sign = 1.0 if c[0] > 0.0 else -1.0
            clear = False
            if sign * c[0] > bound and sign * c[3] < -bound and (sign * c[1] > bound or sign * c[2] < -bound):
                left, right, found = _bracket(b, bound, sign, low, high, c[0], c[3])
                if not found:
                    return UNDECIDED, 0.0, BRACKET
                answer = inside_near(kind, d0, u0, v0, d1, u1, v1, sizes_d, sizes_u, sizes_v, left, right)
                if answer == INSIDE and right - left <= TIGHT:
                    moment = _timed(b, bound, sign, left, right)
                    return (HIT if moment > 0.0 else UNDECIDED), moment, BRACKET
                if answer != OUTSIDE:
                    after = 1 if sign > 0.0 else -1
                    verdict, moment = decide_at_root(start, end, kind, after, left, right, answer == INSIDE)
                    if verdict != MISS:
                        return verdict, moment, INTEGERS
                    stage = INTEGERS
                clear = True
            if not clear:
                answer = inside_between(kind, d0, u0, v0, d1, u1, v1, sizes_d, sizes_u, sizes_v, low, high)
                if answer != OUTSIDE:
                    flat = _all_within(c, bound)
                    if depth >= _DEEPEST or (flat and (answer != FLAT or depth >= _DEEPEST_FLAT)):
                        return UNDECIDED, 0.0, BRACKET
                    index, depth, width = 2 * index, depth + 1, 0.5 * width
                    continue
        index += 1
        while index & 1 == 0 and depth > 0:
            index, depth, width = index >> 1, depth - 1, 2.0 * width
        if depth == 0:
            return MISS, 0.0, stage
    return UNDECIDED, 0.0, BRACKET


@inlined
def _timed(b, bound, sign, left, right):
    """Return a lower bound of the root in a bracket, above 0 since f is not zero at time 0; 0 if this is uncertain."""
    if left > 0.0:
        return left
    left = 0.25 * right
    return left if sign * cubic_at(b, left) > bound else 0.0
