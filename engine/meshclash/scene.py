"""``Scene``: many objects in their poses, and every pair of them that is not apart."""

import operator
import time
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .broadphase.sweep import overlapping_pairs, world_boxes
from .errors import UnknownObject, UnsupportedOption
from .hierarchy.build import as_boxes, as_hierarchy, refit
from .hierarchy.bvh import Hierarchy
from .query.contacts import Contacts
from .query.options import check_length
from .solid.judge import Case, Judgement, Limits, judge
from .solid.solids import Solids, gather_solids, solid_of
from .traversal.bounds import world_bounds
from .traversal.forest import Grove, plant
from .traversal.leaf_tests import contact
from .traversal.run import Answer, Question, answer_steps, run
from .types.mesh import TriangleMesh
from .types.pose import pose_stack
from .types.results import APART, TOUCHING, Progress, QueryStats, Verdict

_SLICE_SECONDS = 0.02

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

    @property
    def bounds(self) -> np.ndarray:
        return (self.mesh.mesh if isinstance(self.mesh, Hierarchy) else self.mesh).bounds


class Scene:
    """Objects with poses. Hierarchies are built when first needed and kept; objects may share one mesh."""

    def __init__(self) -> None:
        self._members: dict[int, _Member] = {}
        self._next = 0
        self._planted: tuple[list[Hierarchy], Grove, Solids] | None = None

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
        self._member(identifier).rows = _one_pose(pose)

    def set_vertices(self, identifier: int, vertices: Any) -> None:
        """Deform an object: same triangles, moved vertices (n, 3) [m]; its hierarchy is refitted.

        Raises:
            UnknownObject; InvalidMesh when the number of vertices differs or a coordinate is not finite.
        """
        member = self._member(identifier)
        hierarchy = as_hierarchy(member.mesh)
        member.mesh = refit(hierarchy, vertices)

    def contacts(
        self,
        set_a: Iterable[int] | None = None,
        set_b: Iterable[int] | None = None,
        keep: Keep | None = None,
        permitted_overlap: float = 0.0,
        touch_tolerance: float = 0.0,
        touching: bool = True,
    ) -> SceneContacts:
        """Every pair of objects that is not apart; arguments and errors as ``contacts_steps``."""
        return run(self.contacts_steps(set_a, set_b, keep, permitted_overlap, touch_tolerance, touching))

    def contacts_steps(
        self,
        set_a: Iterable[int] | None = None,
        set_b: Iterable[int] | None = None,
        keep: Keep | None = None,
        permitted_overlap: float = 0.0,
        touch_tolerance: float = 0.0,
        touching: bool = True,
    ) -> Generator[Progress, None, SceneContacts]:
        """As ``contacts``, in slices of about 20 ms; closing the generator leaves the scene as it is.

        Args:
            set_a, set_b: ids; pairs have one object in each set. None stands for all objects.
            keep: takes pairs of ids (k, 2) int64 and returns (k,) bool, which of them to look at.
            permitted_overlap, touch_tolerance: lengths [m], see ``verdict``.
            touching: False leaves out pairs whose verdict is TOUCHING.

        Yields:
            Progress.

        Raises:
            UnknownObject: an id of a set is not in the scene.
            UnsupportedOption: a length is negative or not finite, or ``keep`` returns another shape.
        """
        limits = Limits(
            check_length("permitted_overlap", permitted_overlap), check_length("touch_tolerance", touch_tolerance)
        )
        clock = _Clock()
        yield Progress(0.0, "comparing bounding boxes")
        ids, pairs = self._candidates(set_a, set_b, keep, limits)
        clock.stop("broad phase")
        hierarchies, trees = yield from self._hierarchies(ids, pairs)
        clock.stop("building")
        jobs = np.stack([trees[pairs[:, 0]], trees[pairs[:, 1]]], axis=1) if len(pairs) else np.empty((0, 2), np.int64)
        rows = np.stack([self._members[i].rows for i in ids]) if ids else np.empty((0, 3, 4))
        rows_a, rows_b = rows[pairs[:, 0]], rows[pairs[:, 1]]
        if len(pairs) == 0:
            return SceneContacts([], QueryStats(seconds=clock.total), clock.timings)
        grove, solids = self._plant(hierarchies)
        boxes = _posed_bounds(grove, trees, rows)
        near = _boxes_near(boxes[pairs[:, 0]], boxes[pairs[:, 1]], limits.touch_tolerance)
        pairs, jobs, rows_a, rows_b = pairs[near], jobs[near], rows_a[near], rows_b[near]
        clock.stop("packing")
        answer = yield from _scaled(
            answer_steps(Question(grove, grove, jobs, rows_a, rows_b, contact)), 0.1, 0.6, "testing triangles"
        )
        clock.stop("traversal")
        case = Case(grove, solids, jobs, rows_a, rows_b, boxes[pairs[:, 0]], boxes[pairs[:, 1]], answer)
        results = yield from self._judge(case, np.asarray(ids)[pairs], limits, touching)
        clock.stop("verdicts")
        stats = QueryStats(
            answer.volume_tests, answer.primitive_tests, answer.exact_tests, clock.total, timings=clock.timings
        )
        return SceneContacts(results, stats, clock.timings)

    def _member(self, identifier: int) -> _Member:
        try:
            return self._members[identifier]
        except (KeyError, TypeError):
            raise UnknownObject(f"the scene has no object {identifier!r}") from None

    def _mask(self, ids: list[int], chosen: Iterable[int] | None) -> np.ndarray:
        if chosen is None:
            return np.ones(len(ids), np.bool_)
        wanted = set(chosen)
        for identifier in wanted:
            self._member(identifier)
        return np.array([i in wanted for i in ids], np.bool_)

    def _candidates(
        self, set_a: Iterable[int] | None, set_b: Iterable[int] | None, keep: Keep | None, limits: Limits
    ) -> tuple[list[int], np.ndarray]:
        """All ids, and index pairs (k, 2) int64 into them whose boxes overlap and that ``keep`` lets through."""
        ids = list(self._members)
        in_a, in_b = self._mask(ids, set_a), self._mask(ids, set_b)
        if not ids:
            return ids, np.empty((0, 2), np.int64)
        members = [self._members[i] for i in ids]
        boxes = world_boxes(
            np.stack([m.bounds for m in members]), np.stack([m.rows for m in members]), limits.touch_tolerance
        )
        pairs = overlapping_pairs(boxes, in_a, in_b)
        if keep is None or len(pairs) == 0:
            return ids, pairs
        mask = np.asarray(keep(np.asarray(ids)[pairs]))
        if mask.shape != (len(pairs),) or mask.dtype != np.bool_:
            raise UnsupportedOption(
                f"keep must return booleans of shape ({len(pairs)},), not {mask.dtype} of shape {mask.shape}"
            )
        return ids, pairs[mask]

    def _hierarchies(
        self, ids: list[int], pairs: np.ndarray
    ) -> Generator[Progress, None, tuple[list[Hierarchy], np.ndarray]]:
        """Hierarchies of all objects in pairs, each once, and the tree index (n,) int64 of each object (-1: none)."""
        trees = np.full(len(ids), -1, np.int64)
        index: dict[int, int] = {}
        hierarchies: list[Hierarchy] = []
        needed = np.unique(pairs)
        slice_end = time.perf_counter() + _SLICE_SECONDS
        for done, i in enumerate(needed):
            hierarchy = as_boxes(self._members[ids[i]].mesh)
            solid_of(hierarchy)
            if id(hierarchy) not in index:
                index[id(hierarchy)] = len(hierarchies)
                hierarchies.append(hierarchy)
            trees[i] = index[id(hierarchy)]
            if time.perf_counter() >= slice_end:
                yield Progress(0.1 * done / len(needed), f"building hierarchy {done + 1} of {len(needed)}")
                slice_end = time.perf_counter() + _SLICE_SECONDS
        return hierarchies, trees

    def _plant(self, hierarchies: list[Hierarchy]) -> tuple[Grove, Solids]:
        """The packed trees, kept as long as the same hierarchies are asked for."""
        kept = self._planted
        if kept is None or len(kept[0]) != len(hierarchies) or any(map(operator.is_not, kept[0], hierarchies)):
            kept = self._planted = (hierarchies, plant(hierarchies), gather_solids(hierarchies))
        return kept[1], kept[2]

    def _judge(
        self, case: Case, identifiers: np.ndarray, limits: Limits, touching: bool
    ) -> Generator[Progress, None, list[ObjectContacts]]:
        """Verdicts in portions, as results sorted by severity, depth and ids."""
        results: list[ObjectContacts] = []
        total = len(case.jobs)
        slice_end = time.perf_counter() + _SLICE_SECONDS
        begin, together = 0, 1
        while begin < total:
            started = time.perf_counter()
            part = _portion(case, begin, min(begin + together, total))
            results += self._results(part, judge(part, limits), identifiers[begin:], touching)
            begin += together
            now = time.perf_counter()
            together = max(1, together // 2) if now - started > 0.5 * _SLICE_SECONDS else 2 * together
            if now >= slice_end:
                done = min(begin, total)
                yield Progress(0.6 + 0.4 * done / total, f"judging object pair {done} of {total}")
                slice_end = time.perf_counter() + _SLICE_SECONDS
        return sorted(results, key=lambda r: (-r.verdict.severity, -(r.verdict.depth or 0.0), r.a, r.b))

    def _results(
        self, case: Case, judgement: Judgement, identifiers: np.ndarray, touching: bool
    ) -> list[ObjectContacts]:
        found = []
        for job in range(len(case.jobs)):
            verdict = judgement.verdict(job)
            if verdict == APART or (verdict == TOUCHING and not touching):
                continue
            a, b = (int(i) for i in identifiers[job])
            begin, end = judgement.start[job], judgement.start[job + 1]
            meshes = (as_boxes(self._members[a].mesh).mesh, as_boxes(self._members[b].mesh).mesh)
            contacts = Contacts(
                case.answer.pairs[begin:end], case.answer.kinds[begin:end], np.zeros(end - begin, np.int32),
                QueryStats(), meshes, (case.rows_a[job : job + 1], case.rows_b[job : job + 1]),
            )  # fmt: skip
            found.append(ObjectContacts(a, b, verdict, contacts, judgement.location(case, job)))
        return found


class _Clock:
    """Seconds per stage."""

    def __init__(self) -> None:
        self.timings: dict[str, float] = {}
        self._begin = self._last = time.perf_counter()

    def stop(self, stage: str) -> None:
        now = time.perf_counter()
        self.timings[stage] = now - self._last
        self._last = now

    @property
    def total(self) -> float:
        return time.perf_counter() - self._begin


def _one_pose(pose: Any) -> np.ndarray:
    rows, stacked = pose_stack(pose)
    if stacked:
        raise UnsupportedOption("an object of a scene has one pose, not a stack")
    return rows[0].copy()


def _scaled(
    steps: Generator[float, None, Answer], low: float, high: float, text: str
) -> Generator[Progress, None, Answer]:
    """Turn the fractions of one stage into progress of the whole."""
    while True:
        try:
            fraction = next(steps)
        except StopIteration as stop:
            return stop.value
        yield Progress(low + (high - low) * fraction, text)


def _posed_bounds(grove: Grove, trees: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Exact world bounds (n, 6) of the objects that have a tree; NaN for the others, which are in no pair."""
    boxes = np.full((len(trees), 6), np.nan)
    used = np.flatnonzero(trees >= 0)
    boxes[used] = world_bounds(grove.forest, trees[used], rows[used])
    return boxes


def _boxes_near(a: np.ndarray, b: np.ndarray, tolerance: float) -> np.ndarray:
    """Which boxes (k, 6) are no farther apart than the tolerance on any axis, (k,) bool."""
    gap = np.maximum(a[:, :3] - b[:, 3:], b[:, :3] - a[:, 3:])
    return (gap <= tolerance).all(axis=1)


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
