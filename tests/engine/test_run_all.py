"""The script that runs all tests: no file is left out, and what fails is seen."""

import runpy
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash import warming

TESTS = Path(__file__).parents[1]


@pytest.fixture
def script():
    return runpy.run_path(str(TESTS / "run_all.py"))


def test_every_file_is_in_one_group(script):
    files = [path for group in script["groups"](TESTS / "engine").values() for path in group]
    assert sorted(files) == sorted((TESTS / "engine").glob("test_*.py"))


def test_subjects_can_be_left_out(script):
    left = [path.name for group in script["groups"](TESTS / "engine", {"bench", "gpu"}).values() for path in group]
    assert "test_kernels_code.py" in left and "test_scene.py" in left
    assert not [name for name in left if name.startswith(("test_bench_", "test_gpu_"))]


def test_another_blender_tests_what_needs_one(script):
    every, again = (script["of_extension"](again) for again in (False, True))
    assert every == sorted((TESTS / "addon").glob("test_*.py"))
    left_out = {path.name for path in every} - {path.name for path in again}
    assert "test_core_table.py" in left_out and all(name.startswith("test_core_") for name in left_out)
    assert "test_core_engine_loader.py" not in left_out  # it registers the extension


def test_every_subject_has_a_file(script):
    words = {path.stem.split("_")[1] for path in (TESTS / "engine").glob("test_*.py")}
    assert {word for subject in script["SUBJECTS"] for word in subject} <= words


@pytest.mark.slow
def test_what_fails_is_named_and_shown(script, tmp_path, capsys):
    good, bad = tmp_path / "test_good.py", tmp_path / "test_bad.py"
    good.write_text("def test_of_one():\n    pass\n")
    bad.write_text("def test_of_two():\n    assert 'apples' == 'pears'\n")
    parts = [("good", sys.executable, [good]), ("bad", sys.executable, [bad])]
    assert script["run"](parts, 2) == ["bad"]
    shown = capsys.readouterr().out
    assert "1 passed" in shown and "assert 'apples' == 'pears'" in shown
    assert script["run"](parts[:1], 1) == []


@pytest.mark.parametrize(("share", "asked"), [("1", 40), ("0.25", 10), ("0.001", 1)])
def test_a_share_of_the_examples_can_be_asked(monkeypatch, share, asked):
    monkeypatch.setenv("MESHCLASH_EXAMPLES", share)
    seen = []

    @settings(max_examples=40)
    @given(st.integers())
    def some(number):
        seen.append(number)

    runpy.run_path(str(TESTS / "engine" / "conftest.py"))["ask_fewer"](some)
    some()
    assert len(seen) == asked


def test_kernels_are_compiled_before_tests_begin(script, monkeypatch, capsys):
    """What all others need first, by itself; then every other part, each by one process."""
    started = []

    class Process:
        def __init__(self, command, cwd):
            started.append(command[1:])

        def wait(self):
            return 0

    monkeypatch.setattr(script["subprocess"], "Popen", Process)
    script["compile_kernels"](sys.executable, 2)
    shares = [command[2:] for command in started]
    assert shares == [["0", "0"], ["0", "2"], ["1", "2"]]
    assert "kernels (" in capsys.readouterr().out
    asked = []
    monkeypatch.setattr(warming, "warm_up", lambda parts: asked.append(parts) or [])
    for share in shares:
        monkeypatch.setattr(sys, "argv", ["-c", *share])
        exec(script["COMPILE"], {})
    assert asked[0] == ["contacts"]
    assert sorted(part for parts in asked for part in parts) == sorted(warming.PARTS)
