"""Rays against meshes: exact crossings, no gaps at edges and vertices, all four questions, against fractions."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.traversal import ray_casting
from meshclash.traversal.rational_rays import crossings_by_fractions
from meshclash.types.pose import matched_poses, transform_points
from oracles.ray_oracle import crossings_of
from solids import box, gear, joined, moved, open_box, shell, torus
from strategies import GRID, grid_meshes, matrix, nudged_points, points, poses, rotation, soup

SOLIDS = {
    "box": box((0, 0, 0), (2, 2, 2)),
    "torus": torus(3, 1),
    "hollow": shell((0, 0, 0), (4, 4, 4), 1),
    "gear": gear(4, 9, 0, 1),
    "two": joined(box((0, 0, 0), (1, 1, 1)), moved(box((0, 0, 0), (1, 1, 1)), (3, 0, 0))),
}
STEPS = st.integers(-2, 2).map(float)


def rays_through(vertices, triangles, rng, count):
    """Origins and directions: through vertices, edges and faces, along axes, and some units in the last place off."""
    corners = vertices[triangles[rng.integers(0, len(triangles), count)]]
    weights = rng.integers(0, 3, (count, 3)) + np.eye(3)[rng.integers(0, 3, count)]
    targets = (corners * weights[:, :, None]).sum(axis=1) / weights.sum(axis=1)[:, None]
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    ways = rng.integers(-2, 3, (count, 3)).astype(float)
    ways[~ways.any(axis=1), 0] = 1.0
    starts = np.where(rng.integers(0, 2, (count, 1)), targets - ways * 2.0 ** rng.integers(-2, 5, (count, 1)), targets)
    free = rng.integers(0, 3, count) == 0
    starts[free] = low + (high - low) * rng.uniform(-0.5, 1.5, (free.sum(), 3))
    ways[free] = targets[free] - starts[free]
    ways[~ways.any(axis=1), 0] = 1.0
    return starts + rng.integers(-1, 2, starts.shape) * np.spacing(starts) * rng.integers(0, 2, (count, 1)), ways


def check(mesh, corners, starts, ways, **where):
    """All four questions about rays, against the fractions."""
    expected = [crossings_of(o, d, corners) for o, d in zip(starts, ways, strict=True)]
    everything = mc.ray_all(mesh, starts, ways, **where)
    found = [set() for _ in starts]
    for ray, triangle in zip(everything.ray.tolist(), everything.triangle.tolist(), strict=True):
        found[ray].add(triangle)
    assert found == [{t for t, _ in hits} for hits in expected]
    counts = mc.ray_count(mesh, starts, ways, **where)
    assert counts.tolist() == list(map(len, expected))
    assert mc.ray_any(mesh, starts, ways, **where).tolist() == [len(hits) > 0 for hits in expected]
    first = mc.ray_first(mesh, starts, ways, **where)
    assert first.hit.tolist() == [len(hits) > 0 for hits in expected]
    size = np.abs(corners).max() + np.abs(starts).max()
    for k, hits in enumerate(expected):
        times = {t: float(time) * float(np.linalg.norm(ways[k])) for t, time in hits}
        mine = everything.ray == k
        told = dict(zip(everything.triangle[mine].tolist(), everything.distance[mine].tolist(), strict=True))
        assert (np.diff(everything.distance[mine]) >= 0.0).all()
        for t, distance in told.items():
            assert distance == pytest.approx(times[t], abs=1e-7 * size)
        if hits:
            assert first.distance[k] == everything.distance[mine][0]
            assert first.triangle[k] == everything.triangle[mine][0]
    return everything


@settings(max_examples=100)
@given(grid_meshes(), st.integers(1, 6).flatmap(lambda n: st.tuples(points(GRID, n), points(STEPS, n))))
def test_rays_on_a_grid_are_those_of_fractions(mesh, rays):
    vertices, triangles = mesh
    starts, ways = rays
    ways[~ways.any(axis=1), 2] = 1.0
    check(mc.TriangleMesh(vertices, triangles), vertices[triangles], starts, ways)


@settings(max_examples=100)
@given(nudged_points(9), nudged_points(4), nudged_points(4))
def test_rays_beside_a_grid_are_those_of_fractions(corners, starts, targets):
    ways = targets - starts
    ways[~ways.any(axis=1), 1] = -1.0
    vertices, triangles = soup(corners)
    vertices, starts = (np.where(np.abs(x) < 1e-60, 0.0, x) for x in (vertices, starts))
    ways = np.where(np.abs(ways) < 1e-60, 0.0, ways)
    ways[~ways.any(axis=1), 1] = -1.0
    check(mc.TriangleMesh(vertices, triangles), vertices[triangles], starts, ways)


@pytest.mark.parametrize("name", SOLIDS)
@settings(max_examples=6)
@given(seed=st.integers(0, 2**32), far=st.sampled_from([0.0, 1.0, 1e6]), size=st.sampled_from([1.0, 1e-30, 1e20]))
def test_rays_through_solids_are_those_of_fractions(name, seed, far, size):
    rng = np.random.default_rng(seed)
    vertices, triangles = SOLIDS[name]
    vertices = (vertices + np.round(far * rng.normal(size=3))) * size
    starts, ways = rays_through(vertices, triangles, rng, 12)
    mesh = mc.TriangleMesh(vertices, triangles)
    check(mesh, vertices[triangles], starts, ways)
    for tree in (mc.build(mesh, leaf_size=20), mc.build(mesh, "sphere"), mc.build(mesh, leaf_size=1, split="sah")):
        assert (mc.ray_count(tree, starts, ways) == mc.ray_count(mesh, starts, ways)).all()


@pytest.mark.parametrize("name", SOLIDS)
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32))
def test_the_parity_tells_inside_from_outside(name, seed):
    """From any start off the surface, also through edges and vertices; of whole lines it is even."""
    rng = np.random.default_rng(seed)
    vertices, triangles = SOLIDS[name]
    mesh = mc.TriangleMesh(vertices, triangles)
    starts, ways = rays_through(vertices, triangles, rng, 200)
    off = mc.signed_distance(mesh, starts).distance != 0.0
    counts = mc.ray_count(mesh, starts[off], ways[off])
    assert (counts % 2 == mc.contains(mesh, starts[off])).all()
    assert ((counts + mc.ray_count(mesh, starts[off], -ways[off])) % 2 == 0).all()


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32), pose=poses())
def test_a_posed_mesh_is_crossed_where_its_world_coordinates_are(seed, pose):
    rng = np.random.default_rng(seed)
    vertices, triangles = SOLIDS["torus"]
    world = transform_points(matched_poses(pose, None)[0][0], vertices)
    starts, ways = rays_through(world, triangles, rng, 100)
    posed = mc.ray_all(mc.TriangleMesh(vertices, triangles), starts, ways, pose=pose)
    still = mc.ray_all(mc.TriangleMesh(world, triangles), starts, ways)
    for name in ("ray", "triangle", "distance", "barycentric", "front", "point", "normal"):
        assert np.array_equal(getattr(posed, name), getattr(still, name), equal_nan=True), name
    check(mc.TriangleMesh(vertices, triangles), world[triangles], starts[:5], ways[:5], pose=pose)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32), far=st.sampled_from([1e3, 1e6, 1e9, 1e14]), tiny=st.sampled_from([1.0, 1e-20, 1e25]))
def test_rays_from_far_away_hit_what_fractions_say(seed, far, tiny):
    rng = np.random.default_rng(seed)
    vertices, triangles = SOLIDS["gear"]
    targets = vertices[rng.integers(0, len(vertices), 8)]
    ways = rng.normal(size=(8, 3))
    starts = targets - far * ways
    check(mc.TriangleMesh(vertices, triangles), vertices[triangles], starts, ways * tiny)


def test_numbers_beyond_the_predicates_are_decided_by_fractions():
    vertices, triangles = box((0, 0, 0), (2, 2, 2))
    mesh, corners = mc.TriangleMesh(vertices, triangles), vertices[triangles]
    starts = np.array([[-1.0, 1.0, 1e-310], [-1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [-1.0, 2.0, 1.0]])
    ways = np.array([[1.0, 0.0, 0.0], [1.0, 5e-324, 0.0], [1e-310, 1e-310, 0.0], [1.0, -1e-320, 0.0]])
    everything = mc.ray_all(mesh, starts, ways)
    for k, (o, d) in enumerate(zip(starts, ways, strict=True)):
        plain = crossings_by_fractions(o, d, np.inf, corners)
        assert sorted(everything.triangle[everything.ray == k]) == [crossing.triangle for crossing in plain]
    assert mc.ray_count(mesh, starts, ways).tolist() == [2, 2, 1, 2]
    first = mc.ray_first(mesh, starts, ways)
    assert first.distance == pytest.approx([1.0, 1.0, np.sqrt(2.0), 1.0])
    assert mc.ray_any(mesh, starts, ways, lengths=1.2).tolist() == [True, True, False, True]


def test_lengths_limit_rays_and_ends_belong_to_them():
    mesh = mc.TriangleMesh(*box((0, 0, 0), (2, 2, 2)))
    starts, lengths = np.tile([-1.0, 1.25, 0.5], (5, 1)), [0.0, 0.5, 1.0, 3.0, np.inf]
    assert mc.ray_count(mesh, starts, (7, 0, 0), lengths).tolist() == [0, 0, 1, 2, 2]
    assert mc.ray_any(mesh, starts, (7, 0, 0), lengths).tolist() == [False, False, True, True, True]
    assert mc.ray_first(mesh, starts, (7, 0, 0), lengths).distance.tolist() == [np.inf, np.inf, 1.0, 1.0, 1.0]
    assert mc.ray_all(mesh, starts, (7, 0, 0), lengths).distance.tolist() == [1.0, 1.0, 3.0, 1.0, 3.0]
    assert mc.ray_all(mesh, (0, 0.5, 0.25), (1, 0, 0), 0.0).distance.tolist() == [0.0]


def test_what_is_told_of_a_crossing():
    vertices, triangles = open_box((0, 0, 0), (2, 2, 2))
    mesh = mc.TriangleMesh(vertices, triangles)
    hits = mc.ray_first(
        mesh, [[0.5, 0.25, 5.0], [-3.0, 0.5, 0.25], [9.0, 9.0, 9.0]], [[0, 0, -1.0], [2, 0, 0], [1, 0, 0]]
    )
    assert hits.hit.tolist() == [True, True, False]
    assert hits.front.tolist() == [False, True, False]
    assert hits.point[:2].tolist() == [[0.5, 0.25, 0.0], [0.0, 0.5, 0.25]]
    assert hits.normal[:2].tolist() == [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]]
    assert np.isnan(hits.point[2]).all()
    assert np.isnan(hits.normal[2]).all()
    assert hits.object.tolist() == [0, 0, -1]
    corners = vertices[triangles[hits.triangle[:2]]]
    assert np.allclose((hits.barycentric[:2, :, None] * corners).sum(axis=1), hits.point[:2])
    assert len(hits) == 3


def test_no_rays_and_one_for_all():
    mesh = mc.TriangleMesh(*box((0, 0, 0), (2, 2, 2)))
    nothing = np.empty((0, 3))
    assert len(mc.ray_first(mesh, nothing, nothing)) == len(mc.ray_all(mesh, nothing, nothing)) == 0
    assert len(mc.ray_count(mesh, nothing, nothing)) == 0
    starts = np.array([[1.0, 1.0, 1.0], [5.0, 5.0, 5.0]])
    assert mc.ray_count(mesh, starts, (0, 0.3, 1)).tolist() == [1, 0]
    assert mc.ray_count(mesh, (1, 1, 1), starts - 3.0).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("origins", "directions", "lengths", "says"),
    [
        ([[0, 0, 0]], [[0, 0, 0]], None, "direction 0 is zero"),
        ([[0, 0, np.nan]], [[0, 0, 1]], None, "row 0 of origins"),
        ([[0, 0, 0]], [[0, 0, np.inf]], None, "row 0 of directions"),
        (np.zeros((2, 3)), np.ones((3, 3)), None, "2 origins, but 3 directions"),
        (np.zeros((2, 2)), np.ones((2, 3)), None, "origins must have shape"),
        (np.zeros((2, 3)), np.ones((2, 3)), [1.0], "lengths must be"),
        (np.zeros((2, 3)), np.ones((2, 3)), [1.0, -1.0], "length 1 is -1.0"),
        (np.zeros((2, 3)), np.ones((2, 3)), np.nan, "length 0 is nan"),
    ],
)
def test_wrong_rays_are_refused(origins, directions, lengths, says):
    mesh = mc.TriangleMesh(*box((0, 0, 0), (2, 2, 2)))
    for question in (mc.ray_first, mc.ray_any, mc.ray_count, mc.ray_all):
        with pytest.raises(mc.UnsupportedOption, match=says):
            question(mesh, origins, directions, lengths)


@pytest.mark.needs_jit
def test_threads_and_slices_change_nothing(monkeypatch):
    rng = np.random.default_rng(1)
    mesh = mc.TriangleMesh(*torus(3, 1))
    starts, ways = rays_through(*torus(3, 1), rng, 3000)
    expected = mc.ray_all(mesh, starts, ways)
    first = mc.ray_first(mesh, starts, ways)
    monkeypatch.setattr(ray_casting, "_SHARED_FROM", 1)
    monkeypatch.setattr(ray_casting, "COMPILED_FOR", 1)
    monkeypatch.setattr(ray_casting, "_SLICE", 700)
    monkeypatch.setattr(ray_casting, "_PART", 100)
    for threads in (1, 2):
        again, nearest = (ask(mesh, starts, ways, threads=threads) for ask in (mc.ray_all, mc.ray_first))
        for name in ("ray", "triangle", "distance", "barycentric", "front"):
            assert np.array_equal(getattr(expected, name), getattr(again, name))
            assert np.array_equal(getattr(first, name), getattr(nearest, name), equal_nan=True)
    told = []
    mc.run(mc.steps(mc.ray_first, mesh, starts, ways, threads=1), told.append)
    assert len(told) > 3


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_turned_slivers_are_crossed_where_fractions_say(seed):
    """Triangles that are nearly edge-on and nearly without area."""
    rng = np.random.default_rng(seed)
    turn = rotation(rng)
    corners = rng.normal(size=(10, 3, 3)) * [1.0, 1.0, 2.0 ** -rng.integers(20, 60)]
    vertices, triangles = soup(corners @ turn.T)
    starts = rng.normal(size=(10, 3)) @ (matrix()[:3, :3] * [1.0, 1.0, 0.0]) @ turn.T
    check(mc.TriangleMesh(vertices, triangles), vertices[triangles], starts, starts[::-1] - starts)
