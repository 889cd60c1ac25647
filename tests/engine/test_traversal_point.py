"""Points against hierarchies: nearest primitive and winding number, against looking at every triangle."""

import exact
import meshclash as mc
import numpy as np
import pytest
from meshclash.jit import kernel
from meshclash.traversal import crossings, point
from meshclash.traversal.forest import pack_trees
from meshclash.traversal.point import new_point_workspace
from solids import box, gear, joined, moved, reversed_winding, shell, torus
from strategies import matrix, rotation, soup


@kernel
def _nearest(forest, tree, pose, inverse, origin, reach, p, limit, enough, work):
    return point.nearest(forest, tree, pose, inverse, origin, reach, (p[0], p[1], p[2]), limit, enough, work)


@kernel
def _winding(forest, tree, pose, inverse, origin, reach, orientation, component, skip, p, work):
    return crossings.winding(
        forest, tree, pose, inverse, origin, reach, orientation, component, skip, (p[0], p[1], p[2]), work
    )


class Posed:
    """A mesh in a pose, as the kernels want it."""

    def __init__(self, mesh, pose=None, leaf_size=4):
        self.mesh = mc.TriangleMesh(*mesh)
        self.pose = mc.Pose.identity() if pose is None else mc.Pose.from_matrix(pose)
        tree_set = pack_trees([mc.build(self.mesh, leaf_size=leaf_size)])
        rows = self.pose.rows.copy()
        self.frame = tree_set.forest, 0, rows, np.linalg.inv(rows[:, :3]), tree_set.origins[0], tree_set.reaches[0]

    def nearest(self, p, limit=np.inf, enough=-1.0):
        return _nearest(*self.frame, p, limit, enough, new_point_workspace())

    def winding(self, p, skip=-1):
        topology = self.mesh.topology
        return _winding(*self.frame, topology.orientation, topology.component, skip, p, new_point_workspace())

    def world(self):
        return self.pose.apply(self.mesh.vertices)[self.mesh.triangles]


POSES = {
    "identity": None,
    "any": matrix(rotation(np.random.default_rng(1)), (3.0, -2.0, 1.0)),
    "far": matrix(rotation(np.random.default_rng(2)), (1e6, -1e6, 1e5)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", POSES)
@pytest.mark.parametrize("leaf_size", [1, 8])
def test_nearest_equals_looking_at_every_triangle(name, leaf_size):
    rng = np.random.default_rng(3)
    posed = Posed(soup(rng.normal(size=(40, 3, 3)) * 0.3 + rng.normal(size=(40, 1, 3))), POSES[name], leaf_size)
    world = posed.world()
    for p in world.reshape(-1, 3).mean(axis=0) + rng.normal(size=(15, 3)):
        distances = np.array([exact.distance_to_triangle(p, t) for t in world])
        distance, x, triangle = posed.nearest(p)
        scale = 1e-15 * np.abs(world).max()
        assert distance == pytest.approx(distances.min(), abs=1e-12 + scale)
        assert distances[triangle] == pytest.approx(distances.min(), abs=1e-12 + scale)
        assert exact.distance_to_triangle(x, world[triangle]) <= 1e-12 + 4 * scale
        beyond, _, none = posed.nearest(p, limit=0.5 * distances.min())
        assert (beyond, none) == (0.5 * distances.min(), -1)
        assert posed.nearest(p, enough=2.0 * distances.min())[0] <= 2.0 * distances.min()


SOLIDS = {
    # name: mesh, (point, winding number)
    "box": (box((0, 0, 0), (2, 2, 2)), [((1, 1, 1), 1), ((3, 1, 1), 0), ((0.5, 0.25, 1.75), 1), ((-1, -1, -1), 0)]),
    "inside out": (reversed_winding(box((0, 0, 0), (2, 2, 2))), [((1, 1, 1), -1), ((3, 1, 1), 0)]),
    "torus": (torus(3, 1), [((3, 0, 0), 1), ((0, 0, 0), 0), ((0, -3, 0.25), 1), ((3, 0, 1.5), 0)]),
    "hollow box": (shell((0, 0, 0), (4, 4, 4), 1), [((2, 2, 2), 0), ((0.5, 2, 2), 1), ((5, 2, 2), 0)]),
    "two overlapping": (
        joined(box((0, 0, 0), (2, 2, 2)), moved(box((0, 0, 0), (2, 2, 2)), (1, 1, 1))),
        [((1.5, 1.5, 1.5), 2), ((0.5, 0.5, 0.5), 1), ((2.5, 2.5, 2.5), 1), ((2.5, 0.5, 0.5), 0)],
    ),
    "gear": (gear(4, 9, 0, 1), [((0, 0, 0.5), 1), ((0, 0, 1.5), 0), ((2.5, 0, 0.5), 1), ((5, 0, 0.5), 0)]),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("pose", POSES)
@pytest.mark.parametrize("name", SOLIDS)
def test_winding_numbers(name, pose):
    mesh, expected = SOLIDS[name]
    posed = Posed(mesh, POSES[pose])
    for p, number in expected:
        assert posed.winding(posed.pose.apply([p])[0]) == (number, True)


def test_rays_through_edges_and_corners_are_replaced():
    """Points from which the first directions graze: every point of a grid that the mesh's own corners lie on."""
    posed = Posed(box((0, 0, 0), (4, 4, 4)))
    grid = np.array([[x, y, z] for x in range(-1, 6) for y in range(-1, 6) for z in range(-1, 6)], float)
    for p in grid:
        inside, outside = ((p > 0) & (p < 4)).all(), ((p < 0) | (p > 4)).any()
        number, clear = posed.winding(p)
        if inside or outside:
            assert (number, clear) == (int(inside), True)


def test_points_on_the_surface_are_not_clear():
    posed = Posed(box((0, 0, 0), (4, 4, 4)))
    for p in ((0, 1, 1), (0, 0, 2), (4, 4, 4)):
        assert posed.winding(np.array(p, float)) == (0, False)


def test_one_component_can_be_left_out():
    posed = Posed(joined(box((0, 0, 0), (2, 2, 2)), moved(box((0, 0, 0), (2, 2, 2)), (1, 1, 1))))
    p = np.array([1.5, 1.5, 1.5])
    assert posed.winding(p) == (2, True)
    for component in (0, 1):
        assert posed.winding(p, skip=component) == (1, True)
