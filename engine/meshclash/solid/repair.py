"""The solid that an open mesh means: copies of faces merged, faces turned one way round, components turned outward.

A component is what edges with exactly two triangles hold together; within it the turns follow from the edges
(``types/topology.py``). Which way a whole component faces is told by its volume where it is closed, else by votes: rays
leave both sides of its triangles, and outside of a solid a ray meets the surface an even number of times.
"""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..broadphase.sweep import overlapping_pairs
from ..hierarchy.build import as_hierarchy
from ..jit import kernel
from ..reference import by_reference
from ..traversal.forest import pack_trees
from ..traversal.point import DIRECTIONS, IDENTITY, new_point_workspace, winding_along, world_triangle
from ..traversal.solids import component_volumes
from ..types.mesh import TriangleMesh

_VOTERS = 64  # triangles of a component that are asked
_RAYS = 8
_AT_ONCE = 256  # triangles that are asked in one step
_MOST = 1 << 17  # triangles of a mesh that is closed in one step
_SAMPLES = 8  # open edges that are looked at first
_ROUNDING = 2.0**-46  # of the largest coordinate: vertices at one place, computed in two ways, are no farther apart


class Repair(NamedTuple):
    """A mesh as the solid that it means."""

    mesh: TriangleMesh
    """Over the same vertices, triangles turned outward; the mesh itself where it is closed."""
    faces: np.ndarray
    """Which triangle of the given mesh each of its triangles is, (m,) int32."""
    merged: int
    """Copies of faces, and faces without three different corners, that were left out."""
    turned: int
    """Faces that were turned over."""
    open_edges: np.ndarray
    """Vertices of the edges that are not run through equally often in both directions, (k, 2) int32."""


class Closed(NamedTuple):
    """The closed mesh that a mesh is but for rounding."""

    mesh: TriangleMesh
    """Over the same vertices; the mesh itself where it is closed."""
    faces: np.ndarray
    """Which triangle of the given mesh each of its triangles is, (m,) int32; flat ones that were added come last."""


def closed_mesh(mesh: TriangleMesh) -> Closed | None:
    """The closed mesh that a mesh is without copies of faces and with flat triangles at its seams; kept with the mesh.

    These join open edges whose ends are at one place but for rounding, or for the resolution of the mesh, and edges to
    others that lie along them, as where a face ends in the middle of another's edge. None where the mesh is not closed
    then, and of a shell.
    """
    if mesh.shell:
        return None
    if "closed" not in mesh.derived:
        mesh.derived["closed"] = _closed_mesh(mesh)
    return mesh.derived["closed"]


def drawn_mesh(mesh: TriangleMesh) -> Closed:
    """The closed mesh that a mesh draws; itself where it draws none, and where it is enormous."""
    closed = closed_mesh(mesh) if mesh.triangle_count <= _MOST else None
    return closed or Closed(mesh, np.arange(mesh.triangle_count, dtype=np.int32))


def _closed_mesh(mesh: TriangleMesh) -> Closed | None:
    if mesh.is_closed:
        return Closed(mesh, np.arange(mesh.triangle_count, dtype=np.int32))
    faces = without_copies(mesh)
    if len(faces) == 0:
        return None
    kept = TriangleMesh(mesh.vertices, mesh.triangles[faces], mesh.resolution)
    if kept.is_closed:
        return Closed(kept, faces)
    orientation = kept.topology.orientation[:, None]
    turned = np.where(orientation < 0, kept.triangles[:, ::-1], kept.triangles)
    for triangles in (kept.triangles, turned) if (orientation < 0).any() else (turned,):
        joined = _joined(kept, triangles)
        if joined is not None:
            return Closed(joined, faces)
    return None


def _joined(mesh: TriangleMesh, triangles: np.ndarray) -> TriangleMesh | None:
    """A mesh, wound so, with flat triangles that join open edges to others; None where it is not closed then.

    Of several vertices at open edges that are near each other the first one stands for all: flat triangles lead from
    edges to those between such. One that is near another one, but not near the first one, stays.
    """
    welded, first = mesh.topology.welded[triangles], np.arange(mesh.vertex_count)
    edges = _unbalanced(np.concatenate([welded[:, [0, 1]], welded[:, [1, 2]], welded[:, [2, 0]]]))
    near = 2.0 * mesh.resolution + _ROUNDING * float(np.abs(mesh.bounds).max())
    places = np.unique(edges)
    boxes = np.tile(mesh.vertices[places], 2) + np.repeat([-0.5 * near, 0.5 * near], 3)
    everyone = np.ones(len(places), np.bool_)
    for i, j in places[overlapping_pairs(boxes, everyone, everyone)].tolist() if len(places) else ():
        if first[i] == i and np.abs(mesh.vertices[i] - mesh.vertices[j]).max() <= near:
            first[j] = min(first[j], i)
    (u, v), (low, high) = edges.T, first[edges].T
    seams = np.vstack([np.stack([v, u, low], axis=1), np.stack([v, low, high], axis=1)])
    seams = seams[(seams != np.roll(seams, 1, axis=1)).all(axis=1)]
    flat = _along(mesh.vertices, _unbalanced(np.stack([low, high], axis=1)), 2.0 * near)
    closed = TriangleMesh(mesh.vertices, np.vstack([triangles, seams, flat]), mesh.resolution)
    return closed if closed.is_closed else None


def _unbalanced(sides: np.ndarray) -> np.ndarray:
    """Ends (n, 2) of edges, as often as there are more sides (k, 2) that run through them that way than back."""
    edges, edge = np.unique(np.sort(sides, axis=1), axis=0, return_inverse=True)
    balance = np.bincount(edge.ravel(), np.sign(sides[:, 1] - sides[:, 0]), len(edges)).astype(np.int64)
    return np.repeat(np.where(balance[:, None] < 0, edges[:, ::-1], edges), np.abs(balance), axis=0)


def _along(vertices: np.ndarray, edges: np.ndarray, near: float) -> np.ndarray:
    """Flat triangles (k, 3) between edges (n, 2) and the vertices of others that are near them; none where that joins
    one of some samples to nothing."""
    if not len(edges):
        return np.empty((0, 3), np.int64)
    start, along = vertices[edges[:, 0]], vertices[edges[:, 1]] - vertices[edges[:, 0]]
    for k in range(0, len(edges), len(edges) // _SAMPLES + 1):
        off = _off(start[k] + 0.5 * along[k] - start, along)[0]
        if np.delete(off, k).min(initial=np.inf) > near:
            return np.empty((0, 3), np.int64)
    places, ends = np.unique(edges), start + along
    low, high = np.minimum(start, ends), np.maximum(start, ends)
    boxes = np.hstack([np.vstack([low, vertices[places]]) - near, np.vstack([high, vertices[places]])])
    is_edge = np.arange(len(boxes)) < len(edges)
    edge, place = (overlapping_pairs(boxes, is_edge, ~is_edge) - [0, len(edges)]).T
    off, share = _off(vertices[places[place]] - start[edge], along[edge])
    on = np.flatnonzero((off <= near) & (edges[edge] != places[place, None]).all(axis=1))
    on = on[np.lexsort((share[on], edge[on]))]
    edge, place = edge[on], places[place[on]]
    before = np.where(np.diff(edge, prepend=-1) != 0, edges[edge, 0], np.roll(place, 1))
    return np.stack([edges[edge, 1], before, place], axis=1)


def _off(points: np.ndarray, along: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far points (n, 3) are from segments (n, 3) from the origin, and shares of their lengths where that is."""
    share = np.clip((points * along).sum(axis=1) / np.maximum((along * along).sum(axis=1), 1e-300), 0.0, 1.0)
    return np.linalg.norm(points - share[:, None] * along, axis=1), share


def repair_steps(mesh: TriangleMesh) -> Generator[None, None, Repair]:
    """The solid that a mesh means, yielding every some milliseconds."""
    none = np.empty((0, 2), np.int32)
    count = mesh.triangle_count
    if mesh.is_closed:
        return Repair(mesh, np.arange(count, dtype=np.int32), 0, 0, none)
    faces = without_copies(mesh)
    if len(faces) == 0:  # nothing but points and segments
        return Repair(mesh, np.arange(count, dtype=np.int32), 0, 0, none)
    kept = TriangleMesh(mesh.vertices, mesh.triangles[faces])
    merged = count - len(faces)
    if kept.is_closed:
        return Repair(kept, faces, merged, 0, none)
    turns = yield from component_turns(kept)
    turn = kept.topology.orientation * turns[kept.topology.component]
    triangles = kept.triangles.copy()
    triangles[turn < 0] = triangles[turn < 0][:, ::-1]
    solid = TriangleMesh(mesh.vertices, triangles)
    return Repair(solid, faces, merged, int((turn < 0).sum()), _open_edges(solid)[0])


def without_copies(mesh: TriangleMesh) -> np.ndarray:
    """Triangles (k,) int32 with three different corners, the first of those with the same corners."""
    corners = np.sort(mesh.topology.welded[mesh.triangles], axis=1)
    whole = np.flatnonzero((corners[:, 0] != corners[:, 1]) & (corners[:, 1] != corners[:, 2]))
    first = np.unique(corners[whole], axis=0, return_index=True)[1]
    return np.sort(whole[first]).astype(np.int32)


def _open_edges(mesh: TriangleMesh) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (k, 2) int32 of the edges that are not balanced, and a triangle (k,) at each, as triangles are wound."""
    welded = mesh.topology.welded[mesh.triangles]
    sides = np.concatenate([welded[:, [0, 1]], welded[:, [1, 2]], welded[:, [2, 0]]])
    low, high = sides.min(axis=1), sides.max(axis=1)
    _, first, edge = np.unique(low * mesh.vertex_count + high, return_index=True, return_inverse=True)
    balance = np.bincount(edge.ravel(), np.sign(sides[:, 1] - sides[:, 0]))
    chosen = first[balance != 0]
    return np.stack([low[chosen], high[chosen]], axis=1).astype(np.int32), chosen % mesh.triangle_count


def component_turns(mesh: TriangleMesh) -> Generator[None, None, np.ndarray]:
    """1 or -1 for each component of a mesh, (c,): -1 where its consistent winding faces inward.

    A closed component inside out is turned unless rays say that material surrounds it: then it is a cavity.
    """
    topology = mesh.topology
    consistent = mesh.triangles.copy()
    consistent[topology.orientation < 0] = consistent[topology.orientation < 0][:, ::-1]
    edge_triangles = _open_edges(TriangleMesh(mesh.vertices, consistent))[1]
    closed = np.ones(topology.component_count, np.bool_)
    closed[topology.component[edge_triangles]] = False
    volumes = component_volumes(mesh)
    votes = yield from _votes(mesh, np.flatnonzero(~closed | (volumes < 0.0)))
    return np.where(np.where(closed, (volumes < 0.0) & (votes < 0.0), votes < 0.0), -1, 1).astype(np.int8)


def _votes(mesh: TriangleMesh, components: np.ndarray) -> Generator[None, None, np.ndarray]:
    """Votes (c,) for the consistent winding of the given components, weighted by area; 0 for the others."""
    topology = mesh.topology
    corners = mesh.vertices[mesh.triangles]
    size = max(float((mesh.bounds[1] - mesh.bounds[0]).max()), 2.0**-1000)
    sides = (corners[:, 1:] - corners[:, :1]) / size  # so that nothing overflows
    areas = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    voters = _voters(topology.component, components, areas, topology.component_count)
    shares = np.empty(len(voters))
    tree = as_hierarchy(mesh)
    tree_set = pack_trees([tree])
    own, ones = np.arange(mesh.triangle_count, dtype=np.int32), np.ones(mesh.triangle_count, np.int8)
    frame, work = (
        (tree_set.forest, IDENTITY, np.eye(3), tree_set.origins[0], tree_set.reaches[0]),
        new_point_workspace(),
    )
    for begin in range(0, len(voters), _AT_ONCE):
        part = slice(begin, begin + _AT_ONCE)
        _ask_rays(*frame, voters[part], size, own, ones, work, shares[part])
        yield
    weights = areas[voters] * topology.orientation[voters] * shares
    return np.bincount(topology.component[voters], weights, topology.component_count)


def _voters(component: np.ndarray, chosen: np.ndarray, areas: np.ndarray, count: int) -> np.ndarray:
    """At most ``_VOTERS`` triangles of each chosen component, the larger ones rather."""
    asked = np.zeros(count, np.bool_)
    asked[chosen] = True
    rows = np.flatnonzero(asked[component])
    draw = np.random.default_rng(0).random(len(rows)) ** (1.0 / np.maximum(areas[rows], 1e-300))
    rows = rows[np.lexsort((-draw, component[rows]))]
    own = component[rows]
    place = np.arange(len(rows)) - np.searchsorted(own, own)
    return rows[place < _VOTERS].astype(np.int64)


@kernel
def _ask_rays(forest, pose, inverse, origin, reach, voters, size, own, ones, work, shares):
    """Fill ``shares`` (n,) from -1 to 1: how many rays say that the front of triangle voters[i] is outside.

    ``own`` (m,) int32 names the triangles, so that a ray leaves out the one on which it begins; ``ones`` (m,) int8.
    """
    forest = by_reference(forest)
    work = by_reference(work)
    for i in range(voters.shape[0]):
        t = voters[i]
        a, b, c = world_triangle(forest, np.int64(0), t, pose)
        p = ((a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0, (a[2] + b[2] + c[2]) / 3.0)
        ux, uy, uz = (b[0] - a[0]) / size, (b[1] - a[1]) / size, (b[2] - a[2]) / size
        vx, vy, vz = (c[0] - a[0]) / size, (c[1] - a[1]) / size, (c[2] - a[2]) / size
        n = (uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx)
        total, clear_rays = 0, 0
        for turn in range(2 * DIRECTIONS.shape[0]):
            if clear_rays == _RAYS:
                break
            # Rays to both sides in turn, so that neither decides alone.
            k = (i + turn // 2) % DIRECTIONS.shape[0]
            along = n[0] * DIRECTIONS[k, 0] + n[1] * DIRECTIONS[k, 1] + n[2] * DIRECTIONS[k, 2]
            way = 4.0 * size if turn % 2 == 0 else -4.0 * size
            if along == 0.0:
                continue
            q = (p[0] + way * DIRECTIONS[k, 0], p[1] + way * DIRECTIONS[k, 1], p[2] + way * DIRECTIONS[k, 2])
            number, clear = winding_along(forest, np.int64(0), pose, inverse, origin, reach, ones, p, q, t, own, work)
            if clear:
                outside = number % 2 == 0
                total += 1 if outside == (along * way > 0.0) else -1
                clear_rays += 1
        shares[i] = total / clear_rays if clear_rays > 0 else 0.0
