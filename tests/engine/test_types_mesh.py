"""Meshes: what is accepted, what is refused and how the message names it."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from solids import CORNERS, TETRAHEDRON
from strategies import WIDE, grid_meshes, matrix, points, poses


def with_vertex(index, value):
    vertices = CORNERS.copy()
    vertices[index, 1] = value
    return vertices


@pytest.mark.parametrize(
    ("vertices", "triangles", "says"),
    [
        (np.empty((0, 3)), TETRAHEDRON, "no vertices"),
        ([], TETRAHEDRON, "shape"),
        (CORNERS, np.empty((0, 3), int), "no triangles"),
        (CORNERS, [], "no triangles"),
        (CORNERS[:, :2], TETRAHEDRON, r"vertices must have shape \(n, 3\), not \(4, 2\)"),
        (CORNERS.ravel(), TETRAHEDRON, "shape"),
        (CORNERS[None], TETRAHEDRON, "shape"),
        (CORNERS, TETRAHEDRON.ravel(), r"triangles must have shape \(m, 3\), not \(12,\)"),
        (CORNERS, [[0, 1, 2, 3]], "shape"),
        (CORNERS, TETRAHEDRON.astype(float), "integers, not float64"),
        (CORNERS, TETRAHEDRON > 0, "integers, not bool"),
        (with_vertex(2, np.nan), TETRAHEDRON, r"vertex 2 is \[0.0, nan, 0.0\] \(1 in total\)"),
        (with_vertex(3, -np.inf), TETRAHEDRON, "vertex 3"),
        (with_vertex(1, 1e31), TETRAHEDRON, "vertex 1 .* at most 1e[+]30"),
        (with_vertex(1, 1e31).astype(np.float32), TETRAHEDRON, "vertex 1"),
        (CORNERS * np.nan, TETRAHEDRON, r"vertex 0 .*\(4 in total\)"),
        (CORNERS, [[0, 1, 2], [0, 1, 4]], r"triangle 1 is \[0, 1, 4\] \(1 in total\): indices must lie in 0 to 3"),
        (CORNERS, [[0, 1, 2], [0, -1, 2]], r"triangle 1 is \[0, -1, 2\]"),
        (CORNERS, np.array([[2**40, 0, 1]]), "triangle 0"),
        (CORNERS, np.array([[2**32, 0, 1]], np.uint64), "triangle 0"),
        ([["a", "b", "c"]], TETRAHEDRON, "cannot be read as numbers"),
        ([[0, 0, 0], [1, 1]], TETRAHEDRON, "cannot be read as numbers"),
        (None, TETRAHEDRON, "vertices"),
    ],
)
def test_bad_input_is_refused_and_named(vertices, triangles, says):
    with pytest.raises(mc.InvalidMesh, match=says):
        mc.TriangleMesh(vertices, triangles)


@pytest.mark.parametrize("triangles", [None, "abc", [[0, 1, 2], [0, 1]], [["a", "b", "c"]]])
def test_what_cannot_be_read_as_triangles_is_refused(triangles):
    with pytest.raises(mc.InvalidMesh, match="triangles"):
        mc.TriangleMesh(CORNERS, triangles)


@pytest.mark.parametrize("read", [np.float32, np.float64, np.int64, list, np.asfortranarray])
@pytest.mark.parametrize("index", [np.int32, np.int64, np.uint32, np.uint8, list, np.asfortranarray])
def test_array_likes_of_all_sorts_are_accepted(read, index):
    vertices = CORNERS.tolist() if read is list else read(CORNERS)
    triangles = TETRAHEDRON.tolist() if index is list else index(TETRAHEDRON)
    mesh = mc.TriangleMesh(vertices, triangles)
    assert np.array_equal(mesh.vertices, CORNERS)
    assert np.array_equal(mesh.triangles, TETRAHEDRON)
    assert (mesh.vertices.dtype, mesh.triangles.dtype) == (np.float64, np.int32)
    assert mesh.vertices.flags.c_contiguous
    assert mesh.triangles.flags.c_contiguous
    assert (mesh.vertex_count, mesh.triangle_count) == (4, 4)


def test_float32_vertices_keep_their_values():
    vertices = np.random.default_rng(1).normal(size=(4, 3)).astype(np.float32)
    assert np.array_equal(mc.TriangleMesh(vertices, TETRAHEDRON).vertices, vertices.astype(np.float64))


def test_input_is_copied_and_the_mesh_cannot_be_written():
    vertices, triangles = CORNERS.copy(), TETRAHEDRON.astype(np.int32)
    mesh = mc.TriangleMesh(vertices, triangles)
    vertices[:] = np.nan
    triangles[:] = 99
    assert np.array_equal(mesh.vertices, CORNERS)
    assert np.array_equal(mesh.triangles, TETRAHEDRON)
    for array in (mesh.vertices, mesh.triangles):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 5


def test_bounds_are_those_of_the_triangles_not_of_loose_vertices():
    mesh = mc.TriangleMesh(np.vstack([CORNERS, [[100.0, -100.0, 0.0]]]), TETRAHEDRON)
    assert np.array_equal(mesh.bounds, [[0, 0, 0], [1, 1, 1]])


@given(grid_meshes(), poses())
def test_transformed_bakes_a_matrix_as_poses_do(mesh, pose):
    baked = mc.TriangleMesh(*mesh).transformed(pose)
    assert baked.vertices.tobytes() == mc.Pose.from_matrix(pose).apply(mesh[0]).tobytes()
    assert np.array_equal(baked.triangles, mesh[1])


@given(points(WIDE, 4))
def test_any_coordinates_up_to_the_limit_are_accepted(vertices):
    mesh = mc.TriangleMesh(vertices, TETRAHEDRON)
    assert np.array_equal(mesh.bounds, [vertices.min(axis=0), vertices.max(axis=0)])


@pytest.mark.parametrize("bad", [np.eye(3), np.full((4, 4), np.nan), np.eye(4)[None]])
def test_transformed_refuses_what_is_no_matrix(bad):
    with pytest.raises(mc.InvalidMesh, match="4x4"):
        mc.TriangleMesh(CORNERS, TETRAHEDRON).transformed(bad)


def test_transformed_refuses_a_result_beyond_the_limit():
    with pytest.raises(mc.InvalidMesh, match="vertex 1"):
        mc.TriangleMesh(CORNERS, TETRAHEDRON).transformed(matrix(np.diag([1e31, 1, 1])))


def test_with_vertices_checks_as_the_constructor_does():
    mesh = mc.TriangleMesh(CORNERS, TETRAHEDRON)
    moved = mesh.with_vertices(CORNERS + 1)
    assert np.array_equal(moved.vertices, CORNERS + 1)
    assert np.array_equal(moved.bounds, mesh.bounds + 1)
    assert np.array_equal(mesh.vertices, CORNERS)
    with pytest.raises(mc.InvalidMesh, match="4 vertices, but 3 were given"):
        mesh.with_vertices(CORNERS[:3])
    with pytest.raises(mc.InvalidMesh, match="vertex 2"):
        mesh.with_vertices(with_vertex(2, np.nan))


@pytest.mark.parametrize("dtype", [complex, bool, "U5", "datetime64[s]"])
def test_vertices_that_are_no_real_numbers(dtype):
    with pytest.raises(mc.InvalidMesh, match="cannot be read as numbers: they are"):
        mc.TriangleMesh(np.zeros((3, 3), int).astype(dtype), [[0, 1, 2]])


def test_welding_makes_triangles_share_the_first_vertex_at_each_position():
    given = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [-0.0, 0, 0], [1, 0, 0], [1, 1e-300, 0]])
    mesh = mc.TriangleMesh(given, [[0, 1, 2], [3, 4, 5]], weld=True)
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 1, 5]]
    assert mesh.vertices.tobytes() == given.tobytes()
    assert mc.TriangleMesh(given, mesh.triangles).triangles.tobytes() == mesh.triangles.tobytes()
    for wrong in (None, 1, 1e-6, "yes"):
        with pytest.raises(mc.InvalidMesh, match="weld must be True or False"):
            mc.TriangleMesh(given, [[0, 1, 2]], weld=wrong)
