"""The 8-wide engine: filters that drop no contact under attack, and the binary engine's pairs whatever is asked."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.answering.answer import answer_steps
from meshclash.geometry.triangle_pair import CROSSING
from meshclash.hierarchy.wide_bvh import CHILD_COUNT, CHILDREN
from meshclash.jit import parallel_region
from meshclash.traversal.forest import pack_trees
from meshclash.traversal.question import Goal, Question
from meshclash.traversal.wide_engine import WideEngine
from meshclash.types.pose import pose_stack
from meshclash.types.steps import run
from oracles.lane_attack import attacked
from oracles.mesh_exactness import MODELS, brute_force, models, world_triangles
from slices import limit
from solids import box, moved, refined, torus
from strategies import grid_meshes, matrix, poses, rotation, soup

pytestmark = pytest.mark.needs_jit


@pytest.mark.parametrize("seed", range(8))
def test_lanes_drop_no_contact_and_are_right_when_they_are_certain(seed):
    """Two million near-tangent pairs, a quarter of a million at a time; tens of thousands of them are contacts."""
    attack = attacked(seed, 4000)
    meeting, kept = attack.kinds != 0, attack.crossing | attack.undecided
    assert meeting.sum() > 20_000
    assert (kept | ~meeting).all()
    assert (attack.boxes | ~meeting).all()
    assert (attack.oriented | ~meeting).all()
    assert (attack.boxes & ~attack.oriented).sum() > 1_000, "oriented boxes that drop nothing are no filters"
    assert (attack.kinds[attack.crossing] == CROSSING).all()
    assert (~kept).sum() > 2_000, "filters that keep everything are no filters"
    assert attack.crossing.sum() > 100, "lanes that are never certain decide nothing"
    assert (meeting & ~attack.careless).sum() > 100, "the attack must hit filters without slack"
    assert (attack.kinds[attack.careless_crossing] != CROSSING).sum() > 10, "and certain signs without slack"


def ask(a, b, pose_a=None, pose_b=None, **options):
    """The question that ``collide`` asks, about hierarchies."""
    rows = [pose_stack(p)[0] for p in (pose_a, pose_b)]
    count = max(map(len, rows))
    rows = [np.ascontiguousarray(np.broadcast_to(r, (count, 3, 4))) for r in rows]
    return Question(pack_trees([a]).side, pack_trees([b]).side, np.zeros((count, 2), np.int64), *rows, **options)


def same_from_both(a, b, pose_a=None, pose_b=None):
    """Answer of the 8-wide engine, checked to be that of the binary one for every kind of question."""
    for options in ({"crossing_only": True}, {}):
        question = ask(a, b, pose_a, pose_b, **options)
        assert WideEngine.serves(question)
        wide, binary = (run(answer_steps(question._replace(lanes=lanes))) for lanes in (True, False))
        for mine, other in zip(wide[:3], binary[:3], strict=True):
            assert mine.dtype == other.dtype
            assert np.array_equal(mine, other)
        first = run(answer_steps(question._replace(first_only=True)))
        assert np.array_equal(np.unique(first.jobs), np.unique(binary.jobs))
    return wide


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_pairs_of_all_models_are_those_of_the_binary_engine_and_of_brute_force(name):
    mesh_a, mesh_b, both_poses = models(name, 12, 5)
    for leaf_size in range(1, 9):
        a, b = (mc.build(mc.TriangleMesh(*mesh), leaf_size=leaf_size) for mesh in (mesh_a, mesh_b))
        answer = same_from_both(a, b, both_poses[:, 0], both_poses[:, 1])
    for job in range(3):
        world = [world_triangles(m, p) for m, p in zip((mesh_a, mesh_b), both_poses[job], strict=True)]
        _, pairs, kinds = brute_force(*world)
        assert np.array_equal(answer.pairs[answer.jobs == job], pairs)
        assert np.array_equal(answer.kinds[answer.jobs == job], kinds)


@settings(max_examples=60)
@given(grid_meshes(), grid_meshes(), st.lists(poses(), min_size=1, max_size=4), poses(), st.sampled_from([1, 3, 8]))
def test_grid_meshes(mesh_a, mesh_b, stack, pose_b, leaf_size):
    a, b = (mc.build(mc.TriangleMesh(*mesh), leaf_size=leaf_size) for mesh in (mesh_a, mesh_b))
    same_from_both(a, b, np.stack(stack), pose_b)


@pytest.mark.slow
@pytest.mark.parametrize("scale", [5e-324 * 2**20, 1e-200, 1e-40, 1e-20, 1e-12, 1.0, 1e9, 1e12, 1e13, 1e20, 1e29])
@pytest.mark.parametrize("other", [1e-6, 1.0])
def test_from_subnormal_to_huge(scale, other):
    """Also beside an object a million times smaller; rotations among the poses, so that nothing is a tie by chance."""
    rng = np.random.default_rng(6)
    mesh_a, mesh_b = ((rng.integers(0, 4, (12, 3)).astype(float), rng.integers(0, 12, (40, 3))) for _ in range(2))
    a = mc.build(mc.TriangleMesh(mesh_a[0] * scale, mesh_a[1]))
    b = mc.build(mc.TriangleMesh(mesh_b[0] * scale * other, mesh_b[1]))
    stack = np.stack([np.eye(4), *(matrix(rotation(rng), rng.normal(size=3) * scale) for _ in range(4))])
    found = len(same_from_both(a, b, stack).pairs)
    assert found > 10 or other < 1.0


@pytest.mark.parametrize("distance", [1e3, 1e6, 1e9, 1e15])
def test_far_from_the_world_s_and_from_the_objects_origins(distance):
    rng = np.random.default_rng(7)
    size = max(1.0, distance * 2.0**-45)
    found = 0
    for own in (0.0, 1.0):
        meshes = [soup(rng.uniform(-1, 1, (80, 3, 3)) * size + own * distance) for _ in range(2)]
        a, b = (mc.build(mc.TriangleMesh(*mesh)) for mesh in meshes)
        shift = (1.0 - own) * distance
        turns = [matrix(rotation(rng), (shift, -shift, shift / 3)) for _ in range(4)]
        found += len(same_from_both(a, b, np.stack(turns), np.stack(turns)).pairs)
    assert found > 1000


def test_objects_far_apart_in_size():
    """A bolt in a hall: float32 cannot place the one in the frame of the other, and nothing is lost."""
    rng = np.random.default_rng(8)
    hall = mc.build(mc.TriangleMesh(*soup(rng.uniform(-1, 1, (300, 3, 3)) * 1e3)))
    corners = hall.mesh.vertices[hall.mesh.triangles]
    bolts = corners.mean(axis=1)[:40]
    bolt = mc.build(mc.TriangleMesh(*refined(box((-1e-4, 0, 0), (1e-4, 3e-5, 5e-5)), 1)))
    stack = np.stack([matrix(rotation(rng), place) for place in bolts])
    assert len(np.unique(same_from_both(bolt, hall, stack).jobs)) > 30
    assert len(np.unique(same_from_both(hall, bolt, None, stack).jobs)) > 30


def bumpy_pair():
    """Two trees without oriented boxes, so that counts do not depend on when these are fitted."""
    a, b = mc.TriangleMesh(*refined(torus(2, 1), 1)), mc.TriangleMesh(*moved(refined(torus(2, 1), 1), (1.5, 0.25, 0)))
    return mc.build(a, "aabb"), mc.build(b, "aabb")


def everything(answer):
    return (*(array.tobytes() for array in answer[:3]), *answer[3:])


@pytest.mark.parametrize("steps", [1, 5, 64])
@pytest.mark.parametrize("chunk", [1, 3, 1 << 15])
@pytest.mark.parametrize("first_only", [False, True])
def test_interrupted_anywhere_the_answer_and_the_counts_are_the_same(monkeypatch, steps, chunk, first_only):
    stack = np.stack([matrix(shift=(x, 0, 0)) for x in (0.0, 40.0, 0.5)])
    question = ask(*bumpy_pair(), stack, first_only=first_only)
    expected = everything(run(answer_steps(question)))
    limit(monkeypatch, steps=steps, chunk=chunk)
    assert everything(run(answer_steps(question))) == expected


def same_within(mesh, pose=None, **options):
    """Pairs of an object with itself, checked to be those of the binary engine."""
    tree = mc.build(mc.TriangleMesh(*mesh), **options)
    for crossing_only in (True, False):
        question = ask(tree, tree, pose, pose, with_itself=True, crossing_only=crossing_only)
        assert WideEngine.serves(question)
        wide, binary = (run(answer_steps(question._replace(lanes=lanes))) for lanes in (True, False))
        for mine, other in zip(wide[:3], binary[:3], strict=True):
            assert np.array_equal(mine, other)
    return wide


@settings(max_examples=60)
@given(grid_meshes(), poses(), st.sampled_from([1, 3, 8]))
def test_an_object_against_itself_on_a_grid(mesh, pose, leaf_size):
    """Triangles of many shared vertices: folds, doubled faces, zero areas."""
    same_within(mesh, pose, leaf_size=leaf_size)


@pytest.mark.slow
@pytest.mark.parametrize("leaf_size", [1, 2, 8])
def test_a_crumpled_object_against_itself(leaf_size):
    rng = np.random.default_rng(11)
    flat = same_within(refined(torus(2, 1), 2), leaf_size=leaf_size)
    assert len(flat.pairs) == 0, "the surface only touches where neighbours share vertices"
    for amount, steps in ((0.02, 2), (0.2, 2), (2.0, 1)):  # crumpled by 2 nearly every triangle meets every other
        vertices, triangles = refined(torus(2, 1), steps)
        crumpled = vertices + rng.normal(size=vertices.shape) * amount
        answer = same_within((crumpled, triangles), matrix(rotation(rng), (3, 2, 1)), leaf_size=leaf_size)
    assert len(answer.pairs) > 1000
    assert (answer.pairs[:, 0] < answer.pairs[:, 1]).all()


@pytest.mark.slow
@pytest.mark.parametrize("steps", [3, 50, 1 << 14])
@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("first_only", [False, True])
def test_several_threads_give_the_same_answer_and_counts(monkeypatch, steps, threads, first_only):
    """Also with more threads than cores, which the engine never takes by itself."""
    stack = np.stack([matrix(shift=(x, 0, 0)) for x in (0.0, 40.0, 0.5, 1.0, 0.25)])
    question = ask(*bumpy_pair(), stack, first_only=first_only)
    alone = everything(run(answer_steps(question)))
    limit(monkeypatch, steps=steps, shared=True)
    shared = run(answer_steps(question._replace(threads=threads)))
    assert shared.threads == threads
    assert everything(shared._replace(threads=1)) == alone


def test_a_question_asked_while_another_region_runs_is_answered_alone(monkeypatch):
    limit(monkeypatch, steps=20, shared=True)
    question = ask(*bumpy_pair(), threads=2)
    with parallel_region(2):
        answer = run(answer_steps(question))
    assert answer.threads == 1
    assert everything(answer) == everything(run(answer_steps(question._replace(threads=1))))


def test_many_trees_in_one_question():
    rng = np.random.default_rng(9)
    parts = [mc.build(mc.TriangleMesh(*soup(rng.uniform(0, 1, (n, 3, 3)))), leaf_size=s) for n, s in
             ((1, 8), (9, 3), (40, 8), (300, 1), (8, 8))]  # fmt: skip
    jobs = np.array([[i, j] for i in range(5) for j in range(5)])
    rows = np.stack([matrix(rotation(rng), rng.normal(size=3) * 0.1)[:3] for _ in jobs])
    question = Question(pack_trees(parts).side, pack_trees(parts).side, jobs, rows, rows[::-1].copy())
    assert WideEngine.serves(question)
    wide, binary = (run(answer_steps(question._replace(lanes=lanes))) for lanes in (True, False))
    assert len(wide.pairs) > 500
    for mine, other in zip(wide[:3], binary[:3], strict=True):
        assert np.array_equal(mine, other)


def test_the_binary_engine_answers_what_lanes_do_not():
    a, b = bumpy_pair()
    question = ask(a, b)
    assert WideEngine.serves(question)
    assert not WideEngine.serves(question._replace(lanes=False))
    assert not WideEngine.serves(question._replace(goal=Goal.WITHIN, tolerance=0.1, first_only=True))
    assert not WideEngine.serves(ask(mc.build(a.mesh, leaf_size=9), b))
    assert not WideEngine.serves(ask(a, mc.build(b.mesh, leaf_size=64)))


@pytest.mark.parametrize("leaf_size", [1, 2, 5, 8])
def test_the_wide_tree_holds_every_triangle_once_within_its_boxes(leaf_size):
    mesh = mc.TriangleMesh(*moved(refined(torus(2, 1), 1), (100, 0, 0)))
    for hierarchy in (mc.build(mesh, leaf_size=leaf_size), mc.build(mc.TriangleMesh([[0, 0, 0]], [[0, 0, 0]]))):
        wide, order = hierarchy.wide, hierarchy.tree.order
        words = wide.nodes.view(np.int32)
        local = (hierarchy.mesh.vertices - hierarchy.origin)[hierarchy.mesh.triangles]
        seen, nodes = np.zeros(len(order), np.int64), 1
        assert words[-1, CHILDREN] == 0 and words[-1, CHILD_COUNT] == 1
        assert np.array_equal(wide.nodes[-1, :48:8], hierarchy.volumes[0])
        for node in range(len(wide.nodes) - 1):
            boxes = wide.nodes[node, :48].reshape(2, 3, 8)
            for k in range(words[node, CHILD_COUNT]):
                child = words[node, CHILDREN + k]
                nodes += child >= 0
                first, count = divmod(~child, 8) if child < 0 else (0, 0)
                count += child < 0
                seen[first : first + count] += 1
                block = wide.coordinates[9 * first : 9 * (first + count)].reshape(3, 3, count).transpose(2, 0, 1)
                corners = local[order[first : first + count]]
                assert np.array_equal(block, (corners - boxes[0, :, k]).astype(np.float32))
                inside = (
                    wide.nodes[child, :48].reshape(2, 3, 8)[..., : words[child, CHILD_COUNT]] if count == 0 else None
                )
                low = corners.min(axis=(0, 1)) if count else inside[0].min(axis=1)
                high = corners.max(axis=(0, 1)) if count else inside[1].max(axis=1)
                assert (boxes[0, :, k] <= low).all() and (boxes[1, :, k] >= high).all()
        assert (seen == 1).all()
        assert nodes + 1 == len(wide.nodes)
