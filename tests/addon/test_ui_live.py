"""Live in Blender: after everything that can happen to a scene its answer is that of a fresh detection."""

import time
from types import SimpleNamespace

import bmesh
import bpy
import numpy as np
import pytest
from live_driver import LiveDriver, described, detected
from mathutils import Vector
from meshclash.geometry import intersection
from ui_fakes import RecordingLayout, draw, escape, make_report, make_row

from addon import freshness, handlers, results, running_work, scene_results, shown_things
from addon.core import live as live_module
from addon.ops import heartbeat, live, loading
from addon.ui import lists, panels


@pytest.fixture(autouse=True)
def _no_quiet_time(monkeypatch):
    monkeypatch.setattr(live_module, "QUIET_SECONDS", 0.0)


@pytest.fixture
def boxes(registered, add_box):
    """Three boxes in a row, each meeting the next."""
    for k, name in enumerate("ABC"):
        add_box(name, (0, 0, 0), (1, 1, 1), (0.75 * k, 0.1 * k, 0.2 * k))
    return bpy.data.objects


@pytest.fixture
def driver(boxes):
    made = LiveDriver()
    yield made
    running_work.stop_live()


@pytest.fixture
def agrees(driver, engine):
    """Checks that Live finds what Detect finds; returns the pairs."""

    def check():
        rows = driver.settle()
        assert described(rows) == described(detected(engine))
        return {row.names for row in rows}

    check()
    return check


def edit_mesh(item, change):
    """Changes the mesh of an object in Edit Mode."""
    mesh = bmesh.from_edit_mesh(item.data)
    change(mesh)
    bmesh.update_edit_mesh(item.data)


def test_a_moved_object_is_only_moved(agrees, boxes, driver):
    built = driver.run.live._steps.gi_frame.f_locals["answers"]
    boxes["A"].location.x = -5.0
    assert agrees() == {("B", "C")}
    assert built.built == 0
    boxes["A"].location.x = 0.5
    assert ("A", "B") in agrees()


def second_icons():
    """The second icon of each listed row, by the names of its objects."""
    listed, found = bpy.context.window_manager.meshclash, {}
    for index, item in enumerate(listed.rows):
        layout = RecordingLayout()
        lists.MESHCLASH_UL_pairs.draw_item(None, bpy.context, layout, listed, item, 0, listed, "active_row", index)
        icons = [kwargs["icon"] for name, _, kwargs in layout.calls if name == "operator"]
        found[item.name_a, item.name_b] = icons[1]
    return found


def test_the_pairs_of_a_dragged_part_are_marked_while_live_runs(agrees, boxes, driver):
    boxes["A"].location.x += 0.01
    agrees()
    assert second_icons() == {("A", "B"): lists.TOUCHED.icon, ("B", "C"): "BLANK1"}
    boxes["C"].data.vertices[0].co.x -= 0.01
    boxes["C"].data.update()
    agrees()
    assert second_icons() == {("A", "B"): "BLANK1", ("B", "C"): lists.TOUCHED.icon}
    driver.escape()
    assert {*second_icons().values()} == {"BLANK1"}


def test_scales_zero_and_negative(agrees, boxes):
    for scale in ((-1, 1, 1), (2, 0.5, -1), (0, 1, 1), (0, 0, 0), (1, 1, 1)):
        boxes["B"].scale = scale
        agrees()


def test_a_deformed_mesh_is_refitted_and_a_new_topology_is_rebuilt(agrees, boxes, driver):
    answerer = driver.run.live._steps.gi_frame.f_locals["answers"]
    boxes["A"].data.vertices[7].co.x = 1.5
    boxes["A"].data.update()
    agrees()
    assert answerer.built == 0
    boxes["A"].modifiers.new("Subdivision", "SUBSURF").levels = 2
    agrees()
    assert answerer.built == 1
    boxes["A"].modifiers.clear()
    agrees()


def test_faces_between_parts_are_there_again_once_the_parts_are_apart(agrees, boxes):
    mesh = boxes["A"].data
    corners = np.array([vertex.co[:] for vertex in mesh.vertices])
    faces = [list(face.vertices) for face in mesh.polygons]
    low = [k for k in range(6) if np.allclose(corners[faces[k], 0], corners[:, 0].min())]
    beside = [[8 + corner for corner in face] for k, face in enumerate(faces) if k not in low]
    vertices = np.vstack([corners, corners + np.array([np.ptp(corners[:, 0]), 0.0, 0.0])])
    mesh.clear_geometry()
    mesh.from_pydata(vertices.tolist(), [], faces + beside)
    agrees()
    for vertex in mesh.vertices[8:]:
        vertex.co.x += 5.0
    mesh.update()
    agrees()


def test_edit_mode(agrees, boxes):
    bpy.context.view_layer.objects.active = boxes["B"]
    bpy.ops.object.mode_set(mode="EDIT")
    agrees()
    edit_mesh(boxes["B"], lambda mesh: bmesh.ops.translate(mesh, verts=mesh.verts[:], vec=(0.1, 0, 0)))
    agrees()
    edit_mesh(boxes["B"], lambda mesh: bmesh.ops.delete(mesh, geom=list(mesh.faces)[:2], context="FACES"))
    agrees()
    edit_mesh(boxes["B"], lambda mesh: bmesh.ops.delete(mesh, geom=mesh.verts[:], context="VERTS"))
    assert agrees() == set()
    bpy.ops.object.mode_set(mode="OBJECT")
    agrees()


def test_objects_come_go_hide_and_are_excluded(agrees, boxes, add_box):
    add_box("D", (0, 0, 0), (1, 1, 1), (0.3, 0.3, 0.3))
    assert len(agrees()) >= 4
    boxes["B"].hide_set(True)
    agrees()
    boxes["B"].hide_set(False)
    agrees()
    boxes["C"].hide_viewport = True
    agrees()
    boxes["C"].hide_viewport = False
    agrees()
    collection = bpy.data.collections.new("Parts")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(boxes["B"])
    bpy.context.scene.collection.objects.unlink(boxes["B"])
    agrees()
    layer = bpy.context.view_layer.layer_collection.children["Parts"]
    layer.exclude = True
    assert agrees() == {("A", "D")}
    layer.exclude = False
    agrees()
    layer.hide_viewport = True
    agrees()
    layer.hide_viewport = False
    bpy.data.objects.remove(boxes["D"])
    assert agrees() == {("A", "B"), ("B", "C")}


def test_one_is_hidden_while_another_is_shown(agrees, boxes):
    boxes["A"].hide_set(True)
    agrees()
    boxes["A"].hide_set(False)
    boxes["C"].hide_set(True)
    assert agrees() == {("A", "B")}


def test_renamed_objects(agrees, boxes):
    boxes["A"].name = "Z"
    assert agrees() == {("B", "C"), ("B", "Z")}
    boxes["Z"].name, boxes["B"].name = "Y", "Z"
    agrees()


def test_parents_constraints_and_shared_meshes(agrees, boxes):
    boxes["B"].parent = boxes["A"]
    agrees()
    boxes["A"].location.y = 0.3
    agrees()
    boxes["C"].constraints.new("COPY_LOCATION").target = boxes["A"]
    agrees()
    boxes["A"].location.z = 0.4
    agrees()
    boxes["C"].constraints.clear()
    boxes["C"].data = boxes["A"].data
    agrees()
    boxes["A"].data.vertices[0].co.x = -0.4
    boxes["A"].data.update()
    agrees()


def test_a_parent_set_while_live_runs_counts_for_the_rules(agrees, boxes):
    bpy.context.scene.meshclash.skip_same_parent = True
    agrees()
    boxes["B"].parent = boxes["A"]
    assert agrees() == {("B", "C")}
    boxes["C"].parent = boxes["A"]
    assert agrees() == set()
    boxes["B"].parent = None
    assert len(agrees()) >= 1


def test_shape_keys_and_armatures(agrees, boxes):
    item = boxes["A"]
    item.shape_key_add(name="Basis")
    key = item.shape_key_add(name="Wide")
    for point in key.data:
        point.co.x *= 1.7
    for value in (0.0, 0.5, 1.0):
        key.value = value
        agrees()
    armature = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.new("Bone").tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    boxes["B"].vertex_groups.new(name="Bone").add(range(8), 1.0, "REPLACE")
    boxes["B"].modifiers.new("Rig", "ARMATURE").object = armature
    agrees()
    armature.pose.bones["Bone"].location = (0.2, 0.1, 0)
    agrees()


def test_instances_and_texts(agrees, boxes, add_box):
    collection = bpy.data.collections.new("Source")
    add_box("Inner", (0, 0, 0), (1, 1, 1), collection=collection)
    instancer = bpy.data.objects.new("Instancer", None)
    instancer.instance_type, instancer.instance_collection = "COLLECTION", collection
    bpy.context.scene.collection.objects.link(instancer)
    instancer.location = (0.2, 0.2, 0.2)
    assert any("Instancer/Inner" in name for pair in agrees() for name in pair)
    instancer.location.x = 3.0
    agrees()
    instancer.location.x = 0.1
    collection.objects["Inner"].data.vertices[0].co.z = -0.5
    collection.objects["Inner"].data.update()
    agrees()
    collection.objects["Inner"].location.x = 0.2
    agrees()
    text = bpy.data.objects.new("Text", bpy.data.curves.new("Text", "FONT"))
    text.data.body, text.data.extrude = "II", 0.4
    bpy.context.scene.collection.objects.link(text)
    agrees()
    text.data.body = "IIIII"
    agrees()
    text.location.y = 0.3
    agrees()


def test_frames(agrees, boxes):
    for frame, x in ((1, 0.0), (10, 3.0)):
        boxes["A"].location.x = x
        boxes["A"].keyframe_insert("location", frame=frame)
        boxes["C"].hide_viewport = frame == 10
        boxes["C"].keyframe_insert("hide_viewport", frame=frame)
    for frame in (1, 3, 6, 10, 1):
        bpy.context.scene.frame_set(frame)
        agrees()


def test_undo_and_redo(agrees, boxes):
    bpy.ops.ed.undo_push(message="start")
    boxes["A"].location.x = 0.4
    bpy.ops.ed.undo_push(message="move")
    agrees()
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    bpy.ops.ed.undo_push(message="delete")
    assert agrees() == set()
    bpy.ops.ed.undo()
    assert len(agrees()) >= 2
    bpy.ops.ed.undo()
    agrees()
    bpy.ops.ed.redo()
    agrees()
    bpy.ops.ed.redo()
    assert agrees() == set()


def test_a_mesh_that_cannot_be_used_is_left_out_until_it_can(agrees, boxes, driver):
    boxes["A"].data.vertices[0].co.x = float("nan")
    boxes["A"].data.update()
    rows = driver.settle()
    assert {row.names for row in rows} == {("B", "C")}
    report = scene_results.result_of(bpy.context.scene.session_uid).report
    assert [item.name for item in report.skipped] == ["A"] and "NaN" in report.skipped[0].reason
    boxes["A"].data.vertices[0].co.x = 0.0
    boxes["A"].data.update()
    assert agrees() == {("A", "B"), ("B", "C")}


def test_settings_are_followed(agrees, driver):
    settings = bpy.context.scene.meshclash
    settings.touch_tolerance = 2.0
    assert ("A", "C") in agrees()
    settings.touch_tolerance = 0.0
    settings.set_a, settings.set_a_object = "OBJECT", bpy.data.objects["A"]
    assert agrees() == {("A", "B")}
    settings.set_a_object = None
    driver.until(lambda: driver.run.live.problem)
    assert "choose the object" in driver.run.live.problem
    texts = " ".join(draw(panels.MESHCLASH_PT_detect, bpy.context).texts())
    assert "choose the object" in texts
    settings.set_a = "ALL"
    assert len(agrees()) == 2


def test_the_selected_row_follows_its_pair(agrees, boxes, add_box):
    listed = bpy.context.window_manager.meshclash
    listed.around = "ALL"
    index = next(i for i, row in enumerate(listed.rows) if row.name_a == "B")
    listed.active_row = index

    def shown():
        return results.active_pair(bpy.context)

    add_box("0", (-1, -1, -1), (3, 3, 3))
    agrees()
    assert len(listed.rows) > 2
    assert listed.rows[listed.active_row].name == "B × C" == " × ".join(shown().names)
    bpy.data.objects.remove(boxes["C"])
    agrees()
    assert shown() is None and listed.active_row == -1


def test_the_result_of_live_is_never_stale_until_it_ends(agrees, boxes, driver):
    agrees()
    boxes["A"].location.x = 0.1
    bpy.context.view_layer.update()
    assert not scene_results.result_of(bpy.context.scene.session_uid).stale
    running_work.stop_live()
    assert scene_results.result_of(bpy.context.scene.session_uid).stale == {"A"}
    boxes["B"].location.x = 0.1
    bpy.context.view_layer.update()
    assert scene_results.result_of(bpy.context.scene.session_uid).stale == {"A", "B"}
    boxes["A"].location.x = boxes["B"].location.x = 5.0
    for a, b, left in ((5.0, 0.75, {"A"}), (0.0, 0.75, set())):  # as at the last answer
        boxes["A"].location.x, boxes["B"].location.x = a, b
        bpy.context.view_layer.update()
        freshness.look_again(bpy.context.scene)
        assert scene_results.result_of(bpy.context.scene.session_uid).stale == left


def test_handlers_only_take_note(agrees, boxes, driver, monkeypatch):
    monkeypatch.setattr(driver.run.live, "run_slice", lambda *_: pytest.fail("work in a handler"))
    boxes["A"].location.x = 0.2
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(7)
    handlers.on_undo(bpy.context.scene)
    assert driver.run.live.busy


def nothing_runs():
    return running_work.running_live() is None and not heartbeat.Heartbeat.running


def test_escape_stops_it(driver):
    driver.settle()
    assert heartbeat.Heartbeat.running
    assert driver.escape() == {"FINISHED"} and nothing_runs()
    assert driver.reports == []


def test_the_button_stops_it_and_the_panel_shows_it(driver):
    texts = draw(panels.MESHCLASH_PT_detect, bpy.context).texts()
    assert "Stop Live" in texts and "Starting" in texts
    driver.until(lambda: driver.run.live.ready)
    assert "Live: the results are complete" not in draw(panels.MESHCLASH_PT_detect, bpy.context).texts()
    driver.settle()
    assert "Live: the results are complete" in draw(panels.MESHCLASH_PT_detect, bpy.context).texts()
    assert live.MESHCLASH_OT_live.invoke(SimpleNamespace(), bpy.context, escape()) == {"FINISHED"}
    assert nothing_runs()
    assert driver.send(escape()) == {"FINISHED"}
    assert "Live" in draw(panels.MESHCLASH_PT_detect, bpy.context).texts()


def test_detect_is_refused_meanwhile_and_live_while_detect_runs(driver):
    assert not bpy.ops.meshclash.detect.poll()
    running_work.stop_live()
    assert bpy.ops.meshclash.detect.poll()


def test_without_a_window_it_says_so(boxes):
    with pytest.raises(RuntimeError, match="use Detect"):
        bpy.ops.meshclash.live("INVOKE_DEFAULT")
    assert nothing_runs()


def test_loading_a_file_stops_it(driver):
    driver.settle()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert nothing_runs()
    assert not driver.tick() and driver.reports == [("WARNING", "A file was loaded: Live is off")]


def test_a_removed_scene_stops_it(boxes):
    other = bpy.data.scenes.new("Other")
    with bpy.context.temp_override(scene=other, view_layer=other.view_layers[0]):
        driver = LiveDriver()
    bpy.data.scenes.remove(other)
    assert not driver.tick() and nothing_runs()
    assert "scene was removed" in driver.reports[0][1]


def test_it_rests_while_rendering(driver, monkeypatch):
    driver.settle()
    monkeypatch.setattr(live, "_rendering", lambda: True)
    monkeypatch.setattr(driver.run.live, "run_slice", lambda *_: pytest.fail("work during a render"))
    bpy.data.objects["A"].location.x = 0.3
    bpy.context.view_layer.update()
    assert driver.tick(3) and driver.run.live.busy
    assert driver.escape() == {"FINISHED"}


def test_a_missing_engine_ends_it_with_an_explanation(boxes, monkeypatch):
    def missing(_folder):
        raise loading.engine.EngineMissing("No Numba", "Install it")

    monkeypatch.setattr(loading.engine, "load", missing)
    driver = LiveDriver()
    while driver.tick():
        pass
    assert driver.reports == [("ERROR", "No Numba. Install it")] and nothing_runs()


def test_a_fault_of_ours_ends_it_and_is_not_hidden(driver, monkeypatch):
    driver.settle()
    monkeypatch.setattr(driver.run.live, "run_slice", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        driver.tick()
    assert nothing_runs()


def test_blender_cancels_it(driver):
    live.MESHCLASH_OT_live.cancel(driver.operator, bpy.context)
    assert nothing_runs()


def test_first_contacts_need_no_kernel_that_no_package_has(boxes, driver, monkeypatch):
    """The arrays for the segments are contiguous, as those of the warm-up: for others a kernel is compiled."""
    driver.settle()
    given, segments = [], intersection.contact_segments
    monkeypatch.setattr(intersection, "contact_segments", lambda *arrays: given.extend(arrays) or segments(*arrays))
    monkeypatch.setattr(live_module, "QUIET_SECONDS", 1e9)
    driver.run.live.complete_cost, driver.run.live._retry_at = 1.0, 1e18
    boxes["B"].location.x = 0.8  # it meets two others
    bpy.context.view_layer.update()
    driver.until(lambda: scene_results.result_of(driver.run.scene_uid).incomplete)
    shown = scene_results.result_of(driver.run.scene_uid).report.rows
    assert [row.contacts for row in shown] == [1, 1]  # rows are made when they are read
    assert max(len(array) for array in given) == 2 and all(array.flags.c_contiguous for array in given)


def test_first_contact_mode_is_said_in_the_panel(agrees, boxes, driver, monkeypatch):
    monkeypatch.setattr(live_module, "QUIET_SECONDS", 1e9)
    driver.run.live.complete_cost = 1.0
    driver.run.live._retry_at = 1e18
    boxes["A"].location.x = 0.3
    bpy.context.view_layer.update()
    driver.until(lambda: scene_results.result_of(driver.run.scene_uid).incomplete)
    result = scene_results.result_of(driver.run.scene_uid)
    row = next(row for row in result.report.rows if row.a.name == "A")
    assert row.verdict == "contact" and row.contacts == 1 and len(row.curves) == 1
    for side in row.sides:  # the triangle that meets is a part of the face that is named
        item = boxes[side.name]
        (face,) = side.faces.tolist()
        corners = [item.matrix_world @ item.data.vertices[v].co for v in item.data.polygons[face].vertices]
        assert all(
            any((corner - other).length < 1e-6 for other in corners) for corner in map(Vector, side.highlight[0])
        )
    texts = " ".join(draw(panels.MESHCLASH_PT_detect, bpy.context).texts())
    assert "While objects move, only first contacts are found" in texts
    assert not bpy.ops.meshclash.export_report.poll()
    monkeypatch.setattr(live_module, "QUIET_SECONDS", 0.0)
    agrees()
    assert bpy.ops.meshclash.export_report.poll()


def test_memory_of_the_meshes_is_freed_when_no_detection_can_need_it(registered, add_box, engine):
    import gc
    import weakref

    for k in range(3):
        add_box(f"O{k}", (0, 0, 0), (1, 1, 1), (0.5 * k, 0, 0))
    driver = LiveDriver()
    driver.settle()
    answerer = driver.run.live._steps.gi_frame.f_locals["answers"]
    alive = [weakref.ref(answerer.world.scene)]
    alive += [weakref.ref(mesh) for mesh in answerer.frame.meshes.values()]
    del answerer
    driver.escape()
    scene_results.forget_followed()  # as another scene, or another file, does
    gc.collect()
    assert [item() for item in alive] == [None] * 4


def test_a_list_that_takes_longer_than_a_call_gets_more_calls_without_other_work(driver, boxes, monkeypatch):
    driver.settle()
    calls = []
    original = scene_results.SceneResult.table_steps

    def slow_table(result):
        for part in range(3):
            calls.append(part)
            time.sleep(1e-3 * bpy.context.scene.meshclash.live_budget)
            yield
        yield from original(result)

    monkeypatch.setattr(scene_results.SceneResult, "table_steps", slow_table)
    listed = live.results.list_live
    monkeypatch.setattr(live.results, "list_live", lambda *given: (calls.append("list"), listed(*given)))
    work = driver.run.live.run_slice
    monkeypatch.setattr(driver.run.live, "run_slice", lambda *given: (calls.append("work"), work(*given)))
    driver.run._list_again = 0.0
    boxes["A"].location.x = 0.3
    bpy.context.view_layer.update()
    while "list" not in calls:
        calls.append("call")
        driver.tick()
    told = "".join(str(call)[0] for call in calls[calls.index(0) :])
    assert told in ("0c1c2cl", "0c1c2l"), "each part in a call of its own, and no work between them"


def test_a_long_list_has_pages_while_live_is_on(registered):
    uid = bpy.context.scene.session_uid
    report = make_report(*(make_row(b=f"B{k}") for k in range(results.PAGE_ROWS + 5)))
    results.show_live(bpy.context, uid, report, False)
    results.list_live(bpy.context, uid)
    listed = bpy.context.window_manager.meshclash
    assert (len(listed.rows), listed.total) == (results.PAGE_ROWS, results.PAGE_ROWS + 5)
    listed.page = 2
    assert len(listed.rows) == 5
    results.show_live(bpy.context, uid, make_report(*report.rows[:3]), False)
    results.list_live(bpy.context, uid)
    assert (len(listed.rows), listed.page) == (3, 1)


def test_the_list_follows_shorter_and_changed_answers(registered):
    rows = [make_row(b=f"B{k}") for k in range(5)]
    scene = bpy.context.scene
    results.show_live(bpy.context, scene.session_uid, make_report(*rows), False)
    results.list_live(bpy.context, scene.session_uid)
    assert len(shown_things.listed().cells) == 5
    rows[2] = make_row(b="B2", verdict="touching", depth=None)
    results.show_live(bpy.context, scene.session_uid, make_report(*rows[:4]), False)
    results.list_live(bpy.context, scene.session_uid)
    listed = bpy.context.window_manager.meshclash
    assert [row.verdict for row in listed.rows] == ["clash", "clash", "touching", "clash"]
    assert np.isclose(listed.rows[2].depth, -1.0)
    assert listed.total == 4


@pytest.fixture
def library(registered, add_box, tmp_path):
    """A file with a box to link."""
    add_box("Linked", (0, 0, 0), (1, 1, 1))
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path


def link(path):
    with bpy.data.libraries.load(path, link=True) as (_there, here):
        here.objects = ["Linked"]
    bpy.context.scene.collection.objects.link(here.objects[0])
    return here.objects[0]


def test_linked_and_overridden_objects(library, add_box, engine):
    linked = link(library)
    add_box("A", (0, 0, 0), (1, 1, 1), (0.5, 0, 0))
    bpy.context.view_layer.update()
    driver = LiveDriver()
    assert {row.names for row in driver.settle()} == {("A", linked.name_full)}
    bpy.data.objects["A"].location.y = 0.5
    assert described(driver.settle()) == described(detected(engine))
    override = linked.override_create(remap_local_usages=True)
    override.location.x = 0.2
    rows = driver.settle()
    assert described(rows) == described(detected(engine))
    assert {name for row in rows for name in row.names} == {"A", "Linked"}
    override.location.x = 9.0
    assert driver.settle() == []
    driver.escape()


def test_faces_of_linked_meshes_are_not_marked_but_named(library, add_box, engine):
    link(library)
    add_box("A", (0, 0, 0), (1, 1, 1), (0.5, 0, 0))
    bpy.context.view_layer.update()
    bpy.ops.meshclash.detect()
    assert bpy.ops.meshclash.write_attribute() == {"FINISHED"}  # a warning names the other
    assert "meshclash_contact" in bpy.data.objects["A"].data.attributes
    assert "meshclash_contact" not in bpy.data.objects["Linked", library].data.attributes


def test_a_scene_without_objects(registered):
    driver = LiveDriver()
    assert driver.settle() == []
    assert scene_results.result_of(bpy.context.scene.session_uid).report.rows == []
    assert draw(panels.MESHCLASH_PT_results, bpy.context).texts()
    driver.escape()


def test_objects_of_other_scenes_do_not_count(agrees, boxes, add_box):
    other = bpy.data.scenes.new("Other")
    add_box("Elsewhere", (0, 0, 0), (9, 9, 9), collection=other.collection)
    assert agrees() == {("A", "B"), ("B", "C")}
    boxes["Elsewhere"].location.x = 1.0
    assert agrees() == {("A", "B"), ("B", "C")}


def test_live_begins_with_what_detect_knows_and_leaves_what_it_knows_to_detect(registered, add_box, engine):
    for k in range(5):
        add_box(f"Box {k}", (0, 0, 0), (1, 1, 1), (0.9 * k, 0.0, 0.01 * k))
    bpy.context.view_layer.update()
    bpy.ops.meshclash.detect()
    uid = bpy.context.scene.session_uid
    known = scene_results.known_followed(uid)
    driver = LiveDriver()
    rows = driver.settle()
    followed = driver.run.live.followed
    assert followed.built == 0 and followed.world is known.world  # nothing was made anew
    assert described(rows) == described(detected(engine))
    bpy.data.objects["Box 2"].location.z = 0.5
    rows = driver.settle()
    assert described(rows) == described(detected(engine))
    driver.escape()
    assert scene_results.known_followed(uid) is followed
    bpy.ops.meshclash.detect()
    assert scene_results.known_followed(uid).built == 0
    assert described(scene_results.result_of(uid).report.rows) == described(rows)


def test_what_live_leaves_in_the_middle_of_an_answer_is_asked_by_detect(registered, add_box, engine):
    for k in range(4):
        add_box(f"Box {k}", (0, 0, 0), (1, 1, 1), (0.9 * k, 0.0, 0.01 * k))
    bpy.context.view_layer.update()
    driver = LiveDriver()
    driver.settle()
    for steps in (1, 3, 7, 12):
        bpy.data.objects["Box 1"].location.z += 0.1
        bpy.context.view_layer.update()
        driver.tick(steps)
        driver.escape()
        bpy.ops.meshclash.detect()
        found = scene_results.result_of(bpy.context.scene.session_uid).report.rows
        assert described(found) == described(detected(engine))
        driver = LiveDriver()
        driver.settle()
    driver.escape()
