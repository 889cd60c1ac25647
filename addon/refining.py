"""Refine the depths of a list after Detect, in slices of a timer; rows stay in their place meanwhile.

When all depths are refined, the list is sorted by them once. Refining ends when another detection or Live starts, or
another file is loaded. The selected pair comes first, then the page shown.
"""

from __future__ import annotations

import bpy
from meshclash.clash.report import DetectReport
from meshclash.types.slices import TimeSlice

from . import results, running_work, scene_results
from .core.refining import Refinement

SLICE, PAUSE = 0.02, 0.08  # seconds of work, and pause between slices


class _State:
    """State of the refinement: uid of the scene, result, remaining pairs."""

    running: tuple[int, DetectReport, Refinement] | None = None


def begin(scene_uid: int) -> None:
    """Begin to refine the last result of Detect; only if there is a window."""
    end()
    result, followed = scene_results.result_of(scene_uid), scene_results.known_followed(scene_uid)
    if bpy.app.background or result is None or followed is None:
        return
    refinement = Refinement(followed, result.found.rows)
    if len(refinement):
        _State.running = scene_uid, result.found, refinement
        bpy.app.timers.register(work, first_interval=PAUSE)


def end() -> None:
    """End refining; refined depths are kept."""
    _State.running = None
    if bpy.app.timers.is_registered(work):
        bpy.app.timers.unregister(work)


def work() -> float | None:
    """Refine depths for one slice of time; Blender's timer calls this. Return the time until the next slice, or None at
    the end.
    """
    if _State.running is None:
        return None
    scene_uid, found, refinement = _State.running
    result = scene_results.result_of(scene_uid)
    busy = running_work.running_task() is not None or running_work.running_live() is not None
    if busy or result is None or result.found is not found:
        _State.running = None
        return None
    if bpy.app.is_job_running("RENDER"):
        return PAUSE
    listed = bpy.context.window_manager.meshclash
    wanted = [listed.selected, *(row.pair_id for row in listed.rows)]
    piece, closer = TimeSlice(SLICE), []
    while len(refinement):
        row = refinement.refine_next(wanted)
        closer += [] if row is None else [row]
        if piece.is_full():
            break
    if closer:
        scene_results.refine(scene_uid, closer)
        results.show_refined(bpy.context, scene_uid)
    if not len(refinement):
        _State.running = None
        results.sort_refined(bpy.context, scene_uid)
        return None
    return PAUSE
