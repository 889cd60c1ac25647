"""Curves and outlines: on both triangles, with the right extent, always finite."""

import exact
import meshclash as mc
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from meshclash import ContactKind
from meshclash.geometry.intersection import contact_segments, overlap_outlines
from meshclash.geometry.triangle_pair import classify_triangle_pairs
from oracles.generators import CLASSES
from solids import box
from strategies import GRID, matrix, nudged_points, points, rotation, soup, triangle_pairs

NEAR = 1e-9


def extent(*triangles) -> float:
    corners = np.concatenate(triangles)
    return float((corners.max(axis=0) - corners.min(axis=0)).max())


def assert_on_both(a, b, segment):
    """Both ends within 1e-9 of the size of the pair."""
    limit = NEAR * extent(a, b) + 8 * np.spacing(np.abs([a, b]).max())
    for point in segment:
        assert exact.distance_to_triangle(point, a) <= limit
        assert exact.distance_to_triangle(point, b) <= limit


def check_pairs(a, b):
    kinds = classify_triangle_pairs(a, b)[0]
    meet = kinds != 0
    a, b, kinds = a[meet], b[meet], kinds[meet]
    segments, middles = contact_segments(a, b, kinds)
    assert np.isfinite(segments).all()
    assert np.isfinite(middles).all()
    for p, q, segment, middle in zip(a, b, segments, middles, strict=True):
        assert_on_both(p, q, segment)
        assert_on_both(p, q, middle[None])
    return kinds, segments


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CLASSES if name != "wide range"])
def test_ends_lie_on_both_triangles(name):
    kinds, _ = check_pairs(*CLASSES[name](np.random.default_rng(6), 300))
    assert len(kinds) > 0 or name == "coplanar apart"


@pytest.mark.slow
@settings(max_examples=300)
@given(nudged_points(6))
def test_ends_lie_on_both_triangles_of_a_grid(corners):
    check_pairs(corners[None, :3], corners[None, 3:])


@pytest.mark.slow
@settings(max_examples=300)
@given(triangle_pairs())
def test_always_finite(pair):
    """Whatever the magnitude, as long as a mesh may have it."""
    a, b = (side[None] for side in pair)
    assume(max(np.abs(a).max(), np.abs(b).max()) <= 1e30)
    kinds = classify_triangle_pairs(a, b)[0]
    if kinds[0]:
        segments, middles = contact_segments(a, b, kinds)
        assert np.isfinite(segments).all()
        assert np.isfinite(middles).all()
    if kinds[0] == ContactKind.COPLANAR:
        assert np.isfinite(overlap_outlines(a, b)[0]).all()


def test_segment_of_a_crossing_is_the_whole_common_piece():
    floor = np.array([[0.0, 0, 0], [8, 0, 0], [0, 8, 0]])
    wall = np.array([[1.0, 1, -2], [1, 1, 2], [3, 3, 0]])
    segment = contact_segments(floor[None], wall[None], np.array([ContactKind.CROSSING], np.uint8))[0][0]
    assert sorted(segment.tolist()) == [[1, 1, 0], [3, 3, 0]]


@pytest.mark.slow
@settings(max_examples=200)
@given(points(st.integers(-4, 4), 6))
def test_segment_is_as_long_as_the_exact_intersection(corners):
    """The common part of a triangle and the cut of the other, by clipping in fractions."""
    a, b = corners[:3], corners[3:]
    kind = classify_triangle_pairs(a[None], b[None])[0]
    assume(kind[0] == ContactKind.CROSSING)
    segment = contact_segments(a[None], b[None], kind)[0][0]
    assert np.linalg.norm(segment[1] - segment[0]) == pytest.approx(exact_length(a, b), rel=1e-9, abs=1e-9)


def exact_length(a, b) -> float:
    """Length of the intersection of two crossing triangles."""
    p, q = exact.fractions(a), exact.fractions(b)
    normal = exact.cross(exact.minus(q[1], q[0]), exact.minus(q[2], q[0]))
    heights = [exact.dot(normal, exact.minus(x, q[0])) for x in p]
    cut = []
    for i in range(3):
        u, v, hu, hv = p[i], p[(i + 1) % 3], heights[i], heights[(i + 1) % 3]
        if hu == 0:
            cut.append(u)
        if hu * hv < 0:
            cut.append(tuple(x + hu / (hu - hv) * (y - x) for x, y in zip(u, v, strict=True)))
    start, end = min(cut), max(cut)
    low, high = 0, 1
    for i in range(3):
        inwards = exact.cross(normal, exact.minus(q[(i + 1) % 3], q[i]))
        at = exact.dot(inwards, exact.minus(start, q[i]))
        slope = exact.dot(inwards, exact.minus(end, start))
        if slope > 0:
            low = max(low, -at / slope)
        elif slope < 0:
            high = min(high, -at / slope)
    along = exact.minus(end, start)
    return float(exact.dot(along, along)) ** 0.5 * float(high - low)


flat_corners = points(GRID, 6, 2)


@pytest.mark.slow
@settings(max_examples=300)
@given(flat_corners, st.integers(0, 2**32 - 1), st.booleans())
def test_outline_of_a_coplanar_overlap(corners, seed, tilted):
    """Its area is that of the exact intersection, and each corner lies in both triangles."""
    rng = np.random.default_rng(seed)
    basis = rng.integers(-4, 5, (2, 3)).astype(float) if tilted else np.eye(3)[[0, 1]]
    world = corners @ basis
    a, b = world[:3], world[3:]
    assume(classify_triangle_pairs(a[None], b[None])[0][0] == ContactKind.COPLANAR)
    outline = overlap_outlines(a[None], b[None])[0]
    assert len(outline) >= 3
    for corner in outline:
        assert_on_both(a, b, corner[None])
    expected = exact.polygon_area(exact.clipped_polygon(a, b))
    assert exact.polygon_area(exact.fractions(outline)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
@settings(max_examples=200)
@given(flat_corners)
def test_segment_of_a_coplanar_overlap_is_its_longest_span(corners):
    flat = np.column_stack([corners, np.zeros(6)])
    a, b = flat[:3], flat[3:]
    kind = classify_triangle_pairs(a[None], b[None])[0]
    assume(kind[0] == ContactKind.COPLANAR)
    segment = contact_segments(a[None], b[None], kind)[0][0]
    polygon = np.array(exact.clipped_polygon(a, b)).astype(float)
    spans = np.linalg.norm(polygon[:, None] - polygon[None], axis=2)
    assert np.linalg.norm(segment[1] - segment[0]) == pytest.approx(spans.max(), rel=1e-9)


def test_results_of_a_query_are_in_world_coordinates():
    """A stack of poses: every segment belongs to its own pose."""
    floor = np.array([[[0.0, 0, 0], [8, 0, 0], [0, 8, 0]]])
    wall = np.array([[[1.0, 1, -2], [1, 1, 2], [3, 3, 0]], [[0, 0, 0], [1, 0, 0], [0, 1, 0]]])
    a, b = mc.TriangleMesh(*soup(floor)), mc.TriangleMesh(*soup(wall))
    rng = np.random.default_rng(7)
    stack = np.stack([matrix(rotation(rng), rng.normal(size=3) * 10) for _ in range(4)])
    found = mc.collide(a, b, stack, stack)
    crossing = found.pairs[:, 1] == 0  # the other pair is flat, or not quite so after a rotation
    assert found.pose[crossing].tolist() == [0, 1, 2, 3]
    assert (found.kinds[crossing] == ContactKind.CROSSING).all()
    for segment, pose in zip(found.segments()[crossing], stack, strict=True):
        expected = mc.Pose.from_matrix(pose).apply([[1, 1, 0], [3, 3, 0]])
        assert np.allclose(segment, expected) or np.allclose(segment[::-1], expected)
    same_pose = mc.collide(a, b)
    index, outline = same_pose.outlines()[0]
    assert same_pose.kinds[index] == ContactKind.COPLANAR
    assert exact.polygon_area(exact.fractions(outline)) == 0.5
    assert len(same_pose.outlines()) == (same_pose.kinds == ContactKind.COPLANAR).sum() == 1


def test_joined_contacts_are_those_of_each():
    """Two boxes that share part of a face, and two that cross, each in several poses."""
    cube = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    shift = np.stack([matrix(np.eye(3), move) for move in ([1, 0.25, 0], [0.5, 0.5, 0.3])])
    found = [mc.collide(cube, cube, pose_b=pose) for pose in (*shift, shift)]
    parts = [(contacts, np.flatnonzero(contacts.kinds == ContactKind.CROSSING)) for contacts in found]
    joined = mc.Contacts.joined(parts)
    assert len(joined) > 10 and (joined.kinds == ContactKind.CROSSING).all()
    assert np.array_equal(joined.segments(), np.concatenate([contacts.segments(select) for contacts, select in parts]))
    parts = [(contacts, np.flatnonzero(contacts.kinds == ContactKind.COPLANAR)) for contacts in found]
    edges, pair = mc.Contacts.joined(parts).outline_edges()
    outlines = [outline for contacts, select in parts for _, outline in contacts.outlines(select)]
    expected = [np.stack((outline, np.roll(outline, -1, axis=0)), axis=1) for outline in outlines]
    assert np.array_equal(edges, np.concatenate(expected)) and len(edges) > 10
    assert pair.tolist() == [k for k, part in enumerate(expected) for _ in part]
