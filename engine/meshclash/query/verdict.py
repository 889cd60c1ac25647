"""``verdict``: what two objects do to each other."""

from collections.abc import Generator
from typing import Any

import numpy as np

from ..answering.answer import answer_steps
from ..errors import UnsupportedOption
from ..hierarchy.build import as_boxes
from ..hierarchy.bvh import MeshLike
from ..solid.case import Case, Limits
from ..solid.judge import judge
from ..solid.single import verdict_at_once
from ..solid.solids import gather_solids
from ..traversal.bounds import world_bounds
from ..traversal.forest import pack_trees
from ..traversal.packed import pack
from ..traversal.question import Question
from ..types.foreign import ForeignMesh, as_own
from ..types.pose import PoseLike, pose_stack
from ..types.results import Progress, Verdict
from ..types.steps import always, in_slices_unless, scaled, steps
from .limits import checked_limits
from .options import check_device, check_threads

_NOTHING_PERMITTED, _NOTHING_MEASURED = Limits(), Limits(depths=False)
_CONTACTS_SHARE = 0.6  # of the work, about


def _verdict_at_once(
    a: Any, b: Any, pose_a: Any = None, pose_b: Any = None, *, depth: Any = True, **others: Any
) -> Verdict | None:
    """``verdict`` of prepared small meshes by the shortest way; None where that does not answer."""
    if others or not isinstance(depth, bool):
        return None
    return verdict_at_once((a, b), (pose_a, pose_b), depth)


@in_slices_unless(_verdict_at_once)
def verdict(
    a: MeshLike | ForeignMesh,
    b: MeshLike | ForeignMesh,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    permitted_overlap: float | str = 0.0,
    touch_tolerance: float = 0.0,
    threads: int | None = None,
    device: str = "auto",
    depth: bool | str = True,
) -> Generator[Progress, None, Verdict]:
    """What two objects do to each other: APART, TOUCHING, CLASH, CONTAINED or DUPLICATE.

    Closed meshes are solids (nonzero winding number). They clash when they have common volume, are contained when one
    has no point outside the other, and touch when they meet without common volume. An open mesh clashes when it
    crosses another's surface or passes into its solid, and is contained when it lies inside; where it means a solid
    (``solidity``), things may also be contained in it, and its overlaps have a depth where that is known. Surfaces
    that coincide are duplicates, however they are cut into triangles.

    Args:
        a, b: meshes, or hierarchies made by ``build``.
        pose_a, pose_b: None (identity), a Pose or a rigid (4, 4) matrix.
        permitted_overlap: depth [m] up to which a clash of solids counts as touching (press fits): decided by the
            proved bounds, and by the largest ball found where even refined ones leave it open. "resolution" permits
            what both meshes' ``resolution`` come to, and marks what it made milder ``flush``.
        touch_tolerance: gap [m] up to which objects that do not meet count as touching.
        threads, device: as ``collide``.
        depth: False leaves the depth out where the verdict does not depend on it. True states a first interval, which
            costs about as much as the verdict; "exact" brings its bounds within 10 % of each other where cells suffice.

    Returns:
        Verdict: equal to ``Verdict.CLASH`` and so on whatever its ``depth``, the diameter [m] of a ball proved to be
        in both solids. The largest such ball is between ``depth_lower`` and ``depth_upper``. ``certainty`` is below 1
        where an open mesh counts as the solid that it means.

    Raises:
        InvalidMesh, InvalidPose, UnsupportedOption, DeviceUnavailable.
    """
    things: tuple[Any, Any] = as_own(a), as_own(b)
    check_device(device)
    threads = check_threads(threads)
    limits = checked_limits(permitted_overlap, touch_tolerance, depth)
    if limits in (_NOTHING_PERMITTED, _NOTHING_MEASURED):
        found = verdict_at_once(things, (pose_a, pose_b), limits.depths)
        if found is not None:
            return found
    trees = [as_boxes(thing) for thing in things]
    for thing, tree in zip(things, trees, strict=True):
        if tree is thing or tree.mesh is thing:
            pack(thing, tree)
    (rows_a, stacked_a), (rows_b, stacked_b) = pose_stack(pose_a), pose_stack(pose_b)
    if stacked_a or stacked_b:
        raise UnsupportedOption("verdict takes one pose for each object, not a stack")
    tree_set = pack_trees(trees)
    jobs = np.array([[0, 1]], np.int64)
    question = Question(tree_set.side, tree_set.side, jobs, rows_a, rows_b, threads=threads)
    answer = yield from scaled(answer_steps(question), 0.0, _CONTACTS_SHARE, "comparing triangles")
    boxes = world_bounds(tree_set, jobs[0], np.concatenate([rows_a, rows_b]))
    resolutions = np.array([[tree.mesh.resolution for tree in trees]])
    case = Case(tree_set, gather_solids(trees), jobs, rows_a, rows_b, boxes[:1], boxes[1:], answer, resolutions)
    judging = always(Progress(_CONTACTS_SHARE, "judging contacts"), steps(judge, case, limits))
    return (yield from judging).verdict(0)
