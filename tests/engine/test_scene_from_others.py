"""Scenes of trimesh, and robots of yourdfpy where it is installed, as scenes."""

import sys
from types import SimpleNamespace

import meshclash as mc
import numpy as np
import pytest
import trimesh
from meshclash.scene import from_others
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


SRDF = '<robot name="arm"><disable_collisions link1="base" link2="hand"/></robot>'


def joint(parent, child, kind, axis, origin, mimic=None):
    name = f"{parent}-{child}"
    return SimpleNamespace(
        name=name, parent=parent, child=child, type=kind, axis=axis, origin=matrix(shift=origin), mimic=mimic
    )


def fake_urdf(path, **_):
    """What yourdfpy gives for an arm of three links, of which the last follows the one before."""
    links = ["base", "arm", "hand", "frame"]
    scene = trimesh.Scene(base_frame="base")
    twice = SimpleNamespace(joint="base-arm", multiplier=2, offset=0)
    joints = [
        joint("arm", "hand", "prismatic", [1, 0, 0], (1, 0, 0), twice),
        joint("base", "arm", "revolute", [0, 0, 1], (0, 0, 1)),
    ]
    for j in reversed(joints):
        scene.graph.update(frame_from=j.parent, frame_to=j.child, matrix=j.origin)
    for name in links[:3]:
        scene.add_geometry(trimesh.creation.box((1, 1, 1)), geom_name=f"{name} box", parent_node_name=name)
    model = SimpleNamespace(links=[SimpleNamespace(name=name) for name in links], joints=joints)
    return SimpleNamespace(robot=model, collision_scene=scene, actuated_joint_names=["base-arm"])


def test_what_urdf_files_need_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "yourdfpy", None)
    with pytest.raises(ImportError, match=r"pip install .meshclash\[urdf\]"):
        mc.Scene.from_urdf("arm.urdf")


def test_links_of_a_robot_move_and_rules_are_kept(tmp_path, monkeypatch):
    module = SimpleNamespace(URDF=SimpleNamespace(load=fake_urdf))
    monkeypatch.setattr(from_others, "import_module", lambda name: {"yourdfpy": module}[name])
    srdf = tmp_path / "arm.srdf"
    srdf.write_text(SRDF)
    scene, robot = mc.Scene.from_urdf("arm.urdf", srdf)
    assert [scene.name_of(i) for i in scene] == ["base", "arm", "hand"] and robot.joints == ["base-arm"]
    assert scene.any() and not scene.any(keep=robot.rules)
    turned = robot.poses([np.pi / 2])
    assert turned.shape == (3, 4, 4) and np.allclose(turned[2, :3, 3], [0, 1 + np.pi, 1])  # it follows twice as far
    assert np.allclose(robot.poses([[0.0], [np.pi / 2]])[1], turned)
    assert scene.collides(robot.poses([[0.0], [0.1]]), keep=robot.rules).any.tolist() == [False, False]
    with pytest.raises(mc.InvalidPose, match="1 numbers"):
        robot.poses([1.0, 2.0])
