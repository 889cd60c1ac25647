"""The shortest translations that separate the convex hulls of two point sets, in one pose or many.

``expanding_polytope.py`` does the work. This module keeps buffers for it, and enlarges them if a polytope needs it.
"""

from typing import Any, NamedTuple

import numpy as np

from ..types.pose import put_single_pose
from .expanding_polytope import (
    COLUMNS,
    DIRECTION,
    KNOWN,
    LENGTH,
    LOWER,
    POINTS,
    REACH,
    REFUSED,
    SEARCHES,
    new_room,
    part_convex,
)

_FEW = 64
_HERE = np.eye(4)[None, :3].copy()
_spare: list["_Space"] = []
"""Buffers that are not in use. List append and pop are atomic."""


class Separation(NamedTuple):
    """The shortest translation of the second hull that separates both."""

    length: float
    """Length [m], an upper bound that is reached: the hulls touch after this translation; negative if apart."""
    direction: np.ndarray
    """Unit vector, (3,)."""
    lower: float
    """No shorter translation [m] separates the hulls; ``length`` within rounding, unless the search gave up."""
    pairs: np.ndarray
    """Points of a and of b whose differences are the polytope's corners, (k, 2) int64; to start a later search."""
    searches: int
    """How many times all points were searched."""


class Partings(NamedTuple):
    """Separations of two convex solids in a stack of k poses."""

    told: np.ndarray
    """(k,) int64: APART, OVERLAPPING, or OPEN if rounding leaves it undecided."""
    lengths: np.ndarray
    """Lengths (k,) [m] of translations after which nothing touches; proved if the result is OVERLAPPING."""
    directions: np.ndarray
    """Unit vectors (k, 3)."""
    lower: np.ndarray
    """Lower bounds (k,) [m]: no shorter translation separates both."""
    points: np.ndarray
    """Points of a and of b, (k, 2, 3) [m], that touch when the solids separate."""
    pairs: np.ndarray
    """Points that decided the last pose, (c, 2) int64."""


class _Space:
    """Work arrays for searches in many poses, and for one pose each."""

    def __init__(self, points: int) -> None:
        self.room = new_room(points)
        self.pose_a, self.pose_b = np.zeros((1, 4, 4)), np.zeros((1, 4, 4))
        self.numbers, self.told = np.empty((1, COLUMNS)), np.empty(1, np.int64)

    def begin(self, points: int, known: np.ndarray | None) -> None:
        """Prepare for solids with some number of points, with the pairs of an earlier answer."""
        if len(self.room.a) < points:
            self.room = new_room(points, len(self.room.corners))
        self.room.counts[KNOWN] = 0
        if known is not None and len(known):
            self._grow(len(known))
            self.room.known[: len(known)] = known
            self.room.counts[KNOWN] = len(known)

    def _grow(self, corners: int) -> None:
        old = self.room
        if len(old.corners) < corners:
            self.room = new_room(len(old.a), max(corners, 2 * len(old.corners)))
            self.room.known[: len(old.known)] = old.known
            self.room.counts[:] = old.counts

    def run(
        self, a: np.ndarray, rows_a: np.ndarray, b: np.ndarray, rows_b: np.ndarray, numbers: np.ndarray,
        told: np.ndarray, look: bool,
    ) -> None:  # fmt: skip
        """Answer all poses, with larger buffers if a polytope needs them."""
        done = part_convex(a, rows_a, b, rows_b, look, 0, self.room, numbers, told)
        while done < len(rows_a):
            self._grow(len(self.room.corners) + 1)
            done = part_convex(a, rows_a, b, rows_b, look, done, self.room, numbers, told)

    @property
    def known(self) -> np.ndarray:
        """Pairs of points that decided the answer."""
        return self.room.known[: self.room.counts.item(KNOWN)].copy()


def _take(points: int, known: np.ndarray | None) -> _Space:
    try:
        space = _spare.pop()
    except IndexError:
        space = _Space(max(points, _FEW))
    space.begin(points, known)
    return space


def hull_separation(a: np.ndarray, b: np.ndarray, known: np.ndarray | None = None) -> Separation:
    """Return the shortest translation of b that separates the hulls of two point sets.

    Args:
        a, b: (n, 3) and (m, 3) float64 [m]. If all points together lie in one plane, a translation out of it separates
            them.
        known: pairs of points (k, 2) from the answer to a similar question: their differences are tried before all
            points are searched. The answer is the same, up to rounding.
    """
    a, b = (np.require(points, np.float64, ["C", "W"]) for points in (a, b))
    space = _take(max(len(a), len(b)), known)
    space.run(a, _HERE, b, _HERE, space.numbers, space.told, False)
    row = space.numbers[0]
    found = Separation(
        float(row[REACH]), row[DIRECTION : DIRECTION + 3].copy(), float(row[LOWER]), space.known,
        int(space.room.counts[SEARCHES]),
    )  # fmt: skip
    _spare.append(space)
    return found


def part_at_once(
    a: np.ndarray, b: np.ndarray, pose_a: Any, pose_b: Any, known: np.ndarray | None
) -> tuple[int, np.ndarray, np.ndarray] | None:
    """Separate two convex solids in one pose each, with little Python overhead.

    Args:
        a, b: corners of the solids, (n, 3) and (m, 3) float64.
        pose_a, pose_b: one for each, as ``put_single_pose`` takes it.
        known: as in ``hull_separation``.

    Returns:
        The result code, the numbers (COLUMNS,) of ``expanding_polytope.py``, and the pairs; None if poses need a closer
        check.
    """
    space = _take(max(len(a), len(b)), known)
    found = None
    if put_single_pose(pose_a, space.pose_a[0]) and put_single_pose(pose_b, space.pose_b[0]):
        space.run(a, space.pose_a, b, space.pose_b, space.numbers, space.told, True)
        told = space.told.item(0)
        found = None if told == REFUSED else (told, space.numbers[0].copy(), space.known)
    _spare.append(space)
    return found


def part_each(
    a: np.ndarray, b: np.ndarray, rows_a: np.ndarray, rows_b: np.ndarray, known: np.ndarray | None
) -> Partings:
    """Do the same as ``part_at_once`` for poses (k, 3, 4), each from the answer before."""
    numbers, told = np.empty((len(rows_a), COLUMNS)), np.empty(len(rows_a), np.int64)
    space = _take(max(len(a), len(b)), known)
    space.run(a, rows_a, b, rows_b, numbers, told, False)
    pairs = space.known
    _spare.append(space)
    points = numbers[:, POINTS : POINTS + 6].reshape(-1, 2, 3)
    return Partings(told, numbers[:, LENGTH], numbers[:, DIRECTION : DIRECTION + 3], numbers[:, LOWER], points, pairs)
