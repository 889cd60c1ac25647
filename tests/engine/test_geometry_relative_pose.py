"""The conservative chain from world coordinates to box tests: a contact is never culled.

The sharpest attack is a contact in one point whose boxes have no extent: a mesh of zero-area triangles (points), each
in its own box of 1e-37, placed by two poses so that both points get the same world coordinates bit for bit. Everything
that rounding does to world coordinates and to the relative pose must then be covered by the slack alone.
"""

import meshclash as mc
import numpy as np
import pytest
from coinciding_points import coinciding_points, poses_of
from hypothesis import given
from hypothesis import strategies as st
from meshclash.geometry.relative_pose import relative_rows
from meshclash.jit import kernel
from meshclash.traversal.frames import inverses_of
from meshclash.types.pose import inverse_rotations, transform_points
from meshclash.volumes import aabb
from strategies import matrix, rotation

SLACK_COLUMNS = [12, 13, 14, 27, 28, 29]


@kernel
def _overlaps(boxes_a, boxes_b, relative, result):
    for i in range(relative.shape[0]):
        result[i] = aabb.overlap(boxes_a[i], boxes_b[i], relative[i])


@kernel
def _point_boxes(boxes):
    for i in range(boxes.shape[0]):
        aabb.clear(boxes[i])
        aabb.extend(boxes[i], 0.0, 0.0, 0.0)


def overlaps_of(rows_a, rows_b, points_a, points_b, slack=1.0):
    relative = relative_rows(rows_a, rows_b, points_a, points_b, np.abs(points_a), np.abs(points_b))
    relative[:, SLACK_COLUMNS] *= slack
    boxes = np.empty((len(relative), aabb.WIDTH), np.float32)
    _point_boxes(boxes)
    result = np.zeros(len(relative), np.bool_)
    _overlaps(boxes, boxes, relative, result)
    return result


ATTACKS = [  # size of a, size of b, distance from the origin
    (1.0, 1.0, 1.0),
    (1.0, 1.0, 1e6),
    (1.0, 1.0, 1e9),
    (1e6, 1.0, 1.0),
    (1.0, 1e6, 1e9),
    (1e-6, 1.0, 1e3),
    (1e-12, 1e-12, 1e3),
    (1e-30, 1.0, 1e6),
    (1e15, 1.0, 1e18),
    (1e25, 1e25, 1e29),
]
BELOW_FLOAT32 = (1e-30, 1e-30, 0.0)  # the boxes' own 1e-37 is larger than any rounding
ATTACK = ("size_a", "size_b", "shift")


@pytest.mark.slow
@pytest.mark.parametrize("looseness", [0.0, 1.0], ids=["rotations", "barely rigid"])
@pytest.mark.parametrize(ATTACK, [*ATTACKS, BELOW_FLOAT32])
def test_boxes_of_coinciding_points_always_overlap(size_a, size_b, shift, looseness):
    case = coinciding_points(7, 1500, size_a, size_b, shift, looseness)
    assert len(case[0]) > 100
    assert overlaps_of(*case).all()
    rows_a, rows_b, points_a, points_b = case
    assert overlaps_of(rows_b, rows_a, points_b, points_a).all()


@pytest.mark.parametrize(ATTACK, ATTACKS)
def test_without_slack_the_attack_succeeds(size_a, size_b, shift):
    """So the test above sees a missing slack."""
    assert not overlaps_of(*coinciding_points(7, 500, size_a, size_b, shift, 1.0), slack=0.0).all()


@pytest.mark.slow
def test_a_slack_sixty_four_times_smaller_is_not_enough():
    """u times the sizes: what a derivation that forgets the sums would give."""
    assert not all(overlaps_of(*coinciding_points(7, 1500, *attack, 1.0), slack=1.0 / 64).all() for attack in ATTACKS)


@pytest.mark.slow
@pytest.mark.parametrize(ATTACK, ATTACKS)
def test_queries_find_every_coinciding_point(size_a, size_b, shift):
    """The whole chain: one point, hierarchy and traversal, in each of many poses."""
    rows_a, rows_b, points_a, points_b = (x[:40] for x in coinciding_points(8, 400, size_a, size_b, shift, 1.0))
    for r, s, p, q in zip(rows_a, rows_b, points_a, points_b, strict=True):
        a, b = (mc.TriangleMesh(point[None], [[0, 0, 0]]) for point in (p, q))
        pose_a, pose_b = (np.vstack([rows, (0, 0, 0, 1)]) for rows in (r, s))
        assert mc.collide(a, b, pose_a, pose_b).kinds.tolist() == [mc.ContactKind.TOUCHING]


@pytest.mark.parametrize("leaf_size", [1, 8])
def test_points_amid_a_larger_mesh_are_found_through_all_levels(leaf_size):
    """Hundreds of points in one pose each: their leaves and all parents have to let every one of them through."""
    rng = np.random.default_rng(9)
    pose_a, pose_b = matrix(rotation(rng), rng.normal(size=3) * 1e6), matrix(rotation(rng))
    pose_b[:3, 3] = pose_a[:3, 3]
    points_a = rng.normal(size=(1000, 3))
    world = transform_points(pose_a[:3], points_a)
    points_b = np.linalg.solve(pose_b[:3, :3], (world - pose_b[:3, 3]).T).T
    same = (transform_points(pose_b[:3], points_b) == world).all(axis=1)
    index = np.arange(same.sum())
    assert len(index) > 300
    a, b = (mc.TriangleMesh(p[same], np.stack([index] * 3, axis=1)) for p in (points_a, points_b))
    found = mc.collide(mc.build(a, leaf_size=leaf_size), mc.build(b, leaf_size=leaf_size), pose_a, pose_b)
    assert {(i, i) for i in index.tolist()} <= {tuple(pair) for pair in found.pairs.tolist()}


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1.0), st.sampled_from([0.0, 1.0, 1e4]))
def test_tolerance_lets_through_what_is_that_near(seed, gap, shift):
    """Points at a distance of the tolerance along a world axis or in any direction."""
    rng = np.random.default_rng(seed)
    rows_a, rows_b = poses_of(rng, 1, shift, 1.0), poses_of(rng, 1, shift, 1.0)
    point_a, direction = rng.normal(size=(2, 1, 3))
    world = transform_points(rows_a[0], point_a) + gap * direction / np.linalg.norm(direction)
    point_b = np.linalg.solve(rows_b[0, :, :3], (world - rows_b[0, :, 3])[0])[None]
    relative = relative_rows(rows_a, rows_b, point_a, point_b, np.abs(point_a), np.abs(point_b), gap)
    boxes = np.empty((1, aabb.WIDTH), np.float32)
    _point_boxes(boxes)
    result = np.zeros(1, np.bool_)
    _overlaps(boxes, boxes, relative, result)
    assert result[0]


def test_boxes_apart_are_culled():
    """Never a false no is easy for a test that always says yes."""
    rng = np.random.default_rng(10)
    rows = poses_of(rng, 200, 1.0, 0.0)
    origin = np.zeros((200, 3))
    other = rows.copy()
    other[:, :, 3] += rng.choice([-1.0, 1.0], (200, 3)) * 1e-3
    assert not overlaps_of(rows, other, origin, origin).any()


def test_rows_hold_both_directions():
    rng = np.random.default_rng(11)
    rows_a, rows_b = poses_of(rng, 5, 3.0, 0.0), poses_of(rng, 5, 3.0, 0.0)
    origin_a, origin_b = rng.normal(size=(2, 5, 3))
    relative = relative_rows(rows_a, rows_b, origin_a, origin_b, np.ones((5, 3)), np.ones((5, 3)))
    assert relative.shape == (5, 33)
    for row, r, s, p, q in zip(relative, rows_a, rows_b, origin_a, origin_b, strict=True):
        x = rng.normal(size=3)
        in_b = np.linalg.solve(s[:, :3], r[:, :3] @ (x + p) + r[:, 3] - s[:, 3]) - q
        assert np.allclose(row[15:24].reshape(3, 3) @ x + row[24:27], in_b)
        assert np.allclose(row[:9].reshape(3, 3) @ in_b + row[9:12], x)


def test_inverses_of_poses_have_the_bytes_of_those_in_numpy():
    rows = poses_of(np.random.default_rng(5), 500, 10.0, 0.9)
    assert inverses_of(rows).tobytes() == inverse_rotations(rows).tobytes()
