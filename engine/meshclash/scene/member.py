"""``Member``: one object of a scene. Also prepares many meshes in slices."""

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ..hierarchy.build import as_boxes
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..messages import counting
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
    """Slot of its pose and revision in ``poses``."""
    given_resolution: float | None = None
    """Resolution of the object's world coordinates [m]; None: the resolution of the mesh."""

    @property
    def kind(self) -> Kind:
        """Its kind in the query table."""
        kind = kind_of(self.thing)
        assert kind is not None
        return kind

    @property
    def is_cloud(self) -> bool:
        """Whether the object is a point cloud."""
        return isinstance(self.thing, PointCloud)

    @property
    def is_special(self) -> bool:
        """Whether the object is not a mesh in memory; its pairs are then compared one by one."""
        return self.kind is not MESH

    @property
    def mesh(self) -> MeshLike:
        """The mesh or hierarchy; only for meshes in memory."""
        assert isinstance(self.thing, MeshLike)
        return self.thing

    @property
    def rows(self) -> np.ndarray:
        """A copy of its current pose, (3, 4) float64."""
        return self.poses.rows[self.slot].copy()

    @property
    def revision(self) -> int:
        """A number that grows whenever the object moves or deforms."""
        return int(self.poses.revisions[self.slot])

    @property
    def bounds(self) -> np.ndarray:
        """Bounds in its own coordinates, (2, 3) float64 [m].

        The bounds of a cloud include the margin by which its surface may extend beyond its points, and its resolution.
        """
        if isinstance(self.thing, PointCloud):
            margin = max(self.thing.lengths.margin, self.thing.resolution)
            return self.thing.bounds + np.array([[-margin], [margin]])
        return self.triangles.bounds if isinstance(self.thing, MeshLike) else self.thing.bounds

    @property
    def radius(self) -> float:
        """Largest distance of the object's vertices from the centre of its bounds [m]; infinite unless the object is a
        mesh in memory.
        """
        return np.inf if self.is_special else radius_of(self.triangles)

    @property
    def resolution(self) -> float:
        """Resolution of its world coordinates [m]; 0 for a cloud or clustered mesh without a given resolution."""
        if self.given_resolution is None and self.is_special:
            return 0.0
        return self.triangles.resolution if self.given_resolution is None else self.given_resolution

    @property
    def triangles(self) -> TriangleMesh:
        """The ``TriangleMesh``; only for meshes in memory."""
        return self.mesh.mesh if isinstance(self.mesh, Hierarchy) else self.mesh


def radius_of(mesh: TriangleMesh) -> float:
    """Return the largest distance of a mesh's vertices from the centre of its bounds [m]; cached with the mesh."""
    if "radius" not in mesh.derived:
        offsets = mesh.vertices - 0.5 * (mesh.bounds[0] + mesh.bounds[1])
        if mesh.used_vertices is not None:
            offsets = offsets[mesh.used_vertices]
        mesh.derived["radius"] = float(np.sqrt(np.einsum("nk,nk->n", offsets, offsets).max()))
    radius: float = mesh.derived["radius"]
    return radius


def prepare_steps(
    meshes: Sequence[MeshLike], steps_of: Callable[[Hierarchy], Iterable[object]], share: float, text: str
) -> Generator[Progress, None, list[Hierarchy]]:
    """Build the hierarchies of meshes and run ``steps_of`` on each mesh, in slices.

    The progress goes from 0 to ``share``; its text is ``text`` with the number of the mesh.
    """
    hierarchies = []
    piece = Slice()
    for done, mesh in enumerate(meshes):
        hierarchies.append(as_boxes(mesh))
        for _ in chain(steps_of(hierarchies[-1]), [None]):
            if piece.over:
                yield Progress(share * done / len(meshes), counting(text, done + 1, len(meshes)))
                piece = Slice()
    return hierarchies
