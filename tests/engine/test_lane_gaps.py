"""Two leaves compared along directions: no pair of triangles as near as the limit is ever dropped."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.geometry.lane_gaps import (
    DIRECTION_COUNT,
    FRAME_LENGTH,
    HEIGHTS_LENGTH,
    direction_entry,
    forget_directions,
    is_direction,
    lay_heights,
    near_in_heights,
    near_square,
    note_direction,
    set_direction,
)
from meshclash.geometry.lanes import floats
from meshclash.geometry.triangle_distance import nearest_points
from meshclash.jit import kernel
from strategies import rotation

pytestmark = pytest.mark.needs_jit

_ROUNDING = 2.0**-24


@kernel
def _lay_directions(frame_array, directions):
    """Set the first direction and note the others; returns how many are known."""
    frame = floats(frame_array.ctypes.data)
    forget_directions(frame)
    for k in range(directions.shape[0]):
        if k == 0:
            set_direction(frame, directions[k, 0], directions[k, 1], directions[k, 2])
        else:
            note_direction(frame, directions[k, 0], directions[k, 1], directions[k, 2])
    known = 0
    while known < DIRECTION_COUNT and is_direction(frame, direction_entry(known)):
        known += 1
    return known


@kernel
def _near_pairs(leaf_a, count_a, leaf_b, count_b, frame_array, known, shift, slack, limit, heights_array, kept):
    a, b, frame = floats(leaf_a.ctypes.data), floats(leaf_b.ctypes.data), floats(frame_array.ctypes.data)
    heights = floats(heights_array.ctypes.data)
    near, given_shift = near_square(limit, 1.0), (shift[0], shift[1], shift[2])
    candidates = (1 << count_b) - 1
    for k in range(known):
        candidates &= lay_heights(
            a, 0, count_a, b, 0, count_b, frame, direction_entry(k), given_shift, slack, heights, k, near
        )
    for j in range(count_b):
        bits = near_in_heights(heights, known, j, near) if candidates >> j & 1 else 0
        for i in range(count_a):
            kept[i, j] = bits >> i & 1


def leaf_of(corners):
    """Coordinates of a leaf as the 8-wide form holds them, from corners (n, 3, 3)."""
    return np.concatenate([corners.transpose(1, 2, 0).ravel(), np.full(8, 7.0)]).astype(np.float32)


def frame_of(turn):
    frame = np.zeros(FRAME_LENGTH, np.float32)
    frame[:9], frame[12:21] = turn.ravel(), turn.T.ravel()
    return frame


def kept_pairs(a, b, turn, shift, directions, limit):
    """Which pairs of triangles (n, 3, 3), b's turned and shifted, may come within the limit, and whether they do."""
    leaf_a, leaf_b, frame = leaf_of(a), leaf_of(b), frame_of(turn)
    shift = shift.astype(np.float32)
    slack = np.float32(16.2 * _ROUNDING * (np.ptp(a) + 2.0 * np.ptp(b) + np.abs(shift).max()))
    kept = np.zeros((len(a), len(b)), np.bool_)
    known = _lay_directions(frame, directions)
    _near_pairs(
        leaf_a, len(a), leaf_b, len(b), frame, known, shift, slack, limit, np.empty(HEIGHTS_LENGTH, np.float32), kept
    )
    moved = b @ turn.T + shift.astype(np.float64)
    pairs = np.broadcast_arrays(a[:, None], moved[None])
    distances = nearest_points(*(part.reshape(-1, 3, 3) for part in pairs))[0].reshape(kept.shape)
    return kept, distances <= limit, known


@settings(max_examples=200)
@given(
    st.integers(1, 8),
    st.integers(1, 8),
    st.integers(1, 6),
    st.sampled_from((1e-9, 1.0, 1e9)),
    st.integers(0, 2**32 - 1),
)
def test_no_near_pair_is_dropped(count_a, count_b, count, scale, seed):
    rng = np.random.default_rng(seed)
    a, b = (
        scale * rng.uniform(0.0, 1.0, (n, 1, 3)) + scale * rng.uniform(0.0, 0.2, (n, 3, 3)) for n in (count_a, count_b)
    )
    turn, shift = rotation(rng), scale * rng.normal(size=3)
    points = nearest_points(a[:1], b[:1] @ turn.T + shift)[1][0]
    shift -= (points[1] - points[0]) * (1.0 - 10.0 ** rng.uniform(-8.0, 0.0))  # near, so that rounding matters
    shift = shift.astype(np.float32).astype(np.float64)
    points = nearest_points(a[:1], b[:1] @ turn.T + shift)[1][0]
    limit = float(np.linalg.norm(points[0] - points[1]))
    directions = rng.normal(size=(count, 3))
    directions[0] = points[1] - points[0] if limit > 0.0 else directions[0]
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    kept, near, _ = kept_pairs(a, b, turn, shift, directions, limit * (1.0 + 1e-15))
    assert kept[near].all()


def test_pairs_told_apart_by_any_direction_are_dropped():
    triangle = np.array([[[0.0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]]])
    a, shift = np.concatenate([triangle + np.array((0, 0, z)) for z in (0.0, 3.0)]), np.array([0.0, 0.0, 1.0])
    b = np.concatenate([triangle, triangle + np.array((5.0, 0, 0))])
    for directions, expected in (
        (np.array([[0.0, 0, 1]]), [[True, True], [True, True]]),
        (np.array([[0.0, 0, 1], [1, 0, 0]]), [[True, False], [True, False]]),
        (np.array([[1.0, 0, 0], [0, 0, -1]]), [[True, False], [False, False]]),
    ):
        kept, _, known = kept_pairs(a, b, np.eye(3), shift, directions, 1.0)
        assert known == len(directions)
        assert kept.tolist() == expected


def test_directions_that_say_nothing_new_are_not_kept():
    directions = np.eye(3)
    slightly = directions[0] + (0.0, 1e-3, 0.0)
    for given_directions, known in (
        ([directions[0], directions[0]], 1),
        ([directions[0], slightly / np.linalg.norm(slightly)], 1),
        ([directions[0], [0.0, 0.0, 0.0]], 1),
        ([directions[0], [np.nan, 0.0, 0.0]], 1),
        ([directions[0], directions[1], directions[1]], 2),
        ([directions[0], -directions[0]], 2),
        ([*directions, *-directions, directions[1]], DIRECTION_COUNT),
        ([[0.0, 0.0, 0.0]], 0),
    ):
        assert _lay_directions(frame_of(np.eye(3)), np.array(given_directions)) == known
