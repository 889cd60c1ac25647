"""The oracle of the exactness bench against a second exact method: clipping one triangle by the other in fractions.

The second method uses no separating axes: it constructs the common points C of both triangles as a convex polygon.
Their relative interiors meet if and only if the mean of C's corners lies inside both (where they meet, the relative
interior of C is their intersection), and a coplanar overlap is one where C has an area.
"""

import itertools

import numpy as np
import pytest
from exact import common_corners, cross, dot, minus
from oracles.oracle import APART, COPLANAR, CROSSING, TOUCHING, classify_pairs

CORNERS_OF_CUBE = np.array(list(itertools.product((0, 1), repeat=3)))


def strictly_inside(point, corners):
    """Whether a point of the plane of a proper triangle lies inside it, off its sides."""
    normal = cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]))
    sides = zip(corners, corners[1:] + corners[:1], strict=True)
    return all(dot(cross(minus(v, u), minus(point, u)), normal) > 0 for u, v in sides)


def is_proper(corners):
    return any(cross(minus(corners[1], corners[0]), minus(corners[2], corners[0])))


def kind_by_clipping(a, b):
    common = common_corners(a, b)
    if not common:
        return APART
    if not (is_proper(a) and is_proper(b)):
        return TOUCHING
    if any(any(cross(minus(p, common[0]), minus(q, common[0]))) for p in common for q in common):
        return COPLANAR
    mean = tuple(sum(xs) / len(common) for xs in zip(*common, strict=True))
    return CROSSING if strictly_inside(mean, a) and strictly_inside(mean, b) else TOUCHING


def expected(a, b):
    rows = [[[tuple(p) for p in t] for t in side.astype(int).tolist()] for side in (a, b)]
    return np.array([kind_by_clipping(p, q) for p, q in zip(*rows, strict=True)], np.uint8)


def assert_agrees(a, b):
    wrong = np.flatnonzero(classify_pairs(a.astype(float), b.astype(float)) != expected(a, b))
    assert len(wrong) == 0, f"{len(wrong)} differ, first: {a[wrong[0]].tolist()} {b[wrong[0]].tolist()}"


@pytest.mark.slow
def test_every_pair_of_triangles_on_the_corners_of_a_cube():
    """All 120 corner triples (56 proper, the others segments and points) against each other, in one order."""
    triples = np.array(list(itertools.combinations_with_replacement(range(8), 3)))
    first, second = np.triu_indices(len(triples))
    a, b = CORNERS_OF_CUBE[triples[first]], CORNERS_OF_CUBE[triples[second]]
    assert set(classify_pairs(a.astype(float), b.astype(float))) == {APART, CROSSING, COPLANAR, TOUCHING}
    assert_agrees(a, b)


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 3, 5])
def test_random_pairs_on_an_integer_grid(size):
    a, b = np.random.default_rng(size).integers(0, size + 1, size=(2, 2000, 3, 3))
    assert_agrees(a, b)


@pytest.mark.slow
def test_coplanar_pairs_on_an_integer_grid():
    rng = np.random.default_rng(11)
    plane = np.array([[1, 2, -1], [2, -1, 3]])
    a, b = rng.integers(0, 4, size=(2, 2000, 3, 2)) @ plane
    assert_agrees(a, b)


@pytest.mark.slow
def test_pairs_of_zero_area_on_an_integer_grid():
    """Collinear triples, repeated corners and points, against each other and against proper triangles."""
    rng = np.random.default_rng(12)
    start, step = rng.integers(0, 3, size=(2, 3000, 1, 3))
    a = start + rng.integers(-1, 3, size=(3000, 3, 1)) * (step - 1)
    b = np.where(rng.random((3000, 1, 1)) < 0.5, a[rng.permutation(3000)], rng.integers(0, 4, size=(3000, 3, 3)))
    assert_agrees(a, b)


def test_kind_does_not_depend_on_order_of_triangles_or_corners():
    rng = np.random.default_rng(13)
    a, b = rng.integers(0, 4, size=(2, 1500, 3, 3)).astype(float)
    kinds = classify_pairs(a, b)
    assert np.array_equal(kinds, classify_pairs(b, a))
    for order in itertools.permutations(range(3)):
        assert np.array_equal(kinds, classify_pairs(a[:, order], b))


@pytest.mark.parametrize("scale", [2.0**-1060, 2.0**-300, 2.0**900])
def test_scaling_by_a_power_of_two_changes_nothing(scale):
    """Up to subnormal numbers and near the largest float: the integers of the oracle have no range."""
    a, b = np.random.default_rng(14).integers(-4, 5, size=(2, 500, 3, 3)).astype(float)
    assert np.array_equal(classify_pairs(a, b), classify_pairs(a * scale, b * scale))


def test_one_ulp_decides():
    floor = np.array([[[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]])
    above = np.array([[[0.25, 0.25, 0.0], [0.25, 0.25, 1], [0.5, 0.25, 1]]])
    for height, kind in ((np.nextafter(0, 1), APART), (0.0, TOUCHING), (np.nextafter(0, -1), CROSSING)):
        above[0, 0, 2] = height
        assert classify_pairs(floor, above).tolist() == [kind]


def test_bad_input_is_refused():
    good = np.zeros((1, 3, 3))
    with pytest.raises(ValueError, match="shape"):
        classify_pairs(good, np.zeros((2, 3, 3)))
    with pytest.raises(ValueError, match="finite"):
        classify_pairs(good, np.full((1, 3, 3), np.nan))
