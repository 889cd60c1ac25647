"""Kernels of the traversal: level by level, and by a queue. ``pair_steps.py`` has the work of one thread."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .cuda_gpu import THREADS, Kernel, cuda, kernel, peek, put
from .near_steps import may_be_near
from .pair_steps import LEAF, child_pair, fan_out, may_meet, pair_kind
from .pyramid import CHILDREN, HALF_MASK, LEAVES, locate
from .slots import (
    NO_NODE,
    higher_part,
    is_late,
    is_of,
    job_in,
    lower_part,
    marked_late,
    node_in,
    renewed,
    slot_word,
)

# Entries of the state of a queue.
HEAD, PROGRESS, LEAF_TAIL, HIT_TAIL, LATE, WITHOUT_PAIR, STATE_LENGTH = range(7)
RESERVED = 32
"""PROGRESS packs two numbers: the slots reserved from this bit on, and the pairs done below it."""
_LEAVES_OF_BLOCK = 16
_LEAF_OF_BLOCK = 1 << _LEAVES_OF_BLOCK
_CHILDREN_OF_BLOCK = _LEAF_OF_BLOCK - 1
"""A block's count packs two numbers, too: the pairs of leaves found from bit 16 on, and the pairs of children below."""
_SHORTEST_PAUSE, _LONGEST_PAUSE, _DOUBLINGS = 16, 1024, 6
"""Pause of a block between two polls [ns]; it doubles after each unsuccessful poll, up to the longest pause."""

_TREE = "int32[:,::1], float32[:,::1]"
MESH = "int32[:,::1], float64[:,::1], float64[:,::1]"


def _counting(name: str, may: Callable[..., Any]) -> Kernel:
    """Return the kernel that fills the overlap count map of a level with one test of two boxes, padded with zeros."""

    def count_pairs(links_a, boxes_a, links_b, boxes_b, frames, with_itself, pairs, count, sums, width):
        for k in range(cuda.grid(1), width, cuda.gridsize(1)):
            found = 0
            if k < count:
                a, b = pairs[k, 0], pairs[k, 1]
                if (with_itself and a == b) or may(boxes_a, a, boxes_b, b, frames, pairs[k, 2]):
                    found = fan_out(links_a, links_b, with_itself, a, b)
            sums[width + k] = found

    count_pairs.__name__ = name
    count_pairs.__qualname__ = name
    signature = f"void({_TREE}, {_TREE}, float32[:,::1], boolean, int32[:,::1], int64, int64[::1], int64)"
    return kernel(signature)(count_pairs)


count_pairs = _counting("count_pairs", may_meet)
count_near_pairs = _counting("count_near_pairs", may_be_near)


@kernel("void(int64[::1], int64, int64)")
def sum_levels(sums, width, part):
    """Compute levels of the pyramid above the one with ``width`` entries.

    Each block processes ``part`` of these entries, a power of two.
    """
    for block in range(cuda.blockIdx.x, width // part, cuda.gridDim.x):
        level = width
        entries = part
        while entries > 1:
            level //= 2
            entries //= 2
            first = level + block * entries
            for i in range(first + cuda.threadIdx.x, first + entries, THREADS):
                sums[i] = sums[2 * i] + sums[2 * i + 1]
            cuda.syncthreads()


@kernel("void(int32[:,::1], int32[:,::1], boolean, int32[:,::1], int64[::1], int64, int64, int32[:,::1])")
def expand_pairs(links_a, links_b, with_itself, pairs, sums, width, count, children):
    """Compute the node pair index map of the next level."""
    for slot in range(cuda.grid(1), count, cuda.gridsize(1)):
        k, number = locate(sums, width, slot, CHILDREN)
        a, b = child_pair(links_a, links_b, with_itself, pairs[k, 0], pairs[k, 1], number)
        children[slot, 0] = a
        children[slot, 1] = b
        children[slot, 2] = pairs[k, 2]


@kernel(
    "void(int32[:,::1], int32[::1], int32[:,::1], int32[::1], int32[:,::1], int64[::1], int64, int64, "
    "int32[:,::1], int64)"
)
def gather_leaves(links_a, order_a, links_b, order_b, pairs, sums, width, count, leaves, begin):
    """Append the triangles of pairs of leaves to ``leaves``."""
    for slot in range(cuda.grid(1), count, cuda.gridsize(1)):
        k, _ = locate(sums, width, slot, LEAVES)
        leaves[begin + slot, 0] = order_a[~links_a[pairs[k, 0], 0]]
        leaves[begin + slot, 1] = order_b[~links_b[pairs[k, 1], 0]]
        leaves[begin + slot, 2] = pairs[k, 2]


@kernel(f"void({MESH}, {MESH}, boolean, int32[:,::1], int64, uint8[::1], int64[::1], int64)")
def test_leaves(
    triangles_a, vertices_a, poses_a, triangles_b, vertices_b, poses_b, with_itself, leaves, count, kinds, sums, width
):
    """Compute the kinds of pairs of triangles, and the count 1 for each pair that is not apart."""
    for k in range(cuda.grid(1), width, cuda.gridsize(1)):
        found = 0
        if k < count:
            kind = pair_kind(
                triangles_a, vertices_a, poses_a, triangles_b, vertices_b, poses_b, with_itself,
                leaves[k, 0], leaves[k, 1], leaves[k, 2],
            )  # fmt: skip
            kinds[k] = kind
            found = 1 if kind != 0 else 0
        sums[width + k] = found


@kernel("void(int32[:,::1], uint8[::1], int64[::1], int64, int64, int32[:,::1])")
def gather_hits(leaves, kinds, sums, width, count, hits):
    """Collect triangles, job and kind of the pairs that are not apart."""
    for slot in range(cuda.grid(1), count, cuda.gridsize(1)):
        k, _ = locate(sums, width, slot, CHILDREN)
        for column in range(3):
            hits[slot, column] = leaves[k, column]
        hits[slot, 3] = kinds[k]


@kernel("void(int64[::1])")
def clear_queue(words):
    """Clear the slots, as if no run had written them."""
    for i in range(cuda.grid(1), words.shape[0], cuda.gridsize(1)):
        words[i] = 0


@kernel(
    f"void({_TREE}, int32[::1], {_TREE}, int32[::1], float32[:,::1], boolean, int64[::1], int64, int32[:,::1], "
    "int64[::1], int64)"
)
def run_queue(
    links_a, boxes_a, order_a, links_b, boxes_b, order_b, frames, with_itself, queue, epoch, leaves, state, patience
):
    """Process all pairs of nodes with persistent blocks.

    Each block claims slots of the queue, one per thread, and waits until they can be read. A slot is reserved first and
    written later; ``slots.py`` explains when it can be read. One atomic operation on one number reserves the children
    of pairs and counts the pairs as done. So when the number of finished pairs equals the number of reserved slots, no
    work is left, and all blocks exit. If a pair's children, or its entry in ``leaves``, do not fit, the pair is marked
    late, and processed again in another run; the remaining slots are then filled without a pair. A block also exits
    when it claims slots beyond the capacity, and when its patience (the number of unsuccessful polls) ends. In the
    latter case its claimed slots stay unfinished, so fewer pairs are finished than there were slots.
    """
    taken = cuda.shared.array(4, np.int64)  # first claimed slot; progress; position for children; position for leaves
    found_here = cuda.shared.array(1, np.int32)  # children of the block, and its leaves
    thread = cuda.threadIdx.x
    capacity = queue.shape[0] // 2
    begin = end = 0  # range of the slots that are claimed and not done
    idle = 0
    while idle < patience:
        if thread == 0:
            if begin == end:
                taken[0] = cuda.atomic.add(state, HEAD, THREADS)
            if idle > 0:
                cuda.nanosleep(min(_SHORTEST_PAUSE << min(idle, _DOUBLINGS), _LONGEST_PAUSE))
            taken[1] = peek(state, PROGRESS)
            found_here[0] = 0
        cuda.syncthreads()
        if begin == end:
            begin = taken[0]
            end = min(begin + THREADS, capacity)
        reserved = taken[1] >> RESERVED
        left = reserved - (taken[1] & HALF_MASK)
        cuda.syncthreads()
        if left == 0 or begin >= capacity:
            break
        count = min(reserved, end) - begin
        if count <= 0:
            idle += 1
            continue
        idle = 0
        found = 0
        slot = 2 * (begin + thread)
        a = b = job = word = 0
        if thread < count:
            word = peek(queue, slot)
            while not is_of(word, epoch):
                word = peek(queue, slot)  # another block is writing it, and does not wait for anything
            other = peek(queue, slot + 1)
            while not is_of(other, epoch):
                other = peek(queue, slot + 1)
            a, b, job = node_in(word), node_in(other), job_in(word, other)
            if a != NO_NODE and ((with_itself and a == b) or may_meet(boxes_a, a, boxes_b, b, frames, job)):
                found = fan_out(links_a, links_b, with_itself, a, b)
        begin += count
        own = 0
        if found:
            own = cuda.atomic.add(found_here, 0, _LEAF_OF_BLOCK if found == LEAF else found)
        cuda.syncthreads()
        if thread == 0:
            total = np.int64(found_here[0])
            taken[2] = cuda.atomic.add(state, PROGRESS, ((total & _CHILDREN_OF_BLOCK) << RESERVED) + count)
            if total >> _LEAVES_OF_BLOCK:
                taken[3] = cuda.atomic.add(state, LEAF_TAIL, total >> _LEAVES_OF_BLOCK)
        cuda.syncthreads()
        if found == LEAF:
            place = taken[3] + (own >> _LEAVES_OF_BLOCK)
            if place < leaves.shape[0]:
                leaves[place, 0] = order_a[~links_a[a, 0]]
                leaves[place, 1] = order_b[~links_b[b, 0]]
                leaves[place, 2] = job
            else:
                put(queue, slot, marked_late(word))
            found = 0
        first = (taken[2] >> RESERVED) + (own & _CHILDREN_OF_BLOCK)
        fits = found == 0 or first + found <= capacity
        if not fits:
            put(queue, slot, marked_late(word))
        for number in range(min(found, max(capacity - first, 0))):
            left, right = child_pair(links_a, links_b, with_itself, a, b, number)
            place = 2 * (first + number)
            put(queue, place, slot_word(left if fits else NO_NODE, lower_part(job), epoch))
            put(queue, place + 1, slot_word(right, higher_part(job), epoch))


@kernel("void(int64[::1], int64, int64[::1], int64, int64[::1])")
def gather_late(queue, count, target, epoch, state):
    """Move the late pairs among the first ``count`` slots of a run to the beginning of another queue, in any order."""
    for slot in range(cuda.grid(1), count, cuda.gridsize(1)):
        word = queue[2 * slot]
        if is_late(word):
            place = 2 * cuda.atomic.add(state, LATE, 1)
            target[place] = renewed(marked_late(word), epoch)
            target[place + 1] = renewed(queue[2 * slot + 1], epoch)
        elif node_in(word) == NO_NODE:
            cuda.atomic.add(state, WITHOUT_PAIR, 1)


@kernel(f"void({MESH}, {MESH}, boolean, int32[:,::1], int32[:,::1], int64[::1])")
def test_queued(triangles_a, vertices_a, poses_a, triangles_b, vertices_b, poses_b, with_itself, leaves, hits, state):
    """Test the pairs of triangles that ``run_queue`` found; hits come in any order."""
    for k in range(cuda.grid(1), min(state[LEAF_TAIL], leaves.shape[0]), cuda.gridsize(1)):
        kind = pair_kind(
            triangles_a, vertices_a, poses_a, triangles_b, vertices_b, poses_b, with_itself,
            leaves[k, 0], leaves[k, 1], leaves[k, 2],
        )  # fmt: skip
        if kind != 0:
            slot = cuda.atomic.add(state, HIT_TAIL, 1)
            if slot < hits.shape[0]:
                hits[slot, 0] = leaves[k, 0]
                hits[slot, 1] = leaves[k, 1]
                hits[slot, 2] = leaves[k, 2]
                hits[slot, 3] = kind
