"""Zachmann's procedure: which volume and which split rule do the fewest tests, and what does a test cost?

Two copies of a model, scaled into a cube of side 2, stand at ten distances of their middles; at each the second one
makes a full turn, tumbling about z and x. With ``--gaps`` the true distance of the surfaces is prescribed instead: in
every pose of the turn the second copy comes along x until it is reached. All contacts are asked for with every volume
and split rule, by the binary engine, which serves them all alike. From the tests counted and the times follows the cost
of a volume test and of a triangle test (F = N_bv C_bv + N_p C_p, least squares without negative costs). With
``--refit`` the second copy is refitted before each pose, as if it deformed, and the cost of a node follows too
(N_u C_u). ``--shells`` asks instead how the number of volume tests grows as the gap between two concentric surfaces
shrinks: the slope in a doubly logarithmic plot.

Source: Trenkel, Weller, Zachmann, "A benchmarking suite for static collision detection algorithms" (2007); Gottschalk,
Lin, Manocha, "OBBTree" (1996), for the shells.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from meshclash.answering.answer import answer_steps
from meshclash.hierarchy.build import SPLITS, build, refit
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.traversal.forest import pack_trees
from meshclash.traversal.question import Answer, Question
from meshclash.types.mesh import TriangleMesh
from meshclash.types.steps import run as finish
from meshclash.volumes.registry import VOLUMES

from .distance import approach
from .mesh_files import read_mesh
from .mesh_generators import bumpy_sphere, machined_part, scan
from .options import among, positive
from .table import Row, format_table, write_json

DISTANCES = np.linspace(0.4, 2.2, 10)
GAPS = 2.0 ** -np.arange(3.0, 7.0)
"""Of the shells, in radii."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--mesh", type=Path, action="append", default=[], help="a model; may be repeated")
    parser.add_argument("--size", type=int, default=20_000, help="triangles of the made models")
    parser.add_argument("--volumes", type=among(VOLUMES), default=["aabb", "sphere", "dop18", "obb", "rss"])
    parser.add_argument("--splits", type=among(SPLITS), default=["sah", "volume", "volume_n", "kah", "median", "lbvh"])
    parser.add_argument("--steps", type=int, default=24, help="poses of a turn")
    parser.add_argument("--gaps", type=positive, nargs="+", help="true distances to prescribe, of models of size 2")
    parser.add_argument("--leaf-size", type=int, default=1)
    parser.add_argument("--refit", action="store_true", help="refit the second copy before each pose")
    parser.add_argument("--shells", action="store_true", help="concentric shells instead")
    parser.add_argument("--plots", type=Path, help="a folder for pictures")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; 1 when two volumes or splits find different pairs."""
    rows, curves = (_shell_rows if options.shells else _turn_rows)(options)
    print(format_table(rows))
    if options.json:
        write_json(options.json, {"bench": "procedure", "rows": rows, "curves": curves})
    if options.plots:
        _plot(curves, _axis(options), options.plots)
    return int(any(row.get("pairs differ", False) for row in rows))


def _axis(options: argparse.Namespace) -> str:
    """What the figures are shown over."""
    if options.shells:
        return "1 / gap [1 / radius]"
    return "distance of the middles" if options.gaps is None else "gap: true distance"


def _models(options: argparse.Namespace) -> Iterator[tuple[str, TriangleMesh]]:
    made = {"sphere": bumpy_sphere, "scan": scan, "part": machined_part}
    models = {path.stem: read_mesh(path) for path in options.mesh} or {n: m(options.size) for n, m in made.items()}
    for name, (vertices, triangles) in models.items():
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        yield name, TriangleMesh((vertices - 0.5 * (low + high)) * (2.0 / (high - low).max()), triangles)


def turns(distance: float, steps: int) -> np.ndarray:
    """Poses (steps, 4, 4) of a full tumbling turn at a distance of the middles."""
    poses = np.repeat(np.eye(4)[None], steps, axis=0)
    for pose, angle in zip(poses, 2.0 * np.pi * np.arange(steps) / steps, strict=True):
        c, s = np.cos(angle), np.sin(angle)
        about_z, about_x = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        pose[:3, :3] = about_x @ about_z
        pose[0, 3] = distance
    return poses


def turns_at_gap(tree: Hierarchy, gap: float, steps: int) -> np.ndarray:
    """Poses (k, 4, 4) of a turn, come along x until the true distance is the gap.

    Poses in which the copy passes through the other one without coming that near are left out.
    """
    far = float(np.linalg.norm(np.ptp(tree.mesh.bounds, axis=0))) + gap
    return np.array([pose for pose in turns(far, steps) if approach(tree, pose, gap, 0.0)])


def _places(mesh: TriangleMesh, options: argparse.Namespace) -> list[tuple[float, np.ndarray]]:
    """Distances of the middles, or gaps, and the poses of a turn at each."""
    if options.gaps is None:
        return [(float(distance), turns(float(distance), options.steps)) for distance in DISTANCES]
    tree = build(mesh)
    return [(gap, turns_at_gap(tree, gap, options.steps)) for gap in options.gaps]


def _ask_refitting(a: Hierarchy, b: Hierarchy, poses: np.ndarray) -> tuple[Answer, float]:
    """``_ask`` pose by pose, of a b whose vertices are fitted anew before each."""
    answers, total = [], 0.0
    for pose in poses:
        start = time.process_time()
        b = refit(b, b.mesh.vertices, in_place=True)
        total += time.process_time() - start
        answer, seconds = _ask(a, b, pose[None])
        answers.append(answer)
        total += seconds
    arrays = (np.concatenate([answer[k] for answer in answers]) for k in range(3))
    counts = (sum(answer[k] for answer in answers) for k in range(3, 6))
    return Answer(*arrays, *counts, 1, updated_nodes=sum(answer.updated_nodes for answer in answers)), total


def _ask(a: Hierarchy, b: Hierarchy, poses: np.ndarray) -> tuple[Answer, float]:
    """All contacts in poses of b, and the processor time [s]."""
    rows_b = np.ascontiguousarray(poses[:, :3])
    rows_a = np.repeat(np.eye(4)[None, :3], len(poses), axis=0)
    jobs = np.zeros((len(poses), 2), np.int64)
    question = Question(pack_trees([a]).side, pack_trees([b]).side, jobs, rows_a, rows_b, lanes=False)
    start = time.process_time()
    return finish(answer_steps(question)), time.process_time() - start


def _bytes(tree: Hierarchy) -> float:
    """Bytes a triangle of the tree, its volumes and the order; without the mesh."""
    arrays = (tree.tree.first, tree.tree.count, tree.tree.order, tree.volumes)
    return sum(array.nbytes for array in arrays) / tree.mesh.triangle_count


def _turn_rows(options: argparse.Namespace) -> tuple[list[Row], dict[str, list[list[float]]]]:
    rows: list[Row] = []
    curves: dict[str, list[list[float]]] = {}
    for name, mesh in _models(options):
        expected, places = None, _places(mesh, options)
        for volume in options.volumes:
            for split in options.splits:
                row, curve, pairs = _measure(mesh, volume, split, places, options)
                expected = pairs if expected is None else expected
                curves[f"{name} {volume} {split}"] = curve
                rows.append({"mesh": name, **row, "pairs differ": bool(pairs != expected)})
        least = {v: min(r["N_bv"] for r in rows if r["mesh"] == name and r["volume"] == v) for v in options.volumes}
        for row in rows:
            if row["mesh"] == name:
                row["N_bv / least"] = row["N_bv"] / least[row["volume"]]
    return rows, curves


def _measure(
    mesh: TriangleMesh,
    volume: str,
    split: str,
    places: list[tuple[float, np.ndarray]],
    options: argparse.Namespace,
) -> tuple[Row, list[list[float]], bytes]:
    build(mesh, volume=volume, split=split, leaf_size=options.leaf_size)  # compiles
    start = time.process_time()
    tree = build(mesh, volume=volume, split=split, leaf_size=options.leaf_size)
    building = time.process_time() - start
    ask, second = (_ask_refitting, build(mesh, volume, split, options.leaf_size)) if options.refit else (_ask, tree)
    ask(tree, second, places[0][1][:1])
    answers = [ask(tree, second, poses) for _, poses in places]
    works = np.array([(a.volume_tests, a.primitive_tests, 1e3 * s, len(a.pairs), a.updated_nodes) for a, s in answers])
    works = works / np.array([[len(poses)] for _, poses in places])  # of a pose
    curve = [[at, *work[:4]] for (at, _), work in zip(places, works.tolist(), strict=True)]
    updated = works[:, 4]
    costs, explained = fitted_costs(np.column_stack([works[:, :2], updated]), works[:, 2])
    means = np.mean(curve, axis=0)
    row: Row = {
        "volume": volume, "split": split, "build [ms]": 1e3 * building, "bytes / triangle": _bytes(tree),
        "poses": sum(len(poses) for _, poses in places), "pairs": float(means[4]),
        "N_bv": float(means[1]), "N_p": float(means[2]), "ms / pose": float(means[3]),
        "C_bv [ns]": float(costs[0]), "C_p [ns]": float(costs[1]), "R2": explained,
    }  # fmt: skip
    if options.refit:
        row |= {"N_u": float(updated.mean()), "C_u [ns]": float(costs[2])}
    return row, curve, b"".join(a.pairs.tobytes() + a.kinds.tobytes() for a, _ in answers)


def fitted_costs(counts: np.ndarray, taken: np.ndarray) -> tuple[np.ndarray, float]:
    """Nanoseconds of each kind of work, none of them negative, and the share of the variance explained.

    Args:
        counts: of volume tests, triangle tests and so on, (n, k); kinds that do not occur cost nothing.
        taken: milliseconds, (n,).
    """
    taken = 1e6 * taken
    best, costs = np.inf, np.zeros(counts.shape[1])
    present = np.flatnonzero(counts.any(axis=0))
    for size in range(1, len(present) + 1):  # the best without negative costs is the plain best of some of the kinds
        for chosen in itertools.combinations(present.tolist(), size):
            found = np.linalg.lstsq(counts[:, chosen], taken, rcond=None)[0]
            rest = float(((counts[:, chosen] @ found - taken) ** 2).sum())
            if (found >= 0.0).all() and rest < best:
                best, costs = rest, np.zeros(counts.shape[1])
                costs[list(chosen)] = found
    spread = float(((taken - taken.mean()) ** 2).sum())
    return costs, 1.0 - best / spread if spread > 0.0 else 1.0


def _shell_rows(options: argparse.Namespace) -> tuple[list[Row], dict[str, list[list[float]]]]:
    """Volume tests of a sphere in a larger, turned copy of itself: parallel close proximity all around."""
    vertices, triangles = bumpy_sphere(options.size)
    vertices = vertices / np.linalg.norm(vertices, axis=1, keepdims=True)
    rows: list[Row] = []
    curves: dict[str, list[list[float]]] = {}
    pose = turns(0.0, 7)[1:2]
    for volume in options.volumes:
        curve = []
        for gap in GAPS:
            a, b = (
                build(TriangleMesh(vertices * scale, triangles), volume=volume, split="sah", leaf_size=1)
                for scale in (1.0 + 0.5 * gap, 1.0 - 0.5 * gap)
            )
            answer, seconds = _ask(a, b, pose)
            counts = answer.volume_tests, answer.primitive_tests
            curve.append([1.0 / float(gap), *map(float, counts), 1e3 * seconds, float(len(answer.pairs))])
        slope = float(np.polyfit(np.log([c[0] for c in curve]), np.log([c[1] for c in curve]), 1)[0])
        curves[volume] = curve
        rows.append({"volume": volume, **{f"N_bv, gap 1/{c[0]:.0f}": int(c[1]) for c in curve}, "slope": slope})
    return rows, curves


def _plot(curves: dict[str, list[list[float]]], label: str, folder: Path) -> None:
    """Volume tests, triangle tests and milliseconds over the distance, one picture each."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    for column, name in ((1, "volume tests"), (2, "triangle tests"), (3, "milliseconds")):
        figure, axes = plt.subplots(figsize=(7, 4.5), dpi=110)
        for text, curve in curves.items():
            axes.plot([c[0] for c in curve], [c[column] for c in curve], "o-", markersize=3, label=text)
        axes.set_xlabel(label)
        axes.set_ylabel(name)
        axes.set_yscale("symlog" if column == 2 else "log")
        if "gap" in label:
            axes.set_xscale("log")
        axes.legend(fontsize=6, frameon=False)
        figure.tight_layout()
        figure.savefig(folder / f"procedure-{name.replace(' ', '-')}.png")
        plt.close(figure)
