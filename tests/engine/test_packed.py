"""Single questions about prepared meshes go a shorter way, by records of addresses: same answers, same errors."""

import concurrent.futures
import gc
import weakref

import meshclash as mc
import numpy as np
import pytest
from meshclash.hierarchy import build as build_module
from meshclash.jit import config
from meshclash.query.shortcuts.record import record_of
from solids import box as box_arrays
from solids import torus as torus_arrays
from strategies import matrix, rotation

pytestmark = pytest.mark.skipif(config.DISABLE_JIT, reason="uncompiled code has no records")


def box():
    return mc.TriangleMesh(*box_arrays((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)))


def torus():
    return mc.TriangleMesh(*torus_arrays(0.6, 0.25))


def poses(count, reach, seed=1):
    rng = np.random.default_rng(seed)
    return [matrix(rotation(rng), rng.normal(size=3) * reach) for _ in range(count)]


@pytest.fixture
def prepared():
    meshes = box(), torus()
    mc.collides(*meshes)
    assert all(record_of(mesh) is not None for mesh in meshes)
    return meshes


def test_answers_are_those_of_a_stack(prepared):
    many = poses(300, 0.8)
    for pair in (prepared, prepared[::-1], prepared[:1] * 2):
        for touching in (True, False):
            assert [mc.collides(*pair, None, p, touching=touching) for p in many] == mc.collides(
                *pair, None, np.stack(many), touching=touching
            ).tolist()
        stack = mc.distance(*pair, None, np.stack(many))
        for k, pose in enumerate(many):
            found = mc.distance(*pair, None, pose)
            assert found.distance == stack.distance[k]
            assert (found.triangle_a, found.triangle_b) == (stack.triangle_a[k], stack.triangle_b[k])
            assert found.point_a.tobytes() == stack.point_a[k].tobytes()
            assert found.point_b.tobytes() == stack.point_b[k].tobytes()


def test_poses_of_every_kind_mean_the_same(prepared):
    a, b = prepared
    for pose in poses(20, 0.7):
        wanted = mc.collides(a, b, None, pose), mc.distance(a, b, None, pose).distance
        frozen = pose.copy()
        frozen.flags.writeable = False
        kinds = (
            frozen, np.asfortranarray(pose), np.repeat(pose, 2, axis=1)[:, ::2], pose.tolist(), pose[:3],
            (pose[:3, :3], pose[:3, 3]), mc.Pose.from_matrix(pose), pose.astype(">f8"),
        )  # fmt: skip
        for kind in kinds:
            assert (mc.collides(a, b, None, kind), mc.distance(a, b, None, kind).distance) == wanted
            assert mc.collides(b, a, kind) == wanted[0]
            assert mc.collides(a, b) == mc.collides(a, b, np.eye(4), np.eye(4))  # nothing of a pose stays


def test_wrong_questions_are_refused_as_without_records(prepared):
    fresh = box(), torus()
    wrong_poses = (
        np.full((4, 4), np.nan), np.diag([2.0, 1, 1, 1]), np.diag([-1.0, 1, 1, 1]), np.eye(3), np.zeros((0, 4, 4)),
        np.eye(4) * 1e31, "pose", np.diag([1.0, 1, 1, 2]), np.eye(4) + 0j,
    )  # fmt: skip
    for ask in (mc.collides, mc.distance):
        for wrong in wrong_poses:
            said = []
            for pair in (fresh, prepared):
                with pytest.raises(mc.MeshClashError) as caught:
                    ask(*pair, None, wrong)
                said.append((type(caught.value), str(caught.value)))
                fresh = box(), torus()
            assert said[0] == said[1]
        for option in ({"volume": "egg"}, {"threads": 0}, {"device": "tpu"}, {"device": None}, {"volume": "sphere"}):
            if option != {"volume": "sphere"}:
                with pytest.raises(mc.UnsupportedOption):
                    ask(*prepared, **option)
            else:
                assert bool(ask(*prepared, **option)) in (True, False)
        with pytest.raises(mc.InvalidMesh):
            ask(prepared[0], np.eye(3))
    with pytest.raises(mc.UnsupportedOption):
        mc.collides(*prepared, touching=2)


def test_a_refitted_hierarchy_has_another_record():
    mesh, other = box(), box()
    hierarchy = mc.build(mesh)
    shift = matrix(shift=(3, 0, 0))
    assert not mc.collides(hierarchy, other, None, shift)
    assert mc.distance(hierarchy, other, None, shift).distance == 2.0
    before = record_of(hierarchy)
    mc.refit(hierarchy, mesh.vertices + np.array((2.5, 0, 0)), in_place=True)
    assert record_of(hierarchy) is None
    assert mc.collides(hierarchy, other, None, shift)
    assert record_of(hierarchy) is not before
    assert mc.distance(hierarchy, other, None, shift).distance == 0.0
    assert mc.distance(hierarchy, other).distance == 1.5


def test_a_tree_that_use_improves_is_still_built(monkeypatch):
    monkeypatch.setattr(build_module, "_FEWEST_TRIANGLES", 1)
    mesh, pose = torus(), matrix(rotation(np.random.default_rng(3)), (0.3, 0.2, 0.1))
    assert mc.collides(mesh, mesh, None, pose)
    hierarchy = build_module.as_hierarchy(mesh)
    assert hierarchy.split == "lbvh"
    hierarchy.parts.usage.volume_tests = 1e9
    assert record_of(mesh) is None
    assert mc.collides(mesh, mesh, None, pose)
    assert hierarchy.split == "sah"
    assert record_of(mesh) is not None


@pytest.mark.slow
def test_a_record_keeps_its_arrays_and_a_mesh_is_freed():
    hierarchy = mc.build(torus())
    mc.collides(hierarchy, hierarchy)
    record, index = record_of(hierarchy), hierarchy.parts
    arrays = [weakref.ref(array) for array in (index.wide.nodes, index.wide.coordinates, index.tree.order)]
    arrays += [weakref.ref(array) for array in index.mesh.arrays]
    mesh = weakref.ref(index.mesh)
    hierarchy.parts = None
    del index, hierarchy
    gc.collect()
    assert all(array() is not None for array in arrays)
    del record
    gc.collect()
    assert mesh() is None


def test_calls_of_several_threads_do_not_mix(prepared):
    many = poses(400, 0.9, seed=5)
    wanted = (
        [mc.collides(*prepared, None, pose) for pose in many],
        [mc.distance(*prepared, None, p).distance for p in many],
    )

    def ask(_):
        return (
            [mc.collides(*prepared, None, pose) for pose in many],
            [mc.distance(*prepared, None, pose).distance for pose in many],
        )

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(found == wanted for found in pool.map(ask, range(4)))


def test_the_start_of_a_distance_is_taken(prepared):
    many = poses(100, 1.5, seed=7)
    last = None
    for pose in many:
        cold, last = mc.distance(*prepared, None, pose), mc.distance(*prepared, None, pose, start=last)
        assert last.distance == cold.distance
        rough = mc.distance(*prepared, None, pose, relative_error=0.5, start=last)
        assert cold.distance <= rough.distance <= 2.0 * cold.distance
        assert mc.distance(*prepared, None, pose).distance == cold.distance  # the error was for one question
