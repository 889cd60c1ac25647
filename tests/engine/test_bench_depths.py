"""The oracle of the bench ``depths``: branch and bound between proved bounds, where the largest ball is known."""

import meshclash as mc
import numpy as np
import pytest
from bench.depths import _Bounds
from oracles.depth_oracle import depths_in, largest_ball
from solids import box, moved, prism, shell
from strategies import matrix

CUBE = box((0, 0, 0), (4, 4, 4))
KNOWN = [
    (CUBE, box((3, 1, 1), (6, 3, 3)), 1.0),
    (CUBE, box((4 - 2.0**-7, 1, 1), (6, 3, 3)), 2.0**-7),
    (CUBE, box((1, 1, 1), (2, 3, 3)), 1.0),
    (shell((0, 0, 0), (4, 4, 4), 1), box((0.5, 1.5, 1.5), (2, 2.5, 2.5)), 0.5),
    (prism(2, 64, 0, 1, None), moved(prism(2, 64, 0, 1, None), (0, 0, 0.25)), 0.75),
    (CUBE, box((4, 1, 1), (6, 3, 3)), 0.0),
]


@pytest.mark.parametrize(("a", "b", "depth"), KNOWN)
def test_branch_and_bound_finds_the_largest_ball_between_its_bounds(a, b, depth):
    pose = matrix(shift=(0.5, -0.25, 8.0))
    a = mc.build(mc.TriangleMesh(*moved(a, (0.5, -0.25, 8.0))))
    b = mc.build(mc.TriangleMesh(*b))
    low = np.maximum(a.mesh.bounds[0], b.mesh.bounds[0] + pose[:3, 3])
    high = np.minimum(a.mesh.bounds[1], b.mesh.bounds[1] + pose[:3, 3])
    truth = largest_ball(depths_in(a, b, pose), low, high, np.random.default_rng(0))
    assert truth.climbed <= truth.found <= depth * (1 + 1e-12)
    assert depth <= truth.most * (1 + 1e-12) + 1e-8
    assert truth.found >= 0.94 * depth


def test_bounds_are_held_against_the_truth():
    truth = largest_ball(
        lambda points: 1.0 - abs(points).max(axis=1), -np.ones(3), np.ones(3), np.random.default_rng(0)
    )
    for depth, lower, upper, right in (
        (2.0, 1.9, 2.1, True), (None, 0.0, 2.1, True), (None, 2.1, 2.2, False), (1.5, 1.5, 1.9, False),
        (1.8, 1.9, 2.1, False),
    ):  # fmt: skip
        assert _Bounds(depth, lower, upper, 0.0).holds(truth) == right
