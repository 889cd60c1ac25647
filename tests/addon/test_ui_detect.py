"""Detect: in background, modal, cancelled, refused, and with errors."""

from types import SimpleNamespace

import bpy
import pytest
from meshclash.clash.errors import DetectError
from meshclash.clash.frame_scene import Progress
from ui_fakes import ENGINE, escape, fake_detect_steps, make_report, make_row, timer

from addon import engine, handlers, running_work, scene_results
from addon.ops import detect


@pytest.fixture
def faked(registered, monkeypatch):
    """The extension with a detection that does nothing; call it with the arguments of `fake_detect_steps`."""

    def use(**options):
        monkeypatch.setattr(detect.engine, "load", lambda _cache: ENGINE)
        report = options.pop("report", make_report(make_row()))
        monkeypatch.setattr(detect.job, "detect_steps", fake_detect_steps(report, **options))

    return use


class Modal:
    """What `invoke` and Blender's event loop do, with a stand-in for the operator."""

    def __init__(self):
        self.reports = []
        self.operator = SimpleNamespace(
            run=detect.Run(bpy.context), report=lambda kind, text: self.reports.append((*kind, text))
        )

    def send(self, event):
        return detect.MESHCLASH_OT_detect.modal(self.operator, bpy.context, event)

    def run(self):
        for _ in range(1000):
            state = self.send(timer())
            if state != {"PASS_THROUGH"}:
                return state
        raise AssertionError("the operator does not end")


def status_bar_draw():
    from bl_ui.space_statusbar import STATUSBAR_HT_header

    return getattr(STATUSBAR_HT_header, "_draw_orig", STATUSBAR_HT_header.draw) is STATUSBAR_HT_header.draw


def test_execute_runs_to_the_end_in_background(faked):
    faked()
    assert bpy.ops.meshclash.detect() == {"FINISHED"}
    listed = bpy.context.window_manager.meshclash
    assert [row.name for row in listed.rows] == ["A × B"]
    assert listed.rows[0].verdict == "clash" and listed.rows[0].depth == pytest.approx(0.25)
    assert listed.active_row == -1


def test_invoke_in_background_runs_to_the_end(faked):
    faked()
    assert bpy.ops.meshclash.detect("INVOKE_DEFAULT") == {"FINISHED"}


def test_modal_detects_in_slices(faked, monkeypatch):
    faked(count=20)
    monkeypatch.setattr(detect.Task.run_slice, "__defaults__", (0.0,))
    modal = Modal()
    assert modal.send(timer()) == {"PASS_THROUGH"}
    assert running_work.running_task() is modal.operator.run.task
    assert modal.run() == {"FINISHED"}
    assert modal.reports == [("INFO", "1 clashing (2 objects, 0.5 s)")]
    assert running_work.running_task() is None
    assert status_bar_draw()
    assert len(bpy.context.window_manager.meshclash.rows) == 1


def test_other_events_pass_through(faked):
    faked()
    modal = Modal()
    assert modal.send(SimpleNamespace(type="MOUSEMOVE", value="NOTHING")) == {"PASS_THROUGH"}
    assert modal.operator.run.task.fraction == 0.0
    modal.operator.run.end(bpy.context)


def test_escape_cancels_and_keeps_the_last_results(faked, monkeypatch):
    log = []
    faked()
    bpy.ops.meshclash.detect()
    before = scene_results.result_of(bpy.context.scene.session_uid)
    faked(count=500, log=log)
    monkeypatch.setattr(detect.Task.run_slice, "__defaults__", (0.0,))
    modal = Modal()
    for _ in range(4 + len(engine.PRELOADED)):
        modal.send(timer())
    assert modal.send(escape()) == {"CANCELLED"}
    assert modal.reports == [("WARNING", "Cancelled")]
    assert log == ["closed"]
    assert running_work.running_task() is None and status_bar_draw()
    assert scene_results.result_of(bpy.context.scene.session_uid) is before


def test_stop_button_cancels(faked):
    faked()
    modal = Modal()
    assert bpy.ops.meshclash.stop() == {"FINISHED"}
    assert modal.send(timer()) == {"CANCELLED"}
    assert not bpy.ops.meshclash.stop.poll()


def test_a_second_job_is_refused(faked):
    faked()
    modal = Modal()
    assert not bpy.ops.meshclash.detect.poll()
    modal.run()
    assert bpy.ops.meshclash.detect.poll()


@pytest.mark.parametrize("error", [DetectError("object 'A' was deleted"), engine.EngineMissing("No Numba", "Install")])
def test_an_error_becomes_one_report(faked, error):
    faked(fail_at=1, error=error)
    modal = Modal()
    assert modal.run() == {"CANCELLED"}
    assert modal.reports == [("ERROR", str(error))]
    assert running_work.running_task() is None and status_bar_draw()


def test_a_fault_of_ours_cleans_up_and_is_not_hidden(faked):
    faked(fail_at=1, error=ZeroDivisionError("bug"))
    modal = Modal()
    with pytest.raises(ZeroDivisionError):
        modal.run()
    assert running_work.running_task() is None and status_bar_draw()


def test_a_missing_engine_is_shown_until_it_loads(faked):
    faked(fail_at=0, error=engine.EngineMissing("No Numba", "Install it"))
    with pytest.raises(RuntimeError, match="No Numba"):
        bpy.ops.meshclash.detect()
    assert running_work.engine_state().remedy == "Install it"
    faked()
    bpy.ops.meshclash.detect()
    assert not running_work.engine_state().reason


def test_an_empty_picker_is_explained(faked):
    faked()
    bpy.context.scene.meshclash.set_a = "COLLECTION"
    with pytest.raises(RuntimeError, match="Set A: choose the collection first"):
        bpy.ops.meshclash.detect()


def test_loading_a_file_stops_the_job(faked):
    faked(count=50)
    modal = Modal()
    handlers.on_load_pre()
    assert running_work.running_task() is None
    assert modal.send(timer()) == {"CANCELLED"}
    assert modal.reports[0][0] == "WARNING"


def test_undo_stops_the_job(faked):
    faked(count=50)
    modal = Modal()
    handlers.on_undo(bpy.context.scene)
    assert modal.send(timer()) == {"CANCELLED"}
    assert "Undo" in modal.reports[0][1]


def test_a_removed_scene_is_explained(faked):
    faked()
    other = bpy.data.scenes.new("Other")
    with bpy.context.temp_override(scene=other):
        modal = Modal()
    bpy.data.scenes.remove(other)
    assert modal.run() == {"CANCELLED"}
    assert modal.reports == [("ERROR", "The scene has been removed")]


def test_lengths_are_handed_on_in_metres(faked, monkeypatch):
    seen = []
    faked()
    fake = detect.job.detect_steps
    monkeypatch.setattr(detect.job, "detect_steps", lambda *args, **more: seen.append(args[1]) or fake(*args, **more))
    scene = bpy.context.scene
    scene.unit_settings.scale_length = 0.001
    scene.meshclash.permitted_overlap, scene.meshclash.touch_tolerance = 5.0, 2.0
    bpy.ops.meshclash.detect()
    assert seen[0].permitted_overlap == pytest.approx(0.005)
    assert seen[0].touch_tolerance == pytest.approx(0.002)


def test_settings_become_options(registered):
    settings = bpy.context.scene.meshclash
    collection = bpy.data.collections.new("Parts")
    settings.set_a, settings.set_a_collection = "COLLECTION", collection
    settings.set_b = "SELECTION"
    settings.skip_same_parent = True
    pair = settings.excluded_pairs.add()
    pair.name_a, pair.name_b = "A", "B"
    options = settings.detect_options(1.0)
    assert (options.set_a, options.set_b) == ("collection:Parts", "selection")
    assert options.rules.same_parent and not options.rules.same_collection
    assert options.rules.listed_pairs == {("A", "B")}


def test_progress_is_shown_when_it_is_new_and_drawing_it_leaves_time_for_the_work(faked, monkeypatch):
    faked(count=400)
    monkeypatch.setattr(detect.Task.run_slice, "__defaults__", (0.0,))
    now, asked = [0.0], []
    monkeypatch.setattr(detect, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    monkeypatch.setattr(detect, "tag_redraw", lambda *_: asked.append(now[0]))
    modal = Modal()
    picture = 0.2
    for _ in range(200):  # a slice of 30 ms, and Blender draws before the next event when it was asked to
        before = len(asked)
        now[0] += 0.03
        modal.send(timer())
        now[0] += picture if len(asked) > before else 0.0
    assert len(asked) * picture <= 1.1 * detect.DRAWING_SHARE * now[0]
    assert len(asked) * picture >= 0.5 * detect.DRAWING_SHARE * now[0]
    running_work.stop_task()
    modal.send(timer())


def test_progress_that_looks_the_same_is_not_drawn_again(registered, monkeypatch):
    asked = []
    monkeypatch.setattr(detect, "tag_redraw", lambda *_: asked.append(True))
    monkeypatch.setattr(detect, "REDRAW_SECONDS", 0.0)

    def steps():
        while True:
            yield Progress(0.5, "waiting")

    run = detect.Run(bpy.context, detect.Task(steps()))
    for _ in range(5):
        run.step(bpy.context, timer())
    assert len(asked) == 1
    run.end(bpy.context)
