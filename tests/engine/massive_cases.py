"""Meshes, their clustered form and their comparison for the tests of massive meshes."""

import meshclash as mc
import numpy as np


def some_soup(rng, count, size=0.2):
    """Triangles (n, 3, 3) of every direction around random points of the unit cube."""
    return rng.uniform(0, 1, (count, 1, 3)) + rng.normal(scale=size, size=(count, 3, 3))


def assert_same(found, expected):
    """Two Contacts or two Clearances have the same bytes, and give the same points."""
    assert found.pairs.dtype == expected.pairs.dtype and found.pairs.tobytes() == expected.pairs.tobytes()
    assert found.pose.tobytes() == expected.pose.tobytes()
    if isinstance(expected, mc.Contacts):
        assert found.kinds.tobytes() == expected.kinds.tobytes()
        assert found.segments().tobytes() == expected.segments().tobytes()
        for one, other in zip(found.outlines(), expected.outlines(), strict=True):
            assert one[0] == other[0] and one[1].tobytes() == other[1].tobytes()
    else:
        assert found.distances.tobytes() == expected.distances.tobytes()
        assert found.points().tobytes() == expected.points().tobytes()


def assert_same_distance(found, expected):
    """Two Distances of one pose agree; where objects meet any pair that meets will do."""
    assert found.distance == expected.distance
    if found.distance > 0.0:
        assert (found.triangle_a, found.triangle_b) == (expected.triangle_a, expected.triangle_b)
        assert found.point_a.tobytes() == expected.point_a.tobytes()
        assert found.point_b.tobytes() == expected.point_b.tobytes()


def ask_everything(found, expected, pose, tolerance):
    """Ask both pairs of objects each question; ``found`` and ``expected`` are (a, b)."""
    for touching in (True, False):
        assert_same(
            mc.collide(*found, None, pose, touching=touching), mc.collide(*expected, None, pose, touching=touching)
        )
        met = mc.collides(*found, None, pose, touching=touching)
        assert met == mc.collides(*expected, None, pose, touching=touching)
    assert_same(mc.clearance(*found, tolerance, None, pose), mc.clearance(*expected, tolerance, None, pose))
    distance = mc.distance(*found, None, pose)
    assert_same_distance(distance, mc.distance(*expected, None, pose))
    if distance.distance == 0.0:
        pair = np.array([distance.triangle_a, distance.triangle_b])
        assert (mc.collide(*expected, None, pose).pairs == pair).all(axis=1).any()


def all_triangles(mesh):
    """Corners of all triangles of a clustered mesh in their order, (n, 3, 3) as stored, and their vertices' numbers."""
    corners = np.empty((mesh.triangle_count, 3, 3), f"f{mesh.pages.header.coordinate_bytes}")
    ids = np.full((mesh.triangle_count, 3), -1)
    for number in range(mesh.cluster_count):
        data = mesh.pages.read(number)
        corners[data.triangle_ids] = data.vertices[data.corners]
        if len(data.vertex_ids):
            ids[data.triangle_ids] = data.vertex_ids[data.corners]
    return corners, ids
