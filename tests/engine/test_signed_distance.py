"""Points against one mesh: sides, distances and winding numbers, against exact arithmetic and plain sums."""

import exact
import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.hierarchy.build import as_hierarchy
from meshclash.hierarchy.moments import moments_of
from oracles.point_oracle import exact_windings, lies_on_surface
from solids import box, gear, joined, moved, open_box, reversed_winding, shell, torus
from strategies import matrix, rotation, soup

SOLIDS = {
    "box": box((0, 0, 0), (2, 2, 2)),
    "inside out": reversed_winding(box((0, 0, 0), (2, 2, 2))),
    "torus": torus(3, 1),
    "hollow": shell((0, 0, 0), (4, 4, 4), 1),
    "overlapping": joined(box((0, 0, 0), (2, 2, 2)), moved(box((0, 0, 0), (2, 2, 2)), (1, 1, 1))),
    "gear": gear(4, 9, 0, 1),
}


def closest_angle_sum(corners, p):
    """Generalised winding number by the plain sum over all triangles."""
    a, b, c = (corners[:, k] - p for k in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    rest = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
    return 2.0 * np.arctan2(volume, rest).sum() / (4.0 * np.pi)


def points_about(vertices, triangles, rng, count):
    """In the box, at vertices, on edges and faces, and some units in the last place beside these."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    t = vertices[triangles[rng.integers(0, len(triangles), count)]]
    special = np.concatenate([t[:, 0], 0.5 * (t[:, 0] + t[:, 1]), t.mean(axis=1)])
    beside = special + rng.integers(-2, 3, special.shape) * np.spacing(special)
    return np.concatenate([low + (high - low) * rng.uniform(-0.2, 1.2, (count, 3)), special, beside])


@pytest.mark.slow
@pytest.mark.needs_jit
@pytest.mark.parametrize("name", SOLIDS)
@settings(max_examples=12)
@given(seed=st.integers(0, 2**32), far=st.sampled_from([0.0, 1.0, 1e6]), size=st.sampled_from([1.0, 1e-40, 1e22]))
def test_signs_of_closed_meshes_are_exact(name, seed, far, size):
    rng = np.random.default_rng(seed)
    vertices, triangles = SOLIDS[name]
    vertices = (vertices + far * rng.normal(size=3)) * size
    check_signs(vertices, triangles, points_about(vertices, triangles, rng, 6))


def check_signs(vertices, triangles, points):
    mesh, corners = mc.TriangleMesh(vertices, triangles), vertices[triangles]
    found = mc.signed_distance(mesh, points)
    on = np.array([lies_on_surface(corners, p) for p in points])
    assert (on == (found.distance == 0.0)).all()
    inside = exact_windings(corners, points[~on]) != 0
    assert (inside == (found.distance[~on] < 0.0)).all()
    assert (mc.contains(mesh, points) == (found.distance <= 0.0)).all()
    assert (found.certainty == 1.0).all()


@pytest.mark.needs_jit
@pytest.mark.parametrize("size", [1e-90, 1e-310])
def test_signs_are_exact_where_no_double_holds_a_product(size):
    vertices, triangles = SOLIDS["overlapping"]
    rng = np.random.default_rng(3)
    check_signs(vertices * size, triangles, points_about(vertices * size, triangles, rng, 3))
    check_signs(vertices + (vertices == 0.0) * size, triangles, points_about(vertices, triangles, rng, 3))


@pytest.mark.needs_jit
@pytest.mark.parametrize("name", ["hollow", "overlapping"])
def test_distances_are_those_of_plain_fractions_in_any_pose(name):
    rng = np.random.default_rng(4)
    vertices, triangles = SOLIDS[name]
    for shift in ((0, 0, 0), (1e6, -1e6, 3.0)):
        pose = mc.Pose.from_matrix(matrix(rotation(rng), shift))
        world = pose.apply(vertices)[triangles]
        points = pose.apply(points_about(vertices, triangles, rng, 4))
        found = mc.signed_distance(mc.TriangleMesh(vertices, triangles), points, pose)
        for p, length, x, t in zip(points, found.distance, found.point, found.triangle, strict=True):
            scale = 4e-15 * np.abs(world).max()
            assert abs(length) == pytest.approx(min(exact.distance_to_triangle(p, c) for c in world), abs=scale)
            assert exact.distance_to_triangle(x, world[t]) <= scale
        on = np.array([lies_on_surface(world, p) for p in points])
        assert ((exact_windings(world, points[~on]) != 0) == (found.distance[~on] < 0.0)).all()


@pytest.mark.needs_jit
def test_answers_depend_neither_on_other_points_nor_their_order_nor_on_threads():
    rng = np.random.default_rng(5)
    vertices, triangles = SOLIDS["gear"]
    mesh = mc.TriangleMesh(vertices, triangles)
    points = rng.uniform(-6, 6, (3000, 3))
    whole, order = mc.signed_distance(mesh, points, threads=1), rng.permutation(3000)
    shuffled = mc.signed_distance(mesh, points[order], threads=2)
    assert shuffled.distance.tobytes() == whole.distance[order].tobytes()
    for i in range(20):
        assert mc.signed_distance(mesh, points[i : i + 1]).distance[0] == whole.distance[i]
    assert len(mc.contains(mesh, np.empty((0, 3)))) == 0


@pytest.mark.needs_jit
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), size=st.sampled_from([1.0, 1e-30, 1e20]), far=st.sampled_from([0.0, 1e3]))
def test_winding_numbers_of_any_triangles_are_near_the_plain_sum(seed, size, far):
    rng = np.random.default_rng(seed)
    corners = (rng.normal(size=(60, 3, 3)) * 0.2 + rng.normal(size=(60, 1, 3)) + far) * size
    points = (rng.normal(size=(20, 3)) * 2.0 + far) * size
    found = mc.winding_number(mc.TriangleMesh(*soup(corners)), points)
    assert found == pytest.approx([closest_angle_sum(corners, p) for p in points], abs=0.01)


@pytest.mark.needs_jit
def test_winding_numbers_of_closed_meshes_are_whole_and_on_the_surface_halves():
    points = [(1, 1, 1), (5, 1, 1), (0, 1, 1), (2, 2, 2)]
    assert mc.winding_number(mc.TriangleMesh(*SOLIDS["box"]), points) == pytest.approx([1, 0, 0.5, 0.125], abs=0.01)
    assert (mc.winding_number(mc.TriangleMesh(*SOLIDS["inside out"]), points[:2]) == [-1, 0]).all()
    turned = SOLIDS["box"][1].copy()
    turned[0] = turned[0, ::-1]  # as it is wound: not the integer of the mesh that it means
    corners = SOLIDS["box"][0][turned]
    found = mc.winding_number(mc.TriangleMesh(SOLIDS["box"][0], turned), points[:2])
    assert found == pytest.approx([closest_angle_sum(corners, p) for p in np.array(points[:2], float)], abs=0.01)


@pytest.mark.needs_jit
def test_moments_of_the_root_are_those_of_all_triangles():
    rng = np.random.default_rng(6)
    corners = rng.normal(size=(50, 3, 3))
    index = as_hierarchy(mc.TriangleMesh(*soup(corners))).parts
    row = moments_of(index)[0].astype(float)
    unit = 2.0 ** -np.frexp(np.ptp(corners.reshape(-1, 3), axis=0).max())[1]
    local = (corners - index.origin) * unit - row[:3]
    normals = 0.5 * np.cross(local[:, 1] - local[:, 0], local[:, 2] - local[:, 0])
    middles = 0.5 * (local + np.roll(local, -1, axis=1))
    assert row[4:7] == pytest.approx(normals.sum(axis=0), abs=1e-5)
    assert row[7:16] == pytest.approx(np.einsum("ni,nj->ij", local.mean(axis=1), normals).ravel(), abs=1e-5)
    third = np.einsum("nai,naj,nk->ijk", middles, middles, normals) / 3.0
    pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    assert row[16:34] == pytest.approx(np.concatenate([third[i, j] for i, j in pairs]), abs=1e-5)
    assert row[3] >= (local**2).sum(axis=2).max()


@pytest.mark.parametrize(
    "points, text",
    [
        ([(0, 0)], "shape"),
        ([(0, 0, np.nan)], "point 0"),
        (["abc"], "numbers"),
        ([(1j, 0, 0)], "complex"),
        (np.ma.masked_array(np.zeros((2, 3)), [[False] * 3, [True] * 3]), "row 1"),
    ],
)
def test_points_that_are_none_are_refused(points, text):
    with pytest.raises(mc.UnsupportedOption, match=text):
        mc.contains(mc.TriangleMesh(*SOLIDS["box"]), points)


def test_a_stack_of_poses_is_refused():
    with pytest.raises(mc.UnsupportedOption, match="stack"):
        mc.signed_distance(mc.TriangleMesh(*SOLIDS["box"]), [(0, 0, 0)], np.tile(np.eye(4), (2, 1, 1)))


def without(mesh, gone):
    return mesh[0], np.delete(mesh[1], gone, axis=0)


@pytest.mark.needs_jit
def test_an_open_mesh_is_the_solid_that_it_means_with_a_certainty():
    vertices, triangles = torus(3, 1)
    rng = np.random.default_rng(8)
    points = rng.uniform(-4.5, 4.5, (500, 3)) * (1, 1, 0.4)
    whole = mc.signed_distance(mc.TriangleMesh(vertices, triangles), points)
    turned = triangles.copy()
    turned[::3] = turned[::3, ::-1]
    damaged = np.concatenate([turned[1:], turned[7:9], turned[20:22, ::-1]])  # a hole, faces turned, copies
    pose = mc.Pose.from_matrix(matrix(rotation(rng), (5.0, 1e3, -7.0)))
    for mesh, place in ((mc.TriangleMesh(vertices, damaged), None), (mc.TriangleMesh(vertices, damaged), pose)):
        found = mc.signed_distance(mesh, points if place is None else place.apply(points), place)
        known = found.certainty >= 0.99
        assert known.mean() > 0.8
        assert ((found.distance < 0) == (whole.distance < 0))[known].all()
        assert (
            mc.contains(mesh, points if place is None else place.apply(points), place) == (found.distance < 0)
        ).all()
    told = mc.solidity(mesh)
    assert told.solid and not told.closed and told.merged == 4 and told.turned > 0
    assert len(told.open_edges) == 3 and "3 open edges" in told.reason
    assert sorted(map(tuple, told.open_edges.reshape(-1, 3).tolist())) == sorted(
        2 * [tuple(p) for p in vertices[triangles[0]].tolist()]
    )


@pytest.mark.needs_jit
def test_copies_of_faces_leave_a_closed_mesh_exact():
    vertices, triangles = SOLIDS["gear"]
    doubled = np.concatenate([triangles, triangles[3:6], triangles[9:10, ::-1], [[0, 0, 1]]])
    points = np.random.default_rng(9).uniform(-5, 5, (200, 3))
    found = mc.signed_distance(mc.TriangleMesh(vertices, doubled), points)
    whole = mc.signed_distance(mc.TriangleMesh(vertices, triangles), points)
    assert found.distance.tobytes() == whole.distance.tobytes()
    assert (found.certainty == 1.0).all() and mc.solidity(mc.TriangleMesh(vertices, doubled)).merged == 5


@pytest.mark.needs_jit
def test_the_sides_of_an_open_mesh_do_not_depend_on_how_its_faces_run_and_are_numbered():
    vertices, triangles = without(SOLIDS["gear"], [0, 1])
    rng = np.random.default_rng(10)
    points = rng.uniform(-5, 5, (300, 3))
    expected = mc.contains(mc.TriangleMesh(vertices, triangles), points)
    for _ in range(5):
        other = triangles[rng.permutation(len(triangles))]
        flip = rng.random(len(other)) < 0.4
        other[flip] = other[flip][:, ::-1]
        corners = vertices[other].reshape(-1, 3)  # unwelded, too
        mesh = mc.TriangleMesh(corners, np.arange(len(corners)).reshape(-1, 3))
        assert (mc.contains(mesh, points) == expected).all()


@pytest.mark.needs_jit
def test_a_cavity_stays_one_and_a_part_inside_out_is_turned():
    outer, inner, far = box((0, 0, 0), (4, 4, 4)), box((1, 1, 1), (3, 3, 3)), box((6, 0, 0), (8, 2, 2))
    for hollow in (True, False):
        mesh = joined(outer, reversed_winding(inner) if hollow else inner, reversed_winding(far))
        opened = joined(mesh, (np.array([[9.0, 9, 9], [9.1, 9, 9], [9, 9.1, 9]]), np.array([[0, 1, 2]])))
        found = mc.contains(mc.TriangleMesh(*opened), [(2, 2, 2), (0.5, 2, 2), (7, 1, 1), (5, 1, 1)])
        assert found.tolist() == [not hollow, True, True, False]


@pytest.mark.needs_jit
@pytest.mark.parametrize(
    "mesh", [soup(np.array([[(0, 0, 0), (1, 0, 0), (0, 1, 0.0)]])), open_box((0, 0, 0), (1, 1, 1))]
)
def test_what_bounds_nothing_is_told_with_a_reason(mesh):
    mesh = mc.TriangleMesh(*mesh)
    with pytest.raises(mc.NotASolid, match="open edges, one at"):
        mc.signed_distance(mesh, [(0, 0, 0)])
    assert not mc.solidity(mesh).solid


@pytest.mark.needs_jit
def test_a_mesh_of_points_and_segments_contains_nothing_else():
    mesh = mc.TriangleMesh([(0, 0, 0), (1, 0, 0)], [(0, 0, 0), (0, 1, 1)])
    assert mc.contains(mesh, [(0, 0, 0), (0.5, 0, 0), (0.5, 0.1, 0), (2, 0, 0)]).tolist() == [True, True, False, False]


def test_points_are_measured_against_terrain_without_signs():
    """One point is enough; the distance is that of two triangles, by sampling no nearer and hardly farther."""
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0.2], [1, 1, 0]])
    terrain, rng = mc.TriangleMesh(corners, [[0, 1, 2], [1, 3, 2]]), np.random.default_rng(4)
    with pytest.raises(mc.NotASolid, match="signed=False"):
        mc.signed_distance(terrain, [[0.2, 0.2, 1.0]])
    u, v = (x.ravel() for x in np.meshgrid(*[np.linspace(0.0, 1.0, 401)] * 2))
    u, v = u[u + v <= 1.0], v[u + v <= 1.0]
    weights = np.stack([1.0 - u - v, u, v], axis=1)
    surface = np.concatenate([weights @ corners[list(face)] for face in ((0, 1, 2), (1, 3, 2))])
    for count in (1, 3, 40):
        points = rng.uniform(-1.0, 2.0, (count, 3))
        found = mc.signed_distance(terrain, points, signed=False)
        sampled = np.array([np.linalg.norm(surface - point, axis=1).min() for point in points])
        assert (found.distance <= sampled + 1e-12).all() and (sampled - found.distance < 4e-3).all()
        assert np.allclose(np.linalg.norm(found.point - points, axis=1), found.distance, atol=1e-12)
    closed = mc.shapes.box(1.0)
    inside = [[0.1, 0.0, 0.0]]
    assert (
        mc.signed_distance(closed, inside, signed=False).distance[0] == -mc.signed_distance(closed, inside).distance[0]
    )
