"""The work of one thread on two boxes of the broad phase; one code for the CUDA kernels and the host backend."""

from ..jit import portable

IN_A, IN_B = 1, 2
"""Bits for the two sets that an object may belong to."""


@portable
def boxes_overlap(boxes, sets, i, j):
    """Return exactly whether two closed boxes (lowest, highest corner) overlap, with one object in each set."""
    if not ((sets[i] & IN_A and sets[j] & IN_B) or (sets[j] & IN_A and sets[i] & IN_B)):
        return False
    apart = False
    for axis in range(3):
        apart |= boxes[i, axis] > boxes[j, axis + 3] or boxes[j, axis] > boxes[i, axis + 3]
    return not apart
