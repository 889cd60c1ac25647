"""Compute the common solid of two clashing objects, to draw, measure and frame it."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ...errors import InvalidMesh, InvalidPose, NotASolid, UnsupportedOption
from ...messages import Sentence
from ...query.options import check_length
from ...types.foreign_meshes import ForeignMesh, as_own
from ...types.mesh import TriangleMesh, no_mesh
from ...types.pose import PoseLike, every_pose, transform_points


class Interference(NamedTuple):
    """The common solid of two objects: the volume that lies inside both of them.

    Attributes:
        mesh: surface of the common solid in the world [m]; None if the library finds no volume.
        volume: [m3], correct up to rounding errors in double precision; it is not a proved bound.
    """

    mesh: TriangleMesh | None
    volume: float

    @property
    def box(self) -> np.ndarray | None:
        """The lowest and the highest corner of the bounding box, (2, 3) [m]; None if the two objects have no common
        volume.
        """
        return None if self.mesh is None else self.mesh.bounds

    @property
    def sides(self) -> np.ndarray:
        """The side lengths of the bounding box, (3,) [m], the longest first. If the two objects have no common volume,
        all side lengths are 0.
        """
        return np.zeros(3) if self.box is None else np.sort(self.box[1] - self.box[0])[::-1]

    def contradicts(self, depth: float | None) -> bool:
        """Return whether this solid is smaller than a ball that is proved to lie inside both objects. If the solid is
        smaller than the ball, the solid was computed wrongly.

        Args:
            depth: diameter of the ball [m], as in verdicts; None without a ball.
        """
        if depth is None:
            return False
        depth = check_length("depth", depth)
        return check_length("volume", self.volume) < np.pi / 6.0 * depth * depth * depth * (1.0 - 1e-6)


def interference(
    a: TriangleMesh | ForeignMesh, b: TriangleMesh | ForeignMesh, pose_a: PoseLike = None, pose_b: PoseLike = None
) -> Interference:
    """Compute the common solid of two closed meshes with the library manifold3d.

    The function first welds vertices at the same position and orients the faces consistently. To keep the full
    precision of the coordinates, the function also moves both meshes near the origin.

    Args:
        a, b: meshes.
        pose_a, pose_b: poses, as for ``verdict``; one pose each.

    Raises:
        NotASolid: a mesh is open, or more than two faces share an edge, so its volume is undefined.
        UnsupportedOption: manifold3d is not installed.
        InvalidMesh, InvalidPose: the arguments are not meshes or poses.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> box = mc.shapes.box(1.0)
        >>> pose = np.eye(4)
        >>> pose[0, 3] = 0.5
        >>> round(mc.clash.interference(box, box, pose_b=pose).volume, 9)
        0.5
    """
    library = _library()
    meshes = [as_own(mesh) for mesh in (a, b)]
    for mesh, name in zip(meshes, "ab", strict=True):
        if not isinstance(mesh, TriangleMesh):
            raise InvalidMesh(f"{name}: {no_mesh(mesh, 'a TriangleMesh')}")
    rows_a, rows_b, stacked = every_pose(pose_a, pose_b)
    if stacked:
        raise InvalidPose("common_solid takes one pose for each mesh, not a stack")
    placed = [transform_points(rows[0], mesh.vertices) for mesh, rows in zip(meshes, (rows_a, rows_b), strict=True)]
    origin = np.maximum(placed[0].min(axis=0), placed[1].min(axis=0))
    first, second = (
        _solid(library, mesh, points - origin, name) for mesh, points, name in zip(meshes, placed, "ab", strict=True)
    )
    common = first ^ second
    if common.is_empty():
        return Interference(None, 0.0)
    found = common.to_mesh64()
    mesh = TriangleMesh(np.array(found.vert_properties)[:, :3] + origin, np.array(found.tri_verts, np.int64))
    return Interference(mesh, max(float(common.volume()), 0.0))  # of what is as thin as roundings it may be below 0


def _library() -> ModuleType:
    try:
        return import_module("manifold3d")
    except ImportError as error:
        raise UnsupportedOption("common_solid needs the package manifold3d: pip install 'meshclash[solids]'") from error


def _solid(library: ModuleType, mesh: Any, points: np.ndarray, name: str) -> Any:
    """Return the solid of a mesh with moved vertices; raises NotASolid."""
    topology = mesh.topology
    if not mesh.is_closed:
        raise NotASolid(
            Sentence("{name} is not closed, so its common volume with another object is unknown", name=name)
        )
    triangles = topology.welded[mesh.triangles]
    triangles = np.where(topology.orientation[:, None] < 0, triangles[:, ::-1], triangles)
    p, q, r = (points[triangles[:, k]] for k in range(3))
    if (np.cross(p, q) * r).sum() < 0.0:
        triangles = triangles[:, ::-1]
    flat = (triangles == np.roll(triangles, 1, axis=1)).any(axis=1)  # welding has left no area
    solid = library.Manifold(library.Mesh64(points, np.ascontiguousarray(triangles[~flat], np.uint64)))
    if solid.status() != library.Error.NoError:
        raise NotASolid(
            Sentence("{name} is not manifold: more than two of its faces meet at an edge, or it is flat", name=name)
        )
    return solid
