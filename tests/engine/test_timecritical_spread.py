"""How far a surface spreads in its box."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.hierarchy.build import refit
from meshclash.timecritical import cells, spread
from meshclash.timecritical.trees import SPREAD, adb_tree, hand_over
from meshclash.types.steps import run
from oracles.pipes import MODELS
from solids import box
from strategies import grid_meshes, soup

pytestmark = pytest.mark.needs_jit


def spread_of(vertices, triangles):
    return run(spread.spread_steps(mc.TriangleMesh(vertices, triangles)))


def by_quadrature(vertices, triangles):
    """Area and spread by Gauss's rule over squares that are folded into the triangles: exact for polynomials."""
    nodes, weights = np.polynomial.legendre.leggauss(4)
    u, v = (grid.ravel() for grid in np.meshgrid(0.5 + nodes / 2, 0.5 + nodes / 2))
    p, q, r = np.moveaxis(np.asarray(vertices, float)[triangles], 1, 0)
    sampled = p[:, None] + u[:, None] * ((q - p)[:, None] + v[:, None] * (r - q)[:, None])
    areas = np.linalg.norm(np.cross(q - p, r - p), axis=1) / 2
    shares = areas[:, None] * (2 * u * np.outer(weights, weights).ravel() / 4)
    corners = np.concatenate([p, q, r])
    diagonal = np.linalg.norm(np.ptp(corners, axis=0))
    if areas.sum() <= 1e-9 * diagonal**2:
        return 0.0, np.nan
    centroid = np.einsum("ts,tsk->k", shares, sampled) / shares.sum()
    squares = ((sampled - centroid) ** 2).sum(axis=2)
    return areas.sum(), np.sqrt((shares * squares).sum() / shares.sum()) / diagonal


@settings(max_examples=200)
@given(grid_meshes())
def test_the_spread_is_that_of_a_quadrature(mesh):
    area, expected = by_quadrature(*mesh)
    found = spread_of(*mesh)
    assert 0.0 <= found <= 0.5
    if area > 0.0:
        assert found == pytest.approx(expected, abs=1e-7)


def test_the_spread_of_known_surfaces():
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), np.array([[0, 1, 2], [0, 2, 3]])
    assert spread_of(*square) == pytest.approx(np.sqrt(1 / 12), rel=1e-12)
    assert spread_of(*box((-1, -1, -1), (1, 1, 1))) == pytest.approx(np.sqrt(5 / 36), rel=1e-12)
    u, v = np.meshgrid(np.linspace(0, np.pi, 201), np.linspace(0, 2 * np.pi, 401), indexing="ij")
    ball = np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], axis=-1)
    index = np.arange(u.size).reshape(u.shape)
    corners = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
    faces = np.concatenate([np.stack([corners[i] for i in way], -1).reshape(-1, 3) for way in ((0, 1, 2), (0, 2, 3))])
    assert spread_of(ball.reshape(-1, 3), faces) == pytest.approx(1 / np.sqrt(12), rel=1e-3)


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.integers(-290, 28), st.floats(-100, 100))
def test_it_is_the_same_anywhere_and_of_any_size(seed, decade, shift):
    rng = np.random.default_rng(seed)
    vertices, triangles = soup(rng.normal(size=(rng.integers(1, 20), 3, 3)))
    expected = spread_of(vertices, triangles)
    assert expected == pytest.approx(by_quadrature(vertices, triangles)[1], rel=1e-9)
    assert spread_of(vertices + shift, rng.permutation(triangles)) == pytest.approx(expected, rel=1e-9)
    assert spread_of(vertices * 10.0**decade, triangles) == pytest.approx(expected, rel=1e-9)


def test_surfaces_without_area_have_none():
    for vertices in ([[1, 2, 3]] * 3, [[0, 0, 0], [1, 0, 0], [2, 0, 0]]):
        assert spread_of(vertices, [[0, 1, 2]]) == 0.0
        assert adb_tree(mc.build(mc.TriangleMesh(vertices, [[0, 1, 2]]))).sizes[SPREAD] == cells._LEAST_SPREAD


def test_measured_in_small_steps_it_is_that_measured_at_once(monkeypatch):
    mesh = mc.TriangleMesh(*MODELS["part"](500, 1))
    at_once = run(spread.spread_steps(mesh))
    monkeypatch.setattr(spread, "_A_CALL", 7)
    steps = spread.spread_steps(mesh)
    assert sum(1 for _ in steps) > 50
    assert run(spread.spread_steps(mesh)) == at_once


def test_a_refitted_tree_keeps_it():
    vertices, triangles = MODELS["bumpy"](500, 1)
    tree = mc.build(mc.TriangleMesh(vertices, triangles))
    before = adb_tree(tree)
    refitted = refit(tree, vertices * (1.0, 1.0, 0.2))
    hand_over(tree, refitted)
    assert adb_tree(refitted).filling.spread == before.filling.spread == adb_tree(refitted).sizes[SPREAD]
