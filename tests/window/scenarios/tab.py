"""The states of the tab at three widths, in small and large letters, on both themes, in pictures to look at.

Of the scenes that `--scene NAME=FILE` names only what a first user sees, else of the gearbox.
"""

from collections.abc import Generator
from typing import Any

import bpy

from . import looks, scenes

Play = Generator[float, None, None]
WIDTHS = (300, 400, 600)
SCALES = (1, 2)


def play(window: Any) -> Play:
    """Plays the scenario."""
    own = [name for name in window.arguments if name.startswith(looks.OWN)]
    for name in own:
        yield from _first_use(window, name)
    if own:
        return
    yield from scenes.open_gearbox(window)
    for width in WIDTHS:
        yield from _states(window, width)
    yield from _languages(window)
    yield from _letters(window)


def _first_use(window: Any, name: str) -> Play:
    """A scene of one's own before and after Detect, and its first pair, at two widths in letters of two sizes."""
    for scale in SCALES:
        bpy.context.preferences.view.ui_scale = scale
        for width in (width for width in (WIDTHS[-1], WIDTHS[0]) if scale * width < window.area().width):
            bpy.ops.wm.open_mainfile(filepath=window.arguments[name], load_ui=False)
            yield 1.0
            scenes.show_all(window)
            yield from window.open_tab(scale * width)
            yield from looks.both(window, f"{name}_{width}_times_{scale}_nothing_yet")
            yield from window.detect()
            window.notes[f"{name}: pairs"] = len(window.rows)
            yield from looks.both(window, f"{name}_{width}_times_{scale}_list")
            yield from window.click_row(0)
            yield from looks.both(window, f"{name}_{width}_times_{scale}_pair")
    bpy.context.preferences.view.ui_scale = SCALES[0]


def _states(window: Any, width: int) -> Play:
    """Nothing yet, a list, a pair, what is searched for, nothing found."""
    listed, settings = bpy.context.window_manager.meshclash, bpy.context.scene.meshclash
    yield from window.open_tab(width)
    yield from window.show(f"{width}_nothing_yet")
    yield from window.detect()
    yield from window.show(f"{width}_list")
    yield from window.click_row(2)
    yield 0.5
    assert listed.active_row == 2, listed.active_row
    yield from window.show(f"{width}_pair")
    listed.search = "cover bolt"
    yield 0.3
    yield from window.show(f"{width}_search")
    bpy.ops.meshclash.list_all()
    settings.set_a, settings.set_a_object = "OBJECT", bpy.data.objects["Base"]
    settings.set_b, settings.set_b_object = "OBJECT", bpy.data.objects["Magnet"]
    yield from window.detect()
    yield from window.show(f"{width}_nothing_found")
    settings.set_a = settings.set_b = "ALL"
    with window.context():
        bpy.ops.meshclash.clear_results()


def _languages(window: Any) -> Play:
    """The list and what is said of a pair in each language of the extension that this Blender has."""
    view = bpy.context.preferences.view
    known, before = bpy.app.translations.locales, view.language
    ours = [name for code in window.module("translations").languages().texts for name in (code.partition("_")[0], code)]
    window.notes["languages"] = [code for code in dict.fromkeys(ours) if code in known]
    yield from window.detect()
    bpy.context.window_manager.meshclash.active_row = 1
    for code in window.notes["languages"]:
        view.language = code
        yield 1.0
        assert bpy.app.translations.pgettext_iface("Ignore Overlaps Below") != "Ignore Overlaps Below", code
        yield from window.show(f"language_{code}")
    if window.notes["languages"]:
        view.language = before


def _letters(window: Any) -> Play:
    """A selected pair at two widths in letters of two sizes, on the dark and the light theme."""
    for scale in SCALES:
        bpy.context.preferences.view.ui_scale = scale
        yield 1.0
        for width in (WIDTHS[-1], WIDTHS[0]) if scale == 1 else WIDTHS[:1]:  # the screen is no wider
            yield from window.open_tab(scale * width)
            bpy.context.window_manager.meshclash.active_row = 1
            yield 0.5
            yield from looks.both(window, f"{width}_times_{scale}")
