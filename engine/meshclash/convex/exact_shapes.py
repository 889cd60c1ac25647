"""Exact shapes: spheres, capsules, boxes, cylinders, cones, ellipsoids, half-spaces, and shapes inflated by a radius.

An exact shape is a core and a radius around the core: a sphere is a point, a capsule a segment, a rounded box a box.
The distance of two shapes is the distance of the cores minus the radii, so no pair of shapes needs its own algorithm.
"""

import math
from collections.abc import Sequence
from types import NoneType
from typing import Any

import numpy as np

from ..errors import InvalidMesh, UnsupportedOption
from ..hierarchy.build import build
from ..hierarchy.bvh import Hierarchy
from ..messages import a_type, shown
from ..types.copying import Copyable
from ..types.foreign_meshes import as_own
from ..types.mesh import TriangleMesh
from ..types.numbers import float_array, real_number
from ..types.pose import LARGEST_COORDINATE
from . import primitives
from .hull import ConvexHull
from .supports import CONE, CYLINDER, ELLIPSOID, NO_POINTS, POINTS_FORM

TOLERANCE = 1e-2
"""Fraction of the radius by which the mesh around a round solid may extend beyond the solid."""
_OUTWARD = 1.0 + 2.0**-50


class ExactShape(Copyable):
    """The base class of all exact shapes, which you can use with ``isinstance``. To create a shape, use one of its
    subclasses.
    """

    radius: float = 0.0
    """Distance [m] from the core within which all of the shape lies."""

    @property
    def bounds(self) -> np.ndarray:
        """A box that contains the shape and is aligned with its axes: the lowest and the highest corner, (2, 3) float64
        [m].
        """
        raise NotImplementedError

    def _grown(self, bounds: np.ndarray) -> np.ndarray:
        """Return the bounds of the core grown by the radius, rounded outward."""
        margin = self.radius * _OUTWARD
        grown: np.ndarray = np.stack([bounds[0] - margin, bounds[1] + margin])
        return np.stack([np.nextafter(grown[0], -np.inf), np.nextafter(grown[1], np.inf)])


class ConvexShape(ExactShape, caches={"_enclosing": NoneType, "_balls": NoneType}):
    """A convex solid: the hull of points or a round solid, with a radius around it. Base class of most shapes."""

    points: np.ndarray
    """Corners of the core, (1, n, 3) float64 [m]; empty for a round solid."""
    form: np.ndarray
    """Kind and lengths of the core, (4,) float64, see ``supports.py``."""

    def _set(self, radius: float, points: np.ndarray = NO_POINTS, form: np.ndarray = POINTS_FORM) -> None:
        self.radius, self.points, self.form = radius, points, form.copy()
        self._enclosing: Hierarchy | None = None
        self._balls: np.ndarray | None = None

    @property
    def is_polyhedron(self) -> bool:
        """Whether the core is the hull of points; distances of such cores are compared exactly."""
        return self.points.shape[1] > 0

    @property
    def balls(self) -> np.ndarray:
        """A ball around the core and one inside it: their centre (3,) and both radii [m], (5,) float64."""
        if self._balls is None:
            self._balls = self._measured_balls()
        return self._balls

    def _measured_balls(self) -> np.ndarray:
        if self.is_polyhedron:
            points = self.points[0]
            low, high = points.min(axis=0), points.max(axis=0)
            centre = low + 0.5 * (high - low)
            corners = np.unique(points, axis=0)
            is_box = len(corners) == 8 and bool(((corners == low) | (corners == high)).all())
            inside = 0.5 * float((high - low).min()) if is_box else 0.0
            around = max(math.hypot(*point) for point in (points - centre).tolist())
            return np.array([*centre, around * _OUTWARD, inside / _OUTWARD])
        kind, first, second, third = self.form.tolist()
        if kind == ELLIPSOID:
            around, inside = max(first, second, third), min(first, second, third)
        else:  # a radius and half a height
            around = math.hypot(first, second)
            side = second * first / math.hypot(first, 2.0 * second)  # distance of a cone's side from the origin
            inside = min(side, second) if kind == CONE else min(first, second)
        return np.array([0.0, 0.0, 0.0, around * _OUTWARD, inside / _OUTWARD])

    @property
    def enclosing(self) -> Hierarchy:
        """Mesh that contains the core, and extends beyond it by ``slack`` at most."""
        if self._enclosing is None:
            self._enclosing = build(self._enclosing_mesh())
        return self._enclosing

    @property
    def slack(self) -> float:
        """Upper bound of how far the enclosing mesh extends beyond the core [m]."""
        return 0.0 if self.is_polyhedron else TOLERANCE * float(self.form[1:].max())

    def _enclosing_mesh(self) -> TriangleMesh:
        kind, first, second, third = self.form.tolist()
        if kind == CYLINDER:
            return primitives.cylinder(first, 2.0 * second, TOLERANCE, circumscribed=True)
        if kind == CONE:
            return primitives.cone(first, 2.0 * second, TOLERANCE, circumscribed=True)
        if kind == ELLIPSOID:
            sphere = primitives.sphere(1.0, TOLERANCE, circumscribed=True)
            return TriangleMesh(sphere.vertices * (first, second, third), sphere.triangles)
        hull = ConvexHull(self.points[0])
        if hull.faces:
            return hull.mesh()
        ends = hull.vertices
        return TriangleMesh(ends, [[0, len(ends) - 1, len(ends) - 1]])

    @property
    def bounds(self) -> np.ndarray:
        """Implement ``ExactShape.bounds``."""
        if self.is_polyhedron:
            return self._grown(np.stack([self.points[0].min(axis=0), self.points[0].max(axis=0)]))
        kind, first, second, third = self.form.tolist()
        half = np.array([first, second, third] if kind == ELLIPSOID else [first, first, second])
        return self._grown(np.stack([-half, half]))


class Sphere(ConvexShape):
    """An exact sphere around the origin, stored as a point with a radius.

    Args:
        radius: [m].

    Raises:
        UnsupportedOption: the radius is negative or not finite.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> pose = np.eye(4)
        >>> pose[0, 3] = 2.0
        >>> mc.collides(mc.shapes.Sphere(1.0), mc.shapes.Sphere(1.0), pose_b=pose)
        True
    """

    def __init__(self, radius: float) -> None:
        self._set(_radius(radius), np.zeros((1, 1, 3)))

    def __repr__(self) -> str:
        return f"Sphere({self.radius!r})"


class Capsule(ConvexShape):
    """An exact capsule along the z axis around the origin, stored as a segment with a radius.

    Args:
        radius: [m].
        length: length of the segment, between the centres of the half spheres [m].

    Raises:
        UnsupportedOption: a length is negative or not finite.
    """

    def __init__(self, radius: float, length: float) -> None:
        self.length = primitives.checked_length("length", length, least=0.0)
        self._set(_radius(radius), np.array([[[0.0, 0.0, -0.5 * self.length], [0.0, 0.0, 0.5 * self.length]]]))

    def __repr__(self) -> str:
        return f"Capsule({self.radius!r}, {self.length!r})"


class Box(ConvexShape):
    """A solid box around the origin. If you give a radius, the box is larger by this radius on all sides, with rounded
    edges and corners.

    Args:
        sides: three side lengths [m], or one number for a cube.
        radius: [m].

    Raises:
        UnsupportedOption: a side is not above 0, the radius is negative, or a value is not finite.
    """

    def __init__(self, sides: float | Sequence[float], radius: float = 0.0) -> None:
        corners = primitives.box(sides).vertices
        self.sides: tuple[float, ...] = tuple((2.0 * corners[-1]).tolist())
        self._set(_radius(radius), corners[None].copy())

    def __repr__(self) -> str:
        return f"Box({list(self.sides)}, {self.radius!r})"


class Cylinder(ConvexShape):
    """A solid cylinder along the z axis around the origin.

    Args:
        radius, length: [m].
        margin: a radius around the whole cylinder [m].

    Raises:
        UnsupportedOption: a length is not above 0, the margin is negative, or a value is not finite.
    """

    def __init__(self, radius: float, length: float, margin: float = 0.0) -> None:
        self._set_round(CYLINDER, radius, length, margin)

    def _set_round(self, kind: int, radius: float, length: float, margin: float) -> None:
        sides = primitives.checked_length("radius", radius), primitives.checked_length("length", length)
        self._set(_radius(margin), form=np.array([kind, sides[0], 0.5 * sides[1], 0.0]))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.form.item(1)!r}, {2.0 * self.form.item(2)!r}, {self.radius!r})"


class Cone(Cylinder):
    """A solid cone along the z axis. The apex of the cone points up, and the origin lies at half its height.

    The arguments and errors are the same as for ``Cylinder``.
    """

    def __init__(self, radius: float, length: float, margin: float = 0.0) -> None:
        self._set_round(CONE, radius, length, margin)


class Ellipsoid(ConvexShape):
    """A solid ellipsoid around the origin.

    Args:
        radii: the three radii along x, y and z [m].
        margin: a radius around the whole ellipsoid [m].

    Raises:
        UnsupportedOption: the radii are not three numbers above 0, the margin is negative, or a value is not finite.
    """

    def __init__(self, radii: Sequence[float], margin: float = 0.0) -> None:
        array = float_array("radii", radii, UnsupportedOption)
        if array.shape != (3,):
            raise UnsupportedOption(f"radii must be three lengths, not an array of shape {array.shape}")
        lengths = [primitives.checked_length("a radius", radius) for radius in array.tolist()]
        self._set(_radius(margin), form=np.array([ELLIPSOID, *lengths]))

    def __repr__(self) -> str:
        return f"Ellipsoid({self.form[1:].tolist()}, {self.radius!r})"


class Inflated(ConvexShape):
    """All points within a radius of a core shape. With this shape, you can add a safety margin to a mesh, round a hull,
    or create a ball or a capsule.

    As in ``collides`` and ``distance``, a mesh counts as a surface. Even if a point lies inside a closed mesh, its
    distance is the distance from the surface. Hulls and other shapes count as solids.

    Args:
        core: a mesh, a hierarchy made by ``build``, a ConvexHull, another shape except a half-space or plane, one point
            (3,) or the two ends (2, 3) of a segment [m].
        radius: [m], 0 or greater.

    Raises:
        InvalidMesh: the core has another type, or has points that are not finite or beyond 1e30 m.
        UnsupportedOption: the radius is negative or not finite.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> box = mc.shapes.box(1.0)
        >>> pose = np.eye(4)
        >>> pose[0, 3] = 1.25
        >>> mc.collides(mc.shapes.Inflated(box, 0.25), box, pose_b=pose)
        True
    """

    def __init__(self, core: Any, radius: float) -> None:
        own = core if isinstance(core, ConvexHull) else as_own(core)  # a hull has vertices and faces like a mesh
        radius = _radius(radius)
        self.surface: Hierarchy | TriangleMesh | None = None
        if isinstance(own, TriangleMesh | Hierarchy):
            self.surface = own
            self._set(radius)
        elif isinstance(own, Inflated) and own.surface is not None:
            self.surface = own.surface
            self._set(own.radius + radius)
        elif isinstance(own, ConvexShape):
            self._set(own.radius + radius, own.points, own.form)
        elif isinstance(own, ConvexHull):
            self._set(radius, own.vertices[None].copy())
        else:
            self._set(radius, _few_points(own))

    @property
    def bounds(self) -> np.ndarray:
        """Implement ``ExactShape.bounds``."""
        if self.surface is None:
            return super().bounds
        mesh = self.surface.mesh if isinstance(self.surface, Hierarchy) else self.surface
        return self._grown(np.asarray(mesh.bounds, np.float64))

    def __repr__(self) -> str:
        core: Any = self.surface
        if core is None:
            core = f"{self.points.shape[1]} points" if self.is_polyhedron else "a round solid"
        return f"Inflated({core}, {self.radius!r})"


class Halfspace(ExactShape):
    """A half-space: all points x with normal . x <= offset, including the boundary.

    Args:
        normal: (3,), pointing out of the half-space, of any length above 0.
        offset: the distance of the boundary from the origin [m], times the length of the normal.

    Raises:
        UnsupportedOption: the normal has length 0, or a number is not finite or beyond 1e30.

    Example:
        >>> import meshclash as mc
        >>> floor = mc.shapes.Halfspace([0, 0, 1], 0.0)
        >>> mc.collides(mc.shapes.box(1.0), floor)
        True
    """

    def __init__(self, normal: Sequence[float], offset: float = 0.0) -> None:
        array = float_array("normal", normal, UnsupportedOption)
        height = real_number(offset)
        if array.shape != (3,):
            raise UnsupportedOption(f"normal must be three numbers, not an array of shape {array.shape}")
        if not (np.abs(array).max() <= LARGEST_COORDINATE and abs(height) <= LARGEST_COORDINATE and array.any()):
            raise UnsupportedOption(
                "normal must not be zero, and all numbers must be finite and within "
                f"{LARGEST_COORDINATE:g}, not {shown(normal)} and {shown(offset)}"
            )
        self.normal: np.ndarray = array.copy()
        self.offset: float = height

    @property
    def bounds(self) -> np.ndarray:
        """A box that contains all coordinates that MeshClash allows."""
        return np.array([[-LARGEST_COORDINATE] * 3, [LARGEST_COORDINATE] * 3])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.normal.tolist()}, {self.offset!r})"


class Plane(Halfspace):
    """A plane: all points x with normal . x = offset. The arguments and errors are the same as for ``Halfspace``."""


def _radius(value: Any) -> float:
    return primitives.checked_length("radius", value, least=0.0)


def _few_points(given: Any) -> np.ndarray:
    """Return one point or two, (1, n, 3); raises InvalidMesh."""
    wanted = "a mesh, a ConvexHull, another bounded shape, a point (3,) or a segment (2, 3)"
    if not isinstance(given, np.ndarray | list | tuple):
        raise InvalidMesh(f"core must be {wanted}, not {a_type(given)}")
    array = float_array("core", given, InvalidMesh)
    if array.shape not in ((3,), (1, 3), (2, 3)):
        more = "; use a ConvexHull of more points" if array.ndim == 2 and array.shape[1:] == (3,) else ""
        raise InvalidMesh(f"core must be {wanted}, not an array of shape {array.shape}{more}")
    if not np.abs(array).max() <= LARGEST_COORDINATE:
        raise InvalidMesh(f"core must have finite coordinates within {LARGEST_COORDINATE:g} m")
    return np.array(array.reshape(1, -1, 3), order="C")
