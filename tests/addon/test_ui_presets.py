"""Blender's own menu of presets: those of the extension, and the user's."""

from pathlib import Path

import bpy
import pytest
from meshclash.clash.options import DetectOptions
from ui_fakes import draw

from addon.props import PRESET_VALUES
from addon.ui import panels
from addon.ui.presets import FOLDER, MESHCLASH_PT_presets

EXPECTED = {
    "CAD_assembly": {"test": "intersection", "permitted_overlap": "auto"},
    "Building": {"test": "intersection", "permitted_overlap": 0.01},
    "Press_fits": {"test": "intersection", "permitted_overlap": 0.0002},
    "Clearance_50_mm": {"test": "clearance", "tolerance": 0.05, "permitted_overlap": "auto"},
    "Character": {"test": "intersection", "permitted_overlap": 0.005},
    "Cloth": {"test": "deforming"},
    "Scan": {"test": "intersection", "permitted_overlap": 0.01, "touch_tolerance": 0.01},
}


def shipped():
    """The presets that Blender finds, by name."""
    return {path.stem: path for folder in bpy.utils.preset_paths(FOLDER) for path in Path(folder).glob("*.py")}


def values():
    """What the tab shows of what presets say."""
    return {name: getattr(bpy.context.scene.meshclash, name) for name in PRESET_VALUES}


def choose(path):
    bpy.ops.script.execute_preset(filepath=str(path), menu_idname=MESHCLASH_PT_presets.__name__)


@pytest.mark.parametrize("scale", [1.0, 0.001])
@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_presets_say_everything_whatever_was_set_before(registered, name, scale):
    scene, found = bpy.context.scene, shipped()
    assert set(found) == set(EXPECTED)
    scene.unit_settings.scale_length = scale
    settings = scene.meshclash
    settings.test, settings.permitted_overlap, settings.touch_tolerance, settings.tolerance = "self", 3.0, 2.0, 9.0
    settings.skip_same_parent = settings.overlap_volume = True
    settings.point_budget, settings.scan_bandwidth, settings.scan_surface = 7, 2.0, "APSS"
    choose(found[name])
    after = values()
    wanted = {field: pytest.approx(value) if isinstance(value, float) else value
              for field, value in EXPECTED[name].items()}  # fmt: skip
    asked = settings.detect_options(scale)
    assert {field: getattr(asked, field) for field in wanted} == wanted
    assert asked.rules == DetectOptions().rules and not asked.overlap_volume
    assert asked.clouds(scale) == DetectOptions().clouds(scale)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.unit_settings.scale_length = scale
    choose(found[name])
    assert values() == after


def test_a_preset_of_the_user_brings_all_back(registered):
    settings = bpy.context.scene.meshclash
    settings.test, settings.permitted_overlap, settings.skip_same_armature = "clearance", 0.25, True
    settings.tolerance = 0.75
    assert bpy.ops.meshclash.add_preset(name="Mine") == {"FINISHED"}
    try:
        before = values()
        choose(shipped()["CAD_assembly"])
        assert settings.permitted_by == "AUTO"
        choose(shipped()["Mine"])
        assert values() == before
        bpy.context.scene.unit_settings.scale_length = 0.001
        choose(shipped()["Mine"])
        assert settings.tolerance == pytest.approx(750.0) and settings.permitted_overlap == pytest.approx(250.0)
    finally:
        bpy.ops.meshclash.add_preset(name="Mine", remove_name=True)
    assert "Mine" not in shipped()


def test_the_menu_stands_in_the_header_of_the_panel(registered):
    calls = draw(panels.MESHCLASH_PT_detect, bpy.context, "draw_header_preset").calls
    assert ("popover", (), {"panel": "MESHCLASH_PT_presets", "icon": "PRESET", "text": ""}) in calls
