"""Install and remove draw handlers in Blender's editors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy


class DrawHandlers:
    """The draw handlers of one overlay; none are added in background mode.

    Args:
        space: type of the editors to draw in.
        drawn: functions with their arguments, and when each is called: "POST_VIEW" or "POST_PIXEL".
        free: frees the data that the overlay keeps for drawing.
    """

    def __init__(
        self, space: Any, drawn: tuple[tuple[Callable[..., None], tuple[Any, ...], str], ...], free: Callable[[], None]
    ) -> None:
        self._space, self._drawn, self._free = space, drawn, free
        self._handles: list[object] = []

    @property
    def installed(self) -> bool:
        """Whether the handlers are installed."""
        return bool(self._handles)

    def install(self) -> None:
        """Install the handlers, unless they are installed already."""
        if not bpy.app.background and not self._handles:
            self._handles += [
                self._space.draw_handler_add(call, given, "WINDOW", at) for call, given, at in self._drawn
            ]

    def uninstall(self) -> None:
        """Remove the handlers, and free their data."""
        for handle in self._handles:
            self._space.draw_handler_remove(handle, "WINDOW")
        self._handles.clear()
        self._free()
