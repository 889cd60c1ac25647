"""Find the faces of a mesh that bound its material, without inner faces, such as those between boxes that were welded
together.

Such a mesh is not closed: three faces meet at an edge of an inner face. The faces divide space into cells. Two faces
that are adjacent by angle around an edge have the same cell between them, which assigns a cell to every side of a face.
In a connected mesh only the outer cell has a negative volume, measured by its faces oriented out of it. The fronts of
all faces around the outer cell point into it, or away from it if the mesh is inside out. A cell is a cavity if the
fronts of all faces around it point into it, as at the outer cell; the other cells are material. Faces with material on
both sides bound no volume. Parts that no edge connects are processed separately, and keep the facing that they have: a
part that is inside out, and lies in another part, is a cavity. In a single layer of two-sided faces, the fronts carry
no information: there, a cell is empty if a path from the cell to the outside crosses an even number of faces.
"""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..traversal.layers import UPWARD, joined_numbers
from ..types.mesh import TriangleMesh, mesh_over
from ..types.topology import sorted_sides_steps
from .facing import LAYERED_CERTAINTY, NO_DOUBTS, UNNUMBERED, boxes_of, majority, shared_boxes_steps

_SAME_ANGLE = 1e-6  # between two triangles at an edge that lie on each other
_FLAT = 1e-9  # of the largest volume of a cell: cells between two layers have none
_STORED = 2.0**-22  # of the largest coordinate: triangles as flat as single precision stores them are no higher


class Bounding(NamedTuple):
    """The faces of a mesh that bound its material."""

    faces: np.ndarray
    """Indices of the faces, (k,) int32."""
    triangles: np.ndarray
    """Vertices of each, (k, 3) int32."""
    doubts: np.ndarray = NO_DOUBTS
    """As in ``BoundaryMesh``, (k, 8)."""


def thick(mesh: TriangleMesh, faces: np.ndarray) -> np.ndarray:
    """Return the triangles of (k,) that are not flat within the rounding error of stored coordinates."""
    corners = mesh.vertices[mesh.triangles[faces]]
    sides = corners - np.roll(corners, 1, axis=1)
    twice = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    least = _STORED * float(np.abs(mesh.bounds).max()) * np.linalg.norm(sides, axis=2).max(axis=1)
    return faces[twice > least]


def bounding_steps(mesh: TriangleMesh, faces: np.ndarray, of_layers: bool) -> Generator[None, None, Bounding | None]:
    """Return which of the triangles (k,), all different, bound material; None if the triangles are not closed.

    ``of_layers``: they are one layer of two-sided faces. The generator yields every few milliseconds, except where
    there are many cells.
    """
    triangles = mesh.topology.welded[mesh.triangles[faces]].astype(np.int32)
    if len(faces) == 0 or (yield from _has_rim_steps(triangles, mesh.vertex_count)):
        return None
    kept = mesh_over(mesh, triangles)
    yield from kept.topology_steps()
    if kept.is_closed:
        return Bounding(faces, mesh.triangles[faces])
    cells = _cells(mesh.vertices, triangles, kept.topology.component)
    yield
    if cells is None:
        return None
    empty, inside_out, doubts = yield from _empty_steps(mesh.vertices, triangles, cells, of_layers)
    bounding = empty[:, 0] != empty[:, 1]
    if not bounding.any():
        return None
    chosen = mesh.triangles[faces[bounding]]
    chosen = np.where((empty[:, 0] != inside_out)[bounding, None], chosen, chosen[:, ::-1])
    solid = mesh_over(mesh, chosen)
    yield from solid.topology_steps()
    return Bounding(faces[bounding], chosen, doubts) if solid.is_closed else None


def _has_rim_steps(triangles: np.ndarray, vertex_count: int) -> Generator[None, None, bool]:
    """Return whether an edge of the triangles (m, 3) belongs to only one triangle, as in nearly every open mesh."""
    start, _, higher = yield from sorted_sides_steps(triangles, np.arange(vertex_count))
    changes = np.ones(len(higher) + 1, np.bool_)
    changes[1:-1] = higher[1:] != higher[:-1]
    changes[start] = True
    return bool((changes[1:] & changes[:-1]).any())


def _cells(vertices: np.ndarray, triangles: np.ndarray, patches: np.ndarray) -> np.ndarray | None:
    """Return the cell in front of and behind each triangle, (m, 2); None if an edge belongs to only one triangle.

    Also returns None if no triangle is inside, if the order around an edge is unknown, or if the orders contradict each
    other, as in parts that overlap: then a triangle has one cell on both sides.

    Args:
        vertices: (v, 3) float64 [m].
        triangles: (m, 3), all different.
        patches: index of the patch of each triangle, connected through edges with two triangles, (m,).
    """
    first, last = triangles.ravel(), triangles[:, (1, 2, 0)].ravel()
    low, high = np.minimum(first, last), np.maximum(first, last)
    order = np.lexsort((high, low))
    begins = np.flatnonzero(np.append(True, (np.diff(low[order]) != 0) | (np.diff(high[order]) != 0)))
    sizes = np.diff(np.append(begins, len(order)))
    if sizes.min() < 2 or sizes.max() < 3:
        return None
    joined = list[np.ndarray]()
    for size in np.unique(sizes).tolist():
        around = order[begins[sizes == size, None] + np.arange(size)]
        if size > 2:
            turns = _turns(vertices, triangles, low[around[:, 0]], high[around[:, 0]], around, patches)
            if turns is None:
                return None
            around = np.take_along_axis(around, turns, axis=1)
        along = first[around] == low[around]  # the front of such a triangle faces growing angles
        ahead, behind = 2 * (around // 3) + ~along, 2 * (around // 3) + along
        joined.append(np.stack([ahead, np.roll(behind, -1, axis=1)], axis=2).reshape(-1, 2))
    cells = joined_numbers(2 * len(triangles), np.concatenate(joined)).reshape(-1, 2)
    return cells if (cells[:, 0] != cells[:, 1]).all() else None


def _turns(
    vertices: np.ndarray,
    triangles: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    around: np.ndarray,
    patches: np.ndarray,
) -> np.ndarray | None:
    """Return the order (n, s) by angle of the triangles with sides (n, s) around edges from ``low`` to ``high`` (n,).

    Triangles may have the same angle, as in two layers cut along different diagonals. Such triangles are ordered by the
    direction of their fronts, and then by their patches, so that a layer is on the same side everywhere. Returns None
    if these rules do not decide the order, or if a triangle is flat.
    """
    start = vertices[low]
    edge = (vertices[high] - start)[:, None]
    away = vertices[triangles[around // 3, (around % 3 + 2) % 3]] - start[:, None]
    away -= edge * ((away * edge).sum(axis=2) / (edge * edge).sum(axis=2))[..., None]
    growing = np.cross(edge, away) / np.linalg.norm(edge, axis=2, keepdims=True)
    angles = np.arctan2((away * growing[:, :1]).sum(axis=2), (away * away[:, :1]).sum(axis=2))
    angles = np.where(angles < _SAME_ANGLE - np.pi, np.pi, angles)
    order = np.argsort(angles, axis=1)
    places = np.diff(np.take_along_axis(angles, order, axis=1), axis=1, prepend=-np.inf) > _SAME_ANGLE
    place = np.empty(angles.shape, np.int64)
    np.put_along_axis(place, order, np.cumsum(places, axis=1), axis=1)
    against = triangles.ravel()[around] != low[:, None]  # fronts face decreasing angles
    layer = np.where(growing @ UPWARD > 0.0, 1, -1) * patches[around // 3]
    order = np.lexsort((layer, against, place), axis=1)
    ranks = [np.diff(np.take_along_axis(rows, order, axis=1), axis=1) != 0 for rows in (place, against, layer)]
    is_told = np.logical_or.reduce(ranks)
    return order if is_told.all() and (away * away).sum(axis=2).min() > 0.0 else None


def _empty_steps(
    vertices: np.ndarray, triangles: np.ndarray, cells: np.ndarray, of_layers: bool
) -> Generator[None, None, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Find which cells contain no material, separately for each part of the mesh that is connected by edges.

    Returns:
        Whether the space in front of and behind each triangle contains no material, (m, 2) bool. Whether the part of
        each triangle is inside out, (m,) bool: inside another part it is a cavity. And the boxes that may be cavities
        or material, as in ``BoundaryMesh``.
    """
    corners = vertices[triangles]
    a, b, c = (corners[:, k] - vertices.mean(axis=0) for k in range(3))
    volumes = (a * np.cross(b, c)).sum(axis=1)
    of_cells = np.bincount(cells.ravel(), np.stack([-volumes, volumes], axis=1).ravel(), cells.size)
    fronts = np.bincount(cells[:, 0], minlength=cells.size)
    backs = np.bincount(cells[:, 1], minlength=cells.size)
    outer = of_cells < -_FLAT * np.abs(of_cells).max()
    yield
    part = joined_numbers(cells.size, cells)
    numbers, parts = np.unique(part[cells[:, 0]], return_inverse=True)
    ahead, behind = (np.bincount(part[outer], of[outer], cells.size)[numbers] for of in (fronts, backs))
    inside_out, turned = behind > ahead, np.minimum(ahead, behind)
    mixed = (turned > 0) | of_layers
    yield
    reversed_, unknown = np.isin(part, numbers[inside_out]), np.isin(part, numbers[mixed])
    into, out_of = np.where(reversed_, backs, fronts), np.where(reversed_, fronts, backs)
    hollow = (out_of == 0) & (into > 0) & ~unknown
    if not mixed.any():
        return (outer | hollow)[cells], inside_out[parts], NO_DOUBTS
    far = _far(cells, outer)[cells]
    yield
    empty: np.ndarray = far % 2 == 0 if of_layers else (outer | hollow)[cells]
    deep = mixed[parts] & (far > 1).any(axis=1)
    doubts = NO_DOUBTS
    if deep.any():
        low, high = corners[deep].min(axis=(0, 1)), corners[deep].max(axis=(0, 1))
        doubts = np.concatenate([low, high, [LAYERED_CERTAINTY, UNNUMBERED]])[None]
    if of_layers:  # ``facing_doubts_steps`` has doubts of these parts
        return empty, np.zeros(len(cells), np.bool_), doubts
    sure = majority(ahead + behind, turned)
    shared = yield from shared_boxes_steps(*boxes_of(corners, parts, len(numbers)), sure)
    shared[:, 7] = UNNUMBERED  # a part can have several components
    return empty, inside_out[parts], np.vstack([doubts, shared])


def _far(cells: np.ndarray, outer: np.ndarray) -> np.ndarray:
    """Return how many faces (m, 2) at least are between each cell and the outside, (n,)."""
    far = np.where(outer, 0, 2 * len(outer) + 1)
    while True:
        before = far.copy()
        np.minimum.at(far, cells.ravel(), far[cells[:, ::-1].ravel()] + 1)
        if (far == before).all():
            return far
