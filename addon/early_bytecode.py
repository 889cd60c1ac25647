"""Write bytecode of the extension's libraries soon after its installation, so that Detect does not have to wait.

Files are written one at a time, with pauses, and no module is imported. Once the bytecode exists, only three files are
checked.
"""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from . import engine

PAUSE = 0.02  # seconds between two files
FIRST = 2.0  # seconds after the extension is enabled

_steps: list[Iterator[None]] = []


def begin() -> None:
    """Start the timer, only if there is a window."""
    if not bpy.app.background and bpy.app.binary_path:
        _steps[:] = [engine.bytecode()]
        bpy.app.timers.register(_step, first_interval=FIRST, persistent=True)


def end() -> None:
    """Stop the timer."""
    _steps.clear()
    if bpy.app.timers.is_registered(_step):
        bpy.app.timers.unregister(_step)


def _step() -> float | None:
    for steps in _steps:
        for _ in steps:
            return PAUSE
    _steps.clear()
    return None
