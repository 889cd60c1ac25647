"""The list as a user works it: pages, columns, words, statuses, the pairs of an object, tooltips."""

from types import SimpleNamespace

import bpy
import pytest
from ui_fakes import RecordingLayout, draw, make_report, make_row

from addon import results, scene_results, shown_things
from addon.ops import listing
from addon.reviews import approved_counts, reviews_of
from addon.ui import lists, panels

PAGE = results.PAGE_ROWS


def listed():
    return bpy.context.window_manager.meshclash


def names():
    return [(row.name_a, row.name_b) for row in listed().rows]


def show(*rows, **options):
    results.show_report(bpy.context, bpy.context.scene, make_report(*rows, **options))
    listed().around = "ALL"


@pytest.fixture
def many(registered):
    """More than two pages."""
    show(*(make_row(f"A{k % 7}", f"B{k}", depth=1.0 - 0.001 * k) for k in range(2 * PAGE + 5)))


def test_rows_of_some_frames_alone_are_listed(registered):
    show(*(make_row("A", f"B{frame}", frame=frame) for frame in (3, 7, 8, 12)))
    for text, wanted in {"7-8": [7, 8], "12": [12], "1:9:4": [], "3-12:9": [3, 12], "7 to 8": [3, 7, 8, 12]}.items():
        listed().of_frames = text
        assert sorted(int(name[1:]) for _, name in names()) == wanted
        calls = draw(panels.MESHCLASH_PT_filter, bpy.context).calls
        assert "of_frames" in [args[1] for name, args, _ in calls if name == "prop"]
        assert [args for name, args, _ in calls if name == "alert"] == [(text == "7 to 8",)]
    listed().show_all()
    assert listed().of_frames == "" and len(names()) == 4
    show(make_row())
    calls = draw(panels.MESHCLASH_PT_filter, bpy.context).calls
    assert "of_frames" not in [args[1] for name, args, _ in calls if name == "prop"]


def test_every_row_is_reached(many):
    seen = []
    for page in (1, 2, 3):
        listed().page = page
        seen += [row.name_b for row in listed().rows]
    assert seen == [f"B{k}" for k in range(2 * PAGE + 5)]
    bpy.ops.meshclash.turn_page(step=1)
    assert listed().page == 3
    bpy.ops.meshclash.turn_page(step=-1)
    assert listed().page == 2
    texts = draw(panels.MESHCLASH_PT_results, bpy.context).texts()
    assert f"of 3: {2 * PAGE + 5:,} pairs" in texts


def test_a_page_that_is_not_there_is_the_last_one(many):
    listed().page = 99
    assert listed().page == 3 and len(listed().rows) == 5


def test_the_selected_pair_stays_selected_on_other_pages_and_in_other_orders(many):
    listed().active_row = 3
    chosen = results.active_pair(bpy.context)
    listed().page = 2
    assert results.active_pair(bpy.context) is chosen and listed().active_row == -1
    listed().page = 1
    assert listed().active_row == 3
    listed().sort_key, listed().sort_reverse = "MEASURE", True
    assert listed().sort_reverse and listed().active_row == -1 and results.active_pair(bpy.context) is chosen
    listed().search = "B3"
    assert listed().rows[listed().active_row].pair_id == chosen.id


def test_stepping_crosses_pages_and_ends_at_the_last_row(many):
    listed().active_row = PAGE - 1
    bpy.ops.meshclash.step_pair(step=1)
    assert (listed().page, listed().active_row) == (2, 0)
    bpy.ops.meshclash.step_pair(step=-1)
    assert (listed().page, listed().active_row) == (1, PAGE - 1)
    listed().search = "nobody"
    assert not bpy.ops.meshclash.step_pair.poll()


def test_a_list_of_another_scene_is_not_stepped_through(many):
    """Its pairs stand at other places; what is said of listed pairs is said of none of this scene."""
    bpy.ops.scene.new(type="EMPTY")
    scene_results.store_result(bpy.context.scene.session_uid, make_report(make_row()))
    listed().sort_key, listed().sort_reverse = "B", True
    for name in ("step_pair", "set_listed_status", "select_listed"):
        assert not getattr(bpy.ops.meshclash, name).poll()
    assert results.neighbour(bpy.context) is None
    assert bpy.ops.meshclash.list_found_again() == {"FINISHED"}
    assert listed().scene_uid == bpy.context.scene.session_uid and not listed().found


@pytest.mark.parametrize(("key", "first", "last"), [("A", "A0", "A6"), ("B", "B0", f"B{2 * PAGE + 4}")])
def test_a_column_sorts_all_pages(many, key, first, last):
    side = f"name_{key.lower()}"
    listed().sort_key = key
    assert getattr(listed().rows[0], side) == first
    listed().sort_reverse = True
    assert getattr(listed().rows[0], side) == last
    listed().sort_key = "WORST"
    assert listed().rows[0].name_b == "B0" and not listed().sort_reverse


def test_words_statuses_and_verdicts_are_asked_of_all_pages(many):
    listed().active_row = 0
    listed().page = 3
    listed().active_row = 4
    bpy.ops.meshclash.set_status(status="APPROVED")
    listed().search = "b404 A5"
    assert names() == [("A5", "B404")] and (listed().found, listed().total) == (1, 2 * PAGE + 5)
    listed().search = ""
    listed().statuses = {"APPROVED"}
    assert names() == [("A5", "B404")]
    listed().statuses = {"OPEN"}
    assert listed().found == 2 * PAGE + 4
    listed().show_clash = False
    told = " ".join(draw(panels.MESHCLASH_PT_results, bpy.context).texts())
    assert names() == [] and "None of the" in told
    assert bpy.ops.meshclash.list_all() == {"FINISHED"}
    assert listed().found == listed().total and listed().page == 1 and listed().show_clash


def test_a_new_status_moves_a_row_where_statuses_are_asked(registered):
    show(make_row(), make_row(b="C"))
    listed().statuses = {"OPEN"}
    listed().active_row = 0
    bpy.ops.meshclash.set_status(status="REVIEWED")
    assert names() == [("A", "C")] and results.active_pair(bpy.context).b.name == "B"


def test_a_click_on_a_status_lists_that_one(many):
    """Blender's own buttons of several choices do so; single ones of the same choices would take theirs away."""
    layout = draw(panels.MESHCLASH_PT_filter, bpy.context)
    (how,) = [kwargs for name, args, kwargs in layout.calls if name == "prop" and args[1:] == ("statuses",)]
    assert how["expand"] and "prop_enum" not in [name for name, _, _ in layout.calls]


def test_a_comment_needs_no_status(registered):
    show(make_row(), make_row(b="C"))
    settings = bpy.context.scene.meshclash
    settings.comment = "lost"  # no pair is selected
    assert settings.comment == "" and not settings.reviews
    listed().active_row = 0
    calls = draw(panels.MESHCLASH_PT_results, bpy.context).calls
    assert [args for name, args, _ in calls if name == "prop" and args[1:] == ("comment",)] == [(settings, "comment")]
    settings.comment = "ask Ann"
    (review,) = settings.reviews
    assert (review.name_a, review.name_b, review.status, review.comment) == ("A", "B", "OPEN", "ask Ann")
    listed().active_row = 1
    assert settings.comment == ""
    listed().active_row = 0
    bpy.ops.meshclash.set_status(status="APPROVED")
    assert settings.comment == "ask Ann"
    settings.comment = ""
    assert [item.status for item in settings.reviews] == ["APPROVED"]
    bpy.ops.meshclash.set_status(status="OPEN")
    assert not settings.reviews


def test_from_an_object_to_its_pairs_and_back(registered):
    for name in "ABCD":
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(name, None))
    show(make_row(), make_row("B", "C", "touching"), make_row("C", "D"))
    assert not bpy.ops.meshclash.list_selected.poll()
    listed().show_touching = False
    bpy.data.objects["B"].select_set(True)
    bpy.ops.meshclash.list_selected()
    assert names() == [("A", "B"), ("B", "C")]
    listed().active_row = 1  # selects B and C, and lists the same
    assert names() == [("A", "B"), ("B", "C")]
    layout = draw(panels.MESHCLASH_PT_results, bpy.context)
    assert "Only pairs of B" in layout.texts() and "meshclash.list_all" in layout.operators()
    show(make_row("B", "D"), make_row("C", "D"))
    assert names() == [("B", "D")]
    bpy.ops.meshclash.list_all()
    assert len(names()) == 2


def test_long_names_are_cut_so_that_they_differ_and_the_tooltip_has_all_of_them(registered):
    long = [f"Assembly.Bolt.M8.With.A.Very.Long.Name.{k:04}.Body" for k in range(3)]
    home = bpy.data.collections.new("Bolts")
    home.objects.link(bpy.data.objects.new(long[0], None))
    bpy.context.scene.collection.children.link(home)
    bpy.context.view_layer.update()
    row = make_row(long[0], long[1])
    show(row, make_row(long[1], long[2]))
    shown = []
    for index, item in enumerate(listed().rows):
        layout = RecordingLayout()
        lists.MESHCLASH_UL_pairs.draw_item(None, bpy.context, layout, listed(), item, 0, listed(), "active_row", index)
        shown.append(layout.texts()[:2])
    assert ["0000" in shown[0][0], "0001" in shown[0][1], "0001" in shown[1][0], "0002" in shown[1][1]] == [True] * 4
    tip = listing.MESHCLASH_OT_pick_row.description(bpy.context, SimpleNamespace(index=0, side="b", tip=""))
    assert tip.splitlines() == [
        f"B: {long[1]}", "     no longer in this view layer", f"A: {long[0]}", "     in Bolts", "Clash",
    ]  # fmt: skip
    assert bpy.ops.meshclash.pick_row(index=1, side="a") == {"FINISHED"} and listed().active_row == 1
    assert bpy.ops.meshclash.pick_row(index=5, side="a") == {"CANCELLED"}


def test_a_verdict_that_is_not_certain_says_so(registered):
    show(make_row(verdict="contained", certainty=0.874), make_row("B", "C"))
    listed().active_row = 0
    words = "Inside, 87% certain: the open mesh is treated as the solid that it seems to enclose"
    assert words in " ".join(draw(panels.MESHCLASH_PT_results, bpy.context).texts())
    tips = [
        listing.MESHCLASH_OT_pick_row.description(bpy.context, SimpleNamespace(index=k, side="a", tip=""))
        for k in (0, 1)
    ]
    assert words in tips[0].splitlines() and "Clash" in tips[1].splitlines()


def test_facts_of_a_pair_are_not_cut(registered):
    name = "Basic Wall:" + "Interior Partition " * 9
    show(make_row(name, "B"))
    listed().active_row = 0
    texts = draw(panels.MESHCLASH_PT_results, bpy.context).texts()
    assert "".join(f"1 face of {name}".split()) in "".join("".join(texts).split())


def test_only_the_page_is_written_again(many, monkeypatch):
    cells = shown_things.listed().cells
    before = [dict(cell) for cell in cells]
    listed().search = "B"
    assert shown_things.listed().cells is cells and cells == before


def test_another_file_forgets_the_objects_that_were_asked_for(registered):
    show(make_row())
    shown_things.listed().owners = frozenset({"A"})
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert shown_things.listed().owners is None and listed().found == 0


def approved():
    return set(reviews_of(bpy.context.scene).approved)


def test_statuses_are_read_once_and_again_after_every_change(registered, monkeypatch):
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="Before")
    show(make_row(), make_row("B", "C"), make_row("C", "D"))
    first, second, _third = (row.pair_id for row in listed().rows)
    assert approved() == set()
    listed().active_row = 0
    bpy.ops.meshclash.set_status(status="APPROVED")
    assert approved() == {first}
    known = reviews_of(bpy.context.scene)
    listed().active_row = 1
    bpy.ops.meshclash.set_status(status="REVIEWED")
    assert reviews_of(bpy.context.scene) is not known and reviews_of(bpy.context.scene).approved is known.approved
    assert reviews_of(bpy.context.scene) is reviews_of(bpy.context.scene)
    bpy.context.scene.meshclash.reviews[second].status = "APPROVED"  # as a script does it
    assert approved() == {first, second}
    bpy.context.scene.meshclash.reviews.remove(0)
    assert approved() == {second}
    bpy.context.scene.meshclash.reviews.clear()
    assert approved() == set()


def test_approved_pairs_are_counted_once_for_a_result(registered):
    show(make_row(), make_row("B", "C", "touching"), make_row("C", "D"))
    for pair in [row.pair_id for row in listed().rows][:2]:
        results.select_pair(bpy.context, pair)
        bpy.ops.meshclash.set_status(status="APPROVED")

    def counts():
        result = scene_results.existing_result(bpy.context.scene.session_uid)
        return approved_counts(result, reviews_of(bpy.context.scene))

    assert counts() == {"clash": 1, "touching": 1}
    assert counts() is counts()
    before = counts()
    bpy.ops.meshclash.set_status(status="OPEN")
    assert counts().total() == before.total() - 1
    show(make_row("X", "Y"))
    assert counts().total() == 0


def test_another_file_is_listed_whole_whatever_was_asked_of_the_last_one(registered, tmp_path):
    path = str(tmp_path / "list.blend")
    show(make_row(), make_row("B", "C", "touching"), make_row("C", "D"))
    bpy.ops.wm.save_as_mainfile(filepath=path)
    for load_ui in (True, False):
        listed().search, listed().statuses, listed().show_clash = "nobody", {"APPROVED"}, False
        listed().sort_key, listed().sort_reverse = "A", True
        shown_things.listed().owners = frozenset({"A"})
        bpy.ops.wm.open_mainfile(filepath=path, load_ui=load_ui)
        assert listed().found == listed().total == 3 and names()[0] == ("A", "B")
        assert listed().search == "" and listed().sort_key == "WORST" and shown_things.listed().owners is None


def test_what_is_asked_of_the_list_is_not_saved_with_the_file(registered, tmp_path):
    path = str(tmp_path / "list.blend")
    show(make_row(), make_row("B", "C"))
    listed().search = "C"
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert listed().search == "" and listed().found == 2
