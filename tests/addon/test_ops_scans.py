"""Operators of scans, run as Blender runs them without a window."""

import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from meshclash.types.steps import run_to_end
from scans import add_ball_of_nodes, add_scan, ball, values_of
from ui_fakes import draw

from addon import freshness, scene_results
from addon.adapters.point_reader import read_points
from addon.adapters.point_writer import stored_origin
from addon.core import chunks
from addon.core.deviation import SIGNED_STOPS, scale_colours, shades
from addon.core.scan_import import FAR, import_steps
from addon.overlay import heat_map
from addon.overlay.shaders import linear
from addon.ui.panels import MESHCLASH_PT_options, MESHCLASH_PT_results
from addon.ui.scans import MESHCLASH_PT_scans

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "engine"))
import cloud_files

GEO = np.array([3_512_345.25, 5_412_345.5, 101.0])


def import_scan(path, **options):
    assert bpy.ops.meshclash.import_scan(filepath=str(path), **options) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def true_points(item):
    return read_points(item.data, item.name).points.astype(np.float64)


def measured():
    """The heat map of the scene."""
    return heat_map.shown(bpy.context)[0]


def write(path, data):
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("ending", [".ply", ".pcd", ".las", ".xyz", ".csv"])
def test_a_georeferenced_scan_loses_nothing(registered, tmp_path, ending):
    """Coordinates in whole 1/1024 m, which single precision holds once the origin is off."""
    whole = np.random.default_rng(1).integers(-20_000, 20_000, (500, 3))
    points = GEO + whole / 1024.0
    rows = points.tolist()
    data = {
        ".ply": cloud_files.ply(points),
        ".pcd": cloud_files.pcd(points, kind="f8"),
        ".las": cloud_files.las(whole, (1 / 1024,) * 3, GEO),
        ".xyz": "".join(f"{x!r} {y!r} {z!r}\n" for x, y, z in rows).encode(),
        ".csv": "".join(["x,y,z\n", *(f"{x!r},{y!r},{z!r}\n" for x, y, z in rows)]).encode(),
    }[ending]
    item = import_scan(write(tmp_path / f"room{ending}", data))
    assert item.name == "room" and item.type == ("POINTCLOUD" if bpy.app.version >= (5, 1, 0) else "MESH")
    origin = stored_origin(bpy.context.scene)
    assert np.array_equal(origin, np.round(0.5 * (points.min(axis=0) + points.max(axis=0))))
    assert np.array_equal(stored_origin(item), origin)
    assert np.array_equal(true_points(item) + origin, points)


def test_later_scans_take_the_origin_of_the_scene(registered, tmp_path):
    whole = np.random.default_rng(2).integers(-2000, 2000, (100, 3)) / 1024.0
    first = import_scan(write(tmp_path / "a.ply", cloud_files.ply(GEO + whole)))
    origin = stored_origin(bpy.context.scene)
    second = import_scan(write(tmp_path / "b.ply", cloud_files.ply(GEO + whole + 8.0)))
    assert np.array_equal(stored_origin(bpy.context.scene), origin)
    assert np.array_equal(true_points(second) - true_points(first), np.full((100, 3), 8.0))


def test_near_scans_stay_where_they_are(registered, tmp_path):
    points = ball(200)[0].astype(np.float64)
    item = import_scan(write(tmp_path / "near.ply", cloud_files.ply(points)))
    assert stored_origin(bpy.context.scene) is None and np.array_equal(true_points(item), points)
    far = points + 2 * FAR
    kept = import_scan(write(tmp_path / "far.ply", cloud_files.ply(far)), origin="KEEP")
    assert stored_origin(bpy.context.scene) is None and np.allclose(true_points(kept), far, atol=1e-3)


def test_units_kind_and_normals(registered, tmp_path):
    points, normals = ball(200)
    data = cloud_files.ply(points.astype(np.float64), normals=normals.astype(np.float64))
    path = write(tmp_path / "part.ply", data)
    bpy.context.scene.unit_settings.scale_length = 0.01
    item = import_scan(path, unit="mm", kind="MESH")
    assert item.type == "MESH" and np.allclose(true_points(item), 0.1 * points, atol=1e-7)
    assert np.allclose(read_points(item.data, "part").normals, normals, atol=1e-6)
    assert read_points(import_scan(path, with_normals=False).data, "part").normals is None


@pytest.mark.parametrize("origin", ["AUTO", "KEEP"])
def test_slices_change_no_point(registered, engine, tmp_path, monkeypatch, origin):
    """Points that are no numbers are left out wherever a slice ends, and normals with them."""
    points = GEO + np.random.default_rng(3).normal(size=(100, 3))
    points[[0, 13, 64, 65, 99], [0, 1, 2, 0, 1]] = np.nan
    normals = np.random.default_rng(4).normal(size=(100, 3))
    path = write(tmp_path / "a.ply", cloud_files.ply(points, normals=normals))
    steps = []

    def imported():
        task = import_steps(engine, path, "m", 0.5, None, origin == "KEEP")
        return run_to_end(task, lambda progress: steps.append(progress.text))

    whole = imported()
    steps.clear()
    monkeypatch.setattr(chunks, "CHUNK", 13)
    found = imported()
    assert steps.count("Placing points") == 2 * -(-100 // 13)
    finite = np.isfinite(points).all(axis=1)
    base = (
        np.zeros(3) if origin == "KEEP" else np.round(0.5 * (points[finite].min(axis=0) + points[finite].max(axis=0)))
    )
    assert np.array_equal(found.points, ((points[finite] - base) / 0.5).astype(np.float32)) and found.dropped == 5
    assert np.array_equal(found.normals, normals[finite].astype(np.float32))
    for name in ("points", "normals", "origin"):
        assert np.array_equal(getattr(found, name), getattr(whole, name))
    largest = np.abs(found.points).max()
    assert found.rounding == pytest.approx(0.5 * np.spacing(largest) / 2)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("cut.ply", cloud_files.ply(np.eye(3))[:-60], "cut.ply"),
        ("text.csv", b"x,y,z\n1,2,three\n", "line 2"),
        ("what.dwg", b"", "not supported"),
        ("none.las", cloud_files.las(np.empty((0, 3), int), (1, 1, 1), (0, 0, 0)), "contains no points"),
    ],
)
def test_bad_files_are_refused_and_leave_nothing(registered, tmp_path, name, data, message):
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.meshclash.import_scan(filepath=str(write(tmp_path / name, data)))
    assert not bpy.data.objects and not bpy.data.meshes and not bpy.data.pointclouds


def test_deviations_are_written_to_the_points(registered, add_box):
    points = ball(1000, 0.1)[0]
    scan = add_scan("Ball", points, as_mesh=False)
    add_box("Box", (1.1, -1, -1), (2, 1, 1))
    assert bpy.ops.meshclash.measure_deviation() == {"FINISHED"}
    values = np.empty(1000, np.float32)
    scan.data.attributes["meshclash_deviation"].data.foreach_get("value", values)
    assert np.allclose(values, 1.1 - points[:, 0], atol=1e-6)
    uid = bpy.context.scene.session_uid
    assert heat_map.shown(bpy.context) is not None and not scene_results.deviation_is_stale(uid)
    shown = draw(MESHCLASH_PT_scans, bpy.context)
    assert {"Points", "1,000", "Median Deviation"} <= set(
        shown.texts()
    ) and "meshclash.clear_deviation" in shown.operators()
    bpy.data.objects["Box"].location.x = 5.0
    bpy.context.view_layer.update()
    assert scene_results.deviation_is_stale(uid)
    bpy.context.view_layer.objects.active = bpy.data.objects["Box"]
    assert MESHCLASH_PT_scans.poll(bpy.context), "what is drawn can be hidden"
    assert bpy.ops.meshclash.clear_deviation() == {"FINISHED"}
    assert not MESHCLASH_PT_scans.poll(bpy.context)
    bpy.context.view_layer.objects.active = scan
    assert MESHCLASH_PT_scans.poll(bpy.context)
    asked = {"point_budget", "scan_bandwidth", "scan_surface"}
    scans, others = (draw(panel, bpy.context).calls for panel in (MESHCLASH_PT_scans, MESHCLASH_PT_options))
    assert asked <= {args[1] for name, args, _ in scans if name == "prop"}
    assert asked.isdisjoint(args[1] for name, args, _ in others if name == "prop")
    assert heat_map.shown(bpy.context) is None and "meshclash_deviation" not in scan.data.attributes


def test_undo_and_redo_of_measuring_make_nothing_stale(registered, add_box):
    add_scan("Ball", ball(1000, 0.1)[0])
    add_box("Box", (0.05, -1, -1), (2, 1, 1))
    bpy.ops.meshclash.detect()
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.meshclash.measure_deviation()
    bpy.ops.ed.undo_push(message="measured")
    uid = bpy.context.scene.session_uid
    for step in (bpy.ops.ed.undo, bpy.ops.ed.redo):
        step()
        bpy.context.view_layer.update()
        freshness.look_again(bpy.context.scene)
        assert not scene_results.result_of(uid).stale and not scene_results.deviation_is_stale(uid)
    bpy.data.objects["Box"].location.x = 5.0
    bpy.context.view_layer.update()
    freshness.look_again(bpy.context.scene)
    assert scene_results.deviation_is_stale(uid) and scene_results.result_of(uid).stale == {"Box"}
    bpy.data.objects["Box"].location.x = 0.0
    bpy.context.view_layer.update()
    freshness.look_again(bpy.context.scene)
    assert not scene_results.deviation_is_stale(uid) and not scene_results.result_of(uid).stale


def test_values_of_an_instance_are_drawn_but_not_written(registered, add_box):
    collection = bpy.data.collections.new("Part")
    scan = add_scan("Ball", ball(100)[0])
    bpy.context.scene.collection.objects.unlink(scan)
    collection.objects.link(scan)
    empty = bpy.data.objects.new("Empty", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", collection
    bpy.context.scene.collection.objects.link(empty)
    add_box("Box", (2, -1, -1), (3, 1, 1))
    assert bpy.ops.meshclash.measure_deviation() == {"FINISHED"}
    assert "meshclash_deviation" not in scan.data.attributes
    assert len(values_of(measured())) == 100


def test_values_of_shared_points_are_those_of_one_object(registered, add_box, capfd):
    """A linked duplicate elsewhere has other deviations, but the same attribute."""
    scan = add_scan("Ball", ball(100, 0.1)[0])
    twin = scan.copy()
    twin.name, twin.location.x = "Twin", -3.0
    bpy.context.scene.collection.objects.link(twin)
    add_box("Box", (1.1, -1, -1), (2, 1, 1))
    assert bpy.ops.meshclash.measure_deviation() == {"FINISHED"}
    assert "'Twin' shares its points with 'Ball': its values are drawn but not stored" in "".join(capfd.readouterr())
    values = np.empty(100, np.float32)
    scan.data.attributes["meshclash_deviation"].data.foreach_get("value", values)
    assert values.max() < 1.3 and len(values_of(measured())) == 200


def test_a_heat_map_of_what_is_gone_says_so(registered, add_box):
    scan = add_scan("Ball", ball(100, 0.1)[0])
    add_box("Box", (1.1, -1, -1), (2, 1, 1))
    bpy.ops.meshclash.measure_deviation()
    uid = bpy.context.scene.session_uid
    assert not scene_results.deviation_is_stale(uid)
    bpy.data.objects.remove(scan)
    bpy.context.view_layer.update()
    assert scene_results.deviation_is_stale(uid) and heat_map.legend_title(measured(), stale=True).startswith("Objects")


def test_a_file_brings_no_heat_map_along(registered, add_box, tmp_path):
    """Measurements are numbered in each session: a number that was saved means another one."""
    add_scan("Ball", ball(100, 0.1)[0])
    add_box("Box", (1.1, -1, -1), (2, 1, 1))
    bpy.ops.meshclash.measure_deviation()
    assert bpy.context.scene.meshclash.deviation_serial
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "room.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "room.blend"))
    assert bpy.context.scene.meshclash.deviation_serial == 0
    assert "meshclash_deviation" in bpy.data.objects["Ball"].data.attributes


def test_a_scan_of_modifiers_is_called_one(registered, add_box):
    """In the list, in the panel, and when its row is clicked: outlines of points would hide the other."""
    ball_of_nodes = add_ball_of_nodes("Ball")
    add_box("Box", (0.8, -2, -2), (3, 2, 2))
    ball_of_nodes.select_set(False)
    assert bpy.ops.meshclash.detect() == {"FINISHED"}
    listed = bpy.context.window_manager.meshclash
    listed.active_row = 0
    assert [item.name for item in bpy.context.selected_objects] == ["Box"]
    texts = draw(MESHCLASH_PT_results, bpy.context).texts()
    assert any(" points of Ball" in text for text in texts)


@pytest.mark.parametrize("as_mesh", [True, False])
def test_faces_are_selected_without_the_scan_in_edit_mode(registered, add_box, capfd, as_mesh):
    """A scan has no faces, whichever object holds it, and millions of points are slow to edit."""
    add_scan("Ball", ball()[0], as_mesh=as_mesh)
    add_box("Box", (0.8, -2, -2), (3, 2, 2))
    assert bpy.ops.meshclash.detect() == {"FINISHED"}
    bpy.context.window_manager.meshclash.active_row = 0
    assert bpy.ops.meshclash.select_faces() == {"FINISHED"}
    assert [item.name for item in bpy.context.objects_in_mode] == ["Box"]
    bpy.ops.object.mode_set(mode="OBJECT")
    assert "'Ball' is a scan" in "".join(capfd.readouterr())
    assert bpy.ops.meshclash.write_attribute() == {"FINISHED"}
    assert "scan" not in "".join(capfd.readouterr()), "marking faces is about meshes only"


def test_of_two_scans_none_is_selected(registered):
    """Their outlines would hide what they have in common; the first is the active object."""
    for name, x in (("Ball", 0.0), ("Other", 1.2)):
        add_scan(name, ball()[0], location=(x, 0.0, 0.0)).select_set(True)
    assert bpy.ops.meshclash.detect() == {"FINISHED"}
    bpy.context.window_manager.meshclash.active_row = 0
    assert bpy.context.selected_objects == [] and bpy.context.view_layer.objects.active.name == "Ball"
    assert not bpy.ops.meshclash.select_faces.poll() and bpy.ops.meshclash.exclude_pair.poll()


def test_without_scans_the_reason_is_given(registered, add_box):
    add_box("Box", (2, -1, -1), (3, 1, 1))
    with pytest.raises(RuntimeError, match="contains no visible scan"):
        bpy.ops.meshclash.measure_deviation()


def test_what_the_heat_map_draws(registered, add_box):
    add_scan("Ball", ball(5000, 0.1)[0])
    add_box("Box", (1.1, -1, -1), (2, 1, 1))
    bpy.ops.meshclash.measure_deviation()
    settings = bpy.context.scene.meshclash
    shown = measured()
    assert heat_map.reach_of(shown, settings) == shown.usual_range
    settings.deviation_range = 0.25
    assert heat_map.reach_of(shown, settings) == 0.25
    ((positions, light, radii),) = heat_map.point_arrays(shown, 0.25, 1000)
    assert positions.shape == (1000, 3) and light.shape == (1000, 4) and positions.flags["C_CONTIGUOUS"]
    assert radii.tolist() == [0.0] * 1000  # a mesh's vertices
    chosen = np.linspace(0, 4999, 1000).astype(int)
    assert np.array_equal(positions, shown.scans[0].points[chosen])
    assert np.array_equal(light, linear(scale_colours(True))[shades(shown.scans[0].values[chosen], 0.25, True)])
    texts = heat_map.legend_texts(0.25, True, bpy.context.scene.unit_settings)
    assert [share for share, _ in texts] == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert texts[0][1].startswith("-") and texts[2][1].startswith("0")
    strip, colours = heat_map.legend_arrays(10.0, 20.0, 100.0, 5.0, True)
    assert strip.shape == (128, 2) and len(colours) == 128
    assert strip.min(axis=0).tolist() == [10.0, 20.0] and strip.max(axis=0).tolist() == [110.0, 25.0]
    assert np.allclose(colours[0, :3], SIGNED_STOPS[0]) and np.allclose(colours[-1, :3], SIGNED_STOPS[-1])
    assert heat_map.legend_title(shown, stale=False) == "Deviation of Ball from Box"
    small = [text for _, text in heat_map.legend_texts(0.0214, False, bpy.context.scene.unit_settings)]
    assert {text.split()[1] for text in small} == {"m"}, small


def test_points_drawn_are_shared_among_scans(registered, add_box):
    """Each by its share of all points, which are spread over its own."""
    for name, count, x in (("Small", 100, 0.0), ("Large", 900, 4.0), ("Other", 500, 8.0)):
        add_scan(name, ball(count, 0.1)[0], location=(x, 0.0, 0.0))
    add_box("Box", (1.1, -1, -1), (2, 1, 1))
    bpy.ops.meshclash.measure_deviation()
    found = measured()
    sizes = {scan.owner: len(scan.values) for scan in found.scans}
    every = [positions for positions, _, _ in heat_map.point_arrays(found, 1.0, 10**6)]
    assert [len(positions) for positions in every] == list(sizes.values())
    some = [positions for positions, _, _ in heat_map.point_arrays(found, 1.0, 150)]
    assert sum(map(len, some)) == 150
    for scan, positions in zip(found.scans, some, strict=True):
        assert abs(len(positions) - sizes[scan.owner] / 10) <= 1
        assert {tuple(point) for point in positions} <= {tuple(point) for point in scan.points}


def test_a_heat_map_is_drawn_of_what_is_to_be_seen(registered, add_box):
    scan = add_scan("Ball", ball(100, 0.1)[0])
    add_box("Box", (1.1, -1, -1), (2, 1, 1))
    bpy.ops.meshclash.measure_deviation()
    (found,) = measured().scans
    areas = [area for screen in bpy.data.screens for area in screen.areas if area.type == "VIEW_3D"]
    space = areas[0].spaces.active
    assert heat_map.is_drawn(found, bpy.context, space)
    scan.hide_set(True)
    assert not heat_map.is_drawn(found, bpy.context, space)
    scan.hide_set(False)
    assert heat_map.is_drawn(found, bpy.context, space)
    bpy.data.objects.remove(scan)
    assert not heat_map.is_drawn(found, bpy.context, space)


def test_the_import_menu_is_added_and_taken_away(registered):
    before = len(bpy.types.TOPBAR_MT_file_import._dyn_ui_initialize())
    registered.unregister()
    assert len(bpy.types.TOPBAR_MT_file_import._dyn_ui_initialize()) == before - 1
    registered.register()
