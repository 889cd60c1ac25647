"""Which engine compares two objects on the CPU: hierarchies, or voxels where nothing is prepared and that is faster.

A hierarchy pays for itself when it is asked again, so "auto" gives only the first question about a mesh to voxels; the
next one builds. Objects that deform are new meshes each time, which are asked once.

The rule. Two hierarchies cost ``_BUILD`` for each triangle that has none yet. Voxels cost ``_PLACE`` for each triangle
and ``_MARK`` for each that reaches the region that both objects' boxes share, of which a sample says how many they are.
Voxels are taken where that is the smaller by ``_MARGIN``. The figures are those of ``bench voxels --frames``
(docs/measurements.md); a wrong guess costs time, never the answer.
"""

from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..hierarchy.build import is_prepared
from ..hierarchy.bvh import MeshLike
from ..traversal.contacts import Contacts
from ..types.mesh import TriangleMesh
from ..types.pose import pose_stack, transform_points
from ..voxels.collide import mesh_of, voxel_collide
from .options import check_device

AUTO, HIERARCHIES, VOXELS = "auto", "hierarchies", "voxels"
ENGINES = (AUTO, HIERARCHIES, VOXELS)
_FEWEST = 50_000
"""Triangles without a hierarchy below which building is as good as free."""
_BUILD, _PLACE, _MARK = 85.0, 13.0, 75.0  # ns a triangle
_MARGIN = 0.8
_SAMPLE = 1000  # triangles of each object that are looked at
_MOST_VOXELS = 16.0
"""A triangle may reach on average, in squares of voxels; those of the default size reach some 3."""
_ASKED = "asked by voxels"


def checked_engine(engine: Any) -> str:
    """The option as it is; raises UnsupportedOption for what is no engine."""
    if not isinstance(engine, str) or engine not in ENGINES:
        raise UnsupportedOption(f"engine must be one of {', '.join(ENGINES)}, not {engine!r:.80}")
    return engine


def require_hierarchies(engine: str, things: str) -> None:
    """Raise UnsupportedOption where voxels are asked for, and ``things`` are not for them."""
    if engine == VOXELS:
        raise UnsupportedOption(f"engine 'voxels' compares meshes, not {things}: use engine='auto'")


def voxel_contacts(
    a: Any, b: Any, volume: str | None, pose_a: Any, pose_b: Any, touching: bool, threads: int, device: str
) -> Contacts:
    """The answer of voxels; arguments and errors as ``collide``, where ``volume`` and a device make no sense."""
    check_device(device)
    if volume is not None:
        raise UnsupportedOption("engine 'voxels' has no volumes: leave volume out, or use engine='hierarchies'")
    found = voxel_collide(mesh_of("a", a), mesh_of("b", b), pose_a, pose_b, touching=touching, threads=threads)
    assert found.contacts is not None  # of mode "exact"
    return found.contacts


def quick_contacts(
    a: Any, b: Any, volume: str | None, pose_a: Any, pose_b: Any, touching: bool, threads: int
) -> Contacts | None:
    """The answer of voxels where that is the faster way to it; None where hierarchies are to answer."""
    if volume is not None or not _is_worth_it(a, b, pose_a, pose_b):
        return None
    for thing in (a, b):
        if isinstance(thing, TriangleMesh):
            thing.derived[_ASKED] = True
    try:
        return voxel_contacts(a, b, None, pose_a, pose_b, touching, threads, "cpu")
    except UnsupportedOption:
        return None  # more memory than voxels may have: triangles of very different sizes


def _is_worth_it(a: Any, b: Any, pose_a: Any, pose_b: Any) -> bool:
    things = (a, b)
    if not all(isinstance(thing, MeshLike) for thing in things):
        return False
    new = sum(thing.triangle_count for thing in things if isinstance(thing, TriangleMesh) and _is_new(thing))
    if new < _FEWEST:
        return False
    rows = [pose_stack(pose) for pose in (pose_a, pose_b)]
    if any(stacked for _, stacked in rows):
        return False
    meshes = [mesh_of("", thing) for thing in things]
    chosen = _in_common_region(meshes, [row[0] for row, _ in rows])
    return _PLACE * sum(mesh.triangle_count for mesh in meshes) + _MARK * chosen < _MARGIN * _BUILD * new


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
