"""A CUDA device against our own CPU path: are answers the same, how long do they take, and what memory?

With a device: every level of the reproducible mode equals the twin's, element by element, on every small model; both
modes give the bytes of ``collide`` on every model; then times and memory against size. Without one the reason is
printed, and the twin, the same algorithm on the CPU, is checked and measured in its place.

Two copies of a model, box centres together, one turned by 30 degrees (``rigid_poses``). Wall time, median of the runs,
sides in turn after a warm-up: the device waits for its answer, the CPU uses all cores, and trees are there already. A
dated table is written. Sizes that would not fit into the time are left out, and named.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np

from ..gpu import device as gpu_device
from ..gpu.breadth_first import Workspace, traverse
from ..gpu.finish import finish
from ..gpu.jobs import Asked
from ..gpu.state import DeviceState
from ..gpu.trees import Trees, plant_trees, refit_trees
from ..gpu.twin import Twin
from ..hierarchy.build import as_hierarchy, build
from ..jit import thread_limit
from ..query.collide import collide
from ..types.mesh import TriangleMesh
from .mesh_files import read_mesh
from .mesh_generators import MAKERS
from .options import among, parse_sizes, short_size
from .rigid_poses import DEEP_ANGLE, placer
from .table import Row, format_markdown, write_json

SIZES = "10k,100k,1M,10M"
COMPARED_TO = 200_000
"""Largest model whose levels are compared one by one."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL", help=".npz, .obj, .ply or .stl, checked too")
    parser.add_argument("--sizes", type=parse_sizes, default=parse_sizes(SIZES), help=f"such as {SIZES}")
    parser.add_argument("--kinds", type=among(MAKERS), default=["bumpy"], help=f"of {','.join(MAKERS)}")
    parser.add_argument("--checked", type=int, default=20_000, help="triangles of the made models that are checked")
    parser.add_argument("--runs", type=int, default=7, help="repetitions after a warm-up; the median is shown")
    parser.add_argument("--seconds", type=float, default=420.0, help="no larger size is begun that might take longer")
    parser.add_argument("--output", type=Path, help="the table (default gpu-DATE.md)")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; 1 when any answer differs."""
    start = time.perf_counter()
    state = gpu_device.device_state()
    machine = gpu_device.make_machine(None) if state.usable else Twin(thread_limit(None))
    lines = _heading(state)
    print("\n".join(lines), flush=True)
    checks = [_check(name, mesh, machine, state.usable) for name, mesh in _checked_models(options)]
    print(f"\n{format_markdown(checks)}", flush=True)
    rows, left_out = _times(options, machine, start)
    print(f"\n{format_markdown(rows)}", flush=True)
    profile = _profile(rows, machine, options)
    closing = [*([f"Left out for lack of time: {', '.join(left_out)}."] if left_out else []), _crossover(rows, state)]
    tables = [format_markdown(checks), format_markdown(rows), format_markdown(profile), *closing]
    print("\n" + "\n\n".join(tables[2:]), flush=True)
    output = options.output or Path(f"gpu-{datetime.date.today().isoformat()}.md")
    output.write_text("\n".join(lines) + "\n\n" + "\n\n".join(tables) + "\n", encoding="utf-8")
    print(f"\nwrote {output} after {time.perf_counter() - start:.0f} s", flush=True)
    if options.json:
        write_json(options.json, {"bench": "gpu", "state": state._asdict(), "checks": checks, "times": rows})
    return int(any("NO" in row.values() for row in checks + rows))


def _heading(state: DeviceState) -> list[str]:
    """What was measured, where and when."""
    if state.usable:
        capability = ".".join(map(str, state.capability))
        what = f"{state.name}, compute capability {capability}, {state.memory / 1e9:.0f} GB; {state.versions}"
    else:
        what = f"No GPU: {state.reason}. The columns of the device are those of its twin on the CPU"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}, Numba {numba.__version__}"
    return [
        f"# Breadth-first detection, {datetime.date.today().isoformat()}", "",
        f"`python -m meshclash.bench gpu`. {what}. Host: {platform.machine()}, {cores} cores, {versions}.",
    ]  # fmt: skip


def _checked_models(options: argparse.Namespace) -> Iterator[tuple[str, TriangleMesh]]:
    for path in options.models:
        yield path.stem, TriangleMesh(*read_mesh(path))
    for kind in MAKERS:
        yield f"{kind} {short_size(options.checked)}", TriangleMesh(*MAKERS[kind](options.checked, 1))


def _deep(mesh: TriangleMesh) -> np.ndarray:
    return placer(mesh.bounds)(DEEP_ANGLE, 0.0)


def _asked(pose: np.ndarray, **flags: bool) -> Asked:
    rows = np.eye(4)[None, :3].copy(), np.ascontiguousarray(pose[None, :3])
    return Asked(np.zeros((1, 2), np.int64), *rows, **flags)


def _check(name: str, mesh: TriangleMesh, machine: Any, has_device: bool) -> Row:
    """Whether levels and answers for one model are the same as the twin's and as those of ``collide``."""
    pose = _deep(mesh)
    asked = _asked(pose)
    expected = collide(mesh, mesh, None, pose, device="cpu")
    trees, space = plant_trees(machine, [mesh]), Workspace(machine)
    levels: list[np.ndarray] = []
    observe = (lambda _, pairs: levels.append(pairs)) if mesh.triangle_count <= COMPARED_TO else None
    by_levels = traverse(space, trees, trees, asked, observe)
    row = {
        "model": name, "triangles": mesh.triangle_count, "pairs": len(expected), "levels": by_levels.levels,
        "levels as the twin's": "not compared",
    }  # fmt: skip
    if has_device and observe is not None:
        row["levels as the twin's"] = _word(_levels_equal(levels, trees, mesh, asked, machine))
    for column, hits in (("by levels", by_levels), ("by queue", machine.traverse_fast(space, trees, trees, asked))):
        answer = finish(trees, trees, asked, hits, 1)
        row[f"{column} as collide"] = _word(
            answer.pairs.tobytes() == expected.pairs.tobytes() and answer.kinds.tobytes() == expected.kinds.tobytes()
        )
    return row


def _levels_equal(levels: list[np.ndarray], trees: Trees, mesh: TriangleMesh, asked: Asked, machine: Any) -> bool:
    twin = Twin()
    expected = plant_trees(twin, [mesh])
    for key in ("links", "order", "boxes"):
        if not np.array_equal(machine.download(getattr(trees, key)), getattr(expected, key)):
            return False
    of_twin: list[np.ndarray] = []
    traverse(Workspace(twin), expected, expected, asked, lambda _, pairs: of_twin.append(pairs))
    return len(levels) == len(of_twin) and all(map(np.array_equal, levels, of_twin))


def _word(same: bool) -> str:
    return "yes" if same else "NO"


def _times(options: argparse.Namespace, machine: Any, start: float) -> tuple[list[Row], list[str]]:
    rows: list[Row] = []
    left_out = []
    spent = 0.0
    for size in options.sizes:
        name = short_size(size)
        # A size ten times larger takes about ten times as long.
        if rows and time.perf_counter() - start + 12.0 * spent > options.seconds:
            left_out.append(name)
            continue
        begun = time.perf_counter()
        rows += [_time_one(f"{kind} {name}", kind, size, machine, options.runs) for kind in options.kinds]
        spent = time.perf_counter() - begun
    return rows, left_out


def _time_one(name: str, kind: str, size: int, machine: Any, runs: int) -> Row:
    """Times of one model, device and CPU in turn."""
    mesh = TriangleMesh(*MAKERS[kind](size, 1))
    pose = _deep(mesh)
    asked, space = _asked(pose), Workspace(machine)
    trees = plant_trees(machine, [mesh])
    tree = as_hierarchy(mesh)
    answers: dict[str, Any] = {}

    def by(traversal: Callable[..., Any]) -> Callable[[], None]:
        def ask() -> None:
            hits = traversal(space, trees, trees, asked)
            answers["device"] = finish(trees, trees, asked, hits, 1)

        return ask

    def on_cpu() -> None:
        answers["cpu"] = collide(tree, tree, None, pose, device="cpu")

    def refitted() -> None:
        refit_trees(machine, trees, [mesh])
        machine.finish()

    def planted() -> None:
        plant_trees(machine, [mesh])
        machine.finish()

    def built() -> None:
        machine.link(trees, machine.sort_keys(trees, machine.make_keys(trees)))
        machine.fit(trees)
        machine.finish()

    seconds = _in_turn(
        {
            "upload and build": planted,
            "build": built, "refit": refitted, "CPU build": lambda: build(mesh), "queue": by(machine.traverse_fast),
            "levels": by(traverse), "CPU": on_cpu,
        },
        runs,
    )  # fmt: skip
    same = answers["device"].pairs.tobytes() == answers["cpu"].pairs.tobytes()
    return {
        "model": name, "triangles": mesh.triangle_count, "pairs": len(answers["cpu"]), "same": _word(same),
        **{f"{key} ms": round(1e3 * value, 3) for key, value in seconds.items()},
        "CPU / queue": round(seconds["CPU"] / seconds["queue"], 2),
        "CPU build / build": round(seconds["CPU build"] / seconds["build"], 2),
        "tree B/triangle": round(trees.size / mesh.triangle_count, 1),
        "buffers B/triangle": round(space.size / mesh.triangle_count, 1),
    }  # fmt: skip


def _in_turn(sides: dict[str, Callable[[], Any]], runs: int) -> dict[str, float]:
    """Median seconds of wall time of each side, asked in turn after one round to warm up."""
    samples: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(runs + 1):
        for name, side in sides.items():
            begun = time.perf_counter()
            side()
            if number:
                samples[name].append(time.perf_counter() - begun)
    return {name: float(np.median(times)) for name, times in samples.items()}


class _Watched:
    """A machine that waits after each step and notes the time."""

    def __init__(self, machine: Any) -> None:
        self._machine = machine
        self.seconds: dict[str, float] = {}
        self.calls: dict[str, int] = {}

    def __getattr__(self, name: str) -> Any:
        step = getattr(self._machine, name)
        if not callable(step):
            return step

        def watched(*arguments: Any) -> Any:
            begun = time.perf_counter()
            result = step(*arguments)
            self._machine.finish()
            own = str(arguments[0]) if name == "step" else name
            self.seconds[own] = self.seconds.get(own, 0.0) + time.perf_counter() - begun
            self.calls[own] = self.calls.get(own, 0) + 1
            return result

        return watched


def _profile(rows: list[Row], machine: Any, options: argparse.Namespace) -> list[Row]:
    """Where the time goes, step by step, for the largest size up to a million that was timed."""
    sizes = [row["triangles"] for row in rows if row["triangles"] <= 1_100_000] or [min(options.sizes)]
    mesh = TriangleMesh(*MAKERS[options.kinds[0]](max(sizes), 1))
    watched = _Watched(machine)
    asked, space = _asked(_deep(mesh)), Workspace(watched)
    for _ in range(2):  # the first round compiles and makes arrays
        watched.seconds.clear()
        watched.calls.clear()
        trees = plant_trees(watched, [mesh])
        traverse(space, trees, trees, asked)
    return [
        {"step": name, "calls": watched.calls[name], "ms": round(1e3 * seconds, 3)}
        for name, seconds in sorted(watched.seconds.items(), key=lambda item: -item[1])
    ]


def _crossover(rows: list[Row], state: DeviceState) -> str:
    """From which size on the device wins, as ``configure_device`` takes it."""
    if not state.usable:
        return "A crossover can be told with a device only."
    winning = [2 * row["triangles"] for row in rows if row["CPU / queue"] > 1.0]
    losing = [2 * row["triangles"] for row in rows if row["CPU / queue"] <= 1.0]
    good = [total for total in winning if not losing or total > max(losing)]
    if not good:
        return "The device won at no size up to the largest."
    return (
        f"The device wins from {min(good):,} triangles of both sides on: mc.configure_device(crossover={min(good)}), "
        f"or the variable {gpu_device.variable_of('crossover')}."
    )
