"""``Scene``: many objects in their poses, and every pair of them that is not apart.

A pair is answered in two stages, both in slices: ``case_steps`` finds the contacts of many pairs at once, and
``judged_portions`` what they mean. ``contacts`` runs both for all pairs; ``watch.py`` runs them for pairs that changed.
"""

import operator
import time
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from .broadphase.sweep import overlapping_pairs, world_boxes
from .errors import UnknownObject, UnsupportedOption
from .gpu.device import answer_on_device
from .gpu.jobs import Asked
from .gpu.near_device import object_pairs_on_device
from .hierarchy.build import as_boxes, as_hierarchy, refit
from .hierarchy.bvh import Hierarchy, Index
from .query.collide import collides
from .query.contacts import Contacts
from .query.options import check_length, check_served_device
from .solid.judge import Case, Judgement, Limits, judge_steps
from .solid.solids import Solids, gather_solids, solid_of
from .timecritical.aims import checked_aim, checked_budget, checked_steps
from .timecritical.shared import Placed, SceneEstimate, SharedSearch
from .timecritical.trees import AdbTree, adb_tree, adb_tree_steps, hand_over
from .traversal.bounds import world_bounds
from .traversal.forest import Grove, plant
from .traversal.leaf_tests import contact
from .traversal.question import Question
from .traversal.run import answer_steps, run
from .types.mesh import TriangleMesh
from .types.pose import Pose, pose_stack
from .types.results import APART, TOUCHING, Progress, QueryStats, Verdict
from .types.slices import Slice
from .types.steps import scaled
from .volumes.registry import DEFAULT_VOLUME

_TRIANGLES = 1 << 19
"""Triangles whose world bounds are found at once: some ten milliseconds."""
_PORTION_PAIRS, _PORTION_CONTACTS = 64, 4096  # judged together


Keep = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class ObjectContacts:
    """What two objects of a scene do to each other."""

    a: int
    b: int
    verdict: Verdict
    contacts: Contacts
    """Triangle pairs; column 0 in a, column 1 in b."""
    location: np.ndarray | None
    """A point to look at, (3,) float64 [m], world; None for objects that only come near."""


@dataclass(frozen=True, eq=False)
class FirstContact:
    """Two objects that meet, of which only one contact is known."""

    a: int
    b: int
    contacts: Contacts
    """One triangle pair; column 0 in a, column 1 in b."""
    distance = 0.0
    """[m], as every pair that meets."""


@dataclass(frozen=True)
class SceneContacts:
    """All pairs of objects that are not apart, worst first."""

    pairs: list[ObjectContacts]
    stats: QueryStats
    timings: dict[str, float]
    """Seconds per stage: broad phase, building, traversal, verdicts."""


@dataclass
class _Member:
    """One object of a scene."""

    mesh: TriangleMesh | Hierarchy
    rows: np.ndarray
    revision: int = 0
    """Grows whenever the object moves or deforms."""

    @property
    def bounds(self) -> np.ndarray:
        return (self.mesh.mesh if isinstance(self.mesh, Hierarchy) else self.mesh).bounds


class Scene:
    """Objects with poses. Hierarchies are built when first needed and kept; objects may share one mesh."""

    def __init__(self) -> None:
        self._members: dict[int, _Member] = {}
        self._next = 0
        self._planted: tuple[list[Index], Grove, Solids] | None = None
        self._shared = SharedSearch()

    def __len__(self) -> int:
        return len(self._members)

    def add(self, mesh: TriangleMesh | Hierarchy, pose: Any = None) -> int:
        """Add an object and return its id.

        Args:
            mesh: a TriangleMesh, or a hierarchy made by ``build``; give the same one to objects that share it.
            pose: None (identity), a Pose or a rigid (4, 4) matrix.

        Raises:
            InvalidMesh, InvalidPose, UnsupportedOption.
        """
        if not isinstance(mesh, TriangleMesh | Hierarchy):
            as_hierarchy(mesh)  # raises the error that names the type
        identifier = self._next
        self._members[identifier] = _Member(mesh, _one_pose(pose))
        self._next += 1
        return identifier

    def remove(self, identifier: int) -> None:
        """Remove an object; raises UnknownObject."""
        self._member(identifier)
        del self._members[identifier]

    def set_pose(self, identifier: int, pose: Any) -> None:
        """Move an object; nothing is built or transformed. Raises UnknownObject, InvalidPose."""
        member = self._member(identifier)
        member.rows = _one_pose(pose)
        member.revision += 1

    def set_vertices(self, identifier: int, vertices: Any) -> None:
        """Deform an object: same triangles, moved vertices (n, 3) [m]; its hierarchy is refitted.

        Raises:
            UnknownObject; InvalidMesh when the number of vertices differs or a coordinate is not finite.
        """
        member = self._member(identifier)
        hierarchy = as_hierarchy(member.mesh)
        member.mesh = refit(hierarchy, vertices)
        hand_over(hierarchy, member.mesh)
        member.revision += 1

    def posed(self, identifier: int) -> tuple[TriangleMesh | Hierarchy, Pose]:
        """An object and its pose, for queries about it alone. Raises UnknownObject."""
        member = self._member(identifier)
        return member.mesh, Pose(member.rows)

    def revisions(self, identifiers: np.ndarray) -> np.ndarray:
        """How often each object of an array of ids has been moved or deformed, int64 of the same shape."""
        ids = np.fromiter(self._members, np.int64, len(self._members))  # ascending: they are given in that order
        counts = np.fromiter((member.revision for member in self._members.values()), np.int64, len(ids))
        return counts[np.searchsorted(ids, identifiers)]

    def contacts(
        self,
        set_a: Iterable[int] | None = None,
        set_b: Iterable[int] | None = None,
        keep: Keep | None = None,
        permitted_overlap: float = 0.0,
        touch_tolerance: float = 0.0,
        touching: bool = True,
        device: str = "auto",
    ) -> SceneContacts:
        """Every pair of objects that is not apart; arguments and errors as ``contacts_steps``."""
        return run(self.contacts_steps(set_a, set_b, keep, permitted_overlap, touch_tolerance, touching, device))

    def contacts_steps(
        self,
        set_a: Iterable[int] | None = None,
        set_b: Iterable[int] | None = None,
        keep: Keep | None = None,
        permitted_overlap: float = 0.0,
        touch_tolerance: float = 0.0,
        touching: bool = True,
        device: str = "auto",
    ) -> Generator[Progress, None, SceneContacts]:
        """As ``contacts``, in slices of a few milliseconds; closing the generator leaves the scene as it is.

        Args:
            set_a, set_b: ids; pairs have one object in each set. None stands for all objects.
            keep: takes pairs of ids (k, 2) int64 and returns (k,) bool, which of them to look at.
            permitted_overlap, touch_tolerance: lengths [m], see ``verdict``.
            touching: False leaves out pairs whose verdict is TOUCHING.
            device: where boxes and triangles are tested: "cpu"; "cuda", a GPU; or "auto", as in ``collide``.

        Yields:
            Progress.

        Raises:
            UnknownObject: an id of a set is not in the scene.
            UnsupportedOption: a length is negative or not finite, ``keep`` returns another shape, an unknown device.
            DeviceUnavailable: "cuda" was asked for and no device can be used.
        """
        check_served_device(device)
        limits = Limits(
            check_length("permitted_overlap", permitted_overlap), check_length("touch_tolerance", touch_tolerance)
        )
        clock = Clock()
        yield Progress(0.0, "comparing bounding boxes")
        notes: list[str] = []
        pairs = self.candidates(set_a, set_b, keep, limits, device, notes)
        clock.stop("broad phase")
        compared = QueryStats(note="; ".join(notes))
        if len(pairs) == 0:
            return SceneContacts([], replace(compared, seconds=clock.total), clock.timings)
        case, identifiers = yield from self.case_steps(pairs, limits, clock, device=device)
        results = yield from self._judge(case, identifiers, limits, touching)
        clock.stop("verdicts")
        stats = case.answer.stats(clock.total, clock.timings).plus(compared)
        return SceneContacts(results, stats, clock.timings)

    def time_critical(
        self,
        budget: float | None = None,
        set_a: Iterable[int] | None = None,
        set_b: Iterable[int] | None = None,
        keep: Keep | None = None,
        p_min: float = 0.99,
        k_min: int = 10,
        count: str = "paper",
        steps: int | None = None,
    ) -> SceneEstimate:
        """Which objects collide, as surely as a budget allows; arguments and errors as ``time_critical_steps``."""
        return run(self.time_critical_steps(budget, set_a, set_b, keep, p_min, k_min, count, steps))

    def time_critical_steps(
        self,
        budget: float | None = None,
        set_a: Iterable[int] | None = None,
        set_b: Iterable[int] | None = None,
        keep: Keep | None = None,
        p_min: float = 0.99,
        k_min: int = 10,
        count: str = "paper",
        steps: int | None = None,
    ) -> Generator[Progress, None, SceneEstimate]:
        """As ``time_critical``, in slices of a few milliseconds; closing the generator loses nothing that was found.

        All pairs of objects share the budget: it goes where surfaces meet most likely (``meshclash.time_critical``).
        The next call goes on where this one stopped, with the pairs whose objects were not changed meanwhile. A call
        that finds every pair decided goes on with those that merely count as colliding, so that answers become exact
        one after the other; ``SceneEstimate.exact`` says when all of them are.

        Args:
            budget: time [s] that the call may take, above 0; None for none. Preparing meshes that are new is not
                counted.
            set_a, set_b, keep: as ``contacts_steps``.
            p_min, k_min, count: as ``meshclash.time_critical``.
            steps: as a budget, for answers that depend on nothing but the scene and the calls so far.

        Yields:
            Progress.

        Raises:
            UnknownObject: an id of a set is not in the scene.
            UnsupportedOption: an option is out of range, or ``keep`` returns another shape.
        """
        aim, seconds, left = checked_aim(p_min, k_min, count), checked_budget(budget), checked_steps(steps)
        start = time.perf_counter()
        pairs = self.candidates(set_a, set_b, keep, Limits())
        spent = time.perf_counter() - start
        trees = yield from self._augmented(np.unique(pairs).tolist())
        start = time.perf_counter()
        objects = {i: Placed(tree, self._members[i].rows, self._members[i].revision) for i, tree in trees.items()}
        self._shared.follow(pairs, objects, DEFAULT_VOLUME, aim)
        spent += time.perf_counter() - start
        for share in self._shared.search_steps(None if seconds is None else seconds - spent, left):
            yield Progress(0.5 + 0.5 * share, "searching where contacts are most likely")
        for a, b in self._shared.unsettled():
            first, second = self._members[a], self._members[b]
            pose_a, pose_b = Pose(first.rows), Pose(second.rows)
            self._shared.settle((a, b), bool(collides(as_boxes(first.mesh), as_boxes(second.mesh), pose_a, pose_b)))
        return self._shared.estimate()

    def _augmented(self, ids: list[int]) -> Generator[Progress, None, dict[int, AdbTree]]:
        """The trees of objects for time-critical questions."""
        trees = {}
        piece = Slice()
        for done, i in enumerate(ids):
            hierarchy = as_boxes(self._members[i].mesh)
            for _ in chain(adb_tree_steps(hierarchy), [None]):
                if piece.over:
                    yield Progress(0.5 * done / len(ids), f"preparing object {done + 1} of {len(ids)}")
                    piece = Slice()
            trees[i] = adb_tree(hierarchy)
        return trees

    def candidates(
        self,
        set_a: Iterable[int] | None,
        set_b: Iterable[int] | None,
        keep: Keep | None,
        limits: Limits,
        device: str = "cpu",
        notes: list[str] | None = None,
    ) -> np.ndarray:
        """Pairs of ids (k, 2) int64, sorted, whose world boxes overlap and that ``keep`` lets through.

        Args:
            set_a, set_b, keep, device: as ``contacts_steps``; the device compares boxes.
            limits: boxes as near as the tolerance for touching overlap.
            notes: is told why the CPU compared boxes where a device was meant to.
        """
        in_a, in_b = self.members_of(set_a), self.members_of(set_b)
        ids, boxes = self.boxes(limits.touch_tolerance)
        if not len(ids):
            return np.empty((0, 2), np.int64)
        places, note = object_pairs_on_device(device, boxes, in_a, in_b)
        if note and notes is not None:
            notes.append(note)
        pairs = ids[overlapping_pairs(boxes, in_a, in_b) if places is None else places]
        if keep is None or len(pairs) == 0:
            return pairs
        mask = np.asarray(keep(pairs))
        if mask.shape != (len(pairs),) or mask.dtype != np.bool_:
            raise UnsupportedOption(
                f"keep must return booleans of shape ({len(pairs)},), not {mask.dtype} of shape {mask.shape}"
            )
        return pairs[mask]

    def boxes(self, margin: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """All ids (n,) int64, ascending, and world boxes that contain the objects and a margin, (n, 6) float64 [m]."""
        members = self._members.values()
        ids = np.fromiter(self._members, np.int64, len(self._members))  # they are given in that order
        if not members:
            return ids, np.empty((0, 6))
        return ids, world_boxes(np.stack([m.bounds for m in members]), np.stack([m.rows for m in members]), margin)

    def members_of(self, chosen: Iterable[int] | None) -> np.ndarray:
        """Which objects, in the order of their ids, a set means, (n,) bool; None means all. Raises UnknownObject."""
        if chosen is None:
            return np.ones(len(self._members), np.bool_)
        wanted = set(chosen)
        for identifier in wanted:
            self._member(identifier)
        return np.fromiter((i in wanted for i in self._members), np.bool_, len(self._members))

    def case_steps(
        self, pairs: np.ndarray, limits: Limits, clock: "Clock", first_only: bool = False, device: str = "cpu"
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
        ids, index = np.unique(pairs, return_inverse=True)
        index = index.reshape(-1, 2)
        hierarchies, trees = yield from self._hierarchies(ids)
        clock.stop("building")
        grove, solids = self._plant(hierarchies)
        rows = np.stack([self._members[i].rows for i in ids])
        boxes = yield from _bounds(grove, trees, rows)
        near = _boxes_near(boxes[index[:, 0]], boxes[index[:, 1]], limits.touch_tolerance)
        pairs, index = pairs[near], index[near]
        jobs, rows_a, rows_b = trees[index], rows[index[:, 0]], rows[index[:, 1]]
        clock.stop("packing")
        meshes = [hierarchy.mesh for hierarchy in hierarchies]
        answer, note = answer_on_device(device, meshes, meshes, Asked(jobs, rows_a, rows_b))
        if answer is None:
            question = Question(grove, grove, jobs, rows_a, rows_b, contact, first_only=first_only)
            answer = yield from scaled(answer_steps(question), 0.1, 0.6, "testing triangles")
            answer = answer._replace(note=note)
        clock.stop("traversal")
        boxes_a, boxes_b = boxes[index[:, 0]], boxes[index[:, 1]]
        return Case(grove, solids, jobs, rows_a, rows_b, boxes_a, boxes_b, answer, meshes), pairs

    def _member(self, identifier: int) -> _Member:
        try:
            return self._members[identifier]
        except (KeyError, TypeError):
            raise UnknownObject(f"the scene has no object {identifier!r}") from None

    def _hierarchies(self, ids: np.ndarray) -> Generator[Progress, None, tuple[list[Hierarchy], np.ndarray]]:
        """Hierarchies of objects, each once, and the tree index (n,) int64 of each object."""
        trees = np.empty(len(ids), np.int64)
        index: dict[int, int] = {}
        hierarchies: list[Hierarchy] = []
        piece = Slice()
        for done, i in enumerate(ids):
            hierarchy = as_boxes(self._members[i].mesh)
            for _ in chain(hierarchy.mesh.topology_steps(), [None]):
                if piece.over:
                    yield Progress(0.1 * done / len(ids), f"building hierarchy {done + 1} of {len(ids)}")
                    piece = Slice()
            solid_of(hierarchy.mesh)
            if id(hierarchy) not in index:
                index[id(hierarchy)] = len(hierarchies)
                hierarchies.append(hierarchy)
            trees[done] = index[id(hierarchy)]
        return hierarchies, trees

    def _plant(self, hierarchies: list[Hierarchy]) -> tuple[Grove, Solids]:
        """The packed trees, kept as long as the same ones are asked for."""
        kept = self._planted
        indices = [h.index for h in hierarchies]
        if kept is None or len(kept[0]) != len(indices) or any(map(operator.is_not, kept[0], indices)):
            kept = self._planted = (indices, plant(hierarchies), gather_solids(hierarchies))
        return kept[1], kept[2]

    def _judge(
        self, case: Case, identifiers: np.ndarray, limits: Limits, touching: bool
    ) -> Generator[Progress, None, list[ObjectContacts]]:
        """Verdicts in slices, as results sorted by severity, depth and ids."""
        results: list[ObjectContacts] = []
        piece = Slice()
        for done, found in self.judged_portions(case, identifiers, limits):
            results += [item for item in found if touching or item.verdict != TOUCHING]
            if piece.over:
                yield Progress(0.6 + 0.4 * done / len(case.jobs), f"judging object pair {done} of {len(case.jobs)}")
                piece = Slice()
        return sorted(results, key=lambda r: (-r.verdict.severity, -(r.verdict.depth or 0.0), r.a, r.b))

    def judged_portions(
        self, case: Case, identifiers: np.ndarray, limits: Limits
    ) -> Generator[tuple[int, list[ObjectContacts]], None, None]:
        """The pairs of a case that are not apart, in portions: how many pairs are done, and what was found since."""
        total = len(case.jobs)
        start = np.searchsorted(case.answer.jobs, np.arange(total + 1))
        begin = 0
        while begin < total:
            enough = int(np.searchsorted(start, start[begin] + _PORTION_CONTACTS, "right")) - 1
            end = min(max(enough, begin + 1), begin + _PORTION_PAIRS, total)
            part = _portion(case, begin, end)
            judgement = yield from _with_nothing_found(begin, judge_steps(part, limits))
            found = self._results(part, judgement, identifiers[begin:])
            begin = end
            yield begin, found

    def _results(self, case: Case, judgement: Judgement, identifiers: np.ndarray) -> list[ObjectContacts]:
        found = []
        for job in range(len(case.jobs)):
            verdict = judgement.verdict(job)
            if verdict == APART:
                continue
            a, b = (int(i) for i in identifiers[job])
            contacts = self.contacts_of(case, job, a, b)
            found.append(ObjectContacts(a, b, verdict, contacts, judgement.location(case, job)))
        return found

    def first_contact_of(self, case: Case, job: int, a: int, b: int) -> FirstContact:
        """The contact of one pair of a case that was asked for first contacts only, and that meets."""
        return FirstContact(a, b, self.contacts_of(case, job, a, b))

    def contacts_of(self, case: Case, job: int, a: int, b: int) -> Contacts:
        """The contacts of one pair of a case, whose ids are a and b."""
        begin, end = np.searchsorted(case.answer.jobs, (job, job + 1))
        meshes = (as_boxes(self._members[a].mesh).mesh, as_boxes(self._members[b].mesh).mesh)
        return Contacts(
            case.answer.pairs[begin:end], case.answer.kinds[begin:end], np.zeros(end - begin, np.int32),
            QueryStats(), meshes, (case.rows_a[job : job + 1], case.rows_b[job : job + 1]),
        )  # fmt: skip


class Clock:
    """Seconds per stage."""

    def __init__(self) -> None:
        self.timings: dict[str, float] = {}
        self._begin = self._last = time.perf_counter()

    def stop(self, stage: str) -> None:
        """Give a stage the seconds since the last one ended."""
        now = time.perf_counter()
        self.timings[stage] = self.timings.get(stage, 0.0) + now - self._last
        self._last = now

    @property
    def total(self) -> float:
        """Seconds since the clock was made."""
        return time.perf_counter() - self._begin


def _one_pose(pose: Any) -> np.ndarray:
    rows, stacked = pose_stack(pose)
    if stacked:
        raise UnsupportedOption("an object of a scene has one pose, not a stack")
    return rows[0].copy()


def _bounds(grove: Grove, trees: np.ndarray, rows: np.ndarray) -> Generator[Progress, None, np.ndarray]:
    """``world_bounds``, in portions of about half a slice."""
    forest = grove.forest
    triangles = np.cumsum((forest.triangle_end - forest.triangle_start)[trees])
    boxes, begin = np.empty((len(trees), 6)), 0
    while begin < len(trees):
        before = triangles[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(triangles, before + _TRIANGLES, side="right")))
        boxes[begin:end] = world_bounds(forest, trees[begin:end], rows[begin:end])
        begin = end
        if begin < len(trees):
            yield Progress(0.1, f"measuring object {begin} of {len(trees)}")
    return boxes


def _boxes_near(a: np.ndarray, b: np.ndarray, tolerance: float) -> np.ndarray:
    """Which boxes (k, 6) are no farther apart than the tolerance on any axis, (k,) bool."""
    gap = np.maximum(a[:, :3] - b[:, 3:], b[:, :3] - a[:, 3:])
    return (gap <= tolerance).all(axis=1)


def _with_nothing_found(
    done: int, steps: Generator[None, None, Judgement]
) -> Generator[tuple[int, list[ObjectContacts]], None, Judgement]:
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value
        yield done, []


def _portion(case: Case, begin: int, end: int) -> Case:
    """Object pairs begin to end of a case."""
    low, high = np.searchsorted(case.answer.jobs, (begin, end))
    answer = case.answer._replace(
        pairs=case.answer.pairs[low:high], kinds=case.answer.kinds[low:high], jobs=case.answer.jobs[low:high] - begin
    )
    part = slice(begin, end)
    return case._replace(
        jobs=case.jobs[part], rows_a=case.rows_a[part], rows_b=case.rows_b[part],
        boxes_a=case.boxes_a[part], boxes_b=case.boxes_b[part], answer=answer,
    )  # fmt: skip
