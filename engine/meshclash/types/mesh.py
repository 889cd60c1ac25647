"""``TriangleMesh``: the triangle mesh of the engine."""

from collections.abc import Callable, Generator
from functools import cached_property
from types import NoneType
from typing import Any, Protocol

import numpy as np

from ..errors import InvalidMesh, UnsupportedOption
from ..jit import kernel
from ..messages import a_type, shown
from .copying import Copyable
from .hints import way_for
from .numbers import float_array, given_array, real_number
from .pose import LARGEST_COORDINATE, transform_points
from .steps import run
from .topology import Topology, topology_steps, welded_steps

_TOGETHER = 256
_OUTWARD = 1.0 + 1e-12  # covers the rounding of a matrix's largest singular value


def _checked_vertices(vertices: Any) -> np.ndarray:
    array = float_array("vertices", vertices, InvalidMesh)
    if array.ndim != 2 or array.shape[1] != 3:
        raise InvalidMesh(f"vertices must have shape (n, 3), not {array.shape}")
    if len(array) == 0:
        raise InvalidMesh("the mesh has no vertices")
    if not (array.min() >= -LARGEST_COORDINATE and array.max() <= LARGEST_COORDINATE):  # also true for NaN
        with np.errstate(invalid="ignore"):
            bad = ~(np.abs(array) <= LARGEST_COORDINATE).all(axis=1)
        index = int(bad.argmax())
        raise InvalidMesh(
            f"vertex {index} is {array[index].tolist()} ({int(bad.sum())} in total): coordinates must be finite and "
            f"at most {LARGEST_COORDINATE:g} m"
        )
    return array


def checked_resolution(resolution: Any) -> float:
    """Check the precision of stored coordinates [m]; raise InvalidMesh unless it is a finite length."""
    number = real_number(resolution)
    if not 0.0 <= number <= LARGEST_COORDINATE:
        raise InvalidMesh(f"a resolution must be a finite length of at least 0 [m], not {shown(resolution)}")
    return number


def _checked_triangles(triangles: Any, vertex_count: int) -> np.ndarray:
    array = given_array("triangles", triangles, InvalidMesh)
    if array.size == 0:
        raise InvalidMesh("the mesh has no triangles")
    if array.ndim != 2 or array.shape[1] != 3:
        hint = ": triangulate the mesh" if array.ndim == 2 and array.shape[1] > 3 else ""
        raise InvalidMesh(f"triangles must have shape (m, 3), not {array.shape}{hint}")
    if array.dtype.kind not in "iu":
        raise InvalidMesh(f"triangles must contain integers, not {array.dtype}")
    if array.min() < 0 or array.max() >= vertex_count:
        bad = ((array < 0) | (array >= vertex_count)).any(axis=1)
        index = int(bad.argmax())
        raise InvalidMesh(
            f"triangle {index} is {array[index].tolist()} ({int(bad.sum())} in total): indices must lie in 0 to "
            f"{vertex_count - 1}"
        )
    return np.array(array, dtype=np.int32, order="C")


@kernel
def _mark(triangles, used):
    for t in range(triangles.shape[0]):
        for k in range(3):
            used[triangles[t, k]] = True


def _along_rows(function: Callable[..., np.ndarray], points: np.ndarray) -> np.ndarray:
    """Compute a minimum or maximum of (n, 3) along axis 0 in blocks of 256 rows, which is fifty times faster."""
    whole = len(points) // _TOGETHER * _TOGETHER
    parts = [points[whole:]]
    if whole:
        parts.append(function(points[:whole].reshape(-1, 3 * _TOGETHER), axis=0).reshape(_TOGETHER, 3))
    return function(np.ascontiguousarray(np.concatenate(parts).T), axis=1)


def no_mesh(thing: object, wanted: str = "a TriangleMesh or a Hierarchy") -> InvalidMesh:
    """Return the error for an object that is not a mesh, with advice how to convert it."""
    return InvalidMesh(f"expected {wanted}, not {a_type(thing)}{way_for(thing)}")


class Corners(Protocol):
    """Interface that results need of their objects: a mesh, or a stand-in for one."""

    def corners_of(self, triangles: np.ndarray) -> np.ndarray:
        """Return the corners (n, 3, 3) float64 [m] of triangles (n,), in the object's own frame."""


class _Common(Copyable, caches={"topology": NoneType, "decided": dict}):
    """Data shared by all meshes with the same triangles, so that a deformed mesh does not compute it again."""

    def __init__(self, triangles: np.ndarray, vertex_count: int) -> None:
        self._triangles = triangles
        self._vertex_count = vertex_count
        self.topology: Topology | None = None
        """Topology of the mesh that was analysed last."""
        self.decided: dict[str, Any] = {}
        """Decisions of later stages about one of the meshes, which are also valid for meshes of similar shape."""

    @cached_property
    def used(self) -> np.ndarray | None:
        """The vertices that belong to a triangle, (u,) int64. If all vertices belong to a triangle, the value
        is None.
        """
        mask = np.zeros(self._vertex_count, np.bool_)
        _mark(self._triangles, mask)
        return None if mask.all() else np.flatnonzero(mask)


class TriangleMesh(Copyable, caches={"derived": dict, "_welded": NoneType}):
    """A mesh of vertices and triangles. The constructor checks both arrays and copies them into the memory layout of
    MeshClash.

    Args:
        vertices: array-like, shape (n, 3), float32 or float64 [m], in the object's own frame.
        triangles: array-like of integers, shape (m, 3), indices into the vertices.
        resolution: precision of the stored coordinates [m]: the true position of a point is at most this far away (see
            ``float32_resolution``); only ``verdict(..., permitted_overlap="resolution")`` uses the resolution, and
            contacts do not depend on it.
        weld: True joins vertices at exactly the same position: each triangle then uses the first vertex at this
            position. Welding is useful for files such as STL, in which triangles do not share vertices. The number and
            the order of vertices and triangles stay the same; there is no tolerance, because the result would then
            depend on the order of the vertices.
        shell: True makes the mesh a surface, open or closed, without an inside (a garment, a lampshade, a room).

    Attributes:
        resolution, shell: as passed to the constructor.
        derived: cache of data that later stages compute from the mesh (hierarchies, solid).

    Raises:
        InvalidMesh: empty, wrong shape or type, NaN or infinite coordinates, an index out of range, a resolution that
            is not a finite length, or ``weld`` or ``shell`` neither True nor False.

    Example:
        >>> import meshclash as mc
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> tetrahedron = mc.TriangleMesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
        >>> tetrahedron.is_closed
        True
    """

    def __init__(
        self, vertices: Any, triangles: Any, resolution: float = 0.0, weld: bool = False, shell: bool = False
    ) -> None:
        if not isinstance(weld, bool | np.bool_):
            raise InvalidMesh(
                f"weld must be True or False, not {shown(weld)}: only vertices with equal coordinates can be welded"
            )
        if not isinstance(shell, bool | np.bool_):
            raise InvalidMesh(f"shell must be True or False, not {shown(shell)}: a shell has no inside")
        self._vertices = _checked_vertices(vertices)
        self._triangles = _checked_triangles(triangles, len(self._vertices))
        if weld:
            self._triangles = run(welded_steps(self._vertices))[self._triangles].astype(np.int32)
        self._common = _Common(self._triangles, len(self._vertices))
        self.resolution = checked_resolution(resolution)
        self.shell = bool(shell)
        self._welded: np.ndarray | None = (
            None  # first vertex at each position, known from a mesh over the same vertices
        )
        self.derived: dict[str, Any] = {}

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        self._triangles = self._common._triangles  # the same array, even if the state contained two copies

    @property
    def vertices(self) -> np.ndarray:
        """The vertices [m], as a read-only (n, 3) float64 array."""
        return _read_only(self._vertices)

    @property
    def triangles(self) -> np.ndarray:
        """The three vertex indices of each triangle, as a read-only (m, 3) int32 array."""
        return _read_only(self._triangles)

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """The vertices and the triangles as writable arrays, which kernels need. Do not modify these arrays."""
        return self._vertices, self._triangles

    def corners_of(self, triangles: np.ndarray) -> np.ndarray:
        """Return the corners (n, 3, 3) float64 [m] of triangles (n,), in the object's own frame."""
        try:
            corners: np.ndarray = self._vertices[self._triangles[triangles]]
        except (IndexError, TypeError, ValueError, ArithmeticError, MemoryError) as error:
            raise UnsupportedOption(f"triangles must be triangle indices: {error!s:.120}") from None
        return corners

    @property
    def vertex_count(self) -> int:
        """Number of vertices."""
        return len(self._vertices)

    @property
    def triangle_count(self) -> int:
        """Number of triangles."""
        return len(self._triangles)

    @property
    def common(self) -> object:
        """The data that all meshes with the same triangles share. A mesh and its deformed copies refer to the same
        object.
        """
        return self._common

    @property
    def used_vertices(self) -> np.ndarray | None:
        """The vertices that belong to a triangle, (u,) int64. If all vertices belong to a triangle, the value
        is None.
        """
        return self._common.used

    @cached_property
    def bounds(self) -> np.ndarray:
        """The lowest and the highest coordinates of all vertices that belong to a triangle [m], (2, 3) float64."""
        used = self._vertices if self._common.used is None else self._vertices[self._common.used]
        return np.stack([_along_rows(np.min, used), _along_rows(np.max, used)])

    @cached_property
    def topology(self) -> Topology:
        """The connected components of the surface, how they are oriented, and whether the surface is closed. Vertices
        at the same position count as one vertex.
        """
        for _ in self.topology_steps():
            pass
        found: Topology = self.__dict__["topology"]
        return found

    def topology_steps(self) -> Generator[None, None, None]:
        """Compute the topology of the mesh in steps of some ten milliseconds. If the topology was computed before, the
        method does nothing.
        """
        if "topology" not in self.__dict__:
            common = self._common
            common.topology = yield from topology_steps(self._vertices, self._triangles, common.topology, self._welded)
            self.__dict__["topology"] = common.topology

    @property
    def is_closed(self) -> bool:
        """Whether the mesh bounds a solid.

        A mesh is closed if its triangles use each edge equally often in both directions. In addition, the mesh must not
        be a shell or two-sided.
        """
        return self.topology.closed and not self.shell

    def transformed(self, matrix: Any) -> "TriangleMesh":
        """Return a new mesh whose vertices have been transformed by a (4, 4) affine matrix. The triangles keep their
        order and their winding.

        The resolution is multiplied by the largest stretch of the matrix. If the mesh is a shell, the new mesh is also
        a shell.
        """
        array = float_array("the matrix", matrix, InvalidMesh)
        if array.shape != (4, 4) or not np.isfinite(array).all():
            raise InvalidMesh(f"the matrix must be a finite 4x4 matrix, not an array of shape {array.shape}")
        stretch = _OUTWARD * float(np.linalg.norm(array[:3, :3], 2)) if self.resolution else 0.0
        points = transform_points(array, self._vertices)
        return TriangleMesh(points, self._triangles, self.resolution * stretch, shell=self.shell)

    @property
    def decided(self) -> dict[str, Any]:
        """Decisions that queries have made for a mesh with the same triangles. MeshClash reuses these decisions while
        the mesh deforms.
        """
        return self._common.decided

    def with_vertices(self, vertices: Any) -> "TriangleMesh":
        """Return a mesh with the same triangles and other vertices (n, 3) [m]. If the number of vertices differs, raise
        InvalidMesh.
        """
        array = _checked_vertices(vertices)
        if len(array) != len(self._vertices):
            raise InvalidMesh(f"the mesh has {len(self._vertices)} vertices, but {len(array)} were given")
        mesh = object.__new__(TriangleMesh)
        mesh._vertices = array
        mesh._triangles = self._triangles
        mesh._common = self._common
        mesh.resolution, mesh.shell = self.resolution, self.shell
        mesh._welded, mesh.derived = None, {}
        return mesh

    def __repr__(self) -> str:
        return f"TriangleMesh({self.vertex_count} vertices, {self.triangle_count} triangles)"


def mesh_over(mesh: TriangleMesh, triangles: np.ndarray, resolution: float = 0.0) -> TriangleMesh:
    """Return a mesh of other triangles (m, 3) over the same vertices, which are not copied.

    Raises:
        InvalidMesh: as ``TriangleMesh``.
    """
    made = object.__new__(TriangleMesh)
    made._vertices = mesh._vertices
    made._triangles = _checked_triangles(triangles, len(mesh._vertices))
    made._common = _Common(made._triangles, len(mesh._vertices))
    made.resolution, made.shell = checked_resolution(resolution), False
    known: Topology | None = mesh.__dict__.get("topology")
    made._welded = None if known is None else known.welded
    made.derived = {}
    return made


def _read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view
