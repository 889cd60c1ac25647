"""Traversal in slices and with full outputs: interrupted anywhere, it gives the same answer with the same counts."""

import meshclash as mc
import numpy as np
import pytest
from meshclash.answering.answer import answer_steps
from meshclash.geometry import triangle_pair
from meshclash.geometry.triangle_pair import classify_rational
from meshclash.traversal import wide_engine
from meshclash.traversal.bounds import world_bounds
from meshclash.traversal.forest import pack_trees
from meshclash.traversal.question import Goal, Question
from meshclash.types.steps import run
from slices import limit
from solids import box, moved, refined, torus
from strategies import matrix, rotation, soup


def meshes():
    return mc.TriangleMesh(*torus(2, 1)), mc.TriangleMesh(*moved(torus(2, 1), (1.5, 0.25, 0)))


def boxes_along_axes():
    """The meshes as trees that never get oriented boxes: when these are fitted depends on the slices."""
    return [mc.build(mesh, volume="aabb") for mesh in meshes()]


def question(a, b, pose_a=None, pose_b=None, **flags):
    rows = [np.asarray(np.eye(4) if p is None else p)[None, :3].copy() for p in (pose_a, pose_b)]
    side_a, side_b = pack_trees([mc.build(a)]).side, pack_trees([mc.build(b)]).side
    return Question(side_a, side_b, np.zeros((1, 2), np.int64), *rows, **flags)


def everything(found):
    stats = found.stats
    return (
        found.pairs.tobytes(), found.kinds.tobytes(), found.pose.tobytes(),
        stats.volume_tests, stats.primitive_tests, stats.exact_tests,
    )  # fmt: skip


def all_queries():
    a, b = boxes_along_axes()
    stack = np.stack([matrix(shift=(x, 0, 0)) for x in (0.0, 0.5, 30.0, 1.0)])
    return [
        everything(mc.collide(a, b)),
        everything(mc.collide(a, b, stack)),
        everything(mc.collide(a, b, stack, touching=False)),
        everything(mc.self_collide(mc.TriangleMesh(*soup(np.random.default_rng(1).normal(size=(60, 3, 3)))))),
    ]


@pytest.fixture(scope="module")
def undisturbed():
    return all_queries()


@pytest.mark.parametrize("steps", [1, 7])
def test_slices_of_few_steps_give_the_same(monkeypatch, undisturbed, steps):
    limit(monkeypatch, steps=steps)
    assert all_queries() == undisturbed


@pytest.mark.slow
@pytest.mark.parametrize("room", [1, 2, 65])
def test_an_output_that_is_always_full_gives_the_same(monkeypatch, undisturbed, room):
    limit(monkeypatch, chunk=room)
    assert all_queries() == undisturbed
    limit(monkeypatch, steps=3, chunk=room)
    assert all_queries() == undisturbed


def test_progress_rises_from_slice_to_slice(monkeypatch):
    limit(monkeypatch, steps=5, seconds=0.0)
    a, b = meshes()
    many = question(a, b)._replace(
        jobs=np.zeros((6, 2), np.int64), rows_a=np.stack([np.eye(4)[:3]] * 6), rows_b=np.stack([np.eye(4)[:3]] * 6)
    )
    shares = list(answer_steps(many))
    assert len(shares) > 6
    assert shares == sorted(shares)
    assert min(shares) >= 0.0
    assert max(shares) < 1.0


def test_closing_half_way_leaves_nothing_behind(monkeypatch, undisturbed):
    limit(monkeypatch, steps=5, seconds=0.0)
    steps = answer_steps(question(*meshes()))
    next(steps)
    steps.close()
    monkeypatch.undo()
    assert all_queries() == undisturbed


@pytest.mark.parametrize("leaf_size", [1, 8, 64])
def test_more_pairs_than_one_output_holds(leaf_size):
    """200 equal triangles against 200: 40000 pairs, each of them coplanar."""
    triangle = [[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]
    mesh = mc.TriangleMesh(*soup([triangle] * 200))
    found = mc.collide(mc.build(mesh, leaf_size=leaf_size), mc.build(mesh, leaf_size=leaf_size))
    expected = np.stack(np.meshgrid(np.arange(200), np.arange(200), indexing="ij"), axis=-1).reshape(-1, 2)
    assert len(found) > wide_engine.CHUNK
    assert np.array_equal(found.pairs, expected)
    assert (found.kinds == mc.ContactKind.COPLANAR).all()
    itself = mc.self_collide(mc.build(mesh, leaf_size=leaf_size))
    assert np.array_equal(itself.pairs, np.stack(np.triu_indices(200, 1), axis=1))


def test_world_bounds_are_bit_for_bit_those_of_the_posed_vertices():
    """The compiled world coordinates are the same as NumPy's: nothing is fused."""
    rng = np.random.default_rng(2)
    hierarchies = [mc.build(mc.TriangleMesh(*soup(rng.normal(size=(20, 3, 3)) * 10.0**k))) for k in range(-3, 4)]
    poses = [mc.Pose.from_matrix(matrix(rotation(rng), rng.normal(size=3) * 1e3)) for _ in hierarchies]
    tree_set = pack_trees(hierarchies)
    boxes = world_bounds(tree_set, np.arange(len(poses)), np.stack([p.rows for p in poses]))
    for index, (hierarchy, pose) in enumerate(zip(hierarchies, poses, strict=True)):
        world = pose.apply(hierarchy.mesh.vertices)
        assert boxes[index].tobytes() == np.concatenate([world.min(axis=0), world.max(axis=0)]).tobytes()
        (corners,) = tree_set.side.world_triangles(np.array([index]), pose.rows[None], np.array([7]))
        assert corners.tobytes() == world[hierarchy.mesh.triangles[7]].tobytes()


def test_a_forest_answers_as_its_trees_do():
    """Several meshes end to end, several jobs in one question."""
    rng = np.random.default_rng(3)
    parts = [mc.build(mc.TriangleMesh(*soup(rng.uniform(0, 1, (n, 3, 3)))), leaf_size=4) for n in (1, 9, 30)]
    jobs = np.array([[i, j] for i in range(3) for j in range(3)])
    rows = np.stack([matrix(shift=rng.normal(size=3) * 0.1)[:3] for _ in jobs])
    still = np.stack([np.eye(4)[:3]] * len(jobs))
    answer = run(answer_steps(Question(pack_trees(parts).side, pack_trees(parts).side, jobs, rows, still)))
    assert len(answer.pairs) > 50
    for index, (i, j) in enumerate(jobs):
        alone = mc.collide(parts[i], parts[j], np.vstack([rows[index], (0, 0, 0, 1)]))
        own = answer.jobs == index
        assert np.array_equal(answer.pairs[own], alone.pairs)
        assert np.array_equal(answer.kinds[own], alone.kinds)


def extreme_pair():
    """Coordinates of 1e-250 and 1e20 in one mesh: pairs that only integers decide, in a mesh with ordinary ones."""
    tilted = [[[0.0, 0, 0], [1e20, 0, 1e-250], [0, 1e20, 1e-250]]]
    through = [[1.0, 1, -1e-250], [1, 1, 1e-250], [2, 1, 1e-250]]
    from_corner = [[0.0, 0, 0], [1, 1, 1e-250], [2, 1, 1e-250]]
    just_above = [[1.0, 1, 5e-251], [1, 1, 1e-250], [2, 1, 1e-250]]
    far_above = [[1.0, 1, 1], [1, 1, 2], [2, 1, 1]]
    return mc.TriangleMesh(*soup(tilted)), mc.TriangleMesh(*soup([through, from_corner, just_above, far_above]))


def test_pairs_beyond_doubles_are_finished_with_integers(monkeypatch):
    calls = []
    monkeypatch.setattr(triangle_pair, "classify_rational", lambda a, b: calls.append(1) or classify_rational(a, b))
    a, b = extreme_pair()
    found = mc.collide(a, b)
    assert found.pairs.tolist() == [[0, 0], [0, 1]]
    assert found.kinds.tolist() == [mc.ContactKind.CROSSING, mc.ContactKind.TOUCHING]
    assert len(calls) == 3
    assert mc.collide(a, b, touching=False).pairs.tolist() == [[0, 0]]


def test_first_contact_is_right_beyond_doubles():
    flat, needles = extreme_pair()
    corners = needles.vertices[needles.triangles]
    for chosen, meets, crosses in (([0], True, True), ([1], True, False), ([2], False, False), ([3, 2], False, False)):
        part = mc.TriangleMesh(*soup(corners[chosen]))
        assert mc.collides(flat, part) == meets
        assert mc.collides(flat, part, touching=False) == crosses


def near_question(gap, tolerance, pose=None):
    a = mc.TriangleMesh(*refined(box((0, 0, 0), (1, 1, 1))))
    b = mc.TriangleMesh(*refined(box((1 + gap, 0, 0), (2, 1, 1))))
    asked = question(a, b, pose, pose)._replace(goal=Goal.WITHIN, tolerance=tolerance, first_only=True)
    return len(run(answer_steps(asked)).pairs) > 0


@pytest.mark.parametrize("pose", [None, matrix(rotation(np.random.default_rng(4)), (1e3, -5, 2))])
def test_nearness_finds_gaps_up_to_the_tolerance(pose):
    assert near_question(0.25, 0.2501, pose)
    assert not near_question(0.25, 0.2499, pose)
    assert near_question(0.0, 1e-9, pose)
