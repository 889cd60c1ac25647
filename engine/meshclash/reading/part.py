"""What a file is read as: parts with names, poses and properties, which may share their shapes."""

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
        triangles: (m, 3) int32; None for points, which sample a surface.
        normals: of points, (n, 3), or None.
        resolution: how finely the coordinates are known [m]; None: as single precision stores them.
    """

    vertices: np.ndarray
    triangles: np.ndarray | None = None
    normals: np.ndarray | None = None
    resolution: float | None = None
    made: dict[bytes, Any] = field(default_factory=dict, repr=False)
    """Meshes and clouds by the part of a matrix that is baked into them."""

    @cached_property
    def digest(self) -> str:
        """Sixteen hexadecimal digits of its numbers."""
        digest = hashlib.sha256(np.ascontiguousarray(self.vertices).tobytes())
        digest.update(b"-" if self.triangles is None else np.ascontiguousarray(self.triangles).tobytes())
        return digest.hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class MeshPart:
    """One object of a file: ``scene.add(part.mesh, part.pose, name=part.name)`` takes it into a scene.

    Attributes:
        name: as the file has it, unique in it.
        mesh: a ``TriangleMesh``, or a ``PointCloud`` of points, that knows how finely its coordinates are known.
        pose: where it is.
        shape: its triangles or points; parts that are instances share one.
        matrix: (4, 4) float64 from its frame to the world [m], z up.
        properties: what the file says of it: of IFC ``GlobalId``, ``class``, ``type``, ``storey``, ``system``.
        groups: names of what it is in: the file, and what the file has above it.
    """

    name: str
    shape: PartShape
    matrix: np.ndarray
    properties: Mapping[str, str] = field(default_factory=dict)
    groups: tuple[str, ...] = ()

    @property
    def mesh(self) -> TriangleMesh | PointCloud:
        """The engine's mesh or cloud, with scale and shear of the matrix baked in; instances share it."""
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
        """The rigid rest of the matrix."""
        return split_matrix(self.matrix)[0]


@dataclass(frozen=True)
class Parts(Sequence[MeshPart]):
    """The parts of a file, in its order.

    Attributes:
        path: the file.
        metres: of the file's unit.
        unit_known: whether the file names its unit; else ``metres`` was assumed or told.
        items: the parts.
        left_out: (name, reason) of geometry that is lost: the file has it, and it could not be understood.
        no_geometry: how many objects of the file have nothing to collide with, by kind, as ``{"camera": 1}``.
        tessellation: most that triangles may be from the surfaces that they stand for [m]; 0 of files of triangles.

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
        """The longest side of the box around everything [m]."""
        box = self.box
        return 0.0 if box is None else float((box[1] - box[0]).max())

    @property
    def box(self) -> np.ndarray | None:
        """(2, 3) [m] The box around everything; None where there is nothing."""
        corners = [part.shape.vertices @ part.matrix[:3, :3].T + part.matrix[:3, 3] for part in self.items]
        if not corners:
            return None
        low = np.min([points.min(axis=0) for points in corners], axis=0)
        return np.array([low, np.max([points.max(axis=0) for points in corners], axis=0)])


def unique_names(names: Sequence[str]) -> list[str]:
    """Names that occur more than once get numbers from the second on: "Bolt", "Bolt (2)"."""
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
