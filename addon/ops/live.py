"""Live: the modal operator that follows the scene, and its driver, which needs no operator."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import bpy
from bpy.types import Operator
from meshclash.clash.report import DetectReport
from meshclash.types.slices import TimeSlice

from .. import freshness, preferences, results, running_work, scene_results
from ..adapters import mesh_reader
from ..adapters.live_source import LiveSource
from ..adapters.lookup import scene_with
from ..core.changes import Changes
from ..core.live import Live
from ..redraw import tag_redraw
from ..translations import translated
from .detect import USER_ERRORS, explain
from .heartbeat import Heartbeat
from .loading import load_steps
from .polls import is_idle

MILLISECOND = 0.001
LIST_SHARE = 10.0  # pause after writing the list, in durations of the writing
LISTED = object()  # the table of the list is complete


class LiveRun:
    """Live in the interface: its generator, its timer and its scene.

    Attributes:
        touched: full names of the objects that were changed last.
    """

    def __init__(self, context: bpy.types.Context) -> None:
        mesh_reader.set_fast_path(preferences.of(context).fast_path)
        self._source = source = LiveSource(context.scene, context.view_layer)
        folder = preferences.cache_folder()
        self.scene_uid = source.scene_uid
        known = partial(scene_results.take_followed, self.scene_uid)
        self.live = Live(source, lambda parts: load_steps(folder, parts), self._publish, known)
        self.touched: frozenset[str] = frozenset()
        self.stopped_because: str | None = None
        self._shown = ("", "")
        self._unlisted = self._frozen = False
        self._listing: Iterator[object] | None = None
        self._list_again = self._list_cost = 0.0
        running_work.start_live(self)
        self._heartbeat = Heartbeat(context)

    @property
    def ended(self) -> bool:
        """Whether Live has ended."""
        return self.stopped_because is not None

    def note(self, changes: Changes) -> None:
        """Record changes; handlers call this method, so it does nothing else."""
        self.touched = frozenset(changes.names) or self.touched
        self.live.note(changes)

    def step(self, context: bpy.types.Context, event: Any) -> bool:
        """Handle one event; return True when Live has ended. Errors of loading the engine pass through."""
        if self.ended:
            return True
        if event.type == "ESC" and event.value == "PRESS":
            running_work.stop_live()
        elif event.type == "TIMER" and not _rendering():
            self._work(context)
        return self.ended

    def _work(self, context: bpy.types.Context) -> None:
        scene = scene_with(self.scene_uid)
        if scene is None:
            running_work.stop_live("The scene was removed: Live is off")
            return
        live = self.live
        live.budget = scene.meshclash.live_budget * MILLISECOND
        live.look_at_options()
        started = time.perf_counter()
        if self._listing is None:
            live.run_slice()
        self._freeze()
        self._list(context, live.budget - (time.perf_counter() - started))
        shown = (live.problem, live.starting)
        if shown != self._shown:
            self._shown = shown
            tag_redraw(context, ("UI",))

    def _publish(self, report: DetectReport, incomplete: bool) -> None:
        results.show_live(bpy.context, self.scene_uid, report, incomplete)
        self._unlisted = True

    def _list(self, context: bpy.types.Context, left: float) -> None:
        """Update the list in as many calls as that takes, meanwhile without other work.

        Blender fills long lists slowly, so they are not updated at every result.
        """
        piece = TimeSlice(left)
        if self._listing is None:
            if not self._unlisted or (time.perf_counter() < self._list_again and self.live.busy):
                return
            result = scene_results.result_of(self.scene_uid)
            self._listing, self._list_cost = iter(()) if result is None else result.table_steps(), 0.0
        while not piece.is_full():
            if next(self._listing, LISTED) is LISTED:
                results.list_live(context, self.scene_uid)
                self._unlisted, self._listing = False, None
                break
        self._list_cost += time.perf_counter() - piece.started
        self._list_again = time.perf_counter() + LIST_SHARE * self._list_cost

    def _freeze(self) -> None:
        """Exclude all objects of Python that exist now from garbage collection, until Live ends.

        The first objects that Live creates would otherwise make Python look through all those of the engine, which
        takes a tenth of a second.
        """
        if self.live.ready and not self._frozen:
            gc.freeze()
            self._frozen = True

    def end(self, reason: str = "") -> None:
        """Remove the timer and free all data; the last answer stays as the result."""
        if self.ended:
            return
        self.stopped_because = reason
        if self._frozen:
            gc.unfreeze()
        self._heartbeat.stop()
        seen = None if reason else self.live.seen()  # a reason means that the file or the extension is being closed
        if not reason and self.live.followed is not None:
            scene_results.keep_followed(self.scene_uid, self.live.followed)
        self.live.close()
        self._source.forget()
        scene_results.live_ended(self.scene_uid, self.live.pending, seen)
        freshness.look_soon()
        results.list_live(bpy.context, self.scene_uid)
        tag_redraw(bpy.context)


def _rendering() -> bool:
    """Return whether a final render runs. A render evaluates the scene in its own thread, so Live pauses."""
    return bpy.app.is_job_running("RENDER")


class MESHCLASH_OT_live(Operator):
    """Update the results while objects move, deform, appear or disappear. Press again or ESC to stop"""

    bl_idname = "meshclash.live"
    bl_label = "Live"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return is_idle(cls) and context.scene is not None

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        if running_work.running_live() is not None:
            running_work.stop_live()
            return {"FINISHED"}
        if bpy.app.background:
            return self.execute(context)
        self.run = LiveRun(context)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        self.report({"ERROR"}, translated("Live needs a window: use Detect without one"))
        return {"CANCELLED"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        try:
            if not self.run.step(context, event):
                return {"PASS_THROUGH"}
        except USER_ERRORS as error:
            running_work.stop_live()
            self.report({"ERROR"}, translated(explain(error)))
            return {"CANCELLED"}
        except BaseException:
            running_work.stop_live()
            raise
        if self.run.stopped_because:
            self.report({"WARNING"}, translated(self.run.stopped_because))
        return {"FINISHED"}

    def cancel(self, _context: bpy.types.Context) -> None:
        """Blender ends the operator itself: a file is loaded or the window is closed."""
        if running_work.running_live() is self.run:
            running_work.stop_live()


CLASSES = (MESHCLASH_OT_live,)
