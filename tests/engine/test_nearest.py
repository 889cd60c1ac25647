"""The nearest triangles of points, against fractions; signs against exact winding numbers."""

import exact
import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.traversal import nearest_triangles
from meshclash.types.pose import matched_poses, transform_points
from oracles.point_oracle import exact_windings
from solids import box, gear, open_box, sheet, torus
from strategies import GRID, grid_meshes, points, poses

MESHES = {"torus": torus(3, 1), "gear": gear(4, 9, 0, 1), "open": open_box((0, 0, 0), (2, 2, 2))}


def check(mesh, corners, asked, k, limit, **where):
    """The k nearest triangles within a limit, against the distances to all triangles by fractions."""
    found = mc.nearest(mesh, asked, k=k, upper_limit=limit, **where)
    shape = (len(asked),) if k == 1 else (len(asked), k)
    assert found.distance.shape == found.triangle.shape == found.feature.shape == shape
    assert found.point.shape == found.barycentric.shape == found.normal.shape == (*shape, 3)
    size = np.abs(corners).max() + np.abs(asked).max()
    distances, triangles, places, weights = (
        part.reshape(len(asked), k, -1) for part in (found.distance, found.triangle, found.point, found.barycentric)
    )
    for i, p in enumerate(asked):
        every = np.array([exact.distance_to_triangle(p, triangle) for triangle in corners])
        expected = np.sort(every)[:k]
        expected = np.concatenate([expected, np.full(k - len(expected), np.inf)])
        if limit < np.inf:
            beside = np.abs(expected - limit) < 1e-12 * size
            expected = np.where(beside, distances[i, :, 0], np.where(expected > limit, np.inf, expected))
        assert np.allclose(distances[i, :, 0], expected, rtol=0.0, atol=1e-12 * size)
        known = triangles[i, :, 0] >= 0
        assert known.tolist() == np.isfinite(distances[i, :, 0]).tolist()
        chosen = triangles[i, known, 0]
        assert len(set(chosen.tolist())) == len(chosen)
        assert np.allclose(every[chosen], distances[i, known, 0], rtol=0.0, atol=1e-12 * size)
        assert np.isnan(places[i, ~known]).all()
        assert np.allclose(np.linalg.norm(places[i, known] - p, axis=1), distances[i, known, 0], atol=1e-12 * size)
        made = (weights[i, known][:, :, None] * corners[chosen]).sum(axis=1)
        assert np.allclose(made, places[i, known], atol=1e-9 * size)


@settings(max_examples=60)
@given(
    grid_meshes(), st.integers(1, 5).flatmap(lambda n: points(GRID, n)), st.integers(1, 4), st.sampled_from((0, 1, 9))
)
def test_triangles_on_a_grid_are_those_of_fractions(mesh, asked, k, limit):
    vertices, triangles = mesh
    check(mc.TriangleMesh(vertices, triangles), vertices[triangles], asked, k, float(limit))


@pytest.mark.parametrize("name", MESHES)
@settings(max_examples=6)
@given(
    seed=st.integers(0, 2**32), size=st.sampled_from([1.0, 1e-30, 1e20]), far=st.sampled_from([0.0, 1.0, 1e4]),
    k=st.sampled_from([1, 3]), limit=st.sampled_from([0.3, np.inf]),
)  # fmt: skip
def test_triangles_of_bodies_are_those_of_fractions(name, seed, size, far, k, limit):
    rng = np.random.default_rng(seed)
    vertices, triangles = MESHES[name]
    vertices = vertices * size
    asked = vertices[rng.integers(0, len(vertices), 4)] + size * rng.normal(size=(4, 3)) * [[far], [1.0], [0.1], [0.0]]
    mesh = mc.TriangleMesh(vertices, triangles)
    for tree in (mesh, mc.build(mesh, leaf_size=20), mc.build(mesh, "sphere")):
        check(tree, vertices[triangles], asked, k, limit * size)


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32), pose=poses())
def test_a_posed_mesh_answers_as_its_world_coordinates(seed, pose):
    rng = np.random.default_rng(seed)
    vertices, triangles = MESHES["torus"]
    world = transform_points(matched_poses(pose, None)[0][0], vertices)
    asked = world[rng.integers(0, len(world), 50)] + rng.normal(size=(50, 3))
    posed = mc.nearest(mc.TriangleMesh(vertices, triangles), asked, pose, k=2)
    still = mc.nearest(mc.TriangleMesh(world, triangles), asked, k=2)
    assert np.array_equal(posed.distance, still.distance)
    assert np.array_equal(posed.triangle, still.triangle)


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32), k=st.sampled_from([1, 2]))
def test_signs_are_those_of_the_winding_number(seed, k):
    rng = np.random.default_rng(seed)
    vertices, triangles = MESHES["torus"]
    asked = np.concatenate([rng.uniform(-5, 5, (40, 3)), vertices[:5], vertices[triangles[:5, :2]].mean(axis=1)])
    mesh = mc.TriangleMesh(vertices, triangles)
    found = mc.nearest(mesh, asked, k=k, signed=True)
    first = found.distance.reshape(len(asked), k)[:, 0]
    assert np.array_equal(first, mc.signed_distance(mesh, asked).distance)
    off = first != 0.0
    assert (np.sign(first[off]) == np.where(exact_windings(vertices[triangles], asked[off]) != 0, -1.0, 1.0)).all()
    plain = mc.nearest(mesh, asked, k=k)
    assert np.allclose(np.abs(found.distance), plain.distance, rtol=0.0, atol=1e-14)
    assert np.array_equal(found.triangle, plain.triangle)


def test_a_surface_that_bounds_nothing_has_no_signs():
    mesh = mc.TriangleMesh(*sheet((0, 0), (1, 1), 0.0, 4))
    assert mc.nearest(mesh, [[0.3, 0.4, 2.0]]).distance.tolist() == [2.0]
    with pytest.raises(mc.NotASolid):
        mc.nearest(mesh, [[0.3, 0.4, 2.0]], signed=True)


def test_what_is_told_of_a_nearest_point():
    mesh = mc.TriangleMesh(*box((0, 0, 0), (2, 2, 2)))
    found = mc.nearest(mesh, [[3.0, 0.5, 0.25], [3.0, 3.0, 0.5], [-1.0, -1.0, -1.0], [40.0, 0.0, 0.0]], upper_limit=9.0)
    assert found.distance.tolist() == [1.0, np.sqrt(2.0), np.sqrt(3.0), np.inf]
    assert found.feature.tolist() == [3, 2, 1, 0]
    assert found.normal[0].tolist() == [1.0, 0.0, 0.0]
    assert found.point[:3].tolist() == [[2.0, 0.5, 0.25], [2.0, 2.0, 0.5], [0.0, 0.0, 0.0]]
    assert len(found) == 4
    assert len(mc.nearest(mesh, np.empty((0, 3)), k=3)) == 0
    assert (mc.nearest(mesh, [[3.0, 0.5, 0.25]], k=20).triangle[0] >= 0).sum() == 12


@pytest.mark.parametrize(
    ("options", "says"), [({"k": 0}, "k must be"), ({"k": 1.5}, "k must"), ({"upper_limit": -1}, "upper_limit"),
                          ({"signed": "yes"}, "signed")],
)  # fmt: skip
def test_wrong_options_are_refused(options, says):
    mesh = mc.TriangleMesh(*box((0, 0, 0), (2, 2, 2)))
    with pytest.raises(mc.UnsupportedOption, match=says):
        mc.nearest(mesh, [[0, 0, 0]], **options)


@pytest.mark.needs_jit
def test_threads_and_slices_change_nothing(monkeypatch):
    rng = np.random.default_rng(1)
    mesh = mc.TriangleMesh(*torus(3, 1))
    asked = rng.uniform(-5, 5, (3000, 3))
    expected = mc.nearest(mesh, asked, k=2)
    monkeypatch.setattr(nearest_triangles, "_SHARED_FROM", 1)
    monkeypatch.setattr(nearest_triangles, "COMPILED_FOR", 1)
    monkeypatch.setattr(nearest_triangles, "_SLICE", 1024)
    for threads in (1, 2):
        again = mc.nearest(mesh, asked, k=2, threads=threads)
        for name in ("distance", "triangle", "point"):
            assert np.array_equal(getattr(expected, name), getattr(again, name))
    told = []
    mc.run(mc.steps(mc.nearest, mesh, asked, threads=1), told.append)
    assert len(told) > 2
