"""Oriented boxes of whole objects: what meets is never told apart, and long parts beside each other are."""

import meshclash as mc
import numpy as np
import pytest
from coinciding_points import coinciding_points, poses_of
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.query.shortcuts.object_pairs import FewObjects
from meshclash.scene.contact_stage import TreePacker
from meshclash.traversal.forest import pack_trees
from meshclash.traversal.oriented_boxes import WIDTH, oriented_boxes, separated_pairs
from meshclash.types.steps import run
from solids import box, refined
from strategies import matrix, rotation

seeds = st.integers(0, 2**32 - 1)
ONE_PAIR = np.array([[0, 1]])


def cone(apex, direction, length):
    """A long cone of 80 triangles, whose apex has exactly these coordinates."""
    u = np.cross(direction, np.roll(direction, 1) + 0.5)
    u /= np.linalg.norm(u)
    angles = np.linspace(0.0, 2.0 * np.pi, 41)[:-1, None]
    ring = 0.05 * length * (np.cos(angles) * u + np.sin(angles) * np.cross(direction, u))
    vertices = np.vstack([apex, apex + length * direction, apex + length * direction + ring])
    following = [(2 + i, 2 + (i + 1) % 40) for i in range(40)]
    triangles = [(0, j, i) for i, j in following] + [(1, i, j) for i, j in following]
    return mc.build(mc.TriangleMesh(vertices, triangles))


def apart(a, b, row_a, row_b):
    tree_set = pack_trees([a, b])
    return bool(separated_pairs(tree_set, oriented_boxes(tree_set), ONE_PAIR, row_a[None], row_b[None])[0])


@settings(max_examples=10)
@given(seeds, st.sampled_from([(1.0, 1.0, 1.0), (1e-3, 1e3, 1e6), (1.0, 1.0, 1e9)]), st.sampled_from([0.0, 0.9]))
def test_a_contact_in_one_point_is_never_lost(seed, sizes, looseness):
    """Cones that point at each other have one point of the world in common, bit by bit."""
    rng = np.random.default_rng(seed)
    for row_a, row_b, p, q in zip(*coinciding_points(seed, 5, *sizes, looseness), strict=True):
        direction = rotation(rng)[0]
        back = -(row_b[:, :3].T @ (row_a[:, :3] @ direction))
        a, b = cone(p, direction, sizes[0]), cone(q, back / np.linalg.norm(back), sizes[1])
        assert not apart(a, b, row_a, row_b)


def beam(rng, centre):
    """A long part of 192 triangles that is turned against the axes."""
    half = np.array([4.0, 0.1, 0.2]) * rng.uniform(0.5, 1.0, 3)
    vertices, triangles = refined(box(-half, half), 2)
    return mc.build(mc.TriangleMesh(vertices @ rotation(rng) + centre, triangles))


@settings(max_examples=8)
@given(seeds, st.sampled_from([0.0, 0.9]))
def test_what_is_told_apart_does_not_meet(seed, looseness):
    rng = np.random.default_rng(seed)
    beams = [beam(rng, rng.uniform(-1, 1, 3)) for _ in range(8)]
    rows = poses_of(rng, 8, 0.5, looseness)
    tree_set = pack_trees(beams)
    jobs = np.argwhere(np.tri(8, k=-1, dtype=bool))
    found = separated_pairs(tree_set, oriented_boxes(tree_set), jobs, rows[jobs[:, 0]], rows[jobs[:, 1]])
    assert found.any()
    for i, j in jobs[found]:
        poses = (matrix(row[:, :3], row[:, 3]) for row in (rows[i], rows[j]))
        assert not mc.collides(beams[i], beams[j], *poses)


def parallel_beams(gap):
    """Two beams along a diagonal, so many metres apart, whose boxes nearly coincide."""
    turn = np.linalg.qr(np.array([[1.0, 1.0, 0.3], [0.0, 1.0, 0.2], [0.0, 0.0, 1.0]]).T)[0].T
    vertices, triangles = refined(box((-4, -0.1, -0.2), (4, 0.1, 0.2)), 2)
    return [mc.build(mc.TriangleMesh(np.add(vertices, [0, y, 0]) @ turn, triangles)) for y in (0.0, 0.2 + gap)]


@pytest.mark.parametrize(("gap", "expected"), [(0.06, True), (1e-3, True), (0.0, False), (-0.01, False)])
def test_long_parts_beside_each_other_are_told_apart(gap, expected):
    still = np.eye(4)[:3]
    assert apart(*parallel_beams(gap), still, still) == expected


def test_a_object_pairs_take_fewer_tests_and_get_the_same_answer():
    scene, packer = mc.Scene(), TreePacker()
    for gap in (0.06, -0.01):
        for part in parallel_beams(gap):
            scene.add(part)
    members = [scene._objects.member(i) for i in range(4)]
    for _ in packer.packed_steps(members):
        pass
    packed = packer.current
    never = np.full((len(packed.oriented), WIDTH), -1e30, np.float32)
    rows, everything = np.eye(4)[None, None, :3].repeat(4, axis=1), np.ones(4, np.bool_)
    told, descended = (
        run(
            FewObjects(packed.tree_set, packed.solids, packed.trees, packed.bounds, oriented).find_steps(
                rows, everything, everything, None
            )
        )
        for oriented in (packed.oriented, never)
    )
    assert (told.jobs == descended.jobs).all() and (told.collide == descended.collide).all()
    assert (told.triangles == descended.triangles).all()
    assert told.counts[0] < descended.counts[0]


def test_an_object_of_few_triangles_or_another_volume_has_no_box():
    small = mc.build(mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1))))
    spheres = mc.build(mc.TriangleMesh(*refined(box((0, 0, 0), (1, 1, 1)), 2)), volume="sphere")
    for hierarchy in (small, spheres):
        tree_set = pack_trees([hierarchy, hierarchy])
        assert (oriented_boxes(tree_set)[:, -1] < 0).all()
        still = np.eye(4)[None, :3]
        far = np.add(still, [[0, 0, 0, 9.0]])
        assert not separated_pairs(tree_set, oriented_boxes(tree_set), ONE_PAIR, still, far).any()
