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
    """Return a short translation after which two solids do not meet, with a lower bound of the shortest one.

    For convex solids the translation is the shortest one up to rounding (``expanding_polytope.py``), and a plane
    between the translated solids proves that they are apart. Other solids are first separated by the translation that
    separates their convex hulls. Then shorter translations are tried, for example along the normals of the contacts, as
    long as they separate the solids. The lower bound is the diameter of the largest ball found in the common volume.
    Solids without common volume have depth 0, even if they touch.

    With the result for an earlier pose as ``start``, solids that are not convex take a hundredth of the time. The
    earlier translation is adjusted until it just separates the solids in the new pose, to a thousandth of its length.
    The translation is rotated towards the normal at the last contact if this makes the translation shorter (after Je,
    Tang, Lee, Lee, Kim, "PolyDepth" (2012)). For convex solids, the points that decided the earlier result are tried
    first, so that all points are searched once or twice instead of about forty times. The guarantees are unchanged.

    Args:
        a, b: closed meshes, or hierarchies made by ``build``.
        pose_a, pose_b: None (identity), a Pose, a rigid (4, 4) matrix, or a stack (k, 4, 4) for k queries at once, each
            of which starts from the previous result. Stacks of convex solids are divided into parts of 256 poses; each
            part starts without an earlier result.
        start: the result for an earlier pose, or for a stack; then its last result is used.
        threads, device: as for ``collide``. Solids that are not convex are separated on one thread.

    Raises:
        InvalidMesh: a mesh is not closed. InvalidPose, DeviceUnavailable; UnsupportedOption: a ``start`` that is not a
        Penetration, or another invalid option.

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
