"""Two cheap certain answers where the brackets fail: corners in one place at time 0, and directions that separate.

A fixed direction w separates two things during an interval of time if it does at both ends, since w.(p - q) is linear
in time for all points p, q of either. This needs no root, so it also works where all move in one plane or edges stay
parallel. In the middle of an interval the best of the directions that the shortest way may have is taken, and the
interval is halved where that does not separate at the ends.

Bound. w.(p - q) carries the roundings of a difference, an interpolation (3), a product and two sums: 7 u times the sum
of |w_k| and the larger magnitude of the difference at both times. 8 u covers it.
"""

from ..jit import inlined, inner
from .moving import LARGEST_DIFFERENCE, POINT_TRIANGLE, UNDERFLOW, UNIT

_BOUND = 8.0 * UNIT
_DEEPEST = 8
_MOST_INTERVALS = 48


@inlined
def _same(points, i, j):
    return points[i, 0] == points[j, 0] and points[i, 1] == points[j, 1] and points[i, 2] == points[j, 2]


@inner
def corners_coincide(points, kind):
    """Whether a corner of one thing is exactly at a corner of the other."""
    if kind == POINT_TRIANGLE:
        return _same(points, 0, 1) or _same(points, 0, 2) or _same(points, 0, 3)
    return _same(points, 0, 2) or _same(points, 0, 3) or _same(points, 1, 2) or _same(points, 1, 3)


@inlined
def _at(start, end, i, t):
    m = 1.0 - t
    return (
        m * start[i, 0] + t * end[i, 0],
        m * start[i, 1] + t * end[i, 1],
        m * start[i, 2] + t * end[i, 2],
    )


@inlined
def _minus(p, q):
    return p[0] - q[0], p[1] - q[1], p[2] - q[2]


@inlined
def _dot(p, q):
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


@inlined
def _cross(p, q):
    return p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]


@inner
def _better(kind, w, p, q, r, s, best, chosen):
    """The direction w or its opposite, and how far apart it shows the two, if that is further than the best so far."""
    length = max(abs(w[0]), abs(w[1]), abs(w[2]))
    if not 0.0 < length < 2.0**500:
        return best, chosen
    w = w[0] / length, w[1] / length, w[2] / length
    a, b, c, d = _dot(w, p), _dot(w, q), _dot(w, r), _dot(w, s)
    scale = _dot(w, w) ** 0.5
    if kind == POINT_TRIANGLE:
        ahead, behind = a - max(b, c, d), min(b, c, d) - a
    else:
        ahead, behind = min(a, b) - max(c, d), min(c, d) - max(a, b)
    if ahead > best * scale:
        best, chosen = ahead / scale, w
    if behind > best * scale:
        best, chosen = behind / scale, (-w[0], -w[1], -w[2])
    return best, chosen


@inner
def _square_on(p, q, x):
    """The part of x - p that is at right angles to the edge pq."""
    edge, way = _minus(q, p), _minus(x, p)
    square = _dot(edge, edge)
    share = _dot(way, edge) / square if square > 0.0 else 0.0
    return way[0] - share * edge[0], way[1] - share * edge[1], way[2] - share * edge[2]


@inner
def _best_direction(start, end, kind, t):
    """(how far apart, direction) at time t, in float64; nothing is certain."""
    p, q, r, s = _at(start, end, 0, t), _at(start, end, 1, t), _at(start, end, 2, t), _at(start, end, 3, t)
    q, r, s = _minus(q, p), _minus(r, p), _minus(s, p)
    p = (0.0, 0.0, 0.0)
    best, chosen = 0.0, (0.0, 0.0, 0.0)
    if kind == POINT_TRIANGLE:
        best, chosen = _better(kind, _cross(_minus(r, q), _minus(s, q)), p, q, r, s, best, chosen)
        for w in (q, r, s, _square_on(q, r, p), _square_on(r, s, p), _square_on(s, q, p)):
            best, chosen = _better(kind, w, p, q, r, s, best, chosen)
        return best, chosen
    best, chosen = _better(kind, _cross(q, _minus(s, r)), p, q, r, s, best, chosen)
    for w in (r, s, _minus(r, q), _minus(s, q)):
        best, chosen = _better(kind, w, p, q, r, s, best, chosen)
    for w in (_square_on(r, s, p), _square_on(r, s, q), _square_on(p, q, r), _square_on(p, q, s)):
        best, chosen = _better(kind, w, p, q, r, s, best, chosen)
    return best, chosen


@inner
def _separates(start, end, kind, w, t):
    """Whether the first thing certainly lies beyond the other along w at time t."""
    first = 1 if kind == POINT_TRIANGLE else 2
    m = 1.0 - t
    for i in range(first):
        for j in range(first, 4):
            ahead, size = 0.0, 0.0
            for k in range(3):
                a, b = start[i, k] - start[j, k], end[i, k] - end[j, k]
                if not max(abs(a), abs(b)) < LARGEST_DIFFERENCE:
                    return False
                ahead += w[k] * (m * a + t * b)
                size += abs(w[k]) * max(abs(a), abs(b))
            if not ahead > _BOUND * size + UNDERFLOW:
                return False
    return True


@inner
def directions_separate(start, end, kind):
    """Whether directions certainly separate the two at all times; False also means that none was found."""
    index, depth, width = 0, 0, 1.0
    for _ in range(_MOST_INTERVALS):
        low, high = index * width, (index + 1) * width
        _, w = _best_direction(start, end, kind, 0.5 * (low + high))
        if not (_separates(start, end, kind, w, low) and _separates(start, end, kind, w, high)):
            if depth == _DEEPEST or not _separates(start, end, kind, w, 0.5 * (low + high)):
                return False
            index, depth, width = 2 * index, depth + 1, 0.5 * width
            continue
        index += 1
        while index & 1 == 0 and depth > 0:
            index, depth, width = index >> 1, depth - 1, 2.0 * width
        if depth == 0:
            return True
    return False
