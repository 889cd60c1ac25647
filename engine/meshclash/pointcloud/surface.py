"""The surface of a point cloud: weighted least squares, or an algebraic sphere where normals are known.

Sources: Klein and Zachmann, "Point Cloud Collision Detection" (Eurographics 2004), eq. 1-6; Guennebaud and Gross,
"Algebraic Point Set Surfaces" (2007), sections 4.2 and 4.4.

f(x) = n(x) . (a(x) - x). Here a is the mean of the points weighted by exp(-d^2 / h^2), and n is the normal of the plane
through a that fits them best: the eigenvector of the smallest eigenvalue of the weighted covariance about a. Points
beyond the horizon do not count. The surface does not exist where at most the cut-off count of points are within the
horizon. The surface also does not exist where a lies more than 0.7 h from x and no point is within h / 2: beyond a
border, in the middle of a hole, and where f vanishes far from the points only because n flips. (Both conditions are
needed, because next to a much denser region a lies far from x, too.)
"""

import math

import numpy as np

from ..geometry.elementary import exp_below, least_cosine
from ..jit import inlined, inner

# Entries of the sums over the points near x, relative to x.
COUNT, WEIGHT, MEAN, SQUARES, NORMAL, ALONG, CLOSEST, SUMS_LENGTH = 0, 1, 2, 5, 11, 14, 15, 16
# Entries of a cloud's parameters.
INVERSE_H2, HORIZON2, CUTOFF, SPHERES, SAMPLING_RADIUS, MARGIN, PARAMETERS_LENGTH = range(7)

CLEAR_NORMAL = 0.5
"""Cosine to a reference direction below which a normal may have flipped, so that the sign of f is meaningless."""

MOST_BESIDE2 = 0.5
"""Square of the largest distance, in bandwidths, between x and the mean of the points. At a straight border the square
is 0.32.
"""

NEARBY = 0.5
"""How far a surface reaches from each of its points, also at a border, in bandwidths."""

WEIGHT_NEARBY = math.exp(-(NEARBY**2))
"""Weight of a point at that distance."""

NO_NORMALS = np.empty((0, 3), np.float32)
"""Placeholder for the normals if the cloud has none, or if they are not read."""


@inner
def smallest_eigenvector(xx, xy, xz, yy, yz, zz):
    """Return the unit eigenvector of the smallest eigenvalue of a symmetric, positive semi-definite 3x3 matrix.

    The computation is in closed form: the eigenvalue by the trigonometric formula, the vector as the longest cross
    product of two rows of B - lambda I. If every direction is an eigenvector, the result is (0, 0, 1).
    """
    trace = xx + yy + zz
    if not trace > 0.0:
        return 0.0, 0.0, 1.0
    scale = 1.0 / trace
    xx, xy, xz, yy, yz, zz = xx * scale, xy * scale, xz * scale, yy * scale, yz * scale, zz * scale
    third = 1.0 / 3.0
    a = xx - third
    d = yy - third
    f = zz - third
    p2 = a * a + d * d + f * f + 2.0 * (xy * xy + xz * xz + yz * yz)
    if p2 < 1e-30:
        return 0.0, 0.0, 1.0
    p = math.sqrt(p2 / 6.0)
    determinant = a * (d * f - yz * yz) - xy * (xy * f - yz * xz) + xz * (xy * yz - d * xz)
    shift = third + 2.0 * p * least_cosine(min(1.0, max(-1.0, determinant / (2.0 * p * p * p))))
    a = xx - shift
    d = yy - shift
    f = zz - shift
    best = (xy * yz - xz * d, xz * xy - a * yz, a * d - xy * xy)
    length2 = best[0] * best[0] + best[1] * best[1] + best[2] * best[2]
    other = (xy * f - xz * yz, xz * xz - a * f, a * yz - xy * xz)
    other2 = other[0] * other[0] + other[1] * other[1] + other[2] * other[2]
    if other2 > length2:
        best, length2 = other, other2
    other = (d * f - yz * yz, yz * xz - xy * f, xy * yz - d * xz)
    other2 = other[0] * other[0] + other[1] * other[1] + other[2] * other[2]
    if other2 > length2:
        best, length2 = other, other2
    if not length2 > 0.0:
        return 0.0, 0.0, 1.0
    scale = 1.0 / math.sqrt(length2)
    return best[0] * scale, best[1] * scale, best[2] * scale


@inner
def add_points(points, normals, begin, end, x, parameters, sums):
    """Add the points (n, 3) of a range that lie within the horizon of x to the sums. Only spheres read the normals."""
    horizon2 = parameters[HORIZON2]
    sharpness = -parameters[INVERSE_H2]
    spheres = parameters[SPHERES] != 0.0
    x0, x1, x2 = x
    near = 0.0
    weight = 0.0
    closest = 0.0
    sx = sy = sz = 0.0
    xx = xy = xz = yy = yz = zz = 0.0
    for i in range(begin, end):
        dx = points[i, 0] - x0
        dy = points[i, 1] - x1
        dz = points[i, 2] - x2
        d2 = dx * dx + dy * dy + dz * dz
        if d2 > horizon2:
            continue
        w = exp_below(d2 * sharpness)
        near += 1.0
        weight += w
        closest = max(closest, w)
        wx = w * dx
        wy = w * dy
        wz = w * dz
        sx += wx
        sy += wy
        sz += wz
        xx += wx * dx
        xy += wx * dy
        xz += wx * dz
        yy += wy * dy
        yz += wy * dz
        zz += wz * dz
        if spheres:
            for k in range(3):
                sums[NORMAL + k] += w * normals[i, k]
            sums[ALONG] += wx * normals[i, 0] + wy * normals[i, 1] + wz * normals[i, 2]
    sums[COUNT] += near
    sums[WEIGHT] += weight
    sums[CLOSEST] = max(sums[CLOSEST], closest)
    sums[MEAN] += sx
    sums[MEAN + 1] += sy
    sums[MEAN + 2] += sz
    sums[SQUARES] += xx
    sums[SQUARES + 1] += xy
    sums[SQUARES + 2] += xz
    sums[SQUARES + 3] += yy
    sums[SQUARES + 4] += yz
    sums[SQUARES + 5] += zz


@inner
def solve_plane(sums):
    """Return (f, normal) of the plane that fits the summed points, as seen from x."""
    inverse = 1.0 / sums[WEIGHT]
    ax = sums[MEAN] * inverse
    ay = sums[MEAN + 1] * inverse
    az = sums[MEAN + 2] * inverse
    n = smallest_eigenvector(
        sums[SQUARES] - sums[MEAN] * ax,
        sums[SQUARES + 1] - sums[MEAN] * ay,
        sums[SQUARES + 2] - sums[MEAN] * az,
        sums[SQUARES + 3] - sums[MEAN + 1] * ay,
        sums[SQUARES + 4] - sums[MEAN + 1] * az,
        sums[SQUARES + 5] - sums[MEAN + 2] * az,
    )
    return n[0] * ax + n[1] * ay + n[2] * az, n


@inner
def solve_sphere(sums):
    """Return (f, normal), as seen from x, of the algebraic sphere u0 + u . y + u4 y^2 = 0 fitted to points and normals.

    Like in the sums, y is relative to x.
    """
    inverse = 1.0 / sums[WEIGHT]
    square = sums[SQUARES] + sums[SQUARES + 3] + sums[SQUARES + 5]
    along = sums[ALONG]
    for k in range(3):
        along -= sums[MEAN + k] * sums[NORMAL + k] * inverse
        square -= sums[MEAN + k] * sums[MEAN + k] * inverse
    curvature = 0.5 * along / square if square > 0.0 else 0.0
    ux = (sums[NORMAL] - 2.0 * curvature * sums[MEAN]) * inverse
    uy = (sums[NORMAL + 1] - 2.0 * curvature * sums[MEAN + 1]) * inverse
    uz = (sums[NORMAL + 2] - 2.0 * curvature * sums[MEAN + 2]) * inverse
    u0 = (
        -(
            sums[MEAN] * ux
            + sums[MEAN + 1] * uy
            + sums[MEAN + 2] * uz
            + curvature * (sums[SQUARES] + sums[SQUARES + 3] + sums[SQUARES + 5])
        )
        * inverse
    )
    length = math.sqrt(ux * ux + uy * uy + uz * uz)
    if not length > 0.0:
        return solve_plane(sums)
    root = math.sqrt(max(0.0, length * length - 4.0 * u0 * curvature))
    return -2.0 * u0 / (length + root), (ux / length, uy / length, uz / length)


@inlined
def reach_of(parameters):
    """Return how far [m] a surface extends beyond the outermost points of a cloud."""
    return NEARBY / math.sqrt(parameters[INVERSE_H2])


@inlined
def solve(sums, parameters):
    """Return (f, normal, whether the surface exists here). f [m] is the distance to the surface along the normal."""
    if not (sums[COUNT] > parameters[CUTOFF] and sums[WEIGHT] > 0.0):
        return 0.0, (0.0, 0.0, 1.0), False
    if parameters[SPHERES] != 0.0:
        f, n = solve_sphere(sums)
    else:
        f, n = solve_plane(sums)
    beside2 = -f * f
    for k in range(3):
        beside = sums[MEAN + k] / sums[WEIGHT]
        beside2 += beside * beside
    return f, n, beside2 * parameters[INVERSE_H2] <= MOST_BESIDE2 or sums[CLOSEST] >= WEIGHT_NEARBY


@inner
def evaluate_among(points, normals, count, x, parameters, sums):
    """Evaluate the surface at x from the first ``count`` of the points (n, 3); return the result of ``solve``."""
    for k in range(SUMS_LENGTH):
        sums[k] = 0.0
    add_points(points, normals, 0, count, x, parameters, sums)
    return solve(sums, parameters)


def new_sums() -> np.ndarray:
    """Return the work array for the sums at one point."""
    return np.zeros(SUMS_LENGTH)
