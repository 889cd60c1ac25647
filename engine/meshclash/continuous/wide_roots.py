"""Real roots in [0, 1] of forms of degree 3 with integers of fixed width, and signs of quadratics there, compiled.

A root is a pair (index, after). If ``after`` is 0, it is index / 2**41 itself. Otherwise it lies in the open interval
[index, index + 1] / 2**41, and f has the sign ``after`` before it. A quadratic q usually has one sign in the whole
interval. If it has one root rho there, the order of the roots matters: what sign f has at rho. By division, in powers
of t, with c and e for the coefficients of f and q,

    r = e_2 f - c_3 t q,   L = e_2 r - r_2 q = l_0 + l_1 t,   V = l_1^2 q(-l_0 / l_1),

f has the sign of L at rho, and the sign of V tells which of rho and the root of L comes first. So no root is narrowed
any further, and q is zero at the root of f exactly if L or V is zero.

Float64 is tried first. A coefficient is rounded by 2**-50 of itself, terms m^i t^j s have weights with a sum of at most
1, and t and m are exact: a value is off by less than 32 * 2**-53 times the largest coefficient. In the interval a
quadratic changes by at most 3 * 2**-41 times that.

Widths, with D as in ``wide_forms.py``: |c| <= 72 D^3 and |e| <= 24 D^2 (e_0 and c_0: 6), so |r| <= 2880 D^5, |l_1| <=
96768 D^7, |l_0| <= 20736 D^7 and |V| < 2**37 D^16. With D <= 2**(w - 3) each is below half of what its width holds.
"""

from ..geometry.wide_integers import minus, plus, rounded, sign, times, wide
from ..jit import inlined, inner
from .wide_forms import (
    cubic_at,
    cubic_middle_signs,
    has_double_root,
    quadratic_middle_sign,
    quadratic_sign,
    without_double_root,
)

NOT_PARTED = 2
FINE = 41
"""Depth of the intervals of roots."""
DEEPEST = 20
"""Number of halvings after which roots that are not separated are left undecided."""
CUBIC_ERROR = 2.0**-46
QUADRATIC_ERROR = 2.0**-39
_NEWTON_STEPS = 12


@inlined
def _changes(a, b, c, d):
    """Return the number of sign changes in a sequence of four signs."""
    count, last = 0, a
    for x in (b, c, d):
        if x != 0:
            if last != 0 and x != last:
                count += 1
            last = x
    return count


@inlined
def _cubic_value(s, t):
    m = 1.0 - t
    return ((s[0] * m + s[1] * t) * m + s[2] * t * t) * m + s[3] * t * t * t


@inner
def _guess(s, low, high, after):
    """Guess in float64 the position of the only root between low and high, over 2**FINE."""
    lower, upper = low * 2.0**-FINE, high * 2.0**-FINE
    t = 0.5 * (lower + upper)
    for _ in range(_NEWTON_STEPS):
        m = 1.0 - t
        value = _cubic_value(s, t)
        slope = (s[1] - 3.0 * s[0]) * m * m + 2.0 * (s[2] - s[1]) * m * t + (3.0 * s[3] - s[2]) * t * t
        if value * after > 0.0:
            lower = t
        else:
            upper = t
        following = t - value / slope if slope != 0.0 else -1.0
        if not lower <= following <= upper:
            following = 0.5 * (lower + upper)
        if abs(following - t) < 2.0**-50:
            break
        t = following
    return int(t * 2.0**FINE)


@inner
def narrowed(f, low, high, after):
    """Return the only root strictly between low and high, over 2**FINE; ``after`` is the sign before it.

    A guess is checked, and then points farther and farther away from it; in float64 if its error bound allows.
    """
    s = rounded(f[0]), rounded(f[1]), rounded(f[2]), rounded(f[3])
    bound = CUBIC_ERROR * max(abs(s[0]), abs(s[1]), abs(s[2]), abs(s[3]))
    at, step = _guess(s, low, high, after), 1
    while high - low > 1:
        if not low < at < high:
            at = (low + high) >> 1
        value = _cubic_value(s, at * 2.0**-FINE)
        here = (1 if value > 0.0 else -1) if abs(value) > bound else sign(cubic_at(f, at, FINE))
        if here == 0:
            return at, 0
        if here == after:
            low, at = at, at + step
        else:
            high, at = at, at - step
        step *= 2
    return low, after


@inlined
def _signs_on(f, index, depth):
    """Return the signs of the coefficients of f on [index, index + 1] / 2**depth."""
    if depth == 0:
        return sign(f[0]), sign(f[1]), sign(f[2]), sign(f[3])
    first, second = cubic_middle_signs(f, index, depth)
    return sign(cubic_at(f, index, depth)), first, second, sign(cubic_at(f, index + 1, depth))


@inner
def next_root(f, index, depth, fresh):
    """Return (found, root, index, depth, fresh): the first root from the interval [index, index + 1] / 2**depth on.

    found is 1 for a root, 0 if none is left, ``NOT_PARTED`` if two roots cannot be separated. The other values are the
    state to continue from; ``fresh`` is whether the lower end has not been tested yet. Begin with 0, 0, True.
    """
    while index < 1 << depth:
        left, first, second, right = _signs_on(f, index, depth)
        if fresh and left == 0:
            return 1, (index << (FINE - depth), 0), index, depth, False
        count = _changes(left, first, second, right)
        fresh = count < 2
        if count > 1:
            if depth == DEEPEST:
                return NOT_PARTED, (0, 0), index, depth, False
            index, depth = 2 * index, depth + 1
            continue
        low, high = index << (FINE - depth), (index + 1) << (FINE - depth)
        index += 1
        while index & 1 == 0 and depth > 0:
            index, depth = index >> 1, depth - 1
        if count == 1:
            after = left if left != 0 else (first if first != 0 else second)
            return 1, narrowed(f, low, high, after), index, depth, True
    if fresh and sign(f[3]) == 0:
        return 1, (1 << FINE, 0), index, depth, False
    return 0, (0, 0), index, depth, False


@inner
def _linear_sign(first, second, index):
    """Return the sign of first + second t at index / 2**FINE."""
    return sign(plus(times(first, wide(1 << FINE)), times(second, wide(index))))


@inner
def _sign_at_linear_root(c0, c1, c2, c3, e0, e1):
    """Return the sign of f at the root of e0 + e1 t."""
    square = times(e1, e1)
    value = minus(times(times(square, e1), c0), times(times(square, e0), c1))
    square = times(e0, e0)
    return sign(e1) * sign(plus(value, minus(times(times(square, e1), c2), times(times(square, e0), c3))))


@inner
def _sign_at_other_root(f, q, index, before):
    """Return the sign of f at the only root of q in [index, index + 1] / 2**FINE.

    ``before`` is the sign of q before this root.
    """
    e1 = minus(q[1], plus(q[0], q[0]))
    e2 = plus(minus(q[2], q[1]), q[0])
    c1 = minus(f[1], plus(plus(f[0], f[0]), f[0]))
    c2 = plus(minus(minus(f[2], f[1]), f[1]), plus(plus(f[0], f[0]), f[0]))
    c3 = plus(minus(f[3], f[2]), minus(f[1], f[0]))
    e0, c0 = q[0], f[0]
    if sign(e2) == 0:
        return _sign_at_linear_root(c0, c1, c2, c3, e0, e1)
    r0, r1, r2 = times(e2, c0), minus(times(e2, c1), times(c3, e0)), minus(times(e2, c2), times(c3, e1))
    l0, l1 = minus(times(e2, r0), times(r2, e0)), minus(times(e2, r1), times(r2, e1))
    first, last = _linear_sign(l0, l1, index), _linear_sign(l0, l1, index + 1)
    if first * last >= 0:
        return first if first != 0 else last
    v = minus(times(times(l1, l1), e0), times(times(l1, l0), e1))
    side = sign(plus(v, times(times(l0, l0), e2)))
    if side == 0:
        return 0
    return last if side == before else first


@inner
def _sign_in_float(q, index):
    """Return the sign of a form q of degree 2 in all of [index, index + 1] / 2**FINE; 0 if float64 does not decide."""
    a, b, c = rounded(q[0]), rounded(q[1]), rounded(q[2])
    t = index * 2.0**-FINE
    m = 1.0 - t
    value = (a * m + b * t) * m + c * t * t
    if abs(value) > QUADRATIC_ERROR * max(abs(a), abs(b), abs(c)):
        return 1 if value > 0.0 else -1
    return 0


@inner
def sign_at_root(q, f, root):
    """Return the sign of a form q of degree 2 at a root of f.

    The result is ``NOT_PARTED`` if q has two roots near it, or one at an end.
    """
    index, after = root
    found = _sign_in_float(q, index)
    if found != 0:
        return found
    low = quadratic_sign(q, index, FINE)
    if after == 0:
        return low
    middle, high = quadratic_middle_sign(q, index, FINE), quadratic_sign(q, index + 1, FINE)
    if low >= 0 and middle >= 0 and high >= 0:
        return 1 if low + middle + high > 0 else 0
    if low <= 0 and middle <= 0 and high <= 0:
        return -1
    if low * high == 0:
        return NOT_PARTED
    if low == high:
        if not has_double_root(q):
            return NOT_PARTED
        return 0 if _sign_at_other_root(f, without_double_root(q), index, low) == 0 else low
    there = _sign_at_other_root(f, q, index, low)
    if there == 0:
        return 0
    return high if there == after else low
