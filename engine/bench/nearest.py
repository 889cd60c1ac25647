"""Nearest points, signed distances and sides of points beside Open3D, libigl and trimesh, on one core.

Prints rates, the largest differences, and the numbers of points on whose side both disagree: Open3D casts one ray in
float32, MeshClash decides exactly. Signs are compared for closed models only.
"""

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
    parser.add_argument("--without", action="append", default=[], help="a library to leave out: trimesh takes minutes")


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
            wrong += _print_times(f"{name} {kind}", mesh, points, options, size)
            if mesh.is_closed:
                _print_sides(f"{name} {kind}", mesh, points, options.runs)
    return 1 if wrong else 0


def _print_times(name: str, mesh: mc.TriangleMesh, points: np.ndarray, options: argparse.Namespace, size: float) -> int:
    """The number of distances that are too large."""
    own = mc.nearest(mesh, points, threads=1).distance
    makers = [make for make in (_open3d, _igl, _trimesh) if make.__name__.lstrip("_") not in options.without]
    asks = {ask.__qualname__.partition(".")[0].lstrip("_"): ask for ask in installed(makers, mesh, points)}
    with one_core():
        sides = {"meshclash": called(lambda: len(mc.nearest(mesh, points, threads=1)))}
        sides.update({side: called(lambda ask=ask: len(ask())) for side, ask in asks.items()})
        found = compare(sides, options.runs, once={"trimesh"})
    ours = found["meshclash"].seconds
    rates = ", ".join(f"{side} {timing.seconds / ours:.1f}" for side, timing in found.items() if side != "meshclash")
    print(f"{name}: {ours / len(points) * 1e6:.2f} us a point; times faster than {rates or 'nothing'}")
    wrong = 0
    for side, ask in asks.items():
        difference = own - np.asarray(ask(), float)
        wrong += int((difference > 1e-5 * size).sum())
        print(f"  {side}: differs by at most {np.abs(difference).max() / size:.1e} of the diagonal")
    return wrong


def _print_sides(name: str, mesh: mc.TriangleMesh, points: np.ndarray, runs: int) -> None:
    """Signed distances and sides beside Open3D's."""
    for text, own, make in (
        ("signed distance", lambda: mc.signed_distance(mesh, points, threads=1).distance, _open3d_signed),
        ("inside", lambda: mc.contains(mesh, points, threads=1), _open3d_inside),
    ):
        for ask in installed((make,), mesh, points):
            with one_core():
                sides = {"own": called(lambda own=own: len(own())), "peer": called(lambda ask=ask: len(ask()))}
                found = compare(sides, runs)
            inside = [told <= 0.0 if told.dtype != np.bool_ else told for told in (own(), np.asarray(ask()))]
            differ, seconds = int((inside[0] != inside[1]).sum()), found["own"].seconds
            times = found["peer"].seconds / seconds
            rate = seconds / len(points) * 1e6
            print(f"{name}, {text}: {rate:.2f} us a point; times faster than Open3D {times:.1f}; {differ} sides differ")


def _open3d_scene(mesh: mc.TriangleMesh, points: np.ndarray) -> tuple[Any, Any]:
    import open3d

    scene = open3d.t.geometry.RaycastingScene(nthreads=1)
    core = open3d.core.Tensor
    scene.add_triangles(core(mesh.vertices.astype(np.float32)), core(mesh.triangles.astype(np.uint32)))
    return scene, core(points.astype(np.float32))


def _open3d_signed(mesh: mc.TriangleMesh, points: np.ndarray) -> Any:
    scene, asked = _open3d_scene(mesh, points)
    return lambda: scene.compute_signed_distance(asked).numpy()


def _open3d_inside(mesh: mc.TriangleMesh, points: np.ndarray) -> Any:
    scene, asked = _open3d_scene(mesh, points)
    return lambda: scene.compute_occupancy(asked).numpy() > 0.5


def _open3d(mesh: mc.TriangleMesh, points: np.ndarray) -> Any:
    scene, asked = _open3d_scene(mesh, points)
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
