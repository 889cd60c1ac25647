"""Does the engine say what exact arithmetic says? Triangle pairs of every hard class, then whole meshes.

Per class of pairs: how often verdict (do they share a point?) and kind differ from the oracle, the share that float64
could not decide, and how often each kind occurred, so that one can see that the class is what it says. Any difference
makes the exit status 1 and prints the pair in hexadecimal floats.

Pairs are made and judged in portions. With ``--state FILE`` a run that was stopped goes on where it was. The oracle is
``cpp/pair_oracle.cpp`` where there is a compiler, and of each portion some pairs are judged by ``oracle.py`` too.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from meshclash.geometry.triangle_pair import classify_triangle_pairs
from oracles.generators import CLASSES, make_pairs
from oracles.mesh_exactness import check_meshes
from oracles.oracle import classify_pairs

from .native import DriverUnavailable, compiled
from .native_oracle import NativeOracle
from .peers import PAIR_PEERS, compare, installed
from .table import Row, format_table, write_json
from .tally import SHOWN, Tally, TallyError

KIND_NAMES = ("apart", "crossing", "coplanar", "touching")
WRONG = ("verdict differs", "kind differs")
COUNTERS = ("pairs", *WRONG, "exact", *KIND_NAMES, "engine seconds", "oracle seconds")
LARGEST_PORTION = 50_000
JUDGED_TWICE = 200
"""Pairs of a portion that the oracle in Python judges too."""
NOT_FOR_PEERS = "wide range"  # beyond float32, and no peer claims it

Counts = dict[str, Any]

_oracles: list[NativeOracle] = []
"""That of this process, once it has been asked for."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--pairs", type=int, default=2_100_000, help="triangle pairs over all classes")
    parser.add_argument("--poses", type=int, default=200, help="poses per pair of meshes; 0 leaves the meshes out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2, help="processes that make and judge pairs")
    parser.add_argument(
        "--state", type=Path, help="keep the counters of the pairs in this file, and go on from it where it exists"
    )
    parser.add_argument(
        "--peers", action=argparse.BooleanOptionalAction, default=True, help="also ask mathutils, python-fcl and coal"
    )
    parser.add_argument("--peer-pairs", type=int, default=1000, help="pairs per class for the peers")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; 0 when nothing disagrees, 2 when the state file cannot be used."""
    per_class = -(-options.pairs // len(CLASSES))
    portion = min(per_class, LARGEST_PORTION)
    try:
        key = {"bench": "exactness", "seed": options.seed, "portion": portion, "classes": list(CLASSES)}
        tally = Tally(key, options.state)
    except TallyError as error:
        print(f"bench exactness: {error}", file=sys.stderr)
        return 2
    native = _has_native_oracle()
    report: Row = {"bench": "exactness", "seed": options.seed}
    with multiprocessing.get_context("spawn").Pool(options.workers) as pool:
        tasks = [(name, options.seed, k, portion, native) for k in range(-(-per_class // portion)) for name in CLASSES]
        _count(tally, pool.imap(_judge, tasks[tally.done :]), len(tasks))
        report["pairs"] = rows = [_row(name, tally.of(name, COUNTERS)) for name in CLASSES]
        print(format_table([*rows, _total(rows)]), *tally.notes, sep="\n", flush=True)
        wrong = tally.sum(WRONG)
        if options.peers:
            report["peers"] = _peer_rows(options.peer_pairs, options.seed)
        if options.poses:
            report["meshes"] = meshes = check_meshes(options.poses, options.seed, pool)
            print(
                f"\nwhole meshes, {options.poses} poses each, against brute force\n{format_table(meshes)}", flush=True
            )
            wrong += sum(row["poses that differ"] + row["other bytes in 2nd run"] for row in meshes)
    print(f"\n{'no disagreement' if wrong == 0 else f'{wrong} DISAGREEMENTS'}")
    if options.json:
        write_json(options.json, report)
    return 1 if wrong else 0


def _has_native_oracle() -> bool:
    try:
        compiled("pair_oracle")
    except DriverUnavailable as error:
        print(f"the oracle in Python judges alone, twenty times slower: {error}", file=sys.stderr)
        return False
    return True


def _count(tally: Tally, judged: Iterable[tuple[str, Counts, list[str]]], portions: int) -> None:
    """Add portions as they come, and say how far it is whenever the counters are written."""
    begin, before = time.monotonic(), tally.sum(("pairs",))
    for name, counts, offenders in judged:
        tally.add(name, counts, offenders)
        if tally.portion_done(last=tally.done + 1 == portions):
            pairs = tally.sum(("pairs",))
            rate = (pairs - before) / (time.monotonic() - begin)
            print(
                f"{pairs:,} pairs, {tally.sum(WRONG)} wrong, portion {tally.done} of {portions}, {rate:,.0f} a second",
                file=sys.stderr,
                flush=True,
            )


def _judge(task: tuple[str, int, int, int, bool]) -> tuple[str, Counts, list[str]]:
    """Make a portion of a class and judge it: (class, counters, pairs that differ as text)."""
    name, seed, portion, n, native = task
    a, b = make_pairs(name, n, seed, portion)
    classify_triangle_pairs(a[:1], b[:1])  # which loads the kernel
    start = time.process_time()
    kinds, exact = classify_triangle_pairs(a, b)
    engine_seconds = time.process_time() - start
    start = time.perf_counter()
    truth = _truth(a, b, native)
    oracle_seconds = time.perf_counter() - start
    verdict_differs = (kinds == 0) != (truth == 0)
    differs = np.flatnonzero(kinds != truth)
    counts: Counts = {
        "pairs": n,
        "verdict differs": int(verdict_differs.sum()),
        "kind differs": int(((kinds != truth) & ~verdict_differs).sum()),
        "exact": int(exact.sum()),
        **dict(zip(KIND_NAMES, np.bincount(truth, minlength=4).tolist(), strict=True)),
        "engine seconds": engine_seconds,
        "oracle seconds": oracle_seconds,
    }
    return name, counts, [_offender(kinds[i], truth[i], a[i], b[i]) for i in differs[:SHOWN].tolist()]


def _truth(a: np.ndarray, b: np.ndarray, native: bool) -> np.ndarray:
    """Exact kinds (n,); where both oracles judge they must agree."""
    if not native:
        return classify_pairs(a, b)
    if not _oracles:
        _oracles.append(NativeOracle())
    truth = _oracles[0].classify_pairs(a, b)
    step = max(len(a) // JUDGED_TWICE, 1)
    if not np.array_equal(truth[::step], classify_pairs(a[::step], b[::step])):
        raise AssertionError("the oracles in C++ and in Python disagree: one of them is wrong")
    return truth


def _offender(kind: int, truth: int, a: np.ndarray, b: np.ndarray) -> str:
    return f"engine {kind}, oracle {truth}\n  a {_hex(a)}\n  b {_hex(b)}"


def _hex(corners: np.ndarray) -> str:
    return str([[x.hex() for x in corner] for corner in corners.tolist()])


def _row(name: str, counts: Counts) -> Row:
    n = max(counts["pairs"], 1)
    return {
        "class": name,
        "pairs": counts["pairs"],
        "verdict differs": counts["verdict differs"],
        "kind differs": counts["kind differs"],
        "exact stage %": 100.0 * counts["exact"] / n,
        **{kind: counts[kind] for kind in KIND_NAMES},
        "engine us": counts["engine seconds"] / n * 1e6,
        "oracle us": counts["oracle seconds"] / n * 1e6,
    }


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
    peers = installed(PAIR_PEERS)
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
