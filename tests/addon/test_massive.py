"""Massive files in Blender: built from objects and files, tested in place of what is shown."""

import dataclasses
import json
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import bpy
import live_driver
import numpy as np
import pytest
from meshclash.clash import job
from meshclash.clash.options import DetectOptions
from meshclash.types.steps import run_to_end
from ui_fakes import draw, escape, timer

from addon import commandline, freshness, running_work, scene_results, shown_levels
from addon.adapters.massive_objects import show
from addon.core import live as live_module
from addon.ops import detect
from addon.ops.marks import own_writing
from addon.ops.massive import MESHCLASH_OT_import_massive
from addon.ui.massive import MESHCLASH_PT_massive
from addon.ui.panels import MESHCLASH_PT_object


def add_sphere(name, location=(0.0, 0.0, 0.0), scale=(1.0, 1.0, 1.0), count=48):
    bpy.ops.mesh.primitive_uv_sphere_add(segments=count, ring_count=count // 2, radius=1.0)
    item = bpy.context.active_object
    item.name, item.location, item.scale = name, location, scale
    bpy.context.view_layer.update()
    return item


def build(item, path):
    """The proxy of an object whose file was built by the operator."""
    bpy.context.view_layer.objects.active = item
    item.select_set(True)
    assert bpy.ops.meshclash.build_massive(filepath=str(path)) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def detected(**options):
    for name, value in options.items():
        setattr(bpy.context.scene.meshclash, name, value)
    assert bpy.ops.meshclash.detect() == {"FINISHED"}
    return scene_results.result_of(bpy.context.scene.session_uid).found


def triangles_of(drawn):
    return sorted(map(tuple, np.asarray(drawn).reshape(-1, 9).round(5).tolist()))


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (1.5, 1.0, 0.5)])
def test_the_file_is_tested_in_place_of_the_proxy(registered, tmp_path, scale):
    ball, other = add_sphere("Ball", (0.5, 0.2, 0.1), scale), add_sphere("Other", (1.6, 0.0, 0.0), count=32)
    (before,) = detected(permitted_by="LENGTH", permitted_overlap=0.0).rows
    proxy = build(ball, tmp_path / "ball.mcl")
    assert proxy.meshclash_massive == str(tmp_path / "ball.mcl") and not ball.visible_get()
    assert tuple(proxy.matrix_world.to_scale()) == pytest.approx((1.0, 1.0, 1.0))
    report = detected()
    (row,) = report.rows
    assert {*row.names} == {"Ball massive", "Other"} and row.verdict == "clash" and row.depth is None
    assert row.contacts == before.contacts and report.skipped == []
    assert set(triangles_of(row.a.highlight)) < set(triangles_of(before.a.highlight)), "whole quads in memory"
    assert len(row.a.highlight) == len(row.a.faces) >= len(before.a.faces)
    assert triangles_of(row.b.highlight) == triangles_of(before.b.highlight)
    assert len(row.curves) == len(before.curves)
    other.location.x = 9.0
    bpy.context.view_layer.update()
    assert detected().rows == []


def test_a_clearance_and_a_distance_to_a_file(registered, tmp_path):
    ball, _ = add_sphere("Ball"), add_sphere("Other", (2.5, 0.0, 0.0))
    bpy.context.scene.meshclash.test = "distance"
    (before,) = detected().rows
    build(ball, tmp_path / "ball.mcl")
    (row,) = detected().rows
    assert row.distance == before.distance and row.verdict == before.verdict
    bpy.context.scene.meshclash.test = "clearance"
    (near,) = detected(tolerance=0.7).rows
    assert near.distance == before.distance
    assert detected(tolerance=0.3).rows == []


def test_instances_of_one_file(registered, tmp_path):
    proxy = build(add_sphere("Ball"), tmp_path / "ball.mcl")
    copy = bpy.data.objects.new("Copy", proxy.data)
    copy.meshclash_massive, copy.location = proxy.meshclash_massive, (1.2, 0.3, 0.0)
    bpy.context.collection.objects.link(copy)
    bpy.context.view_layer.update()
    (row,) = detected().rows
    assert {*row.names} == {"Ball massive", "Copy"} and row.contacts > 50


def write_stl(path, item):
    item.data.calc_loop_triangles()
    corners = np.array([[item.data.vertices[v].co for v in t.vertices] for t in item.data.loop_triangles], "<f4")
    facets = np.zeros(len(corners), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    facets["corners"] = corners
    path.write_bytes(bytes(80) + np.uint32(len(facets)).tobytes() + facets.tobytes())
    return len(facets)


def test_a_file_is_built_beside_a_model_and_opened_again(registered, tmp_path):
    count = write_stl(tmp_path / "model.stl", add_sphere("Ball", count=64))
    bpy.ops.object.delete()
    assert bpy.ops.meshclash.import_massive(filepath=str(tmp_path / "model.stl")) == {"FINISHED"}
    item = bpy.context.active_object
    assert item.name == "model" and Path(item.meshclash_massive) == tmp_path / "model.mcl"
    assert 0 < len(item.data.polygons) <= count
    assert bpy.ops.meshclash.import_massive(filepath=str(tmp_path / "model.mcl")) == {"FINISHED"}
    assert bpy.context.active_object.name == "model.001"
    (row,) = detected().rows
    assert row.contacts >= count, "one model on itself"
    assert list(tmp_path.glob("*.building")) == []


def test_what_cannot_be_built_is_an_error_that_says_why(registered, tmp_path):
    (tmp_path / "wrong.ply").write_text("not a ply")
    with pytest.raises(RuntimeError, match=r"wrong\.ply"):
        bpy.ops.meshclash.import_massive(filepath=str(tmp_path / "wrong.ply"))
    with pytest.raises(RuntimeError, match="name the file"):
        bpy.ops.meshclash.import_massive()
    assert len(bpy.data.objects) == 0


def test_files_that_cannot_be_used_are_named(registered, tmp_path):
    ball, other = add_sphere("Ball"), add_sphere("Other", (1.0, 0.0, 0.0))
    proxy = build(ball, tmp_path / "ball.mcl")
    proxy.scale.x = 2.0
    bpy.context.view_layer.update()
    assert "must not be scaled" in detected().skipped[0].reason
    proxy.scale.x = 1.0
    add_sphere("Third", (0.0, 1.0, 0.0))
    (tmp_path / "ball.mcl").write_bytes((tmp_path / "ball.mcl").read_bytes()[:-8])
    assert "bytes, but its header says" in detected().skipped[0].reason
    (tmp_path / "ball.mcl").write_bytes(b"something else")
    assert "is not a clustered mesh" in detected().skipped[0].reason
    (tmp_path / "ball.mcl").unlink()
    report = detected()
    assert "cannot be read" in report.skipped[0].reason and report.skipped[0].lost
    assert [{*row.names} for row in report.rows] == [{other.name, "Third"}]


@pytest.mark.parametrize("test", ["time-critical", "deforming", "self"])
def test_other_tests_leave_files_out_and_say_so(registered, engine, tmp_path, test):
    build(add_sphere("Ball"), tmp_path / "ball.mcl")
    add_sphere("Other", (1.0, 0.0, 0.0))
    add_sphere("Third", (1.0, 1.0, 0.0))
    from addon.adapters.source import BlenderSource

    options = DetectOptions(test=test) if test != "time-critical" else DetectOptions(test=test, budget=0.5)
    report = run_to_end(job.detect_steps(BlenderSource.from_context(bpy.context), options, engine))
    (skipped,) = report.skipped
    assert skipped.name == "Ball massive" and "massive files" in skipped.reason
    assert not any("Ball massive" in row.names for row in report.rows)
    ranged = dataclasses.replace(options, frames=range(1, 3))
    ranged_report = run_to_end(job.detect_steps(BlenderSource.from_context(bpy.context), ranged, engine))
    assert ranged_report.skipped == report.skipped


def test_a_scan_and_a_file_are_not_compared_and_that_is_said(registered, tmp_path):
    build(add_sphere("Ball"), tmp_path / "ball.mcl")
    add_sphere("Other", (1.0, 0.0, 0.0))
    mesh = bpy.data.meshes.new("Scan")
    mesh.from_pydata(np.random.default_rng(1).uniform(-1, 1, (400, 3)).tolist(), [], [])
    bpy.context.collection.objects.link(bpy.data.objects.new("Scan", mesh))
    report = detected()
    assert [(item.name, "not with scans" in item.reason) for item in report.skipped] == [("Ball massive", True)]
    assert {frozenset(row.names) for row in report.rows} >= {frozenset(("Ball massive", "Other"))}
    assert not any({*row.names} == {"Ball massive", "Scan"} for row in report.rows)


def write_soup(path, item, crack):
    """As ``write_stl``, with cracks between the triangles."""
    count = write_stl(path, item)
    data = bytearray(path.read_bytes())
    facets = np.frombuffer(data, [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")], count, 84)
    facets["corners"][:] += np.random.default_rng(1).uniform(-crack, crack, (count, 3, 3))
    path.write_bytes(data)
    return count


def test_a_level_is_shown_within_the_number_of_triangles_and_refined_by_the_view(registered, tmp_path, monkeypatch):
    count = write_stl(tmp_path / "model.stl", add_sphere("Ball", count=192))
    bpy.ops.object.delete()
    add_sphere("Other", (1.0, 0.0, 0.0))
    bpy.context.scene.meshclash.massive_triangles = 4000
    assert bpy.ops.meshclash.import_massive(filepath=str(tmp_path / "model.stl")) == {"FINISHED"}
    assert (tmp_path / "model.mcl.levels").exists()
    item = bpy.context.active_object
    points = np.array([v.co for v in item.data.vertices])
    assert 1000 < len(item.data.polygons) <= 4000 < count, "a level, not a sample"
    assert np.abs(np.linalg.norm(points, axis=1) - 1.0).max() < 0.02
    (row,) = detected().rows
    eyes = []
    monkeypatch.setattr(shown_levels, "eye_of", lambda view, matrix: eyes.append(matrix) or (1.5, 0.0, 0.0))
    bpy.context.scene.meshclash.massive_triangles = 14_000
    assert bpy.ops.meshclash.show_level() == {"FINISHED"} and len(eyes) == 1
    assert 4000 < len(item.data.polygons) <= 14_000
    corners = np.array([item.data.vertices[v].co for face in item.data.polygons for v in face.vertices]).reshape(
        -1, 3, 3
    )
    size, along = np.ptp(corners, axis=1).max(axis=1), corners.mean(axis=1)[:, 0]
    assert size[along > 0.7].mean() < size[along < -0.7].mean(), "Show more detail of the active massive model"
    assert not scene_results.result_of(bpy.context.scene.session_uid).stale, "what is shown is not what is tested"
    assert detected().rows[0].contacts == row.contacts


def test_contacts_are_drawn_on_the_level_that_is_shown(registered, tmp_path):
    proxy, other = build(add_sphere("Ball", count=96), tmp_path / "ball.mcl"), add_sphere("Other", (1.5, 0.0, 0.0))
    proxy.location = (0.25, 0.0, 0.0)
    bpy.context.view_layer.update()
    with own_writing(bpy.context):
        show(proxy.data, np.array([[2, -9, -9], [2, 9, -9], [2, 0, 9], [-2, 0, 0.0]]), np.array([[0, 1, 2], [0, 1, 3]]))
    shown_levels.forget()
    (row,) = detected().rows
    (drawn,) = shown_levels.on_levels(bpy.context, [row])
    for side, plain in zip(drawn.sides, row.sides, strict=True):
        if side.owner == other.name:
            assert len(side.highlight) == len(plain.highlight)
        else:
            face = np.array([[2.25, -9, -9], [2.25, 9, -9], [2.25, 0, 9]], np.float32)
            assert np.array_equal(side.highlight[: len(plain.highlight)], plain.highlight)
            assert any(np.array_equal(extra, face) for extra in side.highlight[len(plain.highlight) :])


def test_faces_written_one_by_one_are_shown_as_a_level_with_a_tolerance(registered, tmp_path):
    count = write_soup(tmp_path / "model.stl", add_sphere("Ball", count=96), 1e-6)
    bpy.ops.object.delete()
    bpy.context.scene.meshclash.massive_triangles = 2000
    assert bpy.ops.meshclash.import_massive(filepath=str(tmp_path / "model.stl")) == {"FINISHED"}
    assert len(bpy.context.active_object.data.polygons) >= count, "a sample of all of them"
    assert bpy.ops.meshclash.import_massive(filepath=str(tmp_path / "model.stl"), weld=1e-5) == {"FINISHED"}
    assert 200 < len(bpy.context.active_object.data.polygons) <= 2000


def test_no_level_is_shown_of_what_stands_for_no_file(registered, tmp_path):
    item = add_sphere("Ball")
    with pytest.raises(RuntimeError, match="was made from a massive file"):
        bpy.ops.meshclash.show_level()
    item.meshclash_massive = str(tmp_path / "gone.mcl")
    with pytest.raises(RuntimeError, match=r"gone\.mcl"):
        bpy.ops.meshclash.show_level()


def test_escape_stops_a_build_and_the_next_one_goes_on(registered, tmp_path):
    write_stl(tmp_path / "model.stl", add_sphere("Ball"))
    count = len(bpy.data.objects)
    operator = SimpleNamespace(reports=[], finish=None)
    operator.report = lambda kind, text: operator.reports.append(text)
    make = SimpleNamespace(filepath=str(tmp_path / "model.stl"), weld=0.0)
    operator.run = detect.Run(bpy.context, MESHCLASH_OT_import_massive.make_task(make, bpy.context))
    task = operator.run.task
    task.run_slice = partial(task.run_slice, 0.0)  # one step a tick on any machine
    for _ in range(10_000):
        assert MESHCLASH_OT_import_massive.modal(operator, bpy.context, timer()) == {"PASS_THROUGH"}
        if list(tmp_path.glob("*.building")):
            break
    assert MESHCLASH_OT_import_massive.modal(operator, bpy.context, escape()) == {"CANCELLED"}
    assert len(bpy.data.objects) == count and not (tmp_path / "model.mcl").exists()
    assert running_work.running_task() is None and list(tmp_path.glob("*.building"))
    assert bpy.ops.meshclash.import_massive(filepath=make.filepath) == {"FINISHED"}
    assert (tmp_path / "model.mcl").exists() and not list(tmp_path.glob("*.building"))


def damage_pages(path):
    """Turns over bytes behind the header: the size and the table stay right, checksums of pages do not."""
    data = bytearray(path.read_bytes())
    data[256:4096] = bytes(255 - value for value in data[256:4096])
    path.write_bytes(data)


def test_a_damaged_page_is_an_error_that_names_the_file(registered, tmp_path):
    build(add_sphere("Ball"), tmp_path / "ball.mcl")
    add_sphere("Other", (1.0, 0.0, 0.0))
    damage_pages(tmp_path / "ball.mcl")
    with pytest.raises(RuntimeError, match=r"ball\.mcl"):
        bpy.ops.meshclash.detect()


def test_live_follows_objects_beside_a_file_and_survives_a_damaged_one(registered, engine, tmp_path, monkeypatch):
    monkeypatch.setattr(live_module, "QUIET_SECONDS", 0.0)
    path = tmp_path / "ball.mcl"
    proxy, other = build(add_sphere("Ball"), path), add_sphere("Other", (1.0, 0.0, 0.0))
    driver = live_driver.LiveDriver()
    for mover, x in ((other, 1.5), (proxy, 0.7), (other, 9.0), (other, 0.2)):
        mover.location.x = x
        rows = driver.settle()
        assert len(rows) == (x != 9.0)
        assert live_driver.described(rows) == live_driver.described(live_driver.detected(engine))
    whole = path.read_bytes()
    damage_pages(path)
    path.rename(tmp_path / "other.mcl")
    proxy.meshclash_massive = str(tmp_path / "other.mcl")
    driver.settle()
    assert driver.operator.run.live.problem and "other.mcl" in driver.operator.run.live.problem
    path.write_bytes(whole)
    proxy.meshclash_massive = str(path)
    assert len(driver.settle()) == 1 and not driver.operator.run.live.problem
    running_work.stop_live()


def test_without_a_window_the_file_is_tested_as_well(registered, tmp_path):
    proxy = build(add_sphere("Ball"), tmp_path / "ball.mcl")
    with own_writing(bpy.context):
        show(proxy.data, np.eye(3), np.arange(3).reshape(1, 3))
    add_sphere("Other", (1.0, 0.0, 0.0))
    (row,) = detected().rows
    assert len(proxy.data.polygons) < row.contacts, "what is shown would not do"
    bpy.context.scene.frame_end = 2
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    registered.unregister()
    try:
        for more in ((), ("--frames", "1:2")):
            report = tmp_path / f"{len(more)}.json"
            assert commandline.main([str(tmp_path / "scene.blend"), "--report", str(report), "--quiet", *more]) == 0
            found = json.loads(report.read_text("utf-8"))["pairs"]
            assert len(found) == (2 if more else 1), "a row for each frame"
            assert {(pair["a"], pair["b"], pair["contacts"]) for pair in found} == {(*row.names, row.contacts)}
            assert all(pair["faces_a"] == row.a.faces.tolist() for pair in found)
    finally:
        registered.register()


def test_an_object_is_another_one_when_its_file_is(registered, tmp_path):
    proxy = build(add_sphere("Ball"), tmp_path / "ball.mcl")
    add_sphere("Other", (1.0, 0.0, 0.0))
    detected()

    def marked():
        bpy.context.view_layer.update()
        freshness.look_again(bpy.context.scene)
        return set(scene_results.result_of(bpy.context.scene.session_uid).stale)

    assert marked() == set()
    proxy.meshclash_massive = ""
    assert marked() == {"Ball massive"}
    detected()
    assert marked() == set()
    proxy.meshclash_massive = str(tmp_path / "ball.mcl")
    assert marked() == {"Ball massive"}, "its own mesh is what it was"


def test_faces_of_a_sample_are_not_selected(registered, tmp_path):
    build(add_sphere("Ball"), tmp_path / "ball.mcl")
    other = add_sphere("Other", (1.0, 0.0, 0.0))
    (row,) = detected().rows
    bpy.context.window_manager.meshclash.active_row = 0
    assert bpy.ops.meshclash.select_faces() == {"FINISHED"}
    assert [item.name for item in bpy.context.selected_objects] == ["Other"]
    bpy.ops.object.mode_set(mode="OBJECT")
    (side,) = (side for side in row.sides if side.name == "Other")
    assert {face.index for face in other.data.polygons if face.select} == set(side.faces.tolist())


def test_the_panel_is_there_for_an_object_of_a_file(registered, tmp_path):
    item = add_sphere("Ball")
    assert not MESHCLASH_PT_massive.poll(bpy.context)
    named = [args[1] for name, args, _ in draw(MESHCLASH_PT_object, bpy.context).calls if name == "prop"]
    assert "meshclash_massive" in named
    build(item, tmp_path / "ball.mcl")
    assert MESHCLASH_PT_massive.poll(bpy.context)
    drawn = draw(MESHCLASH_PT_massive, bpy.context)
    assert any("fewer" in text for text in drawn.texts()) and "meshclash.show_level" in drawn.operators()
    with pytest.raises(RuntimeError, match="not a massive model yet"):
        bpy.ops.meshclash.build_massive(filepath=str(tmp_path / "again.mcl"))
