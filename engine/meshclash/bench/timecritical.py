"""Time-critical detection: are its probabilities right, what does a budget buy, and where does it pay?

* *calibration*: searches are stopped after so many steps; of those with a stated probability, how many collide?
* *procedure*: two copies in a cube of side 2, their middles at a distance, a full turn about z and x (Zachmann's
  benchmark); processor time and wrong answers with p_min 0.99 and k_min 10, at four polygon counts.
* *budget*: random poses of large meshes under budgets; processor time at its 99th percentile, and wrong answers.

Everything beside the exact first contact (`collides`) in the same run, on one core.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..hierarchy.build import build
from ..hierarchy.bvh import Hierarchy
from ..query.collide import collides
from ..timecritical import traversal as layout
from ..timecritical.query import collision_probability, time_critical
from ..timecritical.search import Aim, Search
from ..types.mesh import TriangleMesh
from ..types.pose import pose_stack
from .mesh_generators import MAKERS
from .options import among, parse_sizes
from .table import Row, format_markdown, write_json
from .timing import one_core

STOPS = (4, 8, 16, 32, 64, 128, 256, 512)
BUDGETS = (0.2e-3, 1e-3, 5e-3)
DISTANCES = np.linspace(0.4, 2.1, 18)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--kinds", type=among(MAKERS), default=list(MAKERS), help=f"of {','.join(MAKERS)}")
    parser.add_argument("--sizes", type=parse_sizes, default=[2_000, 10_000, 50_000, 250_000], help="polygon counts")
    parser.add_argument("--budget-size", type=parse_sizes, default=[1_000_000], help="triangles under budgets")
    parser.add_argument("--queries", type=int, default=1000, help="random poses a mesh, and a budget")
    parser.add_argument("--steps", type=int, default=40, help="poses of a full turn at each of 18 distances")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--plots", type=Path, metavar="DIR", help="draw time and error against distance (matplotlib)")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; always 0."""
    report: dict[str, Any] = {"bench": "timecritical", "seed": options.seed}
    with one_core():
        report["calibration"] = _show("calibration", calibration(options))
        records = _procedure(options)
        report["procedure"] = _show("procedure, p_min 0.99 and k_min 10", _summary(records))
        report["records"] = records
        report["budget"] = _show("budget", _budget(options))
    if options.plots:
        _plot(records, options.plots)
    if options.json:
        write_json(options.json, report)
    return 0


def _show(title: str, rows: list[Row]) -> list[Row]:
    print(f"\n{title}\n\n{format_markdown(rows)}", flush=True)
    return rows


def _tree(kind: str, size: int, seed: int) -> Hierarchy:
    return build(TriangleMesh(*MAKERS[kind](size, seed)))


def _rotation(rng: np.random.Generator) -> np.ndarray:
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return turn * np.sign(np.linalg.det(turn))


def _placed(bounds: np.ndarray, rotation: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """The pose that turns about the middle and shifts [half of the longest side]."""
    middle = bounds.mean(axis=0)
    pose = np.eye(4)
    pose[:3, :3] = rotation
    pose[:3, 3] = middle - rotation @ middle + shift * (bounds[1] - bounds[0]).max() / 2
    return pose


def _random_poses(tree: Hierarchy, rng: np.random.Generator, count: int) -> np.ndarray:
    """Turned at random, the middles 0.4 to 2.1 apart in a random direction."""
    poses = []
    for _ in range(count):
        direction = rng.normal(size=3)
        shift = direction / np.linalg.norm(direction) * rng.uniform(DISTANCES[0], DISTANCES[-1])
        poses.append(_placed(tree.mesh.bounds, _rotation(rng), shift))
    return np.stack(poses)


# Calibration


def calibration(options: argparse.Namespace) -> list[Row]:
    """How often objects collide whose searches were stopped, by decile of the stated probability."""
    said, happened = [], []
    for kind in options.kinds:
        for size in options.sizes[1:3]:
            tree = _tree(kind, size, options.seed)
            poses = _random_poses(tree, np.random.default_rng(options.seed), options.queries)
            for pose, truth in zip(poses, collides(tree, tree, None, poses), strict=True):
                for probability in _stopped(tree, pose):
                    said.append(probability)
                    happened.append(truth)
    return _deciles(np.array(said), np.array(happened))


def _stopped(tree: Hierarchy, pose: np.ndarray) -> list[float]:
    """What a search says when it is stopped here and there, as long as it does not know."""
    rows = [pose_stack(p)[0].copy() for p in (None, pose)]
    search = Search([tree], [tree], np.zeros((1, 2), np.int64), *rows, Aim(p_min=2.0))
    said: list[float] = []
    done = 0
    for stop in STOPS:
        if search.advance(stop - done) or search.rows[0, layout.STATUS] != layout.OPEN:
            break
        done = stop
        said.append(collision_probability(search.evidence(0)))
    return said


def _deciles(said: np.ndarray, happened: np.ndarray) -> list[Row]:
    decile = np.minimum((10 * said).astype(int), 9)
    return [
        {
            "stated": f"{k / 10:.1f} to {k / 10 + 0.1:.1f}",
            "queries": int(here.sum()),
            "mean stated": float(said[here].mean()),
            "collided": float(happened[here].mean()),
            "difference": float(said[here].mean() - happened[here].mean()),
        }
        for k in range(10)
        if (here := decile == k).any()
    ]


# Zachmann's procedure


def _procedure(options: argparse.Namespace) -> list[Row]:
    """A record for each mesh and distance."""
    records = []
    for kind in options.kinds:
        for size in options.sizes:
            tree = _tree(kind, size, options.seed)
            for distance in DISTANCES:
                records.append(
                    {
                        "mesh": kind,
                        "triangles": size,
                        "distance": float(distance),
                        **_turn(tree, distance, options.steps),
                    }
                )
    return records


def _turn(tree: Hierarchy, distance: float, steps: int) -> Row:
    """Mean processor time [us] and wrong answers of a full turn; roots that are apart are no queries."""
    poses = []
    for angle in np.arange(steps) * (2.0 * np.pi / steps):
        c, s = np.cos(angle), np.sin(angle)
        about_z, about_x = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        poses.append(_placed(tree.mesh.bounds, about_z @ about_x, np.array([distance, 0.0, 0.0])))
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
        met += answers["ours"].stats.volume_tests > 0
    return {
        "us": 1e6 * seconds["ours"] / steps,
        "exact us": 1e6 * seconds["exact"] / steps,
        "wrong": wrong,
        "queries": met,
    }


def _summary(records: list[Row]) -> list[Row]:
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


# Budgets


def _budget(options: argparse.Namespace) -> list[Row]:
    rows = []
    for kind in options.kinds:
        for size in options.budget_size:
            tree = _tree(kind, size, options.seed)
            poses = _random_poses(tree, np.random.default_rng(options.seed), options.queries)
            truth = collides(tree, tree, None, poses)
            rows += [_budget_row(kind, size, tree, poses, truth, budget) for budget in (*BUDGETS, None)]
    return rows


def _budget_row(
    kind: str, size: int, tree: Hierarchy, poses: np.ndarray, truth: np.ndarray, budget: float | None
) -> Row:
    time_critical(tree, tree, None, poses[0])  # prepares
    seconds, found = [], []
    for pose in poses:
        start = time.process_time()
        found.append(time_critical(tree, tree, None, pose, budget=budget, p_min=2.0))
        seconds.append(time.process_time() - start)
    probability = np.array([each.probability for each in found])
    return {
        "mesh": kind,
        "triangles": size,
        "budget [ms]": "none" if budget is None else f"{1e3 * budget:g}",
        "mean [ms]": float(1e3 * np.mean(seconds)),
        "99 % [ms]": float(1e3 * np.percentile(seconds, 99)),
        "of the budget": "-" if budget is None else f"{np.percentile(seconds, 99) / budget:.2f}",
        "exact answers [%]": 100.0 * float(np.mean([each.complete for each in found])),
        "wrong [%]": 100.0 * float(np.mean([each.colliding != t for each, t in zip(found, truth, strict=True)])),
        "expected wrong [%]": 100.0 * float(np.minimum(probability, 1.0 - probability).mean()),
    }


def _plot(records: list[Row], folder: Path) -> None:
    """Time and wrong answers against distance, a column a mesh: the form of the paper's figures 12 and 13."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    kinds = list(dict.fromkeys(r["mesh"] for r in records))
    figure, axes = plt.subplots(2, len(kinds), figsize=(4 * len(kinds), 6), dpi=110, sharex=True, squeeze=False)
    for column, kind in enumerate(kinds):
        for size in dict.fromkeys(r["triangles"] for r in records):
            mine = [r for r in records if (r["mesh"], r["triangles"]) == (kind, size)]
            distances = [r["distance"] for r in mine]
            axes[0, column].plot(distances, [r["us"] for r in mine], label=f"{size:,}")
            share = [_wrong_percent([r]) for r in mine]
            axes[1, column].plot(distances, share, label=f"{size:,}")
        axes[0, column].set_title(kind)
        axes[1, column].set_xlabel("distance")
    axes[0, 0].set_ylabel("microseconds a query")
    axes[1, 0].set_ylabel("wrong answers, %")
    axes[0, 0].legend(title="triangles", fontsize=8)
    figure.tight_layout()
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "bench-timecritical.png")
