"""Principal axes of the convex hull of a point set, which do not depend on points inside the hull.

Source: Gottschalk, Lin, Manocha, "OBBTree: a hierarchical structure for rapid interference detection" (1996), section
4: the covariance over the facets of the hull, weighted by area. For many points, the hull is that of the points
farthest along ``_HALF`` directions and their opposites, which determine all large facets. For few points, the hull of
all points is used. For very many points, only some points are compared, so that no fit of a box takes long.
"""

import math

import numpy as np

from ...geometry.principal_axes import surface_axes
from ...jit import portable

_HALF = 49
_FEW = 96
"""Maximum number of points of which all are used."""
_MANY = 1 << 16
"""Maximum number of points of which all are compared; of more points, evenly chosen ones are compared. The box contains
every point for any choice of axes."""
_FLAT = 1e-7  # of the size: a hull thinner than this is a surface


def _spread_directions() -> np.ndarray:
    """Return directions over half a sphere, on a spiral, (_HALF, 3)."""
    k = np.arange(_HALF) + 0.5
    z, turn = 1.0 - k / _HALF, 2.399963229728653 * k
    across = np.sqrt(1.0 - z * z)
    return np.stack([across * np.cos(turn), across * np.sin(turn), z], axis=1)


_DIRECTIONS = _spread_directions()


@portable
def _farthest_points(points, chosen):
    """Fill ``chosen`` (2 _HALF, 3) with the lowest and highest points along the directions."""
    step = (points.shape[0] - 1) // _MANY + 1
    for d in range(_HALF):
        x, y, z = _DIRECTIONS[d, 0], _DIRECTIONS[d, 1], _DIRECTIONS[d, 2]
        lowest = math.inf
        highest = -math.inf
        at_lowest = 0
        at_highest = 0
        for i in range(0, points.shape[0], step):
            value = x * points[i, 0] + y * points[i, 1] + z * points[i, 2]
            if value < lowest:
                lowest = value
                at_lowest = i
            if value > highest:
                highest = value
                at_highest = i
        for k in range(3):
            chosen[2 * d, k] = points[at_lowest, k]
            chosen[2 * d + 1, k] = points[at_highest, k]


@portable
def _set_plane(points, face, plane):
    """Set the unit normal and offset of a face's plane; the normal is zero for a face without area, so that such a face
    is never visible.
    """
    a, b, c = face[0], face[1], face[2]
    ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = math.sqrt(x * x + y * y + z * z)
    share = 1.0 / length if length > 0.0 else 0.0
    plane[0], plane[1], plane[2] = share * x, share * y, share * z
    plane[3] = plane[0] * points[a, 0] + plane[1] * points[a, 1] + plane[2] * points[a, 2]


@portable
def _height(plane, points, i):
    return plane[0] * points[i, 0] + plane[1] * points[i, 1] + plane[2] * points[i, 2] - plane[3]


@portable
def _distance_to_line(points, i, a, b):
    """Return the squared distance of a point to the line through two other points, times their squared distance."""
    ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    vx, vy, vz = points[i, 0] - points[a, 0], points[i, 1] - points[a, 1], points[i, 2] - points[a, 2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    return x * x + y * y + z * z


@portable
def _first_simplex(points, faces, planes, flat):
    """Find four faces of a large simplex, facing outward; return False if all points are nearly coplanar."""
    count = points.shape[0]
    b = 0
    c = 0
    d = 0
    farthest = -1.0
    for i in range(count):
        square = 0.0
        for k in range(3):
            square += (points[i, k] - points[0, k]) ** 2
        if square > farthest:
            farthest = square
            b = i
    farthest = -1.0
    for i in range(count):
        square = _distance_to_line(points, i, 0, b)
        if square > farthest:
            farthest = square
            c = i
    faces[0, 0], faces[0, 1], faces[0, 2] = 0, b, c
    _set_plane(points, faces[0], planes[0])
    farthest = -1.0
    for i in range(count):
        height = abs(_height(planes[0], points, i))
        if height > farthest:
            farthest = height
            d = i
    if farthest <= flat:
        return False
    if _height(planes[0], points, d) > 0.0:
        b, c = c, b
    faces[0, 0], faces[0, 1], faces[0, 2] = 0, b, c
    faces[1, 0], faces[1, 1], faces[1, 2] = 0, d, b
    faces[2, 0], faces[2, 1], faces[2, 2] = b, d, c
    faces[3, 0], faces[3, 1], faces[3, 2] = c, d, 0
    for f in range(4):
        _set_plane(points, faces[f], planes[f])
    return True


@portable
def _add_point(points, p, faces, planes, count, seen, flat):
    """Replace the faces that see point p by faces between p and their rim; return their number, 0 if the arrays are
    full.
    """
    kept = 0
    hidden = 0
    for f in range(count):
        if _height(planes[f], points, p) > flat:
            for k in range(3):
                seen[faces[f, k], faces[f, (k + 1) % 3]] = p
            hidden += 1
    if hidden == 0:
        return count
    rim = count
    for f in range(count):
        if seen[faces[f, 0], faces[f, 1]] != p:
            continue
        for k in range(3):
            a, b = faces[f, k], faces[f, (k + 1) % 3]
            if seen[b, a] != p:
                if rim == faces.shape[0]:
                    return 0
                faces[rim, 0], faces[rim, 1], faces[rim, 2] = a, b, p
                rim += 1
    for f in range(rim):
        if f < count and seen[faces[f, 0], faces[f, 1]] == p:
            continue
        for k in range(3):
            faces[kept, k] = faces[f, k]
        if f < count:
            for k in range(4):
                planes[kept, k] = planes[f, k]
        else:
            _set_plane(points, faces[kept], planes[kept])
        kept += 1
    return kept


@portable
def _hull(points, faces, planes, flat):
    """Compute the faces of the convex hull of points incrementally; return their number, 0 for coplanar points."""
    if not _first_simplex(points, faces, planes, flat):
        return 0
    seen = np.full((points.shape[0], points.shape[0]), -1, np.int32)
    count = 4
    for p in range(points.shape[0]):
        count = _add_point(points, p, faces, planes, count, seen, flat)
        if count == 0:
            return 0
    return count


@portable
def hull_axes(points, axes):
    """Compute the principal axes of the hull of a surface's corners (3 m, 3): rows of ``axes`` (3, 3).

    For corners in one plane, and for hulls that rounding spoils, the axes of ``surface_axes`` are used.
    """
    if points.shape[0] <= _FEW:
        chosen = points
    else:
        chosen = np.empty((2 * _HALF, 3))
        _farthest_points(points, chosen)
    size = 0.0
    for i in range(chosen.shape[0]):
        for k in range(3):
            size = max(size, abs(chosen[i, k] - chosen[0, k]))
    most = 4 * chosen.shape[0]
    faces, planes = np.empty((most, 3), np.int64), np.empty((most, 4))
    count = _hull(chosen, faces, planes, _FLAT * size)
    if count == 0:
        surface_axes(points, axes)
        return
    corners = np.empty((3 * count, 3))
    for f in range(count):
        for corner in range(3):
            for k in range(3):
                corners[3 * f + corner, k] = chosen[faces[f, corner], k]
    surface_axes(corners, axes)
