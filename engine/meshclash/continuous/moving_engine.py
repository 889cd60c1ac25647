"""The traversal at work on trees of moving triangles: slices, undecided elements, a horizon that comes nearer."""

import numpy as np

from ..traversal import pairs as layout
from ..traversal.access import access_to
from ..traversal.binary_engine import CHUNK, STEPS
from ..traversal.pairs import traversal_with
from ..volumes.registry import volume_named
from .filter import RATIONAL
from .moving import EDGE_EDGE, POINT_TRIANGLE
from .moving_leaf import (
    EDGES,
    LEAF_NUMBERS,
    MOST_ELEMENTS,
    POINT_OF_B,
    MovingOutput,
    new_moving_work,
    visit_moving,
)
from .moving_tree import MovingForest, MovingTree, moving_boxes_meet, moving_size
from .rational import rational_impact

_SLACK = 2.0**-48
"""Of the largest coordinate: covers what positions at a horizon are rounded by, 4 * 2**-53 of it on either side."""
_NEARER = 0.7
"""The horizon is brought nearer when the earliest moment is below this share of it: fitting the boxes costs a pass."""


class MovingEngine:
    """Finds the elements of two moving trees, or of one against itself, that meet; ``advance`` until all is done.

    Attributes:
        chunks: what was found so far: pairs, codes and times.
        counts: elements that each stage decided.
    """

    def __init__(self, a: MovingTree, b: MovingTree, leaf_size: int, with_itself: bool, first_only: bool) -> None:
        self._a, self._b, self._first_only = a, b, first_only
        self._kernel = traversal_with(
            moving_boxes_meet, moving_size, access_to(volume_named("aabb")), visit_moving, None
        )
        options = np.zeros(layout.OPTIONS_LENGTH, np.int64)
        options[layout.FIRST_ONLY], options[layout.WITH_ITSELF] = first_only, with_itself
        options[layout.STEP_LIMIT], options[layout.ROOM] = STEPS, CHUNK
        entries = 2 * (a.tree.depth + b.tree.depth) + 8
        size = CHUNK + MOST_ELEMENTS * leaf_size * leaf_size
        self._options, self._stack = options, np.empty((entries, 2), np.int32)
        leaves = (np.empty((leaf_size, LEAF_NUMBERS)), np.empty((leaf_size, LEAF_NUMBERS)))
        self._work = new_moving_work()
        indices = (np.empty(leaf_size, np.int32), np.empty(leaf_size, np.int32))
        self._scratch = (*leaves, *indices, self._work)
        self._output = MovingOutput(
            np.empty((size, 2), np.int32), np.empty(size, np.uint8), np.empty(size, np.int32), np.empty(size)
        )
        self._jobs, self._poses = np.zeros((1, 2), np.int64), np.zeros((1, 3, 4))
        self._carried = np.empty((0, 2, 0))
        self._state = np.zeros(layout.STATE_LENGTH, np.int64)
        self._horizon, self._slack = 1.0, 0.0
        self.chunks: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []

    @property
    def best(self) -> float:
        """The earliest moment found so far; infinite when there is none."""
        return float(self._work.best[0])

    @property
    def counts(self) -> np.ndarray:
        """Elements that each stage of ``filter.py`` decided, (STAGES,) int64."""
        return self._work.counts

    @property
    def tests(self) -> tuple[int, int]:
        """Tests of nodes, and of triangles."""
        return int(self._state[layout.VOLUME_TESTS]), int(self._state[layout.PRIMITIVE_TESTS])

    def begin(self, horizon: float) -> None:
        """Start from the roots, looking no further than a horizon; what was found stays."""
        self._state[layout.JOB] = self._state[layout.STACK_USED] = 0
        if horizon != self._horizon:
            self._look_ahead(horizon)

    def advance(self) -> bool:
        """Work for some milliseconds; returns True when all is done."""
        relative = np.full((1, 1), self._slack)
        done = self._kernel(
            self._a.forest, self._b.forest, self._jobs, self._poses, self._poses, relative, self._slack, self._options,
            self._state, self._stack, self._scratch, self._carried, self._output,
        )  # fmt: skip
        found = int(self._state[layout.OUTPUT_USED])
        if found:
            self._take(found)
            self._state[layout.OUTPUT_USED] = 0
        if self._first_only and not done and self.best < _NEARER * self._horizon:
            self._look_ahead(self.best)
        return bool(done)

    def _take(self, found: int) -> None:
        """Decide what is undecided, and keep the elements that meet."""
        pairs, codes, times = (array[:found].copy() for array in (*self._output[:2], self._output.times))
        for i in np.flatnonzero(np.isnan(times)).tolist():
            times[i] = rational_impact(*element(self._a.forest, self._b.forest, pairs[i], int(codes[i])))[1]
            self.counts[RATIONAL] += 1
        met = ~np.isnan(times)
        if self._first_only and met.any():
            self._work.best[0] = min(self.best, times[met].min())
            met &= times <= self.best
        self.chunks.append((pairs[met], codes[met], times[met]))

    def _look_ahead(self, horizon: float) -> None:
        self._horizon = horizon
        trees = [self._a] if self._a is self._b else [self._a, self._b]
        for tree in trees:
            tree.look_ahead(horizon)
        reach = max(np.abs(mesh.bounds).max() for tree in trees for mesh in (tree.start, tree.end))
        self._slack = 0.0 if horizon == 1.0 else _SLACK * float(reach)


def element(a: MovingForest, b: MovingForest, pair: np.ndarray, code: int) -> tuple[np.ndarray, np.ndarray, int]:
    """(start, end, kind) of the element with a code of a pair of triangles: what ``rational_impact`` takes."""
    corners_a, corners_b = a.triangles[pair[0]], b.triangles[pair[1]]
    if code >= EDGES:
        e, f = divmod(code - EDGES, 3)
        sides = ((a, corners_a[[e, (e + 1) % 3]]), (b, corners_b[[f, (f + 1) % 3]]))
    elif code >= POINT_OF_B:
        sides = ((b, corners_b[[code - POINT_OF_B]]), (a, corners_a))
    else:
        sides = ((a, corners_a[[code]]), (b, corners_b))
    start = np.concatenate([forest.vertices[corners] for forest, corners in sides])
    end = np.concatenate([forest.ends[corners] for forest, corners in sides])
    return start, end, EDGE_EDGE if code >= EDGES else POINT_TRIANGLE
