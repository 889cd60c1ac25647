"""Two meshes by voxels: the voxels that they share, and contacts without a hierarchy.

A hierarchy pays for itself when it is asked again, so engine "auto" gives only the first question about a mesh to
voxels; the next one builds. Objects that deform are new meshes each time, which are asked once.

The rule. Two hierarchies cost ``_BUILD`` for each triangle that has none yet. Voxels cost ``_PLACE`` for each triangle
and ``_MARK`` for each that reaches the region that both objects' boxes share, of which a sample says how many they are.
Voxels are taken where that is the smaller by ``_MARGIN``. The figures are those of ``bench voxels --frames``
(docs/measurements.md); a wrong guess costs time, never the answer.
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
"""Triangles without a hierarchy below which building is as good as free."""
_BUILD, _PLACE, _MARK = 85.0, 13.0, 75.0  # ns a triangle
_MARGIN = 0.8
_SAMPLE = 1000  # triangles of each object that are looked at
_MOST_VOXELS = 16.0
"""A triangle may reach on average, in squares of voxels; those of the default size reach some 3."""
_ASKED = "asked by voxels"  # in ``TriangleMesh.derived``


def find_common_voxels(request: Request) -> Generator[Progress, None, VoxelContacts]:
    """``voxel_collide``: a new grid over the overlap of both boxes; with ``device="cuda"`` a GPU marks the voxels."""
    mode, fineness = request.options.detail
    options = request.options
    if options.device == DEVICE and mode != "voxels":
        raise DeviceUnavailable(f"mode {shown(mode)} is computed on the CPU only: use device='auto' or 'cpu'")
    question = VoxelQuestion(mode, fineness, not options.touching, options.threads, request.start, options.device)
    meshes = mesh_of("a", request.things[0]), mesh_of("b", request.things[1])
    return voxel_steps(meshes, (request.rows[0][0], request.rows[1][0]), question)


def find_contacts(request: Request) -> Generator[Progress, None, Contacts | Unanswered]:
    """``collide``: all contacts; ``UNANSWERED`` where hierarchies are to find them."""
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
            return UNANSWERED  # more memory than voxels may have: triangles of very different sizes
    if request.options.volume is not None:
        raise UnsupportedOption("engine 'voxels' has no volumes: leave volume out, or use engine='hierarchies'")
    if request.stacked:
        raise UnsupportedOption("engine 'voxels' takes one pose for each object, not a stack")
    return (yield from _contacts_steps(request))


def _contacts_steps(request: Request) -> Generator[Progress, None, Contacts]:
    meshes = mesh_of("a", request.things[0]), mesh_of("b", request.things[1])
    fineness, options = checked_fineness(None, None, None), request.options
    question = VoxelQuestion("exact", fineness, not options.touching, options.threads, request.start, "cpu")
    found = yield from voxel_steps(meshes, (request.rows[0][0], request.rows[1][0]), question)
    assert found.contacts is not None  # of mode "exact"
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
    """Whether a mesh has no hierarchy, and was not asked by voxels before."""
    return _ASKED not in mesh.derived and not is_prepared(mesh)


def _in_common_region(meshes: list[TriangleMesh], rows: list[np.ndarray]) -> float:
    """About how many triangles reach the region that both boxes share; infinite where their sizes differ too much."""
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
    """Lowest and highest corners (2, 3) [m] of a box around a mesh in a pose."""
    corners = np.array([[mesh.bounds[k][axis] for axis, k in enumerate(choice)] for choice in np.ndindex(2, 2, 2)])
    world = transform_points(row, corners)
    return np.stack([world.min(axis=0), world.max(axis=0)])
