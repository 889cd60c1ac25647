"""``penetration``: how far one solid must be moved to leave another."""

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
    """A short translation after which two solids do not meet, and a bound on how short it could be.

    Of convex solids it is the shortest one, up to rounding (``expanding_polytope.py``), and a plane between them after
    the translation proves that they are apart. Others are first taken apart as
    their convex hulls would be, then by shorter translations, along the normals of the contacts among others, as long
    as those are found to be free; the lower bound is the diameter of the largest ball found in the common volume.
    Solids without common volume have depth 0, also where they touch.

    With the answer for an earlier pose to start from, solids that are not convex take a hundredth of the time: the
    translation is fitted to where its end comes free now, to a thousandth of its length, and turned towards the normal
    there where that is shorter (after Je, Tang, Lee, Lee, Kim, "PolyDepth" (2012)). Of convex solids all points are
    looked through once or twice then instead of some forty times, since the points that decided before are tried first.
    What is promised stays the same.

    Args:
        a, b: closed meshes, or hierarchies made by ``build``.
        pose_a, pose_b: None (identity), a Pose, a rigid (4, 4) matrix, or a stack (k, 4, 4) that asks k questions, each
            from the answer before.
        start: the result for an earlier pose, or for a stack, of which the last one counts.
        threads, device: as ``collide``.

    Raises:
        InvalidMesh: a mesh is not closed. InvalidPose, DeviceUnavailable; UnsupportedOption: a ``start`` that is no
        Penetration, or another option that this version does not know.

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
