"""What one thread does with two boxes of the broad phase; the same text for CUDA kernels and for their host backend."""

from ..jit import portable

IN_A, IN_B = 1, 2
"""Bits of the sets that an object belongs to."""


@portable
def boxes_overlap(boxes, sets, i, j):
    """Whether two closed boxes (lowest, highest corner) overlap and have one object in each set, exactly."""
    if not ((sets[i] & IN_A and sets[j] & IN_B) or (sets[j] & IN_A and sets[i] & IN_B)):
        return False
    apart = False
    for axis in range(3):
        apart |= boxes[i, axis] > boxes[j, axis + 3] or boxes[j, axis] > boxes[i, axis + 3]
    return not apart
