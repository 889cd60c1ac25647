"""Detect: the modal operator of the interface; scripts run the same generator to its end."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

import bpy
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import FloatProperty
from bpy.types import Operator
from meshclash.clash import job
from meshclash.clash.cloud_scene import Prepare
from meshclash.clash.errors import DetectError
from meshclash.clash.fasteners import REASONS
from meshclash.clash.followed import Followed
from meshclash.clash.frame_scene import Progress
from meshclash.clash.kernel_parts import CLOUD_PARTS, MASSIVE_PARTS
from meshclash.clash.options import DetectOptions
from meshclash.clash.pair_row import PairRow
from meshclash.clash.queries.registry import test_named
from meshclash.clash.report import DetectReport
from meshclash.clash.report_formats import format_seconds, ignored_fasteners, left_out, too_small
from meshclash.clash.tests_job import of_test
from meshclash.clash.verdicts import FINAL_VERDICTS, VERDICTS
from meshclash.clash.words import counted
from meshclash.types.steps import hold_progress, run_to_end

from .. import engine, freshness, histories, preferences, refining, results, running_work, scene_results, view
from ..adapters import mesh_reader
from ..adapters.lookup import scene_with
from ..adapters.massive_objects import massive_path
from ..adapters.point_reader import is_scan
from ..adapters.source import BlenderSource, metres_per_unit
from ..core.table import RowTable
from ..redraw import tag_redraw
from ..reviews import reviews_of
from ..texts import length, progress_text, said
from ..translations import CONTEXT, translated
from .heartbeat import INTERVAL, Heartbeat
from .loading import load_steps
from .polls import has_pair, is_idle, possible
from .task import Task, slice_after, uncollected

REDRAW_SECONDS = 0.1
DRAWING_SHARE = 0.2  # largest share of time for redraws: if they are slow, progress is shown less often
STATUS_WIDTH = 16  # width of the progress bar in the status bar, in heights of a button
USER_ERRORS = (DetectError, engine.EngineMissing)


def prepare(context: bpy.types.Context) -> Task:
    """Return the task that detects in the context's scene.

    Raises:
        InputError: a set or an option is invalid.
    """
    options = context.scene.meshclash.checked_options(metres_per_unit(context.scene))
    mesh_reader.set_fast_path(preferences.of(context).fast_path)
    engine.use_gpu_from(preferences.gpu_from(context))
    source, prepare = BlenderSource.from_context(context), partial(load_steps, preferences.cache_folder())
    loading = prepare(parts_of(context, options), gpu=preferences.gpu_from(context) is not None)
    uid = context.scene.session_uid
    steps = _steps(source, options, loading, prepare, uid)
    return Task(answer_steps(uid, steps, context.window_manager.meshclash.group_by))


def parts_of(context: bpy.types.Context, options: DetectOptions) -> tuple[str, ...]:
    """Return the parts of the engine's warm-up that a detection in the context's scene needs."""
    parts = test_named(options.test).parts(options)
    if any(item is not None and is_scan(item.data) for item in context.scene.objects):
        parts += CLOUD_PARTS  # scans made by modifiers are found when the frame is read
    if any(item is not None and massive_path(item) for item in context.scene.objects):
        parts += MASSIVE_PARTS
    return parts


def _steps(
    source: BlenderSource,
    options: DetectOptions,
    loading: Generator[Any, None, ModuleType],
    prepare: Prepare,
    scene_uid: int,
) -> Generator[Any, None, DetectReport]:
    """Load the engine, then detect; keep the data about the scene for the next detection, even if stopped."""
    module = yield from loading
    known = scene_results.take_followed(scene_uid, module)
    followed = Followed(module, prepare, device=job.DEVICE)
    if known is not None:
        followed.take_over(known)
    try:
        report = yield from job.detect_steps(source, options, module, remember=True, followed=followed)
    except (GeneratorExit, DetectError):
        scene_results.keep_followed(scene_uid, followed)
        raise
    scene_results.keep_followed(scene_uid, followed)
    return report


def explain(error: Exception) -> str:
    """Return the message for the user; remember a missing engine for the panels."""
    if isinstance(error, engine.EngineMissing):
        running_work.set_engine_state(running_work.EngineState(tuple(engine.diagnose()), error.reason, error.remedy))
    return str(error)


class Answer(NamedTuple):
    """The result of a detection, with derived data.

    Attributes:
        report: the report.
        said: events for the history.
        table: the rows as columns.
        groups: groups of clashes, by kind of grouping.
    """

    report: DetectReport
    said: histories.Detected
    table: RowTable
    groups: dict[str, list[dict[str, Any]]]


def answer_steps(
    scene_uid: int, steps: Generator[Any, None, DetectReport], group_by: str
) -> Generator[Any, None, Answer]:
    """Run a detection and compute the derived data, in steps; the scene is not changed before `accept`."""
    report = yield from steps
    listing = Progress(1.0, "Listing the pairs")
    said = yield from hold_progress(histories.detected_steps(scene_of(scene_uid), report), listing)
    table = yield from hold_progress(RowTable.steps(report.rows), listing)
    parts = report.parts()
    yield listing
    return Answer(report, said, table, {group_by: report.groups(group_by, parts)})


def scene_of(scene_uid: int) -> bpy.types.Scene:
    """Return the scene of a detection or scan; raises DetectError if the scene was deleted."""
    scene = scene_with(scene_uid)
    if scene is None:
        raise DetectError("The scene has been removed")
    return scene


def accept(context: bpy.types.Context, scene_uid: int, answer: Answer) -> str:
    """Show the report, and return its summary.

    Raises:
        DetectError: the scene is gone.
    """
    scene, report = scene_of(scene_uid), answer.report
    view.leave_isolation(context)  # no pair is selected now
    with uncollected():
        histories.detected(scene, answer.said)
        results.show_report(context, scene, report, answer.table, answer.groups)
    scene_results.mark_stale(scene_uid, running_work.changed_meanwhile())
    freshness.look_soon()
    refining.begin(scene_uid)
    return summary(report, reviews_of(scene).approved)


def summary(report: DetectReport, approved: frozenset[str] = frozenset()) -> str:
    """Return a summary in one line: the number of pairs of each verdict (worst first), the number of approved pairs,
    and the time.
    """
    accepted = sum(row.id in approved for row in report.rows)
    found_now = Counter(row.verdict for row in report.rows if row.id not in approved)
    counts = [(found_now[verdict], VERDICTS[verdict].counted) for verdict in FINAL_VERDICTS] + [(accepted, "approved")]
    found = ", ".join(f"{count} {said(word)}" for count, word in counts if count)
    lost = len(report.lost)
    skipped_otherwise = sum(not item.lost and item.reason not in REASONS for item in report.skipped)
    counts_out = [(lost, "not tested"), (skipped_otherwise, "left out")]
    skipped = "".join(f", {count} {said(word)}" for count, word in counts_out if count)
    effort = f"{translated(counted(report.stats['objects'], 'object'))}{skipped}"
    more = (
        left_out(report.stats.get("left_out")),
        too_small(report.stats, [options.as_dict() for options in report.asked_all]),
        ignored_fasteners(item.reason for item in report.skipped),
    )  # fmt: skip
    tests = f"{translated(counted(len(report.tests), 'test'))}: " if report.tests else ""
    answer = f"{tests}{found or said(test_named(report.options.test).nothing)}"
    told = "".join(translated(text) for text in more if text)
    return f"{answer} ({effort}, {format_seconds(report.stats['seconds'])}){told and '.' + told}"


class Run:
    """One detection, or another task, in the interface: its timer and its progress in the status bar."""

    def __init__(self, context: bpy.types.Context, task: Task | None = None) -> None:
        self.task = prepare(context) if task is None else task
        self.scene_uid = context.scene.session_uid
        context.view_layer.update()  # pending evaluations must not count as changes during the run
        running_work.start_task(self.task)
        self._heartbeat = Heartbeat(context)
        self._shown: tuple[str, str] | None = None
        self._asked_at = -math.inf  # when a redraw was requested
        self._picture_seconds: float | None = 0.0  # duration of the last redraw; None while it is pending
        self._rests_since: float | None = None  # when the last slice ended

    def step(self, context: bpy.types.Context, event: Any) -> bool:
        """Handle one event; return True when the detection has ended. Errors of the detection pass through."""
        if event.type == "ESC" and event.value == "PRESS":
            running_work.stop_task()
        elif event.type == "TIMER" and not self.task.ended:
            if self._picture_seconds is None:
                self._picture_seconds = time.perf_counter() - self._asked_at
            waited = 0.0 if self._rests_since is None else time.perf_counter() - self._rests_since - INTERVAL
            self.task.slice_seconds = slice_after(waited)
            self.task.run_slice()
            self._show_progress(context)
            self._rests_since = time.perf_counter()
        return self.task.ended

    def end(self, context: bpy.types.Context) -> None:
        """Remove the timer and the progress display, and stop the task if it still runs."""
        running_work.stop_task()
        self._heartbeat.stop()
        if context.workspace:
            context.workspace.status_text_set(None)
        tag_redraw(context, ("UI",))

    def _show_progress(self, context: bpy.types.Context) -> None:
        """Request a redraw if progress has changed and the last redraw did not take too long."""
        now = time.perf_counter()
        shown = (self.task.text, progress_text(self.task.fraction, self.task.seconds_left))
        pause = max(REDRAW_SECONDS, (self._picture_seconds or 0.0) / DRAWING_SHARE)
        if shown != self._shown and now - self._asked_at >= pause:
            self._shown, self._asked_at, self._picture_seconds = shown, now, None
            context.workspace.status_text_set(_draw_status)
            tag_redraw(context, ("UI",))


def _draw_status(header: bpy.types.Header, _context: bpy.types.Context) -> None:
    task = running_work.running_task()
    if task is not None:
        header.layout.label(text="Cancel", text_ctxt=CONTEXT, icon="EVENT_ESC")
        row = header.layout.row()
        row.ui_units_x = STATUS_WIDTH
        row.progress(factor=task.fraction, text=progress_text(task.fraction, task.seconds_left))
        header.layout.label(text=translated(task.text), translate=False)


MakeTask = Callable[[bpy.types.Context], Task]


def begin(operator: Any, context: bpy.types.Context, make_task: MakeTask) -> set[str]:
    """Start a task as a modal operator, and store it as the operator's `run`."""
    try:
        operator.run = Run(context, make_task(context))
    except USER_ERRORS as error:
        operator.report({"ERROR"}, translated(explain(error)))
        return {"CANCELLED"}
    context.window_manager.modal_handler_add(operator)
    return {"RUNNING_MODAL"}


def handle(operator: Any, context: bpy.types.Context, event: Any, take: Callable[[Any], str]) -> set[str]:
    """Handle one event of a modal operator with a `run`; `take` receives the result and returns the message."""
    run = operator.run
    try:
        if not run.step(context, event):
            return {"PASS_THROUGH"}
        run.end(context)
        if not run.task.finished:
            operator.report({"WARNING"}, translated(run.task.stopped_because))
            return {"CANCELLED"}
        operator.report({"INFO"}, translated(take(run.task.result)))
    except USER_ERRORS as error:
        run.end(context)
        operator.report({"ERROR"}, translated(explain(error)))
        return {"CANCELLED"}
    except BaseException:
        run.end(context)
        raise
    return {"FINISHED"}


def run_at_once(operator: Any, context: bpy.types.Context, make_task: MakeTask, take: Callable[[Any], str]) -> set[str]:
    """Run a task to its end, as operators do in background mode."""
    try:
        operator.report({"INFO"}, translated(take(make_task(context).run())))
    except USER_ERRORS as error:
        operator.report({"ERROR"}, translated(explain(error)))
        return {"CANCELLED"}
    return {"FINISHED"}


class MESHCLASH_OT_detect(Operator):
    """Find all pairs of objects of set A and set B that clash or touch"""

    bl_idname = "meshclash.detect"
    bl_label = "Detect"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        alone = is_idle(cls) and possible(
            cls, running_work.running_live() is None, "Live is on and updates the results"
        )
        return alone and context.scene is not None

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        if bpy.app.background:
            return self.execute(context)
        return begin(self, context, prepare)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return handle(self, context, event, lambda answer: accept(context, self.run.scene_uid, answer))

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator itself: a file is loaded or the window is closed."""
        self.run.end(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        running_work.forget_changes()
        return run_at_once(self, context, prepare, lambda answer: accept(context, context.scene.session_uid, answer))


def check_pair(context: bpy.types.Context, row: PairRow) -> list[PairRow]:
    """Test the two objects of a row again, with the test of the result, without reading other objects.

    Raises:
        DetectError: one of the objects is deleted or hidden.
    """
    asked = scene_results.existing_result(context.scene.session_uid).report.asked(row)
    options = replace(asked, set_a=f"object:{row.a.owner}", set_b=f"object:{row.b.owner}")
    ways = partial(load_steps, preferences.cache_folder())
    parts = test_named(options.test).parts(options) + (CLOUD_PARTS if row.scans else ())
    module = run_to_end(ways(parts, gpu=preferences.gpu_from(context) is not None))
    followed = Followed(module, ways, device=job.DEVICE)
    source = BlenderSource.from_context(context)
    report = run_to_end(job.detect_steps(source, options, module, followed=followed))
    rows = [of_test(found, row.test) for found in report.rows] if row.test else report.rows
    return [found for found in rows if found.id == row.id]


class MESHCLASH_OT_check_again(Operator):
    """Test only the two objects of the selected pair again"""

    bl_idname = "meshclash.check_again"
    bl_label = "Check Pair Again"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return has_pair(cls, context) and MESHCLASH_OT_detect.poll(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        row, scene = results.selected_pair(context), context.scene
        started = time.perf_counter()
        try:
            rows = check_pair(context, row)
        except USER_ERRORS as error:
            self.report({"ERROR"}, translated(explain(error)))
            return {"CANCELLED"}
        seconds = time.perf_counter() - started
        scene_results.replace_pair(scene.session_uid, row.id, rows)
        histories.checked(scene, scene_results.existing_result(scene.session_uid).report, row.id, rows)
        if not rows:
            view.leave_isolation(context)
        results.relist(context, scene, row.id if rows else None)
        found = said(VERDICTS[rows[0].verdict].label if rows else "No longer found")
        self.report({"INFO"}, f"{found}: {row.title} ({format_seconds(seconds)})")
        return {"FINISHED"}


class MESHCLASH_OT_hide_overlaps(Operator):
    """Count overlaps up to this depth as touching, and detect again"""

    bl_idname = "meshclash.hide_overlaps"
    bl_label = "Ignore Overlaps Below"
    bl_options = {"REGISTER", "UNDO"}

    length: FloatProperty(name="Ignore Overlaps Below", subtype="DISTANCE", min=0.0, options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context: bpy.types.Context, properties: Any) -> str:
        """Return the tooltip, with the length."""
        below = said("Ignore Overlaps Below {length}", length=length(properties.length, context.scene.unit_settings))
        return f"{below}: {tip_(cls.__doc__ or '')}"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return bool(running_work.running_live() or MESHCLASH_OT_detect.poll(context))

    def execute(self, context: bpy.types.Context) -> set[str]:
        context.scene.meshclash.permitted_overlap = self.length
        if running_work.running_live() is None:  # Live updates the answer itself
            bpy.ops.meshclash.detect("INVOKE_DEFAULT")
        return {"FINISHED"}


class MESHCLASH_OT_stop(Operator):
    """Stop the detection (ESC). The previous results are kept"""

    bl_idname = "meshclash.stop"
    bl_label = "Stop Detection"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return possible(cls, running_work.running_task(), "No task is running")

    def execute(self, _context: bpy.types.Context) -> set[str]:
        running_work.stop_task()
        return {"FINISHED"}


CLASSES = (MESHCLASH_OT_detect, MESHCLASH_OT_check_again, MESHCLASH_OT_hide_overlaps, MESHCLASH_OT_stop)
