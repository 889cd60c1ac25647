"""The objects of a scene: meshes and clouds with their poses and revisions, and queries for boxes and contacts.

Scene queries use two stages: ``candidates`` finds the pairs whose boxes overlap, ``case_steps`` finds where surfaces
meet.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from itertools import islice
from types import NoneType
from typing import Any, TypeVar

import numpy as np

from ..answering.devices import object_pairs
from ..broadphase.incremental import SweepAndPrune
from ..broadphase.sweep import cut_to_spheres, world_boxes
from ..errors import SceneChanged, UnknownObject, UnsupportedOption
from ..hierarchy.build import as_hierarchy, build, is_prepared, refit
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..hierarchy.quality import WORN, expected_tests
from ..messages import a_type, shown, suggestion
from ..pointcloud.cloud import PointCloud
from ..query.table import SceneThing
from ..solid.case import Case, Limits
from ..timecritical.trees import hand_over
from ..types.arguments import items_of
from ..types.copying import Copyable
from ..types.foreign_meshes import ForeignMesh, as_own
from ..types.mesh import TriangleMesh, checked_resolution
from ..types.numbers import given_array, is_whole
from ..types.pair_keys import find, pair_keys
from ..types.pose import Pose, PoseLike, pose_of, pose_stack
from ..types.results import Progress
from ..types.steps import scale_progress, steps
from .alike_pairs import AlikePairs, alike_pairs, kinds_of_objects, separate_pairs
from .clock import Clock
from .comparable_pairs import Comparable
from .contact_stage import PackedTrees, PlacedObjects, TreePacker, find_case_steps
from .member import Member
from .pair_memory import PairsNow
from .pose_table import PoseTable

Keep = Callable[[np.ndarray], np.ndarray]
Keys = Iterable[int | str] | None
"""Ids or names of objects; None for all objects."""
_BUILT = "expected tests when built"
_MEASURED_AT_ONCE = 1 << 10  # objects: some milliseconds
_T = TypeVar("_T")
_CACHES = {"kept_slots": NoneType, "_kept_ids": NoneType, "_packed": NoneType, "packer": TreePacker}


class Members(Copyable, caches=_CACHES):
    """Objects with poses, by id. A unique name can be used in place of an id. Objects may share one mesh.

    Attributes:
        by_id: the objects, in the order of ascending ids.
        poses: the poses of all objects.
        kept_slots: slots of all objects in their order; None after an object was added, removed or deformed.
        packer: packs the trees of the objects.
    """

    def __init__(self) -> None:
        self.by_id: dict[int, Member] = {}
        self._names: dict[int, str] = {}
        self._ids: dict[str, int] = {}
        self._special: list[int] = []  # the ids of clouds and clustered meshes
        self.poses = PoseTable()
        self.kept_slots: np.ndarray | None = None
        self._kept_ids: np.ndarray | None = None  # until an object is added or removed
        self._unmeasured: dict[int, bool] = {}  # objects whose columns are outdated, and whether their shape is
        self._given: dict[int, object] = {}  # what may change unnoticed: the meshes of hierarchies, bounds of clouds
        self._next = 0
        self._travelled = -1  # ``_edits`` when ``poses.ways`` were brought up to date
        self._edits = 0  # how often an object was added, removed, moved or deformed
        self.packer = TreePacker()
        self._packed: tuple[PackedTrees, np.ndarray, int] | None = None  # trees, ids, deformations so far
        self._deformations = 0
        self._sweep = SweepAndPrune()  # for queries with ``follow=True``

    def __len__(self) -> int:
        return len(self.by_id)

    def __iter__(self) -> Iterator[int]:
        return iter(self.by_id)

    def __contains__(self, key: object) -> bool:
        return key in self._ids if isinstance(key, str) else is_whole(key) and key in self.by_id

    def add(self, mesh: SceneThing | ForeignMesh, pose: PoseLike, name: str | None, resolution: float | None) -> int:
        """Add an object and return its id; see ``Scene.add``."""
        thing = as_own(mesh)
        if not isinstance(thing, SceneThing):
            as_hierarchy(thing)  # raises an error that names the type
        rows, known = _one_pose(pose), _checked(resolution)
        identifier = self._next
        if name is not None:
            self._ids[self._free_name(name)] = identifier
            self._names[identifier] = name
        member = self.by_id[identifier] = Member(thing, self.poses, self.poses.take(rows), known)
        if member.is_special:
            self._special.append(identifier)
        self._unmeasured[identifier] = True
        self.kept_slots = self._kept_ids = None
        self._next += 1
        self._edits += 1
        return identifier

    @property
    def things(self) -> list[object]:
        """The mesh, hierarchy or cloud of each object, and the meshes of hierarchies."""
        return [member.thing for member in self.by_id.values()] + list(self._given.values())

    def ids(self) -> np.ndarray:
        """Return the ids of all objects, (n,) int64, ascending; do not modify this array."""
        if self._kept_ids is None:
            self._kept_ids = np.fromiter(self.by_id, np.int64, len(self.by_id))
        return self._kept_ids

    def places_of(self, identifiers: np.ndarray) -> np.ndarray:
        """Return the indices of objects, given by ids of any shape, among all objects in the order of their ids."""
        ids = self.ids()
        dense = len(ids) == 0 or ids[-1] == len(ids) - 1
        return identifiers if dense else np.searchsorted(ids, identifiers)

    @property
    def names(self) -> Mapping[int, str]:
        """Names by id, of the objects that have one.

        Results keep this mapping, so removing an object replaces the mapping by a copy instead of changing it.
        """
        return self._names

    def _free_name(self, name: str) -> str:
        """Return the name if it is valid and unused. Raises UnsupportedOption."""
        if not isinstance(name, str) or not name:
            raise UnsupportedOption(f"the name of an object must be a non-empty string, not {shown(name)}")
        if name in self._ids:
            raise UnsupportedOption(f"the scene already has an object {shown(name)}: names must be unique")
        return name

    def id_of(self, key: int | str) -> int:
        """Return the id of an object. You can pass its id or its name. Raises UnknownObject."""
        identifier: Any = self._ids.get(key) if isinstance(key, str) else key
        if is_whole(identifier) and identifier in self.by_id:
            return int(identifier)
        near = suggestion(key, self._ids) if isinstance(key, str) else ""
        raise UnknownObject(f"the scene has no object {shown(key)}{near}")

    def remove(self, key: int | str) -> None:
        """Remove an object; see ``Scene.remove``."""
        identifier = self.id_of(key)
        member = self.by_id[identifier]
        self.poses.give_back(member.slot)
        if member.is_special:
            self._special.remove(identifier)
        if identifier in self._names:
            del self._ids[self._names[identifier]]
            self._names = {other: name for other, name in self._names.items() if other != identifier}
        self._unmeasured.pop(identifier, None)
        self._given.pop(identifier, None)
        self.kept_slots = self._kept_ids = None
        del self.by_id[identifier]
        self._edits += 1

    def set_pose(self, key: int | str, pose: PoseLike, resolution: float | None) -> None:
        """Set the pose of an object; see ``Scene.set_pose``."""
        member, known = self.member(key), _checked(resolution)
        self.poses.rows[member.slot] = _one_pose(pose)
        self.poses.revisions[member.slot] += 1
        self._edits += 1
        if known is not None:
            member.given_resolution = known
            self._unmeasured.setdefault(self.id_of(key), False)

    def set_poses(self, keys: Iterable[int | str], poses: Any, resolutions: Iterable[float] | None) -> None:
        """Set the poses of many objects; see ``Scene.set_poses``."""
        chosen = self._chosen(keys)
        rows, stacked = pose_stack(poses) if len(chosen) else (np.empty((0, 3, 4)), True)
        if not stacked or len(rows) != len(chosen):
            raise UnsupportedOption(f"poses must be a stack of {len(chosen)} poses, one for each object")
        slots = self.slots()[self.places_of(chosen)]
        other = (self.poses.rows[slots] != rows).any(axis=(1, 2))
        if resolutions is not None:
            other |= self._set_resolutions(chosen.tolist(), resolutions)
        self.poses.rows[slots] = rows
        self.poses.revisions[slots[other]] += 1  # unmoved objects keep theirs: stored results stay valid
        self._edits += 1

    def _chosen(self, keys: Iterable[int | str]) -> np.ndarray:
        """Return the ids (k,) int64 of objects given by ids or names. Raises UnknownObject, UnsupportedOption."""
        if isinstance(keys, np.ndarray) and keys.dtype.kind in "iu":
            keys = keys.tolist()
        if type(keys) is list and len(keys) and set(map(type, keys)) == {int}:
            wanted, ids = keys, self.ids()
            if min(keys) >= 0 and max(keys) < 2**63:
                given = np.array(wanted, np.int64)
                place = np.minimum(np.searchsorted(ids, given), len(ids) - 1)
                if len(ids) and (ids[place] == given).all():
                    return given
        return np.fromiter(map(self.id_of, _several(keys, "keys")), np.int64)

    def _set_resolutions(self, identifiers: list[int], resolutions: Iterable[float]) -> np.ndarray:
        """Set the resolutions of objects, and return for each whether its resolution changed, (k,) bool."""
        given = items_of("resolutions", resolutions, "lengths")
        known = [checked_resolution(length) for length in islice(given, len(identifiers) + 1)]
        if len(known) != len(identifiers):
            raise UnsupportedOption(f"resolutions must be {len(identifiers)} lengths, one for each object")
        members = list(map(self.by_id.__getitem__, identifiers))
        other = np.array([member.given_resolution != length for member, length in zip(members, known, strict=True)])
        for k in np.flatnonzero(other).tolist():
            members[k].given_resolution = known[k]
            self._unmeasured.setdefault(identifiers[k], False)
        return other.astype(np.bool_)

    def set_vertices(self, key: int | str, vertices: Any) -> None:
        """Move the vertices of a mesh; see ``Scene.set_vertices``."""
        member = self.member(key)
        if member.is_special:
            raise UnsupportedOption(
                f"object {key} is {a_type(member.thing)}, which cannot be deformed: add a new object instead"
            )
        member.thing = _deformed(member.mesh, vertices)
        self._deformations += 1
        self._unmeasured[self.id_of(key)] = True
        self.kept_slots = None
        self.poses.revisions[member.slot] += 1
        self._edits += 1

    def posed(self, key: int | str) -> tuple[SceneThing, Pose]:
        """Return an object and its pose; see ``Scene.posed``."""
        member = self.member(key)
        return member.thing, pose_of(member.rows)

    def unedited(self, steps: Generator[Progress, None, _T]) -> Generator[Progress, None, _T]:
        """Run a query in slices while checking that the scene does not change.

        Raises:
            SceneChanged: the scene changed between two slices. The query is closed.
        """
        before = self._edits
        try:
            while True:
                try:
                    told = next(steps)
                except StopIteration as stop:
                    return stop.value
                yield told
                if self._edits != before:
                    raise SceneChanged(
                        "the scene changed during a query: repeat the query. Close the generator of "
                        "a query, or run it to its end, before you add, remove, move or deform an "
                        "object"
                    )
        finally:
            steps.close()

    def prepare_steps(self) -> Generator[Progress, None, None]:
        """Build the hierarchies of point clouds and measure new objects, in slices. Call this method before comparing
        boxes.
        """
        for identifier in self._special:
            cloud = self.by_id[identifier].thing
            if isinstance(cloud, PointCloud):
                yield from scale_progress(steps(cloud.build), 0.0, 0.0, "building point clouds")
        while self._unmeasured:
            self._measure(list(islice(self._unmeasured, _MEASURED_AT_ONCE)))
            yield Progress(0.0, "comparing bounding boxes")

    @property
    def has_special(self) -> bool:
        """Whether any object is a point cloud or a clustered mesh."""
        return bool(self._special)

    def with_special(self, pairs: np.ndarray) -> np.ndarray:
        """Return which pairs of ids (k, 2) have a cloud or a clustered mesh and are compared one by one, (k,) bool."""
        if not self._special:
            return np.zeros(len(pairs), np.bool_)
        first, second = np.isin(pairs[:, 0], self._special), np.isin(pairs[:, 1], self._special)
        return first | second

    def rounding_of(self, pairs: np.ndarray) -> np.ndarray:
        """Return the sum of the two resolutions of each pair of ids (k, 2), (k,) [m]; infinite if an object is gone."""
        if not len(pairs):
            return np.empty(0)
        place, known = find(self.ids(), pairs.ravel())
        lengths = np.full(pairs.size, np.inf)
        lengths[known] = self.look().resolutions[self.slots()[place[known]]]
        total: np.ndarray = lengths.reshape(-1, 2).sum(axis=1)
        return total

    def meshes(self) -> tuple[np.ndarray | slice, list[Member]]:
        """Return the meshes in memory: a mask or slice of all objects that selects the meshes, and the members."""
        members = list(self.by_id.values())
        if not self._special:
            return slice(None), members
        mesh = np.array([not member.is_special for member in members], np.bool_)
        return mesh, [member for member in members if not member.is_special]

    def refuse_clustered(self, identifiers: Iterable[int], query: str) -> None:
        """Raise UnsupportedOption with the name of the query if any of the objects is a clustered mesh."""
        for identifier in sorted(set(identifiers).intersection(self._special)):
            if not (member := self.member(identifier)).is_cloud:
                raise UnsupportedOption(
                    f"{query} supports only meshes in memory and clouds, but object {identifier} is "
                    f"{a_type(member.thing)}: leave it out"
                )

    def revisions(self, identifiers: np.ndarray) -> np.ndarray:
        """Return how often each object has been moved or deformed, as an int64 array with the same shape as the array
        of ids.

        Raises:
            UnknownObject: an id is not in the scene.
        """
        ids = self.ids()
        counts = self.poses.revisions[self.slots()]
        wanted = given_array("ids", identifiers, UnknownObject)
        if wanted.dtype.kind in "UO":
            wanted = np.vectorize(self.id_of, otypes=[np.int64])(wanted)
        if wanted.dtype.kind not in "iu" and wanted.size:
            raise UnknownObject(f"object ids must be whole numbers, not {shown(identifiers)}")
        places = np.searchsorted(ids, wanted)
        known = np.isin(wanted, ids)
        if not known.all():
            raise UnknownObject(f"the scene has no object {wanted[~known].ravel()[0]}")
        return counts[places]

    def candidates(
        self,
        set_a: Keys,
        set_b: Keys,
        keep: Keep | None,
        limits: Limits,
        device: str = "cpu",
        notes: list[str] | None = None,
        unanswered: list[np.ndarray] | None = None,
        follow: bool = False,
    ) -> np.ndarray:
        """Return the pairs of ids (k, 2) int64, sorted, whose world boxes overlap and that ``keep`` accepts.

        Args:
            set_a, set_b, keep, device: as ``Scene.contacts``; the device compares boxes.
            limits: the touch tolerance in it enlarges the boxes; boxes within this distance count as overlapping.
            notes: receives the reason for a CPU fallback of the box comparison.
            unanswered: receives the pairs (k, 2) that cannot be compared (``comparable_pairs.py``), which are then not
                returned. None: they are returned.
            follow: True for a repeated query: the boxes are kept sorted, and clipped to the cubes around the objects'
                bounding spheres.
        """
        in_a, in_b = self.members_of(set_a, "set_a"), self.members_of(set_b, "set_b")
        keep = checked_keep(keep)
        ids, boxes = (self._cut_boxes if follow else self.boxes)(limits.touch_tolerance)
        if not len(ids):
            return np.empty((0, 2), np.int64)
        if follow and device == "cpu" and in_a.all() and in_b.all():
            self._sweep.update(ids, boxes)
            if keep is None and not self._special:
                return self._sweep.pairs
            places, note = self.places_of(self._sweep.pairs), ""
        else:
            places, note = object_pairs(device, boxes, in_a, in_b)
        if note and notes is not None:
            notes.append(note)
        if keep is not None and len(places):
            places = places[keep(ids[places])]
        if self._special and unanswered is not None:
            told = self.comparable(in_a, in_b).told(ids, places)
            unanswered.append(ids[places[~told]])
            places = places[told]
        return ids[places]

    def comparable(self, in_a: np.ndarray, in_b: np.ndarray) -> Comparable:
        """Return a ``Comparable`` for two sets, given as (n,) bool over all objects."""
        return Comparable(list(self.by_id.values()), in_a, in_b)

    def boxes(self, margin: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Return all ids (n,) int64, ascending, and world boxes of the objects plus a margin, (n, 6) float64 [m]."""
        members = self.by_id.values()
        ids = self.ids()
        if not members:
            return ids, np.empty((0, 6))
        return ids, world_boxes(self.look().bounds[self.slots()], self.all_rows(), margin)

    def tight_boxes(self) -> tuple[np.ndarray, np.ndarray]:
        """Return ``boxes``, which for round objects are cut to the cubes around their bounding spheres."""
        return self._cut_boxes(0.0)

    def _cut_boxes(self, margin: float) -> tuple[np.ndarray, np.ndarray]:
        ids, boxes = self.boxes(margin)
        slots = self.slots()
        cut_to_spheres(self.poses.bounds[slots], self.poses.radii[slots], self.all_rows(), boxes, margin)
        return ids, boxes

    def all_rows(self) -> np.ndarray:
        """Return the poses of all objects in the order of their ids, (n, 3, 4) float64."""
        return self.poses.rows.take(self.slots(), axis=0)

    def look(self) -> PoseTable:
        """Update the columns of all objects: their extents, and the distances that they have moved. Return the
        table.
        """
        for identifier in self._given:
            if not _is_as(self._given[identifier], _what_may_change(self.by_id[identifier])):
                self.poses.revisions[self.by_id[identifier].slot] += 1  # a caller has refitted a hierarchy in place
                self._unmeasured[identifier] = True
                self._travelled = -1
        self._measure(list(self._unmeasured))
        if self._travelled != self._edits:
            self.poses.travel(self.slots())
            self._travelled = self._edits
        return self.poses

    def _measure(self, identifiers: Iterable[int]) -> None:
        """Update the columns of objects that were added or deformed, or have another resolution."""
        for identifier in identifiers:
            member = self.by_id[identifier]
            if self._unmeasured.pop(identifier):
                self.poses.set_shape(member.slot, member.bounds, member.radius)
                self._given.pop(identifier, None)
                if type(member.thing) is not TriangleMesh:
                    self._given[identifier] = _what_may_change(member)
            self.poses.resolutions[member.slot] = member.resolution

    def pairs_now(self, pairs: np.ndarray) -> PairsNow:
        """Return pairs of ids (k, 2), sorted, with the columns of their objects as they are now."""
        table, slots = self.look(), self.slots()[self.places_of(pairs)]
        ways, spares = table.ways[slots].sum(axis=1), table.spares[slots].sum(axis=1)
        return PairsNow(pair_keys(pairs), pairs, slots, table.revisions[slots], table.shapes[slots], ways, spares)

    def slots(self) -> np.ndarray:
        """Return the slots of all objects in the pose table, (n,) int64, in the order of their ids."""
        if self.kept_slots is None:
            self.kept_slots = np.fromiter((m.slot for m in self.by_id.values()), np.int64, len(self.by_id))
        return self.kept_slots

    def case_steps(
        self, pairs: np.ndarray, limits: Limits, clock: Clock, first_only: bool = False, device: str = "cpu"
    ) -> Generator[Progress, None, tuple[Case, np.ndarray]]:
        """Find the contacts of pairs of ids (k, 2), k > 0, as input for verdicts.

        Pairs whose tight boxes are apart are dropped.

        Args:
            pairs: as returned by ``candidates``.
            limits: the limits of the verdicts.
            clock: receives the seconds of each stage.
            first_only: True: find only one contact of each pair.
            device: the device that tests triangles, as returned by ``check_device``.

        Returns:
            The case, and the ids (n, 2) of its pairs.
        """
        ids, places = np.unique(pairs, return_inverse=True)
        packed_trees, among = yield from self.packed_steps(ids)
        clock.stop("building")
        own = np.searchsorted(self.ids(), ids)
        resolutions = self.look().resolutions[self.slots()[own]]
        placed = PlacedObjects(packed_trees.trees[among], self.all_rows()[own], resolutions)
        found = find_case_steps(packed_trees, placed, places.reshape(-1, 2), limits, clock, first_only, device)
        case, near = yield from found
        return case, pairs[near]

    def alike_steps(self, pairs: np.ndarray) -> Generator[Progress, None, AlikePairs]:
        """Return pairs of ids (k, 2) of meshes in memory in groups with the same result (``alike_pairs.py``)."""
        if not len(pairs):
            return separate_pairs(pairs)
        ids, places = np.unique(pairs, return_inverse=True)
        packed_trees, among = yield from self.packed_steps(ids)
        own = np.searchsorted(self.ids(), ids)
        resolutions = self.look().resolutions[self.slots()[own]]
        kinds = kinds_of_objects(packed_trees.trees[among], self.all_rows()[own], resolutions)
        if len(np.unique(kinds)) == len(kinds):
            return separate_pairs(pairs)
        return alike_pairs(pairs, kinds[places.reshape(-1, 2)])

    def packed_steps(self, ids: np.ndarray) -> Generator[Progress, None, tuple[PackedTrees, np.ndarray]]:
        """Return packed trees that include the meshes of ``ids`` (k,), ascending, and the index of each mesh among
        these trees.

        The trees that were packed last are reused if they include all these meshes. Otherwise, if the ids are at least
        half as many as the objects packed last, both sets are packed together. In scenes where all objects move, each
        frame has a different set of near objects. For the same reason, all objects that share one of the meshes are
        included.
        """
        packed = self.packed_already(ids)
        if packed is not None:
            return packed
        known = np.empty(0, np.int64) if self._packed is None else self._packed[1]
        here = known[[identifier in self.by_id for identifier in known.tolist()]]
        together = np.union1d(here, ids) if 2 * len(ids) >= len(here) else ids
        shared = {id(self.by_id[identifier].thing) for identifier in together.tolist()}
        members = [member for member in self.by_id.values() if id(member.thing) in shared]
        together = self.ids()[[id(member.thing) in shared for member in self.by_id.values()]]
        packed_trees = yield from self.packed_members_steps(together, members)
        return packed_trees, np.searchsorted(together, ids)

    def packed_already(self, pairs: np.ndarray) -> tuple[PackedTrees, np.ndarray] | None:
        """Return the trees that were packed last, and the indices (k, 2) among these trees of the objects of pairs (k,
        2).

        Returns None unless the trees include all these objects.
        """
        if self._packed is None:
            return None
        packed_trees, known, deformations = self._packed
        place, is_known = find(known, pairs)
        if not is_known.all() or deformations != self._deformations or self.packer.serve() is not packed_trees:
            return None
        return packed_trees, place

    def packed_members_steps(self, ids: np.ndarray, members: list[Member]) -> Generator[Progress, None, PackedTrees]:
        """Return the packed trees of meshes; those of the last call if the meshes are the same."""
        packed_trees = self.packer.kept(members)
        if packed_trees is None:
            packed_trees = yield from self.packer.packed_steps(members)
        self._packed = packed_trees, ids, self._deformations
        return packed_trees

    def members_of(self, chosen: Iterable[int | str] | None, name: str = "a set") -> np.ndarray:
        """Return which objects, in the order of their ids, belong to a set, (n,) bool; None means all objects.

        Raises:
            UnknownObject: an id is not in the scene.
            UnsupportedOption: ``chosen`` is not a collection of ids or names. The error message refers to the set as
                ``name``.
        """
        if chosen is None:
            return np.ones(len(self.by_id), np.bool_)
        wanted = {self.id_of(key) for key in _several(chosen, name)}
        return np.fromiter(map(wanted.__contains__, self.by_id), np.bool_, len(self.by_id))

    def member(self, key: int | str) -> Member:
        """Return the object with an id or a name. Raises UnknownObject."""
        return self.by_id[self.id_of(key)]


def _several(keys: Iterable[int | str], name: str) -> Iterator[int | str]:
    """Iterate over ids or names. Raises UnsupportedOption, with ``name`` in the message, if ``keys`` is invalid."""
    return items_of(name, keys, "ids or names of objects")


def _deformed(thing: MeshLike, vertices: Any) -> MeshLike:
    """Return a mesh with moved vertices. Its hierarchy is refitted, or rebuilt if its boxes have become too loose."""
    if isinstance(thing, TriangleMesh) and not is_prepared(thing):
        return thing.with_vertices(vertices)
    hierarchy = as_hierarchy(thing)
    fitted = refit(hierarchy, vertices)
    built = hierarchy.derived.get(_BUILT) or expected_tests(hierarchy)
    if hierarchy.may_improve and expected_tests(fitted) > WORN * built > 0.0:
        return build(fitted.mesh, hierarchy.volume, leaf_size=hierarchy.leaf_size)
    fitted.derived[_BUILT] = built
    hand_over(hierarchy, fitted)
    return fitted


def checked_keep(keep: Keep | None) -> Keep | None:
    """Wrap ``keep`` in a function that checks that its result is (k,) bool for pairs (k, 2) of ids; None for None.

    Raises:
        UnsupportedOption: ``keep`` is not callable; or, when the wrapper is called, the result has a wrong shape or
            type.
    """
    if keep is None:
        return None
    if not callable(keep):
        raise UnsupportedOption(f"keep must be None or a function of pairs (k, 2) of ids, not {shown(keep)}")

    def checked(pairs: np.ndarray) -> np.ndarray:
        told = keep(pairs)
        mask = given_array("what keep returns", told, UnsupportedOption)
        if mask.shape != (len(pairs),) or mask.dtype != np.bool_:
            raise UnsupportedOption(
                f"keep must return booleans of shape ({len(pairs)},), not {mask.dtype} of shape {mask.shape}"
            )
        return mask

    return checked


def members_of_scene(scene: object) -> Members:
    """Return the objects of a scene. Raises UnsupportedOption if ``scene`` is not a ``Scene``."""
    members = getattr(scene, "_objects", None)
    if not isinstance(members, Members):
        raise UnsupportedOption(f"scene must be a meshclash.Scene, not {a_type(scene)}")
    return members


def _what_may_change(member: Member) -> object:
    """Return the data of an object that can change without a change of the scene: a refitted hierarchy, a prepared
    cloud.
    """
    thing = member.thing
    return thing.mesh if isinstance(thing, Hierarchy) else member.bounds.tobytes()


def _is_as(known: object, now: object) -> bool:
    return known == now if isinstance(known, bytes) else known is now


def _one_pose(pose: PoseLike) -> np.ndarray:
    rows, stacked = pose_stack(pose)
    if stacked:
        raise UnsupportedOption("an object in a scene has one pose, not a stack of poses")
    return rows[0].copy()


def _checked(resolution: float | None) -> float | None:
    return None if resolution is None else checked_resolution(resolution)
