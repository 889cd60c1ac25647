"""``voxel_collide``: the voxels, triangles and volume that two objects share, without any preparation."""

from __future__ import annotations

from collections.abc import Generator

from ..hierarchy.bvh import MeshLike
from ..types.arguments import one_of
from ..types.foreign_meshes import ForeignMesh
from ..types.pose import PoseLike
from ..types.results import Progress
from ..voxels.collide import MODES
from ..voxels.grid import checked_fineness
from ..voxels.results import VoxelContacts
from .table import VOXEL_COLLIDE, answers, ask


@answers(VOXEL_COLLIDE)
def voxel_collide(
    a: MeshLike | ForeignMesh,
    b: MeshLike | ForeignMesh,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    resolution: int | None = None,
    voxel_size: float | None = None,
    mode: str = "exact",
    touching: bool = True,
    threads: int | None = None,
    memory: int | None = None,
    device: str = "cpu",
) -> Generator[Progress, None, VoxelContacts]:
    """Return the voxels of a grid that both objects reach, and the contacts or the common volume in these voxels.

    Use ``voxel_collide`` for objects that deform or change their triangles all the time, because it does not build or
    cache anything beforehand. The function divides only the region that is common to both bounding boxes into voxels.

    Args:
        a, b: meshes, or hierarchies (only their mesh is used).
        pose_a, pose_b: None (identity), a Pose or a rigid (4, 4) matrix; no stacks.
        resolution: number of voxels along the longest side of the region, an integer.
        voxel_size: side length of a voxel [m]; voxels lie at its multiples. Default without ``resolution`` and
            ``voxel_size``: twice the mean size of the triangles in mode "exact", and 256 voxels otherwise.
        mode: "exact": the pairs and kinds of ``collide``. "voxels": only the common voxels. If the objects have no
            common voxels, their surfaces are certainly apart. If the objects have common voxels, their surfaces are
            closer than the diagonal of a voxel (``closer_than``). "solid": also bounds of the common volume of two
            closed meshes, and whether one mesh lies inside the other.
        touching: as for ``collide``.
        threads: maximum number of threads, which does not change the result; None uses all cores.
        memory: limit for the voxels [bytes], 1 GiB by default.
        device: "cpu" or "auto"; "cuda" marks and compares voxels on a GPU in mode "voxels", which needs one bit for
            every voxel of the region. If the GPU fails, MeshClash issues a warning, and the CPU computes the result;
            ``stats.note`` contains the reason.

    Returns:
        VoxelContacts.

    Raises:
        InvalidMesh, InvalidPose: as for ``collide``. NotASolid: mode "solid" with a mesh that is not closed.
        UnsupportedOption: an unknown mode; a resolution or voxel size that is not a positive number or needs more
            memory than allowed; a resolution together with a voxel size; volumes that float64 cannot represent; or a
            stack of poses.
        DeviceUnavailable: "cuda" with another mode, or no usable device.

    Example:
        >>> import meshclash as mc
        >>> box = mc.shapes.box(1.0)
        >>> len(mc.voxels.voxel_collide(box, box, resolution=4).voxels) > 0
        True
    """
    detail = one_of("mode", mode, MODES), checked_fineness(resolution, voxel_size, memory)
    options = {"touching": touching, "threads": threads, "device": device, "detail": detail}
    return ask(VOXEL_COLLIDE, (a, b), (pose_a, pose_b), **options)
