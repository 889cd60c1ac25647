"""trimesh's collision manager, answered by this engine: the cases of its own tests, and what is exact besides."""

import numpy as np
import pytest

trimesh = pytest.importorskip("trimesh")
from meshclash.compat.trimesh import CollisionManager, scene_to_collision  # noqa: E402


def at(x, y=0.0, z=0.0, scale=1.0):
    matrix = np.diag([scale, scale, scale, 1.0])
    matrix[:3, 3] = x, y, z
    return matrix


@pytest.fixture
def cube():
    return trimesh.creation.box(extents=(1, 1, 1))


@pytest.fixture
def manager(cube):
    made = CollisionManager()
    made.add_object("cube0", cube)
    made.add_object("cube1", cube, at(5))
    return made


def test_it_is_one_of_trimesh(manager):
    assert isinstance(manager, trimesh.collision.CollisionManager)


def test_single_objects_collide_by_name_with_a_contact_in_both_faces(manager, cube):
    assert manager.in_collision_single(cube) is True
    hit, names, data = manager.in_collision_single(cube, at(5.75, 0.1, 0.2), return_names=True, return_data=True)
    assert (hit, names) == (True, {"cube1"})
    for contact in data:
        assert contact.names == {"cube1", "__external"}
        assert np.abs(contact.normal) == pytest.approx([1, 0, 0], abs=1e-6)
        assert contact.depth == pytest.approx(0.25)
        assert 5.25 - 1e-9 <= contact.point[0] <= 5.5 + 1e-9
        assert 0 <= contact.index("cube1") < 12 and 0 <= contact.index("__external") < 12
    assert manager.in_collision_single(cube, at(-5), return_names=True, return_data=True) == (False, set(), [])


def test_members_collide_as_they_are_added_moved_and_removed(manager, cube):
    assert manager.in_collision_internal() is False
    manager.add_object("cube2", cube, at(5))
    assert manager.in_collision_internal(return_names=True) == (True, {("cube1", "cube2")})
    manager.set_transform("cube2", at(-5))
    assert manager.in_collision_internal() is False
    manager.set_transform("cube2", at(-1.5, scale=3.0))
    assert manager.in_collision_internal(return_names=True) == (True, {("cube0", "cube2")})
    manager.set_transform("cube2", at(-1.5))
    assert manager.in_collision_internal() is False
    manager.remove_object("cube2")
    for ask in (lambda: manager.remove_object("cube2"), lambda: manager.set_transform("cube2", at(0)),
                lambda: manager.min_distance_internal(name="cube2")):  # fmt: skip
        with pytest.raises(ValueError, match="cube2 not in collision manager"):
            ask()
    with pytest.raises(ValueError, match=r"\(4,4\)"):
        manager.add_object("flat", cube, np.eye(3))


def test_managers_collide_and_keep_their_own_members(manager, cube):
    other = CollisionManager()
    other.add_object("cube0", cube, at(-5))
    assert manager.in_collision_other(other) is False
    other.add_object("cube3", cube, at(5))
    assert manager.in_collision_other(other, return_names=True) == (True, {("cube1", "cube3")})
    assert other.in_collision_other(manager, return_names=True) == (True, {("cube3", "cube1")})
    assert manager.in_collision_internal() is False and other.in_collision_internal() is False


def test_distances_are_signed(manager, cube):
    assert manager.min_distance_single(cube, at(2.5), return_name=True) in ((1.5, "cube0"), (1.5, "cube1"))
    assert manager.min_distance_single(cube, at(5.75)) == pytest.approx(-0.25)
    assert manager.min_distance_internal(return_names=True) == (4.0, ("cube0", "cube1"))
    manager.add_object("cube2", cube, at(2))
    assert manager.min_distance_internal(name="cube1", return_names=True) == (2.0, ("cube1", "cube2"))
    other = CollisionManager()
    assert manager.min_distance_other(other) == np.inf
    other.add_object("cube4", cube, at(-5))
    distance, names, data = manager.min_distance_other(other, return_names=True, return_data=True)
    assert (distance, names) == (4.0, ("cube0", "cube4"))
    assert np.linalg.norm(data.point("cube0") - data.point("cube4")) == pytest.approx(4.0)


def test_a_scene_of_trimesh_keeps_its_names(cube):
    scene = trimesh.Scene()
    for name, x in (("left", 0.0), ("right", 0.5), ("far", 9.0)):
        scene.add_geometry(cube, node_name=name, transform=at(x))
    made, ids = scene_to_collision(scene)
    assert set(ids) == {"left", "right", "far"}
    assert made.in_collision_internal(return_names=True) == (True, {("left", "right")})


def test_what_lies_inside_is_a_contact_without_triangles(cube):
    small = trimesh.creation.box(extents=(0.2, 0.2, 0.2))
    made = CollisionManager()
    made.add_object("outer", cube)
    for _ in range(2):  # a question changes nothing for the next one
        hit, names, data = made.in_collision_single(small, at(0.3), return_names=True, return_data=True)
        assert (hit, names, len(data)) == (True, {"outer"}, 1)
        assert data[0].names == {"outer", "__external"} and data[0].index("outer") == -1
        assert np.abs(data[0].normal) == pytest.approx([1, 0, 0], abs=1e-6)
        assert data[0].depth == pytest.approx(0.3) and np.abs(data[0].point - [0.3, 0, 0]).max() <= 0.1 + 1e-9
    made.add_object("__external", cube, at(9))
    assert made.in_collision_single(small, at(9), return_names=True) == (True, {"__external"})


@pytest.mark.parametrize("x", [0.75, 0.2])
def test_points_of_an_overlap_are_as_far_apart_as_it_is_deep(manager, cube, x):
    small = trimesh.creation.box(extents=(0.5, 0.5, 0.5))
    distance, name, data = manager.min_distance_single(small, at(x), return_name=True, return_data=True)
    assert name == "cube0" and distance == pytest.approx(x - 0.75 if x < 0.75 else 0.0, abs=1e-9)
    assert np.linalg.norm(data.point("cube0") - data.point("__external")) == pytest.approx(-distance, abs=1e-9)
