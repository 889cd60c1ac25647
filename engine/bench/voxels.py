"""Voxels of deforming objects: marking, common voxels, contacts, volumes, beside rebuilding and other libraries.

``--table``: objects of the sizes of Chen et al. (2004), table 1 (the Hand, Dragon, Buddha and Blade, here bumpy spheres
of as many triangles), at several resolutions: time to mark all voxels and their memory, beside the voxelisers of other
libraries where they can be imported. ``--frames``: two objects whose triangles are new in every frame: all contacts by
voxels, by building two hierarchies, by the engine that ``collide`` takes by itself, by mathutils and by trueform.
``--volumes``: bounds of common volumes of boxes, balls, rings and models in random poses against known ones.
``--lattices``: bounds of so many pairs of lattice solids whose faces lie in planes of the grid, and points of maps of
them, all by construction.
``--shell``: a shell of so many points against a map of voxels, single calls. Processor seconds of the median, the sides
asked in turn on one core.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from meshclash.hierarchy.build import build
from meshclash.query.collide import collide
from meshclash.query.signed_distance import signed_distance
from meshclash.query.voxel_collide import voxel_collide
from meshclash.types.mesh import TriangleMesh
from meshclash.types.steps import run as finish
from meshclash.voxels.bricks import rank_words
from meshclash.voxels.common_region import choose, place, put_on_grid
from meshclash.voxels.grid import DEFAULT_MEMORY, checked_fineness, make_grid
from meshclash.voxels.map import VoxelMap
from meshclash.voxels.marking import mark_steps
from oracles.mesh_generators import bumpy_sphere
from oracles.voxel_lattices import lattice_rows
from oracles.voxel_volumes import volume_rows

from .options import parse_sizes, short_size
from .peers import import_bvhtree
from .table import Row, format_table, write_json
from .timing import called, compare, one_core
from .voxel_peers import voxelisers

_STILL = np.eye(4)[:3].copy()
_TABLE = (654_666, 871_326, 1_087_514, 1_765_388)
_RESOLUTIONS = (64, 128, 256, 512, 1024)
_MOST_OF_OTHERS = 256  # voxels along a side up to which other libraries are asked


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--sizes", type=parse_sizes, default=[1_000_000], help="triangles of each object")
    parser.add_argument("--mesh", type=Path, action="append", default=[], help="a closed model; may be repeated")
    parser.add_argument("--table", action="store_true", help="the paper's table")
    parser.add_argument("--frames", action="store_true", help="changing topology")
    parser.add_argument("--volumes", type=int, default=0, help="random poses for common volumes")
    parser.add_argument("--lattices", type=int, default=0, help="pairs of solids whose faces lie in planes of the grid")
    parser.add_argument("--seed", type=int, default=1, help="of the lattices")
    parser.add_argument("--shell", type=int, default=0, help="points of a shell against a voxel map of 512")
    parser.add_argument("--runs", type=int, default=5, help="repetitions after a warm-up; the median is shown")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; 1 when a side finds other contacts, a volume lies out of its bounds, a point on a wrong side."""
    report: Row = {"bench": "voxels"}
    with one_core():
        report["both"] = _show([_both(size, options.runs) for size in options.sizes])
        if options.table:
            report["table"] = [row for n in _TABLE for row in _show(_markings(n, options.runs))]
        if options.frames:
            report["frames"] = _show(_frames(options.sizes, options.runs))
        if options.volumes:
            report["volumes"] = _show(volume_rows(options.mesh, options.volumes))
        if options.lattices:
            report["lattices"] = _show(lattice_rows(options.lattices, options.seed))
        if options.shell:
            report["shell"] = _show([_shell(options.shell)])
    if options.json:
        write_json(options.json, report)
    rows = [row for part in report.values() if isinstance(part, list) for row in part]
    return int(any(row.get("wrong", 0) for row in rows))


def _show(rows: list[Row]) -> list[Row]:
    print(format_table(rows) + "\n", flush=True)
    return rows


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.1f}"


def _both(size: int, runs: int) -> Row:
    """Two objects in one place: all voxels at 256 along a side, from vertices to the list of common ones."""
    a, b = (TriangleMesh(*bumpy_sphere(size, seed)) for seed in (1, 2))
    _ = a.used_vertices, b.used_vertices
    found = voxel_collide(a, b, resolution=256, mode="voxels", threads=1)
    sides = {
        "1 thread": called(lambda: len(voxel_collide(a, b, resolution=256, mode="voxels", threads=1).voxels)),
        "exact": called(lambda: len(voxel_collide(a, b, threads=1).pairs)),
        "rebuild": called(lambda: len(collide(build(a), build(b), threads=1, device="cpu").pairs)),
    }
    times = compare(sides, runs)
    row: Row = {"triangles each": short_size(size), "common voxels": len(found.voxels)}
    row |= {f"{name} ms": _milliseconds(timing.seconds) for name, timing in times.items()}
    return {**row, "wrong": int(times["exact"].answer != times["rebuild"].answer)}


def marked(mesh: TriangleMesh, resolution: int) -> Any:
    """The voxels of a whole mesh, from its vertices, and their grid."""
    corners, bounds = place(mesh, _STILL)
    placed = choose(mesh, corners, bounds, bounds[0], bounds[1])
    grid = make_grid(bounds[0], bounds[1], placed.farthest, checked_fineness(resolution, None))
    return finish(mark_steps(put_on_grid(placed, grid), grid, 4 * DEFAULT_MEMORY)), grid


def _markings(size: int, runs: int) -> list[Row]:
    mesh = TriangleMesh(*bumpy_sphere(size, 1))
    _ = mesh.used_vertices
    return [_marking(mesh, resolution, runs) for resolution in _RESOLUTIONS]


def _marking(mesh: TriangleMesh, resolution: int, runs: int) -> Row:
    bricks, grid = marked(mesh, resolution)
    others = voxelisers(mesh, grid.voxel_size) if resolution <= _MOST_OF_OTHERS else {}
    sides = {"ours": called(lambda: rank_words(marked(mesh, resolution)[0])[1]), **others}
    used = sum(array.nbytes for array in bricks)
    times = compare(sides, runs, once=tuple(others))
    return {
        "triangles": len(mesh.triangles), "resolution": resolution, "voxels": rank_words(bricks)[1],
        "ms": _milliseconds(times["ours"].seconds), "MiB": f"{used / 2**20:.1f}",
        "full bits MiB": f"{resolution**3 / 2**23:.1f}",
        **{f"{name} ms": _milliseconds(times[name].seconds) for name in others},
        **{f"{name} voxels": times[name].answer for name in others},
    }  # fmt: skip


def _frames(sizes: list[int], runs: int) -> list[Row]:
    """Objects that reach into each other less and less: everything from vertices, as for a frame with new triangles."""
    rows = []
    for size in sizes:
        a, b = (TriangleMesh(*bumpy_sphere(size, seed)) for seed in (1, 2))
        rows += [_frame(a, b, shift, runs) for shift in (0.3, 1.0, 1.8, 1.95)]
    return rows


def _frame(a: TriangleMesh, b: TriangleMesh, shift: float, runs: int) -> Row:
    pose = np.eye(4)
    pose[0, 3] = shift
    moved = b.transformed(pose)
    expected, found = collide(a, moved, device="cpu"), voxel_collide(a, moved)
    chosen = collide(*_new(a, moved), threads=1, device="cpu").stats.engine
    sides = {
        "voxels": called(lambda: len(collide(*_new(a, moved), threads=1, device="cpu", engine="voxels"))),
        "rebuild": called(lambda: len(collide(*_new(a, moved), threads=1, device="cpu", engine="hierarchies"))),
        "auto": called(lambda: len(collide(*_new(a, moved), threads=1, device="cpu"))),
        **_mathutils(a, moved),
        **_trueform(a, moved),
    }
    times = compare(sides, runs, once=("mathutils",))
    row: Row = {"triangles": short_size(len(a.triangles)), "shift": shift, "pairs": len(expected)}
    row |= {f"{name} ms": _milliseconds(timing.seconds) for name, timing in times.items()}
    row["rebuild / voxels"] = times["rebuild"].seconds / times["voxels"].seconds
    row["auto takes"] = chosen
    return {**row, "wrong": int(found.pairs.tobytes() != expected.pairs.tobytes())}


def _new(*meshes: TriangleMesh) -> list[TriangleMesh]:
    """The same meshes, of which nothing is known yet."""
    return [mesh.with_vertices(mesh.vertices) for mesh in meshes]


def _mathutils(a: TriangleMesh, b: TriangleMesh) -> dict[str, Any]:
    """The side of Blender's trees, where they can be imported: two of them and what overlaps."""
    try:
        tree, _ = import_bvhtree()
    except ImportError:
        return {}
    lists = [(m.vertices.tolist(), m.triangles.tolist()) for m in (a, b)]

    def ask() -> int:
        first, second = (tree.FromPolygons(*given, all_triangles=True) for given in lists)
        return len(first.overlap(second))

    return {"mathutils": called(ask)}


def _trueform(a: TriangleMesh, moved: TriangleMesh) -> dict[str, Any]:
    """The side of trueform, where it can be imported: two meshes with its trees, and the pairs that meet."""
    try:
        import trueform
    except ImportError:
        return {}

    def ask() -> int:
        first, second = (trueform.Mesh(m.triangles.copy(), m.vertices.copy()) for m in (a, moved))
        return len(trueform.gather_intersecting_ids(first, second))

    return {"trueform": called(ask)}


def _shell(count: int) -> Row:
    """A thousand poses of a shell of points of which about a tenth are in a bumpy sphere of 20,000 triangles."""
    rng = np.random.default_rng(1)
    mesh = TriangleMesh(*bumpy_sphere(20_000, 1))
    start = time.process_time()
    voxels = VoxelMap(mesh, resolution=512)
    built = time.process_time() - start
    points = rng.normal(size=(count, 3))
    points *= 0.5 / np.linalg.norm(points, axis=1, keepdims=True)
    points = points[np.lexsort((points // 0.05).T)]
    pose, took, inside = np.eye(4), [], []
    pose[0, 3] = next(
        x for x in np.arange(0.5, 3.0, 0.01) if len(voxels.touch(points, _shifted(x)).points) <= count / 10
    )
    for step in range(1000):
        pose[1, 3] = 0.002 * np.sin(0.03 * step)
        start_ns = time.process_time_ns()
        inside.append(len(voxels.touch(points, pose).points))
        took.append(1e-6 * (time.process_time_ns() - start_ns))
    exact = signed_distance(mesh, points @ pose[:3, :3].T + pose[:3, 3]).distance
    found = np.zeros(count, np.bool_)
    found[voxels.touch(points, pose).points] = True
    differs = found != (exact < 0.0)
    middle, late = np.percentile(took, (50, 99))
    return {
        "points": count, "in contact": int(np.mean(inside)), "median ms": middle, "p99 ms": late,
        "map s": built, "map MiB": voxels.nbytes >> 20, "differ from exact": int(differs.sum()),
        "wrong": int((np.abs(exact[differs]) > voxels.grid.diagonal).sum()),
    }  # fmt: skip


def _shifted(x: float) -> np.ndarray:
    pose = np.eye(4)
    pose[0, 3] = x
    return pose
