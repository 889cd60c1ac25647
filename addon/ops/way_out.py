"""Operators that find and apply moves of clashing objects out of each other."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import bpy
from bpy.types import Operator
from mathutils import Vector
from meshclash.clash.kernel_parts import BASIC_PARTS, WAY_PARTS
from meshclash.clash.pair_row import PairRow
from meshclash.clash.verdicts import SOLID_VERDICTS
from meshclash.clash.words import counted
from meshclash.messages import Sentence
from meshclash.types.steps import scale_progress

from .. import preferences, results, scene_results
from ..adapters.source import BlenderSource
from ..core.way_out import Way, way_steps
from ..redraw import tag_redraw
from ..texts import said, way_out
from ..translations import ChoiceProperty, translated
from ..view import find_object
from .loading import load_steps
from .polls import in_object_mode, is_idle, possible
from .task import Task
from .task_operator import TaskOperator

SCOPES = (
    ("LISTED", "Listed Pairs", "Use all listed pairs, or all selected ones"),
    ("PAIR", "Selected Pair", "Use the pair selected in the list"),
)


class MESHCLASH_OT_find_ways_out(TaskOperator):
    """Find a short translation that moves B out of A. ESC stops and keeps the results found so far"""

    bl_idname = "meshclash.find_ways_out"
    bl_label = "Find Ways Out"
    bl_options = {"REGISTER"}

    scope: ChoiceProperty(name="Pairs", description="Pairs to find ways out for", items=SCOPES, options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return possible(cls, results.chosen_rows(context), "No pairs are listed") and super().poll(context)

    def make_task(self, context: bpy.types.Context) -> Task:
        """Implement `TaskOperator.make_task`."""
        active = results.active_pair(context)
        rows = results.chosen_rows(context) if self.scope == "LISTED" else [] if active is None else [active]
        overlapping = [row for row in rows if row.verdict in SOLID_VERDICTS and not row.scans]
        known = scene_results.existing_result(context.scene.session_uid).ways
        return Task(_steps(BlenderSource.from_context(context), overlapping, known))

    def finish(self, context: bpy.types.Context, result: tuple[int, int]) -> str:
        """Implement `TaskOperator.finish`."""
        tag_redraw(context)
        found, left = result
        text = Sentence("Found a way out for {pairs}", pairs=counted(found, "pair"))
        if left:
            text += "; " + Sentence(
                "no way out for {pairs}: an object is open, or the solids do not overlap", pairs=counted(left, "pair")
            )
        return text


def _steps(source: BlenderSource, rows: list[PairRow], known: dict[str, Way]) -> Generator[Any, None, tuple[int, int]]:
    """Find translations that separate the pairs of rows and store them in ``known``; return the number of rows with and
    without one.
    """
    module = yield from load_steps(preferences.cache_folder(), (*BASIC_PARTS, *WAY_PARTS))
    found = 0
    for at, row in enumerate(rows):
        way = yield from scale_progress(way_steps(source, module, row), at / len(rows), (at + 1) / len(rows))
        known.pop(row.id, None)
        if way is not None:
            known[row.id] = way
            found += 1
    return found, len(rows) - found


class MESHCLASH_OT_apply_way_out(Operator):
    """Move the second object of the selected pair out of the first one, along the way out that was found"""

    bl_idname = "meshclash.apply_way_out"
    bl_label = "Apply Way Out"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        row, result = results.active_pair(context), scene_results.result_of(context.scene.session_uid)
        return (
            is_idle(cls)
            and in_object_mode(cls, context)
            and possible(
                cls, row is not None and result is not None and row.id in result.ways, "Find the way out first"
            )
            and possible(cls, row is not None and row.b.name == row.b.owner, "An instance cannot be moved by itself")
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        row = results.selected_pair(context)
        ways = scene_results.existing_result(context.scene.session_uid).ways
        item = find_object(context, row.b.owner)
        if item is None or not item.is_editable:
            self.report(
                {"ERROR"},
                translated(Sentence("'{name}' no longer exists, or is linked from a library", name=row.b.owner)),
            )
            return {"CANCELLED"}
        way = ways.pop(row.id)
        moved = item.matrix_world.copy()
        moved.translation += Vector(way)
        item.matrix_world = moved
        text = way_out(way, context.scene.unit_settings)
        self.report({"INFO"}, said("{name} moved by {way}", name=row.b.owner, way=text))
        return {"FINISHED"}


CLASSES = (MESHCLASH_OT_find_ways_out, MESHCLASH_OT_apply_way_out)
