"""MeshClash: exact clash detection for meshes in Blender.

Registration imports neither Numba nor the engine; `engine.load` does that on the first Detect.
"""

from __future__ import annotations

import atexit
import contextlib

import bpy

from . import (
    commandline,
    early_bytecode,
    freshness,
    handlers,
    kernel_building,
    keys,
    ops,
    preferences,
    props,
    running_work,
    translations,
    ui,
    view,
    view_notes,
)
from .ops import heartbeat
from .overlay import draw, heat_map, lines, strip
from .ui import menus, presets

CLASSES = (*props.CLASSES, *preferences.CLASSES, *ops.CLASSES, *ui.CLASSES)

_undo = contextlib.ExitStack()  # undoes what `register` has done, in reverse order


def register() -> None:
    """Register the extension with Blender; if an error occurs, everything is undone."""
    with contextlib.ExitStack() as done:
        for cls in CLASSES:
            bpy.utils.register_class(cls)
            done.callback(bpy.utils.unregister_class, cls)
        props.attach()
        done.callback(props.detach)
        view_notes.attach()
        done.callback(view_notes.detach)
        done.callback(handlers.forget_file)
        handlers.install()
        done.callback(handlers.uninstall)
        done.callback(freshness.uninstall)
        early_bytecode.begin()
        done.callback(early_bytecode.end)
        done.callback(kernel_building.end)
        for overlay in (draw, lines, heat_map, strip):
            overlay.HANDLERS.install()
            done.callback(overlay.HANDLERS.uninstall)
        for places in (menus, presets, translations, keys):
            places.attach()
            done.callback(places.detach)
        done.callback(commandline.unregister_command, commandline.register_command())
        done.callback(_restore_views)
        _undo.push(done.pop_all())
    if not bpy.app.binary_path:
        atexit.register(unregister)  # Blender's Python module crashes at exit if a command is still registered


def unregister() -> None:
    """Unregister everything, in reverse order."""
    atexit.unregister(unregister)
    _undo.close()


def _restore_views() -> None:
    running_work.stop_task("The extension was disabled")
    running_work.stop_live("The extension was disabled")
    heartbeat.stop_all()
    view.leave_isolation(bpy.context)
