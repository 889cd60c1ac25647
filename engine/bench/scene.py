"""How long does Detect take for many objects against each other, and where does the time go?

Scenes of rough spheres of about 1,000 triangles each, every object with a mesh of its own, in random poses: a loose one
in which few touch, a crowded one, and a heap in which every object overlaps several. The first call includes building
everything; the second has only new questions to answer. Beside it python-fcl's broad-phase manager looks for
the colliding pairs, without contacts, verdicts or depths.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from meshclash.scene.results import SceneContacts
from meshclash.scene.scene import Scene
from meshclash.types.mesh import TriangleMesh
from oracles.mesh_exactness import bumpy_sphere

from .peers import Peer, installed
from .rigid_peers import Fcl
from .table import Row, format_table, write_json
from .timing import one_core

SCENES = {"loose": 40.0, "crowded": 26.0, "heap": 18.0}  # edge [m] of the cube in which the unit spheres stand
RINGS = 16  # 960 triangles
_AGAIN: dict[str, Callable[[Scene], object]] = {
    "again": Scene.contacts,
    "no depths": lambda scene: scene.contacts(depth=False),
    "collides": Scene.collides,
}
"""What is asked of a scene that was asked before; python-fcl's manager answers the last one."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--objects", type=int, default=1000)
    parser.add_argument(
        "--runs", type=int, default=5, help="repetitions after a warm-up; the median processor time is shown"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True, help="also time python-fcl")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; always 0."""
    peers: list[Peer] = installed((_Fcl,)) if options.peers else []
    _detect(_objects(3, 1.0, options.seed))  # compiles, or loads from the cache
    rows: list[Row] = []
    with one_core():
        for name, edge in SCENES.items():
            objects = _objects(options.objects, edge, options.seed)
            rows.append(_row(name, objects, options.runs, peers))
    print(format_table(rows))
    if options.json:
        write_json(options.json, {"bench": "scene", "objects": options.objects, "scenes": rows})
    return 0


def _row(name: str, objects: list[tuple[TriangleMesh, np.ndarray]], runs: int, peers: list[Peer]) -> Row:
    times: dict[str, list[float]] = {question: [] for question in ("first", *_AGAIN)}
    peer = []
    for _ in range(runs):
        fresh = [(TriangleMesh(mesh.vertices, mesh.triangles), pose) for mesh, pose in objects]
        start = time.process_time()
        scene, result = _detect(fresh)
        times["first"].append(time.process_time() - start)
        stages = result.stats.timings
        for question, ask in _AGAIN.items():
            if question != "again":
                ask(scene)
            start = time.process_time()
            ask(scene)
            times[question].append(time.process_time() - start)
        for other in peers:
            other.prepare(objects)
            start = time.process_time()
            other.ask()
            peer.append(time.process_time() - start)
    row: Row = {
        "scene": name,
        "triangles": sum(mesh.triangle_count for mesh, _ in objects),
        "object pairs": len(result.pairs),
        "triangle pairs": sum(len(pair.contacts) for pair in result.pairs),
        **{f"{question} [s]": float(np.median(found)) for question, found in times.items()},
    }
    row.update({f"{stage} [s]": seconds for stage, seconds in stages.items()})
    if peer:
        row["fcl query [s]"] = float(np.median(peer))
        row.update({f"fcl / {question}": row["fcl query [s]"] / row[f"{question} [s]"] for question in _AGAIN})
    return row


def _objects(count: int, edge: float, seed: int) -> list[tuple[TriangleMesh, np.ndarray]]:
    """Bumpy unit spheres in random poses within a cube."""
    rng = np.random.default_rng(seed)
    vertices, triangles = bumpy_sphere(RINGS)(rng)
    objects = []
    for _ in range(count):
        rough = vertices * (1.0 + 0.1 * rng.random((len(vertices), 1)))
        rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        pose = np.eye(4)
        pose[:3, :3] = rotation * np.sign(np.linalg.det(rotation))
        pose[:3, 3] = rng.random(3) * edge
        objects.append((TriangleMesh(rough, triangles), pose))
    return objects


def _detect(objects: list[tuple[TriangleMesh, np.ndarray]]) -> tuple[Scene, SceneContacts]:
    scene = Scene()
    for mesh, pose in objects:
        scene.add(mesh, pose)
    return scene, scene.contacts()


class _Fcl:
    """python-fcl's manager of all objects, its trees built before."""

    name = "python-fcl"

    def __init__(self) -> None:
        import fcl

        self._fcl = fcl

    def prepare(self, objects: list[tuple[TriangleMesh, np.ndarray]]) -> None:
        fcl = self._fcl
        models = [(Fcl.build(mesh.vertices, mesh.triangles), pose) for mesh, pose in objects]
        self._bodies = [fcl.CollisionObject(model, fcl.Transform(pose[:3, :3], pose[:3, 3])) for model, pose in models]
        self._manager = fcl.DynamicAABBTreeCollisionManager()
        self._manager.registerObjects(self._bodies)
        self._manager.setup()

    def ask(self) -> None:
        request = self._fcl.CollisionRequest(num_max_contacts=1_000_000, enable_contact=False)
        self._manager.collide(self._fcl.CollisionData(request=request), self._fcl.defaultCollisionCallback)
