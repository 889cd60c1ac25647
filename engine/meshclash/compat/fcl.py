"""The interface of python-fcl, as planners use it, answered by this engine: ``from meshclash.compat import fcl``.

Shapes are closed meshes (round ones inscribed within ``TOLERANCE`` of their radius) and count as solids; a
``BVHModel`` counts as one where it is closed. Normals lead from the first object to the second.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..convex import primitives
from ..errors import NotASolid
from ..hierarchy.build import build
from ..hierarchy.bvh import Hierarchy
from ..manifold.every_contact import contact_points
from ..motion.contact import time_of_contact
from ..motion.motions import KeyframedMotion
from ..query.distance import distance as surface_distance
from ..query.penetration import penetration
from ..query.verdict import verdict
from ..scene.scene import Scene
from ..types.copying import Changeable
from ..types.mesh import TriangleMesh
from ..types.verdict import Verdict

TOLERANCE = 1e-3
"""Share of the radius by which meshes of round shapes may lie inside the true ones."""


class Transform:
    """A rotation, by a matrix (3, 3) or a quaternion (w, x, y, z), and a translation (3,)."""

    def __init__(self, *given: Any) -> None:
        """Of nothing, a rotation, a translation, both in this order, or another transform."""
        self._pose = np.eye(4)
        for part in given:
            array = np.asarray(part._pose if isinstance(part, Transform) else part, np.float64)
            if array.shape == (4, 4):
                self._pose = array.copy()
            elif array.shape == (3,):
                self._pose[:3, 3] = array
            else:
                self._pose[:3, :3] = _rotation(array)

    def getRotation(self) -> np.ndarray:
        """The matrix (3, 3)."""
        return self._pose[:3, :3].copy()

    def getTranslation(self) -> np.ndarray:
        """The translation (3,)."""
        return self._pose[:3, 3].copy()


def _rotation(array: np.ndarray) -> np.ndarray:
    if array.shape == (3, 3):
        return array
    if array.shape != (4,):
        raise ValueError(f"a rotation is a (3, 3) matrix or a quaternion of four numbers, not of shape {array.shape}")
    w, x, y, z = array / np.linalg.norm(array)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class CollisionGeometry(Changeable):
    """A shape: a mesh with its hierarchy."""

    def __init__(self, mesh: TriangleMesh | None = None) -> None:
        self._mesh, self._tree = mesh, None if mesh is None else build(mesh)

    def _shared_things(self) -> Iterable[object]:
        return self._mesh, self._tree

    @property
    def tree(self) -> Hierarchy:
        """Raises ValueError for a model that was not ended."""
        if self._tree is None:
            raise ValueError("the model was not ended: call endModel first")
        return self._tree


class Box(CollisionGeometry):
    """A box with three sides."""

    def __init__(self, x: float, y: float, z: float) -> None:
        super().__init__(primitives.box((x, y, z)))


class Sphere(CollisionGeometry):
    """A sphere."""

    def __init__(self, radius: float) -> None:
        super().__init__(primitives.sphere(radius, TOLERANCE))


class Capsule(CollisionGeometry):
    """A capsule along z; ``lz`` is the length of its cylinder."""

    def __init__(self, radius: float, lz: float) -> None:
        super().__init__(primitives.capsule(radius, lz, TOLERANCE))


class Cylinder(CollisionGeometry):
    """A cylinder along z."""

    def __init__(self, radius: float, lz: float) -> None:
        super().__init__(primitives.cylinder(radius, lz, TOLERANCE))


class Cone(CollisionGeometry):
    """A cone along z."""

    def __init__(self, radius: float, lz: float) -> None:
        super().__init__(primitives.cone(radius, lz, TOLERANCE))


class Convex(CollisionGeometry):
    """A convex solid of vertices and faces, each a count followed by so many indices."""

    def __init__(self, vertices: Any, num_faces: int, faces: Any) -> None:
        flat, triangles, at = np.asarray(faces).ravel().tolist(), [], 0
        for _ in range(num_faces):
            count = flat[at]
            corners = flat[at + 1 : at + 1 + count]
            triangles += [(corners[0], corners[k], corners[k + 1]) for k in range(1, count - 1)]
            at += 1 + count
        super().__init__(TriangleMesh(np.array(vertices, np.float64), np.array(triangles, np.int64)))


class BVHModel(CollisionGeometry):
    """Triangles, added between ``beginModel`` and ``endModel``."""

    def beginModel(self, num_tris_: int = 0, num_vertices_: int = 0) -> None:
        """Begin; the counts are not needed."""
        self._vertices: list[np.ndarray] = []
        self._triangles: list[np.ndarray] = []

    def addSubModel(self, verts: Any, triangles: Any) -> None:
        """Add vertices (n, 3) and triangles (m, 3)."""
        offset = sum(map(len, self._vertices))
        self._vertices.append(np.array(verts, np.float64).reshape(-1, 3))
        self._triangles.append(np.array(triangles, np.int64).reshape(-1, 3) + offset)

    def endModel(self) -> None:
        """End; raises InvalidMesh for what is no mesh."""
        super().__init__(TriangleMesh(np.concatenate(self._vertices), np.concatenate(self._triangles)))


class CollisionObject:
    """A shape at a place."""

    def __init__(self, geometry: CollisionGeometry, transform: Transform | None = None) -> None:
        self._geometry, self._transform = geometry, Transform() if transform is None else Transform(transform)

    @property
    def pose(self) -> np.ndarray:
        """The matrix (4, 4)."""
        return self._transform._pose

    @property
    def geometry(self) -> CollisionGeometry:
        """The shape."""
        return self._geometry

    def getTransform(self) -> Transform:
        """A copy of where it is."""
        return Transform(self._transform)

    def setTransform(self, transform: Transform) -> None:
        """Move it."""
        self._transform = Transform(transform)

    def getTranslation(self) -> np.ndarray:
        """The translation (3,)."""
        return self._transform.getTranslation()

    def setTranslation(self, translation: Any) -> None:
        """Move it without turning it."""
        self._transform = Transform(self._transform, np.asarray(translation, np.float64).reshape(3))

    def getRotation(self) -> np.ndarray:
        """The matrix (3, 3)."""
        return self._transform.getRotation()

    def setRotation(self, rotation: Any) -> None:
        """Turn it without moving it."""
        self._transform = Transform(_rotation(np.asarray(rotation, np.float64)), self._transform.getTranslation())

    def setQuatRotation(self, q: Any) -> None:
        """Turn it to a quaternion (w, x, y, z) without moving it."""
        self.setRotation(q)


class Contact:
    """Two triangles that meet.

    Attributes:
        o1, o2: the shapes.
        b1, b2: the triangles; -1 where one object lies inside the other.
        normal: (3,) from the first to the second.
        pos: (3,) a point of both.
        penetration_depth: of the region.
    """

    def __init__(self, o1: Any, o2: Any, b1: int, b2: int, normal: Any, pos: Any, penetration_depth: float) -> None:
        self.o1, self.o2, self.b1, self.b2 = o1, o2, b1, b2
        self.normal, self.pos, self.penetration_depth = normal, pos, penetration_depth


class CollisionRequest:
    """How many contacts are asked for, and whether they are to be described."""

    def __init__(self, num_max_contacts: int = 1, enable_contact: bool = False, **_others: Any) -> None:
        self.num_max_contacts, self.enable_contact = num_max_contacts, enable_contact


class CollisionResult(Changeable):
    """What was found."""

    def __init__(self) -> None:
        self.is_collision, self.contacts = False, list[Contact]()

    def _shared_things(self) -> Iterable[object]:
        return self.contacts


class DistanceRequest:
    """Whether nearest points are asked for, and distances below 0 where objects overlap."""

    def __init__(
        self, enable_nearest_points: bool = False, enable_signed_distance: bool = False, **_others: Any
    ) -> None:
        self.enable_nearest_points, self.enable_signed_distance = enable_nearest_points, enable_signed_distance


class DistanceResult:
    """What was found."""

    def __init__(self, min_distance_: float = np.inf) -> None:
        self.min_distance = min_distance_
        self.nearest_points: list[Any] = [None, None]
        self.o1: Any = None
        self.o2: Any = None
        self.b1 = self.b2 = -1


class ContinuousCollisionRequest:
    """How exactly the moment is asked for: as a share of the motion."""

    def __init__(self, num_max_iterations: int = 10, toc_err: float = 1e-4, **_others: Any) -> None:
        self.num_max_iterations, self.toc_err = num_max_iterations, toc_err


class ContinuousCollisionResult:
    """Whether two moving objects meet, and when: 1 where they do not."""

    def __init__(self) -> None:
        self.is_collide, self.time_of_contact = False, 1.0


class CollisionData:
    """What a callback of a manager is given."""

    def __init__(self, request: CollisionRequest | None = None, result: CollisionResult | None = None) -> None:
        self.request, self.result = request or CollisionRequest(), result or CollisionResult()
        self.done = False


class DistanceData:
    """What a callback of a manager is given."""

    def __init__(self, request: DistanceRequest | None = None, result: DistanceResult | None = None) -> None:
        self.request, self.result = request or DistanceRequest(), result or DistanceResult()
        self.done = False


def collide(
    o1: CollisionObject,
    o2: CollisionObject,
    request: CollisionRequest | None = None,
    result: CollisionResult | None = None,
) -> int:
    """The number of contacts in the result, with those that are added; what lies inside a solid is one."""
    request, result = request or CollisionRequest(), result or CollisionResult()
    found = verdict(o1.geometry.tree, o2.geometry.tree, o1.pose, o2.pose, depth=False)
    if found.verdict is Verdict.APART:
        return len(result.contacts)
    result.is_collision = True
    added = _contacts(o1, o2, found, request)
    result.contacts += added[: max(0, request.num_max_contacts - len(result.contacts))]
    return len(result.contacts)


def _contacts(o1: CollisionObject, o2: CollisionObject, found: Any, request: CollisionRequest) -> list[Contact]:
    shapes, hits = (o1.geometry, o2.geometry), found.contacts
    if not len(hits):
        return [Contact(*shapes, -1, -1, np.zeros(3), o2.getTranslation(), 0.0)]
    if not request.enable_contact:
        return [Contact(*shapes, i, j, np.zeros(3), np.zeros(3), 0.0) for i, j in hits.pairs.tolist()]
    told = contact_points(hits)
    rows = zip(hits.pairs.tolist(), told.normals, told.points, told.depths.tolist(), strict=True)
    return [Contact(*shapes, i, j, normal, point, depth) for (i, j), normal, point, depth in rows]


def distance(
    o1: CollisionObject,
    o2: CollisionObject,
    request: DistanceRequest | None = None,
    result: DistanceResult | None = None,
) -> float:
    """How far apart two objects are; where they overlap minus the depth of penetration if asked for, else -1."""
    request, result = request or DistanceRequest(), result or DistanceResult()
    posed = (o1.geometry.tree, o2.geometry.tree, o1.pose, o2.pose)
    if verdict(*posed, depth=False).verdict is Verdict.APART:
        near = surface_distance(*posed)
        value, points, triangles = near.distance, [near.point_a, near.point_b], (near.triangle_a, near.triangle_b)
    else:
        value, parting = _overlap(posed, request)
        points, triangles = parting or [o1.getTranslation(), o2.getTranslation()], (-1, -1)
    if value < result.min_distance:
        result.min_distance, result.o1, result.o2 = value, o1.geometry, o2.geometry
        result.nearest_points, (result.b1, result.b2) = points, triangles
    return value


def _overlap(posed: tuple[Any, ...], request: DistanceRequest) -> tuple[float, list[np.ndarray] | None]:
    """The value of objects that overlap, and the points that part last, where there are any."""
    if not request.enable_signed_distance:
        return -1.0, None
    try:
        found = penetration(*posed)
    except NotASolid:
        return 0.0, None
    return -float(found.depth), [found.point_a, found.point_b] if found.depth > 0.0 else None


def continuousCollide(
    o1: CollisionObject,
    tf1_end: Transform,
    o2: CollisionObject,
    tf2_end: Transform,
    request: ContinuousCollisionRequest | None = None,
    result: ContinuousCollisionResult | None = None,
) -> float:
    """When two objects meet on their ways from where they are to other places, from 0 to 1; 1 where they do not."""
    request, result = request or ContinuousCollisionRequest(), result or ContinuousCollisionResult()
    motions = [KeyframedMotion([0.0, 1.0], [o.pose, end._pose]) for o, end in ((o1, tf1_end), (o2, tf2_end))]
    found = time_of_contact(o1.geometry.tree, o2.geometry.tree, *motions, tolerance=request.toc_err, depth=False)
    result.is_collide = found.time is not None
    result.time_of_contact = 1.0 if found.time is None else found.time
    return result.time_of_contact


def defaultCollisionCallback(o1: CollisionObject, o2: CollisionObject, cdata: CollisionData) -> bool:
    """Collide, and say whether enough contacts are known."""
    collide(o1, o2, cdata.request, cdata.result)
    enough = cdata.result.is_collision and len(cdata.result.contacts) >= cdata.request.num_max_contacts
    cdata.done = cdata.done or enough
    return cdata.done


def defaultDistanceCallback(o1: CollisionObject, o2: CollisionObject, ddata: DistanceData) -> tuple[bool, float]:
    """Measure, and say whether nothing nearer is possible, and how near the nearest is."""
    distance(o1, o2, ddata.request, ddata.result)
    signed = ddata.request.enable_signed_distance
    ddata.done = ddata.done or (ddata.result.min_distance <= 0.0 and not signed)
    return ddata.done, ddata.result.min_distance


class DynamicAABBTreeCollisionManager(Changeable):
    """Many objects; a callback is called with each two whose boxes meet, or that may be nearer than what is known."""

    def __init__(self) -> None:
        self._objects: list[CollisionObject] = []

    def _shared_things(self) -> Iterable[object]:
        return self._objects

    def registerObject(self, obj: CollisionObject) -> None:
        """Add one."""
        self._objects.append(obj)

    def registerObjects(self, objs: Iterable[CollisionObject]) -> None:
        """Add several."""
        self._objects.extend(objs)

    def unregisterObject(self, obj: CollisionObject) -> None:
        """Take one out; raises ValueError where it is not there."""
        self._objects.remove(obj)

    def setup(self) -> None:
        """Nothing: boxes are compared when they are asked for."""

    def update(self, _arg: Any = None) -> None:
        """Nothing: objects are asked where they are."""

    def clear(self) -> None:
        """Take all out."""
        self._objects.clear()

    def empty(self) -> bool:
        """Whether there is none."""
        return not self._objects

    def size(self) -> int:
        """How many there are."""
        return len(self._objects)

    def getObjects(self) -> list[CollisionObject]:
        """All of them."""
        return list(self._objects)

    def collide(self, *given: Any) -> None:
        """``collide(data, callback)`` among each other; ``(object, data, callback)``, ``(manager, data, callback)``."""
        *others, data, callback = given
        for first, second, gap in self._pairs(others):
            if gap <= 0.0 and callback(first, second, data):
                return

    def distance(self, *given: Any) -> None:
        """As ``collide``, the pairs whose boxes are nearest first, until no other can be nearer."""
        *others, data, callback = given
        least = np.inf
        for first, second, gap in sorted(self._pairs(others), key=lambda pair: pair[2]):
            if gap > max(least, 0.0):
                return
            done, least = callback(first, second, data)
            if done:
                return

    def _pairs(self, others: Sequence[Any]) -> Iterator[tuple[CollisionObject, CollisionObject, float]]:
        """Pairs of objects and the gap between their boxes."""
        own = _boxes(self._objects)
        if not others:
            for k, first in enumerate(self._objects):
                yield from ((first, self._objects[j], _gap(own[k], own[j])) for j in range(k + 1, len(own)))
            return
        (other,) = others
        objects = other.getObjects() if isinstance(other, DynamicAABBTreeCollisionManager) else [other]
        boxes = _boxes(objects)
        for first, box in zip(self._objects, own, strict=True):
            yield from ((first, second, _gap(box, boxes[j])) for j, second in enumerate(objects))


def _boxes(objects: Sequence[CollisionObject]) -> np.ndarray:
    """World boxes (n, 2, 3), in the order of the objects."""
    scene = Scene()
    for item in objects:
        scene.add(item.geometry.tree, item.pose)
    return scene.boxes()[1].reshape(-1, 2, 3)


def _gap(first: np.ndarray, second: np.ndarray) -> float:
    apart = np.maximum(first[0], second[0]) - np.minimum(first[1], second[1])
    return float(np.linalg.norm(np.maximum(apart, 0.0)))
