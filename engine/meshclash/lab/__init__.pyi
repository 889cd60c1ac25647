"""What reproduces the founding papers or compares methods, and no detection needs."""

from ..hierarchy.levels import hierarchy_level as hierarchy_level
from ..hierarchy.levels import level_wireframe as level_wireframe
from ..hierarchy.validate import assert_well_formed as assert_well_formed
from ..massive.progressive_meshes import ProgressiveMeshes as ProgressiveMeshes
from ..pointcloud.distance import cloud_distance as cloud_distance
from ..pointcloud.query import CloudCollision as CloudCollision
from ..pointcloud.query import PaperControl as PaperControl
from ..pointcloud.query import cloud_collision as cloud_collision
from ..query.advise import Advice as Advice
from ..query.advise import Candidate as Candidate
from ..query.advise import advise as advise
from ..query.soups import collide_soups as collide_soups
