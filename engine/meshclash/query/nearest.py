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
    """Return the triangles of a mesh that are nearest to points, and the nearest point of each.

    The mesh may be open. Of equally near triangles that of the lowest index comes first.

    Args:
        mesh: a mesh, or a hierarchy made by ``build``.
        points: array-like, shape (n, 3), world coordinates [m].
        pose: of the mesh: None (identity), a Pose or a rigid (4, 4) matrix.
        k: how many triangles of each point, the nearest first. With more than 1 the results have a dimension more.
        upper_limit: what is farther away is left out [m]: distance infinite, triangle -1, point NaN.
        signed: True makes distances negative inside the solid that the mesh bounds or means, as ``signed_distance``
            does, which also says how certain that is.
        threads: most threads to use; None leaves the choice to the engine. The answer is the same.

    Raises:
        NotASolid: signs are asked for of an open mesh that bounds nothing.
        InvalidMesh, InvalidPose; UnsupportedOption: a stack of poses, points that are no finite (n, 3) numbers, a
            number of triangles below 1, a negative limit.

    Example:
        >>> import meshclash as mc
        >>> found = mc.nearest(mc.shapes.plane(2.0), [[0.5, 0.25, 3.0]])
        >>> found.distance, found.point
        (array([3.]), array([[0.5 , 0.25, 0.  ]]))
    """
    detail = whole_number("k", k, 1), truth("signed", signed)
    sides = mesh, checked_points(points)
    return ask(NEAREST, sides, (pose,), upper_limit=upper_limit, threads=threads, detail=detail)
