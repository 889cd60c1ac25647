"""Anything a user may do in any order, during Detect and Live: no exception, and nothing left behind.

A sequence starts the extension, does random operations of Blender and of the tab with slices of Detect and Live between
them, and ends by disabling the extension. CI runs a few; MESHCLASH_SEQUENCES=1000 runs that many, MESHCLASH_STEPS=300
makes each that long, MESHCLASH_SEED starts elsewhere.
"""

import contextlib
import os
from functools import partial
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from live_driver import LiveDriver, described, detected
from meshclash.clash.errors import DetectError, InputError
from meshclash.clash.job import detect_steps
from meshclash.clash.queries.registry import TESTS
from meshclash.types.steps import run_to_end
from scans import add_scan, ball
from timeline_driver import Driver
from traces import traces
from ui_fakes import draw, draw_page, escape, timer, unequal_ages

import addon
from addon import running_work, scene_results, shown_things
from addon.adapters.source import BlenderSource, metres_per_unit
from addon.core import live as live_module
from addon.ops import detect, heartbeat, timeline
from addon.overlay import draw as overlay
from addon.ui import groups, panels
from addon.ui.common_solid import MESHCLASH_PT_common_solid
from addon.ui.hierarchy import MESHCLASH_PT_hierarchy
from addon.ui.tests import MESHCLASH_PT_tests
from addon.ui.timeline import MESHCLASH_PT_timeline

WITHOUT_UNDO_STEP = (
    "do_undo",
    "do_redo",
    "do_load",
    "do_save_and_load",
    "do_start_live",
    "do_start_detect",
    "do_start_scan",
)
SEQUENCES = int(os.environ.get("MESHCLASH_SEQUENCES", "12"))
SEED = int(os.environ.get("MESHCLASH_SEED", "0"))
STEPS = int(os.environ.get("MESHCLASH_STEPS", "24"))
PAIR_OPERATORS = (
    "exclude_pair", "set_status", "select_faces", "write_attribute", "assign_material", "restore_materials",
    "remove_attribute", "include_pair", "clear_results", "show_results", "event_markers", "remove_markers",
    "write_heat", "remove_heat", "clear_timeline", "show_events",
)  # fmt: skip


ALWAYS_THERE = (
    panels.MESHCLASH_PT_detect, panels.MESHCLASH_PT_exclusions, panels.MESHCLASH_PT_display, MESHCLASH_PT_hierarchy,
    MESHCLASH_PT_timeline, MESHCLASH_PT_tests, panels.MESHCLASH_PT_messages, panels.MESHCLASH_PT_gone,
    panels.MESHCLASH_PT_filter,
)  # fmt: skip
WITH_RESULTS = (panels.MESHCLASH_PT_results, groups.MESHCLASH_PT_groups, MESHCLASH_PT_common_solid)
REPORTS = ("html", "json", "csv", "xlsx", "bcf", "bcfzip", "xml", "sarif")


class DetectDriver:
    """The modal Detect with events made by hand; one step a tick on any machine."""

    def __init__(self):
        self.operator = SimpleNamespace(run=detect.Run(bpy.context), report=lambda *_: None)
        task = self.operator.run.task
        task.run_slice = partial(task.run_slice, 0.0)

    def send(self, event):
        return detect.MESHCLASH_OT_detect.modal(self.operator, bpy.context, event) == {"PASS_THROUGH"}

    def tick(self):
        return self.send(timer())

    def escape(self):
        return self.send(escape())


class Stress:
    """A Blender session with random operations; remembers what it did for the message of a failure.

    An operation that changes data ends with an undo step, as every operator does: undoing in Edit Mode over changes
    without one crashes Blender by itself.
    """

    def __init__(self, seed, engine, add_box, folder):
        self.rng = np.random.default_rng(seed)
        self.engine, self.add_box, self.folder = engine, add_box, folder
        self.running = []  # drivers of modal operators that Blender would still send events to
        self.done = []
        self.saved = None

    def item(self, kind="MESH"):
        items = [
            item
            for item in bpy.context.scene.objects
            if item.type == kind and item.name in bpy.context.view_layer.objects
        ]
        return items[self.rng.integers(len(items))] if items else None

    def vector(self, size=1.5):
        return tuple(self.rng.integers(-4, 5, 3) * (size / 4))

    def step(self):
        names = [name for name in dir(self) if name.startswith("do_")]
        weights = np.array([getattr(getattr(self, name), "weight", 1.0) for name in names])
        name = str(self.rng.choice(names, p=weights / weights.sum()))
        self.done.append(name)
        getattr(self, name)()
        if self.rng.random() < 0.7:
            bpy.context.view_layer.update()
        if name not in WITHOUT_UNDO_STEP:
            bpy.ops.ed.undo_push(message=name)  # as Blender does after every operator
        self.slices(int(self.rng.integers(0, 8)))
        self.draw_everything()
        assert not unequal_ages(bpy.context)

    def slices(self, count):
        for _ in range(count):
            self.running = [driver for driver in self.running if driver.tick()]

    def draw_everything(self):
        """Panels and the arrays of the overlay, as a redraw would make them."""
        for cls in ALWAYS_THERE:
            draw(cls, bpy.context)
        result = scene_results.result_of(bpy.context.scene.session_uid)
        for cls in WITH_RESULTS:
            if cls.poll(bpy.context):
                draw(cls, bpy.context)
        draw_page(bpy.context)
        if result is not None:
            overlay._current_batches(bpy.context, bpy.context.scene.meshclash, result)

    # What belongs to the extension.

    def do_start_live(self):
        if running_work.running_live() is None and running_work.running_task() is None:
            self.running.append(LiveDriver())

    def do_start_detect(self):
        if bpy.ops.meshclash.detect.poll():
            with contextlib.suppress(InputError):  # a set without a picked object, which `invoke` reports
                self.running.append(DetectDriver())

    def do_start_scan(self):
        settings = bpy.context.scene.meshclash
        settings.timeline_own, settings.timeline_start = True, 1
        settings.timeline_end = int(self.rng.integers(0, 14))  # at times there is no frame
        cls = timeline.MESHCLASH_OT_scan_timeline
        if self.rng.random() < 0.3:
            cls = timeline.MESHCLASH_OT_bake_clearance
        if getattr(bpy.ops.meshclash, cls.bl_idname.split(".")[1]).poll():
            with contextlib.suppress(InputError):
                self.running.append(Driver(cls))

    def do_choose_event(self):
        listed = bpy.context.window_manager.meshclash
        listed.active_event = int(self.rng.integers(-1, len(listed.events) + 1))

    do_start_live.weight = do_start_detect.weight = do_start_scan.weight = 4.0

    def do_escape(self):
        if self.running:
            self.running.pop().escape()

    def do_stop(self):
        if bpy.ops.meshclash.stop.poll():
            bpy.ops.meshclash.stop()
        running_work.stop_live()

    def do_disable_and_enable(self):
        addon.unregister()
        assert_nothing_runs()
        self.running.clear()  # Blender drops the handlers of an operator whose class is gone
        addon.register()

    def do_change_settings(self):
        settings = bpy.context.scene.meshclash
        settings.touch_tolerance = float(self.rng.choice([0.0, 0.1]))
        settings.permitted_overlap = float(self.rng.choice([0.0, 0.2]))
        settings.skip_same_parent = bool(self.rng.integers(2))
        settings.set_a = str(self.rng.choice(["ALL", "ALL", "SELECTION", "OBJECT"]))
        settings.set_a_object = self.item()
        settings.live_budget = int(self.rng.choice([2, 20]))
        settings.test = str(self.rng.choice(["intersection", *TESTS]))
        settings.tolerance = float(self.rng.choice([0.0, 0.3]))
        settings.hierarchy_level = int(self.rng.integers(0, 6))

    def do_hierarchy(self):
        """Shows, changes or hides the hierarchy of whatever is active."""
        if self.rng.random() < 0.3 and bpy.ops.meshclash.hide_hierarchy.poll():
            bpy.ops.meshclash.hide_hierarchy()
        elif bpy.ops.meshclash.show_hierarchy.poll():
            try:
                bpy.ops.meshclash.show_hierarchy()
            except RuntimeError as error:
                assert "Error: " in str(error) and "Traceback" not in str(error)

    def do_select_row(self):
        listed = bpy.context.window_manager.meshclash
        listed.around = "ALL"
        if len(listed.rows):
            listed.active_row = int(self.rng.integers(-1, len(listed.rows)))

    def press(self, name, /, **given):
        """Presses a button of the tab if it is not grey."""
        operator = getattr(bpy.ops.meshclash, name)
        if operator.poll():
            try:
                operator(**given)
            except RuntimeError as error:
                assert "Error: " in str(error)  # a report to the user, no fault of ours
                assert "Traceback" not in str(error)

    def choice(self, *values):
        return values[int(self.rng.integers(len(values)))]

    def do_work_on_the_row(self):
        for name in PAIR_OPERATORS:
            if self.rng.random() < 0.2:
                self.press(name)

    def do_review(self):
        self.press("set_status", status=self.choice("OPEN", "REVIEWED", "APPROVED", "RESOLVED"))
        if self.rng.random() < 0.5:
            bpy.context.scene.meshclash.comment = self.choice("", "seen", "Ä × 部品")
        self.press("step_pair", step=self.choice(-1, 1))

    def do_filter(self):
        listed = bpy.context.window_manager.meshclash
        listed.search = self.choice("", "", "A", "B C", "nothing")
        listed.sort_key = self.choice("WORST", "MEASURE", "STATUS", "A", "GROUP", "PROGRESS")
        listed.sort_reverse = self.choice(False, True)
        listed.statuses = self.choice({"OPEN"}, {"OPEN", "APPROVED"}, {"OPEN", "REVIEWED", "APPROVED", "RESOLVED"})
        listed.progress = self.choice(set(), set(), {"NEW"}, {"STILL", "REOPENED"})
        listed.show_touching = self.choice(True, True, False)
        listed.around = self.choice("ALL", "ISOLATE", "GHOST")
        self.press(self.choice("list_all", "list_all", "list_selected", "list_found_again", "turn_page"))

    def do_group(self):
        listed = bpy.context.window_manager.meshclash
        if self.rng.random() < 0.3:
            listed.group_by = self.choice("cause", "families", "pattern", "object", "place", "material", "class")
        if len(listed.groups):
            listed.active_group = int(self.rng.integers(-1, len(listed.groups) + 1))
        if len(listed.rows) and self.rng.random() < 0.5:
            self.press("pick_row", index=int(self.rng.integers(len(listed.rows))), extend=self.choice("ONE", "RANGE"))
        keys = [group.key for group in listed.groups if group.key]
        others = [key for at, key in enumerate(keys) if at != listed.active_group]
        for name, given in (
            ("name_group", {"name": self.choice("", "Bolts")}), ("comment_group", {"text": "ask"}), ("split_group", {}),
            ("merge_group", {"into": self.choice(*others)} if others else None), ("reset_groups", {}),
            ("set_listed_status", {"status": self.choice("OPEN", "APPROVED")}), ("find_fits", {}),
            ("say_of_listed", {"assignee": "Ann", "due": self.choice("", "2026-12-24", "soon")}),
            ("select_listed", {"isolate": self.choice(False, True)}), ("exclude_listed", {}),
        ):  # fmt: skip
            if given is not None and self.rng.random() < 0.15:
                self.press(name, **given)

    do_group.weight = 2.0

    def do_way_out(self):
        self.press("find_ways_out", scope=self.choice("PAIR", "LISTED"))
        if self.rng.random() < 0.5:
            self.press("apply_way_out")

    def do_common_solid(self):
        for name in ("show_common_solid", "clip_common_solid", "frame_common_solid", "make_common_solid"):
            if self.rng.random() < 0.5:
                self.press(name)
        if self.rng.random() < 0.5:
            self.press("hide_common_solid")

    def do_check_again(self):
        self.press("check_again")

    def do_files(self):
        """Exports a report, and takes back what a colleague says in a BCF file."""
        path = self.folder / f"report.{self.choice(*REPORTS)}"
        self.press("export_report", filepath=str(path), listed=self.choice(False, True))
        if path.suffix.startswith(".bcf") and path.exists():
            self.press("import_bcf", filepath=str(path))

    def do_tests(self):
        """Keeps, writes, reads, removes and runs tests."""
        path = self.folder / "tests.json"
        self.press("keep_test", name=self.choice("Pipes", "Walls"))
        self.press("export_tests", filepath=str(path))
        if self.rng.random() < 0.5 and path.exists():
            self.press("import_tests", filepath=str(path))
        if self.rng.random() < 0.3:
            self.press("remove_test")
        if running_work.running_task() is None and self.rng.random() < 0.5:
            self.press("run_tests")

    # What belongs to Blender.

    def do_move(self):
        item = self.item()
        if item is not None:
            item.location = self.vector()

    def do_scale(self):
        item = self.item()
        if item is not None:
            item.scale = self.rng.choice([-1.0, 0.0, 0.5, 1.0, 1.0], 3)

    do_move.weight = 3.0

    def do_add(self):
        if len(bpy.context.scene.objects) < 12:
            self.add_box(str(self.rng.choice(["A", "B", "C"])), (0, 0, 0), (1, 1, 1), self.vector())

    do_add.weight = 3.0

    def do_add_scan(self):
        if len(bpy.context.scene.objects) < 12:
            add_scan("Scan", ball(300, 0.6)[0], location=self.vector(), as_mesh=bool(self.rng.integers(2)))

    def do_add_by_operator(self):
        if bpy.ops.mesh.primitive_uv_sphere_add.poll() and len(bpy.context.scene.objects) < 12:
            bpy.ops.mesh.primitive_uv_sphere_add(segments=8, ring_count=5, location=self.vector())

    def do_delete(self):
        item = self.item()
        if item is not None:
            bpy.data.objects.remove(item)

    def do_delete_by_operator(self):
        bpy.ops.object.select_all(
            action=str(self.rng.choice(["INVERT", "DESELECT"]))
        ) if bpy.ops.object.select_all.poll() else None
        if bpy.ops.object.delete.poll():
            bpy.ops.object.delete()

    def do_rename(self):
        item = self.item()
        if item is not None:
            item.name = str(self.rng.choice(["A", "B", "Ä ö", "x" * 60]))

    def do_duplicate(self):
        item = self.item()
        if item is not None and len(bpy.context.scene.objects) < 12:
            twin = item.copy()
            if self.rng.random() < 0.5:
                twin.data = item.data.copy()
            bpy.context.scene.collection.objects.link(twin)

    def do_deform(self):
        item = self.item()
        if item is not None and not item.data.is_editmode and len(item.data.vertices):
            item.data.vertices[0].co.x += 0.25
            item.data.update()

    def do_modifier(self):
        item = self.item()
        if item is not None and len(item.modifiers) < 2:
            item.modifiers.new("M", str(self.rng.choice(["SUBSURF", "MIRROR", "DECIMATE"])))
        elif item is not None:
            item.modifiers.clear()

    def do_broken_mesh(self):
        item = self.item()
        if item is not None and not item.data.is_editmode and len(item.data.vertices):
            item.data.vertices[-1].co.z = float(self.rng.choice([np.nan, np.inf, 0.0, 0.0]))
            item.data.update()

    def do_mode(self):
        item = self.item()
        if item is not None and item.visible_get():
            bpy.context.view_layer.objects.active = item
            mode = str(self.rng.choice(["EDIT", "OBJECT", "SCULPT", "WEIGHT_PAINT"]))
            if bpy.ops.object.mode_set.poll():
                bpy.ops.object.mode_set(mode=mode)

    def do_edit(self):
        if bpy.context.mode == "EDIT_MESH":
            bpy.ops.mesh.select_all(action="SELECT")
            bpy.ops.transform.translate(value=self.vector(0.4))
            if self.rng.random() < 0.3:
                bpy.ops.mesh.delete(type="FACE")

    do_mode.weight = do_edit.weight = 2.0

    def do_hide(self):
        item = self.item()
        if item is not None:
            item.hide_set(bool(self.rng.integers(2)))
            item.hide_viewport = self.rng.random() < 0.2

    def do_collection(self):
        scene = bpy.context.scene
        name = f"Parts{self.rng.integers(2)}"
        collection = bpy.data.collections.get(name) or bpy.data.collections.new(name)
        if collection.name not in scene.collection.children:
            scene.collection.children.link(collection)
        item = self.item()
        if item is not None and item.name not in collection.objects:
            collection.objects.link(item)
        layer = bpy.context.view_layer.layer_collection.children.get(name)
        if layer is not None:
            layer.exclude = bool(self.rng.random() < 0.3)

    def do_instance(self):
        if bpy.data.collections and len(bpy.context.scene.objects) < 12:
            item = bpy.data.objects.new("Instancer", None)
            item.instance_type = "COLLECTION"
            item.instance_collection = bpy.data.collections[int(self.rng.integers(len(bpy.data.collections)))]
            item.location = self.vector()
            bpy.context.scene.collection.objects.link(item)

    def do_parent(self):
        child, parent = self.item(), self.item()
        if child is not None and child != parent and parent.parent is None and not child.children:
            child.parent = parent

    def do_frame(self):
        item = self.item()
        if item is not None:
            item.keyframe_insert("location", frame=int(self.rng.integers(1, 20)))
        bpy.context.scene.frame_set(int(self.rng.integers(1, 20)))

    def do_undo(self):
        if bpy.ops.ed.undo.poll():
            bpy.ops.ed.undo()

    def do_redo(self):
        if bpy.ops.ed.redo.poll():
            bpy.ops.ed.redo()

    do_undo.weight = 3.0
    do_redo.weight = 1.5

    def do_save_and_load(self):
        self.saved = str(self.folder / "stress.blend")
        bpy.ops.wm.save_as_mainfile(filepath=self.saved)
        if self.rng.random() < 0.5:
            bpy.ops.wm.open_mainfile(filepath=self.saved)

    def do_load(self):
        if self.saved and self.rng.random() < 0.5:
            bpy.ops.wm.open_mainfile(filepath=self.saved)
        else:
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)

    def do_scene(self):
        if len(bpy.data.scenes) > 1:
            bpy.data.scenes.remove(next(scene for scene in bpy.data.scenes if scene != bpy.context.scene))
        else:
            other = bpy.data.scenes.new("Other")
            item = self.item()
            if item is not None:
                other.collection.objects.link(item)

    def do_purge(self):
        bpy.data.orphans_purge()

    def do_render(self):
        """A tiny picture with Cycles: its thread evaluates the scene for itself."""
        scene = bpy.context.scene
        scene.render.engine = "CYCLES"
        scene.cycles.samples, scene.cycles.device = 1, "CPU"
        scene.render.resolution_x = scene.render.resolution_y = 8
        if scene.camera is None:
            scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
            scene.collection.objects.link(scene.camera)
        bpy.ops.render.render()

    do_render.weight = do_disable_and_enable.weight = do_save_and_load.weight = 0.5


def assert_nothing_runs():
    assert running_work.running_task() is None and running_work.running_live() is None
    assert not heartbeat.Heartbeat.running
    assert not overlay.HANDLERS.installed


def assert_nothing_is_left():
    assert_nothing_runs()
    assert shown_things.shown_hierarchy() is None and shown_things.advice() is None


@pytest.fixture
def stress_tools(engine, add_box, tmp_path, monkeypatch):
    monkeypatch.setattr(live_module, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(overlay, "_make_batches", lambda signature, data: SimpleNamespace(signature=signature))
    return engine, add_box, tmp_path


@pytest.mark.parametrize("seed", range(SEED, SEED + SEQUENCES))
def test_any_sequence_of_operations(seed, stress_tools):
    before = traces()
    stress = Stress(seed, *stress_tools)
    bpy.ops.ed.undo_push(message="start")
    addon.register()
    try:
        for _ in range(3):
            stress.do_add()
        for _ in range(STEPS):
            stress.step()
        check_the_answer(stress)
    except BaseException:
        print(f"seed {seed}:", " ".join(stress.done))
        raise
    finally:
        addon.unregister()
    assert traces() == before
    assert_nothing_is_left()


def check_the_answer(stress):
    """However it came about: Detect, with what it knows of earlier ones, and Live end in what a fresh one finds."""
    running_work.stop_task()
    running_work.stop_live()
    stress.slices(1)  # the operators notice
    if bpy.context.mode != "OBJECT":
        bpy.context.object.hide_viewport = False
        bpy.context.object.hide_set(False)  # Blender leaves the mode of visible objects only
        bpy.ops.object.mode_set(mode="OBJECT")
    settings = bpy.context.scene.meshclash
    settings.set_a, settings.test = "ALL", str(stress.rng.choice(["intersection", "clearance", "distance"]))
    for mesh in bpy.data.meshes:
        mesh.validate(clean_customdata=False)
    bpy.context.view_layer.update()
    fresh = detected(stress.engine)
    if fresh:
        assert bpy.ops.meshclash.detect() == {"FINISHED"}
        result = scene_results.result_of(bpy.context.scene.session_uid)
        assert described(result.found.rows) == described(fresh)
    driver = LiveDriver()
    rows = driver.settle()
    report = scene_results.result_of(bpy.context.scene.session_uid)
    if not driver.run.live.problem and not (report and report.report.skipped):
        assert described(rows) == described(detected(stress.engine))
    driver.escape()
    assert_nothing_runs()


EDITS = (
    "move", "move", "scale", "add", "add", "add_scan", "delete", "rename", "duplicate", "deform", "modifier",
    "broken_mesh", "mode", "edit", "edit", "hide", "collection", "instance", "parent", "frame", "undo", "undo", "redo",
    "load", "save_and_load", "scene",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEED, SEED + SEQUENCES))
def test_detect_pressed_again_finds_what_a_fresh_one_finds(seed, stress_tools, registered):
    """After any edits, undone or not, whatever is asked for: what is kept of the press before is never shown."""
    stress = Stress(seed, *stress_tools)
    bpy.ops.ed.undo_push(message="start")
    for _ in range(2 * STEPS):
        edit = f"do_{stress.rng.choice(EDITS)}"
        stress.done.append(edit)
        getattr(stress, edit)()
        bpy.context.view_layer.update()
        if edit not in WITHOUT_UNDO_STEP:
            bpy.ops.ed.undo_push(message=edit)
        if stress.rng.random() < 0.5:
            continue
        if stress.rng.random() < 0.2:
            stress.do_change_settings()
            bpy.context.scene.meshclash.test = str(
                stress.rng.choice([name for name in TESTS if name != "time-critical"])
            )
        fresh = outcome(lambda: Fresh(stress.engine).run())
        for _ in range(2):
            pressed = outcome(lambda: detect.prepare(bpy.context).run().report)
            assert pressed == fresh, f"seed {seed}: {' '.join(stress.done)}"


class Fresh:
    """A detection that knows nothing, as a task."""

    def __init__(self, engine):
        options = bpy.context.scene.meshclash.checked_options(metres_per_unit(bpy.context.scene))
        self._steps = detect_steps(BlenderSource.from_context(bpy.context), options, engine)

    def run(self):
        return run_to_end(self._steps)


def outcome(find):
    """What a detection says: its rows and what is left out, or why it cannot."""
    try:
        report = find()
    except DetectError as error:
        return str(error)
    return described(report.rows), sorted((item.name, item.reason) for item in report.skipped)
