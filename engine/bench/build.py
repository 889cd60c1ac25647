"""How long does it take from arrays to an index, and to refit it, beside mathutils, Bullet GIMPACT and Embree?

Models are files (.npz with v and f, .obj, .ply, .stl) or made here. One core, processor time, all sides asked in turn.

* *check*: a TriangleMesh of the arrays, with all its checks and copies; not part of the other figures.
* *Morton, SAH*: all that a first query needs, from a TriangleMesh: the binary tree with its boxes, the 8-wide form.
* *8-wide*: the share of that form's nodes in it; its coordinates are written when boxes are fitted.
* *refit*: moved vertices checked, copied and brought into both forms in place. Peers are not charged for moving theirs.

mathutils builds from lists that are ready (FromPolygons) or from an evaluated object (FromObject, with the bpy wheel).
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from meshclash.hierarchy.build import build, refit
from meshclash.hierarchy.wide import collapse
from meshclash.types.mesh import TriangleMesh

from .mesh_files import read_mesh
from .mesh_generators import MAKERS
from .native import Driver, DriverUnavailable, write_mesh
from .rigid_memory import counted
from .rigid_peers import import_bvhtree
from .table import Row, format_markdown, write_json
from .timing import Ask, Timing, called, compare, one_core

Arrays = tuple[np.ndarray, np.ndarray]
SIZES = (69_000, 250_000, 1_000_000)
LARGEST_FOR_LISTS = 2_000_000
"""Triangles beyond which mathutils is not asked: its lists alone take minutes."""
DRIVERS = {"Bullet": ("build_bullet", ["bullet"]), "Embree": ("build_embree", ["embree"])}
QUESTIONS = {
    "Bullet": {"Bullet": "build", "Bullet, refit": "refit"},
    "Embree": {"Embree, low": "build low", "Embree, medium": "build medium", "Embree, refit": "refit"},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL", help=".npz, .obj, .ply or .stl")
    parser.add_argument("--triangles", type=int, action="append", help=f"size of a made mesh (or {SIZES})")
    parser.add_argument("--kind", choices=sorted(MAKERS), default="bumpy", help="of made meshes")
    parser.add_argument("--sah", action=argparse.BooleanOptionalAction, default=True, help="also the slower builder")
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True, help="mathutils")
    parser.add_argument("--native", action="store_true", help="also Bullet and Embree, compiled from Debian's packages")
    parser.add_argument("--memory", action="store_true", help="also bytes a triangle, and the peak while building")
    parser.add_argument("--runs", type=int, default=9, help="repetitions after a warm-up; the median is shown")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; always 0."""
    times: list[Row] = []
    ratios: list[Row] = []
    with one_core() as core:
        print(f"core {core}, {options.runs} runs, milliseconds", flush=True)
        for name, arrays in _meshes(options):
            timings = _timings(arrays, options)
            times.append({"mesh": name, "triangles": len(arrays[1]), **_milliseconds(timings)})
            ratios.append({"mesh": name, "triangles": len(arrays[1]), **_ratios(timings, len(arrays[1]))})
    for rows in (times, ratios):
        _print_by_columns(rows)
    memory = [_memory_row(name, arrays) for name, arrays in _meshes(options)] if options.memory else []
    if memory:
        _print_by_columns(memory)
    if options.json:
        write_json(options.json, {"bench": "build", "times": times, "ratios": ratios, "memory": memory})
    return 0


def _meshes(options: argparse.Namespace) -> Iterator[tuple[str, Arrays]]:
    for path in options.models:
        yield path.stem, read_mesh(path)
    for size in options.triangles or ([] if options.models else SIZES):
        yield f"{options.kind} {size:,}", MAKERS[options.kind](size, 1)


def _timings(arrays: Arrays, options: argparse.Namespace) -> dict[str, Timing]:
    with ExitStack() as stack:
        sides = _own_sides(arrays, options.sah)
        if options.peers and len(arrays[1]) <= LARGEST_FOR_LISTS:
            sides.update(_mathutils_sides(arrays))
        if options.native:
            sides.update(_native_sides(arrays, stack))
        return compare(sides, options.runs)


def _prepared(prepare: Callable[[], object], work: Callable[..., object]) -> Ask:
    """A side whose work is timed without what it is given."""

    def ask(repeats: int) -> tuple[float, int]:
        seconds = 0.0
        for _ in range(repeats):
            given = prepare()
            start = time.process_time()
            work(given)
            seconds += time.process_time() - start
        return seconds, 0

    return ask


def _own_sides(arrays: Arrays, sah: bool) -> dict[str, Ask]:
    vertices, triangles = arrays
    index = build(TriangleMesh(*arrays)).parts
    assert index.wide is not None
    coordinates = index.wide.coordinates
    kept = build(TriangleMesh(*arrays))
    moved = [vertices * (1.0 + k * 1e-4) for k in (0, 1)]

    def refit_once() -> int:
        moved.reverse()
        refit(kept, moved[0], in_place=True)
        return 0

    def mesh() -> TriangleMesh:
        return TriangleMesh(vertices, triangles)

    sides = {
        "check": called(lambda: mesh().triangle_count),
        "Morton": _prepared(mesh, lambda made: build(made, split="lbvh")),
        "8-wide": called(lambda: len(collapse(index.tree, index.volumes, coordinates).nodes)),
        "refit": called(refit_once),
    }
    if sah:
        sides["SAH"] = _prepared(mesh, lambda made: build(made, split="sah"))
    return sides


def _mathutils_sides(arrays: Arrays) -> dict[str, Ask]:
    try:
        tree = import_bvhtree()
    except ImportError as error:
        print(f"mathutils is left out: {error}")
        return {}
    vertices, triangles = arrays[0].tolist(), arrays[1].tolist()
    sides = {"FromPolygons": called(lambda: tree.FromPolygons(vertices, triangles, all_triangles=True) is None)}
    evaluated = _evaluated_object(arrays)
    if evaluated:
        sides["FromObject"] = called(lambda: tree.FromObject(*evaluated) is None)
    return sides


def _evaluated_object(arrays: Arrays) -> tuple | None:
    """An object of the arrays and the depsgraph that it is evaluated in; None without Blender's module."""
    try:
        import bpy
    except ImportError:
        return None
    vertices, triangles = arrays
    mesh = bpy.data.meshes.new("bench")
    mesh.from_pydata(vertices.tolist(), [], triangles.tolist())
    made = bpy.data.objects.new("bench", mesh)
    bpy.context.scene.collection.objects.link(made)
    return made, bpy.context.evaluated_depsgraph_get()


def _native_sides(arrays: Arrays, stack: ExitStack) -> dict[str, Ask]:
    path = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "mesh"
    write_mesh(path, *arrays)
    sides = {}
    for peer, (source, libraries) in DRIVERS.items():
        try:
            driver = stack.enter_context(Driver(source, libraries, path))
        except DriverUnavailable as error:
            print(f"{peer} is left out: {error}")
            continue
        for name, question in QUESTIONS[peer].items():
            sides[name] = _asked(driver, question)
    return sides


def _asked(driver: Driver, question: str) -> Ask:
    return lambda repeats: (sum(driver.ask(question)[0] for _ in range(repeats)), 0)


def _milliseconds(timings: dict[str, Timing]) -> Row:
    return {name: 1e3 * timing.seconds for name, timing in timings.items()}


def _ratios(timings: dict[str, Timing], triangles: int) -> Row:
    """What peers need for each second of ours: their builds by the Morton builder's, their refits by ours."""
    seconds = {name: timing.seconds for name, timing in timings.items()}
    row: Row = {"Morton [ns/triangle]": 1e9 * seconds["Morton"] / triangles}
    row["refit [ns/triangle]"] = 1e9 * seconds["refit"] / triangles
    own = ("check", "Morton", "8-wide", "refit", "SAH")
    for name in (name for name in seconds if name not in own):
        row[f"{name} / ours"] = seconds[name] / seconds["refit" if name.endswith("refit") else "Morton"]
    return row


def _print_by_columns(rows: list[Row]) -> None:
    """One table of the rows; what a mesh was not asked stays empty."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    print(f"\n{format_markdown([{name: row.get(name, '') for name in columns} for row in rows])}", flush=True)


def _memory_row(name: str, arrays: Arrays) -> Row:
    """Bytes a triangle beside the caller's arrays, and how far a process grows at most while it builds."""
    count = len(arrays[1])
    index, copy = counted(build(TriangleMesh(*arrays)))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        seconds, resident, peak = pool.apply(_growth, (arrays,))
    return {
        "mesh": name,
        "triangles": count,
        "index [B/triangle]": index / count,
        "copy of the arrays [B/triangle]": copy / count,
        "arrays to index [s]": seconds,
        "kept [MB]": resident / 1e6,
        "peak [MB]": peak / 1e6,
    }


def _growth(arrays: Arrays) -> tuple[float, int, int]:
    """Processor seconds from arrays to index in a fresh process, and what it has grown by in the end and at most."""
    build(TriangleMesh(np.eye(3), [[0, 1, 2]]))
    gc.collect()
    before = _memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak starts anew
    start = time.process_time()
    kept = build(TriangleMesh(*arrays))
    seconds = time.process_time() - start
    peak = _memory("VmHWM")
    assert kept.node_count > 0
    return seconds, _memory("VmRSS") - before, peak - before


def _memory(entry: str) -> int:
    """A figure of this process in bytes: VmRSS, what is resident, or VmHWM, the most that was."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(f"{entry}:"))
