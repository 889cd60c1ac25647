"""Meshes, their clustered form and their comparison for the tests of massive meshes."""

import math

import meshclash as mc
import numpy as np
from strategies import matrix


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


def cluster_ids(mesh):
    """The cluster of each triangle; 0 for a mesh in memory."""
    if not isinstance(mesh, mc.massive.ClusteredMesh):
        return np.zeros(mesh.triangle_count, np.int64)
    ids = np.empty(mesh.triangle_count, np.int64)
    for number in range(mesh.cluster_count):
        ids[mesh.pages.read(number).triangle_ids.astype(np.int64)] = number
    return ids


def check(found, things, meshes, pose):
    """Every pair within delta lies in a row, every row has a pair within its bounds, and those are near enough."""
    within = mc.clearance(*meshes, found.delta + found.epsilon, None, pose)
    clusters = [cluster_ids(thing)[within.pairs[:, k]] for k, thing in enumerate(things)]
    rows = np.full(len(within), -1)
    for k, (one, other) in enumerate(zip(found.clusters_a, found.clusters_b, strict=True)):
        inside = (clusters[0] >= one[0]) & (clusters[0] < one[1]) & (clusters[1] >= other[0]) & (clusters[1] < other[1])
        assert (rows[inside] == -1).all()
        rows[inside] = k
        assert inside.any(), "a row whose triangles are farther apart than delta + epsilon"
        assert found.lower[k] <= within.distances[inside].min() <= found.upper[k]
    assert (rows[within.distances <= found.delta] >= 0).all(), "triangles within delta that are in no row"
    assert (found.upper <= found.delta + found.epsilon).all() and (found.lower <= found.delta).all()
    nearest = within.distances.min() if len(within) else math.inf
    if found.answer != "undecided":
        assert (found.answer == "closer") == (nearest <= found.delta)
    if found.epsilon == 0.0:
        assert found.answer != "undecided"


def expected(meshes, delta, pose):
    return mc.collide(*meshes, None, pose) if delta == 0.0 else mc.clearance(*meshes, delta, None, pose)


def path_of(rng, size, count):
    """Poses that wander, turn, stand still and jump."""
    turned, shift = np.eye(3), np.array([0.8, 0.1, 0.0]) * size
    for k in range(count):
        step = (1e-3, 3e-3, 0.0, 2e-4)[k // 6 % 4]
        angle = step * rng.normal()
        c, s = math.cos(angle), math.sin(angle)
        turned = turned @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        shift = shift + step * size * rng.normal(size=3) - (0.002 * size if step else 0.0) * shift / size
        if k % 31 == 30:
            shift = np.array([0.8, 0.1, 0.0]) * size * rng.choice([-1.0, 1.0], 3)
        yield matrix(turned, shift)
