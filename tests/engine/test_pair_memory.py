"""What is remembered of pairs: until one of the two changes, or the pair is followed no more."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.scene.pair_memory import PairMemory
from solids import box

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
