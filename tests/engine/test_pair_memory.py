"""What is remembered of pairs: until one of the two changes, or the pair is followed no more. And which pairs sleep."""

import copy
import pickle
from fractions import Fraction

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.scene.pair_memory import PairMemory
from meshclash.scene.pose_table import PoseTable
from solids import box
from strategies import matrix, rotation

BOX = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
IDS = range(4)
EVERY = [(a, b) for a in IDS for b in IDS if a < b]


@given(
    st.lists(st.tuples(st.sets(st.sampled_from(IDS)), st.sets(st.sampled_from(EVERY)), st.sets(st.sampled_from(EVERY))))
)
def test_an_answer_holds_while_both_objects_are_as_they_were(rounds):
    """Compared with answers that are the revisions themselves."""
    scene = mc.Scene()
    for _ in IDS:
        scene.add(BOX)
    memory, expected = PairMemory(), {}
    for moved, followed, answered in rounds:
        for key in moved:
            scene.set_pose(key, np.eye(4))
        now = {pair: tuple(scene.revisions(np.array(pair)).tolist()) for pair in followed}
        expected = {pair: known for pair, known in expected.items() if now.get(pair) == known}
        assert set(memory.follow(scene, followed)) == followed - expected.keys()
        for pair in answered & followed:
            memory.note(pair, now[pair])
            expected[pair] = now[pair]
        assert dict(memory.items()) == expected and len(memory) == len(expected)
        assert all((pair in memory) == (pair in expected) for pair in EVERY)
        assert all(memory[pair] == known for pair, known in expected.items())


def test_what_is_not_followed_cannot_be_noted():
    scene, memory = mc.Scene(), PairMemory()
    ids = [scene.add(BOX) for _ in range(2)]
    with pytest.raises(KeyError):
        memory.note((0, 1), "apart")
    assert memory.follow(scene, [ids]) == [(0, 1)]
    memory.note((0, 1), "apart")
    scene.set_vertices(0, BOX.vertices)
    assert memory.follow(scene, np.array([ids])) == [(0, 1)] and (0, 1) not in memory
    scene.remove(1)
    with pytest.raises(mc.UnknownObject):
        memory.follow(scene, [ids])
    assert memory.follow(scene, []) == []


def exactly_moved(points, before, now):
    """Squares of how far points in their own coordinates move between two poses (3, 4), as fractions."""
    moves = []
    for point in points.tolist():
        x = [Fraction(value) for value in (*point, 1.0)]
        pairs = zip(before, now, strict=True)
        rows = [[Fraction(b) - Fraction(a) for a, b in zip(*pair, strict=True)] for pair in pairs]
        moves.append(sum(sum(r * v for r, v in zip(row, x, strict=True)) ** 2 for row in rows))
    return moves


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-200, 1e-6, 1.0, 1e6, 1e15]), st.sampled_from([0.0, 1.0, 1e9]))
def test_no_point_moves_farther_than_is_counted(seed, size, far):
    """Objects that are moved, turned, stretched and mirrored, however far from their own origin."""
    rng = np.random.default_rng(seed)
    table, slot = PoseTable(), np.zeros(1, np.int64)
    bounds = size * (np.sort(rng.normal(size=(2, 3)), axis=0) + far * rng.normal(size=3))
    slot[0] = table.take(np.eye(4)[:3])
    table.set_shape(int(slot[0]), bounds, np.inf)
    table.travel(slot)
    assert table.ways[slot] == 0.0
    points = np.concatenate([bounds, rng.uniform(*bounds, (6, 3))])
    way = Fraction(0)
    for _ in range(4):
        before = table.rows[slot[0]].copy()
        change = rng.choice(["nothing", "shift", "turn", "stretch", "last digits"])
        linear, shift = before[:, :3], before[:, 3]
        if change == "shift":
            shift = shift + size * rng.normal(size=3)
        elif change == "turn":
            linear = rotation(rng)
        elif change == "stretch":
            linear = linear @ np.diag(rng.uniform(-2.0, 2.0, 3))
        elif change == "last digits":
            linear = np.nextafter(linear, rng.choice([-9.0, 9.0], (3, 3)))
        table.rows[slot[0]] = np.column_stack([linear, shift])
        table.travel(slot)
        counted = Fraction(float(table.ways[slot[0]])) - way
        assert all(counted * counted >= moved for moved in exactly_moved(points, before, table.rows[slot[0]]))
        way += counted


def placed(*shifts):
    scene = mc.Scene()
    for shift in shifts:
        scene.add(BOX, matrix(shift=shift))
    return scene


PAIR = np.array([[0, 1]])


@given(st.floats(0.1, 3.0), st.integers(0, 2**32 - 1))
def test_a_pair_sleeps_until_it_may_touch_or_deforms(gap, seed):
    rng = np.random.default_rng(seed)
    scene = placed((0, 0, 0), (1.0 + gap, 0, 0))
    memory, members = PairMemory(), scene._objects
    memory.take_up(members.pairs_now(PAIR))
    assert not memory.asleep().any()
    assert memory.apart_by_extents(members.look(), np.array([0])).all()
    assert memory.asleep().all() and not memory.asleep(gap).any() and memory.asleep(0.99 * gap).all()
    assert 0.99 * gap < memory.lower_bounds()[0] <= gap
    travelled = 0.0
    for part in rng.dirichlet(np.ones(5)):
        travelled += part
        mover, sign = (0, 1.0) if rng.random() < 0.5 else (1, -1.0)
        pose = scene.posed(mover)[1].matrix
        pose[0, 3] += sign * part * gap
        scene.set_pose(mover, pose)
        memory.take_up(members.pairs_now(PAIR))
        assert memory.asleep()[0] or travelled > 1.0 - 1e-6
        assert memory.lower_bounds()[0] <= gap * (1.0 - travelled) + 1e-12
    assert not memory.asleep().any()


def test_what_is_proved_survives_copies_and_ends_with_the_shape():
    scene = placed((0, 0, 0), (3.0, 0, 0), (9.0, 0, 0))
    every, memory = np.array([[0, 1], [0, 2], [1, 2]]), PairMemory()
    memory.take_up(scene._objects.pairs_now(every))
    memory.apart_by_extents(scene._objects.look(), np.arange(3))
    for twin, own in (copy.deepcopy((scene, memory)), pickle.loads(pickle.dumps((scene, memory)))):
        own.take_up(twin._objects.pairs_now(every))
        assert own.asleep().all()
        twin.set_vertices(1, BOX.vertices + 0.0)
        own.take_up(twin._objects.pairs_now(every))
        assert own.asleep().tolist() == [False, True, False]
    memory.take_up(scene._objects.pairs_now(every[:1]))
    memory.take_up(scene._objects.pairs_now(every))
    assert memory.asleep().tolist() == [True, False, False], "of pairs that are not followed nothing is kept"
    scene.remove(2)
    assert scene.add(BOX) == 3
    memory.take_up(scene._objects.pairs_now(np.array([[0, 1], [0, 3]])))
    assert memory.asleep().tolist() == [True, False], "the new object has the slot of the one that is gone"


def test_a_hierarchy_that_was_refitted_in_place_is_another_object():
    scene, hierarchy = mc.Scene(), mc.build(BOX)
    scene.add(hierarchy)
    scene.add(BOX, matrix(shift=(1.5, 0, 0)))
    live, gaps = mc.motion.LiveContacts(scene), mc.motion.LiveGaps(scene, 0.1)
    assert not live.update().found and not gaps.update().found and not len(scene.step().pairs)
    mc.refit(hierarchy, BOX.vertices * 2.0, in_place=True)
    assert live.update().found.keys() == gaps.update().found.keys() == {(0, 1)}
    assert scene.step().begun.tolist() == [[0, 1]]
