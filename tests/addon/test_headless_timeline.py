"""Ranges of frames on the command line: events in every report, several processes, and what can go wrong with them."""

import csv
import json
import os
import re
import signal
import sys
import time
from pathlib import Path

import bpy
import pytest
from meshclash.clash.command_line import options_given
from meshclash.clash.errors import DetectError
from meshclash.types.steps import run_to_end

from addon import commandline

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "blender_scripts"
DONE, CLASHES, WRONG, LOST = 0, 1, 2, 4
CHANGING = ("seconds", "timings", "threads")


@pytest.fixture(scope="module")
def frame_workers(load_script):
    return load_script("frame_workers")


@pytest.fixture
def make_workers(frame_workers):
    command = [sys.executable, str(SCRIPTS / "frame_worker.py")]
    return lambda count, scheduler, question: frame_workers.Processes(count, command, question)


@pytest.fixture
def passing(add_box, tmp_path):
    """A saved file: B goes through A at one unit a frame, touches it first in frame 4 and last in frame 6."""
    add_box("A", (0, 0, 0), (1, 1, 1))
    add_box("C", (0, 0, 0), (1, 1, 1), location=(0, 0.5, 0.25))
    mover = add_box("B", (0, 0, 0), (1, 1, 1))
    for frame, x in ((0, -5.0), (40, 35.0)):
        mover.location.x = x
        mover.keyframe_insert("location", frame=frame)
    for curve in curves_of(mover):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    bpy.context.scene.frame_set(3)
    path = tmp_path / "passing.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def curves_of(item):
    action = item.animation_data.action
    if hasattr(action, "layers") and action.layers:
        return action.layers[0].strips[0].channelbag(item.animation_data.action_slot).fcurves
    return action.fcurves


def run(*arguments, make_workers=None):
    return commandline.main([str(argument) for argument in arguments], make_workers)


def report_of(path, *arguments, make_workers=None):
    code = run(*arguments, "--report", path, "--quiet", make_workers=make_workers)
    assert code == DONE
    return json.loads(path.read_text(encoding="utf-8"))


def test_events_are_in_every_report(passing, tmp_path, capfd):
    report = report_of(tmp_path / "report.json", passing, "--frames", "0:20", "--set-a", "A")
    still, moving = (next(event for event in report["events"] if event["b"] == name) for name in "CB")
    assert (still["start"], still["end"], still["frames"], still["begins"], still["ends"]) == (
        0,
        20,
        21,
        "range",
        "range",
    )
    assert (moving["start"], moving["end"], moving["worst_frame"]) == (4, 6, 5)
    assert (moving["begins"], moving["ends"], moving["verdict"]) == ("contact", "apart", "duplicate")
    assert moving["start_time"] == pytest.approx(4.0, abs=1e-3) and moving["end_time"] == pytest.approx(6.0, abs=1e-3)
    assert moving["status"] == "open" and still["depth"] == pytest.approx(0.5)
    assert report["options"]["frames"] == "0-20" and len(report["pairs"]) == 21 + 3
    assert run(passing, "--frames", "0:20", "--set-a", "A", "--report", tmp_path / "report.csv") == DONE
    assert re.search(r"duplicate +A +B +4.00 +6.00 +5 +3", capfd.readouterr().out)
    with (tmp_path / "report.csv").open(newline="", encoding="utf-8") as file:
        rows = {(row["b"], row["frame"]): row for row in csv.DictReader(file)}
    assert [rows["B", "5"][f"event_{name}"] for name in ("start", "end", "worst_frame")] == ["4", "6", "5"]
    assert rows["C", "5"]["event_end"] == "20"
    assert run(passing, "--frames", "0:20", "--set-a", "A", "--report", tmp_path / "report.html", "--quiet") == DONE
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<h2>Events</h2>" in page and re.search('<td class="number" data-value="6.0"><span>6.00</span>', page)
    assert report_of(tmp_path / "one.json", passing)["events"] is None
    assert bpy.context.scene.frame_current == 3


@pytest.mark.parametrize(
    ("frames", "words"), [("9:1", "9:1 is empty: it ends before it begins"), ("1:9:0", "1:9:0 is empty.*step"),
     ("1:", "'1:' is not a range"), ("1:2000000", "frames go from")],
)  # fmt: skip
def test_a_wrong_range_is_named(passing, capfd, frames, words):
    assert run(passing, "--frames", frames) == WRONG
    assert re.search(words, capfd.readouterr().err)


def test_any_number_of_processes_gives_the_same_bytes(passing, tmp_path, make_workers):
    for suffix, counts in (("json", (1, 2, 3)), ("csv", (1, 2))):
        texts = []
        for count in counts:
            path = tmp_path / f"{count}.{suffix}"
            code = run(passing, "--frames", "0:40", "--workers", count, "--report", path, make_workers=make_workers)
            assert code == DONE
            text = path.read_text(encoding="utf-8")
            texts.append(without_times(text) if suffix == "json" else text)
        assert set(texts) == {texts[0]}
        assert text.count("touching") > 1


def test_any_number_of_processes_tells_the_same_lost_objects(passing, tmp_path, make_workers):
    mesh = bpy.data.meshes.new("Torn")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, float("nan"), 0)], [], [(0, 1, 2)])
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Torn", mesh))
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Eye", bpy.data.cameras.new("Eye")))
    file, found = tmp_path / "torn.blend", []
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    for count in (1, 2):
        path = tmp_path / f"{count}.json"
        options = ("--frames", "0:20", "--workers", count, "--report", path, "--quiet")
        assert run(file, *options, make_workers=make_workers) == LOST
        found.append(json.loads(path.read_text(encoding="utf-8"))["stats"])
    assert [(item["name"], item["lost"]) for item in found[0]["skipped"]] == [("Torn", True)]
    assert found[0]["no_geometry"] == {"camera": 1}
    assert all(found[0][name] == found[1][name] for name in ("skipped", "no_geometry", "objects"))


def without_times(text):
    report = json.loads(text)
    del report["created"]
    for name in CHANGING:
        del report["stats"][name]
    return json.dumps(report)


def started(frame_workers, options, count=2, command=None):
    command = command or [sys.executable, str(SCRIPTS / "frame_worker.py")]
    return frame_workers.Processes(count, command, commandline._question(Path(bpy.data.filepath), options))


def test_the_range_of_a_killed_process_is_done_again(passing, frame_workers):
    commandline._open(passing)
    options = options_given(commandline._parser().parse_args(["--frames", "0:40"]))
    source = commandline.BlenderSource.from_context(bpy.context)
    workers, killed = started(frame_workers, options), []
    steps = commandline.workers_steps(source, options, workers)
    report = None
    while report is None:
        try:
            next(steps)
        except StopIteration as done:
            report = done.value
        busy = [worker for worker in workers._workers if worker.task is not None]
        if busy and not killed:
            killed.append(busy[0].program.process.pid)
            os.kill(killed[0], signal.SIGKILL)
    assert killed and not workers._workers
    assert sorted((event.row.b.name, event.start, event.end) for event in report.events if event.row.a.name == "A") == [
        ("B", 4, 6), ("C", 0, 40),
    ]  # fmt: skip


def test_a_process_that_always_ends_is_an_error_that_names_its_frames(passing, frame_workers):
    commandline._open(passing)
    options = options_given(commandline._parser().parse_args(["--frames", "0:7"]))
    command = [sys.executable, "-c", "import sys; sys.stdin.readline(); print('no memory'); sys.exit(9)"]
    steps = commandline.workers_steps(
        commandline.BlenderSource.from_context(bpy.context), options, started(frame_workers, options, 1, command)
    )
    with pytest.raises(DetectError, match=r"frames 0-7 cannot be asked.*code 9, 3 times(.|\n)*no memory"):
        run_to_end(steps)


def test_no_process_is_left_when_the_run_is_stopped(passing, frame_workers):
    commandline._open(passing)
    options = options_given(commandline._parser().parse_args(["--frames", "0:40"]))
    workers = started(frame_workers, options)
    steps = commandline.workers_steps(commandline.BlenderSource.from_context(bpy.context), options, workers)
    while not workers._workers:
        next(steps)
    processes = [worker.program.process for worker in workers._workers]
    steps.close()
    time.sleep(0.01)
    assert all(process.poll() is not None for process in processes) and not workers._workers


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("--workers", "2"), "needs --frames"), (("--workers", "0", "--frames", "1:2"), "at least 1"),
     (("--workers", "2", "--frames", "1:2", "--picture", "x.png"), "--picture cannot be combined with --workers"),
     (("--workers", "2", "--frames", "1:2"), "detect.py only")],
)  # fmt: skip
def test_what_processes_cannot_do_is_said(passing, capfd, arguments, words):
    assert run(passing, *arguments) == WRONG
    assert words in capfd.readouterr().err


def test_an_error_of_a_process_is_that_of_one(passing, capfd, make_workers):
    for count in (1, 2):
        assert run(passing, "--frames", "0:9", "--set-a", "X", "--workers", count, make_workers=make_workers) == WRONG
        assert "X" in capfd.readouterr().err


def test_a_simulation_that_is_not_baked_needs_one_process(passing, capfd, make_workers):
    commandline._open(passing)
    bpy.data.objects["C"].modifiers.new("Cloth", "CLOTH")
    bpy.ops.wm.save_mainfile()
    assert run(passing, "--frames", "0:9", "--workers", "2", make_workers=make_workers) == WRONG
    assert "the cloth of 'C' is not baked" in capfd.readouterr().err
    assert run(passing, "--frames", "0:9", "--quiet") == DONE


def test_a_driver_that_depends_on_itself_ends_no_scan(passing, tmp_path):
    commandline._open(passing)
    first, second = bpy.data.objects["A"], bpy.data.objects["C"]
    for item, other in ((first, second), (second, first)):
        driver = item.driver_add("location", 2).driver
        variable = driver.variables.new()
        variable.targets[0].id, variable.targets[0].data_path = other, "location.z"
        driver.expression = f"{variable.name} * 0.5"
    bpy.ops.wm.save_mainfile()
    report = report_of(tmp_path / "report.json", passing, "--frames", "0:5")
    assert {event["b"] for event in report["events"]} == {"B", "C"}
