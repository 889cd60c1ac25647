"""Part of the bench of motion: frames of large scenes, beside python-fcl's and coal's managers in the same run.

Objects are rough spheres that share one mesh, fly through a cube and bounce back at its walls. Every side gets the same
poses; a frame of ours is ``set_poses`` and ``step``, of python-fcl new transforms, an update of its manager and the
manager's question. coal's manager finds the pairs whose boxes overlap but cannot tell Python which they are; so it is
asked, and then coal is given these pairs. "coal, given pairs" leaves out what finding them took. Sides take turns in
one process; times are processor time, of all cores together.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from meshclash import Scene, TriangleMesh
from meshclash.broadphase.sweep import overlapping_pairs, world_boxes
from oracles.mesh_exactness import bumpy_sphere
from oracles.motion_scenes import random_rotation

from .peers import installed
from .rigid_peers import Coal, Fcl
from .table import Row, format_table

_RINGS = 51  # 10,000 triangles
_PAIRS_A_THOUSAND = 250
"""About so many pairs of a thousand objects touch."""

Pairs = set[tuple[int, int]]


class _Flight:
    """Poses (n, 4, 4) of objects frame by frame."""

    def __init__(self, count: int, radius: float) -> None:
        self._rng = rng = np.random.default_rng(count)
        # Two spheres of radius r among n in a cube of edge s touch with about (4/3) pi (2 r)^3 / s^3.
        pairs = _PAIRS_A_THOUSAND * count / 1000
        self.edge = (0.5 * count * count * (32.0 / 3.0) * np.pi * radius**3 / pairs) ** (1.0 / 3.0)
        self._poses = np.tile(np.eye(4), (count, 1, 1))
        self._poses[:, :3, :3] = np.array([random_rotation(rng) for _ in range(count)])
        self._poses[:, :3, 3] = rng.uniform(0, self.edge, (count, 3))
        self._velocity = rng.normal(size=(count, 3)) * 0.02 * radius
        c, s = np.cos(0.01), np.sin(0.01)
        self._turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])

    def next(self) -> np.ndarray:
        self._poses[:, :3, 3] += self._velocity
        out = (self._poses[:, :3, 3] < 0) | (self._poses[:, :3, 3] > self.edge)
        self._velocity[out] *= -1.0
        self._poses[:, :3, :3] = self._poses[:, :3, :3] @ self._turn
        return self._poses.copy()


class _Ours:
    name = "meshclash"

    def __init__(self, vertices: np.ndarray, triangles: np.ndarray, count: int) -> None:
        self._scene, mesh = Scene(), TriangleMesh(vertices, triangles)
        self._ids = [self._scene.add(mesh) for _ in range(count)]
        self.counters: Row = {}

    def frame(self, poses: np.ndarray, everything: bool, near: list[tuple[int, int]]) -> Any:
        self._scene.set_poses(self._ids, poses)
        step = self._scene.step(first_only=not everything)
        self.counters = {"near": step.near, "asleep": step.asleep, "swaps": step.swaps}
        return step.pairs

    def named(self, raw: Any) -> Pairs:
        """Pairs of objects from the answer of a frame."""
        return set(map(tuple, raw.tolist()))


class _Fcl:
    name = "python-fcl"

    def __init__(self, vertices: np.ndarray, triangles: np.ndarray, count: int) -> None:
        import fcl

        self._fcl = fcl
        model = Fcl.build(vertices, triangles)
        self._objects = [fcl.CollisionObject(model) for _ in range(count)]
        self._manager = fcl.DynamicAABBTreeCollisionManager()
        self._manager.registerObjects(self._objects)
        self._manager.setup()

    def frame(self, poses: np.ndarray, everything: bool, near: list[tuple[int, int]]) -> Any:
        fcl = self._fcl
        for thing, pose in zip(self._objects, poses, strict=True):
            thing.setTransform(fcl.Transform(pose[:3, :3], pose[:3, 3]))
        self._manager.update()
        request = fcl.CollisionRequest(num_max_contacts=10**6 if everything else 1, enable_contact=False)
        found = []

        def meet(one: Any, other: Any, _: Any) -> bool:
            if fcl.collide(one, other, request, fcl.CollisionResult()):
                found.append((one, other))
            return False

        self._manager.collide(None, meet)
        return found

    def named(self, raw: Any) -> Pairs:
        """Pairs of objects from the answer of a frame."""
        return _by_place(self._objects, raw)


class _GivenCoal:
    name = "coal, given pairs"

    def __init__(self, vertices: np.ndarray, triangles: np.ndarray, count: int) -> None:
        import coal

        self._coal = coal
        model = Coal.build(vertices, triangles)
        self._objects = [coal.CollisionObject(model) for _ in range(count)]

    def frame(self, poses: np.ndarray, everything: bool, near: list[tuple[int, int]]) -> Any:
        coal, objects = self._coal, self._objects
        for thing, pose in zip(objects, poses, strict=True):
            thing.setTransform(coal.Transform3s(pose[:3, :3], pose[:3, 3]))
        request, result, found = coal.CollisionRequest(), coal.CollisionResult(), []
        request.num_max_contacts = 10**6 if everything else 1
        request.enable_contact, request.break_distance = False, 0.0
        for i, j in near:
            result.clear()
            if coal.collide(objects[i], objects[j], request, result):
                found.append((i, j))
        return found

    def named(self, raw: Any) -> Pairs:
        """Pairs of objects from the answer of a frame."""
        return set(raw)


class _Coal(_GivenCoal):
    name = "coal"

    def __init__(self, vertices: np.ndarray, triangles: np.ndarray, count: int) -> None:
        super().__init__(vertices, triangles, count)
        self._manager = self._coal.DynamicAABBTreeCollisionManager()
        for thing in self._objects:
            self._manager.registerObject(thing)
        self._manager.setup()
        self._near = self._coal.CollisionCallBackCollect(64 * count)

    def frame(self, poses: np.ndarray, everything: bool, near: list[tuple[int, int]]) -> Any:
        found = super().frame(poses, everything, near)
        for thing in self._objects:
            thing.computeAABB()
        self._manager.update()
        self._near.init()
        self._manager.collide(self._near)
        return found


def _by_place(objects: list[Any], raw: Any) -> Pairs:
    """Pairs of objects, told by where they are: libraries wrap them anew in every answer."""
    place = {np.asarray(thing.getTranslation()).tobytes(): k for k, thing in enumerate(objects)}
    pairs = [sorted(place[np.asarray(thing.getTranslation()).tobytes()] for thing in pair) for pair in raw]
    return {(i, j) for i, j in pairs}


def step_rows(sizes: list[int], runs: int) -> list[Row]:
    """A row for each size, side and question: milliseconds of a frame, and how often the pairs differ from ours."""
    vertices, triangles = bumpy_sphere(_RINGS)(np.random.default_rng(1))
    radius = float(np.linalg.norm(vertices, axis=1).mean())
    rows: list[Row] = []
    for count in sizes:
        for everything in (False, True):
            rows += _sides(vertices, triangles, count, radius, runs, everything)
            print(format_table(rows) + "\n", flush=True)
    return rows


def _sides(
    vertices: np.ndarray, triangles: np.ndarray, count: int, radius: float, runs: int, everything: bool
) -> list[Row]:
    flight, times, wrong = _Flight(count, radius), {}, {}
    sides = installed((_Ours, _Fcl, _Coal, _GivenCoal), vertices, triangles, count)
    touching, everyone = 0, np.ones(count, np.bool_)
    for turn in range(runs + 1):
        poses, answers = flight.next(), {}
        boxes = world_boxes(np.array([vertices.min(axis=0), vertices.max(axis=0)])[None], poses[:, :3], 0.0)
        near = [(i, j) for i, j in overlapping_pairs(boxes, everyone, everyone).tolist()]
        for side in sides:
            begin = time.process_time()
            raw = side.frame(poses, everything, near)
            seconds = time.process_time() - begin
            answers[side.name] = side.named(raw)
            if turn:
                times.setdefault(side.name, []).append(seconds)
        ours = answers[_Ours.name]
        touching = len(ours)
        for name, found in answers.items():
            wrong[name] = wrong.get(name, 0) + len(found ^ ours)
    mine, none = float(np.median(times[_Ours.name])), dict.fromkeys(sides[0].counters, 0)
    question, rows = "all triangle pairs" if everything else "who touches whom", []
    for side in sides:
        median = float(np.median(times[side.name]))
        row: Row = {"objects": count, "question": question, "side": side.name, "touching": touching}
        row |= {"ms": 1e3 * median, "ratio": median / mine, "differ": wrong[side.name]}
        rows.append(row | (side.counters if side is sides[0] else none))
    return rows
