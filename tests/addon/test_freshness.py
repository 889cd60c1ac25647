"""Marks of changed objects: taken back when the objects are again what Detect saw, and only then."""

from dataclasses import replace

import bmesh
import bpy
import pytest
from meshclash.clash.fingerprints import Seen, fingerprint_steps
from meshclash.types.steps import run_to_end
from scans import add_scan, wall
from ui_fakes import make_report, make_row

from addon import freshness, results, running_work, scene_results
from addon.adapters.source import BlenderSource


def seen_now(set_a="all", set_b="all"):
    frame = run_to_end(BlenderSource.from_context(bpy.context).read_steps(set_a, set_b, None))
    return Seen(set_a, set_b, run_to_end(fingerprint_steps(frame)))


def detect(*rows, **sets):
    """A result as Detect leaves it, with a list of one's own."""
    bpy.context.view_layer.update()
    report = replace(make_report(*(rows or (make_row(),))), seen=seen_now(**sets))
    results.show_report(bpy.context, bpy.context.scene, report)


def marked_at_once():
    bpy.context.view_layer.update()
    return set(scene_results.result_of(bpy.context.scene.session_uid).stale)


def marked():
    """What is marked when the scene has come to rest."""
    bpy.context.view_layer.update()
    freshness.look_again(bpy.context.scene)
    return set(scene_results.result_of(bpy.context.scene.session_uid).stale)


@pytest.fixture
def boxes(registered, add_box):
    for name in "AB":
        add_box(name, (0, 0, 0), (1, 1, 1))
    bpy.context.view_layer.objects.active = bpy.data.objects["A"]
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="boxes")
    bpy.context.window_manager.meshclash.around = "ALL"
    detect()
    return bpy.data.objects


def test_a_move_is_marked_at_once_and_moving_back_takes_the_mark_away(boxes):
    boxes["A"].location.x = 1.0
    assert marked_at_once() == {"A"} and marked() == {"A"}
    boxes["A"].location.x = 0.0
    assert marked_at_once() == {"A"} and marked() == set()
    boxes["A"].rotation_euler.z = 1e-6
    assert marked() == {"A"}


def test_undo_to_what_was_detected_clears_the_mark_and_redo_sets_it(boxes):
    boxes["B"].location.x = 3.0
    boxes["A"].data.vertices[0].co.x = -0.5
    boxes["A"].data.update()
    bpy.ops.ed.undo_push(message="changed")
    assert marked() == {"A", "B"}
    bpy.ops.ed.undo()
    assert marked() == set()
    bpy.ops.ed.redo()
    assert marked() == {"A", "B"}


def test_undo_past_what_was_detected_marks(boxes):
    boxes["B"].location.x = 3.0
    bpy.ops.ed.undo_push(message="moved")
    detect()
    bpy.ops.ed.undo()
    assert marked() == {"B"}
    bpy.ops.ed.redo()
    assert marked() == set()


def test_selecting_contacting_faces_is_no_change(boxes):
    bpy.context.window_manager.meshclash.active_row = 0
    assert bpy.ops.meshclash.select_faces() == {"FINISHED"}
    assert marked_at_once() == set()
    bpy.ops.mesh.select_all(action="DESELECT")
    assert marked_at_once() == set()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert marked() == set()


def test_an_edit_in_edit_mode_is_a_change(boxes):
    boxes["A"].select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    assert marked() == set()
    mesh = bmesh.from_edit_mesh(boxes["A"].data)
    bmesh.ops.translate(mesh, verts=mesh.verts[:1], vec=(0.25, 0.0, 0.0))
    bmesh.update_edit_mesh(boxes["A"].data)
    assert marked() == {"A"}
    bmesh.ops.translate(mesh, verts=mesh.verts[:1], vec=(-0.25, 0.0, 0.0))
    bmesh.update_edit_mesh(boxes["A"].data)
    assert marked() == set()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert marked() == set()


@pytest.mark.parametrize("selected", [False, True])
def test_new_and_deleted_objects(boxes, add_box, selected):
    if selected:
        for name in "AB":
            boxes[name].select_set(True)
        detect(set_a="selection", set_b="selection")
    bpy.ops.ed.undo_push(message="before")
    added = add_box("C", (0, 0, 0), (1, 1, 1))
    added.location.x = 0.5
    bpy.context.view_layer.update()
    assert marked() == (set() if selected else {"C"})  # what was not selected took no part
    bpy.data.objects.remove(added)
    assert marked() == set()
    bpy.data.objects.remove(boxes["B"])
    bpy.ops.ed.undo_push(message="deleted")
    assert marked() == {"B"}
    bpy.ops.ed.undo()
    assert marked() == set()


def test_a_name_that_comes_back(boxes):
    boxes["A"].name = "Other"
    assert marked() >= {"A"}
    bpy.data.objects["Other"].name = "A"
    assert marked() == set()


def test_what_has_no_shape_changes_nothing(boxes):
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    bpy.context.scene.collection.objects.link(lamp)
    bpy.context.view_layer.update()
    lamp.location.x = 5.0
    assert marked_at_once() == set()


def test_hidden_and_shown_again(boxes):
    boxes["A"].hide_set(True)
    boxes["A"].location.x = 0.0  # tagged as moved, though it is not
    assert marked() <= {"A"}
    boxes["A"].hide_set(False)
    boxes["A"].location.x = 0.0
    assert marked() == set()


def test_a_frame_that_comes_back_and_a_modifier_that_goes(boxes):
    boxes["B"].keyframe_insert("location", frame=1)
    boxes["B"].location.x = 5.0
    boxes["B"].keyframe_insert("location", frame=10)
    bpy.context.scene.frame_set(1)
    detect()
    bpy.context.scene.frame_set(5)
    assert marked() == {"B"}
    bpy.context.scene.frame_set(1)
    assert marked() == set()
    boxes["A"].modifiers.new("Subdivision", "SUBSURF")
    assert marked() == {"A"}
    boxes["A"].modifiers.clear()
    assert marked() == set()


def test_instances_and_curves(registered, add_box):
    parts = bpy.data.collections.new("Parts")
    add_box("Bolt", (0, 0, 0), (1, 1, 1), collection=parts)
    instancer = bpy.data.objects.new("Instancer", None)
    instancer.instance_type, instancer.instance_collection = "COLLECTION", parts
    curve = bpy.data.objects.new("Curve", bpy.data.curves.new("Curve", "CURVE"))
    curve.data.dimensions, curve.data.bevel_depth = "3D", 0.25
    spline = curve.data.splines.new("POLY")
    spline.points.add(1)
    spline.points[1].co = (1.0, 0.0, 0.0, 1.0)
    for item in (instancer, curve):
        bpy.context.scene.collection.objects.link(item)
    detect()
    instancer.location.x = 2.0
    curve.data.bevel_depth = 0.5
    assert marked() == {"Instancer", "Curve"}
    instancer.location.x = 0.0
    curve.data.bevel_depth = 0.25
    assert marked() == set()
    bolt = bpy.data.objects["Bolt"].data
    bolt.vertices[0].co.x = -0.5
    bolt.update()
    assert {"Bolt"} <= marked()
    bolt.vertices[0].co.x = 0.0
    bolt.update()
    assert marked() == set()


def test_points_of_a_scan(registered):
    scan = add_scan("Scan", wall(cells=10))
    detect()
    scan.data.vertices[7].co.z = 1.0
    scan.data.update()
    assert marked() == {"Scan"}
    scan.data.vertices[7].co.z = 0.0
    scan.data.update()
    assert marked() == set()
    scan.data.attributes.new("mark", "FLOAT", "POINT")  # as Measure Deviation, its undo and its redo do
    scan.data.update()
    assert marked_at_once() == {"Scan"} and marked() == set()


def test_a_mesh_that_cannot_be_read_stays_marked(boxes):
    boxes["A"].data.vertices[0].co.x = float("nan")
    boxes["A"].data.update()
    assert marked() == {"A"}


def test_results_that_nobody_remembers_stay_marked(boxes):
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row()))
    boxes["A"].location.x = 1.0
    assert marked() == {"A"}
    boxes["A"].location.x = 0.0
    assert marked() == {"A"}


def test_a_change_that_comes_during_the_detection_is_looked_at_again(boxes):
    running_work.forget_changes()
    boxes["A"].location.x = 0.0
    detect()
    scene_results.mark_stale(bpy.context.scene.session_uid, ["A"])
    assert marked() == set()
