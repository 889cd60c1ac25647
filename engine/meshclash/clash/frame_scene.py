"""The scene of one frame as plain arrays: what an adapter hands to the detection job."""

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
    """An object that could not take part, and why."""

    name: str
    reason: str
    lost: bool = False
    """Whether it should have taken part: its geometry was not understood. Else it has none, or none that is asked."""


@dataclass(frozen=True)
class MassiveFile:
    """A clustered mesh on disk, which is tested in place of an object's own mesh.

    Attributes:
        path: of the file.
        header: its first bytes, which have a checksum of everything else: equal headers, equal meshes.
        triangles: how many it has.
    """

    path: str
    header: bytes
    triangles: int


@dataclass(frozen=True, eq=False)
class SourceMesh:
    """An evaluated mesh in its object's space.

    Attributes:
        vertices: (n, 3) float32 or float64, scene units.
        triangles: (m, 3) int32 vertex indices.
        face_of_triangle: (m,) int32, the face that each triangle is a part of.
        faces_are_original: whether the face indices hold for the mesh before modifiers, too.
        resolution: how finely the coordinates are known [scene units]; None: as single precision stores them.
        file: what is tested; then the arrays are the box around it, and a face is a triangle of the file.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    face_of_triangle: np.ndarray
    faces_are_original: bool = False
    resolution: float | None = None
    file: MassiveFile | None = None

    @property
    def triangle_count(self) -> int:
        """How many triangles are tested."""
        return len(self.triangles) if self.file is None else self.file.triangles

    def is_like(self, other: SourceMesh) -> bool:
        """Whether another mesh has the same triangles and vertices."""
        same = (np.array_equal(getattr(self, part), getattr(other, part)) for part in ("triangles", "vertices"))
        return self.file == other.file and all(same)

    @cached_property
    def largest(self) -> float:
        """The largest absolute coordinate."""
        return float(max(-self.vertices.min(), self.vertices.max()))


@dataclass(frozen=True, eq=False)
class SourceCloud:
    """The points of a scan in its object's space.

    Attributes:
        points: (n, 3) float32, scene units.
        normals: (n, 3) float32 of any length above 0, or None.
        radius: of the balls as which they are drawn, scene units; 0 where they are drawn as dots.
    """

    points: np.ndarray
    normals: np.ndarray | None = None
    radius: float = 0.0


@dataclass(frozen=True, eq=False)
class SourceObject:
    """One object or one instance.

    Attributes:
        name: unique within the frame; what the report shows.
        identity: the same in every frame and every run.
        mesh_key: objects with equal keys share one mesh, or one cloud, of the frame.
        matrix: (4, 4) float64, object space to world, scene units.
        owner: the object of the scene to select: itself, or the instancer of an instance.
        source: the object whose mesh it is; differs from `owner` for instances.
        in_a: whether it belongs to set A.
        in_b: whether it belongs to set B.
        parent: its parent, or the instancer of an instance.
        armatures: the armatures that deform or carry it.
        collections: the collections that it (or its instancer) is in, without the scene's root.
        shell: whether the user says that nothing lies inside it.
        properties: what its file says of it: of IFC `GlobalId`, `class`, `type`, `storey`, `system`.
        models: the names of the models that hold it; none in a scene of an application.
        own_name: as its file has it, whatever other files have; "" where `name` is that.
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
        """What its file says of it, its collections, and the sub-assembly that it is a part of."""
        found = {"collection": ", ".join(sorted(self.collections))} if self.collections else {}
        found |= {"assembly": self.parent} if self.parent else {}
        return {**found, **self.properties}

    def moved(self, matrix: np.ndarray) -> SourceObject:
        """Return the object with another matrix, in a tenth of the time of `replace`."""
        other = object.__new__(SourceObject)
        other.__dict__.update(self.__dict__, matrix=matrix)
        return other

    @property
    def told(self) -> tuple[str, str, str]:
        """What rows tell of it."""
        return self.name, self.owner, self.source


class Roster:
    """Objects of which only the matrices change from frame to frame.

    Attributes:
        items: the objects. Their own matrices are those of the frame in which they were read.
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

    A frame in which objects only move shares the roster of the frame before, so moving costs no Python for each object.
    An item of the sequence is made when it is asked for.

    Args:
        roster: the objects.
        matrices: (n, 4, 4) float64 their matrices in this frame, never changed in place.
    """

    def __init__(self, roster: Roster, matrices: np.ndarray) -> None:
        self.roster, self.matrices = roster, matrices

    @classmethod
    def of(cls, items: Sequence[SourceObject]) -> ObjectColumns:
        """Return objects as columns; the same ones if they are columns already."""
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
    """Everything of one frame that takes part in a detection.

    Attributes:
        frame: the frame.
        objects: what has triangles.
        meshes: of `objects`, by their keys.
        skipped: what takes no part.
        scans: what has points only.
        clouds: of `scans`, by their keys.
        no_geometry: how many objects have nothing to collide with, by kind, as ``{"camera": 1}``.
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
        """Those of `objects` that stand for a file."""
        if all(mesh.file is None for mesh in self.meshes.values()):
            return []
        return [item for item in self.objects if self.meshes[item.mesh_key].file is not None]


def for_test(frame: FrameScene, of_pairs: bool, takes_massive: bool) -> FrameScene:
    """What of a frame a test can be asked about.

    Args:
        frame: everything.
        of_pairs: False leaves scans out.
        takes_massive: False leaves massive files out.

    Returns:
        The frame, with what was left out among `skipped`.
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
    """For questions whose answer would be wrong without one of the objects.

    Raises:
        InputError: one is lost; the message names it.
    """
    for item in skipped:
        if item.lost:
            raise UnusableObject(item.name, item.reason)


class SceneSource(Protocol):
    """Where the scene comes from: files, or the scene of an application."""

    file: str
    scale_length: float

    def read_steps(self, set_a: str, set_b: str, frame: int | None) -> Generator[Progress, None, FrameScene]:
        """Goes to `frame` (None = stays) and reads the two sets.

        Raises:
            InputError: a set is wrong or empty.
        """
        ...

    def restore(self) -> None:
        """Puts back the frame at which the source was made; safe to call at any time."""
        ...
