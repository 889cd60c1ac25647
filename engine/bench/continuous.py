"""Continuous detection against rational root isolation: labelled queries, candidates of real steps, made hard cases.

``--data`` names a folder with ``queries.npz`` (keys NAME/vf and NAME/ee, (n, 8, 3): point and triangle, or two edges,
at time 0 and then at 1; ..._hit (n,) bool) and scenes (start, end (v, 3), triangles, edges, vf, ee: pairs of indices,
and ..._hit), such as the public data of Wang et al. (2021) and Belgrod et al. (2023). Made cases need no data; both
are judged in portions (``impact_runs.py``). With ``--scenes`` random deforming scenes are compared with finer stepping,
with ``--certificates`` certificates are made and checked (``oracles/deforming.py``).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from meshclash.continuous.impacts import Impacts
from oracles.deforming import check_proofs, check_scenes

from .impact_runs import ASK, element_points, judge_sets
from .table import Row, format_table, write_json
from .tally import TallyError

_RUNS = 5
_TIMED = 20_000
"""Queries that are timed in one call at least: fewer are repeated, so that the call itself does not count."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--data", type=Path, help="folder with queries.npz and scenes")
    parser.add_argument("--made", type=int, default=200, help="made cases per class and kind")
    parser.add_argument(
        "--candidates", type=int, default=1000, help="candidates per scene and kind outside the labels; 0: none"
    )
    parser.add_argument("--only", nargs="+", metavar="SCENE", help="names of the scenes whose candidates are judged")
    parser.add_argument("--state", type=Path, help="keep the counters in this file, and go on from it where it exists")
    parser.add_argument("--scenes", type=int, default=0, help="random deforming scenes against finer stepping")
    parser.add_argument("--certificates", type=int, default=0, help="certificates to make and check")
    parser.add_argument("--seed", type=int, default=1, help="of candidates and made cases")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; 1 when any answer is wrong, 2 when the state file cannot be used."""
    report: Row = {"bench": "continuous", "seed": options.seed}
    wrong = 0
    if options.data:
        report["labelled"] = rows = [_labelled_row(*q) for q in _labelled(options.data)]
        wrong += _show(rows)
    paths = [p for p in scene_paths(options.data) if not options.only or p.stem in options.only] if options.data else []
    try:
        rows, bad = judge_sets(paths, options.candidates, options.made, options.seed, options.state)
    except TallyError as error:
        print(f"bench continuous: {error}", file=sys.stderr)
        return 2
    if rows:
        report["judged"] = rows
        _show(rows)
        wrong += bad
    for key, size, part in (("scenes", options.scenes, check_scenes), ("proofs", options.certificates, check_proofs)):
        if size:
            report[key] = rows = part(size, options.seed)
            wrong += _show(rows)
    print(f"\n{'nothing wrong' if wrong == 0 else f'{wrong} WRONG'}")
    if options.json:
        write_json(options.json, report)
    return 1 if wrong else 0


def _show(rows: list[Row]) -> int:
    """Print a table with its sum; returns how much of it is wrong."""
    total: Row = {}
    for name, value in rows[0].items():
        summed = isinstance(value, int)
        total[name] = sum(row[name] for row in rows) if summed else ("all" if name == next(iter(rows[0])) else "")
    print(format_table([{k: str(v) for k, v in row.items()} for row in [*rows, total]]) + "\n", flush=True)
    return sum(total[name] for name in ("missed", "false", "time wrong", "wrong", "refused") if name in total)


def _labelled(folder: Path) -> Iterator[tuple[str, str, np.ndarray, np.ndarray]]:
    """(name, kind, points (n, 8, 3), hit (n,)) of all labelled queries, and of the scenes' labelled pairs."""
    queries = np.load(folder / "queries.npz")
    for kind in ASK:
        keys = [key for key in queries.files if key.endswith("/" + kind)]
        yield (
            "queries",
            kind,
            np.concatenate([queries[k] for k in keys]),
            np.concatenate([queries[k + "_hit"] for k in keys]),
        )
    for path in scene_paths(folder):
        scene = np.load(path)
        for kind in ASK:
            yield path.stem, kind, element_points(scene, kind, scene[kind]), scene[kind + "_hit"]


def scene_paths(folder: Path) -> list[Path]:
    """The files of the scenes."""
    return [path for path in sorted(folder.glob("*.npz")) if path.stem != "queries"]


def _asked(kind: str, points: np.ndarray) -> tuple[Impacts, float]:
    """The engine's answer, and microseconds of processor time a query."""
    start, end = np.ascontiguousarray(points[:, :4]), np.ascontiguousarray(points[:, 4:])
    begin = time.process_time()
    found = ASK[kind](start, end)
    return found, 1e6 * (time.process_time() - begin) / max(len(points), 1)


def _row(name: str, kind: str, points: np.ndarray) -> tuple[Row, Impacts]:
    found, _ = _asked(kind, points)
    hits, misses = (
        f"{min(_asked(kind, _many(points[mask]))[1] for _ in range(_RUNS)):.2f}" if mask.any() else "-"
        for mask in (found.hit, ~found.hit)
    )
    row: Row = {"set": name, "kind": kind, "queries": len(points), "hits": int(found.hit.sum())}
    return {**row, "us a hit": hits, "us a miss": misses, **found.counters}, found


def _many(points: np.ndarray) -> np.ndarray:
    return np.resize(points, (max(len(points), _TIMED), 8, 3))


def _labelled_row(name: str, kind: str, points: np.ndarray, hit: np.ndarray) -> Row:
    row, found = _row(name, kind, points)
    return {**row, "missed": int((hit & ~found.hit).sum()), "false": int((found.hit & ~hit).sum())}
