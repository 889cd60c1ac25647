"""Panels for showing hierarchies, and for choosing the fastest one."""

from __future__ import annotations

from typing import Any

from meshclash.clash.words import counted
from meshclash.messages import Sentence

from .. import running_work, shown_things
from ..core.levels import LABELS
from ..texts import said
from ..translations import CONTEXT, translated
from .parts import ResearchPanel, draw_table, draw_text, named_row

MOST_CANDIDATES = 12
HEADING = ("Build Time", "Query Time", "Memory", "Tests")


class MESHCLASH_PT_hierarchy(ResearchPanel):
    """Draws a level of a hierarchy over the active object."""

    bl_label = "Hierarchy"
    bl_order = 4
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.meshclash
        shown = shown_things.shown_hierarchy()
        column = layout.column()
        column.enabled = running_work.running_task() is None
        named_row(column, "Volume").prop(settings, "hierarchy_volume", text="")
        named_row(column, "Builder").prop(settings, "hierarchy_split", text="")
        row = column.row(align=True)
        row.operator(
            "meshclash.show_hierarchy", text="Show Active Object" if shown is None else "Update", text_ctxt=CONTEXT
        ).name = ""
        if shown is None:
            return
        row.operator("meshclash.hide_hierarchy", text="", icon="X")
        column.prop(settings, "hierarchy_level", slider=True)
        lines = [
            ("Object", shown.name),
            ("Level", f"{shown.level} / {shown.depth}"),
            ("Volumes", f"{shown.count:,}"),
        ]
        draw_table(layout, lines)
        if shown.level < min(settings.hierarchy_level, shown.depth):
            draw_text(layout, "The deeper levels have too many volumes to be drawn", context.region, "INFO")
        if shown.stale:
            draw_text(layout, "The mesh has changed since: press Update", context.region, "INFO")


class MESHCLASH_PT_advisor(ResearchPanel):
    """Panel that measures which volume and builder are fastest for two objects."""

    bl_label = "Advisor"
    bl_parent_id = "MESHCLASH_PT_hierarchy"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout = self.layout
        column = layout.column()
        column.enabled = running_work.running_task() is None
        column.prop(context.scene.meshclash, "advise_all")
        column.operator("meshclash.advise", icon="TIME")
        advice = shown_things.advice()
        if advice is None:
            return
        names = " × ".join(advice.names)
        draw_text(layout, f"{names}, {translated(counted(advice.triangles, 'triangle'))}", context.region, "NONE")
        draw_text(
            layout,
            Sentence("Best for repeated queries: {named}", named=_named(advice.best)),
            context.region,
            "CHECKMARK",
        )
        draw_text(
            layout,
            Sentence("Best for a single query: {named}", named=_named(advice.best_once)),
            context.region,
            "CHECKMARK",
        )
        box = layout.box().column(align=True)
        _draw_numbers(box, said("Fastest first"), tuple(map(said, HEADING)), active=False)
        for candidate in advice.candidates[:MOST_CANDIDATES]:
            _draw_numbers(box, _named(candidate), _numbers(candidate))


def _named(candidate: Any) -> str:
    return f"{said(LABELS[candidate.volume])}, {said(LABELS[candidate.split])}"


def _numbers(candidate: Any) -> tuple[str, ...]:
    """Return the measurements of a candidate, in the order of `HEADING`."""
    return (
        f"{1000 * candidate.build_seconds:,.1f} ms",
        f"{1000 * candidate.query_seconds:,.2f} ms",
        f"{candidate.bytes_per_triangle:.0f} B/tri",
        f"{candidate.volume_tests + candidate.primitive_tests:,.0f}",
    )


def _draw_numbers(layout: Any, name: str, numbers: tuple[str, ...], active: bool = True) -> None:
    """Draw a name, and numbers in columns below it."""
    layout.label(text=name, translate=False)
    row = layout.grid_flow(row_major=True, columns=len(numbers), even_columns=True, align=True)
    row.active = active
    for number in numbers:
        cell = row.row()
        cell.alignment = "RIGHT"
        cell.label(text=number, translate=False)


CLASSES = (MESHCLASH_PT_hierarchy, MESHCLASH_PT_advisor)
