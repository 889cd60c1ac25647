"""The search for the width of an open mesh's hole ends."""

import itertools

import meshclash as mc
import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from meshclash.solid.opening import opening_steps
from meshclash.solid.solidity import intended_solid
from metamorphic import GRID, WAYS, solids

MOST_STEPS = 150


def opening_of(mesh: mc.TriangleMesh) -> float:
    """The opening; fails where the search takes too many steps."""
    search = opening_steps(intended_solid(mesh))
    assert sum(1 for _ in itertools.islice(search, MOST_STEPS)) < MOST_STEPS
    found: float = intended_solid(mesh).repair.mesh.derived["opening"]
    return found


@given(seed=st.integers(0, 2**32 - 1))
@example(seed=8)
@example(seed=37)
def test_the_search_ends_in_walls_of_even_thickness(seed):
    """Balls in a wall can move along it without end, and rounding makes some of them larger than others."""
    rng = np.random.default_rng(seed)
    vertices, triangles = solids()["tube"]
    moved = np.round((vertices + rng.uniform(-1.5, 1.5, 3)) / GRID) * GRID
    way = ("cracked", "cracked and flipped", "face missing")[rng.integers(3)]
    assert 0.0 <= opening_of(mc.TriangleMesh(*WAYS[way]((moved, triangles), rng))) <= 1.0
