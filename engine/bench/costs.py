"""The two costs of T = C_0 + N_v C_v + N_p C_p, told apart by a designed experiment.

In one tree N_v and N_p go up and down together, and nearly any split of the time between them fits. So the design
crosses poses with split rules, at one triangle a leaf: the rule changes N_v and leaves N_p as it is. (Larger leaves
would trade one for the other too, but what they place and filter is in neither number.) Two copies of a model stand in
poses of Zachmann's procedure; all contacts are asked for by the binary engine, cells are timed in turn on one core. The
costs follow by least squares of relative errors; intervals of 95 % by bootstrap over poses, since cells of a pose are
not independent. ``r`` is the correlation of log N_v and log N_p by the rule "sah" alone, and within poses in the
design; ``left`` is the relative error (root mean square) on rules that the fit has not seen. The first table compares
the rules: N_v of boxes over that of "sah".
"""

from __future__ import annotations

import argparse

import numpy as np
from meshclash.answering.answer import answer_steps
from meshclash.hierarchy.build import SPLITS, build
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.traversal.forest import pack_trees
from meshclash.traversal.question import Answer, Question
from meshclash.types.mesh import TriangleMesh
from meshclash.types.steps import run as finish
from meshclash.volumes.registry import VOLUMES
from oracles import Row
from oracles.mesh_generators import MAKERS

from .options import among
from .table import format_table
from .timing import least, one_core

DISTANCES = np.linspace(0.4, 2.0, 8)
"""Of the middles, of models of size 2."""
FITTED, UNSEEN = ("sah", "lbvh", "median", "volume"), ("mean", "kah")
"""Split rules."""
_DRAWS = 2_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--size", type=int, default=20_000, help="triangles of the made models")
    parser.add_argument("--steps", type=int, default=4, help="poses of a turn")
    parser.add_argument("--volumes", type=among(VOLUMES), default=["aabb", "sphere", "dop18", "obb"])
    parser.add_argument("--runs", type=int, default=5, help="of a cell; the fastest counts")


def run(options: argparse.Namespace) -> int:
    """Print both tables; always 0."""
    poses = np.concatenate([_turn(distance, options.steps) for distance in DISTANCES])
    meshes = {name: _scaled(*make(options.size, 1)) for name, make in MAKERS.items()}
    print(format_table([_tests(name, mesh, poses) for name, mesh in meshes.items()]))
    with one_core():
        print(format_table([_costs(meshes, volume, poses, options.runs) for volume in options.volumes]))
    return 0


def _scaled(vertices: np.ndarray, triangles: np.ndarray) -> TriangleMesh:
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    return TriangleMesh((vertices - 0.5 * (low + high)) * (2.0 / (high - low).max()), triangles)


def _turn(distance: float, steps: int) -> np.ndarray:
    """Poses (steps, 4, 4) of a full turn, tumbling about z and x, at a distance of the middles."""
    poses = np.repeat(np.eye(4)[None], steps, axis=0)
    for pose, angle in zip(poses, 2.0 * np.pi * (np.arange(steps) + 0.3) / steps, strict=True):
        c, s = np.cos(angle), np.sin(angle)
        about_z, about_x = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        pose[:3, :3] = about_x @ about_z
        pose[0, 3] = distance
    return poses


def _ask(tree: Hierarchy, poses: np.ndarray) -> Answer:
    """All contacts of a tree with itself in poses (n, 4, 4)."""
    side, jobs = pack_trees([tree]).side, np.zeros((len(poses), 2), np.int64)
    rows_a = np.repeat(np.eye(4)[None, :3], len(poses), axis=0)
    return finish(answer_steps(Question(side, side, jobs, rows_a, np.ascontiguousarray(poses[:, :3]), lanes=False)))


def _tests(name: str, mesh: TriangleMesh, poses: np.ndarray) -> Row:
    counts = {split: _ask(build(mesh, split=split, leaf_size=1), poses).volume_tests for split in SPLITS}
    return {"model": name, **{split: count / counts["sah"] for split, count in counts.items()}}


def _costs(meshes: dict[str, TriangleMesh], volume: str, poses: np.ndarray, runs: int) -> Row:
    """Costs [ns] of a volume, the ends of their intervals, and how far the design tells them apart."""
    cells = np.concatenate([_cells(mesh, volume, FITTED, poses, runs) for mesh in meshes.values()])
    unseen = np.concatenate([_cells(mesh, volume, UNSEEN, poses, runs) for mesh in meshes.values()])
    costs, rng = fit(cells), np.random.default_rng(1)
    draws = [fit(cells[rng.integers(0, len(cells), len(cells))]) for _ in range(_DRAWS)]
    low, high = np.percentile(draws, (2.5, 97.5), axis=0)
    row: Row = {"volume": volume}
    for k, key in ((1, "C_v"), (2, "C_p")):
        row |= {f"{key} ns": 1e9 * costs[k], f"{key} low": 1e9 * low[k], f"{key} high": 1e9 * high[k]}
    logs = np.log(cells[..., 1:3])
    row["r alone"] = _correlation(logs[:, 0])
    row["r design"] = _correlation(logs - logs.mean(axis=1, keepdims=True))
    row["left %"] = 100.0 * float(np.sqrt(np.mean((unseen[..., :3] @ costs / unseen[..., 3] - 1.0) ** 2)))
    return row


def _correlation(pairs: np.ndarray) -> float:
    """Of numbers (..., 2); 0 where one of them does not change."""
    x, y = pairs.reshape(-1, 2).T
    return float(np.corrcoef(x, y)[0, 1]) if min(np.ptp(x), np.ptp(y)) > 1e-12 else 0.0


def _cells(mesh: TriangleMesh, volume: str, splits: tuple[str, ...], poses: np.ndarray, runs: int) -> np.ndarray:
    """One, N_v, N_p and the time [s] of every pose in which triangles are tested, by every rule: (n, rules, 4)."""
    trees = [build(mesh, volume, split, 1) for split in splits]
    rows = [[_cell(tree, pose[None], runs) for tree in trees] for pose in poses]
    return np.array([cells for cells in rows if all(cell[2] for cell in cells)])


def _cell(tree: Hierarchy, pose: np.ndarray, runs: int) -> tuple[float, int, int, float]:
    seconds, answer = least(lambda: _ask(tree, pose), runs)
    return 1.0, answer.volume_tests, answer.primitive_tests, seconds


def fit(cells: np.ndarray) -> np.ndarray:
    """C_0, C_v and C_p that leave the least relative error of cells (..., 4)."""
    rows = cells.reshape(-1, 4)
    return np.linalg.lstsq(rows[:, :3] / rows[:, 3:], np.ones(len(rows)), rcond=None)[0]
