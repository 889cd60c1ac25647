"""Do two point clouds collide? Answers, times and memory, by the procedure of Klein and Zachmann (2004), section 6.

Two copies of a shape, scaled to a largest side of 2, stand at centre distances from 0.6 to 2 and are turned against
each other about the z axis through a full turn; only poses whose root boxes overlap count. The clouds are random
points of a mesh's surface, and the mesh's own exact answer is the reference. Times are processor times of single
calls; scipy's cKDTree, asked for the minimum distance of the same points in the same run, is the peer.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from meshclash import TriangleMesh, collide, collides
from meshclash.clouds import PointCloud
from meshclash.lab import cloud_collision
from oracles.cloud_borders import border_rows
from oracles.cloud_grazing import grazing_row
from oracles.cloud_oracle import closest_approach
from oracles.cloud_shapes import SHAPES, load_shapes
from oracles.cloud_solids import undecided_rows
from oracles.cloud_sweep import DISTANCES, Query, Shape, pose_at, prepare, sweep, within_resolution
from oracles.cloud_touching import touching_row

from .table import Row, format_table, write_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--shapes", nargs="*", choices=sorted(SHAPES), help="made shapes; all, unless --mesh is given")
    parser.add_argument("--mesh", type=Path, action="append", default=[], help="a model file; may be repeated")
    parser.add_argument("--points", type=int, default=100_000, help="points of each cloud")
    parser.add_argument("--angles", type=int, default=24, help="turns at each distance")
    parser.add_argument("--peer-queries", type=int, default=3, help="queries of cKDTree a shape; 0: leave it out")
    parser.add_argument("--grazing", type=int, default=0, help="directions in which to look for missed contacts")
    parser.add_argument("--touching", type=int, default=0, help="directions in which meshes are brought to touch")
    parser.add_argument(
        "--borders", type=int, default=0, help="cases of surfaces that meet beyond their points, beside a refined grid"
    )
    parser.add_argument(
        "--undecided", type=int, default=0, help="poses of each of 20 solids whose surfaces are known exactly"
    )
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; always 0."""
    names = list(SHAPES) if options.shapes is None and not options.mesh else options.shapes or []
    loaded = load_shapes(names, options.mesh)
    warm_queries()
    shapes = [prepare(name, kind, mesh, options.points) for name, kind, mesh in loaded]
    sweeps = {shape.name: sweep(shape, options.angles) for shape in shapes}
    swept = [shape for shape in shapes if sweeps[shape.name]]
    apart = [shape.name for shape in shapes if not sweeps[shape.name]]
    if apart:
        print(f"no pose of the sweep has boxes that overlap: {', '.join(apart)}")
    report = {
        "builds": _show("hierarchies", [_build_row(shape) for shape in shapes]),
        "sweeps": _show("distance sweep, 0.6 to 2", [_sweep_row(s, sweeps[s.name], options) for s in swept]),
        "disagreement": _show("disagreement [%] by distance", [_distance_row(s, sweeps[s.name]) for s in swept]),
        "missed": _show("missed poses: surfaces", [r for s in swept for r in _missed_rows(s, sweeps[s.name])]),
    }
    if options.undecided:
        report["undecided"] = _show(
            "wrong verdicts, and undecided ones", undecided_rows(options.points, options.undecided)
        )
    if options.borders:
        report["borders"] = _show("surfaces that meet beyond their points", border_rows(options.borders))
    if options.grazing:
        report["grazing"] = _show("surfaces that just touch", [grazing_row(s, options.grazing) for s in shapes])
    if options.touching:
        title = "wrong answers, moved on from the first touch by so many sampling radii"
        report["touching"] = _show(title, [touching_row(s, options.touching) for s in shapes])
    if options.json:
        write_json(options.json, {"bench": "clouds", "points": options.points, **report})
    return 0


def warm_queries() -> None:
    """Compile what is measured."""
    points = np.random.default_rng(0).normal(size=(500, 3))
    cloud = PointCloud(points / np.linalg.norm(points, axis=1)[:, None])
    cloud_collision(cloud, cloud, budget=1e-3)
    mesh = TriangleMesh(points[:3], [[0, 1, 2]])
    collides(mesh, mesh)
    collide(mesh, mesh).segments()


def _show(title: str, rows: list[Row]) -> list[Row]:
    print(f"\n{title}\n{format_table(rows) if rows else 'none'}", flush=True)
    return rows


def _build_row(shape: Shape) -> Row:
    points, cloud = shape.points, PointCloud(shape.points)
    start = time.process_time()
    _ = cloud.built
    seconds = time.process_time() - start
    nodes = len(cloud.built.tree.first)
    own = points.nbytes + cloud.built.order.nbytes
    return {
        "shape": shape.name,
        "points": len(points),
        "build [s]": seconds,
        "us/point": 1e6 * seconds / len(points),
        "nodes": nodes,
        "bytes/point": cloud.nbytes / len(points),
        "of these beside points": (cloud.nbytes - own) / len(points),
        "bytes/node": (cloud.nbytes - own) / nodes,
        "sampling radius": f"{cloud.sampling_radius:.5f}",
        "query [ms]": _query_time(cloud),
    }


def _query_time(cloud: PointCloud) -> float:
    """Mean processor time [ms] of a cloud against itself, over the distances of the sweep and four turns at each."""
    seconds = []
    for distance in DISTANCES:
        for k in range(4):
            pose = pose_at(float(distance), 2.0 * np.pi * (k + 0.5) / 4)
            start = time.thread_time()
            collides(cloud, cloud, None, pose)
            seconds.append(time.thread_time() - start)
    return 1e3 * float(np.mean(seconds))


def _sweep_row(shape: Shape, queries: list[Query], options: argparse.Namespace) -> Row:
    seconds = np.array([q.seconds for q in queries])
    row: Row = {
        "shape": shape.name,
        "kind": shape.kind,
        "points": len(shape.points),
        "queries": len(queries),
        "colliding [%]": 100.0 * float(np.mean([q.truth for q in queries])),
        "differ [%]": 100.0 * float(np.mean([q.truth != q.answer for q in queries])),
        "beyond the resolution [%]": 100.0
        * float(np.mean([q.truth != q.answer and not within_resolution(shape, q) for q in queries])),
        "missed": sum(q.truth and not q.answer for q in queries),
        "false": sum(q.answer and not q.truth for q in queries),
        "mean [ms]": 1e3 * float(seconds.mean()),
        "median [ms]": 1e3 * float(np.median(seconds)),
        "worst [ms]": 1e3 * float(seconds.max()),
    }
    if options.peer_queries:
        peer = _peer_time(shape, queries, options.peer_queries)
        row |= {"cKDTree [ms]": 1e3 * peer, "times faster": f"{peer / seconds.mean():,.0f}"}
    return row


def _peer_time(shape: Shape, queries: list[Query], count: int) -> float:
    """Mean processor time of cKDTree's minimum distance on some of the poses; its tree is built beforehand."""
    from scipy.spatial import cKDTree

    tree = cKDTree(shape.points)
    seconds = []
    for q in queries[len(queries) // (2 * count) :: max(1, len(queries) // count)][:count]:
        start = time.process_time()
        moved = shape.points @ q.pose[:3, :3].T + q.pose[:3, 3]
        tree.query(moved, workers=1)[0].min()
        seconds.append(time.process_time() - start)
    return float(np.mean(seconds))


def _distance_row(shape: Shape, queries: list[Query]) -> Row:
    row: Row = {"shape": shape.name}
    for distance in DISTANCES:
        here = [q for q in queries if q.distance == distance]
        differ = np.mean([q.truth != q.answer for q in here]) if here else np.nan
        row[f"{distance:.1f}"] = f"{100.0 * differ:.1f}" if here else "-"
    return row


def _missed_rows(shape: Shape, queries: list[Query]) -> list[Row]:
    """Poses in which the meshes meet and the clouds do not: how near a dense grid sees a common point."""
    rows: list[Row] = []
    for q in queries:
        if not q.truth or q.answer:
            continue
        approach = closest_approach(shape.cloud, q.pose)
        segments = collide(shape.mesh, shape.mesh, None, q.pose).segments().reshape(-1, 3)
        extent = float(np.ptp(segments, axis=0).max()) if len(segments) else 0.0
        rows.append(
            {
                "shape": shape.name,
                "distance": q.distance,
                "meshes meet over [radii]": extent / shape.cloud.sampling_radius,
                "grid points": approach.points,
                "least max(|f_A|, |f_B|) [radii]": approach.nearest,
                "common point": "none" if approach.apart else "perhaps",
            }
        )
    return rows
