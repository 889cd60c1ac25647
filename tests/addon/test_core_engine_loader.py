"""Where the engine comes from, and what is said when it does not come."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from addon import engine

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def not_loaded(monkeypatch):
    monkeypatch.setattr(engine, "_engine", None)


def failing_import(monkeypatch, name, error):
    original = importlib.import_module

    def import_module(wanted, package=None):
        if wanted == name:
            raise error
        return original(wanted, package)

    monkeypatch.setattr(engine.importlib, "import_module", import_module)


def test_the_engine_is_loaded_once(not_loaded):
    assert engine.load() is engine.load()
    assert engine.load().__name__.endswith("meshclash")


def test_importing_the_extension_imports_neither_numba_nor_what_it_compiles():
    code = "import bpy, sys, addon, addon.commandline; print('numba' in sys.modules, 'meshclash.jit' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "engine")))}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert "False False" in run.stdout


def test_a_missing_numba_says_how_to_get_it(not_loaded, monkeypatch):
    failing_import(monkeypatch, "numba", ModuleNotFoundError("No module named 'numba'", name="numba"))
    with pytest.raises(engine.EngineMissing) as caught:
        engine.load()
    assert "not installed" in caught.value.reason and "zip" in caught.value.remedy


@pytest.mark.parametrize(
    "error",
    [
        ImportError("Numba needs NumPy 2.3 or less"),
        AttributeError("no row_stack"),
        ModuleNotFoundError(name="llvmlite"),
    ],
)
def test_a_broken_numba_says_that_another_extension_may_have_replaced_it(not_loaded, monkeypatch, error):
    failing_import(monkeypatch, "numba", error)
    with pytest.raises(engine.EngineMissing) as caught:
        engine.load()
    assert "0.68" in caught.value.reason and "numba" in caught.value.reason
    assert "Another extension" in caught.value.remedy and caught.value.reason in str(caught.value)


def test_a_missing_engine_says_how_to_get_it(not_loaded, monkeypatch):
    failing_import(monkeypatch, "meshclash", ImportError("No module named 'meshclash'"))
    with pytest.raises(engine.EngineMissing, match="pip install"):
        engine.load()


def test_the_cache_folder_reaches_the_engine(not_loaded, monkeypatch, tmp_path):
    monkeypatch.delenv("MESHCLASH_CACHE_DIR", raising=False)
    monkeypatch.setattr(engine, "_import_engine", lambda: ModuleType("meshclash"))
    engine.load(str(tmp_path))
    assert os.environ.pop("MESHCLASH_CACHE_DIR") == str(tmp_path)


def test_the_diagnosis_names_versions_and_places():
    text = "\n".join(engine.diagnose())
    assert "Python 3." in text and "numba 0.68" in text and "llvmlite" in text and "site-packages" in text


STEPS = """
import json, sys
sys.path[:0] = [ROOT]
from addon import engine

def ours():
    return sum(name.startswith("meshclash") for name in sys.modules)

counts = []
for name in engine.PRELOADED:
    before = ours()
    engine.preload(name, FOLDER)
    counts.append((name, ours() - before))
before = ours()
module = engine.load(FOLDER)
print(json.dumps([counts, ours() - before, str(module.jit.CACHE_DIRECTORY)]))
"""


def test_the_engine_is_imported_a_few_modules_at_a_time(tmp_path):
    """Blender's window waits for each step; the modules of a step say how long, a millisecond or two each."""
    code = f"ROOT, FOLDER = {str(ROOT)!r}, {str(tmp_path)!r}" + STEPS
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "engine")}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    counts, left, cache = json.loads(run.stdout.splitlines()[-1])
    assert left == 0 and cache.startswith(str(tmp_path))
    assert max(count for _, count in counts) <= 20
    assert [name for name, count in counts if name.startswith(".") and not count] == []
