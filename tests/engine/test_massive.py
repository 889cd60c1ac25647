"""Clustered meshes answer as the same meshes do in memory, byte by byte, within the memory they are given."""

import gc
import weakref

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from massive_cases import ask_everything, assert_same, assert_same_distance, some_soup
from meshclash.massive.cluster_candidates import candidate_steps
from meshclash.massive.operands import side_of
from meshclash.query.solvers.levels_of_detail import forget
from meshclash.types.steps import run
from oracles.mesh_generators import MAKERS
from oracles.pipes import pipes
from solids import box, moved, refined, torus
from strategies import grid_meshes, matrix, poses, rotation, soup

MEGABYTES = 1 << 20


def clustered(folder, mesh, name, size=16, memory=8 * MEGABYTES):
    mc.massive.ClusteredMesh.build(mesh, folder / name, cluster_triangles=size).close()
    return mc.massive.ClusteredMesh.open(folder / name, memory=memory)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("massive")


@st.composite
def larger_grid_meshes(draw):
    """Several clusters of 16: meshes on a grid beside and across each other, with vertices in common."""
    vertices, triangles = draw(grid_meshes(40))
    copies = draw(st.integers(1, 3))
    shifts = draw(st.lists(st.integers(0, 4), min_size=3 * copies, max_size=3 * copies))
    every = np.concatenate([vertices + np.array(shifts[3 * k : 3 * k + 3], float) for k in range(copies)])
    return every, np.concatenate([triangles + k * len(vertices) for k in range(copies)])


@pytest.mark.slow
@settings(max_examples=40)
@given(larger_grid_meshes(), larger_grid_meshes(), poses(), st.sampled_from((0.0, 0.5, 2.0)))
def test_any_meshes_give_the_same_bytes(folder, first, second, pose, tolerance):
    meshes = mc.TriangleMesh(*first), mc.TriangleMesh(*second)
    with clustered(folder, first, "a") as a, clustered(folder, second, "b") as b:
        ask_everything((a, b), meshes, pose, tolerance)
        ask_everything((a, meshes[1]), meshes, pose, tolerance)
        ask_everything((meshes[0], b), meshes, pose, tolerance)
        ask_everything((a, a), (meshes[0], meshes[0]), pose, tolerance)
        for touching in (True, False):
            assert_same(
                mc.self_collide(a, pose, touching=touching), mc.self_collide(meshes[0], pose, touching=touching)
            )


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 120), poses(), st.sampled_from((0.05, 0.5, 3.0)))
def test_soups_give_the_same_bytes(folder, seed, count, pose, size):
    rng = np.random.default_rng(seed)
    corners = some_soup(rng, count, size)
    corners[rng.integers(0, count, count // 3)] = corners[rng.integers(0, count, count // 3)]  # some twice
    mesh = mc.TriangleMesh(*soup(corners))
    with clustered(folder, corners, "soup") as found:
        ask_everything((found, found), (mesh, mesh), pose, 0.1)
        assert_same(mc.self_collide(found), mc.self_collide(mesh))


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_models_within_little_memory(folder, kind):
    rng = np.random.default_rng(5)
    first, second = MAKERS[kind](60_000, 1), MAKERS[kind](30_000, 2)
    meshes = mc.TriangleMesh(*first), mc.TriangleMesh(*second)
    size = float(np.ptp(first[0], axis=0).max())
    a, b = (clustered(folder, mesh, name, 512, 4 * MEGABYTES) for mesh, name in ((first, "large"), (second, "less")))
    with a, b:
        for shift in (0.0, 0.3, 0.9, 1.3):
            pose = matrix(rotation(rng), rng.normal(size=3) / np.sqrt(3.0) * shift * size)
            ask_everything((a, b), meshes, pose, 0.002 * size)
        assert_same(mc.self_collide(a), mc.self_collide(meshes[0]))
        stack = np.stack([matrix(shift=(d * size, 0, 0)) for d in (0.0, 0.6, 2.0)])
        assert_same(mc.collide(a, b, stack), mc.collide(*meshes, stack))
        assert (mc.collides(a, b, None, stack) == mc.collides(*meshes, None, stack)).all()
        together, alone = mc.distance(a, b, None, stack), [mc.distance(*meshes, None, pose) for pose in stack]
        assert together.distance.tolist() == [one.distance for one in alone]
        for mesh in (a, b):
            assert 0 < mesh.pages.most_bytes <= mesh.pages.memory and mesh.nbytes <= mesh.memory
        assert a.pages.loads > a.cluster_count, "pages were not given up, so memory was not short"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["scan", "pipes"])
def test_pages_no_block_of_which_comes_near_are_not_read(folder, kind):
    """Fewer pages than have boxes that meet, and the same bytes; also against an object in memory."""
    first, second = MAKERS.get(kind, pipes)(60_000, 1), MAKERS.get(kind, pipes)(8_000, 2)
    meshes = mc.TriangleMesh(*first), mc.TriangleMesh(*second)
    pose = matrix(shift=(0.02, 0.01, 0.3))
    rows = np.eye(4)[:3], pose[:3]
    for other in ("clustered", "memory"):
        a = clustered(folder, first, "large", 256, 64 * MEGABYTES)
        b = clustered(folder, second, "less", 256, 64 * MEGABYTES) if other == "clustered" else meshes[1]
        near = run(candidate_steps(side_of(a), side_of(b), *rows, 0.0))
        assert_same(mc.collide(a, b, None, pose), mc.collide(*meshes, None, pose))
        assert 0 < a.pages.loads < len(np.unique(near[:, 0]))
        loads = a.pages.loads
        ask_everything((a, b), meshes, pose, 0.01)
        ask_everything((b, a), meshes[::-1], pose, 0.01)
        assert a.pages.loads > loads, "a clearance needs more"
        for mesh in {a, b} - {meshes[1]}:
            mesh.close()


@pytest.mark.slow
def test_hierarchies_of_other_volumes_take_part_by_their_boxes(folder):
    ring = torus(1.0, 0.4)
    mesh = mc.TriangleMesh(*ring)
    with clustered(folder, ring, "ring") as found:
        other = mc.build(mesh, "sphere", leaf_size=20)
        assert_same(
            mc.collide(found, other, matrix(shift=(0.5, 0, 0))), mc.collide(mesh, mesh, matrix(shift=(0.5, 0, 0)))
        )


def test_objects_that_touch_in_one_place_far_away(folder):
    """A box's edge on a face, 1e6 m away: pages have origins of their own, and must agree with the whole."""
    plate, tip = refined(box((0, 0, 0), (8, 8, 1)), 4), box((0, 0, 0), (1, 1, 1))
    turn = np.array([[0.6, 0, 0.8], [0, 1, 0], [-0.8, 0, 0.6]])
    meshes = mc.TriangleMesh(*moved(plate, (1e6, 0, 0))), mc.TriangleMesh(*tip)
    with clustered(folder, moved(plate, (1e6, 0, 0)), "plate") as a, clustered(folder, tip, "tip") as b:
        for height in (1.0, 1.8, 1.8 + 2**-40, 1.7999999):
            ask_everything((a, b), meshes, matrix(turn, (1e6 + 3, 3, height)), 1e-6)


def test_distances_over_every_scale(folder):
    rng = np.random.default_rng(3)
    first, second = some_soup(rng, 300, 0.02), some_soup(rng, 200, 0.02)
    meshes = mc.TriangleMesh(*soup(first)), mc.TriangleMesh(*soup(second))
    with clustered(folder, first, "s") as a, clustered(folder, second, "t") as b:
        for far in (0.0, 1.05, 1.1, 3.0, 1e3, 1e9):
            pose = matrix(rotation(rng), (far, 0, 0))
            assert_same_distance(mc.distance(a, b, None, pose), mc.distance(*meshes, None, pose))


def test_meshes_of_equal_distances_name_the_pair_that_sorts_first(folder):
    """Two parallel plates: thousands of pairs are equally far apart."""
    plate = refined(box((0, 0, 0), (4, 4, 0.5)), 3)
    mesh = mc.TriangleMesh(*plate)
    with clustered(folder, plate, "plate") as found:
        for shift in ((0, 0, 2.0), (0.25, 0.5, 1.0), (8.0, 0, 0)):
            pose = matrix(shift=shift)
            assert_same_distance(mc.distance(found, found, None, pose), mc.distance(mesh, mesh, None, pose))


def test_what_clustered_meshes_do_not_have_is_refused(folder):
    ring = torus(1.0, 0.4)
    with clustered(folder, ring, "ring") as found:
        for query in (mc.collide, mc.collides, lambda *a, **k: mc.clearance(*a, 1.0, **k), mc.distance):
            with pytest.raises(mc.UnsupportedOption, match="boxes only"):
                query(found, found, volume="sphere")
            with pytest.raises(mc.DeviceUnavailable):
                query(found, found, device="cuda")
        with pytest.raises(mc.UnsupportedOption, match="voxels"):
            mc.collide(found, found, engine="voxels")
        with pytest.raises(mc.InvalidMesh, match="PointCloud"):
            mc.collide(found, mc.clouds.PointCloud(np.random.default_rng(1).normal(size=(200, 3))))
        with pytest.raises(mc.UnsupportedOption, match="start refers to triangles"):
            mc.distance(found, found, start=mc.distance(mc.TriangleMesh(*refined(ring)), mc.TriangleMesh(*ring)))
        start = mc.distance(found, found, None, matrix(shift=(4.0, 0, 0)))
        assert mc.distance(found, found, None, matrix(shift=(5.0, 0, 0)), start=start).distance > start.distance
    with pytest.raises(mc.UnsupportedOption, match="was closed"):
        mc.collide(found, found)


@pytest.mark.slow
def test_pages_that_were_given_up_take_no_memory_until_garbage_is_collected(folder):
    """Cycles of references would hold them: then a question takes many times what it was given."""
    ring = refined(torus(1.0, 0.4), 1)
    with clustered(folder, ring, "kept", 64) as a, clustered(folder, ring, "moved", 64) as b:
        mc.massive.MeshLevels.build(a).close()
        pose = matrix(shift=(0.3, 0.1, 0.05))
        questions = (
            lambda: mc.collide(a, b, None, pose), lambda: mc.clearance(a, b, 0.01, None, pose),
            lambda: mc.distance(a, b, None, matrix(shift=(0.0, 0.0, 2.0))), lambda: mc.self_collide(a),
            lambda: mc.massive.massive_collide(a, b, None, pose, epsilon=0.0), lambda: mc.collides(a, b, None, pose),
        )  # fmt: skip
        gc.collect()
        gc.disable()
        try:
            for question in questions:
                question()
                pages = [page for mesh in (a, b) for page in mesh.pages._pages.values()]
                held = [weakref.ref(page.hierarchy.mesh) for page in pages]
                assert len(held) > 5
                del pages
                forget(a, b)
                a.pages.forget()
                b.pages.forget()
                assert not any(one() for one in held)
        finally:
            gc.enable()


def test_memory_that_is_too_little_is_refused_with_the_number_that_is_needed(folder):
    with pytest.raises(mc.UnsupportedOption, match="memory must be at least"):
        mc.massive.ClusteredMesh.open(folder / "none", memory=1000)
    with mc.massive.ClusteredMesh.build(refined(box((0, 0, 0), (1, 1, 1)), 7), folder / "box", cluster_triangles=16384):
        pass
    with pytest.raises(mc.UnsupportedOption, match=r"box needs at least memory=\d+"):
        mc.massive.ClusteredMesh.open(folder / "box", memory=4 * MEGABYTES)
