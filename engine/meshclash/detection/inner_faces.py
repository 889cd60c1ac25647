"""Faces inside of the solid that a mesh draws, as between boxes that were set side by side and welded.

Such a mesh is not closed: three faces meet at an edge of an inner one. The faces part space into cells. Around an edge
two faces that follow each other by angle have the same cell between them; so all sides of faces fall into cells. Of a
connected mesh the outer cell alone has a negative volume, measured by the faces turned out of it. A cell is a hollow
where every face around it, as all around the outer cell, turns its front to it; the others are material. Faces between
material and material bound nothing.
"""

import numpy as np

from ..solid.fans import joined_numbers
from ..solid.repair import without_copies
from ..types.mesh import TriangleMesh

_MOST = 1 << 17  # triangles of a mesh that is looked at: nothing can stop this
_SAME_ANGLE = 1e-6  # between two triangles at an edge that lie on each other
_FLAT = 1e-9  # of the largest volume of a cell: cells between two layers have none
_UPWARD = np.array([0.80178373, 0.53452248, 0.26726124])  # what is above a plane; few planes hold this direction


def without_inner_faces(mesh: TriangleMesh) -> TriangleMesh:
    """The closed mesh that a mesh is but for faces inside of it; the mesh itself where that is not so.

    Triangles keep their numbers; those inside, and copies, become points. A large mesh stays as it is.
    """
    if len(mesh.triangles) > _MOST or mesh.is_closed or mesh.shell or _has_rim(mesh):
        return mesh
    faces = without_copies(mesh)
    if len(faces) == 0:
        return mesh
    triangles = mesh.topology.welded[mesh.triangles[faces]]
    cells = _cells(mesh.vertices, triangles, TriangleMesh(mesh.vertices, triangles).topology.component)
    if cells is None:
        return mesh
    empty = _empty(mesh.vertices, triangles, cells)
    bounding = empty[:, 0] != empty[:, 1]
    changed = np.repeat(mesh.triangles[:, :1], 3, axis=1)
    kept = faces[bounding]
    changed[kept] = np.where(empty[bounding, :1], mesh.triangles[kept], mesh.triangles[kept][:, ::-1])
    solid = TriangleMesh(mesh.vertices, changed, resolution=mesh.resolution)
    return solid if solid.is_closed and len(kept) else mesh


def _has_rim(mesh: TriangleMesh) -> bool:
    """Whether an edge has one triangle, as nearly every open mesh has."""
    corners = mesh.topology.welded[mesh.triangles]
    ends = np.sort(np.stack([corners, corners[:, (1, 2, 0)]], axis=2).reshape(-1, 2), axis=1)
    ends = ends[ends[:, 0] != ends[:, 1]]
    edges = np.sort(ends[:, 0] * mesh.vertex_count + ends[:, 1])
    changes = np.concatenate([[True], edges[1:] != edges[:-1], [True]])
    return bool((changes[1:] & changes[:-1]).any())


def _cells(vertices: np.ndarray, triangles: np.ndarray, patches: np.ndarray) -> np.ndarray | None:
    """A number of the cell at the front and at the back of each triangle, (m, 2); None where an edge has one triangle.

    None also where no triangle is inside, where the order around an edge cannot be told, and where orders contradict
    each other, as of parts that overlap: a triangle then has one cell on both sides.

    Args:
        vertices: (v, 3) float64 [m].
        triangles: (m, 3), no two alike.
        patches: numbers of what edges with two triangles hold together, (m,).
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
        along = first[around] == low[around]  # such a triangle turns its front the way that angles grow
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
    """The order (n, s) by angle of the triangles with sides (n, s) around edges from vertices ``low`` to ``high`` (n,).

    Of triangles at the same angle, as of two layers cut along other diagonals, those come first whose fronts face the
    others; then they follow by their patches: of two layers the same one is everywhere on the same side. None where
    this tells nothing, or a triangle is flat.
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
    against = triangles.ravel()[around] != low[:, None]  # turn their fronts against the way that angles grow
    layer = np.where(growing @ _UPWARD > 0.0, 1, -1) * patches[around // 3]
    order = np.lexsort((layer, against, place), axis=1)
    ranks = [np.diff(np.take_along_axis(rows, order, axis=1), axis=1) != 0 for rows in (place, against, layer)]
    is_told = np.logical_or.reduce(ranks)
    return order if is_told.all() and (away * away).sum(axis=2).min() > 0.0 else None


def _empty(vertices: np.ndarray, triangles: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Whether no material is at the front and at the back of each triangle, (m, 2) bool."""
    a, b, c = (vertices[triangles[:, k]] - vertices.mean(axis=0) for k in range(3))
    volumes = (a * np.cross(b, c)).sum(axis=1)
    of_cells = np.bincount(cells.ravel(), np.stack([-volumes, volumes], axis=1).ravel(), cells.size)
    fronts = np.bincount(cells[:, 0], minlength=cells.size)
    backs = np.bincount(cells[:, 1], minlength=cells.size)
    outer = of_cells < -_FLAT * np.abs(of_cells).max()
    hollow = (backs == 0) & (backs[outer] == 0).all() & (fronts > 0)
    empty: np.ndarray = (outer | hollow)[cells]
    return empty
