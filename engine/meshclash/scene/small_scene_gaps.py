"""Measure the gaps of a few objects that do not collide: each pair by the fast path for two meshes."""

import time
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from ..broadphase.sweep import world_boxes
from ..hierarchy.build import as_boxes
from ..hierarchy.bvh import MeshLike
from ..query.results import Distance
from ..query.shortcuts.object_pairs import YES
from ..query.shortcuts.prepared_distance import distance_of_records
from ..query.shortcuts.record import Record, keep_record, record_of
from ..types.pair_keys import no_pairs
from ..types.results import QueryStats
from ..types.steps import UNANSWERED
from .contact_stage import PackedTrees
from .gaps import found_apart
from .proximity import beyond_nearest, box_gaps
from .results import PairGap, SceneGaps

_MOST_OBJECTS = 12
_NONE = np.empty(0, np.int32)


def small_scene_gaps(
    packed_trees: PackedTrees,
    meshes: Sequence[MeshLike],
    ids: np.ndarray,
    rows: np.ndarray,
    most: int | None,
    names: Mapping[int, str],
) -> SceneGaps | None:
    """Return the gaps of all pairs, as ``Scene.distances`` does.

    Returns None to fall back to the general path: there are too many objects, some collide, or the decision needs exact
    predicates.

    Args:
        packed_trees: trees of the objects.
        meshes: the objects (n,).
        ids: ids of the objects, ascending.
        rows: poses of the objects, (n, 3, 4).
        most: maximum number of pairs to list; None for all pairs.
        names: names by id, of the objects that have one.
    """
    begin = time.perf_counter()
    records = _records(meshes) if len(meshes) <= _MOST_OBJECTS else None
    if records is None or _may_collide(packed_trees, rows):
        return None
    matrices = np.zeros((len(rows), 4, 4))
    matrices[:, :3], matrices[:, 3, 3] = rows, 1.0
    listed: list[tuple[float, int, int, Distance]] = []
    pairs = list(combinations(range(len(rows)), 2))
    for bound, (i, j) in _nearest_boxes_first(packed_trees, rows, pairs):
        if most is not None and len(listed) >= most and bound >= listed[most - 1][0]:
            break
        found = distance_of_records(records[i], records[j], matrices[i], matrices[j])
        if found is UNANSWERED or found.distance == 0.0:
            return None
        listed.append((found.distance, i, j, found))
        listed.sort(key=lambda entry: entry[:3])
    listed = listed[:most]
    gaps = _gaps(packed_trees, ids, rows, listed, names)
    work = [entry[3].stats for entry in listed]
    stats = QueryStats(
        sum(each.volume_tests for each in work), sum(each.primitive_tests for each in work),
        seconds=time.perf_counter() - begin,
    )  # fmt: skip
    return SceneGaps(gaps, stats, no_pairs(), *beyond_nearest(gaps, len(pairs)))


def _records(meshes: Sequence[MeshLike]) -> list[Record] | None:
    """Return the records of the objects; None if an object has no 8-wide tree."""
    records = []
    for mesh in meshes:
        record = record_of(mesh)
        if record is None:
            boxes = as_boxes(mesh)
            record = keep_record(boxes, boxes)
        if record is None:
            return None
        records.append(record)
    return records


def _may_collide(packed_trees: PackedTrees, rows: np.ndarray) -> bool:
    """Return True if two objects collide, or if the fast path cannot decide whether they do."""
    few = packed_trees.few
    if few is None:
        return True
    every = np.ones(len(rows), np.bool_)
    jobs = few.near_pairs(rows[None], every, every)
    if not len(jobs):
        return False
    found = few.decide(rows[None], jobs)
    return found.some_left or bool((found.collide == YES).any())


def _nearest_boxes_first(
    packed_trees: PackedTrees, rows: np.ndarray, pairs: list[tuple[int, int]]
) -> list[tuple[float, tuple[int, int]]]:
    """Return the pairs with lower bounds of their distances [m], ascending."""
    if len(pairs) < 2:
        return [(0.0, pair) for pair in pairs]
    boxes, places = world_boxes(packed_trees.bounds, rows, 0.0), np.array(pairs)
    return sorted(zip(box_gaps(boxes[places[:, 0]], boxes[places[:, 1]]).tolist(), pairs, strict=True))


def _gaps(
    packed_trees: PackedTrees,
    ids: np.ndarray,
    rows: np.ndarray,
    listed: list[tuple[float, int, int, Distance]],
    names: Mapping[int, str],
) -> list[PairGap]:
    """Convert the listed distances to ``PairGap`` objects."""
    places = np.array([entry[1:3] for entry in listed], np.int64).reshape(-1, 2)
    found, keys = [entry[3] for entry in listed], ids[places].tolist()
    points = np.array([each.points for each in found]).reshape(-1, 2, 3)
    sides = rows[places[:, 0]], rows[places[:, 1]]
    pairs = found_apart(packed_trees.trees[places], sides, packed_trees.meshes, points, names)
    return [
        PairGap(a, b, each.distance, each.points, (each.triangle_a, each.triangle_b), _NONE, _NONE, pairs, k)
        for k, ((a, b), each) in enumerate(zip(keys, found, strict=True))
    ]
