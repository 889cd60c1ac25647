"""Primitives are closed, inscribed and as near to the true surface as asked."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

lengths, tolerances = st.floats(1e-3, 1e3), st.floats(1e-3, 0.3)


def volume(mesh):
    p, q, r = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    return float((np.cross(p, q) * r).sum() / 6.0)


def middles(mesh):
    """Points of the surface that are farthest from vertices."""
    corners = mesh.vertices[mesh.triangles]
    return np.concatenate([corners.mean(axis=1), *(0.5 * (corners[:, k] + corners[:, k - 1]) for k in range(3))])


@given(radius=lengths, tolerance=tolerances)
def test_a_sphere_is_inscribed_within_its_tolerance(radius, tolerance):
    mesh = mc.shapes.sphere(radius, tolerance)
    assert mesh.is_closed and volume(mesh) > 0.0
    assert np.linalg.norm(mesh.vertices, axis=1) == pytest.approx(np.full(mesh.vertex_count, radius))
    assert np.linalg.norm(middles(mesh), axis=1).min() >= radius * (1.0 - tolerance) * (1 - 1e-12)


@given(radius=lengths, length=lengths, tolerance=tolerances)
def test_round_solids_are_closed_and_have_nearly_the_volume_of_the_true_ones(radius, length, tolerance):
    solids = {
        mc.shapes.cylinder: np.pi * radius**2 * length,
        mc.shapes.cone: np.pi * radius**2 * length / 3.0,
        mc.shapes.capsule: np.pi * radius**2 * length + 4.0 / 3.0 * np.pi * radius**3,
    }
    for make, true in solids.items():
        mesh = make(radius, length, tolerance)
        assert mesh.is_closed
        assert true * (1.0 - tolerance) ** 3 <= volume(mesh) * (1 + 1e-9)
        assert volume(mesh) <= true * (1 + 1e-9)
        assert 0.5 * (mesh.bounds[0] + mesh.bounds[1])[2] == pytest.approx(0.0, abs=1e-9 * (radius + length))


def supports(radius, length, normals):
    """How far the true round solids reach along unit vectors (n, 3)."""
    across, up = radius * np.linalg.norm(normals[:, :2], axis=1), 0.5 * length * normals[:, 2]
    return {
        mc.shapes.sphere: np.full(len(normals), radius),
        mc.shapes.capsule: np.abs(up) + radius,
        mc.shapes.cylinder: np.abs(up) + across,
        mc.shapes.cone: np.maximum(up, across - up),
    }


@given(radius=lengths, length=lengths, tolerance=tolerances)
def test_circumscribed_solids_contain_the_true_ones_within_their_tolerance(radius, length, tolerance):
    """A convex mesh contains a convex solid when no plane of its faces cuts the solid."""
    for make in supports(radius, length, np.eye(3)):
        mesh = make(radius, *[length] * (make is not mc.shapes.sphere), tolerance, circumscribed=True)
        corners = mesh.vertices[mesh.triangles]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals /= np.linalg.norm(normals, axis=1)[:, None]
        reach = (normals * corners[:, 0]).sum(axis=1)
        true = supports(radius, length, normals)[make]
        assert mesh.is_closed and volume(mesh) > 0.0
        assert (reach >= true - 1e-14 * (radius + length)).all()
        directions = mesh.vertices / np.linalg.norm(mesh.vertices, axis=1)[:, None]
        outside = (mesh.vertices * directions).sum(axis=1) - supports(radius, length, directions)[make]
        assert outside.max() <= radius * tolerance * (1 + 1e-9) + 1e-12 * (radius + length)


@given(sides=st.tuples(lengths, lengths, lengths))
def test_a_box_has_its_sides(sides):
    mesh = mc.shapes.box(sides)
    assert np.ptp(mesh.bounds, axis=0) == pytest.approx(sides)
    assert volume(mesh) == pytest.approx(np.prod(sides)) and mesh.is_closed
    assert np.ptp(mc.shapes.box(sides[0]).bounds, axis=0) == pytest.approx([sides[0]] * 3)


def test_a_plane_is_an_open_sheet():
    mesh = mc.shapes.plane(4.0)
    assert not mesh.is_closed and np.ptp(mesh.bounds, axis=0) == pytest.approx([4, 4, 0])


@pytest.mark.parametrize(
    "ask",
    [
        lambda: mc.shapes.sphere(0.0),
        lambda: mc.shapes.sphere(np.nan),
        lambda: mc.shapes.sphere("1"),
        lambda: mc.shapes.sphere(1.0, 0.0),
        lambda: mc.shapes.sphere(1.0, "fine"),
        lambda: mc.shapes.capsule(1.0, -1.0),
        lambda: mc.shapes.cylinder(1.0, 0.0),
        lambda: mc.shapes.cone(-1.0, 1.0),
        lambda: mc.shapes.box([1, 2]),
        lambda: mc.shapes.box((1, 2, np.inf)),
        lambda: mc.shapes.plane(-1),
    ],
)
def test_wrong_lengths_are_refused_in_words(ask):
    with pytest.raises(mc.UnsupportedOption):
        ask()
