"""Find the voxels that the surfaces of a pair share, to be shown."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
from meshclash.clash.errors import DetectError
from meshclash.clash.frame_scene import Progress, SceneSource
from meshclash.clash.pair_row import PairRow
from meshclash.messages import Sentence
from meshclash.types.steps import scale_progress

from .placed_pair import placed_pair_steps

PARTS = ("more", "voxels")
"""Parts of the engine's warm-up that are needed in addition to those of every test."""
READ_END = 0.2
MOST_VOXELS = 20_000
"""Largest number of voxels that are drawn: more are illegible, so larger voxels are used instead."""


@dataclass
class ShownVoxels:
    """Voxels that are shown.

    Attributes:
        names: names of the two objects in the list.
        owners: full names of the scene's objects that they depend on.
        count: number of voxels that both surfaces touch; 0 proves that they are apart.
        size: side length in Blender units; None if the objects' bounding boxes are apart.
        coarser: whether they are larger than requested, because there would have been too many.
        lines: (2 k, 3) float32 end points of their edges in world coordinates, each once.
        stale: whether one of the objects has moved or changed since.
    """

    names: tuple[str, str]
    owners: frozenset[str]
    count: int
    size: float | None
    coarser: bool
    lines: np.ndarray = field(repr=False)
    stale: bool = False


def voxels_steps(
    source: SceneSource, engine: ModuleType, row: PairRow, resolution: int, voxel_size: float
) -> Generator[Progress, None, ShownVoxels]:
    """Find the common voxels of the two objects of a row in their current state, in slices.

    Args:
        source, engine: as for `job.detect_steps`.
        row: the pair.
        resolution: number of voxels along the longest side of the intersection of both bounding boxes.
        voxel_size: side length in Blender units, instead of `resolution`; 0 uses `resolution`.

    Raises:
        InputError: one of the two is gone, hidden, a scan, or cannot be used.
        DetectError: the engine raised another error.
    """
    (a, pose_a), (b, pose_b) = yield from scale_progress(placed_pair_steps(source, engine, row), 0.0, READ_END)
    asked: dict[str, Any] = {"voxel_size": voxel_size} if voxel_size > 0.0 else {"resolution": resolution}
    coarser = False
    try:
        while True:
            steps = engine.steps(engine.voxels.voxel_collide, a, b, pose_a, pose_b, mode="voxels", **asked)
            found = yield from scale_progress(steps, READ_END, 1.0)
            if len(found.voxels) <= MOST_VOXELS:
                break
            asked, coarser = {"voxel_size": 2.0 * found.voxel_size}, True
    except engine.errors.MeshClashError as error:
        raise DetectError(Sentence("the engine reported an error: {why}", why=error)) from error
    owners = frozenset(row.owners)
    return ShownVoxels(row.names, owners, len(found.voxels), found.voxel_size, coarser, edges(found))


_EDGES = [(axis, (axis + 1) % 3, (axis + 2) % 3) for axis in range(3)]


def edges(found: Any) -> np.ndarray:
    """Return the edges of the engine's voxels, each once, as end points (2 k, 3) float32."""
    if found.grid is None or not len(found.voxels):
        return np.empty((0, 3), np.float32)
    across = found.grid.size + 1
    ends = []
    for along, u, v in _EDGES:
        corners = np.repeat(found.voxels.astype(np.int64), 4, axis=0)
        corners[:, u] += np.tile([0, 0, 1, 1], len(found.voxels))
        corners[:, v] += np.tile([0, 1, 0, 1], len(found.voxels))
        names = np.unique(np.ravel_multi_index(tuple(corners.T), tuple(across)))
        begin = np.stack(np.unravel_index(names, tuple(across)), axis=1)
        end = begin.copy()
        end[:, along] += 1
        ends.append(np.stack((begin, end), axis=1).reshape(-1, 3))
    return np.ascontiguousarray(found.grid.origin + found.grid.voxel_size * np.concatenate(ends), np.float32)
