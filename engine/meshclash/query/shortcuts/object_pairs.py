"""Find which of a few objects collide, in one configuration or in thousands, with three kernels for all pairs.

Robots and their surroundings are a few dozen objects. All pairs of boxes are compared, without sorting. Pairs are read
in place, without arrays of their poses. Whether one object lies in another is tested only if a point of one object lies
in the box of the other. The results are the same as those for many objects (``scene/collisions.py``).
"""

from collections.abc import Callable, Generator
from typing import NamedTuple

import numpy as np

from ...broadphase.sweep import put_world_boxes
from ...geometry.lanes import doubles, shifted
from ...geometry.relative_pose import invert_rotation
from ...jit import config, inlined, inner, kernel
from ...reference import by_reference
from ...traversal.forest import TreeSet, note_usage
from ...traversal.frames import IN, OUT, make_frame, side_of_solid
from ...traversal.point import PointWorkspace, new_point_workspace, world_triangle
from ...traversal.solids import Solids
from ...types.copying import NotCopied
from .kernels import (
    APART,
    DEEPEST,
    FIRST,
    MAY_LIE_IN,
    MEETING,
    NEXT_JOB,
    OPEN,
    PLACE,
    SECOND,
    TESTS,
    meet_each,
)  # fmt: skip
from .workspace import spare
from .workspace_pool import WorkspacePool

MOST_OBJECTS = 128
"""Maximum number of objects for which all pairs are compared."""
NO, YES, UNDECIDED, UNSURE = APART, MEETING, OPEN, OPEN + 1
"""Results for a pair. ``UNDECIDED``: float64 cannot decide the kind of a pair of triangles. ``UNSURE`` means that
points do not decide whether one object lies in the other."""
_scratch: WorkspacePool[tuple[np.ndarray, PointWorkspace]] = WorkspacePool(lambda: (np.empty(9), new_point_workspace()))
_WORTH_NOTING = 1 << 10
"""Number of volume tests from which on they are recorded as usage of the trees: recording costs a few hundred tests."""


class CollidingPairs(NamedTuple):
    """Pairs of objects whose boxes overlap, and the results for them."""

    jobs: np.ndarray
    """For each pair, the configuration and the indices of both objects, then whether one object may lie in the other,
    (k, 4) int64; sorted."""
    triangles: np.ndarray
    """The triangles that meet, (k, 2) int32; -1 if the surfaces do not meet."""
    collide: np.ndarray
    """``NO``, ``YES``, ``UNDECIDED`` or ``UNSURE``, (k,) int8."""
    some_left: bool
    """Whether some are ``UNDECIDED`` or ``UNSURE``."""
    counts: tuple[int, int, int]
    """Numbers of volume tests, triangle tests and exact tests."""


class Meeting(NotCopied):
    """Finds which pairs of objects meet, in calls of some milliseconds, for trees no deeper than ``DEEPEST``.

    Attributes:
        jobs: the pairs, (k, 4) int64.
        met, triangles: results for each pair, as ``meet_each`` fills them.
    """

    __slots__ = ("_progress", "_question", "_space", "jobs", "met", "triangles")

    def __init__(self, side: int, oriented: np.ndarray, trees: np.ndarray, rows: np.ndarray, jobs: np.ndarray) -> None:
        self.jobs, self.met = jobs, np.empty(len(jobs), np.int8)
        self.triangles, self._progress = np.empty((len(jobs), 2), np.int32), np.zeros(TESTS + 3, np.int64)
        self._space = spare.take()
        self._question = side, self._space.anything, oriented, trees, rows, jobs

    def advance(self) -> bool:
        """Work for some milliseconds; return True when all pairs are decided. Do not call this method again after it
        has returned the end of the work.
        """
        done: bool = meet_each(*self._question, self.triangles, self.met, self._progress)
        if done:
            spare.give(self._space)
        return done

    @property
    def share(self) -> float:
        """Fraction of the jobs that are done."""
        return float(self._progress[NEXT_JOB]) / len(self.jobs)

    @property
    def result(self) -> tuple[bool, bool, tuple[int, int, int]]:
        """Return whether one object may lie in another without contact, whether pairs are ``OPEN``, and counts."""
        _, _, some_inside, some_open, volumes, primitives, exact = self._progress.tolist()
        return some_inside != 0, some_open != 0, (volumes, primitives, exact)


class FewObjects(NotCopied):
    """A few objects, prepared for the kernels of single queries; ``find_steps`` finds the pairs that collide."""

    def __init__(
        self, tree_set: TreeSet, solids: Solids, trees: np.ndarray, bounds: np.ndarray, oriented: np.ndarray
    ) -> None:
        self._tree_set, self._solids, self._trees, self._bounds = tree_set, solids, trees, bounds
        forest, starts = tree_set.forest, solids.component_start
        of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        corners = forest.triangles[forest.triangle_start[of] + solids.representatives, 0]
        points = forest.vertices[forest.vertex_start[of] + corners]
        self.objects = bounds, trees, points, starts
        open_ones = [not solids.closed[k] and not part.mesh.shell for k, part in enumerate(tree_set.parts)]
        self._may_have_holes = np.array(open_ones)[trees] if any(open_ones) else None
        self._oriented = oriented
        self._side: int = tree_set.lane_record.ctypes.data

    @staticmethod
    def fit(tree_set: TreeSet, trees: np.ndarray) -> bool:
        """Return whether the objects are few enough and their trees suitable for single queries."""
        return (
            len(trees) <= MOST_OBJECTS
            and tree_set.fits_lanes
            and tree_set.deepest <= DEEPEST
            and not config.DISABLE_JIT
        )

    def find_steps(
        self, rows: np.ndarray, in_a: np.ndarray, in_b: np.ndarray, keep: Callable[[np.ndarray], np.ndarray] | None
    ) -> Generator[float, None, CollidingPairs]:
        """Find the colliding pairs, in some microseconds per configuration; yields the finished fraction.

        Args:
            rows: poses, (m, n, 3, 4).
            in_a, in_b: whether an object belongs to the first and to the second set, (n,) bool.
            keep: selects pairs of indices (k, 2).
        """
        rows = np.ascontiguousarray(rows)
        jobs = self.near_pairs(rows, in_a, in_b)
        if keep is not None and len(jobs):
            jobs = jobs[keep(jobs[:, FIRST : SECOND + 1])]
        meeting = self._meeting(rows, jobs)
        while not meeting.advance():
            yield meeting.share
        return self._told(rows, meeting)

    def decide(self, rows: np.ndarray, jobs: np.ndarray) -> CollidingPairs:
        """Decide which pairs of objects collide, given as ``jobs`` of ``CollidingPairs``."""
        meeting = self._meeting(rows, jobs)
        while not meeting.advance():
            pass
        return self._told(rows, meeting)

    def _meeting(self, rows: np.ndarray, jobs: np.ndarray) -> Meeting:
        if self._may_have_holes is not None and len(jobs):  # an object through a hole need not have a point in the box
            jobs[:, MAY_LIE_IN] |= self._may_have_holes[jobs[:, FIRST : SECOND + 1]].any(axis=1)
        return Meeting(self._side, self._oriented, self._trees, rows, jobs)

    def _told(self, rows: np.ndarray, meeting: Meeting) -> CollidingPairs:
        """Return which objects collide, for pairs of which it is known whether their surfaces meet."""
        jobs, collide = meeting.jobs, meeting.met
        some_inside, some_left, counts = meeting.result
        if counts[0] > _WORTH_NOTING:
            note_usage(self._tree_set, self._tree_set, self._trees[jobs[:, FIRST : SECOND + 1]], counts[0])
        if some_inside:
            some_left |= self._look_inside(rows, jobs, collide)
        return CollidingPairs(jobs, meeting.triangles, collide, some_left, counts)

    def near_pairs(self, rows: np.ndarray, in_a: np.ndarray, in_b: np.ndarray) -> np.ndarray:
        """Return pairs whose boxes overlap, as ``jobs`` of ``CollidingPairs``; arguments as for ``find_steps``."""
        count, objects = rows.shape[:2]
        boxes, room = np.empty((count, objects, 6)), min(objects * (objects - 1) // 2, 4 * objects + 16) * count
        while True:
            jobs = np.empty((room, 4), np.int64)
            found = _pairs_of_boxes(*self.objects, rows, in_a, in_b, boxes, jobs)
            if found <= room:
                return jobs[:found]
            room = found

    def _look_inside(self, rows: np.ndarray, jobs: np.ndarray, collide: np.ndarray) -> bool:
        """Compute for pairs that do not meet whether one object is inside the other; return whether some pairs are
        undecided.
        """
        scratch, tree_set = _scratch.take(), self._tree_set
        unsure: bool = _enclosed(
            tree_set.forest,
            self._solids,
            tree_set.origins,
            tree_set.reaches,
            self._trees,
            rows,
            *scratch,
            jobs,
            collide,
        )
        _scratch.give(scratch)
        return unsure


@inner
def put_pairs_of_boxes(bounds, trees, points, starts, rows, in_a, in_b, boxes, jobs):
    """Fill the world boxes (m, n, 6), and ``jobs`` (k, 4) with the pairs that overlap; return their number.

    ``points`` (c, 3) contains one point of each component of each tree, from ``starts`` on. If such a point lies in the
    other object's box, one object may lie in the other. Pairs beyond the room in ``jobs`` are only counted.
    """
    found, objects = 0, rows.shape[1]
    poses, corners, locals_ = doubles(rows.ctypes.data), doubles(boxes.ctypes.data), doubles(points.ctypes.data)
    for m in range(rows.shape[0]):
        put_world_boxes(bounds, rows[m], 0.0, boxes[m])
        for i in range(objects):
            box_a, pose_a = shifted(corners, 6 * (m * objects + i)), shifted(poses, 12 * (m * objects + i))
            for j in range(i + 1, objects):
                box_b, pose_b = shifted(corners, 6 * (m * objects + j)), shifted(poses, 12 * (m * objects + j))
                if not ((in_a[i] and in_b[j]) or (in_a[j] and in_b[i])) or not _overlap(box_a, box_b):
                    continue
                if found < jobs.shape[0]:
                    jobs[found, PLACE], jobs[found, FIRST], jobs[found, SECOND] = m, i, j
                    a, b = trees[i], trees[j]
                    jobs[found, MAY_LIE_IN] = _has_point_in(
                        locals_, starts[a], starts[a + 1], pose_a, box_b
                    ) or _has_point_in(locals_, starts[b], starts[b + 1], pose_b, box_a)
                found += 1
    return found


@kernel
def _pairs_of_boxes(bounds, trees, points, starts, rows, in_a, in_b, boxes, jobs):
    """Call ``put_pairs_of_boxes`` from Python."""
    return put_pairs_of_boxes(bounds, trees, points, starts, rows, in_a, in_b, boxes, jobs)


@inlined
def _overlap(a, b):
    overlap = True
    for k in range(3):
        overlap &= a[k] <= b[k + 3] and b[k] <= a[k + 3]
    return overlap


@inner
def _has_point_in(points, begin, end, pose, box):
    """Return whether one of some points lies in a box."""
    for c in range(begin, end):
        inside = True
        for k in range(3):
            x = pose[4 * k] * points[3 * c] + pose[4 * k + 1] * points[3 * c + 1] + pose[4 * k + 2] * points[3 * c + 2]
            x += pose[4 * k + 3]
            inside &= box[k] <= x <= box[k + 3]
        if inside:
            return True
    return False


@kernel
def _enclosed(forest, solids, origins, reaches, trees, rows, inverse, work, jobs, collide):
    """Set ``collide`` (k,) for pairs of which one object may be inside the other; return whether a pair is undecided.

    ``inverse`` (9,) and ``work`` are scratch memory; the other arguments are as for ``meet_each``.
    """
    forest = by_reference(forest)
    solids = by_reference(solids)
    work = by_reference(work)
    unsure = False
    for k in range(jobs.shape[0]):
        place = jobs[k, PLACE]
        for turn in range(2):
            if collide[k] == NO and jobs[k, MAY_LIE_IN] != 0:
                own, other = jobs[k, FIRST + turn], jobs[k, SECOND - turn]
                collide[k] = _lies_in(
                    forest, solids, origins, reaches, trees[own], rows[place, own], trees[other], rows[place, other],
                    inverse, work,
                )  # fmt: skip
        unsure |= collide[k] == UNSURE
    return unsure


@inner
def _lies_in(forest, solids, origins, reaches, own, pose, other, other_pose, inverse, work):
    """Return whether a component of one tree is inside another one."""
    if not solids.closed[other]:
        return UNSURE
    invert_rotation(other_pose.reshape(12), 0, inverse)
    frame = by_reference(make_frame(other, other_pose, inverse.reshape((3, 3)), origins, reaches))
    for component in range(solids.component_start[own], solids.component_start[own + 1]):
        p = world_triangle(forest, own, np.int64(solids.representatives[component]), pose)[0]
        side = side_of_solid(forest, solids, frame, p, work)
        if side != OUT:
            return YES if side == IN else UNSURE
    return NO
