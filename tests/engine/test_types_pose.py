"""Poses: the definition of world coordinates, what is refused, and splitting off scale and shear."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.types.affine import split_matrices
from meshclash.types.pose import (
    LARGEST_COORDINATE,
    RIGID_TOLERANCE,
    inverse_rotations,
    plainly_rigid,
    pose_stack,
    put_single_pose,
    transform_points,
)
from strategies import WIDE, matrix, points, poses, rotation

seeds = st.integers(0, 2**32 - 1)


def by_definition(pose: np.ndarray, point) -> list[float]:
    """World coordinates of one point in Python floats, in the documented order."""
    x, y, z = (float(value) for value in point)
    rows = [[float(value) for value in row] for row in pose[:3]]
    return [((r[0] * x + r[1] * y) + r[2] * z) + r[3] for r in rows]


@given(poses(), points(WIDE, 4) | points(st.floats(-1e-300, 1e-300), 4))
def test_world_coordinates_are_bit_for_bit_those_of_the_definition(pose, vertices):
    world = mc.Pose.from_matrix(pose).apply(vertices)
    expected = np.array([by_definition(pose, v) for v in vertices])
    assert world.tobytes() == expected.tobytes()


def test_twelve_numbers_are_kept_as_given():
    """Nothing is orthonormalised, also where the matrix is a rotation only up to the tolerance."""
    for linear in (rotation(np.random.default_rng(1)), np.eye(3) * (1 + 0.4 * RIGID_TOLERANCE)):
        given_matrix = matrix(linear, (1e30, -1e-300, 0.1))
        assert mc.Pose.from_matrix(given_matrix).matrix.tobytes() == given_matrix.tobytes()


def test_a_pose_does_not_follow_the_array_that_it_came_from():
    given_matrix = np.eye(4)
    pose = mc.Pose.from_matrix(given_matrix)
    given_matrix[0, 3] = 7.0
    pose.matrix[0, 3] = 8.0
    assert np.array_equal(pose.matrix, np.eye(4))
    assert np.array_equal(mc.Pose.identity().matrix, np.eye(4))


def changed(row, column, value):
    result = np.eye(4)
    result[row, column] = value
    return result


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (np.eye(3), r"shape \(3, 3\)"),
        (np.zeros((4, 4, 4)), "shape"),
        ("abc", "cannot be read"),
        ([[1, 2], [3]], "cannot be read"),
        (changed(0, 0, np.nan), "NaN"),
        (changed(2, 3, np.inf), "infinite"),
        (changed(3, 0, 0.5), "last row"),
        (changed(3, 3, 2.0), "last row"),
        (changed(1, 3, 1.1e30), "1e[+]30"),
        (matrix(np.eye(3) * 2.0), "split_matrix"),
        (matrix(np.eye(3) * (1 + 2 * RIGID_TOLERANCE)), "not rigid"),
        (changed(0, 1, 0.01), "not rigid"),
        (matrix(np.zeros((3, 3))), "not rigid"),
        (matrix(np.diag([1e20, 1, 1])), "not rigid"),
        (matrix(np.diag([1.0, 1.0, -1.0])), "reflection"),
    ],
)
def test_what_is_not_a_rigid_pose_is_refused(bad, says):
    with pytest.raises(mc.InvalidPose, match=says):
        mc.Pose.from_matrix(bad)


def test_blender_s_float32_matrices_are_rigid_enough():
    rng = np.random.default_rng(2)
    for _ in range(100):
        mc.Pose.from_matrix(matrix(rotation(rng).astype(np.float32), rng.normal(size=3)))


def ulps_apart(a, b, scale) -> float:
    return float((np.abs(a - b) / np.spacing(np.maximum(np.abs(scale), 1e-300))).max())


@given(seeds, st.lists(st.floats(1e-3, 1e3), min_size=3, max_size=3), st.booleans())
def test_split_matrix_puts_scale_into_the_stretch(seed, scales, mirror):
    rng = np.random.default_rng(seed)
    whole = matrix(rotation(rng) * np.array(scales) * (-1.0 if mirror else 1.0), rng.normal(size=3))
    pose, stretch = mc.split_matrix(whole)
    assert mc.Pose.from_matrix(pose.matrix).matrix.tobytes() == pose.matrix.tobytes()
    stretch = np.eye(4) if stretch is None else stretch
    assert np.array_equal(stretch, np.diag(np.diag(stretch)))
    assert ulps_apart(pose.matrix @ stretch, whole, whole) <= 2.0
    assert np.allclose(np.abs(np.diag(stretch)[:3]), scales, rtol=1e-3)
    assert (np.linalg.det(stretch) < 0.0) == mirror


@pytest.mark.parametrize("scales", [(2.0, 2.0, 2.0), (0.5, 4.0, 1.0), (-1.0, 1.0, 1.0), (-8.0, -8.0, -0.25)])
def test_split_matrix_is_exact_for_dyadic_scales_of_quarter_turns(scales):
    turn = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
    whole = matrix(turn * np.array(scales), (0.1, 1e6, -3.0))
    pose, stretch = mc.split_matrix(whole)
    assert np.array_equal(pose.matrix @ stretch, whole)
    vertices = np.random.default_rng(3).normal(size=(20, 3))
    mesh = mc.TriangleMesh(vertices, [[0, 1, 2]])
    assert np.array_equal(pose.apply(mesh.transformed(stretch).vertices), mesh.transformed(whole).vertices)


@given(st.lists(seeds, min_size=1, max_size=6))
def test_many_matrices_are_split_as_each_by_itself(kinds):
    stack = []
    for seed in kinds:
        rng = np.random.default_rng(seed)
        scales = rng.choice([(1.0, 1.0, 1.0), (2.0, 0.3, -1.0), (0.0, 1.0, 1.0)])
        shear = np.eye(3) if seed % 3 else np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        stack.append(matrix(rotation(rng) * scales @ shear, rng.normal(size=3)))
    rows, stretches, stretched = split_matrices(np.stack(stack))
    for k, one in enumerate(stack):
        pose, stretch = mc.split_matrix(one)
        assert np.array_equal(rows[k], pose.rows) and stretched[k] == (stretch is not None)
        assert np.array_equal(stretches[k], np.eye(4) if stretch is None else stretch)
        assert np.allclose(np.vstack([rows[k], [0, 0, 0, 1]]) @ stretches[k], one, rtol=0.0, atol=1e-14)
    stack[-1] = changed(0, 0, np.nan)
    with pytest.raises(mc.InvalidPose, match="NaN"):
        split_matrices(np.stack(stack))


@given(poses())
def test_split_matrix_leaves_rigid_matrices_alone(rigid):
    pose, stretch = mc.split_matrix(rigid)
    assert stretch is None
    assert pose.matrix.tobytes() == rigid.tobytes()


@pytest.mark.parametrize(
    "linear", [[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]], np.zeros((3, 3)), np.diag([1.0, 0.0, 1.0]), np.diag([1e30, 1, 1])]
)
def test_split_matrix_bakes_what_is_not_a_scale_along_the_axes(linear):
    whole = matrix(linear, (1.0, 2.0, 3.0))
    pose, stretch = mc.split_matrix(whole)
    assert np.array_equal(pose.matrix @ stretch, whole)


def test_split_matrix_refuses_what_is_no_affine_matrix():
    for bad in (np.eye(3), changed(0, 0, np.nan), changed(3, 1, 1.0)):
        with pytest.raises(mc.InvalidPose):
            mc.split_matrix(bad)


def test_forms_of_a_stack():
    one = matrix(shift=(1.0, 0, 0))
    stack = np.stack([np.eye(4), one])
    for given_poses in (
        stack,
        stack.tolist(),
        [mc.Pose.identity(), one],
        (mc.Pose.identity(), mc.Pose.from_matrix(one)),
    ):
        rows, stacked = pose_stack(given_poses)
        assert stacked
        assert np.array_equal(rows, stack[:, :3])
    for single in (one, mc.Pose.from_matrix(one), one.tolist()):
        rows, stacked = pose_stack(single)
        assert not stacked
        assert np.array_equal(rows[0], one[:3])
    assert np.array_equal(pose_stack(None)[0][0], np.eye(4)[:3])


def test_bad_stacks_name_the_index():
    stack = np.stack([np.eye(4)] * 4)
    stack[2, 0, 0] = np.nan
    with pytest.raises(mc.InvalidPose, match="pose 2 of the stack"):
        pose_stack(stack)
    with pytest.raises(mc.InvalidPose, match="pose 1 of the stack"):
        pose_stack([mc.Pose.identity(), np.eye(4) * 2.0])
    with pytest.raises(mc.InvalidPose, match="shape"):
        pose_stack(np.zeros((2, 3, 5)))
    with pytest.raises(mc.UnsupportedOption, match="empty"):
        pose_stack(np.empty((0, 4, 4)))


def test_largest_coordinates_stay_finite_in_every_pose():
    vertices = np.array([[LARGEST_COORDINATE] * 3])
    turned = mc.Pose.from_matrix(matrix(rotation(np.random.default_rng(4)), (1e30, 1e30, 1e30)))
    assert np.isfinite(turned.apply(vertices)).all()


@given(poses(), seeds, st.sampled_from((0.0, 1e-6, 2e-5, 5e-5, 1e-3)), st.booleans())
def test_what_is_plainly_rigid_is_taken(pose, seed, size, mirrored):
    assert plainly_rigid(pose.ravel().tolist())
    other = pose.copy()
    other[:3, :3] += size * np.random.default_rng(seed).uniform(-1.0, 1.0, (3, 3))
    if mirrored:
        other[:3, 0] *= -1.0
    if plainly_rigid(other.ravel().tolist()):
        assert np.array_equal(mc.Pose.from_matrix(other).matrix, other)
    else:
        assert size > 0.0 or mirrored


def test_a_single_pose_is_written_or_left_alone():
    one = matrix(rotation(np.random.default_rng(2)), (1.0, 2.0, 3.0))
    for given_pose, expected in ((None, np.eye(4)), (one, one), (mc.Pose.from_matrix(one), one), (one.T, one.T)):
        written = np.full((4, 4), 7.0)
        assert put_single_pose(given_pose, written)
        assert np.array_equal(written, expected)
    for given_pose in (one.tolist(), one[None], one[0], np.float32(1.0), "pose", one.astype(np.float32)):
        assert not put_single_pose(given_pose, np.eye(4))


@given(seeds)
def test_inverse_rotations(seed):
    rng = np.random.default_rng(seed)
    linear = np.stack([rotation(rng) * (1 + 0.4 * RIGID_TOLERANCE), np.eye(3)])
    rows = np.concatenate([linear, rng.random((2, 3, 1))], axis=2)
    found = inverse_rotations(rows)
    np.testing.assert_allclose(found @ linear, np.broadcast_to(np.eye(3), (2, 3, 3)), atol=1e-14)
    assert np.array_equal(inverse_rotations(rows[0]), found[0])


def test_one_point_is_moved_as_one_point():
    matrix = np.eye(4)
    matrix[:3, 3] = 1.0, 2.0, 3.0
    assert transform_points(matrix, np.zeros(3)).tolist() == [1.0, 2.0, 3.0]
