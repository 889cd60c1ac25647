"""Answers within time budgets, on the same poses one budget after the other, and the probabilities that they state."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from meshclash import cloud_collision

from .cloud_sweep import Query, Shape
from .table import Row

BUDGETS = (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3)


class _Paired(NamedTuple):
    """Answers to the same queries with one budget, arrays of bool."""

    said: np.ndarray
    complete: np.ndarray
    wrong: np.ndarray
    """Against the meshes."""
    premature: np.ndarray
    """Against the complete search."""


def budget_rows(shape: Shape, queries: list[Query]) -> list[Row]:
    """Errors against both references: the meshes, and the surfaces of the clouds as the complete search finds them."""
    rows: list[Row] = []
    before: _Paired | None = None
    for budget in BUDGETS:
        now, spent = _ask_within(shape, queries, budget)
        rows.append(
            {
                "shape": shape.name,
                "budget [ms]": 1e3 * budget,
                "complete [%]": 100.0 * float(now.complete.mean()),
                "other than mesh": int(now.wrong.sum()),
                "newly": 0 if before is None else int((now.wrong & ~before.wrong).sum()),
                "other than complete": int(now.premature.sum()),
                "newly so": 0 if before is None else int((now.premature & ~before.premature).sum()),
                "proven, then turned": 0
                if before is None
                else int((before.complete & (now.said != before.said)).sum()),
                "99th [ms]": 1e3 * float(np.quantile(spent, 0.99)),
                "within 1.2 budgets [%]": 100.0 * float((spent <= 1.2 * budget).mean()),
            }
        )
        before = now
    return rows


def _ask_within(shape: Shape, queries: list[Query], budget: float) -> tuple[_Paired, np.ndarray]:
    """The answers within a budget, and the processor time of each [s]."""
    said, complete, seconds = [], [], []
    for q in queries:
        start = time.thread_time()
        answer = cloud_collision(shape.cloud, shape.cloud, None, q.pose, budget=budget)
        seconds.append(time.thread_time() - start)
        said.append(answer.colliding)
        complete.append(answer.complete)
    answers = np.array(said)
    wrong = answers != np.array([q.truth for q in queries])
    premature = answers != np.array([q.answer for q in queries])
    return _Paired(answers, np.array(complete), wrong, premature), np.array(seconds)


def all_budgets(rows: list[Row]) -> list[Row]:
    """The sums of the counts over all shapes, by budget."""
    counts = ("other than mesh", "newly", "other than complete", "newly so", "proven, then turned")
    return [
        {"budget [ms]": 1e3 * budget}
        | {name: sum(int(row[name]) for row in rows if row["budget [ms]"] == 1e3 * budget) for name in counts}
        for budget in BUDGETS
    ]


def probability_rows(shapes: list[Shape], sweeps: dict[str, list[Query]]) -> list[Row]:
    """How often interrupted queries collide, by the probability they state."""
    stated, truth = [], []
    for shape in shapes:
        for q in sweeps[shape.name]:
            for budget in (5e-5, 1e-4, 2e-4):
                answer = cloud_collision(shape.cloud, shape.cloud, None, q.pose, budget=budget)
                if not answer.complete:
                    stated.append(answer.probability)
                    truth.append(q.truth)
    tenth = np.minimum((10.0 * np.array(stated)).astype(int), 9)
    rows: list[Row] = []
    for k in range(10):
        here = tenth == k
        colliding = f"{100.0 * np.mean(np.array(truth)[here]):.0f}" if here.any() else "-"
        rows.append(
            {"stated [%]": f"{10 * k} to {10 * k + 10}", "queries": int(here.sum()), "colliding [%]": colliding}
        )
    return rows
