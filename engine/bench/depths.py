"""Depths of overlaps: boxes against rational truth, and real models against branch and bound.

Boxes overlap by some units in the last place, or up to half, at several sizes, near and far from the origin, in both
orders. Models overlap in random poses: half of them laid against each other and pushed in by 0.2 to 5 % of their size,
half anywhere. ``depth_oracle.py`` says between which lengths the truth lies; both the first bounds of a verdict and the
refined ones have to contain it, and refined ones have to be within a tenth. A pair is decided by seed and number.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from meshclash import Hierarchy, TriangleMesh, Verdict, build, verdict
from meshclash.types.pose import transform_points
from oracles.depth_oracle import LargestBall, depths_in, largest_ball
from oracles.mesh_exactness import CUBE_CORNERS, CUBE_TRIANGLES
from oracles.mesh_files import read_mesh

from .table import format_table

SUFFIXES = (".npz", ".obj", ".ply", ".stl")
_PUSHED_IN = (0.002, 0.005, 0.02, 0.05)
_SIZES, _PLACES = (1e-3, 1.0, 1e3), (0.0, -1.0, 1e6)
_ASKED = {"first": True, "refined": "exact"}  # name -> depth of a verdict
_REFINED = 0.1  # of the upper bound: what refined bounds may differ by
_MOST_WIDE = 0.01  # share of pairs whose refined bounds may differ by more
_BEYOND = 1.0 + 1e-9
_SHOWN = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--boxes", type=int, default=20000, metavar="N", help="pairs of boxes (default 20000)")
    parser.add_argument("--models", type=Path, nargs="*", default=[], metavar="FILE", help="closed ones, or folders")
    parser.add_argument("--pairs", type=int, default=200, metavar="N", help="pairs of models (default 200)")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first pair of models")
    parser.add_argument("--seed", type=int, default=0)


def run(options: argparse.Namespace) -> int:
    """Prints what was found; 1 where an answer is wrong, or refined bounds are wide, 2 without closed models."""
    failed = _check_boxes(options.boxes, np.random.default_rng(options.seed)) > 0
    if options.models:
        meshes = _closed_models(options.models)
        if not meshes:
            print("error: none of the models is closed")
            return 2
        failed |= _compare_models(meshes, options)
    return int(failed)


def _check_boxes(count: int, rng: np.random.Generator) -> int:
    """How many pairs of boxes have a wrong verdict, bound or permission."""
    wrong = 0
    for _ in range(count):
        size, place = rng.choice(_SIZES), rng.choice(_PLACES)
        low = place + CUBE_CORNERS[0] * size
        high = low + size
        overlap = rng.integers(1, 1000) * np.spacing(high[0]) if rng.random() < 0.5 else size * rng.uniform(1e-12, 0.5)
        shift = np.array([high[0] - overlap - low[0], *(size * rng.choice([0.0, 0.1, 0.25, 0.7], 2))])
        corners = [start + (stop - start) * CUBE_CORNERS for start, stop in ((low, high), (low + shift, high + shift))]
        wrong += not _box_is_right(*corners)
    print(f"boxes: {count} pairs in both orders, {wrong} wrong")
    return wrong


def _box_is_right(corners_a: np.ndarray, corners_b: np.ndarray) -> bool:
    lows, highs = (np.array([f(c, axis=0) for c in (corners_a, corners_b)]) for f in (np.min, np.max))
    ends = zip(highs.min(axis=0).tolist(), lows.max(axis=0).tolist(), strict=True)
    truth = min(Fraction(high) - Fraction(low) for high, low in ends)
    if truth <= 0:
        return True
    a, b = (TriangleMesh(corners, CUBE_TRIANGLES) for corners in (corners_a, corners_b))
    for pair in ((a, b), (b, a)):
        found = verdict(*pair)
        permitted = [verdict(*pair, permitted_overlap=float(truth) * factor).name for factor in (0.999999, 1.000001)]
        lower, upper = found.depth_lower, found.depth_upper
        if found != Verdict.CLASH or permitted != ["CLASH", "TOUCHING"] or lower is None or upper is None:
            return False
        if not Fraction(lower) <= truth <= Fraction(upper) or lower < float(truth) * (1 - 1e-9):
            return False
    return True


def _compare_models(meshes: list[TriangleMesh], options: argparse.Namespace) -> bool:
    """Prints how bounds of overlapping pairs lie about the truth; whether one is wrong, or too many are wide."""
    hierarchies = [build(mesh) for mesh in meshes]
    numbers = range(options.first, options.first + options.pairs)
    pairs = [_judged_pair(hierarchies, options.seed, number) for number in numbers]
    failed = False
    for name in _ASKED:
        answers = [pair[name] for pair in pairs]
        shares = np.array([answer.lower / answer.upper for answer in answers])
        times = np.array([answer.extra for answer in answers])
        wide = float(np.mean(shares < 1 - _REFINED))
        wrong = [pair for pair in pairs if not pair[name].holds(pair["truth"])]
        failed |= bool(wrong) or (name == "refined" and wide > _MOST_WIDE)
        quantiles = {f"{q:g} %": float(np.quantile(shares, q / 100)) for q in (1, 10, 50, 90, 99)}
        print(f"\n{name} bounds, lower / upper")
        print(format_table([{
            "pairs": len(pairs), "wrong": len(wrong), **quantiles, "wider than 10 % [%]": 100 * wide,
            "no ball [%]": 100 * float(np.mean(shares == 0.0)),
            "median ms": 1e3 * float(np.median(times)), "p90 ms": 1e3 * float(np.quantile(times, 0.9)),
        }]))  # fmt: skip
        for pair in wrong[:_SHOWN]:
            print(f"pair --first {pair['number']}: {pair[name]}, truth {pair['truth']}")
    queries = [pair["truth"].queries for pair in pairs]
    open_ones = np.mean([pair["truth"].most > 1.1 * pair["truth"].found for pair in pairs])
    plain = 1e3 * float(np.median([pair["seconds"] for pair in pairs]))
    print(f"\nverdicts without depths: {plain:.3f} ms in the median; times of bounds are what they take more")
    print(f"branch and bound: {np.median(queries):.0f} points in the median, {100 * open_ones:.2f} % not within 10 %")
    return failed


@dataclass(frozen=True)
class _Bounds:
    """What a verdict stated [m], and the seconds that it took more than one without."""

    depth: float | None
    lower: float
    upper: float
    extra: float

    def holds(self, truth: LargestBall) -> bool:
        """Whether the bounds can be those of the largest ball, and contain the stated depth."""
        stated = self.depth is None or self.lower <= self.depth <= self.upper
        return stated and self.lower <= truth.most * _BEYOND and truth.found <= self.upper * _BEYOND


def _judged_pair(hierarchies: list[Hierarchy], seed: int, number: int) -> dict[str, Any]:
    """Bounds and truth of the pair with a number: the first placement whose solids overlap."""
    rng = np.random.default_rng([seed, number])
    while True:
        a, b = (hierarchies[i] for i in rng.integers(0, len(hierarchies), 2))
        pose = _pose(a.mesh, b.mesh, rng, number)
        seconds, found = _timed(a, b, pose, False)
        if found >= Verdict.CONTAINED:
            break
    answers = {}
    for name, depth in _ASKED.items():
        took, said = _timed(a, b, pose, depth)
        if said.depth_lower is None or said.depth_upper is None:
            raise ArithmeticError(f"pair {number} has no bounds: {said.depth_lower} to {said.depth_upper}")
        answers[name] = _Bounds(said.depth, said.depth_lower, said.depth_upper, took - seconds)
    bounds = [a.mesh.bounds, np.stack([f(transform_points(pose, b.mesh.vertices), axis=0) for f in (np.min, np.max)])]
    low, high = np.maximum(bounds[0][0], bounds[1][0]), np.minimum(bounds[0][1], bounds[1][1])
    truth = largest_ball(depths_in(a, b, pose), low, high, rng)
    return {"number": number, "seconds": seconds, "truth": truth, **answers}


def _timed(a: Hierarchy, b: Hierarchy, pose: np.ndarray, depth: Any) -> tuple[float, Verdict]:
    """Seconds of processor time, the lesser of two calls, and the verdict."""
    times = []
    for _ in range(2):
        begin = time.process_time()
        found = verdict(a, b, pose_b=pose, depth=depth, threads=1)
        times.append(time.process_time() - begin)
    return min(times), found


def _closed_models(paths: list[Path]) -> list[TriangleMesh]:
    """The closed ones of files and of what folders hold, of diagonal 1 about the origin."""
    files = [file for path in paths for file in (sorted(path.iterdir()) if path.is_dir() else [path])]
    meshes = []
    for path in (file for file in files if file.suffix in SUFFIXES):
        vertices, triangles = read_mesh(path)
        mesh = TriangleMesh((vertices - vertices.mean(axis=0)) / np.linalg.norm(np.ptp(vertices, axis=0)), triangles)
        if mesh.is_closed:
            meshes.append(mesh)
        else:
            print(f"{path.stem} is left out: it is not closed")
    return meshes


def _pose(a: TriangleMesh, b: TriangleMesh, rng: np.random.Generator, number: int) -> np.ndarray:
    """A pose (4, 4) of b: laid against a and pushed in, or anywhere near a point of its surface."""
    (p, n), (q, m) = (surface_point(mesh, rng) for mesh in (a, b))
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    shift = turn[0] * rng.uniform(0.0, 0.15)
    if number % 2 == 0:
        half = m - n  # turned by half a turn about the middle of both directions, m goes to -n
        length = float(half @ half)
        turn = 2.0 * np.outer(half, half) / length - np.eye(3) if length > 1e-12 else np.diag([1.0, -1.0, -1.0])
        shift = -_PUSHED_IN[number // 2 % len(_PUSHED_IN)] * n
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn, p + shift - turn @ q
    return pose


def surface_point(mesh: TriangleMesh, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A random point of a surface and the unit normal there."""
    corners = mesh.vertices[mesh.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    chosen = rng.choice(len(corners), p=areas / areas.sum())
    return rng.dirichlet((1, 1, 1)) @ corners[chosen], normals[chosen] / areas[chosen]
