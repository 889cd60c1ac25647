"""The closed mesh that an open mesh represents: without faces that bound no volume, and closed at its seams.

This module is the first half of interpreting a mesh. ``solidity.py`` does the second half, for meshes that stay open.
The steps are:

1. A shell bounds no volume. A closed mesh without two-sided parts already is its boundary.
2. Copies of faces and flat faces are removed (``layers.py``); one layer of two-sided parts is kept.
3. Faces with material on both sides, or on neither side, are removed (``cells.py``).
4. Flat triangles close seams (``seams.py``).
"""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..traversal.layers import component_volumes, copies_steps, one_layer_steps
from ..types.mesh import TriangleMesh, mesh_over
from ..types.steps import run
from .cells import bounding_steps, thick
from .facing import NO_DOUBTS, UNNUMBERED, facing_doubts_steps
from .repair import component_turns
from .seams import COARSE_CERTAINTY, Divided, Seams, divided_steps, outlook_steps, seam_steps


class BoundaryMesh(NamedTuple):
    """The closed boundary that a mesh represents."""

    mesh: TriangleMesh
    """The boundary, over the same vertices. The given mesh itself, if it is closed and needs no change."""
    faces: np.ndarray
    """Triangle of the given mesh for each triangle, (m,) int32; added flat triangles come last."""
    left_out: int
    """Number of faces that bound no volume: copies, flat faces, second layers and inner faces."""
    joined: int
    """Number of vertices at seams that were merged with other vertices."""
    certainty: float
    """Probability that this boundary is what the mesh represents; for a mesh that stays open, the probability that it
    does not represent a closed mesh."""
    doubts: np.ndarray = NO_DOUBTS
    """Boxes [m] in which it is not certain what the mesh encloses, the certainty of each, and the component of the
    boundary whose facing is uncertain, or UNNUMBERED, (k, 8): as returned by ``facing_doubts_steps``, or the whole box
    of an open mesh with T-junctions at edges of several faces."""


def find_boundary_mesh(mesh: TriangleMesh) -> BoundaryMesh:
    """Return the boundary that a mesh represents; the result is cached with the mesh."""
    return run(boundary_mesh_steps(mesh))


def boundary_mesh_steps(mesh: TriangleMesh) -> Generator[None, None, BoundaryMesh]:
    """Like ``find_boundary_mesh``, as a generator that yields every few milliseconds."""
    if "drawn" not in mesh.derived:
        drawn = mesh.derived["drawn"] = yield from _drawn_steps(mesh)
        if drawn.mesh is not mesh:
            drawn.mesh.derived["drawn"] = _itself(drawn.mesh)._replace(certainty=drawn.certainty, doubts=drawn.doubts)
    return mesh.derived["drawn"]


def _itself(mesh: TriangleMesh) -> BoundaryMesh:
    return BoundaryMesh(mesh, np.arange(mesh.triangle_count, dtype=np.int32), 0, 0, 1.0)


def _drawn_steps(mesh: TriangleMesh) -> Generator[None, None, BoundaryMesh]:
    yield from mesh.topology_steps()
    count = mesh.triangle_count
    itself = _itself(mesh)
    if mesh.shell:
        return itself
    layered = mesh.is_closed or mesh.topology.two_sided
    faces = yield from (one_layer_steps(mesh) if layered else copies_steps(mesh))
    if len(faces) == 0 or (layered and len(faces) == count):
        return itself._replace(doubts=(yield from facing_doubts_steps(mesh, False)))
    for chosen in (faces, thick(mesh, faces)):
        solid = yield from bounding_steps(mesh, chosen, layered)
        if solid is not None:
            made = mesh_over(mesh, solid.triangles, mesh.resolution)
            if layered:
                made = yield from _turned_steps(made)
            yield from made.topology_steps()
            doubts = np.vstack([solid.doubts, (yield from facing_doubts_steps(made, layered))])
            return BoundaryMesh(made, solid.faces, count - len(solid.faces), 0, 1.0, doubts)
    divided = yield from divided_steps(mesh, faces)
    if divided is not None:
        found = yield from _bounding_divided_steps(mesh, faces, divided, layered)
        if found is not None:
            return found._replace(left_out=count - len(found.faces))
    doubts = NO_DOUBTS if divided is None else np.append(mesh.bounds.ravel(), [COARSE_CERTAINTY, UNNUMBERED])[None]
    outlook = yield from outlook_steps(mesh, faces)
    itself = itself._replace(certainty=outlook.certainty, doubts=doubts)
    if not layered and not outlook.may:
        return itself
    kept = mesh_over(mesh, mesh.triangles[faces], mesh.resolution)
    closed = yield from _closed_at_seams_steps(kept, faces, count, layered)
    if closed is not None:
        return closed
    return BoundaryMesh(kept, faces, count - len(faces), 0, outlook.certainty, doubts) if layered else itself


def _bounding_divided_steps(
    mesh: TriangleMesh, faces: np.ndarray, divided: Divided, layered: bool
) -> Generator[None, None, BoundaryMesh | None]:
    """Return the boundary of faces (m,) with T-junctions; None if their pieces bound nothing, or only some pieces of a
    face do.
    """
    pieces = mesh_over(mesh, divided.triangles)
    yield from pieces.topology_steps()
    solid = yield from bounding_steps(pieces, np.arange(len(divided.triangles), dtype=np.int32), layered)
    if solid is None:
        return None
    if layered:
        made = yield from _turned_steps(mesh_over(mesh, solid.triangles))
        solid = solid._replace(triangles=made.triangles)
    bounding, one, pieces_of = np.unique(divided.sources[solid.faces], return_index=True, return_counts=True)
    if (pieces_of != np.bincount(divided.sources, minlength=len(faces))[bounding]).any():
        return None
    turned = _is_turned(divided.triangles[solid.faces[one]], solid.triangles[one])
    whole = mesh.triangles[faces[bounding]]
    triangles = np.where(turned[:, None], whole[:, ::-1], whole)
    kept = mesh_over(mesh, triangles, mesh.resolution)
    found = yield from _with_seams_steps(kept, triangles)
    if found is None:
        return None
    closed, seams = found
    doubts = np.vstack([solid.doubts, (yield from facing_doubts_steps(closed, layered))])
    return BoundaryMesh(closed, faces[bounding], 0, seams.joined, seams.certainty, doubts)


def _is_turned(triangles: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return which triangles (k, 3) have the opposite winding of others with the same vertices, (k,) bool."""
    turned: np.ndarray = ~np.logical_or.reduce(
        [(np.roll(others, k, axis=1) == triangles).all(axis=1) for k in range(3)]
    )
    return turned


def _turned_steps(mesh: TriangleMesh) -> Generator[None, None, TriangleMesh]:
    """Turn the surfaces around hollows inward, in a closed mesh whose winding order carries no information."""
    topology = mesh.topology
    inward = topology.orientation * np.where(component_volumes(mesh) > 0.0, -1, 1)[topology.component]
    turned = mesh_over(mesh, np.where(inward[:, None] < 0, mesh.triangles[:, ::-1], mesh.triangles))
    turns = yield from component_turns(turned)
    turn = turned.topology.orientation * turns[turned.topology.component]
    triangles = np.where(turn[:, None] < 0, turned.triangles[:, ::-1], turned.triangles)
    return mesh_over(mesh, triangles, mesh.resolution)


def _closed_at_seams_steps(
    kept: TriangleMesh, faces: np.ndarray, count: int, layered: bool
) -> Generator[None, None, BoundaryMesh | None]:
    """Close some faces (m,) of a mesh of ``count`` faces at their seams with flat triangles; None if the mesh has
    holes. ``layered``: the faces are one layer of two-sided faces.

    The winding may be that of the file, if the topology has flipped some faces, or the opposite winding.
    """
    yield from kept.topology_steps()
    flipped = kept.topology.orientation < 0
    turned = np.where(flipped[:, None], kept.triangles[:, ::-1], kept.triangles)
    for of_file in (True, False) if flipped.any() else (False,):
        found = yield from _with_seams_steps(kept, kept.triangles if of_file else turned)
        if found is None:
            continue
        closed, seams = found
        # No face of the file is turned if its winding closes the mesh, although edges that do not match let the
        # topology of the open mesh flip some.
        doubts = yield from facing_doubts_steps(closed if of_file else kept, layered)
        if closed.topology.component_count != kept.topology.component_count and not of_file:
            doubts[:, 7] = UNNUMBERED
        return BoundaryMesh(closed, faces, count - len(faces), seams.joined, seams.certainty, doubts)
    return None


def _with_seams_steps(
    kept: TriangleMesh, triangles: np.ndarray
) -> Generator[None, None, tuple[TriangleMesh, Seams] | None]:
    """Return the triangles (m, 3) of a mesh, with flat triangles that close it at its seams; None if it stays open."""
    seams = yield from seam_steps(kept, triangles)
    if seams is None:
        return None
    closed = mesh_over(kept, np.vstack([triangles, seams.triangles]), kept.resolution)
    yield from closed.topology_steps()
    return (closed, seams) if closed.is_closed else None
