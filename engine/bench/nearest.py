"""Nearest points of models beside Open3D, libigl and trimesh, on one core: rates and the largest difference."""

from __future__ import annotations

import argparse
from typing import Any

import meshclash as mc
import numpy as np

from .peers import installed
from .ray_models import add_models, models
from .timing import called, compare, one_core


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    add_models(parser)
    parser.add_argument("--points", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> int:
    """Print rates and differences; 1 where a distance of ours is larger than another library's, beyond float32."""
    wrong = 0
    for name, mesh in models(options):
        rng = np.random.default_rng(options.seed)
        low, high = mesh.bounds
        size = float(np.linalg.norm(high - low))
        anywhere = rng.uniform(low - 0.2 * (high - low), high + 0.2 * (high - low), (options.points, 3))
        chosen = mesh.triangles[rng.integers(0, mesh.triangle_count, options.points)]
        beside = mesh.vertices[chosen].mean(axis=1) + 0.002 * size * rng.normal(size=(options.points, 3))
        for kind, points in (("anywhere", anywhere), ("near the surface", beside)):
            wrong += _print_times(f"{name} {kind}", mesh, points, options.runs, size)
    return 1 if wrong else 0


def _print_times(name: str, mesh: mc.TriangleMesh, points: np.ndarray, runs: int, size: float) -> int:
    """The number of distances that are too large."""
    own = mc.nearest(mesh, points, threads=1).distance
    asks = {
        ask.__qualname__.partition(".")[0].lstrip("_"): ask
        for ask in installed((_open3d, _igl, _trimesh), mesh, points)
    }
    with one_core():
        sides = {"meshclash": called(lambda: len(mc.nearest(mesh, points, threads=1)))}
        sides.update({side: called(lambda ask=ask: len(ask())) for side, ask in asks.items()})
        found = compare(sides, runs, once={"trimesh"})
    ours = found["meshclash"].seconds
    rates = ", ".join(f"{side} {timing.seconds / ours:.1f}" for side, timing in found.items() if side != "meshclash")
    print(f"{name}: {ours / len(points) * 1e6:.2f} us a point; times faster than {rates or 'nothing'}")
    wrong = 0
    for side, ask in asks.items():
        difference = own - np.asarray(ask(), float)
        wrong += int((difference > 1e-5 * size).sum())
        print(f"  {side}: differs by at most {np.abs(difference).max() / size:.1e} of the diagonal")
    return wrong


def _open3d(mesh: mc.TriangleMesh, points: np.ndarray) -> Any:
    import open3d

    scene = open3d.t.geometry.RaycastingScene(nthreads=1)
    core = open3d.core.Tensor
    scene.add_triangles(core(mesh.vertices.astype(np.float32)), core(mesh.triangles.astype(np.uint32)))
    asked = core(points.astype(np.float32))
    return lambda: np.linalg.norm(scene.compute_closest_points(asked)["points"].numpy() - points, axis=1)


def _igl(mesh: mc.TriangleMesh, points: np.ndarray) -> Any:
    import igl

    tree = igl.AABB()
    vertices, triangles = np.array(mesh.vertices), np.array(mesh.triangles)
    tree.init(vertices, triangles)
    return lambda: np.sqrt(tree.squared_distance(vertices, triangles, points)[0])


def _trimesh(mesh: mc.TriangleMesh, points: np.ndarray) -> Any:
    import trimesh

    made = trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)
    return lambda: trimesh.proximity.closest_point(made, points)[1]
