"""The traversal at work on trees of moving triangles: slices, undecided elements, a horizon that comes nearer."""

import numpy as np

from ..traversal import pairs as layout
from ..traversal.access import access_to
from ..traversal.binary_engine import CHUNK, STEPS
from ..traversal.pairs import traversal_with
from ..volumes.registry import volume_named
from .exactly import decide_exactly
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
        self._scratch = layout.Scratch(*leaves, *indices, self._work)
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
        left = np.flatnonzero(np.isnan(times))
        for kind in (POINT_TRIANGLE, EDGE_EDGE):
            of_kind = left[(codes[left] >= EDGES) == (kind == EDGE_EDGE)]
            if len(of_kind):
                points = element_points(self._a.forest, self._b.forest, pairs[of_kind], codes[of_kind].astype(np.int64))
                times[of_kind] = decide_exactly(*points, kind, self.counts)[1]
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


def element_points(
    a: MovingForest, b: MovingForest, pairs: np.ndarray, codes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 4, 3) at both times of elements of one kind, with codes (n,) of pairs of triangles (n, 2)."""
    corners_a, corners_b = a.triangles[pairs[:, 0]], b.triangles[pairs[:, 1]]
    rows = np.arange(len(codes))[:, None]
    if len(codes) and codes[0] >= EDGES:
        of_a, of_b = ((edge[:, None] + [0, 1]) % 3 for edge in np.divmod(codes - EDGES, 3))
        return _both_times((a, corners_a[rows, of_a]), (b, corners_b[rows, of_b]))
    start, end = _both_times((a, corners_a[rows, codes[:, None] % 3]), (b, corners_b))
    turned = codes >= POINT_OF_B
    corner = corners_b[rows, codes[:, None] % 3]
    start[turned], end[turned] = _both_times((b, corner[turned]), (a, corners_a[turned]))
    return start, end


def _both_times(*parts: tuple[MovingForest, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Positions of rows of vertices of forests, side by side, at times 0 and 1."""
    start = np.concatenate([forest.vertices[corners] for forest, corners in parts], axis=1)
    end = np.concatenate([forest.ends[corners] for forest, corners in parts], axis=1)
    return start, end
