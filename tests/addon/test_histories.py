"""Histories of clashes in Blender: three revisions, undo, crashes, two Blenders at one file, old files."""

import itertools
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import bpy
import numpy as np
import pytest
from meshclash.clash import Journal, decisions, event

from addon import handlers, histories, reviews, scene_results
from addon.ops.detect import prepare

ROOT = Path(__file__).resolve().parents[2]


def rows():
    return scene_results.existing_result(bpy.context.scene.session_uid).report.rows


def detect():
    bpy.context.view_layer.update()
    bpy.ops.meshclash.detect()
    history = histories.history_of(bpy.context.scene)
    return {row.names: history.progress(row.id) for row in rows()}


def say(a, b, **said):
    reviews.say(bpy.context.scene, [row for row in rows() if row.names == (a, b)], **said)


def said(a, b):
    (row,) = (row for row in rows() if row.names == (a, b))
    return reviews.review_of(bpy.context.scene, row.id)


@pytest.fixture
def hall(registered, add_box):
    """Four posts of different sizes that stand in a slab, three alike beside them, and a crate that does not."""
    add_box("Slab", (-5, -5, -1), (40, 5, 0))
    for k, name in enumerate(("North", "East", "South", "West")):
        add_box(name, (3 * k, 0, -0.25), (3 * k + 1 + 0.1 * k, 1, 2))
    for k in range(3):
        add_box(f"Bolt.{k + 1:03}", (20 + 3 * k, 0, -0.25), (21 + 3 * k, 1, 2))
    add_box("Crate", (0, 20, 0), (1, 21, 1))
    return bpy.data.objects


def test_a_detection_that_is_stopped_at_its_end_leaves_what_was_there(hall):
    detect()
    before = scene_results.existing_result(bpy.context.scene.session_uid)
    known = dict(histories.history_of(bpy.context.scene).events)
    bpy.data.objects.remove(hall["West"])
    bpy.context.view_layer.update()
    stopped = 0
    for steps in itertools.count(1):
        task = prepare(bpy.context)
        while task.text != "Listing the pairs":
            task.run_slice(0.0)
        for _ in range(steps):
            task.run_slice(0.0)
        if task.finished:
            break
        task.close("ESC")
        stopped += 1
        assert histories.history_of(bpy.context.scene).events == known
        assert scene_results.existing_result(bpy.context.scene.session_uid) is before
    assert stopped > 10
    assert ("Slab", "West") in {row.names for row in rows()}
    detect()
    assert [decision.names for _, decision in histories.gone(bpy.context.scene)] == [("Slab", "West")]


def reimport(item, name):
    """The same mesh in another object, as an importer makes it."""
    made = bpy.data.objects.new("new", item.data.copy())
    made.matrix_world = item.matrix_world
    bpy.data.objects.remove(item)
    made.name = name
    bpy.context.scene.collection.objects.link(made)
    return made


def test_three_revisions_bring_every_word_to_its_pair(hall):
    assert set(detect().values()) == {"new"}
    say("North", "Slab", status="APPROVED", comment="cast in")
    say("East", "Slab", status="RESOLVED", assignee="Ann")
    say("Slab", "South", priority="high", due="2026-12-24")
    say("Slab", "West", status="REVIEWED")
    say("Bolt.001", "Slab", comment="the first")
    say("Bolt.003", "Slab", comment="the last")
    reimport(hall["North"], "Zenith")  # renamed and imported anew
    hall["South"].location.x += 0.5  # moved
    bpy.data.objects.remove(hall["West"])  # deleted
    bpy.data.objects.remove(hall["Bolt.001"])
    reimport(hall["Bolt.002"], "Bolt.001")  # numbers are given out anew
    reimport(hall["Bolt.003"], "Bolt.002")
    hall["Crate"].location = (30, -20, -0.5)  # new
    found = detect()
    assert found.pop(("Crate", "Slab")) == "new" and set(found.values()) == {"active"}
    assert (said("Slab", "Zenith").status, said("Slab", "Zenith").comment) == ("APPROVED", "cast in")
    assert (said("East", "Slab").status, said("East", "Slab").assignee) == ("RESOLVED", "Ann")
    assert (said("Slab", "South").priority, said("Slab", "South").due) == ("high", "2026-12-24")
    assert said("Bolt.001", "Slab") is None, "the second bolt has nothing said of it"
    assert said("Bolt.002", "Slab").comment == "the last"
    scene = bpy.context.scene
    assert len(histories.found_again(scene, {row.id: row for row in rows()})) == 1  # East still clashes
    assert {decision.names for _, decision in histories.gone(scene)} == {("Slab", "West"), ("Bolt.001", "Slab")}
    assert {decision.status or decision.comment for _, decision in histories.gone(scene)} == {"reviewed", "the first"}
    hall["Zenith"].name = "Pole"
    hall["East"].location.z += 50
    detect()
    assert said("Pole", "Slab").comment == "cast in"
    hall["East"].location.z -= 50
    found = detect()
    assert found["East", "Slab"] == "reopened" and found["Pole", "Slab"] == "active"
    assert said("East", "Slab").assignee == "Ann"


def test_another_object_under_an_old_name_gets_no_word_of_it(hall, add_box):
    detect()
    say("North", "Slab", status="APPROVED")
    bpy.data.objects.remove(hall["North"])
    other = reimport(hall["East"], "North")
    other.name = "North"
    found = detect()
    assert said("North", "Slab") is None and found["North", "Slab"] == "active"


def test_undo_is_an_event_and_redo_too(hall):
    detect()
    bpy.ops.ed.undo_push(message="before")
    say("North", "Slab", status="APPROVED")
    bpy.ops.ed.undo_push(message="approved")
    (row,) = (row for row in rows() if row.names == ("North", "Slab"))
    bpy.ops.ed.undo()
    assert histories.history_of(bpy.context.scene).decisions[row.id].status == "open"
    bpy.ops.ed.redo()
    assert histories.history_of(bpy.context.scene).decisions[row.id].status == "approved"


def test_comments_keep_author_and_time(hall, monkeypatch):
    detect()
    for who, text in (("Ann", "why?"), ("Ben", "cast in")):
        monkeypatch.setattr(histories, "author", lambda who=who: who)
        say("North", "Slab", comment=text)
    (row,) = (row for row in rows() if row.names == ("North", "Slab"))
    remarks = histories.history_of(bpy.context.scene).decisions[row.id].comments
    assert [remark[1:] for remark in remarks] == [("Ann", "why?"), ("Ben", "cast in")]
    assert remarks[0].time < remarks[1].time


def test_a_journal_gives_back_what_was_not_saved(hall, tmp_path):
    path = str(tmp_path / "hall.blend")
    detect()
    bpy.ops.wm.save_as_mainfile(filepath=path)
    say("North", "Slab", status="APPROVED", comment="cast in")
    hall["North"].name = "Pole"
    detect()  # the journal knows it by its new name now, the file by the old one
    say("Pole", "Slab", assignee="Ann")
    bpy.ops.wm.open_mainfile(filepath=path)
    detect()
    review = said("North", "Slab")
    assert (review.status, review.comment, review.assignee) == ("APPROVED", "cast in", "Ann")


def test_a_file_without_journal_has_its_history(hall, tmp_path):
    path = tmp_path / "hall.blend"
    detect()
    say("North", "Slab", status="RESOLVED", comment="done")
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    journal = path.with_suffix(histories.ENDING)
    assert journal.exists()
    journal.unlink()
    bpy.ops.wm.open_mainfile(filepath=str(path))
    assert detect()["North", "Slab"] == "active"
    assert histories.found_again(bpy.context.scene, {row.id: row for row in rows()})
    assert said("North", "Slab").comment == "done"


def test_what_another_blender_said_and_saved_is_noticed_and_merged(hall, tmp_path):
    path = tmp_path / "hall.blend"
    detect()
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    assert not histories.saved_by_another()
    scene = bpy.context.scene
    (row,) = (row for row in rows() if row.names == ("North", "Slab"))
    other = Journal(path.with_suffix(histories.ENDING))
    from meshclash.clash import event

    other.add([event("Ben", row.id, "status", "approved", scene=histories.kept(scene).scene)])
    path.write_bytes(path.read_bytes() + b"\0")
    assert histories.saved_by_another()
    assert histories.read_others() and not histories.read_others()
    say("East", "Slab", status="REVIEWED")
    assert said("North", "Slab").status == "APPROVED"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    assert not histories.saved_by_another()
    bpy.ops.wm.open_mainfile(filepath=str(path))
    detect()
    assert (said("North", "Slab").status, said("East", "Slab").status) == ("APPROVED", "REVIEWED")


def test_reviews_of_earlier_versions_become_a_history(hall, tmp_path):
    detect()
    (row,) = (row for row in rows() if row.names == ("North", "Slab"))
    histories.forget()  # as a version without histories leaves the file
    review = bpy.context.scene.meshclash.reviews.add()
    review.name, review.name_a, review.name_b, review.status = row.id, "North", "Slab", "APPROVED"
    hall["North"]["GlobalId"] = "0000000000000000000P01"  # by which pairs are told since
    detect()
    assert said("North", "Slab").status == "APPROVED"


def test_a_journal_that_cannot_be_written_is_said_and_loses_nothing(hall, tmp_path):
    path = tmp_path / "hall.blend"
    path.with_suffix(histories.ENDING).mkdir()
    detect()
    say("North", "Slab", status="APPROVED")
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    assert "cannot be" in histories.problem()
    bpy.ops.wm.open_mainfile(filepath=str(path))
    detect()
    assert said("North", "Slab").status == "APPROVED"


KILLED = """
import sys
sys.path[:0] = [{root!r}, {root!r} + "/engine", {root!r} + "/tests/addon"]
import bpy
import addon
from addon import reviews, scene_results
addon.register()
bpy.ops.wm.open_mainfile(filepath={path!r})
result = scene_results.existing_result(bpy.context.scene.session_uid)
print("ready", flush=True)
for k in range(100_000):
    row = result.report.rows[k % len(result.report.rows)]
    reviews.say(bpy.context.scene, [row], comment=str(k))
    print(k, row.id, flush=True)
"""


@pytest.mark.slow
def test_kill_9_between_detect_and_save_loses_no_word(hall, tmp_path):
    path = tmp_path / "hall.blend"
    detect()
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    told = 0
    for k in range(5):
        command = [sys.executable, "-c", KILLED.format(root=str(ROOT), path=str(path))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as process:
            while process.stdout.readline().strip() != "ready":
                pass
            time.sleep(random.Random(k).uniform(0.0, 0.2))
            os.kill(process.pid, signal.SIGKILL)
            lines = [line.split() for line in process.stdout.read().splitlines() if line.count(" ") == 1]
        last = {clash: text for text, clash in lines if len(clash) == 16}
        bpy.ops.wm.open_mainfile(filepath=str(path))
        found = decisions(histories.history_of(bpy.context.scene).events.values())
        for clash, text in last.items():
            assert int(found[clash].comment) >= int(text)
            assert int(reviews.comment_of(bpy.context.scene, clash)) >= int(text)
        told += len(lines)
    assert told > 5


def test_ids_are_those_of_the_command_line_where_objects_have_a_global_id(registered, add_box):
    from meshclash.clash.review.revisions import pair_id

    for name, key in (("A", "GUID-A"), ("B", "GUID-B")):
        add_box(name, (0, 0, 0), (1, 1, 1), np.random.default_rng(ord(name)).random(3) * 0.1)["GlobalId"] = key
    detect()
    assert [row.id for row in rows()] == [pair_id("GUID-A", "GUID-B")]
    bpy.context.scene.objects["A"].copy()  # not in the scene
    add_box("C", (9, 9, 9), (10, 10, 10))["GlobalId"] = "GUID-A"  # a copy keeps the property: names tell them apart
    detect()
    assert [row.id for row in rows()] == [pair_id("\0A", "GUID-B")]


def test_a_narrower_question_says_of_no_other_pair_that_it_is_gone(registered, add_box):
    """Neither of two collections alone, nor of a selection, nor does another kind of test."""
    inner = bpy.data.collections.new("Inner")
    bpy.context.scene.collection.children.link(inner)
    for name, x, height in (("A", 0, 2), ("B", 1, 2.5), ("C", 20, 3), ("D", 21, 3.5)):
        item = add_box(name, (x, 0, 0), (x + 2, 2, height))
        if name in "CD":
            inner.objects.link(item)
    detect()
    say("A", "B", status="APPROVED")
    settings = bpy.context.scene.meshclash
    settings.set_a = settings.set_b = "COLLECTION"
    settings.set_a_collection = settings.set_b_collection = inner
    assert detect() == {("C", "D"): "active"}
    bpy.data.objects["D"].select_set(True)
    settings.set_a, settings.set_b = "SELECTION", "ALL"
    assert detect() == {("D", "C"): "active"}
    settings.set_a = "ALL"
    settings.test = "distance"
    detect()
    settings.test = "intersection"
    assert detect() == {("A", "B"): "active", ("C", "D"): "active"}
    assert said("A", "B").status == "APPROVED"
    assert not histories.gone(bpy.context.scene)
    bpy.data.objects["D"].location.z = 50
    settings.set_a = settings.set_b = "COLLECTION"
    assert detect() == {}
    settings.set_a = settings.set_b = "ALL"
    assert detect() == {("A", "B"): "active"}
    assert [{*decision.names} for _, decision in histories.gone(bpy.context.scene)] == [{"C", "D"}]


def test_pairs_of_hidden_objects_are_not_gone(hall):
    assert ("North", "Slab") in detect()
    hall["North"].hide_viewport = True
    for _ in range(2):
        assert ("North", "Slab") not in detect()
        assert not histories.gone(bpy.context.scene)
    hall["North"].hide_viewport = False
    assert detect()["North", "Slab"] == "active"
    bpy.data.objects.remove(hall["North"])
    detect()
    assert [{*decision.names} for _, decision in histories.gone(bpy.context.scene)] == [{"North", "Slab"}]


def test_pairs_of_lost_objects_are_not_gone(hall):
    """Neither where the mesh cannot be read nor where the engine cannot take the place; nor of an instance."""
    assert ("North", "Slab") in detect()
    mesh = hall["North"].data
    sound = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", sound)
    mesh.attributes["position"].data.foreach_set("vector", np.full_like(sound, np.nan))
    mesh.update()
    hall["East"].scale.x = np.nan
    for _ in range(2):
        found = detect()
        assert ("North", "Slab") not in found and ("East", "Slab") not in found
        assert not histories.gone(bpy.context.scene)
    mesh.attributes["position"].data.foreach_set("vector", sound)
    mesh.update()
    hall["East"].scale.x = 1.0
    found = detect()
    assert (found["North", "Slab"], found["East", "Slab"]) == ("active", "active")


def test_pairs_of_lost_instances_are_not_gone(hall):
    instances = bpy.data.collections.new("Pins")
    pin = hall["West"]
    bpy.context.scene.collection.objects.unlink(pin)
    instances.objects.link(pin)
    place = bpy.data.objects.new("Place", None)
    place.instance_type, place.instance_collection = "COLLECTION", instances
    bpy.context.scene.collection.objects.link(place)
    (instance,) = (names for names in detect() if any(name.startswith("Place/") for name in names))
    pin.data.attributes["position"].data.foreach_set("vector", np.full(24, np.nan, np.float32))
    pin.data.update()
    assert instance not in detect() and not histories.gone(bpy.context.scene)


def test_a_full_copy_of_a_scene_decides_for_itself(hall, tmp_path):
    detect()
    say("North", "Slab", status="APPROVED")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hall.blend"))
    first = bpy.context.scene.name
    bpy.ops.scene.new(type="FULL_COPY")
    copy = bpy.context.scene.name
    bpy.context.view_layer.update()
    bpy.ops.meshclash.detect()
    for row in rows():
        reviews.say(bpy.context.scene, [row], status="RESOLVED")
    names = {histories.kept(scene).scene for scene in bpy.data.scenes}
    assert len(names) == 2
    for _ in range(2):
        assert {review.status for review in bpy.data.scenes[copy].meshclash.reviews} == {"RESOLVED"}
        assert {review.status for review in bpy.data.scenes[first].meshclash.reviews} == {"APPROVED"}
        bpy.ops.wm.save_mainfile()
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "hall.blend"))
    assert {histories.kept(scene).scene for scene in bpy.data.scenes} == names


def test_a_timer_lists_what_another_blender_says(hall, tmp_path):
    detect()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hall.blend"))
    handlers.look_at_others()
    assert not histories.look_at_others()
    (row,) = (row for row in rows() if row.names == ("North", "Slab"))
    name = histories.kept(bpy.context.scene).scene
    Journal(tmp_path / "hall.meshclash-journal").add([event("Ben", row.id, "status", "approved", scene=name)])
    listed = bpy.context.window_manager.meshclash
    listed.statuses = {"APPROVED"}
    assert listed.found == 0
    assert handlers.look_at_others() == handlers.LOOK_SECONDS
    assert [item.pair_id for item in listed.rows] == [row.id] and said("North", "Slab").status == "APPROVED"
    assert not histories.look_at_others()
