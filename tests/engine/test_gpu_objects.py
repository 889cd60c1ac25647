"""The broad phase by a hierarchy, on the CPU: its pairs are those of sweep and prune."""

import numpy as np
import pytest
from gpu_cases import object_boxes
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from meshclash.broadphase.sweep import overlapping_pairs
from meshclash.gpu.breadth_first import Workspace
from meshclash.gpu.object_pairs import find_object_pairs
from oracles.device_model.backend import HostBackend


def same(boxes, in_a, in_b, threads=1):
    found = find_object_pairs(Workspace(HostBackend(threads)), boxes, in_a, in_b)
    expected = overlapping_pairs(boxes, in_a, in_b)
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()
    return len(expected)


@st.composite
def boxes_and_sets(draw):
    count = draw(st.integers(1, 30))
    scale = draw(st.sampled_from([1.0, 1e-8, 1e7, 0.1]))
    low = draw(hnp.arrays(np.float64, (count, 3), elements=st.integers(-4, 4).map(float)))
    size = draw(hnp.arrays(np.float64, (count, 3), elements=st.integers(0, 3).map(float)))
    sets = draw(hnp.arrays(np.bool_, (2, count)))
    return scale * np.hstack([low, low + size]), sets[0], sets[1]


@given(boxes_and_sets())
def test_awkward_boxes_as_sweep_and_prune(given_boxes):
    same(*given_boxes)


def test_the_case_of_the_simulator_has_something_to_find():
    assert 10 < same(*object_boxes()) < 200


@pytest.mark.slow
@pytest.mark.needs_jit
@pytest.mark.parametrize("threads", [1, 2])
def test_many_objects_as_sweep_and_prune(threads):
    rng = np.random.default_rng(2)
    low = rng.uniform(-50, 50, (40_000, 3))
    boxes = np.hstack([low, low + rng.uniform(0, 4, low.shape)])
    assert same(boxes, rng.random(len(boxes)) < 0.8, rng.random(len(boxes)) < 0.5, threads) > 10_000
