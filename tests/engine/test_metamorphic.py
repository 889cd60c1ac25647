"""What two objects do to each other does not depend on how they are written: ``metamorphic.py`` with a few pairs."""

import meshclash as mc
import numpy as np
import pytest
from metamorphic import CHANGES, WAYS, case, doors, random_pair, subdivided, written_objects
from solids import torus
from strategies import rotation

pytestmark = pytest.mark.needs_jit


@pytest.mark.parametrize("seed", [*range(3), 802])  # 802: a climb inside an open tube that hardly ended
def test_no_change_of_writing_contradicts_a_certain_answer(seed):
    name, found, counted = case(seed)
    assert found == [], name
    assert counted["answers"] == 1 + len(CHANGES)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1080))
def test_no_change_of_writing_contradicts_a_certain_answer_of_more_pairs(seed):
    name, found, _ = case(seed)
    assert found == [], name


@pytest.mark.parametrize("seed", range(2))
def test_every_door_says_the_same_of_all_pairs(seed):
    assert doors(written_objects(16, np.random.default_rng(seed))) == []


@pytest.mark.parametrize("seed", range(6))
def test_depths_of_surfaces_that_cross_themselves_scale_by_powers_of_two(seed):
    """The contacts beside which balls are looked for were chosen by all bits of the coordinates."""
    rng = np.random.default_rng(seed)
    (vertices, triangles), turn = torus(0.3, 0.5, 24, 16), rotation(rng)
    other = np.round((vertices @ turn.T + rng.uniform(-0.4, 0.4, 3)) * 2.0**20) / 2.0**20
    found = []
    for factor in (1.0, 2.0**-20, 0.125, 2.0, 2.0**7, 2.0**20):
        told = mc.verdict(mc.TriangleMesh(vertices * factor, triangles), mc.TriangleMesh(other * factor, triangles))
        found.append((told.name, told.depth / factor, told.depth_upper / factor))
    for name, depth, upper in found[1:]:
        assert name == found[0][0]
        assert (depth, upper) == pytest.approx(found[0][1:], rel=1e-9)


def test_pairs_are_written_in_twenty_ways_whose_middles_are_exact():
    assert len(WAYS) == 20
    for seed in range(20):
        _, pair = random_pair(np.random.default_rng(seed))
        finer = subdivided(pair, np.random.default_rng(0))
        for coarse, fine in zip(pair[:2], finer[:2], strict=True):
            corners = coarse[0][coarse[1]]
            middles = 0.5 * (corners + np.roll(corners, 1, axis=1))
            assert (2.0 * middles == corners + np.roll(corners, 1, axis=1)).all()
            assert len(fine[1]) == 4 * len(coarse[1])
