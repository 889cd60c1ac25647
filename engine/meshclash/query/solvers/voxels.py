"""Two meshes by voxels: the voxels that they share, and contacts without a hierarchy.

A hierarchy saves time only if it is used again. So engine "auto" uses voxels only for the first query of a mesh; the
second query builds the hierarchy. Objects that deform are new meshes each time, which are queried once.

The estimate is as follows: two hierarchies cost ``_BUILD`` for each triangle that has no hierarchy yet. Voxels cost
``_PLACE`` for each triangle and ``_MARK`` for each triangle in the common region of both bounding boxes, whose number
is estimated from a sample. Voxels are used if their cost is smaller by the factor ``_MARGIN``. The numbers are from
``bench voxels --frames`` (docs/measurements.md). A wrong estimate costs time, but does not change the result.
"""

from collections.abc import Generator

import numpy as np

from ...answering.devices import may_answer
from ...errors import DeviceUnavailable, UnsupportedOption
from ...hierarchy.build import is_prepared
from ...messages import shown
from ...traversal.contacts import Contacts
from ...types.mesh import TriangleMesh
from ...types.pose import transform_points
from ...types.results import Progress
from ...types.steps import UNANSWERED, Unanswered
from ...voxels.collide import DEVICE, VoxelQuestion, mesh_of, voxel_steps
from ...voxels.grid import checked_fineness
from ...voxels.results import VoxelContacts
from ..options import AUTO, HIERARCHIES
from ..table import Request

_FEWEST = 50_000
"""Number of triangles without a hierarchy below which building takes almost no time."""
_BUILD, _PLACE, _MARK = 85.0, 13.0, 75.0  # ns per triangle
_MARGIN = 0.8
_SAMPLE = 1000  # triangles of each object that are sampled
_MOST_VOXELS = 16.0
"""Largest mean area that triangles may cover, in squares of voxels; with the default voxel size it is about 3."""
_ASKED = "asked by voxels"  # a key of ``TriangleMesh.derived``


def find_common_voxels(request: Request) -> Generator[Progress, None, VoxelContacts]:
    """Implement ``voxel_collide`` on a new grid over the overlap of both boxes; with ``device="cuda"`` a GPU marks the
    voxels.
    """
    mode, fineness = request.options.detail
    options = request.options
    if options.device == DEVICE and mode != "voxels":
        raise DeviceUnavailable(f"mode {shown(mode)} is computed on the CPU only: use device='auto' or 'cpu'")
    question = VoxelQuestion(mode, fineness, not options.touching, options.threads, request.start, options.device)
    meshes = mesh_of("a", request.things[0]), mesh_of("b", request.things[1])
    return voxel_steps(meshes, (request.rows[0][0], request.rows[1][0]), question)


def find_contacts(request: Request) -> Generator[Progress, None, Contacts | Unanswered]:
    """Implement ``collide`` by voxels: return all contacts, or ``UNANSWERED`` if hierarchies should find them."""
    if request.options.engine == HIERARCHIES:
        return UNANSWERED
    if request.options.engine == AUTO:
        if not _is_worth_it(request):
            return UNANSWERED
        for thing in request.things:
            if isinstance(thing, TriangleMesh):
                thing.derived[_ASKED] = True
        try:
            return (yield from _contacts_steps(request))
        except UnsupportedOption:
            return UNANSWERED  # more memory than allowed for voxels: triangles of very different sizes
    if request.options.volume is not None:
        raise UnsupportedOption(
            "engine 'voxels' does not use bounding volumes: omit volume, or use engine='hierarchies'"
        )
    if request.stacked:
        raise UnsupportedOption("engine 'voxels' takes one pose for each object, not a stack")
    return (yield from _contacts_steps(request))


def _contacts_steps(request: Request) -> Generator[Progress, None, Contacts]:
    meshes = mesh_of("a", request.things[0]), mesh_of("b", request.things[1])
    fineness, options = checked_fineness(None, None, None), request.options
    question = VoxelQuestion("exact", fineness, not options.touching, options.threads, request.start, "cpu")
    found = yield from voxel_steps(meshes, (request.rows[0][0], request.rows[1][0]), question)
    assert found.contacts is not None  # since the mode is "exact"
    return found.contacts


def _is_worth_it(request: Request) -> bool:
    if request.stacked or request.options.volume is not None:
        return False
    new = sum(thing.triangle_count for thing in request.things if isinstance(thing, TriangleMesh) and _is_new(thing))
    meshes = [mesh_of("", thing) for thing in request.things]
    whole = sum(mesh.triangle_count for mesh in meshes)
    if new < _FEWEST or may_answer(request.options.device, "crossover", whole):
        return False
    chosen = _in_common_region(meshes, [rows[0] for rows in request.rows])
    return _PLACE * whole + _MARK * chosen < _MARGIN * _BUILD * new


def _is_new(mesh: TriangleMesh) -> bool:
    """Return whether a mesh has no hierarchy, and has not been queried by voxels before."""
    return _ASKED not in mesh.derived and not is_prepared(mesh)


def _in_common_region(meshes: list[TriangleMesh], rows: list[np.ndarray]) -> float:
    """Estimate how many triangles reach the common region of both boxes; infinite if their sizes differ too much."""
    boxes = [_world_box(mesh, row) for mesh, row in zip(meshes, rows, strict=True)]
    low, high = np.maximum(boxes[0][0], boxes[1][0]), np.minimum(boxes[0][1], boxes[1][1])
    total = 0.0
    for mesh, row in zip(meshes, rows, strict=True):
        vertices, triangles = mesh.arrays
        some = triangles[:: max(len(triangles) // _SAMPLE, 1)]
        corners = transform_points(row, vertices[some])
        reached = ((corners.min(axis=1) <= high) & (corners.max(axis=1) >= low)).all(axis=1)
        sizes = np.ptp(corners[reached], axis=1).max(axis=1)
        if len(sizes) and (sizes**2).mean() > _MOST_VOXELS * sizes.mean() ** 2:
            return np.inf
        total += mesh.triangle_count * reached.mean()
    return float(total)


def _world_box(mesh: TriangleMesh, row: np.ndarray) -> np.ndarray:
    """Return the lowest and highest corners (2, 3) [m] of a box around a mesh in a pose."""
    corners = np.array([[mesh.bounds[k][axis] for axis, k in enumerate(choice)] for choice in np.ndindex(2, 2, 2)])
    world = transform_points(row, corners)
    return np.stack([world.min(axis=0), world.max(axis=0)])
