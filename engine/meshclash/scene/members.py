"""The objects of a scene: meshes and clouds, their poses and revisions, whose boxes overlap, and their contacts.

What a scene is asked stands on two stages: ``candidates`` says whose boxes overlap, ``case_steps`` where surfaces meet.
"""

from collections.abc import Callable, Generator, Iterable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from ..answering.devices import object_pairs
from ..broadphase.sweep import world_boxes
from ..errors import SceneChanged, UnknownObject, UnsupportedOption
from ..hierarchy.build import as_hierarchy, build, is_prepared, refit
from ..hierarchy.bvh import MeshLike
from ..hierarchy.quality import WORN, expected_tests
from ..pointcloud.cloud import PointCloud
from ..solid.case import Case, Limits
from ..timecritical.trees import hand_over
from ..types.foreign import ForeignMesh, as_own
from ..types.mesh import TriangleMesh, checked_resolution
from ..types.pose import Pose, PoseLike, pose_stack
from ..types.results import Progress
from ..types.steps import scaled, steps
from .cases import PlacedObjects, TreePacker, find_case_steps
from .clock import Clock
from .comparable import Comparable
from .member import Member, SceneThing
from .pose_table import PoseTable

Keep = Callable[[np.ndarray], np.ndarray]
_BUILT = "expected tests when built"
_P = ParamSpec("_P")
_T = TypeVar("_T")
_S = TypeVar("_S", bound="Members")


class Members:
    """Objects with poses, by id. Objects may share one mesh."""

    def __init__(self) -> None:
        self._members: dict[int, Member] = {}
        self._special: list[int] = []  # the ids of clouds and clustered meshes
        self._poses = PoseTable()
        self._slots: np.ndarray | None = None  # of all objects, until one comes, goes or deforms
        self._shapes: tuple[np.ndarray, np.ndarray] | None = None  # bounds and resolutions, until one is changed
        self._next = 0
        self._edits = 0  # how often an object came, went, moved or deformed
        self._packer = TreePacker()

    def __len__(self) -> int:
        return len(self._members)

    def add(self, mesh: SceneThing | ForeignMesh, pose: PoseLike = None, resolution: float | None = None) -> int:
        """Add an object and return its id.

        Args:
            mesh: a TriangleMesh, a hierarchy made by ``build``, a PointCloud or a ClusteredMesh; give the same one to
                objects that share it.
            pose: None (identity), a Pose or a rigid (4, 4) matrix.
            resolution: how finely the object's world coordinates are known [m], where its pose was stored less finely
                than its mesh (``float32_resolution``); None: the mesh's own.

        Raises:
            InvalidMesh, InvalidPose, UnsupportedOption.
        """
        thing = as_own(mesh)
        if not isinstance(thing, SceneThing):
            as_hierarchy(thing)  # raises the error that names the type
        rows, known = _one_pose(pose), _checked(resolution)
        identifier = self._next
        member = self._members[identifier] = Member(thing, self._poses, self._poses.take(rows), known)
        if member.is_special:
            self._special.append(identifier)
        self._slots = self._shapes = None
        self._next += 1
        self._edits += 1
        return identifier

    def remove(self, identifier: int) -> None:
        """Remove an object; raises UnknownObject."""
        member = self.member(identifier)
        self._poses.give_back(member.slot)
        if member.is_special:
            self._special.remove(identifier)
        self._slots = self._shapes = None
        del self._members[identifier]
        self._edits += 1

    def set_pose(self, identifier: int, pose: PoseLike, resolution: float | None = None) -> None:
        """Move an object; nothing is built or transformed. Raises UnknownObject, InvalidPose, InvalidMesh.

        Args:
            identifier: of the object.
            pose: as for ``add``.
            resolution: as for ``add``; None leaves it as it is.
        """
        member, known = self.member(identifier), _checked(resolution)
        self._poses.rows[member.slot] = _one_pose(pose)
        self._poses.revisions[member.slot] += 1
        self._edits += 1
        if known is not None:
            member.given_resolution, self._shapes = known, None

    def set_poses(self, identifiers: Iterable[int], poses: Any) -> None:
        """Move many objects at once, which takes a fraction of the time of as many calls of ``set_pose``.

        Args:
            identifiers: of k objects.
            poses: (k, 4, 4), or a sequence of poses.

        Raises:
            UnknownObject, InvalidPose; UnsupportedOption: another number of poses than objects.
        """
        try:
            members = list(map(self._members.__getitem__, identifiers))
        except KeyError as error:
            raise UnknownObject(f"the scene has no object {error.args[0]!r:.80}") from None
        except TypeError:
            raise UnsupportedOption(f"identifiers must be ids of objects, not {identifiers!r:.80}") from None
        rows, stacked = pose_stack(poses) if members else (np.empty((0, 3, 4)), True)
        if not stacked or len(rows) != len(members):
            raise UnsupportedOption(f"poses must be a stack of {len(members)}, one for each object")
        slots = [member.slot for member in members]
        self._poses.rows[slots] = rows
        self._poses.revisions[slots] += 1
        self._edits += 1

    def set_vertices(self, identifier: int, vertices: Any) -> None:
        """Deform a mesh: same triangles, moved vertices (n, 3) [m]; its hierarchy, if it has one, is refitted.

        Where deforming has made the boxes so loose that half as many tests again are expected as when it was built, it
        is built anew.

        Raises:
            UnknownObject; InvalidMesh when the number of vertices differs or a coordinate is not finite;
            UnsupportedOption for a cloud, or a clustered mesh.
        """
        member = self.member(identifier)
        if member.is_cloud:
            raise UnsupportedOption(f"object {identifier} is a point cloud, which has no vertices: add another cloud")
        if member.is_special:
            raise UnsupportedOption(f"object {identifier} is a clustered mesh, which stays as its file is")
        member.thing = _deformed(member.mesh, vertices)
        self._slots = self._shapes = None
        self._poses.revisions[member.slot] += 1
        self._edits += 1

    def posed(self, identifier: int) -> tuple[SceneThing, Pose]:
        """An object and its pose, for queries about it alone. Raises UnknownObject."""
        member = self.member(identifier)
        return member.thing, Pose(member.rows)

    def unedited(self, steps: Generator[Progress, None, _T]) -> Generator[Progress, None, _T]:
        """Run a question about the scene, which is not to change meanwhile.

        Raises:
            SceneChanged: it did; the question is closed first.
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
                        "the scene was changed while a question about it was being answered: ask again, and close the "
                        "generator of a question, or run it to its end, before an object is added, removed, moved or "
                        "deformed"
                    )
        finally:
            steps.close()

    def cloud_steps(self) -> Generator[Progress, None, None]:
        """Build the hierarchies of clouds, in slices, before boxes are compared."""
        for identifier in self._special:
            cloud = self._members[identifier].thing
            if isinstance(cloud, PointCloud):
                yield from scaled(steps(cloud.build), 0.0, 0.0, "building point clouds")

    @property
    def has_special(self) -> bool:
        """Whether one of the objects is a cloud or a clustered mesh."""
        return bool(self._special)

    def with_special(self, pairs: np.ndarray) -> np.ndarray:
        """Which pairs of ids (k, 2) have a cloud or a clustered mesh, and are asked one by one, (k,) bool."""
        if not self._special:
            return np.zeros(len(pairs), np.bool_)
        first, second = np.isin(pairs[:, 0], self._special), np.isin(pairs[:, 1], self._special)
        return first | second

    def meshes(self) -> tuple[np.ndarray | slice, list[Member]]:
        """The meshes in memory: which of all objects they are, in the order of their ids, and themselves."""
        members = list(self._members.values())
        if not self._special:
            return slice(None), members
        mesh = np.array([not member.is_special for member in members], np.bool_)
        return mesh, [member for member in members if not member.is_special]

    def refuse_clustered(self, identifiers: Iterable[int], query: str) -> None:
        """Raise UnsupportedOption, which names the query, where one of the objects is a clustered mesh."""
        for identifier in sorted(set(identifiers).intersection(self._special)):
            if not self.member(identifier).is_cloud:
                raise UnsupportedOption(
                    f"{query} holds objects in memory, and object {identifier} is a clustered mesh: leave it out"
                )

    def revisions(self, identifiers: np.ndarray) -> np.ndarray:
        """How often each object of an array of ids has been moved or deformed, int64 of the same shape.

        Raises:
            UnknownObject: an id is not in the scene.
        """
        ids = np.fromiter(self._members, np.int64, len(self._members))  # ascending: they are given in that order
        counts = self._poses.revisions[self._all_slots()]
        wanted = np.asarray(identifiers)
        if wanted.dtype.kind not in "iu" and wanted.size:
            raise UnknownObject(f"ids of objects are whole numbers, not {identifiers!r:.80}")
        places = np.searchsorted(ids, wanted)
        known = np.isin(wanted, ids)
        if not known.all():
            raise UnknownObject(f"the scene has no object {wanted[~known].ravel()[0]}")
        return counts[places]

    def candidates(
        self,
        set_a: Iterable[int] | None,
        set_b: Iterable[int] | None,
        keep: Keep | None,
        limits: Limits,
        device: str = "cpu",
        notes: list[str] | None = None,
        unanswered: list[np.ndarray] | None = None,
    ) -> np.ndarray:
        """Pairs of ids (k, 2) int64, sorted, whose world boxes overlap and that ``keep`` lets through.

        Args:
            set_a, set_b, keep, device: as ``Scene.contacts``; the device compares boxes.
            limits: boxes as near as the tolerance for touching overlap.
            notes: is told why the CPU compared boxes where a device was meant to.
            unanswered: takes the pairs (k, 2) that cannot be compared (``comparable.py``); None leaves them in.
        """
        in_a, in_b = self.members_of(set_a, "set_a"), self.members_of(set_b, "set_b")
        keep = checked_keep(keep)
        ids, boxes = self.boxes(limits.touch_tolerance)
        if not len(ids):
            return np.empty((0, 2), np.int64)
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
        """Which pairs of two sets, (n,) bool of all objects, can be compared."""
        return Comparable(list(self._members.values()), in_a, in_b)

    def boxes(self, margin: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """All ids (n,) int64, ascending, and world boxes that contain the objects and a margin, (n, 6) float64 [m]."""
        members = self._members.values()
        ids = np.fromiter(self._members, np.int64, len(self._members))  # they are given in that order
        if not members:
            return ids, np.empty((0, 6))
        return ids, world_boxes(self._bounds_and_resolutions()[0], self.all_rows(), margin)

    def all_rows(self) -> np.ndarray:
        """Poses of all objects in the order of their ids, (n, 3, 4) float64."""
        return self._poses.rows[self._all_slots()]

    def _bounds_and_resolutions(self) -> tuple[np.ndarray, np.ndarray]:
        """Of all objects in their own coordinates, (n, 2, 3) [m], and (n,) [m].

        They are kept where all objects are plain meshes: what else there is can change without the scene's knowledge.
        """
        if self._shapes is not None:
            return self._shapes
        members = self._members.values()
        shapes = np.array([m.bounds for m in members]), np.array([m.resolution for m in members])
        if all(type(m.thing) is TriangleMesh for m in members):
            self._shapes = shapes
        return shapes

    def _all_slots(self) -> np.ndarray:
        if self._slots is None:
            self._slots = np.fromiter((m.slot for m in self._members.values()), np.int64, len(self._members))
        return self._slots

    def case_steps(
        self, pairs: np.ndarray, limits: Limits, clock: Clock, first_only: bool = False, device: str = "cpu"
    ) -> Generator[Progress, None, tuple[Case, np.ndarray]]:
        """The contacts of pairs of ids (k, 2), k > 0, ready to be judged; drops pairs whose exact boxes are apart.

        Args:
            pairs: as ``candidates`` gives them.
            limits: lengths that a verdict allows for.
            clock: takes the seconds of each stage.
            first_only: look for one contact of each pair only.
            device: that tests triangles, as ``check_served_device`` gives it.

        Returns:
            The case, and the ids (n, 2) of its pairs.
        """
        ids, places = np.unique(pairs, return_inverse=True)
        own = np.searchsorted(np.fromiter(self._members, np.int64, len(self._members)), ids)
        members = list(map(self._members.__getitem__, ids.tolist()))
        placed = PlacedObjects(members, self.all_rows()[own], self._bounds_and_resolutions()[1][own])
        found = find_case_steps(self._packer, placed, places.reshape(-1, 2), limits, clock, first_only, device)
        case, near = yield from found
        return case, pairs[near]

    def members_of(self, chosen: Iterable[int] | None, name: str = "a set") -> np.ndarray:
        """Which objects, in the order of their ids, a set means, (n,) bool; None means all.

        Raises:
            UnknownObject: an id is not in the scene.
            UnsupportedOption: the set, called ``name``, is none.
        """
        if chosen is None:
            return np.ones(len(self._members), np.bool_)
        try:
            wanted = set(chosen)
        except TypeError:
            raise UnsupportedOption(f"{name} must be None or several ids of objects, not {chosen!r:.80}") from None
        for identifier in wanted:
            self.member(identifier)
        return np.fromiter(map(wanted.__contains__, self._members), np.bool_, len(self._members))

    def member(self, identifier: int) -> Member:
        """The object of an id; raises UnknownObject."""
        try:
            return self._members[identifier]
        except (KeyError, TypeError):
            raise UnknownObject(f"the scene has no object {identifier!r:.80}") from None


def of_one_state(
    question: Callable[Concatenate[_S, _P], Generator[Progress, None, _T]],
) -> Callable[Concatenate[_S, _P], Generator[Progress, None, _T]]:
    """A question in slices as a method of a scene, ``unedited``."""

    @wraps(question)
    def asked(scene: _S, *args: _P.args, **options: _P.kwargs) -> Generator[Progress, None, _T]:
        return scene.unedited(question(scene, *args, **options))

    return asked


def _deformed(thing: MeshLike, vertices: Any) -> MeshLike:
    """An object with moved vertices: its hierarchy is refitted, or built anew where it has become too loose."""
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
    """A function of pairs (k, 2) of ids whose answer is known to be (k,) booleans; None for none.

    Raises:
        UnsupportedOption: no function; and, when it is called, an answer of another shape or kind.
    """
    if keep is None:
        return None
    if not callable(keep):
        raise UnsupportedOption(f"keep must be None or a function of pairs (k, 2) of ids, not {keep!r:.80}")

    def checked(pairs: np.ndarray) -> np.ndarray:
        mask = np.asarray(keep(pairs))
        if mask.shape != (len(pairs),) or mask.dtype != np.bool_:
            raise UnsupportedOption(
                f"keep must return booleans of shape ({len(pairs)},), not {mask.dtype} of shape {mask.shape}"
            )
        return mask

    return checked


def require_scene(scene: object) -> None:
    """Raise UnsupportedOption unless it is a scene."""
    if not isinstance(scene, Members):
        raise UnsupportedOption(f"scene must be a meshclash.Scene, not a {type(scene).__name__}")


def _one_pose(pose: PoseLike) -> np.ndarray:
    rows, stacked = pose_stack(pose)
    if stacked:
        raise UnsupportedOption("an object of a scene has one pose, not a stack")
    return rows[0].copy()


def _checked(resolution: float | None) -> float | None:
    return None if resolution is None else checked_resolution(resolution)
