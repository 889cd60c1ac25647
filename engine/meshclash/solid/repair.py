"""Convert an open mesh to the solid that it represents: without duplicate faces, consistently wound, components facing
outward.

A component consists of the triangles connected by edges with exactly two triangles. These edges give a consistent
winding (``types/topology.py``). The orientation of a whole component is decided by its volume if the component is
closed. Otherwise votes decide: rays leave both sides of its triangles, and a ray from outside of a solid meets the
surface an even number of times.
"""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..hierarchy.build import as_hierarchy
from ..jit import kernel
from ..reference import by_reference
from ..traversal.crossings import winding_along
from ..traversal.forest import pack_trees
from ..traversal.layers import component_volumes, copies_steps, open_edges_steps
from ..traversal.point import DIRECTIONS, IDENTITY, new_point_workspace, world_triangle
from ..traversal.solids import doubled_areas
from ..types.mesh import TriangleMesh, mesh_over

_VOTERS = 64  # most triangles of a component that vote
_RAYS = 8
_AT_ONCE = 1 << 14  # approximate number of triangle boxes that rays pass in one step
_MOST_PASSED = 64  # for each triangle of the mesh; if rays pass more, fewer triangles vote
_FIRST, _MANY, _AGREEING = 256, 4096, 0.5  # if there are many voters, the first ones tell whether rays agree
_FEW_PASSED = 1 << 21  # boxes that rays may pass in any mesh
_MUCH_LIKE, _FEW_OTHERS = 0.25, 0.05  # change of compactness, and share of the area that may change more
_FLAT = 1e-3  # volume / area ** 1.5 below which no side faces outward; 0.094 for a ball


class Repair(NamedTuple):
    """A mesh converted to the solid that it represents."""

    mesh: TriangleMesh
    """The solid over the same vertices, triangles turned outward; the given mesh itself if it is closed."""
    faces: np.ndarray
    """Triangle of the given mesh for each triangle, (m,) int32."""
    merged: int
    """Number of faces left out: copies, and faces without three different corners."""
    turned: int
    """Number of faces turned over."""
    open_edges: np.ndarray
    """Vertices of the edges that faces do not use equally often in both directions, (k, 2) int32."""

    @property
    def sources(self) -> np.ndarray:
        """For each triangle, also of seams, the triangle of the given mesh from which it was created or next to which
        it lies, (m,).
        """
        triangles, known = self.mesh.triangles, len(self.faces)
        owner = np.zeros(self.mesh.vertex_count, np.int32)
        owner[triangles[:known]] = self.faces[:, None]
        return np.append(self.faces, owner[triangles[known:, 0]])


class Shaped(NamedTuple):
    """The components of a mesh at the time when their facing was decided, and the result."""

    faces: np.ndarray
    """Triangle of the given mesh for each triangle, (m,) int32."""
    component: np.ndarray
    """Component of each triangle, (m,) int32."""
    orientation: np.ndarray
    """As in ``Topology``, (m,) int8."""
    volumes: np.ndarray
    """Signed volumes about the middle of each component, (c,), in units of the mesh's size."""
    areas: np.ndarray
    """Areas, (c,)."""
    turns: np.ndarray = np.empty(0, np.int8)
    """As returned by ``component_turns``, (c,)."""

    def is_much_like(self, before: "Shaped") -> bool:
        """Return whether the mesh was only deformed: its components are about as compact as before, and have the same
        orientation as before.
        """
        for name in ("faces", "component", "orientation"):
            if not np.array_equal(getattr(self, name), getattr(before, name)):
                return False
        now, then = (of.volumes / np.maximum(of.areas, 2.0**-500) ** 1.5 for of in (self, before))
        larger = np.maximum(np.abs(now), np.abs(then))
        if (np.minimum(np.abs(now), np.abs(then))[now * then < 0.0] > _FLAT).any():
            return False
        changed = (np.abs(now - then) > _MUCH_LIKE * larger) & (larger > _FLAT)
        return float(self.areas[changed].sum()) <= _FEW_OTHERS * float(self.areas.sum())


def repair_steps(
    mesh: TriangleMesh, faces: np.ndarray, before: Shaped | None = None
) -> Generator[None, None, tuple[Repair, Shaped | None]]:
    """Return the solid that some triangles (m,) of an open mesh represent; the generator yields every few milliseconds.

    Args:
        mesh: the mesh.
        faces: indices of the triangles.
        before: result for the mesh with the same triangles before it was deformed.

    Returns:
        Return the solid, and the decision: ``before`` itself if the shape is still similar.
    """
    count = mesh.triangle_count
    rows = yield from copies_steps(mesh)
    if len(rows) == 0:  # only points and segments
        return Repair(mesh, faces, 0, 0, np.empty((0, 2), np.int32)), None
    kept = mesh if len(rows) == count else mesh_over(mesh, mesh.triangles[rows])
    yield from kept.topology_steps()
    shaped = shape_of(kept, faces[rows])
    if before is not None and shaped.is_much_like(before):
        shaped = before
    else:
        shaped = shaped._replace(turns=(yield from component_turns(kept)))
    turns = shaped.turns
    turn = kept.topology.orientation * turns[kept.topology.component]
    solid = kept
    if (turn < 0).any():
        solid = mesh_over(mesh, np.where(turn[:, None] < 0, kept.triangles[:, ::-1], kept.triangles))
        yield from solid.topology_steps()
    open_edges = yield from open_edges_steps(solid.arrays[1], solid.topology.welded)
    return Repair(solid, faces[rows], count - len(rows), int((turn < 0).sum()), open_edges.ends), shaped


def shape_of(mesh: TriangleMesh, faces: np.ndarray) -> Shaped:
    """Return the sizes of the components of a mesh whose triangles are some (m,) of another mesh."""
    topology = mesh.topology
    component, count = topology.component, topology.component_count
    corners = mesh.vertices[mesh.triangles]
    sums = np.stack([np.bincount(component, corners[:, :, k].mean(axis=1), count) for k in range(3)], axis=1)
    middles = sums / np.bincount(component, minlength=count)[:, None]
    size = max(float((mesh.bounds[1] - mesh.bounds[0]).max()), 2.0**-1000)
    moved = (corners - middles[component][:, None]) / size
    across = np.cross(moved[:, 1] - moved[:, 0], moved[:, 2] - moved[:, 0])
    volumes = topology.orientation * (moved[:, 0] * across).sum(axis=1) / 6.0
    areas = np.bincount(component, 0.5 * np.linalg.norm(across, axis=1), count)
    return Shaped(faces, component, topology.orientation, np.bincount(component, volumes, count), areas)


def component_turns(mesh: TriangleMesh) -> Generator[None, None, np.ndarray]:
    """Return 1 or -1 for each component of a mesh, (c,): -1 if its consistent winding faces inward.

    A closed component that is inside out is flipped, unless rays show that material surrounds it: then it is a cavity.
    """
    topology = mesh.topology
    consistent = mesh.triangles.copy()
    consistent[topology.orientation < 0] = consistent[topology.orientation < 0][:, ::-1]
    edge_triangles = (yield from open_edges_steps(consistent, topology.welded)).triangles
    closed = np.ones(topology.component_count, np.bool_)
    closed[topology.component[edge_triangles]] = False
    volumes = component_volumes(mesh)
    votes = yield from _votes(mesh, np.flatnonzero(~closed | (volumes < 0.0)))
    return np.where(np.where(closed, (volumes < 0.0) & (votes < 0.0), votes < 0.0), -1, 1).astype(np.int8)


def _votes(mesh: TriangleMesh, components: np.ndarray) -> Generator[None, None, np.ndarray]:
    """Return votes (c,) for the consistent winding of the given components, weighted by area; 0 for the other
    components.
    """
    topology = mesh.topology
    size = max(float((mesh.bounds[1] - mesh.bounds[0]).max()), 2.0**-1000)
    areas = doubled_areas(mesh, size)
    voters = _voters(topology.component, components, areas, topology.component_count)
    passed = _RAYS * passed_boxes(mesh)
    most = max(1, int((_FEW_PASSED + _MOST_PASSED * mesh.triangle_count) / passed))
    if len(voters) > most:
        voters = voters[np.argsort(-areas[voters], kind="stable")[:most]]
    voters = np.random.default_rng(0).permutation(voters)
    shares = np.zeros(len(voters))
    tree = as_hierarchy(mesh)
    tree_set = pack_trees([tree])
    own, ones = np.arange(mesh.triangle_count, dtype=np.int32), np.ones(mesh.triangle_count, np.int8)
    frame, work = (
        (tree_set.forest, IDENTITY, np.eye(3), tree_set.origins[0], tree_set.reaches[0]),
        new_point_workspace(),
    )
    at_once = max(1, int(_AT_ONCE / passed))
    yield
    for begin in range(0, len(voters), at_once):
        part = slice(begin, begin + at_once)
        _ask_rays(*frame, voters[part], size, own, ones, work, shares[part])
        yield
        asked = begin + at_once
        is_told = begin >= _FIRST or asked < _FIRST or len(voters) <= _MANY
        if not is_told and float(np.median(np.abs(shares[:asked]))) < _AGREEING:
            break  # rays contradict each other: more rays would not help
    weights = areas[voters] * topology.orientation[voters] * shares
    return np.bincount(topology.component[voters], weights, topology.component_count)


def passed_boxes(mesh: TriangleMesh) -> float:
    """Estimate how many boxes of triangles a ray through a mesh passes, from the areas of the boxes."""
    size = max(float((mesh.bounds[1] - mesh.bounds[0]).max()), 2.0**-1000)
    total = 0.0
    for begin in range(0, mesh.triangle_count, _AT_ONCE):
        corners = mesh.vertices[mesh.triangles[begin : begin + _AT_ONCE]]
        total += float(_box_areas((corners.max(axis=1) - corners.min(axis=1)) / size).sum())
    return 1.0 + total / max(float(_box_areas((mesh.bounds[1:] - mesh.bounds[:1]) / size)[0]), 2.0**-40)


def _box_areas(sides: np.ndarray) -> np.ndarray:
    """Return half the surface areas (n,) of boxes with sides (n, 3)."""
    areas: np.ndarray = (sides * np.roll(sides, 1, axis=1)).sum(axis=1)
    return areas


def _voters(component: np.ndarray, chosen: np.ndarray, areas: np.ndarray, count: int) -> np.ndarray:
    """Return at most ``_VOTERS`` triangles of each chosen component, preferring large triangles."""
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
    """Fill ``shares`` (n,), -1 to 1, with the share of rays that vote for the front of triangle voters[i] being
    outside.

    ``own`` (m,) int32 are the triangles on which the rays begin, so that a ray ignores its own triangle; ``ones`` (m,)
    int8.
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
            # Rays alternate between both sides, so that neither side decides alone.
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
