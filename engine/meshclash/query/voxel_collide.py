"""``voxel_collide``: which voxels, which triangles and how much volume two objects share, without any preparation."""

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
    """Which cells of a grid both objects reach, and what they do to each other there.

    For objects that deform or change their triangles all the time: nothing is built beforehand and nothing is kept.
    Only the region that the boxes of both objects share is divided into voxels.

    Args:
        a, b: meshes; of hierarchies the mesh is taken.
        pose_a, pose_b: None (identity), a Pose or a rigid (4, 4) matrix; no stacks.
        resolution: voxels along the longest side of the region, a whole number.
        voxel_size: length of a voxel's sides [m]; voxels lie at its multiples. Without either the default is twice the
            mean size of the triangles in mode "exact", and 256 voxels otherwise.
        mode: "exact": the pairs and kinds of ``collide``. "voxels": the common voxels only; without one the surfaces
            are certainly apart, with one they are closer than a voxel's diagonal (``closer_than``). "solid": also the
            common volume of two closed meshes between bounds, and whether one lies inside the other.
        touching: as ``collide``.
        threads: most threads to use; the answer is the same.
        memory: bytes that voxels may take, 1 GiB by default.
        device: "cpu" or "auto"; "cuda" has a GPU mark and compare in mode "voxels", where they take a bit for every
            voxel of the region. When it fails in the middle, the CPU answers with a warning, and ``stats.note`` says
            so.

    Returns:
        VoxelContacts.

    Raises:
        InvalidMesh, InvalidPose: as ``collide``. NotASolid: mode "solid" and a mesh that is not closed.
        UnsupportedOption: no such mode, a resolution or voxel size that is no positive number or needs more than the
            memory, both of them, volumes that float64 cannot hold, or a stack of poses.
        DeviceUnavailable: "cuda" with another mode, or no device can be used.

    Example:
        >>> import meshclash as mc
        >>> box = mc.shapes.box(1.0)
        >>> len(mc.voxels.voxel_collide(box, box, resolution=4).voxels) > 0
        True
    """
    detail = one_of("mode", mode, MODES), checked_fineness(resolution, voxel_size, memory)
    options = {"touching": touching, "threads": threads, "device": device, "detail": detail}
    return ask(VOXEL_COLLIDE, (a, b), (pose_a, pose_b), **options)
