"""``collide_soups``: find the triangles of two objects that meet, with a partition of space instead of hierarchies."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..geometry.triangle_pair import APART, ContactKind, classify_triangle_pairs
from ..traversal.contacts import Contacts
from ..types.mesh import TriangleMesh, no_mesh
from ..types.numbers import truth
from ..types.pose import PoseLike, every_pose, transform_points
from ..types.results import QueryStats
from .partition.registry import partition_named


def collide_soups(
    a: TriangleMesh,
    b: TriangleMesh,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    partition: str = "grid",
    touching: bool = True,
) -> Contacts:
    """Find every pair of triangles that have a common point. The result is that of ``collide``, but the function builds
    no hierarchies.

    Use ``collide_soups`` for unconnected triangles that you query only once, or to compare methods. For each pose, the
    function divides the space into cells anew. The cells cover only the region that both objects reach.

    Args:
        a, b: meshes.
        pose_a, pose_b, touching: as for ``collide``.
        partition: "grid" (uniform, cells as large as the triangles) or "octree" (linear).

    Returns:
        Contacts: identical to those of ``collide``, byte for byte; ``stats.volume_tests`` counts pairs of boxes
            compared.

    Raises:
        InvalidMesh: a or b is not a TriangleMesh.
        InvalidPose: a pose is invalid.
        UnsupportedOption: an unknown partition.

    Example:
        >>> import meshclash as mc
        >>> box = mc.shapes.box(1.0)
        >>> len(mc.lab.collide_soups(box, box)) == len(mc.collide(box, box))
        True
    """
    start = time.perf_counter()
    find, touching = partition_named(partition), truth("touching", touching)
    for mesh in (a, b):
        if not isinstance(mesh, TriangleMesh):
            raise no_mesh(mesh, "a TriangleMesh (collide takes hierarchies)")
    rows_a, rows_b, _ = every_pose(pose_a, pose_b)
    found: list[tuple[np.ndarray, ...]] = []
    counts = np.zeros(3, np.int64)
    for pose, rows in enumerate(zip(rows_a, rows_b, strict=True)):
        pairs, kinds, tests = _meeting(a, b, rows, find)
        kept = (kinds == ContactKind.CROSSING) if not touching else (kinds != APART)
        order = np.lexsort((pairs[kept, 1], pairs[kept, 0]))
        found.append((pairs[kept][order], kinds[kept][order], np.full(len(order), pose, np.int32)))
        counts += tests
    pairs, kinds, poses = (np.concatenate(parts) for parts in zip(*found, strict=True))
    volume_tests, primitive_tests, exact_tests = counts.tolist()
    stats = QueryStats(volume_tests, primitive_tests, exact_tests, time.perf_counter() - start)
    return Contacts(pairs, kinds, poses, stats, (a, b), (rows_a, rows_b))


def _meeting(
    a: TriangleMesh, b: TriangleMesh, rows: tuple[np.ndarray, np.ndarray], find: Any
) -> tuple[np.ndarray, np.ndarray, tuple[int, int, int]]:
    """Return the pairs that meet in one pose, their kinds, and the numbers of tests."""
    sides = [transform_points(row, mesh.vertices)[mesh.triangles] for mesh, row in zip((a, b), rows, strict=True)]
    boxes = (np.concatenate([side.min(axis=1), side.max(axis=1)], axis=1) for side in sides)
    pairs, compared = find(*boxes)
    kinds, exact = classify_triangle_pairs(sides[0][pairs[:, 0]], sides[1][pairs[:, 1]])
    return pairs, kinds, (compared, len(pairs), int(exact.sum()))
