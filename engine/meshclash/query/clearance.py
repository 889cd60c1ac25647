"""``clearance``: the pairs of triangles of two objects that are closer than a tolerance."""

from __future__ import annotations

from collections.abc import Generator

from ..convex.exact_shapes import ExactShape
from ..hierarchy.bvh import MeshLike
from ..massive.mesh import ClusteredMesh
from ..types.foreign_meshes import ForeignMesh
from ..types.pose import PoseLike
from ..types.results import Progress
from .results import Clearances
from .table import CLEARANCE, answers, ask


@answers(CLEARANCE)
def clearance(
    a: MeshLike | ForeignMesh | ClusteredMesh | ExactShape,
    b: MeshLike | ForeignMesh | ClusteredMesh | ExactShape,
    tolerance: float,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> Generator[Progress, None, Clearances]:
    """Return all pairs of triangles of two surfaces that are within a tolerance, with their distances.

    A pair is included if its distance is at most the tolerance. MeshClash computes the distance in float64 from the
    world coordinates. The result does not depend on the bounding volumes or on how they are built. If two triangles
    touch or cross each other, their distance is exactly 0. With tolerance 0, the function therefore returns the same
    pairs as ``collide``. All pairs are stored in memory. Each pair takes about 20 bytes, and three times as much while
    the pairs are being sorted. If the tolerance is as large as the objects, the result pairs every triangle of one
    object with every triangle of the other.

    Args:
        a, b: meshes, hierarchies made by ``build``, clustered meshes (``ClusteredMesh``), or exact shapes
            (``mc.shapes.Sphere``, ``Inflated``), which have no triangles and get the index -1.
        tolerance: [m], 0 or more.
        pose_a, pose_b, volume, threads, device: as for ``collide``.

    Raises:
        InvalidMesh, InvalidPose, DeviceUnavailable: as for ``collide``.
        UnsupportedOption: a tolerance that is negative or not finite, or another invalid option.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> box = mc.shapes.box(1.0)
        >>> pose = np.eye(4)
        >>> pose[2, 3] = 1.25
        >>> near = mc.clearance(box, box, 0.5, pose_b=pose)
        >>> len(near), float(near.distances.min())
        (62, 0.25)
    """
    options = {"tolerance": tolerance, "volume": volume, "threads": threads, "device": device}
    return ask(CLEARANCE, (a, b), (pose_a, pose_b), **options)
