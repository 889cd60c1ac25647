"""Application handlers: update the running detection and old results when Blender's data changes."""

from __future__ import annotations

import sys
from dataclasses import replace

import bpy
from bpy.app.handlers import persistent
from meshclash.clash.errors import InputError
from meshclash.clash.terminal import say

from . import (
    events_list,
    freshness,
    histories,
    props,
    refining,
    results,
    running_work,
    scene_results,
    shown_things,
    view,
)
from .adapters.objects import told_of
from .adapters.source import metres_per_unit
from .adapters.updates import changes_of
from .core import saved
from .core.changes import Changes
from .overlay import bodies
from .redraw import tag_redraw

LOOK_SECONDS = 2.0
"""Seconds between two checks of the journal, each of which takes two queries to the file system."""


def forget_file() -> None:
    """Stop all running work, and discard the state of the open file."""
    refining.end()
    running_work.clear()
    scene_results.clear()
    histories.forget()
    shown_things.clear()


@persistent
def on_load_pre(*_args: object) -> None:
    """Discard the state of the old file before another is loaded: its data must not be used afterwards.

    Windows may stay unchanged, so views are restored first.
    """
    view.leave_isolation(bpy.context)
    forget_file()


@persistent
def on_load_post(*_args: object) -> None:
    """Reset the state after loading: lists of results and filters may have come with the file's window manager."""
    forget_file()
    bpy.context.window_manager.meshclash.ask_for_all()
    results.clear_list(bpy.context)
    if bpy.context.scene is not None:
        events_list.list_events(bpy.context, bpy.context.scene)
    props.keep_permitted_lengths()
    histories.loaded()
    for scene in bpy.data.scenes:
        if scene.library is None and scene.meshclash.deviation_serial:
            scene.meshclash.deviation_serial = 0  # from a measurement in another session
        try:
            report = saved.from_text(scene.meshclash.saved_list, bpy.data.filepath, metres_per_unit(scene))
        except InputError as error:
            scene_results.refuse_list(scene.session_uid, str(error))
            say(sys.stderr, f"MeshClash: scene '{scene.name}': {error}")
            continue
        if report is not None:
            report = replace(report, objects=told_of(scene, report))
            scene_results.store_result(scene.session_uid, report, loaded=True)
            scene_results.exclude(scene.session_uid, scene.meshclash.excluded_names)
    view.give_back_noted(bpy.context)
    if bpy.context.scene is not None:
        results.relist(bpy.context, bpy.context.scene)


@persistent
def on_save_pre(*_args: object) -> None:
    """Save the list of each scene in the file, without faces, which Detect finds again.

    Isolation is not saved, because otherwise the file would open with isolated views that no command ends.
    """
    view.suspend_isolation(bpy.context)
    histories.before_save()
    for scene in bpy.data.scenes:
        result = scene_results.result_of(scene.session_uid)
        text = "" if result is None else saved.to_text(result.found)
        if scene.library is None and scene.meshclash.saved_list != text:
            scene.meshclash.saved_list = text


@persistent
def on_save_post(*_args: object) -> None:
    """Isolate views again after saving, whether it succeeded or failed."""
    histories.after_save()
    view.resume_isolation(bpy.context)


@persistent
def on_undo(scene: bpy.types.Scene, *_args: object) -> None:
    """Handle undo and redo, which replace the data that a detection reads.

    Their changes are reported with the next update.
    """
    running_work.stop_task("Undo during detection: press Detect again")
    live = running_work.running_live()
    if live is not None:
        live.note(Changes(everything=True))
    _mark_missing(scene)
    scene_results.doubt_reviews()
    for other in bpy.data.scenes:
        if other.library is None:
            histories.sync(other, undone=True)
    bodies.forget()
    for other in bpy.data.scenes:
        if scene_results.suspect_all(other.session_uid):
            freshness.look_soon()
        results.follow_exclusions(bpy.context, other)
    tag_redraw(bpy.context)


@persistent
def on_depsgraph_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Record changes for Live and mark results of Detect as stale after an evaluation. Does nothing else.

    Final renders also evaluate the scene, in their own thread; they do not change the scene.
    """
    if depsgraph.mode != "VIEWPORT" or running_work.ignores_updates():
        return
    changes = changes_of(depsgraph)
    if changes.deformed:
        bodies.forget()
    aged = (
        shown_things.age_hierarchy(changes.deformed),
        shown_things.voxels.age(scene.session_uid, changes.names),
        shown_things.solid.age(scene.session_uid, changes.names),
    )
    if any(aged):
        tag_redraw(bpy.context)
    live = running_work.running_live()
    if live is not None and live.scene_uid == scene.session_uid:
        live.note(changes)
        return
    news = scene_results.mark_stale(scene.session_uid, changes.names)
    if changes.structure:
        news |= _mark_missing(scene)
        scene_results.suspect_all(scene.session_uid)  # a name may exist again
    if scene_results.suspects(scene.session_uid):
        freshness.look_soon()
    if news:
        tag_redraw(bpy.context)


@persistent
def on_frame_change(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Handle a change of frame; changes by a scan are ignored, since a scan restores the frame that was shown."""
    if not running_work.changes_frames():
        on_depsgraph_update(scene, depsgraph)


def _mark_missing(scene: bpy.types.Scene) -> bool:
    """Mark deleted or renamed objects in a scene's results as stale; return whether any mark is new."""
    named = scene_results.named_objects(scene.session_uid)
    if not named:
        return False
    present = {item.name_full for item in scene.objects if item is not None}
    gone = named - present
    aged = [age(scene.session_uid, gone) for age in (shown_things.voxels.age, shown_things.solid.age)]
    return scene_results.mark_stale(scene.session_uid, gone) or any(aged)


_HANDLERS = (
    ("load_pre", on_load_pre),
    ("load_post", on_load_post),
    ("save_pre", on_save_pre),
    ("save_post", on_save_post),
    ("save_post_fail", on_save_post),
    ("undo_post", on_undo),
    ("redo_post", on_undo),
    ("depsgraph_update_post", on_depsgraph_update),
    ("frame_change_post", on_frame_change),
)


def look_at_others() -> float:
    """List decisions that another Blender has written to the journal; a timer calls this regularly."""
    if running_work.running_task() is None and histories.look_at_others():
        context = bpy.context
        listed = context.window_manager.meshclash
        if context.scene is not None and listed.scene_uid == context.scene.session_uid:
            results.relist(context, context.scene, listed.selected)
        tag_redraw(context)
    return LOOK_SECONDS


def install() -> None:
    """Install the handlers."""
    bpy.app.timers.register(look_at_others, first_interval=LOOK_SECONDS, persistent=True)
    for name, handler in _HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)


def uninstall() -> None:
    """Remove the handlers."""
    if bpy.app.timers.is_registered(look_at_others):
        bpy.app.timers.unregister(look_at_others)
    for name, handler in _HANDLERS:
        registered = getattr(bpy.app.handlers, name)
        if handler in registered:
            registered.remove(handler)
