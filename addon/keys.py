"""Keys that act while the mouse is over the results: arrows step through the pairs, 1 to 4 set the status.

Outside the list, these keys keep their usual meaning: if the poll of an operator fails, Blender passes its key on.
"""

from __future__ import annotations

from typing import Any

import bpy

from .props import STATUS_ORDER

STEPS = {"UP_ARROW": -1, "DOWN_ARROW": 1}
NUMBERS = dict(zip(("ONE", "TWO", "THREE", "FOUR"), STATUS_ORDER, strict=True))
MAPS = (("3D View Generic", "VIEW_3D"), ("Property Editor", "PROPERTIES"))
"""Keymaps of the regions with results: the sidebar, and the area of results."""
FRAMES = "Frames", "EMPTY"
"""Keymap of all regions in which arrow keys jump between keyframes. Blender asks it before the keymaps of a region, and
its jump takes the key even if there is no keyframe. Keys of extensions are the first in a keymap.
"""


class _State:
    made: list[tuple[Any, Any]] = []  # noqa: RUF012 - of this session, with the keymap of each


def attach() -> None:
    """Add the keys, if there is a window."""
    config = bpy.context.window_manager.keyconfigs.addon
    if config is None:
        return
    keymap = config.keymaps.new(name=FRAMES[0], space_type=FRAMES[1])
    for key, step in STEPS.items():
        item = keymap.keymap_items.new("meshclash.step_over_results", key, "PRESS", repeat=True)
        item.properties.step = step
        _State.made.append((keymap, item))
    for name, space in MAPS:
        keymap = config.keymaps.new(name=name, space_type=space)
        for key, status in NUMBERS.items():
            item = keymap.keymap_items.new("meshclash.status_over_results", key, "PRESS")
            item.properties.status = status
            _State.made.append((keymap, item))


def detach() -> None:
    """Remove the keys."""
    for keymap, item in _State.made:
        keymap.keymap_items.remove(item)
    _State.made.clear()
