"""Distances against fractions: how far off they are, and that they are 0 exactly where triangles meet, at any scale."""

from itertools import product

import exact
import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.geometry.triangle_distance import nearest_points
from meshclash.hierarchy.build import SPLITS
from meshclash.volumes.registry import VOLUMES
from oracles.generators import CLASSES, make_pairs
from oracles.oracle import classify_pairs
from solids import box
from strategies import matrix, rotation, soup

UNIT = 2.0**-53
MOST_OFF = 8.0  # of UNIT times the largest coordinate seen from a corner; 5.0 is the most that has been found
NAMES = ("slivers", "wedges", *CLASSES)
SCALES = (5e-324, 1e-310, 1e-300, 1e-200, 1e-162, 1e-100, 1e-81, 1e-54, 1e-30, 1.0, 1e15, 1e28)


def reach_of(a, b):
    """Largest coordinates of pairs of triangles (n, 3, 3) seen from the first corner."""
    return np.maximum(np.abs(a - a[:, :1]).max(axis=(1, 2)), np.abs(b - a[:, :1]).max(axis=(1, 2)))


def slivers(rng, n):
    """Long triangles of every width, half of them nearly parallel, at gaps from nothing to their length."""
    a, b = rng.uniform(-1, 1, (2, n, 3, 3))
    for side in (a, b):
        width = 10.0 ** rng.uniform(-14, 0, (n, 1))
        along = rng.uniform(-0.5, 1.2, (n, 1)) * (side[:, 1] - side[:, 0])
        side[:, 2] = side[:, 0] + along + width * rng.normal(size=(n, 3))
    alike = (a - a[:, :1]) * rng.uniform(-1.5, 1.5, (n, 1, 1)) + 10.0 ** rng.uniform(-16, -1, (n, 1, 1)) * b
    b = np.where(rng.random((n, 1, 1)) < 0.5, b, alike)
    normal = np.cross(a[:, 1] - a[:, 0], a[:, 2] - a[:, 0])
    gap = 10.0 ** rng.uniform(-17, 0, (n, 1)) * normal / np.linalg.norm(normal, axis=1)[:, None]
    weights = rng.dirichlet((1, 1, 1), (2, n))
    return a, b + (np.einsum("nk,nkx->nx", weights[0], a) + gap - np.einsum("nk,nkx->nx", weights[1], b))[:, None]


def wedges(rng, n):
    """Triangles on grids in nearly parallel planes, at gaps from nothing to their size: many features are as near."""
    a, b = rng.integers(-3, 4, (2, n, 3, 3)) / 4.0
    a[..., 2] = 0.0
    tilt = 10.0 ** rng.uniform(-17, -3, (n, 1, 2)) * rng.integers(-1, 2, (n, 1, 2))
    b[..., 2] = 10.0 ** rng.uniform(-12, 0.5, (n, 1)) + (tilt * (b[..., :2] + 1.0)).sum(axis=2)
    turns = np.stack([rotation(rng) if k % 2 else np.eye(3) for k in range(n)])
    return a @ turns, b @ turns


def pairs_of(name, n, seed):
    made = {"slivers": slivers, "wedges": wedges}.get(name)
    return make_pairs(name, n, seed) if made is None else made(np.random.default_rng(seed), n)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_distances_are_off_by_rounding_only_and_zero_where_triangles_meet(name):
    a, b = pairs_of(name, 100, seed=41)
    apart = classify_pairs(a, b) == 0
    assert (nearest_points(a[~apart], b[~apart])[0] == 0.0).all()
    a, b = a[apart], b[apart]
    truth = np.array([exact.distance_of_apart_triangles(p, q) for p, q in zip(a, b, strict=True)])
    for swapped in (False, True):
        first, second = (b, a) if swapped else (a, b)
        distances, points = nearest_points(first, second, True)
        bound = MOST_OFF * UNIT * reach_of(first, second)
        assert (np.abs(distances - truth) <= bound + 5e-324).all()
        for corners, side in ((first, 0), (second, 1)):
            for triangle, point in zip(corners[:20], points[:20, side], strict=True):
                assert exact.distance_to_triangle(point, triangle) <= 1e-15 * np.abs(corners).max() + 5e-324


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(SCALES), st.sampled_from(NAMES), st.booleans())
def test_distance_is_zero_exactly_where_objects_collide_at_any_scale(seed, scale, name, turned):
    """Of two soups of a few triangles, in poses; where apart it is what fractions say, but for rounding."""
    if name in ("wide range", "far"):
        name = "near-tangent"
    a, b = pairs_of(name, 4, seed)
    first, second = (mc.TriangleMesh(*soup(side[:2] * scale)) for side in (a, b))
    rng = np.random.default_rng(seed)
    pose = matrix(rotation(rng) if turned else None, rng.integers(-1, 2, 3) * 0.25 * scale)
    found = mc.distance(first, second, None, pose)
    assert (found.distance == 0.0) == mc.collides(first, second, None, pose)
    world = mc.Pose.from_matrix(pose).apply(second.vertices).reshape(-1, 3, 3), first.vertices.reshape(-1, 3, 3)
    corners = [np.stack(side) for side in zip(*product(world[1], world[0]), strict=True)]
    kinds = classify_pairs(*corners)
    assert (found.distance == 0.0) == bool(kinds.any())
    if not kinds.any():
        truth = min(exact.distance_of_apart_triangles(p, q) for p, q in zip(*corners, strict=True))
        assert abs(found.distance - truth) <= MOST_OFF * UNIT * reach_of(*corners).max() + 5e-324
    close = mc.clearance(first, second, 0.5 * scale, None, pose)
    zeros = {tuple(pair) for pair, length in zip(close.pairs.tolist(), close.distances, strict=True) if length == 0.0}
    assert zeros == {tuple(pair) for pair in mc.collide(first, second, None, pose).pairs.tolist()}
    if len(close):
        assert close.distances.min() == found.distance


NEARLY_PARALLEL = (
    [[-0.6105215621899869, 0.21399593601943967, -0.205529344913437],
     [0.6132007779926341, 0.33266187649826207, 0.4434579898217461],
     [0.47047694383278493, 0.3188217634328556, 0.3677660143228261]],
    [[0.1291444402183108, 0.28586970727707345, 0.18733966220650655],
     [0.6421119706896213, 0.33561283346982757, 0.4593862041870134],
     [0.5822841071957735, 0.3298112485611708, 0.42765717110546647]],
)  # fmt: skip


def test_the_way_between_nearly_parallel_edges_is_turned_by_more_than_rounding():
    """It was believed: the distance was 67 pm too long, 480,000 times as much as rounding."""
    a, b = np.array([NEARLY_PARALLEL[0]]), np.array([NEARLY_PARALLEL[1]])
    truth = exact.distance_of_apart_triangles(a[0], b[0])
    assert abs(nearest_points(a, b)[0][0] - truth) <= MOST_OFF * UNIT * reach_of(a, b)[0]


@pytest.mark.parametrize("gap", [2.0**-52, 2.0**-53, 1e-12, 1e-9])
@pytest.mark.parametrize("order", [1, -1])
def test_the_gap_of_a_part_inside_a_box(gap, order):
    outer = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    inner = mc.TriangleMesh(*box((0.75 - gap, 0.25, 0.25), (1.0 - gap, 0.5, 0.5)))
    pair, gap = (outer, inner)[::order], 1.0 - (1.0 - gap)  # the latter as stored
    assert mc.distance(*pair).distance == gap
    close = mc.clearance(*pair, 2.0 * gap)
    assert len(close) > 0
    assert (close.distances >= gap).all()
    assert np.allclose(np.linalg.norm(np.diff(close.points(), axis=1)[:, 0], axis=1), close.distances, atol=1e-15)


TINY = (5e-324, 1e-320, 1e-310, 1e-308, 1e-200, 1e-100, 1e-60, 1e-45, 1e-38)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(VOLUMES))
@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(TINY), st.sampled_from(sorted(SPLITS)), st.booleans())
def test_contacts_of_tiny_and_subnormal_coordinates_are_exact(name, seed, scale, split, turned):
    rng = np.random.default_rng(seed)
    sides = [rng.integers(-3, 4, (6, 3, 3)) * scale for _ in range(2)]
    a, b = (mc.TriangleMesh(*soup(side)) for side in sides)
    pose = matrix(rotation(rng) if turned else None, rng.integers(-1, 2, 3) * scale)
    leaf_size = 1 if name == "boxtree" else 2
    trees = (mc.build(mesh, volume=name, split=split, leaf_size=leaf_size) for mesh in (a, b))
    found = mc.collide(*trees, None, pose)
    world = mc.Pose.from_matrix(pose).apply(b.vertices).reshape(-1, 3, 3)
    kinds = classify_pairs(np.repeat(sides[0], 6, axis=0), np.tile(world, (6, 1, 1))).reshape(6, 6)
    assert found.pairs.tolist() == np.argwhere(kinds).tolist()
    assert found.kinds.tolist() == kinds[kinds != 0].tolist()
