"""Draws the deviations of scans as coloured points, and the legend of their colours."""

from __future__ import annotations

from typing import Any

import blf
import bpy
import numpy as np

from .. import session
from ..core.deviation import DeviationMap, colours
from ..ui.text import length
from . import draw, render_data

SHADER = "POINT_FLAT_COLOR" if bpy.app.version >= (4, 5, 0) else "FLAT_COLOR"
POINT_SIZE = 3.0  # pixels
LEGEND_STEPS = 64
LEGEND_WIDTH, LEGEND_HEIGHT, MARGIN = 14.0, 220.0, 24.0  # pixels at scale 1
TEXT_SIZE = 11.0


class _State:
    """Draw handlers and the batch of the map that was drawn last."""

    handles: list[object] = []  # noqa: RUF012 - emptied by `uninstall`
    batch: tuple[object, Any] | None = None


def install() -> None:
    """Adds the draw handlers; does nothing in background mode."""
    if not bpy.app.background and not _State.handles:
        for function, when in ((_draw_points, "POST_VIEW"), (_draw_legend, "POST_PIXEL")):
            _State.handles.append(bpy.types.SpaceView3D.draw_handler_add(function, (), "WINDOW", when))


def uninstall() -> None:
    """Removes the draw handlers and frees the batch."""
    for handle in _State.handles:
        bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")
    _State.handles.clear()
    _State.batch = None


def reach_of(shown: DeviationMap, settings: Any) -> float:
    """The end of the colour scale [Blender units]: as set, or what nearly all points keep."""
    return settings.deviation_range if settings.deviation_range > 0.0 else shown.usual_range


def point_arrays(shown: DeviationMap, reach: float, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions (k, 3) and colours (k, 4) float32 of at most ``most`` points."""
    positions = render_data.thinned(np.concatenate([scan.points for scan in shown.scans]), most)
    return positions, colours(render_data.thinned(shown.values, most), reach, shown.signed)


def legend_arrays(x: float, y: float, width: float, height: float, signed: bool) -> tuple[np.ndarray, np.ndarray]:
    """A strip of colours standing at (x, y), as a triangle strip: positions (2 k, 2) and colours (2 k, 4) float32."""
    share = np.linspace(-1.0 if signed else 0.0, 1.0, LEGEND_STEPS)
    up = y + height * np.linspace(0.0, 1.0, LEGEND_STEPS)
    positions = np.stack((np.tile((x, x + width), LEGEND_STEPS), np.repeat(up, 2)), axis=1).astype(np.float32)
    return positions, np.repeat(colours(share, 1.0, signed), 2, axis=0)


def legend_texts(reach: float, signed: bool, units: bpy.types.UnitSettings) -> list[tuple[float, str]]:
    """Heights between 0 and 1 along the strip, and what is written there."""
    shares = (-1.0, -0.5, 0.0, 0.5, 1.0) if signed else (0.0, 0.25, 0.5, 0.75, 1.0)
    low = -1.0 if signed else 0.0
    return [((share - low) / (1.0 - low), _signed_length(share * reach, units)) for share in shares]


def _signed_length(value: float, units: bpy.types.UnitSettings) -> str:
    text = length(abs(value), units)
    return f"-{text}" if value < 0.0 else text


def _shown(context: bpy.types.Context) -> tuple[DeviationMap, Any] | None:
    """The map to draw and the settings, or None."""
    settings = context.scene.meshclash
    shown = session.deviation_of(context.scene.session_uid)
    return None if shown is None or not settings.deviation_overlay or draw.failure() else (shown, settings)


def _draw_points() -> None:
    found = _shown(bpy.context)
    if found is None:
        return
    import gpu

    shown, settings = found
    with draw.guarded(bpy.context), draw.restored_state():
        gpu.state.depth_mask_set(True)
        gpu.state.depth_test_set("LESS_EQUAL")
        gpu.state.point_size_set(POINT_SIZE * bpy.context.preferences.system.pixel_size)
        shader = gpu.shader.from_builtin(SHADER)
        shader.bind()
        with draw.nearer(bpy.context.region_data, draw.FACES_IN_FRONT):
            _batch(shown, settings).draw(shader)


def _batch(shown: DeviationMap, settings: Any) -> Any:
    import gpu
    from gpu_extras.batch import batch_for_shader

    reach, most = reach_of(shown, settings), settings.display_points
    signature = (id(shown), reach, most)
    if _State.batch is None or _State.batch[0] != signature:
        positions, rgba = point_arrays(shown, reach, most)
        shader = gpu.shader.from_builtin(SHADER)
        _State.batch = signature, batch_for_shader(shader, "POINTS", {"pos": positions, "color": rgba})
    return _State.batch[1]


def _draw_legend() -> None:
    found = _shown(bpy.context)
    if found is None:
        return
    shown, settings = found
    context = bpy.context
    scale = context.preferences.system.ui_scale
    width, height, margin = (scale * size for size in (LEGEND_WIDTH, LEGEND_HEIGHT, MARGIN))
    height = min(height, max(1.0, context.region.height - 4.0 * margin))
    with draw.guarded(context), draw.restored_state():
        _draw_strip(*legend_arrays(margin, margin, width, height, shown.signed))
        _draw_texts(context, legend_texts(reach_of(shown, settings), shown.signed, context.scene.unit_settings), scale)
        if session.deviation_is_stale(context.scene.session_uid):
            _write("Objects have changed since", margin, margin + height + 12.0 * scale, scale)


def _draw_strip(positions: np.ndarray, rgba: np.ndarray) -> None:
    import gpu
    from gpu_extras.batch import batch_for_shader

    gpu.state.depth_test_set("NONE")
    shader = gpu.shader.from_builtin("SMOOTH_COLOR")
    shader.bind()
    flat = np.concatenate((positions, np.zeros((len(positions), 1), np.float32)), axis=1)
    batch_for_shader(shader, "TRI_STRIP", {"pos": flat, "color": rgba}).draw(shader)


def _draw_texts(context: bpy.types.Context, texts: list[tuple[float, str]], scale: float) -> None:
    margin = MARGIN * scale
    height = min(LEGEND_HEIGHT * scale, max(1.0, context.region.height - 4.0 * margin))
    for share, text in texts:
        _write(text, margin + (LEGEND_WIDTH + 6.0) * scale, margin + share * height - 4.0 * scale, scale)


def _write(text: str, x: float, y: float, scale: float) -> None:
    font = 0
    blf.size(font, TEXT_SIZE * scale)
    blf.color(font, 1.0, 1.0, 1.0, 1.0)
    blf.enable(font, blf.SHADOW)
    blf.shadow(font, 3, 0.0, 0.0, 0.0, 0.8)
    blf.position(font, x, y, 0.0)
    blf.draw(font, text)
    blf.disable(font, blf.SHADOW)
