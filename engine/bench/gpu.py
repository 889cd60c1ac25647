"""A CUDA device against our own CPU path: are answers the same, how long do they take, and what memory?

With a device: every level of the reproducible mode equals the host's, element by element, on every small model; both
modes give the bytes of ``collide`` on every model; the same for many points against a mesh and a cloud, for distances,
clearances and pairs of objects; then times and memory against size. Without one the reason is printed, and the host,
the same algorithm on the CPU, is checked and measured in its place.

Two copies of a model, box centres together, one turned by 30 degrees (``rigid_poses``). Wall time, median of the runs,
sides in turn after a warm-up: the device waits for its answer, the CPU uses all cores, and trees are there. (The
host and the CPU beside it: processor time of one core.) A dated table is written, part by part. What would not fit into
the time is left out, and named; a part that fails is named, too, and the others go on.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
from meshclash.gpu import device as gpu_device
from meshclash.gpu.breadth_first import Workspace, traverse
from meshclash.gpu.state import DeviceState
from meshclash.gpu.trees import Trees, build_trees
from meshclash.query.collide import collide
from meshclash.traversal.question import Question
from meshclash.types.mesh import TriangleMesh
from oracles.device_model.backend import HostBackend
from oracles.mesh_files import read_mesh
from oracles.mesh_generators import MAKERS

from . import device_near, device_points, device_times
from .device_times import Clock, contacts_of, deep_pose, question
from .options import among, parse_sizes, short_size
from .table import Row, format_markdown, write_json

SIZES = "10k,30k,100k,300k,1M,3M,10M"
POINTS = "10k,100k,1M"
COMPARED_TO = 200_000
"""Largest model whose levels are compared one by one."""
A_CHECKED_TRIANGLE = 5e-5
"""Seconds that checking is expected to take for each triangle of a model, and a few more for the model."""
BEFORE_TIMES, WITH_TIMES = 0.5, 0.9
"""Shares of the time within which checks and points are begun, and sizes."""
STOPPED_AFTER = 460.0
"""Seconds after which what has been begun is stopped, whatever it is; what was found until then is written."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL", help=".npz, .obj, .ply or .stl, checked too")
    parser.add_argument("--sizes", type=parse_sizes, default=parse_sizes(SIZES), help=f"triangles, such as {SIZES}")
    parser.add_argument("--points", type=parse_sizes, default=parse_sizes(POINTS), help=f"of scans, such as {POINTS}")
    parser.add_argument("--kinds", type=among(MAKERS), default=["bumpy"], help=f"of {','.join(MAKERS)}")
    parser.add_argument("--checked", type=int, default=20_000, help="triangles of the made models that are checked")
    parser.add_argument("--runs", type=int, default=7, help="repetitions after a warm-up; the median is shown")
    parser.add_argument("--seconds", type=float, default=420.0, help="nothing is begun that might take longer")
    parser.add_argument("--output", type=Path, help="the table (default gpu-DATE.md)")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; 1 when any answer differs or a part fails."""
    before, clock = Clock(BEFORE_TIMES * options.seconds), Clock(WITH_TIMES * options.seconds)
    state = gpu_device.device_state()
    path = options.output or Path(f"gpu-{datetime.date.today().isoformat()}.md")
    report = _Report(_heading(state), path, max(STOPPED_AFTER, 1.1 * options.seconds))
    backend = gpu_device.make_backend(None) if state.usable else HostBackend()
    if state.usable:
        report.part("compiling", lambda: _compile(backend))
    checks = [
        row
        for name, mesh in _checked_models(options)
        if before.allows(f"checks of {name}", A_CHECKED_TRIANGLE * mesh.triangle_count + 5.0)
        for row in report.part(f"checks of {name}", partial(_check, name, mesh, backend, state.usable), show=False)
    ]
    report.add(checks)
    points: list[Row] = []
    if state.usable:
        points = report.part("points", lambda: device_points.times(options.points, options.runs, before))
    near = report.part("what is near", lambda: device_near.times(options.sizes, backend, options.runs, before))
    rows = report.part(
        "times", lambda: device_times.times(options.sizes, options.kinds, backend, options.runs, clock)
    )  # fmt: skip
    steps = report.part("profile", lambda: device_times.profile(rows, backend, options.sizes, options.kinds[0]))
    report.say(f"Left out for lack of time: {', '.join(before.left_out + clock.left_out) or 'nothing'}.")
    if state.usable:
        for told in filter(None, map(device_times.beside_the_aims, rows)):
            report.say(told)
        report.say(f"Most memory that was used on the device: {backend.most_used / 1e6:.0f} MB.")
        gains = [(2 * row["triangles"], row["CPU / queue"]) for row in rows]
        report.say(_crossover("crossover", "triangles of both sides", gains))
        gains = [(row["points"], row["CPU / device"]) for row in points]
        report.say(_crossover("point_crossover", "points", gains))
        for setting, what in device_near.COUNTED.items():
            report.say(_crossover(setting, what, device_near.gains(near, setting)))
    print(f"wrote {report.path} after {clock.elapsed:.0f} s", flush=True)
    if options.json:
        figures = {
            "bench": "gpu",
            "state": state._asdict(),
            "checks": checks,
            "points": points,
            "near": near,
            "times": rows,
            "profile": steps,
        }
        write_json(options.json, figures)
    return int(report.failed or any("NO" in row.values() for row in checks + points + near + rows))


class _Report:
    """Paragraphs and tables, printed and written as they come.

    Args:
        heading: the first paragraph.
        path: the file.
        seconds: after which parts are stopped.

    Attributes:
        path: the file.
        failed: whether any part failed.
    """

    def __init__(self, heading: str, path: Path, seconds: float) -> None:
        self.path, self.failed = path, False
        self._clock = Clock(seconds)
        self._text = ""
        self.say(heading)

    def say(self, paragraph: str) -> None:
        """A paragraph."""
        print(paragraph + "\n", flush=True)
        self._text += ("\n" if self._text else "") + paragraph + "\n"
        self.path.write_text(self._text, encoding="utf-8")

    def add(self, rows: list[Row]) -> None:
        """A table, unless it is empty."""
        if rows:
            self.say(format_markdown(rows))

    def part(self, name: str, work: Callable[[], Iterable[Row]], show: bool = True) -> list[Row]:
        """The rows of a part, shown; those before it fails, which is told: time on a device is dear, others go on."""
        rows: list[Row] = []
        try:
            with warnings.catch_warnings(), _no_longer_than(self._clock.left):
                warnings.filterwarnings("error", message=".*the CPU was used instead", category=RuntimeWarning)
                rows.extend(work())
        except Exception as error:
            self.failed = True
            traceback.print_exc()
            self.say(f"FAILED: {name}: {type(error).__name__}: {' '.join(str(error).split())}")
        if show:
            self.add(rows)
        return rows


@contextmanager
def _no_longer_than(seconds: float) -> Iterator[None]:
    """Raises TimeoutError in what takes longer, where the system can interrupt (not on Windows)."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise TimeoutError("stopped: the time is over")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _compile(backend: Any) -> list[Row]:
    """Compiles all kernels, or loads them from the cache."""
    seconds = {}
    kernels = backend.missing_kernels()
    for name, kernel in kernels.items():
        begun = time.perf_counter()
        kernel.prepare()
        seconds[name] = time.perf_counter() - begun
    longest = max(seconds.values(), default=0.0)
    return [
        {
            "kernels compiled": len(seconds), "seconds": round(sum(seconds.values()), 2), "longest": round(longest, 2),
            "launched directly": sum(kernel.direct for kernel in kernels.values()),
        }
    ]  # fmt: skip


def _heading(state: DeviceState) -> str:
    """What was measured, where and when."""
    if state.usable:
        capability = ".".join(map(str, state.capability))
        what = f"{state.name}, compute capability {capability}, {state.memory / 1e9:.0f} GB; {state.versions}"
    else:
        what = f"No GPU: {state.reason}. The columns of the device are those of the host, processor time"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}, Numba {numba.__version__}"
    return (
        f"# Breadth-first detection, {datetime.date.today().isoformat()}\n\n"
        f"`python -m bench gpu`. {what}. Host: {platform.machine()}, {cores} cores, {versions}."
    )


def _checked_models(options: argparse.Namespace) -> Iterator[tuple[str, TriangleMesh]]:
    for path in options.models:
        yield path.stem, TriangleMesh(*read_mesh(path))
    for kind in MAKERS:
        yield f"{kind} {short_size(options.checked)}", TriangleMesh(*MAKERS[kind](options.checked, 1))


def _check(name: str, mesh: TriangleMesh, backend: Any, has_device: bool) -> list[Row]:
    """Whether levels and answers for one model are the same as the host backend's and as those of ``collide``."""
    pose = deep_pose(mesh)
    asked = question(mesh, pose)
    expected = collide(mesh, mesh, None, pose, device="cpu")
    trees, space = build_trees(backend, [mesh]), Workspace(backend)
    levels: list[np.ndarray] = []
    observe = (lambda _, pairs: levels.append(pairs)) if mesh.triangle_count <= COMPARED_TO else None
    by_levels = traverse(space, trees, trees, asked, observe)
    row = {
        "model": name, "triangles": mesh.triangle_count, "pairs": len(expected), "levels": by_levels.levels,
        "levels as the host's": "not compared",
    }  # fmt: skip
    if has_device and observe is not None:
        row["levels as the host's"] = _word(_levels_equal(levels, trees, mesh, asked, backend))
    for column, hits in (("by levels", by_levels), ("by queue", backend.traverse_fast(space, trees, trees, asked))):
        answer = contacts_of(trees, asked, hits)
        row[f"{column} as collide"] = _word(
            answer.pairs.tobytes() == expected.pairs.tobytes() and answer.kinds.tobytes() == expected.kinds.tobytes()
        )
    return [row]


def _levels_equal(levels: list[np.ndarray], trees: Trees, mesh: TriangleMesh, asked: Question, backend: Any) -> bool:
    host = HostBackend()
    expected = build_trees(host, [mesh])
    for key in ("links", "order", "boxes"):
        if not np.array_equal(backend.download(getattr(trees, key)), getattr(expected, key)):
            return False
    of_host: list[np.ndarray] = []
    traverse(Workspace(host), expected, expected, asked, lambda _, pairs: of_host.append(pairs))
    return len(levels) == len(of_host) and all(map(np.array_equal, levels, of_host))


def _word(same: bool) -> str:
    return "yes" if same else "NO"


def _crossover(setting: str, what: str, gains: list[tuple[int, float]]) -> str:
    """From which size on the device wins, as ``configure_device`` takes it; ``gains``: sizes and CPU over device."""
    losing = max((size for size, gain in gains if gain <= 1.0), default=0)
    good = [size for size, gain in gains if gain > 1.0 and size > losing]
    if not good:
        return f"{setting}: the device won at no size up to the largest."
    return f"{setting}: the device wins from {min(good):,} {what} on: mc.configure_device({setting}={min(good)})."
