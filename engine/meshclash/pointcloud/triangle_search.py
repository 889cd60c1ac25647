"""Find a point of a triangle that lies on the surface of a cloud.

Samples on the triangle are its corners and the nearest points on it of cloud points nearby (their feet). If two samples
lie on different sides of the surface, the segment between them stays on the triangle, and the root of f along the
segment lies on both. If all lie on one side, or the triangle is too steep against the leaf's plane to determine sides,
Newton's method moves the nearest sample along the triangle's plane.
"""

import math

import numpy as np

from ..geometry.triangle_distance import closest_on_triangle, squared_distance
from ..jit import inner
from .patches import inside, one_sided
from .root_search import ROOT_STEPS, is_late, oriented_value, value_at
from .surface import HORIZON2, SAMPLING_RADIUS

_DRIVE_STEPS = 6
_REACH = 2.0  # in sampling radii; feet of points farther from the triangle tell nothing about a crossing


@inner
def _root_on_segment(patch, a, fa, b, fb, reference, tolerance, work):
    """Find a root of f between two points of one triangle by regula falsi (Illinois); return (found, point)."""
    last = 0
    for _ in range(ROOT_STEPS):
        t = fa / (fa - fb)
        x = (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2]))
        f, _, clear = oriented_value(patch, x, reference, work)
        if not clear:
            return False, x
        if abs(f) <= tolerance:
            return True, x
        if f * fb > 0.0:
            b, fb = x, f
            fa *= 0.5 if last > 0 else 1.0
            last = 1
        else:
            a, fa = x, f
            fb *= 0.5 if last < 0 else 1.0
            last = -1
    return False, a


@inner
def _unit_normal(a, b, c):
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if not length > 0.0:
        return 0.0, 0.0, 0.0
    return nx / length, ny / length, nz / length


@inner
def _drive_along(patch, x, corners, region, tolerance, work):
    """Move x towards the surface within the triangle by Newton's method; return (found, point)."""
    a, b, c = corners
    normal = _unit_normal(a, b, c)
    for _ in range(_DRIVE_STEPS):
        if not inside(region, x):
            return False, x
        f, n, there = value_at(patch, x, work)
        if not there:
            return False, x
        if abs(f) <= tolerance:
            return True, x
        along = n[0] * normal[0] + n[1] * normal[1] + n[2] * normal[2]
        t = (n[0] - along * normal[0], n[1] - along * normal[1], n[2] - along * normal[2])
        length2 = t[0] * t[0] + t[1] * t[1] + t[2] * t[2]
        if length2 < 1e-6:
            return False, x
        step = f / length2
        x = closest_on_triangle((x[0] + step * t[0], x[1] + step * t[1], x[2] + step * t[2]), a, b, c)
    return False, x


@inner
def _triangle_misses(patch, tried, plane, corners, region):
    """Return whether a triangle certainly misses a leaf's surface, by its box, the leaf's plane or its own plane."""
    a, b, c = corners
    for k in range(3):
        if min(a[k], b[k], c[k]) > region[k + 3] or max(a[k], b[k], c[k]) < region[k]:
            return True
    n, low, high = plane
    da = n[0] * a[0] + n[1] * a[1] + n[2] * a[2]
    db = n[0] * b[0] + n[1] * b[1] + n[2] * b[2]
    dc = n[0] * c[0] + n[1] * c[1] + n[2] * c[2]
    if min(da, db, dc) > high or max(da, db, dc) < low:
        return True
    normal = _unit_normal(a, b, c)
    offset = normal[0] * a[0] + normal[1] * a[1] + normal[2] * a[2]
    slack = patch.parameters[SAMPLING_RADIUS]
    return one_sided(patch, tried, (normal, offset - slack, offset + slack))


@inner
def _take_sample(patch, x, reference, best, work):
    """Keep a sample if it is the nearest to the surface on its side, or among those whose side is uncertain."""
    f, there, clear = oriented_value(patch, x, reference, work)
    if not there:
        return
    place = 2 if not clear else (0 if f >= 0.0 else 1)
    if abs(f) < abs(best[place, 3]):
        for k in range(3):
            best[place, k] = x[k]
        best[place, 3] = f


@inner
def _extreme_samples(patch, tried, corners, reference, region, best, work):
    """Find the samples nearest to the surface: one on each side, and one whose side is uncertain.

    ``best`` (3, 4) contains point and f; f is infinite if no such sample exists. If a triangle passes through a gap
    between the points, no foot is near its point, so the nearest foot is used.
    """
    a, b, c = corners
    points, chosen = patch.points, patch.chosen
    reach = _REACH * patch.parameters[SAMPLING_RADIUS]
    best[0, 3] = best[2, 3] = np.inf
    best[1, 3] = -np.inf
    spare = a
    nearest2 = patch.parameters[HORIZON2]
    for entry in range(-3, tried):
        if is_late(work):
            break
        if entry < 0:
            x = a if entry == -3 else (b if entry == -2 else c)
            distance2 = 0.0
        else:
            i = chosen[entry]
            p = (points[i, 0], points[i, 1], points[i, 2])
            x = closest_on_triangle(p, a, b, c)
            distance2 = squared_distance(p, x)
        if distance2 > max(reach * reach, nearest2) or not inside(region, x):
            continue
        if distance2 <= reach * reach:
            _take_sample(patch, x, reference, best, work)
        elif distance2 < nearest2:
            spare, nearest2 = x, distance2
    if (
        best[0, 3] == np.inf
        and best[1, 3] == -np.inf
        and best[2, 3] == np.inf
        and nearest2 < patch.parameters[HORIZON2]
    ):
        _take_sample(patch, spare, reference, best, work)


@inner
def triangle_on_surface(patch, tried, plane, corners, region, tolerance, best, work):
    """Find a point of a triangle on the surface of a patch within a region; return (found, point)."""
    nowhere = (0.0, 0.0, 0.0)
    if _triangle_misses(patch, tried, plane, corners, region):
        return False, nowhere
    _extreme_samples(patch, tried, corners, plane[0], region, best, work)
    found = False
    x = nowhere
    if best[0, 3] < np.inf and best[1, 3] > -np.inf:
        over, under = (best[0, 0], best[0, 1], best[0, 2]), (best[1, 0], best[1, 1], best[1, 2])
        found, x = _root_on_segment(
            patch, over, best[0, 3], under, best[1, 3], plane[0], tolerance, work
        )  # fmt: skip
    nearest = 0
    for k in range(1, 3):
        if abs(best[k, 3]) < abs(best[nearest, 3]):
            nearest = k
    if not found and abs(best[nearest, 3]) < patch.parameters[SAMPLING_RADIUS]:
        start = (best[nearest, 0], best[nearest, 1], best[nearest, 2])
        found, x = _drive_along(patch, start, corners, region, tolerance, work)
    return found, x
