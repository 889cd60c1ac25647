"""Times and memory of a device against size, beside our own CPU path; and where its time goes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from meshclash.answering.exact_contacts import finished_contacts
from meshclash.gpu.breadth_first import Hits, Workspace, traverse
from meshclash.gpu.capacities import queue_bytes
from meshclash.gpu.device_engine import chunk_of_hits
from meshclash.gpu.state import DeviceFault
from meshclash.gpu.trees import Trees, build_trees, refit_trees
from meshclash.hierarchy.build import as_hierarchy, build
from meshclash.query.collide import collide
from meshclash.traversal.forest import Side as TreeSetSide
from meshclash.traversal.question import Answer, Question
from meshclash.types.mesh import TriangleMesh
from oracles.mesh_generators import MAKERS
from oracles.rigid_poses import DEEP_ANGLE, placer

from .options import short_size
from .table import Row

Side = Callable[[], Any]
SHARE = 0.4
"""Of the time that is left, what one row may spend on rounds after its second."""
ALL_PAIRS_MS, BUILD_MS, GAIN = 1.0, 1.5, 20.0
"""What is aimed at for two models of a million triangles: all pairs, their hierarchy, and all pairs against the CPU."""
_A_MILLION = (900_000, 1_100_000)
GROWTH = 1.3
"""By how much more a size may take than its triangles say."""


class Clock:
    """The time that a bench may take.

    Args:
        seconds: what may be begun must be expected to end within these.

    Attributes:
        left_out: names of what was not begun.
    """

    def __init__(self, seconds: float) -> None:
        self._start, self._seconds = time.perf_counter(), seconds
        self.left_out: list[str] = []

    @property
    def elapsed(self) -> float:
        """Seconds since the bench began."""
        return time.perf_counter() - self._start

    @property
    def left(self) -> float:
        """Seconds that are left, 0 at least."""
        return max(0.0, self._seconds - self.elapsed)

    def allows(self, name: str, seconds: float) -> bool:
        """Whether something that takes so long may be begun; otherwise its name is kept."""
        if seconds < self.left:
            return True
        self.left_out.append(name)
        return False


def deep_pose(mesh: TriangleMesh) -> np.ndarray:
    """The pose (4, 4) of a copy: box centres together, turned by 30 degrees."""
    pose: np.ndarray = placer(mesh.bounds)(DEEP_ANGLE, 0.0)
    return pose


def question(mesh: TriangleMesh, pose: np.ndarray, **options: Any) -> Question:
    """Two copies of one mesh, the second in a pose (4, 4); options as ``Question``."""
    rows = np.eye(4)[None, :3].copy(), np.ascontiguousarray(pose[None, :3])
    side = TreeSetSide([mesh])
    return Question(side, side, np.zeros((1, 2), np.int64), *rows, **options)


def contacts_of(trees: Trees, asked: Question, hits: Hits) -> Answer:
    """The contacts that a traversal on a backend found, decided and sorted."""
    chunk, counts = chunk_of_hits(trees, trees, asked, hits)
    return Answer(*finished_contacts(asked, [chunk]), *counts)


def times(sizes: list[int], kinds: list[str], backend: Any, runs: int, clock: Clock) -> Iterator[Row]:
    """A row for each size and kind that the clock allows, the first one in any case.

    Raises:
        DeviceFault: after the last row, when the queue failed in any; its time is no number then.
    """
    a_triangle = 0.0  # seconds for the least that a row takes
    faults: list[str] = []
    for size in sizes:
        for kind in kinds:
            name = f"{kind} {short_size(size)}"
            if a_triangle and not clock.allows(name, GROWTH * size * a_triangle):
                continue
            begun = time.perf_counter()
            row, round_seconds = _row(name, kind, size, backend, runs, clock, faults)
            yield row
            prepared = time.perf_counter() - begun - (row["runs"] + 1) * round_seconds
            a_triangle = (max(0.0, prepared) + 2.0 * round_seconds) / size
    if faults:
        raise DeviceFault("; ".join(faults))


def _row(
    name: str, kind: str, size: int, backend: Any, runs: int, clock: Clock, faults: list[str]
) -> tuple[Row, float]:
    """Times of one model, and the seconds of a round; what the queue says when it fails is added to the faults."""
    mesh = TriangleMesh(*MAKERS[kind](size, 1))
    pose = deep_pose(mesh)
    asked, tree, trees = question(mesh, pose), as_hierarchy(mesh), build_trees(backend, [mesh])
    by_levels, by_queue = Workspace(backend), Workspace(backend)
    answers: dict[str, Any] = {}
    on_device = backend.name != "cpu"
    threads = None if on_device else 1

    def by(traversal: Callable[..., Hits], space: Workspace) -> Side:
        def ask() -> None:
            answers["hits"] = traversal(space, trees, trees, asked)
            answers["device"] = contacts_of(trees, asked, answers["hits"])

        return ask

    def on_cpu() -> None:
        answers["cpu"] = collide(tree, tree, None, pose, threads=threads, device="cpu")

    def refitted() -> None:
        refit_trees(backend, trees, [mesh])
        backend.finish()

    def packed_trees() -> None:
        build_trees(backend, [mesh])
        backend.finish()

    def built() -> None:
        _built(backend, trees)
        backend.finish()

    sides: dict[str, Side] = {
        "upload and build": packed_trees, "build": built, "refit": refitted, "CPU build": lambda: build(mesh),
        "levels": by(traverse, by_levels), "CPU": on_cpu,
    }  # fmt: skip
    fastest, fault = "levels", ""
    if on_device:  # the host backend has no queue
        fastest, queue = "queue", by(backend.traverse_fast, by_queue)
        fault = _fault_of(queue)
        if not fault:
            sides["queue"] = queue
    seconds, done, round_seconds = in_turn(sides, runs, clock, time.perf_counter if on_device else time.process_time)
    if fault:
        faults.append(f"{name}: {fault}")
        seconds["queue"] = math.nan
    same = not fault and answers["device"].pairs.tobytes() == answers["cpu"].pairs.tobytes()
    hits, count = answers["hits"], mesh.triangle_count
    of_queue = by_queue.size if on_device else queue_bytes((hits.volume_tests, hits.leaf_pairs, len(hits.rows)))
    row = {
        "model": name, "triangles": count, "pairs": len(answers["cpu"]), "same": "yes" if same else "NO",
        **{f"{key} ms": round(1e3 * value, 3) for key, value in seconds.items()},
        f"CPU / {fastest}": round(seconds["CPU"] / seconds[fastest], 2),
        "CPU build / build": round(seconds["CPU build"] / seconds["build"], 2),
        "tree B/triangle": round(trees.size / count, 1), "levels B/triangle": round(by_levels.size / count, 1),
        "queue B/triangle": round(of_queue / count, 1), "runs": done,
    }  # fmt: skip
    return row, round_seconds


def _fault_of(side: Side) -> str:
    """What a side that fails says; the others are measured all the same."""
    try:
        side()
    except DeviceFault as fault:
        return str(fault)
    return ""


def beside_the_aims(row: Row) -> str:
    """A sentence on a row of a device for a million triangles, "" for another one."""
    if not _A_MILLION[0] <= row["triangles"] <= _A_MILLION[1]:
        return ""
    found = {
        f"all pairs {row['queue ms']} ms (aim: {ALL_PAIRS_MS})": row["queue ms"] < ALL_PAIRS_MS,
        f"hierarchy {row['build ms']} ms (aim: {BUILD_MS})": row["build ms"] < BUILD_MS,
        f"{row['CPU / queue']} times our CPU path on all cores (aim: {GAIN})": row["CPU / queue"] >= GAIN,
    }
    told = ", ".join(f"{text} {'reached' if reached else 'missed'}" for text, reached in found.items())
    return f"{row['model']}, {row['triangles']:,} triangles a side: {told}."


def in_turn(
    sides: dict[str, Side], runs: int, clock: Clock, timer: Callable[[], float]
) -> tuple[dict[str, float], int, float]:
    """Median seconds of each side, asked in turn; how many rounds after the one to warm up; wall seconds of a round.

    There is one measured round in any case, and no more than fit into a share of the time that is left.
    """
    samples: dict[str, list[float]] = {name: [] for name in sides}
    end = clock.elapsed + SHARE * clock.left
    done = 0
    while True:
        begun = time.perf_counter()
        for name, side in sides.items():
            start = timer()
            side()
            samples[name].append(timer() - start)
        round_seconds = time.perf_counter() - begun
        done += 1
        if done > runs or (done > 1 and clock.elapsed + round_seconds > end):
            break
    return {name: float(np.median(times[1:])) for name, times in samples.items()}, done - 1, round_seconds


_WHOLE = ("make_keys", "sort_keys", "link", "fit", "sum_up", "traverse_fast")
"""Methods of a device that are made of steps."""
_ONE_STEP = ("step", "start")


class _Watched:
    """A backend that waits after each step and notes the time."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend
        self.seconds: dict[str, float] = {}
        self.calls: dict[str, int] = {}

    def __getattr__(self, name: str) -> Any:
        step = getattr(self._backend, name)
        if not callable(step):
            return step
        if name in _WHOLE and self._backend.name == "cuda":
            return partial(getattr(type(self._backend), name), self)

        def watched(*arguments: Any) -> Any:
            begun = time.perf_counter()
            result = step(*arguments)
            self._backend.finish()
            own = str(arguments[0]) if name in _ONE_STEP else name
            self.seconds[own] = self.seconds.get(own, 0.0) + time.perf_counter() - begun
            self.calls[own] = self.calls.get(own, 0) + 1
            return result

        return watched


def profile(rows: list[Row], backend: Any, sizes: list[int], kind: str) -> Iterator[Row]:
    """Where the time goes, step by step, for the largest size up to a million that was timed.

    The host waits after each step: what that and a launch cost is the time of "nothing", and part of every call.
    """
    timed = [row["triangles"] for row in rows if row["triangles"] <= _A_MILLION[1]] or [min(sizes)]
    mesh = TriangleMesh(*MAKERS[kind](max(timed), 1))
    watched = _Watched(backend)
    asked, levels, queue = question(mesh, deep_pose(mesh)), Workspace(watched), Workspace(watched)
    trees = build_trees(backend, [mesh])
    one = backend.upload(np.zeros(1, np.int32))
    parts: dict[str, Side] = {
        "build": lambda: _built(watched, trees),
        "levels": lambda: traverse(levels, trees, trees, asked),
    }
    if backend.name == "cuda":  # the host backend has neither
        parts["queue"] = lambda: watched.traverse_fast(queue, trees, trees, asked)
        parts["nothing"] = lambda: watched.step("clear", 1, one)
    for part, work in parts.items():
        for _ in range(3):  # the first rounds compile and make arrays
            watched.seconds.clear()
            watched.calls.clear()
            work()
        for name, seconds in sorted(watched.seconds.items(), key=lambda item: -item[1]):
            yield {"part": part, "step": name, "calls": watched.calls[name], "us": round(1e6 * seconds, 1)}


def _built(backend: Any, trees: Any) -> None:
    """The hierarchy of trees that are on a backend, from their vertices."""
    backend.link(trees, backend.sort_keys(trees, backend.make_keys(trees)))
    backend.fit(trees)
