"""Slots of the queue on a device: a pair of nodes in two words, each of which shows by itself whether it is valid.

A word is written by one atomic store, and contains the number of the run ("epoch") that wrote it. So readers need no
fence, no flag and no ordering: they read until both words belong to the current run. NCCL sends short messages in the
same way ("LL"). The first word contains the node of a and the lower bits of the job, the second the node of b and the
higher bits.
"""

import numpy as np

from ..jit import portable

NODE_BITS = 31
_NODE_MASK = (1 << NODE_BITS) - 1
_JOB_BITS = 16
_JOB_MASK = (1 << _JOB_BITS) - 1
_EPOCH = NODE_BITS + _JOB_BITS
LAST_EPOCH = (1 << 16) - 1
"""Largest run number; runs are numbered from 1."""
NO_NODE = _NODE_MASK
"""Placeholder for the node of a in a slot without a pair."""


@portable
def slot_word(node, part, epoch):
    """Return a word that contains a node, a part of the job, and the run."""
    return (np.int64(epoch) << _EPOCH) | (np.int64(part) << NODE_BITS) | np.int64(node)


@portable
def marked_late(word):
    """Return a first word marked late: the pair's children did not fit, so the pair must be processed again."""
    return ~word


@portable
def is_late(word):
    """Return whether a first word is marked late."""
    return word < 0


@portable
def renewed(word, epoch):
    """Return the word for another run."""
    return slot_word(word & _NODE_MASK, (word >> NODE_BITS) & _JOB_MASK, epoch)


@portable
def is_of(word, epoch):
    """Return whether a word belongs to a run."""
    return word >> _EPOCH == epoch


@portable
def node_in(word):
    """Return the node in a word."""
    return word & _NODE_MASK


@portable
def lower_part(job):
    """Return the part of a job that the first word contains."""
    return job & _JOB_MASK


@portable
def higher_part(job):
    """Return the part of a job that the second word contains."""
    return job >> _JOB_BITS


@portable
def job_in(first, second):
    """Return the job of a slot from its two words."""
    return ((first >> NODE_BITS) & _JOB_MASK) | (((second >> NODE_BITS) & _JOB_MASK) << _JOB_BITS)


def slots_of(pairs: np.ndarray, epoch: int) -> np.ndarray:
    """Return the words (2 n,) int64 of pairs (n, 3) int32, which are both nodes and the job."""
    a, b, job = pairs.astype(np.int64).T
    words = [slot_word(node, part(job), epoch) for node, part in ((a, lower_part), (b, higher_part))]
    return np.column_stack(words).ravel()
