"""Conversion of meshes of other libraries, and of pairs of arrays, to ``TriangleMesh``.

An object is converted once. The mesh and its hierarchy are cached as long as the object lives and its arrays contain
the same numbers.
"""

import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

import numpy as np

from ..errors import InvalidMesh
from ..messages import a_type
from .mesh import TriangleMesh
from .numbers import given_array


class _WithFaces(Protocol):
    @property
    def vertices(self) -> Any: ...
    @property
    def faces(self) -> Any: ...


class _WithTriangles(Protocol):
    @property
    def vertices(self) -> Any: ...
    @property
    def triangles(self) -> Any: ...


ForeignMesh = _WithFaces | _WithTriangles | tuple[Any, Any]
"""Accepted in place of a mesh: arrays (n, 3) [m] and (m, 3), as attributes of an object or as a pair."""

_Reader = Callable[[Any], Any]
_READERS: tuple[tuple[tuple[str, ...], _Reader, _Reader], ...] = (
    (("vertices", "faces"), lambda mesh: mesh.vertices, lambda mesh: mesh.faces),
    (("vertices", "triangles"), lambda mesh: mesh.vertices, lambda mesh: mesh.triangles),
    (("points", "regular_faces"), lambda mesh: mesh.points, lambda mesh: mesh.regular_faces),
    (("vertices", "cells"), lambda mesh: mesh.vertices, lambda mesh: mesh.cells),
    (("points", "cells_dict"), lambda mesh: mesh.points, lambda mesh: _only_triangles(mesh.cells)),
    (
        ("vertex", "triangle", "to_legacy"),
        lambda mesh: mesh.vertex.positions.cpu().numpy(),
        lambda mesh: mesh.triangle.indices.cpu().numpy(),
    ),
)
"""Attributes that identify a mesh class, and functions that read its vertices and triangles: for trimesh, Open3D,
PyVista, vedo, meshio, and the tensor meshes of Open3D."""

_kept: dict[int, tuple[weakref.ref[Any], TriangleMesh]] = {}


def as_own(thing: Any) -> Any:
    """Convert a mesh of another library (``_READERS``), or a pair (vertices, faces), to a ``TriangleMesh``.

    If the argument is something else, the function returns it unchanged, so that the caller can raise the error.

    Raises:
        InvalidMesh: the arrays do not form a mesh.
    """
    return thing if isinstance(thing, TriangleMesh) else _own(thing)


def _own(thing: Any) -> Any:
    if isinstance(thing, tuple) and len(thing) == 2:
        return TriangleMesh(*thing)
    if isinstance(thing, type):
        return thing
    if type(thing).__module__.startswith("meshclash.") and callable(getattr(thing, "mesh", None)):
        return thing.mesh()  # of a convex hull, whose faces are polygons
    arrays = _arrays_of(thing)
    if arrays is None:
        return thing
    vertices, triangles = arrays
    kept = _kept.get(id(thing))
    if kept is not None and kept[0]() is thing and _is_of(kept[1], vertices, triangles):
        return kept[1]
    mesh = TriangleMesh(vertices, triangles)
    with suppress(TypeError):  # objects without weak references are converted each time
        _kept[id(thing)] = weakref.ref(thing, partial(_forget, id(thing))), mesh
    return mesh


def _arrays_of(thing: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Return vertices and triangles of an object, not checked; None if it is not a mesh.

    Raises:
        InvalidMesh: the object has faces other than triangles, or cannot be read.
    """
    try:
        found = next((read for names, *read in _READERS if all(hasattr(thing, name) for name in names)), None)
        if found is None:
            return None
        vertices, triangles = (read(thing) for read in found)
    except (AttributeError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise InvalidMesh(f"{a_type(thing)} does not consist of triangles only: {error!s:.200}") from error
    return given_array("vertices", vertices, InvalidMesh), given_array("triangles", triangles, InvalidMesh)


def _only_triangles(blocks: Any) -> np.ndarray:
    """Return the triangles of meshio's cell blocks; raise ValueError if the blocks contain other cells."""
    others = sorted({str(block.type) for block in blocks} - {"triangle"})
    if others:
        raise ValueError(f"the mesh has cells of type {', '.join(others)}; use only mesh.cells_dict['triangle']")
    return np.concatenate([block.data for block in blocks])


def _forget(key: int, _: object) -> None:
    _kept.pop(key, None)


def _is_of(mesh: TriangleMesh, vertices: np.ndarray, triangles: np.ndarray) -> bool:
    return np.array_equal(mesh.vertices, vertices) and np.array_equal(mesh.triangles, triangles)
