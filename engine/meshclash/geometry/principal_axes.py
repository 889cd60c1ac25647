"""Principal axes of a symmetric 3x3 matrix."""

import math

import numpy as np

from ..jit import portable

_SWEEPS = 12
_SMALLEST = 1e-300  # the reciprocal of smaller coordinates is infinite


@portable
def principal_axes(matrix, axes):
    """Diagonalise a symmetric matrix (3, 3) in place; rows of ``axes`` (3, 3) become its eigenvectors.

    Cyclic Jacobi rotations (Golub and Van Loan, section 8.5) converge for every matrix, also for the zero matrix and
    for equal eigenvalues, and the rows are orthonormal up to rounding.
    """
    for i in range(3):
        for j in range(3):
            axes[i, j] = 1.0 if i == j else 0.0
    for _ in range(_SWEEPS):
        if matrix[0, 1] == 0.0 and matrix[0, 2] == 0.0 and matrix[1, 2] == 0.0:
            break
        for p in range(2):
            for q in range(p + 1, 3):
                off = matrix[p, q]
                difference = matrix[q, q] - matrix[p, p]
                if abs(off) <= 1e-20 * (abs(matrix[p, p]) + abs(matrix[q, q])):
                    matrix[p, q] = 0.0
                    matrix[q, p] = 0.0
                    continue
                theta = 0.5 * difference / off
                t = 1.0 / (abs(theta) + math.sqrt(theta * theta + 1.0))
                t = -t if theta < 0.0 else t
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for k in range(3):
                    x = matrix[k, p]
                    y = matrix[k, q]
                    matrix[k, p] = c * x - s * y
                    matrix[k, q] = s * x + c * y
                for k in range(3):
                    x = matrix[p, k]
                    y = matrix[q, k]
                    matrix[p, k] = c * x - s * y
                    matrix[q, k] = s * x + c * y
                    x = axes[p, k]
                    y = axes[q, k]
                    axes[p, k] = c * x - s * y
                    axes[q, k] = s * x + c * y


@portable
def largest_size(points):
    """Return the largest absolute coordinate of points (n, 3)."""
    size = 0.0
    for i in range(points.shape[0]):
        size = max(size, abs(points[i, 0]), abs(points[i, 1]), abs(points[i, 2]))
    return size


@portable
def surface_axes(points, axes):
    """Compute the principal axes of a surface from its triangles' corners (3 m, 3): rows of ``axes`` (3, 3).

    They diagonalise the covariance of all points *on* the triangles, weighted by area, so they do not depend on how
    finely a part is triangulated (Gottschalk, Lin, Manocha, "OBBTree" (1996), section 4, without the convex hull). For
    surfaces without area the corners are used.
    """
    size = largest_size(points)
    scale = 1.0 / max(size, _SMALLEST)
    mean = np.zeros(3)
    moments = np.zeros((3, 3))
    total = 0.0
    for weighted in range(2):
        if weighted == 1 and total > 0.0:
            break
        for i in range(0, points.shape[0], 3):
            area = 1.0
            if weighted == 0:
                area = _doubled_area(points, i, scale)
            total += area
            for j in range(3):
                middle = (points[i, j] + points[i + 1, j] + points[i + 2, j]) * scale
                mean[j] += area * middle / 3.0
                for k in range(3):
                    other = (points[i, k] + points[i + 1, k] + points[i + 2, k]) * scale
                    corners = 0.0
                    for c in range(3):
                        corners += (points[i + c, j] * scale) * (points[i + c, k] * scale)
                    moments[j, k] += area * (middle * other + corners) / 12.0
    for j in range(3):
        for k in range(3):
            moments[j, k] = moments[j, k] / total - mean[j] * mean[k] / (total * total)
    principal_axes(moments, axes)


@portable
def _doubled_area(points, i, scale):
    ux = (points[i + 1, 0] - points[i, 0]) * scale
    uy = (points[i + 1, 1] - points[i, 1]) * scale
    uz = (points[i + 1, 2] - points[i, 2]) * scale
    vx = (points[i + 2, 0] - points[i, 0]) * scale
    vy = (points[i + 2, 1] - points[i, 1]) * scale
    vz = (points[i + 2, 2] - points[i, 2]) * scale
    nx = uy * vz - uz * vy
    ny = uz * vx - ux * vz
    nz = ux * vy - uy * vx
    return math.sqrt(nx * nx + ny * ny + nz * nz)
