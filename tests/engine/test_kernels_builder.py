"""Processes that compile beside another one: what becomes of those that die, hang, are ended, or write nonsense."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.kernels import builder as module
from meshclash.kernels import store
from meshclash.kernels.builder import Builder, Run
from meshclash.kernels.processors import levels_here
from subprocesses import ENGINE, run_python

PART, OTHER = "aabb volumes", "dop6 volumes"
pytestmark = pytest.mark.skipif(not levels_here(), reason="there are no kernels for this type of processor")


@pytest.fixture
def build(tmp_path):
    """A builder whose process runs some code instead, with the folder of the run as `run` and the store as `target`."""
    made = []

    def build(code, parts=("contacts", "depths")):
        path = tmp_path / "fake.py"
        path.write_text(
            "import os, signal, sys, time\nfrom pathlib import Path\n"
            f"run, target = Path(sys.argv[2]), Path(sys.argv[3])\n{code}\n"
        )
        target = tmp_path / "stores" / store.store_name(levels_here()[0])
        made.append(Builder(target, levels_here()[0], parts, command=(sys.executable, str(path))))
        made[-1].add_process()
        return made[-1]

    yield build
    for builder in made:
        builder.stop()


def until(condition):
    """Waits, on a busy machine for long; what hangs is told in the end."""
    end = time.monotonic() + 600.0
    while not condition():
        assert time.monotonic() < end, "it does not come to its end"
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print('no room left', file=sys.stderr); sys.exit(3)", "ended with code 3: no room left"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "was ended by signal 9"),
        ("raise ImportError('no numba')", "no numba"),
    ],
)
def test_a_process_that_dies_says_why(build, code, said):
    builder = build(code)
    until(lambda: not builder.processes)
    assert said in builder.problem and builder.missing(["contacts"]) == ["contacts"]
    assert not builder.run.folder.exists()
    builder.stop()  # again


def test_a_program_that_is_not_there(tmp_path):
    builder = Builder(tmp_path, levels_here()[0], ["contacts"], command=("/nowhere/python",))
    builder.add_process()
    assert "'/nowhere/python' cannot be started" in builder.problem and builder.processes == 0


def test_a_process_that_hangs_is_ended(build, monkeypatch):
    builder = build("(run / 'contacts.part').touch(); time.sleep(600)")
    until(builder.run.told)
    assert builder.processes == 1
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    until(lambda: not builder.processes)
    assert "no kernel was compiled for" in builder.problem


def test_a_build_that_is_given_up_leaves_no_process_and_no_folder(build):
    builder = build("(run / 'pid').write_text(str(os.getpid())); time.sleep(600)")
    until(lambda: (builder.run.folder / "pid").exists() and (builder.run.folder / "pid").read_text())
    process = int((builder.run.folder / "pid").read_text())
    builder.stop()
    assert not builder.run.folder.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


@pytest.mark.parametrize("told", ["nonsense", "", "nan", "-7", "1e9", "\\x00\\xff"])
def test_nonsense_is_no_progress(build, told):
    """Neither what a process tells, nor what it leaves in the store, is taken for a part that is there."""
    code = f"""
(run / 'contacts.part').write_text('{told}')
(run / 'wanted').write_text('{told}')
target.mkdir(parents=True)
(target / 'manifest.json').write_text('{told}')
"""
    builder = build(code)
    until(lambda: not builder.processes)
    assert builder.missing(["contacts", "depths"]) == ["contacts", "depths"]
    state = builder.state()
    assert 0.0 <= state.fraction < 1.0 and 0.0 <= state.seconds < 1e4
    place = store.Store(builder.target, False)
    with pytest.raises(store.DamagedKernel):
        store.usable_manifest(place, "sources")
    store.forget_stores()


@given(st.lists(st.sampled_from(sorted(module._SECONDS)), unique=True, max_size=8), st.data())
def test_each_part_is_taken_once_and_in_the_order_that_is_wanted_then(tmp_path_factory, parts, data):
    run = Run(tmp_path_factory.mktemp("run"))
    run.want(parts)
    left = list(parts)
    while left:
        if data.draw(st.booleans()):
            left = data.draw(st.permutations(left))
            run.want([*left, *(part for part in parts if part not in left)])
        assert run.take() == left.pop(0)
    assert run.take() is None
    assert set(run.told()) == set(parts)


def test_what_is_asked_for_later_goes_first(build):
    builder = build("time.sleep(600)", ["contacts", "depths", "clouds"])
    assert builder.run.take() == "contacts"
    builder.want_first(["voxels", "clouds"])
    assert [builder.run.take() for _ in range(4)] == ["voxels", "clouds", "depths", None]
    before = builder.state(["voxels"])
    builder.run.tell("voxels", 0.5)
    assert builder.state(["voxels"]).fraction == pytest.approx(0.5) and builder.missing(["voxels"])
    assert builder.state(["voxels"]).seconds < before.seconds
    builder.run.tell_done("voxels")
    assert builder.missing(["voxels", "depths"]) == ["depths"]


OWN = f"""
import json, time
from meshclash import jit, warm_up
from meshclash.kernels.builder import own_builder
assert jit.missing_parts([{PART!r}, {OTHER!r}]) == [{PART!r}, {OTHER!r}]
builder = own_builder([{PART!r}])
while builder.processes and builder.missing([{PART!r}]):
    time.sleep(0.05)
print(builder.problem)
builder.stop()
jit.look_for_new_kernels()
missing = jit.missing_parts([{PART!r}, {OTHER!r}])
list(warm_up([{PART!r}]))
print(json.dumps([missing, jit.kernel_counts(), jit.kernel_notes()]))
"""


@pytest.mark.slow
@pytest.mark.needs_jit
def test_what_a_process_has_built_beside_is_loaded_and_built_once(tmp_path):
    """The real one, for one part: the store is in the user's folder, private, verified, and kept for the next run."""
    missing, counts, notes = run_python(OWN, MESHCLASH_CACHE_DIR=tmp_path)
    assert missing == [OTHER] and notes == []
    assert counts["built"] > 0 and counts["compiled"] == counts["cached"] == 0
    (folder,) = (tmp_path / store.OWN_NAME).iterdir()
    assert store.verify(folder) == [] and not list((tmp_path / "kernels-1").iterdir())
    assert all(path.stat().st_mode & 0o022 == 0 for path in (folder, *folder.iterdir()))
    counted = OWN.replace("assert ", "[] and ").replace(f"own_builder([{PART!r}])", f"own_builder([{OTHER!r}])")
    before = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.kernel")}
    missing, _, notes = run_python(
        counted.replace(f"missing([{PART!r}])", f"missing([{OTHER!r}])"), MESHCLASH_CACHE_DIR=tmp_path
    )
    assert missing == [] and notes == []
    assert store.parts_of(store.read_manifest(folder)) == [PART, OTHER]
    assert set(before) < {path.name for path in folder.glob("*.kernel")}


@pytest.mark.slow
@pytest.mark.needs_jit
@pytest.mark.skipif(os.name != "posix", reason="elsewhere a kernel that was begun is compiled first")
def test_the_process_ends_with_the_one_that_started_it_however_that_ends(tmp_path):
    code = """
import time
from meshclash.kernels.builder import own_builder
builder = own_builder(["continuous"])
print(builder._processes[0].pid, builder.run.folder, flush=True)
time.sleep(600)
"""
    variables = {**os.environ, "PYTHONPATH": str(ENGINE.parent), "MESHCLASH_CACHE_DIR": str(tmp_path)}
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=variables)
    number, folder = parent.stdout.readline().split()
    until((Path(folder) / "continuous.part").exists)
    assert json.loads((Path(folder) / "wanted").read_text()) == ["continuous"]
    parent.send_signal(signal.SIGKILL)
    parent.wait()

    def is_gone():
        try:
            return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except OSError:
            return True

    until(is_gone)
    until(lambda: not Path(folder).exists())


@pytest.mark.needs_jit
@pytest.mark.skipif(os.name != "posix", reason="other systems protect a user's folders by other means")
def test_a_folder_that_others_may_fill_gets_no_store(tmp_path, monkeypatch):
    monkeypatch.setenv("MESHCLASH_CACHE_DIR", str(tmp_path))
    (tmp_path / store.OWN_NAME).mkdir()
    (tmp_path / store.OWN_NAME).chmod(0o777)
    with pytest.raises(OSError, match="everybody may write"):
        module.own_builder([PART])
