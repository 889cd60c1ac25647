"""Two copies of a mesh in other libraries: all contacts and first contact, prepared or under moving poses.

A peer is made from vertices (n, 3) float64 and triangles (m, 3) int32; that builds what it needs. ``place`` brings b to
a pose and is not timed; the other methods are, and are None where a library has nothing for them. Counts are those of
the library: mathutils and Embree hold float32 world coordinates, coal has an absolute tolerance.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from meshclash.types.pose import transform_points

from .native import Driver, DriverUnavailable, write_mesh
from .peers import import_bvhtree
from .timing import Ask, called

Triangles = tuple[np.ndarray, np.ndarray]


class MeshPeer:
    """What the bench asks of a library."""

    name: str
    rebuilds = False
    """Whether a new pose moves vertices and makes or refits a structure."""

    def place(self, pose: np.ndarray) -> None:
        """Bring b to a pose (4, 4), with all that the library needs before a query."""
        raise NotImplementedError

    def pairs(self) -> Ask:
        """Side that counts all contacts in the placed pose."""
        raise NotImplementedError

    def moving(self, poses: np.ndarray) -> Ask:
        """Side that places b in each pose (k, 4, 4) in turn and counts all contacts of all of them."""
        raise NotImplementedError

    def first(self, poses: np.ndarray) -> Ask | None:
        """Side that counts the poses (k, 4, 4) in which there is any contact."""
        return None

    def found(self) -> np.ndarray | None:
        """All contacts in the placed pose, (k, 2) triangle indices, unsorted."""
        return None

    def close(self) -> None:
        """End a process of its own."""


class Mathutils(MeshPeer):
    """`BVHTree`: knows no poses and no first contact; b is built in the world."""

    name = "mathutils"
    rebuilds = True

    def __init__(self, vertices: np.ndarray, triangles: np.ndarray) -> None:
        self._vertices, self._faces = vertices, triangles.tolist()
        self._make = import_bvhtree()[0].FromPolygons
        self._a = self._b = self._make(vertices.tolist(), self._faces, all_triangles=True)

    def place(self, pose: np.ndarray) -> None:
        world = transform_points(pose, self._vertices)
        self._b = self._make(world.tolist(), self._faces, all_triangles=True)

    def _overlap(self) -> int:
        return len(self._a.overlap(self._b))

    def pairs(self) -> Ask:
        return called(self._overlap)

    def moving(self, poses: np.ndarray) -> Ask:
        def ask() -> int:
            total = 0
            for pose in poses:
                self.place(pose)
                total += self._overlap()
            return total

        return called(ask)

    def found(self) -> np.ndarray:
        return np.array(self._a.overlap(self._b), np.int64).reshape(-1, 2)


class Fcl(MeshPeer):
    """python-fcl: OBBRSS trees, pose in the query, double precision."""

    name = "python-fcl"

    def __init__(self, vertices: np.ndarray, triangles: np.ndarray) -> None:
        import fcl

        self._fcl = fcl
        model = self.build(vertices, triangles)
        self._a, self._b = fcl.CollisionObject(model), fcl.CollisionObject(model)
        self._all = fcl.CollisionRequest(num_max_contacts=10**8, enable_contact=False)
        self._any = fcl.CollisionRequest(num_max_contacts=1, enable_contact=False)
        self._near = fcl.DistanceRequest(enable_nearest_points=True)

    @staticmethod
    def build(vertices: np.ndarray, triangles: np.ndarray) -> Any:
        """The library's own structure of a mesh."""
        import fcl

        model = fcl.BVHModel()
        model.beginModel(len(vertices), len(triangles))
        model.addSubModel(vertices, triangles)
        model.endModel()
        return model

    def place(self, pose: np.ndarray) -> None:
        self._b.setTransform(self._fcl.Transform(pose[:3, :3], pose[:3, 3]))

    def _count(self) -> int:
        return self._fcl.collide(self._a, self._b, self._all, self._fcl.CollisionResult())

    def _meet(self) -> bool:
        return self._fcl.collide(self._a, self._b, self._any, self._fcl.CollisionResult()) > 0

    def meets(self, pose: np.ndarray) -> bool:
        """Whether there is any contact with b in a pose, as one call."""
        self.place(pose)
        return self._meet()

    def gap(self, pose: np.ndarray) -> float:
        """The distance of b in a pose, with its points, as one call."""
        self.place(pose)
        return float(self._fcl.distance(self._a, self._b, self._near, self._fcl.DistanceResult()))

    def pairs(self) -> Ask:
        return called(self._count)

    def moving(self, poses: np.ndarray) -> Ask:
        return called(_placing_each(self.place, self._count, poses))

    def first(self, poses: np.ndarray) -> Ask:
        return called(_placing_each(self.place, self._meet, poses))

    def found(self) -> np.ndarray:
        result = self._fcl.CollisionResult()
        self._fcl.collide(self._a, self._b, self._all, result)
        return np.array([(c.b1, c.b2) for c in result.contacts], np.int64).reshape(-1, 2)


class Coal(MeshPeer):
    """coal, the successor of hpp-fcl; its ``break_distance`` is set to 0, which is faster on small meshes."""

    name = "coal"

    def __init__(self, vertices: np.ndarray, triangles: np.ndarray) -> None:
        import coal

        self._coal, self._model = coal, self.build(vertices, triangles)
        self._still, self._pose = coal.Transform3s.Identity(), coal.Transform3s.Identity()
        self._all, self._any = coal.CollisionRequest(), coal.CollisionRequest()
        self._result = coal.CollisionResult()
        self._near, self._nearest = coal.DistanceRequest(), coal.DistanceResult()
        self._near.enable_nearest_points = True
        for request, most in ((self._all, 10**8), (self._any, 1)):
            request.num_max_contacts = most
            request.enable_contact = False
            request.break_distance = 0.0

    @staticmethod
    def build(vertices: np.ndarray, triangles: np.ndarray) -> Any:
        """The library's own structure of a mesh."""
        import coal

        model = coal.BVHModelOBBRSS()
        model.beginModel(len(triangles), len(vertices))
        model.addVertices(vertices)
        model.addTriangles(triangles.astype(np.int64))
        model.endModel()
        return model

    def place(self, pose: np.ndarray) -> None:
        self._pose = self._coal.Transform3s(pose[:3, :3], pose[:3, 3])

    def _ask(self, request: Any) -> int:
        self._result.clear()
        self._coal.collide(self._model, self._still, self._model, self._pose, request, self._result)
        return self._result.numContacts()

    def meets(self, pose: np.ndarray) -> bool:
        """Whether there is any contact with b in a pose, as one call."""
        self.place(pose)
        return self._ask(self._any) > 0

    def gap(self, pose: np.ndarray) -> float:
        """The distance of b in a pose, with its points, as one call."""
        self.place(pose)
        self._nearest.clear()
        return float(self._coal.distance(self._model, self._still, self._model, self._pose, self._near, self._nearest))

    def pairs(self) -> Ask:
        return called(lambda: self._ask(self._all))

    def moving(self, poses: np.ndarray) -> Ask:
        return called(_placing_each(self.place, lambda: self._ask(self._all), poses))

    def first(self, poses: np.ndarray) -> Ask:
        return called(_placing_each(self.place, lambda: self._ask(self._any), poses))


def _placing_each(place: Callable[[np.ndarray], None], ask: Callable[[], int], poses: Iterable) -> Callable[[], int]:
    def run() -> int:
        total = 0
        for pose in poses:
            place(pose)
            total += ask()
        return total

    return run


class Embree(MeshPeer):
    """Embree 3's `rtcCollide` on float32 world vertices and a triangle test; a new pose moves vertices and refits."""

    name = "Embree"
    rebuilds = True
    driver, libraries = "rigid_embree", ("embree",)

    def __init__(self, vertices: np.ndarray, triangles: np.ndarray) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "mesh"
            write_mesh(path, vertices, triangles)
            self._driver = Driver(self.driver, self.libraries, path)
            self.place(np.eye(4))  # the driver has read the file when it answers

    def place(self, pose: np.ndarray) -> None:
        self._driver.ask(f"place {_written(pose)}")

    def pairs(self) -> Ask:
        return lambda repeats: self._asked(f"pairs {repeats}")

    def moving(self, poses: np.ndarray) -> Ask:
        return lambda repeats: self._asked(f"moving {repeats} {_written(poses)}")

    def _asked(self, question: str) -> tuple[float, int]:
        seconds, pairs = self._driver.ask(question)
        return seconds, int(pairs)

    def close(self) -> None:
        self._driver.close()


def _written(poses: np.ndarray) -> str:
    return " ".join(map(repr, np.asarray(poses).ravel().tolist()))


PEERS: tuple[type[MeshPeer], ...] = (Mathutils, Fcl, Coal)


def missing_peers(peers: Iterable[type[MeshPeer]]) -> dict[str, str]:
    """Names of the peers that cannot be imported or compiled, and why."""
    one = np.eye(3), np.array([[0, 1, 2]], np.int32)
    missing = {}
    for peer in peers:
        try:
            peer(*one).close()
        except (ImportError, DriverUnavailable) as error:
            missing[peer.name] = str(error)
    return missing
