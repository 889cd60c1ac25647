"""Meshes of other libraries, and pairs of arrays, where a mesh is asked for.

An object is converted once: the mesh, and the hierarchy that is built over it, are kept while the object lives and its
arrays hold the same numbers.
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
"""What a mesh is made of where one is asked for: arrays (n, 3) [m] and (m, 3), as attributes or as a pair."""

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
"""Attributes by which a mesh is known, and how its corners and triangles are read: those of trimesh, Open3D, PyVista,
vedo, meshio and of Open3D's tensors."""

_kept: dict[int, tuple[weakref.ref[Any], TriangleMesh]] = {}


def as_own(thing: Any) -> Any:
    """A ``TriangleMesh`` of another library's mesh (``_READERS``), or of a pair (vertices, faces).

    Everything else is returned as it is: the caller raises the error.

    Raises:
        InvalidMesh: the arrays are not those of a mesh.
    """
    return thing if isinstance(thing, TriangleMesh) else _own(thing)


def _own(thing: Any) -> Any:
    if isinstance(thing, tuple) and len(thing) == 2:
        return TriangleMesh(*thing)
    if isinstance(thing, type):
        return thing
    if type(thing).__module__.startswith("meshclash.") and callable(getattr(thing, "mesh", None)):
        return thing.mesh()  # of a hull, whose faces have any number of corners
    arrays = _arrays_of(thing)
    if arrays is None:
        return thing
    vertices, triangles = arrays
    kept = _kept.get(id(thing))
    if kept is not None and kept[0]() is thing and _is_of(kept[1], vertices, triangles):
        return kept[1]
    mesh = TriangleMesh(vertices, triangles)
    with suppress(TypeError):  # what takes no weak references is converted each time
        _kept[id(thing)] = weakref.ref(thing, partial(_forget, id(thing))), mesh
    return mesh


def _arrays_of(thing: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Corners and triangles of an object, not checked; None of what is no mesh.

    Raises:
        InvalidMesh: the object does not give them: its faces are no triangles, or of several kinds.
    """
    try:
        found = next((read for names, *read in _READERS if all(hasattr(thing, name) for name in names)), None)
        if found is None:
            return None
        vertices, triangles = (read(thing) for read in found)
    except (AttributeError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise InvalidMesh(f"{a_type(thing)} does not give triangles alone: {error!s:.200}") from error
    return given_array("vertices", vertices, InvalidMesh), given_array("triangles", triangles, InvalidMesh)


def _only_triangles(blocks: Any) -> np.ndarray:
    """The triangles of the blocks of cells of meshio; raises ValueError where there are other cells."""
    others = sorted({str(block.type) for block in blocks} - {"triangle"})
    if others:
        raise ValueError(f"it has cells of kind {', '.join(others)}; take mesh.cells_dict['triangle'] of it")
    return np.concatenate([block.data for block in blocks])


def _forget(key: int, _: object) -> None:
    _kept.pop(key, None)


def _is_of(mesh: TriangleMesh, vertices: np.ndarray, triangles: np.ndarray) -> bool:
    return np.array_equal(mesh.vertices, vertices) and np.array_equal(mesh.triangles, triangles)
