"""Voxels: find the cells of a regular grid that two surfaces share, without building a hierarchy."""

from ..query.voxel_collide import voxel_collide as voxel_collide
from ..query.voxel_overlaps import VoxelOverlaps as VoxelOverlaps
from ..query.voxel_overlaps import voxel_overlaps as voxel_overlaps
from .map import ShellContacts as ShellContacts
from .map import VoxelMap as VoxelMap
from .results import VoxelContacts as VoxelContacts
from .self_collision import voxel_self_collide as voxel_self_collide
from .surface import SurfaceVoxels as SurfaceVoxels
from .surface import voxelise as voxelise
