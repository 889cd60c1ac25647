"""The scene of one frame as plain arrays, as adapters pass it to the detection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol, overload

import numpy as np

from ..types.results import Progress
from .errors import UnusableObject

NO_SURFACE_OF_SCANS = "a scan has no faces that could cross each other"
NO_MASSIVE = "this test does not read massive files; Intersection, Clearance and Distance do"


@dataclass(frozen=True)
class Skipped:
    """An object that could not be tested, and the reason."""

    name: str
    reason: str
    lost: bool = False
    """Whether the object should have been tested, but its geometry could not be read. If false, the object has no
    geometry, or none that the test uses."""


@dataclass(frozen=True)
class MassiveFile:
    """A clustered mesh on disk, which is tested instead of the object's own mesh.

    Attributes:
        path: path of the file.
        header: the first bytes of the file, which include a checksum of the rest: equal headers mean equal meshes.
        triangles: number of triangles in the file.
    """

    path: str
    header: bytes
    triangles: int


@dataclass(frozen=True, eq=False)
class SourceMesh:
    """An evaluated mesh in its object's coordinates.

    Attributes:
        vertices: (n, 3) float32 or float64, scene units.
        triangles: (m, 3) int32 vertex indices.
        face_of_triangle: (m,) int32, the face that each triangle is a part of.
        faces_are_original: whether the face indices are also valid for the mesh before modifiers.
        resolution: precision of the coordinates [scene units]; None: single precision.
        file: the massive file to test; in this case the arrays are the box around its mesh, and a face is a triangle of
            the file.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    face_of_triangle: np.ndarray
    faces_are_original: bool = False
    resolution: float | None = None
    file: MassiveFile | None = None

    @property
    def triangle_count(self) -> int:
        """Number of triangles that are tested."""
        return len(self.triangles) if self.file is None else self.file.triangles

    def is_like(self, other: SourceMesh) -> bool:
        """Return whether another mesh has the same triangles and vertices."""
        same = (np.array_equal(getattr(self, part), getattr(other, part)) for part in ("triangles", "vertices"))
        return self.file == other.file and all(same)

    @cached_property
    def largest(self) -> float:
        """The largest absolute coordinate."""
        return float(max(-self.vertices.min(), self.vertices.max()))


@dataclass(frozen=True, eq=False)
class SourceCloud:
    """The points of a scan in its object's coordinates.

    Attributes:
        points: (n, 3) float32, scene units.
        normals: (n, 3) float32 of any length above 0, or None.
        radius: radius of the balls as which the points are drawn, scene units; 0 for dots.
    """

    points: np.ndarray
    normals: np.ndarray | None = None
    radius: float = 0.0


@dataclass(frozen=True, eq=False)
class SourceObject:
    """One object or one instance.

    Attributes:
        name: name of the object in the report, unique within the frame.
        identity: a value that is the same in every frame and every run.
        mesh_key: objects with equal keys share one mesh, or one cloud, of the frame.
        matrix: (4, 4) float64, object space to world, scene units.
        owner: the object of the scene to select: the object itself, or the instancer of an instance.
        source: the object to which the mesh belongs; differs from `owner` for instances.
        in_a: whether the object belongs to set A.
        in_b: whether the object belongs to set B.
        parent: parent of the object, or the instancer of an instance.
        armatures: the armatures that deform or carry the object.
        collections: the collections of the object (or its instancer), without the scene's root collection.
        shell: whether the user declares that the object has no inside.
        properties: properties from the file, for IFC `GlobalId`, `class`, `type`, `storey`, `system`.
        models: names of the models that contain the object; empty for a scene of an application.
        own_name: name of the object in its own file; "" if `name` is the same.
    """

    name: str
    identity: str
    mesh_key: Hashable
    matrix: np.ndarray
    owner: str
    source: str
    in_a: bool = True
    in_b: bool = True
    parent: str | None = None
    armatures: frozenset[str] = frozenset()
    collections: frozenset[str] = frozenset()
    shell: bool = False
    properties: Mapping[str, str] = field(default_factory=dict)
    models: tuple[str, ...] = ()
    own_name: str = ""

    @property
    def told_properties(self) -> dict[str, str]:
        """Properties of the object: those of its file, its collections, and its sub-assembly."""
        found = {"collection": ", ".join(sorted(self.collections))} if self.collections else {}
        found |= {"assembly": self.parent} if self.parent else {}
        return {**found, **self.properties}

    def moved(self, matrix: np.ndarray) -> SourceObject:
        """Return the object with another matrix, ten times faster than `replace`."""
        other = object.__new__(SourceObject)
        other.__dict__.update(self.__dict__, matrix=matrix)
        return other

    @property
    def told(self) -> tuple[str, str, str]:
        """Return the data of the object that rows store."""
        return self.name, self.owner, self.source


class Roster:
    """Objects of which only the matrices change from frame to frame.

    Attributes:
        items: the objects. The matrices of these objects are those of the frame in which they were read.
    """

    def __init__(self, items: Iterable[SourceObject]) -> None:
        self.items = tuple(items)

    @cached_property
    def uses(self) -> Counter[Hashable]:
        """Number of objects that share each mesh, by mesh key."""
        return Counter(item.mesh_key for item in self.items)

    @cached_property
    def letters(self) -> np.ndarray:
        """Whether each object belongs to set A and to set B, (n, 2) bool."""
        return np.array([(item.in_a, item.in_b) for item in self.items], np.bool_).reshape(-1, 2)


class ObjectColumns(Sequence[SourceObject]):
    """The objects of a frame: a roster and a column of matrices.

    If objects only move from one frame to the next, both frames share the roster, so moving objects needs no Python
    code for each object. An item of the sequence is created when it is accessed.

    Args:
        roster: the objects.
        matrices: (n, 4, 4) float64 matrices of the objects in this frame; the array is never changed in place.
    """

    def __init__(self, roster: Roster, matrices: np.ndarray) -> None:
        self.roster, self.matrices = roster, matrices

    @classmethod
    def of(cls, items: Sequence[SourceObject]) -> ObjectColumns:
        """Return objects as columns; if they are columns already, return the same object."""
        if isinstance(items, ObjectColumns):
            return items
        return cls(Roster(items), np.array([item.matrix for item in items], np.float64).reshape(-1, 4, 4))

    def __len__(self) -> int:
        return len(self.roster.items)

    @overload
    def __getitem__(self, index: int) -> SourceObject: ...
    @overload
    def __getitem__(self, index: slice) -> list[SourceObject]: ...
    def __getitem__(self, index: int | slice) -> SourceObject | list[SourceObject]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        return self.roster.items[index].moved(self.matrices[index])


@dataclass
class FrameScene:
    """All objects of one frame that take part in a detection.

    Attributes:
        frame: the frame.
        objects: the objects with triangles.
        meshes: meshes of `objects`, by their keys.
        skipped: the objects that are not tested.
        scans: the objects that have only points.
        clouds: point clouds of `scans`, by their keys.
        no_geometry: number of objects without geometry, by type, as ``{"camera": 1}``.
    """

    frame: int
    objects: Sequence[SourceObject] = field(default_factory=list)
    meshes: dict[Hashable, SourceMesh] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    scans: Sequence[SourceObject] = field(default_factory=list)
    clouds: dict[Hashable, SourceCloud] = field(default_factory=dict)
    no_geometry: Counter[str] = field(default_factory=Counter)

    @property
    def massive(self) -> list[SourceObject]:
        """The objects that are massive files."""
        if all(mesh.file is None for mesh in self.meshes.values()):
            return []
        return [item for item in self.objects if self.meshes[item.mesh_key].file is not None]


def for_test(frame: FrameScene, of_pairs: bool, takes_massive: bool) -> FrameScene:
    """Return the part of a frame that a test can handle.

    Args:
        frame: everything.
        of_pairs: False leaves scans out.
        takes_massive: False leaves massive files out.

    Returns:
        The frame, with the objects that the test does not support among `skipped`.
    """
    if not of_pairs and frame.scans:
        skipped = [*frame.skipped, *(Skipped(item.name, NO_SURFACE_OF_SCANS) for item in frame.scans)]
        frame = replace(frame, scans=[], clouds={}, skipped=skipped)
    massive = frame.massive
    if takes_massive or not massive:
        return frame
    skipped = [*frame.skipped, *(Skipped(item.name, NO_MASSIVE, lost=True) for item in massive)]
    objects = [item for item in frame.objects if frame.meshes[item.mesh_key].file is None]
    return replace(frame, objects=objects, skipped=skipped)


def refuse_lost(skipped: Iterable[Skipped]) -> None:
    """Raise an error if an object could not be read, for queries whose result would be wrong without it.

    Raises:
        InputError: an object is lost; the message names it.
    """
    for item in skipped:
        if item.lost:
            raise UnusableObject(item.name, item.reason)


class SceneSource(Protocol):
    """Source of the scene: files, or the scene of an application."""

    file: str
    scale_length: float

    def read_steps(self, set_a: str, set_b: str, frame: int | None) -> Generator[Progress, None, FrameScene]:
        """Go to `frame` (None: stay at the current frame) and read the two sets.

        Raises:
            InputError: a set is wrong or empty.
        """
        ...

    def restore(self) -> None:
        """Restore the frame at which the source was created; can be called at any time."""
        ...
