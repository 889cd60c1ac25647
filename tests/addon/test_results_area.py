"""The list of results of full width, and which panels the tab shows without being asked."""

from types import SimpleNamespace

import bpy
import pytest
from meshclash.clash.column_table import WINDOW
from ui_fakes import RecordingLayout, draw, make_report, make_row

from addon import results, scene_results, screens, translations
from addon.adapters.simulations import changes_in_time
from addon.ops import listing
from addon.ui import hierarchy, lists, menus, panels, results_area, timeline, voxels

RESEARCH = (
    panels.MESHCLASH_PT_statistics, hierarchy.MESHCLASH_PT_hierarchy, hierarchy.MESHCLASH_PT_advisor,
    voxels.MESHCLASH_PT_voxels,
)  # fmt: skip


@pytest.fixture
def properties():
    """A Properties editor of the start file; afterwards it is as before, since windows outlive files."""
    area = next(area for area in bpy.context.screen.areas if area.type == "PROPERTIES")
    space, scene = area.spaces.active, bpy.context.scene
    names = ["show_region_header", *screens._tabs(space)]
    before = {name: getattr(space, name) for name in names}
    yield area, scene
    for name, value in before.items():
        setattr(space, name, value)
    if not screens._tabs(space):
        space.use_pin_id, space.pin_id = False, None


@pytest.fixture
def filled(registered):
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row(), make_row(b="C", verdict="touching")))
    return bpy.context.window_manager.meshclash


def test_a_users_own_properties_editor_shows_no_results(registered, properties):
    area, scene = properties
    assert not screens.shows_results(area.spaces.active)
    screens.become_results(area, scene)
    assert screens.shows_results(area.spaces.active)
    area.spaces.active.show_region_header = True
    assert not screens.shows_results(area.spaces.active)


def test_other_spaces_show_no_results(registered):
    assert not screens.shows_results(None)
    for area in bpy.context.screen.areas:
        assert not screens.shows_results(area.spaces.active)


def test_the_area_has_a_list_with_all_columns(filled):
    layout = draw(results_area.MESHCLASH_PT_wide_results, bpy.context)
    assert "template_list" in [name for name, *_ in layout.calls]
    said = layout.texts()
    assert {column.list_title for column in WINDOW if column.name not in ("test", "volume", "region")} <= set(said)
    assert "Regions" not in said
    assert {"meshclash.detect", "meshclash.export_report", "meshclash.sort_rows"} <= set(layout.operators())


def test_a_row_says_what_its_columns_promise(filled, add_box):
    add_box("A", (0, 0, 0), (1, 1, 1))
    layout = RecordingLayout()
    draw_row = results_area.MESHCLASH_UL_wide.draw_item
    draw_row(None, bpy.context, layout, filled, filled.rows[0], 0, filled, "active_row", 0)
    said = [kwargs["text"].rstrip() for name, _, kwargs in layout.calls if name in ("label", "operator")]
    assert said[2:4] == ["A", "B"]
    assert said[5:] == ["0.25 m", "", "3", "Open", "1"], "the cells of the columns WINDOW, in their order"
    assert said[1] and said[4] == "Scene Collection"


@pytest.mark.parametrize("shown", [results_area.MESHCLASH_UL_wide, lists.MESHCLASH_UL_pairs])
def test_every_cell_of_a_row_has_a_tooltip(filled, shown):
    layout = RecordingLayout()
    shown.draw_item(None, bpy.context, layout, filled, filled.rows[0], 0, filled, "active_row", 0)
    tips = [args[0] for name, args, _ in layout.calls if name == "tip"]
    assert len(tips) == len(layout.operators()) >= 6 and not [name for name, *_ in layout.calls if name == "label"]
    assert (
        set(filter(None, tips)) <= translations.languages().texts["de_DE"].keys() and 2 <= tips.count("") <= 3
    )  # names have their own


def test_a_tooltip_says_what_the_cell_is_and_all_of_it(filled):
    cell = SimpleNamespace(index=0, side="a", tip="Collections of the two objects", value="Pipes, Walls")
    says = listing.MESHCLASH_OT_pick_row.description
    assert says(bpy.context, cell) == "Collections of the two objects: Pipes, Walls"
    assert says(bpy.context, SimpleNamespace(index=0, side="b", tip="", value="")).startswith("B: B\n")
    cell = SimpleNamespace(index=99, side="a", tip="", value="")
    assert says(bpy.context, cell) == listing.MESHCLASH_OT_pick_row.__doc__


def test_a_click_on_a_title_sorts_and_another_one_turns_round(filled):
    bpy.ops.meshclash.sort_rows(key="A")
    assert (filled.sort_key, filled.sort_reverse) == ("A", False)
    bpy.ops.meshclash.sort_rows(key="A")
    assert (filled.sort_key, filled.sort_reverse) == ("A", True)


def test_before_detect_the_area_says_so(registered):
    assert "No results in this scene yet" in draw(results_area.MESHCLASH_PT_wide_results, bpy.context).texts()


def test_tools_for_research_are_asked_for(filled, monkeypatch):
    filled.around, filled.active_row = "ALL", 0
    assert not any(panel.poll(bpy.context) for panel in RESEARCH)
    assert "MESHCLASH_MT_research" not in _menus()
    monkeypatch.setattr(menus.preferences._Defaults, "show_research", True)
    assert all(panel.poll(bpy.context) for panel in RESEARCH)
    assert "MESHCLASH_MT_research" in _menus()


def _menus():
    return [args[0] for name, args, _ in draw(menus.MESHCLASH_MT_main, bpy.context).calls if name == "menu"]


def test_the_timeline_is_there_where_something_moves(registered, add_box):
    poll = timeline.MESHCLASH_PT_timeline.poll
    item = add_box("A", (0, 0, 0), (1, 1, 1))
    assert not poll(bpy.context)
    item.modifiers.new("Smooth", "SUBSURF")
    assert not changes_in_time(bpy.context.scene)
    item.modifiers.new("Cloth", "CLOTH")
    assert poll(bpy.context)
    item.modifiers.clear()
    assert not poll(bpy.context)
    item.driver_add("location", 0)
    assert poll(bpy.context)
    item.driver_remove("location", 0)
    item.keyframe_insert("location", frame=1)
    assert poll(bpy.context)


def test_a_scanned_timeline_stays_in_the_tab(registered, monkeypatch):
    monkeypatch.setattr(scene_results, "timeline_of", lambda _uid: SimpleNamespace(events=()))
    assert timeline.MESHCLASH_PT_timeline.poll(bpy.context)


def test_volumes_are_a_column_where_they_were_measured(registered):
    measured = make_row(volume_lower=1.0, volume_upper=1.0)
    results.show_report(bpy.context, bpy.context.scene, make_report(measured, make_row(b="C"), overlap_volume=True))
    listed, layout = bpy.context.window_manager.meshclash, RecordingLayout()
    shown = results_area.columns(scene_results.result_of(bpy.context.scene.session_uid))
    assert sum(shown.values()) == pytest.approx(1.0)
    results_area.MESHCLASH_UL_wide.draw_item(None, bpy.context, layout, listed, listed.rows[0], 0, listed, "", 0)
    said = [kwargs["text"].strip() for name, _, kwargs in layout.calls if name == "operator"]
    assert said[1 + [column.name for column in shown].index("volume")] == "1 m³"
    tips = [args[0] for name, args, _ in layout.calls if name == "tip"]
    assert set(filter(None, tips)) <= translations.languages().texts["de_DE"].keys()
