"""MeshClash: exact collision detection between triangle meshes, compiled by Numba.

``import meshclash as mc`` gives every public name; ``docs/architecture.md`` says how the parts hang together.
"""

from .errors import (
    DeviceUnavailable,
    InvalidFile,
    InvalidMesh,
    InvalidPointCloud,
    InvalidPose,
    MeshClashError,
    UnknownObject,
    UnsupportedOption,
)
from .gap_watch import GapWatch
from .gaps import ObjectGap
from .geometry.triangle_pair import ContactKind
from .gpu.device import configure_device, device_state
from .gpu.state import DeviceState
from .hierarchy.build import build, build_steps, refit
from .hierarchy.bvh import Hierarchy
from .hierarchy.levels import hierarchy_level, level_wireframe
from .hierarchy.validate import assert_well_formed
from .pointcloud.cloud import PointCloud
from .pointcloud.contacts import CloudContacts
from .pointcloud.deviation import deviation, deviation_steps
from .pointcloud.distance import CloudDistance, cloud_distance, cloud_distance_steps
from .pointcloud.files.read import read_cloud, read_points
from .pointcloud.query import CloudCollision, PaperControl, cloud_collision, cloud_contacts_steps
from .proximity import (
    SceneGaps,
    scene_clearances,
    scene_clearances_steps,
    scene_distances,
    scene_distances_steps,
)
from .query.advise import Advice, Candidate, advise, advise_steps
from .query.clearance import Clearances, clearance
from .query.collide import collide, collides, self_collide
from .query.contacts import Contacts
from .query.distance import Distance, distance
from .query.penetration import Penetration, penetration
from .query.soups import collide_soups
from .query.verdict import verdict
from .scene.results import FirstContact, ObjectContacts, SceneContacts
from .scene.scene import Scene
from .timecritical.query import TimeCritical, time_critical
from .timecritical.shared import SceneEstimate
from .types.mesh import TriangleMesh
from .types.pose import Pose, split_matrix
from .types.results import Progress, QueryStats, Verdict
from .warm_up import warm_up
from .watch import Watch, WatchChanges

__version__ = "0.1.0"

__all__ = [
    "Advice",
    "Candidate",
    "Clearances",
    "CloudCollision",
    "CloudContacts",
    "CloudDistance",
    "ContactKind",
    "Contacts",
    "DeviceState",
    "DeviceUnavailable",
    "Distance",
    "FirstContact",
    "GapWatch",
    "Hierarchy",
    "InvalidFile",
    "InvalidMesh",
    "InvalidPointCloud",
    "InvalidPose",
    "MeshClashError",
    "ObjectContacts",
    "ObjectGap",
    "PaperControl",
    "Penetration",
    "PointCloud",
    "Pose",
    "Progress",
    "QueryStats",
    "Scene",
    "SceneContacts",
    "SceneEstimate",
    "SceneGaps",
    "TimeCritical",
    "TriangleMesh",
    "UnknownObject",
    "UnsupportedOption",
    "Verdict",
    "Watch",
    "WatchChanges",
    "advise",
    "advise_steps",
    "assert_well_formed",
    "build",
    "build_steps",
    "clearance",
    "cloud_collision",
    "cloud_contacts_steps",
    "cloud_distance",
    "cloud_distance_steps",
    "collide",
    "collide_soups",
    "collides",
    "configure_device",
    "deviation",
    "deviation_steps",
    "device_state",
    "distance",
    "hierarchy_level",
    "level_wireframe",
    "penetration",
    "read_cloud",
    "read_points",
    "refit",
    "scene_clearances",
    "scene_clearances_steps",
    "scene_distances",
    "scene_distances_steps",
    "self_collide",
    "split_matrix",
    "time_critical",
    "verdict",
    "warm_up",
]
