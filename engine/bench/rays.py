"""Rays against models beside embreex and Open3D: rates on one core, crossings and parity against fractions."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import meshclash as mc
import numpy as np
from oracles.ray_oracle import crossings_of

from .peers import installed
from .ray_models import add_models, models
from .timing import called, compare, one_core

Made = tuple[np.ndarray, np.ndarray]
_BATCH = 1 << 18
"""Rays in memory at a time, for the parity."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    add_models(parser)
    parser.add_argument("--rays", type=int, default=200_000, help="of each kind, for the times; 0: none")
    parser.add_argument("--exact", type=int, default=1_000_000, help="through edges and vertices, for the parity")
    parser.add_argument("--fractions", type=int, default=300, help="of these, judged by fractions")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> int:
    """Print ratios of rates and counts of differences; 1 where a crossing or a parity is wrong."""
    wrong = 0
    for name, mesh in models(options):
        rng = np.random.default_rng(options.seed)
        for kind, make in (("random", random_rays), ("camera", camera_rays)) if options.rays else ():
            _print_times(f"{name} {kind}", mesh, make(mesh, rng, options.rays), options.runs)
        wrong += _print_parity(name, mesh, rng, options)
    return 1 if wrong else 0


def random_rays(mesh: mc.TriangleMesh, rng: np.random.Generator, count: int) -> Made:
    """From anywhere in and around the box of a mesh, in all directions."""
    low, high = mesh.bounds
    return rng.uniform(low - 0.2 * (high - low), high + 0.2 * (high - low), (count, 3)), rng.normal(size=(count, 3))


def camera_rays(mesh: mc.TriangleMesh, rng: np.random.Generator, count: int) -> Made:
    """From one point in front of a mesh, row by row."""
    low, high = mesh.bounds
    size, eye = float((high - low).max()), 0.5 * (low + high) + np.array([0.0, 0.0, 1.5 * float((high - low).max())])
    side = max(1, int(count**0.5))
    x, y = (part.ravel() for part in np.meshgrid(*[np.linspace(-0.6, 0.6, side)] * 2))
    targets = np.stack([x * size, y * size, np.full(len(x), -1.5 * size)], axis=1)
    return np.tile(eye, (len(x), 1)), targets


def special_rays(mesh: mc.TriangleMesh, rng: np.random.Generator, count: int) -> Made:
    """Through vertices, points of edges and faces, of coordinates that float32 holds: directions are exact."""
    corners = mesh.vertices[mesh.triangles[rng.integers(0, mesh.triangle_count, count)]]
    places = rng.integers(0, 3, count)
    targets = np.where((places == 0)[:, None], corners[:, 0], 0.5 * (corners[:, 0] + corners[:, 1]))
    targets[places == 2] = corners[places == 2].mean(axis=1)
    size = float(np.ptp(mesh.bounds, axis=0).max())
    unit = 2.0 ** np.floor(np.log2(size) - 18.0)
    targets = np.round(targets / (unit / 2.0**20)) * (unit / 2.0**20)
    ways = rng.integers(-3, 4, (count, 3)).astype(float)
    ways[~ways.any(axis=1), 0] = 1.0
    steps = rng.integers(1, 1 << 18, (count, 1)) * unit
    return targets - steps * ways, ways


def _print_times(name: str, mesh: mc.TriangleMesh, rays: Made, runs: int) -> None:
    first = mc.ray_first(mesh, *rays, threads=1)
    with one_core():
        sides = {"meshclash": called(lambda: int(mc.ray_first(mesh, *rays, threads=1).hit.sum()))}
        asks: dict[str, Callable[[], Any]] = {
            ask.__qualname__.partition(".")[0].lstrip("_"): ask for ask in installed((_embreex, _open3d), mesh, *rays)
        }
        sides.update({side: called(lambda ask=ask: int((ask() >= 0).sum())) for side, ask in asks.items()})
        found = compare(sides, runs)
    own = found["meshclash"].seconds
    rates = ", ".join(f"{side} {timing.seconds / own:.2f}" for side, timing in found.items() if side != "meshclash")
    print(f"{name}: {len(rays[0]) / own / 1e6:.2f} M rays/s; rate beside {rates or 'nothing'}")
    for side, ask in asks.items():
        other = np.flatnonzero(np.asarray(ask()) != first.triangle)
        ours = sum(_is_first(mesh, rays, first, k) for k in other[:100].tolist())
        print(f"  {side}: {len(other)} other answers; ours right by fractions in {ours} of {min(len(other), 100)}")


def _is_first(mesh: mc.TriangleMesh, rays: Made, first: mc.RayHits, k: int) -> bool:
    """Whether our first triangle is one of the nearest by fractions, up to the rounding of distances."""
    crossed = {t: float(way) for t, way in crossings_of(rays[0][k], rays[1][k], mesh.corners_of(slice(None)))}
    if not crossed:
        return int(first.triangle[k]) == -1
    return crossed.get(int(first.triangle[k]), np.inf) <= min(crossed.values()) * (1.0 + 1e-9)


def _print_parity(name: str, mesh: mc.TriangleMesh, rng: np.random.Generator, options: argparse.Namespace) -> int:
    """How many rays of a closed mesh have a wrong parity or, of a sample, other crossings than by fractions."""
    if not mesh.is_closed or not options.exact:
        return 0
    begun, corners = time.process_time(), mesh.corners_of(slice(None))
    wrong = left_out = other = judged = 0
    for begin in range(0, options.exact, _BATCH):
        count = min(_BATCH, options.exact - begin)
        rays = special_rays(mesh, rng, count)
        off, bad = _parity(mesh, rays)
        wrong, left_out = wrong + bad, left_out + int((~off).sum())
        share = (begin + count) * options.fractions // options.exact - judged
        other += _differing(mesh, rays, corners, rng.choice(count, min(share, count), replace=False))
        judged += min(share, count)
    print(f"{name}: {options.exact} rays through edges and vertices, {wrong} of wrong parity ({left_out} from the "
          f"surface left out); {other} of {judged} differ from fractions; {time.process_time() - begun:.0f} s",
          flush=True)  # fmt: skip
    return wrong + other


def _parity(mesh: mc.TriangleMesh, rays: Made) -> tuple[np.ndarray, int]:
    """Which rays do not start on the surface, and how many of these have a wrong parity, here or backwards."""
    counts, back = (mc.ray_count(mesh, rays[0], sign * rays[1]) for sign in (1.0, -1.0))
    off = mc.signed_distance(mesh, rays[0]).distance != 0.0
    inside = np.round(mc.winding_number(mesh, rays[0])) % 2 == 1
    return off, int(((counts % 2 == 1) != inside)[off].sum() + ((counts + back) % 2 != 0)[off].sum())


def _differing(mesh: mc.TriangleMesh, rays: Made, corners: np.ndarray, chosen: np.ndarray) -> int:
    """How many of the chosen rays have other crossings than by fractions."""
    every = mc.ray_all(mesh, rays[0][chosen], rays[1][chosen])
    met: list[set[int]] = [set() for _ in chosen]
    for place, triangle in zip(every.ray.tolist(), every.triangle.tolist(), strict=True):
        met[place].add(triangle)
    told = ({t for t, _ in crossings_of(rays[0][k], rays[1][k], corners)} for k in chosen.tolist())
    return sum(ours != theirs for ours, theirs in zip(met, told, strict=True))


def _embreex(mesh: mc.TriangleMesh, starts: np.ndarray, ways: np.ndarray) -> Any:
    from embreex import rtcore_scene
    from embreex.mesh_construction import TriangleMesh

    scene = rtcore_scene.EmbreeScene()
    TriangleMesh(scene, mesh.vertices[mesh.triangles].astype(np.float32))
    origins, directions = starts.astype(np.float32), ways.astype(np.float32)
    return lambda: scene.run(origins, directions)


def _open3d(mesh: mc.TriangleMesh, starts: np.ndarray, ways: np.ndarray) -> Any:
    import open3d

    scene = open3d.t.geometry.RaycastingScene(nthreads=1)
    core = open3d.core.Tensor
    scene.add_triangles(core(mesh.vertices.astype(np.float32)), core(mesh.triangles.astype(np.uint32)))
    rays = core(np.concatenate([starts, ways], axis=1).astype(np.float32))

    def _open3d_ask() -> np.ndarray:
        found = scene.cast_rays(rays)["primitive_ids"].numpy()
        return np.where(found == scene.INVALID_ID, -1, found.astype(np.int64))

    return _open3d_ask
