"""Time-critical detection: are its probabilities right, and where does it pay?

* *fit*, only on demand: the numbers of ``timecritical/collision_probability.py``.
* *calibration*: searches are stopped after so many steps; of those with a stated probability, how many collide?
* *budgets*: wrong answers within so much time, beside the exact search cut off at the same time.
* *scene*: right answers about thousands of pairs over time, beside the exact search in several orders.
* *scan-fit*, only on demand: the weights of ``pointcloud/contact_probability.py``.
* *scans*: like *calibration*, for pairs with a point cloud; shapes are made, also with ``--models``.

Shapes are made, and with ``--models`` also public ones (``public_models.py``). The fit sees the kinds of ``SHAPES`` and
the parts "fit" and "choose"; all else is judged by kinds that it never saw, ``UNSEEN``, and the other parts.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from meshclash.hierarchy.bvh import Hierarchy
from oracles.scan_calibration import scans_of_meshes, scans_of_solids, stopped_scan_searches
from oracles.timecritical_budgets import errors_over_budgets
from oracles.timecritical_calibration import StoppedSearches, coverage, judged, stopped_searches
from oracles.timecritical_poses import KINDS, PLACEMENTS, made_trees
from oracles.timecritical_scenes import random_scene, right_over_time, shared_searches
from oracles.timecritical_shapes import SHAPES
from oracles.timecritical_unseen_shapes import UNSEEN

from .options import among, parse_sizes
from .public_models import public_trees
from .table import format_markdown, write_json
from .timecritical_fit import fit, fit_of_scans
from .timing import one_core

PARTS = ("fit", "calibration", "budgets", "scene", "scan-fit", "scans")
_CROWDED = 2.0  # objects overlap about four others


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--parts", type=among(PARTS), default=["calibration"], help=f"of {','.join(PARTS)}")
    parser.add_argument("--kinds", type=among(KINDS), help=f"instead of those of the part, of {','.join(KINDS)}")
    parser.add_argument("--sizes", type=parse_sizes, default=[500, 3_000, 20_000], help="polygon counts")
    parser.add_argument("--queries", type=int, default=20, help="poses of a mesh in each placement, with each partner")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--shapes", type=int, default=1, help="of each kind and size")
    parser.add_argument("--objects", type=int, default=2000, help="of the scene")
    parser.add_argument("--models", type=Path, metavar="DIR", help="public models instead, fetched into this folder")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; always 0."""
    report: dict[str, Any] = {"bench": "timecritical", "seed": options.seed}
    with one_core():
        if "fit" in options.parts:
            numbers = fit(stopped_searches(_trees(options, "fit", "choose"), options.queries, options.seed))
            report["fit"] = {name: _short(array).tolist() for name, array in numbers.items()}
            print(*(f"{name} = {numbers}" for name, numbers in report["fit"].items()), sep="\n")
        if "calibration" in options.parts:
            searches = stopped_searches(_trees(options, "test", "seen"), options.queries, options.seed)
            _judge(report, "calibration", searches)
        if "scan-fit" in options.parts:
            trees = made_trees(options.kinds or SHAPES, options.sizes, _seeds(options))
            pairs = scans_of_meshes(trees, options.queries, options.seed)
            report["scan-fit"] = fit_of_scans(stopped_scan_searches(pairs))
            print(*(f"{name} = {numbers}" for name, numbers in report["scan-fit"].items()), sep="\n")
        if "scans" in options.parts:
            trees = made_trees(options.kinds or UNSEEN, options.sizes, _seeds(options))
            pairs = scans_of_meshes(trees, options.queries, options.seed)
            solids = scans_of_solids(len(PLACEMENTS) * options.queries, options.seed)
            _judge(report, "scans", stopped_scan_searches(chain(pairs, solids)))
        if "budgets" in options.parts:
            report["budgets"] = errors_over_budgets(_trees(options, "test"), options.queries, options.seed)
            print(format_markdown(report["budgets"]), flush=True)
        if "scene" in options.parts:
            trees = [tree for _, tree in _trees(options, "test", "seen")]
            scene = random_scene(trees, options.objects, _CROWDED, options.seed)
            report["scene"], report["shared"] = right_over_time(scene), judged(shared_searches(scene))["all"]
            for name in ("scene", "shared"):
                print(f"\n{name}\n\n{format_markdown(report[name])}", flush=True)
    if options.json:
        write_json(options.json, report)
    return 0


def _judge(report: dict[str, Any], part: str, searches: StoppedSearches) -> None:
    """Add to the report how right stated probabilities are, and print it."""
    report[part], summary = judged(searches), coverage(searches)
    for name, rows in report[part].items():
        print(f"\n{name}\n\n{format_markdown(rows)}", flush=True)
    report["coverage" if part == "calibration" else f"coverage of {part}"] = summary
    print(f"\n{format_markdown([summary])}", flush=True)


def _seeds(options: argparse.Namespace) -> range:
    return range(options.seed, options.seed + options.shapes)


def _trees(options: argparse.Namespace, *parts: str) -> Iterator[tuple[str, Hierarchy]]:
    """(family, hierarchy) of parts of the public models, if there are any, and of made ones."""
    if options.models:
        yield from public_trees(options.models, *parts)
    kinds = options.kinds or (SHAPES if "fit" in parts else UNSEEN)
    yield from made_trees(kinds, options.sizes, _seeds(options))


def _short(array: np.ndarray) -> np.ndarray:
    """Rounded to four digits."""
    return np.vectorize(lambda number: float(f"{number:.4g}"))(array)
