"""The shortest translations that separate the convex hulls of two point sets, in one pose or many.

The work is done by ``expanding_polytope.py``; this keeps room for it, and makes more where a polytope needs it.
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
"""Not in use. Appending to and popping from a list are atomic."""


class Separation(NamedTuple):
    """How far the second hull must be moved, and which way."""

    length: float
    """[m], an upper bound that is reached: the hulls touch after this translation; negative where they are apart."""
    direction: np.ndarray
    """Unit vector, (3,)."""
    lower: float
    """No translation shorter than this [m] separates the hulls; equal to ``length`` up to rounding unless given up."""
    pairs: np.ndarray
    """Points of a and of b whose differences are the polytope's corners, (k, 2) int64, for a later question."""
    searches: int
    """How often all points were looked through."""


class Partings(NamedTuple):
    """Of a stack of k poses: how convex solids are taken apart."""

    told: np.ndarray
    """(k,) int64: APART, OVERLAPPING, or OPEN where rounding leaves it open."""
    lengths: np.ndarray
    """(k,) [m]: of translations after which nothing touches; proved where solids are told to be OVERLAPPING."""
    directions: np.ndarray
    """Unit vectors (k, 3)."""
    lower: np.ndarray
    """(k,) [m]: no shorter translation parts the two."""
    points: np.ndarray
    """Of a and of b, (k, 2, 3) [m], which meet when the solids come apart."""
    pairs: np.ndarray
    """Points that decided in the last pose, (c, 2) int64."""


class _Space:
    """Room for searches, and for one pose each."""

    def __init__(self, points: int) -> None:
        self.room = new_room(points)
        self.pose_a, self.pose_b = np.zeros((1, 4, 4)), np.zeros((1, 4, 4))
        self.numbers, self.told = np.empty((1, COLUMNS)), np.empty(1, np.int64)

    def begin(self, points: int, known: np.ndarray | None) -> None:
        """Get ready for solids of so many points, with the pairs of an earlier answer."""
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
        """Answer all poses; with more room where a polytope needs it."""
        done = part_convex(a, rows_a, b, rows_b, look, 0, self.room, numbers, told)
        while done < len(rows_a):
            self._grow(len(self.room.corners) + 1)
            done = part_convex(a, rows_a, b, rows_b, look, done, self.room, numbers, told)

    @property
    def known(self) -> np.ndarray:
        """Pairs of points that decided."""
        return self.room.known[: self.room.counts.item(KNOWN)].copy()


def _take(points: int, known: np.ndarray | None) -> _Space:
    try:
        space = _spare.pop()
    except IndexError:
        space = _Space(max(points, _FEW))
    space.begin(points, known)
    return space


def hull_separation(a: np.ndarray, b: np.ndarray, known: np.ndarray | None = None) -> Separation:
    """The shortest translation of b that separates the hulls of two point sets.

    Args:
        a, b: (n, 3) and (m, 3) float64 [m]. Points in one plane, all together, are separated by leaving it.
        known: pairs of points (k, 2) that an answer for nearly the same question gave: their differences are tried
            before all points are looked through. The answer is the same, up to rounding.
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
    """How two convex solids are taken apart in one pose each, with little Python.

    Args:
        a, b: corners of the solids, (n, 3) and (m, 3) float64.
        pose_a, pose_b: one for each, as ``put_single_pose`` takes it.
        known: as of ``hull_separation``.

    Returns:
        What is told, the numbers (COLUMNS,) of ``expanding_polytope.py``, and the pairs; None where poses need a closer
        look.
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
    """As ``part_at_once`` for poses (k, 3, 4), each from the answer before."""
    numbers, told = np.empty((len(rows_a), COLUMNS)), np.empty(len(rows_a), np.int64)
    space = _take(max(len(a), len(b)), known)
    space.run(a, rows_a, b, rows_b, numbers, told, False)
    pairs = space.known
    _spare.append(space)
    points = numbers[:, POINTS : POINTS + 6].reshape(-1, 2, 3)
    return Partings(told, numbers[:, LENGTH], numbers[:, DIRECTION : DIRECTION + 3], numbers[:, LOWER], points, pairs)
