"""File loading, undo and changes of the scene."""

import json
from dataclasses import replace

import bpy
import list_mutations
import pytest
from meshclash.clash.errors import InputError
from meshclash.clash.rules import Rules
from ui_fakes import draw, make_report, make_row

from addon import handlers, props, results, running_work, scene_results
from addon.core import saved
from addon.ops.task import Task
from addon.reviews import reviews_of
from addon.ui import panels


@pytest.fixture
def result(registered):
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.ed.undo_push(message="cube")
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row()))
    return scene_results.result_of(bpy.context.scene.session_uid)


def reopened(tmp_path):
    """Saves the file and opens it again."""
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    return scene_results.result_of(bpy.context.scene.session_uid)


def refuse(text):
    """A damaged list is an error with a sentence for the user."""
    with pytest.raises(InputError, match=r"^The list of results in this file is damaged.* Press Detect"):
        saved.from_text(text, "", 1.0)


def test_the_list_comes_back_with_the_file_and_is_marked(result, tmp_path):
    before = result.report.rows[0]
    loaded = reopened(tmp_path)
    row = loaded.report.rows[0]
    assert loaded.loaded and loaded.is_stale(row)
    assert (row.id, row.a.name, row.b.name, row.verdict, row.depth) == (before.id, "A", "B", "clash", 0.25)
    assert (row.a.count, row.b.count, row.location) == (1, 2, (0.0, 0.0, 0.0))
    listed = bpy.context.window_manager.meshclash
    assert [(item.name, item.faces_b) for item in listed.rows] == [("A × B", 2)]


def test_a_list_that_came_with_the_file_can_be_exported(registered, tmp_path):
    rules = Rules(same_parent=True, listed_pairs=frozenset({("X", "Y")}))
    report = make_report(make_row(), make_row(b="C"), set_a="object:A", permitted_overlap=0.25, rules=rules)
    results.show_report(bpy.context, bpy.context.scene, replace(report, created="2026-11-22T10:11:12+01:00"))
    bpy.context.window_manager.meshclash.around = "ALL"
    bpy.context.window_manager.meshclash.active_row = 0
    bpy.ops.meshclash.set_status(status="REVIEWED")
    before = results.as_listed(bpy.context.scene).as_dict()
    reopened(tmp_path)
    for name in ("report.json", "report.csv", "report.html"):
        assert bpy.ops.meshclash.export_report(filepath=str(tmp_path / name)) == {"FINISHED"}
    after = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert after["options"] == before["options"] and after["created"] == before["created"]
    assert after["saved_list"] == {"missing": 0}
    for pair, old in zip(after["pairs"], before["pairs"], strict=True):
        lost = {"faces_a": [], "faces_b": [], "original_faces_a": None, "original_faces_b": None, "outdated": True}
        assert pair == {**json.loads(json.dumps(old)), **lost}
    assert [pair["status"] for pair in after["pairs"]] == ["reviewed", "open"]
    assert "which faces are in contact was not saved" in (tmp_path / "report.html").read_text("utf-8")


def test_an_excluded_pair_is_saved_and_can_be_taken_back_after_loading(result, tmp_path):
    bpy.context.window_manager.meshclash.around = "ALL"
    bpy.context.window_manager.meshclash.active_row = 0
    bpy.ops.meshclash.exclude_pair()
    assert reopened(tmp_path).report.rows == []
    bpy.ops.meshclash.include_pair()
    assert [row.name for row in bpy.context.window_manager.meshclash.rows] == ["A × B"]


def test_a_list_longer_than_what_is_saved_says_so(registered, monkeypatch):
    monkeypatch.setattr(saved, "MOST_ROWS", 2)
    once = saved.from_text(saved.to_text(make_report(*(make_row(b=f"B{k}") for k in range(5)))), "", 1.0)
    assert len(once.rows) == 2 and once.missing == 3
    assert saved.from_text(saved.to_text(once), "", 1.0).missing == 3  # saved again without a new detection


def test_a_file_without_results_opens_without(registered, tmp_path):
    assert reopened(tmp_path) is None
    assert len(bpy.context.window_manager.meshclash.rows) == 0


def test_gaps_come_back_with_the_file(registered, tmp_path):
    gap = {"distance": 0.5, "point_a": (0.0, 0.0, 0.0), "point_b": (0.0, 0.0, 0.5), "face_a": 3, "face_b": 4}
    row = make_row(verdict="near", depth=None, **gap)
    report = make_report(row, test="clearance", tolerance=0.75)
    results.show_report(bpy.context, bpy.context.scene, report)
    loaded = reopened(tmp_path)
    assert loaded.report.options.test == "clearance" and loaded.report.options.tolerance == 0.75
    kept = loaded.report.rows[0]
    assert kept.distance == 0.5
    assert [(side.point, side.face) for side in kept.sides] == [((0.0, 0.0, 0.0), 3), ((0.0, 0.0, 0.5), 4)]
    assert bpy.context.window_manager.meshclash.rows[0].distance == 0.5


def test_a_depth_that_is_not_proved_comes_back_as_a_bound():
    row = make_row(depth=None, depth_lower=0.0, depth_upper=0.002)
    (kept,) = saved.from_text(saved.to_text(make_report(row)), "", 1.0).rows
    assert (kept.depth, kept.depth_lower, kept.depth_upper) == (None, 0.0, 0.002)


def test_lists_of_earlier_versions_are_read(registered):
    plain = json.loads(saved.to_text(make_report(make_row())))
    for name in ("asked", "rules", "excluded", "created", "total"):
        del plain[name]
    for name in ("distance", "point_a", "point_b", "face_a", "face_b", "probability", "flush", "certainty"):
        del plain["rows"][0][name]
    report = saved.from_text(json.dumps(plain), "", 1.0)
    assert report.options.test == "intersection"
    assert report.rows[0].depth == 0.25 and report.rows[0].distance is None
    unsure = saved.from_text(saved.to_text(make_report(make_row(certainty=0.75))), "", 1.0)
    assert unsure.rows[0].certainty == 0.75
    assert report.rows[0].certainty == 1.0 and not report.rows[0].flush


@pytest.mark.parametrize(
    "changes",
    [
        {"rules": 5},
        {"excluded": [["A"]]},
        {"asked": {"test": "intersection", "set_a": 5}},
        {"created": 5},
        {"asked": {"test": "magic"}},
        {"asked": {"test": "clearance"}},
        {"asked": []},
        {"asked": {"no": 1}},
    ],
)
def test_a_list_of_an_unknown_test_is_refused(registered, changes):
    plain = json.loads(saved.to_text(make_report(make_row())))
    refuse(json.dumps({**plain, **changes}))
    plain["rows"][0]["verdict"] = "strange"
    refuse(json.dumps(plain))


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"format": 99, "rows": []}', '{"format": 1, "rows": [{"id": 3}]}', "[" * 200_000, '{"format": 1e999}',
     '{"format": 1, "rows": 1e999}', '"' + "\\ud800" + '"'],
)  # fmt: skip
def test_a_damaged_list_in_a_file_is_refused(registered, tmp_path, text):
    refuse(text)


DAMAGES = {
    "frame": [1e999, 10**30, 1.5, True, None, "1"], "severity": [1e999, 10**30, -1], "contacts": [10**30, "many", []],
    "depth": [float("nan"), 1e999, 1e300, -1.0, "deep", True], "distance": [float("nan"), [1.0]],
    "location": [[1e999, 0, 0], [0, 0], "123", [float("nan")] * 3], "faces": [[1e999, 1], [10**30, 1], [-1, 1], [1]],
    "a": ["\ud800", "a\0b", 5, None], "id": ["\udcff", 3], "probability": [2.0, -1.0], "certainty": [float("nan")],
    "face_a": [1e999, -5], "point_b": [[1e999] * 3], "volume_lower": [float("inf")], "scans": [5], "verdict": [[], {}],
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_row_is_refused_and_later_scenes_have_their_lists(registered, name):
    """Every scene is looked at, however wrong the list of another is, and the panel says why one has none."""
    good = saved.to_text(make_report(make_row()))
    later = bpy.data.scenes.new("later")
    for damage in DAMAGES[name]:
        plain = json.loads(good)
        plain["rows"][0][name] = damage
        bpy.context.scene.meshclash.saved_list = json.dumps(plain)
        later.meshclash.saved_list = good
        refuse(json.dumps(plain))
        handlers.on_load_post()
        assert scene_results.result_of(bpy.context.scene.session_uid) is None
        assert "Press Detect" in scene_results.refused_list(bpy.context.scene.session_uid)
        assert scene_results.result_of(later.session_uid) is not None
        assert scene_results.refused_list(later.session_uid) == ""
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row()))
    assert scene_results.refused_list(bpy.context.scene.session_uid) == ""


def test_mutated_lists_are_loaded_or_refused_and_can_be_exported(registered, tmp_path):
    counts = list_mutations.campaign(300, 1, tmp_path)
    assert counts["wrong"] == 0 and counts["loaded"] > 10 and counts["refused"] > 100


@pytest.mark.parametrize("text", ["[" * 200_000, '{"-99999": {"local": true}}', '{"1e999": {}}', "[1]", '{"0": NaN}'])
def test_damaged_notes_of_views_are_passed_over(registered, text):
    bpy.context.screen.meshclash_views = text
    handlers.on_load_post()


def test_a_file_with_results_says_all_that_was_said_before_it_was_saved(registered, add_box, tmp_path):
    """Real objects of two classes, collections and assemblies, one of which has no faces; a pair is a fit."""
    scene, places = bpy.context.scene, []
    for name in ("Level 1", "Level 2"):
        places.append(bpy.data.collections.new(name))
        scene.collection.children.link(places[-1])
    frame = add_box("Frame", (9, 9, 9), (10, 10, 10))
    for at in range(6):
        kind = ("IfcWall/Wall", "IfcDoor/Door")[at % 2]
        item = add_box(f"{kind} {at}", (0, 0, 0), (1, 1, 1), (0.9 * at, 0, 0), places[at // 3])
        item.parent = frame if at < 2 else None
    scene.collection.objects.link(bpy.data.objects.new("Empty Mesh", bpy.data.meshes.new("Empty Mesh")))
    fit = scene.meshclash.fits.add()
    fit.name_b, fit.permitted = "IfcDoor/Door 1", 0.2
    bpy.context.view_layer.update()
    bpy.ops.meshclash.detect()

    def told():
        listed = bpy.context.window_manager.meshclash
        lines = [text for text in draw(panels.MESHCLASH_PT_results, bpy.context).texts() if "not tested" in text]
        for way, *_ in props.GROUPINGS_SHOWN:
            listed.group_by = way
            lines += [f"{way} {group.name} {group.count}" for group in listed.groups]
        return lines

    before, rows = told(), [row.verdict for row in result_of_scene().report.rows]
    assert before[0].startswith("1 object not tested: Empty Mesh") and rows.count("touching") == 2
    reopened(tmp_path)
    assert told() == before and [row.verdict for row in result_of_scene().report.rows] == rows
    assert "Settings changed" not in " ".join(draw(panels.MESHCLASH_PT_results, bpy.context).texts())
    bpy.data.objects["IfcDoor/Door 1"].location.y = 5.0
    bpy.context.view_layer.update()
    said = [text for text, _ in panels.messages(bpy.context, result_of_scene())]
    assert any("1 object changed since" in text for text in said)


def result_of_scene():
    return scene_results.result_of(bpy.context.scene.session_uid)


def test_statuses_are_saved_and_found_again(result, tmp_path):
    bpy.context.window_manager.meshclash.around = "ALL"
    bpy.context.window_manager.meshclash.active_row = 0
    bpy.ops.meshclash.set_status(status="APPROVED")
    bpy.context.scene.meshclash.reviews[0].comment = "press fit"
    loaded = reopened(tmp_path)
    review = bpy.context.scene.meshclash.reviews[loaded.report.rows[0].id]
    assert (review.status, review.comment, review.name_a) == ("APPROVED", "press fit", "A")
    bpy.context.window_manager.meshclash.around = "ALL"
    bpy.context.window_manager.meshclash.active_row = 0
    bpy.ops.meshclash.set_status(status="OPEN")
    assert len(bpy.context.scene.meshclash.reviews) == 1  # the comment is worth keeping
    bpy.context.scene.meshclash.reviews[0].comment = ""
    bpy.ops.meshclash.set_status(status="OPEN")
    assert len(bpy.context.scene.meshclash.reviews) == 0


def test_a_status_can_be_undone(result):
    bpy.context.window_manager.meshclash.around = "ALL"
    bpy.context.window_manager.meshclash.active_row = 0
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.meshclash.set_status(status="RESOLVED")
    bpy.ops.ed.undo_push(message="resolved")
    bpy.ops.meshclash.set_status(status="APPROVED")
    bpy.ops.ed.undo_push(message="approved")
    assert len(reviews_of(bpy.context.scene).approved) == 1
    bpy.ops.ed.undo()
    assert bpy.context.scene.meshclash.reviews[0].status == "RESOLVED"
    assert not reviews_of(bpy.context.scene).approved
    bpy.ops.ed.undo()
    assert len(bpy.context.scene.meshclash.reviews) == 0
    bpy.ops.ed.redo()
    bpy.ops.ed.redo()
    assert len(reviews_of(bpy.context.scene).approved) == 1


def test_settings_are_saved_in_the_file(result, tmp_path):
    path = str(tmp_path / "saved.blend")
    bpy.context.scene.meshclash.permitted_overlap = 0.5
    bpy.context.scene.meshclash.excluded_pairs.add().name_a = "A"
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.context.scene.meshclash.permitted_overlap == pytest.approx(0.5)
    assert bpy.context.scene.meshclash.excluded_pairs[0].name_a == "A"


@pytest.mark.parametrize(("given", "expected"), [(None, "auto"), (0.5, 0.5), (0.0, 0.0)])
def test_files_of_versions_without_resolution_keep_their_permitted_overlap(result, tmp_path, given, expected):
    path, settings = str(tmp_path / "old.blend"), bpy.context.scene.meshclash
    assert settings.detect_options(1.0).permitted_overlap == "auto"
    if given is not None:
        settings.permitted_overlap = given
        assert settings.detect_options(1.0).permitted_overlap == given, "who gives a length wants it to count"
        settings.property_unset("permitted_by")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.context.scene.meshclash.detect_options(1.0).permitted_overlap == expected
    bpy.context.scene.meshclash.permitted_by = "RESOLUTION"
    assert bpy.context.scene.meshclash.detect_options(1.0).permitted_overlap == "resolution"


def stale():
    return set(scene_results.result_of(bpy.context.scene.session_uid).stale)


@pytest.fixture
def boxes(registered, add_box):
    """A and B with a result between them, and a bystander."""
    for name in ("A", "B", "C"):
        add_box(name, (0, 0, 0), (1, 1, 1))
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="boxes")
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row()))
    return bpy.data.objects


def test_only_what_changes_an_object_makes_it_stale(boxes):
    bpy.context.scene.cursor.location.x = 1.0
    boxes["A"].select_set(True)
    boxes["A"].data.materials.append(None)
    bpy.context.view_layer.update()
    assert "B" not in stale()
    boxes["B"].location.x = 1.0
    bpy.context.view_layer.update()
    assert "B" in stale() and "C" not in stale()


def test_a_changed_frame_makes_animated_objects_stale(boxes):
    item = boxes["B"]
    item.keyframe_insert("location", frame=1)
    item.location.x = 5.0
    item.keyframe_insert("location", frame=10)
    bpy.context.view_layer.update()
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row()))
    bpy.context.scene.frame_set(5)
    assert "B" in stale() and "C" not in stale()


def test_deleted_and_renamed_objects_are_stale(boxes):
    bpy.data.objects.remove(boxes["A"])
    boxes["B"].name = "Other"
    bpy.context.view_layer.update()
    assert {"A", "B"} <= stale()


def test_undo_marks_what_it_changed_and_keeps_the_list(boxes):
    boxes["B"].location.x = 3.0
    bpy.ops.ed.undo_push(message="moved")
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row()))
    bpy.ops.ed.undo()
    bpy.context.view_layer.update()
    assert "B" in stale()
    assert len(bpy.context.window_manager.meshclash.rows) == 1


def test_what_changes_during_a_detection_is_stale_afterwards(boxes):
    running_work.start_task(Task(progress for progress in ()))
    boxes["B"].location.x = 3.0
    bpy.context.view_layer.update()
    running_work.stop_task()
    assert running_work.changed_meanwhile() == {"B"}


def test_handlers_survive_loading(registered):
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    for name, handler in handlers._HANDLERS:
        assert handler in getattr(bpy.app.handlers, name)[:]
