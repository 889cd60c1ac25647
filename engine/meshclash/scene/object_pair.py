"""Two objects of a scene in their poses, of a pair that is asked by itself."""

from collections.abc import Mapping
from typing import NamedTuple

from ..hierarchy.bvh import Hierarchy
from ..massive.mesh import ClusteredMesh
from ..pointcloud.cloud import PointCloud
from ..pointcloud.query import Thing
from ..types.mesh import TriangleMesh
from ..types.pose import Pose
from .member import SceneThing
from .members import Members
from .results import NO_NAMES


class ObjectPair(NamedTuple):
    """Two objects of a scene, one of them at least a cloud or a clustered mesh, in their poses."""

    ids: tuple[int, int]
    things: tuple[SceneThing, SceneThing]
    poses: tuple[Pose, Pose]
    names: Mapping[int, str] = NO_NAMES
    """Of objects, by their ids."""

    @classmethod
    def of(cls, scene: Members, a: int, b: int) -> "ObjectPair":
        """The pair of two ids."""
        members = scene.member(a), scene.member(b)
        return cls(
            (a, b),
            (members[0].thing, members[1].thing),
            (Pose(members[0].rows), Pose(members[1].rows)),
            scene.names,
        )

    @property
    def enclosed(self) -> int | None:
        """The side of the cloud, where the other one is a closed mesh."""
        for side, other in ((0, self.things[1]), (1, self.things[0])):
            mesh = other.mesh if isinstance(other, Hierarchy) else other
            if isinstance(self.things[side], PointCloud) and isinstance(mesh, TriangleMesh) and mesh.is_closed:
                return side
        return None

    @property
    def in_memory(self) -> tuple[Thing, Thing]:
        """Both, of a pair without clustered meshes."""
        first, second = self.things
        assert not isinstance(first, ClusteredMesh) and not isinstance(second, ClusteredMesh)
        return first, second

    @property
    def is_clustered(self) -> bool:
        """Whether one of them is a clustered mesh."""
        return any(isinstance(thing, ClusteredMesh) for thing in self.things)
