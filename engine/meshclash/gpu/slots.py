"""Slots of the queue on a device: a pair of nodes in two words, each of which tells by itself whether it can be read.

A word is written by one store that cannot be seen in part, and holds the number of the run ("epoch") that it was
written in. So who reads needs no fence, no mark and no order: it reads until both words are of its own run. NCCL sends
short messages in this way ("LL"). First word: node of a, lower bits of the job; second: node of b, higher bits.
"""

import numpy as np

from ..jit import portable

NODE_BITS = 31
_NODE_MASK = (1 << NODE_BITS) - 1
_JOB_BITS = 16
_JOB_MASK = (1 << _JOB_BITS) - 1
_EPOCH = NODE_BITS + _JOB_BITS
LAST_EPOCH = (1 << 16) - 1
"""Of runs that can be told apart, from 1 on."""
NO_NODE = _NODE_MASK
"""In the place of a node of a: there is no pair."""


@portable
def slot_word(node, part, epoch):
    """A word: a node and a part of the job, from a run."""
    return (np.int64(epoch) << _EPOCH) | (np.int64(part) << NODE_BITS) | np.int64(node)


@portable
def marked_late(word):
    """A first word once it has been read: the pair found no room for what it turns into, and has to come again."""
    return ~word


@portable
def is_late(word):
    """Whether a first word is marked so."""
    return word < 0


@portable
def renewed(word, epoch):
    """A word in another run."""
    return slot_word(word & _NODE_MASK, (word >> NODE_BITS) & _JOB_MASK, epoch)


@portable
def is_of(word, epoch):
    """Whether a word is from a run."""
    return word >> _EPOCH == epoch


@portable
def node_in(word):
    """The node."""
    return word & _NODE_MASK


@portable
def lower_part(job):
    """The part of a job in the first word."""
    return job & _JOB_MASK


@portable
def higher_part(job):
    """The part of a job in the second word."""
    return job >> _JOB_BITS


@portable
def job_in(first, second):
    """The job."""
    return ((first >> NODE_BITS) & _JOB_MASK) | (((second >> NODE_BITS) & _JOB_MASK) << _JOB_BITS)


def slots_of(pairs: np.ndarray, epoch: int) -> np.ndarray:
    """Words (2 n,) int64 of pairs (n, 3) int32: nodes and job."""
    a, b, job = pairs.astype(np.int64).T
    words = [slot_word(node, part(job), epoch) for node, part in ((a, lower_part), (b, higher_part))]
    return np.column_stack(words).ravel()
