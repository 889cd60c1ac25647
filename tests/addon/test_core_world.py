"""Placing points: against the product of matrices, and without it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from meshclash.clash.world import to_world

coordinates = st.floats(-1e6, 1e6, width=32)


@given(
    arrays(np.float32, st.tuples(st.integers(0, 5), st.integers(1, 3), st.just(3)), elements=coordinates),
    arrays(np.float64, (3, 4), elements=st.floats(-1e3, 1e3)),
)
def test_it_is_the_product_of_the_matrix(points, rows):
    matrix = np.vstack([rows, [[0, 0, 0, 1]]])
    given_before = points.copy()
    moved = to_world(points, matrix)
    homogeneous = np.concatenate([points.astype(np.float64), np.ones((*points.shape[:-1], 1))], axis=-1)
    size = 1.0 + np.abs(homogeneous) @ np.abs(matrix.T)
    assert moved.dtype == np.float64 and np.array_equal(points, given_before)
    assert (np.abs(moved - (homogeneous @ matrix.T)[..., :3]) <= 1e-14 * size[..., :3]).all()
    assert np.array_equal(to_world(points.reshape(-1, 3), matrix), moved.reshape(-1, 3))
