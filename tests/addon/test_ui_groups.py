"""The groups of clashes in the panel: chosen, they list their pairs alone, and one status is said of all of them."""

import bpy
import pytest

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
        ("6 Post and Slab overlap, 250 mm deep", POSTS),
        ("Pump and Tank overlap, 1e+03 mm deep", 1),
    ]
    assert hall.found == hall.total == POSTS + 1


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
    from meshclash.detection.grouping import GROUPINGS

    from addon.props import GROUPINGS_SHOWN

    assert {name for name, *_ in GROUPINGS_SHOWN} <= set(GROUPINGS)


def test_an_empty_result_has_no_groups(registered, add_box):
    add_box("A", (0, 0, 0), (1, 1, 1))
    add_box("B", (5, 0, 0), (6, 1, 1))
    bpy.context.view_layer.update()
    bpy.ops.meshclash.detect()
    assert len(bpy.context.window_manager.meshclash.groups) == 0
