"""The arrays of the 8-wide kernel for distances, passed to it as one record of pointers.

Numba determines the type of every array argument in every call, about 70 ns each. There are two dozen arrays, and a
search from a known pair takes a few microseconds. So their addresses are stored in a record, and the kernel gets the
address of the record.
"""

import math
from typing import NamedTuple

import numpy as np

from ..hierarchy.wide_bvh import LANE_COUNT
from ..types.copying import NotCopied
from . import near_wide as layout
from .near_leaf import ALONE, CHAINED, NEAR_STATE_LENGTH, NEAREST, OPTIONS_LENGTH, STEP_LIMIT
from .pairs import STACK_USED

_STEPS_PER_CALL = 1 << 14
SMALLEST_QUEUE = 1 << 12
ROUNDING_SHARE = 1e-12
"""Fraction of the coordinates: below this distance, only exact predicates can decide whether triangles meet."""
ALL_APART = -1.0
"""Used instead of ``ROUNDING_SHARE`` once exact predicates have shown that no triangles meet."""
LEAST = math.ulp(0.0)
"""Distance [m] reported for triangles that do not meet if float64 gives 0."""


class NearestSoFar(NamedTuple):
    """The nearest pair so far of each job."""

    distances: np.ndarray
    """The distance so far, or the tolerance, (k,) float64 [m]."""
    points: np.ndarray
    """World points on both, (k, 2, 3) float64 [m]."""
    pairs: np.ndarray
    """(k, 2) int32; -1: none. Before a job begins: the pair to start from."""


class NearestOutput(NamedTuple):
    """Output arrays for pairs within a tolerance."""

    pairs: np.ndarray
    """(n, 2) int32."""
    lengths: np.ndarray
    """(n,) float64 [m]."""
    jobs: np.ndarray
    """(n,) int32."""


def output_for(size: int) -> NearestOutput:
    """Allocate output arrays for ``size`` pairs."""
    return NearestOutput(np.empty((size, 2), np.int32), np.empty(size), np.empty(size, np.int32))


def kernel_options(nearest: bool, chained: bool = False, alone: bool = False) -> np.ndarray:
    """Return the options array of the kernels for distances."""
    options = np.zeros(OPTIONS_LENGTH, np.int64)
    options[NEAREST] = nearest
    options[CHAINED] = chained
    options[STEP_LIMIT] = _STEPS_PER_CALL
    options[ALONE] = alone
    return options


class NearWork(NotCopied):
    """The arrays of a question, and their addresses.

    Attributes:
        address: address of the record, the argument of ``traverse_near``.
        state: the state of the kernel, all 0 at the beginning.
    """

    def __init__(
        self, jobs: np.ndarray, poses: tuple[np.ndarray, np.ndarray], errors: np.ndarray, options: np.ndarray,
        found: NearestSoFar, output: NearestOutput, room: int,
    ) -> None:  # fmt: skip
        self.state = np.zeros(NEAR_STATE_LENGTH, np.int64)
        scratch = np.empty(layout.SINGLES, np.float32), np.empty(layout.DOUBLES)
        self._before = [jobs, *poses, errors, options, self.state]
        self._after: list[np.ndarray] = [*scratch, *found, *output]
        self._record = np.empty(layout.WORK_LENGTH, np.int64)
        self._record[layout.JOB_COUNT], self._record[layout.OUTPUT_ROOM] = len(jobs), len(output.jobs)
        self.address = self._record.ctypes.data
        self._set_queue(np.empty((room, 2), np.int32), np.empty(room, np.float32))

    def _set_queue(self, pairs: np.ndarray, bounds: np.ndarray) -> None:
        self._queue = pairs, bounds
        arrays = [*self._before, pairs, bounds, *self._after]
        assert len(arrays) == layout.ARRAYS and all(array.flags.c_contiguous for array in arrays)
        self._record[: layout.ARRAYS] = [array.ctypes.data for array in arrays]
        self._record[layout.QUEUE_ROOM] = len(bounds)

    def make_room(self) -> None:
        """Enlarge the queue if the kernel stopped because it was nearly full; call this before the kernel.

        In a depth-first search, each step pops one pair from the queue and pushes at most eight, one level deeper in
        one tree. A heap may need more room.
        """
        if self.state[STACK_USED] >= len(self._queue[1]) - LANE_COUNT:
            self._set_queue(*(np.concatenate([part, np.empty_like(part)]) for part in self._queue))
