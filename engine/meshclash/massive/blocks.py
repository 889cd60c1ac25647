"""Boxes of blocks (consecutive triangles of a cluster along the curve), by which queries avoid reading pages
unnecessarily.

A block's box is stored as six steps of one byte, inward from the box of its page, in 255ths of the page's extents: the
lowest coordinates upward, the highest downward. Steps are rounded so that the decoded box contains the triangles. The
boxes of all clusters stay in memory: a twentieth of a byte per triangle.
"""

from typing import NamedTuple

import numpy as np

from ..hierarchy.build import build
from ..hierarchy.bvh import Hierarchy
from ..types.mesh import TriangleMesh

_BLOCKS, _FEWEST = 16, 16
"""Number of blocks of the largest cluster, and the least number of triangles of a block, which limits the first. With
eight times as many blocks, only another twentieth of the pages would be saved."""
BLOCK_BYTES = 6
_STEPS = 255


class Blocks(NamedTuple):
    """The blocks of all clusters."""

    steps: np.ndarray
    """(blocks, 6) uint8."""
    starts: np.ndarray
    """First block of each cluster, and the number of blocks, (clusters + 1,) int64."""

    @property
    def nbytes(self) -> int:
        """Memory of the blocks [bytes]."""
        return self.steps.nbytes + self.starts.nbytes

    def boxes_of(self, numbers: np.ndarray, bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the boxes of all blocks of the given clusters.

        Args:
            numbers: indices of the clusters, (k,).
            bounds: boxes of the clusters' pages, (k, 6).

        Returns:
            (boxes (n, 6) float64 [m], index in ``numbers`` of the cluster of each box (n,)).
        """
        counts = self.starts[numbers + 1] - self.starts[numbers]
        owners = np.repeat(np.arange(len(numbers)), counts)
        within = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
        return _boxes(self.steps[self.starts[numbers][owners] + within], bounds[owners]), owners


def whole_clusters(count: int) -> Blocks:
    """Return one block for each of ``count`` clusters: the box of its page."""
    return Blocks(np.zeros((count, BLOCK_BYTES), np.uint8), np.arange(count + 1, dtype=np.int64))


def block_counts(triangles: np.ndarray, block_triangles: int) -> np.ndarray:
    """Return the number of blocks of each cluster, given its number of triangles (n,)."""
    return -(-triangles.astype(np.int64) // block_triangles)


def block_size(cluster_triangles: int) -> int:
    """Return the most triangles of a block, in a file whose clusters have at most ``cluster_triangles``."""
    return max(_FEWEST, cluster_triangles // _BLOCKS)


def block_steps(corners: np.ndarray, bounds: np.ndarray, block_triangles: int) -> np.ndarray:
    """Return the blocks of a cluster, (blocks, 6) uint8.

    Args:
        corners: triangles in the order of the curve, (m, 3, 3).
        bounds: the box of its page, (6,).
        block_triangles: most triangles of a block.
    """
    begins = np.arange(0, len(corners), block_triangles)
    low = np.minimum.reduceat(corners.min(axis=1).astype(np.float64), begins)
    high = np.maximum.reduceat(corners.max(axis=1).astype(np.float64), begins)
    units = (bounds[3:] - bounds[:3]) / _STEPS
    units[units == 0.0] = np.inf  # flat pages have no extent along this axis
    inward = np.hstack([(low - bounds[:3]) / units, (bounds[3:] - high) / units])
    steps = np.clip(np.floor(inward), 0, _STEPS).astype(np.uint8)
    while True:
        boxes = _boxes(steps, bounds)
        outside = np.hstack([boxes[:, :3] > low, boxes[:, 3:] < high])
        if not outside.any():
            return steps
        steps -= outside.astype(np.uint8)  # terminates: with zero steps it is the page's box


def tree_over(boxes: np.ndarray, split: str) -> Hierarchy:
    """Build a hierarchy over boxes (n, 6). Each box becomes a triangle between its lowest and highest corner, which has
    the same bounding box.
    """
    corners = np.arange(2 * len(boxes)).reshape(-1, 2)
    mesh = TriangleMesh(boxes.reshape(-1, 3), corners[:, [0, 1, 0]])
    return build(mesh, "aabb", split=split, leaf_size=1, threads=1)


def _boxes(steps: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Decode steps (n, 6) within boxes of pages, (n, 6) or (6,), to boxes (n, 6) float64."""
    low, high = bounds[..., :3], bounds[..., 3:]
    units = (high - low) / _STEPS
    return np.hstack([low + steps[:, :3] * units, high - steps[:, 3:] * units])
