"""Application handlers: what happens to a running detection and to old results when Blender's data changes."""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

from . import results, session
from .overlay.draw import tag_redraw

UNDONE = "Undo changed the scene: press Detect again"


@persistent
def on_load_pre(*_args: object) -> None:
    """A file is about to be loaded: nothing of the old one may be touched afterwards."""
    session.clear()


@persistent
def on_load_post(*_args: object) -> None:
    """The window manager may have come with the file, and a list without its arrays is of no use."""
    session.clear()
    results.clear_list(bpy.context)


@persistent
def on_undo(*_args: object) -> None:
    """Undo and redo replace the data a detection is reading."""
    session.stop_task("Undo during detection: press Detect again")
    session.mark_outdated(UNDONE)
    tag_redraw(bpy.context)


@persistent
def on_depsgraph_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Notes the first change of an object after Detect, for the hint in the panel."""
    result = session.result_of(scene.session_uid)
    if result is None or result.changed:
        return
    for update in depsgraph.updates:
        if isinstance(update.id, bpy.types.Object) and (update.is_updated_transform or update.is_updated_geometry):
            result.changed = True
            tag_redraw(bpy.context, ("UI",))
            return


_HANDLERS = (
    ("load_pre", on_load_pre),
    ("load_post", on_load_post),
    ("undo_post", on_undo),
    ("redo_post", on_undo),
    ("depsgraph_update_post", on_depsgraph_update),
)


def install() -> None:
    """Adds the handlers."""
    for name, handler in _HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)


def uninstall() -> None:
    """Removes the handlers."""
    for name, handler in _HANDLERS:
        registered = getattr(bpy.app.handlers, name)
        if handler in registered:
            registered.remove(handler)
