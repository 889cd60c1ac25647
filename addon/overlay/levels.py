"""Draws the bounding volumes of one level of a hierarchy."""

from __future__ import annotations

from typing import Any

import bpy

from .. import session
from ..core.levels import ShownHierarchy
from . import draw

COLOUR = (0.35, 1.0, 0.55, 0.7)


class _State:
    """The draw handler, and the batch of the level that was drawn last."""

    handle: object | None = None
    batch: tuple[tuple[object, ...], Any] | None = None


def install() -> None:
    """Adds the draw handler; does nothing in background mode."""
    if not bpy.app.background and _State.handle is None:
        _State.handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def uninstall() -> None:
    """Removes the draw handler and frees the batch."""
    if _State.handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_State.handle, "WINDOW")
    _State.handle = _State.batch = None


def _draw() -> None:
    shown = session.shown_hierarchy()
    if shown is None or draw.failure():
        _State.batch = None
        return
    from ..view import find_object

    item = find_object(bpy.context, shown.name)
    if item is None or not item.visible_get():
        return
    with draw.guarded(bpy.context), draw.restored_state():
        _draw_lines(shown, item)


def _draw_lines(shown: ShownHierarchy, item: bpy.types.Object) -> None:
    import gpu

    gpu.state.depth_test_set("LESS_EQUAL")
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    with draw.nearer(bpy.context.region_data, draw.CURVES_IN_FRONT):  # faces of a part lie on faces of its box
        gpu.matrix.multiply_matrix(item.matrix_world)
        shader.bind()
        shader.uniform_float("color", draw.STALE if shown.stale else COLOUR)
        _batch(shown).draw(shader)


def _batch(shown: ShownHierarchy) -> Any:
    """The batch of the shown level, made anew only when another one is shown."""
    import gpu
    from gpu_extras.batch import batch_for_shader

    wanted = id(shown), shown.level
    if _State.batch is None or _State.batch[0] != wanted:
        shader = gpu.shader.from_builtin("UNIFORM_COLOR")
        _State.batch = wanted, batch_for_shader(shader, "LINES", {"pos": shown.lines})
    return _State.batch[1]
