"""MeshClash: exact collision detection between triangle meshes, compiled by Numba.

``import meshclash as mc`` gives every public name; ``docs/architecture.md`` says how the parts hang together. A name's
module is imported when the name is first asked for (PEP 562), so that importing the package takes no time and an
application may import its modules one by one.
"""

import importlib.util
import typing

if typing.TYPE_CHECKING:
    from .broadphase.incremental import PairChanges, SweepAndPrune
    from .broadphase.matrix import CollisionMatrix
    from .continuous.certify import certify
    from .continuous.impacts import Impacts, edge_edge_impacts, point_triangle_impacts
    from .continuous.swept import SweptContacts, swept_collide, swept_self_collide
    from .convex.closest import ClosestFeatures, closest_features
    from .convex.hull import ConvexHull
    from .errors import (
        DeviceUnavailable,
        InvalidFile,
        InvalidMesh,
        InvalidPointCloud,
        InvalidPose,
        MeshClashError,
        NotASolid,
        SceneChanged,
        UnknownObject,
        UnsupportedOption,
        WorkersUnavailable,
    )
    from .geometry.triangle_pair import ContactKind
    from .gpu.device import configure_device, device_state
    from .gpu.state import DeviceState
    from .hierarchy.build import build, refit
    from .hierarchy.bvh import Hierarchy, MeshLike
    from .hierarchy.levels import hierarchy_level, level_wireframe
    from .hierarchy.validate import assert_well_formed
    from .massive.levels import MeshLevel, MeshLevels
    from .massive.mesh import ClusteredMesh
    from .massive.progressive_meshes import ProgressiveMeshes
    from .motion.contact import TimeOfContact, time_of_contact
    from .motion.deepest import ContactInterval
    from .motion.motions import KeyframedMotion, ScrewMotion
    from .motion.schedule import WakeUps, safe_time
    from .pointcloud.cloud import PointCloud
    from .pointcloud.contacts import CloudContacts
    from .pointcloud.deviation import deviation
    from .pointcloud.distance import CloudDistance, cloud_distance
    from .pointcloud.files.read import read_cloud, read_points
    from .pointcloud.query import CloudCollision, PaperControl, cloud_collision
    from .query.advise import Advice, Candidate, advise
    from .query.clearance import Clearances, clearance
    from .query.collide import collide, collides, self_collide
    from .query.distance import Distance, distance
    from .query.massive import MassiveCollision, massive_collide
    from .query.penetration import Penetration, penetration
    from .query.signed_distance import SignedDistance, contains, signed_distance, winding_number
    from .query.soups import collide_soups
    from .query.verdict import verdict
    from .scene.collisions import SceneCollisions
    from .scene.gap_watch import GapWatch
    from .scene.pair_memory import PairMemory
    from .scene.proximity import SceneGaps
    from .scene.results import CloudObjectContacts, FirstContact, ObjectContacts, ObjectGap, SceneContacts
    from .scene.scene import Scene
    from .scene.stepping import SceneStep
    from .scene.watch import Watch, WatchChanges
    from .solid.solidity import Solidity, solidity
    from .timecritical.query import TimeCritical, time_critical
    from .timecritical.shared import SceneEstimate
    from .traversal.contacts import Contacts
    from .types.mesh import TriangleMesh
    from .types.pose import Pose, PoseLike, split_matrix
    from .types.resolution import float32_resolution
    from .types.results import Progress, QueryStats, Verdict
    from .types.steps import run, steps
    from .voxels.collide import voxel_collide
    from .voxels.itself import voxel_self_collide
    from .voxels.many import VoxelOverlaps, voxel_overlaps
    from .voxels.map import ShellContacts, VoxelMap
    from .voxels.results import VoxelContacts
    from .voxels.surface import SurfaceVoxels, voxelise
    from .warming import warm_up

__version__ = "0.1.0"

__all__ = [
    "Advice",
    "Candidate",
    "Clearances",
    "ClosestFeatures",
    "CloudCollision",
    "CloudContacts",
    "CloudDistance",
    "CloudObjectContacts",
    "ClusteredMesh",
    "CollisionMatrix",
    "ContactInterval",
    "ContactKind",
    "Contacts",
    "ConvexHull",
    "DeviceState",
    "DeviceUnavailable",
    "Distance",
    "FirstContact",
    "GapWatch",
    "Hierarchy",
    "Impacts",
    "InvalidFile",
    "InvalidMesh",
    "InvalidPointCloud",
    "InvalidPose",
    "KeyframedMotion",
    "MassiveCollision",
    "MeshClashError",
    "MeshLevel",
    "MeshLevels",
    "MeshLike",
    "NotASolid",
    "ObjectContacts",
    "ObjectGap",
    "PairChanges",
    "PairMemory",
    "PaperControl",
    "Penetration",
    "PointCloud",
    "Pose",
    "PoseLike",
    "Progress",
    "ProgressiveMeshes",
    "QueryStats",
    "Scene",
    "SceneChanged",
    "SceneCollisions",
    "SceneContacts",
    "SceneEstimate",
    "SceneGaps",
    "SceneStep",
    "ScrewMotion",
    "ShellContacts",
    "SignedDistance",
    "Solidity",
    "SurfaceVoxels",
    "SweepAndPrune",
    "SweptContacts",
    "TimeCritical",
    "TimeOfContact",
    "TriangleMesh",
    "UnknownObject",
    "UnsupportedOption",
    "Verdict",
    "VoxelContacts",
    "VoxelMap",
    "VoxelOverlaps",
    "WakeUps",
    "Watch",
    "WatchChanges",
    "WorkersUnavailable",
    "advise",
    "assert_well_formed",
    "build",
    "certify",
    "clearance",
    "closest_features",
    "cloud_collision",
    "cloud_distance",
    "collide",
    "collide_soups",
    "collides",
    "configure_device",
    "contains",
    "deviation",
    "device_state",
    "distance",
    "edge_edge_impacts",
    "float32_resolution",
    "hierarchy_level",
    "level_wireframe",
    "massive_collide",
    "penetration",
    "point_triangle_impacts",
    "read_cloud",
    "read_points",
    "refit",
    "run",
    "safe_time",
    "self_collide",
    "signed_distance",
    "solidity",
    "split_matrix",
    "steps",
    "swept_collide",
    "swept_self_collide",
    "time_critical",
    "time_of_contact",
    "verdict",
    "voxel_collide",
    "voxel_overlaps",
    "voxel_self_collide",
    "voxelise",
    "warm_up",
    "winding_number",
]

_PLACES = {
    "broadphase.incremental": "PairChanges SweepAndPrune",
    "broadphase.matrix": "CollisionMatrix",
    "continuous.certify": "certify",
    "continuous.impacts": "Impacts edge_edge_impacts point_triangle_impacts",
    "continuous.swept": "SweptContacts swept_collide swept_self_collide",
    "convex.closest": "ClosestFeatures closest_features",
    "convex.hull": "ConvexHull",
    "errors": (
        "DeviceUnavailable InvalidFile InvalidMesh InvalidPointCloud InvalidPose MeshClashError NotASolid "
        "SceneChanged UnknownObject UnsupportedOption WorkersUnavailable"
    ),
    "geometry.triangle_pair": "ContactKind",
    "gpu.device": "configure_device device_state",
    "gpu.state": "DeviceState",
    "hierarchy.build": "build refit",
    "hierarchy.bvh": "Hierarchy MeshLike",
    "hierarchy.levels": "hierarchy_level level_wireframe",
    "hierarchy.validate": "assert_well_formed",
    "massive.levels": "MeshLevel MeshLevels",
    "massive.mesh": "ClusteredMesh",
    "massive.progressive_meshes": "ProgressiveMeshes",
    "motion.contact": "TimeOfContact time_of_contact",
    "motion.deepest": "ContactInterval",
    "motion.motions": "KeyframedMotion ScrewMotion",
    "motion.schedule": "WakeUps safe_time",
    "pointcloud.cloud": "PointCloud",
    "pointcloud.contacts": "CloudContacts",
    "pointcloud.deviation": "deviation",
    "pointcloud.distance": "CloudDistance cloud_distance",
    "pointcloud.files.read": "read_cloud read_points",
    "pointcloud.query": "CloudCollision PaperControl cloud_collision",
    "query.advise": "Advice Candidate advise",
    "query.clearance": "Clearances clearance",
    "query.collide": "collide collides self_collide",
    "traversal.contacts": "Contacts",
    "query.distance": "Distance distance",
    "query.massive": "MassiveCollision massive_collide",
    "query.penetration": "Penetration penetration",
    "query.signed_distance": "SignedDistance contains signed_distance winding_number",
    "query.soups": "collide_soups",
    "query.verdict": "verdict",
    "scene.collisions": "SceneCollisions",
    "scene.gap_watch": "GapWatch",
    "scene.pair_memory": "PairMemory",
    "scene.proximity": "SceneGaps",
    "scene.results": "CloudObjectContacts FirstContact ObjectContacts ObjectGap SceneContacts",
    "scene.scene": "Scene",
    "scene.stepping": "SceneStep",
    "scene.watch": "Watch WatchChanges",
    "solid.solidity": "Solidity solidity",
    "timecritical.query": "TimeCritical time_critical",
    "timecritical.shared": "SceneEstimate",
    "types.mesh": "TriangleMesh",
    "types.pose": "Pose PoseLike split_matrix",
    "types.resolution": "float32_resolution",
    "types.results": "Progress QueryStats Verdict",
    "types.steps": "run steps",
    "voxels.collide": "voxel_collide",
    "voxels.itself": "voxel_self_collide",
    "voxels.many": "VoxelOverlaps voxel_overlaps",
    "voxels.map": "ShellContacts VoxelMap",
    "voxels.results": "VoxelContacts",
    "voxels.surface": "SurfaceVoxels voxelise",
    "warming": "warm_up",
}
"""Which modules the public names come from."""

_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names.split()}

if not typing.TYPE_CHECKING:  # otherwise every name would be known to type checkers

    def __getattr__(name):
        """A public name, or a module of the package, when it is first asked for."""
        if name in _MODULE_OF:
            value = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
        elif not name.startswith("_") and importlib.util.find_spec(f".{name}", __name__) is not None:
            value = importlib.import_module(f".{name}", __name__)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """What is there already, and what will be."""
    return sorted({*globals(), *__all__})
