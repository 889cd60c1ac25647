"""The panels show what the session holds."""

import re
from dataclasses import replace
from types import SimpleNamespace

import bpy
import pytest
from meshclash.clash.errors import InputError
from meshclash.clash.frame_scene import Progress, Skipped
from meshclash.clash.queries.registry import TESTS
from meshclash.clash.rules import Rules
from meshclash.clash.units import UNITS
from meshclash.clash.verdicts import VERDICTS
from ui_fakes import RecordingLayout, draw, make_report, make_row

from addon import preferences, results, reviews, running_work, scene_results, texts
from addon.ops import detect
from addon.ops.task import Task
from addon.props import WINDOW_OPTIONS
from addon.ui import lists, panels, results_area, scans

ALL_PANELS = panels.CLASSES


@pytest.fixture
def filled(registered):
    rows = [make_row(), make_row(b="C", verdict="contained", depth=None), make_row(b="D", verdict="touching")]
    results.show_report(bpy.context, bpy.context.scene, make_report(*rows))
    return bpy.context.window_manager.meshclash


def shown(layout):
    return " | ".join(layout.texts())


def test_all_panels_draw_without_results(registered):
    for panel in ALL_PANELS:
        if not hasattr(panel, "poll") or panel.poll(bpy.context):
            draw(panel, bpy.context)
    assert not panels.MESHCLASH_PT_results.poll(bpy.context)


def test_panels_share_one_tab(registered):
    tab = [panel for panel in ALL_PANELS if "INSTANCED" not in getattr(panel, "bl_options", ())]  # no popovers
    assert {panel.bl_category for panel in tab} == {"MeshClash"}
    assert {(panel.bl_space_type, panel.bl_region_type) for panel in tab} == {("VIEW_3D", "UI")}


def test_detect_panel_offers_the_button_and_pickers(registered):
    settings = bpy.context.scene.meshclash
    settings.set_a, settings.set_b = "COLLECTION", "OBJECT"
    settings.permitted_by = "LENGTH"
    layout = draw(panels.MESHCLASH_PT_detect, bpy.context)
    assert layout.operators() == ["meshclash.detect", "meshclash.live"]
    properties = [args[1] for name, args, _ in layout.calls if name == "prop"]
    assert {"set_a_collection", "set_b_object", "permitted_overlap"} <= set(properties)


@pytest.mark.parametrize("name", list(TESTS))
def test_every_option_of_the_window_is_in_a_panel(registered, name):
    settings = bpy.context.scene.meshclash
    settings.test, settings.permitted_by = name, "LENGTH"
    drawn = [draw(panel, bpy.context) for panel in (panels.MESHCLASH_PT_detect, panels.MESHCLASH_PT_options)]
    drawn.append(draw(scans.MESHCLASH_PT_scans, bpy.context))
    shown = set().union(*map(shown_properties, drawn))
    assert {option.name for option in WINDOW_OPTIONS if option.is_for(name)} <= shown


@pytest.mark.parametrize("name", list(TESTS))
def test_a_test_of_one_object_offers_one_set(registered, name):
    settings = bpy.context.scene.meshclash
    settings.test, settings.set_b = name, "COLLECTION"  # nothing is picked
    layout = draw(panels.MESHCLASH_PT_detect, bpy.context)
    of_pairs = TESTS[name].of_pairs
    assert ("set_b" in shown_properties(layout)) == of_pairs and ("Objects" in layout.texts()) != of_pairs
    if not of_pairs:
        assert settings.checked_options(1.0).set_b == "all"
        return
    with pytest.raises(InputError, match="Set B: choose the collection first"):
        settings.checked_options(1.0)


def test_no_length_is_shown_before_one_is_known(registered):
    calls, settings = draw(panels.MESHCLASH_PT_detect, bpy.context).calls, bpy.context.scene.meshclash
    assert ("prop_enum", (settings, "permitted_by", "LENGTH"), {"text": "Ignore Overlaps Below"}) in calls
    assert not any("permitted_overlap" in given for _, given, _ in calls)


def test_shallow_overlaps_are_hidden_by_one_click(registered, add_box):
    """What the parts of a whole of 2.5 m are known to, and 0.02 mm above that."""
    for name, x in (("A", 0.0), ("B", 0.99998), ("C", 1.5), ("D", -0.999996)):
        add_box(name, (0, 0, 0), (1, 1, 1), location=(x, 0, 0))
    assert "Default: the precision of the coordinates" in options_in_words()
    bpy.ops.meshclash.detect()
    listed = bpy.context.window_manager.meshclash
    assert {row.name: row.verdict for row in listed.rows} == {"A × B": "clash", "B × C": "clash", "A × D": "touching"}
    layout, settings = draw(panels.MESHCLASH_PT_detect, bpy.context), bpy.context.scene.meshclash
    assert "Up to 7.6 µm, the precision of the coordinates" in options_in_words()
    assert settings.permitted_overlap == pytest.approx(7.6e-6, rel=0.01), "the field says what is permitted"
    assert "meshclash.hide_overlaps" in layout.operators()
    described = detect.MESHCLASH_OT_hide_overlaps.description(bpy.context, SimpleNamespace(length=1e-4))
    assert described.startswith("Ignore Overlaps Below 0.1 mm: ")
    bpy.ops.meshclash.hide_overlaps(length=1e-4)
    assert {row.name: row.verdict for row in listed.rows} == {
        "B × C": "clash",
        "A × B": "touching",
        "A × D": "touching",
    }
    assert bpy.context.scene.meshclash.permitted_by == "LENGTH"
    layout = draw(panels.MESHCLASH_PT_detect, bpy.context)
    assert "meshclash.hide_overlaps" not in layout.operators()
    assert ("prop_enum", (settings, "permitted_by", "AUTO"), {"text": "", "icon": "LOOP_BACK"}) in layout.calls
    settings.permitted_by = "AUTO"
    assert settings.permitted_overlap == pytest.approx(7.6e-6, rel=0.01)


def options_in_words():
    return " ".join(draw(panels.MESHCLASH_PT_options, bpy.context).texts())


def shown_properties(layout):
    return [args[1] for name, args, _ in layout.calls if name == "prop"]


@pytest.mark.parametrize("name", list(TESTS))
def test_detect_panel_shows_what_the_test_takes(registered, name):
    bpy.context.scene.meshclash.test, bpy.context.scene.meshclash.permitted_by = name, "LENGTH"
    shown = {name for panel in panels.CLASSES[:2] for name in shown_properties(draw(panel, bpy.context))}
    known = {"permitted_overlap", *panels.FIRST, *(option.name for option in panels.LATER)}
    assert shown & known == TESTS[name].takes - {"fits"}
    assert panels.MESHCLASH_PT_fits.poll(bpy.context) == ("fits" in TESTS[name].takes)
    assert bpy.ops.meshclash.live.poll()


def measures_shown(listed):
    """The last text of each row of the list."""
    measures = []
    for row in listed.rows:
        layout = RecordingLayout()
        lists.MESHCLASH_UL_pairs.draw_item(None, bpy.context, layout, listed, row, 0, listed, "active_row", 0)
        measures.append(layout.texts()[-2])
    return measures


def test_what_meets_itself_is_named_once_and_every_cell_says_which_pair_it_is(registered):
    row = make_row("Leg.L", "Leg.L", depth=None)
    results.show_report(bpy.context, bpy.context.scene, make_report(row, test="self"))
    listed = bpy.context.window_manager.meshclash
    assert listed.rows[0].name == row.title == "Leg.L"
    layout = RecordingLayout()
    lists.MESHCLASH_UL_pairs.draw_item(None, bpy.context, layout, listed, listed.rows[0], 0, listed, "active_row", 0)
    assert layout.texts() == ["Leg.L", "itself", "–", "3 faces"] and set(layout.operators()) == {"meshclash.pick_row"}
    listed.active_row = 0
    assert "Leg.L" in draw(panels.MESHCLASH_PT_results, bpy.context).texts()
    assert not [text for text in draw(panels.MESHCLASH_PT_results, bpy.context).texts() if "of Leg.L" in text]


def test_each_pair_of_regions_of_a_surface_is_a_row(registered):
    rows = [replace(make_row("Leg", "Leg", depth=None), id=f"{k:016x}", region=f"{k}-5:9f86d081") for k in (2, 5)]
    results.show_report(bpy.context, bpy.context.scene, make_report(*rows, test="self"))
    listed = bpy.context.window_manager.meshclash
    said = []
    for item in listed.rows:
        layout = RecordingLayout()
        lists.MESHCLASH_UL_pairs.draw_item(None, bpy.context, layout, listed, item, 0, listed, "active_row", 0)
        said.append(tuple(layout.texts()[:2]))
    assert said == [("Leg", "regions 2 and 5"), ("Leg", "region 5")]
    listed.active_row = 0
    assert "2 × 5" in draw(panels.MESHCLASH_PT_results, bpy.context).texts()
    bpy.ops.meshclash.set_status(status="APPROVED")
    assert [reviews.review_of(bpy.context.scene, row.id) is not None for row in rows] == [True, False]
    shown = draw(results_area.MESHCLASH_PT_wide_results, bpy.context).texts()
    assert "Regions" in shown


def test_gaps_are_listed_in_scene_units(registered):
    near = make_row(verdict="near", depth=None, distance=0.0123, point_a=(0, 0, 0), point_b=(0, 0, 0.0123))
    clash = make_row(b="C", distance=0.0)
    report = make_report(clash, near, test="clearance", tolerance=0.02)
    results.show_report(bpy.context, bpy.context.scene, report)
    listed = bpy.context.window_manager.meshclash
    assert measures_shown(listed) == ["0.25 m", "0.012 m"]
    layout = draw(panels.MESHCLASH_PT_results, bpy.context)
    assert {"Near 1", "Clash 1"} <= set(layout.texts()) and "Apart 0" not in layout.texts()
    listed.around = "ALL"
    listed.active_row = 1
    assert "Gap" in draw(panels.MESHCLASH_PT_results, bpy.context).texts()


def test_probabilities_are_percent_and_their_colours_are_explained(registered):
    likely = make_row(verdict="likely", depth=None, probability=1.0)  # as far as a float can tell
    meets = make_row(b="C", verdict="meets", depth=None, probability=1.0)
    assert "green" not in shown(draw(panels.MESHCLASH_PT_display, bpy.context))
    results.show_report(bpy.context, bpy.context.scene, make_report(meets, likely, test="time-critical", budget=0.01))
    listed = bpy.context.window_manager.meshclash
    assert measures_shown(listed) == ["100%", ">99%"]
    listed.around, listed.active_row = "ALL", 1
    assert ">99.9%" in draw(panels.MESHCLASH_PT_results, bpy.context).texts()
    assert "Green: unlikely" in shown(draw(panels.MESHCLASH_PT_display, bpy.context)).replace(" | ", " ")


def test_nothing_found_is_said_in_the_words_of_the_test(registered):
    results.show_report(bpy.context, bpy.context.scene, make_report(test="clearance", tolerance=0.1))
    words = " ".join(draw(panels.MESHCLASH_PT_results, bpy.context).texts())
    assert "No objects are closer than the tolerance: 2 objects tested" in words and "Increase the tolerance" in words


@pytest.mark.parametrize(
    ("asked", "objects", "advice"),
    [
        ({}, 2, "Use the test Clearance to find objects that are too close"),
        ({}, 1, "Hidden objects and objects outside the sets are not tested"),
        ({"set_a": "selection"}, 2, "Only pairs of the two sets are tested"),
        ({"rules": Rules(same_parent=True)}, 2, "Some pairs are excluded under Options > Exclude"),
        ({"rules": Rules(listed_pairs=frozenset({("A", "B")}))}, 2, "Some pairs are excluded under Options > Exclude"),
        ({"test": "self"}, 1, "Use the test Intersection"),
    ],
)
def test_who_finds_nothing_is_told_what_to_try(registered, asked, objects, advice):
    report = make_report(**asked)
    report.stats["objects"] = objects
    results.show_report(bpy.context, bpy.context.scene, report)
    assert advice in " ".join(draw(panels.MESHCLASH_PT_results, bpy.context).texts())


def test_pairs_that_are_left_out_are_counted(registered):
    report = make_report(make_row(verdict="apart", distance=1.0), test="distance")
    report.stats["left_out"] = {"pairs": 4500, "beyond": 1.5}
    results.show_report(bpy.context, bpy.context.scene, report)
    joined = shown(draw(panels.MESHCLASH_PT_results, bpy.context)).replace(" | ", " ")
    assert "4,500 pairs not listed: at least 1.5 m apart" in joined


def test_progress_and_stop_button_while_running(registered):
    def steps():
        yield Progress(0.4, "compiling 2/9")

    task = Task(steps())
    running_work.start_task(task)
    task.run_slice(seconds=0.0)
    layout = draw(panels.MESHCLASH_PT_detect, bpy.context)
    assert ("progress", (), {"factor": 0.4, "text": "40 %"}) in layout.calls
    assert "Compiling 2/9" in layout.texts()
    assert layout.operators() == ["meshclash.stop"]
    assert ("enabled", (False,), {}) in layout.calls


def test_engine_problem_is_explained(registered):
    running_work.set_engine_state(
        running_work.EngineState(("numpy 9",), "Numba cannot be imported", "Install it again")
    )
    layout = draw(panels.MESHCLASH_PT_detect, bpy.context)
    assert "Numba cannot be imported" in shown(layout).replace(" | ", " ")
    assert "numpy 9" in shown(layout)
    assert "meshclash.copy_diagnostics" in layout.operators()


def test_excluded_pairs_are_listed(registered):
    bpy.context.scene.meshclash.excluded_pairs.add()
    layout = draw(panels.MESHCLASH_PT_exclusions, bpy.context)
    assert "template_list" in [name for name, _, _ in layout.calls]
    assert layout.operators() == ["meshclash.include_pair"]


def test_results_panel_lists_and_counts(filled):
    layout = draw(panels.MESHCLASH_PT_results, bpy.context)
    assert {"Clash 1", "Inside 1", "Duplicate 0", "Touching 1"} <= set(layout.texts())
    header = draw(panels.MESHCLASH_PT_results, bpy.context, "draw_header_preset")
    assert header.operators() == ["meshclash.open_results", "meshclash.export_report", "meshclash.clear_results"]


def test_results_panel_details_of_the_selected_pair(filled):
    filled.active_row = 0
    layout = draw(panels.MESHCLASH_PT_results, bpy.context)
    assert {"1 face of A", "2 faces of B"} <= set(layout.texts())
    assert any(line.startswith("about ") for line in layout.texts())


def test_results_panel_says_when_nothing_touches(registered):
    results.show_report(bpy.context, bpy.context.scene, make_report())
    assert "No objects touch: 2 objects tested" in draw(panels.MESHCLASH_PT_results, bpy.context).texts()


def test_results_panel_names_what_was_not_tested(registered):
    report = make_report(make_row())
    report.skipped.append(Skipped("Empty mesh", "no faces"))
    results.show_report(bpy.context, bpy.context.scene, report)
    report.skipped.append(Skipped("Broken", "NaN", lost=True))
    report.stats["no_geometry"] = {"light": 1, "camera": 3, "empty": 2}
    results.show_report(bpy.context, bpy.context.scene, report)
    joined = shown(draw(panels.MESHCLASH_PT_results, bpy.context)).replace(" | ", " ")
    assert "1 object could not be tested: Broken (NaN)" in joined
    assert "1 object not tested: Empty mesh (no faces)" in joined
    assert "Without geometry: 3 cameras; 2 empties; 1 light" in joined


def test_results_panel_does_not_say_that_all_is_well_where_an_object_is_lost(registered):
    report = make_report()
    report.skipped.append(Skipped("Broken", "NaN", lost=True))
    results.show_report(bpy.context, bpy.context.scene, report)
    shown_icons = {kwargs.get("icon") for _, _, kwargs in draw(panels.MESHCLASH_PT_results, bpy.context).calls}
    assert "ERROR" in shown_icons and "CHECKMARK" not in shown_icons


def test_results_panel_says_when_they_are_old(filled):
    scene_results.mark_stale(bpy.context.scene.session_uid, ["A"])
    assert "1 object changed since the detection, shown in grey" in " ".join(
        draw(panels.MESHCLASH_PT_results, bpy.context).texts()
    )


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("set_a", "SELECTION", "Set A"),
        ("test", "clearance", "Test"),
        ("permitted_by", "LENGTH", "Ignore Overlaps"),
        ("touch_tolerance", 0.5, "Touch Tolerance"),
        ("overlap_volume", True, "Common Volume"),
        ("point_budget", 5000, "Points per Scan"),
        ("scan_bandwidth", 0.5, "Bandwidth"),
        ("scan_surface", "WLS", "Surface"),
        ("point_budget", 5, "point budget must be"),
        ("skip_same_parent", True, "Exclude"),
    ],
)
def test_settings_changed_since_detect_are_named_and_the_list_stays(filled, name, value, words):
    panel, settings = panels.MESHCLASH_PT_results, bpy.context.scene.meshclash
    assert "Settings changed" not in shown(draw(panel, bpy.context))
    assert "meshclash.detect" not in draw(panel, bpy.context).operators()
    before = getattr(settings, name)
    setattr(settings, name, value)
    layout = draw(panel, bpy.context)
    said = shown(layout).replace(" | ", " ")
    assert "Settings changed" in said and words in said
    label = settings.bl_rna.properties[name].name.partition(" (")[0]
    assert words == label or words in ("Exclude", "point budget must be"), "as the panel calls it"
    assert "meshclash.detect" in layout.operators() and len(filled.rows) == 3
    setattr(settings, name, before)
    assert "Settings changed" not in shown(draw(panel, bpy.context))


def test_a_length_of_another_test_is_no_change(filled):
    bpy.context.scene.meshclash.tolerance = 7.0
    assert "Settings changed" not in shown(draw(panels.MESHCLASH_PT_results, bpy.context))


def test_an_approved_pair_is_not_counted_among_the_clashes(filled):
    filled.around, filled.active_row = "ALL", 0
    bpy.ops.meshclash.set_status(status="APPROVED")
    texts = draw(panels.MESHCLASH_PT_results, bpy.context).texts()
    assert {"Clash 0", "Inside 1"} <= set(texts)
    assert any(text.startswith("1 pair approved") for text in texts)
    bpy.ops.meshclash.set_status(status="REVIEWED")
    assert "Clash 1" in draw(panels.MESHCLASH_PT_results, bpy.context).texts()


def test_an_approved_clash_has_no_red_icon(filled):
    def icons():
        layout = RecordingLayout()
        draw_row = lists.MESHCLASH_UL_pairs.draw_item
        draw_row(None, bpy.context, layout, filled, filled.rows[0], 0, filled, "active_row", 0)
        return [kwargs["icon"] for _, _, kwargs in layout.calls if "icon" in kwargs]

    assert VERDICTS["clash"].icon in icons()
    filled.around, filled.active_row = "ALL", 0
    bpy.ops.meshclash.set_status(status="APPROVED")
    assert VERDICTS["clash"].icon not in icons()


def test_a_list_of_excluded_pairs_only_is_not_called_clean(filled):
    filled.around = "ALL"
    for _ in range(3):
        filled.active_row = 0
        bpy.ops.meshclash.exclude_pair()
    texts = draw(panels.MESHCLASH_PT_results, bpy.context).texts()
    assert "No objects touch" not in texts and "All pairs that were found are excluded" in " ".join(texts)


def test_first_contacts_of_live_have_a_filter(registered):
    report = make_report(make_row(verdict="contact"), make_row(b="C"))
    results.show_report(bpy.context, bpy.context.scene, report)
    listed = bpy.context.window_manager.meshclash
    assert "Contact 1" in draw(panels.MESHCLASH_PT_results, bpy.context).texts()
    assert "contact" in listed.shown_verdicts()
    listed.show_contact = False
    assert not listed.shows("contact") and "contact" not in listed.shown_verdicts()


def test_a_list_that_came_with_the_file_has_no_statistics(filled, research):
    assert panels.MESHCLASH_PT_statistics.poll(bpy.context)
    scene_results.store_result(bpy.context.scene.session_uid, make_report(make_row()), loaded=True)
    assert not panels.MESHCLASH_PT_statistics.poll(bpy.context)


def test_results_of_another_scene_are_not_mixed_up(filled):
    other = bpy.data.scenes.new("Other")
    scene_results.store_result(other.session_uid, make_report(make_row()))
    with bpy.context.temp_override(scene=other):  # changing the window's scene in background can crash Blender 4.2
        assert "meshclash.show_results" in draw(panels.MESHCLASH_PT_results, bpy.context).operators()
        assert results.active_pair(bpy.context) is None
        bpy.ops.meshclash.show_results()
    assert len(filled.rows) == 1 and filled.scene_uid == other.session_uid


def test_statistics_table(filled):
    joined = shown(draw(panels.MESHCLASH_PT_statistics, bpy.context))
    assert "Query | 400.0 ms    80%" in joined
    assert "Triangle Tests | 5" in joined
    assert joined.index("Query") < joined.index("Read") < joined.index("Total")


def test_display_panel(registered):
    layout = draw(panels.MESHCLASH_PT_display, bpy.context)
    properties = [args[1] for name, args, _ in layout.calls if name == "prop"]
    assert properties == ["overlay_scope", "overlay_curves", "overlay_xray"]
    assert [args[1] for name, args, _ in draw(panels.MESHCLASH_PT_display, bpy.context, "draw_header").calls] == [
        "overlay"
    ]


def test_list_rows(filled):
    for at, measured in ((0, "0.25 m"), (1, "–")):
        layout, row = RecordingLayout(), filled.rows[at]
        lists.MESHCLASH_UL_pairs.draw_item(None, bpy.context, layout, filled, row, 0, filled, "active_row", at)
        assert layout.texts() == [row.name_a, row.name_b, measured, "3 faces"]


@pytest.mark.parametrize(
    ("system", "unit", "scale", "value", "expected"),
    [
        ("METRIC", "ADAPTIVE", 1.0, 0.00025, "0.25 mm"),
        ("METRIC", "METERS", 1.0, 0.00025, "0.25 mm"),
        ("METRIC", "MILLIMETERS", 0.001, 11.87, "11.9 mm"),
        ("METRIC", "MILLIMETERS", 0.001, 0.0, "0 mm"),
        ("METRIC", "MILLIMETERS", 1.0, 1.5, "1500 mm"),
        ("IMPERIAL", "INCHES", 1.0, 0.0254, "1 in"),
        ("METRIC", "MILLIMETERS", 0.001, 1.44e-5, "<0.001 mm"),
        ("METRIC", "METERS", 1.0, -1.44e-8, "<0.001 mm"),
        ("METRIC", "METERS", 1.0, 12.3456, "12.3 m"),
        ("METRIC", "METERS", 1.0, 1.25e-5, "0.0125 mm"),
        ("METRIC", "MICROMETERS", 1e-6, 0.0144, "0.0144 µm"),
        ("METRIC", "MICROMETERS", 1e-6, 0.000144, "<0.001 µm"),
        ("METRIC", "ADAPTIVE", 1.0, 0.0, "0 m"),
        ("METRIC", "ADAPTIVE", 1.0, 1234567.0, "1235 km"),
        ("IMPERIAL", "FEET", 1.0, 1e-7, "<0.0001 in"),
        ("IMPERIAL", "ADAPTIVE", 1.0, 1e-5, "0.394 thou"),
        ("NONE", None, 0.001, 2.0, "2"),
        ("NONE", None, 0.001, 0.0000144, "0.0000144"),
    ],
)
def test_lengths_in_scene_units(system, unit, scale, value, expected):
    units = bpy.context.scene.unit_settings
    units.system, units.scale_length = system, scale
    if unit:
        units.length_unit = unit
    assert texts.length(value, units) == expected


@pytest.mark.parametrize("system", ["METRIC", "IMPERIAL"])
def test_every_unit_of_blender_is_known(system):
    units = bpy.context.scene.unit_settings
    units.system = system
    with pytest.raises(TypeError) as refused:
        units.length_unit = "?"
    known = set(re.findall(r"'(\w+)'", str(refused.value).split(" in ")[-1])) - {"ADAPTIVE"}
    assert known and known <= set(UNITS)


def test_icons_exist():
    known = set(bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items.keys())
    assert {entry.icon for entry in VERDICTS.values()} <= known


def test_preferences_page(registered):
    from types import SimpleNamespace

    def page():
        layout = RecordingLayout()
        preferences.MESHCLASH_AP_preferences.draw(SimpleNamespace(layout=layout), bpy.context)
        return layout

    assert {"meshclash.clear_cache", "meshclash.copy_diagnostics"} <= set(page().operators())
    running_work.set_engine_state(running_work.EngineState(("numba 1",)))
    assert {"The engine is loaded", "numba 1"} <= set(page().texts())
    running_work.set_engine_state(running_work.EngineState(("numba 1",), "Broken", "Mend it"))
    assert {"Broken", "Mend it", "numba 1"} <= set(page().texts())


def test_clearing_the_cache_deletes_files_and_keeps_folders(registered, monkeypatch, tmp_path):
    monkeypatch.setattr(preferences, "cache_folder", lambda: str(tmp_path))
    (tmp_path / "a1b2" / "geometry").mkdir(parents=True)
    (tmp_path / "a1b2" / "geometry" / "kernel.nbc").write_bytes(b"code")
    assert bpy.ops.meshclash.clear_cache() == {"FINISHED"}
    assert not list(tmp_path.rglob("*.nbc"))
    assert (tmp_path / "a1b2" / "geometry").is_dir()


def test_there_is_no_cache_to_clear_in_a_checkout(registered):
    assert preferences.cache_folder() is None
    assert not bpy.ops.meshclash.clear_cache.poll()


def test_lengths_that_are_read_together_have_one_unit(registered):
    units = bpy.context.scene.unit_settings
    assert texts.typical([0.0, 0.0004, 0.0009, 0.02]) == 0.0009 and texts.typical([0.0]) is None
    assert [texts.length(value, units, 2, like=0.0009) for value in (0.0009, 0.02, 0.0)] == ["0.9 mm", "20 mm", "0 mm"]
    assert [texts.length(value, units, 2, like=0.5) for value in (0.5, 0.004)] == ["0.5 m", "0.004 m"]
    assert [texts.length(value, units, 2, like=0.5) for value in (4e-4, 1.44e-8)] == ["<0.001 m", "<0.001 m"]
    assert texts.place((1.5, -0.25, 3e-9), units) == "1.5 m, -0.25 m, 0 m"
    assert texts.place((0.0, 0.0, 0.0), units) == "0 m, 0 m, 0 m"
    units.system, units.length_unit = "IMPERIAL", "FEET"
    assert texts.length(0.0254, units, like=0.0028) == "1 in"


def test_a_depth_that_is_not_proved_is_called_a_bound(registered):
    fit = make_row(depth=None, depth_lower=0.0, depth_upper=0.002)
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row(b="C"), fit))
    listed = bpy.context.window_manager.meshclash
    assert measures_shown(listed) == ["0.25 m", "≤ 0.002 m"]
    listed.around, listed.active_row = "ALL", 1
    assert "at most 2 mm" in draw(panels.MESHCLASH_PT_results, bpy.context).texts()
