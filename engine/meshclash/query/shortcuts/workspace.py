"""The arrays of a single query of two meshes, reused from query to query."""

import math
from typing import Any

import numpy as np

from ...geometry.predicates import new_workspace
from ...hierarchy.wide_bvh import LANE_COUNT
from ...traversal.near_wide import MOST_OF_TWO_LEAVES
from ...traversal.near_work import ROUNDING_SHARE, SMALLEST_QUEUE, NearestSoFar, NearWork, kernel_options, output_for
from ...traversal.pairs import (
    CROSSING_ONLY,
    FIRST_ONLY,
    OPTIONS_LENGTH,
    OUTPUT_USED,
    STATE_LENGTH,
    STEP_LIMIT,
)
from ...traversal.wide_traversal import DOUBLES, SINGLES, TASK
from ...types.copying import NotCopied
from ...types.pose import put_single_pose
from .addresses import Addresses
from .kernels import QUEUE, REFUSED, STEPS, WORK_LENGTH, meet_single
from .record import Record
from .workspace_pool import WorkspacePool

EXACT = (0.0, 0.0, math.inf, 0.0)
"""Parameters of an exact distance without limits: relative error, absolute error, upper limit, lower limit."""
_ROOM = 2 * LANE_COUNT**2
"""Room for pairs: the kernel stops if the pairs of two leaves do not fit."""


class PairWorkspace(NotCopied):
    """Arrays for one query of two meshes in a pose each, and the addresses of their records.

    Args:
        most: maximum number of contacts; None for only the first contact or the nearest points.

    Attributes:
        poses, pose_a, pose_b: the poses of the query, (2, 4, 4), and views of each pose.
        pair, kinds: the contacts, in any order, (n, 2) int32 and (n,) uint8; ``count`` of them are valid.
        counts, stack: state and stack of ``traverse_tasks``.
        anything, crossing, contact: addresses for ``meet_single``, which select any contact, a contact that crosses, or
            a contact whose nearest points are written to ``points``.
        near: the workspace of ``traverse_near``, with ``errors``; its results are ``distance``, ``points`` and
            ``known``.
    """

    __slots__ = (
        "_records", "_turned_a", "_turned_b", "anything", "contact", "counts", "crossing", "distance", "errors",
        "given_errors", "kinds", "known", "near", "options", "pair", "points", "pose_a", "pose_b", "poses", "stack",
    )  # fmt: skip

    def __init__(self, most: int | None = None) -> None:
        room = _ROOM if most is None else most + LANE_COUNT**2
        self.poses = np.stack([np.eye(4), np.eye(4)])
        self.pose_a, self.pose_b = self.poses
        self._turned_a = self._turned_b = False
        self.counts, self.stack = np.zeros(STATE_LENGTH, np.int64), np.empty((QUEUE, 2), np.int32)
        self.pair, self.kinds = np.empty((room, 2), np.int32), np.empty(room, np.uint8)
        self.given_errors, self.errors = EXACT, np.array([*EXACT[:2], ROUNDING_SHARE, *EXACT[2:]])
        self.distance, self.points, self.known = np.empty(1), np.empty((2, 3)), np.empty(2, np.int32)
        found = NearestSoFar(self.distance, self.points, self.known[None])
        output = output_for(MOST_OF_TWO_LEAVES)
        near, poses = kernel_options(True, alone=True), (self.pose_a, self.pose_b)
        self.near = NearWork(np.zeros((1, 2), np.int64), poses, self.errors, near, found, output, SMALLEST_QUEUE)
        self.options = [_options(crossing, most is None) for crossing in (False, True)]
        after: list[np.ndarray] = [
            self.counts, self.stack, np.empty(SINGLES, np.float32), np.empty(DOUBLES),
            np.empty(2 * LANE_COUNT, np.int32), *new_workspace(), self.pair, self.kinds, np.empty(room, np.int32),
        ]  # fmt: skip
        before: list[np.ndarray] = [*poses, np.zeros((1, TASK), np.int32)]
        self._records = [
            Addresses([*before, self.options[crossing], *after], (points, room), WORK_LENGTH)
            for crossing, points in ((0, 0), (1, 0), (0, self.points.ctypes.data))
        ]
        self.anything, self.crossing, self.contact = (record.address for record in self._records)

    def take_poses(self, pose_a: Any, pose_b: Any) -> bool:
        """Store both poses, not checked; return False if the poses have to be checked by ``pose_stack``."""
        if pose_a is not None or self._turned_a:
            self._turned_a = pose_a is not None
            if not put_single_pose(pose_a, self.pose_a):
                return False
        if pose_b is None and not self._turned_b:
            return True
        self._turned_b = pose_b is not None
        return put_single_pose(pose_b, self.pose_b)

    def find(
        self, a: Record, b: Record, pose_a: Any, pose_b: Any, crossing_only: bool = False, steps: int = STEPS
    ) -> int:
        """Return the result of ``meet_single`` after at most ``steps`` steps; ``REFUSED`` if poses must be checked."""
        if not self.take_poses(pose_a, pose_b):
            return REFUSED
        self.options[crossing_only][STEP_LIMIT] = steps
        told: int = meet_single(a.address, b.address, self.crossing if crossing_only else self.anything)
        return told

    @property
    def count(self) -> int:
        """Number of contacts that were found last."""
        return int(self.counts[OUTPUT_USED])


def _options(crossing_only: bool, first_only: bool) -> np.ndarray:
    options = np.zeros(OPTIONS_LENGTH, np.int64)
    options[CROSSING_ONLY], options[FIRST_ONLY], options[STEP_LIMIT] = crossing_only, first_only, STEPS
    return options


spare: WorkspacePool[PairWorkspace] = WorkspacePool(PairWorkspace)
"""Workspaces for first contacts and nearest points."""
