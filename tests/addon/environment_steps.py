"""Run by test_environment in a Blender of its own: installs the extension from the sources and takes one step.

python environment_steps.py STEP FOLDER
"""

import os
import sys
import traceback
from pathlib import Path
from types import SimpleNamespace

import bpy  # isort: skip
import addon_utils

ROOT = Path(__file__).resolve().parents[2]
MODULE = "bl_ext.sources.meshclash"

sys.path[:0] = [str(Path(__file__).parent), str(ROOT)]
from ui_fakes import RecordingLayout  # noqa: E402


def install(folder):
    """A repository whose extension is a link to the sources."""
    repository = folder / "repository"
    repository.mkdir()
    (repository / "meshclash").symlink_to(ROOT / "addon", target_is_directory=True)
    repositories = bpy.context.preferences.extensions.repos
    repositories.new(name="sources", module="sources", custom_directory=str(repository), source="USER")
    assert addon_utils.enable(MODULE, default_set=True) is not None
    return sys.modules[MODULE]


def part(name):
    """A module of the extension."""
    return sys.modules[f"{MODULE}.{name}"]


def page():
    """What the preferences page shows."""
    layout = RecordingLayout()
    part("preferences").MESHCLASH_AP_preferences.draw(SimpleNamespace(layout=layout), bpy.context)
    return layout.texts()


def preferences(_folder):
    """Settings of the wrong type, as an old or damaged file may have them."""
    settings = bpy.context.preferences.addons[MODULE].preferences
    raw = settings.bl_system_properties_get(do_create=True) if bpy.app.version >= (5, 0, 0) else settings
    for name, value in (("curve_width", "wide"), ("colour_a", 7), ("fast_path", [1.0, 2.0]), ("no_such", {"a": 1})):
        raw[name] = value
    assert page()
    chosen = part("preferences").of(bpy.context)
    assert 1.0 <= chosen.curve_width <= 10.0 and len(chosen.colour_a) == 4 and chosen.fast_path in (True, False)
    bpy.ops.wm.save_userpref()
    return "preferences are usable"


def no_cache(_folder):
    """A file where the folder of the compiled kernels should be."""
    place = Path(part("preferences").cache_folder())
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("in the way")
    part("engine").load(str(place))
    return "\n".join(page())


def no_home(_folder):
    """Neither the settings nor the cache can be written."""
    part("engine").load(part("preferences").cache_folder())
    return "\n".join(page())


def foreign_numba(_folder):
    """Detect says why, and so do the panel and the diagnosis."""
    try:
        bpy.ops.meshclash.detect()
    except RuntimeError as error:
        state = part("running_work").engine_state()
        assert state.reason in str(error)
        assert state.remedy in page()
        return str(error)
    raise AssertionError("a numba that cannot be imported went unnoticed")


STEPS = {"preferences": preferences, "no_cache": no_cache, "no_home": no_home, "foreign_numba": foreign_numba}

try:
    install(Path(sys.argv[2]))
    print(STEPS[sys.argv[1]](Path(sys.argv[2])))
    status = 0
except BaseException:
    traceback.print_exc()
    status = 1
sys.stdout.flush()
sys.stderr.flush()
os._exit(status)
