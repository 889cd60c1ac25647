"""Measure the distances between the objects of a scene in many configurations: all pairs, or the nearest ones of each
configuration.
"""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from ..answering.answer import Answer, answer_steps
from ..broadphase.sweep import world_boxes
from ..jit import thread_limit
from ..traversal.question import Goal, Question
from ..types.results import Progress, QueryStats
from ..types.steps import scale_progress
from .collisions import Configurations, collisions_steps
from .proximity import box_gaps

_PAIRS_AT_ONCE = 1 << 14
_Found = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""For each result: configuration, index of the pair, distance, points and triangles."""


@dataclass(frozen=True, eq=False)
class SceneDistances:
    """The distances between pairs of objects in m configurations, sorted first by configuration and then by distance.

    Attributes:
        pairs: Ids, (k, 2) int64, the lower one first.
        configuration: The configuration of each pair, (k,) int64.
        distance: [m], (k,) float64; 0 if the two solids collide.
        points: Nearest points on both objects, (k, 2, 3) float64 [m], world; NaN if the solids collide.
        triangles: The triangles that contain the nearest points, or that have a common point, (k, 2) int32; -1 if one
            solid lies inside the other.
        least: The smallest distance in each configuration, (m,) float64 [m]; infinite if no pair is compared.
    """

    pairs: np.ndarray
    configuration: np.ndarray
    distance: np.ndarray
    points: np.ndarray
    triangles: np.ndarray
    least: np.ndarray
    stats: QueryStats

    def __len__(self) -> int:
        return len(self.pairs)


def configured_distances_steps(asked: Configurations, most: int | None) -> Generator[Progress, None, SceneDistances]:
    """Find the ``most`` nearest pairs of each configuration (None: all pairs), in slices."""
    first, second = np.triu_indices(len(asked.ids), 1)
    compared = (asked.in_a[first] & asked.in_b[second]) | (asked.in_a[second] & asked.in_b[first])
    pairs = np.stack([first, second], axis=1)[compared]
    if asked.keep is not None and len(pairs):
        pairs = pairs[asked.keep(asked.ids[pairs])]
    count, found, stats = len(asked.rows), [_nothing()], QueryStats()
    least = np.full(count, np.inf)
    portion = max(1, _PAIRS_AT_ONCE // max(1, len(pairs)))
    for begin in range(0, count, portion) if len(pairs) else ():
        some = asked._replace(rows=asked.rows[begin : begin + portion])
        text = f"measuring configuration {begin + 1} of {count}"
        steps = _portion_steps(some, pairs, most)
        part, work = yield from scale_progress(steps, begin / count, min(1.0, (begin + portion) / count), text)
        np.minimum.at(least, part[0] + begin, part[2])
        found.append((part[0] + begin, *part[1:]))
        stats = stats.plus(work)
    places, numbers, distances, points, triangles = (np.concatenate(part) for part in zip(*found, strict=True))
    return SceneDistances(asked.ids[pairs[numbers]], places, distances, points, triangles, least, stats)


def _nothing() -> _Found:
    none = np.empty(0, np.int64)
    return none, none, np.empty(0), np.empty((0, 2, 3)), np.empty((0, 2), np.int32)


def _portion_steps(
    asked: Configurations, pairs: np.ndarray, most: int | None
) -> Generator[Progress, None, tuple[_Found, QueryStats]]:
    """Like ``configured_distances_steps``, for some configurations and pairs (p, 2) of object indices."""
    met = yield from scale_progress(collisions_steps(asked), 0.0, 0.5)
    stats, count = met.stats, len(asked.rows)
    distances = np.full((count, len(pairs)), np.nan)
    points, triangles = np.full((count, len(pairs), 2, 3), np.nan), np.full((count, len(pairs), 2), -1, np.int32)
    objects = len(asked.ids)
    numbers = np.searchsorted(pairs @ (objects, 1), np.searchsorted(asked.ids, met.pairs) @ (objects, 1))
    distances[met.configuration, numbers], triangles[met.configuration, numbers] = 0.0, met.triangles
    gaps = _box_gaps(asked, pairs)
    order = np.argsort(gaps, axis=1, kind="stable")
    sorted_gaps = np.take_along_axis(gaps, order, axis=1)
    begin, together = 0, len(pairs) if most is None else most
    while begin < len(pairs):
        some = order[:, begin : begin + together]
        wanted = np.isnan(np.take_along_axis(distances, some, axis=1))
        if most is not None:  # skip boxes farther apart than the nearest pairs so far
            wanted &= sorted_gaps[:, begin : begin + together] < _reach(distances, most)[:, None]
        places, columns = np.nonzero(wanted)
        if len(places):
            chosen = some[places, columns]
            answer = yield from scale_progress(_nearest_steps(asked, places, pairs[chosen]), 0.5, 0.5)
            distances[places, chosen], points[places, chosen] = answer.distances, answer.points
            triangles[places, chosen] = answer.pairs
            stats = stats.plus(answer.stats())
        begin, together = begin + together, 2 * together
    known = ~np.isnan(distances)
    if most is not None:
        ranks = np.argsort(np.argsort(distances, axis=1, kind="stable"), axis=1)  # NaN sorts last
        known &= ranks < most
    places, chosen = np.nonzero(known)
    nearest_first = np.lexsort((distances[places, chosen], places))
    places, chosen = places[nearest_first], chosen[nearest_first]
    at = places, chosen
    return (places, chosen, distances[at], points[at], triangles[at]), stats


def _reach(distances: np.ndarray, most: int) -> np.ndarray:
    """Return the distance below which a pair is among the ``most`` nearest of each configuration, (m,) [m]."""
    if distances.shape[1] <= most:
        return np.full(len(distances), np.inf)
    worst: np.ndarray = np.partition(np.where(np.isnan(distances), np.inf, distances), most - 1, axis=1)[:, most - 1]
    return worst


def _box_gaps(asked: Configurations, pairs: np.ndarray) -> np.ndarray:
    """Return lower bounds of the distances between the objects of pairs, (m, p) [m], from their boxes."""
    boxes = world_boxes(asked.packed_trees.bounds, asked.rows, 0.0)
    return box_gaps(boxes[:, pairs[:, 0]], boxes[:, pairs[:, 1]])


def _nearest_steps(asked: Configurations, places: np.ndarray, pairs: np.ndarray) -> Generator[float, None, Answer]:
    """Find the nearest points of pairs (k, 2) of object indices; ``places`` (k,) are their configurations."""
    packed_trees = asked.packed_trees
    rows = asked.rows[places, pairs[:, 0]], asked.rows[places, pairs[:, 1]]
    side = packed_trees.tree_set.side
    return answer_steps(
        Question(side, side, packed_trees.trees[pairs], *rows, Goal.NEAREST, threads=thread_limit(None))
    )
