"""One object of a scene, and preparing many of them in slices."""

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ..hierarchy.build import as_boxes
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..pointcloud.cloud import PointCloud
from ..query.table import MESH, Kind, SceneThing, kind_of
from ..types.mesh import TriangleMesh
from ..types.results import Progress
from ..types.slices import Slice
from .pose_table import PoseTable


@dataclass
class Member:
    """One object of a scene."""

    thing: SceneThing
    poses: PoseTable
    slot: int
    """Of its pose and revision."""
    given_resolution: float | None = None
    """How finely its world coordinates are known [m]; None: as finely as those of the mesh."""

    @property
    def kind(self) -> Kind:
        """What it is to a question."""
        kind = kind_of(self.thing)
        assert kind is not None
        return kind

    @property
    def is_cloud(self) -> bool:
        """Whether it is a point cloud."""
        return isinstance(self.thing, PointCloud)

    @property
    def is_special(self) -> bool:
        """Whether its pairs are asked one by one: it is no mesh in memory."""
        return self.kind is not MESH

    @property
    def mesh(self) -> MeshLike:
        """What it is, of a mesh in memory."""
        assert isinstance(self.thing, MeshLike)
        return self.thing

    @property
    def rows(self) -> np.ndarray:
        """Its pose, (3, 4) float64, as it is now."""
        return self.poses.rows[self.slot].copy()

    @property
    def revision(self) -> int:
        """Grows whenever the object moves or deforms."""
        return int(self.poses.revisions[self.slot])

    @property
    def bounds(self) -> np.ndarray:
        """In its own coordinates, (2, 3) float64 [m]; of a cloud with what its surface may reach beyond its points."""
        if isinstance(self.thing, PointCloud):
            margin = self.thing.lengths.margin
            return self.thing.bounds + np.array([[-margin], [margin]])
        return self.triangles.bounds if isinstance(self.thing, MeshLike) else self.thing.bounds

    @property
    def resolution(self) -> float:
        """How finely its world coordinates are known [m]; 0 of a special one for which none was given."""
        if self.given_resolution is None and self.is_special:
            return 0.0
        return self.triangles.resolution if self.given_resolution is None else self.given_resolution

    @property
    def triangles(self) -> TriangleMesh:
        """The mesh itself, of one in memory."""
        return self.mesh.mesh if isinstance(self.mesh, Hierarchy) else self.mesh


def prepare_steps(
    members: Sequence[Member], steps_of: Callable[[Hierarchy], Iterable[object]], share: float, text: str
) -> Generator[Progress, None, list[Hierarchy]]:
    """The hierarchies of objects, after what ``steps_of`` prepares of each, in slices up to a share of the whole."""
    hierarchies = []
    piece = Slice()
    for done, member in enumerate(members):
        hierarchies.append(as_boxes(member.mesh))
        for _ in chain(steps_of(hierarchies[-1]), [None]):
            if piece.over:
                yield Progress(share * done / len(members), f"{text} {done + 1} of {len(members)}")
                piece = Slice()
    return hierarchies
