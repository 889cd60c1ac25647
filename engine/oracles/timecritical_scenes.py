"""Right answers about thousands of pairs over time: the shared time-critical search, and the exact one in three orders.

Everything runs in one thread and one process, a method after the other, in turns; times are processor times, and each
moment counts as the median of the turns. A pair that was not reached counts as apart, or as the stated probability
says.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from meshclash.answering.answer import answer_steps
from meshclash.broadphase.sweep import overlapping_pairs, world_boxes
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.timecritical.search import Criterion, Limit, Search
from meshclash.timecritical.traversal import OPEN, STATUS
from meshclash.timecritical.trees import adb_tree
from meshclash.traversal.forest import TreeSet, pack_trees
from meshclash.traversal.question import Question
from meshclash.types.steps import run

from . import Row
from .timecritical_calibration import StoppedSearches
from .timecritical_poses import random_rotation

MOMENTS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
"""Budgets for all pairs together, processor time [ms]."""
_SHARED_STOPS = (0, 2_000, 10_000, 40_000, 150_000)
_TURNS = 5
_AT_ONCE = 32  # pairs of an exact query
_STEPS = 256  # of the time-critical search, before it is asked what it says


class PlacedScene(NamedTuple):
    """Objects at random in a cube, and the pairs of them whose boxes overlap."""

    hierarchies: Sequence[Hierarchy]
    tree_of: np.ndarray
    """The hierarchy of each object, (n,)."""
    rows: np.ndarray
    """(n, 3, 4)"""
    pairs: np.ndarray
    """(k, 2)"""
    overlaps: np.ndarray
    """The share of the smaller box of each pair that lies in the other, (k,)."""


Told = list[tuple[float, np.ndarray]]
"""Seconds, and what is said by then of each pair, (k,) bool."""


def random_scene(hierarchies: Sequence[Hierarchy], count: int, crowded: float, seed: int) -> PlacedScene:
    """``count`` objects in a cube whose side is ``count ** (1 / 3) / crowded`` times the longest side of an object."""
    rng = np.random.default_rng(seed)
    tree_of = rng.integers(len(hierarchies), size=count)
    longest = max(float(np.ptp(tree.mesh.bounds, axis=0).max()) for tree in hierarchies)
    rows = np.empty((count, 3, 4))
    for row in rows:
        row[:, :3], row[:, 3] = random_rotation(rng), rng.uniform(0.0, longest * count ** (1.0 / 3.0) / crowded, 3)
    bounds = np.stack([hierarchies[tree].mesh.bounds for tree in tree_of])
    boxes, all_of_them = world_boxes(bounds, rows, 0.0), np.ones(count, np.bool_)
    pairs = overlapping_pairs(boxes, all_of_them, all_of_them)
    return PlacedScene(hierarchies, tree_of, rows, pairs, overlap_shares(boxes, pairs))


def overlap_shares(boxes: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The common volume of two boxes, divided by that of the smaller one, (k,)."""
    a, b = boxes[pairs[:, 0]], boxes[pairs[:, 1]]
    common = np.minimum(a[:, 3:], b[:, 3:]) - np.maximum(a[:, :3], b[:, :3])
    smaller = np.minimum((a[:, 3:] - a[:, :3]).prod(axis=1), (b[:, 3:] - b[:, :3]).prod(axis=1))
    return common.prod(axis=1) / np.maximum(smaller, 1e-300)


def right_over_time(scene: PlacedScene) -> list[Row]:
    """For each of ``MOMENTS`` the share of right answers of each method, per cent, and of the contacts found."""
    methods: dict[str, Callable[[], Told]] = {
        "exact, in order of ids": lambda: _exact(scene, None),
        "exact, most overlap first": lambda: _exact(scene, "overlap"),
        "exact, least certain first": lambda: _exact(scene, "uncertain"),
        "time-critical": lambda: _time_critical(scene),
    }
    for method in methods.values():
        method()  # compiles, and prepares the trees
    turns = [{name: method() for name, method in methods.items()} for _ in range(_TURNS)]
    truth = turns[0]["exact, in order of ids"][-1][1]
    table = []
    for moment in MOMENTS:
        row: Row = {"budget ms": moment, "pairs": len(truth), "collide %": 100.0 * float(truth.mean())}
        for name in methods:
            row[f"{name}: right %"] = float(np.median([_right(turn[name], moment, truth) for turn in turns]))
        table.append(row)
    return table


def shared_searches(scene: PlacedScene) -> StoppedSearches:
    """Stop the search that all pairs share after each of ``_SHARED_STOPS``; the pairs that are open then."""
    search, done, parts = _begun(scene), 0, []
    truth = _exact(scene, None)[-1][1]
    for stop in _SHARED_STOPS:
        if stop > done:
            search.run(Limit(steps=stop - done))
            done = stop
        found, left = search.estimates(), search.rows[:, STATUS] == OPEN
        same = [np.full(int(left.sum()), value) for value in ("scene", "at random", stop)]
        parts.append((*same, found.measures[left], found.probabilities[left], found.intervals[left], truth[left]))
    search.end()
    return StoppedSearches(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _right(told: Told, moment: float, truth: np.ndarray) -> float:
    said = next((said for seconds, said in reversed(told) if 1e3 * seconds <= moment), np.zeros(len(truth), np.bool_))
    return 100.0 * float((said == truth).mean())


def _exact(scene: PlacedScene, order: str | None) -> Told:
    """First contacts, some pairs at a time."""
    packed = _packed(scene)
    begun = time.thread_time()
    said = np.zeros(len(scene.pairs), np.bool_)
    if order == "uncertain":
        search = _begun(scene)
        stated = search.estimates().probabilities
        search.end()
        said, chosen = stated >= 0.5, np.argsort(np.abs(stated - 0.5), kind="stable")
    elif order == "overlap":
        chosen = np.argsort(-scene.overlaps, kind="stable")
    else:
        chosen = np.arange(len(said))
    told: Told = [(time.thread_time() - begun, said.copy())]
    for begin in range(0, len(chosen), _AT_ONCE):
        some = chosen[begin : begin + _AT_ONCE]
        a, b = scene.pairs[some].T
        jobs = np.stack([scene.tree_of[a], scene.tree_of[b]], axis=1)
        question = Question(packed.side, packed.side, jobs, scene.rows[a], scene.rows[b], first_only=True, threads=1)
        found = run(answer_steps(question))
        said[some] = False
        said[some[found.jobs]] = True
        told.append((time.thread_time() - begun, said.copy()))
    return told


_kept: dict[int, tuple[PlacedScene, TreeSet]] = {}


def _packed(scene: PlacedScene) -> TreeSet:
    if id(scene) not in _kept:
        _kept[id(scene)] = scene, pack_trees(list(scene.hierarchies), None)
    return _kept[id(scene)][1]


def _begun(scene: PlacedScene) -> Search:
    trees = [adb_tree(tree) for tree in scene.hierarchies]
    search = Search(trees[0].volume, Criterion(p_min=2.0))
    search.begin(trees, scene.tree_of[scene.pairs], scene.rows[scene.pairs])
    return search


def _time_critical(scene: PlacedScene) -> Told:
    """What the shared search says after every few steps; asking is not counted but once."""
    begun = time.thread_time()
    search, told, asking = _begun(scene), [], 0.0
    while True:
        before = time.thread_time()
        said = search.estimates().probabilities >= 0.5
        asked = time.thread_time() - before
        told.append((before - begun - asking + asked, said))
        asking += asked
        if search.exhausted(False):
            break
        search.run(Limit(steps=_STEPS))
    search.end()
    return told
