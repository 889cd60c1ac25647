"""Texts of the tab fit their places, in every language, at the default width of a sidebar and in a narrow one."""

from types import SimpleNamespace

import bpy
import pytest
from ui_fakes import PlacedLayout, make_report, make_row

from addon import results, scene_results, translations
from addon.texts import text_width
from addon.ui import groups, lists, panels

PANELS = (
    panels.MESHCLASH_PT_detect, panels.MESHCLASH_PT_options, panels.MESHCLASH_PT_exclusions,
    panels.MESHCLASH_PT_results,
    groups.MESHCLASH_PT_groups, panels.MESHCLASH_PT_marks, panels.MESHCLASH_PT_display,
)  # fmt: skip


@pytest.fixture
def filled(registered):
    rows = [make_row(a=f"Housing {k}", b=f"Bolt {k}", depth=0.0012 * (k + 1)) for k in range(10)]
    results.show_report(bpy.context, bpy.context.scene, make_report(*rows))
    listed = bpy.context.window_manager.meshclash
    listed.active_row, listed.active_group = 0, 0
    return listed


def cut(width):
    """The texts of all panels that are cut."""
    region = SimpleNamespace(width=width, height=900)
    context = SimpleNamespace(
        area=None, region=region, preferences=bpy.context.preferences, scene=bpy.context.scene,
        window_manager=bpy.context.window_manager, active_object=None, view_layer=bpy.context.view_layer,
    )  # fmt: skip
    found = []
    for panel in PANELS:
        layout = PlacedLayout()
        panel.draw(SimpleNamespace(layout=layout), context)
        found += [(panel.__name__, *text) for text in layout.cut(width, text_width)]
    return found


@pytest.fixture(params=["en_US", "de_DE", "ja_JP"])
def language(request, monkeypatch):
    """A language without Blender's own mechanism, which has one until it starts anew."""
    known = translations.languages().texts.get(request.param, {})

    def said(text, _context=None):
        return known.get(text, text)

    for module in (translations, lists):
        monkeypatch.setattr(module, "iface_", said)
    return request.param


@pytest.mark.parametrize("width", [300, 333])
def test_no_text_is_cut(filled, language, width):
    found = cut(width)
    scene_results.mark_stale(bpy.context.scene.session_uid, ["Housing 1"])
    bpy.context.scene.meshclash.skip_same_parent = True
    found += cut(width)
    assert not found
