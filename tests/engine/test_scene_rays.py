"""Rays against scenes: as the rays against each of their objects, put together."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solids import box, torus
from strategies import matrix, rotation


def scene_of(rng, count):
    """A scene, and its objects with their poses, by id; some share a mesh."""
    meshes = [mc.TriangleMesh(*torus(3, 1)), mc.build(mc.TriangleMesh(*box((0, 0, 0), (2, 2, 2))))]
    scene, things = mc.Scene(), {}
    for k in range(count):
        mesh, pose = meshes[rng.integers(2)], matrix(rotation(rng), 4.0 * rng.normal(size=3))
        things[scene.add(mesh, pose, name=f"object {k}")] = mesh, pose
    gone = next(iter(things))
    scene.remove(gone)
    del things[gone]
    return scene, things


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), count=st.integers(2, 40))
def test_rays_meet_what_they_meet_of_each_object(seed, count):
    rng = np.random.default_rng(seed)
    scene, things = scene_of(rng, count)
    rays = 6.0 * rng.normal(size=(60, 3)), rng.normal(size=(60, 3)), rng.uniform(0.0, 20.0, 60)
    rays[1][:20] *= rng.integers(0, 2, (20, 3))  # parallel to a plane or an axis
    rays[1][~rays[1].any(axis=1)] = (0.0, 0.0, -1.0)
    rows = []
    for key, (mesh, pose) in things.items():
        hits = mc.ray_all(mesh, *rays, pose)
        rows += list(zip(hits.ray.tolist(), hits.distance.tolist(), [key] * len(hits), hits.triangle.tolist(),
                         hits.point.tolist(), hits.normal.tolist(), strict=True))  # fmt: skip
    rows.sort(key=lambda row: row[:4])
    found = scene.ray_all(*rays)
    told = zip(found.ray.tolist(), found.distance.tolist(), found.object.tolist(), found.triangle.tolist(),
               found.point.tolist(), found.normal.tolist(), strict=True)  # fmt: skip
    assert list(told) == rows
    counts = np.bincount(found.ray, minlength=60)
    assert np.array_equal(scene.ray_count(*rays), counts)
    assert np.array_equal(scene.ray_any(*rays), counts > 0)
    first = scene.ray_first(*rays)
    assert np.array_equal(first.hit, counts > 0)
    starts = np.searchsorted(found.ray, np.flatnonzero(first.hit))
    for name in ("distance", "triangle", "object", "point", "normal", "barycentric", "front"):
        assert np.array_equal(getattr(first, name)[first.hit], getattr(found, name)[starts]), name
    assert (first.object[~first.hit] == -1).all()
    some = list(things)[:1]
    assert np.array_equal(
        scene.ray_count(*rays, objects=some), mc.ray_count(things[some[0]][0], *rays, things[some[0]][1])
    )


@settings(max_examples=12)
@given(
    seed=st.integers(0, 2**32), count=st.integers(2, 70), scale=st.sampled_from([1e-60, 1e-9, 1.0, 1e7, 1e20]),
    far=st.sampled_from([0.0, 1.0, 1e6]), long=st.sampled_from([1e-30, 1.0, 1e29]),
)  # fmt: skip
def test_no_object_is_lost_among_many(seed, count, scale, far, long):
    """Boxes on a grid, whose faces and edges meet each other and the rays; every size, place and length."""
    rng = np.random.default_rng(seed)
    scene, mesh = (
        mc.Scene(),
        mc.build(mc.TriangleMesh(np.array(box((0, 0, 0), (1, 1, 1))[0]) * scale, box((0, 0, 0), (1, 1, 1))[1])),
    )
    poses = [matrix(shift=scale * (rng.integers(-3, 4, 3) + far)) for _ in range(count)]
    ids = [scene.add(mesh, pose) for pose in poses]
    directions = rng.integers(-1, 2, (30, 3)).astype(float)
    directions[~directions.any(axis=1)] = (1.0, 0.0, 0.0)
    rays = scale * (rng.integers(-8, 9, (30, 3)) / 2.0 + far), directions * long, rng.choice([np.inf, 4.0 * scale], 30)
    every = np.array([mc.ray_count(mesh, *rays, pose) for pose in poses])
    assert np.array_equal(scene.ray_count(*rays), every.sum(axis=0))
    assert np.array_equal(scene.ray_any(*rays), every.any(axis=0))
    firsts = np.array([mc.ray_first(mesh, *rays, pose).distance for pose in poses])
    first = scene.ray_first(*rays)
    assert np.array_equal(first.distance, firsts.min(axis=0))
    nearest = np.array(ids)[firsts.argmin(axis=0)]
    assert np.array_equal(first.object, np.where(np.isfinite(first.distance), nearest, -1))


def test_equal_surfaces_are_told_in_the_order_of_objects():
    scene, mesh = mc.Scene(), mc.TriangleMesh(*box((0, 0, 0), (2, 2, 2)))
    ids = [scene.add(mesh) for _ in range(3)]
    assert scene.ray_first((-1, 1.25, 0.5), (1, 0, 0)).object.tolist() == ids[:1]
    assert scene.ray_all((-1, 1.25, 0.5), (1, 0, 0), 2.0).object.tolist() == ids


def test_empty_scenes_and_objects_that_are_no_meshes():
    scene = mc.Scene()
    assert not scene.ray_first((0, 0, 0), (1, 0, 0)).hit.any()
    assert len(scene.ray_all((0, 0, 0), (1, 0, 0))) == 0
    assert scene.ray_count((0, 0, 0), (1, 0, 0)).tolist() == [0]
    assert scene.ray_any((0, 0, 0), (1, 0, 0)).tolist() == [False]
    mesh = scene.add(mc.TriangleMesh(*box((0, 0, 0), (2, 2, 2))), name="box")
    scene.add(mc.clouds.PointCloud(np.random.default_rng(1).normal(size=(20, 3))))
    with pytest.raises(mc.UnsupportedOption, match="a PointCloud"):
        scene.ray_any((-1, 1, 1), (1, 0, 0))
    assert scene.ray_any((-1, 1.5, 1), (1, 0, 0), objects=["box"]).tolist() == [True]
    with pytest.raises(mc.UnknownObject):
        scene.ray_any((-1, 1, 1), (1, 0, 0), objects=["ball"])
    scene.set_pose(mesh, matrix(shift=(9.0, 0.0, 0.0)))
    assert scene.ray_first((-1, 1.5, 1), (1, 0, 0), objects=["box"]).distance.tolist() == [10.0]
    scene.set_vertices(mesh, box((0, 0, 0), (4, 4, 4))[0])
    assert scene.ray_count((20, 3.5, 3), (-1, 0, 0), objects=["box"]).tolist() == [2]


def test_a_scene_that_changes_meanwhile_is_noticed():
    scene = mc.Scene()
    mesh = scene.add(mc.TriangleMesh(*box((0, 0, 0), (2, 2, 2))))
    asking = mc.steps(scene.ray_first, (0, 0, 0), (1, 0, 0))
    next(asking)
    scene.set_pose(mesh, None)
    with pytest.raises(mc.SceneChanged):
        mc.run(asking)
