"""Operators for hierarchies: draw the bounding volumes of an object, and measure which are fastest for two objects."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import bpy
from bpy.props import StringProperty
from bpy.types import Operator
from meshclash.clash.errors import InputError
from meshclash.clash.kernel_parts import BASIC_PARTS
from meshclash.messages import Sentence

from .. import preferences, shown_things
from ..adapters.source import BlenderSource
from ..core.advisor import QUICK_SPLITS, QUICK_VOLUMES, MeasuredAdvice, advise_steps, parts_to_measure
from ..core.levels import LABELS, SPLITS, VOLUMES, ShownHierarchy, hierarchy_steps, parts_to_build
from ..redraw import tag_redraw
from ..view import find_object
from .detect import begin, handle, run_at_once
from .loading import load_steps
from .polls import is_idle, possible
from .task import Task
from .task_operator import TaskOperator

SELECTED = 2  # number of objects that the advisor needs


class MESHCLASH_OT_show_hierarchy(Operator):
    """Draw the bounding volumes of the active object, level by level"""

    bl_idname = "meshclash.show_hierarchy"
    bl_label = "Show Hierarchy"
    bl_options = {"REGISTER"}

    name: StringProperty(
        name="Object", description="Object to analyse; empty uses the active object", options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        known = shown_things.shown_hierarchy() or context.active_object
        return possible(cls, known, "Make an object active first") and is_idle(cls)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        return self.execute(context) if bpy.app.background else begin(self, context, self._task)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return handle(self, context, event, lambda shown: take_hierarchy(context, shown))

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator itself: a file is loaded or the window is closed."""
        self.run.end(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        return run_at_once(self, context, self._task, lambda shown: take_hierarchy(context, shown))

    def _task(self, context: bpy.types.Context) -> Task:
        active = context.active_object
        name = self.name or ("" if active is None else active.name_full)
        if not name:
            raise InputError("make an object active first")
        settings = context.scene.meshclash
        source = BlenderSource.from_context(context)
        return Task(_hierarchy(source, name, settings.hierarchy_volume, settings.hierarchy_split))


def _hierarchy(source: BlenderSource, name: str, volume: str, split: str) -> Generator[Any, None, ShownHierarchy]:
    parts = (*BASIC_PARTS, *parts_to_build([volume], [split]))
    module = yield from load_steps(preferences.cache_folder(), parts)
    return (yield from hierarchy_steps(source, module, name, volume, split))


def take_hierarchy(context: bpy.types.Context, shown: ShownHierarchy) -> str:
    """Draw a hierarchy; return a message about the hierarchy.

    Raises:
        InputError: its object is gone.
    """
    item = find_object(context, shown.name)
    if item is None:
        raise InputError(Sentence("object '{name}' no longer exists", name=shown.name))
    shown.show(context.scene.meshclash.hierarchy_level)
    shown_things.show_hierarchy(item.session_uid, shown)
    tag_redraw(context)
    return Sentence(
        "{name}: level {level} of {depth} has {count} volumes",
        name=shown.name,
        count=shown.count,
        level=shown.level,
        depth=shown.depth,
    )


class MESHCLASH_OT_hide_hierarchy(Operator):
    """Stop drawing the bounding volumes and free their memory"""

    bl_idname = "meshclash.hide_hierarchy"
    bl_label = "Hide Hierarchy"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return possible(cls, shown_things.shown_hierarchy(), "There is nothing to hide")

    def execute(self, context: bpy.types.Context) -> set[str]:
        shown_things.drop_hierarchy()
        tag_redraw(context)
        return {"FINISHED"}


class OfTwoObjects(TaskOperator):
    """A task about the two selected objects, in any mode; a script waits for its end."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        two = len(context.selected_objects) == SELECTED
        return possible(cls, two, "Select the two objects to measure") and is_idle(cls)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        return self.execute(context) if bpy.app.background else begin(self, context, self.make_task)

    def execute(self, context: bpy.types.Context) -> set[str]:
        return run_at_once(self, context, self.make_task, lambda result: self.finish(context, result))


class MESHCLASH_OT_advise(OfTwoObjects):
    """Measure which bounding volume and builder are fastest for the two selected objects"""

    bl_idname = "meshclash.advise"
    bl_label = "Measure Selected Objects"
    bl_options = {"REGISTER"}

    def make_task(self, context: bpy.types.Context) -> Task:
        """Implement `TaskOperator.make_task`."""
        return _advice_task(context)

    def finish(self, _context: bpy.types.Context, result: MeasuredAdvice) -> str:
        """Implement `TaskOperator.finish`."""
        return take_advice(result)


def _advice_task(context: bpy.types.Context) -> Task:
    volumes: Sequence[str] = QUICK_VOLUMES
    splits: Sequence[str] = QUICK_SPLITS
    if context.scene.meshclash.advise_all:
        volumes, splits = (tuple(item[0] for item in items) for items in (VOLUMES, SPLITS))
    return Task(_advice(BlenderSource.from_context(context), volumes, splits))


def _advice(
    source: BlenderSource, volumes: Sequence[str], splits: Sequence[str]
) -> Generator[Any, None, MeasuredAdvice]:
    parts = (*BASIC_PARTS, *parts_to_measure(volumes, splits))
    module = yield from load_steps(preferences.cache_folder(), parts)
    return (yield from advise_steps(source, module, volumes, splits))


def take_advice(advice: MeasuredAdvice) -> str:
    """Keep the advice for the panel; return its summary."""
    shown_things.set_advice(advice)
    best = advice.best
    named = f"{LABELS[best.volume]}, {LABELS[best.split]}"
    return Sentence(
        "{names}: {best}, {time} ms per query",
        names=" × ".join(advice.names),
        best=named,
        time=f"{1000 * best.query_seconds:.2f}",
    )


CLASSES = (MESHCLASH_OT_show_hierarchy, MESHCLASH_OT_hide_hierarchy, MESHCLASH_OT_advise)
