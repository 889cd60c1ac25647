"""The groups of clashes in the panel: chosen, they list their pairs alone, and one status is said of all of them."""

from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest
from ui_fakes import RecordingLayout, draw, make_report, make_row

from addon import histories, results, scene_results, shown_things, texts, translations
from addon.core.short_names import CUT
from addon.texts import text_width
from addon.ui import groups, results_area

POSTS = 6


@pytest.fixture
def hall(registered, add_box):
    """Posts that stand in a slab, and two boxes that overlap elsewhere."""
    add_box("Slab", (-5, -5, -1), (40, 5, 0))
    for k in range(POSTS):
        add_box(f"Post.{k:03}", (3 * k, 0, -0.25), (3 * k + 1, 1, 2))
    add_box("Pump", (0, 20, 0), (2, 22, 2))
    add_box("Tank", (1, 21, 1), (4, 24, 4))
    bpy.context.view_layer.update()
    bpy.ops.meshclash.detect()
    return bpy.context.window_manager.meshclash


def test_clashes_are_grouped_by_cause_after_detect(hall):
    assert [(item.name, item.count) for item in hall.groups] == [
        ("6 × Post and Slab overlap, 0.25 m deep", POSTS),
        ("Pump and Tank overlap, 1 m deep", 1),
    ]
    assert hall.found == hall.total == POSTS + 1


@pytest.mark.parametrize(
    ("system", "unit", "said"),
    [
        ("METRIC", "MILLIMETERS", "250 mm deep"),
        ("METRIC", "METERS", "0.25 m deep"),
        ("METRIC", "CENTIMETERS", "25 cm deep"),
        ("IMPERIAL", "INCHES", "9.84 in deep"),
        ("NONE", "METERS", "0.25 deep"),
    ],
)
def test_the_reason_of_a_group_has_the_units_of_the_scene(hall, system, unit, said):
    units = bpy.context.scene.unit_settings
    units.system = system
    if system != "NONE":
        units.length_unit = unit
    hall.active_group = 0
    told = " ".join(draw(groups.MESHCLASH_PT_groups, bpy.context).texts())
    assert f"6 × Post and Slab overlap, {said}" in told
    first = hall.rows[0].pair_id
    told = results_area.group_text(bpy.context, shown_things.listed(), first)
    assert told == f"#1 6 × Post and Slab overlap, {said}"


@pytest.mark.parametrize(
    ("code", "said"),
    [("de_DE", "6 × Post und Slab überlappen sich, 25 cm tief"), ("ja_JP", "6 × Post と Slab が重なる、深さ 25 cm")],
)
def test_the_reason_of_a_group_is_said_in_the_language_of_the_user(hall, monkeypatch, code, said):
    known = translations.languages().texts[code]
    monkeypatch.setattr(translations, "iface_", lambda text, _context: known.get(text, text))
    bpy.context.scene.unit_settings.length_unit = "CENTIMETERS"
    hall.active_group = 0
    assert results_area.group_text(bpy.context, shown_things.listed(), hall.rows[0].pair_id) == f"#1 {said}"


@pytest.mark.parametrize("width", [300, 333, 400])
@pytest.mark.parametrize("way", ["cause", "families", "object", "place", "pattern", "collection"])
def test_labels_of_groups_fit_a_sidebar_and_cut_no_word_and_no_number(registered, width, way):
    """Of clashes in a building; the whole reason of the chosen one stands below."""
    names = (Path(__file__).parent / "names_of_a_building.txt").read_text("utf-8").split("\n")[:-1]
    rows = [make_row(a, b, location=(k, 0.0, 0.0), depth=0.0012 * k) for k, (a, b) in enumerate(pairwise(names[::3]))]
    results.show_report(bpy.context, bpy.context.scene, make_report(*rows))
    listed = bpy.context.window_manager.meshclash
    listed.group_by = way
    context = SimpleNamespace(
        area=None, region=SimpleNamespace(width=width), preferences=bpy.context.preferences, scene=bpy.context.scene
    )
    for index, item in enumerate(listed.groups):
        layout = RecordingLayout()
        groups.MESHCLASH_UL_groups.draw_item(None, context, layout, listed, item, 0, listed, "active_group", index)
        count, number, *sides = [kwargs["text"] for name, _, kwargs in layout.calls if name == "label"][:4]
        assert (count, number) == (f"{item.count:,} ×", f"#{index + 1}")
        assert sum(max(map(text_width, texts), default=0.0) for texts in ((count, number), sides)) < width - 80
        for text, whole in zip(sides, (item.side_a, item.side_b), strict=True):
            assert text == whole or is_whole(*text.split(CUT), whole)
    assert way == "collection" or len(listed.groups) > 20
    listed.active_group = 0
    why = texts.reason(shown_things.listed().group_reasons[0], bpy.context.scene.unit_settings)
    assert why.replace(" ", "") in "".join(draw(groups.MESHCLASH_PT_groups, bpy.context).texts()).replace(" ", "")


def is_whole(head, tail, text):
    """Whether what is left of the beginning and of the end of a text are whole words and numbers."""
    ends = head[-1:] + text[len(head) :][:1], text[: len(text) - len(tail)][-1:] + tail[:1]
    cut = [len(pair) == 2 and all(map(str.isalnum, pair)) for pair in ends if pair[:1]]
    return text.startswith(head) and text.endswith(tail) and not (head and cut[0]) and not (tail and cut[-1])


def test_a_chosen_group_lists_its_pairs_alone_until_all_are_asked_for(hall):
    hall.active_group = 1
    assert [row.name for row in hall.rows] == ["Pump × Tank"]
    hall.active_group = 0
    assert hall.found == POSTS
    bpy.ops.meshclash.list_all()
    assert (hall.found, hall.active_group) == (POSTS + 1, -1)


def test_one_status_is_said_of_all_listed_and_kept_by_the_next_detect(hall):
    hall.active_group = 0
    bpy.ops.meshclash.set_listed_status(status="APPROVED")
    assert [review.status for review in bpy.context.scene.meshclash.reviews] == ["APPROVED"] * POSTS
    bpy.ops.meshclash.detect()
    assert hall.active_group == -1 and hall.found == POSTS + 1
    hall.statuses = {"APPROVED"}
    assert hall.found == POSTS


def test_a_chosen_group_stays_chosen_when_its_depths_are_refined_and_a_status_is_said(hall):
    hall.active_group = 1
    scene_results.result_of(bpy.context.scene.session_uid).serial += 1
    bpy.ops.meshclash.set_listed_status(status="APPROVED")
    assert (hall.active_group, hall.found) == (1, 1)


def test_objects_of_a_group_are_selected_together(hall):
    hall.active_group = 1
    bpy.ops.meshclash.select_listed()
    assert {item.name for item in bpy.context.selected_objects} == {"Pump", "Tank"}


def test_another_way_of_grouping_lists_all_pairs_again(hall):
    hall.active_group = 1
    hall.group_by = "object"
    assert [item.count for item in hall.groups] == [POSTS, 1]
    assert hall.found == POSTS + 1
    hall.group_by = "storey"
    assert [item.name for item in hall.groups] == ["no object has a storey"]


def test_ways_to_group_are_those_of_the_engine():
    from meshclash.clash.grouping import GROUPINGS

    from addon.props import GROUPINGS_SHOWN

    assert {name for name, *_ in GROUPINGS_SHOWN} <= set(GROUPINGS)


def test_an_empty_result_has_no_groups(registered, add_box):
    add_box("A", (0, 0, 0), (1, 1, 1))
    add_box("B", (5, 0, 0), (6, 1, 1))
    bpy.context.view_layer.update()
    bpy.ops.meshclash.detect()
    assert len(bpy.context.window_manager.meshclash.groups) == 0


def marked(*names):
    listed = bpy.context.window_manager.meshclash
    for name in names:
        (at,) = (at for at, row in enumerate(listed.rows) if row.name == name)
        bpy.ops.meshclash.pick_row(index=at, side="a", extend="ONE")


def test_a_group_that_was_split_and_named_is_so_after_the_next_detect_and_in_the_file(hall, tmp_path):
    hall.active_group = 0
    marked("Post.000 × Slab", "Post.003 × Slab")
    bpy.ops.meshclash.split_group()
    assert [item.count for item in hall.groups] == [POSTS - 2, 2, 1]
    hall.active_group = 1
    bpy.ops.meshclash.name_group(name="Two that lean")
    bpy.ops.meshclash.comment_group(text="ask the builder")
    bpy.data.objects["Post.003"].name = "Leaning"
    bpy.context.view_layer.update()
    bpy.ops.meshclash.detect()
    assert [(item.name, item.count) for item in hall.groups][1] == ("Two that lean", 2)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hall.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "hall.blend"))
    bpy.ops.meshclash.detect()
    hall = bpy.context.window_manager.meshclash
    assert [(item.name, item.count) for item in hall.groups][1] == ("Two that lean", 2)
    bpy.ops.meshclash.reset_groups()
    assert sorted(item.count for item in hall.groups) == [1, 1, POSTS - 1]  # "Leaning" is a family of its own


def test_a_group_that_was_merged_takes_new_pairs_along(hall, add_box):
    hall.active_group = 1
    bpy.ops.meshclash.merge_group(into=hall.groups[0].key)
    assert [item.count for item in hall.groups] == [POSTS + 1]
    add_box("Pump.001", (30, 20, 0), (32, 22, 2))
    add_box("Tank.001", (31, 21, 1), (34, 24, 4))
    bpy.context.view_layer.update()
    bpy.ops.meshclash.detect()
    assert [item.count for item in hall.groups] == [POSTS + 2]


def test_several_pairs_are_selected_and_get_one_status(hall):
    bpy.ops.meshclash.pick_row(index=1, side="a")
    bpy.ops.meshclash.pick_row(index=3, side="a", extend="RANGE")
    bpy.ops.meshclash.pick_row(index=2, side="a", extend="ONE")
    bpy.ops.meshclash.set_status(status="REVIEWED")
    wanted = {hall.rows[at].pair_id for at in (1, 3)}
    assert {review.name for review in bpy.context.scene.meshclash.reviews} == wanted
    bpy.ops.meshclash.pick_row(index=0, side="a")
    bpy.ops.meshclash.set_status(status="APPROVED")
    assert len(bpy.context.scene.meshclash.reviews) == 3


def test_who_and_until_when_is_said_of_a_group_and_sorts_the_list(hall):
    hall.active_group = 1
    bpy.ops.meshclash.say_of_listed(assignee="Ann", priority="HIGH", due="2026-12-24", comment="now")
    (review,) = bpy.context.scene.meshclash.reviews
    assert (review.assignee, review.priority, review.due, review.comment) == ("Ann", "high", "2026-12-24", "now")
    with pytest.raises(RuntimeError, match="is not a date"):
        bpy.ops.meshclash.say_of_listed(due="tomorrow")
    bpy.ops.meshclash.list_all()
    for key in ("ASSIGNEE", "PRIORITY", "DUE"):
        hall.sort_key = key
        assert hall.rows[0].pair_id == review.name
    hall.sort_key = "GROUP"
    assert hall.rows[POSTS].pair_id == review.name
    for key in ("PROGRESS", "FRAME", "VERDICT"):
        hall.sort_key = key
        assert hall.found == POSTS + 1


def test_what_is_new_or_resolved_but_there_is_listed_alone(hall):
    hall.active_row = 1
    resolved = hall.rows[1].pair_id
    bpy.ops.meshclash.set_status(status="RESOLVED")
    bpy.data.objects["Tank"].location.z = 50
    bpy.context.view_layer.update()
    bpy.ops.meshclash.detect()
    bpy.ops.meshclash.list_found_again()
    assert [row.pair_id for row in hall.rows] == [resolved]
    bpy.data.objects["Tank"].location.z = 0
    bpy.context.view_layer.update()
    bpy.ops.meshclash.detect()
    bpy.ops.meshclash.list_all()
    hall.progress = {"REOPENED"}
    assert [row.name for row in hall.rows] == ["Pump × Tank"]
    hall.progress = {"ACTIVE"}
    assert hall.found == POSTS


def test_a_group_is_excluded_and_exported_alone(hall, tmp_path):
    import json

    hall.active_group = 1
    bpy.ops.meshclash.export_report(filepath=str(tmp_path / "group.json"), listed=True)
    assert [pair["a"] for pair in json.loads((tmp_path / "group.json").read_text())["pairs"]] == ["Pump"]
    bpy.ops.meshclash.exclude_listed()
    assert [(pair.name_a, pair.name_b) for pair in bpy.context.scene.meshclash.excluded_pairs] == [("Pump", "Tank")]
    assert hall.total == POSTS


def test_one_pair_is_checked_again_and_nothing_else(hall):
    row = next(at for at, row in enumerate(hall.rows) if row.name == "Pump × Tank")
    pair = hall.rows[row].pair_id
    bpy.ops.meshclash.pick_row(index=row, side="a")
    bpy.data.objects["Tank"].location.x = 0.5
    bpy.data.objects["Post.000"].location.z = 50
    bpy.context.view_layer.update()
    result = scene_results.existing_result(bpy.context.scene.session_uid)
    depth = result.row(pair).depth
    assert result.is_stale(result.row(pair))
    bpy.ops.meshclash.check_again()
    result = scene_results.existing_result(bpy.context.scene.session_uid)
    assert result.row(pair).depth == pytest.approx(0.5) != depth and not result.is_stale(result.row(pair))
    assert hall.selected == pair and hall.total == POSTS + 1
    assert result.stale_rows.sum() == 1  # the post that moved was not looked at
    bpy.data.objects["Tank"].location.x = 9
    bpy.context.view_layer.update()
    assert result.is_stale(result.row(pair))
    bpy.ops.meshclash.check_again()
    assert hall.total == POSTS
    assert [found for found, _ in histories.gone(bpy.context.scene)] == [pair]
    bpy.data.objects["Tank"].location.x = 0
    bpy.context.view_layer.update()
    bpy.ops.meshclash.detect()
    assert histories.history_of(bpy.context.scene).progress(pair) == "reopened"
