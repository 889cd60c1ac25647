"""The host backend's loop of the broad phase: that of ``boxes_gpu.py``, on the CPU."""

import numpy as np
from meshclash.gpu.box_steps import boxes_overlap
from meshclash.jit import prange

from .loops import loop


@loop
def test_boxes(boxes, sets, leaves, count, kinds, sums, width):
    """1 for each pair of boxes that overlap, zeros behind them."""
    for entry in prange(width):
        k = np.int64(entry)
        sums[width + k] = 0
        if k < count:
            kinds[k] = 1 if boxes_overlap(boxes, sets, leaves[k, 0], leaves[k, 1]) else 0
            sums[width + k] = kinds[k]
