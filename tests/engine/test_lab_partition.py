"""Uniform grid and linear octree: every pair of boxes that meet, once; and the answers of ``collide``."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.lab.partition import grid
from meshclash.lab.partition.registry import PARTITIONS
from solids import box, gear, moved, refined, torus
from strategies import grid_meshes, matrix, rotation, soup

NAMES = sorted(PARTITIONS)


def expected_pairs(a, b):
    meet = (a[:, None, :3] <= b[None, :, 3:]).all(axis=2) & (b[None, :, :3] <= a[:, None, 3:]).all(axis=2)
    return [tuple(pair) for pair in np.argwhere(meet).tolist()]


def boxes(rng, count, size, spread=1.0):
    low = rng.uniform(0, spread, (count, 3))
    return np.concatenate([low, low + size], axis=1)


def cases():
    rng = np.random.default_rng(2)
    small, large = boxes(rng, 300, 0.02), boxes(rng, 200, 0.3)
    mixed = np.concatenate([boxes(rng, 200, 0.01), boxes(rng, 10, 2.0), boxes(rng, 40, 0.1)])
    lattice = np.array([[x, y, z, x + 1, y + 1, z + 1] for x in range(6) for y in range(6) for z in range(6)], float)
    points = np.repeat(rng.integers(0, 4, (200, 3)).astype(float), 2, axis=0).reshape(-1, 6)
    flat = boxes(rng, 300, 0.1) * (1, 1, 0, 1, 1, 0)
    return {
        "small": (small, boxes(rng, 300, 0.02)),
        "large against small": (large, small),
        "of every size": (mixed, mixed[::-1].copy()),
        "of every size, swapped": (small, mixed),
        "sharing faces": (lattice, lattice + np.tile((1.0, 0, 0), 2)),
        "points": (points, points),
        "in a plane": (flat, flat),
        "one and the same": (np.zeros((3, 6)), np.zeros((2, 6))),
        "apart": (small, small + 5.0),
        "far away": (small + 1e9, small + 1e9),
        "needle through the region": (small, np.array([[-1e40, 0.4, 0.4, 1e40, 0.5, 0.5]])),
        "huge": (mixed * 1e30, mixed * 1e30),
        "tiny": (mixed * 1e-200, mixed * 1e-200),
        "hardly any extent": (mixed * 1e-310, mixed * 1e-310),
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", cases())
def test_every_pair_that_meets_once(name, case):
    a, b = cases()[case]
    pairs, compared = PARTITIONS[name](a, b)
    assert sorted(map(tuple, pairs.tolist())) == expected_pairs(a, b)
    assert compared >= len(pairs)


@pytest.mark.parametrize("name", NAMES)
def test_far_fewer_boxes_are_compared_than_there_are_pairs(name):
    rng = np.random.default_rng(4)
    a, b = boxes(rng, 2000, 0.02), boxes(rng, 2000, 0.02)
    pairs, compared = PARTITIONS[name](a, b)
    assert len(pairs) <= compared <= 0.02 * len(a) * len(b)


def test_a_few_giants_among_dwarfs_do_not_fill_the_memory():
    rng = np.random.default_rng(3)
    mixed = np.concatenate([boxes(rng, 3000, 1e-3), boxes(rng, 30, 1.0)])
    region = np.zeros(3), np.full(3, 2.0)
    scale, size = grid._layout(mixed, np.arange(len(mixed)), *region, 2 * len(mixed))
    assert grid._total(mixed, np.arange(len(mixed)), region[0], scale, size) <= 16 * len(mixed) + 8
    pairs, _ = PARTITIONS["grid"](mixed, mixed)
    assert sorted(map(tuple, pairs.tolist())) == expected_pairs(mixed, mixed)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40)
@given(grid_meshes(), grid_meshes(), st.integers(0, 2**32 - 1))
def test_contacts_are_those_of_collide(name, first, second, seed):
    a, b = mc.TriangleMesh(*first), mc.TriangleMesh(*second)
    rng = np.random.default_rng(seed)
    poses = np.stack([np.eye(4), matrix(shift=rng.integers(-2, 3, 3) / 2), matrix(rotation(rng), rng.normal(size=3))])
    for touching in (True, False):
        expected = mc.collide(a, b, None, poses, touching=touching)
        found = mc.lab.collide_soups(a, b, None, poses, partition=name, touching=touching)
        assert found.pairs.tobytes() == expected.pairs.tobytes()
        assert found.kinds.tobytes() == expected.kinds.tobytes()
        assert found.pose.tobytes() == expected.pose.tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_contacts_of_larger_meshes(name):
    rng = np.random.default_rng(6)
    cloud = mc.TriangleMesh(*soup(rng.normal(size=(300, 1, 3)) + 0.3 * rng.normal(size=(300, 3, 3))))
    plate, wheel = mc.TriangleMesh(*refined(box((0, 0, 0), (4, 3, 0.25)), 2)), mc.TriangleMesh(*gear(2, 12, 0, 1))
    ring = mc.TriangleMesh(*moved(torus(2, 0.5), (1, 0, 0)))
    for a, b in ((cloud, ring), (plate, ring), (wheel, plate), (wheel, wheel), (cloud, cloud)):
        pose = matrix(rotation(rng), rng.normal(size=3) * 0.5)
        found, expected = mc.lab.collide_soups(a, b, None, pose, partition=name), mc.collide(a, b, None, pose)
        assert found.pairs.tobytes() == expected.pairs.tobytes()
        assert found.kinds.tobytes() == expected.kinds.tobytes()
        assert len(found.segments()) == len(expected)
        assert found.stats.primitive_tests >= len(found)


def test_bad_requests_are_named():
    mesh = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    for wrong in ("egg", None, 3, ["grid"]):
        with pytest.raises(mc.UnsupportedOption, match="expected one of grid, octree"):
            mc.lab.collide_soups(mesh, mesh, partition=wrong)
    with pytest.raises(mc.InvalidMesh, match="Hierarchy"):
        mc.lab.collide_soups(mc.build(mesh), mesh)
    with pytest.raises(mc.InvalidPose):
        mc.lab.collide_soups(mesh, mesh, np.zeros((4, 4)))
