"""Scans read from and written to Blender: objects, instances, Edit Mode, geometry nodes, attributes."""

import re

import bpy
import numpy as np
import pytest
from meshclash.clash.errors import DetectError
from meshclash.clash.frame_scene import FrameScene
from meshclash.types.steps import run_to_end
from scans import add_scan, ball, make_points_of, wall

from addon.adapters import point_writer
from addon.adapters.enumeration import NO_FACES, ONLY_EDGES, TOO_FEW_POINTS, Enumeration
from addon.adapters.point_reader import read_points
from addon.adapters.source import BlenderSource
from addon.core.changes import Changes


def read(set_a="all", set_b="all"):
    return run_to_end(BlenderSource.from_context(bpy.context).read_steps(set_a, set_b, None))


def points_of(scene, name):
    item = next(item for item in scene.scans if item.name == name)
    return scene.clouds[item.mesh_key].points @ item.matrix[:3, :3].T + item.matrix[:3, 3]


@pytest.mark.parametrize("as_mesh", [True, False])
def test_points_and_normals_come_back(as_mesh):
    points, normals = ball(500)
    add_scan("Scan", points, normals, location=(1.0, 2.0, 3.0), as_mesh=as_mesh)
    scene = read()
    cloud = scene.clouds[scene.scans[0].mesh_key]
    assert not scene.objects and scene.skipped == []
    assert np.array_equal(cloud.points, points) and np.array_equal(cloud.normals, normals)
    assert np.allclose(points_of(scene, "Scan"), points + np.array((1.0, 2.0, 3.0)))


def test_a_cloud_object_is_made_where_blender_can():
    item = add_scan("Scan", ball(100)[0], as_mesh=False)
    assert item.type == ("POINTCLOUD" if bpy.app.version >= (5, 1, 0) else "MESH")


def test_scans_belong_to_sets_and_share_points_with_their_instances(add_box):
    add_box("Box", (0, 0, 0), (1, 1, 1))
    collection = bpy.data.collections.new("Part")
    item = point_writer.new_scan("Scan", ball(100)[0], None, collection, True)
    for x in (1.0, 2.0):
        empty = bpy.data.objects.new("Empty", None)
        empty.instance_type, empty.instance_collection, empty.location.x = "COLLECTION", collection, x
        bpy.context.scene.collection.objects.link(empty)
    scene = read()
    assert [scan.name for scan in scene.scans] == ["Empty/Scan[0]", "Empty.001/Scan[0]"]
    assert len(scene.clouds) == 1
    assert {scan.source for scan in scene.scans} == {item.name}
    assert points_of(scene, "Empty.001/Scan[0]")[:, 0].mean() == pytest.approx(2.0, abs=0.05)
    assert [scan.in_b for scan in read("Empty", "Box").scans] == [False]


def test_bare_vertices_in_edit_mode_are_a_scan():
    import bmesh

    item = add_scan("Scan", wall(10))
    bpy.context.view_layer.objects.active = item
    bpy.ops.object.mode_set(mode="EDIT")
    edited = bmesh.from_edit_mesh(item.data)
    for vertex in edited.verts:
        vertex.co.z += 5.0
    bmesh.update_edit_mesh(item.data)
    assert points_of(read(), "Scan")[:, 2].min() == 5.0


def test_few_points_wires_and_empty_meshes_are_no_scans():
    wire = bpy.data.meshes.new("Wire")
    wire.from_pydata([(i, 0, 0) for i in range(20)], [(i, i + 1) for i in range(19)], [])
    few = bpy.data.meshes.new("Few")
    few.from_pydata([(i, i * i, 0) for i in range(7)], [], [])
    for mesh in (wire, few):
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(mesh.name, mesh))
    scene = read()
    assert not scene.scans and {item.name: item.reason for item in scene.skipped} == {
        "Few": NO_FACES,
        "Wire": ONLY_EDGES,
    }


def test_an_empty_cloud_object_is_noted():
    cloud = bpy.data.pointclouds.new("Nothing")
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Nothing", cloud))
    assert [(item.name, item.reason) for item in read().skipped] == [("Nothing", TOO_FEW_POINTS)]


def test_points_that_geometry_nodes_make_are_read(add_box):
    """The object itself has no faces left, which is no reason to call it skipped."""
    item = add_box("Box", (0, 0, 0), (1, 1, 1))
    make_points_of(item)
    scene = read()
    assert [scan.owner for scan in scene.scans] == ["Box"] and not scene.objects and scene.skipped == []
    assert len(scene.clouds[scene.scans[0].mesh_key].points) == 8


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [(0, 0), (3, 1), (99, 2)])
def test_coordinates_that_are_no_numbers_are_refused(value, place):
    points = wall(10)
    points[place] = value
    add_scan("Scan", points)
    (skipped,) = read().skipped
    assert skipped.lost and re.search(rf"^1 of its points .* the first is point {place[0]};", skipped.reason)


def test_unusable_normals_are_left_out():
    for place, normal in ((0, 0.0), (49, 0.0), (7, np.nan), (20, np.inf)):
        normals = np.tile(np.float32([0, 0, -1e-30]), (50, 1))
        item = add_scan("Scan", ball(50)[0], normals)
        assert np.array_equal(read_points(item.data, "Scan").normals, normals), "any length will do"
        normals[place] = normal
        assert read_points(add_scan("Bad", ball(50)[0], normals).data, "Bad").normals is None


@pytest.mark.parametrize("as_mesh", [True, False])
def test_a_walk_takes_over_the_scans_of_the_last_one(as_mesh):
    item = add_scan("Scan", ball(50)[0], as_mesh=as_mesh)
    add_scan("Other", ball(60)[0])

    def walk(memory):
        scene = FrameScene(1)
        bpy.context.view_layer.update()
        enumeration = Enumeration(bpy.context.scene, None, None, scene, memory)
        enumeration.run(bpy.context.view_layer.depsgraph)
        for key in enumeration.waiting:
            enumeration.read_waiting(key, bpy.context.view_layer.depsgraph)
        enumeration.finish()
        return scene, enumeration.memory()

    first, memory = walk(None)
    second, memory = walk(memory)
    assert second.scans.roster.items == first.scans.roster.items and len(first.scans) == 2
    assert all(second.clouds[scan.mesh_key] is first.clouds[scan.mesh_key] for scan in first.scans)
    memory.changes = Changes(deformed={item.session_uid})
    item.location.x = 1.0
    third, _ = walk(memory)
    by_name = {scan.name: scan for scan in third.scans}
    old = {scan.name: scan for scan in first.scans}
    assert third.clouds[by_name["Scan"].mesh_key] is not first.clouds[old["Scan"].mesh_key]
    assert third.clouds[by_name["Other"].mesh_key] is first.clouds[old["Other"].mesh_key]


@pytest.mark.parametrize("as_mesh", [True, False])
def test_values_are_written_read_and_removed(as_mesh):
    data = add_scan("Scan", ball(50)[0], as_mesh=as_mesh).data
    values = np.linspace(-1.0, 1.0, 50).astype(np.float32)
    point_writer.write_values(data, "gap", values)
    found = np.empty(50, np.float32)
    data.attributes["gap"].data.foreach_get("value", found)
    assert np.array_equal(found, values)
    assert (data.attributes["gap"].data_type, data.attributes["gap"].domain) == ("FLOAT", "POINT")
    assert point_writer.remove_values(data, "gap") and "gap" not in data.attributes
    assert not point_writer.remove_values(data, "gap")


def test_values_do_not_replace_another_attribute_nor_go_to_other_points():
    data = add_scan("Scan", ball(50)[0]).data
    data.attributes.new("taken", "INT", "POINT")
    with pytest.raises(DetectError, match="already has an attribute called 'taken'"):
        point_writer.write_values(data, "taken", np.zeros(50))
    with pytest.raises(DetectError, match="50 points, but 49 values"):
        point_writer.write_values(data, "gap", np.zeros(49))
    assert "gap" not in data.attributes


def test_an_origin_keeps_double_precision_in_the_file(tmp_path):
    origin = np.array([3_512_345.123456789, 5_412_345.987654321, 101.5])
    point_writer.store_origin(bpy.context.scene, origin)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "origin.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "origin.blend"))
    assert np.array_equal(point_writer.stored_origin(bpy.context.scene), origin)
    assert point_writer.stored_origin(bpy.data.worlds.new("Other")) is None


def test_a_scan_in_edit_mode_is_read_as_often_as_one_likes(add_box):
    scan = add_scan("Scan", ball(300, 0.6)[0], as_mesh=True)
    add_box("Box", (0, 0, 0), (1, 1, 1))
    bpy.context.view_layer.objects.active = scan
    bpy.ops.object.mode_set(mode="EDIT")
    frames = [run_to_end(BlenderSource.from_context(bpy.context).read_steps("all", "all", None)) for _ in range(3)]
    bpy.ops.object.mode_set(mode="OBJECT")
    assert [[item.name for item in frame.scans] for frame in frames] == [["Scan"]] * 3
    assert [frame.skipped for frame in frames] == [[]] * 3
