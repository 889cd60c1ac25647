"""Between a report and the result list: fills, empties and finds rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from . import session
from .overlay.draw import tag_redraw

if TYPE_CHECKING:
    from .core.report import DetectReport, PairRow

MAX_ROWS = 1000  # a list longer than this is read in the exported report, not by scrolling


def show_report(context: bpy.types.Context, scene: bpy.types.Scene, report: DetectReport) -> None:
    """Makes `report` the result of `scene` and lists it; no row is selected, so the view stays where it is."""
    session.store_result(scene.session_uid, report)
    _fill(context.window_manager.meshclash, scene.session_uid, report.rows)
    tag_redraw(context)


def _fill(results: bpy.types.PropertyGroup, scene_uid: int, rows: list[PairRow]) -> None:
    results.filling = True
    results.rows.clear()
    for row in rows[:MAX_ROWS]:
        item = results.rows.add()
        item.name = f"{row.a} × {row.b}"
        item.pair_id, item.name_a, item.name_b, item.verdict = row.id, row.a, row.b, row.verdict
        item.faces_a, item.faces_b = len(row.faces_a), len(row.faces_b)
        item.depth = -1.0 if row.depth is None else row.depth
    results.scene_uid = scene_uid
    results.total = len(rows)
    results.active_row = -1
    results.filling = False


def clear_list(context: bpy.types.Context) -> None:
    """Empties the list (not the session's results)."""
    _fill(context.window_manager.meshclash, 0, [])
    tag_redraw(context)


def relist(context: bpy.types.Context, scene: bpy.types.Scene) -> None:
    """Lists the session's result of `scene` again, after it changed or the window shows another scene."""
    result = session.result_of(scene.session_uid)
    _fill(context.window_manager.meshclash, scene.session_uid, result.report.rows if result else [])
    tag_redraw(context)


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
