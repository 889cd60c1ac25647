"""Does the engine say what exact arithmetic says? Triangle pairs of every hard class, then whole meshes.

Per class of pairs: how often verdict (do they share a point?) and kind differ from the oracle, the share that float64
could not decide, and how often each kind occurred, so that one can see that the class is what it says. Any difference
makes the exit status 1 and prints the pair in hexadecimal floats.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Iterable
from multiprocessing.pool import Pool
from pathlib import Path

import numpy as np

from ..geometry.triangle_pair import classify_triangle_pairs
from .generators import CLASSES
from .mesh_exactness import check_meshes
from .oracle import classify_pairs
from .peers import compare, load_peers
from .table import Row, format_table, write_json

KIND_NAMES = ("apart", "crossing", "coplanar", "touching")
CHUNK = 5000
SHOWN_OFFENDERS = 3
NOT_FOR_PEERS = "wide range"  # beyond float32, and no peer claims it


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--pairs", type=int, default=2_100_000, help="triangle pairs over all classes")
    parser.add_argument("--poses", type=int, default=200, help="poses per pair of meshes; 0 leaves the meshes out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2, help="processes that run the oracle")
    parser.add_argument(
        "--peers", action=argparse.BooleanOptionalAction, default=True, help="also ask mathutils, python-fcl and coal"
    )
    parser.add_argument("--peer-pairs", type=int, default=1000, help="pairs per class for the peers")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; 0 when nothing disagrees."""
    per_class = -(-options.pairs // len(CLASSES))
    warm = np.zeros((1, 3, 3))
    classify_triangle_pairs(warm, warm)
    report: Row = {"bench": "exactness", "seed": options.seed}
    with multiprocessing.get_context("spawn").Pool(options.workers) as pool:
        report["pairs"] = rows = [_class_row(name, per_class, options.seed, pool) for name in CLASSES]
        print(format_table([*rows, _total(rows)]), flush=True)
        wrong = sum(row["verdict differs"] + row["kind differs"] for row in rows)
        if options.peers:
            report["peers"] = _peer_rows(options.peer_pairs, options.seed)
        if options.poses:
            report["meshes"] = meshes = check_meshes(options.poses, options.seed, pool)
            wrong += sum(row["poses that differ"] + row["other bytes in 2nd run"] for row in meshes)
    print(f"\n{'no disagreement' if wrong == 0 else f'{wrong} DISAGREEMENTS'}")
    if options.json:
        write_json(options.json, report)
    return 1 if wrong else 0


def make_pairs(name: str, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """n pairs of a class; the same ones for the same seed, whatever other classes there are."""
    return CLASSES[name](np.random.default_rng([seed, *name.encode()]), n)


def _class_row(name: str, n: int, seed: int, pool: Pool) -> Row:
    a, b = make_pairs(name, n, seed)
    start = time.perf_counter()
    kinds, exact = classify_triangle_pairs(a, b)
    engine_seconds = time.perf_counter() - start
    truth, oracle_seconds = _ask_oracle(a, b, pool)
    verdict_differs = (kinds == 0) != (truth == 0)
    kind_differs = (kinds != truth) & ~verdict_differs
    offenders = np.flatnonzero(kinds != truth)
    for i in offenders[:SHOWN_OFFENDERS].tolist():
        print(f"{name}: engine {kinds[i]}, oracle {truth[i]}\n  a {_hex(a[i])}\n  b {_hex(b[i])}", flush=True)
    return {
        "class": name,
        "pairs": n,
        "verdict differs": int(verdict_differs.sum()),
        "kind differs": int(kind_differs.sum()),
        "exact stage %": float(exact.mean() * 100),
        **dict(zip(KIND_NAMES, np.bincount(truth, minlength=4).tolist(), strict=True)),
        "engine us": engine_seconds / n * 1e6,
        "oracle us": oracle_seconds / n * 1e6,
    }


def _ask_oracle(a: np.ndarray, b: np.ndarray, pool: Pool) -> tuple[np.ndarray, float]:
    """Kinds (n,) and the seconds that the workers spent on them."""
    chunks = ((a[i : i + CHUNK], b[i : i + CHUNK]) for i in range(0, len(a), CHUNK))
    kinds, seconds = zip(*pool.imap(_timed_oracle, chunks), strict=True)
    return np.concatenate(kinds), sum(seconds)


def _timed_oracle(chunk: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, float]:
    start = time.process_time()
    return classify_pairs(*chunk), time.process_time() - start


def _hex(corners: np.ndarray) -> str:
    return str([[x.hex() for x in corner] for corner in corners.tolist()])


def _total(rows: Iterable[Row]) -> Row:
    rows = list(rows)
    total: Row = {"class": "all", "pairs": sum(row["pairs"] for row in rows)}
    for name in rows[0]:
        if name in ("verdict differs", "kind differs", *KIND_NAMES):
            total[name] = sum(row[name] for row in rows)
        elif name not in total:
            total[name] = sum(row[name] * row["pairs"] for row in rows) / total["pairs"]
    return total


def _peer_rows(n: int, seed: int) -> list[Row]:
    """Wrong answers per class and peer, verdict only, on the first pairs of the same classes."""
    peers, missing = load_peers()
    print("\n" + "\n".join(missing or ["all peers imported"]))
    if not peers:
        return []
    print(f"wrong answers of {', '.join(f'{p.name} {p.version}' for p in peers)} on {n} pairs per class: false/missed")
    print("(mathutils stores float32 and is judged on the rounded coordinates)")
    rows = []
    for name in (name for name in CLASSES if name != NOT_FOR_PEERS):
        a, b = make_pairs(name, n, seed)
        answers = {peer.name: compare(peer, a, b) for peer in peers}
        texts = {peer: f"{found['false']}/{found['missed']}" for peer, found in answers.items()}
        rows.append({"class": name, "pairs": n, **texts})
    print(format_table(rows), flush=True)
    return rows
