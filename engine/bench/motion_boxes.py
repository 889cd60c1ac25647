"""Part of the bench of motion: boxes that drift, beside the managers of python-fcl, coal and pybullet in the same run.

Timed are a manager's update and its search for overlapping pairs, not the calls that tell it each object's place: those
are one call an object from Python. Ours gets one array. python-fcl hands every pair to Python, as its users get them;
coal counts them itself; pybullet also makes contact points of the boxes. Times are processor time.
"""

from __future__ import annotations

import time

import numpy as np
from meshclash.motion import SweepAndPrune

from .peers import Peer, installed
from .table import Row

_HALF = 0.5


class _Ours:
    name = "meshclash"

    def __init__(self, count: int) -> None:
        self._sweep, self._ids = SweepAndPrune(), np.arange(count)
        self._boxes = np.empty((count, 6))

    def prepare(self, centres: np.ndarray) -> None:
        self._boxes = np.hstack([centres - _HALF, centres + _HALF])

    def ask(self) -> int:
        self._sweep.update(self._ids, self._boxes)
        return len(self._sweep.pairs)


class _Fcl:
    name = "python-fcl"

    def __init__(self, count: int) -> None:
        import fcl

        self._fcl = fcl
        shape = fcl.Box(2 * _HALF, 2 * _HALF, 2 * _HALF)
        self._objects = [fcl.CollisionObject(shape) for _ in range(count)]
        self._manager = fcl.DynamicAABBTreeCollisionManager()
        self._manager.registerObjects(self._objects)
        self._manager.setup()

    def prepare(self, centres: np.ndarray) -> None:
        for thing, centre in zip(self._objects, centres, strict=True):
            thing.setTransform(self._fcl.Transform(centre))

    def ask(self) -> int:
        self._manager.update()
        found = []
        self._manager.collide(None, lambda one, other, _: bool(found.append((one, other))))
        return len(found)


class _Coal:
    name = "coal"

    def __init__(self, count: int) -> None:
        import coal

        self._coal = coal
        shape = coal.Box(2 * _HALF, 2 * _HALF, 2 * _HALF)
        self._objects = [coal.CollisionObject(shape) for _ in range(count)]
        self._manager = coal.DynamicAABBTreeCollisionManager()
        for thing in self._objects:
            self._manager.registerObject(thing)
        self._manager.setup()
        self._near = coal.CollisionCallBackCollect(64 * count)

    def prepare(self, centres: np.ndarray) -> None:
        for thing, centre in zip(self._objects, centres, strict=True):
            thing.setTranslation(centre)
            thing.computeAABB()

    def ask(self) -> int:
        self._manager.update()
        self._near.init()
        self._manager.collide(self._near)
        return int(self._near.numCollisionPairs())


class _Bullet:
    name = "pybullet"

    def __init__(self, count: int) -> None:
        import pybullet

        self._bullet = pybullet
        pybullet.connect(pybullet.DIRECT)
        shape = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=[_HALF] * 3)
        self._bodies = [pybullet.createMultiBody(1.0, shape) for _ in range(count)]

    def prepare(self, centres: np.ndarray) -> None:
        for body, centre in zip(self._bodies, centres.tolist(), strict=True):
            self._bullet.resetBasePositionAndOrientation(body, centre, (0, 0, 0, 1))

    def ask(self) -> int:
        self._bullet.performCollisionDetection()
        return -1  # contacts with a margin, not overlaps: not compared


def box_rows(sizes: list[int], runs: int) -> list[Row]:
    """Milliseconds of an update and a search, for each number of boxes and side, and whether the counts agree."""
    rows: list[Row] = []
    for count in sizes:
        rng = np.random.default_rng(count)
        edge = (count * 4.0) ** (1.0 / 3.0)  # each box overlaps one other, about
        centres, speed = rng.uniform(0, edge, (count, 3)), rng.normal(size=(count, 3)) * 0.01
        sides: list[Peer] = installed((_Ours, _Fcl, _Coal, _Bullet), count)
        times: dict[str, list[float]] = {side.name: [] for side in sides}
        differ = dict.fromkeys(times, 0)
        for turn in range(runs + 1):
            centres = centres + speed
            truth = 0
            for side in sides:
                side.prepare(centres)
                begin = time.process_time()
                pairs = side.ask()
                if turn:
                    times[side.name].append(time.process_time() - begin)
                truth = pairs if side is sides[0] else truth
                differ[side.name] += pairs not in (truth, -1)
        mine = float(np.median(times[_Ours.name]))
        for name, of in times.items():
            median = float(np.median(of))
            row: Row = {"boxes": count, "pairs": truth, "side": name, "ms": 1e3 * median, "ratio": median / mine}
            rows.append(row | {"frames that differ": differ[name]})
    return rows
