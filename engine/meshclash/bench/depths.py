"""Depths of overlaps: boxes against rational truth, and real models against the best of many searches.

Boxes overlap by some units in the last place, or up to half, at several sizes, near and far from the origin, in both
orders. Models overlap in random poses: half of them laid against each other and pushed in by 0.2 to 5 % of their size,
half anywhere; the search is repeated from each of 64 parts of the contacts, and the largest ball of all is what one
search is compared with.
"""

from __future__ import annotations

import argparse
import time
from fractions import Fraction
from pathlib import Path

import numpy as np

from .. import TriangleMesh, Verdict, verdict
from ..answering.answer import answer_steps
from ..hierarchy.build import as_boxes
from ..solid.case import Case
from ..solid.measure import DEPTH, LOWER, box_overlaps, depth_steps
from ..solid.middles import middle_steps
from ..solid.solids import gather_solids
from ..traversal.bounds import world_bounds
from ..traversal.forest import pack_trees
from ..traversal.question import Question
from ..types.steps import run as run_steps
from .mesh_exactness import CUBE_CORNERS, CUBE_TRIANGLES
from .mesh_files import read_mesh
from .table import Row, format_table

_PARTS = 64
_PUSHED_IN = (0.002, 0.005, 0.02, 0.05)
_SIZES, _PLACES = (1e-3, 1.0, 1e3), (0.0, -1.0, 1e6)
_GOOD = 0.98


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--boxes", type=int, default=20000, metavar="N", help="pairs of boxes (default 20000)")
    parser.add_argument("--models", type=Path, nargs="*", default=[], metavar="FILE", help="closed meshes")
    parser.add_argument("--pairs", type=int, default=200, metavar="N", help="pairs of models (default 200)")
    parser.add_argument("--seed", type=int, default=0)


def run(options: argparse.Namespace) -> int:
    """Prints what was found; 1 where a bound or verdict of boxes is wrong."""
    wrong = _check_boxes(options.boxes, np.random.default_rng(options.seed))
    if options.models:
        print(format_table([_compare_models(options.models, options.pairs, options.seed)]))
    return int(wrong > 0)


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


def _compare_models(files: list[Path], count: int, seed: int) -> Row:
    """One search beside the best of many, over overlapping pairs of models in random poses."""
    rng = np.random.default_rng(seed)
    meshes = [_unit_mesh(path) for path in files]
    rows = []
    while len(rows) < count:
        a, b = (meshes[i] for i in rng.integers(0, len(meshes), 2))
        case = _case(a, b, _pose(a, b, rng, len(rows)))
        if case is not None:
            rows.append(_searches(case))
    once, lower, best, seconds = np.array(rows).T
    return {
        "models": ",".join(path.stem for path in files),
        "pairs": count,
        f"below {_GOOD} of best": float(np.mean(once < _GOOD * best)),
        "1 % quantile": float(np.quantile(once / best, 0.01)),
        "least": float((once / best).min()),
        "least lower / depth": float((lower / once).min()),
        "ms": 1e3 * float(seconds.mean()),
    }


def _unit_mesh(path: Path) -> TriangleMesh:
    vertices, triangles = read_mesh(path)
    mesh = TriangleMesh((vertices - vertices.mean(axis=0)) / np.linalg.norm(np.ptp(vertices, axis=0)), triangles)
    if not mesh.is_closed:
        raise SystemExit(f"{path} is not closed: it has no depth")
    return mesh


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


def _case(a: TriangleMesh, b: TriangleMesh, pose: np.ndarray) -> Case | None:
    """The contacts of two meshes; None where there are none."""
    trees = [as_boxes(a), as_boxes(b)]
    tree_set, jobs = pack_trees(trees), np.array([[0, 1]], np.int64)
    rows_a, rows_b = np.eye(4)[None, :3].copy(), np.ascontiguousarray(pose[None, :3])
    answer = run_steps(answer_steps(Question(tree_set.side, tree_set.side, jobs, rows_a, rows_b)))
    if not len(answer.pairs):
        return None
    boxes = world_bounds(tree_set, jobs[0], np.concatenate([rows_a, rows_b]))
    solids = gather_solids(trees)
    return Case(tree_set, solids, jobs, rows_a, rows_b, boxes[:1], boxes[1:], answer, np.zeros((1, 2)))


def _searches(case: Case) -> tuple[float, float, float, float]:
    """Depth and lower bound of one search, the best depth of all, and the seconds of the one."""
    middles = run_steps(middle_steps(case, np.zeros(1, np.bool_)))
    everyone = np.arange(len(middles))
    begin = time.thread_time()
    once = _search(case, middles, everyone)
    seconds = time.thread_time() - begin
    parts = [everyone[part::_PARTS] for part in range(min(_PARTS, len(everyone)))]
    return once[DEPTH], once[LOWER], max(once[DEPTH], *(_search(case, middles, p)[DEPTH] for p in parts)), seconds


def _search(case: Case, middles: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Depth and bounds (3,) of a search from some of the contacts."""
    pairs, kinds = (np.ascontiguousarray(array[rows]) for array in (case.answer.pairs, case.answer.kinds))
    contacts = np.array([0, len(rows)], np.int64), pairs, kinds, np.ascontiguousarray(middles[rows])
    overlaps = box_overlaps(case.boxes_a, case.boxes_b)
    return run_steps(depth_steps(case.posed(), overlaps, np.zeros(1, np.int64), contacts, np.zeros(1)))[0]
