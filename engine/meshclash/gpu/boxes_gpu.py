"""The kernel that the broad phase uses in addition to those of the traversal. ``box_steps.py`` has the work of one
thread.
"""

from .box_steps import boxes_overlap
from .cuda_gpu import cuda, kernel


@kernel("void(float64[:,::1], uint8[::1], int32[:,::1], int64, uint8[::1], int64[::1], int64)")
def test_boxes(boxes, sets, leaves, count, kinds, sums, width):
    """Write 1 to the pyramid's counts for each pair of boxes that overlap, otherwise 0; pad with zeros."""
    for k in range(cuda.grid(1), width, cuda.gridsize(1)):
        found = 0
        if k < count:
            found = 1 if boxes_overlap(boxes, sets, leaves[k, 0], leaves[k, 1]) else 0
            kinds[k] = found
        sums[width + k] = found
