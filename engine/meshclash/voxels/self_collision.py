"""``voxel_self_collide``: find the triangles of one object that meet, by the voxels that they share."""

from __future__ import annotations

import time

import numpy as np

from ..hierarchy.bvh import MeshLike
from ..jit import thread_limit
from ..traversal.contacts import Contacts
from ..types.numbers import truth
from ..types.pose import PoseLike
from ..types.results import QueryStats
from ..types.steps import run
from .bricks import list_voxels, rank_words
from .collide import ENGINE, fitting, mesh_of, single_pose
from .common_region import choose, place, put_on_grid
from .entries import by_voxel, entry_steps
from .grid import checked_fineness, make_grid
from .marking import mark_steps
from .results import VoxelContacts
from .triangle_contacts import triangle_contact_steps


def voxel_self_collide(
    a: MeshLike,
    pose: PoseLike = None,
    *,
    resolution: int | None = None,
    voxel_size: float | None = None,
    touching: bool = True,
    threads: int | None = None,
    memory: int | None = None,
) -> VoxelContacts:
    """Find the same pairs and kinds as ``self_collide``, but with voxels instead of a hierarchy.

    The arguments and errors are the same as for ``voxel_collide``. The grid covers the bounding box of the object.

    Returns:
        VoxelContacts of mode "exact"; ``voxels`` are all voxels that the surface touches.

    Example:
        >>> import meshclash as mc
        >>> len(mc.voxels.voxel_self_collide(mc.shapes.box(1.0), resolution=8).contacts)
        0
    """
    start = time.perf_counter()
    fineness, crossing_only = checked_fineness(resolution, voxel_size, memory), not truth("touching", touching)
    threads = thread_limit(threads)
    mesh, row = mesh_of("a", a), single_pose("pose", pose)
    corners, bounds = place(mesh, row)
    placed = choose(mesh, corners, bounds, bounds[0], bounds[1])
    grid = make_grid(
        bounds[0], bounds[1], placed.farthest, fitting(fineness, "exact", (bounds[0], bounds[1]), [placed])
    )
    thing = put_on_grid(placed, grid)
    bricks = run(mark_steps(thing, grid, fineness.memory, threads))
    ranks, total = rank_words(bricks)
    entries, _ = run(entry_steps(thing, grid, bricks, ranks, bricks.words[: len(ranks)], fineness.memory))
    met = run(
        triangle_contact_steps(entries, *by_voxel(entries, total), placed, placed, crossing_only, with_itself=True)
    )
    stats = QueryStats(
        met.box_tests, met.triangle_tests, met.exact_tests, time.perf_counter() - start, threads, engine=ENGINE
    )
    rows = (row[None], row[None])
    contacts = Contacts(met.pairs, met.kinds, np.zeros(len(met.kinds), np.int32), stats, (mesh, mesh), rows)
    voxels = list_voxels(bricks, grid.brick_size)
    return VoxelContacts("exact", voxels, grid, thing.worst_slack, stats, contacts)
