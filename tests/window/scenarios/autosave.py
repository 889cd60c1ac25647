"""A file that Blender wrote by itself while a pair was isolated, or all else transparent, opens as the user had it."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import bpy

from . import scenes


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    yield from scenes.open_gearbox(window)
    yield from window.open_tab(width=400)
    yield from window.detect()
    yield from window.click_row(1)
    assert _space(window).local_view is not None, "the pair is isolated"
    yield from window.show("isolated")
    yield from _reopened(window, "isolated.blend")
    assert _space(window).local_view is None, "the user's view is not isolated"
    yield from window.open_tab()  # as wide as it was saved
    yield from window.show("reopened")

    yield from window.detect()  # the list is written by a handler, too
    listed = bpy.context.window_manager.meshclash
    listed.around = "ALL"
    yield from _own_local_view(window)
    mine = _shown(window)
    listed.around = "ISOLATE"
    yield from window.click_row(2)
    assert _shown(window) != mine
    yield from _reopened(window, "own.blend")
    assert _space(window).local_view is None and len(_shown(window)) > len(mine), "nothing stays hidden"
    yield from window.open_tab()
    yield from window.detect()
    shading = _space(window).shading
    before = shading.type, shading.show_xray, shading.xray_alpha
    listed = bpy.context.window_manager.meshclash
    listed.around = "GHOST"
    yield from window.click_row(2)
    assert shading.show_xray
    yield from _reopened(window, "ghosts.blend")
    shading = _space(window).shading
    assert (shading.type, shading.show_xray, shading.xray_alpha) == before
    yield from window.open_tab()
    yield from window.detect()
    bpy.context.window_manager.meshclash.around = "ISOLATE"
    yield from window.click_row(0)
    here = window.window.workspace.name
    window.window.workspace = next(other for other in bpy.data.workspaces if other.name != here)
    yield 1.0
    yield from _reopened(window, "elsewhere.blend", by_itself=False)
    window.window.workspace = bpy.data.workspaces[here]
    yield 1.0
    assert _space(window).local_view is None, "a view in another workspace is given back, too"


def _space(window: Any) -> Any:
    return window.area().spaces.active


def _shown(window: Any) -> set[str]:
    return {item.name for item in bpy.context.view_layer.objects if item.visible_get(viewport=_space(window))}


def _own_local_view(window: Any) -> Generator[float, None, None]:
    """A local view as a user makes it, of the first three objects."""
    for at, item in enumerate(bpy.context.view_layer.objects):
        item.select_set(at < 3)
    with window.context():
        bpy.ops.view3d.localview(frame_selected=False)
    yield 0.5
    assert _space(window).local_view is not None and len(_shown(window)) == 3


@contextmanager
def _unheard() -> Generator[None, None, None]:
    """Nobody is told of a file that is saved meanwhile, as of autosaves and the file of the last session."""
    handlers = {name: list(getattr(bpy.app.handlers, name)) for name in ("save_pre", "save_post")}
    for name in handlers:
        getattr(bpy.app.handlers, name).clear()
    yield
    for name, kept in handlers.items():
        getattr(bpy.app.handlers, name).extend(kept)


def _reopened(window: Any, name: str, by_itself: bool = True) -> Generator[float, None, None]:
    """Saves the file, as Blender does by itself or as a user does, and opens it."""
    path = str(window.out / name)
    if by_itself:
        with _unheard():
            bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    else:
        bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    bpy.ops.wm.open_mainfile(filepath=path, load_ui=True)
    yield 1.5
