"""Panels of the MeshClash tab; they only show values that have been computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bpy.types import Panel
from meshclash.clash.cell_text import NO_SOLID, format_interval
from meshclash.clash.errors import InputError
from meshclash.clash.fasteners import REASONS
from meshclash.clash.frame_scene import Skipped
from meshclash.clash.options import DetectOptions, changed_settings
from meshclash.clash.queries.registry import test_named
from meshclash.clash.report_formats import coarse, permitted
from meshclash.clash.surface_regions import region_text
from meshclash.clash.units import clearly_above
from meshclash.clash.verdicts import PROVISIONAL_VERDICTS, SOLID_VERDICTS, UNDECIDED, VERDICTS
from meshclash.messages import Sentence, capital

from .. import engine, histories, kept_tests, preferences, results, running_work, scene_results, shown_things
from ..adapters.massive_objects import PROPERTY as MASSIVE_FILE
from ..adapters.scene_size import shown_unit
from ..adapters.shell_objects import PROPERTY as SHELL
from ..adapters.source import metres_per_unit
from ..core import device_gain
from ..overlay import draw as overlay
from ..props import WINDOW_OPTIONS
from ..reviews import approved_counts, review_of, reviews_of
from ..texts import (
    depth,
    length,
    place,
    probability,
    progress_text,
    said,
    verdict_in_words,
    volume,
    way_out,
    wrapped,
)
from ..translations import CONTEXT, translated
from .lists import draw_list
from .parts import ResearchPanel, TabPanel, draw_facts, draw_line, draw_statuses, draw_table, draw_text, named_row
from .presets import MESHCLASH_PT_presets

FIRST = ("tolerance", "budget")
LATER = tuple(
    option for option in WINDOW_OPTIONS if not option.of_scans and option.name not in (*FIRST, "permitted_overlap")
)
"""Options of tests in the panel itself, and in its options; only those of the current test are shown."""
NOT_KNOWN_YET = "Default: the precision of the coordinates"
LEAST_ROWS, MOST_ROWS = 3, 12  # rows of the list, depending on the sidebar's height
ABOVE_AND_BELOW, ROW = 604.0, 34.0  # heights of all but the list with a pair selected, and of a row [px at scale 1]
MOST_NAMED = 3  # number of skipped objects that are named
PAGE_SHARE = 0.3  # share of the width for the page number between two arrows
SINCE = (("NEW", "{count} new"), ("REOPENED", "{count} reopened"), ("STILL", "{count} still found"))
EXCLUDED_ROWS = 3
MOST_GONE = 12  # pairs that are gone, in the popover
FACT_LINES = 9  # fixed number of lines about the selected pair, so that nothing below moves
LINES_OF_PAIR = (2, 1, 2)  # lines for the status of the selected pair, for its comment, and for its actions
STATE_LINES, MESSAGE_LINES = 2, 2
BUTTONS_BESIDE = 1  # columns of buttons at the right of the messages
WHY_AGAIN = ("FILE_BLEND", "INFO")
"""Icons of messages that Detect resolves."""
CAPTION_SHARE = 0.25  # share of the width for captions of the selected pair's facts
LONG_CAPTION_SHARE = 0.32  # the same if a caption is as long as "Probability"


class MESHCLASH_PT_detect(TabPanel):
    """Panel with the test, its settings and the Detect button."""

    bl_label = "Detect"
    bl_order = 0

    def draw_header_preset(self, _context: Any) -> None:
        MESHCLASH_PT_presets.draw_panel_header(self.layout)

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.meshclash
        _draw_engine_problem(layout, context.region)
        refused = scene_results.refused_list(context.scene.session_uid)
        if refused:
            draw_text(layout, refused, context.region, "ERROR")
        task = running_work.running_task()
        inputs = layout.column()
        inputs.enabled = task is None
        test = test_named(settings.test)
        _draw_set(inputs, settings, "a", "Set A" if test.of_pairs else "Objects")
        if test.of_pairs:
            _draw_set(inputs, settings, "b", "Set B")
        named_row(inputs, "Test").prop(settings, "test", text="")
        for name in FIRST:
            if name in test.takes:
                inputs.prop(settings, name)
        if "permitted_overlap" in test.takes:
            _draw_permitted(inputs, context, settings)
        row = layout.row(align=True)
        row.scale_y = 1.5
        draw_detection(row)
        draw_line(layout, context, *_state(context, task, running_work.running_live()), STATE_LINES)


def draw_detection(row: Any) -> None:
    """Draw the start buttons, or the progress of the running task and its stop button."""
    task, live = running_work.running_task(), running_work.running_live()
    if task is not None:
        row.progress(factor=task.fraction, text=progress_text(task.fraction, task.seconds_left))
        row.operator("meshclash.stop", text="", icon="CANCEL")
        return
    row.operator("meshclash.detect", icon="VIEWZOOM")
    icon = "PAUSE" if live else "PLAY"
    row.operator(
        "meshclash.live", text="Stop Live" if live else "Live", text_ctxt=CONTEXT, icon=icon, depress=live is not None
    )


def _draw_permitted(layout: Any, context: Any, settings: Any) -> None:
    """Draw the permitted overlap in one row, with buttons to raise it and to reset it to the coordinate precision."""
    result = scene_results.result_of(context.scene.session_uid)
    row = layout.row(align=True)
    if settings.permitted_by == "LENGTH" or settings.permitted_overlap > 0.0:
        row.prop(settings, "permitted_overlap")
    else:  # the precision of the coordinates is not known yet
        row.prop_enum(settings, "permitted_by", "LENGTH", text="Ignore Overlaps Below", text_ctxt=CONTEXT)
    wanted = None if result is None else shallow_below(context.scene, result)
    if wanted is not None:
        row.operator("meshclash.hide_overlaps", text="", icon="HIDE_ON").length = wanted
    if settings.permitted_by == "LENGTH":
        row.prop_enum(settings, "permitted_by", "AUTO", text="", icon="LOOP_BACK")


def shallow_below(scene: Any, result: scene_results.SceneResult) -> float | None:
    """Return a round length [Blender units] above the permitted overlap below which some clashes are."""
    report = result.report
    known = max(report.options.permitted_length, 2.0 * (report.stats.get("resolution") or 0.0))
    wanted = clearly_above(known, shown_unit(scene.unit_settings)) / report.scale_length
    return wanted if result.table.has_clash_below(wanted) else None


def _state(context: Any, task: Any, run: Any) -> tuple[str, str]:
    """Return the state for the status line below the buttons, which is always shown."""
    result = scene_results.result_of(context.scene.session_uid)
    if task is not None:
        return task.text, "TIME"
    if run is None:
        if result is None:
            return "", "BLANK1"
        counts = (len(result.report.rows), "pair"), (result.report.stats.get("objects", 0), "object")
        return ", ".join(said("{objects}", objects=count) for count in counts), "BLANK1"
    live = run.live
    if live.problem:
        return live.problem, "ERROR"
    if live.starting:
        return live.starting, "TIME"
    if live.incomplete:
        return live.shortfall, "SORTTIME"
    return "Live: the results are complete", "CHECKMARK"


def _draw_set(layout: Any, settings: Any, which: str, title: str) -> None:
    column = named_row(layout, title).column(align=True)
    column.prop(settings, f"set_{which}", text="")
    kind = getattr(settings, f"set_{which}")
    if kind in ("COLLECTION", "OBJECT"):
        column.prop(settings, f"set_{which}_{kind.lower()}", text="")
    elif kind == "RULE":
        column.prop(settings, f"set_{which}_rule", text="", placeholder="class:IfcPipe* & not material:Zinc")


def _draw_engine_problem(layout: Any, region: Any) -> None:
    state = running_work.engine_state()
    if state is None or not state.reason:
        return
    box = layout.box().column(align=True)
    lines = wrapped(translated(state.reason), region)
    box.alert = True
    box.label(text=lines[0], translate=False, icon="ERROR")
    for line in lines[1:]:
        box.label(text=line, translate=False, icon="BLANK1")
    advice = box.column(align=True)
    advice.alert = False
    for line in (*wrapped(translated(state.remedy), region), *state.diagnostics):
        advice.label(text=line, translate=False, icon="BLANK1")
    box.operator("meshclash.copy_diagnostics", icon="COPYDOWN")


class MESHCLASH_PT_options(TabPanel):
    """Panel of options that most detections do not change."""

    bl_label = "Options"
    bl_parent_id = "MESHCLASH_PT_detect"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.meshclash
        layout.enabled = running_work.running_task() is None
        test = test_named(settings.test)
        if "permitted_overlap" in test.takes:
            column = layout.column(align=True)
            column.label(text="Ignore Overlaps", text_ctxt=CONTEXT)
            column.prop(settings, "permitted_by", text="")
            result = scene_results.result_of(context.scene.session_uid)
            if settings.permitted_by != "LENGTH":
                text = ("" if result is None else permitted(result.report.as_summary())) or NOT_KNOWN_YET
                draw_text(layout, capital(text), context.region, "BLANK1")
        column = layout.column(align=True)
        for option in LATER:
            if option.is_for(test.name):
                column.prop(settings, option.name)
        column.prop(settings, "live_budget")


class MESHCLASH_PT_exclusions(TabPanel):
    """Panel of pairs that are excluded from all tests."""

    bl_label = "Exclude"
    bl_parent_id = "MESHCLASH_PT_options"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.meshclash
        layout.enabled = running_work.running_task() is None
        column = layout.column(heading="Exclude Pairs With")
        column.use_property_split, column.use_property_decorate = True, False
        for name in ("skip_same_parent", "skip_same_armature", "skip_same_collection"):
            column.prop(settings, name)
        row = layout.row()  # also without pairs, so that nothing moves when one is excluded
        of_pairs = settings, "excluded_pairs", settings, "active_excluded"
        row.template_list("MESHCLASH_UL_excluded", "", *of_pairs, rows=EXCLUDED_ROWS, maxrows=EXCLUDED_ROWS)
        row.operator("meshclash.include_pair", text="", icon="REMOVE")


class MESHCLASH_PT_fits(TabPanel):
    """Panel of permitted overlaps for pairs of objects, by their names."""

    bl_label = "Fits"
    bl_parent_id = "MESHCLASH_PT_options"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return "fits" in test_named(context.scene.meshclash.test).takes

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.meshclash
        layout.enabled = running_work.running_task() is None
        row = layout.row()
        row.template_list("MESHCLASH_UL_fits", "", settings, "fits", settings, "active_fit", rows=3)
        column = row.column(align=True)
        column.operator("meshclash.add_fit", text="", icon="ADD")
        column.operator("meshclash.remove_fit", text="", icon="REMOVE")


class MESHCLASH_PT_object(TabPanel):
    """Panel of the settings of the active object."""

    bl_label = "Active Object"
    bl_parent_id = "MESHCLASH_PT_options"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.active_object is not None

    def draw(self, context: Any) -> None:
        self.layout.enabled = running_work.running_task() is None
        for name in (SHELL, MASSIVE_FILE):
            self.layout.prop(context.active_object, name)


class MESHCLASH_PT_results(TabPanel):
    """Panel of the list of pairs."""

    bl_label = "Results"
    bl_order = 1

    @classmethod
    def poll(cls, context: Any) -> bool:
        return scene_results.result_of(context.scene.session_uid) is not None

    def draw_header_preset(self, context: Any) -> None:
        row = self.layout.row(align=True)
        row.operator("meshclash.open_results", text="", icon="WINDOW", emboss=False)
        row.operator("meshclash.export_report", text="", icon="EXPORT", emboss=False)
        row.operator("meshclash.clear_results", text="", icon="TRASH", emboss=False)

    def draw(self, context: Any) -> None:
        layout, listed = self.layout, context.window_manager.meshclash
        result = scene_results.existing_result(context.scene.session_uid)
        draw_messages(layout, context, result)
        if result.found.rows and not result.report.rows:
            draw_text(layout, "All pairs that were found are excluded", context.region, "CHECKMARK")
        elif not result.report.rows:
            _draw_nothing(layout, context, result.report)
        elif listed.scene_uid != context.scene.session_uid:
            layout.operator("meshclash.show_results", icon="FILE_REFRESH")
        else:
            _draw_list(layout, context, result)
            pair = results.active_pair(context)
            draw_steps(layout.column(align=True), context, pair)
            if pair is not None:
                draw_pair_facts(layout, context, pair, result.report.asked(pair))
            else:
                draw_facts(layout, [("", said("Select a pair in the list"))], context.region, 0.1, lines=FACT_LINES)
        _draw_left_out(layout, context, result.report)
        draw_skipped(layout, result.report.skipped, result.report.stats.get("no_geometry", {}), context.region)
        warning = coarse(result.report.as_summary())
        if warning:
            draw_text(layout, capital(warning), context.region, "ERROR")


def _draw_nothing(layout: Any, context: Any, report: Any) -> None:
    """Draw what was tested and gave no result, and advice."""
    test, count = test_named(report.options.test), report.stats.get("objects", 0)
    icon = "ERROR" if report.lost else "CHECKMARK"
    if len(report.tests) > 1:
        text = said("{tests} of {objects} found no pairs", tests=(len(report.tests), "test"), objects=(count, "object"))
        draw_text(layout, text, context.region, icon)
        return
    text = said("{nothing}: {objects} tested", nothing=said(test.nothing), objects=(count, "object"))
    draw_text(layout, text, context.region, icon)
    draw_text(layout, advice(report.options, count), context.region, "INFO")


def advice(options: DetectOptions, count: int) -> str:
    """Return advice after an empty result: add objects, remove exclusions, or use another test."""
    if not test_named(options.test).of_pairs:
        return "Use the test Intersection to find contacts between different objects"
    if count < 2:
        return "Hidden objects and objects outside the sets are not tested: show them or choose other sets"
    if not options.rules.is_empty:
        return "Some pairs are excluded under Options > Exclude: try again without these rules"
    if (options.set_a, options.set_b) != ("all", "all"):
        return "Only pairs of the two sets are tested: choose Everything to see all others"
    if options.tolerance is not None:
        return "Increase the tolerance, or use the test Distance to list the nearest pairs"
    return "Use the test Clearance to find objects that are too close, or Distance to list the nearest pairs"


def messages(context: Any, result: scene_results.SceneResult) -> list[tuple[str, str]]:
    """Return why the list may be outdated, and which pairs the list leaves out, the most important message first."""
    lines, listed = [], context.window_manager.meshclash
    owners = shown_things.listed().owners
    if result.loaded:
        lines.append(("Saved with the file: press Detect to see faces", "FILE_BLEND"))
        if result.found.missing:
            lines.append((said("Not saved: {pairs}", pairs=(result.found.missing, "pair")), "INFO"))
    changed = [] if result.live else _changed_settings(context.scene, result.report)
    if changed:
        text = "Settings changed: {names}. Detect again to apply them"
        lines.append((said(text, names=", ".join(translated(name) for name in changed)), "INFO"))
    if result.stale:
        lines.append(
            (
                said("{objects} changed since the detection, shown in grey", objects=(len(result.stale), "object")),
                "INFO",
            )
        )
    if owners is not None and listed.scene_uid == context.scene.session_uid:
        names = next(iter(owners)) if len(owners) == 1 else (len(owners), "object")
        lines.append((said("Only pairs of {names}", names=names), "RESTRICT_SELECT_OFF"))
    accepted = approved_counts(result, reviews_of(context.scene)).total()
    if accepted:
        text = said("{pairs} approved: listed, but neither counted nor drawn", pairs=(accepted, "pair"))
        lines.append((text, "CHECKMARK"))
    return lines


def draw_messages(layout: Any, context: Any, result: scene_results.SceneResult) -> None:
    """Draw the first message in a line that is always shown; a button opens all messages and *Detect Again*."""
    lines = messages(context, result)
    text, icon = lines[0] if lines else ("", "BLANK1")
    row = draw_line(layout, context, text, icon, MESSAGE_LINES, BUTTONS_BESIDE)
    beside = row.column(align=True)
    if any(sign in WHY_AGAIN for _, sign in lines):
        again = "meshclash.run_tests" if result.report.tests else "meshclash.detect"
        beside.operator(again, text="", icon="FILE_REFRESH")
    else:
        beside.label(text="", icon="BLANK1")
    if len(lines) > 1:
        beside.popover("MESHCLASH_PT_messages", text="", icon="DOWNARROW_HLT")
    else:
        beside.label(text="", icon="BLANK1")


class MESHCLASH_PT_messages(Panel):
    """All messages about the list, in full."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_label = "Messages About the List"
    bl_options = {"INSTANCED"}
    bl_ui_units_x = 16

    def draw(self, context: Any) -> None:
        result = scene_results.result_of(context.scene.session_uid)
        lines = [] if result is None else messages(context, result)
        for text, icon in lines:
            draw_text(self.layout, text, None, icon)


def _changed_settings(scene: Any, report: Any) -> list[str]:
    """Return the settings that differ from those of the result; invalid settings count as a difference."""
    try:
        if report.tests:
            return [] if kept_tests.are_asked(scene, report.tests) else ["Tests"]
        return changed_settings(report.options, scene.meshclash.detect_options(metres_per_unit(scene)))
    except InputError as error:
        return [str(error)]


def _draw_list(layout: Any, context: Any, result: scene_results.SceneResult) -> None:
    listed = context.window_manager.meshclash
    draw_verdicts(layout.grid_flow(row_major=True, columns=2, even_columns=True, align=True), context, result)
    draw_filters(layout, context, result)
    column = layout.column(align=True)
    draw_list(column, "MESHCLASH_UL_pairs", listed, "rows", "active_row", _rows_that_fit(context, result))
    draw_pages(column, context, listed)


def draw_verdicts(buttons: Any, context: Any, result: scene_results.SceneResult) -> None:
    """Draw the number of pairs of each verdict; a click shows or hides them in the list."""
    listed = context.window_manager.meshclash
    accepted = approved_counts(result, reviews_of(context.scene))
    for verdict in (*result.report.verdicts, *(name for name in PROVISIONAL_VERDICTS if result.counts[name])):
        if verdict == UNDECIDED and not result.counts[verdict]:
            continue  # only scans can be undecided
        entry = VERDICTS[verdict]
        count = result.counts[verdict] - accepted[verdict]
        button = buttons.row(align=True)
        button.active = result.counts[verdict] > 0
        button.prop(
            listed,
            f"show_{verdict}",
            text=f"{said(entry.label)} {count:,}",
            translate=False,
            icon=entry.icon,
            toggle=True,
        )


def _rows_that_fit(context: Any, result: scene_results.SceneResult) -> int:
    """Return how many rows of the list leave room for the selected pair's facts below."""
    height = (context.region.height if context.region else 0) / (context.preferences.system.ui_scale or 1.0)
    fitting = max((height - ABOVE_AND_BELOW) // ROW, LEAST_ROWS)
    return int(min(fitting, MOST_ROWS, max(len(result.found.rows), LEAST_ROWS)))


def draw_filters(layout: Any, context: Any, result: scene_results.SceneResult) -> None:
    """Draw the other filters of the list: search text, sort order, and the popover."""
    listed = context.window_manager.meshclash
    row = layout.column(align=True).row(align=True)
    row.prop(listed, "search", text="", icon="VIEWZOOM", placeholder=said("Search"))
    row.operator("meshclash.list_selected", text="", icon="RESTRICT_SELECT_OFF")
    row.popover("MESHCLASH_PT_filter", text="", icon="FILTER")
    whole = row.row(align=True)
    whole.enabled = listed.found < len(result.report.rows)
    whole.operator("meshclash.list_all", text="", icon="PANEL_CLOSE")
    _draw_since(layout, context, result)


def _draw_since(layout: Any, context: Any, result: scene_results.SceneResult) -> None:
    """Draw what the last detection changed, with counts, and the gone pairs; a click lists only these pairs."""
    listed = context.window_manager.meshclash
    counts = {} if result.live else results.progress_counts(context.scene, result)
    grid, gone = (
        layout.grid_flow(row_major=True, columns=2, even_columns=True, align=True),
        histories.gone(context.scene),
    )
    again = bool(gone) or counts.get("ACTIVE", 0) > 0 or bool(listed.progress)
    for name, label in SINCE:
        if again and (counts.get(name, 0) or name in listed.progress):
            grid.prop_enum(listed, "progress", name, text=said(label, count=counts.get(name, 0)), translate=False)
        else:
            grid.label(text="")
    if gone:
        grid.popover("MESHCLASH_PT_gone", text=said("{count} gone", count=len(gone)), translate=False)
    else:
        grid.label(text="")


class MESHCLASH_PT_gone(Panel):
    """Popover with the pairs that are no longer found, and why."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_label = "No Longer Found"
    bl_options = {"INSTANCED"}
    bl_ui_units_x = 18

    def draw(self, context: Any) -> None:
        gone = histories.gone(context.scene)
        for _, decision in gone[:MOST_GONE]:
            names = " × ".join(dict.fromkeys(decision.names))
            why = translated(histories.why_gone(context.scene, decision))
            draw_text(self.layout, f"{names} ({decision.gone[:10]}): {why}", None, "CHECKMARK")
        if len(gone) > MOST_GONE:
            self.layout.label(text=said("and {pairs} more", pairs=(len(gone) - MOST_GONE, "pair")), translate=False)


class MESHCLASH_PT_filter(Panel):
    """Popover with the sort order and the filters of the list."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_label = "Sort and Filter"
    bl_options = {"INSTANCED"}
    bl_ui_units_x = 14  # so that no label is cut

    def draw(self, context: Any) -> None:
        layout, listed = self.layout, context.window_manager.meshclash
        result = scene_results.result_of(context.scene.session_uid)
        layout.label(text="Sort by", text_ctxt=CONTEXT)
        row = layout.row(align=True)
        row.prop(listed, "sort_key", text="")
        row.prop(listed, "sort_reverse", text="", icon="SORT_DESC" if listed.sort_reverse else "SORT_ASC")
        layout.label(text="Status", text_ctxt=CONTEXT)
        layout.column(align=True).prop(listed, "statuses", expand=True)  # as usual in Blender, Shift adds one
        layout.label(text="Change Since Last Detection", text_ctxt=CONTEXT)
        layout.column(align=True).prop(listed, "progress", expand=True)
        layout.prop(listed, "assignee")
        if listed.of_frames or (result is not None and result.table.has_frames):
            row = layout.row()
            row.alert = bool(listed.of_frames) and listed.asked_frames() is None
            row.prop(listed, "of_frames")
        if result is not None and result.report.tests:
            layout.prop_search(listed, "of_test", context.scene.meshclash, "kept_tests")
        if result is not None and result.table.has_volumes:
            layout.prop(listed, "least_volume", text="Minimum Common Volume", text_ctxt=CONTEXT)


def draw_pages(layout: Any, context: Any, listed: Any) -> None:
    """Draw the range of rows on this page, and the buttons to other pages."""
    pages, total = results.page_count(listed.found), (listed.found, "pair")
    if pages > 1:
        row = layout.row(align=True)
        row.operator("meshclash.turn_page", text="", icon="TRIA_LEFT").step = -1
        split = row.split(factor=PAGE_SHARE, align=True)
        split.prop(listed, "page", text="")
        split.label(text=said("of {pages}: {pairs}", pages=pages, pairs=total), translate=False)
        row.operator("meshclash.turn_page", text="", icon="TRIA_RIGHT").step = 1
    elif listed.found < listed.total:
        none = said("None of the {total} pairs matches the filters", total=listed.total)
        text = said("{found} of {pairs} listed", found=listed.found, pairs=(listed.total, "pair"))
        draw_line(layout, context, text if listed.found else none, "BLANK1")
    else:
        draw_line(layout, context, said("{pairs} listed", pairs=total), "BLANK1")


def draw_steps(actions: Any, context: Any, row: Any) -> None:
    """Draw the display mode of the selected pair, the buttons to other pairs, and its review."""
    steps = actions.row(align=True)
    steps.prop(context.window_manager.meshclash, "around", expand=True)
    steps.operator("meshclash.step_pair", text="", icon="TRIA_UP").step = -1
    steps.operator("meshclash.step_pair", text="", icon="TRIA_DOWN").step = 1
    if row is not None:
        _draw_review(actions, context, row)
        _draw_ways(actions, context, row)
    else:  # placeholders, so that nothing moves when a pair is selected
        for lines in LINES_OF_PAIR:
            column = actions.column(align=True)
            for _ in range(lines):
                column.label(text="")


def _draw_ways(layout: Any, context: Any, row: Any) -> None:
    """Draw the actions for the selected pair, always at the same position; unavailable actions are disabled."""
    result = scene_results.result_of(context.scene.session_uid)
    ways = layout.grid_flow(row_major=True, columns=2, even_columns=True, align=True)
    ways.operator("meshclash.select_faces", text="Select Faces", text_ctxt=CONTEXT, icon="FACESEL")
    ways.operator("meshclash.check_again", text="Check Again", text_ctxt=CONTEXT, icon="FILE_REFRESH")
    ways.operator("meshclash.exclude_pair", text="Exclude", text_ctxt=CONTEXT, icon="REMOVE")
    if result is not None and row.id in result.ways:
        ways.operator("meshclash.apply_way_out", icon="EMPTY_SINGLE_ARROW")
    elif row.verdict in SOLID_VERDICTS:
        ways.operator(
            "meshclash.find_ways_out", text="Find Way Out", text_ctxt=CONTEXT, icon="EMPTY_SINGLE_ARROW"
        ).scope = "PAIR"
    else:
        ways.label(text="")


def draw_pair_facts(layout: Any, context: Any, row: Any, options: DetectOptions, within: float = 1.0) -> None:
    """Draw the facts about the selected pair, on a share of the region's width."""
    units = context.scene.unit_settings
    lines = [
        (
            letter.upper(),
            said("{parts} of {name}", parts=(side.count, "point" if side.is_scan else "face"), name=side.name),
        )
        for letter, side in zip("ab", row.sides, strict=True)
    ]
    if len({*row.names}) == 1:
        lines = [("Object", row.names[0])]
    if row.region:
        lines.append(("Regions", region_text(row.region)))
    if row.test:
        lines.append(("Test", row.test))
    lines.append(("Verdict", verdict_in_words(row)))
    if overlap := depth(row, units):
        known = row.depth is None or overlap.startswith("<")
        lines.append(("Depth", overlap if known else said("about {depth}", depth=overlap)))
    if row.volume_lower is not None:
        lines.append(("Volume", volume(row.volume_lower, row.volume_upper, units)))
    elif options.overlap_volume and row.verdict in SOLID_VERDICTS:
        lines.append(("Volume", said(NO_SOLID)))
    result = scene_results.result_of(context.scene.session_uid)
    if result is not None and row.id in result.solids:
        common, wrong = result.solids[row.id]
        text = volume(common, common, units)
        lines.append(
            (
                "Common Solid",
                said("{volume}: contradicts the proved bounds, which are correct", volume=text) if wrong else text,
            )
        )
    if row.distance is not None:
        lines.append(("Gap", length(row.distance, units)))
    if row.probability is not None:
        interval = format_interval(row.probability_lower, row.probability_upper)
        lines.append(("Probability", probability(row.probability, row.verdict, digits=1) + interval))
    way = scene_results.existing_result(context.scene.session_uid).ways.get(row.id)
    if way is not None:
        lines.append(("Move B", way_out(way, units)))
    if row.location is not None:
        lines.append(("Location", place(row.location, units)))
    share = CAPTION_SHARE if row.probability is None else LONG_CAPTION_SHARE
    draw_facts(layout, lines, context.region, share, within, FACT_LINES)


def _draw_review(layout: Any, context: Any, row: Any) -> None:
    """Draw the review of the pair: its status, and the comment below it."""
    review = review_of(context.scene, row.id)
    draw_statuses(layout, "meshclash.set_status", review.status if review else "OPEN")
    layout.prop(context.scene.meshclash, "comment", text="", placeholder=said("Comment"))


def _draw_left_out(layout: Any, context: Any, report: Any) -> None:
    """Draw the number of pairs that were left out because their distance exceeds that of the listed pairs."""
    counted_out = report.stats.get("left_out", {"pairs": 0})
    if counted_out["pairs"]:
        beyond = length(counted_out["beyond"] / report.scale_length, context.scene.unit_settings)
        text = said("{pairs} not listed: at least {beyond} apart", pairs=(counted_out["pairs"], "pair"), beyond=beyond)
        draw_text(layout, text, context.region, "INFO")


def draw_skipped(layout: Any, skipped: Sequence[Skipped], no_geometry: Mapping[str, int], region: Any) -> None:
    """Draw the objects that were not tested: objects that could not be read, and objects without geometry."""
    lost = [item for item in skipped if item.lost]
    others = [item for item in skipped if not item.lost and item.reason not in REASONS]
    fasteners = [item for item in skipped if item.reason in REASONS]
    if lost:
        text = said("{objects} could not be tested: {names}", objects=(len(lost), "object"), names=_named(lost))
        draw_text(layout, text, region, "ERROR")
    if others:
        text = said("{objects} not tested: {names}", objects=(len(others), "object"), names=_named(others))
        draw_text(layout, text, region, "INFO")
    if fasteners:
        text = said("{fasteners} ignored: {names}", fasteners=(len(fasteners), "fastener"), names=_named(fasteners))
        draw_text(layout, text, region, "INFO")
    if any(no_geometry.values()):
        kinds = sorted(no_geometry.items(), key=lambda item: (-item[1], item[0]))
        text = "; ".join(said("{objects}", objects=(count, kind)) for kind, count in kinds if count)
        draw_text(layout, said("Without geometry: {objects}", objects=text), region, "INFO")


def _named(skipped: Sequence[Skipped]) -> str:
    """Return the names of the first few objects, each with the reason."""
    return "; ".join(f"{item.name} ({translated(item.reason)})" for item in skipped[:MOST_NAMED])


class MESHCLASH_PT_marks(TabPanel):
    """Panel of operators that mark contacting faces on the meshes."""

    bl_label = "Mark Faces"
    bl_parent_id = "MESHCLASH_PT_results"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        result = scene_results.result_of(context.scene.session_uid)
        return result is not None and bool(result.report.rows)

    def draw(self, context: Any) -> None:
        layout = self.layout
        for title, write, icon, remove in (
            ("Face Attribute", "meshclash.write_attribute", "SPREADSHEET", "meshclash.remove_attribute"),
            ("Material", "meshclash.assign_material", "MATERIAL", "meshclash.restore_materials"),
        ):
            column = layout.column(align=True)
            column.label(text=title, text_ctxt=CONTEXT)
            if title == "Face Attribute":
                column.prop(context.scene.meshclash, "attribute_name", text="")
            row = column.row(align=True)
            row.operator(write, text="All Clashes", text_ctxt=CONTEXT, icon=icon).scope = "ALL"
            row.operator(write, text="Selected Pair", text_ctxt=CONTEXT).scope = "ACTIVE"
            row.operator(remove, text="", icon="LOOP_BACK")


class MESHCLASH_PT_display(TabPanel):
    """Panel of settings for drawing the results."""

    bl_label = "Display"
    bl_order = 2
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header(self, context: Any) -> None:
        self.layout.prop(context.scene.meshclash, "overlay", text="")

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.meshclash
        layout.active = settings.overlay
        layout.row().prop(settings, "overlay_scope", expand=True)
        addon = preferences.installed(context)
        if addon is not None:
            row = layout.row(align=True)
            for name, label in (("colour_a", "A"), ("colour_b", "B"), ("colour_curve", "Lines")):
                cell = row.column(align=True)
                cell.label(text=label, text_ctxt=CONTEXT)
                cell.prop(addon, name, text="")
        column = layout.column(align=True)
        column.prop(settings, "overlay_curves")
        column.prop(settings, "overlay_xray")
        result = scene_results.result_of(context.scene.session_uid)
        if result is not None and "probability" in result.report.measures:
            text = "Boxes show where the objects may meet. Green: unlikely, yellow: as likely as not, red: likely"
            draw_text(layout, text, context.region, "INFO")
        if overlay.failure():
            draw_text(layout, said("Faces cannot be drawn: {why}", why=overlay.failure()), context.region, "ERROR")


class MESHCLASH_PT_statistics(ResearchPanel):
    """Panel with counts and times of the last detection."""

    bl_label = "Statistics"
    bl_order = 3
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        result = scene_results.result_of(context.scene.session_uid)
        return super().poll(context) and result is not None and not result.loaded

    def draw(self, context: Any) -> None:
        report = scene_results.existing_result(context.scene.session_uid).report
        stats = report.stats
        draw_answered(self.layout, context, report.options.test, stats)
        counts = [(label, f"{stats[key]:,}") for key, label in COUNTERS]
        draw_table(self.layout, counts)
        seconds = stats["seconds"] or 1.0
        times = sorted(stats["timings"].items(), key=lambda item: -item[1])
        rows = [(name.capitalize(), f"{1000 * value:,.1f} ms   {value / seconds:4.0%}") for name, value in times]
        draw_table(self.layout, [*rows, ("Total", f"{1000 * stats['seconds']:,.1f} ms   100%")])


def draw_answered(layout: Any, context: Any, test: str, stats: Any) -> None:
    """Draw which device was used, the speed-up by a GPU, or why no GPU was used, with a button to try it again."""
    if not stats.get("device"):
        return
    rows = [("Computed by", "CPU")]
    if stats["device"] != "cpu":
        usable, text = engine.device_known()
        rows = [("Computed by", text.partition(",")[0] if usable else "GPU")]
        times = device_gain.gain(test, stats)
        rows.append(
            (
                "Speed Compared With CPU",
                translated(Sentence("{times} times as fast", times=f"{times:,.1f}") if times else "Not measured"),
            )
        )
    draw_table(layout, rows)
    if stats.get("device_note"):
        draw_text(layout, stats["device_note"], context.region, "ERROR")
        layout.operator("meshclash.look_for_gpu", icon="FILE_REFRESH")


COUNTERS = (
    ("objects", "Objects"),
    ("triangles", "Triangles"),
    ("volume_tests", "Volume Tests"),
    ("primitive_tests", "Triangle Tests"),
    ("exact_tests", "Exact Tests"),
)


CLASSES = (
    MESHCLASH_PT_detect,
    MESHCLASH_PT_options,
    MESHCLASH_PT_exclusions,
    MESHCLASH_PT_fits,
    MESHCLASH_PT_object,
    MESHCLASH_PT_results,
    MESHCLASH_PT_filter,
    MESHCLASH_PT_messages,
    MESHCLASH_PT_gone,
    MESHCLASH_PT_marks,
    MESHCLASH_PT_display,
    MESHCLASH_PT_statistics,
)
