"""What counts as a number, and masks, which NumPy would drop without a word."""

import math
from fractions import Fraction

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from meshclash.types.numbers import real_number, refuse_masked


@given(st.floats(allow_nan=False) | st.integers(-(2**53), 2**53))
def test_every_real_number_is_itself(number):
    given_as = [number, np.float64(number), np.array(float(number))]
    given_as += [] if math.isinf(number) else [Fraction(number)]
    given_as += [np.int64(number)] if isinstance(number, int) else []
    assert [real_number(one) for one in given_as] == [number] * len(given_as)


@pytest.mark.parametrize(
    "thing",
    ["1", b"1", True, np.True_, None, 1j, np.complex64(1), [], [1.0], (1,), np.array([1.0]), np.array("1"), {},
     math.nan, np.array(True), object()],
)  # fmt: skip
def test_anything_else_is_none(thing):
    assert math.isnan(real_number(thing))


def test_whole_numbers_beyond_doubles_are_infinite():
    assert real_number(10**400) == math.inf


@given(arrays(np.bool_, (5, 3)))
def test_the_first_masked_row_is_named(mask):
    values = np.ma.masked_array(np.zeros((5, 3)), mask=mask)
    rows = np.flatnonzero(mask.any(axis=1))
    if not len(rows):
        refuse_masked("points", values, mc.InvalidMesh)
        return
    with pytest.raises(mc.InvalidMesh, match=rf"^points: row {rows[0]} is masked \({len(rows)} in total\)"):
        refuse_masked("points", values, mc.InvalidMesh)


def test_masked_rows_of_points_normals_vertices_and_triangles_are_refused():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 3))
    masked = np.ma.masked_array(points, mask=np.indices((20, 3))[0] == 7)
    for name, made in (
        ("points", lambda: mc.clouds.PointCloud(masked)),
        ("normals", lambda: mc.clouds.PointCloud(points, masked)),
        ("the points to evaluate at", lambda: mc.clouds.PointCloud(points).evaluate(masked)),
    ):
        with pytest.raises(mc.clouds.InvalidPointCloud, match=f"{name}: row 7 is masked"):
            made()
    with pytest.raises(mc.InvalidMesh, match="vertices: row 7 is masked"):
        mc.TriangleMesh(masked, [(0, 1, 2)])
    with pytest.raises(mc.InvalidMesh, match="triangles: row 0 is masked"):
        mc.TriangleMesh(points, np.ma.masked_array([(0, 1, 2)], mask=[(False, True, False)]))
    with pytest.raises(mc.InvalidPose, match="a pose: row 2 is masked"):
        mc.Pose.from_matrix(np.ma.masked_array(np.eye(4), mask=np.eye(4, k=-2) * (np.indices((4, 4))[0] == 2)))
    assert np.array_equal(mc.clouds.PointCloud(np.ma.masked_array(points, mask=False)).points, points)


def test_whole_numbers_beyond_doubles_are_refused_by_name():
    with pytest.raises(mc.InvalidPose, match="cannot be read as numbers"):
        mc.Pose.from_matrix([[10**400] * 4] * 4)
    with pytest.raises(mc.InvalidMesh, match="vertices cannot be read as numbers"):
        mc.TriangleMesh([(10**400, 0, 0)] * 3, [(0, 1, 2)])
