"""Fast path of the verdict on one pair of small objects: the result of ``judge.py``, with little Python.

Most of the time of a verdict on two boxes was Python on arrays of one row. One kernel finds all contacts
(``meet_single``), and another kernel samples both solids around the contacts, with the helpers of ``sampling.py`` in
the same order as in ``judge.py``. If they overlap, ``overlap_depths`` measures the depth. Rare cases are decided
completely by ``judge.py``: open meshes that may meet, objects in equal boxes (duplicates), many contacts, numbers that
float64 expansions cannot decide, surfaces that may have voids, and overlaps in which no ball is found at once or whose
bounds are far apart.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ...geometry.intersection import meeting, new_room
from ...geometry.relative_pose import invert_rotation
from ...jit import inner, kernel
from ...reference import by_reference
from ...solid.ball_growth import new_search_room
from ...solid.contact_centres import SAMPLED, is_sampled
from ...solid.depth import FIRST_BALL, overlap_depths
from ...solid.depth_intervals import COLUMNS, UPPER, is_wide
from ...solid.pair_verdict import PairVerdict
from ...solid.sampling import (
    COMMON,
    COMPONENTS_A,
    COMPONENTS_B,
    CONTACTS,
    ONLY_A,
    ONLY_B,
    TOUCHED_A,
    TOUCHED_B,
    UNDECIDED,
    bits_of_places,
    is_complete,
    visited_room,
)
from ...traversal.bounds import put_bounds
from ...traversal.exact_winding import MOST_AROUND
from ...traversal.forest import pack_trees
from ...traversal.frames import make_frame
from ...traversal.point import new_point_workspace, world_triangle
from ...traversal.solids import gather_solids
from ...types.steps import UNANSWERED, Unanswered
from ...types.verdict import APART, CLASH, CONTAINED, DUPLICATE, TOUCHING
from ..mesh_verdict import DeferredFindings
from .kernels import OPEN
from .record import Record
from .workspace import PairWorkspace
from .workspace_pool import WorkspacePool

MOST_TRIANGLES = 1 << 16
"""Maximum total number of triangles of two objects whose data are copied into one array and cached."""
MOST_CONTACTS = 512
"""Maximum number of contacts of two meshes for the fast path."""
_LEFT = -1
"""This value is returned instead of bits if ``judge.py`` must decide."""
_NO_LIMIT = 1 << 62


class PackedPair:
    """Two objects in the form that the kernels for posed solids expect.

    The record of the first object stores this data as long as the second object stays the same.

    Attributes:
        parts: parts of both hierarchies.
        trees: indices of the trees of both objects: an object paired with itself is not copied.
        posed: forest, solids, origins and reaches.
        used: for each tree, whether its triangles use all vertices of its mesh.
        solid: whether both are closed, and their windings tell what is a cavity.
    """

    def __init__(self, a: Record, b: Record) -> None:
        self.parts = a.parts, b.parts
        hierarchies = [a.hierarchy] if a.parts is b.parts else [a.hierarchy, b.hierarchy]
        trees, solids = pack_trees(hierarchies), gather_solids(hierarchies)
        self.trees = 0, len(hierarchies) - 1
        self.posed = trees.forest, solids, trees.origins, trees.reaches
        self.used = trees.all_used
        self.solid = bool(solids.closed.all()) and bool((solids.orientation > 0).all())

    def is_of(self, a: Record, b: Record) -> bool:
        """Return whether this record belongs to two objects in their current state."""
        return self.parts[0] is a.parts and self.parts[1] is b.parts

    def may_have_voids(self, bits: int) -> bool:
        """Return whether a component of one object that was not found may lie in a void of the other (``voids.py``)."""
        missing = zip((ONLY_A, ONLY_B), self.parts[::-1], strict=True)
        return any(not bits & bit and parts.mesh.derived.get("crosses itself", True) for bit, parts in missing)


class PosedOverlap(NamedTuple):
    """One job of ``overlap_depths``, with its objects in the order of ``pair_order``."""

    jobs: np.ndarray
    rows_a: np.ndarray
    rows_b: np.ndarray
    inverse_a: np.ndarray
    inverse_b: np.ndarray
    box: np.ndarray
    chosen: np.ndarray
    start: np.ndarray


class SingleScratch(NamedTuple):
    """Scratch memory of ``_judge_pair``."""

    boxes: np.ndarray
    """World boxes of both objects, (2, 6)."""
    visited: np.ndarray
    """Vertices that were visited, see ``sampling.py``."""


@inner
def _sort(pairs, kinds, count):
    """Sort contacts by their triangles with insertion sort, because there are only a few."""
    for i in range(1, count):
        t, u, kind = pairs[i, 0], pairs[i, 1], kinds[i]
        j = i
        while j > 0 and (pairs[j - 1, 0] > t or (pairs[j - 1, 0] == t and pairs[j - 1, 1] > u)):
            pairs[j, 0], pairs[j, 1], kinds[j] = pairs[j - 1, 0], pairs[j - 1, 1], kinds[j - 1]
            j -= 1
        pairs[j, 0], pairs[j, 1], kinds[j] = t, u, kind


@inner
def _bits(forest, solids, a, b, pairs, kinds, count, scratch, work):
    """Return the bits of ``sampling.py``, computed at the same places and in the same order as in ``judge.py``."""
    bits = np.int64(0)
    found = np.empty((2, MOST_AROUND), np.int64)
    for what in (CONTACTS, COMPONENTS_A, COMPONENTS_B, TOUCHED_A, TOUCHED_B):
        bits, _, _ = bits_of_places(
            forest, solids, a, b, what, 0, 0, count, pairs, kinds, bits, found, scratch.visited, _NO_LIMIT, work
        )
    return bits


@inner
def _box_overlap(a, b, out):
    """Compute ``box_overlaps`` of two boxes of six numbers."""
    least = np.inf
    for k in range(3):
        low, high = max(a[k], b[k]), min(a[k + 3], b[k + 3])
        width = high - low
        back = high - width
        if (high - (width + back)) + (back - low) != 0.0:
            width = np.nextafter(width, np.inf)
        out[k], out[k + 3] = low, high
        least = min(least, width)
    out[6] = least


@inner
def _lay_middles(forest, a, b, pairs, kinds, count, room, middles):
    """Write the middles of a sample of the contacts of two objects, which are in the order of ``pair_order``."""
    every = max(count // SAMPLED, 1)
    for i in range(count):
        if not is_sampled(forest, a.tree, np.int64(pairs[i, 0]), b.tree, np.int64(pairs[i, 1]), every):
            middles[i, 0], middles[i, 1], middles[i, 2] = math.nan, math.nan, math.nan
            continue
        first = world_triangle(forest, a.tree, np.int64(pairs[i, 0]), a.pose)
        second = world_triangle(forest, b.tree, np.int64(pairs[i, 1]), b.pose)
        middles[i, 0], middles[i, 1], middles[i, 2] = meeting(first, second, kinds[i], room)


@inner
def _are_apart(boxes):
    """Return whether an axis-aligned plane separates both boxes, so that the objects share no volume."""
    apart = False
    for k in range(3):
        apart |= boxes[0, k + 3] <= boxes[1, k] or boxes[1, k + 3] <= boxes[0, k]
    return apart


@inner
def _is_second_first(boxes):
    """Return whether the second object's box comes first, -1 if both are equal: see ``pair_order``."""
    for k in range(6):
        if boxes[0, k] != boxes[1, k]:
            return 1 if boxes[0, k] > boxes[1, k] else 0
    return -1


@kernel
def _judge_pair(
    forest, solids, origins, reaches, used, first, second, pose_a, pose_b, pairs, kinds, count, measured, overlap,
    scratch, room, middles, work,
):  # fmt: skip
    """Return bits of ``sampling.py`` for two solids, or ``_LEFT``; sorts their contacts.

    Args:
        forest, solids, origins, reaches, used: data of the pair; ``first`` and ``second`` are its trees.
        pose_a, pose_b: (4, 4).
        pairs, kinds: the contacts; ``count`` is their number.
        measured: whether to fill ``overlap`` and ``middles`` (n, 3) if there is common volume; then the columns of
            ``pairs`` are in their order, too.
        scratch, room, work: scratch memory.
    """
    forest = by_reference(forest)
    solids = by_reference(solids)
    overlap = by_reference(overlap)
    scratch = by_reference(scratch)
    room = by_reference(room)
    work = by_reference(work)
    rows, inverses = (overlap.rows_a[0], overlap.rows_b[0]), (overlap.inverse_a[0], overlap.inverse_b[0])
    for side in range(2):
        pose = pose_a if side == 0 else pose_b
        for k in range(3):
            for m in range(4):
                rows[side][k, m] = pose[k, m]
        invert_rotation(rows[side].reshape(12), 0, inverses[side].reshape(9))
    boxes, swapped = scratch.boxes, 0
    if count > 0:
        put_bounds(forest, used, first, rows[0], boxes[0])
        put_bounds(forest, used, second, rows[1], boxes[1])
        swapped = _is_second_first(boxes)
        if swapped < 0:  # they may be duplicates
            return _LEFT
        if _are_apart(boxes):
            return 0
        _sort(pairs, kinds, count)
    a = by_reference(make_frame(first, rows[0], inverses[0], origins, reaches))
    b = by_reference(make_frame(second, rows[1], inverses[1], origins, reaches))
    bits = _bits(forest, solids, a, b, pairs, kinds, count, scratch, work)
    if bits & UNDECIDED != 0 and not is_complete(bits):
        return _LEFT
    if not measured or bits & COMMON == 0:
        return bits
    if count == 0:
        put_bounds(forest, used, first, rows[0], boxes[0])
        put_bounds(forest, used, second, rows[1], boxes[1])
        swapped = _is_second_first(boxes)
        if swapped < 0:
            return _LEFT
    _box_overlap(boxes[0], boxes[1], overlap.box[0])
    overlap.jobs[0, 0], overlap.jobs[0, 1], overlap.start[1] = first, second, count
    if swapped == 1:
        overlap.jobs[0, 0], overlap.jobs[0, 1] = second, first
        for k in range(3):
            for m in range(4):
                rows[0][k, m], rows[1][k, m] = rows[1][k, m], rows[0][k, m]
            for m in range(3):
                inverses[0][k, m], inverses[1][k, m] = inverses[1][k, m], inverses[0][k, m]
        for i in range(count):
            pairs[i, 0], pairs[i, 1] = pairs[i, 1], pairs[i, 0]
    a = by_reference(make_frame(overlap.jobs[0, 0], rows[0], inverses[0], origins, reaches))
    b = by_reference(make_frame(overlap.jobs[0, 1], rows[1], inverses[1], origins, reaches))
    _lay_middles(forest, a, b, pairs, kinds, count, room, middles)
    return bits


class _Work:
    """Scratch arrays for one verdict."""

    def __init__(self) -> None:
        self.contacts = PairWorkspace(MOST_CONTACTS)
        room = len(self.contacts.kinds)
        rows, inverses = np.zeros((2, 1, 3, 4)), np.zeros((2, 1, 3, 3))
        jobs, chosen, start = np.zeros((1, 2), np.int64), np.zeros(1, np.int64), np.zeros(2, np.int64)
        self.overlap = PosedOverlap(jobs, rows[0], rows[1], inverses[0], inverses[1], np.zeros((1, 7)), chosen, start)
        visited = np.zeros(visited_room(np.array([room]), np.array([3 * room])), np.int64)
        self.scratch = SingleScratch(np.zeros((2, 6)), visited)
        self.room = new_room()
        self.middles, self.points = np.zeros((room, 3)), new_point_workspace()
        self.search, self.measures = new_search_room(), np.zeros((1, COLUMNS))


_spare: WorkspacePool[_Work] = WorkspacePool(_Work)


def verdict_of_records(
    a: Record, b: Record, pose_a: Any, pose_b: Any, *, depth: Any = True, **others: Any
) -> PairVerdict | Unanswered:
    """Return the verdict on two objects without permitted overlap; ``UNANSWERED`` to use the general path.

    Args:
        a, b: records of the two meshes; the first record stores the data of the pair.
        pose_a, pose_b: one pose each, in a form that ``put_single_pose`` accepts.
        depth: whether an overlap is measured; not checked.
        others: options that this fast path does not support.
    """
    if others or not isinstance(depth, bool) or a.triangle_count + b.triangle_count > MOST_TRIANGLES:
        return UNANSWERED
    found: PairVerdict | None = None
    work = _spare.take()
    if work.contacts.find(a, b, pose_a, pose_b) < OPEN:
        packed: PackedPair | None = a.packed
        if packed is None or not packed.is_of(a, b):
            packed = a.packed = PackedPair(a, b)
        again = DeferredFindings((a.parts.mesh, b.parts.mesh), work.contacts.poses.tobytes())
        found = _judged(packed, work, depth, again) if packed.solid else None
    _spare.give(work)
    return UNANSWERED if found is None else found


def _judged(packed: PackedPair, work: _Work, depth: bool, again: DeferredFindings) -> PairVerdict | None:
    """Return the verdict from the contacts of a pair."""
    contacts, count = work.contacts, work.contacts.count
    if count > MOST_CONTACTS:
        return None
    found, points = (contacts.pair, contacts.kinds), work.points
    bits = _judge_pair(
        *packed.posed, packed.used, *packed.trees, contacts.pose_a, contacts.pose_b, *found, count, depth, work.overlap,
        work.scratch, work.room, work.middles, points,
    )  # fmt: skip
    if bits == _LEFT:
        return None
    if not bits & COMMON:
        return PairVerdict(0, 1, TOUCHING if count else APART, None, None, None, 1.0, False, 0.0, again)
    clash = is_complete(bits)
    if not clash and count > 0 and packed.may_have_voids(bits):
        return None
    verdict = CLASH if clash else DUPLICATE if bits & (ONLY_A | ONLY_B) == 0 else CONTAINED
    if not depth:
        return PairVerdict(0, 1, verdict, None, None, None, 1.0, False, 0.0, again)
    overlap_depths(*packed.posed, *work.overlap, *found, work.middles, FIRST_BALL, work.search, points, work.measures)
    lower, upper = work.measures[0, : UPPER + 1].tolist()
    if lower == 0.0 or (clash and is_wide(lower, upper)):
        return None
    return PairVerdict(0, 1, verdict, lower, lower, upper, 1.0, False, 0.0, again)
