"""What a budget buys, and where time-critical detection pays, beside the exact first contact in the same run."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from meshclash.hierarchy.build import build
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.query.collide import collides
from meshclash.timecritical.query import time_critical
from meshclash.types.mesh import TriangleMesh

from .table import Row
from .timecritical_poses import random_poses, tree_of

BUDGETS = (0.2e-3, 1e-3, 5e-3)
_NESTED = 0.97
"""Size of an inner copy, so near to the outer one that the exact engine has to look at much of both."""


def budgets(kinds: Iterable[str], sizes: Iterable[int], queries: int, seed: int) -> list[Row]:
    """A line for each mesh and budget: random poses, p_min beyond 1.

    *Fixed work* is a loop as long as the budget, at its 99th percentile: what the machine adds to anything.
    """
    rows = []
    for kind in kinds:
        for size in sizes:
            tree = tree_of(kind, size, seed)
            poses = random_poses(tree, np.random.default_rng(seed), queries)
            truth = collides(tree, tree, None, poses)
            rows += [_budget_row(kind, size, tree, poses, truth, budget) for budget in (*BUDGETS, None)]
    return rows


def _budget_row(
    kind: str, size: int, tree: Hierarchy, poses: np.ndarray, truth: np.ndarray, budget: float | None
) -> Row:
    for pose in poses[:20]:
        time_critical(tree, tree, None, pose, budget=budget, p_min=2.0)  # prepares, and learns how fast the machine is
    seconds, found = _timed(lambda pose: time_critical(tree, tree, None, pose, budget=budget, p_min=2.0), poses)
    disturbed = "-" if budget is None else f"{_disturbance(budget, len(poses)):.2f}"
    probability = np.array([each.probability for each in found])
    return {
        "mesh": kind,
        "triangles": size,
        "budget [ms]": "none" if budget is None else f"{1e3 * budget:g}",
        "mean [ms]": float(1e3 * np.mean(seconds)),
        "99 % [ms]": float(1e3 * np.percentile(seconds, 99)),
        "of the budget": "-" if budget is None else f"{np.percentile(seconds, 99) / budget:.2f}",
        "fixed work": disturbed,
        "exact answers [%]": 100.0 * float(np.mean([each.complete for each in found])),
        "wrong [%]": _wrong(found, truth),
        "expected wrong [%]": 100.0 * float(np.minimum(probability, 1.0 - probability).mean()),
    }


def _disturbance(seconds: float, times: int) -> float:
    """The 99th percentile of the processor time of a loop of about so many seconds, by its median."""
    count = 1000
    while _loop(count) < seconds:
        count += count // 4
    taken = [_loop(count) for _ in range(times)]
    return float(np.percentile(taken, 99) / np.median(taken))


def _loop(count: int) -> float:
    start = time.process_time()
    for _ in range(count):
        pass
    return time.process_time() - start


def _timed(ask: Callable[[np.ndarray], Any], poses: np.ndarray) -> tuple[list[float], list[Any]]:
    """Processor time [s] of each question, and the answers."""
    seconds, found = [], []
    gc.collect()
    gc.disable()
    try:
        for pose in poses:
            start = time.process_time()
            found.append(ask(pose))
            seconds.append(time.process_time() - start)
    finally:
        gc.enable()
    return seconds, found


def _wrong(found: list[Any], truth: np.ndarray) -> float:
    return 100.0 * float(np.mean([each.colliding != t for each, t in zip(found, truth, strict=True)]))


def against_exact(kinds: Iterable[str], sizes: Iterable[int], queries: int, seed: int) -> list[Row]:
    """A line for each mesh and size, at random and with an inner copy: the exact first contact and budgets."""
    rows = []
    for kind in kinds:
        for size in sizes:
            tree = tree_of(kind, size, seed)
            rng = np.random.default_rng(seed)
            rows.append(_pay_row(kind, size, "random", tree, tree, random_poses(tree, rng, queries)))
            middle = tree.mesh.bounds.mean(axis=0)
            inner = build(TriangleMesh(middle + _NESTED * (tree.mesh.arrays[0] - middle), tree.mesh.arrays[1]))
            nearby = np.repeat(np.eye(4)[None], min(queries, 10), axis=0)
            nearby[:, :3, 3] = rng.normal(scale=1e-3, size=(len(nearby), 3))
            rows.append(_pay_row(kind, size, "nested", tree, inner, nearby))
    return rows


def _pay_row(kind: str, size: int, placed: str, a: Hierarchy, b: Hierarchy, poses: np.ndarray) -> Row:
    row: Row = {"mesh": kind, "triangles": size, "placed": placed}
    collides(a, b, None, poses[0])
    exact, truth = _timed(lambda pose: collides(a, b, None, pose), poses)
    row |= {"exact, mean [ms]": 1e3 * np.mean(exact), "exact, 99 % [ms]": 1e3 * np.percentile(exact, 99)}
    for budget in (None, 1e-3):
        time_critical(a, b, None, poses[0], budget=budget)
        seconds, found = _timed(lambda pose, budget=budget: time_critical(a, b, None, pose, budget=budget), poses)
        name = "ours" if budget is None else "in 1 ms"
        row |= {
            f"{name}, mean [ms]": 1e3 * np.mean(seconds),
            f"{name}, 99 % [ms]": 1e3 * np.percentile(seconds, 99),
            f"{name}, wrong [%]": _wrong(found, np.array(truth)),
        }
    return {key: float(value) if isinstance(value, np.floating) else value for key, value in row.items()}
