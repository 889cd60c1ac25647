"""Ways out of overlaps: they are as short as known by construction, take the two apart, and stand in the lists."""

import math
from types import SimpleNamespace

import bpy
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ui_fakes import RecordingLayout, draw

from addon import results, scene_results
from addon.texts import way_out
from addon.ui import lists, panels, results_area


@pytest.fixture
def stacked(registered, add_box):
    """B stands 0.1 deep in the top of A, C 0.2 deep in its side; D is open and passes through A."""
    add_box("A", (0, 0, 0), (2, 2, 2))
    add_box("B", (0.5, 0.5, 0), (1.5, 1.5, 1), (0, 0, 1.9))
    add_box("C", (0, 0.5, 0.5), (1, 1.5, 1.5), (1.8, 0, 0))
    mesh = bpy.data.meshes.new("D")
    mesh.from_pydata([(-1, 1, 0.5), (1, 1, 0.5), (0, 1, -1)], [], [(0, 1, 2)])
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("D", mesh))
    bpy.ops.meshclash.detect()
    return bpy.context.window_manager.meshclash


def ways():
    result = scene_results.existing_result(bpy.context.scene.session_uid)
    return {result.rows[key].names: way for key, way in result.ways.items()}


def test_ways_of_all_listed_pairs(stacked):
    assert bpy.ops.meshclash.find_ways_out() == {"FINISHED"}
    found = ways()
    assert set(found) == {("A", "B"), ("A", "C")}
    assert found["A", "B"] == pytest.approx((0.0, 0.0, 0.1), abs=1e-3)
    assert found["A", "C"] == pytest.approx((0.2, 0.0, 0.0), abs=1e-3)


def test_the_way_takes_the_two_apart(stacked):
    bpy.ops.meshclash.find_ways_out()
    for (_, name), way in ways().items():
        item = bpy.data.objects[name]
        item.location = [x + 1.001 * w for x, w in zip(item.location, way, strict=True)]
    bpy.ops.meshclash.detect()
    rows = scene_results.existing_result(bpy.context.scene.session_uid).report.rows
    assert all(row.verdict == "touching" for row in rows if "D" not in row.names)


def test_the_selected_pair_alone(stacked):
    rows = scene_results.existing_result(bpy.context.scene.session_uid).report.rows
    results.select_pair(bpy.context, next(row.id for row in rows if row.names == ("A", "C")))
    texts = draw(panels.MESHCLASH_PT_results, bpy.context).texts()
    assert "Find Way Out" in texts
    bpy.ops.meshclash.find_ways_out(scope="PAIR")
    assert set(ways()) == {("A", "C")}
    texts = draw(panels.MESHCLASH_PT_results, bpy.context).texts()
    assert "Move B" in texts and any(text.endswith("+X") for text in texts) and "Find Way Out" not in texts


def test_both_lists_have_length_and_direction(stacked):
    bpy.ops.meshclash.find_ways_out()
    at = next(at for at, row in enumerate(stacked.rows) if row.name_b == "B")
    for kind in (results_area.MESHCLASH_UL_wide, lists.MESHCLASH_UL_pairs):
        layout = RecordingLayout()
        kind.draw_item(None, bpy.context, layout, stacked, stacked.rows[at], 0, stacked, "active_row", at)
        assert any(text.startswith("0.1") and text.endswith("m +Z") for text in layout.texts()), layout.texts()


def test_a_pair_that_is_checked_again_loses_its_way(stacked):
    bpy.ops.meshclash.find_ways_out()
    rows = scene_results.existing_result(bpy.context.scene.session_uid).report.rows
    results.select_pair(bpy.context, next(row.id for row in rows if row.names == ("A", "B")))
    bpy.ops.meshclash.check_again()
    assert set(ways()) == {("A", "C")}


def step_of(said):
    """The step that a way out is said to be, in the unit that it is said in."""
    length, *direction = said.replace("−", "-").replace(",", "").split()
    direction = direction[-3:] if direction[-1][-1].isdigit() else direction[-1]
    if isinstance(direction, str):
        return [float(length) * (direction[1] == axis) * (-1 if direction[0] == "-" else 1) for axis in "XYZ"]
    return [float(length) * float(part) for part in direction]


@given(st.tuples(*[st.floats(-10.0, 10.0)] * 3).filter(lambda way: math.hypot(*way) > 1e-3))
@example((0.1000000024, 0.0, 0.0))
def test_a_way_as_it_is_said_leads_at_least_as_far_and_there(way):
    size = math.hypot(*way)
    step = step_of(way_out(way, SimpleNamespace(system="NONE")))
    along = sum(x * w / size for x, w in zip(step, way, strict=True))
    assert size * (1.0 - 1e-5) <= along <= 1.02 * size
    assert all(abs(x - w) <= 0.03 * size for x, w in zip(step, way, strict=True))


@pytest.mark.parametrize("scale", [1.0, 0.001])
@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_who_moves_as_it_is_said_has_no_clash(registered, add_box, scale, turn):
    settings = bpy.context.scene.unit_settings
    settings.scale_length, settings.length_unit = scale, "MILLIMETERS" if scale < 1.0 else "METERS"
    add_box("A", (0, 0, 0), (2, 2, 2))
    moved = add_box("B", (0, 0, 0), (1, 1, 1), (1.1234, 0.5, 1.6543))
    moved.rotation_euler, moved.scale.x = (turn, 0.7 * turn, 0.2 * turn), -1.0
    bpy.context.view_layer.update()
    bpy.ops.meshclash.detect()
    bpy.ops.meshclash.find_ways_out()
    (way,) = ways().values()
    moved.location = [x + s for x, s in zip(moved.location, step_of(way_out(way, settings)), strict=True)]
    bpy.ops.meshclash.detect()
    assert not scene_results.existing_result(bpy.context.scene.session_uid).report.rows
