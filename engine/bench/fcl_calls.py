"""Single calls through ``meshclash.compat.fcl`` beside python-fcl: the same program with one import changed.

Objects, requests and transforms are made before; a call sets the second object's transform and asks. Poses are *far*
(bounding boxes apart), *near* (a gap of 1 % of the size) or *meeting* (overlapping by half). A contact is asked for as
python-fcl's default request does. *move* is ``continuousCollide`` on a way past or into the other object.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from meshclash.compat import fcl as ours
from oracles.mesh_generators import bumpy_sphere

from .timing import called, compare, one_core

KINDS = "sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "convex", "mesh"
QUESTIONS = "collide", "distance", "move"
CASES = "far", "near", "meeting"
_SIZE = 1.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--questions", nargs="+", choices=QUESTIONS, default=list(QUESTIONS))
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--poses", type=int, default=20, help="of a case")
    parser.add_argument("--triangles", type=int, default=1000, help="of the mesh")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> int:
    """Print microseconds a call of both, their ratio, and how many answers differ."""
    import fcl as theirs

    body = bumpy_sphere(options.triangles)
    print(f"{'question':9}{'case':8}{'pair':22}{'ours, us':>10}{'fcl, us':>10}{'ours/fcl':>9}{'differ':>7}")
    ratios = []
    with one_core():
        for question, case, pair in _cases(options):
            rng = np.random.default_rng([options.seed, *map(KINDS.index, pair)])
            poses = _poses(case, pair, options.poses, rng, body)
            asks = {
                name: _asked(side, question, case, pair, poses, body)
                for name, side in (("ours", ours), ("fcl", theirs))
            }
            answers = {name: [ask(pose) for pose in range(len(poses))] for name, ask in asks.items()}
            found = compare({name: called(_each(ask, len(poses))) for name, ask in asks.items()}, options.runs)
            own, other = (found[name].seconds / len(poses) * 1e6 for name in ("ours", "fcl"))
            differ = sum(abs(x - y) > 1e-3 for x, y in zip(answers["ours"], answers["fcl"], strict=True))
            ratios.append(own / other)
            line = f"{question:9}{case:8}{' '.join(pair):22}{own:10.2f}{other:10.2f}{own / other:9.2f}{differ:7}"
            print(line, flush=True)
    mean, slow = float(np.exp(np.mean(np.log(ratios)))), sum(ratio > 2.0 for ratio in ratios)
    print(f"geometric mean {mean:.2f}, largest {max(ratios):.2f}, above 2: {slow} of {len(ratios)}")
    return 0


def _cases(options: argparse.Namespace) -> Iterator[tuple[str, str, tuple[str, str]]]:
    for question in options.questions:
        for case in options.cases:
            for k, a in enumerate(options.kinds):
                for b in options.kinds[k:]:
                    yield question, case, (a, b)


def _shape(fcl: Any, kind: str, body: tuple[np.ndarray, np.ndarray]) -> Any:
    """One of python-fcl's shapes, about as large as the others."""
    if kind == "sphere":
        return fcl.Sphere(0.5)
    if kind == "box":
        return fcl.Box(0.8, 0.7, 0.6)
    if kind == "capsule":
        return fcl.Capsule(0.3, 0.5)
    if kind == "cylinder":
        return fcl.Cylinder(0.35, 0.8)
    if kind == "cone":
        return fcl.Cone(0.4, 0.8)
    if kind == "ellipsoid":
        return fcl.Ellipsoid(0.5, 0.4, 0.3)
    if kind == "convex":
        corners = np.array([[x, y, z] for x in (-0.4, 0.4) for y in (-0.4, 0.4) for z in (-0.4, 0.4)])
        faces = [0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]
        return fcl.Convex(corners, 6, np.array([n for face in faces for n in (4, *face)]))
    vertices, triangles = body
    model = fcl.BVHModel()
    model.beginModel(len(vertices), len(triangles))
    model.addSubModel(0.5 * vertices / np.abs(vertices).max(), triangles)
    model.endModel()
    return model


def _poses(
    case: str, pair: tuple[str, str], count: int, rng: np.random.Generator, body: tuple[np.ndarray, np.ndarray]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rotations and translations of the second object."""
    a, b = (ours.CollisionObject(_shape(ours, kind, body)) for kind in pair)
    poses = []
    for _ in range(count):
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        turn *= np.linalg.det(turn)
        way = rng.normal(size=3)
        way /= np.linalg.norm(way)
        place = way * (0.4 if case == "meeting" else 2.5)
        for _ in range(30 if case == "near" else 0):
            b.setTransform(ours.Transform(turn, place))
            gap = ours.distance(a, b)
            place = place - max(gap - 0.01 * _SIZE, 0.0) * way
        poses.append((np.ascontiguousarray(turn), place))
    return poses


def _asked(
    fcl: Any,
    question: str,
    case: str,
    pair: tuple[str, str],
    poses: list[tuple[np.ndarray, np.ndarray]],
    body: tuple[np.ndarray, np.ndarray],
) -> Callable[[int], float]:
    a, b = (fcl.CollisionObject(_shape(fcl, kind, body)) for kind in pair)
    places = [fcl.Transform(*pose) for pose in poses]
    if question == "collide":
        request = fcl.CollisionRequest()

        def collide(k: int) -> float:
            b.setTransform(places[k])
            return float(fcl.collide(a, b, request, fcl.CollisionResult()) > 0)

        return collide
    if question == "distance":
        wanted = fcl.DistanceRequest(enable_nearest_points=True)

        def distance(k: int) -> float:
            b.setTransform(places[k])
            return max(float(fcl.distance(a, b, wanted, fcl.DistanceResult())), 0.0)

        return distance
    away = fcl.ContinuousCollisionRequest()
    still = fcl.Transform()
    # From far away to the pose: past the other object, near it, or into it.
    starts = [fcl.Transform(turn, 6.0 * place / max(float(np.linalg.norm(place)), 1e-9)) for turn, place in poses]

    def move(k: int) -> float:
        b.setTransform(starts[k])
        return float(fcl.continuousCollide(a, still, b, places[k], away, fcl.ContinuousCollisionResult()))

    return move


def _each(ask: Callable[[int], float], count: int) -> Callable[[], int]:
    def run() -> int:
        for k in range(count):
            ask(k)
        return count

    return run
