"""Closedness, components and orientation of surfaces."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solids import box, joined, moved, open_box, reversed_winding, shell, torus
from strategies import soup

BOX = box((0, 0, 0), (1, 1, 1))


def closed(mesh) -> bool:
    return mc.TriangleMesh(*mesh).is_closed


def flipped(mesh, chosen):
    triangles = mesh[1].copy()
    triangles[chosen] = triangles[chosen][:, ::-1]
    return mesh[0], triangles


def strip(length, twisted):
    """A closed band of quads; with a twist it is a Moebius strip."""
    angle = np.arange(length) / length * 2 * np.pi
    turn = angle / 2 if twisted else np.zeros(length)
    direction = np.stack([np.cos(angle), np.sin(angle), np.zeros(length)], axis=1)
    across = np.cos(turn)[:, None] * [0.0, 0, 1] + np.sin(turn)[:, None] * direction
    vertices = np.concatenate([3 * direction - across, 3 * direction + across])
    low, high = np.arange(length), np.arange(length) + length
    next_low, next_high = np.roll(low, -1), np.roll(high, -1)
    if twisted:
        next_low[-1], next_high[-1] = length, 0
    return vertices, np.concatenate([np.stack([low, next_low, next_high], 1), np.stack([low, next_high, high], 1)])


def klein_like():
    """The corners of a cube identified so that every edge has two users, but no orientation is consistent: a
    triangulated projective plane (six vertices, ten triangles)."""
    triangles = [
        (0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5), (0, 5, 1), (1, 2, 4), (2, 3, 5), (3, 4, 1), (4, 5, 2), (5, 1, 3),
    ]  # fmt: skip
    return np.random.default_rng(1).normal(size=(6, 3)), np.array(triangles)


CLOSED = {
    "box": BOX,
    "torus": torus(2, 1),
    "box inside out": reversed_winding(BOX),
    "hollow box": shell((0, 0, 0), (4, 4, 4), 1),
    "two boxes": joined(BOX, moved(BOX, (5, 0, 0))),
    "two boxes with a common edge": joined(BOX, moved(BOX, (1, 1, 0))),
    "two boxes with a common face": joined(BOX, moved(BOX, (1, 0, 0))),
    "box as a soup": soup(BOX[0][BOX[1]]),
    "box with one triangle turned over": flipped(BOX, [3]),
    "box with half of its triangles turned over": flipped(BOX, slice(0, 12, 2)),
    "soup with triangles turned over": flipped(soup(BOX[0][BOX[1]]), [0, 1, 5]),
    "box with a zero-area triangle": (BOX[0], np.vstack([BOX[1], [[3, 3, 5]]])),
    "box with all triangles twice": (BOX[0], np.vstack([BOX[1], BOX[1]])),
    "box far from the origin": moved(BOX, (2.0**50, 0, 0)),
}
OPEN = {
    "triangle": (BOX[0], BOX[1][:1]),
    "open box": open_box((0, 0, 0), (1, 1, 1)),
    "box without one triangle": (BOX[0], BOX[1][1:]),
    "box and a sheet": joined(BOX, (np.array([[5.0, 0, 0], [6, 0, 0], [5, 1, 0]]), np.array([[0, 1, 2]]))),
    "box with a fin on an edge": (np.vstack([BOX[0], [[3, 3, 3]]]), np.vstack([BOX[1], [[0, 1, 8]]])),
    "band": strip(12, twisted=False),
    "Moebius strip": strip(12, twisted=True),
    "projective plane": klein_like(),
    "two-sided box": (BOX[0], np.vstack([BOX[1], BOX[1][:, ::-1]])),
    "two-sided triangle": (BOX[0], np.array([BOX[1][0], BOX[1][0][::-1], [3, 3, 5]])),
    "soup one ulp apart": soup(BOX[0][BOX[1]] + np.eye(12)[0][:, None, None] * 2.0**-52),
}


@pytest.mark.parametrize("name", CLOSED)
def test_closed(name):
    assert closed(CLOSED[name])


@pytest.mark.parametrize("name", OPEN)
def test_open(name):
    assert not closed(OPEN[name])


def test_minus_zero_is_welded_to_zero():
    triangles = BOX[0][BOX[1]].copy()
    triangles[::2] *= np.where(triangles[::2] == 0.0, -1.0, 1.0)
    assert np.signbit(triangles).any()
    assert closed(soup(triangles))


@given(st.lists(st.booleans(), min_size=12, max_size=12), st.permutations(range(12)), st.booleans())
def test_neither_winding_nor_order_nor_sharing_matters(turned, order, shared):
    mesh = BOX if shared else soup(BOX[0][BOX[1]])
    mixed = flipped(mesh, np.array(turned))
    topology = mc.TriangleMesh(mixed[0], mixed[1][list(order)]).topology
    assert topology.closed
    assert topology.component_count == 1
    signs = np.where(np.array(turned)[list(order)], -1, 1) * topology.orientation
    assert abs(signs.sum()) == 12
    assert (topology.orientation == -1).sum() <= 6  # the minority is turned over


def test_components_are_those_of_the_edges():
    """Joined across edges, not across vertices; numbered in order of their first triangle."""
    corner_to_corner = joined(BOX, moved(BOX, (1, 1, 1)), moved(BOX, (9, 0, 0)))
    topology = mc.TriangleMesh(*corner_to_corner).topology
    assert topology.component_count == 3
    assert np.array_equal(topology.component, np.repeat([0, 1, 2], 12))
    assert set(topology.orientation) == {1}


def test_the_minority_is_turned_over():
    topology = mc.TriangleMesh(*flipped(BOX, [2, 7])).topology
    assert np.flatnonzero(topology.orientation == -1).tolist() == [2, 7]


@settings(max_examples=40)
@given(st.sampled_from(sorted(CLOSED)), st.integers(0, 2**32 - 1))
def test_a_deformed_mesh_has_the_topology_of_one_made_anew(name, seed):
    """Vertices may fall together or come apart on the way, and loose ones must not count for the bounds."""
    rng = np.random.default_rng(seed)
    vertices, triangles = CLOSED[name]
    vertices = np.vstack([vertices, [[9.0, 9.0, 9.0]]])
    mesh = mc.TriangleMesh(vertices, triangles)
    for _ in range(4):
        vertices = vertices + rng.choice([0.0, 1.0], (len(vertices), 1)) * rng.integers(-1, 2, (1, 3))
        mesh = mesh.with_vertices(vertices)
        fresh = mc.TriangleMesh(vertices, triangles)
        assert np.array_equal(mesh.bounds, fresh.bounds)
        for kept, anew in zip(mesh.topology, fresh.topology, strict=True):
            assert np.array_equal(kept, anew)


def test_a_deformation_that_welds_nothing_new_keeps_the_topology():
    mesh = mc.TriangleMesh(*BOX)
    assert mesh.with_vertices(mesh.vertices * 2).topology is mesh.topology
    assert mesh.with_vertices(np.round(mesh.vertices * 0.4)).topology is not mesh.topology


@pytest.mark.parametrize("name", CLOSED)
def test_topology_does_not_depend_on_where_the_work_is_cut(name, monkeypatch):
    whole = mc.TriangleMesh(*CLOSED[name]).topology
    monkeypatch.setattr("meshclash.types.topology._PIECE", 3)
    mesh = mc.TriangleMesh(*CLOSED[name])
    steps = list(mesh.topology_steps())
    assert len(steps) > mesh.triangle_count // 3
    for pieces, at_once in zip(mesh.topology, whole, strict=True):
        assert np.array_equal(pieces, at_once)
