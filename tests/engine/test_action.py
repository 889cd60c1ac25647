"""The GitHub Action: its own script gets what its inputs say, word by word, and runs nothing of it."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mesh_samples import write_stl

ROOT = Path(__file__).resolve().parents[2]
BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None or os.name == "nt", reason="needs a shell")
TEXT = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=12)
FILES = st.lists(TEXT.map(str.strip).filter(lambda name: name and not name.startswith("-")), min_size=1, max_size=4)


def inputs_of_action():
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def run_action(python, folder, **given):
    """Runs the last step of action.yml as a runner does: inputs go into the environment, then its text is run."""
    action = inputs_of_action()
    step = action["runs"]["steps"][-1]
    inputs = {name: item.get("default", "") for name, item in action["inputs"].items()} | given
    variables = {
        name: inputs[text.removeprefix("${{ inputs.").removesuffix(" }}")] for name, text in step["env"].items()
    }
    environment = {**os.environ, **variables, "GITHUB_ACTION_PATH": str(ROOT), "PYTHON": str(python)}
    environment["PYTHONPATH"] = str(ROOT / "engine")
    return subprocess.run(
        [BASH, "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def recorder(tmp_path_factory):
    """A program in the place of Python that writes down its arguments."""
    path = tmp_path_factory.mktemp("recorder") / "python"
    path.write_text('#!/bin/sh\nprintf "%s\\0" "$@"\n')
    path.chmod(0o755)
    return path


def arguments_of(done):
    assert done.returncode == 0, done.stderr
    found = done.stdout.split("\0")[:-1]
    assert found[:3] == ["-m", "meshclash", "detect"]
    return found[3 : found.index("--report")]


@settings(max_examples=40, deadline=None)
@given(FILES, st.lists(TEXT | st.just(""), max_size=5), st.sampled_from(["\n", "\r\n"]), st.sampled_from(" \n"))
def test_every_file_and_every_option_arrives_as_it_was_written(recorder, files, options, line, between):
    done = run_action(
        recorder, recorder.parent, files=line.join(files) + line, options=between.join(map(shlex.quote, options))
    )
    assert arguments_of(done) == [*files, "--fail-on", "clash", *options]


def test_nothing_of_the_inputs_is_run_or_expanded(recorder, tmp_path):
    (tmp_path / "one.ifc").touch()
    files = ["$(touch run)", "`touch run`", "; touch run;", "*.ifc", "a\\b.ifc", "~/x", "${HOME}"]
    options = "--set-a $(touch\\ run) * '`touch run`' \"$HOME\"\n; touch"
    done = run_action(recorder, tmp_path, files="\n".join(files), options=options, baseline="$(touch run)")
    words = ["--set-a", "$(touch run)", "*", "`touch run`", "$HOME", ";", "touch"]
    assert arguments_of(done) == [*files, "--fail-on", "new", "--baseline", "$(touch run)", *words]
    assert [path.name for path in tmp_path.iterdir()] == ["one.ifc"]
    for step in inputs_of_action()["runs"]["steps"]:
        assert "${{" not in step["run"], "an input in the text of a script is code"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"files": " \n"}, "names no file"),
        ({"files": "a.ifc\n--report=x"}, "has the option '--report=x'"),
        ({"files": "a.ifc", "options": "--set-a 'all"}, "a quote without end"),
    ],
)  # fmt: skip
def test_wrong_inputs_are_code_two_and_one_line(recorder, given, message):
    done = run_action(recorder, recorder.parent, **given)
    assert done.returncode == 2 and message in done.stderr and done.stderr.count("\n") == 1


def test_lost_objects_are_allowed_on_demand(recorder):
    done = run_action(recorder, recorder.parent, **{"files": "a.ifc", "allow-lost": "true"})
    assert arguments_of(done) == ["a.ifc", "--fail-on", "clash", "--allow-lost"]


@pytest.mark.slow
def test_files_with_blanks_are_tested_and_the_console_names_new_clashes(tmp_path):
    pytest.importorskip("trimesh")
    write_stl(tmp_path / "first part.stl")
    write_stl(tmp_path / "second part.stl", (0.5, 0.0, 0.0))
    done = run_action(sys.executable, tmp_path, files="first part.stl\nsecond part.stl\n")
    assert done.returncode == 1, done.stderr
    (tmp_path / "clashes.json").rename(tmp_path / "old.json")
    done = run_action(sys.executable, tmp_path, files="first part.stl\nsecond part.stl", baseline="old.json")
    assert done.returncode == 0 and "new:" not in done.stdout
    write_stl(tmp_path / "third part.stl", (0.9, 0.0, 0.0))
    files = "first part.stl\nsecond part.stl\nthird part.stl"
    done = run_action(sys.executable, tmp_path, files=files, baseline="old.json")
    assert done.returncode == 1
    new = [line for line in done.stdout.splitlines() if line.startswith("new: ")]
    assert new == ["new: clash second part | third part 0.6 m", "new: clash first part | third part 0.1 m"]
    assert len(json.loads((tmp_path / "clashes.json").read_text("utf-8"))["pairs"]) == 3
