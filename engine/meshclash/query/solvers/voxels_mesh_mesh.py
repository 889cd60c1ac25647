"""``voxel_collide`` of two meshes: a grid over what their boxes have in common, filled anew for each question."""

from collections.abc import Generator

from ...errors import DeviceUnavailable
from ...messages import shown
from ...types.results import Progress
from ...voxels.collide import DEVICE, VoxelQuestion, mesh_of, voxel_steps
from ...voxels.results import VoxelContacts
from ..table import Request


def solve(asked: Request) -> Generator[Progress, None, VoxelContacts]:
    """Voxels; a device marks and compares them in mode "voxels" where it is asked for."""
    mode, fineness = asked.options.detail
    options = asked.options
    if options.device == DEVICE and mode != "voxels":
        raise DeviceUnavailable(f"mode {shown(mode)} is computed on the CPU only: use device='auto' or 'cpu'")
    question = VoxelQuestion(mode, fineness, not options.touching, options.threads, asked.start, options.device)
    meshes = mesh_of("a", asked.things[0]), mesh_of("b", asked.things[1])
    return voxel_steps(meshes, (asked.rows[0][0], asked.rows[1][0]), question)
