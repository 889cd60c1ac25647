"""Clustered meshes: what a build takes, and what frames take beside the same meshes in memory, with the same answers.

Two made models of a kind (a scan, a machined part, pipes), the second smaller, are written as PLY files of float32 and
built in a process of their own: processor time, the most anonymous memory above that of the idle engine, bytes a
triangle. Then the second moves through the first along a line, turning a little in every frame. Out of core the first
frames load their pages (cold) and the same frames are asked again (warm); in memory the hierarchies are built before.
Every frame's pairs and kinds are compared byte by byte.

With ``--levels`` also levels of detail are built, and ``massive_collide`` asked for several epsilons in frames that lie
near each other: each for itself, and with what was remembered. Its exact form must be the answer of ``collide``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from meshclash.hierarchy.build import build
from meshclash.massive.levels import MeshLevels
from meshclash.massive.mesh import ClusteredMesh
from meshclash.query.collide import collide, collides
from meshclash.query.massive_collide import massive_collide
from meshclash.query.solvers.levels_of_detail import forget
from meshclash.types.mesh import TriangleMesh
from oracles.mesh_files import write_ply
from oracles.mesh_generators import MAKERS, Mesh
from oracles.pipes import pipes

from .options import parse_sizes, short_size
from .table import Row, format_table, write_json

KINDS = {"scan": MAKERS["scan"], "part": MAKERS["part"], "pipes": pipes}
EPSILONS = (0.0, 0.0004, 0.002, 0.01)
"""Of the width of the first model."""
_NEAR_WAY, _BESIDE = 0.01, 0.4
"""Of the frames for levels: half their way in half boxes, and how far the second model is from the middle, in boxes."""
_MEGABYTE = 1 << 20
_BUILDING = """
import json, sys, time
import meshclash as mc
def anonymous():
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon"))
    except (OSError, StopIteration):
        return 0
source, path, memory = sys.argv[1:]
list(mc.warm_up(["contacts", "massive"]))
idle, most, start = anonymous(), 0, time.process_time()
for _ in mc.steps(mc.massive.ClusteredMesh.build, source, path, memory=int(memory)):
    most = max(most, anonymous())
print(json.dumps([time.process_time() - start, max(0, most - idle)]))
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--sizes", type=parse_sizes, default=[1_000_000], help="triangles of the first model")
    parser.add_argument("--share", type=float, default=1 / 16, help="triangles of the second one, as a share of these")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--frames", type=int, default=20)
    parser.add_argument(
        "--way", type=float, default=1.2, help="half the way of all frames, in half boxes; less: nearer"
    )
    parser.add_argument("--memory", type=float, default=64.0, metavar="MB", help="of each open mesh (default: 64)")
    parser.add_argument("--build-memory", type=float, default=512.0, metavar="MB", help="default: 512")
    parser.add_argument("--levels", action="store_true", help="build levels of detail, and ask them")
    parser.add_argument("--folder", type=Path, help="for the files (default: a temporary one)")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; 1 when an answer differs, or more memory is taken than was given."""
    built: list[Row] = []
    asked: list[Row] = []
    leveled: list[Row] = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for size in options.sizes:
            for kind in options.kinds:
                name = f"{kind} {short_size(size)}"
                models = [KINDS[kind](count, k + 1) for k, count in enumerate((size, round(size * options.share)))]
                paths = [Path(folder) / f"{k}.mcl" for k in range(2)]
                built.append({"model": name, **_built(models[0], paths[0], options.build_memory)})
                _built(models[1], paths[1], options.build_memory)
                asked.append({"model": name, **_asked(models, paths, options)})
                if options.levels:
                    leveled += [{"model": name, **row} for row in _leveled(models[0], paths, options)]
    tables = [table for table in (built, asked, leveled) if table]
    print(*map(format_table, tables), sep="\n\n")
    if options.json:
        write_json(options.json, {"bench": "massive", "built": built, "asked": asked, "levels": leveled})
    differ = any(row["frames that differ"] for row in [*asked, *leveled])
    return int(differ or any(row["MB of pages"] > options.memory for row in asked))


def _built(model: Mesh, path: Path, memory: float) -> Row:
    """Build one model in a process of its own."""
    source = path.with_suffix(".ply")
    write_ply(source, *model)
    arguments = [str(source), str(path), str(int(memory * _MEGABYTE))]
    done = subprocess.run([sys.executable, "-c", _BUILDING, *arguments], capture_output=True, text=True, check=True)
    seconds, most = json.loads(done.stdout.splitlines()[-1])
    count = len(model[1])
    row = {
        "triangles": count, "file, bytes a triangle": path.stat().st_size / count,
        "source": source.stat().st_size / count,
        "build, s": seconds, "million a second": count / seconds / 1e6, "MB": round(most / _MEGABYTE),
    }  # fmt: skip
    source.unlink()
    return row


def _poses(model: Mesh, frames: int, way: float) -> np.ndarray:
    """The second model goes through the first one's box from side to side, turning: (frames, 4, 4)."""
    low, high = model[0].min(axis=0), model[0].max(axis=0)
    poses = np.tile(np.eye(4), (frames, 1, 1))
    for pose, t in zip(poses, np.linspace(-way, way, frames), strict=True):
        c, s = np.cos(t), np.sin(t)
        pose[:3, :3] = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
        pose[:3, 3] = 0.5 * t * (high - low) * (1.0, 0.2, 0.1)
    return poses


def _asked(models: list[Mesh], paths: list[Path], options: argparse.Namespace) -> Row:
    poses = _poses(models[0], options.frames, options.way)
    a, b = (ClusteredMesh.open(path, int(options.memory * _MEGABYTE)) for path in paths)
    with a, b:
        cold, found = _timed(collide, a, b, poses)
        warm, _ = _timed(collide, a, b, poses)
        whether, _ = _timed(collides, a, b, poses)
        pages = max(a.pages.most_bytes, b.pages.most_bytes)
        loads = a.pages.loads + b.pages.loads
    first, second = (build(TriangleMesh(*model)) for model in models)
    _timed(collide, first, second, poses)
    memory, expected = _timed(collide, first, second, poses)
    differ = sum(f.pairs.tobytes() != e.pairs.tobytes() or f.kinds.tobytes() != e.kinds.tobytes()
                 for f, e in zip(found, expected, strict=True))  # fmt: skip
    each = 1e3 / len(poses)
    return {
        "pairs a frame": sum(map(len, expected)) / len(poses), "cold, ms": each * cold, "warm, ms": each * warm,
        "in memory, ms": each * memory, "first contact, ms": each * whether, "pages read": loads,
        "MB of pages": pages / _MEGABYTE, "frames that differ": differ,
    }  # fmt: skip


def _leveled(model: Mesh, paths: list[Path], options: argparse.Namespace) -> list[Row]:
    """Levels of both models: what they take, and ``massive_collide`` by each epsilon."""
    memory = int(options.memory * _MEGABYTE)
    rows: list[Row] = []
    with ClusteredMesh.open(paths[0], memory) as a, ClusteredMesh.open(paths[1], memory) as b:
        start = time.process_time()
        levels = MeshLevels.build(a)
        built = {"levels, million a second": a.triangle_count / (time.process_time() - start) / 1e6}
        built["levels, bytes a triangle"] = levels.path.stat().st_size / a.triangle_count
        MeshLevels.build(b).close()
        width = float((a.bounds[1] - a.bounds[0]).max())
        poses = _poses(model, options.frames, _NEAR_WAY)
        poses[:, :3, 3] += _BESIDE * (a.bounds[1] - a.bounds[0])
        for share in EPSILONS:
            row = {**built, "epsilon, %": 100 * share, "triangles, %": 100.0}
            if share:
                row["triangles, %"] = 100 * levels.level(0.5 * share * width).triangle_count / a.triangle_count

            def alone(a, b, *poses, _epsilon=share * width):
                forget(a, b)
                return massive_collide(a, b, *poses, epsilon=_epsilon, memory=memory)

            def remembering(a, b, *poses, _epsilon=share * width):
                return massive_collide(a, b, *poses, epsilon=_epsilon, memory=memory)

            _timed(collide, a, b, poses)
            _timed(alone, a, b, poses)
            each = 1e3 / len(poses)
            for name, query in (("collide, ms", collide), ("alone, ms", alone), ("remembering, ms", remembering)):
                seconds, found = _timed(query, a, b, poses)
                row[name] = each * seconds
            row["rows"] = sum(map(len, found)) / len(poses)
            exact, expected = found[0].resolve(), collide(a, b, None, poses[0])
            row["frames that differ"] = int(exact.pairs.tobytes() != expected.pairs.tobytes())
            rows.append(row)
        levels.close()
    return rows


def _timed(query, a, b, poses: np.ndarray) -> tuple[float, list]:
    """Processor time of all frames [s], and their answers."""
    answers = []
    start = time.process_time()
    for pose in poses:
        answers.append(query(a, b, None, pose))
    return time.process_time() - start, answers
