"""Choose a GPU in the preferences: where none can be used the page says why, and Detect is answered by the CPU.

With the ordinary zip CUDA is missing; with one of `build_extension.py --gpu`, on a machine without a GPU, a driver.
"""

import importlib.util
import sys
from collections.abc import Generator
from typing import Any

import bpy


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    engine = window.module("engine")
    has_cuda = importlib.util.find_spec("numba_cuda") is not None
    area = window.area()
    before, area.type = area.type, "PREFERENCES"
    bpy.context.preferences.active_section = "ADDONS"
    bpy.context.window_manager.addon_search = "MeshClash"
    bpy.ops.preferences.addon_expand(module=window.package)
    chosen = bpy.context.preferences.addons[window.package].preferences
    chosen.gpu_from = 1
    chosen.device = "GPU"
    yield 0.5
    assert not [name for name in sys.modules if name.startswith("numba_cuda")], "looked for when it is asked for only"
    bpy.ops.meshclash.look_for_gpu()
    usable, text = engine.device_known()
    reason = "no nvidia driver was found" if has_cuda else "no cuda support is installed"
    assert usable or reason in text.lower(), text
    area.tag_redraw()
    yield 0.5
    yield from window.show("preferences")
    area.type = before
    yield 0.5

    yield from window.open_tab()
    bpy.ops.mesh.primitive_cube_add(location=(1.0, 0.5, 0.25))
    yield from window.detect()
    assert [row.verdict for row in window.rows] == ["clash"], [(row.name, row.verdict) for row in window.rows]
    window.notes["reason"] = text
