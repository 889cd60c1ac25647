"""Sweep and prune over frames against all pairs: small motions, teleports, boxes that come and go, ties everywhere."""

import tracemalloc

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.broadphase.incremental import SweepAndPrune


def all_pairs(ids, boxes):
    low, high = boxes[:, None, :3], boxes[:, None, 3:]
    meet = (low <= high.swapaxes(0, 1)).all(-1) & (low.swapaxes(0, 1) <= high).all(-1)
    i, j = np.nonzero(np.triu(meet, 1))
    return set(zip(ids[i].tolist(), ids[j].tolist(), strict=True))


def as_set(pairs):
    return set(map(tuple, pairs.tolist()))


def follow(frames):
    """Run frames (ids, boxes) and compare what is said with all pairs; returns (swaps, frames sorted anew)."""
    sweep, known, swaps, anew = SweepAndPrune(), set(), 0, 0
    for ids, boxes in frames:
        changes = sweep.update(ids, boxes)
        truth = all_pairs(ids, boxes)
        assert as_set(changes.begun) == truth - known
        assert as_set(changes.ended) == known - truth
        assert as_set(sweep.pairs) == truth
        assert (np.diff((sweep.pairs[:, 0] << 32) + sweep.pairs[:, 1]) > 0).all()
        known = truth
        swaps, anew = swaps + sweep.swaps, anew + sweep.sorted_anew
    return swaps, anew


def drifting(rng, count, frames, busy):
    """Boxes that drift; now and then some jump, come or go."""
    ids, fresh = np.arange(count), count
    centres = rng.uniform(0, 10, (count, 3))
    half = rng.uniform(0.1, 0.8, (count, 3))
    speed = rng.normal(size=(count, 3)) * 0.03
    for _ in range(frames):
        centres = centres + speed
        draw = rng.random()
        if draw < busy:
            jump = rng.random(len(ids)) < rng.choice([0.02, 1.0])
            centres[jump] = rng.uniform(0, 10, (jump.sum(), 3))
        elif draw < 2 * busy and len(ids) > 3:
            stays = rng.random(len(ids)) < 0.8
            ids, centres, half, speed = ids[stays], centres[stays], half[stays], speed[stays]
        elif draw < 3 * busy:
            more = int(rng.integers(1, 12))
            ids = np.concatenate([ids, np.arange(fresh, fresh + more)])
            fresh += more
            centres = np.vstack([centres, rng.uniform(0, 10, (more, 3))])
            half = np.vstack([half, rng.uniform(0.1, 0.8, (more, 3))])
            speed = np.vstack([speed, rng.normal(size=(more, 3)) * 0.03])
        yield ids, np.hstack([centres - half, centres + half])


def test_a_thousand_frames_with_teleports_adding_and_removing():
    swaps, anew = follow(drifting(np.random.default_rng(1), 80, 1000, 0.05))
    assert swaps > 1000  # most frames were sorted by insertion
    assert 1 < anew < 300


def test_calm_frames_are_sorted_by_insertion():
    swaps, anew = follow(drifting(np.random.default_rng(2), 100, 100, 0.0))
    assert anew <= 1 and swaps < 100 * 100 * 6


@st.composite
def sequences(draw):
    """Few boxes on a small grid, some without end, ids that come and go, ties everywhere."""
    number = st.sampled_from([0.0, 1.0, 2.0, 3.0, np.inf, -np.inf] if draw(st.booleans()) else [0.0, 1.0, 2.0, 3.0])
    frames = []
    for _ in range(draw(st.integers(1, 8))):
        ids = np.array(sorted(draw(st.sets(st.integers(0, 7), max_size=7))), np.int64)
        values = draw(st.lists(number, min_size=6 * len(ids), max_size=6 * len(ids)))
        corners = np.array(values, float).reshape(len(ids), 2, 3)
        frames.append((ids, np.hstack([corners.min(axis=1), corners.max(axis=1)])))
    return frames


@pytest.mark.slow
@given(sequences())
@settings(max_examples=200)
def test_any_sequence(frames):
    follow(frames)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("count", "top"), [(3, 0.0), (3, np.inf), (200, 0.0)])
def test_a_ground_without_end_touches_what_comes_and_ends_nothing_that_never_began(count, top):
    rng = np.random.default_rng(count)
    frames, low = [], rng.uniform(-1, 8, (count + 1, 3))
    for frame in range(20):
        ids = np.concatenate([[0], 1 + np.flatnonzero(rng.random(count) < 0.8)])
        low += rng.uniform(-0.3, 0.3, low.shape)
        boxes = np.hstack([low[ids], low[ids] + 1.0])
        if frame % 3:  # otherwise it has an end for once
            boxes[0] = [-np.inf, -np.inf, -np.inf, np.inf, np.inf, top]
        frames.append((ids, boxes))
    follow(frames)


@pytest.mark.parametrize(
    ("ids", "boxes", "says"),
    [
        ([0.5], np.zeros((1, 6)), "whole numbers"),
        (["x"], np.zeros((1, 6)), "whole numbers"),
        ([[0], [1, 2]], np.zeros((1, 6)), "ids cannot be read"),
        ([10**400], np.zeros((1, 6)), "whole numbers"),
        (np.array([2**64 - 1], np.uint64), np.zeros((1, 6)), "below"),
        ([0], [["a"] * 6], "boxes cannot be read"),
        ([0], np.zeros((1, 6)) + 0j, "complex"),
        ([0, 1], np.zeros((2, 5)), "shape"),
        ([1, 0], np.zeros((2, 6)), "in ascending order"),
        ([-1], np.zeros((1, 6)), "in ascending order"),
        ([3], [[1, 0, 0, 0, 1, 1]], "box 3 has its lowest corner above"),
        ([3], [[np.nan, 0, 0, 1, 1, 1]], "NaN"),
    ],
)
def test_wrong_boxes_are_refused(ids, boxes, says):
    with pytest.raises(mc.UnsupportedOption, match=says):
        SweepAndPrune().update(ids, boxes)


def test_groups_rules_and_single_pairs():
    rules = mc.CollisionMatrix()
    pairs = np.array([[0, 1], [0, 5], [1, 5], [5, 900]])
    assert rules(pairs).all()
    rules.assign([0, 1], "robot")
    rules.assign(5, "cell")
    rules.set_rule("robot", "robot", False)
    assert rules(pairs).tolist() == [False, True, True, True]
    rules.set_pair(1, 0, True)
    rules.set_pair(5, 900, False)
    assert rules(pairs).tolist() == [True, True, True, False]
    rules.set_pair(0, 1, None)
    rules.set_rule("cell", "robot", False)
    assert rules(pairs).tolist() == [False, False, False, False]
    assert rules.groups == ["default", "robot", "cell"] and rules.group_of(900) == "default"


IDS = st.sampled_from([0, 1, 5, 2**31 - 1])


@given(st.lists(st.tuples(IDS, IDS, st.sampled_from(["a", "b", None, True, False]), st.booleans())))
def test_any_rules_against_tables(actions):
    """Groups, rules and pairs, said in any order, of ids of any size."""
    rules, groups, between, pairs = mc.CollisionMatrix(), {}, {}, {}
    every = np.array([[i, j] for i in (0, 1, 5, 6, 2**31 - 1) for j in (0, 1, 5, 6, 2**31 - 1)])
    for i, j, what, compared in actions:
        if isinstance(what, str):
            rules.assign([i, j], what)
            rules.set_rule(what, "default", compared)
            groups[i] = groups[j] = what
            between[what, "default"] = between["default", what] = compared
        else:
            rules.set_pair(i, j, what)
            pairs[frozenset((i, j))] = what
        said = [pairs.get(frozenset(pair)) for pair in every.tolist()]
        of = [tuple(groups.get(i, "default") for i in pair) for pair in every.tolist()]
        truth = [between.get(g, True) if s is None else s for s, g in zip(said, of, strict=True)]
        assert rules(every).tolist() == truth
    assert all(rules.group_of(i) == groups.get(i, "default") for i in every[:, 0].tolist())


def test_one_large_id_takes_no_memory_for_those_below():
    tracemalloc.start()
    rules = mc.CollisionMatrix()
    rules.assign(2_000_000_000, "far")
    assert rules(np.array([[0, 2_000_000_000]])).all()
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda rules: rules.assign(0, ""), "group name must be a string"),
        (lambda rules: rules.assign("x", "a"), "identifiers"),
        (lambda rules: rules.assign(5, None), "group name must be a string"),
        (lambda rules: rules.assign(2**31, "a"), r"below 2\*\*31"),
        (lambda rules: rules.assign([-1], "a"), "from 0 on|at least 0"),
        (lambda rules: rules.set_pair(-1, 0, True), "from 0 on|at least 0"),
        (lambda rules: rules.set_pair(0, 2**32 + 5, False), r"second must be below 2\*\*31"),
        (lambda rules: rules.group_of(-1), "from 0 on|at least 0"),
        (lambda rules: rules(np.array([[-1, 0]])), "from 0 on|at least 0"),
        (lambda rules: rules(np.array([[0, 2**31]])), "from 0 on|at least 0"),
        (lambda rules: rules(np.array([0, 1])), "shape"),
        (lambda rules: rules([[0.5, 1.0]]), "whole numbers"),
        (lambda rules: rules("x"), "whole numbers"),
    ],
)
def test_rules_about_what_is_no_object_are_refused_and_change_nothing(call, says):
    rules = mc.CollisionMatrix()
    with pytest.raises(mc.UnsupportedOption, match=says):
        call(rules)
    assert rules.groups == ["default"] and rules.revision == 0
