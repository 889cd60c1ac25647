"""One massive model against another, as large as the disk allows: building both with levels, and a path in contact.

Each model is made, built, and given levels in a process of its own each, then a last process asks: processor time, and
the most memory, resident and anonymous, the latter above that of the idle engine. What lies in ``--folder`` already is
not built again. The second model is brought to the first one from outside until they touch; from there it goes to and
fro, a little apart and a little into it, sliding and turning by 0.0005 of the width from frame to frame. ``--deeper``
moves this path into the first model: frames of deep contact.

Each frame is asked for contacts (``collide``) and by ``massive_collide``, exactly and within errors. The path is asked
three times: when pages must be read and nothing is remembered, again, and for the most memory that Linux tells of.

A process that is ended from outside, as the system does where memory is short, is named with how it ended. What it had
built is kept: the same command goes on from there.
"""

from __future__ import annotations

import argparse
import multiprocessing
import signal
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from meshclash.massive.level_layout import KIND
from meshclash.massive.levels import MeshLevels
from meshclash.massive.mesh import ClusteredMesh
from meshclash.query.collide import collide, collides
from meshclash.query.massive import massive_collide
from meshclash.warming import warm_up

from .massive import KINDS, write_ply
from .options import parse_sizes, short_size
from .table import Row, format_table, write_json

_MEGABYTE = 1 << 20
_STEP, _APART, _INTO = 0.0005, 0.001, 0.003
"""Of the width of the first model: way from frame to frame, and how far the path leads apart and into it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--first", type=_model, default="scan:1M", metavar="KIND:SIZE", help=", ".join(KINDS))
    parser.add_argument("--second", type=_model, default="part:62k", metavar="KIND:SIZE")
    parser.add_argument("--folder", type=Path, required=True, help="for the files, which stay there")
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--deeper", type=float, default=0.0, help="how far the path is moved inward, of the width")
    parser.add_argument("--epsilons", type=float, nargs="*", default=[0.0, 0.0004], help="of the width")
    parser.add_argument("--memory", type=float, default=48.0, metavar="MB", help="of each open mesh and level")
    parser.add_argument("--build-memory", type=float, default=512.0, metavar="MB", help="default: 512")
    parser.add_argument("--no-levels", action="store_true", help="build none: triangles themselves are asked")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def _model(text: str) -> tuple[str, int]:
    kind, _, size = text.partition(":")
    if kind not in KINDS:
        raise argparse.ArgumentTypeError(f"{kind!r} is not one of {', '.join(KINDS)}")
    return kind, parse_sizes(size)[0]


def run(options: argparse.Namespace) -> int:
    """Run the bench."""
    options.folder.mkdir(parents=True, exist_ok=True)
    paths, built = [], []
    for seed, (kind, size) in enumerate((options.first, options.second), 1):
        path = options.folder / f"{kind}-{short_size(size)}-{seed}.mcl"
        paths.append(path)
        row: Row = {"model": f"{kind} {short_size(size)}"}
        if not path.exists():
            _alone(_made, path.with_suffix(".ply"), kind, size, seed)
            row.update(_alone(_built, path, int(options.build_memory * _MEGABYTE)))
            path.with_suffix(".ply").unlink()
        if not options.no_levels and not path.with_name(path.name + KIND.ending).exists():
            row.update(_alone(_leveled, path))
        if len(row) > 1:
            built.append(row)
            print(format_table([row]), flush=True)
    epsilons = [] if options.no_levels else options.epsilons
    asked = _alone(_asked, paths, (options.frames, options.deeper), epsilons, options.memory)
    print(format_table(asked))
    if options.json:
        write_json(options.json, {"bench": "massive-pairs", "built": built, "asked": asked})
    return 0


def _alone(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function gives in a process of its own; raises what it raises there, RuntimeError when that is lost."""
    spawning = multiprocessing.get_context("spawn")
    receiving, sending = spawning.Pipe(duplex=False)
    process = spawning.Process(target=_tell, args=(sending, function, *arguments), name=function.__name__)
    process.start()
    sending.close()  # else nobody would tell that the other end is gone
    try:
        found, error = receiving.recv()
    except EOFError:
        process.join()
        raise RuntimeError(_lost(process.name, process.exitcode)) from None
    process.join()
    if error is not None:
        raise error
    return found


def _tell(sending: Connection, function: Callable[..., Any], *arguments: Any) -> None:
    """Send what a function gives or raises."""
    try:
        told = function(*arguments), None
    except Exception as error:
        told = None, error
    sending.send(told)


def _lost(name: str, status: int | None) -> str:
    """What to say of a process that ended without an answer."""
    how = f"with exit status {status}"
    if status is not None and status < 0:
        how = f"by {signal.Signals(-status).name}"
        how += " (as the system does where memory is short)" if status == -signal.SIGKILL else ""
    return f"the process {name!r} ended {how}; what it had built is kept: the same command goes on from there"


def _made(path: Path, kind: str, size: int, seed: int) -> None:
    write_ply(path, *KINDS[kind](size, seed))


def _built(path: Path, memory: int) -> Row:
    """Build a mesh from the file of its name."""
    list(warm_up(["massive"]))
    start = time.process_time()
    mesh = ClusteredMesh.build(path.with_suffix(".ply"), path, memory=memory)
    seconds = time.process_time() - start
    with mesh:
        return {
            "triangles": mesh.triangle_count, "mesh, s": seconds, "resident, MB": _status("VmHWM") / _MEGABYTE,
            "bytes a triangle": _size(path) / mesh.triangle_count,
        }  # fmt: skip


def _leveled(path: Path) -> Row:
    list(warm_up(["massive"]))
    with ClusteredMesh.open(path) as mesh:
        start, wall = time.process_time(), time.perf_counter()
        with MeshLevels.build(mesh) as levels:
            seconds = time.process_time() - start
            return {
                "levels, s": seconds, "levels, s on the clock": time.perf_counter() - wall,
                "levels, resident MB": _status("VmHWM") / _MEGABYTE,
                "levels, bytes a triangle": _size(levels.path) / mesh.triangle_count,
            }  # fmt: skip


def _size(path: Path) -> int:
    return path.stat().st_size


def _asked(paths: list[Path], along: tuple[int, float], epsilons: list[float], memory: float) -> list[Row]:
    """The path by each question, both models open anew for each."""
    list(warm_up(["contacts", "distances", "massive"]))
    room, idle = int(memory * _MEGABYTE), _status("RssAnon")
    rows: list[Row] = []
    with ClusteredMesh.open(paths[0], room) as a, ClusteredMesh.open(paths[1], room) as b:
        width = float((a.bounds[1] - a.bounds[0]).max())
        poses = _path(a, b, width, *along)
    questions: dict[str, Callable] = {"collide": collide}
    for share in epsilons:
        questions[f"massive_collide, {100 * share:g} %"] = partial(massive_collide, epsilon=share * width, memory=room)
    for name, question in questions.items():
        with ClusteredMesh.open(paths[0], room) as a, ClusteredMesh.open(paths[1], room) as b:
            first, counts = _timed(question, a, b, poses)
            loads = [mesh.pages.loads for mesh in (a, b)]
            again, _ = _timed(question, a, b, poses)
            other = _begin_peak()
            _timed(question, a, b, poses)
            most = _status("VmHWM") - other
            rows.append({
                "question": name, "rows a frame": float(np.mean(counts)),
                "frames with any": sum(count > 0 for count in counts),
                "first, ms": 1e3 * first[0], "path, ms a frame": 1e3 * float(np.mean(first)),
                "slowest": 1e3 * max(first[1:]), "again, ms a frame": 1e3 * float(np.mean(again)),
                "slowest again": 1e3 * max(again), "anonymous, MB": (most - idle) / _MEGABYTE,
                "pages read": loads[0] + loads[1],
            })  # fmt: skip
            print(format_table(rows[-1:]), flush=True)
    return rows


def _timed(question: Callable, a: ClusteredMesh, b: ClusteredMesh, poses: np.ndarray) -> tuple[list[float], list[int]]:
    """Processor time of each frame [s], and how much was found; no answer is kept, so that none counts as memory."""
    seconds, counts = [], []
    for pose in poses:
        start = time.process_time()
        found = question(a, b, None, pose)
        seconds.append(time.process_time() - start)
        counts.append(len(found))
    return seconds, counts


def _path(a: ClusteredMesh, b: ClusteredMesh, width: float, frames: int, deeper: float) -> np.ndarray:
    """Poses (frames, 4, 4) of the second model around its first contact with the first one, along a slanted line.

    ``deeper``: how far all of them are moved inward, of the width.
    """
    middle = 0.5 * (a.bounds.sum(axis=0) - b.bounds.sum(axis=0))
    away = np.array([1.0, 0.3, 0.2]) / np.linalg.norm([1.0, 0.3, 0.2])
    aside = np.cross(away, (0.0, 0.0, 1.0))
    near, far = 0.0, 2.0 * float(np.linalg.norm(a.bounds[1] - a.bounds[0]) + np.linalg.norm(b.bounds[1] - b.bounds[0]))
    pose = np.eye(4)
    while far - near > 0.1 * _STEP * width:
        half = 0.5 * (near + far)
        pose[:3, 3] = middle + half * away
        near, far = (half, far) if collides(a, b, None, pose) else (near, half)
    poses = np.tile(np.eye(4), (frames, 1, 1))
    for k, pose in enumerate(poses):
        turn = _STEP * (k - frames // 2)
        deep = 0.5 * (_APART - _INTO - (_APART + _INTO) * np.cos(4.0 * np.pi * k / frames))
        c, s = np.cos(turn), np.sin(turn)
        pose[:3, :3] = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
        pose[:3, 3] = middle + (far + (deep - deeper) * width) * away + turn * width * aside
    return poses


def _status(name: str) -> int:
    """A number of bytes that the system tells of this process."""
    with Path("/proc/self/status").open() as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(name))


def _begin_peak() -> int:
    """Have the system count the most resident memory anew; gives the bytes of these that are not anonymous."""
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS") - _status("RssAnon")
