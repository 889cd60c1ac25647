"""Frames and batches of files by a Dask scheduler: the reports of one process, whoever is killed; clear errors."""

import importlib
import json
import os
import signal
import sys
from pathlib import Path

import bpy
import pytest

from addon import commandline

distributed = pytest.importorskip("distributed") if not os.environ.get("CI") else __import__("distributed")
dask_workers = pytest.importorskip("tasks.dask_workers")
program = pytest.importorskip("tasks.program")

SCRIPTS = Path(__file__).resolve().parents[2] / "blender_scripts"
DONE, WRONG = 0, 2
FRAMES = ("--frames", "0:40", "--quiet")


@pytest.fixture(scope="module")
def scheduled_frames(load_script):
    return load_script("scheduled_frames")


@pytest.fixture(scope="module")
def address():
    """A scheduler with one worker, both in this process: the processes for frames are its own."""
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", host="127.0.0.1",
        dashboard_address="127.0.0.1:0", memory_limit=0, silence_logs=50,
    ) as cluster:  # fmt: skip
        yield cluster.scheduler_address
        program._close()


@pytest.fixture
def make_workers(scheduled_frames):
    def made(count, scheduler, question):
        return scheduled_frames.ScheduledFrames(scheduler, count, ["", str(SCRIPTS / "frame_worker.py")], question)

    return made


@pytest.fixture
def passing(add_box, tmp_path):
    """A saved file: B goes through A."""
    add_box("A", (0, 0, 0), (1, 1, 1))
    mover = add_box("B", (0, 0, 0), (1, 1, 1))
    for frame, x in ((0, -5.0), (40, 35.0)):
        mover.location.x = x
        mover.keyframe_insert("location", frame=frame)
    path = tmp_path / "passing.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def without_times(path):
    report = json.loads(path.read_text(encoding="utf-8"))
    del report["created"]
    for name in ("seconds", "timings", "threads"):
        del report["stats"][name]
    return report


@pytest.mark.slow
def test_a_scheduler_gives_the_report_of_one_process_also_when_the_process_for_frames_is_killed(
    passing, tmp_path, make_workers, address, monkeypatch
):
    def run(name, *extra):
        arguments = [str(passing), *FRAMES, "--report", str(tmp_path / name), *extra]
        assert commandline.main(arguments, make_workers) == DONE
        return without_times(tmp_path / name)

    expected = run("here.json")
    assert expected["events"]
    monkeypatch.setattr(dask_workers, "_PAUSE", 0.0)
    killed, look = [], dask_workers.DaskWorkers._progress

    def kill(workers, futures, taken):
        if program._kept and program._kept[0].asked and not killed:
            killed.append(program._kept[0].program.process.pid)
            os.kill(killed[0], signal.SIGKILL)
        return look(workers, futures, taken)

    monkeypatch.setattr(dask_workers.DaskWorkers, "_progress", kill)
    assert run("there.json", "--scheduler", address) == expected
    assert killed and program._kept[0].program.process.pid != killed[0]


def test_what_workers_lack_is_an_error(passing, tmp_path, make_workers, address, capfd, monkeypatch, scheduled_frames):
    arguments = [str(passing), *FRAMES, "--scheduler", address]
    assert commandline.main([str(passing), "--scheduler", address], make_workers) == WRONG
    assert "needs --frames" in capfd.readouterr().err
    assert commandline.main(arguments) == WRONG
    assert "blender_scripts/detect.py only" in capfd.readouterr().err
    monkeypatch.setenv("MESHCLASH_FRAME_WORKER", f"{tmp_path}/none -b")
    assert commandline.main(arguments, make_workers) == WRONG
    assert "none cannot be started on this worker: No such file or directory; set MESHCLASH_FRAME_WORKER" in (
        capfd.readouterr().err
    )
    ending = f"{sys.executable} -c \"import sys; sys.stdin.readline(); print('no memory'); sys.exit(9)\""
    monkeypatch.setenv("MESHCLASH_FRAME_WORKER", ending)
    assert commandline.main(arguments, make_workers) == WRONG
    assert (
        "frames 0-7: the process for it ended with code 9, 3 times; its last lines:" in (said := capfd.readouterr().err)
        and "no memory" in said
    )
    files = importlib.import_module("tasks.files")
    wrong = files.mark_of_file(passing)._replace(crc=1)
    with pytest.raises(files.InvalidFile, match="another file under that name than the client"):
        program.ask_program({"name": "x", "command": [""], "question": "", "line": "", "files": [wrong]})


@pytest.mark.slow
def test_a_batch_gives_each_file_the_report_of_detect(passing, tmp_path, scheduled_frames, address, capfd):
    batch = importlib.import_module("detect_many")
    broken = tmp_path / "broken.blend"
    broken.write_bytes(b"no blend file")
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "broken.json").write_text("old")
    arguments = [str(broken), str(passing), "--reports", str(tmp_path / "reports"), "--scheduler", address]
    assert batch.main([*arguments, "--", "--frames", "0:9"]) == WRONG
    assert commandline.main([str(passing), "--frames", "0:9", "--quiet", "--report", str(tmp_path / "a.json")]) == DONE
    assert without_times(tmp_path / "reports" / "passing.json") == without_times(tmp_path / "a.json")
    assert not (tmp_path / "reports" / "broken.json").exists()
    out, err = capfd.readouterr()
    assert f"{broken}: exit code 2" in out and out.index("broken.blend: exit") < out.index("passing.blend: exit code 0")
    assert "Blender cannot read" in err
    assert batch.main([str(broken), *arguments]) == WRONG and "the same name" in capfd.readouterr().err
    assert batch.main([str(tmp_path / "none.blend"), *arguments[2:]]) == WRONG
    assert "No such file" in capfd.readouterr().err
