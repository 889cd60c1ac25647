"""Lower bounds of distances from boxes as they are turned, and from spheres, beside the points that these contain."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.broadphase.extent_gaps import extent_gaps
from strategies import matrix, rotation

PAIRS = np.array([(i, j) for i in range(12) for j in range(i)])


def corners(bounds):
    return np.array([[bounds[x, 0], bounds[y, 1], bounds[z, 2]] for x in (0, 1) for y in (0, 1) for z in (0, 1)])


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1e6, 1e12]), st.sampled_from([1.0, 1e-9, 1e9]), st.booleans())
def test_no_two_points_of_two_extents_are_nearer(seed, far, size, stretched):
    rng = np.random.default_rng(seed)
    meshes = [size * (rng.normal(size=(int(rng.integers(4, 9)), 3)) * rng.uniform(0, 2, 3) + far) for _ in range(12)]
    rows = np.array([matrix(rotation(rng), size * rng.uniform(0, 9, 3))[:3] for _ in meshes])
    if stretched:
        rows[:, :, :3] *= 1.00004
    bounds = np.array([[points.min(axis=0), points.max(axis=0)] for points in meshes])
    middles = bounds.mean(axis=1)
    rows[:, :, 3] -= np.einsum("nij,nj->ni", rows[:, :, :3], middles)
    radii = np.array([np.linalg.norm(p - m, axis=1).max() for p, m in zip(meshes, middles, strict=True)])
    turned = [points @ row[:, :3].T + row[:, 3] for points, row in zip(meshes, rows, strict=True)]
    least = np.array([np.linalg.norm(turned[i][:, None] - turned[j][None], axis=2).min() for i, j in PAIRS])
    assert (extent_gaps(bounds, radii, rows, PAIRS) <= least).all()
    boxes = [corners(b) @ row[:, :3].T + row[:, 3] for b, row in zip(bounds, rows, strict=True)]
    least = np.array([np.linalg.norm(boxes[i][:, None] - boxes[j][None], axis=2).min() for i, j in PAIRS])
    alone = extent_gaps(bounds, np.full(12, np.inf), rows, PAIRS)
    assert (alone <= least).all()
    assert (alone > 0.0).any() or far == 1e12


@pytest.mark.parametrize("distance", [0.0, 1e-3, 2.0])
def test_the_bound_is_tight_for_faces_edges_and_spheres(distance):
    """Boxes face to face, edge to edge, and unit spheres along a diagonal."""
    bounds, unit = np.array([[[-1.0] * 3, [1.0] * 3]] * 2), np.eye(4)[None, :3]
    half = np.sqrt(0.5)
    about_x = np.array([[1, 0, 0], [0, half, -half], [0, half, half]])
    about_y = np.array([[half, 0, half], [0, 1, 0], [-half, 0, half]])
    pairs, none = np.array([[0, 1]]), np.full(2, np.inf)
    face = np.concatenate([unit, matrix(shift=(2.0 + distance, 0.3, 0.1))[None, :3]])
    assert extent_gaps(bounds, none, face, pairs) == pytest.approx(distance, abs=1e-9)
    shift = (0.0, 0.0, 2.0 / half + distance)
    edge = np.stack([matrix(about_x)[:3], matrix(about_y, shift)[:3]])
    assert extent_gaps(bounds, none, edge, pairs) == pytest.approx(distance, abs=1e-9)
    round_one = np.concatenate([unit, matrix(shift=np.full(3, (2.0 + distance) / np.sqrt(3.0)))[None, :3]])
    assert extent_gaps(bounds, np.ones(2), round_one, pairs) == pytest.approx(distance, abs=1e-3)


@given(st.sampled_from([1e-300, 1e-200, 1e-160, 1e-150, 1.0, 1e29]))
def test_numbers_that_doubles_cannot_square_prove_nothing_wrong(scale):
    bounds = scale * np.array([[[-1.0] * 3, [1.0] * 3]] * 2)
    for shift in (0.0, 1.0, 1.9, 3.0):
        rows = np.stack([np.eye(4)[:3], matrix(shift=(scale * shift, 0, 0))[:3]])
        gap = extent_gaps(bounds, np.full(2, scale * np.sqrt(3.0)), rows, np.array([[0, 1]]))[0]
        assert gap <= scale * max(shift - 2.0, 0.0)
