"""Time-critical detection: are its probabilities right?

* *fit*, only on demand: the numbers of ``timecritical/collision_probability.py``.
* *calibration*: searches are stopped after so many steps; of those with a stated probability, how many collide?
* *budgets*: wrong answers within so much time, beside the exact search cut off at the same time.

With ``--models`` public models are fitted to, beside made ones, and others of them are judged (``public_models.py``).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from meshclash.hierarchy.bvh import Hierarchy
from oracles.timecritical_budgets import errors_over_budgets
from oracles.timecritical_calibration import calibration
from oracles.timecritical_poses import made_trees
from oracles.timecritical_shapes import SHAPES

from .options import among, parse_sizes
from .public_models import public_trees
from .table import format_markdown, write_json
from .timecritical_fit import fit, samples
from .timing import one_core

PARTS = ("fit", "calibration", "budgets")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--parts", type=among(PARTS), default=["calibration"], help=f"of {','.join(PARTS)}")
    parser.add_argument("--kinds", type=among(SHAPES), default=list(SHAPES), help=f"of {','.join(SHAPES)}")
    parser.add_argument("--sizes", type=parse_sizes, default=[2_000, 10_000, 50_000], help="polygon counts")
    parser.add_argument("--queries", type=int, default=1000, help="random poses a mesh")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--shapes", type=int, default=1, help="of each kind and size")
    parser.add_argument("--models", type=Path, metavar="DIR", help="public models instead, fetched into this folder")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; always 0."""
    report: dict[str, Any] = {"bench": "timecritical", "seed": options.seed}
    with one_core():
        if "fit" in options.parts:
            weights, shares = fit(*samples(_trees(options, "fit", "choose"), options.queries, options.seed))
            report["fit"] = {"weights": [float(f"{w:.4g}") for w in weights], "shares": np.round(shares, 3).tolist()}
            print(*(f"{name}: {numbers}" for name, numbers in report["fit"].items()), sep="\n")
        if "calibration" in options.parts:
            report["calibration"] = calibration(_trees(options, "test"), options.queries, options.seed)
            for kind, rows in report["calibration"].items():
                print(f"\n{kind}\n\n{format_markdown(rows)}", flush=True)
        if "budgets" in options.parts:
            report["budgets"] = errors_over_budgets(_trees(options, "test"), options.queries, options.seed)
            print(format_markdown(report["budgets"]), flush=True)
    if options.json:
        write_json(options.json, report)
    return 0


def _trees(options: argparse.Namespace, *parts: str) -> Iterator[tuple[str, Hierarchy]]:
    """Parts of the public models; made ones beside those that are fitted to, and where there are no others."""
    if options.models:
        yield from public_trees(options.models, *parts)
    if not options.models or "fit" in parts:
        yield from made_trees(options.kinds, options.sizes, range(options.seed, options.seed + options.shapes))
