"""Decide whether a segment passes through a triangle and whether a point lies on one, by the signs of orientations.

The same code is used for both types of predicates, as in ``triangle_pair.py``: exact predicates for kernels, and
rational ones (Python integers) for coordinates whose products do not fit into doubles. Points are (x, y, z) tuples.
"""

from collections.abc import Callable
from typing import Any

from ..jit import inner
from . import predicates
from .predicates import UNCERTAIN

CLEAR_OF = 0
"""The segment or point stays clear of the triangle."""
LIES_ON = 1
"""The point lies on the closed triangle."""


def make_crossing(orient3d: Callable, decorate: Callable) -> Any:
    """Return the function ``crossing`` for one kind of predicate."""

    @decorate
    def crossing(p, q, a, b, c, work):
        """Return 1 or -1 if pq passes through abc with or against its normal, 0 if pq misses abc, UNCERTAIN if it
        grazes an edge or vertex.
        """
        side_p = orient3d(a, b, c, p, work)
        side_q = orient3d(a, b, c, q, work)
        if side_p == side_q and (side_p == 1 or side_p == -1):
            return CLEAR_OF
        ab = orient3d(p, q, a, b, work)
        bc = orient3d(p, q, b, c, work)
        if ab * bc == -1:
            return CLEAR_OF
        ca = orient3d(p, q, c, a, work)
        if (ab == 1 or bc == 1 or ca == 1) and (ab == -1 or bc == -1 or ca == -1):
            return CLEAR_OF
        for sign in (side_p, side_q, ab, bc, ca):
            if sign == 0 or sign == UNCERTAIN:
                return UNCERTAIN
        return -side_q  # the normal points to the side of q when q gives a negative determinant

    return crossing


def make_lies_on(orient3d: Callable, orient2d: Callable, decorate: Callable) -> Any:
    """Return the function ``lies_on`` for one kind of predicate."""

    @decorate
    def within(px, py, ax, ay, bx, by, cx, cy, work):
        """Return CLEAR_OF if two edges of a projected triangle see p on opposite sides, else LIES_ON or UNCERTAIN."""
        ab = orient2d(ax, ay, bx, by, px, py, work)
        bc = orient2d(bx, by, cx, cy, px, py, work)
        ca = orient2d(cx, cy, ax, ay, px, py, work)
        if (ab == 1 or bc == 1 or ca == 1) and (ab == -1 or bc == -1 or ca == -1):
            return CLEAR_OF
        return UNCERTAIN if ab == UNCERTAIN or bc == UNCERTAIN or ca == UNCERTAIN else LIES_ON

    @decorate
    def lies_on(p, a, b, c, work):
        """Return whether p lies on the closed triangle abc: LIES_ON, CLEAR_OF or UNCERTAIN.

        A coplanar point lies on a triangle if it does so in all three projections along the axes, at least one of which
        does not flatten the triangle. A point lies on a segment or point if it also lies in its box.
        """
        for k in range(3):
            if p[k] < min(a[k], b[k], c[k]) or p[k] > max(a[k], b[k], c[k]):
                return CLEAR_OF
        found = LIES_ON
        side = orient3d(a, b, c, p, work)
        if side == 1 or side == -1:
            return CLEAR_OF
        if side == UNCERTAIN:
            found = UNCERTAIN
        for k in range(3):
            i = 1 if k == 0 else 0
            j = 1 if k == 2 else 2
            seen = within(p[i], p[j], a[i], a[j], b[i], b[j], c[i], c[j], work)
            if seen == CLEAR_OF:
                return CLEAR_OF
            if seen == UNCERTAIN:
                found = UNCERTAIN
        return found

    return lies_on


def _plain(function: Callable) -> Callable:
    return function


crossing = make_crossing(predicates.exact_orient3d, inner)
lies_on = make_lies_on(predicates.exact_orient3d, predicates.exact_orient2d, inner)
crossing_of_integers = make_crossing(predicates.rational_orient3d, _plain)
lies_on_of_integers = make_lies_on(predicates.rational_orient3d, predicates.rational_orient2d, _plain)
