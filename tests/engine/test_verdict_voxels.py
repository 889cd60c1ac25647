"""Solids made of cubes of a grid, their corners rounded: verdicts beside those of the sets of cubes."""

import itertools
from collections import Counter

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import rotation

FINE = 1e-6
"""Resolution of all meshes [m]; corners are off by up to half of it."""
Cubes = frozenset[tuple[int, ...]]


def block(n: int) -> Cubes:
    return frozenset(itertools.product(range(n), repeat=3))


def hollow(n: int) -> Cubes:
    return frozenset(cube for cube in block(n) if {0, n - 1} & {*cube})


def some(rng: np.random.Generator, cubes: Cubes, share: float) -> Cubes:
    return frozenset(cube for cube in sorted(cubes) if rng.random() < share)


def two_solids(rng: np.random.Generator) -> tuple[Cubes, Cubes]:
    """Solids that are equal, one of which holds the other, that fit each other, and any."""
    n = int(rng.integers(2, 5))
    one = (block(n), hollow(n), *(some(rng, block(n), share) for share in (0.3, 0.6, 0.8)))[rng.integers(5)]
    moved = frozenset(tuple(np.add(cube, step)) for step in [rng.integers(-2, 3, 3)] for cube in one)
    others = one, some(rng, one, 0.7), block(n) - one, block(n), some(rng, block(n), 0.5), moved, frozenset([*one][:1])
    return one, others[rng.integers(len(others))]


def squares(cubes: Cubes) -> list[list[tuple[int, ...]]]:
    """Corners of the squares between a cube and none, counterclockwise from outside."""
    found = []
    for cube, axis, side in itertools.product(sorted(cubes), range(3), (0, 1)):
        beside, low = list(cube), list(cube)
        beside[axis] += 2 * side - 1
        low[axis] += side
        if tuple(beside) in cubes:
            continue
        u, v = np.eye(3, dtype=int)[(axis + 1) % 3], np.eye(3, dtype=int)[(axis + 2) % 3]
        corners = [tuple(np.array(low) + step) for step in (0 * u, u, u + v, v)]
        found.append(corners if side else corners[::-1])
    return found


def is_manifold(cubes: Cubes) -> bool:
    edges = Counter(frozenset(edge) for s in squares(cubes) for edge in zip(s, s[1:] + s[:1], strict=True))
    return max(edges.values(), default=0) == 2


def verdicts(one: Cubes, other: Cubes) -> set[str]:
    """What the sets of cubes allow."""
    if one == other:
        return {"DUPLICATE"}
    if one <= other or other <= one:
        return {"CONTAINED"}
    return {"CLASH"} if one & other else {"TOUCHING", "APART"}


def surface(cubes: Cubes, rng: np.random.Generator, into_world: np.ndarray) -> mc.TriangleMesh:
    """Each square is cut along one of its diagonals; then corners are rounded."""
    numbers: dict[tuple[int, ...], int] = {}
    triangles = []
    for corners in squares(cubes):
        a, b, c, d = np.roll([numbers.setdefault(corner, len(numbers)) for corner in corners], rng.integers(4))
        triangles += [(a, b, c), (a, c, d)]
    vertices = np.array(list(numbers), float) @ into_world
    noise = rng.choice([0.0, FINE / 2]) * rng.uniform(-1, 1, vertices.shape)
    return mc.TriangleMesh(vertices + noise, np.array(triangles), resolution=FINE)


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
