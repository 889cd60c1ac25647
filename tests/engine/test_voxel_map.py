"""A point shell against a voxel map: inside is right, depths and normals are those of the surface nearby."""

import meshclash as mc
import numpy as np
import pytest
from oracles.mesh_generators import bumpy_sphere
from solids import box, cell_body, open_box
from strategies import matrix, rotation

BOX = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))


@pytest.mark.parametrize("turned", [False, True])
def test_points_of_a_box_have_the_depth_of_its_nearest_face(turned):
    mesh = mc.TriangleMesh(BOX.vertices, BOX.triangles[:, ::-1]) if turned else BOX
    voxels = mc.voxels.VoxelMap(mesh, voxel_size=1 / 32)
    points = np.random.default_rng(1).uniform(-0.2, 1.2, (5000, 3))
    found = voxels.touch(points)
    inside = ((points > 0.0) & (points < 1.0)).all(axis=1)
    assert np.array_equal(found.points, np.flatnonzero(inside))
    nearest = np.minimum(points, 1.0 - points)[inside].min(axis=1)
    shallow = nearest < 0.1
    assert np.abs(found.depths - nearest)[shallow].max() < 1 / 16
    assert np.abs(found.depths - nearest)[nearest < 1 / 64].max() < 1e-9 + 1 / 64
    assert np.allclose(np.abs(found.normals).max(axis=1), 1.0)
    outwards = points[inside] + found.normals * (found.depths + 1e-9)[:, None]
    assert not ((outwards > 0.0) & (outwards < 1.0)).all(axis=1).any()


def test_points_of_a_model_are_inside_or_within_a_voxel_of_it():
    mesh = mc.TriangleMesh(*bumpy_sphere(5000, 1))
    voxels = mc.voxels.VoxelMap(mesh, resolution=60)
    rng = np.random.default_rng(2)
    pose = matrix(rotation(rng), (0.1, 0.2, 0.3))
    points = rng.uniform(-1.5, 1.5, (20_000, 3))
    found = voxels.touch(points, pose)
    exact = mc.signed_distance(mesh, mc.Pose.from_matrix(pose).apply(points)).distance
    marked = np.zeros(len(points), bool)
    marked[found.points] = True
    assert np.abs(exact[marked != (exact < 0.0)]).max(initial=0.0) <= voxels.grid.diagonal
    assert (marked != (exact < 0.0)).mean() < 1e-3
    shallow = exact[found.points] > -2 * voxels.grid.voxel_size
    assert np.abs(found.depths + exact[found.points])[shallow].mean() < 0.2 * voxels.grid.voxel_size
    assert np.allclose((found.normals**2).sum(axis=1), 1.0, atol=1e-6)


def test_a_cavity_is_outside():
    inner = box((1, 1, 1), (2, 2, 2))
    outer = box((0, 0, 0), (3, 3, 3))
    hollow = mc.TriangleMesh(np.vstack([outer[0], inner[0]]), np.vstack([outer[1], inner[1][:, ::-1] + 8]))
    found = mc.voxels.VoxelMap(hollow, resolution=30).touch(
        [[1.5, 1.5, 1.5], [0.5, 1.5, 1.5], [5, 5, 5], [2.5, 2.5, 2.5]]
    )
    assert found.points.tolist() == [1, 3]


@pytest.mark.parametrize("size", [2.0, 4 / 3, 1.0, 0.5, 1 / 3])
def test_the_air_under_a_table_is_free(size):
    top, legs = box((0, 0, 3), (9, 9, 4)), [box((x, y, 0), (x + 1, y + 1, 3)) for x in (0, 8) for y in (0, 8)]
    cells = [(x, y, z) for x, y, z in np.ndindex(9, 9, 4) if z == 3 or (x % 8 == 0 and y % 8 == 0)]
    table = mc.TriangleMesh(*cell_body(cells))
    points = np.random.default_rng(1).uniform(-1.0, 10.0, (20_000, 3))
    inside = np.zeros(len(points), bool)
    near = np.zeros(len(points), bool)
    voxels = mc.voxels.VoxelMap(table, voxel_size=size)
    for (low, high), reach in ((mc.TriangleMesh(*part).bounds, voxels.grid.diagonal) for part in (top, *legs)):
        inside |= ((points > low) & (points < high)).all(axis=1)
        near |= ((points > low - reach) & (points < high + reach)).all(axis=1)
    called = np.zeros(len(points), bool)
    called[voxels.touch(points).points] = True
    assert not (called & ~near).any()
    if size in (1.0, 0.5):  # all faces lie in planes of the grid
        assert np.array_equal(called, inside)


def test_what_cannot_be_used_is_refused_by_name():
    voxels = mc.voxels.VoxelMap(BOX, resolution=8)
    assert "VoxelMap(8 x 8 x 8" in repr(voxels) and voxels.nbytes > 0
    for call, error, says in (
        (lambda: voxels.touch([[0.5, np.nan, 0.5]]), mc.InvalidMesh, "points|finite"),
        (lambda: voxels.touch(np.array([[0.5, np.nan, 0.5]])), mc.InvalidMesh, "point 0 is .* points must be finite"),
        (lambda: voxels.touch(np.zeros(3)), mc.InvalidMesh, r"shape \(n, 3\)"),
        (lambda: voxels.touch("x"), mc.InvalidMesh, "points"),
        (lambda: voxels.touch(np.zeros((1, 3)), np.zeros((2, 4, 4))), (mc.UnsupportedOption, mc.InvalidPose), "pose"),
        (
            lambda: mc.voxels.VoxelMap(mc.TriangleMesh(*open_box((0, 0, 0), (1, 1, 1)))),
            mc.NotASolid,
            "the mesh is open",
        ),
        (lambda: mc.voxels.VoxelMap(BOX, resolution=400, memory=1 << 20), mc.UnsupportedOption, "need more than 1 MiB"),
        (lambda: mc.voxels.VoxelMap(3), mc.InvalidMesh, "mesh: expected"),
    ):
        with pytest.raises(error, match=says):
            call()


def test_the_first_question_may_have_no_points():
    assert len(mc.voxels.VoxelMap(mc.shapes.box(1.0), resolution=8).touch(np.empty((0, 3))).points) == 0
