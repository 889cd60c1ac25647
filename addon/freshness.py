"""Unmark stale objects that have returned to the state of a result, soon after the last change.

An evaluation reports objects that may have changed, and these are marked as stale immediately. After undo, Edit Mode
without an edit, or a return to the same frame, the objects are unchanged, which their fingerprints show.
"""

from __future__ import annotations

import time

import bpy
from meshclash.clash.errors import DetectError

from . import running_work, scene_results
from .adapters.recheck import unchanged
from .redraw import tag_redraw

QUIET = 0.2  # seconds without a change before objects are read again


class _State:
    """The time at which to check the marked objects."""

    due = 0.0


def look_soon() -> None:
    """Check the marked objects when the scene has not changed for a moment; only if there is a window."""
    _State.due = time.perf_counter() + QUIET
    if not bpy.app.background and not bpy.app.timers.is_registered(_look):
        bpy.app.timers.register(_look, first_interval=QUIET, persistent=True)


def _look() -> float | None:
    """Check the marked objects of all scenes; Blender's timer calls this."""
    left = _State.due - time.perf_counter()
    if left > 0.0:
        return left
    if running_work.running_task() is not None or bpy.app.is_job_running("RENDER"):
        return QUIET
    for scene in bpy.data.scenes:
        look_again(scene)
    return None


def look_again(scene: bpy.types.Scene) -> None:
    """Unmark a scene's objects that are in the state of the result; objects that cannot be read stay marked."""
    uid = scene.session_uid
    layer = _shown_layer(scene)
    if layer is None or not scene_results.suspects(uid):
        return
    news = False
    for seen, names in scene_results.doubts(uid):
        try:
            news |= scene_results.cleared(uid, seen, unchanged(scene, layer, seen, names))
        except DetectError:
            continue
    scene_results.looked_at(uid)
    if news:
        tag_redraw(bpy.context)


def _shown_layer(scene: bpy.types.Scene) -> bpy.types.ViewLayer | None:
    """Return the view layer in which a window, or the context, shows the scene."""
    shown = [window.view_layer for window in bpy.context.window_manager.windows if window.scene == scene]
    if not shown and bpy.context.scene == scene:
        return bpy.context.view_layer
    return shown[0] if shown else None


def uninstall() -> None:
    """End the timer."""
    if bpy.app.timers.is_registered(_look):
        bpy.app.timers.unregister(_look)
