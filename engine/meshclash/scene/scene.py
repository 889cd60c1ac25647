"""``Scene``: many objects with poses, and queries about all pairs of them.

Queries of pairs have two stages, both in slices: ``Members.case_steps`` finds the contacts of many pairs at once, and
``alike_portions`` computes their verdicts. ``contacts`` runs both stages for all pairs, ``live_contacts.py`` runs them
for the pairs that changed, and ``proximity.py`` measures the pairs that are apart.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import wraps
from types import NoneType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, overload

import numpy as np

from ..answering.devices import may_answer
from ..errors import UnsupportedOption
from ..messages import counting
from ..query.limits import checked_limits
from ..query.options import check_device, check_length
from ..query.ray_hits import RayHits
from ..query.shortcuts.configuration import OneConfiguration
from ..query.table import SceneThing
from ..solid.case import Limits
from ..solid.pair_verdict import PairVerdict, verdict_order
from ..timecritical.criteria import checked_budget, checked_criterion, checked_steps
from ..timecritical.shared_budget import SceneEstimate
from ..traversal.rays import ALL, ANY, COUNT, FIRST
from ..types.copying import Changeable
from ..types.foreign_meshes import ForeignMesh
from ..types.numbers import truth
from ..types.options import Depth, Device, Permitted
from ..types.pair_keys import different_pairs, pair_keys
from ..types.pose import Pose, PoseLike, matrices_of
from ..types.results import Progress, QueryStats
from ..types.slices import Slice, sorted_steps
from ..types.steps import UNANSWERED, Unanswered, in_slices, in_slices_unless, scale_progress, steps
from ..types.verdict import APART, TOUCHING
from .clock import Clock
from .cloud_collisions import CloudConfigurations, with_cloud_collisions_steps
from .collisions import (
    Choice,
    Configurations,
    SceneCollisions,
    collisions_of_one,
    collisions_steps,
    configured_rows,
    mover_places,
    names_of,
    no_collisions,
)
from .configuration_distances import SceneDistances, configured_distances_steps
from .contact_stage import PackedTrees
from .first_pair import StandingObjects, any_steps
from .gaps import GapOptions
from .member import Member
from .members import Keep, Keys, Members, checked_keep
from .object_pair import ObjectPair
from .pair_estimates import PairEstimates
from .proximity import check_most, gaps_steps
from .rays import rays_steps
from .results import SceneContacts, SceneGaps
from .scene_step import SceneStep, Stepper
from .trimesh_scenes import placed_meshes
from .verdict_stage import alike_portions

if TYPE_CHECKING:
    from ..reading.urdf_shapes import Packages
    from .robot import Robot

_TOGETHER = 1 << 13  # different pairs whose contacts are found together, unless a device does it
_P = ParamSpec("_P")
_T = TypeVar("_T")


def _of_one_state(
    question: Callable[Concatenate[Scene, _P], Generator[Progress, None, _T]],
) -> Callable[Concatenate[Scene, _P], Generator[Progress, None, _T]]:
    """Decorate a query in slices so that it raises ``SceneChanged`` if the scene changes between two slices."""

    @wraps(question)
    def asked(scene: Scene, *args: _P.args, **options: _P.kwargs) -> Generator[Progress, None, _T]:
        return scene._objects.unedited(question(scene, *args, **options))

    return asked


class Scene(Changeable, caches={"_chosen": NoneType, "_standing": NoneType, "_spare": list}):
    """A scene contains many objects with poses, and answers queries about pairs of them. MeshClash builds a hierarchy
    when a query first needs it, and keeps it for later queries.

    You can get the number of objects with ``len(scene)``, iterate over the ids of the objects, and test with ``in``
    whether the scene contains an id or a name. You can pass the id or the name of an object to every method. Results
    contain the ids of objects and, if an object has a name, also the name.

    Example:
        >>> import meshclash as mc
        >>> scene = mc.Scene()
        >>> box = mc.shapes.box(1.0)
        >>> left, right = scene.add(box, name="left"), scene.add(box, name="right")
        >>> scene.set_pose("right", [[1, 0, 0, 0.75], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        >>> [(pair.a, pair.b, pair.verdict.name, round(pair.depth, 9)) for pair in scene.contacts()]
        [(0, 1, 'CLASH', 0.25)]
    """

    def __init__(self) -> None:
        self._objects = Members()
        self._stepper = Stepper()
        self._estimates = PairEstimates()
        self._chosen: Choice | None = None
        self._standing: StandingObjects | None = None
        self._spare: list[OneConfiguration] = []  # currently unused; list append and pop are atomic

    @classmethod
    def from_trimesh(cls, scene: Any) -> Scene:
        """Create a scene from a ``trimesh.Scene``. The objects keep their poses and the names of their nodes.

        Raises:
            UnsupportedOption: ``scene`` is not a ``trimesh.Scene``. InvalidMesh: a geometry is not a triangle mesh.
        """
        made = cls()
        for mesh, pose, name in placed_meshes(scene):
            made.add(mesh, pose, name=name)
        return made

    @classmethod
    def from_urdf(
        cls,
        path: Any,
        srdf: Any = None,
        *,
        packages: Packages = None,
        shapes: str = "collision",
        tolerance: float = 0.01,
    ) -> tuple[Scene, Robot]:
        """Load a robot from a URDF file. Return a scene that contains its links, and a ``Robot``.

        The arguments and errors are the same as for ``Robot``.

        Returns:
            The scene in the neutral configuration, and the ``Robot``. You can pass the ``rules`` of the robot as
            ``keep``, and its ``poses(configurations)`` as ``poses``, to the queries of the scene.
        """
        from .robot import Robot  # noqa: PLC0415 - it imports all readers of files

        robot, made = Robot(path, srdf, packages=packages, shapes=shapes, tolerance=tolerance), cls()
        for mesh, pose, name in robot.links:
            made.add(mesh, pose, name=name)
        return made, robot

    def _shared_things(self) -> Iterable[object]:
        return self._objects.things

    def __len__(self) -> int:
        return len(self._objects)

    def __iter__(self) -> Iterator[int]:
        return iter(self._objects)

    def __contains__(self, key: object) -> bool:
        return key in self._objects

    def __repr__(self) -> str:
        return f"Scene({len(self)} objects)"

    def add(
        self,
        mesh: SceneThing | ForeignMesh,
        pose: PoseLike = None,
        *,
        name: str | None = None,
        resolution: float | None = None,
    ) -> int:
        """Add an object to the scene, and return the id of the object.

        Args:
            mesh: a TriangleMesh, a hierarchy made by ``build``, an exact shape (``mc.shapes.Sphere``, ``Inflated``,
                ...), a PointCloud or a ClusteredMesh. If several objects share a mesh, pass the same Python object for
                each of them.
            pose: None (identity), a Pose or a rigid (4, 4) matrix.
            name: a name that no other object has, or None.
            resolution: the precision of the object's world coordinates [m], if its pose was stored less precisely
                than its mesh (see ``float32_resolution``). None: the resolution of the mesh.

        Raises:
            InvalidMesh, InvalidPose, UnsupportedOption.
        """
        return self._objects.add(mesh, pose, name, resolution)

    def remove(self, key: int | str) -> None:
        """Remove an object from the scene. You can pass its id or its name. Raises UnknownObject."""
        self._objects.remove(key)

    def name_of(self, key: int | str) -> str | int:
        """Return the name of an object. If the object has no name, return its id. Raises UnknownObject."""
        identifier = self._objects.id_of(key)
        return self._objects.names.get(identifier, identifier)

    def id_of(self, key: int | str) -> int:
        """Return the id of an object. You can pass its id or its name. Raises UnknownObject."""
        return self._objects.id_of(key)

    def set_pose(self, key: int | str, pose: PoseLike, resolution: float | None = None) -> None:
        """Set the pose of an object. The method only stores the pose. Setting a pose does not build a hierarchy or
        transform vertices.

        Args:
            key: the id or name of the object.
            pose: as for ``add``.
            resolution: as for ``add``; None keeps the current resolution.

        Raises:
            UnknownObject, InvalidPose, InvalidMesh.
        """
        self._objects.set_pose(key, pose, resolution)

    def set_poses(self, keys: Iterable[int | str], poses: Any, resolutions: Iterable[float] | None = None) -> None:
        """Set the poses of many objects at once. One call of ``set_poses`` is much faster than calling ``set_pose`` for
        each object.

        Args:
            keys: ids or names of k objects.
            poses: (k, 4, 4), or a sequence of poses.
            resolutions: one per object, as for ``add``. None keeps the current resolutions.

        Raises:
            UnknownObject, InvalidPose, InvalidMesh: as for ``set_pose``.
            UnsupportedOption: the number of poses or resolutions differs from the number of objects.
        """
        self._objects.set_poses(keys, poses, resolutions)

    def set_vertices(self, key: int | str, vertices: Any) -> None:
        """Deform a mesh: move its vertices (n, 3) [m], and keep its triangles. If the mesh has a hierarchy, the
        hierarchy is refitted.

        Deforming a mesh can make the boxes of its hierarchy loose. If MeshClash expects that a query will need 50 %
        more tests than after the last build, it rebuilds the hierarchy instead of refitting it.

        Raises:
            UnknownObject: the object is not in the scene.
            InvalidMesh: the number of vertices differs, or a coordinate is not finite.
            UnsupportedOption: the object is a point cloud or a clustered mesh.
        """
        self._objects.set_vertices(key, vertices)

    def posed(self, key: int | str) -> tuple[SceneThing, Pose]:
        """Return the mesh, hierarchy or cloud of an object, and its pose. You can pass the two results to queries
        outside the scene. Raises UnknownObject.
        """
        return self._objects.posed(key)

    def boxes(self, margin: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of all objects in ascending order, (n,) int64, and the bounding boxes of the objects in world
        coordinates, (n, 6) float64 [m].

        Args:
            margin: length by which each box is enlarged on every side [m].
        """
        return self._objects.boxes(check_length("margin", margin))

    def revisions(self, keys: np.ndarray) -> np.ndarray:
        """Return how often each object has been moved or deformed, as an int64 array with the same shape as the array
        of ids.

        Raises:
            UnknownObject: an id is not in the scene.
        """
        return self._objects.revisions(keys)

    @in_slices
    @_of_one_state
    def contacts(
        self,
        *,
        set_a: Keys = None,
        set_b: Keys = None,
        keep: Keep | None = None,
        permitted_overlap: Permitted = 0.0,
        touch_tolerance: float = 0.0,
        touching: bool = True,
        device: Device = "auto",
        depth: Depth = True,
    ) -> Generator[Progress, None, SceneContacts]:
        """Return all pairs of objects that are not apart. Each pair contains its verdict, its measures and its
        contacts.

        If a query of the scene runs in slices (``meshclash.steps``), do not change the scene before the query ends.
        MeshClash cannot compare a point cloud with a clustered mesh. If a query finds a cloud near a clustered mesh, it
        lists this pair in ``unanswered`` and returns all other pairs. If a query is only about pairs of a cloud and a
        clustered mesh, it raises UnsupportedOption. All queries of a scene follow these rules.

        Args:
            set_a, set_b: ids or names. The result contains only pairs of an object in ``set_a`` and an object in
                ``set_b``. None: all objects.
            keep: a function that tells which pairs to compare: it gets pairs of ids, (k, 2) int64, and returns (k,)
                bool.
            permitted_overlap, touch_tolerance: see ``verdict``.
            touching: False leaves out pairs with the verdict TOUCHING.
            device: where boxes and triangles are tested: "cpu"; "cuda", a GPU; or "auto", as in ``collide``.
            depth: True, False or "exact", see ``verdict``.

        Raises:
            UnknownObject: an id of a set is not in the scene.
            UnsupportedOption: a length is negative or not finite, ``keep`` returns a wrong shape, the device is
                unknown, or the query concerns only pairs of a cloud and a clustered mesh.
            SceneChanged: the scene changed between two slices.
            DeviceUnavailable: "cuda" was requested and no GPU is usable.
        """
        check_device(device, served=True)
        limits, touching = checked_limits(permitted_overlap, touch_tolerance, depth), truth("touching", touching)
        clock = Clock()
        yield from self._objects.prepare_steps()
        yield Progress(0.0, "comparing bounding boxes")
        notes: list[str] = []
        unanswered: list[np.ndarray] = []
        pairs = self._objects.candidates(set_a, set_b, keep, limits, device, notes, unanswered)
        refused = different_pairs(unanswered)
        special = self._objects.with_special(pairs)
        clock.stop("broad phase")
        compared = QueryStats(note="; ".join(notes))
        results: list[PairVerdict] = []
        begin = float(special.mean()) if special.any() else 0.0  # progress at which the pairs of meshes begin
        if special.any():
            steps = self._special_contacts(pairs[special], limits)
            results, work = yield from scale_progress(steps, 0.0, begin)
            clock.stop("pairs one by one")
            compared = compared.plus(work)
        judging = self._mesh_contacts(pairs[~special], limits, clock, device, compared)
        found, compared = yield from scale_progress(judging, begin, 1.0)
        results = [pair for pair in results + found if touching or pair.verdict is not TOUCHING]
        listed = yield from scale_progress(sorted_steps(results, worst_first), 1.0, 1.0, "sorting pairs")
        return SceneContacts(listed, replace(compared, seconds=clock.total, timings=clock.timings), refused)

    def _mesh_contacts(
        self, pairs: np.ndarray, limits: Limits, clock: Clock, device: Device, compared: QueryStats
    ) -> Generator[Progress, None, tuple[list[PairVerdict], QueryStats]]:
        """Return the verdicts of pairs of ids (k, 2) of meshes in memory, and the work together with ``compared``."""
        alike = yield from self._objects.alike_steps(pairs)
        count, results = len(alike.first), list[PairVerdict]()
        together = max(count, 1) if may_answer(device, "crossover", count) else _TOGETHER
        done, total, piece = 0, len(pairs), Slice()
        for begin in range(0, count, together):
            some = alike.chosen(begin, begin + together)
            finding = self._objects.case_steps(some.first, limits, clock, device=device)
            low, high = done / total, (done + len(some.pairs)) / total
            text = None if together >= count else counting("comparing object pair", done + 1, total)
            case, near = yield from scale_progress(finding, low, high, text)
            kept = some.masked(np.isin(pair_keys(some.first), pair_keys(near), assume_unique=True))
            done += len(some.pairs) - len(kept.pairs)
            for judged, found in alike_portions(case, kept, limits, self._objects.names):
                results += found
                done += len(judged)
                if piece.over:
                    share = max(0.6 * high + 0.4 * low, done / total)
                    yield Progress(share, counting("judging object pair", done, total))
                    piece = Slice()
            clock.stop("verdicts")
            compared = case.answer.stats().plus(compared)
        return results, compared

    def _special_contacts(
        self, pairs: np.ndarray, limits: Limits
    ) -> Generator[Progress, None, tuple[list[PairVerdict], QueryStats]]:
        """Return the verdicts of pairs of ids (k, 2) with a cloud or a clustered mesh, and the work."""
        found: list[PairVerdict] = []
        work = QueryStats()
        for k, (a, b) in enumerate(pairs.tolist()):
            judging = ObjectPair.of(self._objects, a, b).verdict_steps(limits)
            text = f"comparing pair {k + 1} of {len(pairs)} with a point cloud or a massive mesh"
            item, taken = yield from scale_progress(judging, k / len(pairs), (k + 1) / len(pairs), text)
            work = work.plus(taken)
            if isinstance(item, PairVerdict) and item.verdict is not APART:
                found.append(item)
        return found, work

    def _collides_at_once(
        self, poses: Any = None, movers: Any = None, *more: Any, set_a: Any = None, set_b: Any = None, keep: Any = None
    ) -> SceneCollisions | Unanswered:
        """Fast path of ``collides``: one configuration of the same objects as in the last call.

        Returns ``UNANSWERED`` to fall back to the general path.
        """
        chosen, packed_trees = self._chosen, self._objects.packer.current
        if (
            more
            or chosen is None
            or packed_trees is None
            or self._objects.has_special
            or not chosen.is_of(self._objects.kept_slots, movers, set_a, set_b)
        ):
            return UNANSWERED
        try:
            one = self._spare.pop()
        except IndexError:
            packed_trees = self._objects.packer.kept(list(self._objects.by_id.values()))
            if packed_trees is None or packed_trees.few is None:
                return UNANSWERED
            one = OneConfiguration(packed_trees, packed_trees.few, chosen)
        if not (one.is_of(packed_trees, chosen) and one.fits(poses)):
            return UNANSWERED
        found = one.find(self._objects.poses.rows, poses, checked_keep(keep))
        if one.uses > 0:
            self._spare.append(one)
        else:
            self._objects.packer.use_better_trees()
        return UNANSWERED if found is None else collisions_of_one(found)

    @in_slices_unless(_collides_at_once)
    @_of_one_state
    def collides(
        self,
        poses: Any = None,
        movers: Sequence[int | str] | None = None,
        *,
        set_a: Keys = None,
        set_b: Keys = None,
        keep: Keep | None = None,
    ) -> Generator[Progress, None, SceneCollisions]:
        """Return all pairs of solids that collide, with one contact for each pair.

        Two solids collide if their surfaces touch or cross each other, or if one solid lies inside the other. The
        result contains the same pairs as that of ``contacts``, but this method is several times faster. To compare
        surfaces instead of solids, use ``meshclash.collides``. Clustered meshes count as surfaces without an inside,
        and so do open meshes that do not bound a solid (see ``solidity``).

        Args:
            poses: None for the current poses; or poses (k, 4, 4) of the movers; or a stack (m, k, 4, 4) of
                configurations, as used by motion planners; the query does not change the scene.
            movers: ids or names (k,) of the objects whose poses are given; None stands for all objects, in the order of
                their ids.
            set_a, set_b, keep: as ``contacts``.

        Raises:
            UnknownObject: an id is not in the scene.
            InvalidPose: the poses have a wrong shape or are not rigid.
            UnsupportedOption: ``keep`` returns a wrong shape, or a mover is named twice.
        """
        chosen = self._choose(poses, movers, set_a, set_b)
        keep, members = checked_keep(keep), list(self._objects.by_id.values())
        rows = configured_rows(self._objects.all_rows(), poses, chosen.places)
        if not rows.size:
            return no_collisions(len(rows))
        ids, in_a, in_b = chosen.ids, chosen.in_a, chosen.in_b
        yield from self._objects.prepare_steps()
        some, meshes = self._objects.meshes()
        if not meshes:
            found = no_collisions(len(rows))
        else:
            packed_trees = yield from self._packed_steps(meshes)
            asked = Configurations(packed_trees, ids[some], rows[:, some], in_a[some], in_b[some], keep)
            found = yield from collisions_steps(asked)
        if not self._objects.has_special:
            return found
        asked_of_clouds = CloudConfigurations(members, ids, rows, in_a, in_b, keep)
        return (yield from with_cloud_collisions_steps(asked_of_clouds, found))

    def _standing_few(self) -> StandingObjects | None:
        """Return the objects in their current poses for fast queries.

        Returns None unless the scene has only a few objects, all of them meshes, whose trees are already packed.
        """
        objects, standing = self._objects, self._standing
        if objects.has_special:
            return None
        if standing is None or not standing.is_of(objects.packer.current, objects.kept_slots):
            members = list(objects.by_id.values())
            packed_trees = objects.packer.kept(members) if members else None
            if packed_trees is None or packed_trees.few is None:
                return None
            meshes = [member.mesh for member in members]
            standing = StandingObjects(packed_trees, packed_trees.few, objects.slots(), objects.ids(), meshes)
            self._standing = standing
        return standing

    def _any_at_once(
        self, poses: Any = None, movers: Any = None, *more: Any, set_a: Any = None, set_b: Any = None, keep: Any = None
    ) -> bool | Unanswered:
        """Fast path of ``any`` for a few objects in their current poses; ``UNANSWERED`` to fall back."""
        if more or not (poses is movers is set_a is set_b is None):
            return UNANSWERED
        standing = self._standing_few()
        found = None if standing is None else standing.find(self._objects.poses.rows, checked_keep(keep))
        return UNANSWERED if found is None else found

    @in_slices_unless(_any_at_once)
    @_of_one_state
    def any(
        self,
        poses: Any = None,
        movers: Sequence[int | str] | None = None,
        *,
        set_a: Keys = None,
        set_b: Keys = None,
        keep: Keep | None = None,
    ) -> Generator[Progress, None, Any]:
        """Return whether any two solids of the scene collide. The search stops at the first pair that collides.

        The arguments and errors are the same as for ``collides``.

        Returns:
            A bool; for a stack of m configurations (m,) bool.
        """
        poses = None if poses is None else matrices_of(poses)
        chosen, checked = self._choose(poses, movers, set_a, set_b), checked_keep(keep)
        rows = configured_rows(self._objects.all_rows(), poses, chosen.places)
        if poses is not None and poses.ndim == 4:
            found = yield from steps(self.collides, poses, movers, set_a=set_a, set_b=set_b, keep=keep)
            return found.any
        some, meshes = self._objects.meshes()
        if meshes and rows.size:
            packed_trees = yield from self._packed_steps(meshes)
            asked = Configurations(
                packed_trees, chosen.ids[some], rows[:, some], chosen.in_a[some], chosen.in_b[some], checked
            )
            if (yield from scale_progress(any_steps(asked), 0.0, 1.0, "testing objects")):
                return True
        if not (self._objects.has_special and rows.size):
            return False
        yield from self._objects.prepare_steps()
        members = list(self._objects.by_id.values())
        asked_of_clouds = CloudConfigurations(members, chosen.ids, rows, chosen.in_a, chosen.in_b, checked)
        return bool((yield from with_cloud_collisions_steps(asked_of_clouds, no_collisions(len(rows)))))

    def _packed_steps(self, members: list[Member]) -> Generator[Progress, None, PackedTrees]:
        """Return the packed trees of all meshes; those of the last call if the meshes are the same."""
        ids = self._objects.ids()[self._objects.meshes()[0]]
        return (yield from self._objects.packed_members_steps(ids, members))

    def _choose(self, poses: Any, movers: Sequence[int | str] | None, set_a: Keys, set_b: Keys) -> Choice:
        """Return the objects that ``collides`` compares; the result of the last call if that call named the same
        objects.
        """
        slots, names = self._objects.slots(), names_of(movers, set_a, set_b)
        if poses is not None and self._chosen is not None and self._chosen.serves(slots, names):
            return self._chosen
        if isinstance(movers, list | tuple):
            movers = [self._objects.id_of(key) if isinstance(key, str) else key for key in movers]
        ids = self._objects.ids()
        chosen = Choice(
            slots, names, ids, self._objects.members_of(set_a, "set_a"), self._objects.members_of(set_b, "set_b")
        )
        chosen.places = mover_places(ids, poses, movers)
        if poses is not None:
            self._chosen = chosen
        return chosen

    @in_slices
    @_of_one_state
    def step(self, keep: Keep | None = None, first_only: bool = True) -> Generator[Progress, None, SceneStep]:
        """Find which pairs have begun to touch since the last step, which pairs still touch, and which pairs no longer
        touch.

        Between two steps, you can move objects (``set_pose``, ``set_poses``), and you can deform, add and remove them.
        Each step finds all pairs that touch or overlap, in the same way as ``collides``. To save time, a step reuses
        data of the previous step. A step reuses the sorted boxes, the results for pairs that did not move, and
        distances which show that a pair cannot touch yet. The reuse of data does not change the result.

        A step can run in slices (``meshclash.steps``). If you close such a step before its end, the next step finds the
        same changes.

        Args:
            keep: as ``contacts``, for instance a CollisionMatrix; if a pair touched before and ``keep`` now leaves it
                out, the pair is reported as ended.
            first_only: True finds one contact for each pair of objects; False finds all pairs of triangles.

        Raises:
            UnsupportedOption: ``keep`` returns a wrong shape.
        """
        start = time.perf_counter()
        keep, first_only = checked_keep(keep), truth("first_only", first_only)
        yield from self._objects.prepare_steps()
        found = yield from self._stepper.steps(self._objects, keep, first_only)
        return replace(found, stats=replace(found.stats, seconds=time.perf_counter() - start))

    @in_slices
    @_of_one_state
    def clearances(
        self,
        tolerance: float,
        *,
        set_a: Keys = None,
        set_b: Keys = None,
        keep: Keep | None = None,
        permitted_overlap: Permitted = 0.0,
        device: Device = "auto",
        depth: Depth = True,
    ) -> Generator[Progress, None, SceneGaps]:
        """Return all pairs of solids whose distance is within a tolerance. If one solid lies inside another, their gap
        is 0.

        To compare surfaces instead of solids, use ``meshclash.clearance``. If two objects touch or overlap, the result
        also contains the verdict and the triangles in contact.

        Args:
            tolerance: [m], at least 0; the result lists all triangles that are within the tolerance.
            set_a, set_b, keep, permitted_overlap, device, depth: as ``contacts``.

        Raises:
            UnknownObject, DeviceUnavailable: as for ``contacts``.
            UnsupportedOption: a length is negative or not finite, or the device is unknown.
        """
        reach, limits = check_length("tolerance", tolerance), checked_limits(permitted_overlap, depth=depth)
        options = GapOptions(set_a, set_b, keep, limits, reach, device=check_device(device, served=True))
        return (yield from gaps_steps(self._objects, None, options))

    def _distances_at_once(
        self, most: Any = None, *more: Any, poses: Any = None, movers: Any = None, set_a: Any = None, set_b: Any = None,
        keep: Any = None, permitted_overlap: Any = 0.0, device: Any = "auto", depth: Any = True,
    ) -> SceneGaps | Unanswered:  # fmt: skip
        """Fast path of ``distances`` for a few objects in their current poses, if no two objects collide.

        Returns ``UNANSWERED`` to fall back to the general path.
        """
        if more or not (poses is movers is set_a is set_b is keep is None) or type(permitted_overlap) is not float:
            return UNANSWERED  # the general path checks options that are not plain values
        if permitted_overlap != 0.0 or type(device) is not str or device != "auto" or type(depth) is not bool:
            return UNANSWERED
        if not (most is None or (type(most) is int and most > 0)):
            return UNANSWERED
        standing = None if may_answer("auto", "distance_crossover") else self._standing_few()
        found = None if standing is None else standing.gaps(self._objects.poses.rows, most, self._objects.names)
        return UNANSWERED if found is None else found

    @overload
    def distances(
        self,
        most: int | None = None,
        *,
        poses: None = None,
        movers: None = None,
        set_a: Keys = None,
        set_b: Keys = None,
        keep: Keep | None = None,
        permitted_overlap: Permitted = 0.0,
        device: Device = "auto",
        depth: Depth = True,
    ) -> SceneGaps: ...
    @overload
    def distances(
        self,
        most: int | None = None,
        *,
        poses: Any,
        movers: Sequence[int | str] | None = None,
        set_a: Keys = None,
        set_b: Keys = None,
        keep: Keep | None = None,
    ) -> SceneDistances: ...
    @in_slices_unless(_distances_at_once)  # type: ignore[misc]  # mypy takes what a decorator returns for a function
    @_of_one_state
    def distances(
        self,
        most: int | None = None,
        *,
        poses: Any = None,
        movers: Sequence[int | str] | None = None,
        set_a: Keys = None,
        set_b: Keys = None,
        keep: Keep | None = None,
        permitted_overlap: Permitted = 0.0,
        device: Device = "auto",
        depth: Depth = True,
    ) -> Generator[Progress, None, SceneGaps | SceneDistances]:
        """Return the distances between pairs of solids. If two solids have a common point, even inside, their gap is 0.

        To compare surfaces instead of solids, use ``meshclash.distance``. The method measures pairs in the order of the
        distances between their boxes. The search stops when the boxes of all remaining pairs are farther apart than the
        pairs that it has to list.

        Args:
            most: the number of nearest pairs to list (per configuration), at least 1; None for all pairs; of several
                pairs with the same gap, any may be left out.
            poses, movers: configurations of meshes, as ``collides``; the result is then a ``SceneDistances``, which is
                computed on the CPU and contains no verdicts and depths; None for the current poses.
            set_a, set_b, keep, permitted_overlap, device, depth: as ``contacts``.

        Raises:
            UnknownObject, InvalidPose: as for ``collides``.
            DeviceUnavailable: as for ``contacts``.
            UnsupportedOption: ``most`` is not a whole number of at least 1, a length is negative or not finite, the
                device is unknown, or configurations are given for a scene with a point cloud or a clustered mesh.
        """
        most, limits = check_most(most), checked_limits(permitted_overlap, depth=depth)
        served = check_device(device, served=True)
        if poses is None and movers is None:
            return (yield from gaps_steps(self._objects, most, GapOptions(set_a, set_b, keep, limits, device=served)))
        if self._objects.has_special:
            raise UnsupportedOption(
                "distances of configurations support meshes only: remove clouds and clustered meshes"
            )
        chosen = self._choose(poses, movers, set_a, set_b)
        rows = configured_rows(self._objects.all_rows(), poses, chosen.places)
        packed_trees = yield from self._packed_steps(self._objects.meshes()[1])
        asked = Configurations(packed_trees, chosen.ids, rows, chosen.in_a, chosen.in_b, checked_keep(keep))
        return (yield from configured_distances_steps(asked, most))

    @in_slices
    @_of_one_state
    def ray_first(
        self,
        origins: Any,
        directions: Any,
        lengths: Any = None,
        *,
        objects: Keys = None,
        threads: int | None = None,
    ) -> Generator[Progress, None, RayHits]:
        """For each of n rays, return the first crossing with any object. ``RayHits.object`` contains the ids of the
        objects.

        As in ``meshclash.ray_first``, MeshClash decides exactly whether a ray crosses a triangle, and there are no gaps
        at edges.

        Args:
            origins, directions, lengths, threads: as ``meshclash.ray_first``.
            objects: ids or names of the objects to test; None for all objects.

        Raises:
            UnknownObject: an id or name is not in the scene.
            UnsupportedOption: as ``meshclash.ray_first``, or an object is a point cloud or a clustered mesh.
            SceneChanged: the scene changed between two slices.
        """
        return (yield from rays_steps(self._objects, FIRST, (origins, directions, lengths), objects, threads))

    @in_slices
    @_of_one_state
    def ray_any(
        self,
        origins: Any,
        directions: Any,
        lengths: Any = None,
        *,
        objects: Keys = None,
        threads: int | None = None,
    ) -> Generator[Progress, None, np.ndarray]:
        """For each of n rays, return whether it crosses any object, (n,) bool. You can use this method to find out
        whether an object is hidden, or whether a line of sight is free.

        Args:
            origins, directions, lengths, objects, threads: as ``ray_first``.

        Raises:
            as ``ray_first``.
        """
        return (yield from rays_steps(self._objects, ANY, (origins, directions, lengths), objects, threads))

    @in_slices
    @_of_one_state
    def ray_count(
        self,
        origins: Any,
        directions: Any,
        lengths: Any = None,
        *,
        objects: Keys = None,
        threads: int | None = None,
    ) -> Generator[Progress, None, np.ndarray]:
        """For each of n rays, return how often it crosses the surfaces of objects, (n,) int32.

        Args:
            origins, directions, lengths, objects, threads: as ``ray_first``.

        Raises:
            as ``ray_first``.
        """
        return (yield from rays_steps(self._objects, COUNT, (origins, directions, lengths), objects, threads))

    @in_slices
    @_of_one_state
    def ray_all(
        self,
        origins: Any,
        directions: Any,
        lengths: Any = None,
        *,
        objects: Keys = None,
        threads: int | None = None,
    ) -> Generator[Progress, None, RayHits]:
        """Return all crossings of n rays with objects, sorted by ray and then by distance.

        Args:
            origins, directions, lengths, objects, threads: as ``ray_first``.

        Raises:
            as ``ray_first``.
        """
        return (yield from rays_steps(self._objects, ALL, (origins, directions, lengths), objects, threads))

    @in_slices
    @_of_one_state
    def time_critical(
        self,
        budget: float | None = None,
        *,
        set_a: Keys = None,
        set_b: Keys = None,
        keep: Keep | None = None,
        p_min: float = 0.99,
        k_min: int = 10,
        count: str = "paper",
        steps: int | None = None,
    ) -> Generator[Progress, None, SceneEstimate]:
        """Estimate within a time budget which pairs of objects collide, and with which probability.

        All pairs of objects share the time budget. The search first examines the pairs whose surfaces most probably
        touch (see ``meshclash.time_critical``). If the objects of a pair do not change, the next call continues the
        search for this pair. When every pair has a result, further calls continue with the pairs whose collision is
        only an estimate. In this way, the results become exact one after the other. When all results are exact,
        ``SceneEstimate.exact`` is True. Pairs with a point cloud get half of the budget, and the time that the other
        pairs do not use. A pair with a point cloud counts as colliding if a collision is more probable than not.

        Args:
            budget: time limit of the call [s], above 0; None for no limit; the limit does not include the time to
                prepare new meshes.
            set_a, set_b, keep: as ``contacts``.
            p_min, k_min, count: as ``meshclash.time_critical``.
            steps: a budget in units of work instead of time. The results are then reproducible: they depend only on the
                scene and on the previous calls.

        Raises:
            UnknownObject: an id of a set is not in the scene.
            UnsupportedOption: an option is out of range, ``keep`` returns a wrong shape, or a pair has a clustered
                mesh.
        """
        criterion, seconds, steps = checked_criterion(p_min, k_min, count), checked_budget(budget), checked_steps(steps)
        yield from self._objects.prepare_steps()
        start = time.perf_counter()
        pairs = self._objects.candidates(set_a, set_b, keep, Limits())
        left = None if seconds is None else seconds - (time.perf_counter() - start)
        self._objects.refuse_clustered(np.unique(pairs).tolist(), "time_critical")
        return (yield from self._estimates.estimate_steps(self._objects, pairs, criterion, left, steps))


def worst_first(found: PairVerdict) -> tuple[float, ...]:
    """Return the sort key of a result: its verdict (worst first), then its ids."""
    return *verdict_order(found), found.a, found.b
