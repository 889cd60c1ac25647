"""Zachmann's procedure: time and errors against distance (the paper's figures 12 and 13), and what thresholds do."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.query.collide import collides
from meshclash.timecritical.query import time_critical

from .table import Row
from .timecritical_poses import DISTANCES, full_turn, tree_of

THRESHOLDS = ((0.99, 10), (0.99, 1), (0.9, 10), (0.9, 1), (0.8, 3), (0.7, 1), (0.5, 10), (0.5, 1), (0.3, 1))


def procedure(kinds: Iterable[str], sizes: Iterable[int], steps: int, seed: int) -> list[Row]:
    """A record for each mesh and distance; p_min 0.99 and k_min 10."""
    records = []
    for kind in kinds:
        for size in sizes:
            tree = tree_of(kind, size, seed)
            for distance in DISTANCES.tolist():
                turn = _turn(tree, full_turn(tree, distance, steps))
                records.append({"mesh": kind, "triangles": size, "distance": distance, **turn})
    return records


def _turn(tree: Hierarchy, poses: np.ndarray) -> Row:
    """Mean processor time [us] and wrong answers of a full turn; roots that are apart are no queries."""
    asked: dict[str, Callable[[np.ndarray], Any]] = {
        "ours": lambda pose: time_critical(tree, tree, None, pose),
        "exact": lambda pose: collides(tree, tree, None, pose),
    }
    seconds = dict.fromkeys(asked, 0.0)
    wrong = met = 0
    for pose in poses:
        answers = {}
        for name, ask in asked.items():
            ask(pose)
            start = time.process_time()
            answers[name] = ask(pose)
            seconds[name] += time.process_time() - start
        wrong += answers["ours"].colliding != answers["exact"]
        met += answers["ours"].stats.volume_tests > 1
    return {
        "us": 1e6 * seconds["ours"] / len(poses),
        "exact us": 1e6 * seconds["exact"] / len(poses),
        "wrong": wrong,
        "queries": met,
    }


def summary(records: list[Row]) -> list[Row]:
    """A line for each mesh and size."""
    rows = []
    for mesh, size in dict.fromkeys((r["mesh"], r["triangles"]) for r in records):
        mine = [r for r in records if (r["mesh"], r["triangles"]) == (mesh, size)]
        near = [r for r in mine if 1.0 <= r["distance"] <= 2.0]
        rows.append(
            {
                "mesh": mesh,
                "triangles": size,
                "mean [us]": float(np.mean([r["us"] for r in mine])),
                "worst distance [us]": float(max(r["us"] for r in mine)),
                "exact, mean [us]": float(np.mean([r["exact us"] for r in mine])),
                "wrong, 0.4 to 2.1 [%]": _wrong_percent(mine),
                "wrong, 1 to 2 [%]": _wrong_percent(near),
            }
        )
    return rows


def _wrong_percent(records: list[Row]) -> float:
    return 100.0 * sum(r["wrong"] for r in records) / max(1, sum(r["queries"] for r in records))


def thresholds(kinds: Iterable[str], size: int, steps: int, seed: int) -> list[Row]:
    """Which thresholds make answers wrong, and how much work they save: over all kinds and distances."""
    questions = []
    for kind in kinds:
        tree = tree_of(kind, size, seed)
        for distance in DISTANCES.tolist():
            poses = full_turn(tree, distance, steps)
            questions += [(tree, *each) for each in zip(poses, collides(tree, tree, None, poses), strict=True)]
    return [_threshold(questions, *criterion) for criterion in THRESHOLDS]


def _threshold(questions: list[tuple[Hierarchy, np.ndarray, bool]], p_min: float, k_min: int) -> Row:
    missed = false = queries = tests = early = 0
    for tree, pose, truth in questions:
        found = time_critical(tree, tree, None, pose, p_min=p_min, k_min=k_min)
        queries += found.stats.volume_tests > 1
        tests += found.stats.volume_tests
        early += not found.complete
        missed += bool(truth) and not found.colliding
        false += found.colliding and not truth
    return {
        "p_min": p_min,
        "k_min": k_min,
        "ended by counting [%]": 100.0 * early / queries,
        "wrong [%]": 100.0 * (missed + false) / queries,
        "volume tests": tests / queries,
    }


def plot(records: list[Row], folder: Path) -> None:
    """Time and wrong answers against distance, a column a mesh: the form of the paper's figures 12 and 13."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    kinds = list(dict.fromkeys(r["mesh"] for r in records))
    figure, axes = plt.subplots(2, len(kinds), figsize=(3.4 * len(kinds), 6), dpi=110, sharex=True, squeeze=False)
    for column, kind in enumerate(kinds):
        for size in dict.fromkeys(r["triangles"] for r in records):
            mine = [r for r in records if (r["mesh"], r["triangles"]) == (kind, size)]
            distances = [r["distance"] for r in mine]
            axes[0, column].plot(distances, [r["us"] for r in mine], label=f"{size:,}")
            axes[1, column].plot(distances, [_wrong_percent([r]) for r in mine], label=f"{size:,}")
        axes[0, column].set_title(kind)
        axes[0, column].set_ylim(bottom=0.0)
        axes[1, column].set_ylim(0.0, 5.0)
        axes[1, column].set_xlabel("distance")
    axes[0, 0].set_ylabel("microseconds a query")
    axes[1, 0].set_ylabel("wrong answers, %")
    axes[0, 0].legend(title="triangles", fontsize=8)
    figure.tight_layout()
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "bench-timecritical.png")
