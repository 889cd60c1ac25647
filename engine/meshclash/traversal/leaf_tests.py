"""What happens when two leaves meet: the tests that a traversal can be made with.

A leaf test is a portable function (p1, q1, r1, p2, q2, r2, tolerance, workspace) -> kind: corners as (x, y, z) tuples
in world coordinates, kind 0 for apart, the workspace of ``predicates.py``.
"""

from ..geometry.triangle_distance import closest_of_triangles
from ..geometry.triangle_pair import TOUCHING, classify_exact
from ..jit import portable


@portable
def contact(p1, q1, r1, p2, q2, r2, tolerance, workspace):
    """The exact kind of a contact; UNDECIDED only when the coordinates exceed what doubles can multiply."""
    return classify_exact(p1, q1, r1, p2, q2, r2, workspace)


@portable
def nearness(p1, q1, r1, p2, q2, r2, tolerance, workspace):
    """TOUCHING when the triangles come closer than the tolerance (float64 distance), or the exact kind of a contact."""
    if closest_of_triangles(p1, q1, r1, p2, q2, r2, True)[0] <= tolerance:
        return TOUCHING
    return classify_exact(p1, q1, r1, p2, q2, r2, workspace)
