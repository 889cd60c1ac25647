"""Can a filter be made to drop a contact? Near contacts of every sort against the float32 filters of the 8-wide engine.

Blocks of eight triangles against eight that all but meet in one point (``near_contacts.py``) are compared in lanes and,
by the exact predicates, on their world coordinates. A pair that meets must be left undecided or be taken for a
crossing; one taken for a crossing must be one; boxes of pairs that meet must meet. Without slack the same filters are
wrong in thousands of cases, which shows that the attack hits.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from meshclash.geometry.triangle_pair import CROSSING
from oracles.lane_attack import Attack, attacked

from .table import Row, write_json

BLOCKS = 4000
CALLS = 64 * BLOCKS
"""Pairs of triangles in one round."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--calls", type=float, default=1e7, help="pairs of triangles, such as 1e8")
    parser.add_argument("--seed", type=int, default=1000, help="of the first round; the next has the next seed")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; 1 when a filter dropped a contact or was sure of a wrong one."""
    start = time.process_time()
    total: dict[str, int] = {}
    rounds = -(-int(options.calls) // CALLS)
    for seed in range(options.seed, options.seed + rounds):
        for name, count in _counts(attacked(seed, BLOCKS)).items():
            total[name] = total.get(name, 0) + count
        if (seed - options.seed) % 50 == 49:
            print(f"{total['pairs']:,} pairs, {total['contacts dropped']} contacts dropped", flush=True)
    report: Row = {"bench": "filters", **total, "processor seconds": time.process_time() - start}
    for name, value in report.items():
        print(f"{name}: {value:,}" if isinstance(value, int) else f"{name}: {value}")
    if options.json:
        write_json(options.json, report)
    return int(total["contacts dropped"] + total["boxes wrongly apart"] + total["wrongly sure"] > 0)


def _counts(attack: Attack) -> dict[str, int]:
    meeting, kept = attack.kinds != 0, attack.crossing | attack.undecided
    numbers = {
        "pairs": meeting.size,
        "contacts": meeting.sum(),
        "contacts dropped": (meeting & ~kept).sum(),
        "boxes wrongly apart": (meeting & ~attack.boxes).sum(),
        "sure of a crossing": attack.crossing.sum(),
        "wrongly sure": (attack.kinds[attack.crossing] != CROSSING).sum(),
        "told apart": (~kept).sum(),
        "contacts dropped without slack": (meeting & ~attack.careless).sum(),
        "wrongly sure without slack": (attack.kinds[attack.careless_crossing] != CROSSING).sum(),
    }
    return {name: int(number) for name, number in numbers.items()}
