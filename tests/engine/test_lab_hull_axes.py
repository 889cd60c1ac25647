"""Principal axes of convex hulls against those of an independent hull."""

import numpy as np
import pytest
from meshclash.geometry.principal_axes import surface_axes
from meshclash.jit import kernel
from meshclash.lab.volumes.hull_axes import _MANY, hull_axes
from scipy.spatial import ConvexHull
from strategies import rotation


@kernel
def _hull(points, axes):
    hull_axes(points, axes)


@kernel
def _surface(points, axes):
    surface_axes(points, axes)


def axes_of(function, points):
    axes = np.empty((3, 3))
    function(np.ascontiguousarray(points), axes)
    return axes


def same_axes(a, b, tolerance):
    return np.allclose(np.sort(np.abs(a @ b.T), axis=1), [[0, 0, 1]] * 3, atol=tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_axes_of_few_points_are_those_of_their_hull(seed):
    rng = np.random.default_rng(seed)
    points = (rng.normal(size=(60, 3)) * (3.0, 2.0, 1.0)) @ rotation(rng) + rng.normal(size=3) * 5
    points = np.concatenate([points, points[:30], points[3:9]])  # repeated, as corners of triangles are
    corners = points[ConvexHull(points).simplices].reshape(-1, 3)
    assert same_axes(axes_of(_hull, points), axes_of(_surface, corners), 1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_of_many_points_they_are_nearly_those(seed):
    rng = np.random.default_rng(seed)
    points = (rng.normal(size=(3000, 3)) * (3.0, 2.0, 1.0)) @ rotation(rng)
    corners = points[ConvexHull(points).simplices].reshape(-1, 3)
    assert same_axes(axes_of(_hull, points), axes_of(_surface, corners), 0.1)


def test_of_very_many_points_evenly_chosen_ones_are_compared():
    """The work of one box is bounded, but for passes that make it hold all points."""
    rng = np.random.default_rng(5)
    points = (rng.normal(size=(2 * _MANY + 100, 3)) * (3.0, 2.0, 1.0)) @ rotation(rng)
    assert np.array_equal(axes_of(_hull, points), axes_of(_hull, points[::3]))
    assert not np.array_equal(axes_of(_hull, points), axes_of(_hull, points[1::3]))
    assert not np.array_equal(axes_of(_hull, points[:_MANY]), axes_of(_hull, points[:_MANY:2])), "all of fewer"
    corners = points[ConvexHull(points).simplices].reshape(-1, 3)
    assert same_axes(axes_of(_hull, points), axes_of(_surface, corners), 0.1)


def test_what_lies_inside_does_not_matter():
    """A long box with a fine, differently turned lump in it: its covariance is turned, its hull is not."""
    rng = np.random.default_rng(2)
    corners = np.array([[x, y, z] for x in (-4.0, 4) for y in (-2.0, 2) for z in (-1.0, 1)])
    faces = ConvexHull(corners).simplices
    lump = (rng.uniform(-0.7, 0.7, (3000, 3)) * (1.0, 1.0, 0.05)) @ rotation(rng)
    points = np.concatenate([corners[faces].reshape(-1, 3), lump])
    assert same_axes(axes_of(_hull, points), np.eye(3), 1e-9)
    assert not same_axes(axes_of(_surface, points), np.eye(3), 1e-2)


@pytest.mark.parametrize("name", ["plane", "line", "point", "near plane", "grid"])
def test_flat_and_degenerate_points_have_axes_too(name):
    rng = np.random.default_rng(4)
    grid = np.array([[x, y, z] for x in range(4) for y in range(4) for z in range(4)], float)
    points = {
        "plane": rng.normal(size=(30, 3)) * (2, 1, 0),
        "line": rng.normal(size=(30, 1)) * (1.0, 2.0, 3.0),
        "point": np.ones((30, 3)),
        "near plane": rng.normal(size=(30, 3)) * (2, 1, 1e-9),
        "grid": np.concatenate([grid, grid[:32]]),
    }[name]
    axes = axes_of(_hull, points)
    assert np.allclose(axes @ axes.T, np.eye(3), atol=1e-12)
