"""Soon after the extension was installed: bytecode for its libraries, in pauses, so that Detect need not wait.

Nothing is imported. Once it is written, a look at three files is all that is left of this.
"""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from . import engine

PAUSE = 0.02  # seconds between two files
FIRST = 2.0  # seconds after the extension is enabled

_steps: list[Iterator[None]] = []


def begin() -> None:
    """Starts a timer, in a window only."""
    if not bpy.app.background and bpy.app.binary_path:
        _steps[:] = [engine.bytecode()]
        bpy.app.timers.register(_step, first_interval=FIRST, persistent=True)


def end() -> None:
    """Stops it."""
    _steps.clear()
    if bpy.app.timers.is_registered(_step):
        bpy.app.timers.unregister(_step)


def _step() -> float | None:
    for steps in _steps:
        for _ in steps:
            return PAUSE
    _steps.clear()
    return None
