"""Compiled kernels: cached, never stale, and no concern of anybody else in the process."""

import ast
import shutil
import threading

import numba
import numpy as np
import pytest
from meshclash import jit
from meshclash.kernels.sources import COMMAND_LINE, imported_by, reached, whole_hash
from subprocesses import ENGINE, run_python

BOXES = """
import json, sys
import numpy as np
import meshclash as mc
from meshclash.jit import CACHE_DIRECTORY
corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
mesh = mc.TriangleMesh(corners, quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3))
"""
FIT = (
    BOXES
    + """
from meshclash.hierarchy.boxes import NO_COORDINATES, _fit
vertices, triangles = mesh.arrays
number, volumes = (lambda *x: np.array(x, np.int32)), np.empty((1, 6), np.float32)
_fit(number(0), number(12), number(*range(12)), triangles, vertices, np.full(3, 0.5), volumes, NO_COORDINATES)
stats = _fit.stats
print(json.dumps([float(volumes[0, 0]), sum(stats.cache_hits.values()), sum(stats.cache_misses.values())]))
"""
)
"""The boxes of a tree of one leaf: one kernel, and a small one."""
MEET = (
    BOXES
    + """
from meshclash.query.shortcuts.kernels import meet_single
answer = mc.collides(mesh, mesh)
stats = meet_single.stats
print(json.dumps([answer, sum(stats.cache_hits.values()), sum(stats.cache_misses.values())]))
"""
)


@pytest.fixture
def copied_engine(tmp_path):
    """A copy of the engine that may be edited."""
    copy = tmp_path / "engine" / "meshclash"
    shutil.copytree(ENGINE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.needs_jit
def test_an_edited_helper_is_never_served_stale(copied_engine, tmp_path):
    """Two levels below the kernel, in another file, with one cache folder for all versions."""
    cache = tmp_path / "cache"
    low, hits, misses = run_python(FIT, copied_engine, MESHCLASH_CACHE_DIR=cache)
    assert (low, hits, misses) == (pytest.approx(-0.5, abs=1e-6), 0, 1)
    assert run_python(FIT, copied_engine, MESHCLASH_CACHE_DIR=cache) == [low, 1, 0]
    helper = copied_engine / "volumes" / "rounding.py"
    edit(helper, "return y * _UP if y < -_TINY", "return y * _UP * np.float32(2.0) if y < -_TINY")
    edited, hits, misses = run_python(FIT, copied_engine, MESHCLASH_CACHE_DIR=cache)
    assert (edited, hits, misses) == (pytest.approx(-1.0, abs=1e-6), 0, 1)
    edit(helper, "return y * _UP * np.float32(2.0) if y < -_TINY", "return y * _UP if y < -_TINY")
    assert run_python(FIT, copied_engine, MESHCLASH_CACHE_DIR=cache) == [low, 1, 0]
    assert len(list(cache.rglob("boxes._fit-*"))) == 2


@pytest.mark.slow
@pytest.mark.needs_jit
def test_the_traversal_is_cached_and_follows_edits_of_what_it_is_made_of(copied_engine, tmp_path):
    """The copy takes what another process compiled from the same sources in another place."""
    cache = tmp_path / "cache"
    run_python(MEET)  # into the folder of all tests, where it mostly is already
    shutil.copytree(jit.CACHE_DIRECTORY, cache / jit.FOLDER_NAME)
    assert run_python(MEET, copied_engine, MESHCLASH_CACHE_DIR=cache) == [True, 1, 0]
    edit(copied_engine / "geometry" / "generic_pair.py", "        return UNDECIDED\n", "        return APART\n")
    assert run_python(MEET, copied_engine, MESHCLASH_CACHE_DIR=cache) == [False, 0, 1]


@pytest.mark.slow
def test_every_source_counts_in_the_hash_of_the_engine(copied_engine):
    hashes = {whole_hash(copied_engine)}
    command_lines = {*copied_engine.rglob("__main__.py"), *(copied_engine / name for name in COMMAND_LINE)}
    sources = sorted(set(copied_engine.rglob("*.py")) - command_lines)
    for source in sources:
        source.write_text(source.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
        hashes.add(whole_hash(copied_engine))
    (copied_engine / "volumes" / "new.py").write_text("")
    hashes.add(whole_hash(copied_engine))
    assert len(hashes) == len(sources) + 2
    assert all(len(h) == 16 and int(h, 16) >= 0 for h in hashes)


def test_command_lines_do_not_count_in_the_hash(copied_engine):
    before = whole_hash(copied_engine)
    (copied_engine / "solid" / "__main__.py").write_text("x = 1\n")
    assert whole_hash(copied_engine) == before


@pytest.mark.parametrize("path", sorted(ENGINE.rglob("*.py")), ids=lambda path: str(path.relative_to(ENGINE)))
def test_imports_are_found_as_python_finds_them(path):
    """The quick search in the text of a source against its syntax tree."""
    expected = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for place in (folder, *(folder / alias.name for alias in node.names)):
                candidates = (place.with_suffix(".py"), place / "__init__.py") if place != ENGINE else ()
                expected.update(file for file in candidates if file.is_file())
    assert imported_by(path) == expected


def test_a_hash_follows_what_a_source_imports_and_nothing_else():
    found = reached([ENGINE / "traversal" / "pairs.py"])
    names = {str(path.relative_to(ENGINE)) for path in found}
    assert {"geometry/triangle_pair.py", "jit.py", "jit_pipeline.py", "reference.py", "traversal/access.py"} <= names
    assert not {"solid/judge.py", "scene/scene.py", "warming.py"} & names


WHERE = """
import json
from meshclash.jit import CACHE_DIRECTORY
print(json.dumps(CACHE_DIRECTORY and str(CACHE_DIRECTORY)))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("set_to", "expected"),
    [
        ({"MESHCLASH_CACHE_DIR": "ours", "NUMBA_CACHE_DIR": "numba"}, "ours"),
        ({"MESHCLASH_CACHE_DIR": None, "NUMBA_CACHE_DIR": "numba"}, "numba"),
        ({"MESHCLASH_CACHE_DIR": None, "NUMBA_CACHE_DIR": None, "XDG_CACHE_HOME": "xdg"}, "xdg/meshclash"),
    ],
)
def test_where_the_cache_lies(tmp_path, set_to, expected):
    environment = {name: folder and tmp_path / folder for name, folder in set_to.items()}
    found = run_python(WHERE, **environment)
    assert found == str(tmp_path / expected / jit.FOLDER_NAME)


@pytest.mark.slow
@pytest.mark.needs_jit
def test_kernels_work_without_a_cache_folder(tmp_path):
    """Where a file is in the way of the folder, nothing can be written, whoever runs this."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert run_python(WHERE, MESHCLASH_CACHE_DIR=blocked / "folder") is None
    for _ in range(2):
        low, hits, _ = run_python(FIT, MESHCLASH_CACHE_DIR=blocked / "folder")
        assert (low, hits) == (pytest.approx(-0.5, abs=1e-6), 0)


SETTINGS = """
import json
from numba.core import config
def state():
    return {name: repr(getattr(config, name)) for name in dir(config) if name.isupper()}
before = state()
import meshclash
meshclash.build(meshclash.TriangleMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
print(json.dumps([sorted(name for name in before if state()[name] != before[name]), config.CACHE_DIR]))
"""


@pytest.mark.slow
def test_settings_of_numba_are_left_alone(tmp_path):
    assert run_python(SETTINGS, NUMBA_CACHE_DIR=None) == [[], ""]
    assert run_python(SETTINGS, NUMBA_CACHE_DIR=tmp_path) == [[], str(tmp_path)]


@pytest.mark.needs_jit
def test_nothing_is_compiled_at_import():
    code = """
import json
from numba.core import event
with event.install_recorder("numba:compile") as recorder:
    import meshclash
print(json.dumps(len(recorder.buffer)))
"""
    assert run_python(code) == 0


@jit.parallel_kernel
def count_parts(sums, parts):
    """Every part adds up numbers, long enough that two callers overlap."""
    for part in numba.prange(parts):
        for k in range(200_000):
            sums[part] += k % (part + 2)


def counted(sums, parts):
    """What ``count_parts`` computes, in a region; gives the number of threads that it had."""
    with jit.parallel_region(2) as threads:
        (count_parts if threads > 1 else count_parts.py_func)(sums, parts)
        return threads


@pytest.mark.needs_jit
def test_a_region_inside_a_region_is_serial():
    with jit.parallel_region(2) as outer:
        with jit.parallel_region(2) as within:
            assert (outer, within) == (2, 1)
        with jit.parallel_region(2) as again:
            assert again == 1, "the inner region gave back what it did not hold"
    with jit.parallel_region(2) as later:
        assert later == 2


def test_a_region_of_one_thread_takes_nothing():
    with jit.parallel_region(1) as first, jit.parallel_region(1) as second:
        assert (first, second) == (1, 1)


@pytest.mark.needs_jit
def test_an_error_inside_a_region_frees_it():
    with pytest.raises(KeyError), jit.parallel_region(2):
        raise KeyError
    with jit.parallel_region(2) as threads:
        assert threads == 2


@pytest.mark.slow
@pytest.mark.needs_jit
def test_two_python_threads_may_ask_at_once():
    """Overlapping parallel kernels would end the process."""
    expected = np.array([sum(k % (part + 2) for k in range(200_000)) for part in range(2)])
    results = [np.zeros(2, np.int64) for _ in range(2)]
    given = []
    callers = [threading.Thread(target=lambda sums=sums: given.append(counted(sums, 2))) for sums in results]
    with jit.parallel_region(2):
        assert counted(results[0], 2) == 1
    results[0][:] = 0
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert 2 in given
    assert all(np.array_equal(sums, expected) for sums in results)


def test_the_limit_of_threads(monkeypatch):
    monkeypatch.setattr(jit.config, "DISABLE_JIT", 0)
    monkeypatch.setattr(jit.config, "NUMBA_NUM_THREADS", 4)
    assert [jit.thread_limit(threads) for threads in (None, 1, 3, 4, 99)] == [4, 1, 3, 4, 4]
    monkeypatch.setattr(jit.config, "DISABLE_JIT", 1)
    assert jit.thread_limit(None) == jit.thread_limit(8) == 1


REGION = """
import json
import numba
from numba.core import config
before = config.THREADING_LAYER_PRIORITY, config.THREADING_LAYER
from meshclash.jit import parallel_region
with parallel_region(2):
    pass
print(json.dumps([numba.threading_layer(), (config.THREADING_LAYER_PRIORITY, config.THREADING_LAYER) == before]))
"""


@pytest.mark.needs_jit
def test_numbas_own_pool_without_touching_settings():
    assert run_python(REGION, NUMBA_THREADING_LAYER=None) == ["workqueue", True]


@pytest.mark.needs_jit
def test_a_layer_that_the_user_chose_is_not_started_by_us():
    """Numba starts it when it loads the first parallel kernel."""
    code = REGION.replace("numba.threading_layer()", "numba.np.ufunc.parallel._is_initialized")
    assert run_python("import numba.np.ufunc.parallel" + code, NUMBA_THREADING_LAYER="workqueue") == [False, True]
