"""Shapes: each has a core, which is a mesh, and a radius around it; half-spaces and planes have neither."""

import math
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from ...convex import exact_shapes as exact
from ...convex import primitives
from ...convex.convexity import used_points
from ...convex.hull import ConvexHull
from ...errors import InvalidMesh, UnsupportedOption
from ...hierarchy.build import build
from ...hierarchy.bvh import Hierarchy
from ...messages import shown
from ...types.copying import Changeable
from ...types.mesh import TriangleMesh
from ...types.numbers import float_array, real_number, whole_number, whole_numbers
from .collision_data import NODE_TYPE

TOLERANCE = 1e-3
"""Maximum distance by which meshes of round shapes exceed the true shape, relative to the radius; the meshes contain
the true shape."""
_INWARD = 1e-9
"""Share by which meshes inside round shapes are smaller than inscribed ones."""


Point = tuple[float, float, float]
Ball = tuple[Point, float]
"""Centre [m] and radius [m] of a ball."""


class _Parameter:
    """A number or array that defines a shape. Setting a parameter discards the mesh made from the old value.

    Args:
        size: 0 for a number, else the length of the array.
        least: smallest allowed value; by default the smallest number above 0.
    """

    def __init__(self, size: int = 0, least: float = math.ulp(0.0)) -> None:
        self._shape: tuple[int, ...] = (size,) if size else ()
        self._least = least

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, shape: "CollisionGeometry | None", owner: type) -> Any:
        if shape is None:
            return self
        value = shape._parameters[self._name]
        return value.copy() if self._shape else value

    def __set__(self, shape: "CollisionGeometry", value: Any) -> None:
        what = f"{self._name} of a {type(shape).__name__}"
        array = float_array(what, value, UnsupportedOption) if self._shape else np.array(real_number(value))
        if array.shape != self._shape:
            raise UnsupportedOption(f"{what} has {self._shape[0]} numbers, not an array of shape {array.shape}")
        if not (np.isfinite(array) & (array >= self._least)).all():
            least = "" if self._least < 0.0 else " and from 0 on" if self._least == 0.0 else " and above 0"
            raise UnsupportedOption(f"{what} must be finite{least}, not {shown(value)}")
        shape._parameters[self._name] = array if self._shape else float(array)
        shape._forget()


class CollisionGeometry(Changeable):
    """The base class of all shapes.

    Attributes:
        node_type: one of ``NODE_TYPE``; None for the base class itself.
        is_convex: whether the core is convex; a ``BVHModel`` need not be.
        is_thin: whether the core is a point, a segment or a triangle, so that no object can lie inside it.
        is_bounded: False for half-spaces and planes, which have no core.
    """

    node_type: int | None = None
    is_convex = True
    is_thin = False
    is_bounded = True

    def __init__(self) -> None:
        self._parameters: dict[str, Any] = {}
        self._trees: dict[str, Hierarchy] = {}
        self._shape: exact.ConvexShape | None = None
        self._ball: Ball | None = None
        self._box: list[list[float]] | None = None

    def _forget(self) -> None:
        """Discard everything that was computed from the parameters."""
        self._trees.clear()
        self._shape = self._ball = self._box = None

    @property
    def ball(self) -> Ball:
        """A ball that contains the shape, in the coordinates of the shape. The radius is infinite for a half-space and
        a plane.
        """
        if self._ball is None:
            self._ball = self._enclosing_ball()
        return self._ball

    @property
    def box(self) -> list[list[float]]:
        """The lowest and the highest coordinate of the shape along each of its own axes, as three pairs [m]."""
        if self._box is None:
            self._box = self.local_box().T.tolist()
        return self._box

    @property
    def a_point(self) -> Point:
        """Some point of the shape, in the coordinates of the shape."""
        return 0.0, 0.0, 0.0

    def _enclosing_ball(self) -> Ball:
        if not self.is_bounded:
            return (0.0, 0.0, 0.0), math.inf
        mesh = self.core.mesh
        low, high = mesh.bounds
        centre = 0.5 * (low + high)
        x, y, z = (used_points(mesh) - centre).T
        radius = float(np.hypot(np.hypot(x, y), z).max()) + self.margin  # hypot, because tiny squares are 0
        x, y, z = centre.tolist()
        return (x, y, z), radius * (1.0 + 1e-12)

    @property
    def shape(self) -> exact.ConvexShape | None:
        """The exact convex shape. For a ``BVHModel``, a half-space or a plane, there is no such shape, and the value is
        None.
        """
        if self._shape is None and self.is_convex and self.is_bounded:
            self._shape = self._exact_shape()
        return self._shape

    def _exact_shape(self) -> exact.ConvexShape | None:
        """Return the engine's exact shape: by default the hull of the core, inflated by the margin."""
        return exact.Inflated(ConvexHull(self.core.mesh.vertices), self.margin)

    def _shared_things(self) -> Iterable[object]:
        return self._trees.values()

    @property
    def core(self) -> Hierarchy:
        """The shape without its radius. If the shape has no core, this raises UnsupportedOption."""
        return self._tree("core")

    @property
    def enclosing(self) -> Hierarchy:
        """A mesh that contains the whole shape. If no mesh can contain the shape, this raises UnsupportedOption."""
        return self._tree("enclosing" if self.margin else "core")

    @property
    def margin(self) -> float:
        """The radius [m] of the shape around its core. No point of the shape is farther from the core than this
        radius.
        """
        return 0.0

    @property
    def inner(self) -> Hierarchy:
        """A mesh inside a cylinder, cone or ellipsoid: what meets this mesh surely meets the shape."""
        return self._tree("inner")

    def _tree(self, which: str) -> Hierarchy:
        if which not in self._trees:
            make = {"core": self._core_mesh, "enclosing": self._enclosing_mesh, "inner": self._inner_mesh}[which]
            self._trees[which] = build(make())
        return self._trees[which]

    def _core_mesh(self) -> TriangleMesh:
        raise UnsupportedOption(
            f"a {type(self).__name__} is unbounded and cannot be converted to a mesh: use a Box, or "
            "another bounded shape"
        )

    def _enclosing_mesh(self) -> TriangleMesh:
        return self._core_mesh()

    def _inner_mesh(self) -> TriangleMesh:
        return self._core_mesh()

    def local_box(self) -> np.ndarray:
        """Return a box that contains the shape and is aligned with its axes, as the lowest and the highest corner
        (2, 3).
        """
        margin: np.ndarray = np.array([[-self.margin], [self.margin]])
        return np.asarray(self.core.mesh.bounds, np.float64) + margin

    def getNodeType(self) -> int | None:
        """Return the kind of shape, which is a member of ``NODE_TYPE``, or None for a ``CollisionGeometry`` itself."""
        return self.node_type

    def computeLocalAABB(self) -> None:
        """Do nothing, because MeshClash computes boxes when it needs them."""

    @property
    def aabb_center(self) -> np.ndarray | None:
        """The centre (3,) of the bounding box, in the coordinates of the shape. For a ``CollisionGeometry`` itself, the
        value is None.
        """
        return None if self.node_type is None else self.local_box().mean(axis=0)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in self._parameters.items())})"


class Box(CollisionGeometry):
    """A box around the origin with three side lengths [m]. If a length is invalid, the constructor raises
    UnsupportedOption, as for all shapes.
    """

    node_type = NODE_TYPE.GEOM_BOX
    side = _Parameter(3)

    def __init__(self, x: float, y: float, z: float) -> None:
        super().__init__()
        self.side = [x, y, z]

    def _core_mesh(self) -> TriangleMesh:
        return primitives.box(self.side)

    def _exact_shape(self) -> exact.ConvexShape:
        return exact.Box(self.side)


class Sphere(CollisionGeometry):
    """A sphere around the origin with a radius [m]."""

    node_type = NODE_TYPE.GEOM_SPHERE
    is_thin = True
    radius = _Parameter()

    def __init__(self, radius: float) -> None:
        super().__init__()
        self.radius = radius

    @property
    def margin(self) -> float:
        """The radius [m]."""
        return float(self.radius)

    @property
    def core(self) -> Hierarchy:
        """The point at the origin, which is the core of every sphere."""
        return _point()

    def _enclosing_mesh(self) -> TriangleMesh:
        return primitives.sphere(self.radius, TOLERANCE, circumscribed=True)

    def _exact_shape(self) -> exact.ConvexShape:
        return exact.Sphere(self.radius)


def _first_corner(tree: Hierarchy) -> Point:
    x, y, z = tree.mesh.vertices[tree.mesh.triangles[0, 0]].tolist()
    return x, y, z


@cache
def _point() -> Hierarchy:
    return build(TriangleMesh(np.zeros((1, 3)), [[0, 0, 0]]))


@cache
def _unit_sphere(circumscribed: bool) -> TriangleMesh:
    return primitives.sphere(1.0, TOLERANCE, circumscribed)


def _shrunk(mesh: TriangleMesh) -> TriangleMesh:
    """Return an inscribed mesh, smaller by more than the rounding errors of its corners and of their poses."""
    return TriangleMesh(mesh.vertices * (1.0 - _INWARD), mesh.triangles)


class Ellipsoid(CollisionGeometry):
    """An ellipsoid with three radii [m], represented by a mesh that contains the whole ellipsoid."""

    node_type = NODE_TYPE.GEOM_ELLIPSOID
    radii = _Parameter(3)

    def __init__(self, a: float, b: float, c: float) -> None:
        super().__init__()
        self.radii = [a, b, c]

    def _core_mesh(self) -> TriangleMesh:
        sphere = _unit_sphere(True)
        return TriangleMesh(sphere.vertices * self.radii, sphere.triangles)

    def _inner_mesh(self) -> TriangleMesh:
        sphere = _unit_sphere(False)
        return _shrunk(TriangleMesh(sphere.vertices * self.radii, sphere.triangles))

    def _exact_shape(self) -> exact.ConvexShape:
        return exact.Ellipsoid(self.radii)


class Capsule(CollisionGeometry):
    """A capsule: a segment along the z axis of length ``lz``, centred at the origin, with a radius [m]."""

    node_type = NODE_TYPE.GEOM_CAPSULE
    is_thin = True
    radius = _Parameter()
    lz = _Parameter(least=0.0)

    def __init__(self, radius: float, lz: float) -> None:
        super().__init__()
        self.radius, self.lz = radius, lz

    @property
    def margin(self) -> float:
        """The radius [m]."""
        return float(self.radius)

    def _core_mesh(self) -> TriangleMesh:
        return TriangleMesh(np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]]) * self.lz, [[0, 1, 1]])

    def _enclosing_mesh(self) -> TriangleMesh:
        return primitives.capsule(self.radius, self.lz, TOLERANCE, circumscribed=True)

    def _exact_shape(self) -> exact.ConvexShape:
        return exact.Capsule(self.radius, self.lz)


class Cylinder(CollisionGeometry):
    """A cylinder along the z axis with a radius and a length [m], represented by a mesh that contains the whole
    cylinder.
    """

    node_type = NODE_TYPE.GEOM_CYLINDER
    radius = _Parameter()
    lz = _Parameter()

    def __init__(self, radius: float, lz: float) -> None:
        super().__init__()
        self.radius, self.lz = radius, lz

    def _core_mesh(self) -> TriangleMesh:
        return primitives.cylinder(self.radius, self.lz, TOLERANCE, circumscribed=True)

    def _inner_mesh(self) -> TriangleMesh:
        return _shrunk(primitives.cylinder(self.radius, self.lz, TOLERANCE))

    def _exact_shape(self) -> exact.ConvexShape:
        return exact.Cylinder(self.radius, self.lz)


class Cone(CollisionGeometry):
    """A cone along the z axis with its apex at the top, a radius and a length [m], represented by a mesh that contains
    the whole cone.
    """

    node_type = NODE_TYPE.GEOM_CONE
    radius = _Parameter()
    lz = _Parameter()

    def __init__(self, radius: float, lz: float) -> None:
        super().__init__()
        self.radius, self.lz = radius, lz

    def _core_mesh(self) -> TriangleMesh:
        return primitives.cone(self.radius, self.lz, TOLERANCE, circumscribed=True)

    def _inner_mesh(self) -> TriangleMesh:
        return _shrunk(primitives.cone(self.radius, self.lz, TOLERANCE))

    def _exact_shape(self) -> exact.ConvexShape:
        return exact.Cone(self.radius, self.lz)


class TriangleP(CollisionGeometry):
    """A single triangle, given by its three corners, each (3,) [m]."""

    node_type = NODE_TYPE.GEOM_TRIANGLE
    is_thin = True
    a = _Parameter(3, -math.inf)
    b = _Parameter(3, -math.inf)
    c = _Parameter(3, -math.inf)

    def __init__(self, a: Any, b: Any, c: Any) -> None:
        super().__init__()
        self.a, self.b, self.c = a, b, c

    @property
    def a_point(self) -> Point:
        """The first corner."""
        return _first_corner(self.core)

    def _core_mesh(self) -> TriangleMesh:
        return TriangleMesh(np.array([self.a, self.b, self.c]), [[0, 1, 2]])


class Convex(CollisionGeometry):
    """The convex hull of vertices (n, 3) [m].

    Args:
        vertices: vertices of the solid.
        num_faces: number of faces.
        faces: for each face the number of its corners, then the vertex indices of the corners. MeshClash checks the
            faces, but computes the hull from the vertices alone.

    Raises:
        InvalidMesh: faces that do not match the vertices, or vertices without a hull.
    """

    node_type = NODE_TYPE.GEOM_CONVEX

    def __init__(self, vertices: Any, num_faces: int, faces: Any) -> None:
        super().__init__()
        vertices = float_array("vertices of a Convex", vertices, InvalidMesh)
        if vertices.ndim != 2 or vertices.shape[1] != 3:
            raise InvalidMesh(f"a Convex needs vertices of shape (n, 3), not {vertices.shape}")
        flat, at = whole_numbers("faces of a Convex", faces).ravel().tolist(), 0
        for face in range(whole_number("num_faces", num_faces, 0, len(flat))):
            count = flat[at] if at < len(flat) else 0
            corners = flat[at + 1 : at + 1 + count]
            if count < 3 or len(corners) < count or not all(0 <= corner < len(vertices) for corner in corners):
                raise InvalidMesh(f"face {face} of a Convex must be a count followed by this many vertex indices")
            at += 1 + count
        self._num_faces = int(num_faces)
        self._hull = ConvexHull(vertices).mesh()

    @property
    def num_faces(self) -> int:
        """The number of faces that were passed to the constructor."""
        return self._num_faces

    @property
    def a_point(self) -> Point:
        """A vertex of the convex hull."""
        return _first_corner(self.core)

    def _core_mesh(self) -> TriangleMesh:
        return self._hull


class _Unbounded(CollisionGeometry):
    """A shape with a flat boundary: all x with n . x = d; n points outward."""

    is_bounded = False
    n = _Parameter(3, -math.inf)
    d = _Parameter(0, -math.inf)

    def __init__(self, n: Any, d: float) -> None:
        super().__init__()
        self.n, self.d = n, d
        self.n, self.d = self.face()

    def face(self) -> tuple[np.ndarray, float]:
        """Return the unit normal (3,) and its distance from the origin [m]; raise UnsupportedOption for n = 0."""
        length = float(np.linalg.norm(self.n))
        if not 0.0 < length < math.inf:
            raise UnsupportedOption(f"n of a {type(self).__name__} must be a nonzero vector, not {self.n}")
        return self.n / length, self.d / length

    def local_box(self) -> np.ndarray:
        """Return all of space: infinite in all directions."""
        return np.array([[-math.inf] * 3, [math.inf] * 3])

    @property
    def aabb_center(self) -> np.ndarray | None:
        """The point (3,) of the boundary nearest to the shape's origin."""
        normal, offset = self.face()
        return normal * offset


class Halfspace(_Unbounded):
    """A half-space: all points x with n . x <= d. The constructor scales n to length 1, and scales d by the same
    factor.
    """

    node_type = NODE_TYPE.GEOM_HALFSPACE


class Plane(_Unbounded):
    """A plane: all points x with n . x = d. The constructor scales n to length 1, and scales d by the same factor."""

    node_type = NODE_TYPE.GEOM_PLANE


class BVHModel(CollisionGeometry):
    """A mesh whose triangles you add between ``beginModel`` and ``endModel``. If the mesh is closed, it counts as a
    solid.

    If you call the methods in another order, they raise InvalidMesh, which is a ValueError.
    """

    node_type = NODE_TYPE.BV_OBBRSS
    is_convex = False

    def __init__(self) -> None:
        super().__init__()
        self._state = 0
        self._vertices: list[np.ndarray] = []
        self._triangles: list[np.ndarray] = []

    def beginModel(self, num_tris_: int = 0, num_vertices_: int = 0) -> int:
        """Begin an empty model, and return 0. The method ignores both arguments."""
        self._state, self._vertices, self._triangles = 1, [], []
        self._forget()
        return 0

    def addVertex(self, x: float, y: float, z: float) -> bool:
        """Add a vertex that does not belong to any triangle."""
        return self._add([[x, y, z]], np.zeros((0, 3), np.int64))

    def addTriangle(self, v1: Any, v2: Any, v3: Any) -> bool:
        """Add a triangle with three given corners, each of shape (3,)."""
        return self._add([v1, v2, v3], [[0, 1, 2]])

    def addSubModel(self, verts: Any, triangles: Any) -> bool:
        """Add several vertices (n, 3) and triangles (m, 3). The indices of the triangles refer to the added vertices
        only.
        """
        return self._add(verts, triangles)

    def _add(self, verts: Any, triangles: Any) -> bool:
        if self._state != 1:
            raise InvalidMesh("call beginModel before adding triangles, and endModel afterwards")
        vertices = float_array("vertices of a BVHModel", verts, InvalidMesh)
        corners = whole_numbers("triangles of a BVHModel", triangles)
        if vertices.ndim != 2 or vertices.shape[1] != 3 or corners.ndim != 2 or corners.shape[1] != 3:
            raise InvalidMesh(
                f"a BVHModel needs vertices (n, 3) and triangles (m, 3), not {vertices.shape} and {corners.shape}"
            )
        if corners.size and not (corners.min() >= 0 and corners.max() < len(vertices)):
            raise InvalidMesh(f"triangles must be vertex indices from 0 to {len(vertices) - 1} of the same call")
        self._triangles.append(corners + sum(map(len, self._vertices)))
        self._vertices.append(vertices)
        return True

    def endModel(self) -> int:
        """End the model, and return 0. If the model has no triangles, or if a vertex is not finite, the method raises
        InvalidMesh.
        """
        if self._state != 1:
            raise InvalidMesh("call endModel after beginModel and after adding triangles")
        if not any(map(len, self._triangles)):
            raise InvalidMesh(
                "a BVHModel needs triangles; use meshclash.clouds.PointCloud for points without triangles"
            )
        self._trees["core"] = build(TriangleMesh(np.concatenate(self._vertices), np.concatenate(self._triangles)))
        self._state = 2
        return 0

    @property
    def a_point(self) -> Point:
        """A corner of the first triangle."""
        return _first_corner(self.core)

    @property
    def aabb_center(self) -> np.ndarray | None:
        """The centre (3,) of the bounding box. Before you call ``endModel``, the value is None."""
        return super().aabb_center if self._state == 2 else None

    def num_tries_(self) -> int:
        """Return the number of triangles."""
        return sum(map(len, self._triangles))

    def buildState(self) -> int:
        """Return the state of the model as a number: 0 before ``beginModel``, 1 after ``beginModel``, and 2 after
        ``endModel``.
        """
        return self._state

    def _core_mesh(self) -> TriangleMesh:
        raise InvalidMesh("the BVHModel is not complete: call endModel first")


class OcTree(CollisionGeometry):
    """The octree of occupied cells in python-fcl, which MeshClash does not support.

    Raises:
        UnsupportedOption: always; the message names an alternative.
    """

    node_type = NODE_TYPE.GEOM_OCTREE

    def __init__(self, r: float, data: Any) -> None:
        raise UnsupportedOption(
            "OcTree is not supported: put a Box for each occupied cell into a "
            "DynamicAABBTreeCollisionManager, or build a meshclash.clouds.PointCloud from the "
            "measured points"
        )
