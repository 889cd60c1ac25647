"""Stacks of poses of one pair, on one thread and on all, beside coal and python-fcl in a loop of Python.

Processor time for each pose on one thread. Then how much faster all threads are where cores are free, by the processor
time of each, and how much processor time they take together. Answers of one thread and of all must be the same bits;
depths must not be above coal's, nor distances above python-fcl's.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import meshclash as mc
import numpy as np
from meshclash.traversal import wide_engine
from oracles.mesh_generators import bumpy_sphere

from .hull_peers import coal_convex, same_hull
from .peers import installed
from .timing import called, compare

_SECONDS = 0.3
"""Processor time [s] over which threads are compared."""
Own = Callable[[int | None], Any]
"""Asks MeshClash on some threads, None for all."""


class Case(NamedTuple):
    """A question about a stack."""

    name: str
    own: Own
    values: Callable[[Any], np.ndarray]
    """The numbers of an answer to compare, (k,)."""
    peer: Callable[[], np.ndarray] | None
    """Asks another library pose by pose; NaN where it has no comparable number."""
    allowed: float
    """By how much our number may be larger: rounding, or what the other library permits. NaN if both must be equal."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the bench."""
    parser.add_argument("--poses", type=int, default=20_000, help="poses in a stack (default: 20,000)")
    parser.add_argument("--only", default="", help="ask only questions whose name contains this text")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> int:
    """Print a table; 1 where answers depend on the threads, or differ from another library's."""
    wide_engine.CALLS_TO_COMPILE = 0
    rng, wrong = np.random.default_rng(options.seed), 0
    print(
        f"{'question':34s}{'ours, us':>10s}{'peer, us':>10s}{'times':>7s}{'times, all threads':>20s}{'all / one':>10s}"
    )
    for case in _cases(options.poses, rng):
        if options.only in case.name:
            wrong += not _print_case(case, options.runs)
    return int(wrong > 0)


def _print_case(case: Case, runs: int) -> bool:
    """Print a line; return whether all answers agree."""
    one, more = case.values(case.own(1)), case.values(case.own(None))
    right = one.tobytes() == more.tobytes()
    sides = {"own": called(lambda: len(case.values(case.own(1))))}
    if case.peer is not None:
        theirs = case.peer()
        if np.isnan(case.allowed):
            right &= np.array_equal(one, theirs)
        else:
            right &= bool(np.nanmax(one - theirs, initial=0.0) <= case.allowed)
        sides["peer"] = called(lambda: len(case.peer()))
    found = compare(sides, runs)
    own = found["own"].seconds / len(one) * 1e6
    peer = found["peer"].seconds / len(one) * 1e6 if case.peer else np.nan
    busiest, processor = _gain(case.own, found["own"].seconds)
    text = f"{case.name:34s}{own:10.2f}{peer:10.2f}{peer / own:7.1f}{busiest:20.2f}{processor:10.2f}"
    print(text + ("" if right else "  answers differ"), flush=True)
    return right


def _gain(own: Own, seconds: float) -> tuple[float, float]:
    """Return by how much all threads are faster than one where cores are free, and their processor time by that of one.

    The main thread and the busiest of the others work one after the other.
    ``seconds`` is the time of a call, which is repeated often enough for the coarse counters of threads.
    """
    repeats, spent = max(1, round(_SECONDS / seconds)), []
    for threads in (1, None):
        before = _threads()
        for _ in range(repeats):
            own(threads)
        after = _threads()
        names = sorted(after, key=lambda name: (name != str(os.getpid()), name))
        spent.append([after[name] - before.get(name, 0) for name in names])
    one, more = spent
    main, *others = more
    return sum(one) / (main + max(others, default=0)), sum(more) / sum(one)


def _threads() -> dict[str, int]:
    """Return the processor times [ns] of all threads of this process, as Linux counts them."""
    return {task.name: int((task / "schedstat").read_text().split()[0]) for task in Path("/proc/self/task").iterdir()}


def _cases(count: int, rng: np.random.Generator) -> Iterator[Case]:
    peers = installed((_coal, _fcl))
    for size, spread in ((8, 1.0), (8, 3.0), (40, 1.0), (40, 3.0), (200, 1.0), (1000, 1.0)):
        hulls = [mc.shapes.ConvexHull(rng.normal(size=(size, 3))) for _ in range(2)]
        poses = _poses(count, spread, rng)
        ask = _coal_loop(hulls, poses) if "coal" in peers else None
        meshes, name = [hull.mesh() for hull in hulls], f"depth and normal, {size} points, {spread:g}"
        yield Case(name, _asking(mc.penetration, *meshes, poses), lambda found: found.depth, ask, 1e-5)
    shapes = mc.shapes
    ball = shapes.sphere(0.5, 0.003)
    poses = _poses(count, 1.5, rng)
    yield Case("distance of balls, 1,000 triangles", _asking(mc.distance, ball, ball, poses), _distances, None, 0.0)
    for name in ("sphere sphere", "sphere box", "capsule capsule", "box box", "cylinder box", "cone sphere"):
        a, b = (_SHAPES[part](shapes) for part in name.split())
        poses, ask = _poses(count, 1.5, rng), None
        if "fcl" in peers:
            ask = _fcl_loop(*name.split(), poses)
        yield Case(f"distance, {name}", _asking(mc.distance, a, b, poses), _distances, ask, 1e-2)
    for name in (
        "sphere sphere", "sphere box", "capsule capsule", "box box", "cylinder box", "cone sphere",
        "ellipsoid ellipsoid", "box half-space", "sphere mesh", "box mesh", "cylinder mesh", "mesh half-space",
    ):  # fmt: skip
        a, b = (_SHAPES[part](shapes) for part in name.split())
        few = _poses(count // 4 if "mesh" in name else count, 1.0, rng)
        ask = _fcl_meetings(*name.split(), few) if "fcl" in peers else None
        yield Case(f"collide, {name}", _asking(mc.collides, a, b, few), lambda met: met, ask, np.nan)
    for name, a, b, height in (
        ("box on box", shapes.Box(1.0), shapes.Box(1.0), 1.0),
        ("sphere on box", shapes.Sphere(0.5), shapes.Box(1.0), 1.0),
        ("turned box on box", shapes.Box(1.0), shapes.Box(1.0), 1.0),
    ):
        poses = np.tile(np.eye(4), (count, 1, 1))
        poses[:, :3, 3] = np.c_[rng.uniform(-0.4, 0.4, (count, 2)), np.full(count, height)]
        if "turned" in name:
            turn = rng.uniform(0.0, 6.0, count)
            poses[:, 0, 0] = poses[:, 1, 1] = np.cos(turn)
            poses[:, 0, 1], poses[:, 1, 0] = -np.sin(turn), np.sin(turn)
        yield Case(f"touching exactly, {name}", _asking(mc.distance, a, b, poses), _distances, None, 0.0)


def _asking(question: Callable[..., Any], a: Any, b: Any, poses: np.ndarray) -> Own:
    return lambda threads: question(a, b, pose_b=poses, threads=threads)


def _distances(found: Any) -> np.ndarray:
    distances: np.ndarray = found.distance
    return distances


def _poses(count: int, spread: float, rng: np.random.Generator) -> np.ndarray:
    poses = np.tile(np.eye(4), (count, 1, 1))
    for pose in poses:
        q, r = np.linalg.qr(rng.normal(size=(3, 3)))
        q *= np.sign(np.diag(r))
        pose[:3, :3] = q * np.sign(np.linalg.det(q))
    poses[:, :3, 3] = rng.uniform(-spread, spread, (count, 3))
    return poses


def _coal() -> str:
    import coal

    return str(coal.__name__)


def _fcl() -> str:
    import fcl

    return str(fcl.__name__)


def _coal_loop(hulls: list[mc.shapes.ConvexHull], poses: np.ndarray) -> Callable[[], np.ndarray]:
    """Depths by coal, 0 where hulls are apart; hulls, requests and arrays are made before."""
    import coal

    a, b = (coal_convex(same_hull(hull)) for hull in hulls)
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    still, place = coal.Transform3s.Identity(), coal.Transform3s()
    places = [(np.ascontiguousarray(pose[:3, :3]), pose[:3, 3].copy()) for pose in poses]

    def ask() -> np.ndarray:
        told = []
        for turn, shift in places:
            place.setRotation(turn)
            place.setTranslation(shift)
            result.clear()
            told.append(coal.distance(a, still, b, place, request, result))
        return np.maximum(-np.array(told), 0.0)

    return ask


_SHAPES: dict[str, Callable[[Any], Any]] = {
    "sphere": lambda shapes: shapes.Sphere(0.5),
    "capsule": lambda shapes: shapes.Capsule(0.3, 1.0),
    "box": lambda shapes: shapes.Box((1.0, 0.8, 0.6)),
    "cylinder": lambda shapes: shapes.Cylinder(0.4, 1.0),
    "cone": lambda shapes: shapes.Cone(0.4, 1.0),
    "ellipsoid": lambda shapes: shapes.Ellipsoid((0.5, 0.4, 0.3)),
    "half-space": lambda shapes: shapes.Halfspace((0.0, 0.0, 1.0), -0.1),
    "mesh": lambda _: mc.build(_body()),
}


def _body() -> mc.TriangleMesh:
    vertices, triangles = bumpy_sphere(1000)
    return mc.TriangleMesh(0.5 * vertices / np.abs(vertices).max(), triangles)


def _fcl_objects(first: str, second: str) -> tuple[Any, Any]:
    import fcl

    body, model = _body(), fcl.BVHModel()
    model.beginModel(len(body.vertices), len(body.triangles))
    model.addSubModel(body.vertices, body.triangles)
    model.endModel()
    shapes = {
        "sphere": fcl.Sphere(0.5), "capsule": fcl.Capsule(0.3, 1.0), "box": fcl.Box(1.0, 0.8, 0.6),
        "cylinder": fcl.Cylinder(0.4, 1.0), "cone": fcl.Cone(0.4, 1.0), "ellipsoid": fcl.Ellipsoid(0.5, 0.4, 0.3),
        "half-space": fcl.Halfspace(np.array([0.0, 0.0, 1.0]), -0.1), "mesh": model,
    }  # fmt: skip
    a, b = (fcl.CollisionObject(shapes[name], fcl.Transform()) for name in (first, second))
    return a, b


def _fcl_meetings(first: str, second: str, poses: np.ndarray) -> Callable[[], np.ndarray]:
    """Whether two objects collide, by python-fcl; objects, requests and transforms are made before."""
    import fcl

    a, b = _fcl_objects(first, second)
    places = [fcl.Transform(np.ascontiguousarray(pose[:3, :3]), pose[:3, 3].copy()) for pose in poses]
    request = fcl.CollisionRequest()

    def ask() -> np.ndarray:
        told = []
        for place in places:
            b.setTransform(place)
            told.append(fcl.collide(a, b, request, fcl.CollisionResult()) > 0)
        return np.array(told)

    return ask


def _fcl_loop(first: str, second: str, poses: np.ndarray) -> Callable[[], np.ndarray]:
    """Distances by python-fcl; NaN where it reports a contact, of which it gives no distance."""
    import fcl

    a, b = _fcl_objects(first, second)
    places = [(np.ascontiguousarray(pose[:3, :3]), pose[:3, 3].copy()) for pose in poses]
    request = fcl.DistanceRequest(enable_nearest_points=True)

    def ask() -> np.ndarray:
        told = []
        for turn, shift in places:
            b.setTransform(fcl.Transform(turn, shift))
            told.append(fcl.distance(a, b, request, fcl.DistanceResult()))
        found = np.array(told)
        return np.where(found > 0.0, found, np.nan)

    return ask
