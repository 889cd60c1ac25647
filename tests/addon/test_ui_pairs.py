"""Selecting a row, its faces, excluding it, exporting and clearing."""

import json

import bpy
import numpy as np
import pytest
from mathutils import Vector
from meshclash.clash.files.topics import to_bcf
from meshclash.clash.rules import Rules
from ui_fakes import draw, make_report, make_row

from addon import results, reviews, scene_results, shown_things, view
from addon.ui import panels


def add_cube(name, location=(0.0, 0.0, 0.0)):
    bpy.ops.mesh.primitive_cube_add(location=location)
    cube = bpy.context.object
    cube.name = name
    return cube


@pytest.fixture
def cubes(registered):
    return add_cube("A"), add_cube("B", (1.0, 0.0, 0.0)), add_cube("C", (9.0, 0.0, 0.0))


@pytest.fixture
def listed(cubes):
    report = make_report(make_row(), make_row("A", "C", "touching", None))
    results.show_report(bpy.context, bpy.context.scene, report)
    return bpy.context.window_manager.meshclash


def selected_faces(name):
    flags = np.zeros(len(bpy.data.objects[name].data.polygons), bool)
    bpy.data.objects[name].data.polygons.foreach_get("select", flags)
    return np.flatnonzero(flags).tolist()


def test_a_row_selects_its_pair(listed):
    listed.active_row = 0
    assert {item.name for item in bpy.context.selected_objects} == {"A", "B"}
    assert bpy.context.object.name == "A"
    listed.active_row = 1
    assert {item.name for item in bpy.context.selected_objects} == {"A", "C"}


def test_filling_the_list_selects_nothing(listed):
    assert {item.name for item in bpy.context.selected_objects} == {"C"}


def test_a_deleted_object_is_left_out(listed):
    bpy.data.objects.remove(bpy.data.objects["B"])
    listed.active_row = 0
    assert [item.name for item in bpy.context.selected_objects] == ["A"]


def test_a_row_of_other_objects_leaves_edit_mode(listed, cubes):
    bpy.context.view_layer.objects.active = cubes[2]
    bpy.ops.object.mode_set(mode="EDIT")
    listed.active_row = 0
    assert bpy.context.mode == "OBJECT"
    assert {item.name for item in bpy.context.selected_objects} == {"A", "B"}


def test_a_row_of_what_is_edited_keeps_edit_mode(listed):
    listed.active_row = 0
    bpy.ops.meshclash.select_faces()
    listed.active_row = -1
    listed.active_row = 0
    assert bpy.context.mode == "EDIT_MESH" and {item.name for item in bpy.context.objects_in_mode} == {"A", "B"}
    listed.active_row = 1  # of one of the two, and of another object
    assert bpy.context.mode == "OBJECT"


@pytest.fixture
def view3d(registered):
    """The 3D view of the factory's startup file, and what makes it the context."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    return area.spaces.active, {"window": window, "screen": window.screen, "area": area, "region": region}


def list_one_pair():
    """Two cubes, and a list with one row about them."""
    for name in "AB":
        add_cube(name, (5.0, 0.0, 0.0))
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row(offset=5.0)))


def looks(space):
    seen = space.region_3d
    return [round(x, 4) for x in seen.view_location], round(seen.view_distance, 4), seen.view_perspective


@pytest.mark.parametrize("kind", ["ISOLATE", "GHOST"])
def test_what_ends_looking_at_a_pair_brings_the_view_back(view3d, kind):
    space, context = view3d
    with bpy.context.temp_override(**context):
        list_one_pair()
        listed, before = bpy.context.window_manager.meshclash, looks(space)
        listed.around = kind
        for ended in (lambda: setattr(listed, "around", "ALL"), lambda: view.leave_isolation(bpy.context)):
            listed.around = kind
            listed.active_row = -1
            listed.active_row = 0
            assert looks(space) != before
            ended()
            assert looks(space) == before
        assert not shown_things.viewpoints()


def test_what_a_local_view_hides_can_be_tested(view3d):
    _space, context = view3d
    settings = bpy.context.scene.meshclash
    with bpy.context.temp_override(**context):
        list_one_pair()
        bpy.context.window_manager.meshclash.active_row = 0
        settings.set_a, settings.set_a_object = "OBJECT", bpy.data.objects["Cube"]
        assert not settings.set_a_object.visible_get(), "the pair is not isolated"
        assert bpy.ops.meshclash.detect() == {"FINISHED"}
        settings.set_a_object.hide_set(True)
        with pytest.raises(RuntimeError, match="'Cube' is hidden"):
            bpy.ops.meshclash.detect()


@pytest.mark.parametrize(("place", "expected"), [(0.6, 0.57), (0.3, 1.0), (None, 1.0)])
def test_the_eye_stops_before_what_would_hide_the_pair(view3d, place, expected):
    """A pane in the way, one that is too near to the pair, and none; with the pair's own faces in the way, too."""
    space, context = view3d
    with bpy.context.temp_override(**context):
        list_one_pair()
        listed, seen = bpy.context.window_manager.meshclash, space.region_3d
        listed.around = "ALL"
        listed.active_row = 0
        free = seen.view_distance
        if place is not None:
            eye = seen.view_location + seen.view_rotation @ Vector((0.0, 0.0, free))
            bpy.ops.mesh.primitive_plane_add(size=100.0, location=seen.view_location.lerp(eye, place))
            bpy.context.object.rotation_euler = seen.view_rotation.to_euler()
            bpy.context.view_layer.update()
        listed.active_row = -1
        listed.active_row = 0
        assert seen.view_distance / free == pytest.approx(expected, rel=1e-3)


def test_a_file_is_saved_as_it_was_looked_at_before(view3d):
    space, context = view3d
    with bpy.context.temp_override(**context):
        list_one_pair()
        listed, before = bpy.context.window_manager.meshclash, looks(space)
        listed.around = "GHOST"
        listed.active_row = 0
        near = looks(space)
        view.suspend_isolation(bpy.context)
        assert looks(space) == before
        view.resume_isolation(bpy.context)
        assert looks(space) == near
        view.leave_isolation(bpy.context)
        assert looks(space) == before


def test_isolation_without_a_viewport_does_nothing(listed):
    listed.active_row = 0
    listed.around = "ALL"
    assert shown_things.isolated_views() == {}
    view.leave_isolation(bpy.context)


def test_select_contacting_faces(listed):
    listed.active_row = 0
    assert bpy.ops.meshclash.select_faces() == {"FINISHED"}
    assert bpy.context.mode == "EDIT_MESH"
    assert tuple(bpy.context.tool_settings.mesh_select_mode) == (False, False, True)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert selected_faces("A") == [0]
    assert selected_faces("B") == [1, 2]


def test_select_faces_of_one_object_when_the_other_has_no_original(cubes):
    row = make_row(original_faces_b=None)
    results.show_report(bpy.context, bpy.context.scene, make_report(row))
    bpy.context.window_manager.meshclash.active_row = 0
    assert bpy.ops.meshclash.select_faces() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert selected_faces("A") == [0]


def test_select_faces_in_a_shared_mesh_joins_both(cubes):
    bpy.data.objects["B"].data = bpy.data.objects["A"].data
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row()))
    bpy.context.window_manager.meshclash.active_row = 0
    bpy.ops.meshclash.select_faces()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert selected_faces("A") == [0, 1, 2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"original_faces_a": None, "original_faces_b": None}, "the modifiers of 'A' create new faces"),
        ({"source_a": "Gone", "source_b": "Gone"}, "'Gone' is not in this view layer"),
        ({"source_a": "Lamp", "source_b": "Lamp"}, "'Lamp' is not a mesh"),
        ({"source_a": "Hidden", "source_b": "Hidden"}, "'Hidden' is hidden"),
        ({"original_faces_a": np.array([99]), "original_faces_b": None}, "'A' has fewer faces"),
    ],
)
def test_select_faces_says_why_not(cubes, change, message):
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    hidden = bpy.data.objects.new("Hidden", bpy.data.objects["A"].data)
    for item in (lamp, hidden):
        bpy.context.collection.objects.link(item)
    hidden.hide_set(True)
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row(**change)))
    bpy.context.window_manager.meshclash.active_row = 0
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.meshclash.select_faces()
    assert bpy.context.mode == "OBJECT"


def test_operators_want_a_selected_pair(listed):
    assert not bpy.ops.meshclash.select_faces.poll()
    assert not bpy.ops.meshclash.exclude_pair.poll()
    listed.active_row = 1
    assert bpy.ops.meshclash.select_faces.poll() and bpy.ops.meshclash.exclude_pair.poll()


def test_exclude_pair_and_include_it_again(listed):
    listed.active_row = 0
    bpy.ops.meshclash.exclude_pair()
    settings = bpy.context.scene.meshclash
    assert [(pair.name_a, pair.name_b) for pair in settings.excluded_pairs] == [("A", "B")]
    assert [row.name for row in listed.rows] == ["A × C"]
    assert len(scene_results.result_of(bpy.context.scene.session_uid).report.rows) == 1
    bpy.ops.meshclash.include_pair()
    assert not settings.excluded_pairs
    assert not bpy.ops.meshclash.include_pair.poll()
    assert [row.name for row in listed.rows] == ["A × B", "A × C"]
    assert results.active_pair(bpy.context).b.name == "C"  # what was selected stays so


def test_excluding_goes_on_to_the_next_row_that_is_shown(cubes):
    add_cube("D", (5.0, 0.0, 0.0))
    rows = [make_row(), make_row("A", "C", "touching", None), make_row("A", "D"), make_row("B", "C")]
    results.show_report(bpy.context, bpy.context.scene, make_report(*rows))
    listed = bpy.context.window_manager.meshclash
    listed.show_touching = False
    selected = []
    listed.active_row = 0
    for _ in range(3):
        selected.append((results.active_pair(bpy.context).b.name, {item.name for item in bpy.context.selected_objects}))
        bpy.ops.meshclash.exclude_pair()
    assert selected == [("B", {"A", "B"}), ("D", {"A", "D"}), ("C", {"B", "C"})]
    assert results.active_pair(bpy.context) is None and not listed.rows
    listed.show_touching = True
    assert [row.name for row in listed.rows] == ["A × C"]


def test_excluding_the_last_row_goes_back_to_the_one_before(listed):
    listed.active_row = 1
    bpy.ops.meshclash.exclude_pair()
    assert results.active_pair(bpy.context).b.name == "B"


def test_undo_of_an_exclusion_brings_the_pair_back_and_redo_takes_it_out(listed):
    bpy.ops.ed.undo_push(message="listed")
    listed.active_row = 0
    bpy.ops.meshclash.exclude_pair()
    bpy.ops.ed.undo_push(message="excluded")
    bpy.ops.ed.undo()
    assert [row.name for row in listed.rows] == ["A × B", "A × C"]
    assert not bpy.context.scene.meshclash.excluded_pairs
    bpy.ops.ed.redo()
    assert [row.name for row in listed.rows] == ["A × C"]


def test_a_pair_that_was_never_tested_needs_a_detection(cubes):
    pair = bpy.context.scene.meshclash.excluded_pairs.add()
    pair.name_a, pair.name_b = "A", "B"
    report = make_report(make_row("A", "C"), rules=Rules(listed_pairs=frozenset({("A", "B")})))
    results.show_report(bpy.context, bpy.context.scene, report)
    panel = panels.MESHCLASH_PT_results
    assert draw(panel, bpy.context).operators().count("meshclash.detect") == 0
    bpy.ops.meshclash.include_pair()
    layout = draw(panel, bpy.context)
    assert "1 pair no longer excluded" in " ".join(layout.texts())
    assert "meshclash.detect" in layout.operators()


def test_a_pair_excluded_while_detect_runs_is_left_out(cubes):
    pair = bpy.context.scene.meshclash.excluded_pairs.add()
    pair.name_a, pair.name_b = "B", "A"
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row(), make_row("A", "C")))
    assert [row.name for row in bpy.context.window_manager.meshclash.rows] == ["A × C"]


def test_clear_results(listed):
    bpy.ops.meshclash.clear_results()
    assert len(listed.rows) == 0
    assert scene_results.result_of(bpy.context.scene.session_uid) is None
    assert not bpy.ops.meshclash.clear_results.poll()
    assert not bpy.ops.meshclash.export_report.poll()


@pytest.mark.parametrize(
    ("kind", "ending", "start"), [("XLSX", "xlsx", b"PK"), ("BCF", "bcf", b"PK"), ("BCF21", "bcfzip", b"PK")]
)
def test_export_for_other_programs(listed, tmp_path, kind, ending, start):
    assert bpy.ops.meshclash.export_report(filepath=str(tmp_path / "report.json"), format=kind) == {"FINISHED"}
    assert (tmp_path / f"report.{ending}").read_bytes().startswith(start)


@pytest.mark.parametrize("version", ["2.1", "3.0"])
def test_what_a_bcf_file_says_comes_into_the_list(listed, tmp_path, version):
    scene, path = bpy.context.scene, tmp_path / "back.bcf"
    results.show_report(bpy.context, scene, make_report(make_row(), make_row("A", "C")))
    first, second = results.as_listed(scene).rows[:2]
    reviews.say(scene, [first], status="APPROVED", comment="the sleeve is drawn", assignee="Carla")
    reviews.say(scene, [second], comment="to be moved")
    path.write_bytes(to_bcf(results.as_listed(scene).as_dict(), version))
    reviews.say(scene, [first], status="OPEN", comment="", assignee="Ben")
    reviews.say(scene, [second], status="RESOLVED", comment="", assignee="Ben")
    assert bpy.ops.meshclash.import_bcf(filepath=str(path)) == {"FINISHED"}
    statuses = reviews.reviews_of(scene).statuses
    assert (statuses[first.id], reviews.comment_of(scene, first.id)) == ("APPROVED", "the sleeve is drawn")
    assert (statuses[second.id], reviews.comment_of(scene, second.id)) == ("OPEN", "to be moved")
    assert [reviews.review_of(scene, row.id).assignee for row in (first, second)] == ["Carla", "Ben"]


def test_a_damaged_bcf_file_changes_nothing(listed, tmp_path):
    path = tmp_path / "bad.bcf"
    path.write_bytes(b"PK no zip")
    reviews.say(bpy.context.scene, results.as_listed(bpy.context.scene).rows[:1], comment="mine")
    with pytest.raises(RuntimeError, match=r"bad\.bcf"):
        bpy.ops.meshclash.import_bcf(filepath=str(path))
    assert [review.comment for review in bpy.context.scene.meshclash.reviews] == ["mine"]


@pytest.mark.parametrize(
    ("kind", "start"), [("JSON", "{"), ("CSV", ""), ("HTML", "<!"), ("JUNIT", "<?xml"), ("SARIF", "{")]
)
def test_export(listed, tmp_path, kind, start):
    assert bpy.ops.meshclash.export_report(filepath=str(tmp_path / "report.json"), format=kind) == {"FINISHED"}
    ending = {"JUNIT": "xml"}.get(kind, kind.lower())
    text = (tmp_path / f"report.{ending}").read_text("utf-8")
    assert text.startswith(start)
    if kind == "JSON":
        assert json.loads(text)["schema"] == "meshclash.report/1"


@pytest.mark.parametrize(
    ("name", "start"), [("a.JSON", "{"), ("b.csv", "id,"), ("c.html", "<!"), ("d.txt", "<!DOCTYPE"), ("e", "<!DOCTYPE")]
)
def test_export_writes_what_the_file_is_named(listed, tmp_path, name, start):
    assert bpy.ops.meshclash.export_report(filepath=str(tmp_path / name)) == {"FINISHED"}
    (written,) = tmp_path.iterdir()
    assert written.read_text("utf-8").startswith(start)


def test_export_that_cannot_be_written(listed, tmp_path):
    with pytest.raises(RuntimeError, match="cannot be written"):
        bpy.ops.meshclash.export_report(filepath=str(tmp_path / "missing" / "report.json"))


def test_export_needs_a_file_name(listed, tmp_path):
    with pytest.raises(RuntimeError, match="must end in"):
        bpy.ops.meshclash.export_report(filepath=f"{tmp_path}/")
    assert not list(tmp_path.parent.glob(f"{tmp_path.name}.*"))
