"""Fill the result list from a report, and find rows in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from meshclash.clash.column_table import LISTED

from . import groups, histories, reactions, scene_results, shown_things
from .adapters.lookup import scene_with
from .core import device_gain
from .core.table import GROUP, PROGRESS, STATUS, natural
from .props import PROGRESS_ORDER, SAID_KEYS, STATUS_ORDER
from .redraw import tag_redraw
from .reviews import reviews_of
from .texts import typical

if TYPE_CHECKING:
    from meshclash.clash.pair_row import PairRow
    from meshclash.clash.report import DetectReport
    from meshclash.clash.review.history import History

    from .core.table import ListQuery, Positions, RowTable

PAGE_ROWS = 200
"""Number of rows per page: Blender's list is slow to fill."""
NOTHING_LISTED = np.empty(0, np.int64)
UNKNOWN = -1.0  # value of an unknown measure; measures are never negative


def show_report(
    context: bpy.types.Context,
    scene: bpy.types.Scene,
    report: DetectReport,
    table: RowTable | None = None,
    found_groups: Mapping[str, list[dict[str, Any]]] | None = None,
) -> None:
    """Store `report` as the result of `scene`, and list it; no row is selected, so that the view does not change.

    Args:
        context: context of the window.
        scene: the scene.
        report: the report.
        table, found_groups: its rows as columns, and its groups by kind of grouping, if already known.
    """
    device_gain.note_answer(report.options.test, report.stats)
    result = scene_results.store_result(scene.session_uid, report)
    result.known_groups.update(found_groups or {})
    if table is not None:
        result.table = table
    scene_results.exclude(scene.session_uid, scene.meshclash.excluded_names)
    context.window_manager.meshclash.begin()
    shown_things.listed().group = None
    relist(context, scene)
    for key in (GROUP, PROGRESS):  # computed now, so that no click has to wait
        _column(scene_results.existing_result(scene.session_uid), key, scene)


def show_live(context: bpy.types.Context, scene_uid: int, report: DetectReport, incomplete: bool) -> None:
    """Store a result of Live as the result of its scene; `list_live` updates the list."""
    scene_results.store_result(scene_uid, report, live=True, incomplete=incomplete)
    tag_redraw(context)


def list_live(context: bpy.types.Context, scene_uid: int) -> None:
    """List the result of Live, unless the list shows another scene; the selected pair stays selected."""
    listed, result = context.window_manager.meshclash, scene_results.result_of(scene_uid)
    scene = scene_with(scene_uid)
    if result is None or scene is None:
        return
    if listed.scene_uid in (scene_uid, 0) or scene_results.result_of(listed.scene_uid) is None:
        groups.fill(listed, scene)  # none while Live runs, and those of its last result when it has ended
        _find(listed, scene, result)
        _fill(listed, scene_uid, result)
        tag_redraw(context, ("UI",))


def _find(listed: bpy.types.PropertyGroup, scene: bpy.types.Scene, result: scene_results.SceneResult) -> None:
    """Compute which rows are listed, and in which order."""
    shown_things.listed().order = result.serial, rows_of(result, listed.query(), scene)


def listed_order(scene_uid: int) -> Positions:
    """Return the positions of the listed rows in the current report of a scene; an empty array for a scene that is not
    listed.

    They are computed again if the report was replaced since, by Live or by undo of an exclusion.
    """
    listed, state = bpy.context.window_manager.meshclash, shown_things.listed()
    result, scene = scene_results.result_of(scene_uid), scene_with(scene_uid)
    if result is None or scene is None or listed.scene_uid != scene_uid or state.order is None:
        return NOTHING_LISTED
    if state.order[0] != result.serial:
        _find(listed, scene, result)
    return state.order[1]


def rows_of(result: scene_results.SceneResult, query: ListQuery, scene: bpy.types.Scene) -> Positions:
    """Return the positions of the rows of a result that match a query."""
    measures = result.report.measures
    asks_status = query.statuses is not None or query.key == STATUS
    reviews = reviews_of(scene).statuses if asks_status else {}
    column = _column(result, query.key, scene)
    kept = _progressed(result, query.progress, scene) if query.progress else None
    return result.table.find(query, measures, reviews, STATUS_ORDER, column, kept)


def _progressed(result: scene_results.SceneResult, wanted: frozenset[str], scene: bpy.types.Scene) -> np.ndarray:
    """Return a mask of the rows whose progress is to be listed."""
    codes = _column(result, PROGRESS, scene)
    assert codes is not None
    mask = np.isin(codes, [at for at, name in enumerate(PROGRESS_ORDER) if name.upper() in wanted])
    if "STILL" in wanted:
        there = result.table.positions
        mask[[there[pair] for pair in histories.still_there(scene) if pair in there]] = True
    return mask


def _column(result: scene_results.SceneResult, key: str, scene: bpy.types.Scene) -> np.ndarray | None:
    """Return values of rows to sort by that are not part of the report; None for keys of the report.

    They are cached until their source changes.
    """
    state, known = shown_things.listed(), histories.kept(scene)
    versions = {GROUP: state.grouped, PROGRESS: known.detections, **dict.fromkeys(SAID_KEYS, known.version)}
    if key not in versions:
        return None
    version = result.serial, versions[key]
    if key not in state.columns or state.columns[key][0] != version:
        state.columns[key] = version, _values(result, key, known.history)
    return state.columns[key][1]


def progress_counts(scene: bpy.types.Scene, result: scene_results.SceneResult) -> dict[str, int]:
    """Return the number of pairs of a result with each progress, by the names of `PROGRESSES`."""
    codes = _column(result, PROGRESS, scene)
    assert codes is not None
    counts = np.bincount(codes, minlength=len(PROGRESS_ORDER)).tolist()
    found = {name.upper(): count for name, count in zip(PROGRESS_ORDER, counts, strict=True) if name}
    return {**found, "STILL": len(histories.found_again(scene, result.rows))}


def _values(result: scene_results.SceneResult, key: str, history: History) -> np.ndarray:
    rows = result.report.rows
    if key == GROUP:
        numbers = shown_things.listed().group_numbers
        return np.array([numbers.get(row.id, len(numbers)) for row in rows], np.int64)
    if key == PROGRESS:
        codes = {name: at for at, name in enumerate(PROGRESS_ORDER)}
        return np.array([codes[history.progress(row.id)] for row in rows], np.int8)
    said = SAID_KEYS[key]
    values = {pair: text for pair, decision in history.decisions.items() if (text := getattr(decision, said))}
    order = {text: at for at, text in enumerate(sorted({*values.values()}, key=natural))}
    found = np.full(len(rows), np.nan)
    for at, row in enumerate(rows) if values else ():
        found[at] = order.get(values.get(row.id, ""), np.nan)
    return found


def _fill(listed: bpy.types.PropertyGroup, scene_uid: int, result: scene_results.SceneResult | None) -> None:
    """Fill Blender's list with the current page of the listed rows.

    Only changed values are written, because Blender takes a microsecond for every value.
    """
    state = shown_things.listed()
    if result is None:
        order = NOTHING_LISTED
    else:
        listed.scene_uid = scene_uid
        order = listed_order(scene_uid)
    count, page = len(order), min(listed.page, page_count(len(order)))
    rows = [] if result is None else [result.report.rows[at] for at in order[_of_page(page)].tolist()]
    state.names = tuple(dict.fromkeys(name for row in rows for name in row.names))
    lengths = (row.distance if row.depth is None else row.depth for row in rows)
    state.typical = typical(value for value in lengths if value is not None)
    listed.filling = True
    _write(listed.rows, [_cells(row) for row in rows], state.cells)
    values = {
        "scene_uid": scene_uid, "total": len(result.report.rows) if result else 0, "found": count, "page": page,
        "active_row": next((at for at, row in enumerate(rows) if row.id == listed.selected), -1),
    }  # fmt: skip
    for name, value in values.items():
        if getattr(listed, name) != value:
            setattr(listed, name, value)
    listed.filling = False


def _of_page(page: int) -> slice:
    return slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS)


def page_count(rows: int) -> int:
    """Return the number of pages of a list, at least one."""
    return max(1, -(-rows // PAGE_ROWS))


def _write(items: Any, wanted: list[dict[str, object]], shown: list[dict[str, object]]) -> None:
    """Write values to a collection; `shown` is its current content."""
    if len(items) != len(shown):
        items.clear()
        shown.clear()
    while len(items) > len(wanted):
        items.remove(len(items) - 1)
        shown.pop()
    for index, cells in enumerate(wanted):
        if index == len(shown):
            items.add()
            shown.append({})
        if shown[index] != cells:
            item = items[index]
            for name, value in cells.items():
                setattr(item, name, value)
            shown[index] = cells


def _cells(row: PairRow) -> dict[str, object]:
    """Return the values of a row in the list, by the names of `MESHCLASH_PG_row`."""
    return {
        "name": row.title,
        "pair_id": row.id,
        "name_a": row.a.name,
        "name_b": row.b.name,
        "region": row.region,
        "verdict": row.verdict,
        "faces_a": row.a.count,
        "faces_b": row.b.count,
        "certainty": row.certainty,
        **{column.name: _known(getattr(row, column.name)) for column in LISTED},
    }


def _known(value: float | None) -> float:
    return UNKNOWN if value is None else value


def clear_list(context: bpy.types.Context) -> None:
    """Clear the list, but not the session's results."""
    listed, state = context.window_manager.meshclash, shown_things.listed()
    state.order, state.owners = None, None
    listed.selected = ""
    _fill(listed, 0, None)
    tag_redraw(context)


def relist(context: bpy.types.Context, scene: bpy.types.Scene, selected: str | None = None) -> None:
    """List the session's result of `scene` again, after it changed or the window shows another scene.

    Args:
        context: context of the window.
        scene: the scene.
        selected: id of the pair that stays selected; the view does not change.
    """
    listed, result = context.window_manager.meshclash, scene_results.result_of(scene.session_uid)
    listed.selected = selected or ""
    if result is None or not shown_things.listed().marked <= result.rows.keys():
        shown_things.listed().marked = frozenset()
    groups.fill(listed, scene)
    if result is not None:
        _find(listed, scene, result)
    _fill(listed, scene.session_uid, result)
    tag_redraw(context)


@reactions.on("groups asked")
def group_again(context: bpy.types.Context) -> None:
    """Group the clashes by the current setting, and list all pairs."""
    listed = context.window_manager.meshclash
    listed.filling, listed.active_group, listed.filling = True, -1, False
    shown_things.listed().group = None
    relist(context, context.scene, listed.selected)


@reactions.on("group chosen")
def list_group(context: bpy.types.Context) -> None:
    """List only the pairs of the chosen group; all pairs if no group is chosen."""
    listed, state = context.window_manager.meshclash, shown_things.listed()
    chosen = listed.active_group
    state.group = state.groups[chosen] if 0 <= chosen < len(state.groups) else None
    relist(context, context.scene)


@reactions.on("list asked")
def list_again(context: bpy.types.Context) -> None:
    """Update the list after its filters or order changed; the selected pair stays selected."""
    listed = context.window_manager.meshclash
    if listed.scene_uid == context.scene.session_uid:
        scene_results.sort_again(listed.scene_uid)
        relist(context, context.scene, listed.selected)


def sort_refined(context: bpy.types.Context, scene_uid: int) -> None:
    """Sort the list once by its depths, when all depths are refined; the selected pair stays selected.

    Afterwards, rows keep their order until the user chooses another sort order.
    """
    listed, scene = context.window_manager.meshclash, scene_with(scene_uid)
    scene_results.sort_again(scene_uid)
    if scene is not None and listed.scene_uid == scene_uid:
        relist(context, scene, listed.selected)
        at = place_of(context, listed.selected) if context.scene == scene and listed.selected else None
        if at is not None and listed.page != 1 + at // PAGE_ROWS:
            listed.page = 1 + at // PAGE_ROWS


def list_said(context: bpy.types.Context) -> None:
    """Update the list after the user changed decisions; rows that stay listed keep their order."""
    listed = context.window_manager.meshclash
    if listed.scene_uid == context.scene.session_uid:
        relist(context, context.scene, listed.selected)


def show_refined(context: bpy.types.Context, scene_uid: int) -> None:
    """Update the depths with closer bounds; rows keep their order."""
    listed = context.window_manager.meshclash
    if listed.scene_uid == scene_uid:
        _fill(listed, scene_uid, scene_results.result_of(scene_uid))
        tag_redraw(context, ("UI",))


@reactions.on("page turned")
def turn_page(context: bpy.types.Context) -> None:
    """Show the page that is set."""
    listed = context.window_manager.meshclash
    _fill(listed, listed.scene_uid, scene_results.result_of(listed.scene_uid))
    tag_redraw(context, ("UI",))


def follow_exclusions(context: bpy.types.Context, scene: bpy.types.Scene) -> bool:
    """Remove exactly the currently excluded pairs from the result; return whether the result changes."""
    listed = context.window_manager.meshclash
    if not scene_results.exclude(scene.session_uid, scene.meshclash.excluded_names):
        return False
    if listed.scene_uid == scene.session_uid:
        relist(context, scene, listed.selected)
    return True


def place_of(context: bpy.types.Context, pair_id: str) -> int | None:
    """Return the index of a pair in the list, over all pages; None if the pair is not listed."""
    listed, result = context.window_manager.meshclash, scene_results.result_of(context.scene.session_uid)
    if result is None or listed.scene_uid != context.scene.session_uid or pair_id not in result.table.positions:
        return None
    (places,) = np.nonzero(listed_order(listed.scene_uid) == result.table.positions[pair_id])
    return int(places[0]) if len(places) else None


def neighbour(context: bpy.types.Context, step: int = 1) -> str | None:
    """Return the id of the pair listed after the selected pair (before it if `step` is -1).

    Without such a pair, return the pair on the other side, or None if no other pair is listed. If the selected pair is
    not listed, return the first one.
    """
    order, result = listed_order(context.scene.session_uid), scene_results.result_of(context.scene.session_uid)
    listed = context.window_manager.meshclash
    if result is None or not len(order) or listed.scene_uid != context.scene.session_uid:
        return None
    place = place_of(context, listed.selected)
    if place is None:
        return result.report.rows[order[0]].id
    near = next((at for at in (place + step, place - step) if 0 <= at < len(order)), None)
    return None if near is None else result.report.rows[order[near]].id


def select_pair(context: bpy.types.Context, pair_id: str | None) -> None:
    """Select a pair of the list, as a click on its row does; None or an unlisted pair clears the selection."""
    listed = context.window_manager.meshclash
    place = None if pair_id is None else place_of(context, pair_id)
    if place is None:
        listed.active_row = -1
        return
    listed.page = 1 + place // PAGE_ROWS
    listed.active_row = place % PAGE_ROWS


def as_listed(scene: bpy.types.Scene) -> DetectReport:
    """Return the report of a scene with the reviews of its pairs, and the stale pairs."""
    result = scene_results.existing_result(scene.session_uid)
    outdated = frozenset(row.id for row in result.report.rows if result.is_stale(row))
    return replace(result.report, reviews=scene.meshclash.reviews_in_words(), outdated=outdated)


def chosen_rows(context: bpy.types.Context) -> list[PairRow]:
    """Return the marked rows, or else all listed rows; each pair once."""
    result, state = scene_results.result_of(context.scene.session_uid), shown_things.listed()
    if result is None or context.window_manager.meshclash.scene_uid != context.scene.session_uid:
        return []
    if state.marked:
        return [row for pair, row in result.rows.items() if pair in state.marked]
    order = listed_order(context.scene.session_uid)
    return list({row.id: row for row in (result.report.rows[at] for at in order.tolist())}.values())


def active_pair(context: bpy.types.Context) -> PairRow | None:
    """Return the row of the selected pair, if the list belongs to the context's scene; otherwise None."""
    listed, result = context.window_manager.meshclash, scene_results.result_of(context.scene.session_uid)
    if result is None or listed.scene_uid != context.scene.session_uid:
        return None
    return result.row(listed.selected)


def selected_pair(context: bpy.types.Context) -> PairRow:
    """Return the row of the selected pair, for code that runs only if a pair is selected.

    Raises:
        LookupError: no pair is selected.
    """
    row = active_pair(context)
    if row is None:
        raise LookupError("no pair is selected")
    return row
