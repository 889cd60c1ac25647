"""The common solid of the selected pair: found, measured, drawn, aged, made an object."""

import bpy
import numpy as np
import pytest
from ui_fakes import draw

from addon import shown_things
from addon.overlay import lines
from addon.ui import common_solid as panels

pytest.importorskip("manifold3d")


def select(row=0):
    bpy.ops.meshclash.detect()
    listed = bpy.context.window_manager.meshclash
    listed.around = "ALL"
    listed.active_row = row


def shown():
    return shown_things.solid.of(bpy.context.scene.session_uid)


def told():
    return " ".join(draw(panels.MESHCLASH_PT_common_solid, bpy.context).texts())


@pytest.fixture
def socket(registered, add_box):
    """A small box halfway in the face of a large one, away from the origin."""
    add_box("Wall", (0, 0, 0), (4, 0.25, 3), location=(7, 0, 0))
    add_box("Socket", (0, 0, 0), (0.5, 0.5, 0.25), location=(8, 0.125, 1))
    select()


def test_a_socket_in_a_wall_is_measured_drawn_and_framed_as_large_as_it_is(socket):
    assert bpy.ops.meshclash.show_common_solid() == {"FINISHED"}
    assert shown().volume == pytest.approx(0.5 * 0.125 * 0.25)
    assert shown().sides == pytest.approx((0.5, 0.25, 0.125))
    assert np.allclose(shown().box, [(8, 0.125, 1), (8.5, 0.25, 1.25)])
    assert len(shown().lines) == 24  # the twelve edges of a box, without the diagonals of its faces
    assert [item.kind for item in lines._wanted(bpy.context)] == ["solid"]
    assert not shown().contradicts and "0.5 m × 0.25 m × 0.125 m" in told()


def test_one_press_makes_it_an_object_that_undo_takes_away(socket):
    bpy.ops.meshclash.show_common_solid()
    bpy.ops.meshclash.make_common_solid()
    (made,) = (item for item in bpy.context.scene.objects if "×" in item.name)
    corners = np.array([made.matrix_basis @ vertex.co for vertex in made.data.vertices])
    assert np.allclose([corners.min(axis=0), corners.max(axis=0)], shown().box)


def test_it_grows_old_and_is_freed(socket):
    bpy.ops.meshclash.show_common_solid()
    bpy.data.objects["Socket"].location.x += 1
    bpy.context.view_layer.update()
    assert shown().stale and "press Update" in told()
    bpy.ops.meshclash.show_common_solid()
    assert not shown().stale and shown().box[0][0] == pytest.approx(9)
    bpy.ops.meshclash.hide_common_solid()
    assert shown() is None and not bpy.ops.meshclash.make_common_solid.poll()


def test_of_an_open_mesh_it_is_unknown_and_that_is_said(socket):
    mesh = bpy.data.objects["Socket"].data
    corners = [tuple(vertex.co) for vertex in mesh.vertices]
    faces = [tuple(polygon.vertices) for polygon in mesh.polygons][:-1]
    mesh.clear_geometry()
    mesh.from_pydata(corners, [], faces)
    select()
    with pytest.raises(RuntimeError, match="Unknown: Socket is open"):
        bpy.ops.meshclash.show_common_solid()
    assert shown() is None
