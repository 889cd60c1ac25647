"""Fast test for very many moving triangles that share vertices: planes separate them at all but a few times.

Triangles A and B share one vertex. While the other two corners of A lie strictly on one side of B's plane, the
triangles have only their shared vertex in common. If the triangles share an edge, this is true while A's own corner is
off B's plane (``geometry/neighbours.py``). The sign of a cubic in time tells on which side of B's plane a corner of A
is. So for a shared edge only the roots of that cubic remain, unless the cubic is zero. For a shared vertex there remain

* no times, if the product of both cubics has only coefficients above 0,
* the roots of the first, if the second is a positive multiple of it: whole neighbourhoods that shrink to a point, or
  are reflected through one.

The test is exact, in Python integers. NumPy's object arrays apply the same steps to all pairs together.
"""

from copy import copy
from functools import lru_cache
from itertools import combinations
from math import gcd
from typing import Any

import numpy as np

from .forms import Form
from .roots import Root, roots

_HALVINGS = 8
"""Halvings of each root: fractions with such denominators are then exact, and numbers replace polynomials there."""
_NEVER: Form = [1]
"""A form without roots."""


def moments_left(ids: np.ndarray, corners: np.ndarray) -> list[Form | None]:
    """Return forms one of whose roots is the first time at which two triangles count, if they ever do.

    Args:
        ids: vertex indices of pairs of triangles, (k, 6).
        corners: as returned by ``whole_corners``.

    Returns:
        k times a form, or None if no form is known. If there is a form, the triangles have three vertices each, and
        share one or two of them.
    """
    left: list[Form | None] = [None] * len(ids)
    same = ids[:, :3, None] == ids[:, None, 3:]
    simple = (same.sum(axis=1) < 2).all(axis=1) & (same.sum(axis=2) < 2).all(axis=1)
    simple &= np.array([len(set(row)) + count == 6 for row, count in zip(ids.tolist(), same.sum((1, 2)), strict=True)])
    for first in (0, 3):
        open_ones = np.flatnonzero(simple & np.array([form is None for form in left], np.bool_))
        for count, judge in ((1, _at_vertex), (2, _at_edge)):
            rows = open_ones[same[open_ones].sum(axis=(1, 2)) == count]
            if len(rows):
                shared = same[rows].any(axis=2 if first == 0 else 1)
                own = first + np.argsort(shared, axis=1, kind="stable")[:, : 3 - count]
                for row, form in zip(rows.tolist(), judge(corners[rows], own, 3 - first), strict=True):
                    left[row] = form
    return left


def whole_corners(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return corners (k, 6, 3) float64 at times 0 and 1 as scaled Python integers: (k, 6, 3, 2) objects.

    The scale is a power of 2.
    """
    both = np.stack([start, end], axis=-1)
    ratios = [x.as_integer_ratio() for x in both.ravel().tolist()]
    scale = max((d for _, d in ratios), default=1)
    whole = np.empty(len(ratios), object)
    whole[:] = [n * (scale // d) for n, d in ratios]
    return whole.reshape(both.shape)


def _times(a: Any, b: Any) -> np.ndarray:
    """Return products of forms (..., m) and (..., n): (..., m + n - 1)."""
    m, n = a.shape[-1], b.shape[-1]
    out = np.zeros((*a.shape[:-1], m + n - 1), object)
    for i in range(m):
        for j in range(n):
            out[..., i + j] += a[..., i] * b[..., j]
    return out


def _sides(corners: np.ndarray, own: np.ndarray, plane: int) -> list[np.ndarray]:
    """Return the side of a triangle on which other points are: a cubic (k, 4) for each of ``own``.

    The triangle has the corners ``plane`` to ``plane`` + 2.
    """
    origin = corners[:, plane]
    u, v = corners[:, plane + 1] - origin, corners[:, plane + 2] - origin
    normal = [_times(u[:, i], v[:, j]) - _times(u[:, j], v[:, i]) for i, j in ((1, 2), (2, 0), (0, 1))]
    rows = np.arange(len(corners))
    found = []
    for place in own.T:
        d = corners[rows, place] - origin
        found.append(_times(normal[0], d[:, 0]) + _times(normal[1], d[:, 1]) + _times(normal[2], d[:, 2]))
    return found


def _at_edge(corners: np.ndarray, own: np.ndarray, plane: int) -> list[Form | None]:
    (side,) = _sides(corners, own, plane)
    return [form if any(form) else None for form in side.tolist()]


def _at_vertex(corners: np.ndarray, own: np.ndarray, plane: int) -> list[Form | None]:
    first, second = _sides(corners, own, plane)
    apart = np.all(_times(first, second) > 0, axis=1).astype(np.bool_)
    alike: np.ndarray = ((first * second).sum(axis=1) > 0).astype(np.bool_)
    for i, j in combinations(range(4), 2):
        alike &= first[:, i] * second[:, j] == first[:, j] * second[:, i]
    return [
        _NEVER if none else form if multiple else None
        for form, none, multiple in zip(first.tolist(), apart, alike, strict=True)
    ]


def roots_of(form: Form) -> list[Root]:
    """Return the roots of a form in [0, 1], from early to late; cached, since very many forms are equal."""
    content = gcd(*form) * (1 if next(x for x in form if x) > 0 else -1)
    return [copy(root) for root in _roots_of(tuple(x // content for x in form))]


@lru_cache(maxsize=1024)
def _roots_of(form: tuple[int, ...]) -> tuple[Root, ...]:
    found = tuple(roots(list(form)))
    for root in found:
        root.narrow(_HALVINGS)
    return found
