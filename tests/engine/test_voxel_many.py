"""Many objects in one grid, and an object against itself, by voxels."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.mesh_generators import bumpy_sphere
from solids import box
from strategies import grid_meshes, matrix, poses

BOX = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
SPHERES = [mc.TriangleMesh(*bumpy_sphere(2000, seed)) for seed in (1, 2, 3)]


@given(grid_meshes(), poses(), st.sampled_from(({}, {"resolution": 1}, {"voxel_size": 0.3})), st.booleans())
def test_an_object_against_itself_is_self_collide(mesh, pose, fineness, touching):
    a = mc.TriangleMesh(*mesh)
    expected = mc.self_collide(a, pose, touching=touching, device="cpu")
    found = mc.voxels.voxel_self_collide(a, pose, touching=touching, **fineness)
    assert np.array_equal(found.pairs, expected.pairs)
    assert np.array_equal(found.kinds, expected.kinds)


def test_a_surface_that_crosses_itself():
    vertices, triangles = bumpy_sphere(3000, 1)
    both = mc.TriangleMesh(
        np.concatenate([vertices, vertices + 0.7]), np.concatenate([triangles, triangles + len(vertices)])
    )
    expected = mc.self_collide(both, device="cpu")
    assert len(expected) > 50
    assert np.array_equal(mc.voxels.voxel_self_collide(both).pairs, expected.pairs)


def test_objects_that_share_voxels_are_those_of_each_pair():
    rng = np.random.default_rng(1)
    places = [matrix(shift=rng.uniform(-1.5, 1.5, 3)) for _ in range(9)]
    things = [SPHERES[k % 3] for k in range(9)]
    found = mc.voxels.voxel_overlaps(things, places, voxel_size=0.05)
    listed = {tuple(pair): k for k, pair in enumerate(found.pairs.tolist())}
    assert 3 < len(listed) < 36
    for j in range(9):
        for i in range(j):
            alone = mc.voxels.voxel_collide(things[i], things[j], places[i], places[j], voxel_size=0.05, mode="voxels")
            expected = {tuple(v) for v in np.round(alone.boxes[:, 0] / 0.05).astype(int).tolist()}
            if (i, j) not in listed:
                assert alone.apart
            else:  # also voxels beyond the region of the two
                k = listed[i, j]
                assert {tuple(v) for v in np.round(found.boxes(k)[:, 0] / 0.05).astype(int).tolist()} >= expected
                assert found.counts[k] == len(found.voxels(k)) > 0
                assert found.closer_than(k) == pytest.approx(0.05 * 3**0.5, rel=1e-4)
                gap = mc.distance(things[i], things[j], places[i], places[j]).distance
                assert gap <= found.closer_than(k)
                contacts = mc.collide(things[i], things[j], places[i], places[j], device="cpu")
                for side in (0, 1):
                    assert np.isin(contacts.pairs[:, side], found.primitives(k, side)).all()


def test_clouds_share_voxels_wherever_their_surfaces_meet():
    rng = np.random.default_rng(2)
    sphere = rng.normal(size=(3000, 3))
    cloud = mc.clouds.PointCloud(sphere / np.linalg.norm(sphere, axis=1, keepdims=True))
    for shift, meets in ((0.5, True), (1.5, True), (3.5, False)):
        place = matrix(shift=(shift, 0, 0))
        found = mc.voxels.voxel_overlaps([cloud, SPHERES[0], cloud], [None, place, place], voxel_size=0.1)
        assert ([0, 2] in found.pairs.tolist()) == meets == bool(mc.collides(cloud, cloud, None, place))
        assert ([0, 1] in found.pairs.tolist()) == meets
        assert [1, 2] in found.pairs.tolist()
        if meets:
            points = found.primitives(0, 0)
            inside = cloud.corrected_points[points] - found.boxes(0).mean(axis=1)[:, None]
            assert len(points) > 10
            assert np.abs(inside).max(axis=2).min(axis=0).max() <= 0.05 + cloud.horizon * 1.001


def test_nothing_to_share():
    assert len(mc.voxels.voxel_overlaps([])) == 0
    far = mc.voxels.voxel_overlaps([BOX, BOX], [None, matrix(shift=(5, 0, 0))])
    assert len(far) == 0 and far.grid is None and far.counts.shape == (0,)
    assert "0 pairs" in repr(far)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: mc.voxels.voxel_overlaps(5), mc.InvalidMesh, "things must be a list"),
        (lambda: mc.voxels.voxel_overlaps([BOX, "x"]), mc.InvalidMesh, r"things\[1\]: expected"),
        (lambda: mc.voxels.voxel_overlaps([BOX], []), mc.UnsupportedOption, "a pose for each of the 1 objects"),
        (lambda: mc.voxels.voxel_overlaps([BOX], [np.stack([np.eye(4)] * 2)]), mc.UnsupportedOption, r"poses\[0\]"),
        (lambda: mc.voxels.voxel_overlaps([BOX, BOX], voxel_size=0), mc.UnsupportedOption, "voxel_size"),
        (lambda: mc.voxels.voxel_self_collide(BOX, resolution=0), mc.UnsupportedOption, "resolution"),
        (lambda: mc.voxels.voxel_self_collide(None), mc.InvalidMesh, "a: expected"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(call, error, says):
    with pytest.raises(error, match=says):
        call()
