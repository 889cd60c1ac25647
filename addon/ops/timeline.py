"""Scan Timeline: find the events of all frames, and make markers, curves of pairs, and a heat map of faces."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import bpy
import numpy as np
from bpy.types import Operator
from meshclash.clash.errors import DetectError, InputError
from meshclash.clash.kernel_parts import CLOUD_PARTS, MASSIVE_PARTS
from meshclash.clash.options import DetectOptions, format_frames
from meshclash.clash.pair_row import PairRow
from meshclash.clash.queries.registry import test_named
from meshclash.clash.rules import Rules
from meshclash.clash.sets import AND, EVERYTHING, OR
from meshclash.clash.words import counted
from meshclash.messages import Sentence

from .. import engine, events_list, freshness, preferences, results, running_work, scene_results
from ..adapters import mesh_reader
from ..adapters.fcurves import bake_property
from ..adapters.massive_objects import massive_path
from ..adapters.objects import OBJECT_PREFIX
from ..adapters.point_reader import is_scan
from ..adapters.source import BlenderSource, metres_per_unit
from ..core.scanned import Scanned, scan_steps
from ..redraw import tag_redraw, tag_redraw_timelines
from ..texts import said, verdict_in_words
from ..translations import ChoiceProperty, translated
from .detect import USER_ERRORS, Run, explain, handle, run_at_once, scene_of
from .listing import PickRow
from .loading import load_steps
from .marks import own_writing
from .polls import is_idle, possible
from .task import Task

MARKER = "MC: "
"""Prefix of the names of our markers, by which they are found again."""
CLEARANCE = "meshclash_clearance"
MOST_MARKERS, MOST_CURVES = 200, 200
LONGEST_PROPERTY = 63  # bytes of a property's name
Pair = tuple[str, str, str]
BAKED = (
    ("PAIR", "Pair", "Measure the selected event or pair, or two selected objects"),
    ("EVENTS", "All Events", "Measure the pair of each event, the worst first"),
    ("SELECTED", "Selected Objects", "Measure every two of the selected objects"),
)
NOT_IN_HAND = {
    "PAIR": "select an event, a pair, or two objects",
    "EVENTS": "scan the timeline first: there are no events",
    "SELECTED": "select at least two objects",
}
DESCRIPTION = "Distance to {other} in Blender units; a negative value is the depth of the overlap"


def _may_scan(cls: type[Operator]) -> bool:
    wait = "Live updates the results in every frame: stop Live first"
    return is_idle(cls) and possible(cls, running_work.running_live() is None, wait)


def scan_of(context: bpy.types.Context, options: DetectOptions, passages: bool = False) -> tuple[Task, Scanned]:
    """Return a task that scans frames, and the scan; with ``passages`` also contacts between two frames."""
    mesh_reader.set_fast_path(preferences.of(context).fast_path)
    engine.use_gpu_from(preferences.gpu_from(context))
    parts = test_named(options.test).parts(options)
    if any(item is not None and is_scan(item.data) for item in context.scene.objects):
        parts += CLOUD_PARTS
    if any(item is not None and massive_path(item) for item in context.scene.objects):
        parts += MASSIVE_PARTS
    source = BlenderSource.from_context(context)
    scanned = Scanned(source.file, source.scale_length, options, passages)
    gpu = preferences.gpu_from(context) is not None
    return Task(_steps(scanned, source, parts, preferences.cache_folder(), gpu)), scanned


def _steps(
    scanned: Scanned, source: BlenderSource, parts: tuple[str, ...], cache_folder: str | None, gpu: bool
) -> Generator[Any, None, Scanned]:
    """Load the engine with the kernels that the test needs, then scan."""
    try:
        module = yield from load_steps(cache_folder, parts, gpu)
        with running_work.own_frames():
            return (yield from scan_steps(scanned, source, module, partial(load_steps, cache_folder)))
    finally:
        scanned.running = False


class _Scan(Run):
    """A scan in the interface. The scan pauses while a render evaluates the scene in its own thread."""

    def step(self, context: bpy.types.Context, event: Any) -> bool:
        """Implement `Run.step`."""
        if event.type == "TIMER" and bpy.app.is_job_running("RENDER"):
            return bool(self.task.ended)
        return super().step(context, event)

    def _show_progress(self, context: bpy.types.Context) -> None:
        super()._show_progress(context)
        tag_redraw_timelines(context)


class FrameOperator(Operator):
    """Processes frames in slices: `make` returns the task, `take` stores its results."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return possible(cls, not bpy.app.is_job_running("RENDER"), "Blender is rendering") and _may_scan(cls)

    def make(self, context: bpy.types.Context) -> Task:
        """Return the task; raises InputError."""
        raise NotImplementedError

    def take(self, context: bpy.types.Context, scene_uid: int) -> str:
        """Store the results; return a message about them."""
        raise NotImplementedError

    def stopped(self, context: bpy.types.Context, scene_uid: int) -> None:
        """Handle that the user stopped the task."""

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        if bpy.app.background:
            return self.execute(context)
        if context.screen is not None and context.screen.is_animation_playing:
            bpy.ops.screen.animation_cancel(restore_frame=False)
        try:
            self.run = _Scan(context, self.make(context))
        except USER_ERRORS as error:
            self.report({"ERROR"}, translated(explain(error)))
            return {"CANCELLED"}
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        run = self.run
        answer = handle(self, context, event, lambda _: self.take(context, run.scene_uid))
        if answer == {"CANCELLED"}:
            self.stopped(context, run.scene_uid)
        return answer

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator itself: a file is loaded or the window is closed."""
        self.run.end(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        uid = context.scene.session_uid
        return run_at_once(self, context, self.make, lambda _: self.take(context, uid))


class MESHCLASH_OT_scan_timeline(FrameOperator):
    """Find when objects clash, frame by frame. ESC stops and keeps the events found so far"""

    bl_idname = "meshclash.scan_timeline"
    bl_label = "Scan Timeline"
    bl_options = {"REGISTER"}

    def make(self, context: bpy.types.Context) -> Task:
        settings = context.scene.meshclash
        options = replace(settings.checked_options(metres_per_unit(context.scene)), frames=settings.timeline_frames())
        task, scanned = scan_of(context, options, settings.timeline_between)
        scene_results.store_timeline(context.scene.session_uid, scanned)
        events_list.list_events(context, context.scene)
        return task

    def take(self, context: bpy.types.Context, scene_uid: int) -> str:
        scene, scanned = scene_of(scene_uid), scene_results.timeline_of(scene_uid)
        if scanned is None:
            raise DetectError("The scan has been removed")
        events_list.list_events(context, scene)
        freshness.look_soon()
        frames = counted(scanned.timeline.done, "frame")
        named, events = format_frames(scanned.timeline.looked_at) or "–", counted(len(scanned.events), "event")
        return Sentence("{events} in {frames} ({range})", events=events, frames=frames, range=named)

    def stopped(self, context: bpy.types.Context, scene_uid: int) -> None:
        scanned = scene_results.timeline_of(scene_uid)
        if scanned is not None:
            if not scanned.timeline.done:
                scene_results.drop_timeline(scene_uid)
            events_list.list_events(context, scene_of(scene_uid))
            freshness.look_soon()


class MESHCLASH_OT_bake_clearance(FrameOperator):
    """Measure the distance or depth of pairs in all frames and store it as an animated custom property"""

    bl_idname = "meshclash.bake_clearance"
    bl_label = "Bake Clearance to Curve"
    bl_options = {"REGISTER", "UNDO"}

    of: ChoiceProperty(name="Pairs", description="Pairs to measure", items=BAKED, default="PAIR")

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """The tooltip."""
        tip = next(tip for name, _label, tip in BAKED if name == properties.of)
        return f"{translated(cls.__doc__ or '')}: {translated(tip)}"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        known = any(pairs_in_hand(context, of) for of, *_ in BAKED)
        return possible(cls, known, "Select an event, a pair, or two objects") and super().poll(context)

    def make(self, context: bpy.types.Context) -> Task:
        known = pairs_in_hand(context, self.of)
        if not known:
            raise InputError(NOT_IN_HAND[self.of])
        self.pairs = _with_bearers(context.scene, known)
        if not self.pairs:
            raise InputError(Sentence("'{name}' is linked from a library and cannot be animated", name=known[0][0]))
        settings = context.scene.meshclash
        self.values: dict[Pair, dict[int, float]] = {pair: {} for pair in self.pairs}
        sets = [dict.fromkeys(pair[side] for pair in self.pairs) for side in (0, 1)]
        asked = {frozenset(pair[:2]) for pair in self.pairs}
        beside = frozenset((a, b) for a in sets[0] for b in sets[1] if a != b and frozenset((a, b)) not in asked)
        options = DetectOptions(
            set_a=_set_of(sets[0]), set_b=_set_of(sets[1]), test="distance", rules=Rules(listed_pairs=beside),
            frames=settings.timeline_frames(), **settings.scan_options(metres_per_unit(context.scene)),
        )  # fmt: skip
        task, self.scanned = scan_of(context, options)
        self.scanned.listener = self._note
        return task

    def _note(self, frame: int, rows: list[PairRow]) -> None:
        for row in rows:
            for pair in self.pairs:
                if row.distance is not None and {row.a.owner, row.b.owner} == {*pair[:2]} and pair[2] in ("", row.id):
                    value = -row.depth if row.depth is not None and row.distance == 0.0 else row.distance
                    self.values[pair][frame] = min(value, self.values[pair].get(frame, np.inf))

    def take(self, context: bpy.types.Context, scene_uid: int) -> str:
        items = {item.name_full: item for item in scene_of(scene_uid).objects if item is not None}
        baked = [pair for pair in self.pairs if self.values[pair] and pair[0] in items]
        if not baked:
            name, other, _ = self.pairs[0]
            raise DetectError(
                Sentence(
                    "'{name}' and '{other}' never exist in the same frame, so nothing could be measured",
                    name=name,
                    other=other,
                )
            )
        taken: dict[str, set[str]] = {}
        with own_writing(context):
            for name, other, row_id in baked:
                own = taken.setdefault(name, set())
                called = CLEARANCE if len(self.pairs) == 1 else _free_name(other, own)
                own.add(called)
                bake_property(items[name], called, self.values[name, other, row_id], DESCRIPTION.format(other=other))
        tag_redraw(context)
        return self._told(baked)

    def _told(self, baked: list[Pair]) -> str:
        if len(self.pairs) > 1:
            lost = len(self.pairs) - len(baked)
            more = (
                "; " + Sentence("the objects of {pairs} never exist in the same frame", pairs=counted(lost, "pair"))
                if lost
                else ""
            )
            pairs = counted(len(baked), "pair")
            return Sentence("Clearances of {pairs} are now animation curves of the first objects", pairs=pairs) + more
        ((name, other, _),) = baked
        keys = len(self.values[baked[0]])
        lost = len(self.scanned.timeline.frames) - keys
        text = Sentence(
            "{keys} of '{property}' on '{name}': distance to '{other}'",
            keys=counted(keys, "keyframe"), property=CLEARANCE, name=name, other=other,
        )  # fmt: skip
        if lost:
            text += "; " + Sentence("one of the two objects was missing in {frames}", frames=counted(lost, "frame"))
        return text


def _with_bearers(scene: bpy.types.Scene, pairs: list[Pair]) -> list[Pair]:
    """Return the pairs with an object that can be animated, this object first; linked objects cannot be animated."""
    own = {item.name_full for item in scene.objects if item is not None and item.is_editable}
    return [(a, b, row) if a in own else (b, a, row) for a, b, row in pairs if a in own or b in own]


def _set_of(names: Iterable[str]) -> str:
    """Return a set expression for these objects, or for all objects if a name has characters with a special meaning."""
    terms = [f"{OBJECT_PREFIX}{name}" for name in names]
    if len(terms) == 1:
        return terms[0]
    return EVERYTHING if any(OR in term or AND in term for term in terms) else OR.join(terms)


def _free_name(other: str, taken: set[str]) -> str:
    """Return a free property name for the distance to another object, within the 63 bytes that Blender allows."""
    number = 1
    while True:
        ending = "" if number == 1 else f" {number}"
        room = LONGEST_PROPERTY - len(f"{CLEARANCE} {ending}".encode())
        name = f"{CLEARANCE} {other.encode()[:room].decode(errors='ignore')}{ending}"
        if name not in taken:
            return name
        number += 1


def pairs_in_hand(context: bpy.types.Context, of: str) -> list[Pair]:
    """Return the pairs to measure, each once: owners of both objects, and the id of the pair ("" for any pair).

    Args:
        context: context of the window.
        of: one of `BAKED`.
    """
    if of == "PAIR":
        pair = pair_in_hand(context)
        return [] if pair is None else [pair]
    if of == "EVENTS":
        scanned = scene_results.timeline_of(context.scene.session_uid)
        rows = [] if scanned is None else [event.row for event in scanned.events]
        pairs = ((row.a.owner, row.b.owner, row.id) for row in rows if row.a.owner != row.b.owner)
        return list(dict.fromkeys(pairs))[:MOST_CURVES]
    chosen = [item.name_full for item in context.view_layer.objects if item is not None and item.select_get()]
    return [(a, b, "") for a, b in itertools.combinations(chosen, 2)][:MOST_CURVES]


def pair_in_hand(context: bpy.types.Context) -> tuple[str, str, str] | None:
    """Return the two selected objects, or else the objects of the selected event or pair, and the pair's id ("" for any
    pair).

    A click on an event or a pair selects its objects, so the selection is what was clicked last.
    """
    event = events_list.active_event(context)
    rows = [row for row in (None if event is None else event.row, results.active_pair(context)) if row is not None]
    pairs = [(row.a.owner, row.b.owner, row.id) for row in rows if row.a.owner != row.b.owner]
    chosen = [item.name_full for item in context.view_layer.objects if item is not None and item.select_get()]
    if len(chosen) == 2:
        pairs = [*(pair for pair in pairs if {*pair[:2]} == {*chosen}), (chosen[0], chosen[1], "")]
    return pairs[0] if pairs else None


class ScannedOperator(Operator):
    """Shared poll: a scan with results exists."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        scanned = scene_results.timeline_of(context.scene.session_uid)
        found = scanned is not None and scanned.events
        return possible(cls, found, "Scan the timeline first: there are no events") and _may_scan(cls)


class MESHCLASH_OT_event_markers(ScannedOperator):
    """Add a marker to the timeline for each event and remove those of earlier scans"""

    bl_idname = "meshclash.event_markers"
    bl_label = "Add Markers"
    bl_options = {"REGISTER", "UNDO"}

    at: ChoiceProperty(
        name="Marker Frame", description="Frames where markers are added",
        items=(("START", "Start", "At the first frame of each event"), ("WORST", "Worst", "At the worst frame")),
    )  # fmt: skip

    def execute(self, context: bpy.types.Context) -> set[str]:
        scanned = scene_results.timeline_of(context.scene.session_uid)
        assert scanned is not None
        _remove_markers(context.scene)
        named: dict[int, list[str]] = {}
        for event in scanned.events:
            frame = event.start if self.at == "START" else event.worst_frame
            named.setdefault(frame, []).append(event.row.title)
        for frame in list(named)[:MOST_MARKERS]:
            more = f" +{len(named[frame]) - 1}" if len(named[frame]) > 1 else ""
            context.scene.timeline_markers.new(f"{MARKER}{named[frame][0][:50]}{more}", frame=frame)
        tag_redraw_timelines(context)
        if len(named) > MOST_MARKERS:
            self.report(
                {"WARNING"},
                said("The worst {most} of {frames} have markers", most=MOST_MARKERS, frames=(len(named), "frame")),
            )
        return {"FINISHED"}


class MESHCLASH_OT_remove_markers(Operator):
    """Remove the markers of events from the timeline and keep all others"""

    bl_idname = "meshclash.remove_markers"
    bl_label = "Remove Markers"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        ours = any(marker.name.startswith(MARKER) for marker in context.scene.timeline_markers)
        return possible(cls, ours, "No event has a marker")

    def execute(self, context: bpy.types.Context) -> set[str]:
        _remove_markers(context.scene)
        tag_redraw_timelines(context)
        return {"FINISHED"}


def _remove_markers(scene: bpy.types.Scene) -> None:
    for marker in [marker for marker in scene.timeline_markers if marker.name.startswith(MARKER)]:
        scene.timeline_markers.remove(marker)


class MESHCLASH_OT_clear_timeline(Operator):
    """Clear the events of the last scan; markers, curves and heat maps are kept"""

    bl_idname = "meshclash.clear_timeline"
    bl_label = "Clear Events"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        scanned = scene_results.timeline_of(context.scene.session_uid)
        return possible(cls, scanned, "Scan the timeline first: there are no events") and is_idle(cls)

    def execute(self, context: bpy.types.Context) -> set[str]:
        scene_results.drop_timeline(context.scene.session_uid)
        events_list.list_events(context, context.scene)
        return {"FINISHED"}


class MESHCLASH_OT_pick_event(PickRow):
    """Select this event, and go to its worst frame"""

    bl_idname = "meshclash.pick_event"
    bl_label = "Select Event"

    @classmethod
    def _about_row(cls, context: bpy.types.Context, properties: Any) -> str:
        """Return the full names, the frames, and the effect of a click."""
        events = context.window_manager.meshclash.events
        if not 0 <= properties.index < len(events):
            return ""
        event = events[properties.index]
        start, end, worst = str(event.start), str(event.end), str(event.worst)
        frames = said("Frame {frame}. Click to go to the worst frame, {worst}", frame=start, worst=worst)
        if event.end > event.start:
            text = "Frames {start} to {end}. Click to go to the worst frame, {worst}"
            frames = said(text, start=start, end=end, worst=worst)
        return f"{event.name}\n{frames}\n{verdict_in_words(event)}"

    def execute(self, context: bpy.types.Context) -> set[str]:
        listed = context.window_manager.meshclash
        if not 0 <= self.index < len(listed.events):
            return {"CANCELLED"}
        listed.active_event = self.index
        return {"FINISHED"}


class MESHCLASH_OT_show_events(Operator):
    """Show the events of this scene"""

    bl_idname = "meshclash.show_events"
    bl_label = "Show Events of This Scene"
    bl_options = {"INTERNAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        events_list.list_events(context, context.scene)
        return {"FINISHED"}


CLASSES = (
    MESHCLASH_OT_scan_timeline,
    MESHCLASH_OT_bake_clearance,
    MESHCLASH_OT_event_markers,
    MESHCLASH_OT_remove_markers,
    MESHCLASH_OT_clear_timeline,
    MESHCLASH_OT_pick_event,
    MESHCLASH_OT_show_events,
)
