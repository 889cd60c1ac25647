"""How long do queries on two posed copies of one mesh take, beside mathutils and python-fcl in the same run?

Bumpy spheres of several sizes, or meshes given by path (.npz with ``v`` (n, 3) and ``f`` (m, 3)). *Deep*: box centres
together, one copy turned by 30 degrees. *Sweep*: ten centre distances times ten angles of a full turn, asked in one
call. Trees are prepared. mathutils has no poses: its second tree is built in the world beforehand. Processor time, the
sides asked in turn.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..hierarchy.build import SPLITS, build
from ..query.collide import collide, collides
from ..types.mesh import TriangleMesh
from ..types.pose import Pose
from .mesh_exactness import bumpy_sphere
from .table import Row, format_table, write_json

SPHERES = {"sphere 20k": 71, "sphere 250k": 250}  # rings; 4 * rings * (rings - 1) triangles


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--mesh", type=Path, action="append", default=[], help=".npz with v and f; may be repeated")
    parser.add_argument("--split", choices=sorted(SPLITS), default="lbvh", help="builder of our trees")
    parser.add_argument("--runs", type=int, default=9, help="repetitions after a warm-up; the median is shown")
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; always 0."""
    meshes = {path.stem: _read(path) for path in options.mesh} or {
        name: bumpy_sphere(rings)(np.random.default_rng(0)) for name, rings in SPHERES.items()
    }
    rows = [_row(name, vertices, triangles, options) for name, (vertices, triangles) in meshes.items()]
    print(format_table(rows))
    if options.json:
        write_json(options.json, {"bench": "rigid", "split": options.split, "meshes": rows})
    return 0


def _read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    with np.load(path) as arrays:
        return arrays["v"].astype(np.float64), arrays["f"]


def _row(name: str, vertices: np.ndarray, triangles: np.ndarray, options: argparse.Namespace) -> Row:
    mesh = TriangleMesh(vertices, triangles)
    tree = build(mesh, split=options.split)
    deep, sweep = _poses(mesh.bounds)
    ours = {
        "deep": lambda: collide(tree, tree, None, deep),
        "sweep": lambda: collide(tree, tree, None, sweep),
        "any": lambda: collides(tree, tree, None, sweep),
    }
    peers = _peers(vertices, triangles, deep) if options.peers else {}
    seconds = _medians({**ours, **peers}, options.runs)
    row: Row = {
        "mesh": name,
        "triangles": len(triangles),
        "pairs, deep": len(collide(tree, tree, None, deep)),
        "deep [ms]": 1e3 * seconds["deep"],
        "sweep [ms/pose]": 1e3 * seconds["sweep"] / len(sweep),
        "any [us/pose]": 1e6 * seconds["any"] / len(sweep),
    }
    for peer in peers:
        row[f"{peer}, deep [ms]"] = 1e3 * seconds[peer]
        row[f"{peer} / ours"] = seconds[peer] / seconds["deep"]
    return row


def _poses(bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The deep pose (4, 4), and the sweep (100, 4, 4)."""
    middle = 0.5 * bounds.sum(axis=0)
    size = np.linalg.norm(bounds[1] - bounds[0])
    deep = _turned(middle, np.radians(30.0), 0.0)
    angles = np.arange(10) * np.radians(36.0)
    return deep, np.stack([_turned(middle, t, d) for d in np.linspace(0.2, 0.9, 10) * size for t in angles])


def _turned(middle: np.ndarray, angle: float, distance: float) -> np.ndarray:
    """A turn about an oblique axis through the middle, then a shift along x."""
    axis = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)
    cross = np.cross(np.eye(3), axis)
    pose = np.eye(4)
    pose[:3, :3] = np.eye(3) - np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    pose[:3, 3] = middle - pose[:3, :3] @ middle + (distance, 0.0, 0.0)
    return pose


def _medians(questions: dict[str, Callable[[], Any]], runs: int) -> dict[str, float]:
    """Median processor seconds of each question, all asked in turn; the first round warms up."""
    taken: dict[str, list[float]] = {name: [] for name in questions}
    for _ in range(runs + 1):
        for name, ask in questions.items():
            start = time.process_time()
            ask()
            taken[name].append(time.process_time() - start)
    return {name: float(np.median(times[1:])) for name, times in taken.items()}


def _peers(vertices: np.ndarray, triangles: np.ndarray, deep: np.ndarray) -> dict[str, Callable[[], Any]]:
    """What each peer that can be imported is asked in the deep pose, prepared."""
    found: dict[str, Callable[[], Any]] = {}
    for name, prepare in (("mathutils", _mathutils), ("python-fcl", _fcl)):
        try:
            found[name] = prepare(vertices, triangles, deep)
        except ImportError as error:
            print(f"{name} left out: {error}")
    return found


def _mathutils(vertices: np.ndarray, triangles: np.ndarray, deep: np.ndarray) -> Callable[[], Any]:
    try:
        import mathutils.bvhtree
    except ImportError:
        import bpy  # noqa: F401 - the bpy wheel makes its own mathutils importable  # isort: skip
        import mathutils.bvhtree

    faces = triangles.tolist()
    make = mathutils.bvhtree.BVHTree.FromPolygons
    first, second = make(vertices.tolist(), faces), make(Pose.from_matrix(deep).apply(vertices).tolist(), faces)
    return lambda: first.overlap(second)


def _fcl(vertices: np.ndarray, triangles: np.ndarray, deep: np.ndarray) -> Callable[[], Any]:
    import fcl

    model = fcl.BVHModel()
    model.beginModel(len(vertices), len(triangles))
    model.addSubModel(vertices, triangles)
    model.endModel()
    first = fcl.CollisionObject(model)
    second = fcl.CollisionObject(model, fcl.Transform(deep[:3, :3], deep[:3, 3]))
    request = fcl.CollisionRequest(num_max_contacts=10_000_000, enable_contact=False)
    return lambda: fcl.collide(first, second, request, fcl.CollisionResult())
