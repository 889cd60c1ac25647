"""Cloths around a ball: how certain it is that it is inside, where that is shown; and what is said to be a shell."""

import math
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from ui_fakes import RecordingLayout, draw

from addon import scene_results
from addon.ops import listing, timeline
from addon.ui.lists import MESHCLASH_UL_pairs
from addon.ui.panels import MESHCLASH_PT_object, MESHCLASH_PT_results
from addon.ui.timeline import MESHCLASH_PT_timeline, MESHCLASH_UL_events


def add_cloth(name, degrees, radius=1.2, around=24, rings=24):
    """A cloth over the ball, as it hangs when it has fallen: a sphere of which the lower part is missing."""
    angles = np.radians(degrees) * np.arange(1, rings + 1) / rings
    turn = np.arange(around) / around * 2.0 * math.pi
    points = [(0.0, 0.0, radius)]
    points += [(radius * math.sin(a) * math.cos(t), radius * math.sin(a) * math.sin(t), radius * math.cos(a))
               for a in angles for t in turn]  # fmt: skip
    rows = np.arange(around * rings).reshape(rings, around) + 1
    after = np.roll(rows, -1, axis=1)
    faces = [(0, int(a), int(b)) for a, b in zip(rows[0], after[0], strict=True)]
    faces += np.stack([rows[:-1], rows[1:], after[1:], after[:-1]], -1).reshape(-1, 4).tolist()
    return add_object(name, points, faces)


def add_object(name, points, faces):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    item = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(item)
    return item


@pytest.fixture
def ball(registered):
    bpy.ops.mesh.primitive_uv_sphere_add(segments=24, ring_count=12, radius=1.0)
    item = bpy.context.active_object
    item.name = "Ball"
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 3
    return item


def events():
    assert bpy.ops.meshclash.scan_timeline() == {"FINISHED"}
    return scene_results.timeline_of(bpy.context.scene.session_uid).events


def detected():
    assert bpy.ops.meshclash.detect() == {"FINISHED"}
    rows = scene_results.existing_result(bpy.context.scene.session_uid).report.rows
    return sorted((*row.names, row.verdict) for row in rows)


def cells(uilist, item, index=0):
    layout = RecordingLayout()
    listed = bpy.context.window_manager.meshclash
    uilist.draw_item(None, bpy.context, layout, listed, item, 0, listed, "", index)
    return layout.texts()


def test_a_cloth_that_fell_on_a_ball_is_no_plain_inside(ball):
    add_cloth("Cloth", 150.0)
    (event,) = events()
    assert event.row.verdict == "contained" and 0.5 < event.row.certainty < 0.9
    share = f"{event.row.certainty:.0%}"
    listed = bpy.context.window_manager.meshclash
    assert any(text.endswith(f", {share}") for text in cells(MESHCLASH_UL_events, listed.events[0]))
    tip = timeline.MESHCLASH_OT_pick_event.description(bpy.context, SimpleNamespace(index=0, tip=""))
    words = f"Inside, {share} certain: the open mesh is treated as the solid that it seems to enclose"
    assert tip.splitlines()[-1] == words
    listed.active_event = 0
    assert words in " ".join(draw(MESHCLASH_PT_timeline, bpy.context).texts())
    assert f"{share} certain" in cells(MESHCLASH_UL_pairs, listed.rows[0])
    assert words in " ".join(draw(MESHCLASH_PT_results, bpy.context).texts())
    tip = listing.MESHCLASH_OT_pick_row.description(bpy.context, SimpleNamespace(index=0, side="a", tip=""))
    assert words in tip.splitlines()


@pytest.mark.parametrize("degrees", [100.0, 120.0])
def test_a_cloth_that_hangs_wide_open_holds_nothing(ball, degrees):
    add_cloth("Cloth", degrees)
    assert events() == []


def test_nothing_lies_in_what_is_said_to_be_a_shell(ball, tmp_path):
    cloth = add_cloth("Cloth", 175.0)
    assert detected() == [("Ball", "Cloth", "contained")]
    bpy.context.view_layer.objects.active = cloth
    assert ("prop", (cloth, "meshclash_shell"), {}) in draw(MESHCLASH_PT_object, bpy.context).calls
    cloth.meshclash_shell = True
    assert detected() == [] and events() == []
    path = str(tmp_path / "shell.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.data.objects["Cloth"].meshclash_shell and detected() == []
    bpy.data.objects["Cloth"].meshclash_shell = False
    assert detected() == [("Ball", "Cloth", "contained")]


def test_objects_of_one_mesh_are_shells_one_by_one(ball):
    cloth = add_cloth("Cloth", 175.0)
    other = bpy.data.objects.new("Other", cloth.data)
    other.scale = (1.5, 1.5, 1.5)
    third = bpy.data.objects.new("Third", cloth.data)
    for item in (other, third):
        bpy.context.scene.collection.objects.link(item)
    other.location.x = third.location.x = 10.0
    third.scale = (1.25, 1.25, 1.25)
    assert detected() == [("Ball", "Cloth", "contained"), ("Other", "Third", "contained")]
    other.meshclash_shell = True
    assert detected() == [("Ball", "Cloth", "contained")]


def test_a_list_gets_old_when_an_object_becomes_a_shell(ball):
    cloth = add_cloth("Cloth", 175.0)
    detected()
    result = scene_results.existing_result(bpy.context.scene.session_uid)
    (row,) = result.report.rows
    assert not result.is_stale(row)
    cloth.meshclash_shell = True
    bpy.context.view_layer.update()
    assert result.is_stale(row)
