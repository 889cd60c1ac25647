"""Points whose world coordinates are the same bit by bit in two poses: the sharpest attack on a box test."""

import meshclash as mc
import numpy as np
from meshclash.types.pose import RIGID_TOLERANCE
from strategies import matrix, rotation


def nearly_rotations(rng, count, looseness):
    """Rotations, off by up to a share of what poses tolerate."""
    turns = np.stack([rotation(rng) for _ in range(count)])
    skewed = turns @ (np.eye(3) + rng.uniform(-1, 1, (count, 3, 3)) * looseness * RIGID_TOLERANCE / 4)
    return [mc.Pose.from_matrix(matrix(turn)).matrix[:3, :3] for turn in skewed]


def poses_of(rng, count, shift, looseness):
    rows = np.empty((count, 3, 4))
    rows[:, :, :3] = nearly_rotations(rng, count, looseness)
    rows[:, :, 3] = rng.normal(size=(count, 3)) * shift
    return rows


def in_world(rows, points):
    """World coordinates of one point in each pose, as ``transform_points`` defines them."""
    x, y, z = points.T
    return np.stack([rows[:, k, 0] * x + rows[:, k, 1] * y + rows[:, k, 2] * z + rows[:, k, 3] for k in range(3)], 1)


def coinciding_points(seed, count, size_a, size_b, shift, looseness):
    """Poses of a and b and a point in each frame, such that both have the same world coordinates."""
    rng = np.random.default_rng(seed)
    rows_a, rows_b = poses_of(rng, count, shift, looseness), poses_of(rng, count, 0.0, looseness)
    points_a, near_b = rng.normal(size=(count, 3)) * size_a, rng.normal(size=(count, 3)) * size_b
    world = in_world(rows_a, points_a)
    rows_b[:, :, 3] = world - in_world(rows_b, near_b)
    points_b, same = near_b, np.zeros(count, np.bool_)
    for _ in range(40):
        points_b = np.where(same[:, None], points_b, near_b + rng.integers(-3, 4, near_b.shape) * np.spacing(near_b))
        same = (in_world(rows_b, points_b) == world).all(axis=1)
    return rows_a[same], rows_b[same], points_a[same], points_b[same]
