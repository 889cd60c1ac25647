"""Find faces that bound no volume: copies, degenerate faces, and the second layer of two-sided faces.

Some meshes, for example from games, have two-sided faces: each face exists in both orientations at the same position.
Such a mesh is closed, but encloses no volume. The intended surface is one layer of these faces.
"""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..jit import inner, kernel
from ..types.mesh import TriangleMesh
from ..types.steps import run
from ..types.topology import sorted_sides_steps

ROUNDING = 1e-12
"""Upper bound of the volume of a two-sided part, relative to its area times the extent of the mesh."""
UPWARD = np.array([0.80178373, 0.53452248, 0.26726124])
"""The direction that counts as up; few planes contain this direction."""


@kernel
def _component_volumes(vertices, triangles, component, orientation, centre, volumes):
    """Add up six times the signed volume of each component, with ``centre`` as the reference point."""
    for t in range(triangles.shape[0]):
        i = triangles[t, 0]
        j = triangles[t, 1]
        k = triangles[t, 2]
        ax = vertices[i, 0] - centre[0]
        ay = vertices[i, 1] - centre[1]
        az = vertices[i, 2] - centre[2]
        bx = vertices[j, 0] - centre[0]
        by = vertices[j, 1] - centre[1]
        bz = vertices[j, 2] - centre[2]
        cx = vertices[k, 0] - centre[0]
        cy = vertices[k, 1] - centre[1]
        cz = vertices[k, 2] - centre[2]
        six = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        volumes[component[t]] += six * orientation[t]


def component_volumes(mesh: TriangleMesh) -> np.ndarray:
    """Return six times the signed volume of each consistently oriented component, (c,) float64."""
    topology = mesh.topology
    volumes = np.zeros(topology.component_count)
    centre = 0.5 * mesh.bounds[0] + 0.5 * mesh.bounds[1]
    _component_volumes(*mesh.arrays, topology.component, topology.orientation, centre, volumes)
    return volumes


def joined_numbers(count: int, pairs: np.ndarray) -> np.ndarray:
    """Return the smallest number in the connected component of each of ``count`` numbers, (count,).

    ``pairs`` (k, 2) connect the numbers.
    """
    numbers = np.arange(count)
    _join_numbers(np.ascontiguousarray(pairs, np.int64), numbers)
    return numbers


@inner
def _least_number(numbers, i):
    """Return the smallest number known to be connected with i, and shorten the path to this number."""
    while numbers[i] != i:
        numbers[i] = numbers[numbers[i]]
        i = numbers[i]
    return i


@kernel
def _join_numbers(pairs, numbers):
    """Join ``numbers`` (n,) by pairs (k, 2): each entry becomes the smallest number of its connected component."""
    for k in range(pairs.shape[0]):
        a, b = _least_number(numbers, pairs[k, 0]), _least_number(numbers, pairs[k, 1])
        numbers[max(a, b)] = min(a, b)
    for i in range(numbers.shape[0]):
        numbers[i] = numbers[numbers[i]]


def copies_steps(mesh: TriangleMesh) -> Generator[None, None, np.ndarray]:
    """Return the triangles (k,) int32 with three different corners, without copies: the first one of each set.

    Yields about every ten milliseconds for a million triangles.
    """
    corners = mesh.topology.welded[mesh.triangles].astype(np.int32)
    corners.sort(axis=1)
    yield
    low, middle, high = corners.T
    whole = np.flatnonzero((low != middle) & (middle != high))
    order = whole
    for column in (high, middle, low):
        order = order[np.argsort(column[order], kind="stable")]
        yield
    same = (corners[order[1:]] == corners[order[:-1]]).all(axis=1)
    first = order[np.append(True, ~same)] if len(order) else order
    return np.sort(first).astype(np.int32)


def edge_joins_steps(mesh: TriangleMesh) -> Generator[None, None, np.ndarray]:
    """Return pairs (k, 2) of triangles that are consecutive at an edge, for edges with any number of triangles."""
    start, ordered, higher = yield from sorted_sides_steps(mesh.arrays[1], mesh.topology.welded)
    lower = np.repeat(np.arange(len(start) - 1, dtype=np.int32), np.diff(start))
    same = (higher[1:] == higher[:-1]) & (lower[1:] == lower[:-1])
    triangle = ordered >> 1
    return np.stack([triangle[:-1][same], triangle[1:][same]], axis=1)


class OpenEdges(NamedTuple):
    """Edges that triangles do not use equally often in both directions."""

    ends: np.ndarray
    """The two vertices, the lower index first, (k, 2) int32."""
    balance: np.ndarray
    """Uses from the lower to the higher vertex, minus uses in the opposite direction, (k,) int64."""
    triangles: np.ndarray
    """A triangle at each edge, (k,) int64."""


def open_edges_steps(triangles: np.ndarray, welded: np.ndarray) -> Generator[None, None, OpenEdges]:
    """Find the open edges of triangles (m, 3) int32 over welded vertices (n,); yields every few milliseconds."""
    start, ordered, higher = yield from sorted_sides_steps(triangles, welded)
    changes = np.ones(len(higher) + 1, np.bool_)
    changes[1:-1] = higher[1:] != higher[:-1]
    changes[start] = True
    begins = np.flatnonzero(changes[:-1])
    if not len(begins):
        return OpenEdges(np.empty((0, 2), np.int32), np.empty(0, np.int64), np.empty(0, np.int64))
    yield
    balance = np.add.reduceat(np.where(ordered & 1, np.int8(1), np.int8(-1)), begins, dtype=np.int64)
    yield
    begins, balance = begins[balance != 0], balance[balance != 0]
    lower = np.searchsorted(start, begins, "right") - 1
    return OpenEdges(np.stack([lower, higher[begins]], axis=1).astype(np.int32), balance, ordered[begins] >> 1)


def has_layers(mesh: TriangleMesh, volumes: np.ndarray) -> bool:
    """Return whether a part of a mesh without open edges is two-sided.

    For most meshes the volumes (c,) of the components already decide.
    """
    return not _is_thick(mesh, volumes) and len(run(one_layer_steps(mesh))) < mesh.triangle_count


def _is_thick(mesh: TriangleMesh, volumes: np.ndarray) -> bool:
    """Return whether every component is closed and has a volume."""
    extent = float((mesh.bounds[1] - mesh.bounds[0]).max())
    return mesh.topology.paired and bool((np.abs(volumes) > ROUNDING * extent**3).all())


def one_layer_steps(mesh: TriangleMesh) -> Generator[None, None, np.ndarray]:
    """Return the triangles (k,) int32 of a mesh without open edges, with only one layer of two-sided parts.

    Parts are connected by edges. A two-sided part has area but no volume, and no first moment of volume either. (Two
    equal boxes next to each other, one of them inside out, have no volume but a moment.) Yields every few milliseconds.
    """
    every = np.arange(mesh.triangle_count, dtype=np.int32)
    extent = float((mesh.bounds[1] - mesh.bounds[0]).max())
    if _is_thick(mesh, component_volumes(mesh)):
        return every
    pairs = yield from edge_joins_steps(mesh)
    part = joined_numbers(len(every), pairs)
    yield
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] - mesh.vertices[mesh.triangles[0, 0]] for k in range(3))
    normals = np.cross(b - a, c - a) * mesh.topology.orientation[:, None]
    volumes = (a * normals).sum(axis=1)
    volume, moment = np.bincount(part, volumes), np.bincount(part, volumes * ((a + b + c) @ UPWARD))
    rounding = ROUNDING * extent * np.bincount(part, np.linalg.norm(normals, axis=1))
    flat = (np.abs(volume) <= rounding) & (np.abs(moment) <= extent * rounding) & (rounding > 0.0)
    return every[~flat[part] | (normals @ UPWARD > 0.0)]
