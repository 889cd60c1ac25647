"""A scene that is edited at random, and beside it a plain dict of what should be in it."""

import meshclash as mc
import numpy as np
from solids import box, open_box, prism, tetrahedron
from strategies import matrix, rotation

BOX = box((0, 0, 0), (1, 1, 1))
MESHES = [
    BOX, box((0, 0, 0), (2, 1, 0.5)), open_box((0, 0, 0), (1, 1, 1)), prism(1, 8, 0, 1), tetrahedron((0, 0, 1), 0, 1),
    box((0.25, 0.25, 0.25), (0.5, 0.5, 0.5)),
]  # fmt: skip


def some_pose(rng) -> np.ndarray:
    """On a half grid, so that faces meet exactly, or anywhere nearby."""
    if rng.random() < 0.6:
        return matrix(shift=rng.integers(-3, 4, 3) / 2)
    return matrix(rotation(rng), rng.uniform(-1.5, 1.5, 3))


class Editor:
    """A scene, and beside it a plain dict of what should be in it."""

    def __init__(self, rng, own_trees=False):
        self.rng = rng
        self.own_trees = own_trees
        self.scene = mc.Scene()
        self.objects = {}
        self.shared = [mc.TriangleMesh(*mesh) for mesh in MESHES]

    def step(self):
        actions = [self.add, self.add, self.move, self.move, self.deform, self.remove]
        self.rng.choice(actions if self.objects else [self.add])()

    def add(self):
        index, pose = self.rng.integers(len(MESHES)), some_pose(self.rng)
        mesh = self.shared[index] if self.rng.random() < 0.5 else mc.TriangleMesh(*MESHES[index])
        given_mesh = mc.build(mesh, leaf_size=2) if self.own_trees and self.rng.random() < 0.2 else mesh
        identifier = self.scene.add(given_mesh, pose)
        assert identifier not in self.objects
        self.objects[identifier] = mc.TriangleMesh(*MESHES[index]), pose

    def any_id(self):
        return int(self.rng.choice(list(self.objects)))

    def move(self):
        identifier, pose = self.any_id(), some_pose(self.rng)
        self.scene.set_pose(identifier, mc.Pose.from_matrix(pose))
        self.objects[identifier] = self.objects[identifier][0], pose

    def deform(self):
        identifier = self.any_id()
        mesh, pose = self.objects[identifier]
        vertices = mesh.vertices * self.rng.choice([0.5, 1.0, 2.0], 3)
        self.scene.set_vertices(identifier, vertices)
        self.objects[identifier] = mc.TriangleMesh(vertices, mesh.triangles), pose

    def remove(self):
        identifier = self.any_id()
        self.scene.remove(identifier)
        del self.objects[identifier]
