"""Polynomials in time with integer coefficients, and their roots: exact, in Python integers.

A polynomial of degree n is stored as its form [s_0, ..., s_n]. It stands for the sum of s_i t^i m^(n - i) with m = 1 -
t: scaled Bernstein coefficients. So a coordinate that goes from a to b is the form [a, b], and the product of two
polynomials is the plain product of their forms. By Descartes' rule the signs of the coefficients bound the number of
roots in [0, 1], or in another interval after a linear substitution. With x = t/m a form is a polynomial in x from 0 to
infinity, which is used to find common roots.
"""

from itertools import pairwise
from math import gcd

Form = list[int]


def add(a: Form, b: Form) -> Form:
    """Return the sum of two forms of the same degree."""
    return list(map(int.__add__, a, b))


def subtract(a: Form, b: Form) -> Form:
    """Return the difference of two forms of the same degree."""
    return list(map(int.__sub__, a, b))


def multiply(a: Form, b: Form) -> Form:
    """Return the product of two forms."""
    if len(a) == 2:  # unrolled: nearly all products have such a factor
        p, q = a
        if len(b) == 2:
            r, s = b
            return [p * r, p * s + q * r, q * s]
        if len(b) == 3:
            r, s, t = b
            return [p * r, p * s + q * r, p * t + q * s, q * t]
    out = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += x * y
    return out


def between(form: Form, index: int, depth: int) -> Form:
    """Return the form on the interval [index, index + 1] / 2**depth, times a power of 2."""
    if depth == 0:
        return form
    if len(form) > 4:
        return _between_by_horner(form, index, depth)
    t, m = index, (1 << depth) - index
    u, n = t + 1, m - 1  # t and m at the end of the interval
    if len(form) == 4:  # blossoms: the middle ones times three, as in forms
        a, b, c, d = form
        mm, mt, tt, nn, nu, uu = m * m, m * t, t * t, n * n, n * u, u * u
        return [
            a * mm * m + b * mm * t + c * m * tt + d * tt * t,
            3 * a * mm * n + b * (mm * u + 2 * mt * n) + c * (tt * n + 2 * mt * u) + 3 * d * tt * u,
            3 * a * m * nn + b * (nn * t + 2 * nu * m) + c * (uu * m + 2 * nu * t) + 3 * d * t * uu,
            a * nn * n + b * nn * u + c * n * uu + d * uu * u,
        ]
    if len(form) == 3:
        a, b, c = form
        return [
            a * m * m + b * m * t + c * t * t,
            2 * a * m * n + b * (m * u + n * t) + 2 * c * t * u,
            a * n * n + b * n * u + c * u * u,
        ]
    return [form[0] * m + form[1] * t, form[0] * n + form[1] * u] if len(form) == 2 else form


def _between_by_horner(form: Form, index: int, depth: int) -> Form:
    """Like ``between``, for any degree."""
    whole = 1 << depth
    rest, time = [whole - index, whole - index - 1], [index, index + 1]  # m and t by m' and t' of the interval
    out = [form[0]]
    power = [1]
    for coefficient in form[1:]:  # Horner's rule for forms: P(m, t) = sum of s_i t^i m^(n - i)
        power = multiply(power, time)
        out = add(multiply(out, rest), [coefficient * x for x in power])
    return out


def halves(form: Form) -> tuple[Form, Form]:
    """Return the form, of degree 3 at most, on the first and on the second half of its interval, times a power of 2."""
    return _first_half(form), _first_half(form[::-1])[::-1]


def _first_half(form: Form) -> Form:
    if len(form) == 4:
        a, b, c, d = form
        return [8 * a, 12 * a + 4 * b, 6 * a + 4 * b + 2 * c, a + b + c + d]
    if len(form) == 3:
        a, b, c = form
        return [4 * a, 4 * a + 2 * b, a + b + c]
    return [2 * form[0], form[0] + form[1]] if len(form) == 2 else form


def sign(value: int) -> int:
    """Return -1, 0 or 1."""
    return (value > 0) - (value < 0)


def at(form: Form, index: int, depth: int) -> int:
    """Return a value with the sign of the polynomial at index / 2**depth."""
    time, rest = index, (1 << depth) - index
    out, power = form[0], 1
    for coefficient in form[1:]:
        power *= time
        out = out * rest + coefficient * power
    return out


def changes(form: Form) -> int:
    """Return the number of sign changes of the coefficients: roots with 0 < t < 1, plus an even number (Descartes)."""
    signs = [x > 0 for x in form if x]
    return sum(p != q for p, q in pairwise(signs))


def common(a: Form, b: Form) -> Form:
    """Return the greatest common divisor of two forms, primitive; [1] if they have no common divisor. One must not be
    zero.
    """
    zeros = min(_leading(a), _leading(b)) if any(a) and any(b) else _leading(a if any(a) else b)
    ends = min(_leading(a[::-1]), _leading(b[::-1])) if any(a) and any(b) else _leading((a if any(a) else b)[::-1])
    p, q = _core(a), _core(b)
    if len(p) < len(q):
        p, q = q, p
    while q:
        p, q = q, _core(_remainder(p, q))
    return [0] * zeros + p + [0] * ends


def _leading(form: Form) -> int:
    """Return the number of leading zero coefficients: the multiplicity of the root at time 0."""
    return next(i for i, x in enumerate(form) if x)


def _core(form: Form) -> Form:
    """Return the primitive form without its roots at the times 0 and 1; [] for zero."""
    low, high = 0, len(form)
    while low < high and form[low] == 0:
        low += 1
    while high > low and form[high - 1] == 0:
        high -= 1
    content = gcd(*form[low:high])
    return [x // content for x in form[low:high]]


def _remainder(p: Form, q: Form) -> Form:
    """Return a multiple of p modulo q, as polynomials in x."""
    p = list(p)
    while len(p) >= len(q):
        head, shift = p[-1], len(p) - len(q)
        p = [x * q[-1] for x in p]
        for i, x in enumerate(q):
            p[shift + i] -= head * x
        p.pop()  # the leading coefficient is zero now
    return p


def without_multiplicity(form: Form) -> Form:
    """Return a form with the same roots in [0, 1], each simple; the form must not be zero."""
    core = _core(form)
    derived = [i * x for i, x in enumerate(core)][1:]
    if any(derived):
        core = _quotient(core, common(core, derived))
    return [0] * (form[0] == 0) + core + [0] * (form[-1] == 0)


def _quotient(p: Form, q: Form) -> Form:
    """Return p / q as polynomials in x, if q divides p and both are primitive; primitive."""
    p, out = list(p), []
    scale = q[-1] ** (len(p) - len(q) + 1)
    p = [x * scale for x in p]
    while len(p) >= len(q):
        head, shift = p[-1] // q[-1], len(p) - len(q)
        out.append(head)
        for i, x in enumerate(q):
            p[shift + i] -= head * x
        p.pop()
    return _core(out[::-1])
