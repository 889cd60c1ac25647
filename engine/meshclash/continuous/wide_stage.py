"""Decide whether and when four moving points meet, in integers of fixed width: a compiled ``rational.py``.

Roots that are closer to each other than 2**-20, and signs at roots that are not certain to 2**-41, are examined in
windows of time of that width, and in windows of these. They occur when a whole neighbourhood is reflected through a
rounded point: then all its times of contact are there. In a window the points move as they do from 0 to 1, between
other integers.

Left undecided, for Python integers, are: coordinates that are on no common grid of 122 bits, or of 60 bits for windows;
multiple roots, and roots closer than 2**-80; and the time of contacts between time 0 and 2**-41.
"""

import numpy as np

from ..geometry.wide_integers import plus, sign, times, wide
from ..jit import inlined, inner, kernel
from ..reference import by_reference
from .coplanarity import POINT_TRIANGLE, Rows
from .grid import LONG, SHORT, factors_of_axes, fits_grid, long_point, short_point
from .rational import END_ON_EDGE
from .stages import HIT, MISS, UNDECIDED
from .wide_forms import (
    difference_of,
    dot_cubic,
    is_zero,
    lifted_quadratic,
    minor,
    quadratic,
    quadratic_minus,
    raised,
    vectors_of,
    without_double_root,
)
from .wide_roots import DEEPEST, FINE, NOT_PARTED, narrowed, next_root, sign_at_root

_LEVELS = 4
"""Number of nested windows, including all of time: in the narrowest, 60-bit coordinates still fit two words."""
_PLACES = END_ON_EDGE[0] + END_ON_EDGE[1]
"""Ends and edges of a point and a triangle, then of two edges."""


@inner
def _inside_along(kind, k, side, n, vectors, f, root):
    """Return HIT, MISS or UNDECIDED at a root where the normal's component n along axis k has the sign ``side``."""
    i, j = (k + 1) % 3, (k + 2) % 3
    d, u, v = vectors
    s = minor(d, v, i, j)
    found = sign_at_root(s, f, root)
    if found == -side:
        return MISS
    certain = found != NOT_PARTED
    w = minor(u, d, i, j) if kind == POINT_TRIANGLE else minor(d, u, i, j)
    for number in range(3):
        if number == 0:
            q = w
        elif number == 1:
            q = quadratic_minus(n, s)
            if kind == POINT_TRIANGLE:
                q = quadratic_minus(q, w)
        elif kind == POINT_TRIANGLE:
            break
        else:
            q = quadratic_minus(n, w)
        found = sign_at_root(q, f, root)
        if found == -side:
            return MISS
        certain = certain and found != NOT_PARTED
    return HIT if certain else UNDECIDED


@inner
def _end_on_edge(points, e, g, h, f, root):
    """Return HIT if the end e lies on the edge gh at a root, otherwise as ``_inside_along``."""
    p, q, r = difference_of(points, e, g), difference_of(points, h, g), difference_of(points, e, h)
    certain = True
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        found = sign_at_root(minor(p, q, i, j), f, root)
        if found == NOT_PARTED:
            certain = False
        elif found != 0:
            return MISS
        found = sign_at_root(quadratic(p[k], r[k]), f, root)
        if found == 1:
            return MISS
        certain = certain and found != NOT_PARTED
    return HIT if certain else UNDECIDED


@inlined
def _places_of(kind):
    """Return the begin and end of the rows of ``_PLACES`` for a kind."""
    return (0, 3) if kind == POINT_TRIANGLE else (3, 7)


@inner
def _met_at(points, kind, vectors, n, f, root):
    """Return whether two moving elements meet at a root where all points lie in one plane: HIT, MISS or UNDECIDED."""
    certain = True
    for k in range(3):
        side = sign_at_root(n[k], f, root)
        if side == NOT_PARTED:
            certain = False
        elif side != 0:
            return _inside_along(kind, k, side, n[k], vectors, f, root)
    if not certain:
        return UNDECIDED
    first, last = _places_of(kind)
    for place in range(first, last):
        row = _PLACES[place]
        found = _end_on_edge(points, row[0], row[1], row[2], f, root)
        if found == HIT:
            return HIT
        certain = certain and found != UNDECIDED
    return MISS if certain else UNDECIDED


@inner
def _first_from(points, kind, vectors, n, f, place):
    """Return (decision, root, place): the first root of f, nonzero, from place / 2**DEEPEST on at which the elements
    meet.

    If the result is undecided, the undecided time lies between the returned position and 2**-DEEPEST later. The lower
    end counts at place 0.
    """
    index, depth, fresh = place, DEEPEST, place == 0
    while index & 1 == 0 and depth > 0:
        index, depth = index >> 1, depth - 1
    while True:
        found, root, index, depth, fresh = next_root(f, index, depth, fresh)
        if found == 0:
            return MISS, root, place
        if found == NOT_PARTED:
            return UNDECIDED, root, index
        met = _met_at(points, kind, vectors, n, f, root)
        if met != MISS:
            return met, root, min(root[0] >> (FINE - DEEPEST), (1 << DEEPEST) - 1)


@inner
def _first_at_roots(points, kind, vectors, n, f):
    """Return (decision, time) for the first root of f, which is not zero, at which the two moving elements meet."""
    verdict, root, _ = _first_from(points, kind, vectors, n, f, 0)
    if verdict == HIT:
        return _timed(0, 0, root)
    return verdict, np.nan


@inlined
def _timed(index, depth, root):
    """Return (decision, time) of a contact at a root in the window [index, index + 1] / 2**depth."""
    whole, after = root
    shift, more = max(FINE - depth, 0), max(depth - FINE, 0)
    moment = (index << shift) + (whole >> depth) if more == 0 else (index + (whole >> FINE)) >> more
    if moment == 0 and (depth > 0 or after != 0):
        return UNDECIDED, np.nan
    return HIT, moment * 2.0**-FINE


@inner
def _moments_of(points, row, number, zero):
    """Return (whether it is not zero, a form of degree 3) whose roots are times at which an end may reach an edge.

    Number 0 is for the times when the three points are in line. Numbers 1 and 2 are for points that are always in line,
    when the end coincides with an end of the edge.
    """
    p, q, r = (
        difference_of(points, row[0], row[1]),
        difference_of(points, row[2], row[1]),
        difference_of(points, row[0], row[2]),
    )
    for k in range(3):
        if number == 0:
            form = minor(p, q, (k + 1) % 3, (k + 2) % 3)
            if not is_zero(form):
                return True, lifted_quadratic(without_double_root(form), zero)
        else:
            a, b = p[k] if number == 1 else r[k]
            if sign(a) != 0 or sign(b) != 0:
                return True, lifted_quadratic(raised(a, b), zero)
    return False, (zero, zero, zero, zero)


@inner
def _first_in_plane(points, kind, vectors, n, f):
    """Return (decision, time) for motion in one plane, f = 0: at time 0, or when an end comes to lie on an edge."""
    if _met_at(points, kind, vectors, n, f, (0, 0)) == HIT:
        return HIT, 0.0
    best = np.inf
    first, last = _places_of(kind)
    for place in range(first, last):
        for number in range(3):
            given, form = _moments_of(points, _PLACES[place], number, f[0])
            if not given:
                continue
            met, moment = _first_at_roots(points, kind, vectors, n, form)
            if met == UNDECIDED:
                return UNDECIDED, np.nan
            if met == HIT:
                best = min(best, moment)
            if number == 0:
                break
    return (HIT, best) if best <= 1.0 else (MISS, np.nan)


@inner
def _decide(points, kind):
    """Return (decision, time) for four moving points on a grid."""
    vectors = vectors_of(points, kind)
    d, u, v = vectors
    n = minor(u, v, 1, 2), minor(u, v, 2, 0), minor(u, v, 0, 1)
    f = dot_cubic(d, n)
    if sign(f[0]) == 0 and sign(f[1]) == 0 and sign(f[2]) == 0 and sign(f[3]) == 0:
        return _first_in_plane(points, kind, vectors, n, f)
    return _first_at_roots(points, kind, vectors, n, f)


@inner
def _decide_root(points, kind, after, left, right, inside):
    """Run ``decide_at_root`` for points on a grid."""
    vectors = vectors_of(points, kind)
    d, u, v = vectors
    n = minor(u, v, 1, 2), minor(u, v, 2, 0), minor(u, v, 0, 1)
    f = dot_cubic(d, n)
    root = narrowed(f, int(np.floor(left * 2.0**FINE)), int(np.ceil(right * 2.0**FINE)), after)
    met = HIT if inside else _met_at(points, kind, vectors, n, f, root)
    if met == HIT and root[0] == 0:
        return UNDECIDED, np.nan
    return met, root[0] * 2.0**-FINE


@inner
def decide_at_root(start, end, kind, after, left, right, inside):
    """Return (decision, time): whether four moving points meet at the only root of the coplanarity in (left, right).

    ``after`` is the sign before the root, -1 or 1. Around [left, right] there is no other root in [i, j] / 2**FINE for
    the nearest i and j. ``inside``: it is known that the elements meet, but not when.
    """
    factors = factors_of_axes(start, end, SHORT)
    if fits_grid(start, end, factors):
        return _decide_root(_short_points(start, end, factors), kind, after, left, right, inside)
    factors = factors_of_axes(start, end, LONG)
    if fits_grid(start, end, factors):
        return _decide_root(_long_points(start, end, factors), kind, after, left, right, inside)
    return UNDECIDED, np.nan


@inlined
def _short_points(start, end, factors):
    return (
        short_point(start, end, 0, factors), short_point(start, end, 1, factors),
        short_point(start, end, 2, factors), short_point(start, end, 3, factors),
    )  # fmt: skip


@inlined
def _long_points(start, end, factors):
    return (
        long_point(start, end, 0, factors), long_point(start, end, 1, factors),
        long_point(start, end, 2, factors), long_point(start, end, 3, factors),
    )  # fmt: skip


@inner
def decide_in_integers(start, end, kind):
    """Return (decision, time) for four moving points, start and end (4, 3); the time of a MISS is NaN."""
    factors = factors_of_axes(start, end, SHORT)
    if fits_grid(start, end, factors):
        return _decide(_short_points(start, end, factors), kind)
    factors = factors_of_axes(start, end, LONG)
    if fits_grid(start, end, factors):
        return _decide(_long_points(start, end, factors), kind)
    return UNDECIDED, np.nan


@inlined
def _at_ends(x, index, depth):
    """Return a one-word coordinate at both ends of a window, times 2**depth, as two words."""
    whole = 1 << depth
    return (
        plus(times(x[0], wide(whole - index)), times(x[1], wide(index))),
        plus(times(x[0], wide(whole - index - 1)), times(x[1], wide(index + 1))),
    )


@inlined
def _point_in(point, index, depth):
    return _at_ends(point[0], index, depth), _at_ends(point[1], index, depth), _at_ends(point[2], index, depth)


@inner
def _points_in(points, index, depth):
    """Return points of the short grid in the window [index, index + 1] / 2**depth, as those of the long grid."""
    return (
        _point_in(points[0], index, depth), _point_in(points[1], index, depth),
        _point_in(points[2], index, depth), _point_in(points[3], index, depth),
    )  # fmt: skip


@inner
def _decide_in_windows(start, end, kind):
    """Run ``decide_in_integers`` in nested windows, if all of time at once is too long; see the module docstring."""
    factors = factors_of_axes(start, end, SHORT)
    if not fits_grid(start, end, factors):
        return UNDECIDED, np.nan
    given = _short_points(start, end, factors)
    windows, places = np.zeros(_LEVELS, np.int64), np.zeros(_LEVELS, np.int64)
    level = 0
    while level >= 0:
        points = _points_in(given, windows[level], level * DEEPEST)
        vectors = vectors_of(points, kind)
        d, u, v = vectors
        n = minor(u, v, 1, 2), minor(u, v, 2, 0), minor(u, v, 0, 1)
        f = dot_cubic(d, n)
        if sign(f[0]) == 0 and sign(f[1]) == 0 and sign(f[2]) == 0 and sign(f[3]) == 0:
            return UNDECIDED, np.nan
        verdict, root, place = _first_from(points, kind, vectors, n, f, places[level])
        if verdict == HIT:
            return _timed(windows[level], level * DEEPEST, root)
        if verdict == MISS:
            level -= 1
        elif level + 1 == _LEVELS:
            return UNDECIDED, np.nan
        else:
            places[level] = place + 1
            level += 1
            windows[level], places[level] = (windows[level - 1] << DEEPEST) + place, 0
    return MISS, np.nan


@kernel
def decide_all_in_integers(start, end, kind, verdicts, moments):
    """Run ``decide_in_integers`` for rows (n, 4, 3), then in windows."""
    rows = by_reference(Rows(start, end))
    for i in range(start.shape[0]):
        verdicts[i], moments[i] = decide_in_integers(rows.start[i], rows.end[i], kind)
        if verdicts[i] == UNDECIDED:
            verdicts[i], moments[i] = _decide_in_windows(rows.start[i], rows.end[i], kind)
