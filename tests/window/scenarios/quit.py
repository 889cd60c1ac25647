"""Leave Blender with Ctrl+Q in the middle of a detection."""

from collections.abc import Generator
from typing import Any

from . import scenes


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    yield from scenes.open_gearbox(window)
    yield from window.open_tab()
    yield from window.detect()
    yield from window.press("meshclash.detect")
    yield from window.wait_for(window.busy, "the start of the detection")
    window.move(*window.view_centre)
    window.quit_keys = "ctrl+q"
