"""Compute how far a surface spreads in its box. The spread distinguishes kinds of meshes whose searches have the same
measures.
"""

from collections.abc import Generator

import numpy as np

from ..jit import kernel
from ..types.mesh import TriangleMesh

_A_CALL = 1 << 17
"""Triangles per call of the kernel: about a millisecond."""


def spread_steps(mesh: TriangleMesh) -> Generator[None, None, float]:
    """Compute the spread of a surface: the root mean square distance from its centroid, divided by the diagonal of its
    box.

    The result is between 0 and 0.5, and 0 for a surface without area. The spread does not depend on the position or the
    size of the surface. The generator works in steps.
    """
    vertices, triangles = mesh.arrays
    low, high = mesh.bounds
    largest = (high - low).max()
    if not largest > 0.0:
        return 0.0
    middle, sums = low + 0.5 * (high - low), np.zeros(5)
    for begin in range(0, len(triangles), _A_CALL):
        if begin > 0:
            yield
        _add_moments(vertices, triangles[begin : begin + _A_CALL], middle, largest, sums)
    if not sums[0] > 0.0:
        return 0.0
    centroid = sums[1:4] / sums[0]
    variance = max(sums[4] / sums[0] - centroid @ centroid, 0.0)
    sides = (high - low) / largest
    return float(np.sqrt(variance / (sides @ sides)))


@kernel
def _add_moments(vertices, triangles, middle, largest, sums):
    """Add the area, and the integrals of x, y, z and of x^2 + y^2 + z^2 over the triangles, relative to ``middle``.

    The unit of length is ``largest``. Over a triangle of area A and corners p, q, r, the integral of |x|^2 is
    A / 12 (|p|^2 + |q|^2 + |r|^2 + |p + q + r|^2): the edge midpoint rule, which is exact for quadratic functions.
    """
    p, q, r = np.empty(3), np.empty(3), np.empty(3)
    for t in range(triangles.shape[0]):
        for k in range(3):
            p[k] = (vertices[triangles[t, 0], k] - middle[k]) / largest
            q[k] = (vertices[triangles[t, 1], k] - middle[k]) / largest
            r[k] = (vertices[triangles[t, 2], k] - middle[k]) / largest
        x = (q[1] - p[1]) * (r[2] - p[2]) - (q[2] - p[2]) * (r[1] - p[1])
        y = (q[2] - p[2]) * (r[0] - p[0]) - (q[0] - p[0]) * (r[2] - p[2])
        z = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        area = 0.5 * np.sqrt(x * x + y * y + z * z)
        sums[0] += area
        for k in range(3):
            total = p[k] + q[k] + r[k]
            sums[1 + k] += area * total / 3.0
            sums[4] += area * (p[k] * p[k] + q[k] * q[k] + r[k] * r[k] + total * total) / 12.0
