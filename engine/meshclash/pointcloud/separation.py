"""Detect leaves that face each other across a gap, without searching for a common point.

If a plane separates the points of two leaves, the points of each lie on one side of the other surface. The surfaces can
still meet where they extend beyond their points, at edges and borders, or where they curve towards each other. Both
cases are excluded if, at the point nearest to the other leaf, both surfaces are parallel to that plane and their
tangent planes meet only far away.

The plane is found by the method of Chung and Wang, "Quick Collision Detection of Polytopes in Virtual Environments"
(1996), section 3: its normal is reflected at the direction between the two points that contradict it most.
"""

import numpy as np

from ..jit import inner
from .root_search import value_at_point
from .surface import SAMPLING_RADIUS

_PLANES = 24  # planes tried, starting from each leaf's normal
_ALONG = 0.95  # least cosine of the normals of a sheet and a plane it runs along; with 0.85 some edge contacts are lost
_FAR = 2.0  # in sampling radii


@inner
def _extremes(patch, count, n):
    """Return the lowest and the highest of the chosen points along a direction: (offset, index, offset, index)."""
    points, chosen = patch.points, patch.chosen
    low = np.inf
    high = -np.inf
    lowest = highest = 0
    for entry in range(count):
        i = chosen[entry]
        offset = n[0] * points[i, 0] + n[1] * points[i, 1] + n[2] * points[i, 2]
        if offset < low:
            low, lowest = offset, i
        if offset > high:
            high, highest = offset, i
    return low, lowest, high, highest


@inner
def _plane_between(a, inside_a, b, inside_b, n):
    """Search for a plane that separates the points of two leaves inside the region, starting from a normal.

    Returns (found, normal from a to b).
    """
    for _ in range(_PLANES):
        low_a, lowest_a, high_a, highest_a = _extremes(a, inside_a, n)
        low_b, lowest_b, high_b, highest_b = _extremes(b, inside_b, n)
        if high_a < low_b:
            return True, n
        if high_b < low_a:
            return True, (-n[0], -n[1], -n[2])
        if low_b - high_a >= low_a - high_b:
            i, j = highest_a, lowest_b
        else:
            i, j = lowest_a, highest_b
        d = (
            b.points[j, 0] - a.points[i, 0],
            b.points[j, 1] - a.points[i, 1],
            b.points[j, 2] - a.points[i, 2],
        )
        length2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
        if not length2 > 0.0:
            break
        twice = 2.0 * (n[0] * d[0] + n[1] * d[1] + n[2] * d[2]) / length2
        n = (n[0] - twice * d[0], n[1] - twice * d[1], n[2] - twice * d[2])
    return False, n


@inner
def _foremost(a, inside_a, tried_a, b, inside_b, tried_b, n):
    """Find the candidate point that is nearest to the other leaf's points, for two leaves that a plane separates.

    Returns (whether the point is a's, its index).
    """
    _, _, front_a, _ = _extremes(a, inside_a, n)
    front_b, _, _, _ = _extremes(b, inside_b, n)
    _, _, high, i = _extremes(a, tried_a, n)
    low, j, _, _ = _extremes(b, tried_b, n)
    if front_b - high <= low - front_a:
        return True, i
    return False, j


@inner
def _lies_along(normal, n):
    return abs(normal[0] * n[0] + normal[1] * n[1] + normal[2] * n[2]) > _ALONG


@inner
def _meeting_distance2(fa, fb, cosine):
    """Return the squared distance from a point to the line in which two tangent planes meet.

    fa and fb are the distances of the planes along their normals.
    """
    return (fa * fa + fb * fb - 2.0 * cosine * fa * fb) / max(1.0 - cosine * cosine, 1e-12)


@inner
def sheets_apart(a, inside_a, tried_a, normal_a, b, inside_b, tried_b, normal_b, work):
    """Return whether the surfaces of two leaves lie next to each other with a gap between them.

    The arguments of each leaf are its patch, the number of chosen points inside the region, how many of these points
    are tried, and its mean normal. At least one of the two leaves must have a point to try.
    """
    found, n = _plane_between(a, inside_a, b, inside_b, normal_b)
    if not found:
        found, n = _plane_between(a, inside_a, b, inside_b, normal_a)
    if not found:
        return False
    is_a, i = _foremost(a, inside_a, tried_a, b, inside_b, tried_b, n)
    owner = a if is_a else b
    fb, nb, there = value_at_point(b, owner, i, not is_a, work)
    if not (there and _lies_along(nb, n)):
        return False
    fa, na, there = value_at_point(a, owner, i, is_a, work)
    if not (there and _lies_along(na, n)):
        return False
    far = _FAR * min(a.parameters[SAMPLING_RADIUS], b.parameters[SAMPLING_RADIUS])
    cosine = na[0] * nb[0] + na[1] * nb[1] + na[2] * nb[2]
    return _meeting_distance2(fa, fb, cosine) > far * far
