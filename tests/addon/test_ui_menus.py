"""The menus lead to every operator that a user can ask for by name, so that F3 finds it."""

import bpy
import pytest
from ui_fakes import draw

from addon import ops
from addon.ui import menus

NEEDS_ITS_PLACE = {
    "pick_row", "pick_event", "turn_page", "sort_rows",  # which row or page
    "include_pair", "remove_fit", "hide_overlaps", "show_results", "show_events",  # what the panel says beside it
    "step_over_results", "status_over_results",  # keys
    "add_preset",  # stands in the menu of presets
    "read_message",  # a text that is cut
    "clear_cache",  # belongs to the preferences
}  # fmt: skip


def reached(menu):
    """Names of the operators of a menu and of those below it, and what is written beside each."""
    found = {}
    for name, args, kwargs in draw(menu, bpy.context).calls:
        if name == "menu":
            found.update(reached(getattr(menus, args[0])))
        elif name in ("operator", "operator_menu_enum"):
            label = kwargs.get("text") or getattr(bpy.types, f"MESHCLASH_OT_{args[0].partition('.')[2]}").bl_label
            found.setdefault(args[0].partition(".")[2], []).append(label)
    return found


def test_the_menu_leads_to_every_operator(research):
    found = reached(menus.MESHCLASH_MT_main)
    known = {cls.bl_idname.partition(".")[2] for cls in ops.CLASSES}
    assert known - set(found) == NEEDS_ITS_PLACE and not set(found) - known


def test_what_is_grey_says_why(research):
    """In an empty file, where most of the menu cannot be run."""
    grey = [name for name in reached(menus.MESHCLASH_MT_main) if not getattr(bpy.ops.meshclash, name).poll()]
    assert len(grey) > 30
    for name in grey:
        with pytest.raises(RuntimeError, match=r"poll\(\) [A-Z]"):
            getattr(bpy.ops.meshclash, name)()


@pytest.mark.parametrize(
    "word", ["detect", "clash", "export", "scan", "live", "import", "timeline", "marker", "results"]
)
def test_what_f3_is_asked_for_is_in_a_label(registered, word):
    labels = [label.lower() for labels in reached(menus.MESHCLASH_MT_main).values() for label in labels]
    assert any(word in label for label in labels)


def test_each_label_of_the_menus_says_one_thing(registered):
    labels = [label for labels in reached(menus.MESHCLASH_MT_main).values() for label in labels]
    assert len(labels) == len(set(labels))


@pytest.mark.parametrize(("name", "draw_in"), menus.PLACES)
def test_menus_of_blender_have_the_ways(registered, name, draw_in):
    assert draw_in in getattr(bpy.types, name)._dyn_ui_initialize()


def test_menus_of_blender_lose_them_again(registered):
    menus.detach()
    assert not any(draw_in in getattr(bpy.types, name)._dyn_ui_initialize() for name, draw_in in menus.PLACES)
    menus.attach()
