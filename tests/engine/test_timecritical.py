"""Time-critical detection: formulas, augmentation, exactness when it is asked for, and answers under a budget."""

import json
import math
from fractions import Fraction
from functools import cache

import meshclash as mc
import numpy as np
import pytest
from bench.__main__ import main
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.jit import kernel
from meshclash.timecritical import cells, criteria, heap, search
from meshclash.timecritical import traversal as layout
from meshclash.timecritical.heap import SET_ASIDE, probability_of
from meshclash.timecritical.probability import log_factorials, meeting_probabilities
from meshclash.timecritical.trees import adb_tree
from meshclash.types.pose import pose_stack
from meshclash.volumes.registry import VOLUMES
from oracles.pipes import MODELS
from oracles.rigid_poses import make_poses
from oracles.timecritical_poses import random_poses
from solids import torus
from strategies import grid_meshes, matrix, poses, rotation, soup

pytestmark = pytest.mark.needs_jit


def probability(u, v, w, certainty):
    result = np.empty(1)
    meeting_probabilities(*(np.array([x]) for x in (u, v, w, certainty)), log_factorials(), result)
    return result[0]


def by_fractions(u, v, w, certainty):
    """Equations 8 and 9 in exact arithmetic."""
    exactly = [
        Fraction(math.comb(w, t) * math.comb(u - w, v - t), math.comb(u, v)) if t <= v else Fraction(0)
        for t in range(min(v, w) + 1)
    ]
    tails = [1 - sum(exactly[:x]) for x in range(min(v, w, 10) + 1)]
    return float(max((tails[x] * (1 - (1 - Fraction(certainty)) ** x) for x in range(1, len(tails))), default=0))


@pytest.mark.slow
@settings(max_examples=200)
@given(st.integers(1, 64) | st.integers(65, 4096), st.data())
def test_probability_equals_exact_arithmetic(u, data):
    v, w = data.draw(st.integers(0, u)), data.draw(st.integers(0, u))
    certainty = data.draw(st.sampled_from([0.0, 0.05, 0.5, 0.9, 1.0]))
    assert probability(u, v, w, certainty) == pytest.approx(by_fractions(u, v, w, certainty), abs=1e-9)


@pytest.mark.parametrize(("u", "v", "w"), [(40, 9, 12), (64, 30, 20), (10, 7, 6)])
def test_probability_equals_thrown_balls(u, v, w):
    rng = np.random.default_rng(1)
    thrown = 20_000
    red = np.argsort(rng.random((thrown, u)), axis=1) < v
    blue = np.argsort(rng.random((thrown, u)), axis=1) < w
    filled = (red & blue).sum(axis=1)
    expected = max((filled >= x).mean() * (1 - 0.5**x) for x in range(1, 11))
    assert probability(u, v, w, 0.5) == pytest.approx(expected, abs=0.02)


@kernel
def _shares(triangle, sides, areas):
    polygons = np.empty((4, 12, 3))
    polygons[0, :3] = triangle
    cells._share_out(polygons, sides, areas)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_a_triangle_s_area_is_shared_out_to_the_cells_that_it_lies_in(seed):
    rng = np.random.default_rng(seed)
    sides = rng.uniform(0.1, 1.0, 3)
    triangle = rng.uniform(0.0, 1.0, (3, 3)) * 4.0 * sides
    areas = np.zeros(cells.CELL_COUNT)
    _shares(triangle, sides, areas)
    total = np.linalg.norm(np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])) / 2
    assert areas.sum() == pytest.approx(total, rel=1e-9)
    weights = rng.dirichlet((1, 1, 1), 20_000)
    index = np.minimum((weights @ triangle / sides).astype(int), 3) @ (16, 4, 1)
    sampled = np.bincount(index, minlength=64) / len(weights)
    assert np.abs(areas / total - sampled).max() < 0.02


def test_cells_of_known_surfaces():
    """A square that fills its flat box fills the 16 cells at its foot; a thread fills none; leaves have height 0."""
    square = mc.TriangleMesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    assert adb_tree(mc.build(square)).filling.cells.tolist() == [16]
    thread = mc.TriangleMesh([[0, 0, 0], [1, 1, 1], [1, 1, 1.001]], [[0, 1, 2]])
    assert adb_tree(mc.build(thread)).filling.cells.tolist() == [0]
    line = mc.TriangleMesh([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]])
    assert adb_tree(mc.build(line)).filling.cells.tolist() == [0]
    tree = mc.build(mc.TriangleMesh(*MODELS["bumpy"](2000, 1)))
    filled = adb_tree(tree).filling
    assert adb_tree(tree) is adb_tree(tree)
    leaves = tree.tree.count > 0
    assert (filled.heights[leaves] == 0).all()
    assert filled.heights[0] == tree.tree.depth
    children = tree.tree.first[~leaves]
    assert np.array_equal(
        filled.heights[~leaves], 1 + np.maximum(filled.heights[children], filled.heights[children + 1])
    )


def test_cells_counted_in_small_steps_are_those_counted_at_once(monkeypatch):
    meshes = [mc.TriangleMesh(*torus(2, 0.5)) for _ in range(2)]
    whole, parted = (mc.build(mesh) for mesh in meshes)
    at_once = adb_tree(whole).filling
    monkeypatch.setattr(cells, "_VISITS", 3)
    steps = list(mc.steps(adb_tree, parted))
    assert len(steps) > 100
    assert np.array_equal(adb_tree(parted).filling.cells, at_once.cells)


@pytest.mark.slow
@settings(max_examples=60)
@given(grid_meshes(), grid_meshes(), poses(), st.sampled_from([1, 3, 8]), st.sampled_from(criteria.COUNTS))
def test_beyond_a_probability_of_one_the_answer_is_exact(mesh_a, mesh_b, pose, leaf_size, count):
    a, b = (mc.build(mc.TriangleMesh(*mesh), leaf_size=leaf_size) for mesh in (mesh_a, mesh_b))
    found = mc.time_critical(a, b, None, pose, p_min=1.5, k_min=1, count=count)
    assert found.complete
    assert found.colliding == mc.collides(a, b, None, pose)
    assert found.probability == float(found.colliding)
    assert (found.triangles is not None) == found.colliding
    if found.triangles:
        assert list(found.triangles) in mc.collide(a, b, None, pose).pairs.tolist()


@pytest.mark.parametrize("scale", [1e-200, 1e-40, 1.0, 1e12, 1e29])
def test_exact_from_tiny_to_huge(scale):
    rng = np.random.default_rng(2)
    a, b = (mc.TriangleMesh(*soup(rng.integers(0, 4, (30, 3, 3)) * scale)) for _ in range(2))
    for shift in (0.0, 2.5, 3.0, 3.5):
        pose = matrix(rotation(rng) if shift == 2.5 else None, (shift * scale, 0, 0))
        found = mc.time_critical(a, b, None, pose, p_min=2.0)
        assert found.complete
        assert found.colliding == mc.collides(a, b, None, pose)


@cache
def model(kind, count=2000):
    return mc.build(mc.TriangleMesh(*MODELS[kind](count, 1)))


@pytest.mark.slow
@pytest.mark.parametrize("volume", list(VOLUMES))
def test_every_volume_gives_exact_answers(volume):
    mesh = mc.TriangleMesh(*MODELS["scan"](300, 1))
    tree = mc.build(mesh, volume=volume)
    for pose in random_poses(mc.build(mesh), np.random.default_rng(3), 12):
        found = mc.time_critical(tree, tree, None, pose, p_min=2.0)
        assert found.complete and found.colliding == mc.collides(mesh, mesh, None, pose)
        early = mc.time_critical(tree, tree, None, pose, p_min=2.0, steps=30)
        assert found.colliding == early.colliding or not early.complete


def part(count=2000):
    return model("part", count)


def open_search(tree, pose, **criterion):
    poses = np.stack([pose_stack(p)[0][0] for p in (None, pose)])[None]
    made = search.Search(tree.volume, search.Criterion(**{**criterion, "p_min": float(criterion.get("p_min", 0.99))}))
    made.begin([adb_tree(tree)], np.zeros((1, 2), np.int64), poses)
    return made


def run_in_steps(tree, pose, steps, **criterion):
    made = open_search(tree, pose, **criterion)
    while not made.exhausted(False):
        made.run(search.Limit(steps=steps))
    return made


def frontier(made):
    """Probabilities (n,) and nodes (n, 2) of the pairs of the only job that are left."""
    used = made.state[layout.USED]
    keys, entries = (array[:used] for array in made._heap)
    probabilities = np.array(
        [probability_of.py_func(k, e[SET_ASIDE]) for k, e in zip(keys.tolist(), entries, strict=True)]
    )
    return probabilities, entries[:, 1:3]


@pytest.mark.parametrize("criterion", [{}, {"p_min": 0.8, "k_min": 4}, {"p_min": 0.8, "k_min": 4, "antichain": True}])
def test_interrupted_anywhere_and_with_a_heap_that_grows_the_search_is_the_same(monkeypatch, criterion):
    tree = part()
    stack = make_poses(tree).sweep[::17]
    whole = [run_in_steps(tree, pose, 1 << 20, **criterion) for pose in stack]
    monkeypatch.setattr(search, "_FIRST_CAPACITY", 5)
    monkeypatch.setattr(search, "_spare_heaps", [])
    for pose, expected in zip(stack, whole, strict=True):
        again = run_in_steps(tree, pose, 3, **criterion)
        assert np.array_equal(again.rows, expected.rows)
        assert np.array_equal(again.state, expected.state)
        assert np.array_equal(again.hazards, expected.hazards)
        assert np.array_equal(np.sort(frontier(again)[0]), np.sort(frontier(expected)[0]))


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.sampled_from(list(MODELS)))
def test_larger_thresholds_never_need_fewer_tests(seed, kind):
    """In both ways of counting for k_min; p_min changes the order in which an antichain is opened."""
    tree = model(kind)
    by_k = [{"p_min": 0.8, "k_min": k, "antichain": antichain} for antichain in (False, True) for k in (1, 2, 5, 20)]
    by_p = [{"p_min": p, "k_min": 3} for p in (0.5, 0.7, 0.9, 1.1)]
    for pose in random_poses(tree, np.random.default_rng(seed), 5):
        for wanted in (by_k[:4], by_k[4:], by_p):
            tests = [int(run_in_steps(tree, pose, 50, **criterion).state[layout.VOLUME_TESTS]) for criterion in wanted]
            assert tests == sorted(tests)


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(MODELS))
def test_a_larger_budget_never_has_more_errors(kind):
    """On the same questions: what is known stays known, and of many answers (of few it is chance) no more are wrong."""
    tree = model(kind)
    stack = random_poses(tree, np.random.default_rng(1), 1000)
    truth = mc.collides(tree, tree, None, stack)
    wrong, known = [], np.zeros(len(stack), bool)
    for steps in (0, 50, 500, 5000, None):
        found = [mc.time_critical(tree, tree, None, pose, p_min=2.0, steps=steps) for pose in stack]
        complete = np.array([each.complete for each in found])
        differ = np.array([each.colliding for each in found]) != truth
        assert not (differ & complete).any()
        assert complete[known].all()
        known = complete
        wrong.append(int(differ.sum()))
    assert wrong == sorted(wrong, reverse=True)
    assert wrong[-1] == 0 and wrong[0] > 0


def test_what_is_left_to_open_covers_every_contact_once():
    """No pair of nodes contains another, and each pair of triangles that meets is in one."""
    tree = part(600)
    pose = make_poses(tree).light
    contacts = mc.collide(tree, tree, None, pose).pairs
    ends, begins = np.empty((2, tree.node_count), np.int32)
    cells._measure(tree.tree.first, tree.tree.count, begins, ends, np.empty(tree.node_count, np.uint8))
    place = np.argsort(tree.tree.order)
    made = open_search(tree, pose, p_min=0.7, k_min=10**6, antichain=True)
    for _ in range(20):
        if made.exhausted(False):
            break
        _, nodes = frontier(made)
        held = np.zeros(len(contacts), int)
        for a, b in nodes:
            held += (begins[a] <= place[contacts[:, 0]]) & (place[contacts[:, 0]] < ends[a]) & (
                begins[b] <= place[contacts[:, 1]]
            ) & (place[contacts[:, 1]] < ends[b])  # fmt: skip
        assert (held == 1).all()
        made.run(search.Limit(steps=1))


@kernel
def _sorted_by_heap(keys, fill, drops, heap_keys, entries, out):
    """Push ``fill`` keys, drop ``drops``, push the others: out gets what was dropped, then what is left, in order."""
    used = taken = 0
    for k in range(keys.shape[0]):
        if k == fill:
            for _ in range(drops):
                out[taken] = entries[0, heap.JOB]
                used = heap.drop_top(heap_keys, entries, used)
                taken += 1
        used = heap.push(heap_keys, entries, used, keys[k], k, 2 * k, 3 * k, 1)
    while used > 0:
        out[taken] = entries[0, heap.JOB]
        used = heap.drop_top(heap_keys, entries, used)
        taken += 1


@given(st.lists(st.integers(-3, 20), min_size=2, max_size=60), st.data())
def test_the_heap_gives_the_likeliest_first_and_loses_nothing(keys, data):
    keys = np.array(keys, float)
    fill = data.draw(st.integers(1, len(keys) - 1))
    drops = data.draw(st.integers(0, fill))
    out = np.empty(len(keys), np.int64)
    _sorted_by_heap(keys, fill, drops, np.empty(len(keys)), np.empty((len(keys), heap.ENTRY_LENGTH), np.int32), out)
    assert sorted(out) == list(range(len(keys)))
    assert keys[out[:drops]].tolist() == sorted(keys[:fill], reverse=True)[:drops]
    assert keys[out[drops:]].tolist() == sorted(keys[out[drops:]], reverse=True)


def test_the_region_holds_the_contact_or_lies_in_both_boxes():
    tree = part()
    pose = make_poses(tree).light
    found = mc.time_critical(tree, tree, None, pose)
    contacts = mc.collide(tree, tree, None, pose)
    assert found.colliding and found.complete
    at = contacts.pairs.tolist().index(list(found.triangles))
    ends = contacts.segments()[at]
    low, high = found.region
    assert (low <= ends + 1e-12).all() and (ends <= high + 1e-12).all()
    stopped = mc.time_critical(tree, tree, None, pose, budget=1e-9)
    assert not stopped.complete
    bounds = tree.mesh.bounds
    assert (stopped.region[0] >= bounds[0] - 1e-5).all() and (stopped.region[1] <= bounds[1] + 1e-5).all()


def test_objects_apart_are_known_to_be_apart_under_any_budget():
    tree = part(200)
    found = mc.time_critical(tree, tree, None, matrix(shift=(10, 0, 0)), budget=1.0)
    assert (found.colliding, found.probability, found.complete, found.region) == (False, 0.0, True, None)


def test_counted_pairs_end_the_search():
    tree = part(20_000)
    pose = make_poses(tree).deep
    found = mc.time_critical(tree, tree, None, pose, p_min=0.3, k_min=2)
    assert found.colliding and found.counted >= 2 and not found.complete
    assert 0.3 <= found.probability <= 1.0


@pytest.mark.parametrize(
    "option",
    [
        {"budget": 0}, {"budget": -1.0}, {"budget": math.nan}, {"budget": math.inf}, {"budget": "1"}, {"p_min": 0.0},
        {"p_min": -0.5}, {"p_min": math.nan}, {"p_min": math.inf}, {"p_min": None}, {"k_min": 0}, {"k_min": -3},
        {"budget": 10**400}, {"budget": np.complex128(1)}, {"p_min": 10**400}, {"p_min": np.complex128(1)},
        {"k_min": 1.5}, {"k_min": True}, {"count": "both"}, {"count": None}, {"threads": 0},
        {"steps": -1}, {"steps": 0.5}, {"steps": True},
    ],
)  # fmt: skip
def test_options_out_of_range_are_named(option):
    tree = part(200)
    with pytest.raises(mc.UnsupportedOption, match=next(iter(option))):
        mc.time_critical(tree, tree, **option)


@pytest.mark.parametrize(
    "option", [{"budget": 1e308}, {"budget": 3}, {"k_min": 2**63}, {"k_min": 10**30}, {"steps": 10**30}]
)
def test_limits_that_nothing_reaches_are_none(option):
    tree = part(200)
    pose = make_poses(tree).light
    found, free = mc.time_critical(tree, tree, None, pose, **option), mc.time_critical(tree, tree, None, pose)
    assert (found.colliding, found.complete, found.triangles) == (True, True, free.triangles)
    assert found.stats.volume_tests == free.stats.volume_tests


def test_stacks_of_poses_are_refused():
    tree = part(200)
    with pytest.raises(mc.UnsupportedOption, match="stack"):
        mc.time_critical(tree, tree, None, np.stack([np.eye(4)] * 2))


@pytest.mark.slow
def test_command_prints_its_table_and_writes_json(tmp_path, capsys):
    report = tmp_path / "timecritical.json"
    options = ["--sizes", "200,300", "--queries", "20", "--kinds", "scan,pipes", "--json", str(report)]
    options += ["--parts", "calibration,scene", "--objects", "40"]
    assert main(["timecritical", *options]) == 0
    found = json.loads(report.read_text())
    assert found["calibration"] and found["coverage"]["families"] == 2 and found["shared"]
    assert found["scene"][-1]["exact, most overlap first: right %"] == 100.0
    assert "mean stated" in capsys.readouterr().out
