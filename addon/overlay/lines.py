"""Draw lines: volumes of one level of a hierarchy, common voxels and common solids of a pair."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy
from mathutils import Matrix

from .. import shown_things
from ..view import find_object
from . import draw, shaders
from .handlers import DrawHandlers

COLOUR = (0.35, 1.0, 0.55, 0.7)
VOXEL_COLOUR = (1.0, 0.8, 0.2, 0.8)
SOLID_COLOUR = (1.0, 0.45, 0.1, 1.0)
HIDDEN_ALPHA = 0.35  # opacity behind surfaces: most voxels lie inside the objects


class _Lines(NamedTuple):
    """Lines to draw."""

    kind: str
    signature: tuple[object, ...]
    points: Any
    placing: Matrix
    colour: tuple[float, float, float, float]
    xray: bool


class _State:
    """The batches drawn last, by kind."""

    batches: dict[str, tuple[tuple[object, ...], Any]] = {}  # noqa: RUF012 - emptied by `HANDLERS.uninstall`


def _draw() -> None:
    wanted = [] if draw.failure() else list(_wanted(bpy.context))
    for kind in _State.batches.keys() - {lines.kind for lines in wanted}:
        del _State.batches[kind]
    for lines in wanted:
        with draw.guarded(bpy.context), draw.restored_state():
            _draw_lines(lines)


def _wanted(context: bpy.types.Context) -> Iterator[_Lines]:
    """Yield the lines to draw in a 3D view."""
    shown = shown_things.shown_hierarchy()
    item = None if shown is None else find_object(context, shown.name)
    if shown is not None and item is not None and item.visible_get():
        colour = draw.STALE if shown.stale else COLOUR
        yield _Lines("hierarchy", (id(shown), shown.level), shown.lines, item.matrix_world, colour, False)
    voxels = shown_things.voxels.of(context.scene.session_uid)
    if voxels is not None and len(voxels.lines):
        colour = draw.STALE if voxels.stale else VOXEL_COLOUR
        yield _Lines("voxels", (id(voxels),), voxels.lines, Matrix(), colour, True)
    yield from _solid(context)


def _solid(context: bpy.types.Context) -> Iterator[_Lines]:
    solid = shown_things.solid.of(context.scene.session_uid)
    if solid is not None and len(solid.lines):
        colour = draw.STALE if solid.stale else SOLID_COLOUR
        yield _Lines("solid", (id(solid),), solid.lines, Matrix(), colour, True)


def _draw_lines(lines: _Lines) -> None:
    import gpu

    view, width = bpy.context.region_data, draw.LEAST_WIDTH * bpy.context.preferences.system.pixel_size
    with draw.nearer(view, draw.CURVES_IN_FRONT):  # faces of a part may lie on faces of its box
        gpu.matrix.multiply_matrix(lines.placing)
        shader = shaders.bind_lines(view, width, placing=lines.placing)
        for depth_test, alpha in draw.passes(lines.xray, HIDDEN_ALPHA):
            gpu.state.depth_test_set(depth_test)
            shader.uniform_float("colour", draw.light(lines.colour, alpha))
            _batch(lines).draw(shader)


def _batch(lines: _Lines) -> Any:
    """Return the batch of some lines, cached until other lines are shown."""
    known = _State.batches.get(lines.kind)
    if known is None or known[0] != lines.signature:
        known = _State.batches[lines.kind] = lines.signature, shaders.lines(lines.points)
    return known[1]


HANDLERS = DrawHandlers(bpy.types.SpaceView3D, ((_draw, (), "POST_VIEW"),), _State.batches.clear)
