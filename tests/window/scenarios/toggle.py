"""Disable the extension after and during a detection, enable it again, use it again."""

from collections.abc import Generator
from typing import Any

import bpy

from . import scenes

CURVE = (0.95, 0.82, 0.45)  # of intersection curves, among the greys of the scene


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    scenes.two_heads()
    scenes.show_all(window)
    bpy.context.view_layer.objects.active = None  # no outlines
    package = window.package
    yield from window.settle()
    plain = window.colour_share(CURVE)
    for during in (False, True):
        yield from window.open_tab()
        yield from window.detect()
        assert [row.verdict for row in window.rows] == ["clash"]
        yield from window.settle()
        shown = window.colour_share(CURVE)
        assert shown > plain + 0.0003, "no highlight to be seen"
        if during:
            yield from window.press("meshclash.detect")
            yield from window.wait_for(window.busy, "the start of the detection")
        bpy.ops.preferences.addon_disable(module=package)
        yield 1.0
        assert not hasattr(bpy.types.Scene, "meshclash")
        assert not [handler for handler in _handlers() if package in handler.__module__], "a handler is left"
        yield from window.show("disabled_in_the_middle" if during else "disabled")
        assert window.colour_share(CURVE) < plain + 0.1 * (shown - plain), "the highlight is left"
        bpy.ops.preferences.addon_enable(module=package)
        yield 1.0
    yield from window.open_tab()
    yield from window.detect()
    assert [row.verdict for row in window.rows] == ["clash"]


def _handlers() -> list[Any]:
    lists = (getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers))
    return [handler for found in lists if isinstance(found, list) for handler in found]
