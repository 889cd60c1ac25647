"""Common solids of closed pairs beside their truth, proved bounds of their volumes, and balls proved to lie in both.

Half of the pairs are convex, turned and up to 10 km from the origin: their truth is the volume of the hull of the
corners that their half-spaces have in common (SciPy's qhull). The others are models, laid against each other as in
`bench volumes`: voxels prove how much they have in common at least and at most. Every tenth pair has a hole, which
must be said.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from meshclash import NotASolid, TriangleMesh, verdict
from meshclash.clash import interference
from meshclash.types.pose import transform_points
from meshclash.voxels import voxel_collide
from oracles.motion_scenes import random_rotation

from .tally import Tally
from .volumes import closed_models, laid_pair

FAR = (0.0, 1.0, 100.0, 1e4)
WITHIN = 1e-9
"""Share of the smaller solid's box by which a volume may differ: its sums are of double precision."""
RESOLUTION = 64
SHOWN = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("models", nargs="+", type=Path, metavar="FILE", help="models or folders of them")
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> int:
    """Prints what was found; 1 where a volume is beyond its bounds and is not said to be, 2 without what it needs."""
    try:
        import manifold3d
        import scipy.spatial  # noqa: F401
    except ImportError as error:
        print(f"this bench needs manifold3d and scipy: {error}")
        return 2
    models = closed_models(manifold3d, options.models)
    if not models:
        print("error: none of the models is closed")
        return 2
    tally = Tally({"bench": "interference"}, None)
    for number in range(options.pairs):
        rng = np.random.default_rng([options.seed, number])
        if number % 2:
            first, second, pose = laid_pair(models, rng, number // 2)
            pair = first.mesh, second.mesh, np.vstack([pose, [0, 0, 0, 1]])
        else:
            pair = _convex_pair(rng)
        _compare(tally, number, *pair)
    tally.portion_done(last=True)
    print(*tally.notes, sep="\n", end="\n" if tally.notes else "")
    text = ", ".join(f"{name} {count}" for name, count in sorted(tally.counts.items()))
    print(f"{options.pairs} pairs in {tally.total_seconds():.0f} s: {text}")
    return int(tally.counts["beyond bounds"] > 0)


def _convex_pair(rng: np.random.Generator) -> tuple[TriangleMesh, TriangleMesh, np.ndarray]:
    """Two convex solids of about 1 m, and the pose of the second one."""
    from scipy.spatial import ConvexHull

    meshes = []
    far = rng.normal(size=3) * float(rng.choice(FAR))
    for _ in range(2):
        hull = ConvexHull(rng.normal(size=(int(rng.integers(4, 40)), 3)) * rng.uniform(0.1, 1.0, 3))
        triangles, used = hull.simplices, hull.vertices
        place = np.zeros(len(hull.points), np.int64)
        place[used] = np.arange(len(used))
        corners = hull.points[triangles]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        turned = (normals * hull.equations[:, :3]).sum(axis=1) < 0.0
        triangles = np.where(turned[:, None], triangles[:, ::-1], triangles)
        meshes.append(TriangleMesh(hull.points[used] + far, place[triangles]))
    pose = np.eye(4)
    pose[:3, :3] = random_rotation(rng)
    pose[:3, 3] = far - pose[:3, :3] @ far + rng.normal(size=3) * 0.4
    return meshes[0], meshes[1], pose


def _convex_volume(a: np.ndarray, b: np.ndarray) -> float:
    """The volume that the hulls of two sets of points have in common, by half-spaces [m3]."""
    from scipy.optimize import linprog
    from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

    origin = 0.5 * (np.maximum(a.min(axis=0), b.min(axis=0)) + np.minimum(a.max(axis=0), b.max(axis=0)))
    planes = np.vstack([ConvexHull(points - origin).equations for points in (a, b)])
    deepest = linprog([0, 0, 0, -1], np.column_stack([planes[:, :3], np.ones(len(planes))]), -planes[:, 3],
                      bounds=[(None, None)] * 3 + [(0, None)])  # fmt: skip
    if deepest.status != 0 or deepest.x[3] < 1e-7:
        return 0.0
    try:
        return float(ConvexHull(HalfspaceIntersection(planes, deepest.x[:3]).intersections).volume)
    except QhullError:
        return 0.0


def _compare(tally: Tally, number: int, a: TriangleMesh, b: TriangleMesh, pose: np.ndarray) -> None:
    """Counts what the common solid of a pair says beside its bounds."""
    counts = tally.counts
    placed = transform_points(pose[:3], b.vertices)
    if number % 10 == 9:
        try:
            interference(a, TriangleMesh(b.vertices, b.triangles[1:]), None, pose)
            counts["beyond bounds"] += 1
        except NotASolid:
            counts["holes said"] += 1
        return
    try:
        found = interference(a, b, None, pose)
    except NotASolid:
        counts["said to be unknown"] += 1
        return
    size = min(float(np.ptp(points, axis=0).prod()) for points in (a.vertices, placed))
    if number % 2:
        low, high = voxel_collide(a, b, None, pose, resolution=RESOLUTION, mode="solid").overlap_volume
    else:
        low = high = _convex_volume(a.vertices, placed)
    said = verdict(a, b, None, pose)
    counts["models" if number % 2 else "convex"] += 1
    counts["with volume"] += found.volume > 0.0
    counts["no volume, by verdict and solid"] += found.volume == 0.0 and said.name in ("APART", "TOUCHING")
    beyond = max(low - found.volume, found.volume - high) / size
    if beyond > WITHIN or found.contradicts(said.depth_lower):
        told = found.contradicts(said.depth_lower)
        counts["contradiction said" if told else "beyond bounds"] += 1
        if len(tally.notes) < SHOWN:
            tally.notes.append(f"{number}: {found.volume:.6g} of {low:.6g} to {high:.6g}, {said.name}, {beyond:.2g}")
