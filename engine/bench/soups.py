"""Objects asked about once: is a hierarchy worth building, or does a partition of space answer sooner?

Two copies of a mesh, scaled into a cube of side 2, stand one unit apart and turned; nothing is kept from question to
question. A hierarchy is built over each copy (Morton, as by default) and asked; a uniform grid and a linear octree
divide the region that both reach. Processor time, the sides asked in turn; and the most memory that a question takes,
beside the meshes: of the triangles' world coordinates, the cells or trees, and the pairs.
"""

from __future__ import annotations

import argparse
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
from meshclash.hierarchy.build import build
from meshclash.partition.registry import PARTITIONS
from meshclash.query.collide import collide
from meshclash.query.soups import collide_soups
from meshclash.types.mesh import TriangleMesh

from .mesh_files import read_mesh
from .mesh_generators import MAKERS
from .options import parse_sizes, short_size
from .procedure import turns
from .table import Row, format_table, write_json
from .timing import called, compare, one_core


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--mesh", type=Path, action="append", default=[], help="a model; may be repeated")
    parser.add_argument("--sizes", type=parse_sizes, default=[2_000, 20_000], help="triangles of the made models")
    parser.add_argument("--runs", type=int, default=7, help="repetitions after a warm-up; the median is shown")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; 1 when two sides find different pairs."""
    meshes = {path.stem: read_mesh(path) for path in options.mesh} or {
        f"{kind} {short_size(size)}": maker(size, 1) for size in options.sizes for kind, maker in MAKERS.items()
    }
    with one_core():
        rows = [_row(name, *mesh, options.runs) for name, mesh in meshes.items()]
    print(format_table(rows))
    if options.json:
        write_json(options.json, {"bench": "soups", "rows": rows})
    return int(any(row["pairs differ"] for row in rows))


def _row(name: str, vertices: np.ndarray, triangles: np.ndarray, runs: int) -> Row:
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    mesh = TriangleMesh((vertices - 0.5 * (low + high)) * (2.0 / (high - low).max()), triangles)
    pose = turns(1.0, 7)[2]
    expected = collide(mesh, mesh, None, pose)
    sides: dict[str, Callable[[], int]] = {"hierarchies": lambda: len(collide(build(mesh), build(mesh), None, pose))}
    different = False
    row: Row = {"mesh": name, "triangles": len(triangles), "pairs": len(expected)}
    compared = {}
    for partition in PARTITIONS:
        found = collide_soups(mesh, mesh, None, pose, partition=partition)
        different |= found.pairs.tobytes() != expected.pairs.tobytes()
        compared[partition] = found.stats.volume_tests
        sides[partition] = lambda partition=partition: len(collide_soups(mesh, mesh, None, pose, partition=partition))
    timings = compare({side: called(ask) for side, ask in sides.items()}, runs)
    row |= {f"{side} [ms]": 1e3 * timing.seconds for side, timing in timings.items()}
    row |= {f"{partition}, boxes compared": count for partition, count in compared.items()}
    row |= {f"{side} [bytes / triangle]": _peak(ask) / (2 * len(triangles)) for side, ask in sides.items()}
    return row | {"pairs differ": different}


def _peak(ask: Callable[[], int]) -> int:
    """The most bytes that a question has taken at once from what NumPy and Python count."""
    tracemalloc.start()
    ask()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak
