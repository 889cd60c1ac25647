"""Two posed copies of a mesh: how long do contacts take beside mathutils, python-fcl, coal and Embree?

Every side is asked the same questions in the same poses, in turn, on one core; figures are medians of processor time.
Models are files (.npz with v and f, .obj, .ply, .stl) or made here: smooth, noisy, and with long thin triangles.

* *light, deep*: all contacts in one pose, trees and placement prepared: a graze of 150 to 500 pairs; box centres
  together and one copy turned by 30 degrees.
* *sweep*: all contacts in ten distances times ten angles; each new pose with everything that a side needs for it.
* *first contact*: whether anything meets, in the sweep and in near misses of 0.1 % and 1 % of the diagonal.

Our builders are lines of their own. mathutils and Embree know no
poses, so they move vertices and rebuild or refit.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from meshclash.hierarchy.build import SPLITS, build
from meshclash.types.mesh import TriangleMesh
from oracles.mesh_files import read_mesh
from oracles.mesh_generators import MAKERS
from oracles.rigid_poses import make_poses

from .options import EXAMPLE, among, parse_sizes, short_size
from .peers import installed
from .rigid_peers import PEERS, Embree, MeshPeer
from .rigid_questions import Case, Record, ask_all
from .rigid_report import judge_counts, print_tables
from .table import Row, write_json
from .timing import one_core

Triangles = tuple[np.ndarray, np.ndarray]
_ONE_TRIANGLE = np.eye(3), np.array([[0, 1, 2]], np.int32)


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
    parser.add_argument("--native", action="store_true", help="also Embree, compiled from Debian's packages")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; 1 when exact arithmetic contradicts one of our answers or builders disagree."""
    report: Row = {"bench": "rigid"}
    with one_core() as core:
        print(f"core {core}, {options.runs} runs", flush=True)
        asked = [*(PEERS if options.peers else ()), *((Embree,) if options.native else ())]
        peers = [type(peer) for peer in installed(asked, *_ONE_TRIANGLE)]
        records, wrong = _measure(options, peers)
    print_tables(records, {peer.name for peer in asked} - {peer.name for peer in peers})
    report["records"] = [record.as_json() for record in records]
    if options.json:
        write_json(options.json, report)
    return int(wrong > 0)


def _measure(options: argparse.Namespace, peers: list[type[MeshPeer]]) -> tuple[list[Record], int]:
    """All records, and the number of our wrong answers."""
    start = time.perf_counter()
    records: list[Record] = []
    wrong = 0
    for name, mesh in _meshes(options):
        case = _case(name, mesh, options, peers)
        records += ask_all(case)
        wrong += judge_counts(case)
        for peer in case.peers:
            peer.close()
        print(f"{name}: {case.triangles:,} triangles, done after {time.perf_counter() - start:.0f} s", flush=True)
    return records, wrong


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
