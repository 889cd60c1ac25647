"""Find the objects of a scene that collide, with one contact per pair, in the current poses or in many configurations.

Two objects collide if their surfaces meet or one object lies in the other. These pairs are exactly the pairs that are
not apart. If the surfaces do not meet, one point of each component is tested against the other object. No depth is
computed.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..broadphase.sweep import overlapping_pairs_of_each, world_boxes
from ..errors import InvalidPose, UnknownObject, UnsupportedOption
from ..jit import kernel, thread_limit
from ..messages import shown
from ..query.shortcuts.configuration import Colliding
from ..query.shortcuts.kernels import FIRST, PLACE, SECOND
from ..query.shortcuts.object_pairs import UNDECIDED, YES, CollidingPairs
from ..reference import by_reference
from ..solid.case import Case, Limits
from ..solid.holes import near_holes_steps
from ..solid.judge import judge
from ..solid.open_judge import may_lie_in
from ..traversal.bounds import world_bounds
from ..traversal.frames import IN, OUT, inverses_of, make_frame, side_of_solid
from ..traversal.point import new_point_workspace, world_triangle
from ..traversal.question import Answer
from ..types.arguments import items_of
from ..types.numbers import is_whole
from ..types.pair_keys import no_pairs
from ..types.pose import check_stack, matrices_of
from ..types.results import Progress, QueryStats
from ..types.steps import hold_progress, scale_progress, steps
from ..types.verdict import APART
from .contact_stage import PackedTrees, contacts_steps
from .members import Keep

_ROWS_AT_ONCE = 1 << 15  # poses of objects that are processed together
_ROWS_OF_FEW = 1 << 13  # the same for few objects, which are processed without a pause
_AT_ONCE = 4096  # pairs per step
_NO, _YES, _UNSURE = range(3)
_NAMES = {int, str}
_NOTHING_MET = Answer(np.empty((0, 2), np.int32), np.empty(0, np.uint8), np.empty(0, np.int32), 0, 0, 0, 1)


@dataclass(frozen=True, eq=False)
class SceneCollisions:
    """The pairs of objects that collide. The truth value of a SceneCollisions is True if any pair collides or could not
    be tested.

    Attributes:
        pairs: Ids, (k, 2) int64, the lower one first; sorted by configuration, then by ids.
        triangles: For each pair, a triangle of each object, which have a common point, (k, 2) int32; -1 if one object
            lies inside the other without contact, and for pairs with a cloud or a clustered mesh.
        configuration: The configuration of each pair, (k,) int64; 0 without configurations.
        any: For each configuration, whether a pair collides or could not be tested, (m,) bool; of length 1 without
            configurations.
        unanswered: Ids (k, 2) int64 of near pairs of a point cloud and a clustered mesh, which cannot be compared.
    """

    pairs: np.ndarray
    triangles: np.ndarray
    configuration: np.ndarray
    any: np.ndarray
    stats: QueryStats
    unanswered: np.ndarray = field(default_factory=no_pairs)

    def __bool__(self) -> bool:
        return bool(self.any.any())


class Configurations(NamedTuple):
    """The input of a collision query: n objects with a pose for each in each of m configurations."""

    packed_trees: PackedTrees
    ids: np.ndarray
    """Ids of the objects, (n,) int64, ascending."""
    rows: np.ndarray
    """Poses, (m, n, 3, 4)."""
    in_a: np.ndarray
    """Whether each object belongs to the first set, (n,) bool."""
    in_b: np.ndarray
    """Whether each object belongs to the second set, (n,) bool."""
    keep: Keep | None
    """Which pairs of ids to compare; already validated."""


def no_collisions(count: int) -> SceneCollisions:
    """Return the result for ``count`` configurations without any collision."""
    pairs = np.empty((0, 2), np.int64)
    return SceneCollisions(pairs, pairs.astype(np.int32), pairs[:, 0], np.zeros(count, np.bool_), QueryStats())


def collisions_of_one(found: Colliding) -> SceneCollisions:
    """Convert the result of the fast path for one configuration of a few objects."""
    pairs, triangles, counts = found
    any_met = np.array([len(pairs) > 0])
    return SceneCollisions(pairs, triangles, np.zeros(len(pairs), np.int64), any_met, QueryStats(*counts))


class Choice:
    """The objects that a query compares, cached between calls because planners query the same objects thousands of
    times.

    Attributes:
        ids: ids of all objects, (n,) int64, ascending.
        in_a, in_b: whether each object belongs to the set, (n,) bool.
        places: indices of the movers among all objects, (k,) int64; None if no poses are given.
        slots: slots of all objects in the pose table.
    """

    def __init__(self, slots: np.ndarray, names: Any, ids: np.ndarray, in_a: np.ndarray, in_b: np.ndarray) -> None:
        self.slots, self._names = slots, names
        self.ids, self.in_a, self.in_b = ids, in_a, in_b
        self.places: np.ndarray | None = None

    def serves(self, slots: np.ndarray, names: Any) -> bool:
        """Return whether this choice is for the same objects of the same scene; ``names`` is from ``names_of``."""
        return self.slots is slots and names is not None and self._names == names

    def is_of(self, slots: np.ndarray | None, *names: Any) -> bool:
        """Like ``serves``, with the lists of movers and sets as arguments."""
        return self.slots is slots and self._names is not None and all(map(_are_names, names, self._names))


def _are_names(given: Any, known: list[int | str] | None) -> bool:
    if given is None or known is None:
        return given is known
    return type(given) is list and given == known and _NAMES.issuperset(map(type, given))


def names_of(*chosen: Any) -> list[list[int | str] | None] | None:
    """Copy several lists of ids or names, to compare them with the lists of a later call.

    Returns None unless every argument is None or a plain list of ints and strings.
    """
    if not all(one is None or (type(one) is list and _NAMES.issuperset(map(type, one))) for one in chosen):
        return None
    return [None if one is None else one.copy() for one in chosen]


def mover_places(ids: np.ndarray, poses: Any, movers: Sequence[int | str] | None) -> np.ndarray | None:
    """Return the indices of the movers among all objects, (k,) int64; None if no poses are given.

    See ``Scene.collides``.

    Raises:
        UnknownObject, UnsupportedOption.
    """
    if poses is None:
        if movers is not None:
            raise UnsupportedOption("movers are given, but poses is None: give one pose (4, 4) for each mover")
        return None
    if movers is None:
        return np.arange(len(ids))
    place, found = {identifier: k for k, identifier in enumerate(ids.tolist())}, dict[int, None]()
    for identifier in items_of(
        "movers", movers, "ids or names of objects"
    ):  # checked one by one: an iterable may be infinite
        if not is_whole(identifier):
            raise UnsupportedOption(f"movers must be object ids or names, not {shown(movers)}")
        if identifier not in place:
            raise UnknownObject(f"the scene has no object {shown(identifier)}")
        if place[int(identifier)] in found:
            raise UnsupportedOption(f"movers must contain each object only once, not {shown(movers)}")
        found[place[int(identifier)]] = None
    return np.array(list(found), np.int64)


def configured_rows(own: np.ndarray, poses: Any, places: np.ndarray | None) -> np.ndarray:
    """Return the poses (m, n, 3, 4) of all objects in all configurations.

    Args:
        own: current poses of all objects, (n, 3, 4).
        poses: poses of the movers in one or several configurations.
        places: indices of the movers among all objects; None to use only ``own``.

    Raises:
        InvalidPose.
    """
    rows = own[None]
    if places is None:
        return rows
    given = matrices_of(poses)
    if given.ndim not in (3, 4) or given.shape[-3:] != (len(places), 4, 4):
        raise InvalidPose(
            f"the poses of {len(places)} movers must have shape ({len(places)}, 4, 4), or (m, "
            f"{len(places)}, 4, 4) for m configurations, not {given.shape}"
        )
    if given.ndim == 4:
        rows = np.repeat(rows, len(given), axis=0)
    if given.size:
        check_stack(given.reshape(-1, 4, 4))
        rows[:, places] = given[..., :3, :]
    return rows


def collisions_steps(configurations: Configurations) -> Generator[Progress, None, SceneCollisions]:
    """Find which pairs collide in which configurations, in slices of a few milliseconds."""
    at_once = _ROWS_AT_ONCE if configurations.packed_trees.few is None else _ROWS_OF_FEW
    total, portion = len(configurations.rows), max(1, at_once // max(1, len(configurations.ids)))
    if total == 1:
        places, pairs, triangles, stats = yield from scale_progress(
            _portion_steps(configurations), 0.0, 1.0, "testing objects"
        )
        return SceneCollisions(configurations.ids[pairs], triangles, places, np.array([len(pairs) > 0]), stats)
    found, stats = [], QueryStats()
    for begin in range(0, total, portion):
        some = configurations._replace(rows=configurations.rows[begin : begin + portion])
        low, high = (min(1.0, place / total) for place in (begin, begin + portion))
        text = f"testing configuration {begin + 1} of {total}"
        places, pairs, triangles, work = yield from scale_progress(_portion_steps(some), low, high, text)
        found.append((configurations.ids[pairs], triangles, places + begin))
        stats = stats.plus(work)
    pairs, triangles, places = (np.concatenate(parts) for parts in zip(*found, strict=True))
    colliding = np.zeros(total, np.bool_)
    colliding[places] = True
    return SceneCollisions(pairs, triangles, places, colliding, stats)


def _portion_steps(
    configurations: Configurations,
) -> Generator[float, None, tuple[np.ndarray, np.ndarray, np.ndarray, QueryStats]]:
    """Find the colliding pairs of some configurations.

    Returns:
        For each pair the configuration (k,), the indices of the objects (k, 2) and the triangles (k, 2); and the work.
    """
    few, ids, keep = configurations.packed_trees.few, configurations.ids, configurations.keep
    if few is not None:
        keep_pairs = None if keep is None else lambda pairs: keep(ids[pairs])
        found = yield from few.find_steps(configurations.rows, configurations.in_a, configurations.in_b, keep_pairs)
        stats = QueryStats(*found.counts)
        if found.some_left:
            stats = stats.plus((yield from _settle_steps(configurations, found)))
        met = found.collide.view(np.bool_)
        jobs = found.jobs[met]
        return jobs[:, PLACE], jobs[:, FIRST : SECOND + 1], found.triangles[met], stats
    packed_trees, objects = configurations.packed_trees, configurations.rows.shape[1]
    boxes = world_boxes(packed_trees.bounds, configurations.rows, 0.0)
    places, pairs = overlapping_pairs_of_each(boxes, configurations.in_a, configurations.in_b)
    rows, boxes = configurations.rows.reshape(-1, 3, 4), boxes.reshape(-1, 6)
    if configurations.keep is not None:
        kept = configurations.keep(configurations.ids[pairs])
        places, pairs = places[kept], pairs[kept]
    triangles = np.full((len(pairs), 2), -1, np.int32)
    if not len(pairs):
        return places, pairs, triangles, QueryStats()
    at = places[:, None] * objects + pairs
    sides, around = (rows[at[:, 0]], rows[at[:, 1]]), (boxes[at[:, 0]], boxes[at[:, 1]])
    answer, collide = yield from meeting_steps(packed_trees, packed_trees.trees[pairs], sides, around, True)
    triangles[answer.jobs] = answer.pairs
    return places[collide], pairs[collide], triangles[collide], answer.stats()


def _settle_steps(configurations: Configurations, found: CollidingPairs) -> Generator[float, None, QueryStats]:
    """Decide the pairs that the fast path left open, by the slower method for many objects. Returns the work."""
    packed_trees, left = configurations.packed_trees, np.flatnonzero(found.collide > YES)
    places, pairs = found.jobs[left, PLACE], found.jobs[left, FIRST : SECOND + 1]
    jobs, rows = packed_trees.trees[pairs], [configurations.rows[places, pairs[:, side]] for side in range(2)]
    boxes = [
        world_boxes(packed_trees.bounds, configurations.rows[m], 0.0)[pair]
        for m, pair in zip(places, pairs, strict=True)
    ]
    around, answer = np.stack(boxes), _NOTHING_MET
    undecided = np.flatnonzero(found.collide[left] == UNDECIDED)
    if len(undecided):
        some = jobs[undecided], (rows[0][undecided], rows[1][undecided])
        answer = yield from contacts_steps(packed_trees, *some, first_only=True)
        answer = answer._replace(jobs=undecided.astype(np.int32)[answer.jobs])
    case = Case(
        packed_trees.tree_set, packed_trees.solids, jobs, rows[0], rows[1], around[:, 0], around[:, 1], answer,
        np.zeros((len(left), 2)),
    )  # fmt: skip
    found.collide[left] = yield from _enclosed_steps(case)
    met = left[answer.jobs]
    found.collide[met], found.triangles[met] = YES, answer.pairs
    return answer.stats()


def meeting_steps(
    packed_trees: PackedTrees,
    jobs: np.ndarray,
    rows: tuple[np.ndarray, np.ndarray],
    boxes: tuple[np.ndarray, np.ndarray],
    first_only: bool,
) -> Generator[float, None, tuple[Answer, np.ndarray]]:
    """Find the contacts of pairs of objects, and which pairs (k,) collide by contact or because one object lies in the
    other.

    Args:
        packed_trees: trees of the objects.
        jobs: trees of each pair, (k, 2) int64.
        rows, boxes: poses (k, 3, 4) and world boxes (k, 6) of the first and of the second objects. The boxes need not
            be tight.
        first_only: True: one contact per pair; False: all contacts.
    """
    if not len(jobs):
        return _NOTHING_MET, np.zeros(0, np.bool_)
    answer = yield from contacts_steps(packed_trees, jobs, rows, first_only=first_only, threads=thread_limit(None))
    case = Case(packed_trees.tree_set, packed_trees.solids, jobs, *rows, *boxes, answer, np.zeros((len(jobs), 2)))
    collide = yield from _enclosed_steps(case)
    collide[answer.jobs] = True
    return answer, collide


def _enclosed_steps(case: Case) -> Generator[float, None, np.ndarray]:
    """Find, in slices, which pairs (k,) of a case collide without a contact because one object lies in the other.

    ``boxes_a`` and ``boxes_b`` of the case need not be tight.
    """
    met = np.zeros(len(case.jobs), np.bool_)
    met[case.answer.jobs] = True
    left = np.flatnonzero(~met)
    inside = np.zeros(len(met), np.bool_)
    if not len(left):
        return inside
    rows = [np.ascontiguousarray(side[left]) for side in (case.rows_a, case.rows_b)]
    inverses = [inverses_of(side) for side in rows]
    tree_set, found, work = case.tree_set, np.zeros(len(left), np.int8), new_point_workspace()
    for begin in range(0, len(left), _AT_ONCE):
        part = slice(begin, begin + _AT_ONCE)
        find_enclosed(
            tree_set.forest, case.solids, tree_set.origins, tree_set.reaches, case.jobs[left[part]],
            rows[0][part], rows[1][part], inverses[0][part], inverses[1][part], work, found[part],
        )  # fmt: skip
        yield 1.0
    inside[left[found == _YES]] = True
    unsure = np.zeros(len(met), np.bool_)
    unsure[left[found == _UNSURE]] = True
    unsure[left[found == _NO]] = yield from hold_progress(_may_lie_in_open(case, left[found == _NO]), 1.0)
    if unsure.any():
        judging = steps(judge, _with_exact_boxes(case.chosen(unsure)), Limits(depths=False))
        judgement = yield from hold_progress(judging, 1.0)
        inside[np.flatnonzero(unsure)[judgement.codes != APART.severity]] = True
    return inside


@kernel
def find_enclosed(forest, solids, origins, reaches, jobs, rows_a, rows_b, inverse_a, inverse_b, work, found):
    """Fill ``found`` (k,): whether, in each pair, a component of one object lies in the other one, a closed solid."""
    forest = by_reference(forest)
    solids = by_reference(solids)
    work = by_reference(work)
    for job in range(len(jobs)):
        a = by_reference(make_frame(jobs[job, 0], rows_a[job], inverse_a[job], origins, reaches))
        b = by_reference(make_frame(jobs[job, 1], rows_b[job], inverse_b[job], origins, reaches))
        found[job] = _NO
        for turn in range(2):
            own, other = (a, b) if turn == 0 else (b, a)
            if not solids.closed[other.tree]:
                continue
            for component in range(solids.component_start[own.tree], solids.component_start[own.tree + 1]):
                p = world_triangle(forest, own.tree, np.int64(solids.representatives[component]), own.pose)[0]
                side = side_of_solid(forest, solids, other, p, work)
                if side != OUT:
                    found[job] = _YES if side == IN else _UNSURE
                    break
            if found[job] != _NO:
                break


def _may_lie_in_open(case: Case, jobs: np.ndarray) -> Generator[None, None, np.ndarray]:
    """Return which of the pairs ``jobs`` (n,) of a case have an open object that may contain a part of the other one.

    An open object may contain a part of the other object if its box contains a corner of a component of that object, or
    if that object comes near a hole. Yields every few milliseconds.
    """
    asked = np.zeros((len(case.jobs), 2), np.bool_)
    asked[jobs] = ~case.solids.closed[case.jobs[jobs, ::-1]]
    may = may_lie_in(case, asked)
    asked[may.any(axis=1)] = False
    may |= yield from near_holes_steps(case, asked)
    found: np.ndarray = may[jobs].any(axis=1)
    return found


def _with_exact_boxes(case: Case) -> Case:
    boxes = [world_bounds(case.tree_set, case.jobs[:, k], rows) for k, rows in enumerate((case.rows_a, case.rows_b))]
    return case._replace(boxes_a=boxes[0], boxes_b=boxes[1])
