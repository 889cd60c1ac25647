"""Bodies with cavities, written with inner faces, wrong windings and two layers: what is certain has to be right."""

import meshclash as mc
import numpy as np
import pytest
from cubes import Cubes, block, hollow, squares, verdicts
from hypothesis import given
from hypothesis import strategies as st

WAYS = {
    "as it is": lambda triangles, rng: triangles,
    "inside out": lambda triangles, rng: triangles[:, ::-1],
    "doubled": lambda triangles, rng: np.vstack([triangles, triangles]),
    "some turned": lambda triangles, rng: np.where(
        rng.random(len(triangles))[:, None] < 0.3, triangles[:, ::-1], triangles
    ),
    "two-sided": lambda triangles, rng: np.vstack([triangles, triangles[:, ::-1]]),
}
TOLD = ("as it is", "inside out", "doubled")
"""Ways in which the windings tell what is a cavity."""


def corners_of(cubes: Cubes) -> np.ndarray:
    """Triangles (m, 3, 3) of the outer faces."""
    quads = np.array(squares(cubes), float).reshape(-1, 4, 3)
    return quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3, 3)


def as_mesh(corners: np.ndarray, way: str, rng: np.random.Generator) -> mc.TriangleMesh:
    vertices, triangles = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    return mc.TriangleMesh(vertices, rng.permutation(WAYS[way](triangles.reshape(-1, 3), rng)))


def cavity_beside_a_wall(n: int, axis: int) -> tuple[Cubes, np.ndarray]:
    """A hollow block with a plate on one of its sides; the face between them is left in the mesh."""
    step = np.roll([n, 0, 0], axis)
    plate = frozenset(tuple(np.add(cube, step).tolist()) for cube in block(n) if cube[axis] == 0)
    return hollow(n) | plate, np.concatenate([corners_of(hollow(n)), corners_of(plate)])


def small_things(rng: np.random.Generator, n: int) -> Cubes:
    """A box of cubes, in the cavity or anywhere."""
    if rng.random() < 0.5:
        return frozenset([(1, 1, 1)])
    low, high = np.sort(rng.integers(-1, n + 2, (2, 3)), axis=0)
    return frozenset(map(tuple, np.argwhere(np.ones(high - low + 1)) + low))


@given(seed=st.integers(0, 2**32 - 1), way=st.sampled_from(list(WAYS)), walled=st.booleans())
def test_a_cavity_is_certain_only_where_the_windings_tell_it(seed, way, walled):
    """The cavity shares no edge with the outer faces, so that its facing alone tells it from material."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 5))
    cubes, corners = cavity_beside_a_wall(n, int(rng.integers(3))) if walled else (hollow(n), corners_of(hollow(n)))
    other = small_things(rng, n)
    found = mc.verdict(as_mesh(corners, way, rng), as_mesh(corners_of(other), "as it is", rng))
    right = found.name in verdicts(cubes, frozenset(tuple(map(int, cube)) for cube in other))
    assert right or found.certainty < 1.0
    if way in TOLD:
        assert right and found.certainty == 1.0


@pytest.mark.parametrize("way", [way for way in WAYS if way not in TOLD])
def test_a_doubtful_cavity_matters_only_to_what_comes_near_it(way):
    rng = np.random.default_rng(1)
    mesh = as_mesh(corners_of(hollow(3)), way, rng)
    inside, beside = (as_mesh(corners_of(frozenset([cube])), "as it is", rng) for cube in ((1, 1, 1), (3, 1, 1)))
    assert mc.verdict(mesh, inside).certainty < 1.0
    assert mc.verdict(mesh, beside).certainty == 1.0


def test_components_apart_are_certain_however_they_face():
    """Boxes side by side: each bounds the same solid from both sides."""
    rng = np.random.default_rng(2)
    corners = np.concatenate([corners_of(block(1)), np.add(corners_of(block(1)), (3.0, 0.0, 0.0))])
    mesh = as_mesh(corners, "some turned", rng)
    found = mc.verdict(mesh, as_mesh(corners_of(block(1)) * 0.5 + 0.25, "as it is", rng))
    assert (found.name, found.certainty) == ("CONTAINED", 1.0)
