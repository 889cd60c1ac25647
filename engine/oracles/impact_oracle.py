"""Exact decision when a moving point meets a triangle, or an edge an edge: the reference for continuous detection.

It shares neither code nor approach with the engine: polynomials in powers of t over the integers, roots isolated by
Sturm sequences, signs at roots by Tarski queries, and scalar products instead of projections along an axis.

With d, u, v as usual (d = s u + w v for a point and a triangle, d = s u - w v for edges), n = u x v and f = d.n: at a
time with f = 0 and n.n > 0, Cramer's rule in the plane gives s = n.(d x v) / n.n and w = -+ n.(d x u) / n.n. Where
n.n = 0 the two meet if and only if an end E of one lies on an edge GH of the other (or a side of the triangle):
|(E - G) x (H - G)|^2 = 0 and (E - G).(E - H) <= 0.

Where f is zero for all times, whether they meet depends on the signs of finitely many polynomials, so it changes at
their roots only; the times at which they meet are closed, so the first one is 0 or such a root. All are tried.

Tarski query: for p with roots in (a, b], p(a) != 0, let V be the changes of sign in the signed remainder sequence of p
and p'q. V(a) - V(b) is the sum of the signs of q at these roots [1, theorem 2.61]. With q = 1 it counts them (Sturm).

References:
    [1] Basu, Pollack, Roy, Algorithms in Real Algebraic Geometry, Springer 2006.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import gcd

import numpy as np

Polynomial = list[int]  # lowest power first, without leading zeros; [] is zero
Vector = tuple[Polynomial, Polynomial, Polynomial]
WIDTH = Fraction(1, 1 << 60)


def _trim(p: Polynomial) -> Polynomial:
    while p and p[-1] == 0:
        p = p[:-1]
    return p


def _plus(p: Polynomial, q: Polynomial, factor: int = 1) -> Polynomial:
    size = max(len(p), len(q))
    return _trim([(p[i] if i < len(p) else 0) + factor * (q[i] if i < len(q) else 0) for i in range(size)])


def _minus(p: Polynomial, q: Polynomial) -> Polynomial:
    return _plus(p, q, -1)


def _times(p: Polynomial, q: Polynomial) -> Polynomial:
    out = [0] * max(len(p) + len(q) - 1, 0)
    for i, x in enumerate(p):
        for j, y in enumerate(q):
            out[i + j] += x * y
    return _trim(out)


def _derivative(p: Polynomial) -> Polynomial:
    return [i * x for i, x in enumerate(p)][1:]


def _remainder(p: Polynomial, q: Polynomial) -> Polynomial:
    """p modulo q times a positive number, primitive."""
    p = list(p)
    while len(p) >= len(q):
        head, shift, scale = p[-1], len(p) - len(q), abs(q[-1])
        if q[-1] < 0:
            head = -head
        p = [x * scale for x in p]
        for i, x in enumerate(q):
            p[shift + i] -= head * x
        p = _trim(p)
        if not p:
            return []
    content = gcd(*p)
    return [x // content for x in p]


def _at(p: Polynomial, t: Fraction) -> int:
    """Sign of p at t."""
    value, power = 0, 1
    for x in reversed(p):
        value = value * t.numerator + x * power
        power *= t.denominator
    return (value > 0) - (value < 0)


def _sequence(p: Polynomial, q: Polynomial) -> list[Polynomial]:
    out = [p]
    while q:
        out.append(q)
        p, q = q, [-x for x in _remainder(p, q)]
    return out


def _changes(sequence: list[Polynomial], t: Fraction) -> int:
    signs = [s for p in sequence if (s := _at(p, t))]
    return sum(a != b for a, b in pairwise(signs))


class _Number:
    """The only root of p in (low, high]; p is not zero at low."""

    def __init__(self, p: Polynomial, low: Fraction, high: Fraction) -> None:
        self.p, self.low, self.high = p, low, high

    def sign_of(self, q: Polynomial) -> int:
        if not q:
            return 0
        if _at(self.p, self.high) == 0:  # a query counts roots inside an interval
            return _at(q, self.high)
        product = _times(_derivative(self.p), q)
        sequence = _sequence(self.p, _remainder(product, self.p) if len(product) >= len(self.p) else product)
        return _changes(sequence, self.low) - _changes(sequence, self.high)

    def refined(self, width: Fraction) -> tuple[Fraction, Fraction]:
        """A bracket no wider than this."""
        low, high = self.low, self.high
        if _at(self.p, high) == 0:
            return high, high
        side = _at(self.p, low)
        while high - low > width:
            middle = (low + high) / 2
            s = _at(self.p, middle)
            if s == 0:
                return middle, middle
            low, high = (middle, high) if s == side else (low, middle)
        return low, high


class _Zero(_Number):
    """The time 0."""

    def __init__(self) -> None:
        super().__init__([0, 1], Fraction(0), Fraction(0))

    def sign_of(self, q: Polynomial) -> int:
        return _at(q, Fraction(0)) if q else 0

    def refined(self, width: Fraction) -> tuple[Fraction, Fraction]:
        return Fraction(0), Fraction(0)


def _numbers(p: Polynomial) -> Iterator[_Number]:
    """The roots of p in [0, 1], from early to late; p is not zero."""
    if p[0] == 0:
        yield _Zero()
    while p[0] == 0:
        p = p[1:]
    if len(p) < 2:
        return
    sequence = _sequence(p, _derivative(p))
    if len(sequence[-1]) > 1:  # a multiple root: the number of roots is right, their signs would not be
        p = _divided(p, sequence[-1])
        sequence = _sequence(p, _derivative(p))
    stack = [(Fraction(0), Fraction(1))]
    while stack:
        low, high = stack.pop()
        count = _changes(sequence, low) - _changes(sequence, high)
        if count == 1:
            yield _Number(p, low, high)
        elif count:
            middle = (low + high) / 2
            while _at(p, middle) == 0:
                middle = (low + middle) / 2
            stack += [(middle, high), (low, middle)]


def _divided(p: Polynomial, q: Polynomial) -> Polynomial:
    """p / q, primitive, where q divides p."""
    rest, out = [Fraction(x) for x in p], []
    while len(rest) >= len(q):
        head, shift = rest[-1] / q[-1], len(rest) - len(q)
        out.append(head)
        for i, x in enumerate(q):
            rest[shift + i] -= head * x
        rest.pop()
    scale = 1
    for x in out:
        scale = scale * x.denominator // gcd(scale, x.denominator)
    return [int(x * scale) for x in reversed(out)]


def _difference(a: Vector, b: Vector) -> Vector:
    return _minus(a[0], b[0]), _minus(a[1], b[1]), _minus(a[2], b[2])


def _cross(a: Vector, b: Vector) -> Vector:
    return (
        _minus(_times(a[1], b[2]), _times(a[2], b[1])),
        _minus(_times(a[2], b[0]), _times(a[0], b[2])),
        _minus(_times(a[0], b[1]), _times(a[1], b[0])),
    )


def _dot(a: Vector, b: Vector) -> Polynomial:
    return _plus(_plus(_times(a[0], b[0]), _times(a[1], b[1])), _times(a[2], b[2]))


def _points(start: np.ndarray, end: np.ndarray) -> list[Vector]:
    """Moving points with integer coefficients, times a power of two."""
    exact = [[[x.as_integer_ratio() for x in point] for point in points] for points in (start.tolist(), end.tolist())]
    scale = max(d for points in exact for point in points for _, d in point)
    whole = ([[n * (scale // d) for n, d in point] for point in points] for points in exact)
    return [
        tuple(_trim([a, b - a]) for a, b in zip(p, q, strict=True))  # type: ignore[misc]
        for p, q in zip(*whole, strict=True)
    ]


class _Pair:
    def __init__(self, points: list[Vector], edges: bool) -> None:
        p, q, r, s = points
        if edges:
            d, u, v = _difference(r, p), _difference(q, p), _difference(s, r)
            self.ends = [(r, p, q), (s, p, q), (p, r, s), (q, r, s)]
        else:
            d, u, v = _difference(p, q), _difference(r, q), _difference(s, q)
            self.ends = [(p, q, r), (p, r, s), (p, s, q)]
        self._d, self._u, self._v, self._n, self._edges = d, u, v, _cross(u, v), edges
        self.f = _dot(d, self._n)

    @cached_property
    def square(self) -> Polynomial:
        return _dot(self._n, self._n)

    @cached_property
    def sides(self) -> list[Polynomial]:
        first, second = _dot(self._n, _cross(self._d, self._v)), _dot(self._n, _cross(self._d, self._u))
        if self._edges:
            return [first, second, _minus(self.square, first), _minus(self.square, second)]
        return [first, _minus([], second), _plus(_minus(self.square, first), second)]

    def in_line(self, e: Vector, g: Vector, h: Vector) -> Polynomial:
        c = _cross(_difference(e, g), _difference(h, g))
        return _dot(c, c)

    def beyond(self, e: Vector, g: Vector, h: Vector) -> Polynomial:
        return _dot(_difference(e, g), _difference(e, h))

    def meets_at(self, t: _Number) -> bool:
        """Whether the two meet at a root of f."""
        if t.sign_of(self.square):
            return all(t.sign_of(side) >= 0 for side in self.sides)
        return any(t.sign_of(self.in_line(*e)) == 0 and t.sign_of(self.beyond(*e)) <= 0 for e in self.ends)

    def first(self) -> tuple[Fraction, Fraction] | None:
        """A narrow bracket of the first moment of contact."""
        if self.f:
            found = next((t for t in _numbers(self.f) if self.meets_at(t)), None)
            return None if found is None else found.refined(WIDTH)
        deciding = [self.square, *self.sides]
        for e in self.ends:
            deciding += [self.in_line(*e), self.beyond(*e)]
        moments = [_Zero(), *(t for p in deciding if p for t in _numbers(p))]
        return min((t.refined(WIDTH) for t in moments if self.meets_at(t)), default=None)


def first_moment(start: np.ndarray, end: np.ndarray, edges: bool) -> tuple[Fraction, Fraction] | None:
    """A bracket, at most 2**-60 wide, of the first moment when they meet; None where they do not.

    Args:
        start, end: (4, 3) float64 at times 0 and 1: point and triangle, or two edges.
        edges: which of the two.
    """
    return _Pair(_points(start, end), edges).first()
