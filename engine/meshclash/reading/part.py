"""Parts of a file, with names, poses and properties; parts may share their shapes."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np

from ..pointcloud.cloud import PointCloud
from ..types.affine import split_matrix
from ..types.mesh import TriangleMesh
from ..types.pose import Pose


@dataclass(frozen=True, eq=False)
class PartShape:
    """The triangles or points of parts, in their own frame.

    Attributes:
        vertices: (n, 3) float64 [m].
        triangles: (m, 3) int32; None for points, which are samples of a surface.
        normals: (n, 3) normals of points, or None.
        resolution: maximum error of the coordinates [m]; None for coordinates in single precision.
    """

    vertices: np.ndarray
    triangles: np.ndarray | None = None
    normals: np.ndarray | None = None
    resolution: float | None = None
    made: dict[bytes, Any] = field(default_factory=dict, repr=False)
    """Cached meshes and clouds, by the scale and shear that are applied to them."""

    @cached_property
    def digest(self) -> str:
        """Return a hash of the shape's arrays, sixteen hexadecimal digits."""
        digest = hashlib.sha256(np.ascontiguousarray(self.vertices).tobytes())
        digest.update(b"-" if self.triangles is None else np.ascontiguousarray(self.triangles).tobytes())
        return digest.hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class MeshPart:
    """One object of a file. ``scene.add(part.mesh, part.pose, name=part.name)`` adds a part to a scene.

    Attributes:
        name: name from the file, made unique.
        mesh: a ``TriangleMesh`` with the resolution of its coordinates, or a ``PointCloud``.
        pose: pose of the mesh in the world.
        shape: triangles or points of the part; instances share a shape.
        matrix: (4, 4) float64 from its frame to the world [m], z up.
        properties: properties from the file, such as ``GlobalId``, ``class``, ``type``, ``storey``, ``system``
            of IFC.
        groups: names of the groups that contain the part: the file, and its parents in the file.
    """

    name: str
    shape: PartShape
    matrix: np.ndarray
    properties: Mapping[str, str] = field(default_factory=dict)
    groups: tuple[str, ...] = ()

    @property
    def mesh(self) -> TriangleMesh | PointCloud:
        """The mesh or cloud, with scale and shear of the matrix applied; instances share it."""
        stretch = split_matrix(self.matrix)[1]
        key = b"" if stretch is None else stretch.tobytes()
        if key not in self.shape.made:
            shape, vertices, resolution = self.shape, self.shape.vertices, self.shape.resolution or 0.0
            if stretch is not None:
                vertices = vertices @ np.asarray(stretch)[:3, :3].T + np.asarray(stretch)[:3, 3]
                resolution *= float(np.linalg.norm(np.asarray(stretch)[:3, :3], 2))
            made: TriangleMesh | PointCloud
            if shape.triangles is None:
                made = PointCloud(vertices, shape.normals if stretch is None else None)
            else:
                made = TriangleMesh(vertices, shape.triangles, resolution=resolution)
            self.shape.made[key] = made
        return self.shape.made[key]

    @property
    def pose(self) -> Pose:
        """The matrix without scale and shear."""
        return split_matrix(self.matrix)[0]


@dataclass(frozen=True)
class Parts(Sequence[MeshPart]):
    """The parts of a file, in its order.

    Attributes:
        path: the file.
        metres: length of the file's unit in metres.
        unit_known: whether the file states its unit; otherwise ``metres`` is the caller's or the default.
        items: the parts.
        left_out: (name, reason) of geometry in the file that could not be read.
        no_geometry: numbers of objects without geometry that could collide, by kind, as ``{"camera": 1}``.
        tessellation: largest distance of triangles from the surfaces they approximate [m]; 0 for files of triangles.

    Every object that the reader found is in one of ``items``, ``left_out`` and ``no_geometry``.
    """

    path: Path
    metres: float
    unit_known: bool
    items: tuple[MeshPart, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    no_geometry: Mapping[str, int] = field(default_factory=dict)
    tessellation: float = 0.0

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, index: int) -> MeshPart: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[MeshPart, ...]: ...
    def __getitem__(self, index: int | slice) -> MeshPart | tuple[MeshPart, ...]:
        return self.items[index]

    def __iter__(self) -> Iterator[MeshPart]:
        return iter(self.items)

    @property
    def size(self) -> float:
        """The longest side of the bounding box of all parts [m]."""
        box = self.box
        return 0.0 if box is None else float((box[1] - box[0]).max())

    @property
    def box(self) -> np.ndarray | None:
        """The bounding box of all parts, (2, 3) [m]; None for an empty list."""
        corners = [part.shape.vertices @ part.matrix[:3, :3].T + part.matrix[:3, 3] for part in self.items]
        if not corners:
            return None
        low = np.min([points.min(axis=0) for points in corners], axis=0)
        return np.array([low, np.max([points.max(axis=0) for points in corners], axis=0)])


def unique_names(names: Sequence[str]) -> list[str]:
    """Make names unique by numbering repeated names from the second on: "Bolt", "Bolt (2)"."""
    taken, made = set(names), list[str]()
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique = name
        while seen[name] > 1:
            unique = f"{name} ({seen[name]})"
            if unique not in taken:
                taken.add(unique)
                break
            seen[name] += 1
        made.append(unique)
    return made
