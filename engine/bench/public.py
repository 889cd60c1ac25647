"""Public models, each against itself in three poses, beside python-fcl, coal and Embree.

*deep*: the middles together, one copy turned by 30 degrees; *partly*: turned at random, moved by a third of the longest
side; *near*: turned at random, a hundredth of the longest side apart. In each pose all contacts, the first contact and
the distance are asked, of prepared meshes. Figures are medians of processor time, all sides in turn on one core.

*boxes* is MeshClash with volume="aabb"; it tells what the choice of ``build`` brings. Embree answers all contacts only,
and moves vertices and refits for a pose, which is not counted here.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from meshclash import Hierarchy, TriangleMesh, build, collide, collides, distance

from .options import among
from .peers import installed
from .public_models import PARTS, public_models, read_normalised
from .rigid_peers import Coal, Embree, Fcl, MeshPeer
from .table import Row, format_markdown, write_json
from .timing import Ask, called, compare, one_core

QUESTIONS = ("all", "first", "distance")
_SIDES = ("boxes", "python-fcl", "coal", "Embree")
_TOLERANCE = 1e-6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="more models, in files that trimesh reads")
    parser.add_argument("--folder", type=Path, default=Path("public_models"), help="where fetched models are kept")
    parser.add_argument("--parts", type=among(PARTS), default=["test"], help=f"of {','.join(PARTS)}")
    parser.add_argument("--most", type=int, default=200_000, help="leave out models with more triangles")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--native", action="store_true", help="also Embree, compiled from Debian's packages")
    parser.add_argument("--worst", type=int, default=10, help="rows of the table of the slowest beside python-fcl")
    parser.add_argument("--json", type=Path)


def run(options: argparse.Namespace) -> int:
    """Time all models; 1 if the number of contacts with and without oriented boxes differs, or a distance."""
    rows: list[Row] = []
    wrong = 0
    with one_core():
        for name, mesh in _models(options):
            row, differs = _measure(name, mesh, options)
            rows += row
            wrong += differs
    _print(rows, options.worst)
    if options.json:
        write_json(options.json, {"bench": "public", "rows": rows})
    return int(wrong > 0)


def _models(options: argparse.Namespace) -> Iterator[tuple[str, TriangleMesh]]:
    options.folder.mkdir(parents=True, exist_ok=True)
    for model in public_models(*options.parts) if options.parts else ():
        if model.triangles <= options.most:
            yield model.path.rsplit("/", 1)[-1], model.read(options.folder)
    for file in options.files:
        mesh = read_normalised(file)
        if mesh.triangle_count <= options.most:
            yield file.name, mesh


def _measure(name: str, mesh: TriangleMesh, options: argparse.Namespace) -> tuple[list[Row], int]:
    tree, boxes = build(mesh), build(mesh, "aabb")
    peers: list[Any] = installed((Fcl, Coal, *((Embree,) if options.native else ())), mesh.vertices, mesh.triangles)
    rows, wrong = [], 0
    for place, pose in _poses(mesh).items():
        for question in QUESTIONS:
            asked = {"ours": _ours(question, tree, pose), "boxes": _ours(question, boxes, pose)}
            for peer in peers:
                ask = _of_peer(question, peer, pose)
                if ask is not None:
                    asked[peer.name] = ask
            told = compare(asked, options.runs)
            ours = told["ours"]
            differs = told["boxes"].answer != ours.answer
            wrong += differs
            row: Row = {
                "model": name, "triangles": mesh.triangle_count, "oriented": str(tree.is_oriented),
                "pose": place, "question": question, "ours [ms]": 1e3 * ours.seconds,
                "answer": ours.answer, **{f"{side} / ours": np.nan for side in _SIDES},
            }  # fmt: skip
            row |= {f"{side} / ours": t.seconds / ours.seconds for side, t in told.items() if side != "ours"}
            rows.append(row)
        print(format_markdown(rows[-3:]).split("\n", 2)[-1], flush=True)
    for peer in peers:
        peer.close() if isinstance(peer, MeshPeer) else None
    return rows, wrong


def _poses(mesh: TriangleMesh) -> dict[str, np.ndarray]:
    """Three poses (4, 4) of the second copy."""
    rng = np.random.default_rng(mesh.triangle_count)
    middle, size = mesh.bounds.mean(axis=0), float(np.ptp(mesh.bounds, axis=0).max())
    axis = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)
    cross = np.cross(np.eye(3), axis)
    turn = np.eye(3) - np.sin(np.pi / 6) * cross + (1.0 - np.cos(np.pi / 6)) * cross @ cross
    deep = _placed(turn, middle - turn @ middle)
    turn = _random_turn(rng)
    partly = _placed(turn, middle - turn @ middle + size / 3.0 * _random_turn(rng)[0])
    turn, way = _random_turn(rng), _random_turn(rng)[0]
    near = _placed(turn, middle - turn @ middle + 3.0 * size * way)
    for _ in range(30):  # towards the other copy until the gap is small: never through it
        near[:3, 3] -= max(distance(mesh, mesh, pose_b=near).distance - 0.01 * size, 0.0) * way
    return {"deep": deep, "partly": partly, "near": near}


def _random_turn(rng: np.random.Generator) -> np.ndarray:
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return turn * np.linalg.det(turn)


def _placed(turn: np.ndarray, shift: np.ndarray) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn, shift
    return pose


def _micrometres(gap: float) -> int:
    """A distance as a whole number of ``_TOLERANCE``, which sides are compared by."""
    return round(max(gap, 0.0) / _TOLERANCE)


def _ours(question: str, tree: Hierarchy, pose: np.ndarray) -> Ask:
    if question == "all":
        return called(lambda: len(collide(tree, tree, pose_b=pose, threads=1).pairs))
    if question == "first":
        return called(lambda: int(collides(tree, tree, pose_b=pose)))
    return called(lambda: _micrometres(distance(tree, tree, pose_b=pose).distance))


def _of_peer(question: str, peer: Any, pose: np.ndarray) -> Ask | None:
    peer.prepare(pose)
    if isinstance(peer, Embree):
        return peer.ask("all") if question == "all" else None
    own: dict[str, Callable[[], int]] = {
        "all": lambda: _prepared(peer, pose).count(),
        "first": lambda: int(_prepared(peer, pose).meet()),
        "distance": lambda: _micrometres(peer.gap(pose)),
    }
    return called(own[question])


def _prepared(peer: Any, pose: np.ndarray) -> Any:
    peer.prepare(pose)
    return peer


def _print(rows: list[Row], worst: int) -> None:
    print(f"\n{len({row['model'] for row in rows})} models; geometric means of times divided by ours:")
    means: list[Row] = []
    for place in ("deep", "partly", "near"):
        for question in QUESTIONS:
            some = [row for row in rows if row["pose"] == place and row["question"] == question]
            mean: Row = {"pose": place, "question": question}
            for side in _SIDES:
                ratios = np.array([row[f"{side} / ours"] for row in some], np.float64)
                ratios = ratios[np.isfinite(ratios)]
                mean[side] = float(np.exp(np.log(ratios).mean())) if len(ratios) else float("nan")
                mean[f"least {side}"] = float(ratios.min()) if len(ratios) else float("nan")
            means.append(mean)
    print(format_markdown(means))
    slow = sorted(rows, key=lambda row: row["python-fcl / ours"])[:worst]
    print(f"\nthe {worst} slowest beside python-fcl:\n{format_markdown(slow)}")
