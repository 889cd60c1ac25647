"""Blender's search (F3) over the view finds what can be done by the words that come to mind: pictures to look at."""

from collections.abc import Generator
from typing import Any

from . import scenes

WORDS = ("clash", "export", "scan")
Play = Generator[float, None, None]


def play(window: Any) -> Play:
    """Plays the scenario."""
    yield from scenes.open_gearbox(window)
    yield from window.search("detect")
    window.picture("detect")
    yield from window.key("Return")
    yield from window.wait_for(lambda: window.rows and not window.busy(), "what the first that was found does", 120)
    for word in WORDS:
        yield from window.search(word)
        window.picture(word)
        yield from window.key("Escape")
        yield 0.5
