"""Keeps an engine scene equal to the frames that are read: adds, moves, deforms and removes its objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Hashable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from .errors import InputError
from .frame_scene import FrameScene, Progress, SourceMesh, SourceObject


@dataclass(frozen=True, eq=False)
class _Shape:
    """A source mesh with the part of the matrix that no rigid pose can hold baked in."""

    mesh: SourceMesh
    stretch: bytes
    shared: bool


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
        self._ids: dict[str, int] = {}
        self._shapes: dict[str, _Shape] = {}

    def update_steps(self, frame: FrameScene) -> Generator[Progress, None, None]:
        """Makes the engine scene equal to `frame`; yields after each object.

        Raises:
            InputError: a mesh or matrix cannot be used; the message names the object.
        """
        self._remove_missing(frame)
        self.objects, self.meshes = {}, frame.meshes
        split = [self._split(item) for item in frame.objects]
        uses = Counter((item.mesh_key, stretch) for item, (_, stretch) in zip(frame.objects, split, strict=True))
        made: dict[tuple[Hashable, bytes], Any] = {}
        same = _SameMesh()
        for count, (item, (pose, stretch)) in enumerate(zip(frame.objects, split, strict=True)):
            key = (item.mesh_key, stretch)
            shape = _Shape(frame.meshes[item.mesh_key], stretch, shared=uses[key] > 1)
            self.objects[self._place(item, shape, pose, made, same)] = item
            yield Progress((count + 1) / len(frame.objects), f"Preparing {item.name}")

    def ids(self, in_a: bool) -> list[int]:
        """The engine ids of set A, or of set B."""
        return [key for key, item in self.objects.items() if (item.in_a if in_a else item.in_b)]

    def _remove_missing(self, frame: FrameScene) -> None:
        for identity in self._ids.keys() - {item.identity for item in frame.objects}:
            self.scene.remove(self._ids.pop(identity))
            del self._shapes[identity]

    def _split(self, item: SourceObject) -> tuple[Any, bytes]:
        try:
            pose, stretch = self._engine.split_matrix(item.matrix)
        except self._engine.errors.MeshClashError as error:
            raise InputError(f"the matrix of object '{item.name}' cannot be used: {error}") from error
        return pose, b"" if stretch is None else np.asarray(stretch, dtype=np.float64).tobytes()

    def _place(self, item: SourceObject, shape: _Shape, pose: Any, made: dict[Any, Any], same: _SameMesh) -> int:
        old = self._shapes.get(item.identity)
        self._shapes[item.identity] = shape
        key = self._ids.get(item.identity)
        if old is not None and key is not None:
            if old.stretch == shape.stretch and same.everything(old.mesh, shape.mesh):
                self.scene.set_pose(key, pose)
                return key
            if not old.shared and not shape.shared and same.triangles(old.mesh, shape.mesh):
                self.scene.set_vertices(key, self._mesh(item, shape).vertices)
                self.scene.set_pose(key, pose)
                return key
            self.scene.remove(key)
        # One engine mesh, and so one hierarchy, serves all objects that share a mesh and a stretch.
        mesh = made.get((item.mesh_key, shape.stretch))
        if mesh is None:
            mesh = made[item.mesh_key, shape.stretch] = self._mesh(item, shape)
        self._ids[item.identity] = self.scene.add(mesh, pose)
        return self._ids[item.identity]

    def _mesh(self, item: SourceObject, shape: _Shape) -> Any:
        try:
            mesh = self._engine.TriangleMesh(shape.mesh.vertices, shape.mesh.triangles)
            return mesh.transformed(np.frombuffer(shape.stretch).reshape(4, 4)) if shape.stretch else mesh
        except self._engine.errors.MeshClashError as error:
            raise InputError(f"the mesh of object '{item.name}' cannot be used: {error}") from error


class _SameMesh:
    """Compares meshes of two frames, each pair of meshes once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, str], bool] = {}

    def triangles(self, old: SourceMesh, new: SourceMesh) -> bool:
        return self._equal(old, new, "triangles") and len(old.vertices) == len(new.vertices)

    def everything(self, old: SourceMesh, new: SourceMesh) -> bool:
        return self.triangles(old, new) and self._equal(old, new, "vertices")

    def _equal(self, old: SourceMesh, new: SourceMesh, part: str) -> bool:
        key = (id(old), id(new), part)
        if key not in self._known:
            self._known[key] = old is new or np.array_equal(getattr(old, part), getattr(new, part))
        return self._known[key]
