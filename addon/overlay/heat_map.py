"""Draw the deviations of scans as coloured points, and the legend of their colours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import blf
import bpy
import numpy as np
from meshclash.clash.words import counted
from meshclash.messages import Sentence

from .. import scene_results
from ..core.deviation import SHADES, DeviationMap, ScanDeviation, scale_colours, shades
from ..texts import length
from ..translations import translated
from ..view import find_object
from . import discs, draw, shaders
from .handlers import DrawHandlers

POINT_SIZE = 3.0  # pixels of the smallest points
LEGEND_STEPS = 64
# The legend is at the bottom centre of the view; the operator's panel is on its left. Pixels at scale 1.
LEGEND_WIDTH, STRIP_HEIGHT, MARGIN, PADDING, LINE = 340.0, 12.0, 16.0, 14.0, 20.0
TEXT_SIZE = 11.0
TEXT_COLOUR = (1.0, 1.0, 1.0, 1.0)
FONT = 0


class _State:
    """The batches of the map that was drawn last."""

    batches: tuple[object, list[Any]] | None = None


def _free() -> None:
    _State.batches = None


def reach_of(shown: DeviationMap, settings: Any) -> float:
    """Return the end of the colour scale [Blender units]: the setting, or the range of nearly all points."""
    return settings.deviation_range if settings.deviation_range > 0.0 else shown.usual_range


def point_arrays(shown: DeviationMap, reach: float, most: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield positions (k, 3), linear colours (k, 4) and radii (k,) of each scan, float32; at most ``most`` in all."""
    lights = shaders.linear(scale_colours(shown.signed))
    ends = np.cumsum([0, *(len(scan.values) for scan in shown.scans)])
    count = int(ends[-1])
    chosen = None if count <= most else np.linspace(0, count - 1, most).astype(np.int64)
    for scan, begin, end in zip(shown.scans, ends[:-1], ends[1:], strict=True):
        some = slice(None)
        if chosen is not None:
            some = chosen[slice(*np.searchsorted(chosen, (begin, end)))] - begin
        light = lights[shades(scan.values[some], reach, shown.signed)]
        yield scan.points[some], light, np.full(len(light), scan.radius, np.float32)


def is_drawn(scan: ScanDeviation, context: bpy.types.Context, space: bpy.types.SpaceView3D) -> bool:
    """Return whether the object of a scan is visible in a 3D view: not deleted, hidden or outside its local view."""
    item = find_object(context, scan.owner)
    return item is not None and item.visible_get(viewport=space)


def legend_arrays(x: float, y: float, width: float, height: float, signed: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the colour bar at (x, y) as a triangle strip: positions (2 k, 2) and colours (2 k, 4) float32."""
    share = np.linspace(0.0, 1.0, LEGEND_STEPS)
    along = x + width * share
    positions = np.stack((np.repeat(along, 2), np.tile((y, y + height), LEGEND_STEPS)), axis=1).astype(np.float32)
    rgba = scale_colours(signed)[np.rint(share * (SHADES - 1)).astype(np.int64)]
    return positions, np.repeat(rgba, 2, axis=0)


def legend_texts(reach: float, signed: bool, units: bpy.types.UnitSettings) -> list[tuple[float, str]]:
    """Return positions between 0 and 1 along the colour bar, and the texts there."""
    shares = (-1.0, -0.5, 0.0, 0.5, 1.0) if signed else (0.0, 0.25, 0.5, 0.75, 1.0)
    low = -1.0 if signed else 0.0
    return [((share - low) / (1.0 - low), _signed_length(share * reach, units, reach)) for share in shares]


def _signed_length(value: float, units: bpy.types.UnitSettings, like: float) -> str:
    text = length(abs(value), units, like=like)
    return f"-{text}" if value < 0.0 else text


def shown(context: bpy.types.Context) -> tuple[DeviationMap, Any] | None:
    """Return the map to draw and the settings, or None."""
    settings = context.scene.meshclash
    found = scene_results.deviation_of(context.scene.session_uid, settings.deviation_serial)
    return None if found is None or not settings.deviation_overlay or draw.failure() else (found, settings)


def _draw_points() -> None:
    found = shown(bpy.context)
    if found is None:
        return
    import gpu

    measured, settings = found
    with draw.guarded(bpy.context), draw.restored_state():
        gpu.state.depth_mask_set(True)
        gpu.state.depth_test_set("LESS_EQUAL")
        view = bpy.context.region_data
        with draw.nearer(view, draw.FACES_IN_FRONT):
            size = POINT_SIZE * bpy.context.preferences.system.pixel_size
            for scan, batch in zip(measured.scans, _batches(measured, settings), strict=True):
                if batch is not None and is_drawn(scan, bpy.context, bpy.context.space_data):
                    discs.draw(view, batch, size)


def _batches(shown: DeviationMap, settings: Any) -> list[Any]:
    """Return a batch for each scan, None for scans without points."""
    reach, most = reach_of(shown, settings), settings.display_points
    signature = (id(shown), reach, most)
    if _State.batches is None or _State.batches[0] != signature:
        _State.batches = signature, [discs.make(*arrays) for arrays in point_arrays(shown, reach, most)]
    return _State.batches[1]


def legend_title(measured: DeviationMap, stale: bool) -> str:
    """Return the title of the legend."""
    if stale:
        return "Objects have changed since: measure again"
    scans = list(dict.fromkeys(scan.owner for scan in measured.scans))
    scan = scans[0] if len(scans) == 1 else counted(len(scans), "scan")
    model = measured.models[0] if len(measured.models) == 1 else counted(len(measured.models), "object")
    return Sentence("Deviation of {scan} from {model}", scan=scan, model=model)


def _draw_legend() -> None:
    found = shown(bpy.context)
    if found is None:
        return
    measured, settings = found
    context = bpy.context
    scale = context.preferences.system.ui_scale
    width, strip, margin, padding, line = (scale * size for size in (LEGEND_WIDTH, STRIP_HEIGHT, MARGIN, PADDING, LINE))
    low, high = _free_width(context)
    width = min(width, high - low - 2.0 * (margin + padding))
    x, y = 0.5 * (low + high - width), margin + line
    with draw.guarded(context), draw.restored_state():
        draw.draw_backdrops(np.array([(x - 2.0 * padding, margin, width + 4.0 * padding, 2.0 * line + strip)]))
        _draw_strip(*legend_arrays(x, y, width, strip, measured.signed))
        title = translated(legend_title(measured, scene_results.deviation_is_stale(context.scene.session_uid)))
        _write(title, x + 0.5 * width, y + strip + 0.3 * line, scale)
        for share, text in legend_texts(reach_of(measured, settings), measured.signed, context.scene.unit_settings):
            _write(text, x + share * width, margin + 0.3 * line, scale)


def _free_width(context: bpy.types.Context) -> tuple[float, float]:
    """Return the horizontal range of the view that tools and sidebar do not cover, in pixels of its region."""
    view, low, high = context.region, 0.0, float(context.region.width)
    for region in context.area.regions:
        if region.type in ("TOOLS", "UI") and region.width > 1:
            if region.alignment == "LEFT":
                low = max(low, float(region.x + region.width - view.x))
            elif region.alignment == "RIGHT":
                high = min(high, float(region.x - view.x))
    return low, max(high, low + 1.0)


def _draw_strip(positions: np.ndarray, rgba: np.ndarray) -> None:
    import gpu
    from gpu_extras.batch import batch_for_shader

    shader = gpu.shader.from_builtin("SMOOTH_COLOR")
    shader.bind()
    flat = np.concatenate((positions, np.zeros((len(positions), 1), np.float32)), axis=1)
    batch_for_shader(shader, "TRI_STRIP", {"pos": flat, "color": rgba}).draw(shader)


def _write(text: str, middle: float, y: float, scale: float) -> None:
    blf.size(FONT, TEXT_SIZE * scale)
    blf.color(FONT, *TEXT_COLOUR)
    size: Any = blf.dimensions(FONT, text)  # type: ignore[func-returns-value]  # the stubs miss what it returns
    blf.position(FONT, middle - 0.5 * size[0], y, 0.0)
    blf.draw(FONT, text)


HANDLERS = DrawHandlers(
    bpy.types.SpaceView3D, ((_draw_points, (), "POST_VIEW"), (_draw_legend, (), "POST_PIXEL")), _free
)
