"""The clearance to begin with suits the unit and the size of the scene, and never replaces the user's."""

import bpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.clash.units import usual_clearance

from addon.adapters import scene_size


@pytest.fixture(autouse=True)
def _look_every_time(monkeypatch):
    monkeypatch.setattr(scene_size, "PAUSE", 0.0)


def use_units(system, scale, unit):
    units = bpy.context.scene.unit_settings
    units.system, units.scale_length = system, scale
    if unit:
        units.length_unit = unit


@pytest.mark.parametrize(
    ("system", "scale", "unit", "size", "expected"),
    [
        ("METRIC", 1.0, "METERS", 30.0, 0.01),  # a building: 10 mm
        ("METRIC", 0.001, "MILLIMETERS", 200.0, 0.1),  # an engine drawn in millimetres: 0.1 mm
        ("METRIC", 0.001, "MILLIMETERS", 30_000.0, 10.0),  # a building drawn in millimetres: 10 mm
        ("METRIC", 0.01, "CENTIMETERS", 3000.0, 1.0),
        ("METRIC", 1.0, "ADAPTIVE", 0.2, 0.0001),
        ("IMPERIAL", 0.3048, "FEET", 100.0, 0.1),
        ("NONE", 1.0, None, 500.0, 0.1),
    ],
)
def test_it_follows_unit_and_size(registered, add_box, system, scale, unit, size, expected):
    use_units(system, scale, unit)
    add_box("A", (0, 0, 0), (size, 0.1 * size, 0.1 * size))
    bpy.context.view_layer.update()
    settings = bpy.context.scene.meshclash
    assert settings.tolerance == pytest.approx(expected, rel=1e-5)
    settings.test = "clearance"
    metres = 1.0 if system == "NONE" else scale
    assert settings.detect_options(metres).tolerance == pytest.approx(expected * metres, rel=1e-5)


@pytest.mark.parametrize(("scale", "unit", "expected"), [(1.0, "METERS", 0.01), (0.001, "MILLIMETERS", 10.0)])
def test_an_empty_scene_begins_with_ten_millimetres(registered, scale, unit, expected):
    use_units("METRIC", scale, unit)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location.x = 1e6  # far from everything, and nothing to test
    bpy.context.scene.collection.objects.link(camera)
    assert bpy.context.scene.meshclash.tolerance == pytest.approx(expected)


def test_it_is_stable_while_things_move_and_follows_new_objects(registered, add_box):
    box = add_box("A", (0, 0, 0), (1, 1, 1))
    settings = bpy.context.scene.meshclash
    assert settings.tolerance == pytest.approx(0.001)
    box.location.x = 500.0
    bpy.context.view_layer.update()
    assert settings.tolerance == pytest.approx(0.001)
    add_box("B", (0, 0, 0), (1, 1, 1))
    assert settings.tolerance == pytest.approx(0.1)


@pytest.mark.parametrize("value", [0.01, 0.0, 0.25])
def test_what_the_user_sets_stays_also_in_the_file(registered, add_box, tmp_path, value):
    use_units("METRIC", 0.001, "MILLIMETERS")
    add_box("A", (0, 0, 0), (100, 100, 100))
    bpy.context.scene.meshclash.tolerance = value
    path = str(tmp_path / "set.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.context.scene.meshclash.tolerance == pytest.approx(value)
    bpy.context.scene.unit_settings.scale_length = 1.0
    assert bpy.context.scene.meshclash.tolerance == pytest.approx(value)


@pytest.mark.skipif(bpy.app.version >= (5, 0, 0), reason="later files keep such values apart")
def test_what_earlier_versions_stored_is_read(registered):
    bpy.context.scene["meshclash"] = {"tolerance": 0.125}
    assert bpy.context.scene.meshclash.tolerance == pytest.approx(0.125)


@given(st.floats(1e-9, 1e9), st.sampled_from([1.0, 0.001, 0.0254, 1609.344]))
def test_it_is_a_power_of_ten_near_a_thousandth(size, unit):
    found = usual_clearance(size, unit)
    assert 0.1 * (1 - 1e-6) < found / (0.001 * size) <= 1 + 1e-6
    assert f"{found / unit:.6e}".startswith("1.000000e")
