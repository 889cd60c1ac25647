"""Solids made of cubes of a grid, their corners rounded: verdicts beside those of the sets of cubes."""

import meshclash as mc
import numpy as np
import pytest
from cubes import FINE, Cubes, is_manifold, squares, two_solids, verdicts
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import rotation


def surface(cubes: Cubes, rng: np.random.Generator, into_world: np.ndarray) -> mc.TriangleMesh:
    """Each square is cut along one of its diagonals; then corners are rounded."""
    numbers: dict[tuple[int, ...], int] = {}
    triangles = []
    for corners in squares(cubes):
        a, b, c, d = np.roll([numbers.setdefault(corner, len(numbers)) for corner in corners], rng.integers(4))
        triangles += [(a, b, c), (a, c, d)]
    if rng.random() < 0.3:  # faces of one point, as STL files have
        triangles += [3 * (k,) for k in numbers.values()]
    vertices = np.array(list(numbers), float) @ into_world
    noise = rng.choice([0.0, FINE / 2]) * rng.uniform(-1, 1, vertices.shape)
    return mc.TriangleMesh(vertices + noise, np.array(triangles), resolution=FINE)


def divided(cubes: Cubes, rng: np.random.Generator, into_world: np.ndarray) -> mc.TriangleMesh:
    """Each square is divided by itself, so that its edges have corners where those of its neighbours have none."""
    corners, triangles = [], []
    for square in squares(cubes):
        a, b, _, d = np.array(square, float)
        across, up = rng.choice([1, 2, 3, 4], 2)
        for i, j in np.ndindex(across, up):
            quad = [
                a + (b - a) * (i + u) / across + (d - a) * (j + v) / up for u, v in ((0, 0), (1, 0), (1, 1), (0, 1))
            ]
            triangles += [np.add((0, 1, 2), len(corners)), np.add((0, 2, 3), len(corners))]
            corners += quad
    vertices = np.round(np.array(corners), 12) @ into_world
    return mc.TriangleMesh(vertices, np.array(triangles), resolution=FINE, weld=True)


@example(seed=0, which=(True, True))  # the topology of the open mesh flips faces that the file stores rightly
@example(seed=159, which=(True, True))
@given(seed=st.integers(0, 2**32 - 1), which=st.sampled_from([(True, True), (True, False)]))
def test_solids_with_faces_that_end_amid_edges_are_judged_as_the_sets_of_their_cubes(seed, which):
    rng = np.random.default_rng(seed)
    one, other = two_solids(rng)
    if not (one and other):
        return
    into_world = 10.0 ** rng.integers(-1, 3) * (rotation(rng) if rng.random() < 0.5 else np.eye(3))
    first, second = (
        (divided if is_divided else surface)(cubes, rng, into_world)
        for cubes, is_divided in zip((one, other), which, strict=True)
    )
    for pair in ((first, second), (second, first)):
        found = mc.verdict(*pair, permitted_overlap="resolution")
        assert found.name in verdicts(one, other)
        assert found.certainty == 1.0 or (found.name == "TOUCHING" and found.flush)  # permitted without a proved bound


@pytest.mark.parametrize("manifold", [False, True])
@given(seed=st.integers(0, 2**32 - 1))
def test_rounded_solids_are_judged_as_the_sets_of_their_cubes(manifold, seed):
    rng = np.random.default_rng(seed)
    one, other = two_solids(rng)
    if not (one and other) or manifold != (is_manifold(one) and is_manifold(other)):
        return
    size = 10.0 ** rng.integers(-1, 3)
    into_world = size * (rotation(rng) if rng.random() < 0.5 else np.eye(3))
    first, second = surface(one, rng, into_world), surface(other, rng, into_world)
    for pair in ((first, second), (second, first)):
        for permitted in ("resolution", 3 * FINE, size / 10):
            assert mc.verdict(*pair, permitted_overlap=permitted).name in verdicts(one, other)
