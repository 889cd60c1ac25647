"""Time-critical detection: are its probabilities right, what does a budget buy, and where does it pay?

* *fit*, only on demand: the numbers of ``timecritical/collision_probability.py``.
* *calibration*: searches are stopped after so many steps; of those with a stated probability, how many collide?
* *procedure*: two copies in a cube of side 2, their middles at a distance, a full turn about z and x (Zachmann's
  benchmark); processor time and wrong answers with p_min 0.99 and k_min 10, at four polygon counts.
* *thresholds*: wrong answers and work with other p_min and k_min.
* *budget*: random poses of large meshes under budgets; processor time at its 99th percentile, and wrong answers.
* *exact*: the exact first contact (`collides`) beside it, over sizes, at random and with a copy inside the other.

All on one core, times beside the exact engine in the same run.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from .options import among, parse_sizes
from .pipes import MODELS
from .table import Row, format_markdown, write_json
from .timecritical_budget import against_exact, budgets
from .timecritical_calibration import calibration
from .timecritical_fit import fit, samples
from .timecritical_poses import DISTANCES
from .timecritical_procedure import plot, procedure, summary, thresholds
from .timecritical_shapes import SHAPES
from .timing import one_core

PARTS = ("fit", "calibration", "procedure", "thresholds", "budget", "exact")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--parts", type=among(PARTS), default=list(PARTS[1:]), help=f"of {','.join(PARTS)}")
    parser.add_argument(
        "--kinds", type=among(SHAPES),
        help=f"of {','.join(SHAPES)}; for fit and calibration all, otherwise {','.join(MODELS)}",
    )  # fmt: skip
    parser.add_argument("--sizes", type=parse_sizes, default=[2_000, 10_000, 50_000, 250_000], help="polygon counts")
    parser.add_argument("--budget-size", type=parse_sizes, default=[1_000_000], help="triangles under budgets")
    parser.add_argument("--exact-sizes", type=parse_sizes, default=[10_000, 100_000, 1_000_000, 5_000_000])
    parser.add_argument("--queries", type=int, default=1000, help="random poses a mesh, and a budget")
    parser.add_argument(
        "--steps", type=int, default=40, help=f"poses of a full turn at each of {len(DISTANCES)} distances"
    )
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--shapes", type=int, default=1, help="of each kind and size, for fit and calibration")
    parser.add_argument("--plots", type=Path, metavar="DIR", help="draw time and error against distance (matplotlib)")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; always 0."""
    report: dict[str, Any] = {"bench": "timecritical", "seed": options.seed}
    with one_core():
        for part in options.parts:
            report[part] = _PARTS[part](options)
    if options.json:
        write_json(options.json, report)
    return 0


def _show(title: str, rows: list[Row]) -> list[Row]:
    print(f"\n{title}\n\n{format_markdown(rows)}", flush=True)
    return rows


def _fit(options: argparse.Namespace) -> dict[str, list[float]]:
    seeds = range(options.seed, options.seed + options.shapes)
    weights, shares = fit(*samples(options.kinds or SHAPES, options.sizes, options.queries, seeds))
    found = {"weights": [float(f"{w:.4g}") for w in weights], "shares": np.round(shares, 3).tolist()}
    for name, numbers in found.items():
        print(f"{name}: {numbers}")
    return found


def _calibration(options: argparse.Namespace) -> list[Row]:
    seeds = range(options.seed, options.seed + options.shapes)
    rows = calibration(options.kinds or SHAPES, options.sizes, options.queries, seeds)
    return _show(f"calibration, {options.sizes} triangles", rows)


def _procedure(options: argparse.Namespace) -> list[Row]:
    records = procedure(options.kinds or MODELS, options.sizes, options.steps, options.seed)
    _show("procedure, p_min 0.99 and k_min 10", summary(records))
    if options.plots:
        plot(records, options.plots)
    return records


def _thresholds(options: argparse.Namespace) -> list[Row]:
    size = options.sizes[1]
    return _show(
        f"thresholds, {size:,} triangles", thresholds(options.kinds or MODELS, size, options.steps, options.seed)
    )


def _budget(options: argparse.Namespace) -> list[Row]:
    return _show("budget", budgets(options.kinds or MODELS, options.budget_size, options.queries, options.seed))


def _exact(options: argparse.Namespace) -> list[Row]:
    rows = against_exact(options.kinds or MODELS, options.exact_sizes, options.queries, options.seed)
    return _show("beside the exact engine", rows)


_PARTS = dict(zip(PARTS, (_fit, _calibration, _procedure, _thresholds, _budget, _exact), strict=True))
