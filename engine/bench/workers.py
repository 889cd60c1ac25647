"""Workers on Dask: time over their number for two made models, and what travels to them and back.

Two models of a kind of the bench `massive`, as files; the second passes through the first in some frames, all of which
are one question. Its contacts are found by `collide` in this process, by tiles in this process, and by worker processes
of this machine, each several times in turns, and compared byte by byte.

Processor time is that of the client, with the scheduler in it, and of the busiest worker: where cores are free the
larger of both is about the time of the answer. The wall clock stands beside them; other work on the machine adds to it.
The smallest of the repeats counts.

What travels is counted: the bytes of tasks and answers as Dask serialises them, and the seconds that tiles take here.
More workers than one client can feed, at 100 MB a second, are of no use: the last column says how many those are.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import numpy as np
from meshclash.massive.mesh import ClusteredMesh
from meshclash.query.collide import collide
from meshclash.traversal.contacts import Contacts
from meshclash.types.results import Progress
from tasks.contacts import ModelPair, collide_pairs
from tasks.task import Take, Task, ThisProcess

from .massive import KINDS
from .options import parse_sizes, short_size
from .table import Row, format_table, write_json

_DIFFER = "answers that differ"
_CLIENT = 100e6
"""Bytes a second that a client is said to send and take."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--sizes", type=parse_sizes, default=[1_000_000], help="triangles of the first model")
    parser.add_argument("--share", type=float, default=1 / 4, help="triangles of the second one, as a share of these")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=["part"])
    parser.add_argument("--frames", type=int, default=8)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; 1 when an answer differs."""
    timed: list[Row] = []
    sent: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for size in options.sizes:
            for kind in options.kinds:
                paths = [Path(folder) / name for name in "ab"]
                for k, count in enumerate((size, round(size * options.share))):
                    ClusteredMesh.build(KINDS[kind](count, k + 1), paths[k]).close()
                with ClusteredMesh.open(paths[0]) as a, ClusteredMesh.open(paths[1]) as b:
                    pair = ModelPair(a, b, None, _poses(a, options.frames))
                    model = {"model": f"{kind} {short_size(size)}"}
                    timed += [{**model, **row} for row in _timed(pair, options)]
                    sent.append({**model, **_sent(pair)})
    print(format_table(timed), format_table(sent), sep="\n\n")
    if options.json:
        write_json(options.json, {"bench": "workers", "timed": timed, "sent": sent})
    return int(any(row[_DIFFER] for row in timed))


def _poses(a: ClusteredMesh, frames: int) -> np.ndarray:
    """The second model passes through the first, off its middle, (frames, 4, 4)."""
    poses = np.tile(np.eye(4), (frames, 1, 1))
    poses[:, :3, 3] = np.linspace(-0.6, 0.6, frames)[:, None] * (a.bounds[1] - a.bounds[0]) * (0.5, 0.2, 0.1)
    poses[:, :3, 3] += 0.01
    return poses


def _timed(pair: ModelPair, options: argparse.Namespace) -> list[Row]:
    from tasks.dask_workers import DaskWorkers

    ways: dict[str, Callable[[], Contacts]] = {
        "collide, in this process": lambda: collide(*pair),
        "tiles, in this process": lambda: collide_pairs([pair], ThisProcess())[0],
    }
    expected = collide(*pair)
    rows: dict[str, Row] = {}

    def ask(name: str, way: Callable[[], Contacts], times: Callable[[], dict[str, float]]) -> None:
        before, client, start = times(), time.process_time(), time.perf_counter()
        found = way()
        wall, own = time.perf_counter() - start, time.process_time() - client
        busiest = max((seconds - before[key] for key, seconds in times().items()), default=0.0)
        same = (found.pairs.tobytes(), found.kinds.tobytes()) == (expected.pairs.tobytes(), expected.kinds.tobytes())
        row = rows.setdefault(name, {"client, s": own, "busiest worker, s": busiest, "wall, s": wall, _DIFFER: 0})
        for key, value in zip(list(row)[:3], (own, busiest, wall), strict=True):
            row[key] = min(row[key], value)
        row[_DIFFER] += not same

    for _ in range(options.repeats):
        for name, way in ways.items():
            ask(name, way, dict)
        for count in options.workers:
            with DaskWorkers(count=count) as workers:

                def by_workers(workers: DaskWorkers = workers) -> Contacts:
                    return collide_pairs([pair], workers)[0]

                def times(workers: DaskWorkers = workers) -> dict[str, float]:
                    found: dict[str, float] = workers.client.run(time.process_time)
                    return found

                by_workers()  # kernels are loaded, as they are in this process
                ask(f"workers: {count}", by_workers, times)
    return [{"who": name, **row} for name, row in rows.items()]


class _Counting:
    """Works off tasks here, and keeps what they and their answers are in bytes, and how long they take."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, float]] = []

    def run_steps(self, tasks: Sequence[Task], take: Take) -> Generator[Progress, None, None]:
        """As ``Workers``."""
        from tasks.dask_workers import bytes_sent

        for task in tasks:
            start = time.process_time()
            answers: list[dict] = []
            yield from ThisProcess().run_steps([task], answers.append)
            took = time.process_time() - start
            self.rows.append((bytes_sent(task.given), bytes_sent(answers[0]), took))
            take(answers[0])


def _sent(pair: ModelPair) -> Row:
    counting = _Counting()
    found = collide_pairs([pair], counting)[0]
    given, answered, seconds = (np.array(column) for column in zip(*counting.rows, strict=True))
    total = float(given.sum() + answered.sum())
    return {
        "contacts": len(found), "tiles": len(given), "ms a tile": 1e3 * float(seconds.mean()),
        "longest": 1e3 * float(seconds.max()), "bytes a task": round(float(given.mean())),
        "bytes an answer": round(float(answered.mean())), "bytes a contact": total / max(1, len(found)),
        "workers a client feeds": int(_CLIENT * float(seconds.sum()) / total),
    }  # fmt: skip
