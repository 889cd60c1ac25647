"""Two posed copies of a mesh: how long do contacts take beside mathutils, python-fcl, coal, Embree and Bullet?

Every side is asked the same questions in the same poses, in turn, on one core; figures are medians of processor time.
Models are files (.npz with v and f, .obj, .ply, .stl) or made here: smooth, noisy, and with long thin triangles.

* *light, deep*: all contacts in one pose, trees and placement prepared: a graze of 150 to 500 pairs; box centres
  together and one copy turned by 30 degrees.
* *sweep*: all contacts in ten distances times ten angles; each new pose with everything that a side needs for it.
* *first contact*: whether anything meets, in the sweep and in near misses of 0.1 % and 1 % of the diagonal.

Our builders are lines of their own; memory, threads and plots go by the last of them. mathutils and Embree know no
poses, so they move vertices and rebuild or refit.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from meshclash.hierarchy.build import SPLITS, build
from meshclash.types.mesh import TriangleMesh

from .mesh_files import read_mesh
from .mesh_generators import MAKERS
from .options import EXAMPLE, among, parse_sizes, short_size
from .rigid_memory import memory_row
from .rigid_native import NATIVE_PEERS, missing_native_peers
from .rigid_peers import PEERS, MeshPeer, missing_peers
from .rigid_plots import plots
from .rigid_poses import make_poses
from .rigid_questions import Case, Record, ask_all, ask_by_distance
from .rigid_report import judge_counts, print_tables
from .rigid_threads import thread_rows
from .table import Row, format_markdown, write_json
from .timing import one_core

Triangles = tuple[np.ndarray, np.ndarray]
PLOTTED_BY_DISTANCE = 300_000
"""The last mesh of at most so many triangles is also plotted by distance."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL", help=".npz, .obj, .ply or .stl")
    parser.add_argument(
        "--sizes", type=parse_sizes, help=f"triangles of made meshes, such as {EXAMPLE} (that without models)"
    )
    parser.add_argument("--kinds", type=among(MAKERS), default=list(MAKERS), help=f"of {','.join(MAKERS)}")
    parser.add_argument("--split", type=among(SPLITS), default=["lbvh", "sah"], help=f"of {','.join(sorted(SPLITS))}")
    parser.add_argument("--runs", type=int, default=9, help="repetitions after a warm-up; the median is shown")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True, help="mathutils, fcl, coal")
    parser.add_argument("--native", action="store_true", help="also Embree and Bullet, compiled from Debian's packages")
    parser.add_argument("--threads", type=int, metavar="N", help="also N threads against one, by wall time")
    parser.add_argument("--memory", action="store_true", help="also bytes a triangle")
    parser.add_argument(
        "--plots", type=Path, metavar="DIR", help="also draw time against size and distance (matplotlib)"
    )
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; 1 when exact arithmetic contradicts one of our answers or builders or threads disagree."""
    report: Row = {"bench": "rigid"}
    cores = os.sched_getaffinity(0)
    with one_core() as core:
        print(f"core {core}, {options.runs} runs", flush=True)
        peers, missing = _peers(options)
        records, distances, wrong = _measure(options, peers)
    print_tables(records, missing)
    report["records"] = [record.as_json() for record in [*records, *distances]]
    if options.memory:
        report["memory"] = [memory_row(name, mesh, options.split[-1], peers) for name, mesh in _meshes(options)]
        print(f"\nmemory, bytes a triangle\n\n{format_markdown(report['memory'])}", flush=True)
    if options.threads:
        report["threads"] = _thread_rows(options, cores)
        wrong += sum(row["same bytes"] != "yes" for row in report["threads"])
        print(f"\n{options.threads} threads, wall time\n\n{format_markdown(report['threads'])}", flush=True)
    if options.plots:
        for path in plots(records, distances, options.split[-1], options.plots):
            print(f"plotted {path}")
    if options.json:
        write_json(options.json, report)
    return int(wrong > 0)


def _peers(options: argparse.Namespace) -> tuple[list[type[MeshPeer]], dict[str, str]]:
    """Peers that were asked for and can be used, and why the others cannot."""
    peers: list[type[MeshPeer]] = [*(PEERS if options.peers else ()), *(NATIVE_PEERS if options.native else ())]
    missing = {**(missing_peers() if options.peers else {}), **(missing_native_peers() if options.native else {})}
    for name, why in missing.items():
        print(f"{name} is left out: {why}")
    return [peer for peer in peers if peer.name not in missing], missing


def _measure(options: argparse.Namespace, peers: list[type[MeshPeer]]) -> tuple[list[Record], list[Record], int]:
    """All records, those by distance of the last mesh if there are to be plots, and the number of our wrong answers."""
    start = time.perf_counter()
    records: list[Record] = []
    distances: list[Record] = []
    wrong = 0
    for name, mesh in _meshes(options):
        case = _case(name, mesh, options, peers)
        records += ask_all(case)
        if options.plots and len(mesh[1]) <= PLOTTED_BY_DISTANCE:
            distances = ask_by_distance(case)
        wrong += judge_counts(case)
        for peer in case.peers:
            peer.close()
        print(f"{name}: {case.triangles:,} triangles, done after {time.perf_counter() - start:.0f} s", flush=True)
    return records, distances, wrong


def _thread_rows(options: argparse.Namespace, cores: set[int]) -> list[Row]:
    split = options.split[-1]
    rows = []
    for name, mesh in _meshes(options):
        poses = make_poses(build(TriangleMesh(*mesh), split=split))
        rows += thread_rows(name, mesh, split, poses, options.threads, cores)
    return rows


def _case(name: str, mesh: Triangles, options: argparse.Namespace, peers: list[type[MeshPeer]]) -> Case:
    ours = TriangleMesh(*mesh)
    trees = {split: build(ours, split=split) for split in options.split}
    poses = make_poses(next(iter(trees.values())))
    return Case(name, len(mesh[1]), trees, [peer(*mesh) for peer in peers], poses, options.runs)


def _meshes(options: argparse.Namespace) -> Iterator[tuple[str, Triangles]]:
    for path in options.models:
        yield path.stem, read_mesh(path)
    sizes = options.sizes or ([] if options.models else parse_sizes(EXAMPLE))
    for size in sizes:
        for kind in options.kinds:
            yield f"{kind} {short_size(size)}", MAKERS[kind](size, options.seed)
