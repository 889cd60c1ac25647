"""``penetration``: after the translation nothing meets; convex solids as the differences of their points say."""

import meshclash as mc
import numpy as np
import pytest
from meshclash.query.penetration import is_convex
from scipy.spatial import ConvexHull
from solids import box, moved, open_box, refined, torus
from strategies import matrix, rotation


def convex_mesh(rng, count):
    points = rng.normal(size=(count, 3))
    hull = ConvexHull(points)
    corners = points[hull.simplices]
    outward = (np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) * hull.equations[:, :3]).sum(
        axis=1
    )
    return mc.TriangleMesh(points, np.where((outward < 0)[:, None], hull.simplices[:, ::-1], hull.simplices))


def assert_taken_apart(a, b, pose, found):
    assert mc.verdict(a, b, None, matrix(shift=found.translation) @ pose) == mc.Verdict.APART
    assert not mc.collides(a, b, None, matrix(shift=found.translation) @ pose)
    assert 0.0 <= found.lower_bound <= found.depth
    assert np.linalg.norm(found.direction) == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(6))
def test_convex_solids_as_an_independent_solver(seed):
    rng = np.random.default_rng(seed)
    a, b = convex_mesh(rng, 30), convex_mesh(rng, 12)
    pose = matrix(rotation(rng), 0.4 * rng.normal(size=3))
    found = mc.penetration(a, b, None, pose)
    differences = a.vertices[:, None] - mc.Pose.from_matrix(pose).apply(b.vertices)[None]
    expected = (-ConvexHull(differences.reshape(-1, 3)).equations[:, 3]).min()
    assert found.depth == pytest.approx(expected, abs=1e-9)
    assert found.lower_bound == pytest.approx(expected, abs=1e-9)
    assert_taken_apart(a, b, pose, found)
    swapped = mc.penetration(b, a, pose, None)
    assert swapped.depth == pytest.approx(found.depth, abs=1e-9)


SOLIDS = {
    "boxes": (box((0, 0, 0), (4, 4, 4)), box((3.5, 1, 1), (6, 2, 2)), 0.5),
    "refined boxes": (refined(box((0, 0, 0), (4, 4, 4))), refined(box((1, 1, 3.75), (2, 2, 9))), 0.25),
    "one inside": (box((0, 0, 0), (4, 4, 4)), box((1, 1.5, 0.5), (2, 2.5, 1.5)), 1.5),
    "the same": (box((0, 0, 0), (1, 2, 3)), box((0, 0, 0), (1, 2, 3)), 1.0),
    "ring and pin": (torus(2, 0.5), box((1.75, -0.25, 0.25), (2.25, 0.25, 3)), 0.3),
    "pin through the hole, touching the wall": (torus(2, 0.5), box((-0.2, -0.2, -3), (1.6, 0.2, 3)), 0.15),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_solids_are_taken_apart(name):
    """Bodies whose depth is known, or known to be little more than this: for the ring no hull would tell."""
    first, second, expected = SOLIDS[name]
    a, b = mc.TriangleMesh(*first), mc.TriangleMesh(*second)
    found = mc.penetration(a, b)
    assert_taken_apart(a, b, np.eye(4), found)
    if is_convex(a) and is_convex(b):
        assert found.depth == pytest.approx(expected, abs=1e-9)
    else:
        assert found.depth <= 1.5 * expected


def test_no_common_volume_no_depth():
    a = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    for shift in ((1.0, 0, 0), (3.0, 0, 0), (1.0, 1.0, 1.0)):
        found = mc.penetration(a, a, None, matrix(shift=shift))
        assert (found.depth, found.lower_bound) == (0.0, 0.0)
        assert not found.translation.any()


def test_which_meshes_are_convex():
    rng = np.random.default_rng(4)
    assert is_convex(mc.TriangleMesh(*box((0, 0, 0), (1, 2, 3))))
    assert is_convex(mc.TriangleMesh(*refined(box((0, 0, 0), (1, 2, 3)))))
    assert is_convex(convex_mesh(rng, 50))
    assert not is_convex(mc.TriangleMesh(*torus(2, 0.5)))
    pair = [box((0, 0, 0), (1, 1, 1)), moved(box((0, 0, 0), (1, 1, 1)), (5, 0, 0))]
    vertices = np.concatenate([v for v, _ in pair])
    assert not is_convex(mc.TriangleMesh(vertices, np.concatenate([pair[0][1], pair[1][1] + 8])))
    dented = convex_mesh(rng, 50)
    inward = dented.vertices * np.where(np.arange(dented.vertex_count) == dented.triangles[0, 0], 0.2, 1.0)[:, None]
    assert not is_convex(dented.with_vertices(inward))


def test_what_cannot_be_asked():
    a, lid = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1))), mc.TriangleMesh(*open_box((0, 0, 0), (1, 1, 1)))
    with pytest.raises(mc.InvalidMesh, match="mesh b is not closed"):
        mc.penetration(a, lid)
    with pytest.raises(mc.InvalidMesh, match="mesh a is not closed"):
        mc.penetration(lid, a)
    with pytest.raises(mc.UnsupportedOption, match="one pose"):
        mc.penetration(a, a, None, np.stack([np.eye(4)] * 2))
    with pytest.raises(mc.UnsupportedOption, match="threads"):
        mc.penetration(a, a, threads=0)
