"""Check certificates of contacts in plain Python integers, without any other module of this project.

Two groups of one to three points (points, edges, triangles) meet or do not meet: at rest, or while each point moves on
a straight line from time 0 to time 1. A certificate (``certify``) is a dictionary with the points ``first`` and
``second`` at time 0, ``first_end`` and ``second_end`` at time 1 (None at rest), the verdict ``meets``, and as ``proof``
one of

``{"weights": [v, w]}``: at time 0, the means of both groups with these weights, integers >= 0, are the same point.
``{"apart": [[low, high, depth, w], ...]}``: intervals [low, high] / 2**depth that cover the time from 0 to 1, and for
each interval a direction w of three polynomials, along which every point of the first group is ahead of every point of
the second group. ``{"root": h, "interval": [low, high, depth], "axis": k, "place": [E, G, H]}``: h has a root in the
interval, where the four points lie in one plane and their projections along axis k meet; or, for k = -1, the end E lies
on the edge GH. ``{"element": [rows of first, rows of second], "proof": ...}``: these points meet.

A polynomial of degree n is a list s, the sum of s[i] t**i (1 - t)**(n - i): positive on [0, 1] if all s[i] are.
"""

import json
import sys

ELEMENTS = [([c], [0, 1, 2]) for c in range(3)] + [([0, 1, 2], [c]) for c in range(3)]
ELEMENTS += [([e, (e + 1) % 3], [f, (f + 1) % 3]) for e in range(3) for f in range(3)]
ENDS = {1: (0,), 2: (0, 1, 2, 3), 3: (3,)}
EDGES = {1: ({1, 2}, {2, 3}, {1, 3}), 2: ({0, 1}, {2, 3}), 3: ({0, 1}, {1, 2}, {0, 2})}


def _times(p, q):
    size = len(p) + len(q) - 1
    return [sum(x * q[n - i] for i, x in enumerate(p) if 0 <= n - i < len(q)) for n in range(size)]


def _plus(p, q, factor=1):
    return [x + factor * y for x, y in zip(p, q, strict=True)]


def _minus(a, b):
    return [_plus(p, q, -1) for p, q in zip(a, b, strict=True)]


def _cross(a, b):
    return [_plus(_times(a[i], b[j]), _times(a[j], b[i]), -1) for i, j in ((1, 2), (2, 0), (0, 1))]


def _dot(a, b):
    return _plus(_plus(_times(a[0], b[0]), _times(a[1], b[1])), _times(a[2], b[2]))


def _on(p, low, high, depth):
    """Return the polynomial on [low, high] / 2**depth, times a power of two."""
    rest, time = [2**depth - low, 2**depth - high], [low, high]
    out, power = [p[0]], [1]
    for x in p[1:]:
        power = _times(power, time)
        out = _plus(_times(out, rest), [x * y for y in power])
    return out


def _divides(h, p):
    """Return whether the nonzero polynomial h divides p."""
    while h[-1] == 0:  # the factor 1 - t
        if p[-1] != 0:
            return False
        h, p = h[:-1], p[:-1]
    while any(p) and len(p) >= len(h):
        head, shift = p[-1], len(p) - len(h)
        p = [x * h[-1] for x in p]
        for i, x in enumerate(h):
            p[shift + i] -= head * x
        p.pop()
    return not any(p)


def _integers(*groups):
    """Return all points, given as [x, y, z] at both times, as polynomials with integer coefficients."""
    exact = [[[float(x).as_integer_ratio() for x in point] for point in group] for group in groups]
    scale = max(d for group in exact for point in group for _, d in point)
    first, second, first_end, second_end = [[[n * (scale // d) for n, d in p] for p in group] for group in exact]
    pairs = zip(first, first_end, strict=True), zip(second, second_end, strict=True)
    return [[[[x, y] for x, y in zip(p, q, strict=True)] for p, q in pair] for pair in pairs]


def _vectors(a, b):
    """Return d, u, v: the groups meet if d lies in the plane of u and v, at the right place."""
    if len(a) == 2:
        return _minus(b[0], a[0]), _minus(a[1], a[0]), _minus(b[1], b[0])
    (p,), (a, b, c) = (a, b) if len(a) == 1 else (b, a)
    return _minus(p, a), _minus(b, a), _minus(c, a)


def _margins(a, b, k):
    """Return (n_k, margins): if d, u, v are coplanar and n_k is not zero, the groups meet if no margin has the opposite
    sign.
    """
    d, u, v = _vectors(a, b)
    n, s, w = _cross(u, v)[k], _cross(d, v)[k], _cross(d, u)[k]
    if len(a) == 2:
        return n, [s, w, _plus(n, s, -1), _plus(n, w, -1)]
    return n, [s, [-x for x in w], _plus(_plus(n, s, -1), w)]


def _require(truth, text):
    if not truth:
        raise ValueError(text)


def _whole(numbers):
    _require(all(type(x) is int for x in numbers), "a number is not whole")
    return numbers


def _interval(low, high, depth):
    _whole((low, high, depth))
    _require(0 <= depth <= 4096 and 0 <= low <= high <= 2**depth, "not an interval between 0 and 1")
    return low, high, depth


def _check_apart(a, b, steps):
    """Check that a direction separates the groups in each interval, and that the intervals cover the time from 0 to
    1.
    """
    reached = 0, 0
    for low, high, depth, direction in steps:
        part, w = _interval(low, high, depth), [_whole(x) for x in direction]
        _require(low << reached[1] <= reached[0] << depth, "the intervals leave a gap")
        reached = high, depth
        for p, q in ((p, q) for p in a for q in b):
            _require(min(_on(_dot(_minus(p, q), w), *part)) > 0, "the direction does not separate the groups")
    _require(reached[0] == 1 << reached[1], "the intervals do not reach the end")


def _check_root(a, b, proof):
    """Check that the four points meet at some time in the interval."""
    h, part, k = _whole(proof["root"]), _interval(*proof["interval"]), proof["axis"]
    _require(any(h), "the root is one of no polynomial")
    _require(_on(h, *part)[0] * _on(h, *part)[-1] <= 0, "no root in the interval for certain")
    if k == -1:
        e, g, f = proof["place"]
        _require(e in ENDS[len(a)] and {g, f} in EDGES[len(a)] and e not in (g, f), "not an end and an edge")
        p, q, r = ((a + b)[i] for i in (e, g, f))
        zero = _cross(_minus(p, q), _minus(r, q))
        sides = [_times(x, y) for x, y in zip(_minus(p, q), _minus(r, p), strict=True)]
    else:
        d, u, v = _vectors(a, b)
        zero = [_dot(d, _cross(u, v))]
        n, sides = _margins(a, b, k)
        n = _on(n, *part)
        _require(min(n) > 0 or max(n) < 0, "the normal may vanish")
        sides = [[x if n[0] > 0 else -x for x in side] for side in sides]
    _require(all(_divides(h, p) for p in zero), "the points need not lie in one plane, or line, at the root")
    _require(all(_divides(h, p) or min(_on(p, *part)) >= 0 for p in sides), "the groups need not meet at the root")


def _check_groups(a, b, meets, proof, moving):
    """Raise ValueError unless the proof shows the claim about two groups."""
    if not meets:
        _check_apart(a, b, proof["apart"])
    elif "weights" in proof:
        v, w = (_whole(weights) for weights in proof["weights"])
        _require(min(*v, *w, 0) == 0 and sum(v) > 0 and sum(w) > 0, "the weights are not those of a mean")
        p, q = ([sum(x * y[i][0] for x, y in zip(u, g, strict=True)) for i in range(3)] for u, g in ((v, a), (w, b)))
        _require([x * sum(w) for x in p] == [x * sum(v) for x in q], "the means are different points")
    elif "element" in proof:
        rows_a, rows_b = proof["element"]
        _require((rows_a, rows_b) in ELEMENTS and (len(a), len(b)) == (3, 3), "no such element")
        _check_groups([a[i] for i in rows_a], [b[i] for i in rows_b], True, proof["proof"], moving)
    else:
        _require(moving and len(a) + len(b) == 4, "a root is one of four moving points")
        _check_root(a, b, proof)


def check_certificate(certificate):
    """Return why a certificate is invalid; "" if it proves its verdict."""
    try:
        moving = certificate["first_end"] is not None
        start = certificate["first"], certificate["second"]
        a, b = _integers(*start, *((certificate["first_end"], certificate["second_end"]) if moving else start))
        _check_groups(a, b, certificate["meets"], certificate["proof"], moving)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
        return str(error) or "the certificate is damaged"
    return ""


if __name__ == "__main__":
    problems = [why for line in sys.stdin if (why := check_certificate(json.loads(line)))]
    print("\n".join(problems) or "every certificate proves its verdict")
    sys.exit(bool(problems))
