"""Curves along which surfaces cross: joined, closed where both surfaces are, as long as they must be."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st


def moved(*place):
    pose = np.eye(4)
    pose[:3, 3] = place
    return pose


def turned(angles, place):
    pose = moved(*place)
    for axis, angle in enumerate(angles):
        i, j = [k for k in range(3) if k != axis]
        turn = np.eye(4)
        turn[i, i] = turn[j, j] = np.cos(angle)
        turn[i, j], turn[j, i] = -np.sin(angle), np.sin(angle)
        pose = pose @ turn
    return pose


def test_the_corner_of_a_box_leaves_one_closed_curve_of_known_length():
    box = mc.shapes.box(2.0)
    (curve,) = mc.manifold.intersection_curves(mc.collide(box, box, pose_b=moved(1.1, 1.2, 1.3)))
    assert curve.closed and len(curve.pairs) == len(curve.points)
    assert curve.length == pytest.approx(2 * (0.9 + 0.8 + 0.7))


def test_a_rod_through_a_plate_leaves_two_rings():
    plate, rod = mc.shapes.box((4.0, 4.0, 0.5)), mc.shapes.cylinder(0.5, 3.0)
    curves = mc.manifold.intersection_curves(mc.collide(plate, rod, pose_b=moved(0.1, 0.2, 0.3)))
    assert [curve.closed for curve in curves] == [True, True]
    assert curves[0].length == pytest.approx(curves[1].length) == pytest.approx(np.pi, rel=0.05)


def test_curves_of_an_open_surface_end_at_its_border():
    sheet = mc.TriangleMesh([(-3, -3, 0), (0.1, -3, 0), (0.1, 3, 0), (-3, 3, 0)], [(0, 1, 2), (0, 2, 3)])
    (curve,) = mc.manifold.intersection_curves(mc.collide(sheet, mc.shapes.box(2.0)))
    assert not curve.closed and len(curve.pairs) == len(curve.points) - 1
    assert curve.length == pytest.approx(2 + 2 * 1.1)


def test_what_does_not_cross_has_no_curves():
    box = mc.shapes.box(1.0)
    assert mc.manifold.intersection_curves(mc.collide(box, box, pose_b=moved(1, 0, 0))) == []
    assert mc.manifold.intersection_curves(mc.collide(box, box, pose_b=moved(5, 0, 0))) == []


angle = st.floats(-3, 3)
shift = st.floats(-0.9, 0.9)


@given(st.tuples(angle, angle, angle), st.tuples(shift, shift, shift), st.sampled_from(("box", "cylinder", "sphere")))
def test_closed_surfaces_cross_along_closed_curves_that_hold_every_piece(angles, place, name):
    other = {"box": mc.shapes.box(1.0), "cylinder": mc.shapes.cylinder(0.4, 2.0), "sphere": mc.shapes.sphere(0.6)}[name]
    hits = mc.collide(mc.shapes.box(1.0), other, pose_b=turned(angles, place))
    if (hits.kinds != int(mc.ContactKind.CROSSING)).any():
        return  # no general position
    curves = mc.manifold.intersection_curves(hits)
    assert all(curve.closed for curve in curves)
    segments = hits.segments()
    pieces = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1)
    long = pieces > 1e-7
    used = np.concatenate([curve.pairs for curve in curves]) if curves else np.empty(0, int)
    assert len(np.unique(used)) == len(used) and set(np.flatnonzero(long)) <= set(used.tolist())
    assert sum(curve.length for curve in curves) == pytest.approx(pieces.sum(), abs=1e-6)
