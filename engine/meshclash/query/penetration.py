"""``penetration``: a short translation that separates two solids."""

from __future__ import annotations

from collections.abc import Generator

from ..hierarchy.bvh import MeshLike
from ..types.foreign_meshes import ForeignMesh
from ..types.pose import PoseLike
from ..types.results import Progress
from .results import Penetration
from .table import PENETRATION, answers, ask


@answers(PENETRATION)
def penetration(
    a: MeshLike | ForeignMesh,
    b: MeshLike | ForeignMesh,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    start: Penetration | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> Generator[Progress, None, Penetration]:
    """Return a short translation that separates two solids, and a lower bound for the length of the shortest such
    translation.

    If both solids are convex, the translation is the shortest one, up to rounding (``expanding_polytope.py``). For
    convex solids, a plane between the translated solids proves that they are apart. For other solids, the search begins
    with the translation that separates their convex hulls. The search then tries shorter translations, for example
    along the normals of the contacts, as long as they still separate the solids. The lower bound is the diameter of the
    largest ball that the search found in the common volume. If the solids have no common volume, the depth is 0, even
    if the solids touch.

    If you pass the result for an earlier pose as ``start``, a query of solids that are not convex takes about a
    hundredth of the time. The search adjusts the earlier translation until it just separates the solids in the new
    pose, to a thousandth of its length. The search also rotates the translation towards the normal at the last contact
    if this makes the translation shorter (after Je, Tang, Lee, Lee, Kim, "PolyDepth" (2012)). For convex solids, the
    search first tries the points that decided the earlier result. In this way, the search goes through all points only
    once or twice instead of about forty times. The translation and the lower bound are as reliable as without
    ``start``.

    Args:
        a, b: closed meshes, or hierarchies made by ``build``.
        pose_a, pose_b: None (identity), a Pose, a rigid (4, 4) matrix, or a stack (k, 4, 4) for k queries at once, each
            of which starts from the previous result; for convex solids, a stack is divided into parts of 256 poses,
            each of which starts without an earlier result.
        start: the result for an earlier pose, or for a stack, of which the last pose is used.
        threads, device: as for ``collide``. If the solids are not convex, the query uses a single thread.

    Raises:
        InvalidMesh: a mesh is not closed.
        InvalidPose, DeviceUnavailable: as for ``collide``.
        UnsupportedOption: a ``start`` that is not a Penetration, or another invalid option.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> box = mc.shapes.box(1.0)
        >>> pose = np.eye(4)
        >>> pose[:3, 3] = 0.25, 0.0, 0.875
        >>> found = mc.penetration(box, box, pose_b=pose)
        >>> round(found.depth, 9), found.direction.round(9).tolist()
        (0.125, [0.0, 0.0, 1.0])
    """
    return ask(PENETRATION, (a, b), (pose_a, pose_b), start=start, threads=threads, device=device)
