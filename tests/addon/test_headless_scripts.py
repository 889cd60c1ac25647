"""The scripts as processes of their own: exit codes, Ctrl+C, and the message on other Pythons."""

import os
import runpy
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import bpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "blender_scripts"


@pytest.fixture
def clash(add_box, tmp_path):
    add_box("A", (0, 0, 0), (1, 1, 1))
    add_box("B", (0.5, 0.5, 0.5), (2, 2, 2))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "clash.blend"))
    return tmp_path / "clash.blend"


def start(script, *arguments):
    command = [sys.executable, str(SCRIPTS / script), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/")


def finish(process):
    output, errors = process.communicate(timeout=300)
    return process.returncode, output, errors


def test_detect_on_the_wheel(clash, tmp_path):
    path = tmp_path / "report.json"
    code, output, errors = finish(start("detect.py", clash, "--report", path, "--fail-on", "clash"))
    assert code == 1 and "clash" in output and path.exists(), errors


def test_a_wrong_input_is_exit_code_two(tmp_path):
    code, _, errors = finish(start("detect.py", tmp_path / "missing.blend"))
    assert code == 2
    assert errors.strip() == f"meshclash: there is no file '{tmp_path / 'missing.blend'}'"


@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl+C to a whole console only")
def test_ctrl_c_is_exit_code_130(clash, tmp_path):
    before = tmp_path.stat().st_mtime_ns
    process = start("detect.py", clash, "--frames", "1-1000000", "--report", tmp_path / "report.json")
    while tmp_path.stat().st_mtime_ns == before:  # it tries at first whether a report can be written
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    code, _, errors = finish(process)
    assert code == 130 and "cancelled" in errors
    assert [path.name for path in tmp_path.iterdir()] == ["clash.blend"]


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_inside_a_handler_of_blender_ends_the_run(clash, tmp_path, times):
    """Once: after the slice, with nothing interrupted. Twice: at once, where Blender prints the error and goes on."""
    code = (
        "import os, runpy, signal, sys, bpy\n"
        "def press(*_args):\n"
        "    bpy.app.handlers.frame_change_post.clear()\n"
        f"    for _ in range({times}):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        for _ in range(1000): pass\n"
        "bpy.app.handlers.frame_change_post.append(bpy.app.handlers.persistent(press))\n"
        f"sys.argv = ['detect.py', {str(clash)!r}, '--frames', '1-30', '--quiet']\n"
        f"runpy.run_path({str(SCRIPTS / 'detect.py')!r}, run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300)
    assert ("KeyboardInterrupt" in done.stderr) == (times == 2)
    assert done.returncode == 130 and "cancelled" in done.stderr


def test_arguments_inside_and_outside_of_blender():
    arguments = runpy.run_path(str(SCRIPTS / "detect.py"))["arguments"]
    assert arguments(["blender", "-b", "x.blend", "--python", "detect.py", "--", "--quiet"], True) == ["--quiet"]
    assert arguments(["blender", "-b", "--python", "detect.py"], True) == []
    assert arguments(["detect.py", "x.blend", "--", "y"], False) == ["x.blend", "--", "y"]


def test_a_batch_ends_with_the_worst_exit_code(load_script):
    severity = load_script("detect_many").severity
    assert sorted((130, 1, 0, 3, 4, 2, -9), key=severity) == [0, 4, 1, 2, 3, -9, 130]


def test_the_picture_comes_before_the_options():
    sys.path.insert(0, str(SCRIPTS))
    with_picture = runpy.run_path(str(SCRIPTS / "render_contacts.py"))["with_picture"]
    assert with_picture(["a.blend", "b.png", "--quiet"]) == ["a.blend", "--picture", "b.png", "--quiet"]
    assert with_picture(["b.png"]) == ["--picture", "b.png"]
    assert with_picture(["--quiet"]) == ["--quiet"]


@pytest.fixture
def quickstart():
    return runpy.run_path(str(SCRIPTS / "quickstart.py"))


def test_another_python_gets_a_message(quickstart, monkeypatch, capsys):
    monkeypatch.setattr(sys, "version_info", (3, 12, 1))
    monkeypatch.setattr(sys, "argv", ["quickstart.py", "demo"])
    assert quickstart["main"]() == 2
    message = capsys.readouterr().err
    assert "Python 3.12" in message and "3.11 or 3.13" in message


def test_the_quick_start_needs_no_new_syntax():
    compile((SCRIPTS / "quickstart.py").read_text(encoding="utf-8"), "quickstart.py", "exec", dont_inherit=True)
    import ast

    ast.parse((SCRIPTS / "quickstart.py").read_text(encoding="utf-8"), feature_version=(3, 5))


def test_the_versions_are_those_of_the_project(quickstart):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = project["project"]["optional-dependencies"]["blender"]
    for version, blenders in quickstart["BLENDER_VERSIONS"].items():
        python = ".".join(map(str, version))
        assert any(line.startswith(f"bpy=={blenders[0]};") and f"'{python}'" in line for line in wanted)


@pytest.mark.parametrize(
    ("more", "built"),
    [([], None), (["--range", "distribution"], [["--range", "distribution"]])],
)
def test_build_works_in_the_environment_of_either_python(quickstart, monkeypatch, more, built):
    commands, inside = [], quickstart["main"].__globals__
    monkeypatch.setitem(inside, "_environment", lambda version, extra: f"python-with-{version}")
    monkeypatch.setitem(inside, "_run", commands.append)
    monkeypatch.setattr(sys, "argv", ["quickstart.py", "build", *more])
    assert quickstart["main"]() == 0
    ranges = ["py311", "py313"] + ["distribution"] * (sys.platform == "linux")
    assert [command[2:] for command in commands] == (built or [["--range", name] for name in ranges])
    assert {command[1].name for command in commands} == {"build_extension.py"}
    version = inside["BLENDER_VERSIONS"][sys.version_info[:2]][0]
    assert {command[0] for command in commands} == {f"python-with-{version}"}


def test_options_of_the_build_are_refused_elsewhere(quickstart, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["quickstart.py", "demo", "--range", "py311"])
    with pytest.raises(SystemExit):
        quickstart["main"]()
    assert "--range" in capsys.readouterr().err
