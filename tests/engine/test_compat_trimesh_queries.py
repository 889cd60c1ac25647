"""trimesh's rays and nearest points, answered by this engine, beside trimesh's own."""

import numpy as np
import pytest

trimesh = pytest.importorskip("trimesh")
from meshclash.compat.trimesh import (  # noqa: E402
    ProximityQuery,
    RayMeshIntersector,
    closest_point,
    signed_distance,
)

BOX = trimesh.creation.box(extents=(2, 2, 2))
BALL = trimesh.creation.icosphere(subdivisions=2)


@pytest.fixture
def rays():
    rng = np.random.default_rng(1)
    return rng.uniform(-2, 2, (300, 3)), rng.normal(size=(300, 3))


def own_rays(mesh):
    """trimesh's own intersector without embree, which needs rtree."""
    pytest.importorskip("rtree")
    return trimesh.ray.ray_triangle.RayMeshIntersector(mesh)


@pytest.mark.parametrize("mesh", [BOX, BALL])
def test_rays_answer_as_the_original(mesh, rays):
    mine, own = RayMeshIntersector(mesh), own_rays(mesh)
    assert np.array_equal(mine.intersects_any(*rays), own.intersects_any(*rays))
    assert np.array_equal(mine.intersects_first(*rays), own.intersects_first(*rays))
    for multiple in (True, False):
        found = mine.intersects_location(*rays, multiple_hits=multiple)
        theirs = own.intersects_location(*rays, multiple_hits=multiple)
        order, other = (np.lexsort((tri, ray)) for _, ray, tri in (found, theirs))
        assert np.allclose(found[0][order], theirs[0][other])
        assert np.array_equal(found[1][order], theirs[1][other])
        assert np.array_equal(found[2][order], theirs[2][other])
        triangles, of, locations = mine.intersects_id(*rays, multiple_hits=multiple, return_locations=True)
        assert np.array_equal(triangles, found[2]) and np.array_equal(of, found[1])
        assert np.array_equal(locations, found[0])
        assert len(mine.intersects_id(*rays, multiple_hits=multiple)) == 2


def test_most_hits_of_each_ray_and_rays_without_a_direction():
    mine = RayMeshIntersector(BOX)
    starts, ways = np.full((3, 3), [-5.0, 0.1, 0.2]), np.array([[1.0, 0, 0], [0, 0, 0], [1.0, 0, 0]])
    assert mine.intersects_id(starts, ways)[1].tolist() == [0, 0, 2, 2]
    assert mine.intersects_id(starts, ways, max_hits=1)[1].tolist() == [0, 2]
    assert mine.intersects_any(starts, ways).tolist() == [True, False, True]
    assert (mine.intersects_first(starts, ways) >= 0).tolist() == [True, False, True]
    with pytest.raises(ValueError, match="don't match"):
        mine.intersects_any(starts[:2], ways)


def test_points_answer_as_the_original(rays):
    pytest.importorskip("rtree")
    points = rays[0]
    for mesh in (BOX, BALL):
        own, mine = trimesh.proximity.ProximityQuery(mesh), ProximityQuery(mesh)
        close, distance, triangle = mine.on_surface(points)
        theirs = own.on_surface(points)
        assert np.allclose(close, theirs[0]) and np.allclose(distance, theirs[1])
        assert np.allclose(trimesh.triangles.closest_point(mesh.triangles[triangle], points), close)
        assert np.allclose(mine.signed_distance(points), own.signed_distance(points))
        assert np.array_equal(signed_distance(mesh, points), mine.signed_distance(points))
        for a, b in zip(closest_point(mesh, points), (close, distance, triangle), strict=True):
            assert np.array_equal(a, b)
        for a, b in zip(mine.vertex(points), own.vertex(points), strict=True):
            assert np.allclose(a, b)
        inside = RayMeshIntersector(mesh).contains_points(points)
        assert np.array_equal(inside, own_rays(mesh).contains_points(points))


def test_a_mesh_that_changed_is_asked_as_it_is():
    mesh = trimesh.creation.box(extents=(2, 2, 2))
    mine, query = RayMeshIntersector(mesh), ProximityQuery(mesh)
    assert mine.intersects_location([[-5.0, 0.1, 0.2]], [[1.0, 0, 0]])[0][0, 0] == -1.0
    mesh.apply_scale(2.0)
    assert mine.intersects_location([[-5.0, 0.1, 0.2]], [[1.0, 0, 0]])[0][0, 0] == -2.0
    assert query.on_surface([[-5.0, 0.1, 0.2]])[1][0] == 3.0


def test_open_meshes_have_points_between_their_sheets():
    mesh = trimesh.Trimesh([[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 2], [4, 0, 2], [0, 4, 2]], [[0, 1, 2], [3, 4, 5]])
    found = RayMeshIntersector(mesh).contains_points([[1.0, 1.0, 1.0], [1.0, 1.0, 3.0], [9.0, 1.0, 1.0]])
    assert found.tolist() == [True, False, False]
