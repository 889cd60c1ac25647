"""Draw faces in contact or too close, intersection curves and gaps in the 3D viewports."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from .. import ghosting, preferences, scene_results, shown_levels, shown_things
from ..core.table import WORST
from ..props import STATUS_ORDER
from ..redraw import tag_redraw
from ..reviews import reviews_of
from ..texts import length, typical
from ..view import find_object
from . import bodies, discs, render_data, shaders
from .handlers import DrawHandlers

FACES_IN_FRONT = 0.002  # share of the eye's distance by which faces are drawn in front of their surface
CURVES_IN_FRONT = 0.004
BODIES_APART = 0.0005  # the same, between two solid bodies
STALE = (0.5, 0.5, 0.5, 0.45)  # colour of faces of a pair with a changed object
HIDDEN_FACES_ALPHA = 0.3  # factor for hidden faces that shine through
HIDDEN_CURVES_ALPHA = 0.6
HIDDEN_DOTS_ALPHA = 0.5
HIDDEN_POINTS_ALPHA = 0.15
BESIDE_SELECTED = 0.3  # opacity factor of all other pairs
CROWD_SHARE = 0.3  # largest width of a line, as a share of the space between lines
LEAST_WIDTH = 1.0  # smallest width of lines [px at scale 1]
POINT_SIZE = 8.0  # of nearest points [px at scale 1]
DOT_SIZE = 4.0  # of points of scans [px at scale 1]
TEXT_SIZE = 13.0  # [px at scale 1]
TEXT_OFFSET = 8.0
TEXT_GAP = 3.0  # least distance between two texts [px at scale 1]
TEXT_PADDING = 3.0  # margin of the backdrop around a text [px at scale 1]
BACKDROP = (0.0, 0.0, 0.0, 0.65)  # behind texts: white text is illegible on white or yellow
TEXT_COLOUR, TEXT_SHADOW = (1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 0.0, 0.9)
FONT = 0  # Blender's own


@dataclass(frozen=True)
class _Batches:
    """GPU batches for one signature of the drawn data; None for empty parts."""

    signature: tuple[object, ...]
    faces_a: Any
    faces_b: Any
    curves: list[tuple[float, Any]]  # with the space between lines
    stale: Any
    gaps: Any
    witnesses: Any
    dots_a: Any
    dots_b: Any
    stale_dots: Any
    guesses: Any
    labels: tuple[render_data.Label, ...] = ()


@dataclass(frozen=True)
class _Look:
    """The settings with which batches are drawn.

    Attributes:
        prefs: the extension's preferences.
        xray: whether hidden parts shine through.
        strength: opacity factor: pairs that are not selected are fainter.
        in_front: whether nearest points are never hidden, as for the selected pair, whose gap is often narrower than
            they.
    """

    prefs: Any
    xray: bool
    strength: float
    in_front: bool

    def passes(self, hidden_alpha: float) -> tuple[tuple[str, float], ...]:
        """Call the function `passes` with these settings."""
        return tuple((test, alpha * self.strength) for test, alpha in passes(self.xray, hidden_alpha))


class _State:
    """The batches, and why drawing was disabled; reset by `HANDLERS.uninstall`."""

    batches: dict[str, _Batches] = {}  # noqa: RUF012 - of all pairs and of the selected one; emptied by `_free`
    joined: tuple[tuple[int, int], render_data.JoinedRows] | None = None  # with the key of its source
    failure: str = ""


def _free() -> None:
    """Free the batches, and enable drawing again."""
    _State.joined = None
    _State.batches.clear()
    bodies.forget()
    shaders.free()
    _State.failure = ""


def failure() -> str:
    """Return why this graphics driver cannot draw; "" if it can draw."""
    return _State.failure


def _draw(part: Callable[[bpy.types.Context, Any, scene_results.SceneResult], None]) -> None:
    context = bpy.context
    settings = context.scene.meshclash
    result = scene_results.result_of(context.scene.session_uid)
    if result is None or not settings.overlay or _State.failure:
        return
    with guarded(context):
        part(context, settings, result)


@contextmanager
def guarded(context: bpy.types.Context) -> Iterator[None]:
    """Disable drawing if shaders cannot be compiled; `failure` returns the reason."""
    try:
        yield
    except (SystemError, RuntimeError, ValueError) as error:  # Blender's gpu module
        _State.failure = str(error)
        tag_redraw(context, ("UI",))


def _draw_result(context: bpy.types.Context, settings: Any, result: scene_results.SceneResult) -> None:
    prefs, current = preferences.of(context), _current_batches(context, settings, result)
    with restored_state():
        if ghosting.is_ghosted(context.area):
            _draw_pair(context, prefs, result)
        for batches in current:
            chosen = batches is _State.batches.get("ACTIVE")
            strength = 1.0 if chosen or len(current) == 1 else BESIDE_SELECTED
            _draw_batches(context.region_data, batches, _Look(prefs, settings.overlay_xray, strength, chosen), settings)


def _draw_pair(context: bpy.types.Context, prefs: Any, result: scene_results.SceneResult) -> None:
    """Draw the selected pair as solid bodies among ghosts."""
    listed = context.window_manager.meshclash
    row = result.row(listed.selected) if listed.scene_uid == context.scene.session_uid else None
    if row is None:
        return
    colours = {
        row.b.owner: prefs.colour_b,
        row.a.owner: prefs.colour_a,
    }  # two instances of one instancer are drawn once
    found = [(item, colour) for name, colour in colours.items() if (item := find_object(context, name)) is not None]
    # Without an offset, coplanar faces of the two would flicker.
    view = context.region_data
    matrices = [_nearer_matrix(view, -number * BODIES_APART) for number in range(len(found))]
    bodies.draw(view, [item for item, _ in found], [colour for _, colour in found], matrices)


def _draw_batches(view: bpy.types.RegionView3D, batches: _Batches, look: _Look, settings: Any) -> None:
    _draw_faces(view, batches, look)
    _draw_dots(view, batches, look)
    if settings.overlay_curves:
        width = look.prefs.curve_width * bpy.context.preferences.system.pixel_size
        least, pixels = min(width, LEAST_WIDTH * bpy.context.preferences.system.pixel_size), pixels_per_unit(view)
        for space, batch in batches.curves:
            _draw_lines(view, batch, look, min(width, max(least, CROWD_SHARE * space * pixels)))
        if batches.gaps is not None:
            _draw_lines(view, batches.gaps, look, width)
        if batches.guesses is not None:
            _draw_guesses(view, batches.guesses, width)
        if batches.witnesses is not None:
            _draw_points(view, batches.witnesses, look)


def _draw_labels(context: bpy.types.Context, settings: Any, result: scene_results.SceneResult) -> None:
    """Draw the lengths of gaps as texts in the region."""
    import blf
    from bpy_extras.view3d_utils import location_3d_to_region_2d

    batches = _current_batches(context, settings, result)
    labels = [label for some in reversed(batches) for label in some.labels]  # first those of the selected pair
    if not settings.overlay_curves or not labels:
        return
    scale = context.preferences.system.ui_scale
    blf.size(FONT, TEXT_SIZE * scale)
    blf.enable(FONT, blf.SHADOW)
    blf.shadow(FONT, 3, *TEXT_SHADOW)
    blf.color(FONT, *TEXT_COLOUR)
    like = typical(distance for _, distance in labels)
    texts, boxes = [], []
    view = context.region_data
    for place, distance in labels:
        pixel = location_3d_to_region_2d(context.region, view, place)
        if pixel is not None and shaders.shows(view, place):
            texts.append(length(distance, context.scene.unit_settings, like=like))
            size: Any = blf.dimensions(FONT, texts[-1])  # type: ignore[func-returns-value]  # the stubs miss it
            boxes.append((pixel.x + TEXT_OFFSET * scale, pixel.y + TEXT_OFFSET * scale, *size))
    room = np.array(boxes).reshape(-1, 4) + np.array((-1.0, -1.0, 2.0, 2.0)) * TEXT_PADDING * scale
    chosen = render_data.apart(room, TEXT_GAP * scale)
    with restored_state():
        draw_backdrops(room[chosen])
    for at in chosen:
        blf.position(FONT, boxes[at][0], boxes[at][1], 0.0)
        blf.draw(FONT, texts[at])
    blf.disable(FONT, blf.SHADOW)


def draw_backdrops(boxes: NDArray[np.float64]) -> None:
    """Draw dark rectangles behind texts, (k, 4) left, bottom, width, height in pixels of the region."""
    import gpu
    from gpu_extras.batch import batch_for_shader

    if not len(boxes):
        return
    gpu.state.depth_test_set("NONE")
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    shader.bind()
    shader.uniform_float("color", BACKDROP)
    batch_for_shader(shader, "TRIS", {"pos": render_data.rectangles(boxes)}).draw(shader)


def _current_batches(context: bpy.types.Context, settings: Any, result: scene_results.SceneResult) -> list[_Batches]:
    """Return the current batches of all pairs and of the selected one, made again only after changes."""
    listed = context.window_manager.meshclash
    row = result.row(listed.selected) if listed.scene_uid == context.scene.session_uid else None
    apart = listed.around != "ALL"
    hidden = shown_things.isolated_views() or shown_things.ghosted_views()
    alone = apart and (row is not None or hidden)  # clashes of hidden objects would be confusing
    current = []
    if not alone and settings.overlay_scope == "ALL":
        query = replace(listed.query(), key=WORST, reverse=False)  # the list's order does not matter here
        reviews = reviews_of(context.scene)
        approved = reviews.approved
        listing = (query, approved, reviews if query.statuses is not None else None)
        wanted = (result.serial, shown_levels.version(), result.stale, *listing)

        def of_all() -> render_data.OverlayData:
            found = result.table.find(query, (), reviews.statuses, STATUS_ORDER)
            drawn = render_data.rows_to_draw(result.table, found, approved)
            return _joined(context, result).take(drawn, result.stale_rows)

        current.append(_batches_of("ALL", wanted, of_all))
    if row is not None:
        way = result.ways.get(row.id)
        selected = (result.serial, shown_levels.version(), result.stale, row.id, way)

        def of_selected() -> render_data.OverlayData:
            data = render_data.collect(shown_levels.on_levels(context, [row]), result.is_stale)
            return data if way is None else render_data.with_way(data, row, way)

        current.append(_batches_of("ACTIVE", selected, of_selected))
    return current


def _batches_of(scope: str, wanted: tuple[object, ...], collect: Callable[[], render_data.OverlayData]) -> _Batches:
    known = _State.batches.get(scope)
    if known is None or known.signature != wanted:
        known = _State.batches[scope] = _make_batches(wanted, collect())
    return known


def _joined(context: bpy.types.Context, result: scene_results.SceneResult) -> render_data.JoinedRows:
    """Return the combined geometry of all rows of a result, created when it is first drawn."""
    made_of = result.serial, shown_levels.version()
    if _State.joined is None or _State.joined[0] != made_of:
        _State.joined = made_of, render_data.JoinedRows(shown_levels.on_levels(context, result.report.rows))
    return _State.joined[1]


def _make_batches(wanted: tuple[object, ...], data: render_data.OverlayData) -> _Batches:
    def dots(points: Any, radii: Any) -> Any:
        return discs.make(points, np.ones((len(points), 4), np.float32), radii)

    groups = render_data.line_groups(data.curves, data.curve_rows)
    return _Batches(
        wanted,
        shaders.batch(shaders.FACES, "TRIS", data.faces_a),
        shaders.batch(shaders.FACES, "TRIS", data.faces_b),
        [(space, shaders.lines(points)) for space, points in groups],
        shaders.batch(shaders.FACES, "TRIS", data.stale),
        shaders.lines(data.gaps),
        dots(data.witnesses, np.zeros(len(data.witnesses), np.float32)),
        dots(data.dots_a, data.radii_a),
        dots(data.dots_b, data.radii_b),
        dots(data.stale_dots, data.stale_radii),
        shaders.lines(data.guesses, data.guess_colours),
        data.labels,
    )


@contextmanager
def restored_state() -> Iterator[None]:
    """Enable blending and disable depth writing inside the block; restore the state afterwards."""
    import gpu

    blend, depth_test, depth_mask = gpu.state.blend_get(), gpu.state.depth_test_get(), gpu.state.depth_mask_get()
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_mask_set(False)
    try:
        yield
    finally:
        gpu.state.blend_set(blend)
        gpu.state.depth_test_set(depth_test)
        gpu.state.depth_mask_set(depth_mask)


@contextmanager
def nearer(view: bpy.types.RegionView3D, share: float) -> Iterator[None]:
    """Draw at the same pixels, but nearer by a fraction of the distance, so that surfaces do not hide their
    highlights.
    """
    import gpu

    with gpu.matrix.push_pop():
        gpu.matrix.load_matrix(_nearer_matrix(view, share))
        yield


def _nearer_matrix(view: bpy.types.RegionView3D, share: float) -> Matrix:
    """Return the matrix from the world to the eye, moved nearer by a share of the distance (farther if negative)."""
    if view.is_perspective:
        shift = Matrix.Scale(1.0 - share, 4)
    else:
        shift = Matrix.Translation((0.0, 0.0, share * view.view_distance))
    return shift @ view.view_matrix


def _draw_dots(view: bpy.types.RegionView3D, batches: _Batches, look: _Look) -> None:
    """Draw points of scans in contact."""
    import gpu

    colours = look.prefs.colour_a, look.prefs.colour_b, STALE
    parts = tuple(zip((batches.dots_a, batches.dots_b, batches.stale_dots), colours, strict=True))
    if all(batch is None for batch, _ in parts):
        return
    size = DOT_SIZE * bpy.context.preferences.system.pixel_size
    with nearer(view, FACES_IN_FRONT):
        for depth_test, alpha in look.passes(HIDDEN_DOTS_ALPHA):
            gpu.state.depth_test_set(depth_test)
            for batch, colour in parts:
                if batch is not None:
                    discs.draw(view, batch, size, (*colour[:3], alpha))


def _draw_faces(view: bpy.types.RegionView3D, batches: _Batches, look: _Look) -> None:
    import gpu

    prefs = look.prefs
    parts = ((batches.faces_a, prefs.colour_a), (batches.faces_b, prefs.colour_b), (batches.stale, STALE))
    with nearer(view, FACES_IN_FRONT):
        shader = shaders.bind(shaders.FACES, view)
        for depth_test, alpha in look.passes(HIDDEN_FACES_ALPHA):
            gpu.state.depth_test_set(depth_test)
            for batch, colour in parts:
                if batch is not None:
                    shader.uniform_float("colour", light(colour, alpha))
                    batch.draw(shader)


def light(colour: Any, alpha: float) -> list[float]:
    """Return a colour as linear light for a shader, with its opacity multiplied by ``alpha``."""
    return shaders.linear((*colour[:3], colour[3] * alpha)).tolist()  # type: ignore[no-any-return]


def _draw_points(view: bpy.types.RegionView3D, batch: Any, look: _Look) -> None:
    """Draw nearest points; the points of the selected pair are drawn in front of everything."""
    import gpu

    size, colour = POINT_SIZE * bpy.context.preferences.system.pixel_size, look.prefs.colour_curve
    with nearer(view, CURVES_IN_FRONT):
        for depth_test, alpha in (("NONE", 1.0),) if look.in_front else look.passes(HIDDEN_POINTS_ALPHA):
            gpu.state.depth_test_set(depth_test)
            discs.draw(view, batch, size, (*colour[:3], colour[3] * alpha))


def _draw_guesses(view: bpy.types.RegionView3D, batch: Any, width: float) -> None:
    """Draw boxes in which objects may touch, in front of everything, because they lie inside the objects."""
    import gpu

    gpu.state.depth_test_set("NONE")
    batch.draw(shaders.bind_lines(view, width, coloured=True))


def pixels_per_unit(view: bpy.types.RegionView3D) -> float:
    """Return the size of a Blender unit at the centre of a 3D view [px]."""
    import gpu

    height = 0.5 * gpu.state.viewport_get()[3] * view.window_matrix[1][1]
    return float(height / view.view_distance if view.is_perspective else height)


def _draw_lines(view: bpy.types.RegionView3D, batch: Any, look: _Look, width: float) -> None:
    import gpu

    with nearer(view, CURVES_IN_FRONT):
        shader = shaders.bind_lines(view, width)
        for depth_test, alpha in look.passes(HIDDEN_CURVES_ALPHA):
            gpu.state.depth_test_set(depth_test)
            shader.uniform_float("colour", light(look.prefs.colour_curve, alpha))
            batch.draw(shader)


def passes(xray: bool, hidden_alpha: float) -> tuple[tuple[str, float], ...]:
    """Return depth tests and opacities of the passes: first hidden parts, faintly, then visible parts."""
    seen = ("LESS_EQUAL", 1.0)
    return (("GREATER", hidden_alpha), seen) if xray else (seen,)


HANDLERS = DrawHandlers(
    bpy.types.SpaceView3D,
    ((_draw, (_draw_result,), "POST_VIEW"), (_draw, (_draw_labels,), "POST_PIXEL")),
    _free,
)
