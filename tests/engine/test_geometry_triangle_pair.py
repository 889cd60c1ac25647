"""Kinds of triangle pairs against the oracle; what must not change them, and the stage beyond doubles."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash import ContactKind
from meshclash.geometry import triangle_pair
from meshclash.geometry.triangle_pair import classify_rational, classify_triangle_pairs
from oracles.oracle import classify_pairs
from strategies import matrix, points, rotation, triangle_pairs


def kind(a, b) -> int:
    return int(classify_triangle_pairs(a[None], b[None])[0][0])


def moved(triangle, *shift) -> np.ndarray:
    return triangle + np.array(shift, float)


@pytest.mark.slow
@settings(max_examples=400)
@given(triangle_pairs())
def test_equals_the_oracle(pair):
    assert kind(*pair) == classify_pairs(pair[0][None], pair[1][None])[0]


@pytest.mark.slow
@settings(max_examples=200)
@given(triangle_pairs())
def test_rational_stage_equals_the_oracle_on_its_own(pair):
    assert classify_rational(*pair) == classify_pairs(pair[0][None], pair[1][None])[0]


@given(triangle_pairs())
def test_order_of_triangles_and_corners_does_not_matter(pair):
    a, b = pair
    expected = kind(a, b)
    orders = list(itertools.permutations(range(3)))
    turned = np.array([a[list(order)] for order in orders])
    fixed = np.broadcast_to(b, turned.shape)
    assert (classify_triangle_pairs(turned, fixed)[0] == expected).all()
    assert (classify_triangle_pairs(fixed, turned)[0] == expected).all()


@settings(max_examples=300)
@given(points(st.integers(0, 3), 6), st.sampled_from([0, 1, 2]), st.booleans())
def test_flat_pairs_in_tilted_planes(corners, axis, tilted):
    """All corners in one plane, with every coincidence of a small grid."""
    corners[:, axis] = corners[:, axis - 1] + 2 * corners[:, axis - 2] if tilted else 1.0
    a, b = corners[:3], corners[3:]
    found = kind(a, b)
    assert found == classify_pairs(a[None], b[None])[0]
    assert found != ContactKind.CROSSING


@given(triangle_pairs())
def test_a_triangle_and_itself_overlap_unless_it_has_no_area(pair):
    a = pair[0]
    expected = classify_pairs(a[None], a[None])[0]
    assert kind(a, a) == expected
    assert expected in (ContactKind.COPLANAR, ContactKind.TOUCHING)


def test_kinds_by_example():
    floor = np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0]])
    through = np.array([[1.0, 1, -1], [1, 1, 1], [2, 1, 1]])
    standing = moved(through, 0, 0, 1)
    assert kind(floor, through) == ContactKind.CROSSING
    assert kind(floor, standing) == ContactKind.TOUCHING
    assert kind(floor, moved(floor, 1, 1, 0)) == ContactKind.COPLANAR
    assert kind(floor, moved(floor, 0, 0, 5e-324)) == 0


@pytest.fixture
def rational_calls(monkeypatch):
    """Pairs that reached the stage beyond doubles."""
    calls = []

    def counted(a, b):
        calls.append((a, b))
        return classify_rational(a, b)

    monkeypatch.setattr(triangle_pair, "classify_rational", counted)
    return calls


@pytest.mark.parametrize("tiny", [1e-200, 5e-324])
def test_coordinates_beyond_what_doubles_can_multiply_are_decided_with_integers(rational_calls, tiny):
    """1e-200 and 1e20 in one triangle: no float filter and no expansion holds their products."""
    floor = np.array([[0.0, 0, 0], [1e20, 0, tiny], [0, 1e20, tiny]])
    for lift, expected in ((0.0, ContactKind.COPLANAR), (tiny, 0)):
        other = moved(floor, 0, 0, lift)
        assert kind(floor, other) == expected
    needle = np.array([[1.0, 1, -tiny], [1, 1, tiny], [2, 1, tiny]])
    flat = np.array([[0.0, 0, 0], [1e20, 0, 0], [0, 1e20, 0]])
    for lift, expected in ((0.0, ContactKind.CROSSING), (tiny, ContactKind.TOUCHING), (2 * tiny, 0)):
        assert kind(flat, moved(needle, 0, 0, lift)) == expected
    assert len(rational_calls) >= 2


@settings(max_examples=200)
@given(points(st.sampled_from([0.0, 1e-200, -1e-200, 5e-324, 1.0, 1e20, -1e20, 1e30]), 6))
def test_mixtures_of_tiny_and_huge_coordinates(corners):
    a, b = corners[:3], corners[3:]
    assert kind(a, b) == classify_pairs(a[None], b[None])[0]


def test_mixtures_of_tiny_and_huge_coordinates_in_bulk(rational_calls):
    rng = np.random.default_rng(3)
    numbers = np.array([0.0, 1e-200, -1e-200, 5e-324, 1.0, 1e20, -1e20])
    a, b = rng.choice(numbers, (2, 1000, 3, 3))
    assert np.array_equal(classify_triangle_pairs(a, b)[0], classify_pairs(a, b))
    assert len(rational_calls) > 20


def test_exact_flag_says_where_float64_did_not_decide():
    rng = np.random.default_rng(4)
    a, b = rng.uniform(-1, 1, (2, 500, 3, 3))
    assert not classify_triangle_pairs(a, b)[1].any()
    basis = rng.uniform(-1, 1, (500, 1, 2, 3))
    flat_a, flat_b = (rng.uniform(-1, 1, (500, 3, 1, 2)) @ basis for _ in range(2))
    assert classify_triangle_pairs(flat_a[:, :, 0], flat_b[:, :, 0])[1].all()


def test_rotated_neighbours_still_share_their_edge():
    """Shared corners get equal world coordinates whatever the pose, so they must be seen as equal."""
    rng = np.random.default_rng(5)
    quad = rng.uniform(-1, 1, (4, 3))
    for _ in range(100):
        world = quad @ matrix(rotation(rng))[:3, :3].T + rng.normal(size=3) * 1e6
        assert kind(world[[0, 1, 2]], world[[0, 2, 3]]) == ContactKind.TOUCHING


def test_input_is_not_changed_and_lists_are_accepted():
    a = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]])
    kinds, exact = classify_triangle_pairs(a.tolist(), a.astype(np.float32))
    assert kinds.tolist() == [ContactKind.COPLANAR]
    assert kinds.dtype == np.uint8
    assert exact.dtype == np.bool_
    assert len(classify_triangle_pairs(np.empty((0, 3, 3)), np.empty((0, 3, 3)))[0]) == 0
