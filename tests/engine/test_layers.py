"""Numbers that pairs connect: against a walk from every number."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from meshclash.traversal.layers import joined_numbers

pairs = st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=40)


@given(pairs, st.sampled_from([np.int32, np.int64]))
def test_each_number_becomes_the_smallest_that_it_is_connected_with(found, dtype):
    joined = joined_numbers(20, np.array(found, dtype).reshape(-1, 2))
    for start in range(20):
        reached, left = {start}, [start]
        while left:
            here = left.pop()
            for a, b in found:
                for one, other in ((a, b), (b, a)):
                    if one == here and other not in reached:
                        reached.add(other)
                        left.append(other)
        assert joined[start] == min(reached)
