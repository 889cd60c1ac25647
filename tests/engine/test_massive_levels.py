"""Levels of clustered meshes: their bounds hold both ways, builds go on, and damaged files are refused."""

import math
import random
import tracemalloc
import zlib

import meshclash as mc
import numpy as np
import pytest
from hausdorff import farthest, is_too_small
from hypothesis import given, settings
from hypothesis import strategies as st
from massive_cases import all_triangles, some_soup
from meshclash.massive import level_build, level_layout
from meshclash.massive.weld import welded
from node_files import made_wrong
from oracles.mesh_generators import MAKERS
from solids import refined, torus
from strategies import grid_meshes

RING = refined(torus(1.0, 0.4), 1)
MEGABYTES = 1 << 20


def built(path, source, size=64):
    mesh = mc.massive.ClusteredMesh.build(source, path, cluster_triangles=size)
    return mesh, mc.massive.MeshLevels.build(mesh)


def part_of(level, number):
    data = level.pages.read(number)
    return data.vertices[data.corners].astype(np.float64)


def clusters_of(mesh, begin, end):
    parts = (mesh.pages.read(number) for number in range(begin, end))
    return np.concatenate([data.vertices[data.corners] for data in parts]).astype(np.float64)


@pytest.fixture(scope="module")
def ring(tmp_path_factory):
    mesh, levels = built(tmp_path_factory.mktemp("levels") / "ring.mcl", RING)
    with mesh, levels:
        yield mesh, levels


@pytest.mark.slow
@settings(max_examples=15)
@given(grid_meshes(60), st.sampled_from((0.1, 0.5, 2.0, 100.0)), st.sampled_from((np.float32, np.float64)))
def test_bounds_of_each_part_hold_both_ways(tmp_path_factory, mesh, error, kind):
    vertices, triangles = mesh
    mesh, levels = built(tmp_path_factory.mktemp("any") / "a.mcl", (vertices.astype(kind), triangles), 16)
    with mesh, levels:
        level = levels.level(error)
        for k, (begin, end) in enumerate(level.runs):
            part, whole = part_of(level, k), clusters_of(mesh, begin, end)
            assert not is_too_small(level.outs[k], whole, part)
            assert not is_too_small(level.backs[k], part, whole)


@pytest.mark.slow
@pytest.mark.needs_jit
@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_models_are_within_their_bounds(tmp_path, kind):
    vertices, triangles = MAKERS[kind](6000, 1)
    mesh, levels = built(tmp_path / "a.mcl", (vertices.astype(np.float32), triangles), 128)
    size = float(np.ptp(vertices, axis=0).max())
    with mesh, levels:
        counts = []
        for error in (0.0, 0.002 * size, 0.02 * size, 0.1 * size):
            level = levels.level(error)
            counts.append(level.triangle_count)
            assert (level.outs + level.backs <= error).all() and level.out == level.outs.max()
            for k in range(0, level.cluster_count, 5):
                part, whole = part_of(level, k), clusters_of(mesh, *level.runs[k])
                assert farthest(whole, part, 2) <= level.outs[k] * (1.0 + 1e-9) + 1e-12
                assert farthest(part, whole, 2) <= level.backs[k] * (1.0 + 1e-9) + 1e-12
        assert counts == sorted(counts, reverse=True) and counts[-1] < 0.3 * counts[0]


def test_parts_stand_for_each_cluster_once(ring):
    mesh, levels = ring
    for error in (0.0, 1e-3, 0.01, 0.05, 0.3, 100.0):
        level = levels.level(error)
        assert level.runs[0, 0] == 0 and level.runs[-1, 1] == mesh.cluster_count
        assert (level.runs[1:, 0] == level.runs[:-1, 1]).all()
        level.verify()
    assert levels.level(100.0).cluster_count < mesh.cluster_count // 8


def test_the_finest_level_has_the_triangles_of_the_mesh(ring):
    mesh, levels = ring
    level = levels.level(0.0)
    assert (level.out, level.back) == (0.0, 0.0)
    found, expected = (all_triangles(one)[0].reshape(-1, 9).tolist() for one in (level, mesh))
    assert sorted(found) == sorted(expected)


def test_a_level_to_be_looked_at_is_as_fine_as_its_triangles_allow(ring):
    mesh, levels = ring
    for most in (10, 300, 700, 1200, 10_000):
        level = levels.shown(most)
        assert level.triangle_count <= most or level.triangle_count == levels.level(100.0).triangle_count
        vertices, triangles = level.loaded()
        corners, _ = all_triangles(level)
        assert len(triangles) == level.triangle_count
        assert sorted(vertices[triangles].reshape(-1, 9).tolist()) == sorted(corners.reshape(-1, 9).tolist())
    assert levels.shown(10_000).triangle_count == mesh.triangle_count
    for wrong in (0, 1.5, True, "many"):
        with pytest.raises(mc.UnsupportedOption, match="most"):
            levels.shown(wrong)
    for wrong in ((0, 0), (0, 0, math.nan), "here", [[0, 0, 0]]):
        with pytest.raises(mc.UnsupportedOption, match="eye"):
            levels.shown(10, wrong)


def distances(bounds, eye):
    """From an eye to the nearest points of boxes (n, 6)."""
    nearest = np.clip(eye, bounds[:, :3], bounds[:, 3:])
    return np.linalg.norm(nearest - eye, axis=1)


def errors_of_clusters(level):
    """Of the part that stands for each cluster of the mesh."""
    return np.repeat(level.outs + level.backs, level.runs[:, 1] - level.runs[:, 0])


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(100, 1100))
def test_no_even_level_of_as_many_triangles_looks_better(ring, seed, most):
    mesh, levels = ring
    away = np.random.default_rng(seed).normal(size=3)
    eye = mesh.bounds.mean(axis=0) + away / np.linalg.norm(away) * np.ptp(mesh.bounds, axis=0).max()
    shown, even = levels.shown(most, eye), levels.shown(most)
    assert shown.triangle_count <= most or shown.triangle_count == levels.level(100.0).triangle_count
    worst_of_shown, worst_of_even = (
        ((level.outs + level.backs) / distances(level.pages.table["bounds"], eye)).max() for level in (shown, even)
    )
    assert worst_of_shown <= worst_of_even * (1.0 + 1e-9)


def test_what_is_near_one_eye_and_far_from_another_is_finer_for_the_first(ring):
    mesh, levels = ring
    middle, beside = mesh.bounds.mean(axis=0), np.array([0.55 * np.ptp(mesh.bounds[:, 0]), 0.0, 0.0])
    left, right = middle - beside, middle + beside
    errors = [errors_of_clusters(levels.shown(900, eye)) for eye in (left, right)]
    to_left, to_right = (distances(mesh.pages.table["bounds"], eye) for eye in (left, right))
    for near, far, here, there in ((to_left, to_right, *errors), (to_right, to_left, *errors[::-1])):
        some = near < 0.5 * far
        assert some.sum() > 5 and here[some].mean() < 0.5 * there[some].mean()


def test_a_level_is_asked_as_any_clustered_mesh(ring):
    _, levels = ring
    level = levels.level(0.05, memory=4 * MEGABYTES)
    corners, _ = all_triangles(level)
    mesh = mc.TriangleMesh(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))
    pose = np.eye(4)
    pose[:3, 3] = 0.4, 0.1, 0.0
    assert mc.collide(level, level, None, pose).pairs.tobytes() == mc.collide(mesh, mesh, None, pose).pairs.tobytes()
    pose[0, 3] = 9.0
    assert mc.distance(level, mesh, None, pose).distance == mc.distance(mesh, mesh, None, pose).distance
    assert levels.level(0.05, memory=4 * MEGABYTES) is level and level.nbytes <= level.memory


def test_a_soup_that_does_not_simplify_keeps_its_triangles(tmp_path):
    mesh, levels = built(tmp_path / "a.mcl", some_soup(np.random.default_rng(1), 800, 0.01))
    with mesh, levels:
        assert (levels.node_count, levels.triangle_count) == (0, 0)
        assert levels.level(1.0).triangle_count == 800
        levels.verify()


def cracked(mesh, crack):
    """The corners of a mesh's triangles, each moved by so much or less, so that none is shared."""
    corners = mesh[0][mesh[1]]
    return corners + np.random.default_rng(3).uniform(-crack, crack, corners.shape) / 2.0


@pytest.mark.needs_jit
@pytest.mark.parametrize("build", [mc.massive.MeshLevels.build, mc.lab.ProgressiveMeshes.build])
def test_a_soup_with_cracks_is_simplified_where_a_tolerance_says_so(tmp_path, build):
    soup = cracked(RING, 1e-6)
    with mc.massive.ClusteredMesh.build(soup, tmp_path / "a.mcl", cluster_triangles=64) as mesh:
        with build(mesh) as levels:
            assert "weld tolerance" in levels.note
        with build(mesh, weld=5e-6) as levels:
            assert levels.note == "" and levels.triangle_count > 0
            assert all_triangles(mesh)[0].tobytes() == soup.tobytes(), "the mesh stays as it is"
        for wrong in (-1e-9, math.nan, math.inf, "1 mm"):
            with pytest.raises(mc.UnsupportedOption, match="weld"):
                build(mesh, weld=wrong)


@pytest.mark.needs_jit
def test_bounds_of_what_was_welded_hold_both_ways(tmp_path):
    soup = cracked(RING, 2e-3)
    with (
        mc.massive.ClusteredMesh.build(soup, tmp_path / "a.mcl", cluster_triangles=64) as mesh,
        mc.massive.MeshLevels.build(mesh, weld=5e-3) as levels,
    ):
        assert levels.level(0.3).triangle_count < 0.3 * len(soup)
        assert levels.level(0.3).cluster_count < mesh.cluster_count
        for error in (0.08, 0.3):
            level = levels.level(error)
            for k, (begin, end) in enumerate(level.runs):
                part, whole = part_of(level, k), clusters_of(mesh, begin, end)
                assert not is_too_small(level.outs[k], whole, part)
                assert not is_too_small(level.backs[k], part, whole)


@given(st.integers(1, 60), st.sampled_from((1e-9, 1e-3, 0.1, 0.5, 10.0)), st.integers(0, 1000))
def test_no_vertex_is_welded_farther_than_the_tolerance(count, tolerance, seed):
    rng = np.random.default_rng(seed)
    vertices = np.unique(np.round(rng.uniform(-1, 1, (count, 3)), rng.integers(0, 4)), axis=0) * 10.0 ** rng.integers(3)
    stands, moved = welded(vertices, tolerance)
    ways = np.linalg.norm(vertices - vertices[stands], axis=1)
    assert ways.max() <= moved <= tolerance * (1.0 + 1e-12) and (stands[stands] == stands).all()
    kept = vertices[np.unique(stands)]
    apart = np.linalg.norm(kept[:, None] - kept, axis=2) + np.diag(np.full(len(kept), np.inf))
    assert (apart > tolerance).all(), "what is near enough is welded"


def test_what_simplifies_beside_what_does_not(tmp_path):
    vertices, triangles = RING
    scattered = some_soup(np.random.default_rng(1), 500, 0.01) + 5.0
    mesh, levels = built(tmp_path / "a.mcl", np.concatenate([vertices[triangles], scattered]))
    with mesh, levels:
        assert 500 < levels.level(0.2).triangle_count < 0.7 * (500 + len(triangles))


@pytest.mark.slow
def test_all_levels_take_few_bytes(tmp_path):
    vertices, triangles = MAKERS["scan"](40_000, 1)
    mesh, levels = built(tmp_path / "a.mcl", (vertices.astype(np.float32), triangles), 2048)
    with mesh, levels:
        size = mesh.path.stat().st_size + levels.path.stat().st_size
        assert levels.path == tmp_path / "a.mcl.levels" and size <= 25 * len(triangles)
        assert not list(tmp_path.glob("*.building"))


def test_a_build_goes_on_where_it_was(ring, tmp_path, monkeypatch):
    for name in ("_BATCH", "_BETWEEN_NOTES"):
        monkeypatch.setattr(level_build, name, 8)
    expected = ring[1].path.read_bytes()
    (tmp_path / "a.mcl").write_bytes(ring[0].path.read_bytes())
    with mc.massive.ClusteredMesh.open(tmp_path / "a.mcl") as mesh:
        rests = []
        for stop in (8, 6, 1):
            steps = mc.steps(mc.massive.MeshLevels.build, mesh)
            rests.append(next(steps).fraction)
            for _ in range(stop):
                next(steps)
            steps.close()
        assert rests == sorted(rests) and rests[-1] > 0.3
        with pytest.raises(mc.InvalidFile, match="No such file"):
            mc.massive.MeshLevels.open(mesh)
        mc.massive.MeshLevels.build(mesh).close()
    assert (tmp_path / "a.mcl.levels").read_bytes() == expected
    assert not list(tmp_path.glob("*.building"))


@pytest.mark.needs_jit
@pytest.mark.parametrize(("batch", "threads"), [(4, 1), (16, 2), (64, 2)])
def test_the_file_is_the_same_for_any_number_of_threads(ring, tmp_path, monkeypatch, batch, threads):
    monkeypatch.setattr(level_build, "_BATCH", batch)
    for name in ("_SHARED_FROM", "_COMPILED_FOR"):
        monkeypatch.setattr(level_build, name, 0)
    (tmp_path / "a.mcl").write_bytes(ring[0].path.read_bytes())
    with (
        mc.massive.ClusteredMesh.open(tmp_path / "a.mcl") as mesh,
        mc.massive.MeshLevels.build(mesh, threads=threads) as levels,
    ):
        assert levels.path.read_bytes() == ring[1].path.read_bytes()


@pytest.mark.parametrize("lost", ["stack-*", "mesh", "journal.json"])
def test_a_build_whose_files_were_lost_begins_anew(ring, tmp_path, monkeypatch, lost):
    for name in ("_BATCH", "_BETWEEN_NOTES"):
        monkeypatch.setattr(level_build, name, 8)
    (tmp_path / "a.mcl").write_bytes(ring[0].path.read_bytes())
    with mc.massive.ClusteredMesh.open(tmp_path / "a.mcl") as mesh:
        steps = mc.steps(mc.massive.MeshLevels.build, mesh)
        for _ in range(9):
            next(steps)
        steps.close()
        for path in (tmp_path / "a.mcl.levels.building").glob(lost):
            path.write_bytes(path.read_bytes()[:10])
        mc.massive.MeshLevels.build(mesh).close()
    assert (tmp_path / "a.mcl.levels").read_bytes() == ring[1].path.read_bytes()


def answers(mesh):
    """What levels say, or that they are refused."""
    try:
        with mc.massive.MeshLevels.open(mesh) as levels:
            return [all_triangles(levels.level(error))[0].tobytes() for error in (0.01, 0.1)]
    except mc.InvalidFile as error:
        assert ".levels" in str(error)
        return None


@pytest.fixture
def copied(ring, tmp_path):
    (tmp_path / "a.mcl").write_bytes(ring[0].path.read_bytes())
    (tmp_path / "a.mcl.levels").write_bytes(ring[1].path.read_bytes())
    with mc.massive.ClusteredMesh.open(tmp_path / "a.mcl") as mesh:
        yield mesh, tmp_path / "a.mcl.levels"


@pytest.mark.slow
@pytest.mark.parametrize("part", ["header", "pages", "table"])
def test_a_flipped_bit_is_an_error(copied, part):
    mesh, path = copied
    raw, rng, expected = path.read_bytes(), random.Random(1), answers(mesh)
    table_at = int.from_bytes(raw[32:40], "little")
    low, high = {"header": (0, 256), "pages": (256, table_at), "table": (table_at, len(raw))}[part]
    for _ in range(150):
        damaged = bytearray(raw)
        damaged[rng.randrange(low, high)] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        found = answers(mesh)
        assert found is None or (part == "pages" and found == expected)
        if found is not None:  # a node that no level needed
            with mc.massive.MeshLevels.open(mesh) as levels, pytest.raises(mc.InvalidFile, match="is damaged"):
                levels.verify()


def test_a_file_that_was_cut_off_or_grew_is_an_error(copied):
    mesh, path = copied
    raw, rng = path.read_bytes(), random.Random(2)
    for count in [*range(0, 300, 13), *(rng.randrange(len(raw)) for _ in range(40)), len(raw) - 1]:
        path.write_bytes(raw[:count])
        assert answers(mesh) is None
    path.write_bytes(raw + b"\0")
    assert answers(mesh) is None
    path.write_bytes(raw)
    with mc.massive.MeshLevels.open(mesh) as levels:
        level = levels.level(0.1)
        with path.open("r+b") as stream:
            stream.truncate(1000)
        with pytest.raises(mc.InvalidFile, match="the file ends here"):
            level.verify()


def test_levels_of_another_mesh_are_refused(copied, tmp_path):
    _, path = copied
    moved = RING[0] + 1e-9, RING[1]
    with mc.massive.ClusteredMesh.build(moved, tmp_path / "b.mcl", cluster_triangles=64) as other:
        (tmp_path / "b.mcl.levels").write_bytes(path.read_bytes())
        with pytest.raises(mc.InvalidFile, match="belong to a different mesh"):
            mc.massive.MeshLevels.open(other)


@given(st.data())
def test_a_file_made_wrong_on_purpose_is_refused_or_harmless(ring, tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("made")
    (folder / "a.mcl").write_bytes(ring[0].path.read_bytes())
    raw = data.draw(made_wrong(ring[1].path.read_bytes(), level_layout.NODE))
    (folder / "a.mcl.levels").write_bytes(raw)
    with mc.massive.ClusteredMesh.open(folder / "a.mcl") as mesh:
        tracemalloc.start()
        answers(mesh)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 100 * (len(raw) + mesh.path.stat().st_size)


def test_the_format_is_that_of_the_document(ring):
    """Read by its description in docs/massive.md alone."""
    mesh, levels = ring
    raw = levels.path.read_bytes()
    assert raw[:8] == b"\x89MESHLVL"
    version, mark = np.frombuffer(raw, "<u4", 2, 8)
    nodes, triangles, table_at, size, of_mesh, clusters, mesh_bytes = np.frombuffer(raw, "<u8", 7, 16).tolist()
    assert (version, mark, size, size - table_at) == (1, 0x01020304, len(raw), 104 * nodes)
    assert (nodes, triangles) == (levels.node_count, levels.triangle_count)
    original = mesh.path.read_bytes()
    assert (of_mesh, clusters, mesh_bytes) == (mesh.triangle_count, mesh.cluster_count, len(original))
    assert raw[72:76] == original[120:124]
    assert int.from_bytes(raw[76:80], "little") == zlib.crc32(raw[table_at:])
    assert int.from_bytes(raw[252:256], "little") == zlib.crc32(raw[:252]) and not any(raw[80:252])
    end = 256
    for k in range(nodes):
        row = raw[table_at + 104 * k : table_at + 104 * (k + 1)]
        at, first, count = (int.from_bytes(row[i : i + 8], "little") for i in (0, 24, 32))
        length, crc, m, n = np.frombuffer(row, "<u4", 4, 8).tolist()
        out, back, *box = np.frombuffer(row, "<f8", 8, 40).tolist()
        page = raw[at : at + length]
        assert at == end and zlib.crc32(page) == crc and length == -(-6 * (m + n) // 8) * 8
        end = at + length
        low, high = np.array(box[:3]), np.array(box[3:])
        places = np.minimum(low + np.frombuffer(page, "<u2", 3 * n).reshape(-1, 3) * ((high - low) / 65535), high)
        part = places[np.frombuffer(page, "<u2", 3 * m, 6 * n).reshape(-1, 3)]
        whole = clusters_of(mesh, first, first + count)
        if count <= 8:
            assert farthest(whole, part, 1) <= out * (1.0 + 1e-9) and farthest(part, whole, 1) <= back * (1.0 + 1e-9)
    assert end == table_at


def test_wrong_arguments(ring, tmp_path):
    _, levels = ring
    for thing in (None, RING, mc.TriangleMesh(*RING), levels.level(0.1)):
        with pytest.raises(mc.UnsupportedOption, match="levels can be built for a ClusteredMesh"):
            mc.massive.MeshLevels.open(thing)
    for error in (-1e-9, float("nan"), float("inf"), "fine", None):
        with pytest.raises(mc.UnsupportedOption, match="error must be a length"):
            levels.level(error)
    with pytest.raises(mc.UnsupportedOption, match="memory must be"):
        levels.level(0.1, memory=100)
    with (
        mc.massive.ClusteredMesh.build(RING, tmp_path / "a.mcl") as other,
        pytest.raises(mc.InvalidFile, match="No such file"),
    ):
        mc.massive.MeshLevels.open(other)
    with pytest.raises(mc.UnsupportedOption, match="closed"):
        mc.massive.MeshLevels.build(other)
    with pytest.raises(mc.UnsupportedOption, match="threads must be"):
        mc.massive.MeshLevels.build(levels.mesh, threads=0)
    assert "nodes" in repr(levels) and "clusters" in repr(levels.level(0.1))


def test_closed_files_say_so(copied):
    mesh, _ = copied
    levels = mc.massive.MeshLevels.open(mesh)
    level = levels.level(0.1)
    levels.close()
    with pytest.raises(mc.UnsupportedOption, match="levels were closed"):
        level.verify()
