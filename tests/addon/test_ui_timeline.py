"""Scan Timeline in Blender: its operator with events made by hand, its list, markers, curve, strip and heat map."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from timeline_driver import Driver
from ui_fakes import RecordingLayout, draw, escape, make_report, make_row, timer

from addon import events_list, results, running_work, scene_results
from addon.adapters.fcurves import curve_of
from addon.adapters.heat_attributes import COLOUR, DEPTH, OFTEN
from addon.ops import heartbeat, timeline
from addon.overlay import strip
from addon.ui.timeline import MESHCLASH_PT_timeline, MESHCLASH_UL_events


@pytest.fixture
def passing(registered, add_box):
    """B goes through A at half a unit a frame, -5 in frame 0, 15 in frame 40; C stays in A."""
    add_box("A", (0, 0, 0), (1, 1, 1))
    add_box("C", (0.25, 0.5, 0.25), (0.75, 1.5, 0.75))
    mover = add_box("B", (0, 0, 0), (1, 1, 1), location=(0, 0.125, 0))
    for frame, x in ((0, -5.0), (40, 15.0)):
        mover.location.x = x
        mover.keyframe_insert("location", frame=frame)
    for key in curve_of(mover, "location").keyframe_points:
        key.interpolation = "LINEAR"
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 0, 40
    scene.frame_set(33, subframe=0.5)
    return scene


def where(scene):
    return scene.frame_current, round(scene.frame_subframe, 4)


def told():
    scanned = scene_results.timeline_of(bpy.context.scene.session_uid)
    return sorted((event.row.a.name, event.row.b.name, event.start, event.end) for event in scanned.events)


ALL = [("A", "B", 8, 12), ("A", "C", 0, 40), ("B", "C", 9, 11)]  # C spans 0.25 to 0.75


def test_a_scan_finds_the_events_and_puts_the_frame_back(passing):
    driver = Driver()
    assert driver.finish() == ("INFO", "3 events in 41 frames (0-40)")
    assert told() == ALL and where(passing) == (33, 0.5)
    assert bpy.context.window_manager.meshclash.events[0].name == "A × B"
    assert running_work.running_task() is None and not heartbeat.Heartbeat.running


@pytest.mark.parametrize("frames", [0, 1, 11])
def test_escape_keeps_what_was_found(passing, frames):
    driver = Driver()
    scanned = scene_results.timeline_of(passing.session_uid)
    while scanned.timeline.done < frames:
        assert driver.tick()
    if frames:
        assert where(passing) != (33, 0.5)
    last = scanned.timeline.done - 1
    assert driver.send(escape()) == {"CANCELLED"}
    assert where(passing) == (33, 0.5) and last < 40
    assert scene_results.timeline_of(passing.session_uid) is (scanned if frames else None)
    if frames == 11:
        assert told() == [(a, b, start, min(end, last)) for a, b, start, end in ALL if start <= last]
        texts = " ".join(draw(MESHCLASH_PT_timeline, bpy.context).texts())
        assert f"3 events in frames 0-{last} (Intersection) Stopped before frame {last + 1}" in texts


def test_a_scan_that_undo_stops_before_its_first_frame_is_drawn(passing):
    Driver()
    running_work.stop_task("Undo during detection: press Detect again")
    assert "in frames – (Intersection)" in " ".join(draw(MESHCLASH_PT_timeline, bpy.context).texts())


def test_a_scan_that_finds_nothing_says_what_to_try(passing):
    for name in ("B", "C"):
        bpy.data.objects.remove(bpy.data.objects[name])
    Driver().finish()
    texts = " ".join(draw(MESHCLASH_PT_timeline, bpy.context).texts())
    assert "No objects touch in frames 0-40 (Intersection) Hidden objects and objects outside the sets" in texts


def test_an_error_in_the_middle_puts_the_frame_back(passing, monkeypatch):
    driver = Driver()
    scanned = scene_results.timeline_of(passing.session_uid)
    while scanned.timeline.done < 5:
        driver.tick()

    def fail(_found):
        raise RuntimeError("boom")

    monkeypatch.setattr(scanned.timeline.log, "add", lambda *_: fail(None))
    with pytest.raises(RuntimeError, match="boom"):
        driver.finish()
    assert where(passing) == (33, 0.5) and running_work.running_task() is None and not scanned.running


def test_a_backward_or_empty_range_is_an_error_that_names_it(passing):
    settings = passing.meshclash
    settings.timeline_own, settings.timeline_start, settings.timeline_end = True, 50, 10
    with pytest.raises(Exception, match="range of frames 50:10 is empty: it ends before it begins"):
        bpy.ops.meshclash.scan_timeline()
    assert "The range of frames 50:10" in " ".join(draw(MESHCLASH_PT_timeline, bpy.context).texts())
    settings.timeline_end = 60
    assert bpy.ops.meshclash.scan_timeline() == {"FINISHED"}
    assert told() == [("A", "C", 50, 60)]


def test_the_preview_range_counts_and_steps(passing):
    passing.use_preview_range, passing.frame_preview_start, passing.frame_preview_end = True, 5, 20
    passing.meshclash.timeline_step = 5
    assert list(passing.meshclash.timeline_frames()) == [5, 10, 15, 20]


def test_choosing_an_event_goes_to_its_worst_frame_and_selects_the_pair(passing):
    bpy.ops.meshclash.scan_timeline()
    listed = bpy.context.window_manager.meshclash
    names = [item.name for item in listed.events]
    listed.active_event = names.index("A × B")
    assert passing.frame_current == 10
    assert sorted(item.name for item in bpy.context.selected_objects) == ["A", "B"]
    row = results.active_pair(bpy.context)
    assert (row.a.name, row.b.name, row.frame) == ("A", "B", 10) and len(row.a.highlight)
    assert events_list.active_event(bpy.context).row.id == row.id
    texts = draw(MESHCLASH_PT_timeline, bpy.context).texts()
    assert "Worst Frame" in texts and "10" in texts
    for index, item in enumerate(listed.events):
        draw_item(listed, item, index)


def draw_item(listed, item, index):
    layout = RecordingLayout()
    MESHCLASH_UL_events.draw_item(SimpleNamespace(), bpy.context, layout, listed, item, 0, listed, "", index)
    assert any("–" in text or text.isdigit() for text in layout.texts())
    assert layout.operators() == ["meshclash.pick_event"] * 6  # each cell has our tooltip


def test_the_cells_of_an_event_say_what_it_is(passing):
    bpy.ops.meshclash.scan_timeline()
    listed = bpy.context.window_manager.meshclash
    index = [item.name for item in listed.events].index("A × B")
    tip = timeline.MESHCLASH_OT_pick_event.description(bpy.context, SimpleNamespace(index=index, tip=""))
    assert tip == "A × B\nFrames 8 to 12. Click to go to the worst frame, 10\nClash"
    bpy.ops.meshclash.pick_event(index=index)
    assert passing.frame_current == 10 and listed.active_event == index
    assert bpy.ops.meshclash.pick_event(index=99) == {"CANCELLED"}


def test_two_selected_objects_are_measured_whatever_is_listed(passing):
    """A self-contact, an event of others, or a row of others may be what was looked at before."""
    bpy.ops.meshclash.scan_timeline()
    bpy.ops.meshclash.pick_event(index=0)
    event = events_list.active_event(bpy.context).row
    assert timeline.pair_in_hand(bpy.context) == (*event.names, event.id)
    for item in passing.objects:
        item.select_set(item.name not in event.names or item.name == event.b.name)
    assert {*timeline.pair_in_hand(bpy.context)} == {item.name for item in bpy.context.selected_objects} | {""}
    results.show_report(bpy.context, passing, make_report(make_row("A", "A", depth=None)))
    bpy.context.window_manager.meshclash.active_event = -1
    bpy.context.window_manager.meshclash.active_row = 0
    assert timeline.pair_in_hand(bpy.context) is None
    for item in passing.objects:
        item.select_set(item.name in "BC")
    assert {*timeline.pair_in_hand(bpy.context)} == {"B", "C", ""}


def test_markers_are_put_and_removed_and_others_stay(passing):
    bpy.ops.meshclash.scan_timeline()
    passing.timeline_markers.new("Mine", frame=8)
    for _ in range(2):
        bpy.ops.meshclash.event_markers(at="START")
        assert sorted((marker.frame, marker.name) for marker in passing.timeline_markers) == [
            (0, "MC: A × C"), (8, "MC: A × B"), (8, "Mine"), (9, "MC: B × C"),
        ]  # fmt: skip
    bpy.ops.meshclash.event_markers(at="WORST")
    assert (10, "MC: A × B +1") in [(marker.frame, marker.name) for marker in passing.timeline_markers]
    bpy.ops.meshclash.remove_markers()
    assert [marker.name for marker in passing.timeline_markers] == ["Mine"]


@pytest.mark.parametrize("again", [1, 2])
def test_the_clearance_of_a_pair_becomes_a_curve(passing, again):
    bpy.context.view_layer.objects.active = None
    for item in passing.objects:
        item.select_set(item.name in "AB")
    for _ in range(again):
        assert bpy.ops.meshclash.bake_clearance() == {"FINISHED"}
    item = bpy.data.objects["A"]
    curve = curve_of(item, f'["{timeline.CLEARANCE}"]')
    assert len(curve.keyframe_points) == 41
    for frame in range(41):
        x = -5.0 + 0.5 * frame
        gap = abs(x) - 1.0
        if gap >= 0.0:
            assert curve.evaluate(frame) == pytest.approx(gap, abs=1e-5)
        else:
            assert -0.875 - 1e-4 <= curve.evaluate(frame) < 0.0
    passing.frame_set(4)
    assert item[timeline.CLEARANCE] == pytest.approx(2.0)
    bpy.data.objects["B"].hide_viewport = True
    for item in passing.objects:
        item.select_set(item.name in "AC")
    assert bpy.ops.meshclash.bake_clearance() == {"FINISHED"}


def test_faces_know_how_often_and_how_deep_they_clash(passing):
    bpy.ops.meshclash.scan_timeline()
    assert bpy.ops.meshclash.write_heat() == {"FINISHED"}
    mesh = bpy.data.objects["B"].data
    often = np.empty(6, np.float32)
    mesh.attributes[OFTEN].data.foreach_get("value", often)
    depth = np.empty(6, np.float32)
    mesh.attributes[DEPTH].data.foreach_get("value", depth)
    scanned = scene_results.timeline_of(passing.session_uid)
    expected = np.zeros(6)
    for frame in range(41):
        bpy.context.scene.frame_set(frame)
        bpy.ops.meshclash.detect()
        rows = scene_results.result_of(passing.session_uid).report.rows
        sides = [side for row in rows if row.verdict != "touching" for side in row.sides]
        faces = [side.original_faces for side in sides if side.source == "B"]
        if faces:
            expected[np.unique(np.concatenate(faces))] += 1
    assert often * 41 == pytest.approx(expected) and expected.max() >= 3
    assert depth.max() == pytest.approx(max(e.depth for e in scanned.events if "B" in e.row.names))
    assert np.array_equal(depth > 0.0, often > 0.0)
    assert mesh.color_attributes.active_color.name == COLOUR
    bpy.ops.meshclash.remove_heat()
    assert not {OFTEN, DEPTH, COLOUR} & set(mesh.attributes.keys())


def test_the_strip_has_a_bar_for_each_event(passing):
    bpy.ops.meshclash.scan_timeline()
    scanned = scene_results.timeline_of(passing.session_uid)
    found = strip.rectangles(scanned, lambda frame: 10.0 * frame, 1.0, 500.0, scanned.events[0])
    bars = [rectangle for rectangle, colour in found if colour == strip.CLASH_COLOUR]
    assert [(round(left), round(right)) for left, _, right, _ in bars] == [(0, 400), (80, 120), (85, 115)]
    assert len({bottom for _, bottom, _, _ in bars}) == 3  # they overlap in time: three lanes
    assert sum(colour == strip.ACTIVE_COLOUR for _, colour in found) == 1
    assert strip.rectangles(scanned, lambda frame: 10.0 * frame - 900.0, 1.0, 500.0, None)[1:] == []


@pytest.mark.parametrize("frames", [0, 4, 40])  # of 41 that are done
def test_a_scan_makes_no_result_old_but_an_edit_meanwhile_does(passing, frames):
    bpy.ops.meshclash.detect()
    result = scene_results.result_of(passing.session_uid)
    Driver().finish()
    bpy.context.view_layer.update()
    assert not result.stale and result.rows
    driver = Driver()
    scanned = scene_results.timeline_of(passing.session_uid)
    while scanned.timeline.done < frames:
        assert driver.tick()
    bpy.data.objects["C"].location.x += 0.5
    driver.finish()
    assert result.stale == {"C"}
    assert not running_work.changes_frames()


def test_undo_and_loading_end_a_scan_and_leave_nothing(passing, tmp_path):
    bpy.ops.ed.undo_push(message="before")
    driver = Driver()
    scanned = scene_results.timeline_of(passing.session_uid)
    while scanned.timeline.done < 4:
        driver.tick()
    running_work.stop_task("Undo during detection: press Detect again")
    assert driver.send(timer()) == {"CANCELLED"} and where(bpy.context.scene) == (33, 0.5)
    assert scene_results.timeline_of(bpy.context.scene.session_uid) is scanned
    driver = Driver()
    driver.tick()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert running_work.running_task() is None and scene_results.timeline_of(bpy.context.scene.session_uid) is None
    assert len(bpy.context.window_manager.meshclash.events) == 0
    notes = [note for note in bpy.app.handlers.frame_change_post if "BlenderSource" in repr(note)]
    assert not notes


def test_renamed_and_deleted_objects_are_left_out(passing):
    bpy.ops.meshclash.scan_timeline()
    bpy.data.objects["B"].name = "Renamed"
    bpy.data.objects.remove(bpy.data.objects["A"])
    listed = bpy.context.window_manager.meshclash
    for index in range(len(listed.events)):
        listed.active_event = index
    assert bpy.ops.meshclash.write_heat() == {"FINISHED"}
    draw(MESHCLASH_PT_timeline, bpy.context)
    bpy.ops.meshclash.clear_timeline()
    assert scene_results.timeline_of(passing.session_uid) is None
