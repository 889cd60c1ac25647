"""``clearance``: every pair of triangles of two objects that come too close."""

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
    """Every pair of triangles of two surfaces no farther apart than a tolerance, with its distance.

    A pair counts when its distance, computed in float64 from the world coordinates, is at most the tolerance; the same
    numbers are compared whatever the volume and builder. Distances are 0 exactly for triangles that meet, so that
    tolerance 0 gives the pairs of ``collide``. All pairs are kept, some 20 bytes each and three times that while they
    are sorted: a tolerance as large as the objects means every triangle of one with every triangle of the other.

    Args:
        a, b: meshes, hierarchies made by ``build``, clustered meshes (``ClusteredMesh``), or exact shapes
            (``mc.shapes.Sphere``, ``Inflated``), which have no triangles but -1.
        tolerance: [m], from 0 on.
        pose_a, pose_b, volume, threads, device: as ``collide``.

    Raises:
        InvalidMesh, InvalidPose, DeviceUnavailable; UnsupportedOption: a tolerance that is negative or not finite, or
        another option that this version does not know.

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
