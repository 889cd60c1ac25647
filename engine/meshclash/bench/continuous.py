"""Continuous detection against rational root isolation: labelled queries, candidates of real steps, made hard cases.

``--data`` names a folder with ``queries.npz`` (keys NAME/vf and NAME/ee, (n, 8, 3): point and triangle, or two edges,
at time 0 and then at 1; ..._hit (n,) bool) and scenes (start, end (v, 3), triangles, edges, vf, ee: pairs of indices,
and ..._hit), such as the public data of Wang et al. (2021) and Belgrod et al. (2023). Made cases need no data. With
``--steps`` whole steps of the scenes are timed (``continuous_steps.py``), with ``--scenes`` random deforming scenes
are compared with finer stepping, with ``--certificates`` certificates are made and checked
(``continuous_proofs.py``).
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Iterator
from fractions import Fraction
from multiprocessing.pool import Pool
from pathlib import Path

import numpy as np

from ..broadphase.sweep import overlapping_pairs
from ..continuous.impacts import Impacts, edge_edge_impacts, point_triangle_impacts
from .continuous_proofs import check_proofs, check_scenes
from .continuous_steps import time_steps
from .impact_cases import CASES, make_cases
from .impact_oracle import first_moment
from .table import Row, format_table, write_json

ASK = {"vf": point_triangle_impacts, "ee": edge_edge_impacts}
_CHUNK = 256
_SHOWN = 3
_TIGHT = Fraction(1, 1 << 40)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--data", type=Path, help="folder with queries.npz and scenes")
    parser.add_argument("--made", type=int, default=200, help="made cases per class and kind")
    parser.add_argument(
        "--candidates", type=int, default=2000, help="candidates of each scene outside the labels, half of each kind"
    )
    parser.add_argument("--steps", type=int, default=0, help="runs of whole steps, beside ipctk where it is installed")
    parser.add_argument("--scenes", type=int, default=0, help="random deforming scenes against finer stepping")
    parser.add_argument("--certificates", type=int, default=0, help="certificates to make and check")
    parser.add_argument("--seed", type=int, default=1, help="of candidates and made cases")
    parser.add_argument("--workers", type=int, default=2, help="processes that ask the oracle")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; 1 when any answer is wrong."""
    report: Row = {"bench": "continuous", "seed": options.seed}
    wrong = 0
    with multiprocessing.get_context("spawn").Pool(options.workers) as pool:
        if options.data:
            report["labelled"] = rows = [_labelled_row(*q) for q in _labelled(options.data)]
            wrong += _show(rows)
            if options.candidates:
                sets = _candidates(options.data, options.candidates, options.seed)
                report["candidates"] = rows = [_judged_row(*s, pool) for s in sets]
                wrong += _show(rows)
        if options.made:
            report["made"] = rows = [
                _judged_row(name, kind, make_cases(name, options.made, options.seed + k), pool)
                for name in CASES
                for k, kind in enumerate(ASK)
            ]
            wrong += _show(rows)
    for key, size, part in (("scenes", options.scenes, check_scenes), ("proofs", options.certificates, check_proofs)):
        if size:
            report[key] = rows = part(size, options.seed)
            wrong += _show(rows)
    if options.steps and options.data:
        report["steps"] = rows = time_steps(options.data, options.steps)
        print(format_table(rows), flush=True)
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


def _corners(scene: np.lib.npyio.NpzFile, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Vertices of the first and of the second things of candidates of a kind."""
    if kind == "vf":
        return np.arange(len(scene["start"]))[:, None], scene["triangles"]
    return scene["edges"], scene["edges"]


def element_points(scene: np.lib.npyio.NpzFile, kind: str, pairs: np.ndarray) -> np.ndarray:
    """The points (n, 8, 3) of pairs (n, 2) of elements."""
    first, second = _corners(scene, kind)
    rows = np.hstack([first[pairs[:, 0]], second[pairs[:, 1]]])
    return np.concatenate([scene["start"][rows], scene["end"][rows]], axis=1)


def _candidates(folder: Path, count: int, seed: int) -> Iterator[tuple[str, str, np.ndarray]]:
    """Random pairs of elements whose boxes around the motion meet, and which are not among the labelled ones."""
    rng = np.random.default_rng(seed)
    for path in scene_paths(folder):
        scene = np.load(path)
        both = np.stack([scene["start"], scene["end"]])
        for kind in ASK:
            corners = _corners(scene, kind)
            boxes = [np.hstack([both[:, c].min(axis=(0, 2)), both[:, c].max(axis=(0, 2))]) for c in corners]
            first, second = (len(c) for c in corners)
            chosen = np.zeros(first + second, np.bool_)
            chosen[rng.choice(first, min(first, count // 10 + 1), replace=False)] = True  # each has dozens of others
            others = np.arange(first + second) >= first
            pairs = overlapping_pairs(np.concatenate(boxes), chosen, others) - [0, first]
            shared = (corners[0][pairs[:, 0]][:, :, None] == corners[1][pairs[:, 1]][:, None, :]).any(axis=(1, 2))
            labelled = scene[kind].astype(np.int64)
            known = np.isin(
                pairs @ [second, 1], np.concatenate([labelled @ [second, 1], labelled[:, ::-1] @ [second, 1]])
            )
            pairs = rng.permutation(pairs[~shared & ~known])[: count // 2]
            yield path.stem, kind, element_points(scene, kind, pairs)


def _asked(kind: str, points: np.ndarray) -> tuple[Impacts, float]:
    """The engine's answer, and microseconds of processor time a query."""
    start, end = np.ascontiguousarray(points[:, :4]), np.ascontiguousarray(points[:, 4:])
    begin = time.process_time()
    found = ASK[kind](start, end)
    return found, 1e6 * (time.process_time() - begin) / max(len(points), 1)


def _row(name: str, kind: str, points: np.ndarray) -> tuple[Row, Impacts]:
    found, _ = _asked(kind, points)
    hits, misses = (f"{_asked(kind, points[mask])[1]:.2f}" if mask.any() else "-" for mask in (found.hit, ~found.hit))
    row: Row = {"set": name, "kind": kind, "queries": len(points), "hits": int(found.hit.sum())}
    return {**row, "us a hit": hits, "us a miss": misses, **found.counters}, found


def _labelled_row(name: str, kind: str, points: np.ndarray, hit: np.ndarray) -> Row:
    row, found = _row(name, kind, points)
    return {**row, "missed": int((hit & ~found.hit).sum()), "false": int((found.hit & ~hit).sum())}


def _judged_row(name: str, kind: str, points: np.ndarray, pool: Pool) -> Row:
    row, found = _row(name, kind, points)
    chunks = ((kind == "ee", points[i : i + _CHUNK]) for i in range(0, len(points), _CHUNK))
    truth = [t for part in pool.imap(_ask_oracle, chunks) for t in part]
    wrong = {"missed": 0, "false": 0, "time wrong": 0}
    for i, moment in enumerate(truth):
        if found.hit[i] != (moment is not None):
            error = "missed" if moment else "false"
        elif moment and not _is_bound(Fraction(float(found.time[i])), *moment):
            error = "time wrong"
        else:
            continue
        wrong[error] += 1
        if sum(wrong.values()) <= _SHOWN:
            print(f"{name} {kind} {error}: {[[x.hex() for x in p] for p in points[i].tolist()]}", flush=True)
    print(f"{name} {kind}: {len(points)} asked, wrong {sum(wrong.values())}", flush=True)
    return {**row, **wrong}


def _is_bound(time_found: Fraction, low: Fraction, high: Fraction) -> bool:
    return time_found <= high and low - time_found <= _TIGHT and (time_found == 0) <= (low == 0)


def _ask_oracle(chunk: tuple[bool, np.ndarray]) -> list[tuple[Fraction, Fraction] | None]:
    edges, points = chunk
    return [first_moment(x[:4], x[4:], edges) for x in points]
