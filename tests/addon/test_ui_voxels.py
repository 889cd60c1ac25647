"""The common voxels of the selected pair: found, shown, aged, freed."""

from functools import partial

import bpy
import numpy as np
import pytest
from ui_fakes import draw, escape, make_report, make_row, timer

from addon import results, shown_things
from addon.core import voxel_boxes
from addon.ops import voxels as operators
from addon.ops.detect import Run
from addon.ui import voxels as panels


@pytest.fixture
def pair(registered, add_box):
    """Two boxes that share a quarter, found by Detect and selected."""
    add_box("A", (0, 0, 0), (1, 1, 1))
    add_box("B", (0, 0, 0), (1, 1, 1), location=(0.75, 0.5, 0.5))
    return select()


def select():
    bpy.ops.meshclash.detect()
    listed = bpy.context.window_manager.meshclash
    listed.around = "ALL"
    listed.active_row = 0
    return listed


def shown():
    return shown_things.voxels.of(bpy.context.scene.session_uid)


def settings():
    return bpy.context.scene.meshclash


def told():
    return " ".join(draw(panels.MESHCLASH_PT_voxels, bpy.context).texts())


def test_nothing_is_shown_until_it_is_asked_for_and_nothing_stays_after(pair):
    assert shown() is None and not bpy.ops.meshclash.hide_voxels.poll()
    assert bpy.ops.meshclash.show_voxels() == {"FINISHED"}
    assert shown().names == ("A", "B") and shown().count > 0 and f"{shown().count:,}" in told()
    assert bpy.ops.meshclash.hide_voxels() == {"FINISHED"}
    assert shown() is None and "Show Selected Pair" in told()


@pytest.mark.parametrize("resolution", [1, 7, 32])
def test_the_boxes_are_the_voxels_of_the_engine_with_each_edge_once(pair, engine, resolution):
    settings().voxel_resolution = resolution
    bpy.ops.meshclash.show_voxels()
    a, b = (mesh_of(engine, name) for name in ("A", "B"))
    found = engine.voxels.voxel_collide(a, b, resolution=resolution, mode="voxels")
    assert shown().count == len(found.voxels) and shown().size == found.voxel_size
    lines = shown().lines.reshape(-1, 2, 3)
    expected = {edge for box in found.boxes.astype(np.float32) for edge in edges_of(box)}
    assert {tuple(map(tuple, line.tolist())) for line in lines} == expected
    assert len(lines) == len(expected)


def mesh_of(engine, name):
    item = bpy.data.objects[name]
    item.data.calc_loop_triangles()
    points = np.array([item.matrix_world @ vertex.co for vertex in item.data.vertices])
    return engine.TriangleMesh(points, np.array([list(t.vertices) for t in item.data.loop_triangles]))


def edges_of(box):
    corners = [tuple(float(box[c][axis]) for axis, c in enumerate(choice)) for choice in np.ndindex(2, 2, 2)]
    return [(p, q) for p in corners for q in corners if p < q and sum(x != y for x, y in zip(p, q, strict=True)) == 1]


def test_a_size_counts_instead_of_the_number(pair):
    settings().voxel_size = 0.125
    bpy.ops.meshclash.show_voxels()
    assert shown().size == 0.125
    assert np.array_equal(shown().lines, np.round(shown().lines * 8) / 8)


def test_too_many_voxels_become_larger_ones(pair, monkeypatch):
    monkeypatch.setattr(voxel_boxes, "MOST_VOXELS", 50)
    settings().voxel_resolution = 64
    bpy.ops.meshclash.show_voxels()
    assert shown().count <= 50 and shown().coarser and "Too many" in told()


def test_moving_or_deleting_an_object_makes_them_stale(pair):
    bpy.ops.meshclash.show_voxels()
    assert not shown().stale
    bpy.data.objects["B"].location.x += 0.125
    bpy.context.view_layer.update()
    assert shown().stale and "press Update" in told()
    bpy.ops.meshclash.show_voxels()
    assert not shown().stale
    bpy.data.objects.remove(bpy.data.objects["A"])
    bpy.context.view_layer.update()
    assert shown().stale
    with pytest.raises(RuntimeError, match="no object 'A'"):
        bpy.ops.meshclash.show_voxels()


def test_a_pair_whose_surfaces_are_apart_says_so(pair):
    bpy.data.objects["B"].location = (0.25, 0.25, 0.25)
    bpy.data.objects["B"].scale = (0.5, 0.5, 0.5)
    bpy.ops.meshclash.show_voxels()
    assert shown().count == 0 and len(shown().lines) == 0 and "certainly apart" in told()
    bpy.data.objects["B"].location = (5, 5, 5)
    bpy.ops.meshclash.show_voxels()
    assert shown().size is None and "certainly apart" in told()


def test_instances_are_found_by_their_names(registered, add_box):
    inner = bpy.data.collections.new("Inner")
    add_box("Part", (0, 0, 0), (1, 1, 1), collection=inner)
    for name, x in (("One", 0.0), ("Two", 0.5)):
        item = bpy.data.objects.new(name, None)
        item.instance_type, item.instance_collection, item.location = "COLLECTION", inner, (x, 0.25, 0.25)
        bpy.context.scene.collection.objects.link(item)
    select()
    bpy.ops.meshclash.show_voxels()
    assert [name.split("/")[0] for name in shown().names] == ["One", "Two"] and shown().count > 0


def test_without_a_pair_or_with_a_scan_there_is_nothing_to_show(registered):
    assert not bpy.ops.meshclash.show_voxels.poll()
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row(is_scan_b=True)))
    listed = bpy.context.window_manager.meshclash
    listed.around = "ALL"
    listed.active_row = 0
    assert not bpy.ops.meshclash.show_voxels.poll()


def test_the_modal_operator_can_be_stopped_and_frees_what_it_read(pair):
    task = operators.MESHCLASH_OT_show_voxels.task(None, bpy.context)
    task.run_slice = partial(task.run_slice, 0.0)
    run = Run(bpy.context, task)
    run.step(bpy.context, timer())
    assert run.step(bpy.context, escape()) and shown() is None
    run.end(bpy.context)


def test_another_scene_shows_none_and_loading_frees_them(pair):
    bpy.ops.meshclash.show_voxels()
    uid = bpy.context.scene.session_uid
    assert shown_things.voxels.of(uid + 1) is None
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert shown_things.voxels.of(uid) is None
