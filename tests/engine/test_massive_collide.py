"""`massive_collide` misses nothing, names nothing in vain, and answers the same whatever it remembers."""

import gc
import math
import zlib

import massive_answers
import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from massive_cases import assert_same, check, expected, path_of, some_soup
from meshclash.lab.progressive import layout as progressive_layout
from meshclash.lab.progressive.build import box_around
from meshclash.massive import coverage, level_layout
from meshclash.massive.batches import batches
from meshclash.query.solvers import levels_of_detail as massive
from oracles.mesh_generators import MAKERS
from solids import refined, sheet, torus
from strategies import grid_meshes, matrix, poses, rotation

MEGABYTES = 1 << 20


BUILDS = {"dag": mc.massive.MeshLevels.build, "pm": mc.lab.ProgressiveMeshes.build}
COLLIDES = {"dag": mc.massive.massive_collide, "pm": mc.lab.progressive_collide}
both_modes = pytest.mark.parametrize("mode", sorted(BUILDS))


def built(path, mesh, size=16, mode="dag"):
    clustered = mc.massive.ClusteredMesh.build(mesh, path, cluster_triangles=size)
    BUILDS[mode](clustered).close()
    return clustered


@pytest.mark.slow
@both_modes
@settings(max_examples=30)
@given(grid_meshes(60), grid_meshes(60), poses(), st.sampled_from((0.0, 0.3)), st.sampled_from((0.0, 0.1, 0.7, 3.0)))
def test_nothing_is_missed_and_nothing_named_in_vain(tmp_path_factory, mode, first, second, pose, delta, epsilon):
    folder = tmp_path_factory.mktemp("any")
    meshes = mc.TriangleMesh(*first), mc.TriangleMesh(*second)
    with built(folder / "a", first, mode=mode) as a, built(folder / "b", second, mode=mode) as b:
        for things, originals in (((a, b), meshes), ((a, meshes[1]), meshes), ((meshes[0], b), meshes),
                                  ((a, a), (meshes[0],) * 2), (meshes, meshes)):  # fmt: skip
            found = COLLIDES[mode](*things, None, pose, delta=delta, epsilon=epsilon)
            check(found, things, originals, pose)
            assert_same(found.resolve(), expected(originals, delta, pose))


@pytest.fixture(scope="module", params=[("dag", 30_000, 20_000, 256), ("pm", 8_000, 6_000, 128)], ids=["dag", "pm"])
def models(request, tmp_path_factory):
    """A mode, two models in files and in memory, and their size; building progressive meshes takes longer."""
    mode, *counts, size = request.param
    folder = tmp_path_factory.mktemp("models")
    made = [MAKERS[kind](count, k) for k, (kind, count) in enumerate(zip(("bumpy", "part"), counts, strict=True))]
    things = [built(folder / str(k), mesh, size, mode) for k, mesh in enumerate(made)]
    with things[0], things[1]:
        yield mode, things, [mc.TriangleMesh(*mesh) for mesh in made], float(np.ptp(made[0][0], axis=0).max())


@pytest.mark.slow
@pytest.mark.needs_jit
@pytest.mark.parametrize("epsilon", [0.0, 4e-4, 2e-3, 1e-2, 0.05, 0.1])
def test_models_with_many_epsilons(models, epsilon):
    mode, things, meshes, size = models
    rng = np.random.default_rng(3)
    for shift in (0.0, 0.7, 0.95, 1.05, 1.4):
        pose = matrix(rotation(rng), rng.normal(size=3) / np.sqrt(3.0) * shift * size)
        for delta in (0.0, 0.004 * size):
            options = {"delta": delta, "epsilon": epsilon * size, "memory": 8 * MEGABYTES}
            found = COLLIDES[mode](*things, None, pose, **options)
            check(found, things, meshes, pose)
            assert_same(found.resolve(), expected(meshes, delta, pose))


def forget_pages(things):
    """Have the next question read its pages, those that it cannot do without."""
    for thing in things:
        for mesh in (thing, *found_beside(thing)):
            mesh.pages.forget()


def found_beside(thing):
    """The levels and the meshes at stops that are open."""
    for ending, files in thing.beside.items():
        yield from files._kept.values() if ending == ".levels" else filter(None, [files._stops])


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "epsilon"), [("dag", 0.0), ("pm", 0.02)])
def test_pages_no_block_of_which_comes_near_are_not_read(tmp_path, monkeypatch, mode, epsilon):
    mesh = refined(torus(1.0, 0.4), 2)
    pose = matrix(rotation(np.random.default_rng(1)), (1.1, 0.9, 0.3))
    found = []
    for tolerance in ((lambda far: far), (lambda far: None)):
        monkeypatch.setattr(
            coverage, "batches", lambda a, b, rows, pairs, far, t=tolerance: batches(a, b, rows, pairs, t(far))
        )
        with built(tmp_path / "a", mesh, 64, mode) as a, built(tmp_path / "b", mesh, 64, mode) as b:
            one = COLLIDES[mode](a, b, None, pose, epsilon=epsilon)
            pages = [mesh.pages for thing in (a, b) for mesh in (thing, *found_beside(thing))]
            found.append((one, sum(part.loads for part in pages)))
    (one, read), (other, read_all) = found
    assert len(one) and one.stats.primitive_tests < other.stats.primitive_tests and read < read_all
    for name in ("clusters_a", "clusters_b", "lower", "upper"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


@pytest.mark.slow
@pytest.mark.needs_jit
@pytest.mark.parametrize("moving", ["b", "both"])
def test_frames_with_coherence_are_those_from_scratch(models, moving):
    mode, things, _, size = models
    rng = np.random.default_rng(5)
    fewer, more = np.zeros(2), np.zeros(2)
    for k, way in enumerate(path_of(rng, size, 500)):
        first = matrix(rotation(rng) if k == 100 else None, (1e-3 * k * size, 0.0, 0.0)) if moving == "both" else None
        pose = way if first is None else first @ way
        options = {"delta": (0.0, 0.003)[k > 250] * size, "epsilon": (0.0, 0.002, 0.05)[k // 60 % 3] * size}
        found = COLLIDES[mode](*things, first, pose, **options)
        kept = massive._memories.pop(things[0])
        if k % 9 == 0:
            forget_pages(things)
        scratch = COLLIDES[mode](*things, first, pose, **options)
        massive._memories[things[0]] = kept
        for name in ("clusters_a", "clusters_b", "lower", "upper"):
            assert getattr(found, name).tobytes() == getattr(scratch, name).tobytes(), (k, name)
        assert found.answer == scratch.answer
        fewer += found.stats.volume_tests, found.stats.primitive_tests
        more += scratch.stats.volume_tests, scratch.stats.primitive_tests
    assert (fewer <= {"dag": 0.9, "pm": 0.6}[mode] * more).all() and more[1] > 0


@pytest.mark.slow
def test_what_is_remembered_goes_with_the_objects(tmp_path):
    gc.collect()
    before = len(massive._memories)
    with built(tmp_path / "a", refined(torus(1.0, 0.4), 1), 64) as a:
        mesh = mc.TriangleMesh(*torus(1.0, 0.4))
        mc.massive.massive_collide(a, mesh, epsilon=0.1)
        mc.massive.massive_collide(mesh, a, epsilon=0.1)
        assert len(massive._memories) == before + 2
    del a, mesh
    gc.collect()
    assert len(massive._memories) == before


def test_vertices_that_moved_in_memory_are_asked_anew(tmp_path):
    vertices, triangles = refined(torus(1.0, 0.4), 1)
    tree = mc.build(mc.TriangleMesh(vertices, triangles))
    with built(tmp_path / "a", (vertices, triangles), 64) as a:
        pose = matrix(shift=(3.0, 0.0, 0.0))
        for _ in range(3):
            assert mc.massive.massive_collide(a, tree, None, pose, epsilon=0.01).answer == "apart"
        mc.refit(tree, vertices - (2.0, 0.0, 0.0), in_place=True)
        assert mc.massive.massive_collide(a, tree, None, pose, epsilon=0.01).answer != "apart"


def raised(path, folder, height, out, mode="dag"):
    """A flat mesh, and a file whose only node is the same raised by ``height``, with a bound that says ``out``."""
    vertices, triangles = sheet((0, 0), (1, 1), 0.0, 4)
    mesh = mc.massive.ClusteredMesh.build((vertices, triangles), folder / path, cluster_triangles=64)
    bounds = np.array([0.0, 0.0, height, 1.0, 1.0, height])
    steps = level_layout.steps_of(vertices + np.array([0.0, 0.0, height]), bounds)
    layout = level_layout if mode == "dag" else progressive_layout
    row = np.zeros(1, layout.NODE)
    if mode == "dag":
        raw = level_layout.encode_node(steps, triangles)
        row["triangles"], row["out"], row["back"] = len(triangles), out, height
    else:
        raw = progressive_layout.encode_progressive(steps, steps[:0], np.empty(0), triangles)
        row["stops"], row["stop_triangles"][0, 0], row["out"][0, 0], row["back"][0, 0] = 1, len(triangles), out, height
        row["box"] = box_around(vertices[triangles].reshape(-1, 3) - (0.5, 0.5, 0.0), 0.0)
    row["at"], row["bytes"], row["crc"] = 256, len(raw), zlib.crc32(raw)
    row["vertices"], row["clusters"], row["bounds"] = len(vertices), 1, bounds
    table = row.tobytes()
    header = level_layout.header_for(mesh.pages.header)._replace(
        nodes=1, triangles=len(triangles), table_at=256 + len(raw), table_crc=zlib.crc32(table)
    )
    parts = level_layout.encode_level_header(header, layout.KIND), raw, table
    (folder / f"{path}{layout.KIND.ending}").write_bytes(b"".join(parts))
    return mesh


@pytest.mark.slow
@pytest.mark.needs_jit
def test_the_third_answer_is_given_where_objects_overlap_beyond_the_error():
    assert massive_answers.main(["--poses", "90", "--triangles", "8000", "--seed", "3"]) == 0


def test_deep_overlaps_are_proved_and_the_levels_tell_pairs_and_normals(tmp_path):
    ring, ball = refined(torus(1.0, 0.4), 2), refined(torus(0.5, 0.3), 2)
    with built(tmp_path / "a", ring, 64) as a, built(tmp_path / "b", ball, 64) as b:
        deep = mc.massive.massive_collide(a, b, None, matrix(shift=(0.8, 0.1, 0.0)), epsilon=0.2)
        assert deep.answer == "closer" and (deep.upper[deep.upper <= 0.0] == 0.0).all() and deep.level_a.out > 0.0
        pairs = deep.level_pairs()
        assert len(pairs) and pairs.pairs[:, 0].max() < deep.level_a.triangle_count
        assert deep.nearest().normal is None and deep.nearest().lower == 0.0
        pose = matrix(shift=(3.0, 0.4, 0.1))
        far = mc.massive.massive_collide(a, b, None, pose, delta=0.1, epsilon=0.2)
        near, exact = far.nearest(), mc.distance(mc.TriangleMesh(*ring), mc.TriangleMesh(*ball), None, pose)
        assert far.answer == "apart" and near.lower <= exact.distance <= near.upper < near.lower + 0.4
        assert abs(np.linalg.norm(near.normal) - 1.0) < 1e-12 and near.normal[0] > 0.9
        assert len(mc.massive.massive_collide(a, b, None, pose, delta=2.0, epsilon=0.2).level_pairs()) > 0
    mesh = mc.TriangleMesh(*ring)
    plain = mc.massive.massive_collide(mesh, mesh, None, pose, epsilon=0.1)
    assert plain.nearest().lower == plain.nearest().upper == mc.distance(mesh, mesh, None, pose).distance


def test_progressive_meshes_are_no_level(tmp_path):
    with built(tmp_path / "a", refined(torus(1.0, 0.4), 1), 64, "pm") as a:
        found = mc.lab.progressive_collide(a, a, None, matrix(shift=(0.8, 0.1, 0.0)), epsilon=0.2)
        assert found.answer == "closer" and found.level_a is None
        for ask in (found.nearest, found.level_pairs):
            with pytest.raises(mc.UnsupportedOption, match="no level"):
                ask()


@both_modes
def test_a_bound_that_is_one_ulp_too_small_misses_triangles(tmp_path, monkeypatch, mode):
    """What stands for the mesh is exactly ``height`` above it, and the other sheet exactly delta below, no slack."""
    monkeypatch.setattr(coverage, "_UNITS", 0.0)
    monkeypatch.setattr(coverage, "stretch_of", lambda row: 1.0)
    height, delta = 0.375, 0.25
    vertices, triangles = sheet((0, 0), (1, 1), -delta, 4)
    other = mc.TriangleMesh(vertices, triangles)
    for path, out, expected_count in (("a", height, 1), ("b", math.nextafter(height, 0.0), 0)):
        with raised(path, tmp_path, height, out, mode) as mesh:
            found = COLLIDES[mode](mesh, other, delta=delta, epsilon=4.0)
            assert len(found) == expected_count, "a miss shows a bound that is too small by one ulp"
            assert len(mc.clearance(mesh, other, delta)) > 0


def test_slack_covers_rounding_where_a_bound_is_tight(tmp_path):
    """As above with slack, far from the origin, where world coordinates are rounded."""
    height, delta = 0.375, 0.25
    vertices, triangles = sheet((0, 0), (1, 1), -delta, 4)
    other, rng = mc.TriangleMesh(vertices, triangles), np.random.default_rng(2)
    with raised("a", tmp_path, height, height) as mesh:
        for size in (0.0, 1.0, 1e3, 1e6):
            pose = matrix(rotation(rng), size * rng.normal(size=3))
            within = len(mc.clearance(mesh, other, delta, pose, pose)) > 0
            found = mc.massive.massive_collide(mesh, other, pose, pose, delta=delta, epsilon=4.0)
            assert len(found) == 1 and (within or found.answer == "undecided")


@both_modes
def test_meshes_without_levels_are_asked_as_they_are(tmp_path, mode):
    corners = some_soup(np.random.default_rng(1), 400, 0.02)
    with mc.massive.ClusteredMesh.build(corners, tmp_path / "a", cluster_triangles=32) as a:
        pose = matrix(shift=(0.3, 0.0, 0.0))
        for _ in range(2):
            found = COLLIDES[mode](a, a, None, pose, epsilon=0.2)
            assert found.answer == "closer" and (found.lower == found.upper).all()
            assert_same(found.resolve(), mc.collide(a, a, None, pose))
            BUILDS[mode](a).close()  # of a soup that cannot be simplified
        assert "closer" in repr(found)


def test_wrong_arguments(tmp_path):
    a, b = (mc.TriangleMesh(*sheet((0, 0), (1, 1), height, 1)) for height in (0.0, 0.1))
    for options, message in (
        ({"epsilon": -1.0}, "epsilon"), ({"epsilon": math.nan}, "epsilon"), ({"epsilon": "fine"}, "epsilon"),
        ({"epsilon": 0.1, "delta": -1.0}, "delta"), ({"epsilon": 0.1, "delta": math.inf}, "delta"),
        ({"epsilon": 0.1, "memory": 7}, "memory must be"),
    ):  # fmt: skip
        with pytest.raises(mc.UnsupportedOption, match=message):
            mc.massive.massive_collide(a, b, **options)
    with pytest.raises(mc.UnsupportedOption, match="one pose for each"):
        mc.massive.massive_collide(a, b, None, np.stack([np.eye(4)] * 2), epsilon=0.1)
    with pytest.raises(mc.InvalidPose):
        mc.massive.massive_collide(a, b, np.diag([2.0, 2.0, 2.0, 1.0]), epsilon=0.1)
    with pytest.raises(mc.InvalidMesh):
        mc.massive.massive_collide(a, "b", epsilon=0.1)
    with built(tmp_path / "c", refined(torus(1.0, 0.4), 1), 64) as other:
        levels_path = tmp_path / "c.levels"
        levels_path.write_bytes(levels_path.read_bytes()[:-1])
        with pytest.raises(mc.InvalidFile, match=r"c\.levels"):
            mc.massive.massive_collide(other, b, epsilon=0.1)
