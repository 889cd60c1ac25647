"""Keys act while the mouse is over results, and nowhere else; all of them go with the extension."""

from types import SimpleNamespace

import bpy
import pytest
from ui_fakes import make_report, make_row

from addon import keys, results
from addon.ops import results_area
from addon.props import STATUS_ORDER
from addon.screens import TAB_NAME
from addon.ui.parts import TabPanel


@pytest.fixture
def listed(registered):
    rows = [make_row(a=f"A {number}", b=f"B {number}") for number in range(3)]
    results.show_report(bpy.context, bpy.context.scene, make_report(*rows))
    bpy.context.window_manager.meshclash.active_row = 0
    return bpy.context.window_manager.meshclash


def at(space, region, category=TAB_NAME):
    real = bpy.context
    return SimpleNamespace(
        scene=real.scene, window_manager=real.window_manager, space_data=space, view_layer=real.view_layer,
        region=SimpleNamespace(type=region, active_panel_category=category),
    )  # fmt: skip


VIEW = SimpleNamespace(type="VIEW_3D")
OTHER = SimpleNamespace(type="PROPERTIES", context="OBJECT", show_region_header=True)


@pytest.mark.parametrize("operator", [
    results_area.MESHCLASH_OT_step_over_results, results_area.MESHCLASH_OT_status_over_results,
])  # fmt: skip
def test_keys_mean_something_else_elsewhere(listed, operator):
    assert operator.poll(at(VIEW, "UI"))
    assert not operator.poll(at(VIEW, "WINDOW"))
    assert not operator.poll(at(VIEW, "UI", "Item"))
    assert not operator.poll(at(OTHER, "WINDOW"))
    assert not operator.poll(at(None, "WINDOW"))
    results.clear_list(bpy.context)
    assert not operator.poll(at(VIEW, "UI"))


def test_the_keys_are_those_of_the_guide_and_go_with_the_extension(registered):
    assert TabPanel.bl_category == TAB_NAME
    assert dict(zip("1234", keys.NUMBERS.values(), strict=True)) == dict(zip("1234", STATUS_ORDER, strict=True))
    config = bpy.context.window_manager.keyconfigs.addon
    if config is None:
        assert not keys._State.made
        return
    assert len(keys._State.made) == len(keys.STEPS) + len(keys.MAPS) * len(keys.NUMBERS)
    keys.detach()
    assert not [item for keymap in config.keymaps for item in keymap.keymap_items if "meshclash" in item.idname]
    keys.attach()


def test_arrows_come_before_the_jump_to_a_keyframe(registered):
    """Blender asks the keymap of frames first, whose jump takes the key even without keyframes."""
    configs = bpy.context.window_manager.keyconfigs
    known = configs.default.keymaps["Frames"].keymap_items
    jumps = [known.new("screen.keyframe_jump", key, "PRESS") for key in keys.STEPS]
    configs.update()
    items = configs.user.keymaps["Frames"].keymap_items
    for key in keys.STEPS:
        assert next(item.idname for item in items if item.type == key) == "meshclash.step_over_results"
        assert "screen.keyframe_jump" in [item.idname for item in items if item.type == key]
    for jump in jumps:
        known.remove(jump)
