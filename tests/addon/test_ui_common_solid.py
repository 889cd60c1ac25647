"""The common solid of the selected pair: found, measured, drawn, aged, made an object."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from ui_fakes import RecordingLayout, draw

from addon import scene_results, shown_things, view
from addon.overlay import lines
from addon.texts import text_width
from addon.ui import common_solid as panels
from addon.ui.lists import MESHCLASH_UL_pairs
from addon.ui.panels import draw_pair_facts

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


def test_long_names_are_shown_whole(socket):
    bpy.data.objects["Wall"].name = "Basic Wall:Interior - Partition (92mm Stud):138584, third floor"
    bpy.data.objects["Socket"].name = "A_socket_of_the_electrician_without_any_spaces"
    select()
    bpy.ops.meshclash.show_common_solid()
    context = SimpleNamespace(
        scene=bpy.context.scene, space_data=None, region=SimpleNamespace(width=300), preferences=bpy.context.preferences
    )
    texts = draw(panels.MESHCLASH_PT_common_solid, context).texts()
    assert all(text_width(text) < 300 for text in texts)
    assert "".join(shown().names).replace(" ", "") in "".join(texts).replace(" ", "").replace("×", "")


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
    with pytest.raises(RuntimeError, match="Unknown: Socket is not closed"):
        bpy.ops.meshclash.show_common_solid()
    assert shown() is None


def test_a_view_is_clipped_to_a_box_around_it(socket):
    bpy.ops.meshclash.show_common_solid()
    planes = np.array(view.planes_of(shown().box, 0.25))
    inside = np.concatenate([shown().box, [shown().box.mean(axis=0)]])
    assert (inside @ planes[:, :3].T + planes[:, 3] > 0).all()
    around = 0.3 * np.linalg.norm(np.ptp(shown().box, axis=0))
    for axis in range(3):
        for sign, corner in ((-1, shown().box[0]), (1, shown().box[1])):
            outside = shown().box.mean(axis=0)
            outside[axis] = corner[axis] + sign * around
            assert (planes[:, :3] @ outside + planes[:, 3] < 0).sum() == 1
    assert bpy.ops.meshclash.clip_common_solid.poll()


def test_a_row_says_that_its_common_solid_contradicts_what_is_proved(socket, monkeypatch):
    result = scene_results.existing_result(bpy.context.scene.session_uid)
    (row,) = result.report.rows
    bpy.ops.meshclash.show_common_solid()
    assert not result.contradicts(row.id)
    layout = RecordingLayout()
    draw_pair_facts(layout, bpy.context, row, result.report.options)
    assert "0.0156 m³" in " ".join(layout.texts())
    object.__setattr__(row, "depth", 3.0)  # a ball that is larger than the solid
    bpy.ops.meshclash.show_common_solid()
    assert result.contradicts(row.id)
    layout = RecordingLayout()
    draw_pair_facts(layout, bpy.context, row, result.report.options)
    assert "contradicts the proved bounds, which are correct" in " ".join(layout.texts())
    layout = RecordingLayout()
    listed = bpy.context.window_manager.meshclash
    MESHCLASH_UL_pairs.draw_item(None, bpy.context, layout, listed, listed.rows[0], 0, None, "", 0)
    assert any(kwargs.get("icon") == "ERROR" for _, _, kwargs in layout.calls)


def tube(inner, outer, height, count=32):
    """A closed tube about z, its foot at 0: vertices and triangles."""
    turn = 2 * np.pi * np.arange(count) / count
    circle = np.stack([np.cos(turn), np.sin(turn), np.zeros(count)], axis=1)
    top, triangles = np.array([0, 0, height]), []
    for level in range(4):
        for k in range(count):
            a, b = level * count + k, level * count + (k + 1) % count
            c, d = ((level + 1) % 4) * count + k, ((level + 1) % 4) * count + (k + 1) % count
            triangles += [(a, d, b), (a, c, d)]
    return np.concatenate([inner * circle, outer * circle, outer * circle + top, inner * circle + top]), triangles


def add_mesh(name, mesh, location=(0, 0, 0)):
    data = bpy.data.meshes.new(name)
    data.from_pydata(mesh[0].tolist(), [], mesh[1])
    item = bpy.data.objects.new(name, data)
    item.location = location
    bpy.context.scene.collection.objects.link(item)


def test_screws_and_press_fits_are_found_and_approved_in_one_go(registered, add_box):
    """Two shafts in tight hubs, one beside the middle of its hub, and two boxes that overlap."""
    for k, x in enumerate((0.0, 0.0, 0.3)):
        add_mesh(f"Hub.{k}", tube(0.95, 2.0, 1.0), (8 * k, 0, 0))
        add_mesh(f"Shaft.{k}", tube(0.25, 1.0, 4.0), (8 * k + x, 0, -1))
    add_box("Pump", (0, 20, 0), (2, 22, 2))
    add_box("Tank", (1, 21, 1), (4, 24, 4))
    bpy.context.view_layer.update()
    bpy.ops.meshclash.detect()
    listed = bpy.context.window_manager.meshclash
    assert listed.found == 4
    bpy.ops.meshclash.find_fits()
    assert {row.name for row in listed.rows} == {"Hub.0 × Shaft.0", "Hub.1 × Shaft.1"}
    bpy.ops.meshclash.set_listed_status(status="APPROVED")
    bpy.ops.meshclash.list_all()
    reviews = bpy.context.scene.meshclash.reviews
    assert listed.found == 4 and {item.name_a for item in reviews} == {"Hub.0", "Hub.1"}


def test_a_sub_assembly_counts_as_one_part(registered, add_box):
    gearbox = bpy.data.objects.new("Gearbox", None)
    bpy.context.scene.collection.objects.link(gearbox)
    add_box("Floor", (-5, -5, -1), (20, 5, 0))
    for k in range(3):
        add_box(f"Foot.{k}", (3 * k, 0, -0.5), (3 * k + 1, 1, 1)).parent = gearbox
    add_box("Crate", (15, 0, -0.5), (16, 1, 1))
    bpy.context.view_layer.update()
    bpy.ops.meshclash.detect()
    listed = bpy.context.window_manager.meshclash
    listed.group_by = "assembly"
    groups = [(item.name, item.count) for item in listed.groups]
    assert groups == [("Floor against Gearbox", 3), ("Crate against Floor", 1)]
