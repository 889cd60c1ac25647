"""Depths lie between their bounds, whatever the size, the place, the order and the numbering of two solids."""

from fractions import Fraction

import exact
import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.jit import kernel
from meshclash.solid.depth_intervals import box_overlaps
from meshclash.solid.nearest_points import proved_distance
from solids import box, gear, l_shape, moved, prism, shell, torus, tube
from strategies import any_points, matrix, rotation

SIZES = st.sampled_from((1e-3, 0.37, 1.0, 25.0, 1e3))
PLACES = st.sampled_from((0.0, 1.0, -3e3, 1e6))
SHARES = st.sampled_from((0.0, 2.0**-30, 0.1, 0.25, 0.3, 0.7))
SLIGHT = st.integers(1, 1000)
"""Overlaps in units in the last place."""


def measures(verdict) -> tuple:
    return verdict.name, verdict.depth, verdict.depth_lower, verdict.depth_upper


def both_orders(a, b, **options):
    """The verdict, which must be the same to the last bit in the other order."""
    found = mc.verdict(a, b, **options)
    assert measures(mc.verdict(b, a, **options)) == measures(found)
    return found


@st.composite
def overlapping_boxes(draw):
    """Two boxes that overlap along x by some units in the last place, or up to half, and by more along y and z."""
    size, place = draw(SIZES), draw(PLACES)
    low = np.full(3, place)
    high = low + size
    shift = [draw(SHARES) * size for _ in range(3)]
    share = draw(st.none() | st.floats(1e-12, 0.5))
    slight = draw(SLIGHT) * np.spacing(high[0]) if share is None else share * size
    start = np.array([high[0] - slight, low[1] + shift[1], low[2] + shift[2]])
    return (low, high), (start, start + size)


@settings(max_examples=60)
@given(overlapping_boxes())
def test_boxes_are_as_deep_as_their_overlap_is_thick(boxes):
    (low_a, high_a), (low_b, high_b) = boxes
    truth = min(Fraction(float(h)) - Fraction(float(s)) for h, s in zip(high_a, low_b, strict=True))
    if not truth > 0 or not (high_b > high_a).any():
        return
    a, b = mc.TriangleMesh(*box(low_a, high_a)), mc.TriangleMesh(*box(low_b, high_b))
    found = both_orders(a, b)
    assert found == mc.Verdict.CLASH
    assert Fraction(found.depth_lower) <= truth <= Fraction(found.depth_upper)
    assert found.depth_lower <= found.depth <= found.depth_upper
    assert found.depth_upper <= np.nextafter(float(truth), np.inf)
    assert found.depth_lower >= float(truth) * (1 - 1e-9)
    for factor, name in ((1 - 1e-6, "CLASH"), (1 + 1e-6, "TOUCHING")):
        assert both_orders(a, b, permitted_overlap=float(truth) * factor).name == name


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.floats(1e-9, 0.4), st.sampled_from((0.0, 1e3)))
def test_turned_bodies_with_a_common_slab_are_as_deep_as_it_is_thick(seed, overlap, away):
    rng = np.random.default_rng(seed)
    mesh = [box((0, 0, 0), (1, 1, 1)), prism(2, 6, 0, 1), gear(2, 8, 0, 1)][seed % 3]
    pose = matrix(rotation(rng), rng.normal(size=3) * away)
    a, b = mc.TriangleMesh(*mesh), mc.TriangleMesh(*moved(mesh, (0.125, 0.0, 1 - overlap)))
    found = mc.verdict(a, b, pose, pose)
    assert found == mc.Verdict.CLASH
    assert found.depth_lower <= found.depth <= found.depth_upper
    rounding = 1e-14 * (1 + away)
    assert (1 - 1e-6) * overlap - rounding <= found.depth_lower <= overlap + rounding
    assert overlap - rounding <= found.depth_upper <= (1 + 1e-6) * overlap + rounding
    assert measures(mc.verdict(b, a, pose, pose)) == measures(found)


BODIES = [torus(2, 0.5), gear(2, 8, 0, 1), tube(2, 1, 16, 0, 1), l_shape(3, 1, 0, 1), prism(1.5, 24, 0, 1)]


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_depths_hang_neither_on_order_nor_much_on_numbering(seed):
    rng = np.random.default_rng(seed)
    one, other = (BODIES[i] for i in rng.integers(0, len(BODIES), 2))
    pose = matrix(rotation(rng), rng.uniform(-1.5, 1.5, 3))
    a, b = mc.TriangleMesh(*one), mc.TriangleMesh(*other)
    found = mc.verdict(a, b, None, pose)
    assert measures(mc.verdict(b, a, pose, None)) == measures(found)
    if found.depth is None:
        return
    assert 0.0 < found.depth_lower <= found.depth <= found.depth_upper
    assert found.depth_lower >= 0.999 * found.depth
    again = mc.verdict(a, mc.TriangleMesh(*renumbered(other, rng)), None, pose)
    assert again.name == found.name
    assert again.depth == pytest.approx(found.depth, rel=0.02)


def renumbered(mesh, rng):
    """The same mesh: other numbers of vertices and triangles, other first corners, inside out as a whole."""
    vertices, triangles = mesh
    order = rng.permutation(len(vertices))
    places = np.argsort(order)
    triangles = places[triangles][rng.permutation(len(triangles))]
    turns = rng.integers(0, 3, len(triangles))
    triangles = np.take_along_axis(triangles, (np.arange(3) + turns[:, None]) % 3, axis=1)
    return vertices[order], triangles[:, ::-1] if rng.random() < 0.5 else triangles


def test_of_an_overlap_of_a_rounding_only_the_bound_is_stated():
    """The cavity of nested shells goes from 1 to 3."""
    hollow = mc.TriangleMesh(*shell((0, 0, 0), (4, 4, 4), 1))
    found = both_orders(hollow, mc.TriangleMesh(*box((1 - 2.0**-51, 1.5, 1.5), (2, 2.5, 2.5))))
    assert measures(found)[:3] == ("CLASH", None, 0.0)
    assert 2.0**-51 <= found.depth_upper <= 16 * np.spacing(4.0)


@pytest.mark.parametrize("overlap", [1e-12, 1e-6, 0.25, 0.5])
def test_a_box_in_a_cavity_is_as_deep_as_it_is_in_the_wall(overlap):
    """The cavity of nested shells goes from 1 to 3; the box touches the wall nowhere else."""
    hollow = mc.TriangleMesh(*shell((0, 0, 0), (4, 4, 4), 1))
    guest = mc.TriangleMesh(*box((1 - overlap, 1.5, 1.5), (2, 2.5, 2.5)))
    found = both_orders(hollow, guest)
    assert found == mc.Verdict.CLASH
    assert found.depth_lower <= found.depth <= found.depth_upper
    truth = 1 - (1 - overlap)
    assert (found.depth, found.depth_lower) == pytest.approx((truth, truth), rel=2e-3)


def test_a_part_inside_is_as_deep_as_it_is_thick():
    hollow = mc.TriangleMesh(*shell((0, 0, 0), (4, 4, 4), 1))
    plate = mc.TriangleMesh(*box((0.5, 0.25, 0.375), (3.5, 0.5, 0.625)))
    found = both_orders(hollow, plate)
    assert measures(found) == ("CONTAINED", pytest.approx(0.25), pytest.approx(0.25), 0.25)


@kernel
def _proved(points, triangles, result):
    for i in range(points.shape[0]):
        p, t = points[i], triangles[i]
        result[i] = proved_distance(
            (p[0], p[1], p[2]), (t[0, 0], t[0, 1], t[0, 2]), (t[1, 0], t[1, 1], t[1, 2]), (t[2, 0], t[2, 1], t[2, 2])
        )


@given(any_points(4))
def test_a_proved_distance_is_never_more_than_the_distance(corners):
    result = np.empty(1)
    _proved(corners[:1], corners[None, 1:], result)
    proved = Fraction(float(result[0]))
    assert proved * proved <= exact.squared_distance_to_triangle(corners[0], corners[1:])


@given(st.integers(0, 2**32 - 1), st.floats(-12, 0))
def test_a_proved_distance_is_close_to_the_distance(seed, exponent):
    """Of points near faces, edges and corners of well-shaped triangles, down to a few roundings of their size."""
    rng = np.random.default_rng(seed)
    triangle = np.eye(3) + rng.uniform(-0.2, 0.2, (3, 3))
    weights = rng.dirichlet((1, 1, 1)) * rng.permutation([1, 1, seed % 2])
    point = weights / weights.sum() @ triangle + 10.0**exponent * rng.normal(size=3)
    result = np.empty(1)
    _proved(point[None], triangle[None], result)
    assert result[0] == pytest.approx(exact.distance_to_triangle(point, triangle), rel=1e-6, abs=1e-14)


@given(any_points(4))
def test_the_overlap_of_boxes_is_no_wider_than_said(corners):
    boxes = [np.concatenate([c.min(axis=0), c.max(axis=0)])[None] for c in (corners[:2], corners[2:])]
    overlap = box_overlaps(*boxes)[0]
    low, high = (exact.fractions([overlap[part]])[0] for part in (slice(0, 3), slice(3, 6)))
    truth = min(h - s for h, s in zip(high, low, strict=True))
    assert truth <= Fraction(float(overlap[6])) <= Fraction(float(np.nextafter(float(truth), np.inf)))
