"""Which engine answers ``collide``: hierarchies or voxels, with the same bytes."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.query.solvers import voxels as engines
from oracles.mesh_generators import bumpy_sphere
from strategies import grid_meshes, poses

ENGINES = ("auto", "hierarchies", "voxels")
BALLS = [bumpy_sphere(3000, seed) for seed in (1, 2)]


def fresh(shift=0.0):
    """Two objects of which nothing is known yet."""
    (va, ta), (vb, tb) = BALLS
    return mc.TriangleMesh(va, ta), mc.TriangleMesh(vb + np.array([shift, 0.0, 0.0]), tb)


@pytest.fixture
def small_counts(monkeypatch):
    """Objects of some thousand triangles are large."""
    monkeypatch.setattr(engines, "_FEWEST", 1000)


def bytes_of(found):
    return found.pairs.tobytes(), found.kinds.tobytes(), found.pose.tobytes()


@given(grid_meshes(), grid_meshes(), poses(), st.booleans())
def test_every_engine_gives_the_same_bytes(first, second, pose, touching):
    a, b = mc.TriangleMesh(*first), mc.TriangleMesh(*second)
    found = {
        bytes_of(mc.collide(a, b, pose, None, touching=touching, device="cpu", engine=engine)) for engine in ENGINES
    }
    assert len(found) == 1


@pytest.mark.parametrize(("shift", "engine"), [(0.2, "hierarchies"), (1.9, "voxels"), (2.1, "voxels"), (9.0, "voxels")])
def test_auto_takes_voxels_where_little_is_in_common(small_counts, shift, engine):
    found = mc.collide(*fresh(shift), device="cpu")
    assert found.stats.engine == engine
    assert bytes_of(found) == bytes_of(mc.collide(*fresh(shift), device="cpu", engine="hierarchies"))


def test_only_the_first_question_goes_to_voxels(small_counts):
    a, b = fresh(1.9)
    asked = [mc.collide(a, b, device="cpu").stats.engine for _ in range(3)]
    assert asked == ["voxels", "hierarchies", "hierarchies"]
    moved = a.with_vertices(a.vertices), b.with_vertices(b.vertices)  # as a deformed frame is
    assert mc.collide(*moved, device="cpu").stats.engine == "voxels"


def test_what_is_prepared_or_small_is_asked_by_hierarchies(small_counts, monkeypatch):
    a, b = fresh(1.9)
    assert mc.collide(mc.build(a), mc.build(b), device="cpu").stats.engine == "hierarchies"
    assert mc.collide(a, b, volume="sphere", device="cpu").stats.engine == "hierarchies"
    stack = np.stack([np.eye(4)] * 2)
    assert mc.collide(*fresh(1.9), stack, device="cpu").stats.engine == "hierarchies"
    monkeypatch.setattr(engines, "_FEWEST", 1 << 20)
    assert mc.collide(*fresh(1.9), device="cpu").stats.engine == "hierarchies"


def test_a_prepared_object_and_a_new_one(small_counts):
    a, b = fresh(1.99)
    still = mc.build(b)
    found = mc.collide(a, still, device="cpu")
    assert found.stats.engine == "voxels"
    assert bytes_of(found) == bytes_of(mc.collide(a, still, device="cpu"))


def test_triangles_of_very_different_sizes_are_asked_by_hierarchies(small_counts):
    a, b = fresh(1.9)
    spike = np.array([[0.9, 0.0, 0.0], [500.0, 400.0, 0.0], [500.0, 0.0, 400.0]])
    with_spikes = mc.TriangleMesh(
        np.concatenate([a.vertices, spike]),
        np.concatenate([np.tile(len(a.vertices) + np.arange(3), (9, 1)), a.triangles]),
    )
    assert mc.collide(with_spikes, b, device="cpu").stats.engine == "hierarchies"
    assert engines._in_common_region([with_spikes, b], [np.eye(4)[:3], np.eye(4)[:3]]) == np.inf


def test_where_voxels_need_too_much_memory_hierarchies_answer(small_counts, monkeypatch):
    def refuse(*_arguments, **_options):
        raise mc.UnsupportedOption("more memory")

    monkeypatch.setattr(engines, "voxel_steps", refuse)
    found = mc.collide(*fresh(1.9), device="cpu")
    assert found.stats.engine == "hierarchies" and len(found)


def test_entries_count_as_memory():
    mesh = mc.TriangleMesh(*bumpy_sphere(20_000, 1))
    with pytest.raises(mc.UnsupportedOption, match="MiB"):
        mc.voxels.voxel_self_collide(mesh, resolution=64, memory=1 << 20)
    assert mc.voxels.voxel_self_collide(mesh, resolution=64, memory=1 << 24).apart


@pytest.mark.parametrize("wrong", ["trees", "", 5, None, ["auto"]])
def test_an_unknown_engine_is_refused(wrong):
    with pytest.raises(mc.UnsupportedOption, match=r"engine .* is not supported; expected one of auto"):
        mc.collide(*fresh(), engine=wrong)


def test_what_voxels_cannot_do_is_refused():
    a, b = fresh()
    cloud = mc.clouds.PointCloud(a.vertices)
    with pytest.raises(mc.UnsupportedOption, match="point clouds"):
        mc.collide(cloud, b, engine="voxels")
    with pytest.raises(mc.UnsupportedOption, match="volume"):
        mc.collide(a, b, volume="aabb", engine="voxels")
    with pytest.raises(mc.UnsupportedOption, match="stack"):
        mc.collide(a, b, np.stack([np.eye(4)] * 2), engine="voxels")
    with pytest.raises(mc.DeviceUnavailable):
        mc.collide(a, b, engine="voxels", device="cuda")
    with pytest.raises(mc.InvalidMesh):
        mc.collide(a, "b", engine="voxels")
