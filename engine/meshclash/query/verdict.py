"""``verdict``: the relation of two objects."""

from __future__ import annotations

from collections.abc import Generator

from ..convex.exact_shapes import ExactShape
from ..massive.mesh import ClusteredMesh
from ..pointcloud.query import Thing
from ..solid.pair_verdict import PairVerdict
from ..types.foreign_meshes import ForeignMesh
from ..types.pose import PoseLike
from ..types.results import Progress
from .limits import checked_limits
from .table import VERDICT, answers, ask


@answers(VERDICT)
def verdict(
    a: Thing | ForeignMesh | ClusteredMesh | ExactShape,
    b: Thing | ForeignMesh | ClusteredMesh | ExactShape,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    permitted_overlap: float | str = 0.0,
    touch_tolerance: float = 0.0,
    threads: int | None = None,
    device: str = "auto",
    depth: bool | str = True,
) -> Generator[Progress, None, PairVerdict]:
    """Return the verdict on two objects, which is APART, TOUCHING, CLASH, CONTAINED or DUPLICATE.

    A closed mesh counts as a solid. The solid consists of all points whose winding number is not 0. Two solids clash if
    they have a common volume. An object is contained in another one if none of its points lies outside. Two solids
    touch if they have a common point but no common volume. An open mesh clashes if it crosses the surface of the other
    object or enters its solid. An open mesh is contained in the other object if it lies inside. If an open mesh
    approximates a solid (``solidity``), it can contain other objects, and its overlaps have a depth if the depth is
    known. If the surfaces of two objects coincide, the objects are duplicates, even if their triangles differ. A point
    cloud clashes if its surface touches or crosses the other object. A point cloud is contained in a closed mesh if all
    points of the cloud are inside. A clustered mesh counts as a surface without an inside.

    Args:
        a, b: meshes, hierarchies made by ``build``, PointClouds, or ClusteredMeshes; you cannot compare a point cloud
            with a clustered mesh.
        pose_a, pose_b: None (identity), a Pose or a rigid (4, 4) matrix.
        permitted_overlap: depth [m] up to which a clash of solids counts as touching (press fits). MeshClash compares
            the proved bounds of the depth with this value. If even refined bounds lie on both sides of this value, the
            diameter of the largest ball that was found decides. "resolution" permits the sum of both meshes'
            ``resolution``, and marks a verdict that became less severe as ``flush``. For parts that extend beyond a
            solid, and for crossing surfaces that do not bound a solid, the permitted length is the smaller of this
            value and the sum of both resolutions.
        touch_tolerance: gap [m] up to which objects that are apart count as touching.
        threads, device: as for ``collide``.
        depth: False skips the depth if the verdict does not depend on it. True computes a first interval for the depth,
            which takes about as long as the verdict itself. "exact" refines the bounds to within 10 % of each other, if
            the available cells suffice.

    Returns:
        PairVerdict: its ``verdict`` is a Verdict, and the PairVerdict compares equal to it. ``depth`` is the diameter
            [m] of a ball that is proved to lie in both solids. The diameter of the largest such ball is between
            ``depth_lower`` and ``depth_upper``. If an open mesh is treated as a solid, ``certainty`` is below 1. The
            ``contacts`` are computed when you first read them.

    Raises:
        InvalidMesh, InvalidPose, UnsupportedOption, DeviceUnavailable.

    Example:
        >>> import meshclash as mc
        >>> box = mc.shapes.box(1.0)
        >>> mc.verdict(box, mc.shapes.box(0.5))
        PairVerdict(0, 1, CONTAINED, depth=0.5)
        >>> mc.verdict(box, box)
        PairVerdict(0, 1, DUPLICATE, depth=1)
    """
    limits = checked_limits(permitted_overlap, touch_tolerance, depth)
    return ask(VERDICT, (a, b), (pose_a, pose_b), limits=limits, threads=threads, device=device)
