"""``Scene``: many objects in their poses, and every pair of them that is not apart.

A pair is answered in two stages, both in slices: ``Members.case_steps`` finds the contacts of many pairs at once, and
``verdict_portions`` what they mean. ``contacts`` runs both for all pairs; ``live_contacts.py`` runs them for
pairs that changed, and ``proximity.py`` measures those that are apart.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from types import NoneType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, overload

import numpy as np

from ..answering.devices import may_answer
from ..errors import UnsupportedOption
from ..query.limits import checked_limits
from ..query.options import check_device, check_length
from ..query.ray_hits import RayHits
from ..query.shortcuts.configuration import OneConfiguration
from ..query.table import SceneThing
from ..solid.case import Case, Limits
from ..solid.pair_verdict import PairVerdict, verdict_order
from ..timecritical.criteria import checked_budget, checked_criterion, checked_steps
from ..timecritical.shared_budget import SceneEstimate, SharedSearch
from ..traversal.rays import ALL, ANY, COUNT, FIRST
from ..types.copying import Changeable
from ..types.foreign_meshes import ForeignMesh
from ..types.numbers import truth
from ..types.options import Depth, Device, Permitted
from ..types.pose import Pose, PoseLike, matrices_of
from ..types.results import Progress, QueryStats
from ..types.slices import Slice
from ..types.steps import UNANSWERED, Unanswered, in_slices, in_slices_unless, scale_progress, steps
from ..types.verdict import APART, TOUCHING
from .clock import Clock
from .cloud_collisions import CloudConfigurations, with_cloud_collisions_steps
from .cloud_estimates import CloudSearches
from .cloud_step import CloudStepper
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
from .pair_estimates import estimate_steps
from .pair_keys import different_pairs
from .proximity import check_most, gaps_steps
from .rays import rays_steps
from .results import SceneContacts, SceneGaps
from .scene_step import SceneStep, Stepper
from .trimesh_scenes import placed_meshes
from .verdict_stage import verdict_portions

if TYPE_CHECKING:
    from ..reading.urdf_shapes import Packages
    from .robot import Robot

_P = ParamSpec("_P")
_T = TypeVar("_T")


def _of_one_state(
    question: Callable[Concatenate[Scene, _P], Generator[Progress, None, _T]],
) -> Callable[Concatenate[Scene, _P], Generator[Progress, None, _T]]:
    """A question in slices about a scene that is not changed meanwhile."""

    @wraps(question)
    def asked(scene: Scene, *args: _P.args, **options: _P.kwargs) -> Generator[Progress, None, _T]:
        return scene._objects.unedited(question(scene, *args, **options))

    return asked


class Scene(Changeable, caches={"_chosen": NoneType, "_standing": NoneType, "_spare": list}):
    """Many objects with poses, and queries about pairs of them. Hierarchies are built at first use and kept.

    ``len(scene)`` is the number of objects, iteration gives their ids, ``in`` takes an id or a name. Every
    method takes the id or the name of an object; results have ids, and names where objects have some.

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
        self._shared = SharedSearch()
        self._stepper = Stepper()
        self._cloud_stepper = CloudStepper()
        self._cloud_searches = CloudSearches()
        self._chosen: Choice | None = None
        self._standing: StandingObjects | None = None
        self._spare: list[OneConfiguration] = []  # not in use; appending to and popping from a list are atomic

    @classmethod
    def from_trimesh(cls, scene: Any) -> Scene:
        """Return a scene with the objects of a ``trimesh.Scene``, their poses and the names of its nodes.

        Raises:
            UnsupportedOption: it is no scene. InvalidMesh: a geometry is no triangle mesh.
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
        """Return a scene of the links of a robot, and a ``Robot``; arguments and errors as ``Robot``.

        Returns:
            The scene in the neutral configuration, and a ``Robot``: its ``rules`` go to ``keep`` of the scene's
            questions, its ``poses(configurations)`` to ``poses``.
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
        """Add an object and return its id.

        Args:
            mesh: a TriangleMesh, a hierarchy made by ``build``, a PointCloud or a ClusteredMesh; give the same one to
                objects that share it.
            pose: None (identity), a Pose or a rigid (4, 4) matrix.
            name: of the object, which no other one has; None for none.
            resolution: how finely the object's world coordinates are known [m], where its pose was stored less finely
                than its mesh (``float32_resolution``); None: the mesh's own.

        Raises:
            InvalidMesh, InvalidPose, UnsupportedOption.
        """
        return self._objects.add(mesh, pose, name, resolution)

    def remove(self, key: int | str) -> None:
        """Remove an object, by its id or name; raises UnknownObject."""
        self._objects.remove(key)

    def name_of(self, key: int | str) -> str | int:
        """Return the name of an object, or its id if it has no name. Raises UnknownObject."""
        identifier = self._objects.id_of(key)
        return self._objects.names.get(identifier, identifier)

    def id_of(self, key: int | str) -> int:
        """Return the id of an object, given its id or name; raises UnknownObject."""
        return self._objects.id_of(key)

    def set_pose(self, key: int | str, pose: PoseLike, resolution: float | None = None) -> None:
        """Move an object; nothing is built or transformed. Raises UnknownObject, InvalidPose, InvalidMesh.

        Args:
            key: its id or name.
            pose: as for ``add``.
            resolution: as for ``add``; None leaves it as it is.
        """
        self._objects.set_pose(key, pose, resolution)

    def set_poses(self, keys: Iterable[int | str], poses: Any, resolutions: Iterable[float] | None = None) -> None:
        """Move many objects at once, much faster than with as many calls of ``set_pose``.

        Args:
            keys: ids or names of k objects.
            poses: (k, 4, 4), or a sequence of poses.
            resolutions: of each, as for ``add``; None leaves them as they are.

        Raises:
            UnknownObject, InvalidPose, InvalidMesh; UnsupportedOption: another number of poses or resolutions than
            objects.
        """
        self._objects.set_poses(keys, poses, resolutions)

    def set_vertices(self, key: int | str, vertices: Any) -> None:
        """Deform a mesh: same triangles, moved vertices (n, 3) [m]; its hierarchy, if it has one, is refitted.

        Where deforming has made the boxes so loose that half as many tests again are expected as when it was built, it
        is built anew.

        Raises:
            UnknownObject; InvalidMesh when the number of vertices differs or a coordinate is not finite;
            UnsupportedOption for a cloud, or a clustered mesh.
        """
        self._objects.set_vertices(key, vertices)

    def posed(self, key: int | str) -> tuple[SceneThing, Pose]:
        """Return an object and its pose, for queries about it alone. Raises UnknownObject."""
        return self._objects.posed(key)

    def boxes(self, margin: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Return all ids (n,) int64, ascending, and world boxes of the objects with a margin, (n, 6) float64 [m]."""
        return self._objects.boxes(check_length("margin", margin))

    def revisions(self, keys: np.ndarray) -> np.ndarray:
        """Return how often each object of an array of ids has been moved or deformed, int64 of the same shape.

        Raises:
            UnknownObject: one is not in the scene.
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
        """Return every pair of objects that is not apart, with its verdict, measures and contacts.

        Asked in slices (``meshclash.steps``) the scene must not change before the end. A point cloud is not compared
        with a clustered mesh: where the two are near, all other pairs are answered, and the answer names the pair as
        ``unanswered``; a question about such pairs alone is refused. Both hold for every question to a scene.

        Args:
            set_a, set_b: ids or names; pairs have one object in each set. None stands for all objects.
            keep: takes pairs of ids (k, 2) int64 and returns (k,) bool, which of them to look at.
            permitted_overlap, touch_tolerance: see ``verdict``.
            touching: False leaves out pairs whose verdict is TOUCHING.
            device: where boxes and triangles are tested: "cpu"; "cuda", a GPU; or "auto", as in ``collide``.
            depth: True, False or "exact", see ``verdict``.

        Raises:
            UnknownObject: an id of a set is not in the scene.
            UnsupportedOption: a length is negative or not finite, ``keep`` returns another shape, an unknown device, or
                only a cloud and a clustered mesh are asked about.
            SceneChanged: the scene changed between two slices.
            DeviceUnavailable: "cuda" was asked for and no device can be used.
        """
        check_device(device, served=True)
        limits, touching = checked_limits(permitted_overlap, touch_tolerance, depth), truth("touching", touching)
        clock = Clock()
        yield from self._objects.cloud_steps()
        yield Progress(0.0, "comparing bounding boxes")
        notes: list[str] = []
        unanswered: list[np.ndarray] = []
        pairs = self._objects.candidates(set_a, set_b, keep, limits, device, notes, unanswered)
        refused = different_pairs(unanswered)
        special = self._objects.with_special(pairs)
        clock.stop("broad phase")
        compared = QueryStats(note="; ".join(notes))
        results: list[PairVerdict] = []
        begin = float(special.mean()) if special.any() else 0.0  # of the progress of meshes
        if special.any():
            steps = self._special_contacts(pairs[special], limits)
            results, work = yield from scale_progress(steps, 0.0, begin)
            clock.stop("pairs one by one")
            compared = compared.plus(work)
        pairs = pairs[~special]
        if len(pairs):
            finding = self._objects.case_steps(pairs, limits, clock, device=device)
            case, identifiers = yield from scale_progress(finding, begin, 1.0)
            results += yield from scale_progress(_judge(case, identifiers, limits, self._objects.names), begin, 1.0)
            clock.stop("verdicts")
            compared = case.answer.stats().plus(compared)
        listed = sorted((pair for pair in results if touching or pair.verdict is not TOUCHING), key=worst_first)
        return SceneContacts(listed, replace(compared, seconds=clock.total, timings=clock.timings), refused)

    def _special_contacts(
        self, pairs: np.ndarray, limits: Limits
    ) -> Generator[Progress, None, tuple[list[PairVerdict], QueryStats]]:
        """What pairs of ids (k, 2) with a cloud or a clustered mesh do to each other, and the work."""
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
        """The shortest way for one configuration of the objects of the last call, or ``UNANSWERED``."""
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
        """Return which solids collide, with one contact each: surfaces meet, or one solid is inside the other.

        These are the pairs that ``contacts`` gives, several times faster. ``meshclash.collides`` asks about surfaces.
        An open mesh that means no solid (``solidity``), and a clustered mesh, count as surfaces: nothing lies inside.

        Args:
            poses: None for the objects as they stand; or poses (k, 4, 4) of the movers, or a stack (m, k, 4, 4) of
                configurations, as a planner of motions has them. The scene itself stays as it is.
            movers: ids or names (k,) of the objects that poses are given for; None stands for all, in the order of
                their ids.
            set_a, set_b, keep: as ``contacts``.

        Raises:
            UnknownObject: an id is not in the scene.
            InvalidPose: poses of another shape, or not rigid.
            UnsupportedOption: ``keep`` returns another shape, movers that are named twice.
        """
        chosen = self._choose(poses, movers, set_a, set_b)
        keep, members = checked_keep(keep), list(self._objects.by_id.values())
        rows = configured_rows(self._objects.all_rows(), poses, chosen.places)
        if not rows.size:
            return no_collisions(len(rows))
        ids, in_a, in_b = chosen.ids, chosen.in_a, chosen.in_b
        yield from self._objects.cloud_steps()
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
        """The objects as they stand, where they are a few meshes whose trees are packed."""
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
        """The short way for a few objects as they stand; ``UNANSWERED`` where it does not answer."""
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
        """Return whether any two solids collide, in the sense of ``collides``; stops at the first such pair.

        Arguments and errors as ``collides``.

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
        yield from self._objects.cloud_steps()
        members = list(self._objects.by_id.values())
        asked_of_clouds = CloudConfigurations(members, chosen.ids, rows, chosen.in_a, chosen.in_b, checked)
        return bool((yield from with_cloud_collisions_steps(asked_of_clouds, no_collisions(len(rows)))))

    def _packed_steps(self, members: list[Member]) -> Generator[Progress, None, PackedTrees]:
        """The packed trees of all meshes, those of the last time where these are the same."""
        ids = self._objects.ids()[self._objects.meshes()[0]]
        return (yield from self._objects.packed_members_steps(ids, members))

    def _choose(self, poses: Any, movers: Sequence[int | str] | None, set_a: Keys, set_b: Keys) -> Choice:
        """What ``collides`` is asked about: that of the last call, if it named the same objects."""
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
        """Return which pairs begin to touch, still touch, and no longer touch since the last step.

        Between two steps objects are moved (``set_pose``, ``set_poses``), deformed, added and removed. Then a step
        finds the pairs that touch, as ``collides`` does, from what is kept of the step before: sorted boxes, answers of
        pairs that stand still, and pairs that cannot have come near enough since their distance was measured. The
        answer does not depend on that.

        Args:
            keep: as ``contacts``, for instance a CollisionMatrix. A pair that touched and is no longer compared
                has ended.
            first_only: one contact of each pair; False: all triangle pairs.

        In slices (``meshclash.steps``): closed before its end, it leaves the next step to find out the same.

        Raises:
            UnsupportedOption: ``keep`` returns another shape.
        """
        start = time.perf_counter()
        keep, first_only = checked_keep(keep), truth("first_only", first_only)
        yield from self._objects.cloud_steps()
        yield from self._cloud_stepper.look_steps(self._objects, keep)
        some, members = self._objects.meshes()
        ids = self._objects.ids()[some]
        if members:
            packed_trees = yield from self._packed_steps(members)
            found = yield from self._stepper.steps(
                ids, members, self._objects.all_rows()[some], packed_trees, keep, first_only
            )
        else:
            found = self._stepper.empty_step()
        found = self._cloud_stepper.added_to(found)
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
        """Return every pair of solids within a tolerance; the gap is 0 if one lies inside the other.

        ``meshclash.clearance`` asks about surfaces. Pairs that meet have their verdict, and the triangles that meet.

        Args:
            tolerance: [m], from 0 on; all triangles that come that near are listed.
            set_a, set_b, keep, permitted_overlap, device, depth: as ``contacts``.

        Raises:
            UnknownObject, DeviceUnavailable; UnsupportedOption: a length is negative or not finite, an unknown device.
        """
        reach, limits = check_length("tolerance", tolerance), checked_limits(permitted_overlap, depth=depth)
        options = GapOptions(set_a, set_b, keep, limits, reach, device=check_device(device, served=True))
        return (yield from gaps_steps(self._objects, None, options))

    def _distances_at_once(
        self, most: Any = None, *more: Any, poses: Any = None, movers: Any = None, set_a: Any = None, set_b: Any = None,
        keep: Any = None, permitted_overlap: Any = 0.0, device: Any = "auto", depth: Any = True,
    ) -> SceneGaps | Unanswered:  # fmt: skip
        """The short way for a few objects as they stand of which none collide, or ``UNANSWERED``."""
        if more or not (poses is movers is set_a is set_b is keep is None) or type(permitted_overlap) is not float:
            return UNANSWERED  # what is no plain value is checked by the long way
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
        """Return the distances of pairs of solids; the gap is 0 if they have a common point, also inside.

        ``meshclash.distance`` asks about surfaces. Pairs are measured in the order of their boxes' distances, until the
        boxes of all others are farther apart than the pairs that are listed.

        Args:
            most: pairs to list, of each configuration, from 1 on; None for all. Of pairs at equal gaps any may be left
                out.
            poses, movers: as ``collides``: configurations of meshes, answered by ``SceneDistances`` without verdicts
                and depths, on the CPU. None for the objects as they stand.
            set_a, set_b, keep, permitted_overlap, device, depth: as ``contacts``.

        Raises:
            UnknownObject, InvalidPose, DeviceUnavailable; UnsupportedOption: ``most`` is no whole number from 1 on, a
            length is negative or not finite, an unknown device, configurations of a scene with a point cloud or a
            clustered mesh.
        """
        most, limits = check_most(most), checked_limits(permitted_overlap, depth=depth)
        served = check_device(device, served=True)
        if poses is None and movers is None:
            return (yield from gaps_steps(self._objects, most, GapOptions(set_a, set_b, keep, limits, device=served)))
        if self._objects.has_special:
            raise UnsupportedOption("configurations are measured of meshes only: remove clouds and clustered meshes")
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
        """Return where each of n rays first crosses an object; ``RayHits.object`` has the ids.

        Which triangles are crossed is decided exactly, without gaps at edges, as ``meshclash.ray_first`` says.

        Args:
            origins, directions, lengths, threads: as ``meshclash.ray_first``.
            objects: ids or names of the objects that rays may meet; None for all.

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
        """Return which of n rays cross an object, (n,) bool: a test of occlusion, or line of sight.

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
        """Return how often each of n rays crosses surfaces of objects, (n,) int32.

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
        """Return all crossings of n rays with objects, sorted by ray and distance.

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
        """Estimate which objects collide, within a budget, with probabilities.

        All pairs of objects share the budget: it goes where surfaces meet most likely (``meshclash.time_critical``).
        The next call goes on where this one stopped, with the pairs whose objects were not changed meanwhile. A call
        that finds every pair decided goes on with those that merely count as colliding, so that answers become exact
        one after the other; ``SceneEstimate.exact`` says when all of them are. Pairs with a point cloud share half of
        the budget, and what the others leave of theirs; they count as colliding where that is the likelier answer.

        Args:
            budget: time [s] that the call may take, above 0; None for none. Preparing meshes that are new is not
                counted.
            set_a, set_b, keep: as ``contacts``.
            p_min, k_min, count: as ``meshclash.time_critical``.
            steps: as a budget, for answers that depend on nothing but the scene and the calls so far.

        Raises:
            UnknownObject: an id of a set is not in the scene.
            UnsupportedOption: an option is out of range, ``keep`` returns another shape, or a pair has a clustered
                mesh.
        """
        criterion, seconds, steps = checked_criterion(p_min, k_min, count), checked_budget(budget), checked_steps(steps)
        yield from self._objects.cloud_steps()
        start = time.perf_counter()
        pairs = self._objects.candidates(set_a, set_b, keep, Limits())
        left = None if seconds is None else seconds - (time.perf_counter() - start)
        self._objects.refuse_clustered(np.unique(pairs).tolist(), "time_critical")
        clouds = self._objects.with_special(pairs)
        searches = self._cloud_searches
        searches.follow(self._objects, pairs[clouds])
        meshes = pairs[~clouds]
        share = 0.5 if searches.waiting and len(meshes) else 1.0  # of the budget, for pairs of meshes
        members = {i: self._objects.member(i) for i in np.unique(meshes).tolist()}
        budget_of_meshes = left and share * left, steps and math.ceil(share * steps)
        estimating = estimate_steps(self._shared, meshes, members, criterion, *budget_of_meshes)
        found = yield from scale_progress(estimating, 0.0, share)
        left = left and max(0.0, left - found.stats.seconds)
        yield from scale_progress(searches.search_steps(left, steps), share, 1.0)
        return searches.added_to(found)


def _judge(
    case: Case, identifiers: np.ndarray, limits: Limits, names: Mapping[int, str]
) -> Generator[Progress, None, list[PairVerdict]]:
    """Verdicts in slices."""
    results: list[PairVerdict] = []
    piece = Slice()
    for done, found in verdict_portions(case, identifiers, limits, names):
        results += found
        if piece.over:
            yield Progress(0.6 + 0.4 * done / len(case.jobs), f"judging object pair {done} of {len(case.jobs)}")
            piece = Slice()
    return results


def worst_first(found: PairVerdict) -> tuple[float, ...]:
    """The order of results: by their verdicts and ids."""
    return *verdict_order(found), found.a, found.b
