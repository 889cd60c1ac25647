"""Pairs in the words of the queue's slots, and out again."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from meshclash.gpu import slots

LARGEST_NODE = slots.NO_NODE - 1
nodes = st.integers(0, LARGEST_NODE)
epochs = st.integers(1, slots.LAST_EPOCH)


@given(nodes, nodes, st.integers(0, 2**31 - 1), epochs, epochs)
def test_a_pair_comes_back(a, b, job, epoch, other):
    pair = np.array([[a, b, job]], np.int32)
    words = first, second = slots.slots_of(pair, epoch).tolist()
    assert (slots.node_in(first), slots.node_in(second), slots.job_in(first, second)) == (a, b, job)
    assert [int(slots.renewed(word, other)) for word in words] == slots.slots_of(pair, other).tolist()
    for word in words:
        assert slots.is_of(word, epoch)
        assert slots.is_of(word, other) == (epoch == other)
        assert not slots.is_late(word)
    assert not slots.is_of(0, epoch)  # what was cleared
    assert slots.is_late(slots.marked_late(first))
    assert slots.marked_late(slots.marked_late(first)) == first
