"""Adding what is drawn to Blender's editors, and taking it away again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy


class DrawHandlers:
    """The draw handlers of one overlay; in background mode, where there is no window, none is ever added.

    Args:
        space: the type of the editors that are drawn in.
        drawn: functions with their arguments, and when each is called: "POST_VIEW" or "POST_PIXEL".
        free: frees what the overlay keeps for drawing.
    """

    def __init__(
        self, space: Any, drawn: tuple[tuple[Callable[..., None], tuple[Any, ...], str], ...], free: Callable[[], None]
    ) -> None:
        self._space, self._drawn, self._free = space, drawn, free
        self._handles: list[object] = []

    @property
    def installed(self) -> bool:
        """Whether Blender calls them."""
        return bool(self._handles)

    def install(self) -> None:
        """Adds the handlers, if they are not there."""
        if not bpy.app.background and not self._handles:
            self._handles += [
                self._space.draw_handler_add(call, given, "WINDOW", at) for call, given, at in self._drawn
            ]

    def uninstall(self) -> None:
        """Removes the handlers, and frees what they drew."""
        for handle in self._handles:
            self._space.draw_handler_remove(handle, "WINDOW")
        self._handles.clear()
        self._free()
