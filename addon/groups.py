"""The groups of the listed result: each needs one decision; choosing a group lists only its pairs.

Manual edits of groups (pairs removed, groups merged and named) are stored in the history of the scene under keys that
stay the same in the next detection. They are applied again to the results of that detection.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import bpy

from . import histories, scene_results, shown_things
from .texts import typical

if TYPE_CHECKING:
    from meshclash.clash.review.history import History

BY_HAND = "put together by hand"


def fill(listed: bpy.types.PropertyGroup, scene: bpy.types.Scene) -> None:
    """Fill Blender's list of groups from the scene's result, with the current grouping; the chosen group stays chosen.

    A result that is already grouped is not grouped again, because grouping goes through all of its clashes.
    """
    result, state = scene_results.result_of(scene.session_uid), shown_things.listed()
    history = histories.history_of(scene)
    wanted = None if result is None or result.live else (result.serial, listed.group_by, history.edits)
    if state.grouped == wanted:
        return
    chosen = None if state.group is None else listed.groups[listed.active_group].key
    state.grouped = wanted
    found = [] if result is None or wanted is None else _edited(result.groups(wanted[1]), history, wanted[1])
    listed.filling = True
    listed.groups.clear()
    for group in found:
        item = listed.groups.add()
        item.name, item.count, item.key = group["reason"], len(group["pairs"]), group["key"]
        item.side_a, item.side_b = _sides(group)
        rows = [] if result is None else [result.rows[pair] for pair in group["pairs"] if pair in result.rows]
        depths = [row.proved_depth for row in rows if row.proved_depth is not None]
        item.least, item.depth = (min(depths), max(depths)) if depths else (-1.0, -1.0)
    state.group_depth = typical(item.depth for item in listed.groups)
    keys = [group["key"] for group in found]
    listed.active_group = keys.index(chosen) if chosen in keys else -1
    state.groups = [frozenset(group["pairs"]) for group in found]
    state.group_sides = [_sides(group) for group in found]
    state.group_reasons = [group["reason"] for group in found]
    state.group = state.groups[listed.active_group] if listed.active_group >= 0 else None
    state.reasons = {pair: group["reason"] for group in found for pair in group["pairs"]}
    state.group_numbers = {pair: k for k, group in enumerate(found) for pair in group["pairs"]}
    listed.filling = False


def _sides(group: dict[str, Any]) -> tuple[str, str]:
    """Return the two kinds of objects of a group, or the reason of the group if it does not have two kinds."""
    first, second = group.get("sides") or (group["reason"], "")
    return first, second


def _edited(found: list[dict[str, Any]], history: History, way: str) -> list[dict[str, Any]]:
    """Return the groups after manual edits, largest first."""
    if not (history.groups or history.merged or history.names):
        return found
    pairs: dict[str, list[str]] = defaultdict(list)
    for group in found:
        for pair in group["pairs"]:
            pairs[history.group_of(group["key"], pair, way)].append(pair)
    before = {group["key"]: group for group in found}
    made = []
    for key, some in pairs.items():
        known, name = before.get(key, {"reason": BY_HAND}), history.names.get(key)
        own = {"reason": name, "sides": []} if name else {}
        made.append({"sides": [], **known, **own, "key": key, "pairs": some})
    return sorted(made, key=lambda group: -len(group["pairs"]))
