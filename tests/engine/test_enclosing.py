"""Enclosing spheres and capsules contain the mesh, judged in rational numbers, and keep the error that they state."""

from fractions import Fraction

import meshclash as mc
import numpy as np
import pytest
from exact import distance_to_triangle, dot, fractions, minus
from hypothesis import given, settings
from hypothesis import strategies as st
from solids import cell_body, open_box, tetrahedron, torus
from strategies import grid_meshes, matrix, rotation

SIZES = st.sampled_from([1e-9, 1.0, 1e5])
PLACES = st.sampled_from([0.0, 1.0, 1e7])
COUNTS = st.integers(1, 6)


@st.composite
def bodies(draw):
    """Vertices and triangles: soups, closed and open bodies, flat or not, of any size and anywhere."""
    solids = [open_box((0, 0, 0), (3, 1, 1)), torus(1.0, 0.25), tetrahedron((0, 0, 1), 0.0, 1.0)]
    mesh = draw(st.one_of(grid_meshes(), st.sampled_from(solids)))
    turn = rotation(np.random.default_rng(draw(st.integers(0, 99))))
    return mesh[0] @ turn.T * draw(SIZES) + draw(PLACES) * np.array([1.0, -1.0, 0.5]), mesh[1]


def exact_points(mesh, rng, count=40):
    """Random points of the triangles as fractions, half of them corners and points of edges."""
    for _ in range(count):
        corners = fractions(mesh.vertices[mesh.triangles[rng.integers(len(mesh.triangles))]])
        weights = [Fraction(int(weight)) for weight in rng.integers(0, 3, 3) * rng.integers(0, 1000, 3)]
        weights[rng.integers(3)] += 1
        yield tuple(
            sum(w * corner[k] for w, corner in zip(weights, corners, strict=True)) / sum(weights) for k in range(3)
        )


def in_spheres(point, found):
    return any(
        dot(minus(point, centre), minus(point, centre)) <= Fraction(radius) ** 2
        for centre, radius in zip(fractions(found.centres), found.radii.tolist(), strict=True)
    )


def in_capsule(point, found):
    """Whether a point lies within the radius of the segment, which is the pose's z axis."""
    place, axis = fractions([found.pose[:3, 3], found.pose[:3, 2]])
    half = Fraction(found.shape.length) / 2
    share = max(-half, min(half, dot(minus(point, place), axis) / dot(axis, axis)))
    apart = minus(point, tuple(p + share * a for p, a in zip(place, axis, strict=True)))
    return dot(apart, apart) <= Fraction(found.shape.radius) ** 2


@settings(max_examples=40, deadline=None)
@given(bodies(), COUNTS, st.integers(0, 999))
def test_every_point_of_the_surface_is_enclosed(body, count, seed):
    mesh, rng = mc.TriangleMesh(*body), np.random.default_rng(seed)
    spheres, capsule = mc.shapes.enclosing_spheres(mesh, count), mc.shapes.enclosing_capsule(mesh)
    assert 1 <= len(spheres.radii) <= count
    corners = fractions(mesh.vertices[np.unique(mesh.triangles)])
    for point in [*corners, *exact_points(mesh, rng)]:
        assert in_spheres(point, spheres)
        assert in_capsule(point, capsule)


@settings(max_examples=15, deadline=None)
@given(st.sets(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=12), COUNTS, PLACES, st.integers(0, 999))
def test_the_solid_is_enclosed(cells, count, place, seed):
    vertices, triangles = cell_body(sorted(cells))
    mesh, rng = mc.TriangleMesh(vertices + place, triangles), np.random.default_rng(seed)
    if not mesh.is_closed:
        return
    spheres, capsule = mc.shapes.enclosing_spheres(mesh, count), mc.shapes.enclosing_capsule(mesh)
    for _ in range(100):
        cell = np.array(sorted(cells))[rng.integers(len(cells))]
        (point,) = fractions([cell + rng.integers(0, 65, 3) / 64.0 + place])
        assert in_spheres(point, spheres)
        assert in_capsule(point, capsule)


def directions(rng, count):
    found = rng.normal(size=(count, 3))
    return found / np.linalg.norm(found, axis=1)[:, None]


def points_of(spheres, capsule, rng):
    """Points on the shapes, and their centres."""
    for centre, radius in zip(spheres.centres, spheres.radii, strict=True):
        yield spheres.error, centre + radius * directions(rng, 20)
    ends = capsule.pose[:3, 3] + np.linspace(-0.5, 0.5, 9)[:, None] * capsule.shape.length * capsule.pose[:3, 2]
    for end in ends:
        yield capsule.error, end + capsule.shape.radius * directions(rng, 10)


@settings(max_examples=20, deadline=None)
@given(grid_meshes(), COUNTS, SIZES, st.integers(0, 999))
def test_no_point_is_farther_outside_a_surface_than_the_error(body, count, size, seed):
    mesh, rng = mc.TriangleMesh(body[0] * size, body[1], shell=True), np.random.default_rng(seed)
    shapes = mc.shapes.enclosing_spheres(mesh, count), mc.shapes.enclosing_capsule(mesh)
    for error, points in points_of(*shapes, rng):
        for point in points[::4]:
            away = min(distance_to_triangle(point, corners) for corners in mesh.vertices[mesh.triangles])
            assert away <= error * (1.0 + 1e-12)


@settings(max_examples=20, deadline=None)
@given(st.tuples(*[st.floats(0.1, 2.0)] * 3), COUNTS, st.integers(0, 999))
def test_no_point_is_farther_outside_a_solid_than_the_error(sides, count, seed):
    box, rng = mc.shapes.box(sides), np.random.default_rng(seed)
    shapes = mc.shapes.enclosing_spheres(box, count), mc.shapes.enclosing_capsule(box)
    for error, points in points_of(*shapes, rng):
        away = np.linalg.norm(np.maximum(np.abs(points) - 0.5 * np.array(sides), 0.0), axis=1)
        assert away.max() <= error * (1.0 + 1e-12)


def test_more_spheres_come_closer():
    link = mc.shapes.capsule(0.2, 2.0, 0.01)
    errors = [mc.shapes.enclosing_spheres(link, count).error for count in (1, 4, 16)]
    assert errors[0] > 2.0 * errors[1] > 2.0 * errors[2]
    assert mc.shapes.enclosing_capsule(link).error < 0.01


@pytest.mark.parametrize("points", [[[1e7, 0, 0]] * 3, [[0, 0, 0], [2e-9, 0, 0], [1e-9, 0, 0]], [[5e-324, 0, 0]] * 3])
def test_a_mesh_without_area(points):
    mesh = mc.TriangleMesh(points, [[0, 1, 2]])
    spheres, capsule = mc.shapes.enclosing_spheres(mesh, 3), mc.shapes.enclosing_capsule(mesh)
    for point in fractions(mesh.vertices):
        assert in_spheres(point, spheres)
        assert in_capsule(point, capsule)
    assert spheres.error < 1e-6 + np.ptp(mesh.vertices)


def test_spheres_and_the_capsule_fit_into_a_scene():
    box = mc.shapes.box([4.0, 1.0, 1.0])
    spheres, scene = mc.shapes.enclosing_spheres(box, 4), mc.Scene()
    for shape, pose in spheres.placed():
        scene.add(shape, pose)
    capsule = mc.shapes.enclosing_capsule(box)
    scene.add(capsule.shape, capsule.pose)
    reach = matrix(shift=(2.0 + capsule.error, 0.0, 0.0))
    assert mc.distance(capsule.shape, mc.shapes.Sphere(0.0), capsule.pose, reach).distance < 0.01
    assert repr(spheres).startswith("EnclosingSpheres(4 spheres, error=") and "Capsule(" in repr(capsule)


@pytest.mark.parametrize("count", [0, -1, 1.5, 129, True, "2", None])
def test_a_count_must_be_a_whole_number(count):
    with pytest.raises(mc.UnsupportedOption, match="count must be a whole number from 1 to 128"):
        mc.shapes.enclosing_spheres(mc.shapes.box(1.0), count)


@pytest.mark.parametrize("ask", [mc.shapes.enclosing_spheres, mc.shapes.enclosing_capsule])
def test_what_is_no_mesh_is_refused(ask):
    with pytest.raises(mc.InvalidMesh, match="TriangleMesh or a Hierarchy"):
        ask(np.zeros((3, 3)))
    with pytest.raises(mc.InvalidMesh, match="no triangles"):
        ask((np.zeros((3, 3)), np.zeros((0, 3), int)))
    with pytest.raises(mc.InvalidMesh, match="vertex 0"):
        ask((np.full((3, 3), np.nan), [[0, 1, 2]]))
