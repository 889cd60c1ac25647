"""What Python users ask every day, as they write it, beside python-fcl, coal and trimesh; one core, wall time.

Each line asks all sides the same; where a yes, a distance or pairs of names differ the bench ends with 1.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import coal
import fcl
import meshclash as mc
import numpy as np
import trimesh
from meshclash.compat.trimesh import CollisionManager

from .timing import one_core

Ask = Callable[[], Any]
ROUNDING = 1e-6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the bench."""
    parser.add_argument("--runs", type=int, default=200, help="calls of each side (default: 200)")
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> int:
    """Print a table in microseconds; 1 where answers differ."""
    differ = 0
    print(f"{'question':42s}{'meshclash':>10s}{'fcl':>10s}{'coal':>10s}")
    with one_core():
        for name, sides in _questions(np.random.default_rng(options.seed)):
            answers = [side() for side in sides if side is not None]
            differ += not all(_same(answers[0], answer) for answer in answers[1:])
            told = ["-" if side is None else f"{_microseconds(side, options.runs):.1f}" for side in sides]
            print(f"{name:42s}" + "".join(f"{text:>10s}" for text in told), flush=True)
    print(f"answers differ in {differ} lines")
    return int(differ > 0)


def _same(one: Any, other: Any) -> bool:
    return abs(one - other) < ROUNDING if isinstance(one, float) else one == other


def _microseconds(ask: Ask, runs: int) -> float:
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        ask()
        times.append(time.perf_counter() - begin)
    return 1e6 * float(np.median(times))


def _shift(by: Any) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = by
    return pose


def _fcl_mesh(mesh: trimesh.Trimesh) -> Any:
    made = fcl.BVHModel()
    made.beginModel(len(mesh.vertices), len(mesh.faces))
    made.addSubModel(mesh.vertices, mesh.faces)
    made.endModel()
    return made


def _coal_mesh(mesh: trimesh.Trimesh) -> Any:
    made, corners, triangles = coal.BVHModelOBBRSS(), coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for corner in mesh.vertices:
        corners.append(np.array(corner))
    for triangle in mesh.faces.tolist():
        triangles.append(coal.Triangle(*triangle))
    made.beginModel(len(triangles), len(corners))
    made.addSubModel(corners, triangles)
    made.endModel()
    return made


def _own(mesh: trimesh.Trimesh) -> mc.Hierarchy:
    return mc.build(mc.TriangleMesh(mesh.vertices, mesh.faces))


def _questions(rng: np.random.Generator) -> list[tuple[str, tuple[Ask, Ask | None, Ask | None]]]:
    cube = trimesh.creation.box((1, 1, 1))
    return [*_of_cubes(cube), *_of_spheres(trimesh.creation.icosphere(2), rng), _of_tori(rng), _of_boxes()]


def _of_cubes(cube: trimesh.Trimesh) -> list[tuple[str, tuple[Ask, Ask | None, Ask | None]]]:
    own, over, apart = _own(cube), _shift((0.5, 0.2, 0.1)), _shift((2.0, 0.2, 0.1))
    first, second = fcl.CollisionObject(_fcl_mesh(cube)), fcl.CollisionObject(_fcl_mesh(cube))
    mesh, still, moved = _coal_mesh(cube), coal.Transform3s.Identity(), coal.Transform3s.Identity()
    scene = mc.Scene()
    scene.add(own)
    other = scene.add(own)

    def of_scene(pose: np.ndarray, ask: Ask) -> Any:
        scene.set_pose(other, pose)
        return ask()

    def by_fcl(pose: np.ndarray, measure: bool) -> Any:
        second.setTransform(fcl.Transform(pose[:3, :3], pose[:3, 3]))
        if measure:
            return float(fcl.distance(first, second, fcl.DistanceRequest(), fcl.DistanceResult()))
        return bool(fcl.collide(first, second, fcl.CollisionRequest(), fcl.CollisionResult()))

    def by_coal(pose: np.ndarray, measure: bool) -> Any:
        moved.setTranslation(pose[:3, 3])
        if measure:
            return float(coal.distance(mesh, still, mesh, moved, coal.DistanceRequest(), coal.DistanceResult()))
        return bool(coal.collide(mesh, still, mesh, moved, coal.CollisionRequest(), coal.CollisionResult()))

    peers = (lambda: by_fcl(over, False)), (lambda: by_coal(over, False))
    measured = (lambda: by_fcl(apart, True)), (lambda: by_coal(apart, True))
    return [
        ("two cubes moved and asked", (lambda: mc.collides(own, own, pose_b=over), *peers)),
        ("the same by the scene", (lambda: of_scene(over, scene.any), *peers)),
        ("two cubes apart, distance", (lambda: mc.distance(own, own, pose_b=apart).distance, *measured)),
        ("the same by the scene",
         (lambda: of_scene(apart, lambda: scene.distances(depth=False)[0].gap), *measured)),
    ]  # fmt: skip


def _of_spheres(
    sphere: trimesh.Trimesh, rng: np.random.Generator
) -> list[tuple[str, tuple[Ask, Ask | None, Ask | None]]]:
    own, scene, shape = _own(sphere), mc.Scene(), _fcl_mesh(sphere)
    tree, kept = fcl.DynamicAABBTreeCollisionManager(), []
    managers = CollisionManager(), trimesh.collision.CollisionManager()
    for k, place in enumerate(rng.uniform(0, 12, (100, 3))):
        scene.add(own, _shift(place), name=str(k))
        kept.append(fcl.CollisionObject(shape, fcl.Transform(np.eye(3), place)))
        for manager in managers:
            manager.add_object(str(k), sphere, _shift(place))
    tree.registerObjects(kept)
    tree.setup()

    def by_fcl() -> bool:
        data = fcl.CollisionData()
        tree.collide(data, fcl.defaultCollisionCallback)
        return bool(data.result.is_collision)

    def unknown() -> bool:
        scene._standing._last = None  # type: ignore[union-attr]  # the pair that collided last
        return bool(scene.any())

    scene.any()
    named = [lambda m=manager: m.in_collision_internal(return_names=True) for manager in managers]
    return [
        ("does anything collide, 100 spheres", (scene.any, by_fcl, None)),
        ("the same, no pair known", (unknown, by_fcl, None)),
        ("100 spheres, internal, with names", (named[0], named[1], None)),
    ]


def _of_tori(rng: np.random.Generator) -> tuple[str, tuple[Ask, Ask | None, Ask | None]]:
    torus = trimesh.creation.torus(1.0, 0.3, 16, 16)
    own, scene, manager = _own(torus), mc.Scene(), trimesh.collision.CollisionManager()
    for k, cell in enumerate(np.ndindex(5, 5, 4)):
        place = 3.0 * np.array(cell) + rng.uniform(-0.1, 0.1, 3)
        scene.add(own, _shift(place))
        manager.add_object(str(k), torus, _shift(place))
    own_ask: Ask = lambda: scene.distances(1, depth=False)[0].gap  # noqa: E731
    return "100 tori, least distance", (own_ask, lambda: float(manager.min_distance_internal()), None)


def _of_boxes() -> tuple[str, tuple[Ask, Ask | None, Ask | None]]:
    own, over = _own(trimesh.creation.box((1, 1, 1))), _shift((0.5, 0.2, 0.1))
    first, second = fcl.CollisionObject(fcl.Box(1, 1, 1)), fcl.CollisionObject(fcl.Box(1, 1, 1))
    box, still, moved = coal.Box(1, 1, 1), coal.Transform3s.Identity(), coal.Transform3s.Identity()

    def by_fcl() -> float:
        second.setTransform(fcl.Transform(over[:3, :3], over[:3, 3]))
        result = fcl.CollisionResult()
        fcl.collide(first, second, fcl.CollisionRequest(enable_contact=True), result)
        return float(result.contacts[0].penetration_depth)

    def by_coal() -> float:
        moved.setTranslation(over[:3, 3])
        result = coal.CollisionResult()
        coal.collide(box, still, box, moved, coal.CollisionRequest(), result)
        return -float(result.getContact(0).penetration_depth)

    return "two boxes, depth and normal", (lambda: float(mc.penetration(own, own, pose_b=over).depth), by_fcl, by_coal)
