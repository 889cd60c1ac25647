"""Single questions about two prepared meshes, in one pose each: whether they meet, where, and how near they are.

Such an answer takes the kernels about a microsecond, so everything else is made once: the records of both sides
(``packed.py``) and a workspace with the addresses of its arrays. What these kernels cannot tell at once is left to a
question: more than one slice of work, poses that have to be looked at, triangles that float64 expansions cannot decide.
"""

from typing import Any

import numpy as np
from numba import carray

from ..geometry.lanes import doubles, floats, integers, longs, octets, shifted
from ..geometry.predicates import new_workspace
from ..geometry.triangle_distance import closest_of_triangles
from ..geometry.triangle_pair import UNDECIDED
from ..hierarchy.wide import LANE_COUNT
from ..jit import inner, kernel
from ..types.pose import plainly_rigid, put_single_pose
from .near_wide import MOST_OF_TWO_LEAVES, TREE_SIZES, TREES, traverse_near, world_corners
from .near_work import ROUNDING_SHARE, SMALLEST_QUEUE, NearestSoFar, NearWork, kernel_options, output_for
from .oriented import boxes_apart
from .packed import DEPTH, Packed
from .pairs import (
    CROSSING_ONLY,
    EXACT_TESTS,
    FIRST_ONLY,
    JOB,
    OPTIONS_LENGTH,
    OUTPUT_USED,
    PRIMITIVE_TESTS,
    STATE_LENGTH,
    STEP_LIMIT,
    VOLUME_TESTS,
)
from .wide import (
    ADDRESSES,
    DOUBLES,
    ROOT,
    SINGLES,
    SIZES,
    SLOT_A,
    SLOT_B,
    TASK,
    traverse_tasks,
)

APART, MEETING, OPEN, STOPPED, REFUSED = range(5)
"""What kernels say of two meshes, what is decided first. ``OPEN``: float64 expansions leave a pair of triangles open.
``STOPPED``: by the limit of steps, or of room. ``REFUSED``: poses that must be looked at, trees that are too deep."""
PLACE, FIRST, SECOND, MAY_LIE_IN = range(4)
"""Entries of a job of ``meet_each``."""
NEXT_JOB, HALF_DONE, SOME_INSIDE, SOME_OPEN, TESTS = range(5)
"""Entries of the progress of ``meet_each``: the job that it is at, whether that one is begun, whether one object may
lie in another that it does not meet, whether jobs are left open; then tests of volumes, of triangles and exact ones."""
_STEPS = 1 << 14
_FIRST_STEPS = 1 << 6
"""After which the oriented boxes of two objects are compared: most pairs are told sooner."""
_MOST_TESTS = 1 << 18
"""Of volumes in a call of ``meet_each``: some two milliseconds."""
_EXACT = (0.0, 0.0)
_FEW = 256
"""Triangles of two meshes together of which whether they meet is told in no time: far less than their distance."""
_DEEPEST = 128
"""Levels of two trees together: of a Morton curve's 63 bits each."""
DEEPEST = _DEEPEST // 2
_QUEUE = LANE_COUNT * (_DEEPEST + 2)
(
    POSE_A, POSE_B, TASKS, OPTIONS, STATE, STACK, SINGLE, DOUBLE, SIFTED, COUNTER, EXPANSIONS, PAIRS, KINDS, PAIR_JOBS,
    POINTS, PAIR_ROOM, WORK_LENGTH,
) = range(17)  # fmt: skip
"""Entries of the record of the work: addresses of so many arrays, and for how many pairs there is room."""
_COUNTER_SHAPE, _EXPANSIONS_SHAPE = (array.shape for array in new_workspace())
_ROOM = 2 * LANE_COUNT**2
"""Pairs: the kernel stops when there is no room for those of two leaves."""
MOST_CONTACTS = 512
"""Of two meshes that ``AllContacts`` has room for."""


@inner
def _contacts(tree_a, sizes_a, poses_a, tree_b, sizes_b, poses_b, given):
    """What is told of two trees in a pose each, all given by pointers; pairs go to ``PAIRS``."""
    state = longs(given[STATE])
    for k in range(STATE_LENGTH):
        state[k] = 0
    return _more_contacts(tree_a, sizes_a, poses_a, tree_b, sizes_b, poses_b, given)


@inner
def _more_contacts(tree_a, sizes_a, poses_a, tree_b, sizes_b, poses_b, given):
    """As ``_contacts``, from where the work stopped."""
    state, tasks = carray(longs(given[STATE]), STATE_LENGTH), carray(integers(given[TASKS]), (1, TASK))
    tasks[0, SLOT_A], tasks[0, SLOT_B] = tree_a[ROOT], tree_b[ROOT]
    room = given[PAIR_ROOM]
    pairs, kinds = carray(integers(given[PAIRS]), (room, 2)), carray(octets(given[KINDS]), room)
    done = traverse_tasks(
        carray(tree_a, (1, ADDRESSES)), carray(tree_b, (1, ADDRESSES)), carray(sizes_a, (1, SIZES)),
        carray(sizes_b, (1, SIZES)), tasks, carray(poses_a, (1, 3, 4)), carray(poses_b, (1, 3, 4)),
        carray(longs(given[OPTIONS]), OPTIONS_LENGTH), state, carray(integers(given[STACK]), (_QUEUE, 2)),
        carray(floats(given[SINGLE]), SINGLES), carray(doubles(given[DOUBLE]), DOUBLES),
        carray(integers(given[SIFTED]), 2 * LANE_COUNT), carray(longs(given[COUNTER]), _COUNTER_SHAPE),
        carray(doubles(given[EXPANSIONS]), _EXPANSIONS_SHAPE), pairs, kinds, carray(integers(given[PAIR_JOBS]), room),
    )  # fmt: skip
    for i in range(state[OUTPUT_USED]):
        if kinds[i] == UNDECIDED:
            return OPEN
    if not done:
        return STOPPED
    return MEETING if state[OUTPUT_USED] > 0 else APART


@kernel
def meet_single(side_a, side_b, work):
    """Whether two meshes meet, by a first contact or by all of them.

    Takes the addresses of the records of both sides (``packed.py``) and of the work. Where they meet the pairs lie at
    ``PAIRS``, and the first one's nearest points at ``POINTS``, if that is not 0; counts of the work lie at ``STATE``.
    """
    given_a, given_b, given = longs(side_a), longs(side_b), longs(work)
    poses_a, poses_b = doubles(given[POSE_A]), doubles(given[POSE_B])
    if not (plainly_rigid(poses_a) and plainly_rigid(poses_b)) or given_a[DEPTH] + given_b[DEPTH] > _DEEPEST:
        return REFUSED
    tree_a, tree_b = longs(given_a[TREES]), longs(given_b[TREES])
    sizes_a, sizes_b = doubles(given_a[TREE_SIZES]), doubles(given_b[TREE_SIZES])
    met = _contacts(tree_a, sizes_a, poses_a, tree_b, sizes_b, poses_b, given)
    if met == MEETING and given[POINTS] != 0:
        pair = integers(given[PAIRS])
        _put_points(tree_a, pair[0], poses_a, tree_b, pair[1], poses_b, doubles(given[POINTS]))
    return met


@kernel
def meet_each(side, work, oriented, trees, rows, jobs, triangles, met, progress):
    """Look for a first contact of each pair of objects, for some milliseconds; returns whether all jobs are done.

    Args:
        side: address of the record of a tree set (``TreeSet.lane_record``).
        work: of the record of the work, which belongs to these jobs until they are done.
        oriented: ``oriented_boxes`` of the tree set.
        trees: of the objects, (n,) int64.
        rows: their poses in m configurations, (m, n, 3, 4).
        jobs: ``PLACE``, a configuration, ``FIRST`` and ``SECOND``, objects, and ``MAY_LIE_IN``, whether one of them may
            lie in the other, (k, 4) int64.
        triangles: gets those that meet, (k, 2) int32; -1 where nothing does.
        met: gets ``APART``, ``MEETING`` or ``OPEN`` of each pair, (k,) int8.
        progress: where the last call stopped, zeros at first, (TESTS + 3,) int64.
    """
    given_side, given = longs(side), longs(work)
    poses, addresses, sizes = doubles(rows.ctypes.data), longs(given_side[TREES]), doubles(given_side[TREE_SIZES])
    state, pair = longs(given[STATE]), integers(given[PAIRS])
    options, oriented_of, row = longs(given[OPTIONS]), floats(oriented.ctypes.data), doubles(given[DOUBLE])
    most = progress[TESTS] + _MOST_TESTS
    for k in range(progress[NEXT_JOB], jobs.shape[0]):
        i, j, begin = jobs[k, FIRST], jobs[k, SECOND], rows.shape[1] * jobs[k, PLACE]
        a, b = trees[i], trees[j]
        sides = (
            shifted(addresses, ADDRESSES * a), shifted(sizes, SIZES * a), shifted(poses, 12 * (begin + i)),
            shifted(addresses, ADDRESSES * b), shifted(sizes, SIZES * b), shifted(poses, 12 * (begin + j)),
        )  # fmt: skip
        if progress[HALF_DONE] != 0:
            told = _more_contacts(*sides, given)
        else:
            options[STEP_LIMIT] = _FIRST_STEPS
            told = _contacts(*sides, given)
            options[STEP_LIMIT] = _STEPS
            if told == STOPPED:
                apart = boxes_apart(oriented_of, sizes, a, sides[2], b, sides[5], row)
                told = APART if apart else _more_contacts(*sides, given)
        progress[HALF_DONE] = told == STOPPED
        if told == STOPPED:
            progress[NEXT_JOB] = k
            return False
        met[k] = told
        progress[SOME_OPEN] |= told == OPEN
        progress[SOME_INSIDE] |= told == APART and jobs[k, MAY_LIE_IN] != 0
        for one in range(2):
            triangles[k, one] = pair[one] if told == MEETING else -1
        for count in range(3):
            progress[TESTS + count] += state[VOLUME_TESTS + count]
        if progress[TESTS] > most:
            progress[NEXT_JOB] = k + 1
            return k + 1 == jobs.shape[0]
    return True


@inner
def _put_points(tree_a, t, poses_a, tree_b, u, poses_b, points):
    """The nearest points of two triangles in the world, six numbers."""
    p1, q1, r1 = world_corners(tree_a, np.int64(t), poses_a, 0)
    p2, q2, r2 = world_corners(tree_b, np.int64(u), poses_b, 0)
    _, x, y = closest_of_triangles(p1, q1, r1, p2, q2, r2, False)
    for k in range(3):
        points[k], points[3 + k] = x[k], y[k]


Nearest = tuple[float, np.ndarray, list[int], tuple[int, int, int]]
"""A distance [m], 0 exactly where meshes meet; world points on both, (2, 3) float64 [m]; the triangles; tests of
volumes, of triangles, and those that float64 could not decide."""


class _Space:
    """Arrays for one question, and the addresses of their records: fresh memory costs more than a short search."""

    __slots__ = (
        "_arrays", "_records", "anything", "contact", "counts", "crossing", "distance", "errors", "given_errors",
        "kinds", "known", "near", "options", "pair", "points", "pose_a", "pose_b", "stack", "turned_a", "turned_b",
    )  # fmt: skip

    def __init__(self, room: int = _ROOM, first_only: bool = True) -> None:
        self.pose_a, self.pose_b = np.eye(4), np.eye(4)
        self.turned_a = self.turned_b = False
        self.counts = np.zeros(STATE_LENGTH, np.int64)
        self.pair, self.kinds = np.empty((room, 2), np.int32), np.empty(room, np.uint8)
        self.given_errors = _EXACT
        self.errors = np.array([*self.given_errors, ROUNDING_SHARE])
        self.distance, self.points, self.known = np.empty(1), np.empty((2, 3)), np.empty((1, 2), np.int32)
        poses, jobs = [self.pose_a, self.pose_b], np.zeros((1, 2), np.int64)
        found, output = NearestSoFar(self.distance, self.points, self.known), output_for(MOST_OF_TWO_LEAVES)
        near = kernel_options(True, alone=True)
        self.near = NearWork(jobs, (self.pose_a, self.pose_b), self.errors, near, found, output, SMALLEST_QUEUE)
        self.options = options = [_options(crossing, first_only) for crossing in (False, True)]
        self.stack = np.empty((_QUEUE, 2), np.int32)
        before: list[np.ndarray] = [*poses, np.zeros((1, TASK), np.int32)]
        after: list[np.ndarray] = [
            self.counts, self.stack, np.empty(SINGLES, np.float32), np.empty(DOUBLES),
            np.empty(2 * LANE_COUNT, np.int32), *new_workspace(), self.pair, self.kinds,
            np.empty(room, np.int32),
        ]  # fmt: skip
        self._arrays = [*before, *options, *after]
        self._records = [
            _record([*before, options[crossing], *after], points, room)
            for crossing, points in ((0, None), (1, None), (0, self.points))
        ]
        self.anything, self.crossing, self.contact = (record.ctypes.data for record in self._records)


def _options(crossing_only: bool, first_only: bool) -> np.ndarray:
    options = np.zeros(OPTIONS_LENGTH, np.int64)
    options[CROSSING_ONLY], options[FIRST_ONLY], options[STEP_LIMIT] = crossing_only, first_only, _STEPS
    return options


def _record(arrays: list[np.ndarray], points: np.ndarray | None, room: int) -> np.ndarray:
    addresses = [array.ctypes.data for array in arrays]
    record = np.array([*addresses, 0 if points is None else points.ctypes.data, room], np.int64)
    assert len(record) == WORK_LENGTH
    return record


_spare: list[_Space] = []
"""Not in use. Appending to and popping from a list are atomic."""


def _take_space() -> _Space:
    try:
        return _spare.pop()
    except IndexError:
        return _Space()


def _take_poses(space: _Space, pose_a: Any, pose_b: Any) -> bool:
    """Write both poses, not checked, into a workspace; False for what ``pose_stack`` has to look at."""
    if pose_a is None:
        if space.turned_a:
            put_single_pose(None, space.pose_a)
            space.turned_a = False
    else:
        space.turned_a = True
        if not put_single_pose(pose_a, space.pose_a):
            return False
    if pose_b is None:
        if space.turned_b:
            put_single_pose(None, space.pose_b)
            space.turned_b = False
        return True
    space.turned_b = True
    return put_single_pose(pose_b, space.pose_b)


class Meeting:
    """Which pairs of objects meet, told in calls of some milliseconds, for trees that are no deeper than ``DEEPEST``.

    Attributes:
        jobs: the pairs, (k, 4) int64.
        met, triangles: of each, as ``meet_each`` fills them.
    """

    __slots__ = ("_progress", "_question", "_space", "jobs", "met", "triangles")

    def __init__(self, side: int, oriented: np.ndarray, trees: np.ndarray, rows: np.ndarray, jobs: np.ndarray) -> None:
        self.jobs, self.met = jobs, np.empty(len(jobs), np.int8)
        self.triangles, self._progress = np.empty((len(jobs), 2), np.int32), np.zeros(TESTS + 3, np.int64)
        self._space = _take_space()
        self._question = side, self._space.anything, oriented, trees, rows, jobs

    def advance(self) -> bool:
        """Work for some milliseconds; returns True when all is done, and is not to be called again."""
        done: bool = meet_each(*self._question, self.triangles, self.met, self._progress)
        if done:
            _spare.append(self._space)
        return done

    @property
    def share(self) -> float:
        """Of the jobs that are done."""
        return float(self._progress[NEXT_JOB]) / len(self.jobs)

    @property
    def result(self) -> tuple[bool, bool, tuple[int, int, int]]:
        """Whether one object may lie in another that it does not meet; whether pairs are ``OPEN``; counts of tests."""
        _, _, some_inside, some_open, volumes, primitives, exact = self._progress.tolist()
        return some_inside != 0, some_open != 0, (volumes, primitives, exact)


class AllContacts(_Space):
    """A workspace in which all contacts of two meshes are found: to be judged (``solid/single.py``), or as the answer.

    Args:
        most: contacts that it has room for.

    Attributes:
        pose_a, pose_b: the poses asked about, (4, 4).
        pair, kinds: the contacts, of which ``count`` are found, (n, 2) int32 and (n,) uint8, in any order.
        counts, stack: state and stack of ``traverse_tasks``.
    """

    __slots__ = ()

    def __init__(self, most: int = MOST_CONTACTS) -> None:
        super().__init__(most + LANE_COUNT**2, first_only=False)

    def find(
        self, a: Packed, b: Packed, pose_a: Any, pose_b: Any, crossing_only: bool = False, steps: int = _STEPS
    ) -> int:
        """What ``meet_single`` says after at most so many steps; ``REFUSED`` for poses that are no matrices."""
        if not _take_poses(self, pose_a, pose_b):
            return REFUSED
        self.options[crossing_only][STEP_LIMIT] = steps
        told: int = meet_single(a.address, b.address, self.crossing if crossing_only else self.anything)
        return told

    @property
    def done(self) -> bool:
        """Whether all contacts were found."""
        return bool(self.counts[JOB] == 1)

    @property
    def count(self) -> int:
        """Contacts that were found last."""
        return int(self.counts[OUTPUT_USED])


def meets_at_once(a: Packed, b: Packed, pose_a: Any, pose_b: Any, touching: bool) -> bool | None:
    """Whether two meshes meet, for one pose each as ``put_single_pose`` takes it; None: a question is to be asked."""
    space = _take_space()
    met = REFUSED
    if _take_poses(space, pose_a, pose_b):
        met = meet_single(a.address, b.address, space.anything if touching else space.crossing)
    _spare.append(space)
    return met == MEETING if met < OPEN else None


def nearest_at_once(
    a: Packed, b: Packed, pose_a: Any, pose_b: Any, pair: tuple[int, int] | None, errors: tuple[float, float]
) -> Nearest | None:
    """The nearest pair of two meshes; ``pair`` is what to start from, if anything, errors are relative and absolute.

    None where that takes more than a call of the kernels, for poses or a pair that have to be looked at, and for
    meshes as near as rounding that do not meet: then a question is to be asked.
    """
    if pair is not None and not (0 <= pair[0] < a.triangle_count and 0 <= pair[1] < b.triangle_count):
        return None
    space = _take_space()
    answer = None
    if _take_poses(space, pose_a, pose_b):
        exact = errors == _EXACT
        if exact and (a.met or a.triangle_count + b.triangle_count <= _FEW):
            answer = _contact(space, a, b, 0, 0)
        if answer is None:
            answer = _nearest(space, a, b, pair, errors)
    _spare.append(space)
    return answer


def _contact(space: _Space, a: Packed, b: Packed, volume_tests: int, primitive_tests: int) -> Nearest | None:
    """The answer for meshes that meet, with the tests that were made before; None where they do not, or it is open."""
    a.met = meet_single(a.address, b.address, space.contact) == MEETING
    if not a.met:
        return None
    more = space.counts.tolist()
    counts = volume_tests + more[VOLUME_TESTS], primitive_tests + more[PRIMITIVE_TESTS], more[EXACT_TESTS]
    return 0.0, space.points.copy(), space.pair[0].tolist(), counts


def _nearest(
    space: _Space, a: Packed, b: Packed, pair: tuple[int, int] | None, errors: tuple[float, float]
) -> Nearest | None:
    ready = a.has_slabs and b.has_slabs
    if not ready:
        a.look_for_slabs()
        b.look_for_slabs()
    if pair is None:
        space.known[0, 0] = -1
    else:
        space.known[0] = pair
    if errors != space.given_errors:
        space.errors[:2] = space.given_errors = errors
    done = traverse_near(a.address, b.address, space.near.address)
    counts = space.near.state.tolist()
    volume_tests, primitive_tests = counts[VOLUME_TESTS], counts[PRIMITIVE_TESTS]
    if not ready:
        a.note_near_tests(volume_tests)
        b.note_near_tests(volume_tests)
    if not done:
        return None
    distance = space.distance.item()
    if distance == 0.0:
        return _contact(space, a, b, volume_tests, primitive_tests)
    return distance, space.points.copy(), space.known[0].tolist(), (volume_tests, primitive_tests, 0)
