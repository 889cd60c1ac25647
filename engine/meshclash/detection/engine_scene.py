"""Keeps an engine scene equal to the frames that are read: adds, moves, deforms and removes its objects."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Generator, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np

from .cloud_scene import PlacedCloud
from .errors import UnusableObject
from .frame_scene import FrameScene, Progress, Skipped, SourceMesh, SourceObject
from .placed_mesh import engine_mesh, split_matrix
from .rules import KeepMask, Rules, keep_mask

_SCAN, _MASSIVE = 1, 4  # no two other kinds add up to as much
PLACED_TO = 2.0**-20
"""How finely the place of a part in a whole is known, as a share of the whole: 16 units in the last place of single
precision. Programs compute it through the frames of a chain of assemblies, with roundings of the whole's size in each,
before it is stored; of a small part that is much more than Blender's own roundings."""
_NO_STRETCH = np.eye(4)
NO_SCANS = "its massive file was compared with meshes, but not with scans"


@dataclass(frozen=True, eq=False)
class _Placed:
    """An object of the engine's scene, and what it was made of."""

    id: int
    item: SourceObject
    mesh: SourceMesh
    stretch: bytes
    """The part of the matrix that no rigid pose can hold, baked into the vertices; empty when there is none."""
    known: float
    """How finely Blender stores its world coordinates [Blender units]."""
    reach: float
    """What none of them exceeds [Blender units]."""
    resolution: float
    """How finely the engine was told that they are known, 0 where that is too coarse."""
    shared: bool
    """Whether other objects have the same engine mesh."""


@dataclass(frozen=True, eq=False)
class Shape:
    """What an object of the engine's scene is made of, and where it is.

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
    """The engine's scene and the link between its ids and the objects of the current frame.

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
        """How finely the world coordinates of each object are known [Blender units], by the engine's id."""
        self._placed: dict[str, _Placed] = {}

    def update_steps(
        self, frame: FrameScene, coarsest: float = math.inf, misplaced: float = 0.0
    ) -> Generator[Progress, None, None]:
        """Makes the engine scene equal to `frame`; yields after each object that differs from the last frame.

        An object whose mesh or matrix cannot be used is noted in `skipped`, and the scene is without it.

        Args:
            frame: what there is now.
            coarsest: resolution [Blender units] above which an object counts as exact, so that it permits no overlap.
            misplaced: most that a part may be off its place in a large whole [Blender units]; see `PLACED_TO`.
        """
        self._remove_missing(frame)
        self.objects, self.meshes, self.built, self.skipped = {}, frame.meshes, 0, []
        self.resolutions = {}
        if frame.scans:
            self.skipped = [Skipped(item.name, NO_SCANS, damaged=True) for item in frame.massive]
        split = [(item, *parts) for item in frame.objects if (parts := self._split(item)) is not None]
        uses = Counter((item.mesh_key, stretch, item.shell) for item, _, stretch in split)
        made: dict[tuple[Hashable, bytes, bool], Any] = {}
        same = _SameMesh()
        roundings = [self._rounding(item, frame.meshes[item.mesh_key]) for item, _, _ in split]
        misplaced = min(misplaced, _placed_to(max((reach for _, reach in roundings), default=0.0)))
        for count, ((item, pose, stretch), (known, reach)) in enumerate(zip(split, roundings, strict=True)):
            mesh, shared = frame.meshes[item.mesh_key], uses[item.mesh_key, stretch, item.shell] > 1
            placed = self._placed.get(item.identity)
            resolution = max(known, misplaced) if mesh.resolution is None else known
            told = resolution if resolution <= coarsest else 0.0
            now = (item, mesh, told, shared)
            if placed is None or (placed.item, placed.mesh, placed.resolution, placed.shared) != now:
                wanted = _Placed(-1, item, mesh, stretch, known, reach, told, shared)
                try:
                    placed = replace(wanted, id=self._place(placed, wanted, pose, made, same))
                except UnusableObject as error:
                    self._leave_out(item, error)
                    continue
                self._placed[item.identity] = placed
                yield Progress((count + 1) / len(split), f"Preparing {item.name}")
            self.objects[placed.id] = item
            self.resolutions[placed.id] = resolution

    def place_scans(self, placed: Sequence[PlacedCloud]) -> None:
        """Makes the scans of the engine scene those of a frame, after `update_steps`."""
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
        """Whether one of some objects, named by the engine's ids, is a scan."""
        return any(key in self.scans for key in ids)

    def ids(self, in_a: bool) -> list[int]:
        """The engine ids of set A, or of set B."""
        return [key for key, item in self.objects.items() if (item.in_a if in_a else item.in_b)]

    def keep(self, rules: Rules) -> KeepMask | None:
        """The exclusion rules over engine ids; the engine numbers its objects as it likes.

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
        """What an object, named by the engine's id and no scan, is made of, and where it is."""
        item = self.objects[key]
        stretch = self._placed[item.identity].stretch
        baked = np.frombuffer(stretch).reshape(4, 4) if stretch else _NO_STRETCH
        return Shape(self.meshes[item.mesh_key], self.scene.posed(key)[0], baked, item.matrix, item.shell)

    def is_massive(self, key: int) -> bool:
        """Whether an object, named by the engine's id, is a massive file."""
        return self.meshes[self.objects[key].mesh_key].file is not None

    def _remove_missing(self, frame: FrameScene) -> None:
        for identity in self._placed.keys() - {item.identity for item in frame.objects}:
            self.scene.remove(self._placed.pop(identity).id)

    def _rounding(self, item: SourceObject, mesh: SourceMesh) -> tuple[float, float]:
        """`known` and `reach` of `_Placed`; computed when the mesh or the matrix is another one."""
        old = self._placed.get(item.identity)
        if old is not None and old.item is item and old.mesh is mesh:
            return old.known, old.reach
        furthest = np.abs(item.matrix[:3, :3]).sum(axis=1) * mesh.largest + np.abs(item.matrix[:3, 3])
        known = mesh.resolution
        if known is None:
            known = self._engine.float32_resolution(mesh.largest, item.matrix)
        return float(known), float(furthest.max())

    def _leave_out(self, item: SourceObject, error: UnusableObject) -> None:
        self.skipped.append(Skipped(item.name, error.reason, damaged=True))
        if item.identity in self._placed:
            self.scene.remove(self._placed.pop(item.identity).id)

    def _split(self, item: SourceObject) -> tuple[Any, bytes] | None:
        """The pose of an object (None when its matrix is that of the last frame) and its stretch.

        None of both where the matrix cannot be used; the object is left out then.
        """
        old = self._placed.get(item.identity)
        if old is not None and (old.item is item or np.array_equal(old.item.matrix, item.matrix)):
            return None, old.stretch
        try:
            return split_matrix(self._engine, item)
        except UnusableObject as error:
            self._leave_out(item, error)
            return None

    def _place(self, old: _Placed | None, new: _Placed, pose: Any, made: dict[Any, Any], same: _SameMesh) -> int:
        """The engine's id of an object, after it was left, moved, deformed or built."""
        as_told = old is not None and old.item.told == new.item.told
        as_solid = old is not None and old.item.shell == new.item.shell
        alike = as_told and as_solid
        if old is not None and alike and old.stretch == new.stretch and same.everything(old.mesh, new.mesh):
            self._move(old, new, pose)
            return old.id
        if old is not None and as_solid and not old.shared and not new.shared and same.triangles(old.mesh, new.mesh):
            self.scene.set_vertices(old.id, self._mesh(new).vertices)
            self._move(old, new, pose)
            return old.id
        # One engine mesh, and so one hierarchy, serves all objects that share a mesh and a stretch, shells or not.
        key = (new.item.mesh_key, new.stretch, new.item.shell)
        if key not in made:
            made[key] = self._mesh(new)
        if pose is None:
            pose, _ = split_matrix(self._engine, new.item)
        if old is not None:
            self.scene.remove(old.id)
            del self._placed[new.item.identity]
        self.built += 1
        return self.scene.add(made[key], pose, resolution=new.resolution)

    def _move(self, old: _Placed, new: _Placed, pose: Any) -> None:
        if pose is None and old.resolution != new.resolution:
            pose, _ = split_matrix(self._engine, new.item)
        if pose is not None:
            self.scene.set_pose(old.id, pose, new.resolution)

    def _mesh(self, placed: _Placed) -> Any:
        return engine_mesh(self._engine, placed.item, placed.mesh, placed.stretch)


def _placed_to(reach: float) -> float:
    """How far parts may be off their places in a whole whose coordinates do not exceed `reach`.

    It is a share of the next power of two, so that it stays the same while things move.
    """
    return math.ldexp(PLACED_TO, math.frexp(reach)[1])


class _SameMesh:
    """Compares meshes of two frames, each pair of meshes once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, str], bool] = {}

    def triangles(self, old: SourceMesh, new: SourceMesh) -> bool:
        if old.file != new.file:
            return False
        return self._equal(old, new, "triangles") and len(old.vertices) == len(new.vertices)

    def everything(self, old: SourceMesh, new: SourceMesh) -> bool:
        """Also what rows tell of triangles: the faces that they are parts of."""
        same_faces = old.faces_are_original == new.faces_are_original and self._equal(old, new, "face_of_triangle")
        return same_faces and self.triangles(old, new) and self._equal(old, new, "vertices")

    def _equal(self, old: SourceMesh, new: SourceMesh, part: str) -> bool:
        key = (id(old), id(new), part)
        if key not in self._known:
            self._known[key] = old is new or np.array_equal(getattr(old, part), getattr(new, part))
        return self._known[key]
