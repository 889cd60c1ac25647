"""Window timers that drive modal operators; all timers are registered here, so that all of them end with the
extension.
"""

from __future__ import annotations

import bpy

INTERVAL = 0.01  # seconds


class Heartbeat:
    """A timer of the context's window that runs until `stop`."""

    running: set[Heartbeat] = set()

    def __init__(self, context: bpy.types.Context) -> None:
        self._timer = context.window_manager.event_timer_add(INTERVAL, window=context.window)
        self.running.add(self)

    def stop(self) -> None:
        """Remove the timer; Blender ignores timers that ended with a closed window or a loaded file."""
        if self in self.running:
            self.running.discard(self)
            bpy.context.window_manager.event_timer_remove(self._timer)


def stop_all() -> None:
    """Remove all timers, when the extension is disabled."""
    for heartbeat in list(Heartbeat.running):
        heartbeat.stop()
