"""Wrong answers of time-critical searches within a budget, beside the exact search that is cut off at the same time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.query.collide import collides
from meshclash.query.time_critical import time_critical

from . import Row
from .timecritical_calibration import STOPS
from .timecritical_poses import random_poses

BUDGETS = (5, 10, 15, 20, 30, 50, 80, 200, 800)
"""Processor time of a question, the call from Python included [us]."""
_RUNS = 3  # of each question, of which the fastest counts


def errors_over_budgets(trees: Iterable[tuple[str, Hierarchy]], queries: int, seed: int = 11) -> list[Row]:
    """For each budget how many answers are wrong, per cent; a search that has found nothing by then says "apart".

    Args:
        trees: as of ``calibration``.
        queries: random poses a mesh.
        seed: of the poses.
    """
    truths: list[bool] = []
    exact: list[float] = []
    stopped: list[list[tuple[float, bool]]] = []
    for number, (_, tree) in enumerate(trees):
        for pose in random_poses(tree, np.random.default_rng((seed, number)), queries):
            seconds, truth = _timed(partial(collides, tree, tree, None, pose))
            truths.append(bool(truth))
            exact.append(seconds)
            stopped.append([_said(tree, pose, steps) for steps in (*STOPS, None)])
    return [_row(budget, np.array(truths), np.array(exact), stopped) for budget in BUDGETS]


def _said(tree: Hierarchy, pose: np.ndarray, steps: int | None) -> tuple[float, bool]:
    """How long a search of so many steps takes, and what it says."""
    seconds, found = _timed(partial(time_critical, tree, tree, None, pose, steps=steps))
    return seconds, found.probability >= 0.5


def _timed(ask: Callable[[], Any]) -> tuple[float, Any]:
    fastest = np.inf
    for _ in range(_RUNS):
        begun = time.thread_time()
        found = ask()
        fastest = min(fastest, time.thread_time() - begun)
    return fastest, found


def _row(budget: float, truths: np.ndarray, exact: np.ndarray, stopped: list[list[tuple[float, bool]]]) -> Row:
    within = 1e-6 * budget
    said = [next((told for seconds, told in reversed(each) if seconds <= within), False) for each in stopped]
    return {
        "budget us": budget,
        "questions": len(truths),
        "time-critical wrong %": 100.0 * float((np.array(said) != truths).mean()),
        "exact, cut off, wrong %": 100.0 * float(((exact > within) & truths).mean()),
        "exact ended %": 100.0 * float((exact <= within).mean()),
    }
