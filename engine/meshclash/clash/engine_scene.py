"""Keep a scene of the engine equal to the frames that are read: add, move, deform and remove objects."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Generator, Hashable, Iterable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..errors import InvalidPose
from ..messages import Sentence
from ..types.slices import portions
from .cloud_scene import PlacedCloud
from .errors import UnusableObject
from .frame_scene import FrameScene, Progress, Skipped, SourceMesh, SourceObject
from .placed_mesh import engine_mesh, split_matrices, split_matrix
from .rules import KeepMask, Rules, keep_mask

_SCAN, _MASSIVE = 1, 4  # no two other kinds add up to as much
PLACED_TO = 2.0**-20
"""How finely the place of a part in a whole is known, as a share of the whole: 16 units in the last place of single
precision. Programs compute it through the frames of a chain of assemblies, with roundings of the whole's size in each,
before it is stored; of a small part that is much more than the roundings of the source."""
MOVED_AT_ONCE = 256
"""Objects, in one step."""
_NO_STRETCH = np.eye(4)
NO_SCANS = "its massive file was compared with meshes, but not with scans"


class _Placed(NamedTuple):
    """An object of the engine's scene, and the data from which it was created."""

    id: int
    item: SourceObject
    mesh: SourceMesh
    pose: np.ndarray
    """(4, 4)."""
    stretch: bytes
    """The part of the matrix that no rigid pose can hold, baked into the vertices; empty when there is none."""
    known: float
    """How finely its world coordinates are stored [scene units]."""
    reach: float
    """What none of them exceeds [scene units]."""
    resolution: float = 0.0
    """How finely the engine was told that they are known, 0 where that is too coarse."""
    shared: bool = False
    """Whether other objects have the same engine mesh."""

    @property
    def shape_key(self) -> tuple[Hashable, bytes, bool]:
        """Return the key under which objects with the same mesh and stretch share one engine mesh and one hierarchy."""
        return self.item.mesh_key, self.stretch, self.item.shell

    def differs(self, other: _Placed) -> bool:
        """Return whether the current data of the object differs from the stored data."""
        return (self.item, self.mesh, self.resolution, self.shared) != (
            other.item, other.mesh, other.resolution, other.shared,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Shape:
    """The mesh and the pose of an object in the engine's scene.

    Attributes:
        mesh: as it was read.
        built: the engine's mesh.
        stretch: (4, 4) the part of the matrix that is baked into it.
        matrix: (4, 4) of the object.
        shell: whether the user says that nothing lies inside it.
    """

    mesh: SourceMesh
    built: Any
    stretch: np.ndarray
    matrix: np.ndarray
    shell: bool = False


class EngineScene:
    """The engine's scene, with the links between its ids and the objects of the current frame.

    Args:
        engine: the meshclash module.
    """

    def __init__(self, engine: ModuleType) -> None:
        self._engine = engine
        self.scene = engine.Scene()
        self.objects: dict[int, SourceObject] = {}
        self.meshes: dict[Hashable, SourceMesh] = {}
        self.built = 0
        """Objects that the last update added or rebuilt."""
        self.skipped: list[Skipped] = []
        """Objects of the last update that the engine cannot take."""
        self.scans: dict[int, PlacedCloud] = {}
        """What is a scan, by the engine's id; it is in `objects`, too."""
        self.resolutions: dict[int, float] = {}
        """How finely the world coordinates of each object are known [scene units], by the engine's id."""
        self._placed: dict[str, _Placed] = {}

    def update_steps(
        self, frame: FrameScene, coarsest: float = math.inf, misplaced: float = 0.0
    ) -> Generator[Progress, None, None]:
        """Update the engine's scene to `frame`; yields after each object that is built, and after groups of objects
        that move.

        An object whose mesh or matrix cannot be used is noted in `skipped`, and the scene is without it.

        Args:
            frame: what there is now.
            coarsest: resolution [scene units] above which an object counts as exact, so that it permits no overlap.
            misplaced: most that a part may be off its place in a large whole [scene units]; see `PLACED_TO`.
        """
        self._remove_missing(frame)
        self.objects, self.meshes, self.built, self.skipped = {}, frame.meshes, 0, []
        self.resolutions = {}
        if frame.scans:
            self.skipped = [Skipped(item.name, NO_SCANS, lost=True) for item in frame.massive]
        found = self._found(frame)
        keys = [placed.shape_key for placed in found]
        uses = Counter(keys)
        misplaced = min(misplaced, _placed_to(max((placed.reach for placed in found), default=0.0)))
        same, moved, others, told = _SameMesh(), [], [], {}
        for placed, key in zip(found, keys, strict=True):
            resolution = max(placed.known, misplaced) if placed.mesh.resolution is None else placed.known
            told[placed.item.identity] = resolution
            coarse, old = resolution if resolution <= coarsest else 0.0, self._placed.get(placed.item.identity)
            new = placed._replace(resolution=coarse, shared=uses[key] > 1)
            if old is None or not _only_moves(old, new, same):
                others.append(new)
            elif old.differs(new):
                moved.append(new)
        for some in portions(moved, MOVED_AT_ONCE):
            self._move(some)
            yield Progress(0.0, Sentence("Preparing {name}", name=some[0].item.name))
        yield from self._place_steps(others, same)
        placed_now = [self._placed[key] for key in told if key in self._placed]
        self.objects = {placed.id: placed.item for placed in placed_now}
        self.resolutions = {placed.id: told[placed.item.identity] for placed in placed_now}

    def place_scans(self, placed: Sequence[PlacedCloud]) -> None:
        """Replace the scans of the engine's scene by those of a frame, after `update_steps`."""
        old, self.scans = {scan.item.identity: (key, scan) for key, scan in self.scans.items()}, {}
        for scan in placed:
            key, known = old.pop(scan.item.identity, (-1, None))
            if known is None or known.cloud is not scan.cloud or known.item.told != scan.item.told:
                if known is not None:
                    self.scene.remove(key)
                self.built += 1
                key = self.scene.add(scan.cloud, scan.pose)
            elif not np.array_equal(known.item.matrix, scan.item.matrix):
                self.scene.set_pose(key, scan.pose)
            self.scans[key], self.objects[key] = scan, scan.item
        for key, _ in old.values():
            self.scene.remove(key)

    def has_scan(self, ids: Iterable[int]) -> bool:
        """Return whether one of the objects, given by engine ids, is a scan."""
        return any(key in self.scans for key in ids)

    def ids(self, in_a: bool) -> list[int]:
        """Return the engine ids of set A or set B."""
        return [key for key, item in self.objects.items() if (item.in_a if in_a else item.in_b)]

    def keep(self, rules: Rules) -> KeepMask | None:
        """Return which pairs of engine ids the exclusion rules keep.

        Pairs of a scan and a massive file, which the engine cannot ask, are left out.
        """
        keep = keep_mask(rules, list(self.objects.values()))
        massive = [key for key in self.objects if key not in self.scans and self.is_massive(key)] if self.scans else []
        if keep is None and not massive:
            return None
        index_of = np.zeros(max(self.objects, default=0) + 1, dtype=np.int64)
        index_of[list(self.objects)] = np.arange(len(self.objects))
        kinds = np.zeros_like(index_of)
        kinds[list(self.scans)] = _SCAN
        kinds[massive] = _MASSIVE

        def mask(pairs: np.ndarray) -> np.ndarray:
            possible = kinds[pairs].sum(axis=1) != _SCAN + _MASSIVE
            return possible if keep is None else possible & keep(index_of[pairs])

        return mask

    def shape(self, key: int) -> Shape:
        """Return the mesh and pose of an object, which must not be a scan, given by its engine id."""
        item = self.objects[key]
        stretch = self._placed[item.identity].stretch
        baked = np.frombuffer(stretch).reshape(4, 4) if stretch else _NO_STRETCH
        return Shape(self.meshes[item.mesh_key], self.scene.posed(key)[0], baked, item.matrix, item.shell)

    def plain(self, ids: Iterable[int]) -> bool:
        """Return whether all of the objects, given by engine ids, are meshes in memory."""
        return not any(key in self.scans or self.is_massive(key) for key in ids)

    def is_massive(self, key: int) -> bool:
        """Return whether an object, given by its engine id, is a massive file."""
        return self.meshes[self.objects[key].mesh_key].file is not None

    def _remove_missing(self, frame: FrameScene) -> None:
        for identity in self._placed.keys() - {item.identity for item in frame.objects}:
            self.scene.remove(self._placed.pop(identity).id)

    def _leave_out(self, item: SourceObject, error: UnusableObject) -> None:
        self.skipped.append(Skipped(item.name, error.reason, lost=True))
        if item.identity in self._placed:
            self.scene.remove(self._placed.pop(item.identity).id)

    def _found(self, frame: FrameScene) -> list[_Placed]:
        """Return the objects of a frame with usable matrices, and the ids of those that already exist."""
        before = {item.identity: self._placed.get(item.identity) for item in frame.objects}
        fresh = [item for item in frame.objects if not _stays(before[item.identity], item, frame)]
        if fresh:
            before |= dict.fromkeys(item.identity for item in fresh)
            before |= {placed.item.identity: placed for placed in self._made_anew(fresh, frame)}
        return [placed for placed in before.values() if placed is not None]

    def _made_anew(self, items: list[SourceObject], frame: FrameScene) -> list[_Placed]:
        """Return the objects that may have moved or may have another mesh."""
        from ..types.resolution import float32_resolutions  # noqa: PLC0415 - registering needs no compiler

        matrices = np.array([item.matrix for item in items])
        try:
            poses, stretches = split_matrices(matrices)
        except InvalidPose:
            usable = [item for item in items if self._is_usable(item)]
            return self._made_anew(usable, frame) if usable else []
        ids = [-1 if (old := self._placed.get(item.identity)) is None else old.id for item in items]
        meshes = [frame.meshes[item.mesh_key] for item in items]
        largest = np.array([mesh.largest for mesh in meshes])
        known = float32_resolutions(largest, matrices).tolist()
        furthest = np.abs(matrices[:, :3, :3]).sum(axis=2) * largest[:, None] + np.abs(matrices[:, :3, 3])
        largest_stretches = np.linalg.norm(matrices[:, :3, :3], 2, axis=(1, 2)).tolist()
        known = [
            length if mesh.resolution is None else stretch * float(mesh.resolution)
            for length, mesh, stretch in zip(known, meshes, largest_stretches, strict=True)
        ]
        return list(map(_Placed, ids, items, meshes, poses, stretches, known, furthest.max(axis=1).tolist()))

    def _is_usable(self, item: SourceObject) -> bool:
        """Return whether the matrix of an object can be used; otherwise the object is left out."""
        try:
            split_matrix(item)
        except UnusableObject as error:
            self._leave_out(item, error)
            return False
        return True

    def _move(self, moved: Sequence[_Placed]) -> None:
        """Give objects another pose or resolution."""
        self.scene.set_poses(
            [placed.id for placed in moved],
            np.array([placed.pose for placed in moved]),
            [placed.resolution for placed in moved],
        )
        self._placed.update((placed.item.identity, placed) for placed in moved)

    def _place_steps(self, wanted: Sequence[_Placed], same: _SameMesh) -> Generator[Progress, None, None]:
        """Update objects of the scene to the wanted state; yields after each one."""
        made: dict[tuple[Hashable, bytes, bool], Any] = {}
        for count, new in enumerate(wanted):
            try:
                self._place(new, made, same)
            except UnusableObject as error:
                self._leave_out(new.item, error)
                continue
            yield Progress((count + 1) / len(wanted), Sentence("Preparing {name}", name=new.item.name))

    def _place(self, new: _Placed, made: dict[Any, Any], same: _SameMesh) -> None:
        """Deform an object, or build it."""
        old = self._placed.get(new.item.identity)
        alone = old is not None and not old.shared and not new.shared and old.item.shell == new.item.shell
        if old is not None and alone and same.triangles(old.mesh, new.mesh):
            self.scene.set_vertices(old.id, engine_mesh(self._engine, new.item, new.mesh, new.stretch).vertices)
            self._move([new])
            return
        if new.shape_key not in made:
            made[new.shape_key] = engine_mesh(self._engine, new.item, new.mesh, new.stretch)
        if old is not None:
            self.scene.remove(old.id)
            del self._placed[new.item.identity]
        self.built += 1
        key = self.scene.add(made[new.shape_key], new.pose, resolution=new.resolution)
        self._placed[new.item.identity] = new._replace(id=key)


def _stays(old: _Placed | None, item: SourceObject, frame: FrameScene) -> bool:
    return old is not None and old.item is item and old.mesh is frame.meshes[item.mesh_key]


def _only_moves(old: _Placed, new: _Placed, same: _SameMesh) -> bool:
    """Return whether an object changed only in its pose and resolution."""
    if old.stretch != new.stretch or old.item.shell != new.item.shell:
        return False
    if old.item is not new.item and old.item.told != new.item.told:
        return False
    return old.mesh is new.mesh or same.everything(old.mesh, new.mesh)


def _placed_to(reach: float) -> float:
    """Return how far parts may be displaced by rounding in a model whose coordinates do not exceed `reach`.

    It is a share of the next power of two, so that it stays the same while things move.
    """
    return math.ldexp(PLACED_TO, math.frexp(reach)[1])


class _SameMesh:
    """Compares meshes of two frames, and each pair of meshes only once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, str], bool] = {}

    def triangles(self, old: SourceMesh, new: SourceMesh) -> bool:
        if old.file != new.file:
            return False
        return self._equal(old, new, "triangles") and len(old.vertices) == len(new.vertices)

    def everything(self, old: SourceMesh, new: SourceMesh) -> bool:
        """Return whether two meshes are equal, including the face to which each triangle belongs."""
        same_faces = old.faces_are_original == new.faces_are_original and self._equal(old, new, "face_of_triangle")
        return same_faces and self.triangles(old, new) and self._equal(old, new, "vertices")

    def _equal(self, old: SourceMesh, new: SourceMesh, part: str) -> bool:
        key = (id(old), id(new), part)
        if key not in self._known:
            self._known[key] = old is new or np.array_equal(getattr(old, part), getattr(new, part))
        return self._known[key]
