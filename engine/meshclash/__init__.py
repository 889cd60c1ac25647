"""MeshClash: exact collision detection between triangle meshes, compiled by Numba.

``import meshclash as mc`` gives every public name; ``docs/architecture.md`` says how the parts hang together.
"""

from .errors import (
    DeviceUnavailable,
    InvalidMesh,
    InvalidPose,
    MeshClashError,
    UnknownObject,
    UnsupportedOption,
)
from .geometry.triangle_pair import ContactKind
from .hierarchy.build import build, refit
from .hierarchy.bvh import Hierarchy
from .hierarchy.validate import assert_well_formed
from .query.clearance import Clearances, clearance
from .query.collide import collide, collides, self_collide
from .query.contacts import Contacts
from .query.distance import Distance, distance
from .query.verdict import verdict
from .scene import ObjectContacts, Scene, SceneContacts
from .types.mesh import TriangleMesh
from .types.pose import Pose, split_matrix
from .types.results import Progress, QueryStats, Verdict
from .warm_up import warm_up
from .watch import FirstContact, Watch, WatchChanges

__version__ = "0.1.0"

__all__ = [
    "Clearances",
    "ContactKind",
    "Contacts",
    "DeviceUnavailable",
    "Distance",
    "FirstContact",
    "Hierarchy",
    "InvalidMesh",
    "InvalidPose",
    "MeshClashError",
    "ObjectContacts",
    "Pose",
    "Progress",
    "QueryStats",
    "Scene",
    "SceneContacts",
    "TriangleMesh",
    "UnknownObject",
    "UnsupportedOption",
    "Verdict",
    "Watch",
    "WatchChanges",
    "assert_well_formed",
    "build",
    "clearance",
    "collide",
    "collides",
    "distance",
    "refit",
    "self_collide",
    "split_matrix",
    "verdict",
    "warm_up",
]
