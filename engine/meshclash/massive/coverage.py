"""Find the parts of two objects that may be within a distance, using levels: no pair is missed, and few pairs are
superfluous.

After Yoon, Salomon, Lin, Manocha (2004). Let ``out`` and ``back`` be the bounds of a part of a level: the distances
from the triangles that it stands for to it, and back. Two triangles within delta lie in parts within delta + out + out.
Conversely, parts within this distance represent triangles within delta + out + out + back + back. (The paper extends
each box by a quarter of what is needed, and uses one bound for both directions.)

Rounding. Bounds are valid in an object's own frame. A pose stretches lengths by at most ``stretch_of``, because it may
differ from a rotation. World coordinates (of the levels and of the mesh) and distances have errors below 40 u times the
largest coordinate of both, u = 2**-53. ``slack_of`` is 256 u times this coordinate, so that it also covers sums.
"""

import math
from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..answering.answer import answer_steps
from ..traversal.question import Goal, Question
from ..types.pose import transform_points
from ..types.steps import hold_progress
from .batches import batches
from .cluster_candidates import candidate_steps, gaps_of
from .cluster_contacts import loaded_pair
from .operands import Clusters

_UNITS = 2.0**-45
_ROUND = 2.0**20
_CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.bool_)
_AHEAD = 8.0
"""Number of frames, with movements like the last one, for which a list of pairs is made."""
_ASIDE = 1.0 / 4.0
"""Share of the movement for which a list is made. During this movement, pairs whose blocks are too far apart stay
skipped."""
_JUMP = 1.0 / 64.0
"""Share of the smaller object's size. If the movement of these frames is larger, it is a jump, and the list is made for
one frame only."""


class Leveled(NamedTuple):
    """An object of a query: the object itself or a level of it."""

    clusters: Clusters
    """Its parts."""
    outs: np.ndarray
    """Largest distance of the triangles that each part represents from this part, (parts,) float64 [m]."""
    backs: np.ndarray
    """Largest distance of each part from these triangles."""
    runs: np.ndarray
    """The clusters that each part represents, first and one after the last, (parts, 2) int64."""
    bounds: np.ndarray
    """Lowest and highest coordinates of level and object together, (2, 3) float64 [m]."""


class Covered(NamedTuple):
    """Pairs of parts that may be near enough, sorted."""

    parts: np.ndarray
    """(k, 2) int64."""
    lower: np.ndarray
    """Lower bounds of the distances of the triangles that the parts represent, (k,) float64 [m]."""
    upper: np.ndarray
    """Upper bounds of these distances."""
    measured: int
    """Number of pairs of parts that were measured."""


class Memory:
    """State kept between calls for two objects: the last known distances between their parts.

    If objects move by some distance, the distances of their parts shrink by at most that much, so pairs that cannot be
    near enough yet are not measured. The list of pairs is made for a larger distance than needed, and made again when
    the movement has used up the difference.
    """

    def __init__(self) -> None:
        self.rows: tuple[np.ndarray, np.ndarray] | None = None
        self.travel = self.until = 0.0
        self.pairs = np.empty((0, 2), np.int64)
        self.known, self.start = np.empty(0), np.empty((0, 2), np.int32)

    def moved(self, sides: tuple[Leveled, Leveled], rows: tuple[np.ndarray, np.ndarray]) -> float:
        """Set new poses (3, 4); return an upper bound of the relative movement of points since the last ones [m]."""
        way = math.inf
        if self.rows is not None:
            way = sum(
                _way(side.bounds, old, new) for side, old, new in zip(sides, self.rows, rows, strict=True)
            )  # fmt: skip
        self.rows = rows
        self.travel += way
        return way

    def replace(self, pairs: np.ndarray, width: int) -> None:
        """Replace the list of pairs (n, 2), sorted, the second index of each below ``width``; keep known distances."""
        known = np.full(len(pairs), -math.inf)
        start = np.full((len(pairs), 2), -1, np.int32)
        if math.isfinite(self.travel) and len(self.pairs) and len(pairs):
            keys, old = (p[:, 0] * width + p[:, 1] for p in (pairs, self.pairs))
            at = np.minimum(np.searchsorted(old, keys), len(old) - 1)
            same = old[at] == keys
            known[same], start[same] = self.known[at[same]] - self.travel, self.start[at[same]]
        self.pairs, self.known, self.start, self.travel = pairs, known, start, 0.0


def cover_steps(
    a: Leveled, b: Leveled, rows: tuple[np.ndarray, np.ndarray], delta: float, memory: Memory
) -> Generator[None, None, Covered]:
    """Find all pairs of parts in poses (3, 4) that may represent triangles within delta [m]."""
    stretches = [stretch_of(row) for row in rows]
    most = delta + float(a.outs.max()) * stretches[0] + float(b.outs.max()) * stretches[1] + slack_of((a, b), rows)
    way = memory.moved((a, b), rows)
    if not memory.travel <= memory.until:
        yield from _listed(a, b, rows, memory, most, way)
    return (yield from listed_cover_steps(a, b, rows, delta, memory))


def listed_cover_steps(
    a: Leveled, b: Leveled, rows: tuple[np.ndarray, np.ndarray], delta: float, memory: Memory
) -> Generator[None, None, Covered]:
    """Like ``cover_steps``, for the pairs in memory's list. ``memory.moved`` must have been called with the poses."""
    slack, stretches = slack_of((a, b), rows), [stretch_of(row) for row in rows]
    first, second = memory.pairs[:, 0], memory.pairs[:, 1]
    out = a.outs[first] * stretches[0] + b.outs[second] * stretches[1]
    back = a.backs[first] * stretches[0] + b.backs[second] * stretches[1]
    exact = (out == 0.0) & (back == 0.0)
    reach = delta + np.where(exact, 0.0, out + slack)
    awake = np.flatnonzero(memory.known - memory.travel - slack <= reach)
    far = float(reach[awake].max(initial=0.0)) + slack + _ASIDE * memory.until
    distances, measured = yield from _measured(a, b, rows, memory, awake, far)
    out, back, exact = out[awake], back[awake], exact[awake]
    lower = np.where(exact, distances, np.maximum(0.0, distances - out - slack))
    upper = np.where(exact, distances, distances + back + slack)
    kept = lower <= delta
    return Covered(memory.pairs[awake][kept], lower[kept], upper[kept], measured)


def _listed(
    a: Leveled, b: Leveled, rows: tuple[np.ndarray, np.ndarray], memory: Memory, most: float, way: float
) -> Generator[None, None, None]:
    """Make the list of pairs again, valid for some frames ahead; keep known distances."""
    size = min(float(np.ptp(side.bounds, axis=0).max()) for side in (a, b))
    ahead = _AHEAD * way if _AHEAD * way <= _JUMP * size else 0.0
    pairs = yield from candidate_steps(a.clusters, b.clusters, *rows, most + ahead)
    memory.replace(pairs, b.clusters.cluster_count)
    fresh = memory.known == -math.inf
    if fresh.any():
        memory.known[fresh] = gaps_of(a.clusters, b.clusters, *rows, pairs[fresh])
    memory.until = ahead


def _measured(
    a: Leveled, b: Leveled, rows: tuple[np.ndarray, np.ndarray], memory: Memory, awake: np.ndarray, far: float
) -> Generator[None, None, tuple[np.ndarray, int]]:
    """Measure the pairs of the list selected by ``awake`` (n,), and store their distances; return the distances and the
    number of measured pairs.

    Pairs whose blocks are farther apart than ``far`` [m] get that distance, and their pages are not read.
    """
    distances, measured = np.full(len(memory.pairs), far), 0
    width = b.clusters.cluster_count
    keys = memory.pairs[:, 0] * width + memory.pairs[:, 1]
    for batch in batches(a.clusters, b.clusters, rows, memory.pairs[awake], far):
        at = np.searchsorted(keys, batch[:, 0] * width + batch[:, 1])
        sides = loaded_pair(a.clusters, b.clusters, batch)
        jobs = np.stack([np.searchsorted(side.numbers, batch[:, k]) for k, side in enumerate(sides)], axis=1)
        row_a, row_b = (np.repeat(row[None], len(jobs), axis=0) for row in rows)
        first, second = (side.tree_set.side for side in sides)
        question = Question(first, second, jobs, row_a, row_b, goal=Goal.NEAREST, start=memory.start[at])
        answer = yield from hold_progress(answer_steps(question), None)
        distances[at] = answer.distances
        measured += len(batch)
        memory.start[at] = answer.pairs
    memory.known[awake] = distances[awake] + memory.travel
    return distances[awake], measured


def _way(bounds: np.ndarray, old: np.ndarray, new: np.ndarray) -> float:
    """Return an upper bound of how far any point of a box (2, 3) moves between two poses (3, 4) [m]."""
    corners = np.where(_CORNERS, bounds[1], bounds[0])
    ways = transform_points(new, corners) - transform_points(old, corners)
    return float(np.sqrt((ways * ways).sum(axis=1)).max())


def in_rows(pairs: np.ndarray, runs: tuple[np.ndarray, np.ndarray], parts: np.ndarray) -> np.ndarray:
    """Return the pairs of clusters (n, 2) that lie in one of the pairs (k, 2) ``parts`` of runs of clusters of both
    objects.
    """
    at = [np.searchsorted(run[:, 0], pairs[:, k], "right") - 1 for k, run in enumerate(runs)]
    width = len(runs[1])
    found: np.ndarray = pairs[np.isin(at[0] * width + at[1], parts[:, 0] * width + parts[:, 1])]
    return found


def slack_of(sides: tuple[Leveled, Leveled], rows: tuple[np.ndarray, np.ndarray]) -> float:
    """Return the slack [m] that covers all rounding errors of a query."""
    reaches = (4.0 * np.abs(side.bounds).max() + np.abs(row[:, 3]).max() for side, row in zip(sides, rows, strict=True))
    return _UNITS * float(sum(reaches))


def stretch_of(row: np.ndarray) -> float:
    """Return the largest factor by which a pose (3, 4) stretches a vector, from the Frobenius norm of R^T R - I."""
    rotation = row[:, :3]
    return math.sqrt(1.0 + float(np.linalg.norm(rotation.T @ rotation - np.eye(3)))) * (1.0 + 2.0**-48)


def largest_error(sides: int, epsilon: float, bounds: tuple[np.ndarray, ...], rows: tuple[np.ndarray, ...]) -> float:
    """Return the largest allowed sum of a part's bounds such that reported parts represent only triangles within delta
    + epsilon.

    The result is rounded down, so that it (and therefore the level) is the same in all nearby poses.

    Args:
        sides: number of objects with levels.
        epsilon: [m].
        bounds, rows: boxes (2, 3) and poses (3, 4) of both objects.
    """
    reaches = (
        4.0 * (np.abs(box).max() + epsilon) + np.abs(row[:, 3]).max() for box, row in zip(bounds, rows, strict=True)
    )
    left = (epsilon - 2.0 * _UNITS * float(sum(reaches))) * (1.0 - 2.0**-40)
    share, exponent = math.frexp(max(0.0, left / (max(1, sides) * max(stretch_of(row) for row in rows))))
    return math.ldexp(math.floor(share * _ROUND) / _ROUND, exponent)
