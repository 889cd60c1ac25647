"""Registering and unregistering leaves nothing, twice in a row and after an error halfway."""

import subprocess
import sys
from pathlib import Path

import bpy
import pytest
from meshclash.clash.reviews import Review
from traces import traces
from ui_fakes import ENGINE, fake_detect_steps, make_report, make_row

import addon
from addon import commandline, props, running_work, scene_results
from addon.ops import detect

ROOT = Path(__file__).resolve().parents[2]


def test_twice_in_a_row_leaves_nothing(monkeypatch):
    before = traces()
    for _ in range(2):
        addon.register()
        assert traces() != before
        monkeypatch.setattr(detect.engine, "load", lambda _cache: ENGINE)
        monkeypatch.setattr(detect.job, "detect_steps", fake_detect_steps(make_report(make_row())))
        bpy.ops.meshclash.detect()
        addon.unregister()
        assert traces() == before
        assert scene_results.result_of(bpy.context.scene.session_uid) is None


def test_unregister_stops_a_running_job():
    addon.register()
    task = detect.Task(iter(()))
    running_work.start_task(task)
    task._steps = (progress for progress in ())
    addon.unregister()
    assert running_work.running_task() is None


def test_after_an_error_halfway_nothing_stays(monkeypatch):
    before = traces()

    def fail():
        raise RuntimeError("no command line")

    monkeypatch.setattr(commandline, "register_command", fail)
    with pytest.raises(RuntimeError, match="no command line"):
        addon.register()
    assert traces() == before
    addon.unregister()
    assert traces() == before


def test_the_command_is_taken_away_again(monkeypatch):
    calls = []
    monkeypatch.setattr(commandline, "register_command", lambda: "handle")
    monkeypatch.setattr(commandline, "unregister_command", calls.append)
    addon.register()
    addon.unregister()
    assert calls == ["handle"]


def in_a_new_process(code):
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)


def test_registering_imports_neither_numba_nor_what_it_compiles():
    code = (
        "import bpy, os, sys; import addon; addon.register(); addon.unregister();"
        "found = [n for n in ('numba', 'llvmlite', 'meshclash.jit') if n in sys.modules];"
        "print(found, flush=True); os._exit(bool(found))"
    )
    finished = in_a_new_process(code)
    assert finished.returncode == 0, finished.stdout + finished.stderr


def test_class_names_and_tooltips():
    for cls in addon.CLASSES:
        assert cls.__name__.startswith("MESHCLASH_")
        if issubclass(cls, bpy.types.Operator):  # Blender adds the full stop to tooltips
            assert cls.__doc__ and not cls.__doc__.endswith(".")


def test_it_is_taken_away_before_blenders_module_ends():
    """A command that is still registered then crashes the process."""
    code = (
        "import atexit, bpy; "
        "atexit.register(lambda: print('left at the end:', hasattr(bpy.types.Scene, 'meshclash'), flush=True)); "
        "import addon; addon.register(); print('registered:', hasattr(bpy.types.Scene, 'meshclash'))"
    )
    finished = in_a_new_process(code)
    shown = finished.stdout
    assert "registered: True" in shown and "left at the end: False" in shown, shown + finished.stderr


def test_settings_of_a_file_are_known_without_the_extension(tmp_path):
    """Scripts in a checkout do not register it, and report what the user said of pairs all the same."""
    path = str(tmp_path / "reviewed.blend")
    addon.register()
    review = bpy.context.scene.meshclash.reviews.add()
    review.name, review.status, review.comment = "0123", "APPROVED", "press fit"
    bpy.ops.wm.save_as_mainfile(filepath=path)
    addon.unregister()
    bpy.ops.wm.open_mainfile(filepath=path)
    before = traces()
    assert commandline._reviews(bpy.context.scene) == {"0123": Review("approved", "press fit")}
    assert traces() == before and not hasattr(bpy.types.Scene, "meshclash")
    with props.known(), props.known():
        assert len(bpy.context.scene.meshclash.reviews) == 1
