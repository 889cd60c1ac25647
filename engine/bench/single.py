"""Single calls on prepared meshes, each with a new pose: contact and distance, from 12 to a million triangles.

A call is what a program in Python writes: ``collides(a, b, pose_b=matrix)``; of python-fcl and coal the same with the
transform that it takes, made from the matrix in the call. The poses of a case turn at random about another body of the
same kind: *apart*, *near* by a hundredth of its size, and in *contact*. All sides are asked in turn.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from meshclash import TriangleMesh, collides, distance, verdict
from oracles.mesh_exactness import CUBE_CORNERS, CUBE_TRIANGLES
from oracles.mesh_generators import bumpy_sphere

from .options import parse_sizes, short_size
from .peers import installed
from .rigid_peers import Coal, Fcl
from .table import Row, format_markdown, write_json
from .timing import called, compare, one_core

_FAR, _NEAR, _DEEP = 2.5, 0.01, 0.7
"""Distances of the middles, in sizes of a body; a gap; and distances again."""
Ask = Callable[[np.ndarray], Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--sizes", type=parse_sizes, default=[12, 200, 5_000, 70_000, 1_000_000])
    parser.add_argument("--poses", type=int, default=100, help="of a case")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--verdicts", type=int, default=12, help="most triangles whose verdict is asked for")
    parser.add_argument("--json", type=Path)


def run(options: argparse.Namespace) -> int:
    """Time every case; 1 if a side that answers exactly says something else."""
    rows, wrong = [], 0
    with one_core():
        for size in options.sizes:
            body = (CUBE_CORNERS - 0.5, CUBE_TRIANGLES) if size <= len(CUBE_TRIANGLES) else bumpy_sphere(size)
            mesh = TriangleMesh(*body)
            peers = installed((Fcl, Coal), *body)
            questions = _questions(mesh, peers, size <= options.verdicts)
            cases = {case: (questions, poses) for case, poses in _cases(mesh, options.poses).items()}
            if size <= len(CUBE_TRIANGLES):
                cases |= _more_verdicts(mesh, options.poses)
            for case, (asked, poses) in cases.items():
                for question, sides in asked.items():
                    row, differs = _row(question, case, size, sides, poses, options.runs)
                    wrong += differs
                    rows.append(row)
                    print(format_markdown(rows[-1:]).splitlines()[-1], flush=True)
    print("\n" + format_markdown(rows))
    if options.json:
        write_json(options.json, {"bench": "single", "rows": rows})
    return int(wrong > 0)


def _cases(mesh: TriangleMesh, count: int) -> dict[str, list[np.ndarray]]:
    """Poses (4, 4) of b, at random around a, by what they do."""
    rng = np.random.default_rng(1)
    poses = np.tile(np.eye(4), (count, 1, 1))
    turns = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    poses[:, :3, :3] = turns * np.linalg.det(turns)[:, None, None]
    directions = rng.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    size = float(np.ptp(mesh.bounds, axis=0).max())
    cases = {}
    for case, reach in (("apart", _FAR), ("contact", _DEEP)):
        placed = poses.copy()
        placed[:, :3, 3] = reach * size * directions
        cases[case] = placed
    near = cases["apart"].copy()
    for pose, direction in zip(near, directions, strict=True):
        for _ in range(30):  # towards the other body until the gap is small: never through it
            gap = distance(mesh, mesh, pose_b=pose).distance
            pose[:3, 3] -= max(gap - _NEAR * size, 0.0) * direction
    return {"apart": list(cases["apart"]), "near": list(near), "contact": list(cases["contact"])}


def _questions(mesh: TriangleMesh, peers: list[Fcl | Coal], verdicts: bool) -> dict[str, dict[str, Ask]]:
    asked: dict[str, dict[str, Ask]] = {
        "collides": {
            "ours": lambda pose: collides(mesh, mesh, pose_b=pose),
            **{peer.name: peer.meets for peer in peers},
        },
        "distance": {
            "ours": lambda pose: distance(mesh, mesh, pose_b=pose).distance,
            **{peer.name: peer.gap for peer in peers},
        },
    }
    if verdicts:
        asked.update(_verdicts(mesh, mesh))
    return asked


def _verdicts(a: TriangleMesh, b: TriangleMesh) -> dict[str, dict[str, Ask]]:
    return {
        "verdict": {"ours": lambda pose: verdict(a, b, pose_b=pose)},
        "verdict, no depth": {"ours": lambda pose: verdict(a, b, pose_b=pose, depth=False)},
    }


def _more_verdicts(mesh: TriangleMesh, count: int) -> dict[str, tuple[dict[str, dict[str, Ask]], list[np.ndarray]]]:
    """Questions and poses of a box beside itself, flush, and of one half as large that lies inside."""
    rng = np.random.default_rng(2)
    half = TriangleMesh(0.5 * mesh.vertices, mesh.triangles)
    beside, inside = (np.tile(np.eye(4), (count, 1, 1)) for _ in range(2))
    beside[:, :3, 3] = np.column_stack([np.ones(count), rng.uniform(-0.9, 0.9, (count, 2))])
    turns = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    inside[:, :3, :3] = turns * np.linalg.det(turns)[:, None, None]
    inside[:, :3, 3] = rng.uniform(-0.05, 0.05, (count, 3))
    return {"touching": (_verdicts(mesh, mesh), list(beside)), "inside": (_verdicts(mesh, half), list(inside))}


def _row(
    question: str, case: str, size: int, sides: dict[str, Ask], poses: list[np.ndarray], runs: int
) -> tuple[Row, bool]:
    """Microseconds a call of each side, and whether a peer answers otherwise."""
    answers = {name: [ask(pose) for pose in poses] for name, ask in sides.items()}
    differs = any(not _alike(answers["ours"], given) for given in answers.values())
    times = compare({name: called(_each(ask, poses)) for name, ask in sides.items()}, runs)
    ours = times["ours"].seconds / len(poses)
    row: Row = {"question": question, "case": case, "triangles": short_size(size), "ours [us]": 1e6 * ours}
    for name in ("python-fcl", "coal"):
        theirs = times[name].seconds / len(poses) if name in times else float("nan")
        row[f"{name} [us]"], row[f"{name} / ours"] = 1e6 * theirs, theirs / ours
    return row, differs


def _each(ask: Ask, poses: list[np.ndarray]) -> Callable[[], int]:
    def run() -> int:
        for pose in poses:
            ask(pose)
        return len(poses)

    return run


def _alike(ours: list[Any], theirs: list[Any]) -> bool:
    """Equal truths; distances up to the rounding of a peer, of which one of ours that is 0 may say anything below."""
    for own, other in zip(ours, theirs, strict=True):
        if isinstance(own, float):
            if abs(own - max(float(other), 0.0)) > 1e-6 * max(own, 1.0):
                return False
        elif own != other:
            return False
    return True
