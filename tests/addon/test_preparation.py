"""Compiling beside Blender: what the children write is what Blender reads, and whatever fails is told and survived."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from addon import preparation

ENGINE = Path(__file__).resolve().parents[2] / "engine" / "meshclash"
NAME = "bl_ext.some_place.meshclash.meshclash"
FAKE = """
from types import SimpleNamespace
def warm_up(parts):
    for part in parts:
        yield SimpleNamespace(fraction=0.5, text=f"compiling {part}")
        WORK
"""


@pytest.fixture(autouse=True)
def nothing_runs():
    preparation._notes.clear()
    yield
    preparation.stop()


@pytest.fixture
def fake_engine(tmp_path):
    """Makes a package with the engine's names; its warm-up runs a piece of code for every part."""

    def make(work, problem=""):
        package = tmp_path / "place" / "meshclash"
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").write_text(FAKE.replace("WORK", work))
        (package / "jit.py").write_text(f"def cache_problem():\n    return {problem!r}\n")
        return NAME, package.parent

    return make


KINDS = (preparation.ENGINE, preparation.GPU_PART)


def wait(parts, seconds=60.0):
    """The texts shown while waiting."""
    texts = []
    end = time.monotonic() + seconds
    for progress in preparation.steps(parts):
        texts.append(progress.text)
        assert time.monotonic() < end
    return texts


def test_the_children_are_waited_for_and_the_cache_is_marked(fake_engine, tmp_path):
    engine = fake_engine("import time; time.sleep(0.2)")
    preparation.begin(engine, str(tmp_path / "cache"))
    texts = wait(("depths", "verdicts"))
    shown = [re.fullmatch(r"First use: (.+), (\d+) %, (\d+) s", text).groups() for text in texts]
    doing = {what for what, _, _ in shown}
    assert "loading the compiler" in doing or "starting" in doing
    assert {"compiling depths", "compiling verdicts"} & doing
    percents = [int(percent) for _, percent, _ in shown]
    assert percents == sorted(percents)


def test_while_one_kernel_takes_long_it_is_said_which_and_the_seconds_go_on(fake_engine, tmp_path):
    engine = fake_engine("import time; time.sleep(2.5)")
    preparation.begin(engine, str(tmp_path / "cache"))
    texts = wait(("depths",))
    while_compiling = [text for text in texts if text.startswith("First use: compiling depths")]
    assert len(set(while_compiling)) >= 3, "nothing moves"


def test_the_cache_is_marked_when_all_is_compiled(fake_engine, tmp_path):
    engine = fake_engine("pass")
    preparation.begin(engine, str(tmp_path / "cache"))
    wait(("depths",))
    while preparation.watch():
        time.sleep(0.02)
    mark = preparation.mark(engine[1] / "meshclash", str(tmp_path / "cache"))
    assert mark.exists()
    preparation.begin(engine, str(tmp_path / "cache"))
    assert not preparation._running, "a filled cache needs no children"
    assert preparation.notes() == ()


def test_an_edited_engine_is_prepared_again(fake_engine, tmp_path):
    engine = fake_engine("pass")
    cache = str(tmp_path / "cache")
    before = preparation.mark(engine[1] / "meshclash", cache)
    fake_engine("pass  # edited")
    assert preparation.mark(engine[1] / "meshclash", cache) != before


@pytest.mark.parametrize(
    ("work", "problem", "reason"),
    [
        ("raise RuntimeError('no compiler')", "", "no compiler"),
        ("import os; os._exit(7)", "", "status 7"),
        ("pass", "no space left", "no space left"),
    ],
    ids=["error", "crash", "full disk"],
)
def test_a_child_that_fails_ends_the_waiting_and_is_mentioned(fake_engine, tmp_path, work, problem, reason):
    engine = fake_engine(work, problem)
    preparation.begin(engine, str(tmp_path / "cache"))
    wait(("depths", "verdicts"))
    assert not preparation._running
    (note,) = preparation.notes()
    assert reason in note
    assert not preparation.mark(engine[1] / "meshclash", str(tmp_path / "cache")).exists()


def test_without_permission_to_start_processes_nothing_is_waited_for(fake_engine, tmp_path):
    preparation.begin(fake_engine("pass"), str(tmp_path / "cache"), python=str(tmp_path / "no python"))
    assert wait(("depths",)) == []
    assert "not possible" in preparation.notes()[0]


def test_without_a_cache_folder_nothing_is_started(fake_engine, tmp_path):
    preparation.begin(fake_engine("pass"), None)
    (tmp_path / "file").write_text("")
    preparation.begin(fake_engine("pass"), str(tmp_path / "file" / "cache"))
    assert wait(("depths",)) == []
    assert len(preparation.notes()) == 1


def test_stopping_ends_the_children_and_leaves_no_files(fake_engine, tmp_path):
    preparation.begin(fake_engine("import time; time.sleep(600)"), str(tmp_path / "cache"))
    (running,) = preparation._running
    processes, scratch = [child._process for child in running._children], running._scratch
    preparation.stop()
    assert all(process.returncode is not None for process in processes)
    assert not scratch.exists()
    assert wait(("depths",)) == []


def test_closing_the_waiting_generator_leaves_the_children_at_work(fake_engine, tmp_path):
    """ESC while preparing: the next press goes on where this one stopped."""
    preparation.begin(fake_engine("import time; time.sleep(0.1)"), str(tmp_path / "cache"))
    steps = preparation.steps(("depths",))
    next(steps)
    steps.close()
    assert preparation._running
    wait(("depths", "verdicts"))


def test_kernels_of_a_gpu_are_a_share_of_their_own(fake_engine, tmp_path):
    engine, cache = fake_engine("import time; time.sleep(0.2)"), str(tmp_path / "cache")
    package = engine[1] / "meshclash"
    preparation.begin(engine, cache)
    assert preparation.progress(("gpu",)) is None
    preparation.begin(engine, cache, kinds=KINDS)
    assert [running.kinds for running in preparation._running] == [("engine",), ("gpu",)]
    assert preparation.progress(("gpu",)) < 1.0
    assert wait(("gpu",))
    assert preparation.progress(("gpu",)) is None
    while preparation.watch():
        time.sleep(0.02)
    for kind in KINDS:
        assert preparation.mark(package, cache, kind).exists()
    preparation.mark(package, cache, "gpu").unlink()
    preparation.begin(engine, cache, kinds=KINDS)
    assert [running.kinds for running in preparation._running] == [("gpu",)]


def test_a_gpu_that_fails_leaves_the_others_at_work(fake_engine, tmp_path):
    engine, cache = fake_engine("import time; assert part != 'gpu', 'no driver'"), str(tmp_path / "cache")
    preparation.begin(engine, cache, kinds=KINDS)
    wait(("gpu",))
    assert preparation.progress(("gpu",)) is None
    wait(("depths", "verdicts"))
    (note,) = preparation.notes()
    assert "no driver" in note
    while preparation.watch():
        time.sleep(0.02)
    package = engine[1] / "meshclash"
    assert preparation.mark(package, cache).exists()
    assert not preparation.mark(package, cache, "gpu").exists()


def test_nobody_waits_for_what_is_not_prepared(fake_engine, tmp_path):
    preparation.begin(fake_engine("import time; time.sleep(60)"), str(tmp_path / "cache"))
    assert wait(("clouds",)) == []
    assert preparation._running


def test_what_few_need_is_prepared_when_it_is_asked_for(fake_engine, tmp_path):
    engine, cache = fake_engine("import time; time.sleep(0.1)"), str(tmp_path / "cache")
    package = engine[1] / "meshclash"
    preparation.begin(engine, cache, kinds=("clouds", "obb volumes"))
    assert wait(("contacts",)) == [], "what everyone needs is none of its work"
    texts = wait(("clouds", "obb volumes"))
    assert texts and not preparation._running
    assert all(preparation.mark(package, cache, part).exists() for part in ("clouds", "obb volumes"))
    assert not preparation.mark(package, cache).exists()
    preparation.begin(engine, cache, kinds=("clouds", "obb volumes"))
    assert not preparation._running, "it is in the cache"
    preparation.begin(engine, cache, kinds=("obb volumes", "rss volumes"))
    (running,) = preparation._running
    assert running.kinds == ("rss volumes",)
    preparation.begin(engine, cache, kinds=("rss volumes",))
    assert preparation._running == [running], "it is under way"


def test_children_for_different_parts_work_side_by_side(fake_engine, tmp_path):
    engine, cache = fake_engine("import time; time.sleep(0.1)"), str(tmp_path / "cache")
    preparation.begin(engine, cache)
    preparation.begin(engine, cache, kinds=("clouds",))
    assert len(preparation._running) == 2
    wait(("clouds",))
    wait(("contacts", "verdicts"))
    while preparation.watch():
        time.sleep(0.02)
    marks = preparation.mark(engine[1] / "meshclash", cache), preparation.mark(engine[1] / "meshclash", cache, "clouds")
    assert all(path.exists() for path in marks)


@pytest.mark.parametrize("shares", [preparation._OF_TWO, preparation._OF_FOUR], ids=["two children", "four"])
def test_two_blenders_may_fill_one_cache(fake_engine, tmp_path, monkeypatch, shares):
    monkeypatch.setattr(preparation, "SHARES", shares)
    engine = fake_engine("pass")
    one, two = (preparation.Preparation(*engine, str(tmp_path), sys.executable) for _ in range(2))
    everything = {part for share in shares for part in share}
    try:
        while (one.done, two.done) != (everything, everything):
            one.poll()
            two.poll()
            assert not one.failed + two.failed
            time.sleep(0.02)
    finally:
        one.stop()
        two.stop()


@pytest.mark.parametrize("shares", [preparation._OF_TWO, preparation._OF_FOUR], ids=["two children", "four"])
def test_the_shares_are_the_parts_that_the_engine_knows(shares):
    from meshclash.warming import PARTS

    from addon.core import live
    from addon.core.options import TEST_OPTIONS, DetectOptions
    from addon.core.queries import TESTS

    dealt = [part for share in shares for part in share]
    shared = set(dealt)
    assert len(shared) == len(dealt)
    assert shared == set(PARTS) - {"clouds", "continuous", "points"}  # those are compiled where they are asked for
    needed = set(live.PARTS)
    for test in TESTS.values():
        given = {name: 1.0 for name in TEST_OPTIONS if name in test.takes}
        needed |= set(test.parts(DetectOptions(test=test.name, **given)))
    assert needed == shared


READ = """
import importlib, json, sys
sys.path.insert(0, CHILD)
from prepare_child import Parents
sys.meta_path.insert(0, Parents(NAME, FOLDER))
engine = importlib.import_module(NAME)
list(engine.warm_up(["depths"]))
depth = importlib.import_module(NAME + ".solid.depth").overlap_depths
print(json.dumps([sum(depth.stats.cache_hits.values()), sum(depth.stats.cache_misses.values())]))
"""


@pytest.mark.slow
def test_what_the_child_compiles_is_what_the_installed_extension_reads(tmp_path):
    """Under the name that the engine has in Blender, which is a part of what a cached kernel is found by."""
    folder = tmp_path / "installed"
    shutil.copytree(ENGINE, folder / "meshclash", ignore=shutil.ignore_patterns("__pycache__", "bench"))
    environment = {
        **os.environ, "MESHCLASH_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": preparation._library_path()
    }  # fmt: skip
    command = [sys.executable, "-s", "-P", str(preparation.CHILD), NAME, str(folder), "depths"]
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert json.loads(told.splitlines()[-1]) == {"done": "depths"}
    code = READ.replace("NAME", repr(NAME)).replace("FOLDER", repr(str(folder)))
    code = code.replace("CHILD", repr(str(preparation.CHILD.parent)))
    read = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert json.loads(read.stdout) == [1, 0]
