"""The groups of the listed result: each is one decision; choosing one lists its pairs alone."""

from __future__ import annotations

import bpy

from . import scene_results, shown_things


def fill(listed: bpy.types.PropertyGroup, scene_uid: int) -> None:
    """Makes Blender's list of groups that of the scene's result, grouped as is set; none is chosen.

    A result that is grouped already is left alone: grouping looks at all of its clashes.
    """
    result, state = scene_results.result_of(scene_uid), shown_things.listed()
    wanted = None if result is None or result.live else (result.serial, listed.group_by)
    if state.grouped == wanted:
        return
    state.grouped, state.group = wanted, None
    listed.filling = True
    listed.groups.clear()
    listed.active_group = -1
    found = [] if result is None or wanted is None else result.report.groups(listed.group_by)
    for group in found:
        item = listed.groups.add()
        item.name, item.count = group["reason"], len(group["pairs"])
    state.groups = [frozenset(group["pairs"]) for group in found]
    state.reasons = {pair: group["reason"] for group in found for pair in group["pairs"]}
    listed.filling = False
