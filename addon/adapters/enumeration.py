"""Everything that the dependency graph shows in one frame, with unique names and stable identities.

The graph is walked once. Curves, texts, surfaces and metaballs appear in it twice, as themselves and as a MESH entry
with the converted mesh, so only MESH entries are taken. Nothing that the walk yields outlives its step: matrices and
names are copied, and meshes that can be found again by their object's name are left to be read later, in slices.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import bpy
import numpy as np

from ..core.errors import InputError
from ..core.frame_scene import FrameScene, Skipped, SourceMesh, SourceObject
from .lookup import ObjectKey, find_object, object_key
from .mesh_reader import corner_vertices, read_mesh
from .objects import armatures_of, collections_of_objects

UNUSED_ID = 2**31 - 1  # Blender fills the unused levels of a persistent id with it
CONVERTED_TYPES = {"CURVE", "FONT", "SURFACE", "META"}
NO_FACES = "it has no faces"
NOT_TESTED = {"POINTCLOUD": "point clouds are not tested in this version"}

Wanted = frozenset[str] | None


@dataclass(frozen=True)
class Waiting:
    """A mesh to be read later: the object that has it, and the name to show."""

    key: ObjectKey
    name: str


class Enumeration:
    """Collects the objects of the two sets into a `FrameScene`.

    Args:
        scene: the scene.
        set_a: full names of the objects of set A; None means all.
        set_b: the same for set B.
        result: what to fill.
    """

    def __init__(self, scene: bpy.types.Scene, set_a: Wanted, set_b: Wanted, result: FrameScene) -> None:
        self.waiting: dict[Hashable, Waiting] = {}
        self._set_a, self._set_b = set_a, set_b
        self._result = result
        self._collections = collections_of_objects(scene)
        self._armatures: dict[str, frozenset[str]] = {}
        self._names: set[str] = set()
        self._without_mesh: dict[str, str] = {}

    def run(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Walks the graph; reads at once only the meshes that cannot be found again by a name."""
        matrices = _world_matrices(depsgraph)
        for index, entry in enumerate(depsgraph.object_instances):
            source = entry.object.original
            owner = entry.parent.original if entry.is_instance and entry.parent else source
            in_a, in_b = self._is_in(owner, self._set_a), self._is_in(owner, self._set_b)
            if not (in_a or in_b) or not (entry.is_instance or entry.show_self):
                continue
            if entry.object.type != "MESH":
                self._note_without_mesh(entry.object.type, owner)
                continue
            self._without_mesh.pop(owner.name_full, None)
            path = _instance_path(entry, source, owner)
            mesh_key = self._mesh_key(entry, source, depsgraph, path)
            if mesh_key is not None:
                self._add(source, owner, path, mesh_key, matrices[index], in_a, in_b)

    def read_waiting(self, mesh_key: Hashable, depsgraph: bpy.types.Depsgraph) -> None:
        """Reads one of `waiting`.

        Raises:
            InputError: its object was deleted, renamed or hidden since the walk, or the mesh cannot be used.
        """
        waiting = self.waiting[mesh_key]
        original = find_object(waiting.key)
        item = original.evaluated_get(depsgraph) if original is not None else None
        if original is None or item is None or not item.is_evaluated:
            raise InputError(f"object '{waiting.name}' was deleted, renamed or hidden during the run")
        mesh = _read_object(original, item)
        if mesh is None:
            self._skip(waiting.name, NO_FACES)
        else:
            self._result.meshes[mesh_key] = mesh

    def finish(self) -> None:
        """Drops objects whose mesh turned out to have no faces, and notes those that never had a mesh."""
        result = self._result
        result.objects = [item for item in result.objects if item.mesh_key in result.meshes]
        for name, reason in self._without_mesh.items():
            self._skip(name, reason)

    def _mesh_key(
        self,
        entry: bpy.types.DepsgraphObjectInstance,
        source: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        path: str,
    ) -> Hashable | None:
        """The key of an entry's mesh, known, waiting or read now; None (and a note) when it has no faces."""
        mesh = entry.object.data
        edited = source.type == "MESH" and source.data.is_editmode and not len(mesh.vertices)
        mesh_key: Hashable = ("edited", object_key(source)) if edited else mesh.as_pointer()
        if mesh_key in self._result.meshes or mesh_key in self.waiting:
            return mesh_key
        if not edited and not len(mesh.polygons):
            self._skip(_display_name(source, path), NO_FACES)
            return None
        if edited or _found_by_name(entry, source, mesh, depsgraph):
            self.waiting[mesh_key] = Waiting(object_key(source), _display_name(source, path))
        else:
            self._result.meshes[mesh_key] = read_mesh(mesh, _display_name(source, path), faces_are_original=False)
        return mesh_key

    def _add(
        self,
        source: bpy.types.Object,
        owner: bpy.types.Object,
        path: str,
        mesh_key: Hashable,
        matrix: np.ndarray,
        in_a: bool,
        in_b: bool,
    ) -> None:
        name = _display_name(source, path)
        while name in self._names:  # an object may be called like an instance
            name += "'"
        self._names.add(name)
        if source.name_full not in self._armatures:
            self._armatures[source.name_full] = armatures_of(source)
        parent = owner if path else source.parent
        self._result.objects.append(
            SourceObject(
                name=name,
                identity=f"{path}\0{source.name_full}",
                mesh_key=mesh_key,
                matrix=matrix,
                owner=owner.name_full,
                source=source.name_full,
                in_a=in_a,
                in_b=in_b,
                parent=None if parent is None else parent.name_full,
                armatures=self._armatures[source.name_full],
                collections=self._collections.get(owner.name_full, frozenset()),
            )
        )

    def _is_in(self, owner: bpy.types.Object, wanted: Wanted) -> bool:
        return wanted is None or owner.name_full in wanted

    def _note_without_mesh(self, kind: str, owner: bpy.types.Object) -> None:
        """A converted type is noted only until its MESH entry comes, if it comes."""
        if kind in CONVERTED_TYPES:
            self._without_mesh[owner.name_full] = NO_FACES
        elif kind in NOT_TESTED:
            self._without_mesh[owner.name_full] = NOT_TESTED[kind]

    def _skip(self, name: str, reason: str) -> None:
        self._result.skipped.append(Skipped(name, reason))


def _world_matrices(depsgraph: bpy.types.Depsgraph) -> np.ndarray:
    """(n, 4, 4) float64 world matrices of all entries; Blender stores them column by column."""
    flat = np.empty(16 * len(depsgraph.object_instances), dtype=np.float32)
    depsgraph.object_instances.foreach_get("matrix_world", flat)
    return np.ascontiguousarray(flat.reshape(-1, 4, 4).transpose(0, 2, 1), dtype=np.float64)


def _instance_path(entry: bpy.types.DepsgraphObjectInstance, source: bpy.types.Object, owner: bpy.types.Object) -> str:
    """Instancer and position within it, outermost first; "" for an object that is no instance."""
    if not entry.is_instance:
        return ""
    levels = [str(level) for level in entry.persistent_id if level != UNUSED_ID]
    if owner == source and source.type != "MESH" and levels == ["0"]:
        return ""  # the converted mesh of a curve or text
    return f"{owner.name_full}\0{'.'.join(reversed(levels))}"


def _display_name(source: bpy.types.Object, path: str) -> str:
    if not path:
        return source.name_full
    owner, levels = path.split("\0")
    return f"{owner}/{source.name_full}[{levels}]"


def _found_by_name(
    entry: bpy.types.DepsgraphObjectInstance,
    source: bpy.types.Object,
    mesh: bpy.types.Mesh,
    depsgraph: bpy.types.Depsgraph,
) -> bool:
    """Whether the evaluated object of that name has this very mesh; instances made by geometry nodes may not."""
    if source.type != "MESH":
        return False
    if not entry.is_instance:
        return True
    data = source.evaluated_get(depsgraph).data
    return data is not None and data.as_pointer() == mesh.as_pointer()


def _read_object(original: bpy.types.Object, item: bpy.types.Object) -> SourceMesh | None:
    """The mesh of an evaluated object, None when it has no faces."""
    if not original.data.is_editmode:
        if not len(item.data.polygons):
            return None
        return read_mesh(item.data, original.name_full, _same_faces(item.data, original.data))
    # In Edit Mode the evaluated data is empty, and so is the original's: only to_mesh() has the edited mesh.
    mesh = item.to_mesh()
    try:
        return read_mesh(mesh, original.name_full, not len(original.modifiers)) if len(mesh.polygons) else None
    finally:
        item.to_mesh_clear()


def _same_faces(evaluated: bpy.types.Mesh, original: bpy.types.Mesh) -> bool:
    counts = [(len(mesh.vertices), len(mesh.polygons), len(mesh.loops)) for mesh in (evaluated, original)]
    return counts[0] == counts[1] and np.array_equal(corner_vertices(evaluated), corner_vertices(original))
