"""The cache of compiled kernels on bad disks: a kernel is compiled again, and no answer is lost."""

import importlib.util
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from meshclash import jit, jit_cache

pytestmark = pytest.mark.needs_jit


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """Calls a kernel as a new process would: `ask(folder)` gives the answer and the number of cache hits."""
    path = tmp_path / "halve.py"
    path.write_text("def halve(x):\n    return 0.5 * x\n", "utf-8")
    spec = importlib.util.spec_from_file_location("halve", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "halve", module)  # loading a kernel imports its module
    spec.loader.exec_module(module)
    monkeypatch.setattr(jit_cache, "_problems", [])

    def ask(folder):
        folder.mkdir(parents=True, exist_ok=True)
        monkeypatch.setattr(jit, "CACHE_DIRECTORY", folder)
        kernel = jit.kernel(module.halve)
        return kernel(3.0), sum(kernel.stats.cache_hits.values())

    return ask


@contextmanager
def full_disk():
    """No file can grow beyond nothing; only POSIX can set that."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_costs_a_compilation_and_is_told(ask, tmp_path):
    with full_disk():
        assert ask(tmp_path / "cache") == (1.5, 0)
    assert "cannot be stored" in jit_cache.problem() and str(tmp_path / "cache") in jit_cache.problem()
    assert ask(tmp_path / "cache") == (1.5, 0)  # there is room again
    assert ask(tmp_path / "cache") == (1.5, 1)


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("content", [b"", b"no pickle at all", None])
def test_damaged_files_are_replaced(ask, tmp_path, ending, content):
    assert ask(tmp_path / "cache") == (1.5, 0)
    (damaged,) = (tmp_path / "cache").rglob(f"*.{ending}")
    damaged.write_bytes(damaged.read_bytes()[:-20] if content is None else content)
    assert ask(tmp_path / "cache") == (1.5, 0)
    assert ask(tmp_path / "cache") == (1.5, 1)
    assert jit_cache.problem() == ""


def test_long_folders_with_names_of_all_scripts(ask, tmp_path):
    folder = tmp_path.joinpath("Größe und Maß", "検査 の結果", *["a long name " * 6 + "end"] * 4)
    assert ask(folder) == (1.5, 0)
    assert ask(folder) == (1.5, 1)


def test_a_folder_that_vanishes_meanwhile(ask, tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    made = jit_cache.KernelCache.__init__

    def vanish(self, function):
        made(self, function)
        shutil.rmtree(folder)
        folder.write_text("a file is in the way")

    monkeypatch.setattr(jit_cache.KernelCache, "__init__", vanish)
    assert ask(folder) == (1.5, 0)
    assert "cannot be stored" in jit_cache.problem()


def test_a_user_without_a_home_has_no_cache(monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    for name in ("MESHCLASH_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert jit._find_cache_directory() is None
