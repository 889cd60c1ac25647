"""Two copies of a mesh in other libraries: all contacts and first contact, prepared or under moving poses.

A peer is made from vertices (n, 3) float64 and triangles (m, 3) int32; that builds what it needs. Counts are those of
the library: mathutils and Embree hold float32 world coordinates, coal has an absolute tolerance.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from meshclash.types.pose import transform_points

from .native import Driver, write_mesh
from .peers import import_bvhtree
from .timing import Ask, called

Triangles = tuple[np.ndarray, np.ndarray]


class MeshPeer:
    """Two copies of a mesh in a library.

    Attributes:
        name: what tables call the library.
        rebuilds: whether a new pose moves vertices and makes or refits a structure.
    """

    name: str
    rebuilds = False

    def prepare(self, pose: np.ndarray) -> None:
        """Bring b to a pose (4, 4), with all that the library needs before a query."""
        raise NotImplementedError

    def count(self) -> int:
        """Number of all contacts in the prepared pose."""
        raise NotImplementedError

    meet: Callable[[], bool] | None = None
    """Whether there is any contact in the prepared pose; None where a library has nothing for it."""

    def ask(self, question: str, poses: np.ndarray | None = None) -> Ask | None:
        """The side that answers "all" contacts, or "any"; None where a library has nothing for it.

        Args:
            question: which.
            poses: (k, 4, 4) that b is brought to one after the other, all counted; None asks in the prepared one.
        """
        once = {"all": self.count, "any": self.meet}[question]
        if once is None:
            return None

        def each() -> int:
            total = 0
            for pose in poses:
                self.prepare(pose)
                total += once()
            return total

        return called(once if poses is None else each)

    def meets(self, pose: np.ndarray) -> bool:
        """Whether there is any contact with b in a pose, as one call."""
        self.prepare(pose)
        return bool(self.meet())

    def found(self) -> np.ndarray | None:
        """All contacts in the prepared pose, (k, 2) triangle indices, unsorted."""
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

    def prepare(self, pose: np.ndarray) -> None:
        world = transform_points(pose, self._vertices)
        self._b = self._make(world.tolist(), self._faces, all_triangles=True)

    def count(self) -> int:
        return len(self._a.overlap(self._b))

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

    def prepare(self, pose: np.ndarray) -> None:
        self._b.setTransform(self._fcl.Transform(pose[:3, :3], pose[:3, 3]))

    def count(self) -> int:
        return self._fcl.collide(self._a, self._b, self._all, self._fcl.CollisionResult())

    def meet(self) -> bool:
        return self._fcl.collide(self._a, self._b, self._any, self._fcl.CollisionResult()) > 0

    def gap(self, pose: np.ndarray) -> float:
        """The distance of b in a pose, with its points, as one call."""
        self.prepare(pose)
        return float(self._fcl.distance(self._a, self._b, self._near, self._fcl.DistanceResult()))

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

    def prepare(self, pose: np.ndarray) -> None:
        self._pose = self._coal.Transform3s(pose[:3, :3], pose[:3, 3])

    def _ask(self, request: Any) -> int:
        self._result.clear()
        self._coal.collide(self._model, self._still, self._model, self._pose, request, self._result)
        return self._result.numContacts()

    def count(self) -> int:
        return self._ask(self._all)

    def meet(self) -> bool:
        return self._ask(self._any) > 0

    def gap(self, pose: np.ndarray) -> float:
        """The distance of b in a pose, with its points, as one call."""
        self.prepare(pose)
        self._nearest.clear()
        return float(self._coal.distance(self._model, self._still, self._model, self._pose, self._near, self._nearest))


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
            self.prepare(np.eye(4))  # the driver has read the file when it answers

    def prepare(self, pose: np.ndarray) -> None:
        self._driver.ask(f"place {_written(pose)}")

    def ask(self, question: str, poses: np.ndarray | None = None) -> Ask | None:
        if question == "any":
            return None
        return lambda repeats: self._asked(
            f"pairs {repeats}" if poses is None else f"moving {repeats} {_written(poses)}"
        )

    def _asked(self, question: str) -> tuple[float, int]:
        seconds, pairs = self._driver.ask(question)
        return seconds, int(pairs)

    def close(self) -> None:
        self._driver.close()


def _written(poses: np.ndarray) -> str:
    return " ".join(map(repr, np.asarray(poses).ravel().tolist()))


PEERS: tuple[type[MeshPeer], ...] = (Mathutils, Fcl, Coal)
