"""What reproduces the founding papers or compares methods, and no detection needs."""

from ..pointcloud.cloud_distance import cloud_distance as cloud_distance
from .advice import Advice as Advice
from .advice import Candidate as Candidate
from .advice import advise as advise
from .clouds.collision import CloudCollision as CloudCollision
from .clouds.collision import PaperControl as PaperControl
from .clouds.collision import cloud_collision as cloud_collision
from .levels import hierarchy_level as hierarchy_level
from .levels import level_wireframe as level_wireframe
from .progressive.collide import progressive_collide as progressive_collide
from .progressive.meshes import ProgressiveMeshes as ProgressiveMeshes
from .proofs.certify import certify as certify
from .schedule import WakeUps as WakeUps
from .schedule import safe_time as safe_time
from .soups import collide_soups as collide_soups
from .validate import assert_well_formed as assert_well_formed
from .volumes.kdop_climb import ClimbingPolytope as ClimbingPolytope
