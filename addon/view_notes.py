"""Notes in screens about the state of views before a pair was isolated or everything else was made transparent.

Blender writes autosaves and the file of the last session with the current views, without calling handlers. The screens
of a file contain these notes, so that views are restored when the file is opened. The views then leave local view, even
if the user had a local view of their own.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import bpy
from bpy.props import StringProperty

from . import ghosting, shown_things
from .core.saved import strict_json

Before = dict[str, Any]
"""State of a view: "local", true if a local view isolates a pair; "shading", see `ghosting`; "viewpoint", as a list."""
PERSPECTIVES = ("PERSP", "ORTHO", "CAMERA")


def attach() -> None:
    """Register the notes of screens."""
    bpy.types.Screen.meshclash_views = StringProperty(
        description="How 3D views were before a pair was isolated", options={"HIDDEN"}
    )


def detach() -> None:
    """Unregister the notes."""
    del bpy.types.Screen.meshclash_views


def write(context: bpy.types.Context) -> None:
    """Write the state of the session to the notes of all screens."""
    isolated, ghosted = shown_things.isolated_views(), shown_things.ghosted_views()
    for screen in context.blend_data.screens:
        notes: dict[str, Before] = {}
        for index, area in enumerate(screen.areas):
            note: Before = {}
            key = area.as_pointer()
            if key in isolated:
                note["local"] = True
            if key in ghosted:
                note["shading"] = ghosted[key]
            if key in shown_things.viewpoints():
                note["viewpoint"] = shown_things.viewpoints()[key]
            if note:
                notes[str(index)] = note
        text = json.dumps(notes) if notes else ""
        if screen.meshclash_views != text:
            screen.meshclash_views = text


def read(context: bpy.types.Context) -> bool:
    """Read the notes of a file that was just loaded into the session; return whether the file contains notes."""
    isolated, ghosted = shown_things.isolated_views(), shown_things.ghosted_views()
    for screen in context.blend_data.screens:
        for index, note in _notes(screen.meshclash_views):
            if not 0 <= index < len(screen.areas) or screen.areas[index].type != "VIEW_3D":
                continue
            key = screen.areas[index].as_pointer()
            if "local" in note:
                isolated[key] = None
            if "shading" in note:
                ghosted[key] = note["shading"]
            if "viewpoint" in note:
                shown_things.viewpoints()[key] = shown_things.Viewpoint(*note["viewpoint"])
    return bool(isolated or ghosted)


def _notes(text: str) -> Iterator[tuple[int, Before]]:
    """Yield the content of a screen's note; nothing if it is damaged."""
    try:
        found = [(int(index), note) for index, note in strict_json(text or "{}").items()]
    except (ValueError, AttributeError):
        return
    yield from ((index, note) for index, note in found if _is_note(note))


def _is_note(note: object) -> bool:
    if not isinstance(note, dict):
        return False
    shading = note.get("shading", {})
    known = note.get("local", True) is True and isinstance(shading, dict) and ghosting.is_shading(shading)
    return known and ("viewpoint" not in note or _is_viewpoint(note["viewpoint"]))


def _is_viewpoint(given: object) -> bool:
    if not isinstance(given, list) or len(given) != len(shown_things.Viewpoint._fields):
        return False
    return given[-1] in PERSPECTIVES and all(isinstance(x, float) and math.isfinite(x) for x in given[:-1])
