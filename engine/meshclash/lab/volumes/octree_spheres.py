"""Octree sphere trees: a sphere around every cell of an octree that contains part of the surface, level by level.

Source: Palmer, Grimsdale, "Collision detection for animation using sphere-trees" (1995). In the paper a search stops at
any level: its result is that the surfaces are apart, or the cells that may meet.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...hierarchy.bvh import MeshLike
from ...voxels.surface import voxelise

_LARGER = 1.0 + 1e-5
"""Factor by which spheres are larger, for rounding errors and for parts of a surface that extend beyond its voxels."""


@dataclass(frozen=True)
class OctreeSpheres:
    """Spheres of every level, the root first; all spheres of a level have the same size.

    Attributes:
        middles: centres of the spheres of each level, (n, 3) [m].
        radii: radius of the spheres of each level [m].
        begins: for each level except the last, the index of the first child of each sphere in the next level, (n + 1,)
            int64.
    """

    middles: list[np.ndarray]
    radii: list[float]
    begins: list[np.ndarray]


def octree_spheres(mesh: MeshLike, resolution: int) -> OctreeSpheres:
    """Return the octree sphere tree of a mesh, with a given number of finest cells along the longest side."""
    voxels, grid, slack = voxelise(mesh, resolution=resolution)
    depth = int(grid.size.max() - 1).bit_length()
    bits = voxels.astype(np.int64)[:, :, None] >> np.arange(depth) & 1  # of x, y and z
    codes = np.sort((bits << 3 * np.arange(depth)).sum(axis=2) @ np.array([1, 2, 4]))
    levels = [np.unique(codes >> 3 * (depth - level)) for level in range(depth + 1)]
    begins = [np.searchsorted(finer >> 3, np.append(coarser, coarser[-1] + 1)) for coarser, finer in pairwise(levels)]
    middles, radii = [], []
    for level, own in enumerate(levels):
        side = grid.voxel_size * (1 << (depth - level))
        places = own[:, None, None] >> (3 * np.arange(depth) + np.arange(3)[:, None]) & 1
        cells = (places << np.arange(depth)).sum(axis=2)
        middles.append(grid.origin + side * (cells + 0.5))
        away = float(np.abs(grid.origin).max())
        radii.append(_LARGER * 0.5 * 3.0**0.5 * (side + 2.0 * slack * grid.voxel_size) + 1e-12 * (away + side))
    return OctreeSpheres(middles, radii, begins)


def meeting_spheres(a: OctreeSpheres, b: OctreeSpheres, pose_b: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the pairs (n, 2) of finest spheres that may meet, and the number of tests; ``pose_b`` (4, 4) is rigid.

    Both trees are descended level by level; of trees of different depth the finest of the lower one wait.
    """
    pairs, tests, at_a, at_b = np.zeros((1, 2), np.int64), 0, 0, 0
    turned = [middles @ pose_b[:3, :3].T + pose_b[:3, 3] for middles in b.middles]
    while True:
        apart = a.middles[at_a][pairs[:, 0]] - turned[at_b][pairs[:, 1]]
        tests += len(pairs)
        pairs = pairs[(apart * apart).sum(axis=1) <= (a.radii[at_a] + b.radii[at_b]) ** 2]
        if not len(pairs) or (at_a == len(a.begins) and at_b == len(b.begins)):
            return pairs, tests
        if at_a < len(a.begins):
            pairs, at_a = _opened(pairs, 0, a.begins[at_a]), at_a + 1
        if at_b < len(b.begins):
            pairs, at_b = _opened(pairs, 1, b.begins[at_b]), at_b + 1


def _opened(pairs: np.ndarray, column: int, begins: np.ndarray) -> np.ndarray:
    """Replace each sphere in one column of pairs by all of its children."""
    first = begins[pairs[:, column]]
    counts = begins[pairs[:, column] + 1] - first
    out = np.repeat(pairs, counts, axis=0)
    number = np.arange(len(out)) - np.repeat(np.cumsum(counts) - counts, counts)
    out[:, column] = np.repeat(first, counts) + number
    return out
