"""Removes faces that bound nothing (copies, two-sided, flat and inner faces), so that a closed mesh remains.

Two-sided faces, as games and some exporters have them, are wound both ways at the same place: such a mesh is closed,
but winds around nothing. One layer of them is the surface that is meant.

Inner faces are between boxes that were set side by side and welded. Such a mesh is not closed: three faces meet at an
edge of an inner one. The faces part space into cells. Around an edge
two faces that follow each other by angle have the same cell between them; so all sides of faces fall into cells. Of a
connected mesh the outer cell alone has a negative volume, measured by the faces turned out of it. A cell is a hollow
where every face around it, as all around the outer cell, turns its front to it; the others are material. Faces between
material and material bound nothing.
"""

import numpy as np

from ..solid.fans import joined_numbers
from ..solid.repair import component_turns, without_copies
from ..traversal.solids import component_volumes
from ..types.mesh import TriangleMesh
from ..types.steps import run

_MOST = 1 << 17  # triangles of a mesh that is looked at: nothing can stop this
_SAME_ANGLE = 1e-6  # between two triangles at an edge that lie on each other
_FLAT = 1e-9  # of the largest volume of a cell: cells between two layers have none
_ROUNDING = 1e-12  # of areas times the extent of a mesh: volumes of two-sided parts have no more
_STORED = 2.0**-22  # of the largest coordinate: triangles as flat as single precision stores them are no higher
_UPWARD = np.array([0.80178373, 0.53452248, 0.26726124])  # what is above a plane; few planes hold this direction


def without_inner_faces(mesh: TriangleMesh) -> TriangleMesh:
    """The closed mesh that a mesh is but for faces that bound nothing; the mesh itself where that is not so.

    Of two-sided faces one layer is left, also where this is no solid but a sheet. Triangles keep their numbers; those
    that are left out become points. A large mesh stays as it is.
    """
    if len(mesh.triangles) > _MOST or mesh.shell:
        return mesh
    is_whole = mesh.is_closed or mesh.topology.two_sided
    faces = _one_layer(mesh) if is_whole else without_copies(mesh)
    if len(faces) in (0, mesh.triangle_count * is_whole):
        return mesh
    for chosen in (faces, _thick(mesh, faces)):
        solid = _solid(mesh, chosen, is_whole)
        if solid is not None:
            return _turned(solid) if is_whole else solid
    return _with(mesh, faces, mesh.triangles[faces]) if is_whole else mesh


def _turned(mesh: TriangleMesh) -> TriangleMesh:
    """A closed mesh whose winding tells nothing, with surfaces around hollows of others turned inward."""
    topology = mesh.topology
    inward = topology.orientation * np.where(component_volumes(mesh) > 0.0, -1, 1)[topology.component]
    turned = TriangleMesh(mesh.vertices, np.where(inward[:, None] < 0, mesh.triangles[:, ::-1], mesh.triangles))
    turn = turned.topology.orientation * run(component_turns(turned))[turned.topology.component]
    triangles = np.where(turn[:, None] < 0, turned.triangles[:, ::-1], turned.triangles)
    return TriangleMesh(mesh.vertices, triangles, resolution=mesh.resolution)


def still_bounds(mesh: TriangleMesh, vertices: np.ndarray) -> bool:
    """Whether what `without_inner_faces` made bounds the same once its vertices are moved to others (n, 3)."""
    moved = mesh.with_vertices(vertices)
    return moved.topology is mesh.topology and not (moved.is_closed and len(_one_layer(moved)) < mesh.triangle_count)


def _one_layer(mesh: TriangleMesh) -> np.ndarray:
    """Of a mesh without rims the triangles (k,) that are left where of two-sided parts one layer is: all without such.

    Parts are what edges hold together; two-sided ones have area, but no volume, and no moment of it either, as two
    equal boxes side by side have of which one is inside out.
    """
    every = np.arange(mesh.triangle_count)
    extent = float((mesh.bounds[1] - mesh.bounds[0]).max())
    if mesh.topology.paired and (np.abs(component_volumes(mesh)) > _ROUNDING * extent**3).all():
        return every
    sides = _sorted_sides(mesh.topology.welded[mesh.triangles])
    same = (sides[1:, :2] == sides[:-1, :2]).all(axis=1)
    part = joined_numbers(len(every), np.stack([sides[1:, 2], sides[:-1, 2]], axis=1)[same])
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] - mesh.vertices[mesh.triangles[0, 0]] for k in range(3))
    normals = np.cross(b - a, c - a) * mesh.topology.orientation[:, None]
    volumes = (a * normals).sum(axis=1)
    volume, moment = np.bincount(part, volumes), np.bincount(part, volumes * ((a + b + c) @ _UPWARD))
    rounding = _ROUNDING * extent * np.bincount(part, np.linalg.norm(normals, axis=1))
    flat = (np.abs(volume) <= rounding) & (np.abs(moment) <= extent * rounding) & (rounding > 0.0)
    return every[~flat[part] | (normals @ _UPWARD > 0.0)]


def _thick(mesh: TriangleMesh, faces: np.ndarray) -> np.ndarray:
    """Those of some triangles (k,) that are not flat but for the rounding of stored coordinates."""
    corners = mesh.vertices[mesh.triangles[faces]]
    sides = corners - np.roll(corners, 1, axis=1)
    twice = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    least = _STORED * float(np.abs(mesh.bounds).max()) * np.linalg.norm(sides, axis=2).max(axis=1)
    return faces[twice > least]


def _solid(mesh: TriangleMesh, faces: np.ndarray, of_layers: bool) -> TriangleMesh | None:
    """The closed mesh of some triangles (k,) of a mesh without those inside; None where that is not closed.

    Of one layer of two-sided faces fronts tell nothing.
    """
    if len(faces) == 0:
        return None
    triangles = mesh.topology.welded[mesh.triangles[faces]]
    if _has_rim(triangles):
        return None
    kept = TriangleMesh(mesh.vertices, triangles)
    cells = None if kept.is_closed else _cells(mesh.vertices, triangles, kept.topology.component)
    if cells is None:
        return _with(mesh, faces, mesh.triangles[faces]) if kept.is_closed else None
    empty = _empty(mesh.vertices, triangles, cells, of_layers)
    bounding = empty[:, 0] != empty[:, 1]
    chosen = mesh.triangles[faces[bounding]]
    solid = _with(mesh, faces[bounding], np.where(empty[bounding, :1], chosen, chosen[:, ::-1]))
    return solid if solid.is_closed and bounding.any() else None


def _with(mesh: TriangleMesh, faces: np.ndarray, triangles: np.ndarray) -> TriangleMesh:
    """A mesh with other triangles (k, 3) in the place of some (k,), and points in that of the others."""
    changed = np.repeat(mesh.triangles[:, :1], 3, axis=1)
    changed[faces] = triangles
    return TriangleMesh(mesh.vertices, changed, resolution=mesh.resolution)


def _sorted_sides(triangles: np.ndarray) -> np.ndarray:
    """Lower and higher vertex of the sides of triangles (m, 3), and their triangles, (n, 3), sorted."""
    ends = np.sort(np.stack([triangles, triangles[:, (1, 2, 0)]], axis=2).reshape(-1, 2), axis=1)
    sides = np.column_stack([ends, np.repeat(np.arange(len(triangles)), 3)])[ends[:, 0] != ends[:, 1]]
    return sides[np.lexsort((sides[:, 1], sides[:, 0]))]


def _has_rim(triangles: np.ndarray) -> bool:
    """Whether an edge has one triangle (m, 3), as nearly every open mesh has."""
    sides = _sorted_sides(triangles)
    changes = np.concatenate([[True], (sides[1:, :2] != sides[:-1, :2]).any(axis=1), [True]])
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


def _empty(vertices: np.ndarray, triangles: np.ndarray, cells: np.ndarray, of_layers: bool) -> np.ndarray:
    """Whether no material is at the front and at the back of each triangle, (m, 2) bool."""
    a, b, c = (vertices[triangles[:, k]] - vertices.mean(axis=0) for k in range(3))
    volumes = (a * np.cross(b, c)).sum(axis=1)
    of_cells = np.bincount(cells.ravel(), np.stack([-volumes, volumes], axis=1).ravel(), cells.size)
    fronts = np.bincount(cells[:, 0], minlength=cells.size)
    backs = np.bincount(cells[:, 1], minlength=cells.size)
    outer = of_cells < -_FLAT * np.abs(of_cells).max()
    if of_layers:
        return _evenly_far(cells, outer)[cells]
    hollow = (backs == 0) & (backs[outer] == 0).all() & (fronts > 0)
    empty: np.ndarray = (outer | hollow)[cells]
    return empty


def _evenly_far(cells: np.ndarray, outer: np.ndarray) -> np.ndarray:
    """Cells (n,) bool from which the way to one of those outside (n,) crosses an even number of faces (m, 2)."""
    far = np.where(outer, 0, 2 * len(outer) + 1)
    while True:
        before = far.copy()
        np.minimum.at(far, cells.ravel(), far[cells[:, ::-1].ravel()] + 1)
        if (far == before).all():
            return far % 2 == 0
