"""What the adapter reads out of Blender: names, identities, meshes, matrices, groups and frames."""

import re

import bpy
import numpy as np
import pytest
from meshclash.clash.errors import InputError, UnusableObject
from meshclash.clash.options import DetectOptions
from meshclash.types.steps import run_to_end

from addon.adapters import mesh_reader
from addon.adapters.enumeration import NO_FACES, STRANDS
from addon.adapters.live_source import LiveSource
from addon.adapters.source import BlenderSource, metres_per_unit
from addon.adapters.updates import changes_of
from addon.core.changes import Changes


def read(set_a="all", set_b="all", frame=None):
    return run_to_end(BlenderSource.from_context(bpy.context).read_steps(set_a, set_b, frame))


def names(scene):
    return sorted(item.name for item in scene.objects)


def world_vertices(scene, name):
    item = next(item for item in scene.objects if item.name == name)
    return scene.meshes[item.mesh_key].vertices @ item.matrix[:3, :3].T + item.matrix[:3, 3]


def new_collection(name, parent=None):
    collection = bpy.data.collections.new(name)
    (parent or bpy.context.scene.collection).children.link(collection)
    return collection


def add_empty(name, collection=None, **values):
    item = bpy.data.objects.new(name, None)
    for key, value in values.items():
        setattr(item, key, value)
    (collection or bpy.context.scene.collection).objects.link(item)
    return item


def add_text(name="Text"):
    curve = bpy.data.curves.new(name, "FONT")
    curve.body, curve.extrude = "ab", 0.1
    item = bpy.data.objects.new(name, curve)
    bpy.context.scene.collection.objects.link(item)
    return item


def add_nodes(item, instance, keep=True):
    """Geometry nodes that put an instance on each vertex: an object, or a cube of their own (None)."""
    group = bpy.data.node_groups.new("Scatter", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    given, result = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    scatter, join = group.nodes.new("GeometryNodeInstanceOnPoints"), group.nodes.new("GeometryNodeJoinGeometry")
    if instance is None:
        group.links.new(group.nodes.new("GeometryNodeMeshCube").outputs[0], scatter.inputs["Instance"])
    else:
        info = group.nodes.new("GeometryNodeObjectInfo")
        info.inputs["Object"].default_value, info.inputs["As Instance"].default_value = instance, True
        group.links.new(info.outputs["Geometry"], scatter.inputs["Instance"])
    group.links.new(given.outputs[0], scatter.inputs["Points"])
    group.links.new(scatter.outputs[0], join.inputs[0])
    if keep:
        group.links.new(given.outputs[0], join.inputs[0])
    group.links.new(join.outputs[0], result.inputs[0])
    item.modifiers.new("Scatter", "NODES").node_group = group


def test_a_box_is_read_with_its_faces(add_box):
    add_box("Box", (0, 0, 0), (1, 2, 3), location=(0.5, 0, 0))
    scene = read()
    mesh = scene.meshes[scene.objects[0].mesh_key]
    assert mesh.vertices.dtype == np.float32 and mesh.vertices.flags.c_contiguous and mesh.vertices.shape == (8, 3)
    assert mesh.triangles.dtype == np.int32 and mesh.triangles.flags.c_contiguous and mesh.triangles.shape == (12, 3)
    assert mesh.face_of_triangle.tolist() == np.repeat(np.arange(6), 2).tolist()
    assert mesh.faces_are_original
    np.testing.assert_array_equal(world_vertices(scene, "Box").min(axis=0), (0.5, 0, 0))


@pytest.mark.parametrize("fast", [True, False])
def test_both_ways_of_reading_triangles_agree_with_blender(fast):
    bpy.ops.mesh.primitive_monkey_add()
    mesh = bpy.context.object.data
    mesh_reader.set_fast_path(fast)
    try:
        result = mesh_reader.read_mesh(mesh, "Monkey", True)
    finally:
        mesh_reader.set_fast_path(True)
    assert result.triangles.tolist() == [list(triangle.vertices) for triangle in mesh.loop_triangles]
    assert result.face_of_triangle.tolist() == [triangle.polygon_index for triangle in mesh.loop_triangles]
    assert (mesh_reader._corners_by_pointer(mesh) is None) is False


def test_modifiers_change_the_mesh_and_the_face_map(add_box):
    add_box("Bent", (0, 0, 0), (1, 1, 1)).modifiers.new("Cast", "CAST").factor = 1.0
    add_box("Fine", (0, 0, 0), (1, 1, 1)).modifiers.new("Subdivision", "SUBSURF").levels = 1
    scene = read()
    meshes = {item.name: scene.meshes[item.mesh_key] for item in scene.objects}
    assert meshes["Bent"].faces_are_original
    assert not meshes["Fine"].faces_are_original
    assert len(meshes["Fine"].triangles) == 48


def test_parents_negative_scale_and_shear(add_box):
    parent = add_empty("Parent", scale=(1, 2, 1), rotation_euler=(0, 0, 0.5))
    child = add_box("Child", (0, 0, 0), (1, 1, 1))
    child.parent, child.scale, child.rotation_euler = parent, (-1, 1, 3), (0.3, 0.2, 0.1)
    scene = read()
    corners = np.array([child.matrix_world @ vertex.co for vertex in child.data.vertices])
    np.testing.assert_allclose(world_vertices(scene, "Child"), corners, atol=1e-6)
    assert np.linalg.det(scene.objects[0].matrix[:3, :3]) < 0
    assert scene.objects[0].parent == "Parent"


def test_collection_instances_have_names_identities_and_one_mesh(add_box):
    parts = bpy.data.collections.new("Parts")
    add_box("Bolt", (0, 0, 0), (1, 1, 1), collection=parts)
    inner = bpy.data.collections.new("Inner")
    add_box("Nut", (0, 0, 0), (1, 1, 1), collection=inner)
    add_empty("Nested", parts, instance_type="COLLECTION", instance_collection=inner)
    add_empty("Left", instance_type="COLLECTION", instance_collection=parts)
    add_empty("Right", instance_type="COLLECTION", instance_collection=parts, location=(8, 0, 0))
    scene = read()
    assert names(scene) == ["Left/Bolt[0]", "Left/Nut[1.0]", "Right/Bolt[0]", "Right/Nut[1.0]"]
    assert len({item.identity for item in scene.objects}) == 4
    assert len(scene.meshes) == 2
    assert {item.owner for item in scene.objects} == {item.parent for item in scene.objects} == {"Left", "Right"}
    assert world_vertices(scene, "Right/Bolt[0]")[:, 0].min() == 8.0
    assert [(item.identity, item.name) for item in read().objects] == [
        (item.identity, item.name) for item in scene.objects
    ]


def test_instances_of_geometry_nodes(add_box):
    stone = add_box("Stone", (0, 0, 0), (1, 1, 1), location=(9, 9, 9))
    add_nodes(add_box("Field", (0, 0, 0), (4, 4, 4)), stone)
    add_nodes(add_box("Own", (0, 0, 0), (4, 4, 4)), None)
    scene = read()
    assert len(scene.objects) == 1 + (1 + 8) + (1 + 8)
    assert len(set(names(scene))) == 19
    assert sum(name.startswith("Field/Stone[") for name in names(scene)) == 8
    assert sum(name.startswith("Own/Own[") for name in names(scene)) == 8
    assert len(scene.meshes) == 4  # the stone, both fields and the cube of the nodes
    assert not scene.meshes[
        next(item.mesh_key for item in scene.objects if item.name.startswith("Own/"))
    ].faces_are_original


def test_curves_and_texts_come_once_under_their_own_name():
    add_text()
    curve = bpy.data.curves.new("Pipe", "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", 0.1
    curve.splines.new("POLY").points.add(1)
    curve.splines[0].points[1].co = (1, 1, 1, 1)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Pipe", curve))
    scene = read()
    assert names(scene) == ["Pipe", "Text"]
    assert all(item.owner == item.name and item.parent is None for item in scene.objects)
    assert not any(mesh.faces_are_original for mesh in scene.meshes.values())


def test_a_curve_without_surface_and_a_mesh_without_faces_are_noted(add_box):
    add_box("Box", (0, 0, 0), (1, 1, 1))
    curve = bpy.data.curves.new("Path", "CURVE")
    curve.splines.new("POLY").points.add(3)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Path", curve))
    cloud = bpy.data.meshes.new("Cloud")
    cloud.from_pydata([(0, 0, 0), (1, 1, 1)], [], [])
    for name, mesh in (("Cloud", cloud), ("Empty", bpy.data.meshes.new("Empty"))):
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(name, mesh))
    scene = read()
    assert names(scene) == ["Box"]
    assert sorted((item.name, item.reason) for item in scene.skipped) == [
        ("Cloud", NO_FACES),
        ("Empty", NO_FACES),
        ("Path", NO_FACES),
    ]


def link(name, data):
    item = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(item)
    return item


def test_every_kind_of_object_is_tested_counted_or_named(add_box):
    """Read, no geometry and lost make up all that the scene shows."""
    add_box("Box", (0, 0, 0), (1, 1, 1))
    for name, data in (
        ("Eye", bpy.data.cameras.new("Eye")), ("Sun", bpy.data.lights.new("Sun", "SUN")), ("Lamp", bpy.data.lights[0]),
        ("Origin", None), ("Bones", bpy.data.armatures.new("Bones")), ("Cage", bpy.data.lattices.new("Cage")),
        ("Horn", bpy.data.speakers.new("Horn")), ("Probe", bpy.data.lightprobes.new("Probe", "SPHERE")),
        ("Fog", bpy.data.volumes.new("Fog")),
    ):  # fmt: skip
        link(name, data)
    drawings = getattr(bpy.data, "grease_pencils_v3", bpy.data.grease_pencils)
    link("Note", drawings.new("Note"))
    hair = bpy.data.hair_curves.new("Hair")
    hair.add_curves([3])
    link("Hair", hair)
    link("Hidden", bpy.data.cameras.new("Hidden")).hide_set(True)
    scene = read()
    assert names(scene) == ["Box"]
    assert scene.no_geometry == {
        "camera": 1, "light": 2, "empty": 1, "armature": 1, "lattice": 1, "speaker": 1, "light probe": 1, "volume": 1,
        "grease pencil": 1,
    }  # fmt: skip
    assert [(item.name, item.reason, item.lost) for item in scene.skipped] == [("Hair", STRANDS, True)]


def nodes(*made):
    """A group that joins its geometry with that of some new nodes."""
    group = bpy.data.node_groups.new("Nodes", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    join = group.nodes.new("GeometryNodeJoinGeometry")
    parts = [group.nodes.new(kind) for kind in ("NodeGroupInput", *made)]
    for part in parts:
        group.links.new(part.outputs[0], join.inputs[0])
    group.links.new(join.outputs[0], group.nodes.new("NodeGroupOutput").inputs[0])
    return group, parts[1:]


def test_a_mesh_that_nodes_give_a_curve_is_tested_and_not_called_faceless(add_box):
    add_box("Box", (0, 0, 0), (1, 1, 1)).modifiers.new("Nodes", "NODES").node_group = nodes(
        "GeometryNodeCurvePrimitiveLine"
    )[0]
    scene = read()
    assert names(scene) == ["Box"] and scene.skipped == []


def test_an_object_whose_modifier_fails_is_lost(add_box, tmp_path):
    add_box("Sound", (0, 0, 0), (1, 1, 1))
    add_box("Baked", (0, 0, 0), (1, 1, 1)).modifiers.new("Cache", "MESH_CACHE").filepath = "/nowhere/a.mdd"
    off = add_box("Off", (0, 0, 0), (1, 1, 1)).modifiers.new("Cache", "MESH_CACHE")
    off.filepath, off.show_viewport = "/nowhere/a.mdd", False
    scene = read()
    assert names(scene) == ["Off", "Sound"]
    ((name, reason),) = [(item.name, item.reason) for item in scene.skipped if item.lost]
    assert name == "Baked" and reason == "its modifier 'Cache' failed: there is no file '/nowhere/a.mdd'"


@pytest.mark.skipif(not hasattr(bpy.types, "GeometryNodeImportSTL"), reason="this Blender has no such node")
def test_an_object_whose_nodes_fail_is_lost(add_box):
    group, (node,) = nodes("GeometryNodeImportSTL")
    node.inputs[0].default_value = "/nowhere/a.stl"
    add_box("Made", (0, 0, 0), (1, 1, 1)).modifiers.new("Import", "NODES").node_group = group
    (skipped,) = read().skipped
    assert (skipped.name, skipped.lost) == ("Made", True) and "modifier 'Import' failed: STL" in skipped.reason


def test_what_a_missing_library_had_is_lost(add_box, tmp_path):
    add_box("Part", (0, 0, 0), (1, 1, 1))
    rack = bpy.data.collections.new("Rack")
    rack.objects.link(bpy.data.objects["Part"])
    bpy.data.libraries.write(str(tmp_path / "parts.blend"), {rack, bpy.data.objects["Part"]}, fake_user=True)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "parts.blend"), link=True) as (_, wanted):
        wanted.objects, wanted.collections = ["Part"], ["Rack"]
    part, rack = bpy.data.objects["Part"], bpy.data.collections["Rack"]
    bpy.context.scene.collection.objects.link(part)
    bpy.context.scene.collection.children.link(rack)
    place = link("Place", None)
    place.instance_type, place.instance_collection = "COLLECTION", rack
    add_box("Cut", (0, 0, 0), (1, 1, 1)).modifiers.new("Cut", "BOOLEAN").object = part
    add_box("Sound", (0, 0, 0), (1, 1, 1))
    assert not [item for item in read().skipped if item.lost]
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hall.blend"))
    (tmp_path / "parts.blend").unlink()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "hall.blend"))
    scene = read()
    assert names(scene) == ["Sound"]
    lost = {item.name: item.reason for item in scene.skipped if item.lost}
    assert {*lost} == {"Part [parts.blend]", "Rack [parts.blend]", "Place", "Cut"}
    assert lost["Cut"].startswith("it needs 'Part', which is missing from the library //parts.blend")
    assert lost["Part [parts.blend]"].startswith("it is missing from the library //parts.blend")


@pytest.mark.parametrize("source", [LiveSource, BlenderSource])
def test_a_scene_that_is_removed_while_it_is_read_ends_the_reading_without_a_traceback(source, add_box, tmp_path):
    """Also with a library in the file, whose missing collections are looked for."""
    add_box("Part", (0, 0, 0), (1, 1, 1))
    bpy.data.libraries.write(str(tmp_path / "parts.blend"), {bpy.data.objects["Part"]}, fake_user=True)
    with bpy.data.libraries.load(str(tmp_path / "parts.blend"), link=True) as (_, wanted):
        wanted.objects = ["Part"]
    scene, kept = bpy.context.scene, bpy.data.scenes.new("Kept")
    reading = source(scene, bpy.context.view_layer)
    given = (DetectOptions(), Changes(everything=True)) if source is LiveSource else ("all", "all", None)
    steps = reading.read_steps(*given)
    next(steps)
    bpy.context.window.scene = kept
    bpy.data.scenes.remove(scene)
    try:
        run_to_end(steps)
    except InputError as error:
        assert "removed" in str(error) or "deleted" in str(error)


def test_edit_mode_gives_the_edited_mesh(add_box):
    import bmesh

    item = add_box("Box", (0, 0, 0), (1, 1, 1))
    bpy.context.view_layer.objects.active = item
    bpy.ops.object.mode_set(mode="EDIT")
    edited = bmesh.from_edit_mesh(item.data)
    for vertex in edited.verts:
        vertex.co.x += 5.0
    bmesh.update_edit_mesh(item.data)
    scene = read()
    assert world_vertices(scene, "Box")[:, 0].min() == 5.0
    assert scene.meshes[scene.objects[0].mesh_key].faces_are_original
    bpy.ops.object.mode_set(mode="OBJECT")
    assert world_vertices(read(), "Box")[:, 0].min() == 5.0


def test_hidden_objects_take_no_part(add_box):
    add_box("Seen", (0, 0, 0), (1, 1, 1))
    add_box("Eye", (0, 0, 0), (1, 1, 1)).hide_set(True)
    add_box("Viewport", (0, 0, 0), (1, 1, 1)).hide_viewport = True
    add_box("Render", (0, 0, 0), (1, 1, 1)).hide_render = True
    assert names(read()) == ["Render", "Seen"]


def test_sets_by_name_collection_and_selection(add_box):
    outer = new_collection("Outer")
    inner = new_collection("Inner", outer)
    add_box("A", (0, 0, 0), (1, 1, 1), collection=outer)
    add_box("B", (0, 0, 0), (1, 1, 1), collection=inner)
    add_box("all", (0, 0, 0), (1, 1, 1)).select_set(True)
    sides = {item.name: (item.in_a, item.in_b) for item in read("A", "collection:Inner").objects}
    assert sides == {"A": (True, False), "B": (False, True)}
    assert names(read("collection:Outer", "collection:Outer")) == ["A", "B"]
    assert names(read("selection", "selection")) == names(read("object:all", "object:all")) == ["all"]
    assert names(read("all", "A")) == ["A", "B", "all"]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("Boxx", "no object 'Boxx'.*did you mean 'Box'"),
        ("collection:Part", "no collection 'Part'.*did you mean 'Parts'"),
        ("selection", "nothing is selected"),
        ("Hidden", "'Hidden' is hidden"),
        ("object:all", "no object 'all'"),
    ],
)
def test_a_wrong_set_says_what_is_wrong(add_box, expression, message):
    new_collection("Parts")
    add_box("Box", (0, 0, 0), (1, 1, 1))
    add_box("Hidden", (0, 0, 0), (1, 1, 1)).hide_set(True)
    with pytest.raises(InputError, match=message):
        read(set_a=expression)


def test_groups_of_the_exclusion_rules(add_box):
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(rig)
    parts = new_collection("Parts")
    skin = add_box("Skin", (0, 0, 0), (1, 1, 1), collection=parts)
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    add_box("Sword", (0, 0, 0), (1, 1, 1)).parent = rig
    found = {item.name: item for item in read().objects}
    assert found["Skin"].armatures == found["Sword"].armatures == {"Rig"}
    assert found["Skin"].collections == {"Parts"} and found["Sword"].collections == frozenset()
    assert found["Sword"].parent == "Rig" and found["Skin"].parent is None


def test_frames_are_visited_and_the_users_frame_comes_back(add_box):
    item = add_box("Mover", (0, 0, 0), (1, 1, 1))
    for frame in (1, 11):
        item.location.x = frame
        item.keyframe_insert("location", frame=frame)
    scene = bpy.context.scene
    scene.frame_set(3, subframe=0.5)
    source = BlenderSource.from_context(bpy.context)
    result = run_to_end(source.read_steps("all", "all", 11))
    assert result.frame == 11 and world_vertices(result, "Mover")[:, 0].min() == 11.0
    source.restore()
    assert (scene.frame_current, scene.frame_subframe) == (3, 0.5)
    assert read().frame == 3


def test_a_selection_is_resolved_once_per_run(add_box):
    add_box("A", (0, 0, 0), (1, 1, 1)).select_set(True)
    other = add_box("B", (0, 0, 0), (1, 1, 1))
    source = BlenderSource.from_context(bpy.context)
    assert names(run_to_end(source.read_steps("selection", "selection", 1))) == ["A"]
    other.select_set(True)
    assert names(run_to_end(source.read_steps("selection", "selection", 2))) == ["A"]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_coordinates_that_are_no_numbers_name_the_object(add_box, value):
    add_box("Sound", (0, 0, 0), (1, 1, 1))
    mesh = add_box("Broken", (0, 0, 0), (1, 1, 1)).data
    twin = bpy.data.objects.new("Twin", mesh)
    bpy.context.scene.collection.objects.link(twin)
    coordinates = np.empty(24, np.float32)
    mesh.attributes["position"].data.foreach_get("vector", coordinates)
    coordinates[3 * 3 + 1] = value
    mesh.attributes["position"].data.foreach_set("vector", coordinates)
    frame = read()
    assert names(frame) == ["Sound"]
    assert [(item.name, item.lost) for item in frame.skipped] == [("Broken", True), ("Twin", True)]
    assert re.search(r"1 of its vertices .*NaN or infinite.*vertex 3", frame.skipped[0].reason)


def test_a_face_with_a_vertex_that_does_not_exist_names_the_object(add_box):
    mesh = add_box("Damaged", (0, 0, 0), (1, 1, 1)).data
    corners = mesh_reader.corner_vertices(mesh)
    corners[5] = 1000
    mesh.attributes[".corner_vert"].data.foreach_set("value", corners)
    with pytest.raises(UnusableObject, match=r"'Damaged' cannot be used: .*is damaged.*vertex 1000 of 8"):
        mesh_reader.read_mesh(mesh, "Damaged", True)


def test_an_object_deleted_during_the_run_is_an_error_that_names_it(add_box):
    add_box("A", (0, 0, 0), (1, 1, 1))
    add_box("B", (0, 0, 0), (2, 1, 1))
    steps = BlenderSource.from_context(bpy.context).read_steps("all", "all", None)
    next(steps)
    bpy.data.objects.remove(bpy.data.objects["B"])
    with pytest.raises(InputError, match=r"'B' was deleted"):
        run_to_end(steps)


def test_a_file_loaded_during_the_run_is_an_error(add_box):
    add_box("A", (0, 0, 0), (1, 1, 1))
    source = BlenderSource.from_context(bpy.context)
    steps = source.read_steps("all", "all", 5)
    next(steps)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.name = "Other"
    with pytest.raises(InputError, match="deleted or renamed"):
        run_to_end(steps)
    source.restore()
    assert bpy.context.scene.frame_current == 1


def test_units():
    settings = bpy.context.scene.unit_settings
    settings.scale_length = 0.001
    assert metres_per_unit(bpy.context.scene) == pytest.approx(0.001)
    settings.system = "NONE"
    assert metres_per_unit(bpy.context.scene) == 1.0


def test_reading_leaves_the_file_as_it_was(add_box):
    add_box("A", (0, 0, 0), (1, 1, 1)).modifiers.new("Subdivision", "SUBSURF")
    add_text()
    before = {name: len(getattr(bpy.data, name)) for name in ("objects", "meshes", "curves", "scenes", "collections")}
    read()
    assert before == {name: len(getattr(bpy.data, name)) for name in before}


@pytest.fixture
def followed(registered, add_box):
    """Four boxes, and a function that reads again after a change: (objects taken over, meshes taken over, read).

    An object that only moves is taken over; its new matrix is in a column of the frame.
    """
    for k in range(4):
        add_box(f"O{k}", (0, 0, 0), (1, 1, 1), (2.0 * k, 0, 0))
    bpy.context.view_layer.update()
    source = LiveSource(bpy.context.scene, bpy.context.view_layer)
    frames = [run_to_end(source.read_steps(source.options(), Changes(everything=True)))]
    noted = []
    bpy.app.handlers.depsgraph_update_post.append(lambda _scene, depsgraph: noted.append(changes_of(depsgraph)))

    def read_again():
        bpy.context.view_layer.update()
        changes = Changes()
        while noted:
            changes.add(noted.pop())
        old, new = frames[-1], run_to_end(source.read_steps(source.options(), changes))
        frames.append(new)
        objects = {item.name for item in new.objects.roster.items if item in old.objects.roster.items}
        meshes = {item.name for item in new.objects if new.meshes[item.mesh_key] in old.meshes.values()}
        return objects, meshes, {item.name for item in new.objects}

    yield read_again
    bpy.app.handlers.depsgraph_update_post.pop()


EVERY = {"O0", "O1", "O2", "O3"}


def test_only_what_changed_is_read_again(followed):
    assert followed() == (EVERY, EVERY, EVERY)
    bpy.data.objects["O1"].location.y = 1.0
    assert followed() == (EVERY, EVERY, EVERY)
    bpy.data.objects["O2"].data.vertices[0].co.x = 0.5
    bpy.data.objects["O2"].data.update()
    assert followed() == (EVERY - {"O2"}, EVERY - {"O2"}, EVERY)
    bpy.data.objects["O3"].hide_set(True)
    assert followed() == (EVERY - {"O3"},) * 3
    bpy.data.objects["O3"].hide_set(False)
    objects, meshes, names = followed()
    assert names == EVERY and objects == meshes == EVERY - {"O3"}
    bpy.data.objects["O0"].name = "Z"
    assert followed()[2] == EVERY - {"O0"} | {"Z"}


def test_what_has_the_address_of_a_mesh_that_is_gone_is_read(registered, add_box):
    add_box("Known", (0, 0, 0), (1, 1, 1))
    shown = add_box("Shown", (0, 0, 0), (2, 3, 4))
    shown.hide_viewport = True
    bpy.context.view_layer.update()
    source = LiveSource(bpy.context.scene, bpy.context.view_layer)
    run_to_end(source.read_steps(source.options(), Changes(everything=True)))
    shown.hide_viewport = False
    bpy.context.view_layer.update()
    address = shown.evaluated_get(bpy.context.view_layer.depsgraph).data.as_pointer()
    source._memory.frame.meshes[address] = next(iter(source._memory.frame.meshes.values()))
    frame = run_to_end(source.read_steps(source.options(), Changes(visible=True, structure=True)))
    assert world_vertices(frame, "Shown").max(axis=0).tolist() == [2.0, 3.0, 4.0]


def test_an_instancer_that_moves_keeps_the_mesh_of_its_instances(followed, add_box):
    collection = new_collection("Source")
    add_box("Inner", (0, 0, 0), (1, 1, 1), collection=collection)
    instancer = add_empty("Instancer", instance_type="COLLECTION", instance_collection=collection)
    followed()
    instancer.location.x = 3.0
    objects, meshes, names = followed()
    assert objects == meshes == names == EVERY | {"Inner", "Instancer/Inner[0]"}
    collection.objects["Inner"].data.vertices[0].co.z = -1.0
    collection.objects["Inner"].data.update()
    assert followed()[1] == EVERY


def animated(add_box):
    """Objects that move, deform, hide, follow drivers, parents, constraints and modifiers, and one that stays."""
    items = {name: add_box(name, (0, 0, 0), (1, 1, 1), location=(3.0 * k, 0, 0)) for k, name in enumerate("ABCDEFGH")}
    for name, frame, value in (("A", 1, 0.0), ("A", 9, 5.0)):
        items[name].location.z = value
        items[name].keyframe_insert("location", frame=frame)
    items["B"].shape_key_add(name="Basis")
    key = items["B"].shape_key_add(name="Tall")
    for corner in key.data:
        corner.co.z *= 3.0
    for frame, value in ((1, 0.0), (4, 1.0), (7, 1.0), (9, 0.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    for frame, hidden in ((1, False), (3, True), (6, False)):
        items["C"].hide_viewport = hidden
        items["C"].keyframe_insert("hide_viewport", frame=frame)
    driver = items["D"].driver_add("location", 1).driver
    driver.expression = "frame * 0.25"
    items["E"].parent = items["A"]
    array = items["F"].modifiers.new("Array", "ARRAY")
    for frame, count in ((1, 1), (5, 3), (9, 2)):
        array.count = count
        array.keyframe_insert("count", frame=frame)
    items["G"].constraints.new("COPY_LOCATION").target = items["A"]
    group = bpy.data.collections.new("Group")
    group.objects.link(add_box("Inner", (0, 0, 0), (0.5, 0.5, 0.5)))
    bpy.data.objects["Inner"].keyframe_insert("location", frame=1)
    bpy.data.objects["Inner"].location.y = 7.0
    bpy.data.objects["Inner"].keyframe_insert("location", frame=9)
    instancer = bpy.data.objects.new("Instancer", None)
    instancer.instance_type, instancer.instance_collection = "COLLECTION", group
    bpy.context.scene.collection.objects.link(instancer)
    return items


def test_from_frame_to_frame_only_what_changes_is_read_and_nothing_is_missed(add_box, monkeypatch):
    animated(add_box)
    bpy.context.scene.frame_set(4, subframe=0.25)
    one, made = BlenderSource.from_context(bpy.context), []
    for frame in (*range(1, 10), 3, 8, 1):
        again = BlenderSource.from_context(bpy.context)
        kept, fresh = (run_to_end(source.read_steps("all", "all", frame)) for source in (one, again))
        made.append(kept)
        assert [item.name for item in kept.objects] == [item.name for item in fresh.objects]
        for old, new in zip(kept.objects, fresh.objects, strict=True):
            assert np.array_equal(old.matrix, new.matrix), (frame, old.name)
            meshes = kept.meshes[old.mesh_key], fresh.meshes[new.mesh_key]
            assert np.array_equal(meshes[0].vertices, meshes[1].vertices), (frame, old.name)
            assert np.array_equal(meshes[0].triangles, meshes[1].triangles)
        again.restore()
    still = [{item.name: item for item in frame.objects}["H"] for frame in made[:2]]
    assert made[0].meshes[still[0].mesh_key] is made[1].meshes[still[1].mesh_key]
    one.restore()
    assert (bpy.context.scene.frame_current, round(bpy.context.scene.frame_subframe, 4)) == (4, 0.25)
    assert not [note for note in bpy.app.handlers.frame_change_post if "BlenderSource" in repr(note)]
