"""Scenes of trimesh as scenes."""

import meshclash as mc
import numpy as np
import pytest
import trimesh
from strategies import matrix, rotation


def test_a_scene_of_trimesh_keeps_names_poses_and_contacts():
    made, rng = trimesh.Scene(), np.random.default_rng(3)
    block = trimesh.creation.box((1, 1, 1))
    pose = matrix(rotation(rng), rng.uniform(-1, 1, 3))
    made.add_geometry(block, node_name="still")
    made.add_geometry(block, node_name="turned", transform=pose)
    made.add_geometry(block, node_name="mirrored", transform=np.diag([-2.0, 1.0, 1.0, 1.0]) + np.eye(4, k=3) * 9)
    scene = mc.Scene.from_trimesh(made)
    assert [scene.name_of(i) for i in scene] == ["still", "turned", "mirrored"]
    assert np.allclose(scene.posed("turned")[1].matrix, pose) and scene.posed("still")[0] is scene.posed("turned")[0]
    mesh = scene.posed("mirrored")[0]
    assert np.allclose(mesh.bounds, [[8, -0.5, -0.5], [10, 0.5, 0.5]])
    assert mc.contains(mesh, [[9.0, 0, 0]]).all()
    with pytest.raises(mc.UnsupportedOption, match="trimesh"):
        mc.Scene.from_trimesh(block)
