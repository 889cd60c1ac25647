"""``nearest``: the triangles of a mesh that are nearest to points."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from ..hierarchy.bvh import MeshLike
from ..types.foreign_meshes import ForeignMesh
from ..types.numbers import truth, whole_number
from ..types.pose import PoseLike
from ..types.results import Progress
from .nearest_points import NearestPoints
from .signed_distance import checked_points
from .table import NEAREST, answers, ask

_MOST_WANTED = 1 << 20
"""Maximum number of triangles for one point: results take memory for each, whether they exist or not."""


@answers(NEAREST)
def nearest(
    mesh: MeshLike | ForeignMesh,
    points: Any,
    pose: PoseLike = None,
    *,
    k: int = 1,
    upper_limit: float = float("inf"),
    signed: bool = False,
    threads: int | None = None,
) -> Generator[Progress, None, NearestPoints]:
    """For each of n points, return the nearest triangles of a mesh, and the nearest point on each of these triangles.

    The mesh may be open or closed. If several triangles are equally near, the triangle with the lowest index comes
    first.

    Args:
        mesh: a mesh, or a hierarchy made by ``build``.
        points: array-like, shape (n, 3), world coordinates [m].
        pose: pose of the mesh: None (identity), a Pose or a rigid (4, 4) matrix.
        k: number of triangles for each point, the nearest first; if k > 1, the arrays of the result have one more
            dimension.
        upper_limit: triangles farther away than this distance [m] are left out; their entries have an infinite
            distance, the triangle -1 and the point NaN.
        signed: if True, the distances are negative for points inside the solid, as in ``signed_distance``, which also
            returns how certain the sign is for an open mesh.
        threads: maximum number of threads, which does not change the result; None uses all cores.

    Raises:
        NotASolid: ``signed`` for an open mesh that does not bound a solid.
        InvalidMesh, InvalidPose: the mesh or the pose is invalid.
        UnsupportedOption: a stack of poses, points that are not a finite (n, 3) array, k below 1, or a negative limit.

    Example:
        >>> import meshclash as mc
        >>> found = mc.nearest(mc.shapes.plane(2.0), [[0.5, 0.25, 3.0]])
        >>> found.distance, found.point
        (array([3.]), array([[0.5 , 0.25, 0.  ]]))
    """
    detail = whole_number("k", k, 1, _MOST_WANTED), truth("signed", signed)
    sides = mesh, checked_points(points)
    return ask(NEAREST, sides, (pose,), upper_limit=upper_limit, threads=threads, detail=detail)
