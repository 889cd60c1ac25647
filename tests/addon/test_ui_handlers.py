"""File loading, undo and changes of the scene."""

import bpy
import pytest
from ui_fakes import make_report, make_row

from addon import handlers, results, session


@pytest.fixture
def result(registered):
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.ed.undo_push(message="cube")
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row()))
    return session.result_of(bpy.context.scene.session_uid)


def test_loading_a_file_drops_results_and_list(result, tmp_path):
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert session.result_of(bpy.context.scene.session_uid) is None
    assert len(bpy.context.window_manager.meshclash.rows) == 0


def test_settings_are_saved_in_the_file(result, tmp_path):
    path = str(tmp_path / "saved.blend")
    bpy.context.scene.meshclash.permitted_overlap = 0.5
    bpy.context.scene.meshclash.excluded_pairs.add().name_a = "A"
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.context.scene.meshclash.permitted_overlap == pytest.approx(0.5)
    assert bpy.context.scene.meshclash.excluded_pairs[0].name_a == "A"


def test_undo_hides_the_overlay_but_keeps_the_list(result):
    handlers.on_undo()
    assert result.outdated == handlers.UNDONE
    assert len(bpy.context.window_manager.meshclash.rows) == 1


def test_a_moved_object_is_noticed(result):
    bpy.context.view_layer.update()
    result.changed = False
    bpy.context.scene.cursor.location.x = 1.0
    bpy.context.view_layer.update()
    assert not result.changed
    bpy.context.object.location.x = 1.0
    bpy.context.view_layer.update()
    assert result.changed


def test_handlers_survive_loading(registered):
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    for name, handler in handlers._HANDLERS:
        assert handler in getattr(bpy.app.handlers, name)[:]
