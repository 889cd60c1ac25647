"""Run by test_build_install in a Python without Numba: installs the zip like a user, detects, and removes it again.

The second argument is a folder of compiled kernels: what the zip is to compile is left out of the copy that it gets.
"""

import os
import shutil
import sys
import tempfile
import traceback
from pathlib import Path

os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="meshclash-Größe 検査 " + "a long name " * 8)

import bpy  # isort: skip
import addon_utils

MODULE = "bl_ext.user_default.meshclash"
COMPILED_HERE = ("boxes.", "topology.")  # first words of kernels


def main(zip_path, kernels):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert "numba" not in sys.modules
    result = bpy.ops.extensions.package_install_files(filepath=zip_path, repo="user_default", enable_on_install=True)
    assert result == {"FINISHED"}, result
    assert MODULE in bpy.context.preferences.addons
    assert "numba" not in sys.modules, "the engine must be loaded on first use only"
    folder = Path(sys.modules[MODULE].__file__).parent
    before = {path for path in folder.rglob("*") if "__pycache__" not in path.parts}
    cache = Path(bpy.utils.extension_path_user(MODULE, path="kernels", create=True))
    left_out = shutil.ignore_patterns(*(f"{word}*" for word in COMPILED_HERE))
    shutil.copytree(kernels, cache / Path(kernels).name, ignore=left_out, copy_function=shutil.copyfile)
    for location in ((0.0, 0.0, 0.0), (1.5, 0.25, 0.125), (10.0, 0.0, 0.0)):
        bpy.ops.mesh.primitive_cube_add(location=location)
    assert bpy.ops.meshclash.detect() == {"FINISHED"}
    rows = bpy.context.window_manager.meshclash.rows
    assert [row.verdict for row in rows] == ["clash"], [(row.name, row.verdict) for row in rows]
    assert os.environ["BLENDER_USER_RESOURCES"] in sys.modules["numba"].__file__, sys.modules["numba"].__file__
    assert not any(name == "meshclash" for name in sys.modules), "the engine must be the sub-package"
    compiled = [path.name for path in cache.rglob("*.kernel") if path.name.startswith(COMPILED_HERE)]
    assert compiled, f"no compiled kernels in {cache}"
    counts = sys.modules[f"{MODULE}.meshclash.jit"].kernel_counts()
    assert counts["cached"] > counts["compiled"] >= len(compiled), counts
    after = {path for path in folder.rglob("*") if "__pycache__" not in path.parts}
    assert after == before, f"written beside the code: {after - before}"
    addon_utils.disable(MODULE, default_set=True)
    assert not hasattr(bpy.types.Scene, "meshclash")
    print("installed, detected and disabled")


try:
    main(*sys.argv[1:3])
    status = 0
except BaseException:
    traceback.print_exc()
    status = 1
sys.stdout.flush()
sys.stderr.flush()
os._exit(status)
