"""Detect in the interface with the real engine: the result list, and a scene that changes under the job."""

from types import SimpleNamespace

import bpy
import pytest
from ui_fakes import escape, timer

from addon import running_work, scene_results
from addon.ops import detect


@pytest.fixture
def boxes(registered, add_box):
    """Two boxes that overlap by half with all faces axis-aligned, one that touches, one inside, one far away."""
    for name, low, high in (
        ("A", (0, 0, 0), (4, 4, 4)),
        ("Half", (2, 0, 0), (6, 4, 4)),
        ("Touching", (-4, 0, 0), (0, 4, 4)),
        ("Inside", (0.5, 1, 1), (1, 2, 2)),
        ("Far", (20, 0, 0), (21, 1, 1)),
    ):
        add_box(name, low, high)
    bpy.context.view_layer.update()


def start():
    reports = []
    operator = SimpleNamespace(run=detect.Run(bpy.context), report=lambda kind, text: reports.append((*kind, text)))
    return operator, reports


def send(operator, event):
    return detect.MESHCLASH_OT_detect.modal(operator, bpy.context, event)


def scene_state():
    return {item.name: (tuple(map(tuple, item.matrix_world)), len(item.data.vertices)) for item in bpy.data.objects}


def test_the_list_is_right(boxes):
    bpy.ops.meshclash.detect()
    rows = bpy.context.window_manager.meshclash.rows
    found = {frozenset((row.name_a, row.name_b)): row.verdict for row in rows}
    assert found == {
        frozenset(("A", "Half")): "clash",
        frozenset(("A", "Touching")): "touching",
        frozenset(("A", "Inside")): "contained",
    }
    clash = next(row for row in rows if row.verdict == "clash")
    assert clash.depth == pytest.approx(2.0, rel=0.1)
    assert clash.faces_a and clash.faces_b


def test_sets_and_permitted_overlap_and_exclusions(boxes):
    settings = bpy.context.scene.meshclash
    settings.set_a, settings.set_a_object = "OBJECT", bpy.data.objects["Half"]
    bpy.ops.meshclash.detect()
    rows = bpy.context.window_manager.meshclash.rows
    assert [(row.verdict, {row.name_a, row.name_b}) for row in rows] == [("clash", {"A", "Half"})]
    settings.permitted_overlap = 3.0
    bpy.ops.meshclash.detect()
    assert [row.verdict for row in rows] == ["touching"]
    bpy.context.window_manager.meshclash.active_row = 0
    bpy.ops.meshclash.exclude_pair()
    bpy.ops.meshclash.detect()
    assert len(rows) == 0


def test_contacting_faces_are_those_that_meet(boxes):
    bpy.ops.meshclash.detect()
    listed = bpy.context.window_manager.meshclash
    listed.active_row = next(index for index, row in enumerate(listed.rows) if row.verdict == "touching")
    bpy.ops.meshclash.select_faces()
    bpy.ops.object.mode_set(mode="OBJECT")
    for name in ("A", "Touching"):
        mesh = bpy.data.objects[name].data
        selected = [face for face in mesh.polygons if face.select]
        assert sum(all(mesh.vertices[vertex].co.x == 0 for vertex in face.vertices) for face in selected) == 1


def test_a_deleted_object_stops_the_job_with_a_clear_message(boxes, monkeypatch):
    monkeypatch.setattr(detect.Task.run_slice, "__defaults__", (0.0,))
    operator, reports = start()
    while "Reading" not in operator.run.task.text:
        assert send(operator, timer()) == {"PASS_THROUGH"}
    bpy.data.objects.remove(bpy.data.objects["Far"])
    before = scene_state()
    state = {"PASS_THROUGH"}
    while state == {"PASS_THROUGH"}:
        state = send(operator, timer())
    assert state == {"CANCELLED"}
    assert reports[0][0] == "ERROR" and "Far" in reports[0][1]
    assert scene_state() == before
    assert running_work.running_task() is None


def test_escape_in_the_middle_leaves_everything_as_it_was(boxes, monkeypatch):
    monkeypatch.setattr(detect.Task.run_slice, "__defaults__", (0.0,))
    bpy.context.scene.frame_set(7)
    before, selected = scene_state(), list(bpy.context.selected_objects)
    operator, reports = start()
    while operator.run.task.fraction < 0.3:
        assert send(operator, timer()) == {"PASS_THROUGH"}
    assert send(operator, escape()) == {"CANCELLED"}
    assert reports == [("WARNING", "Cancelled")]
    assert scene_state() == before
    assert (bpy.context.scene.frame_current, list(bpy.context.selected_objects)) == (7, selected)


def test_no_mesh_in_a_set_is_explained(registered):
    with pytest.raises(RuntimeError, match=r"set A .* contains no visible mesh"):
        bpy.ops.meshclash.detect()


def test_statistics_are_shown(boxes):
    from ui_fakes import draw

    from addon.ui import panels

    bpy.ops.meshclash.detect()
    texts = draw(panels.MESHCLASH_PT_statistics, bpy.context).texts()
    assert {"Objects", "Triangles", "Volume Tests", "Triangle Tests", "Exact Tests", "Total"} <= set(texts)
    assert texts[texts.index("Objects") + 1] == "5"


@pytest.fixture
def press(boxes, engine, monkeypatch):
    """Presses Detect, and says of how many pairs of the scene the engine was asked."""
    counted, original = [], engine.scene.members.Members.case_steps

    def case_steps(self, pairs, *given, **options):
        counted.append((self, len(pairs)))
        return original(self, pairs, *given, **options)

    monkeypatch.setattr(engine.scene.members.Members, "case_steps", case_steps)

    def pressed():
        counted.clear()
        bpy.ops.meshclash.detect()
        known = scene_results.take_followed(bpy.context.scene.session_uid, engine)
        scene_results.keep_followed(bpy.context.scene.session_uid, known)
        members = known.world.scene._objects  # other scenes are those of warming up
        return sum(count for asked, count in counted if asked is members)

    return pressed


def listed():
    rows = bpy.context.window_manager.meshclash.rows
    return {(row.name_a, row.name_b): (row.verdict, row.faces_a, row.faces_b) for row in rows}


def test_a_second_press_asks_only_what_changed(press):
    assert press() == 3
    found = listed()
    assert press() == 0 and listed() == found
    bpy.data.objects["Half"].location.x = 2.0
    assert press() == 1 and listed()["A", "Half"][0] == "touching"
    bpy.data.objects["Half"].location.x = 0.0
    assert press() == 1 and listed() == found


def test_faces_that_are_others_are_told_though_the_triangles_are_the_same(press):
    press()
    before = listed()["A", "Touching"]
    bpy.data.objects["A"].modifiers.new("M", "TRIANGULATE")
    press()
    found = listed()
    assert found["A", "Touching"][1] > before[1] and found["A", "Touching"][2] == before[2]
    scene_results.forget_followed()
    assert press() == 3 and listed() == found


def test_what_is_known_goes_with_another_scene_and_with_the_file(press, engine):
    uid = bpy.context.scene.session_uid
    press()
    assert scene_results.take_followed(uid + 1, engine) is None
    assert press() == 3
    assert scene_results.take_followed(uid, SimpleNamespace()) is None  # of another engine
    assert press() == 3
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert scene_results.take_followed(uid, engine) is None


@pytest.mark.parametrize("steps", [1, 20, 60, 100])
def test_a_press_that_was_stopped_spoils_nothing(press, steps):
    press()
    found = listed()
    bpy.data.objects["Half"].location.x = 1.0
    bpy.context.view_layer.update()
    operator, _ = start()
    for _ in range(steps):
        operator.run.task.run_slice(0.0)
    send(operator, escape())
    bpy.data.objects["Half"].location.x = 0.0
    press()
    assert listed() == found
