"""Solids made of cubes of a grid, and what their sets say of them."""

import itertools
from collections import Counter

import numpy as np

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
