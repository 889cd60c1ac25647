"""Runs on the bpy wheel: an empty scene for each test, nothing of the user's Blender settings.

The process leaves through os._exit: with a class or handler left registered by a failing test, Blender's tear-down
crashes on 4.2 and hangs on 4.5.
"""

import importlib
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("BLENDER_USER_RESOURCES", tempfile.mkdtemp(prefix="meshclash-test-"))  # before bpy is imported

import bpy  # isort: skip
import numpy as np
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)  # as those of the engine: how fast a machine is decides nothing
settings.load_profile("repeatable")
ROOT = Path(__file__).resolve().parents[2]
for folder in (ROOT / "engine", ROOT):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

_status = [0]


@pytest.fixture(scope="session", autouse=True)
def factory_settings():
    """Blender's own settings, once: doing it for each test would disable the extension every time."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


@pytest.fixture(autouse=True)
def clean_scene(factory_settings):
    """An empty file for each test."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


@pytest.fixture
def registered():
    """The extension, registered for one test."""
    import addon

    addon.register()
    yield addon
    addon.unregister()


@pytest.fixture
def research(registered, monkeypatch):
    """The preference for the tools of research is on."""
    from addon import preferences

    monkeypatch.setattr(preferences._Defaults, "show_research", True)


@pytest.fixture
def engine():
    """The meshclash module as the extension loads it."""
    from addon import engine as loader

    return loader.load()


@pytest.fixture
def add_box():
    """Adds a box object with the given corners to the scene: add_box("Name", (0, 0, 0), (1, 1, 1), location=...)."""
    return _add_box


def _add_box(name, low, high, location=(0.0, 0.0, 0.0), collection=None):
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners.tolist(), [], faces)
    item = bpy.data.objects.new(name, mesh)
    item.location = location
    (collection or bpy.context.scene.collection).objects.link(item)
    return item


@pytest.fixture(scope="module")
def load_script():
    """Imports a module of `blender_scripts` by its name."""
    scripts = str(ROOT / "blender_scripts")
    sys.path.insert(0, scripts)
    yield importlib.import_module
    sys.path.remove(scripts)


def pytest_sessionfinish(session, exitstatus):
    _status[0] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(_status[0])
