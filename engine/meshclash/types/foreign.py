"""Meshes of other libraries, and pairs of arrays, where a mesh is asked for.

An object is converted once: the mesh, and the hierarchy that is built over it, are kept while the object lives and its
arrays hold the same numbers.
"""

import weakref
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

import numpy as np

from .mesh import TriangleMesh


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
"""What a mesh is made of where one is asked for: arrays (n, 3) [m] and (m, 3), as attributes or as a pair."""

_ARRAYS = ("vertices", "faces"), ("vertices", "triangles"), ("points", "regular_faces")
"""Names of corners and triangles: as trimesh has them, as Open3D has them, and as PyVista has them."""

_kept: dict[int, tuple[weakref.ref[Any], TriangleMesh]] = {}


def as_own(thing: Any) -> Any:
    """A ``TriangleMesh`` of what has ``vertices`` and ``faces`` or ``triangles``, or is a pair (vertices, faces).

    Everything else is returned as it is: whoever asked for a mesh refuses it by name.

    Raises:
        InvalidMesh: the arrays are not those of a mesh.
    """
    return thing if isinstance(thing, TriangleMesh) else _own(thing)


def _own(thing: Any) -> Any:
    if isinstance(thing, tuple) and len(thing) == 2:
        return TriangleMesh(*thing)
    names = next((pair for pair in _ARRAYS if all(hasattr(thing, name) for name in pair)), None)
    if names is None or isinstance(thing, type):
        return thing
    vertices, triangles = (np.asarray(getattr(thing, name)) for name in names)
    kept = _kept.get(id(thing))
    if kept is not None and kept[0]() is thing and _is_of(kept[1], vertices, triangles):
        return kept[1]
    mesh = TriangleMesh(vertices, triangles)
    with suppress(TypeError):  # what takes no weak references is converted each time
        _kept[id(thing)] = weakref.ref(thing, partial(_forget, id(thing))), mesh
    return mesh


def _forget(key: int, _: object) -> None:
    _kept.pop(key, None)


def _is_of(mesh: TriangleMesh, vertices: np.ndarray, triangles: np.ndarray) -> bool:
    return np.array_equal(mesh.vertices, vertices) and np.array_equal(mesh.triangles, triangles)
