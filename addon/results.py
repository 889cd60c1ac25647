"""Between a report and the result list: fills, empties and finds rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from . import session
from .overlay.draw import tag_redraw

if TYPE_CHECKING:
    from .core.pair_row import PairRow
    from .core.report import DetectReport

MAX_LIVE_ROWS = 200  # while Live is on: Blender takes a microsecond for every value that is written
UNKNOWN = -1.0  # of a measure, which is never negative
MAX_ROWS = 1000  # a list longer than this is read in the exported report, not by scrolling


def show_report(context: bpy.types.Context, scene: bpy.types.Scene, report: DetectReport) -> None:
    """Makes `report` the result of `scene` and lists it; no row is selected, so the view stays where it is."""
    session.store_result(scene.session_uid, report)
    session.exclude(scene.session_uid, scene.meshclash.excluded_names)
    relist(context, scene)


def show_live(context: bpy.types.Context, scene_uid: int, report: DetectReport, incomplete: bool) -> None:
    """Makes an answer of Live the result of its scene; `list_live` brings the list up to date."""
    session.store_result(scene_uid, report, live=True, incomplete=incomplete)
    tag_redraw(context)


def list_live(context: bpy.types.Context, scene_uid: int) -> None:
    """Lists the result of Live, unless the list shows another scene; the selected row follows its pair."""
    listed, result = context.window_manager.meshclash, session.result_of(scene_uid)
    if result is None:
        return
    if listed.scene_uid in (scene_uid, 0) or session.result_of(listed.scene_uid) is None:
        item = listed.active()
        most = MAX_LIVE_ROWS if result.live else MAX_ROWS
        _fill(listed, scene_uid, result.report.rows, item.pair_id if item else None, most)
        tag_redraw(context, ("UI",))


def _fill(
    results: bpy.types.PropertyGroup,
    scene_uid: int,
    rows: list[PairRow],
    selected: str | None = None,
    most: int | None = None,
) -> None:
    """Makes the list show the first `most` of `rows` (None: `MAX_ROWS`).

    Only what differs from what it shows is written, which Blender is slow at.
    """
    most = MAX_ROWS if most is None else most
    wanted = [_cells(row) for row in rows[:most]]
    shown = session.listed_cells()
    results.filling = True
    if len(results.rows) != len(shown):
        results.rows.clear()
        shown.clear()
    while len(results.rows) > len(wanted):
        results.rows.remove(len(results.rows) - 1)
        shown.pop()
    for index, cells in enumerate(wanted):
        if index == len(shown):
            results.rows.add()
            shown.append({})
        if shown[index] != cells:
            item = results.rows[index]
            for name, value in cells.items():
                setattr(item, name, value)
            shown[index] = cells
    if results.scene_uid != scene_uid:
        results.scene_uid = scene_uid
    if results.total != len(rows):
        results.total = len(rows)
    active = next((index for index, row in enumerate(rows[:most]) if row.id == selected), -1)
    if results.active_row != active:
        results.active_row = active
    results.filling = False


def _cells(row: PairRow) -> dict[str, object]:
    """What the list keeps of a row, by the names of `MESHCLASH_PG_row`."""
    return {
        "name": f"{row.a} × {row.b}",
        "pair_id": row.id,
        "name_a": row.a,
        "name_b": row.b,
        "verdict": row.verdict,
        "faces_a": row.count_a,
        "faces_b": row.count_b,
        **{name: _known(getattr(row, name)) for name in ("depth", "distance", "probability")},
    }


def _known(value: float | None) -> float:
    return UNKNOWN if value is None else value


def clear_list(context: bpy.types.Context) -> None:
    """Empties the list (not the session's results)."""
    _fill(context.window_manager.meshclash, 0, [])
    tag_redraw(context)


def relist(context: bpy.types.Context, scene: bpy.types.Scene, selected: str | None = None) -> None:
    """Lists the session's result of `scene` again, after it changed or the window shows another scene.

    Args:
        context: of the window.
        scene: the scene.
        selected: id of the pair that stays selected; selecting it has no other effect.
    """
    result = session.result_of(scene.session_uid)
    _fill(context.window_manager.meshclash, scene.session_uid, result.report.rows if result else [], selected)
    tag_redraw(context)


def follow_exclusions(context: bpy.types.Context, scene: bpy.types.Scene) -> bool:
    """Takes the pairs out of the result that are excluded now, and no others; returns whether that changes it."""
    listed = context.window_manager.meshclash
    if not session.exclude(scene.session_uid, scene.meshclash.excluded_names):
        return False
    if listed.scene_uid == scene.session_uid:
        item = listed.active()
        relist(context, scene, item.pair_id if item else None)
    return True


def neighbour(context: bpy.types.Context) -> str | None:
    """Id of the pair that is shown after the selected one, or else before it; None where no other is shown."""
    listed = context.window_manager.meshclash
    at = listed.active_row
    others = (*range(at + 1, len(listed.rows)), *range(at - 1, -1, -1))
    return next((listed.rows[index].pair_id for index in others if listed.shows(listed.rows[index].verdict)), None)


def select_pair(context: bpy.types.Context, pair_id: str | None) -> None:
    """Selects a pair of the list as a click on its row does; None, or one that is not listed, selects nothing."""
    listed = context.window_manager.meshclash
    listed.active_row = next((index for index, row in enumerate(listed.rows) if row.pair_id == pair_id), -1)


def active_pair(context: bpy.types.Context) -> PairRow | None:
    """The report row of the pair selected in the list, if the list belongs to the context's scene; else None."""
    results = context.window_manager.meshclash
    item, result = results.active(), session.result_of(context.scene.session_uid)
    if item is None or result is None or results.scene_uid != context.scene.session_uid:
        return None
    return result.row(item.pair_id)


def selected_pair(context: bpy.types.Context) -> PairRow:
    """The same for code that runs only where a pair is selected.

    Raises:
        LookupError: none is.
    """
    row = active_pair(context)
    if row is None:
        raise LookupError("no pair is selected")
    return row
