"""Bad surroundings: each ends in a clear message, and nothing is lost."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest
from meshclash.types.steps import run_to_end
from ui_fakes import RecordingLayout, draw, make_report, make_row

from addon import engine, preferences, results, scene_results, view
from addon.adapters.source import BlenderSource
from addon.overlay import draw as overlay
from addon.ui import panels
from addon.ui.results_area import collections

ROOT = Path(__file__).resolve().parents[2]
LONG = Path("Größe und Maß", "検査 の結果", *["a long name " * 6 + "end"] * 4)


def read():
    return run_to_end(BlenderSource.from_context(bpy.context).read_steps("all", "all", None))


def names(scene):
    return sorted(item.name for item in scene.objects)


def run_installed(step, tmp_path, **environment):
    """Runs a step of environment_steps.py in a Blender of its own where the extension is installed from the sources."""
    variables = {name: value for name, value in os.environ.items() if name != "BLENDER_USER_RESOURCES"}
    variables = {**variables, "PYTHONPATH": str(ROOT / "engine"), "BLENDER_USER_RESOURCES": str(tmp_path / "user")}
    command = [sys.executable, str(Path(__file__).with_name("environment_steps.py")), step, str(tmp_path)]
    # Without a home Blender takes the working directory for the place of its extensions, and leaves a cache there.
    place = {"cwd": tmp_path, "env": {**variables, **environment}}
    done = subprocess.run(command, **place, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_corrupt_preferences(tmp_path):
    """A settings file of random bytes, and a setting of the wrong type inside a good one."""
    (tmp_path / "user" / "config").mkdir(parents=True)
    (tmp_path / "user" / "config" / "userpref.blend").write_bytes(b"BLENDER" + bytes(range(256)))
    assert "preferences are usable" in run_installed("preferences", tmp_path)


def test_a_folder_where_nothing_can_be_written(tmp_path):
    """The cache folder cannot be made: a file lies in its way. It works, and the preferences say what it costs."""
    assert "every session compiles them anew" in run_installed("no_cache", tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no HOME")
def test_a_home_that_cannot_be_written(tmp_path):
    environment = {"HOME": "/proc/no/home", "XDG_CACHE_HOME": "", "BLENDER_USER_RESOURCES": ""}
    assert "every session compiles them anew" in run_installed("no_home", tmp_path, **environment)


def test_another_extension_brought_a_numba_that_does_not_work(tmp_path):
    """Its package comes first on the path, as in the folder that all extensions share."""
    foreign = tmp_path / "foreign" / "numba"
    foreign.mkdir(parents=True)
    (foreign / "__init__.py").write_text("raise ImportError('Numba needs NumPy 1.20 or less')")
    path = os.pathsep.join((str(tmp_path / "foreign"), str(ROOT / "engine")))
    printed = run_installed("foreign_numba", tmp_path, PYTHONPATH=path)
    assert "Numba needs NumPy 1.20 or less" in printed and "another extension" in printed.lower()


def test_another_version_of_numba_is_named(monkeypatch):
    monkeypatch.setattr(engine, "_version", lambda name: "0.99.0" if name == "numba" else "1.0")
    assert "this version of MeshClash was tested with numba 0.68" in engine.diagnose()


def test_kernels_that_cannot_be_stored_are_in_the_diagnosis_and_the_preferences(registered, monkeypatch):
    problem = "compiled kernels cannot be stored in /cache: No space left on device"
    monkeypatch.setattr(engine.load().jit, "cache_problem", lambda: problem)
    assert problem in engine.diagnose()
    layout = RecordingLayout()
    preferences.MESHCLASH_AP_preferences.draw(SimpleNamespace(layout=layout), bpy.context)
    assert problem in layout.texts()


def test_a_view_layer_without_objects(registered, add_box):
    add_box("A", (0, 0, 0), (1, 1, 1), collection=new_collection("Left out"))
    bpy.context.view_layer.layer_collection.children["Left out"].exclude = True
    with pytest.raises(RuntimeError, match="contains no visible mesh with faces and no visible scan"):
        bpy.ops.meshclash.detect()
    assert scene_results.result_of(bpy.context.scene.session_uid) is None
    for panel in panels.CLASSES:
        if not hasattr(panel, "poll") or panel.poll(bpy.context):
            draw(panel, SimpleNamespace(**fake_context()))


def test_a_scene_without_objects_at_all(registered):
    with pytest.raises(RuntimeError, match="contains no visible mesh with faces and no visible scan"):
        bpy.ops.meshclash.detect()


def fake_context():
    names = ("scene", "window_manager", "preferences", "view_layer")
    return {**{name: getattr(bpy.context, name) for name in names}, "region": None}


def new_collection(name):
    collection = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(collection)
    return collection


@pytest.fixture
def library(tmp_path, add_box):
    """A file with a collection Parts of two boxes that overlap; the open file is empty again."""
    parts = new_collection("Parts")
    for name, x in (("Box", 0.0), ("Lid", 0.5)):
        add_box(name, (0, 0, 0), (1, 1, 1), (x, 0.25, 0.125), parts)
    path = tmp_path / LONG.parts[0] / "Teile 部品.blend"
    path.parent.mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path


def link(library):
    with bpy.data.libraries.load(str(library), link=True) as (_given, wanted):
        wanted.collections = ["Parts"]
    return wanted.collections[0]


def test_linked_objects(library, add_box, registered):
    """Objects of a library take part under their full names, beside one of the file with the same name."""
    bpy.context.scene.collection.children.link(link(library))
    add_box("Box", (0, 0, 0), (1, 1, 1), (0.25, 0.0, 0.0))
    found = names(read())
    assert found == ["Box", f"Box [{library.name}]", f"Lid [{library.name}]"]
    assert bpy.ops.meshclash.detect() == {"FINISHED"}
    rows = bpy.context.window_manager.meshclash.rows
    assert {frozenset((row.name_a, row.name_b)) for row in rows} == {
        frozenset(pair) for pair in ((found[0], found[1]), (found[0], found[2]), (found[1], found[2]))
    }
    assert {row.verdict for row in rows} == {"clash"}
    assert all(view.find_object(bpy.context, row.name_a) is not None for row in rows)


def test_a_pair_of_linked_objects_is_looked_at_alone(library, registered):
    bpy.context.scene.collection.children.link(link(library))
    bpy.ops.meshclash.detect()
    results.select_pair(bpy.context, bpy.context.window_manager.meshclash.rows[0].pair_id)
    assert collections(results.active_pair(bpy.context)) == "Parts"
    assert bpy.ops.meshclash.check_again() == {"FINISHED"}
    assert bpy.ops.meshclash.find_ways_out(scope="PAIR") == {"FINISHED"}
    (result,) = (scene_results.result_of(scene.session_uid) for scene in bpy.data.scenes)
    assert len(result.ways) == 1
    settings = bpy.context.scene.meshclash
    settings.set_a, settings.set_a_object = "OBJECT", bpy.data.objects["Lid"]
    assert bpy.ops.meshclash.detect() == {"FINISHED"}
    assert len(bpy.context.window_manager.meshclash.rows) == 1


def test_curves_are_given_to_what_can_be_changed(library, add_box, registered):
    bpy.context.scene.collection.children.link(link(library))
    own = add_box("A Post", (0, 0, 0), (1, 1, 1), (3.0, 0.0, 0.0))
    bpy.context.scene.frame_end = 2
    for item in bpy.context.scene.objects:
        item.select_set(item != own)
    with pytest.raises(RuntimeError, match="is linked from a library and cannot be animated"):
        bpy.ops.meshclash.bake_clearance(of="PAIR")
    own.select_set(True)
    assert bpy.ops.meshclash.bake_clearance(of="SELECTED") == {"FINISHED"}
    assert {key: round(value, 5) for key, value in own.items()} == {
        f"meshclash_clearance Box [{library.name}]": 2.0,
        f"meshclash_clearance Lid [{library.name}]": 1.5,
    }


def test_faces_of_linked_objects_are_not_selected_but_named(library, registered):
    bpy.context.scene.collection.children.link(link(library))
    bpy.ops.meshclash.detect()
    bpy.context.window_manager.meshclash.around = "ALL"
    bpy.context.window_manager.meshclash.active_row = 0
    with pytest.raises(RuntimeError, match="Box"):
        bpy.ops.meshclash.select_faces()
    assert bpy.context.mode == "OBJECT"


def test_an_instance_of_a_linked_collection(library):
    item = bpy.data.objects.new("Instance", None)
    item.instance_type, item.instance_collection = "COLLECTION", link(library)
    bpy.context.scene.collection.objects.link(item)
    assert len(names(read())) == 2


def test_overridden_objects(library, registered):
    """A library override is an object of this file: it moves on its own and is found under its own name."""
    linked = link(library)
    bpy.context.scene.collection.children.link(linked)
    override = linked.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    assert override is not None
    bpy.context.scene.collection.children.unlink(linked)
    bpy.context.view_layer.update()
    assert names(read()) == ["Box", "Lid"]
    bpy.data.objects["Lid"].location.x = 50.0
    bpy.context.view_layer.update()
    bpy.ops.meshclash.detect()
    assert not bpy.context.window_manager.meshclash.rows


def test_a_missing_library(library, tmp_path, registered, add_box):
    """The library's file is gone when the scene is opened: Blender shows empty placeholders, and the rest is tested."""
    bpy.context.scene.collection.children.link(link(library))
    add_box("A", (0, 0, 0), (1, 1, 1))
    add_box("B", (0.5, 0.25, 0.125), (1.5, 1, 1))
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    library.unlink()
    bpy.ops.wm.open_mainfile(filepath=str(path))
    assert bpy.ops.meshclash.detect() == {"FINISHED"}
    assert [(row.name_a, row.name_b) for row in bpy.context.window_manager.meshclash.rows] == [("A", "B")]


def test_long_paths_with_names_of_all_scripts(registered, add_box, tmp_path):
    """The file, its report, and the names in both."""
    add_box("Gehäuse", (0, 0, 0), (1, 1, 1))
    add_box("部品 №1", (0.5, 0.25, 0.125), (1.5, 1, 1))
    folder = tmp_path / LONG
    folder.mkdir(parents=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "Prüfung.blend"))
    bpy.ops.meshclash.detect()
    for kind in ("JSON", "CSV", "HTML"):
        bpy.ops.meshclash.export_report(filepath=str(folder / "Bericht 検査"), format=kind)
        text = (folder / f"Bericht 検査.{kind.lower()}").read_text("utf-8")
        assert "Gehäuse" in text and "部品 №1" in text
    bpy.ops.wm.open_mainfile(filepath=str(folder / "Prüfung.blend"))
    assert {item.name for item in bpy.data.objects} == {"Gehäuse", "部品 №1"}


@pytest.mark.parametrize("error", [SystemError("GPU functions are not available"), RuntimeError("no context")])
def test_without_graphics_nothing_is_drawn_and_it_is_said_once(registered, monkeypatch, error):
    tried = []

    def fail(*_arguments):
        tried.append(1)
        raise error

    monkeypatch.setattr(overlay, "_make_batches", fail)
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row()))
    for _ in range(3):
        overlay._draw(overlay._draw_result)
    assert len(tried) == 1
    assert str(error) in overlay.failure()
    layout = draw(panels.MESHCLASH_PT_display, SimpleNamespace(**fake_context()))
    assert any("cannot be drawn" in text for text in layout.texts())
    overlay.HANDLERS.uninstall()
    assert overlay.failure() == ""


def test_a_fault_of_ours_in_drawing_is_not_hidden(registered, monkeypatch):
    monkeypatch.setattr(overlay, "_make_batches", lambda *_arguments: {}["missing"])
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row()))
    with pytest.raises(KeyError):
        overlay._draw(overlay._draw_result)
