"""Figures of the founding papers from our own data, beside the papers' numbers, on one page.

Zachmann (2002), boxes in their parents; Klein and Zachmann (2003), stated probabilities and errors; Klein and Zachmann
(2004), clouds; Chen et al. (2004), voxels; Yoon et al. (2004), levels of massive models; Lin and Canny (1991), closest
features; Klosowski et al. (1998), k-DOPs of what tumbles; Palmer and Grimsdale (1995), octree sphere trees. Times are
processor times, which depend on the machine; the papers' machines were of their years.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from meshclash import TriangleMesh, build
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.jit import kernel
from meshclash.lab.volumes.kdop import clear, extend
from meshclash.lab.volumes.kdop_climb import ClimbingPolytope
from meshclash.lab.volumes.octree_spheres import meeting_spheres, octree_spheres
from meshclash.massive import ClusteredMesh, MeshLevels
from meshclash.query.collide import collides
from meshclash.query.distance import distance
from meshclash.shapes import ConvexHull, closest_features
from meshclash.voxels import voxelise
from oracles.cloud_shapes import load_shapes
from oracles.cloud_sweep import prepare, sweep
from oracles.mesh_generators import MAKERS, bumpy_sphere
from oracles.timecritical_budgets import errors_over_budgets
from oracles.timecritical_calibration import calibration
from oracles.timecritical_poses import made_trees
from oracles.timecritical_unseen_shapes import UNSEEN

from .page_plot import Plot, write_page
from .public_models import public_trees
from .timing import one_core


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--out", type=Path, default=Path("papers.html"), help="the page")
    parser.add_argument("--models", type=Path, metavar="DIR", help="public models for probabilities and errors")
    parser.add_argument("--queries", type=int, default=25, help="poses a mesh")
    parser.add_argument("--size", type=int, default=20_000, help="triangles of made meshes, points of clouds")


def run(options: argparse.Namespace) -> int:
    """Draw the page; always 0."""
    figures: tuple[Callable[[argparse.Namespace], Plot], ...] = (
        _boxes_in_parents, _calibration, _errors, _clouds, _voxels, _levels, _closest, _tumbling, _octree_spheres,
    )  # fmt: skip
    plots = []
    with one_core():
        for figure in figures:
            plots.append(figure(options))
            print(plots[-1].title, flush=True)
    write_page(options.out, "The founding papers, from our data", plots)
    return 0


def _trees(options: argparse.Namespace) -> Iterator[tuple[str, Hierarchy]]:
    if options.models:
        return public_trees(options.models, "test")
    return made_trees(UNSEEN, (2_000,), (11,))


def _boxes_in_parents(options: argparse.Namespace) -> Plot:
    plot = Plot("Boxes in their parents', cut on one side", "empty space, %", "nodes with no more, %")
    for name, make in MAKERS.items():
        tree = build(TriangleMesh(*make(options.size, 1)))
        first = tree.tree.first[tree.tree.count == 0]
        boxes = tree.volumes[:, :6].astype(np.float64)
        parents, children = (np.concatenate([boxes[k] for k in some]) for some in (
            [tree.tree.count == 0] * 2, [first, first + 1]))  # fmt: skip
        left = _sides(children) / _sides(parents)
        cut = np.abs(children - parents).reshape(-1, 2, 3) / _sides(parents)[:, None]
        empty = 100.0 * (1.0 - left.prod(axis=1) / (1.0 - cut.reshape(-1, 6).max(axis=1)))
        shares = np.linspace(0.0, 100.0, 41)
        plot.add(name, shares, [100.0 * float((empty <= share).mean()) for share in shares])
    return plot.paper("Zachmann 2002: half of all nodes have about 10 %", [10.0], [50.0])


def _sides(boxes: np.ndarray) -> np.ndarray:
    """The sides of boxes (n, 6), (n, 3); of flat ones not quite 0."""
    return np.maximum(boxes[:, 3:] - boxes[:, :3], 1e-30)


def _calibration(options: argparse.Namespace) -> Plot:
    plot = Plot("Stopped time-critical searches: stated and true", "stated probability", "share that collides")
    rows = calibration(_trees(options), options.queries)["all"]
    plot.add("ours", [row["mean stated"] for row in rows], [row["collided"] for row in rows])
    return plot.paper("as stated", [0.0, 1.0], [0.0, 1.0])


def _errors(options: argparse.Namespace) -> Plot:
    plot = Plot("Wrong answers within a budget", "budget, us", "wrong, %", logarithmic=True)
    rows = errors_over_budgets(_trees(options), options.queries)
    budgets = [row["budget us"] for row in rows]
    plot.add("time-critical", budgets, [row["time-critical wrong %"] for row in rows])
    plot.add("exact, cut off", budgets, [row["exact, cut off, wrong %"] for row in rows])
    ends = budgets[0], budgets[-1]
    published = "Klein, Zachmann 2003: 1.54 to 2.10 %, without budget"
    return plot.paper(published, (*ends, *ends[::-1]), [1.54, 1.54, 2.1, 2.1])


def _clouds(options: argparse.Namespace) -> Plot:
    plot = Plot("Point clouds: other answers than the meshes'", "distance", "other answers, %")
    for name, kind, mesh in load_shapes(["bumpy", "grid", "sheet"], []):
        queries = sweep(prepare(name, kind, mesh, options.size), 12)
        at = sorted({query.distance for query in queries})
        wrong = [[query.truth != query.answer for query in queries if query.distance == one] for one in at]
        plot.add(name, at, [100.0 * float(np.mean(some)) for some in wrong])
    return plot.paper(
        "Klein, Zachmann 2004, closed: .64 to 1.2 % over all distances", [0.6, 2.0, 2.0, 0.6], [0.64, 0.64, 1.2, 1.2]
    )


def _voxels(_options: argparse.Namespace) -> Plot:
    plot = Plot("Marking all voxels, 256 along a side", "triangles, thousands", "ms")
    counts, paper = (654_666, 871_326, 1_087_514, 1_765_388), (68.0, 70.0, 78.0, 95.0)
    meshes, thousands = [TriangleMesh(*bumpy_sphere(count, 1)) for count in counts], [1e-3 * count for count in counts]
    plot.add("ours, one core", thousands, [1e3 * _fastest(partial(voxelise, mesh, resolution=256)) for mesh in meshes])
    return plot.paper("Chen et al. 2004, GPU", thousands, paper)


def _levels(options: argparse.Namespace) -> Plot:
    plot = Plot("Levels of a clustered mesh", "error, share of the width, %", "triangles, % of all", logarithmic=True)
    shares = (0.005, 0.01, 0.02, 0.04, 0.1, 0.2, 0.5, 1.0, 2.0)
    for name, make in MAKERS.items():
        vertices, triangles = make(5 * options.size, 1)
        with (
            tempfile.TemporaryDirectory() as folder,
            ClusteredMesh.build((vertices, triangles), Path(folder) / "a.mcl") as mesh,
            MeshLevels.build(mesh) as levels,
        ):
            width = float(np.ptp(mesh.bounds, axis=0).max())
            counts = [levels.level(0.01 * share * width).triangle_count for share in shares]
        plot.add(name, shares, [100.0 * count / len(triangles) for count in counts])
    return plot.paper("Yoon et al. 2004 ran with .04 %", [0.04, 0.04], [0.0, 100.0])


def _closest(_options: argparse.Namespace) -> Plot:
    plot = Plot("Closest features, a degree a frame", "faces", "us a frame", logarithmic=True)
    faces, times = [], []
    asked = "closest features", "distance from the last one", "collides"
    for count in (20, 200, 2_000, 10_000):
        points = np.random.default_rng(1).normal(size=(count, 3))
        hull = ConvexHull(points / np.linalg.norm(points, axis=1)[:, None])
        tree, found, last, taken = build(TriangleMesh(hull.vertices, hull.faces)), None, None, []
        for degree in range(180):
            turn, pose = np.radians(degree), np.eye(4)
            pose[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
            pose[:3, 3] = 2.5, 0.3, 0.1
            begun = time.thread_time()
            found = closest_features(hull, hull, None, pose, start=found)
            walked = time.thread_time()
            last = distance(tree, tree, None, pose, start=last)
            measured = time.thread_time()
            collides(tree, tree, None, pose)
            taken.append(np.diff([begun, walked, measured, time.thread_time()]))
        faces.append(len(hull.faces))
        times.append(1e6 * np.median(taken, axis=0))
    for name, curve in zip(asked, np.transpose(times).tolist(), strict=True):
        plot.add(name, faces, curve)
    print(f"{faces} faces, us ({', '.join(asked)}): {np.round(times, 1).tolist()}")
    return plot.paper("Lin, Canny 1991: a level line", [faces[0], faces[-1]], [times[0][0], times[0][0]])


def _tumbling(_options: argparse.Namespace) -> Plot:
    plot = Plot("18-DOP of a tumbling ball, a degree a frame", "vertices", "us a frame", logarithmic=True)
    turn, counts, taken = np.radians(1.0), (100, 1_000, 10_000, 30_000), []
    step = np.array([[np.cos(turn), -np.sin(turn), 0.0], [np.sin(turn), np.cos(turn), 0.0], [0.0, 0.0, 1.0]])
    steps = [step[np.ix_(axes, axes)] for axes in ([0, 1, 2], [1, 2, 0])]
    turns = [np.eye(3)]
    for number in range(180):
        turns.append(steps[number % 2] @ turns[-1])
    for count in counts:
        points = np.random.default_rng(1).normal(size=(count, 3))
        polytope = ClimbingPolytope(points / np.linalg.norm(points, axis=1)[:, None], 9)
        sides = (polytope.turned, partial(_fitted, polytope.hull.vertices))
        taken.append([1e6 / len(turns) * _fastest(partial(_each, side, turns)) for side in sides])
    for name, times in zip(("climbing", "fitted anew"), zip(*taken, strict=True), strict=True):
        plot.add(name, counts, times)
    print(f"18-DOP, {counts} vertices, us (climbing, fitted anew): {np.round(taken, 1).tolist()}")
    return plot


def _octree_spheres(options: argparse.Namespace) -> Plot:
    plot = Plot(
        "Octree sphere trees: meshes apart that may meet", "cells along the side", "may meet, %", logarithmic=True
    )
    sides = (4, 8, 16, 32, 64)
    for name, make in MAKERS.items():
        tree, rng = build(TriangleMesh(*make(options.size, 1))), np.random.default_rng(1)
        poses = np.repeat(np.eye(4)[None], 200, axis=0)
        turns = np.linalg.qr(rng.normal(size=(len(poses), 3, 3)))[0]
        poses[:, :3, :3] = turns * np.linalg.det(turns)[:, None, None]
        poses[:, 0, 3] = rng.uniform(0.5, 1.5, len(poses)) * np.ptp(tree.mesh.bounds, axis=0).max()
        apart = poses[~np.asarray(collides(tree, tree, None, poses))]
        shares, tests = [], []
        for side in sides:
            spheres = octree_spheres(tree, side)
            found = [meeting_spheres(spheres, spheres, pose) for pose in apart]
            shares.append(100.0 * float(np.mean([len(pairs) > 0 for pairs, _ in found])))
            tests.append(round(float(np.mean([count for _, count in found]))))
        plot.add(name, sides, shares)
        print(f"{name}: {len(apart)} poses apart, may meet % {np.round(shares, 1).tolist()}, tests {tests}")
    return plot


def _each(ask: Callable[[np.ndarray], object], turns: list[np.ndarray]) -> None:
    for turn in turns:
        ask(turn)


@kernel
def _fit(vertices, turn, volume):
    clear(volume)
    for i in range(vertices.shape[0]):
        x, y, z = vertices[i]
        extend(
            volume,
            turn[0, 0] * x + turn[0, 1] * y + turn[0, 2] * z,
            turn[1, 0] * x + turn[1, 1] * y + turn[1, 2] * z,
            turn[2, 0] * x + turn[2, 1] * y + turn[2, 2] * z,
        )


def _fitted(vertices: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """The 18-DOP of turned vertices, by a look at all of them."""
    volume = np.empty(18, np.float32)
    _fit(vertices, np.ascontiguousarray(turn), volume)
    return volume


def _fastest(ask: Callable[[], object]) -> float:
    taken = []
    for _ in range(3):
        begun = time.process_time()
        ask()
        taken.append(time.process_time() - begun)
    return min(taken)
