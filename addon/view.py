"""Select, frame and isolate the selected pair, and restore the former views."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np
from mathutils import Vector
from meshclash.clash.pair_row import PairRow

from . import ghosting, reactions, results, running_work, shown_things, view_notes
from .overlay import render_data
from .redraw import tag_redraw
from .screens import largest_view, shows_results, view3d_areas

FRAME_MARGIN = 1.7  # distance of the eye in sizes of the framed box, for a lens of 50 mm
STANDARD_LENS = 50.0
SENSOR = 36.0  # [mm]; a 3D view shows twice as much as a camera with the same lens
BEFORE = 0.95  # share of the way to an object that hides a pair, at which the eye stops
LEAST_WAY = 0.5  # least share of the way to the eye; closer, the pair would not fit into the view
MOST_IN_THE_WAY, MOST_FACES_IN_THE_WAY = 3000, 200_000  # limits of objects, and of faces of one: more take too long
GHOST_FRAME = 0.4  # FRAME_MARGIN among ghosts, which show where the contact is
SMALLEST_FRAME = 0.02  # smallest framed size, as a share of the pair's size


@reactions.on("pair chosen")
def show_active_pair(context: bpy.types.Context) -> None:
    """Select, frame and isolate the pair selected in the list; missing objects are left out."""
    row = results.active_pair(context)
    tag_redraw(context)
    if row is None:
        return
    pair = pair_objects(context, row)
    if pair and not {*context.objects_in_mode} <= {*pair}:
        _leave_mode(context)
    if context.mode == "OBJECT":
        _select(context, pair, {row.a.owner if letter == "a" else row.b.owner for letter in row.scans})
    area = context.area
    if area is not None and shows_results(area.spaces.active):
        found = largest_view(context)
        if found is None:
            return
        window, area = found
        with context.temp_override(window=window, screen=window.screen, area=area):
            _show_in(bpy.context, area, row, pair)
    elif area is not None and area.type == "VIEW_3D":
        _show_in(context, area, row, pair)


def _show_in(context: bpy.types.Context, area: bpy.types.Area, row: PairRow, pair: list[bpy.types.Object]) -> None:
    """Frame and isolate a pair in one 3D view."""
    listed = context.window_manager.meshclash
    if pair and listed.around != "ALL":
        shown_things.viewpoints().setdefault(area.as_pointer(), _viewpoint(area))
        if listed.around == "ISOLATE":
            _isolate(context, area, pair)
        else:
            ghosting.enter(area)
    view_notes.write(context)
    _frame(area, row, pair)
    if pair and listed.around == "ALL":
        _come_before_what_hides(context, area, pair)


def _leave_mode(context: bpy.types.Context) -> None:
    """Enter Object Mode, as a separate undo step, without changing shapes."""
    with running_work.ignored_updates():
        bpy.ops.object.mode_set("EXEC_DEFAULT", True, mode="OBJECT")
        context.view_layer.update()


def pair_objects(context: bpy.types.Context, row: PairRow) -> list[bpy.types.Object]:
    """Return the scene objects of a pair (for an instance: its instancer), without those that no longer exist."""
    return [found for name in dict.fromkeys((row.a.owner, row.b.owner)) if (found := find_object(context, name))]


def find_object(context: bpy.types.Context, name: str) -> bpy.types.Object | None:
    """Return the object of the view layer with a full name, or None."""
    return next((found for found in _layer_objects(context) if found.name_full == name), None)


def _layer_objects(context: bpy.types.Context) -> Iterator[bpy.types.Object]:
    """Yield the objects of the view layer, without None, which Blender has for just deleted objects."""
    return (found for found in context.view_layer.objects if found is not None)


def _select(context: bpy.types.Context, pair: list[bpy.types.Object], scans: set[str]) -> None:
    """Select the pair without its scans: the outlines of a scan's points would hide everything else.

    The first selected object, or else the first scan, becomes the active one.
    """
    for other in context.selected_objects:
        other.select_set(False)
    wanted = [chosen for chosen in pair if chosen.name_full not in scans]
    for chosen in wanted:
        chosen.select_set(True)
    if pair:
        context.view_layer.objects.active = (wanted or pair)[0]


def _isolate(context: bpy.types.Context, area: bpy.types.Area, pair: list[bpy.types.Object]) -> None:
    """Show only `pair` in one 3D view with local view; store what the user's own local view showed."""
    space, views = area.spaces.active, shown_things.isolated_views()
    key = area.as_pointer()
    if space.local_view is None:
        views[key] = None
        _toggle_local_view(area, context.screen, context.window)
    else:
        views.setdefault(key, _shown_names(context, space))
    if space.local_view is not None:  # local view can fail outside Object Mode
        _set_local_members(context, space, {chosen.name_full for chosen in pair})


def isolate(context: bpy.types.Context, items: list[bpy.types.Object]) -> None:
    """Show only some objects in the 3D view of the context, until a pair is chosen or the isolation ends."""
    area = context.area
    shown_things.viewpoints().setdefault(area.as_pointer(), _viewpoint(area))
    _isolate(context, area, items)
    view_notes.write(context)


def _shown_names(context: bpy.types.Context, space: bpy.types.SpaceView3D) -> tuple[str, ...]:
    return tuple(found.name_full for found in _layer_objects(context) if _is_shown(found, space))


def _is_shown(item: bpy.types.Object, space: bpy.types.SpaceView3D) -> bool:
    """Return whether a local view shows the object; `local_view_get` alone is always false in Blender 4.3."""
    return item.visible_get(viewport=space) or item.local_view_get(space)


def _set_local_members(context: bpy.types.Context, space: bpy.types.SpaceView3D, names: set[str]) -> None:
    for item in _layer_objects(context):
        item.local_view_set(space, item.name_full in names)


@reactions.on("view left")
def leave_isolation(context: bpy.types.Context) -> None:
    """Restore what every isolated or ghosted 3D view showed before, and its viewpoint.

    Views that no window shows leave local view completely, because Blender crashes if their local view is queried.
    """
    ghosting.leave(context)
    views = shown_things.isolated_views()
    for window, screen, area in view3d_areas(context):
        if area.as_pointer() not in views:
            continue
        before = views.pop(area.as_pointer())
        space = area.spaces.active
        if space.local_view is None:
            shown_things.viewpoints().pop(area.as_pointer(), None)
            continue  # the user has already left local view, and Blender has restored the viewpoint
        if before is None or window.screen != screen:
            _toggle_local_view(area, screen, window)
        else:
            _set_local_members(context, space, set(before))
    views.clear()
    for _window, _screen, area in view3d_areas(context):
        if area.as_pointer() in shown_things.viewpoints():
            _look_from(area, shown_things.viewpoints()[area.as_pointer()])
    shown_things.viewpoints().clear()
    view_notes.write(context)


def give_back_noted(context: bpy.types.Context) -> None:
    """Restore the views of a file that Blender saved automatically while a pair was isolated."""
    if not bpy.app.background and view_notes.read(context):
        leave_isolation(context)


def suspend_isolation(context: bpy.types.Context) -> None:
    """Restore every isolated 3D view until `resume_isolation`, while a file is saved.

    Views that no window shows are not isolated again.
    """
    views, before = shown_things.isolated_views(), dict(shown_things.viewpoints())
    shown, points = {}, {}
    for window, screen, area in view3d_areas(context):
        space, key = area.spaces.active, area.as_pointer()
        if key in views and space.local_view is not None and window.screen == screen:
            shown[key] = views[key], _shown_names(context, space)
        if key in before and (key in shown or key not in views):
            points[key] = before[key], _viewpoint(area)
    ghosting.suspend(context)
    leave_isolation(context)
    shown_things.suspend_views(shown, points)


def resume_isolation(context: bpy.types.Context) -> None:
    """Isolate the views again after `suspend_isolation`."""
    suspended, points = shown_things.suspended_views(), shown_things.suspended_viewpoints()
    for window, screen, area in view3d_areas(context):
        before, names = suspended.pop(area.as_pointer(), (None, ()))
        space = area.spaces.active
        if names and space.local_view is None:
            with _something_selected(context, names):
                _toggle_local_view(area, screen, window)
        if names and space.local_view is not None:
            _set_local_members(context, space, set(names))
            shown_things.isolated_views()[area.as_pointer()] = before
        if area.as_pointer() in points:
            shown_things.viewpoints()[area.as_pointer()], now = points[area.as_pointer()]
            _look_from(area, now)
    suspended.clear()
    points.clear()
    ghosting.resume(context)
    view_notes.write(context)


@contextmanager
def _something_selected(context: bpy.types.Context, names: tuple[str, ...]) -> Iterator[None]:
    """Select one of the objects inside the block, because Blender needs a selection to enter local view."""
    item = None if context.selected_objects else find_object(context, names[0])
    if item is not None:
        item.select_set(True)
    yield
    if item is not None:
        item.select_set(False)


def _viewpoint(area: bpy.types.Area) -> shown_things.Viewpoint:
    view = area.spaces.active.region_3d
    x, y, z = view.view_location
    return shown_things.Viewpoint(x, y, z, view.view_distance, view.view_perspective)


def _look_from(area: bpy.types.Area, point: shown_things.Viewpoint) -> None:
    view = area.spaces.active.region_3d
    view.view_perspective = point.perspective
    view.view_location, view.view_distance = point[:3], point.distance


def _toggle_local_view(area: bpy.types.Area, screen: bpy.types.Screen, window: bpy.types.Window) -> None:
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=window, screen=screen, area=area, region=region):
        if bpy.ops.view3d.localview.poll():
            bpy.ops.view3d.localview(frame_selected=False)


def _beside_panels(area: bpy.types.Area) -> float:
    """Return how far to the right of its subject a view must look to centre it between panels [Blender units]."""
    space = area.spaces.active
    sizes = {region.type: region.width for region in area.regions if region.width > 1}
    view = next(region for region in area.regions if region.type == "WINDOW")
    covered = sizes.get("UI", 0) - sizes.get("TOOLS", 0)
    if not bpy.context.preferences.system.use_region_overlap or covered >= view.width:
        return 0.0
    pixels_per_unit = max(view.width, view.height) * space.lens / (2.0 * SENSOR * space.region_3d.view_distance)
    return 0.5 * covered / pixels_per_unit


def _frame(area: bpy.types.Area, row: PairRow, pair: list[bpy.types.Object]) -> None:
    """Centre the view on the contact, at a distance that also shows its surroundings."""
    box, around = render_data.bounds(row), _object_bounds(pair)
    if box is None:
        box = around
    if box is None:
        return
    size = float(np.linalg.norm(box[1] - box[0]))
    if around is not None:
        least = GHOST_FRAME if ghosting.is_ghosted(area) else SMALLEST_FRAME
        size = max(size, least * float(np.linalg.norm(around[1] - around[0])))
    _look_at(area, box, size)


def frame_box(area: bpy.types.Area, box: np.ndarray) -> None:
    """Centre the view on a box, (2, 3) in Blender units, at a distance that shows the whole box."""
    _look_at(area, box, float(np.linalg.norm(box[1] - box[0])))


def clip_to_box(context: bpy.types.Context, area: bpy.types.Area, box: np.ndarray, margin: float = 0.25) -> bool:
    """Toggle clipping of a 3D view to a box, (2, 3) in Blender units, with a margin.

    Args:
        context: context of the window of the area.
        area: a 3D view.
        box: the box.
        margin: margin as a share of the box's diagonal.

    Returns:
        Whether the view clips now. If the view was already clipped to this box, the whole scene is shown again.
    """
    view = area.spaces.active.region_3d
    region = next((region for region in area.regions if region.type == "WINDOW"), None)
    if region is None:
        return False
    with context.temp_override(area=area, region=region):  # Blender clips only with planes that it has created itself
        if view.use_clip_planes:
            bpy.ops.view3d.clip_border("INVOKE_DEFAULT")  # and frees them only in this way
            return False
        bpy.ops.view3d.clip_border("EXEC_DEFAULT", xmin=0, xmax=region.width, ymin=0, ymax=region.height)
    view.clip_planes = planes_of(box, margin)
    view.use_clip_planes = True
    return True


def planes_of(box: np.ndarray, margin: float) -> list[tuple[float, ...]]:
    """Return six planes (x, y, z, offset) around a box, positive on the inside."""
    around = margin * float(np.linalg.norm(box[1] - box[0]))
    low, high = (np.eye(3) * sign for sign in (1.0, -1.0))
    return [
        (*normal, offset)
        for normals, corner in ((low, around - box[0]), (high, around + box[1]))
        for normal, offset in zip(normals.tolist(), corner.tolist(), strict=True)
    ]


def _look_at(area: bpy.types.Area, box: np.ndarray, size: float) -> None:
    """Centre the view on the centre of a box, and show a region of a given size."""
    space = area.spaces.active
    view = space.region_3d
    if view.view_perspective == "CAMERA":
        view.view_perspective = "PERSP"
    view.view_distance = max(FRAME_MARGIN * size * space.lens / STANDARD_LENS, 1e-4)
    view.view_location = Vector(box.mean(axis=0)) + view.view_rotation @ Vector((_beside_panels(area), 0.0, 0.0))


def _come_before_what_hides(context: bpy.types.Context, area: bpy.types.Area, pair: list[bpy.types.Object]) -> None:
    """Move the viewpoint in front of the first object that hides the pair, such as a window pane."""
    view = area.spaces.active.region_3d
    others = [item for item in context.visible_objects if item.type == "MESH" and item not in pair]
    if not view.is_perspective or len(others) > MOST_IN_THE_WAY:
        return
    shift = view.view_rotation @ Vector((_beside_panels(area), 0.0, 0.0))
    subject = view.view_location - shift
    way = shift + view.view_rotation @ Vector((0.0, 0.0, view.view_distance))
    depsgraph = context.evaluated_depsgraph_get()
    shares = (_share_before(item.evaluated_get(depsgraph), subject, way) for item in others)
    first = min((share for share in shares if share >= LEAST_WAY), default=1.0)
    if first < 1.0:
        view.view_distance *= BEFORE * first
        view.view_location = subject + BEFORE * first * shift


def _share_before(item: bpy.types.Object, begin: Vector, way: Vector) -> float:
    """Return the fraction of the ray at which it first hits an evaluated object; 1 if it hits no object, or the test is
    slow.
    """
    try:
        inside = item.matrix_world.inverted()
    except ValueError:  # the object is flat
        return 1.0
    start, along = inside @ begin, inside.to_3x3() @ way
    corners = np.array(item.bound_box)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.sort((corners[[0, 6]] - start) / np.array(along), axis=0)
    if not np.nanmax((*ends[0], 0.0)) <= np.nanmin((*ends[1], 1.0)):
        return 1.0
    if len(item.data.polygons) > MOST_FACES_IN_THE_WAY:
        return 1.0
    hit, place, _, _ = item.ray_cast(start, along, distance=along.length)
    return float((place - start).length / along.length) if hit else 1.0


def _object_bounds(pair: list[bpy.types.Object]) -> np.ndarray | None:
    corners = [item.matrix_world @ Vector(corner) for item in pair for corner in item.bound_box]
    if not corners:
        return None
    points = np.array(corners)
    return np.array((points.min(axis=0), points.max(axis=0)))
