"""Notes on how views were before a pair was isolated, for files that Blender writes without telling anyone."""

import bpy
import pytest

from addon import ghosting, shown_things, view_notes

SHADING = {"type": "RENDERED", "show_xray": False, "xray_alpha": 0.5}
POINT = shown_things.Viewpoint(1.0, 2.0, 3.0, 38.15, "PERSP")


@pytest.fixture
def areas(registered):
    """The 3D views of the factory's startup file."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    return views()


def views():
    return [area for window in bpy.context.window_manager.windows for area in window.screen.areas
            if area.type == "VIEW_3D"]  # fmt: skip


def screen():
    return bpy.context.window_manager.windows[0].screen


def test_a_file_that_blender_wrote_by_itself_brings_the_notes(areas, tmp_path):
    key = areas[0].as_pointer()
    shown_things.isolated_views()[key] = ("Cube", "Späte Wand")
    shown_things.ghosted_views()[key] = dict(SHADING)
    shown_things.viewpoints()[key] = POINT
    view_notes.write(bpy.context)
    handlers = list(bpy.app.handlers.save_pre)
    bpy.app.handlers.save_pre.clear()  # as an autosave and the file of the last session are written
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "autosave.blend"), copy=True)
    bpy.app.handlers.save_pre.extend(handlers)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert not view_notes.read(bpy.context)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "autosave.blend"), load_ui=True)
    assert view_notes.read(bpy.context)
    key = views()[0].as_pointer()
    assert shown_things.isolated_views() == {key: None} and shown_things.ghosted_views() == {key: SHADING}
    assert shown_things.viewpoints() == {key: POINT}


def test_a_view_that_is_given_back_has_no_note(areas):
    shown_things.isolated_views()[areas[0].as_pointer()] = None
    view_notes.write(bpy.context)
    assert screen().meshclash_views
    shown_things.isolated_views().clear()
    view_notes.write(bpy.context)
    assert screen().meshclash_views == "" and not view_notes.read(bpy.context)


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"x": {}}', '{"0": 5}',
     '{"99": {"local": true}}', '{"INDEX": {"local": 5}}', '{"INDEX": {"local": [5]}}',
     '{"INDEX": {"shading": {"type": "MAGIC"}}}', '{"INDEX": {"shading": {"other": true}}}',
     '{"INDEX": {"shading": {"show_xray": "yes"}}}', '{"INDEX": {"shading": 5}}',
     '{"INDEX": {"local": true, "viewpoint": [1.0, 2.0, 3.0, "PERSP"]}}',
     '{"INDEX": {"local": true, "viewpoint": [1.0, 2.0, 3.0, 4.0, "MAGIC"]}}',
     '{"INDEX": {"local": true, "viewpoint": [1.0, 2.0, 3.0, NaN, "PERSP"]}}'],
)  # fmt: skip
def test_damaged_notes_say_nothing(areas, text):
    index = list(screen().areas).index(areas[0])
    screen().meshclash_views = text.replace("INDEX", str(index))
    assert not view_notes.read(bpy.context)


def test_what_ghosting_notes_of_a_view_is_what_may_come_back():
    assert ghosting.is_shading(SHADING) and ghosting.is_shading({})
