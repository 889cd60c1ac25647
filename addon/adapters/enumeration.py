"""Collect all objects in the dependency graph of one frame, with unique names and stable identities.

The graph is walked once. Curves, texts, surfaces and metaballs appear in it twice, as themselves and as a MESH entry
with the converted mesh, so only MESH and POINTCLOUD entries are read; a mesh of bare vertices is a scan, too.
References to Blender data are not kept: matrices and names are copied. Meshes that can be found again by their
object's name are read later, in slices.

A walk may start from the `Memory` of the previous one, and reuses objects and meshes of entries that did not change. If
the entries are the same and nothing but their matrices may differ, there is no walk at all (`Memory.follow`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

import bpy
import numpy as np
from meshclash.clash.errors import InputError, UnusableObject
from meshclash.clash.frame_scene import (
    FrameScene,
    ObjectColumns,
    Roster,
    Skipped,
    SourceCloud,
    SourceMesh,
    SourceObject,
)
from meshclash.messages import Sentence

from ..core.changes import Changes
from ..core.massive_file import read_massive
from .ifc_properties import described
from .lookup import ObjectKey, find_object, object_key
from .massive_objects import massive_path
from .mesh_reader import corner_vertices, read_mesh
from .missing_data import failed_modifier, missing_collections, objects_with_missing_data
from .objects import armatures_of, collections_of_objects
from .point_reader import LEAST_POINTS, is_scan, read_points
from .shell_objects import is_shell

UNUSED_ID = 2**31 - 1  # Blender's value for unused levels of a persistent id
CONVERTED_TYPES = {"CURVE", "FONT", "SURFACE", "META", "CURVES"}
NO_FACES = "it has no faces"
STRANDS = "its strands have no faces: convert them to a mesh with the node Curve to Mesh"
NO_GEOMETRY = {
    "ARMATURE": "armature", "CAMERA": "camera", "EMPTY": "empty", "GPENCIL": "grease pencil",
    "GREASEPENCIL": "grease pencil", "LATTICE": "lattice", "LIGHT": "light", "LIGHT_PROBE": "light probe",
    "SPEAKER": "speaker", "VOLUME": "volume",
}  # fmt: skip
"""Names for the types of objects without surfaces."""
UNKNOWN_TYPE = "objects of the type {type} cannot be read"
ONLY_EDGES = "it has edges but no faces; to be a scan, it must have points only"
TOO_FEW_POINTS = Sentence("a scan needs at least {count} points", count=LEAST_POINTS)

LEVELS = 8  # of a persistent id

Wanted = frozenset[str] | None
EntryKey = tuple[int, ...]


@dataclass(frozen=True)
class Waiting:
    """A mesh to be read later: its object, and the name to show."""

    key: ObjectKey
    name: str


@dataclass(frozen=True, eq=False)
class Entries:
    """The objects and instances of a dependency graph as columns, with one value for each entry.

    Session uids identify objects. Blender's `random_id` is not used for this comparison: it is 0 for all objects that
    are not instances.

    Attributes:
        uids: session uids of the objects. Only original objects have a uid; evaluated copies have none.
        flags: (2, n) bool: whether the entry is an instance, and whether the entry itself is shown.
        instancers: uids of the instancers; empty without instances.
        positions: (n, 8) int32 persistent ids; empty without instances.
    """

    uids: list[int]
    flags: np.ndarray
    instancers: list[int]
    positions: np.ndarray

    @classmethod
    def of(cls, depsgraph: bpy.types.Depsgraph) -> Entries:
        """Return the entries of an evaluated graph."""
        instances = depsgraph.object_instances
        uids = [entry.object.original.session_uid for entry in instances]
        flags = np.empty((2, len(uids)), np.bool_)
        for column, name in zip(flags, ("is_instance", "show_self"), strict=True):
            instances.foreach_get(name, column)
        if not flags[0].any():
            return cls(uids, flags, [], np.empty((0, LEVELS), np.int32))
        parents = [entry.parent if entry.is_instance else None for entry in instances]
        instancers = [
            uid if parent is None else parent.original.session_uid for uid, parent in zip(uids, parents, strict=True)
        ]
        positions = np.empty(LEVELS * len(uids), np.int32)
        instances.foreach_get("persistent_id", positions)
        return cls(uids, flags, instancers, positions.reshape(-1, LEVELS))

    def same_as(self, other: Entries) -> bool:
        """Return whether another graph has the same entries in the same order."""
        lists = self.uids == other.uids and self.instancers == other.instancers
        return lists and np.array_equal(self.flags, other.flags) and np.array_equal(self.positions, other.positions)

    def keys(self) -> list[EntryKey]:
        """Return for each entry the session uids of its object and instancer, and its position in the instancer; equal
        in every pass.
        """
        if not self.instancers:
            return [(uid, uid) for uid in self.uids]
        told = zip(self.uids, self.instancers, self.flags[0].tolist(), self.positions.tolist(), strict=True)
        return [(uid, parent, *position) if instance else (uid, uid) for uid, parent, instance, position in told]


@dataclass
class Memory:
    """Data of one pass over the scene that the next pass reuses.

    Attributes:
        entries: the entries of the graph; None before the first pass.
        items: the object that was created from each entry, or None.
        frame: the frame that was read.
        places: the entries of its objects and of its scans, ascending.
        names: full names of all objects of the file, by session uid.
        changes: possible changes since the last pass.
        same: whether objects may be reused unchanged.
    """

    entries: Entries | None = None
    items: list[SourceObject | None] = field(default_factory=list)
    frame: FrameScene = field(default_factory=lambda: FrameScene(0))
    places: tuple[list[int], list[int]] = ([], [])
    names: dict[int, str] = field(default_factory=dict)
    changes: Changes = field(default_factory=lambda: Changes(everything=True))
    same: bool = True

    def __post_init__(self) -> None:
        self._meshes_of_objects: set[tuple[EntryKey, Hashable]] | None = None  # made on first use

    def renewed(self, changes: Changes, same_sets: bool = True) -> Memory:
        """Return the memory for another pass after some changes, with the same or other sets of objects."""
        if changes.everything:
            return Memory(changes=changes)
        same_names = changes.named.items() <= self.names.items()
        return replace(self, changes=changes, same=same_sets and same_names and not changes.structure)

    def follow(self, number: int, depsgraph: bpy.types.Depsgraph) -> FrameScene | None:
        """Return the frame with this number if only matrices differ from the last pass; otherwise None.

        The new frame shares all data except the matrices with the previous frame, so no Python code runs for each
        object.
        """
        changes, entries = self.changes, self.entries
        if entries is None or not self.same or changes.everything or changes.deformed or changes.moved:
            return None
        if self.frame.massive:  # a file may change without Blender
            return None
        if changes.visible and not entries.same_as(Entries.of(depsgraph)):
            return None
        matrices = world_matrices(depsgraph)
        if len(matrices) != len(self.items):
            return None
        objects, scans = (
            ObjectColumns(ObjectColumns.of(some).roster, matrices[places])
            for some, places in zip((self.frame.objects, self.frame.scans), self.places, strict=True)
        )
        return replace(self.frame, frame=number, objects=objects, scans=scans)

    def known_items(self) -> dict[EntryKey, SourceObject]:
        """Return the objects of the entries that may be reused unchanged, by the keys of the entries."""
        if self.entries is None or not self.same:
            return {}
        return {key: item for key, item in zip(self.entries.keys(), self.items, strict=True) if item is not None}

    def mesh(self, mesh_key: Hashable, key: EntryKey) -> SourceMesh | None:
        """Return the stored mesh with a key if it is the mesh of the entry and depends only on unchanged objects;
        otherwise None.

        The address of a deleted mesh may since have been reused for another one.
        """
        return self.frame.meshes.get(mesh_key) if self._had(mesh_key, key) else None

    def cloud(self, mesh_key: Hashable, key: EntryKey) -> SourceCloud | None:
        """Return the points of a scan with a key, under the same conditions as for `mesh`."""
        return self.frame.clouds.get(mesh_key) if self._had(mesh_key, key) else None

    def _had(self, mesh_key: Hashable, key: EntryKey) -> bool:
        if self.changes.everything or self.entries is None or not self.changes.deformed.isdisjoint(key[:2]):
            return False
        if self._meshes_of_objects is None:
            told = zip(self.entries.keys(), self.items, strict=True)
            self._meshes_of_objects = {(known[:2], item.mesh_key) for known, item in told if item is not None}
        return (key[:2], mesh_key) in self._meshes_of_objects


class Enumeration:
    """Collects the objects of the two sets into a `FrameScene`.

    Args:
        scene: the scene.
        set_a: full names of the objects of set A; None means all objects.
        set_b: full names of the objects of set B; None means all objects.
        result: the scene to fill.
        memory: memory of the previous walk, if any.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        set_a: Wanted,
        set_b: Wanted,
        result: FrameScene,
        memory: Memory | None = None,
    ) -> None:
        self.waiting: dict[Hashable, Waiting] = {}
        self._set_a, self._set_b = set_a, set_b
        self._result = result
        self._memory = memory or Memory()
        self._entries: Entries | None = None
        self._items: list[SourceObject | None] = []  # by entry
        self._matrices = np.empty((0, 4, 4))
        self._objects: list[SourceObject] = []
        self._places: tuple[list[int], list[int]] = ([], [])
        self._full_names: dict[int, str] = {}  # by session uid
        result.objects = self._objects
        self._scene = scene
        self._collections: dict[str, frozenset[str]] | None = None
        self._keys: Counter[str] | None = None  # GlobalIds of the scene's objects
        self._armatures: dict[str, frozenset[str]] = {}
        self._names: set[str] = set()
        self._without_mesh: dict[tuple[str, str], Skipped] = {}  # by owner and source
        self._lost = objects_with_missing_data()
        self._missing: list[Skipped] = []
        self._failed: dict[str, str] = {}  # why a modifier of a source failed; "" if none did
        self._unusable: dict[Hashable, Skipped] = {}  # by mesh key; objects may share one

    def run(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Walk the graph; read immediately only meshes that cannot be found again by name."""
        self._entries, matrices = Entries.of(depsgraph), world_matrices(depsgraph)
        self._full_names = {item.session_uid: item.name_full for item in bpy.data.objects}
        before = self._memory.known_items()
        for key, entry, matrix in zip(self._entries.keys(), depsgraph.object_instances, matrices, strict=True):
            source = entry.object.original
            item = before.get(key)
            if item is None or not self._is_as_before(item, key, source) or not self._keep(item):
                item = self._take(entry, source, key, matrix, depsgraph)
            self._items.append(item)
        self._matrices = matrices
        self._missing = missing_collections(self._scene)  # now: later the scene may have been undone or removed

    def _is_as_before(self, item: SourceObject, key: EntryKey, source: bpy.types.Object) -> bool:
        """Return whether at most the matrix of a known object may have changed."""
        changes = self._memory.changes
        if not changes.deformed.isdisjoint(key[:2]):
            return False
        if changes.moved.isdisjoint(key[:2]):
            return True
        parent = source.parent
        return len(key) == 2 and item.parent == (None if parent is None else parent.name_full)

    def _keep(self, item: SourceObject) -> bool:
        """Reuse an object of the last pass over the scene; return False if its mesh or its name is no longer
        available.
        """
        key = item.mesh_key
        if item.name in self._names:
            return False
        known = self._memory.frame
        if key in known.meshes:
            self._result.meshes[key] = known.meshes[key]
        elif key in known.clouds:
            self._result.clouds[key] = known.clouds[key]
        else:
            return False
        self._names.add(item.name)
        self._objects.append(item)
        return True

    def _take(
        self,
        entry: bpy.types.DepsgraphObjectInstance,
        source: bpy.types.Object,
        key: EntryKey,
        matrix: np.ndarray,
        depsgraph: bpy.types.Depsgraph,
    ) -> SourceObject | None:
        """Create the object of an entry; None if the entry is not tested."""
        owner = entry.parent.original if entry.is_instance and entry.parent else source
        in_a, in_b = self._is_in(owner, self._set_a), self._is_in(owner, self._set_b)
        if not (in_a or in_b) or not (entry.is_instance or entry.show_self):
            return None
        path = _instance_path(entry, source, owner)
        lost = self._why_lost(source)
        if lost:
            self._result.skipped.append(Skipped(_display_name(source, path), lost, lost=True))
            return None
        if entry.object.type not in ("MESH", "POINTCLOUD"):
            self._note_without_mesh(entry.object.type, source, owner, _display_name(source, path))
            return None
        mesh_key = self._mesh_key(entry, source, owner, depsgraph, path, key)
        return None if mesh_key is None else self._add(source, owner, path, mesh_key, matrix, in_a, in_b)

    def memory(self) -> Memory:
        """Return the memory for the next pass; call it after `finish` and before anything changes."""
        read = self._result.meshes.keys() | self._result.clouds.keys()
        items = [None if item is None or item.mesh_key not in read else item for item in self._items]
        return Memory(self._entries, items, self._result, self._places, self._full_names, Changes())

    def read_waiting(self, mesh_key: Hashable, depsgraph: bpy.types.Depsgraph) -> None:
        """Read one of the `waiting` meshes.

        Raises:
            InputError: the object was deleted, renamed or hidden since the walk.
        """
        waiting = self.waiting[mesh_key]
        original = find_object(waiting.key)
        item = original.evaluated_get(depsgraph) if original is not None else None
        if original is None or item is None or not item.is_evaluated:
            raise InputError(
                Sentence("object '{name}' was deleted, renamed or hidden during the run", name=waiting.name)
            )
        try:
            read = read_object(original, item)
        except UnusableObject as error:
            self._note_unusable(mesh_key, error)
            return
        if read is None:
            self._unusable[mesh_key] = Skipped(waiting.name, NO_FACES)
        elif isinstance(read, SourceMesh):
            self._result.meshes[mesh_key] = read
        else:
            self._result.clouds[mesh_key] = read

    def finish(self) -> None:
        """Separate scans, drop objects whose mesh is unusable, and record objects without a mesh."""
        result = self._result
        if self._without_mesh:
            came = {(item.owner, name) for item in result.objects for name in (item.owner, item.source)}
            result.skipped += [item for key, item in self._without_mesh.items() if key not in came]
        for item in result.objects:
            if item.mesh_key in self._unusable:
                result.skipped.append(replace(self._unusable[item.mesh_key], name=item.name))
        self._places = self._places_of(result.meshes), self._places_of(result.clouds)
        result.objects, result.scans = map(self._columns, self._places)
        result.skipped += self._missing

    def _places_of(self, known: Mapping[Hashable, object]) -> list[int]:
        """Return the indices of the entries whose objects have one of these meshes or clouds."""
        return [place for place, item in enumerate(self._items) if item is not None and item.mesh_key in known]

    def _columns(self, places: list[int]) -> ObjectColumns:
        """Return the objects of some entries as columns."""
        items = (item for item in map(self._items.__getitem__, places) if item is not None)
        return ObjectColumns(Roster(items), self._matrices[places])

    def _mesh_key(
        self,
        entry: bpy.types.DepsgraphObjectInstance,
        source: bpy.types.Object,
        owner: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        path: str,
        key: EntryKey,
    ) -> Hashable | None:
        """Return the key of an entry's mesh or cloud, which may be read now; None (with a note) if the entry has
        neither.
        """
        massive = massive_path(source)
        if massive:
            return self._take_massive(massive, _display_name(source, path))
        mesh = entry.object.data
        # In Edit Mode the evaluated mesh is empty, or has counts without positions once `to_mesh` was called.
        edited = source.type == "MESH" and source.data.is_editmode and mesh.attributes.get("position") is None
        mesh_key: Hashable = ("edited", object_key(source)) if edited else mesh.as_pointer()
        read = (self._result.meshes, self._result.clouds, self.waiting, self._unusable)
        if any(mesh_key in known for known in read):
            return mesh_key
        if not edited and (entry.object.type == "POINTCLOUD" or is_scan(mesh)):
            return self._take_scan(mesh, mesh_key, _display_name(source, path), self._memory.cloud(mesh_key, key))
        known = self._memory.mesh(mesh_key, key)
        if known is not None:
            self._result.meshes[mesh_key] = known
            return mesh_key
        if not edited and not len(mesh.polygons):
            self._note_no_faces(source, owner, path, ONLY_EDGES if len(mesh.edges) else NO_FACES)
            return None
        if edited or _found_by_name(entry, source, mesh, depsgraph):
            self.waiting[mesh_key] = Waiting(object_key(source), _display_name(source, path))
        else:
            name = _display_name(source, path)
            try:
                self._result.meshes[mesh_key] = read_mesh(mesh, name, faces_are_original=False)
            except UnusableObject as error:
                self._note_unusable(mesh_key, error)
        return mesh_key

    def _take_massive(self, path: str, name: str) -> Hashable:
        """Return the key of a massive file, whose first bytes are read immediately."""
        key = ("massive", path)
        if key not in self._unusable:
            try:
                self._result.meshes[key] = read_massive(path, name)
            except UnusableObject as error:
                self._note_unusable(key, error)
        return key

    def _take_scan(self, data: bpy.types.ID, key: Hashable, name: str, known: SourceCloud | None) -> Hashable | None:
        """Return the key of points. Unknown points are read now, which is a single memory copy."""
        if not is_scan(data):
            self._skip(name, TOO_FEW_POINTS)
            return None
        try:
            self._result.clouds[key] = read_points(data, name) if known is None else known
        except UnusableObject as error:
            self._note_unusable(key, error)
        return key

    def _note_no_faces(self, source: bpy.types.Object, owner: bpy.types.Object, path: str, reason: str) -> None:
        """Record that an object has no faces.

        An object that is not an instance is recorded only if it yields no other entry, because geometry nodes may
        create points.
        """
        if path:
            self._skip(_display_name(source, path), reason)
        else:
            self._without_mesh[owner.name_full, owner.name_full] = Skipped(owner.name_full, reason)

    def _add(
        self,
        source: bpy.types.Object,
        owner: bpy.types.Object,
        path: str,
        mesh_key: Hashable,
        matrix: np.ndarray,
        in_a: bool,
        in_b: bool,
    ) -> SourceObject:
        name = _display_name(source, path)
        while name in self._names:  # an object may have the name of an instance
            name += "'"
        self._names.add(name)
        if source.name_full not in self._armatures:
            self._armatures[source.name_full] = armatures_of(source)
        parent = owner if path else source.parent
        told = described(source)
        item = SourceObject(
            name=name,
            identity=self._identity(source, path, told.get("GlobalId", "")),
            mesh_key=mesh_key,
            matrix=matrix,
            owner=owner.name_full,
            source=source.name_full,
            in_a=in_a,
            in_b=in_b,
            parent=None if parent is None else parent.name_full,
            armatures=self._armatures[source.name_full],
            collections=self._collections_of(owner),
            shell=is_shell(source),
            properties=told,
        )
        self._objects.append(item)
        return item

    def _identity(self, source: bpy.types.Object, path: str, key: str) -> str:
        """Return the identity of an object, the same in every run.

        The identity is the GlobalId if the object has one, as in files read without Blender.
        """
        if key and not path:
            if self._keys is None:
                told = (described(item).get("GlobalId", "") for item in self._scene.objects if item is not None)
                self._keys = Counter(told)
            if self._keys[key] == 1:
                return key
        return f"{path}\0{source.name_full}"

    def _collections_of(self, owner: bpy.types.Object) -> frozenset[str]:
        if self._collections is None:
            self._collections = collections_of_objects(self._scene)
        return self._collections.get(owner.name_full, frozenset())

    def _is_in(self, owner: bpy.types.Object, wanted: Wanted) -> bool:
        return wanted is None or owner.name_full in wanted

    def _why_lost(self, source: bpy.types.Object) -> str:
        """Return why the geometry of an object could not be read; "" if it could be read."""
        name = source.name_full
        if name in self._lost:
            return self._lost[name]
        if name not in self._failed:
            self._failed[name] = failed_modifier(source)
        return self._failed[name]

    def _note_without_mesh(self, kind: str, source: bpy.types.Object, owner: bpy.types.Object, name: str) -> None:
        """Count an object without geometry; a convertible type is recorded at the end if it had no MESH entry."""
        if kind in NO_GEOMETRY:
            self._result.no_geometry[NO_GEOMETRY[kind]] += 1
        elif kind not in CONVERTED_TYPES:
            self._result.skipped.append(Skipped(name, Sentence(UNKNOWN_TYPE, type=kind), lost=True))
        else:
            lost = kind == "CURVES"
            key = owner.name_full, source.name_full
            self._without_mesh.setdefault(key, Skipped(name, STRANDS if lost else NO_FACES, lost))

    def _note_unusable(self, mesh_key: Hashable, error: UnusableObject) -> None:
        self._unusable[mesh_key] = Skipped(error.name, error.reason, lost=True)

    def _skip(self, name: str, reason: str) -> None:
        self._result.skipped.append(Skipped(name, reason))


def world_matrices(depsgraph: bpy.types.Depsgraph) -> np.ndarray:
    """Return the world matrices of all entries, (n, 4, 4) float64."""
    flat = np.empty(16 * len(depsgraph.object_instances), dtype=np.float32)
    depsgraph.object_instances.foreach_get("matrix_world", flat)
    return np.ascontiguousarray(flat.reshape(-1, 4, 4).transpose(0, 2, 1), dtype=np.float64)


def _instance_path(entry: bpy.types.DepsgraphObjectInstance, source: bpy.types.Object, owner: bpy.types.Object) -> str:
    """Return the instancers and positions of an instance, outermost first; "" for an object that is not an instance."""
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
    """Return whether the evaluated object of that name has this mesh; for instances of geometry nodes the mesh may be
    another one.
    """
    if source.type != "MESH":
        return False
    if not entry.is_instance:
        return True
    data = source.evaluated_get(depsgraph).data
    return data is not None and data.as_pointer() == mesh.as_pointer()


def read_object(original: bpy.types.Object, item: bpy.types.Object) -> SourceMesh | SourceCloud | None:
    """Read the mesh of an evaluated object; None if it has no faces. In Edit Mode, bare vertices are read as points."""
    if not original.data.is_editmode:
        if not len(item.data.polygons):
            return None
        return read_mesh(item.data, original.name_full, _same_faces(item.data, original.data))
    # In Edit Mode the evaluated data is empty, and so is the original's: only to_mesh() has the edited mesh.
    mesh = item.to_mesh()
    try:
        if is_scan(mesh):
            return read_points(mesh, original.name_full)
        return read_mesh(mesh, original.name_full, not len(original.modifiers)) if len(mesh.polygons) else None
    finally:
        item.to_mesh_clear()


def _same_faces(evaluated: bpy.types.Mesh, original: bpy.types.Mesh) -> bool:
    counts = [(len(mesh.vertices), len(mesh.polygons), len(mesh.loops)) for mesh in (evaluated, original)]
    return counts[0] == counts[1] and np.array_equal(corner_vertices(evaluated), corner_vertices(original))
