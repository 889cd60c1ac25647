"""Boxes of blocks: consecutive triangles of a cluster along the curve, so that pages are not read in vain.

A block's box is stored as six steps of one byte, inward from the box of its page in 255ths of its extents: the lowest
coordinates upward, the highest downward. Steps are rounded so that what is read contains the triangles. These boxes
stay in memory, of all clusters: a twentieth of a byte a triangle.
"""

from typing import NamedTuple

import numpy as np

from ..hierarchy.build import build
from ..hierarchy.bvh import Hierarchy
from ..types.mesh import TriangleMesh

_BLOCKS, _FEWEST = 16, 16
"""Blocks of the largest cluster, unless they had fewer triangles than that. Eight times as many spare a twentieth of
the pages more."""
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
        """Bytes in memory."""
        return self.steps.nbytes + self.starts.nbytes

    def boxes_of(self, numbers: np.ndarray, bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Boxes (n, 6) float64 [m] of all blocks of clusters (k,), and which of these clusters each belongs to, (n,).

        ``bounds``: boxes of the clusters' pages, (k, 6).
        """
        counts = self.starts[numbers + 1] - self.starts[numbers]
        owners = np.repeat(np.arange(len(numbers)), counts)
        within = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
        return _boxes(self.steps[self.starts[numbers][owners] + within], bounds[owners]), owners


def whole_clusters(count: int) -> Blocks:
    """One block for each of so many clusters, which is the box of its page."""
    return Blocks(np.zeros((count, BLOCK_BYTES), np.uint8), np.arange(count + 1, dtype=np.int64))


def block_counts(triangles: np.ndarray, block_triangles: int) -> np.ndarray:
    """How many blocks clusters of so many triangles (n,) have."""
    return -(-triangles.astype(np.int64) // block_triangles)


def block_size(cluster_triangles: int) -> int:
    """Triangles of a block at most, in a file whose clusters have at most so many."""
    return max(_FEWEST, cluster_triangles // _BLOCKS)


def block_steps(corners: np.ndarray, bounds: np.ndarray, block_triangles: int) -> np.ndarray:
    """The blocks of a cluster, (blocks, 6) uint8: its triangles (m, 3, 3) along the curve, the box of its page (6,)."""
    begins = np.arange(0, len(corners), block_triangles)
    low = np.minimum.reduceat(corners.min(axis=1).astype(np.float64), begins)
    high = np.maximum.reduceat(corners.max(axis=1).astype(np.float64), begins)
    units = (bounds[3:] - bounds[:3]) / _STEPS
    units[units == 0.0] = np.inf  # flat pages have no inward
    inward = np.hstack([(low - bounds[:3]) / units, (bounds[3:] - high) / units])
    steps = np.clip(np.floor(inward), 0, _STEPS).astype(np.uint8)
    while True:
        boxes = _boxes(steps, bounds)
        outside = np.hstack([boxes[:, :3] > low, boxes[:, 3:] < high])
        if not outside.any():
            return steps
        steps -= outside.astype(np.uint8)  # ends: zero steps are the page's box itself


def tree_over(boxes: np.ndarray, split: str) -> Hierarchy:
    """A hierarchy over boxes (n, 6): each as a triangle between its lowest and highest corner, which has that box."""
    corners = np.arange(2 * len(boxes)).reshape(-1, 2)
    mesh = TriangleMesh(boxes.reshape(-1, 3), corners[:, [0, 1, 0]])
    return build(mesh, split=split, leaf_size=1, threads=1)


def _boxes(steps: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Boxes (n, 6) float64 of steps (n, 6) within boxes of pages, (n, 6) or (6,)."""
    low, high = bounds[..., :3], bounds[..., 3:]
    units = (high - low) / _STEPS
    return np.hstack([low + steps[:, :3] * units, high - steps[:, 3:] * units])
