"""``verdict``: what two objects do to each other."""

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
    """What two objects do to each other: APART, TOUCHING, CLASH, CONTAINED or DUPLICATE.

    Closed meshes are solids (nonzero winding number). They clash when they have common volume, are contained when one
    has no point outside the other, and touch when they meet without common volume. An open mesh clashes when it
    crosses another's surface or passes into its solid, and is contained when it lies inside; where it means a solid
    (``solidity``), things may also be contained in it, and its overlaps have a depth where that is known. Surfaces
    that coincide are duplicates, however they are cut into triangles. A point cloud clashes with what its surface
    meets, and is contained in a closed mesh that has all of its points inside; a clustered mesh is a surface.

    Args:
        a, b: meshes, hierarchies made by ``build``, PointClouds, or ClusteredMeshes; not a cloud with the latter.
        pose_a, pose_b: None (identity), a Pose or a rigid (4, 4) matrix.
        permitted_overlap: depth [m] up to which a clash of solids counts as touching (press fits): decided by the
            proved bounds, and by the largest ball found where even refined ones leave it open. "resolution" permits
            what both meshes' ``resolution`` come to, and marks what it made milder ``flush``. Parts that stick out of a
            solid, and surfaces that bound none and cross, may do so by no more than that, and than a stated length.
        touch_tolerance: gap [m] up to which objects that do not meet count as touching.
        threads, device: as ``collide``.
        depth: False leaves the depth out where the verdict does not depend on it. True states a first interval, which
            costs about as much as the verdict; "exact" brings its bounds within 10 % of each other where cells suffice.

    Returns:
        PairVerdict: its ``verdict`` is a Verdict, to which it is equal. ``depth`` is the diameter [m] of a ball proved
        to be in both solids; the largest such ball is between ``depth_lower`` and ``depth_upper``. ``certainty`` is
        below 1 where an open mesh counts as the solid that it means. ``contacts`` are found when they are asked for.

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
