"""Meshes that stay on disk: built, opened and asked without ever being held in memory."""

from ..errors import WorkersUnavailable as WorkersUnavailable
from ..query.massive_collide import MassiveCollision as MassiveCollision
from ..query.massive_collide import massive_collide as massive_collide
from .levels import MeshLevel as MeshLevel
from .levels import MeshLevels as MeshLevels
from .mesh import ClusteredMesh as ClusteredMesh
