"""Tests that are kept in the file: made, run together, edited, filled as a matrix, saved, exchanged."""

import json
from types import SimpleNamespace

import bpy
import pytest
from meshclash.clash.named_tests import read_tests
from ui_fakes import draw

from addon import histories, kept_tests, scene_results
from addon.ui import panels, results_area
from addon.ui import tests as tests_panel


@pytest.fixture
def building(registered, add_box):
    """Pipes, walls and ducts in collections of their own: each of two pipes cuts the wall, the duct one of them."""
    for name in ("Pipes", "Walls", "Ducts"):
        bpy.context.scene.collection.children.link(bpy.data.collections.new(name))
    add(add_box, "Walls", "WALL-1", (0, 0, 0), (10, 0.25, 3))
    add(add_box, "Pipes", "PIPE-1", (1, -2, 1), (1.25, 2, 1.25))
    add(add_box, "Pipes", "PIPE-2", (4, -2, 1), (4.25, 2, 1.25))
    add(add_box, "Ducts", "DUCT-1", (3, 1, 0.75), (8, 1.5, 1.125))
    bpy.context.view_layer.update()
    return bpy.context.scene.meshclash


def add(add_box, collection, name, low, high):
    item = add_box(name, low, high)
    bpy.data.collections[collection].objects.link(item)
    bpy.context.scene.collection.objects.unlink(item)
    return item


def report():
    return scene_results.existing_result(bpy.context.scene.session_uid).report


def found():
    return sorted((row.test, *sorted(row.names)) for row in report().rows)


IN_MATRIX = [
    ("Pipes × Ducts", "DUCT-1", "PIPE-2"),
    ("Pipes × Walls", "PIPE-1", "WALL-1"),
    ("Pipes × Walls", "PIPE-2", "WALL-1"),
]


def test_a_matrix_of_collections_is_filled_and_run_in_two_presses(building):
    bpy.ops.meshclash.fill_matrix(by="collection")
    assert [item.name for item in building.kept_tests] == ["Pipes × Walls", "Pipes × Ducts", "Walls × Ducts"]
    bpy.ops.meshclash.run_tests()
    assert found() == IN_MATRIX
    assert len({row.id for row in report().rows}) == 3
    shown = draw(tests_panel.MESHCLASH_PT_tests, bpy.context)
    assert "meshclash.run_tests" in shown.operators()


@pytest.mark.parametrize("by", ["word", "material", "storey", "PROPERTY"])
def test_disciplines_are_told_by_whatever_objects_have(building, by):
    for item in bpy.context.scene.objects:
        kind = item.name.partition("-")[0]
        item["storey"] = item["Gewerk"] = kind
        item.data.materials.append(bpy.data.materials.get(kind) or bpy.data.materials.new(kind))
    bpy.ops.meshclash.fill_matrix(by=by, key="Gewerk", within=True)
    assert len(building.kept_tests) == 6
    bpy.ops.meshclash.run_tests()
    names = {"Pipes": "PIPE", "Ducts": "DUCT", "Walls": "WALL"}
    assert {(frozenset(names[part] for part in test.split(" × ")), *pair) for test, *pair in IN_MATRIX} == {
        (frozenset(test.split(" × ")), *pair) for test, *pair in found()
    }


def test_what_is_no_discipline_is_refused(building):
    with pytest.raises(RuntimeError, match="fewer than two different disciplines by class"):
        bpy.ops.meshclash.fill_matrix(by="class")
    with pytest.raises(RuntimeError, match="Name the custom property"):
        bpy.ops.meshclash.fill_matrix(by="PROPERTY")
    assert not len(building.kept_tests) and not bpy.ops.meshclash.run_tests.poll()


def test_a_test_keeps_what_detect_asks_and_gives_it_back(building):
    building.set_a, building.set_a_collection = "COLLECTION", bpy.data.collections["Pipes"]
    building.set_b, building.set_b_rule = "RULE", "object:WALL* | object:DUCT*"
    building.test, building.tolerance, building.skip_same_parent = "clearance", 0.5, True
    bpy.ops.meshclash.keep_test(name="Pipes to all")
    wanted = building.checked_options(1.0)
    building.set_a = building.set_b = "ALL"
    building.test, building.skip_same_parent = "intersection", False
    bpy.ops.meshclash.keep_test(name="Everything")
    building.active_test = 0
    bpy.ops.meshclash.use_test()
    assert building.checked_options(1.0) == wanted
    bpy.data.collections["Pipes"].name = "Tubes"
    bpy.ops.meshclash.run_tests()
    assert {row.test for row in report().rows} == {"Pipes to all", "Everything"}
    assert {"near", "clash"} <= set(report().verdicts)
    bpy.ops.meshclash.remove_test()
    assert [item.name for item in building.kept_tests] == ["Everything"]


def test_tests_results_and_words_live_in_the_file(building, tmp_path):
    bpy.ops.meshclash.fill_matrix(by="collection")
    bpy.ops.meshclash.run_tests()
    listed = bpy.context.window_manager.meshclash
    listed.of_test = "Pipes × Ducts"
    assert [row.name for row in listed.rows] == ["PIPE-2 × DUCT-1"]
    bpy.ops.meshclash.set_listed_status(status="APPROVED")
    bpy.data.objects["PIPE-2"].name = "PIPE-7"
    bpy.context.view_layer.update()
    bpy.ops.meshclash.run_tests()
    history = histories.history_of(bpy.context.scene)
    assert {history.progress(row.id) for row in report().rows} == {"active"}
    approved = {review.name for review in bpy.context.scene.meshclash.reviews if review.status == "APPROVED"}
    assert approved == {row.id for row in report().rows if row.test == "Pipes × Ducts"}
    path = str(tmp_path / "building.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.context.scene.meshclash.kept_tests[0].name == "Pipes × Walls"
    assert [row.test for row in report().rows].count("Pipes × Walls") == 2
    assert not panels._changed_settings(bpy.context.scene, report())
    bpy.context.scene.meshclash.kept_tests[0].enabled = False
    assert panels._changed_settings(bpy.context.scene, report()) == ["Tests"]


def test_a_detection_says_nothing_of_pairs_of_tests_and_the_other_way_round(building):
    bpy.ops.meshclash.fill_matrix(by="collection")
    bpy.ops.meshclash.run_tests()
    bpy.ops.meshclash.detect()
    assert not histories.gone(bpy.context.scene)
    bpy.data.objects["DUCT-1"].location.z = 20
    bpy.context.view_layer.update()
    bpy.ops.meshclash.run_tests()
    assert [{*said.names} for _, said in histories.gone(bpy.context.scene)] == [{"DUCT-1", "PIPE-2"}]
    bpy.ops.meshclash.detect()
    assert [{*said.names} for _, said in histories.gone(bpy.context.scene)] == [{"DUCT-1", "PIPE-2"}] * 2


def test_one_pair_of_a_test_is_checked_again(building):
    bpy.ops.meshclash.fill_matrix(by="collection")
    bpy.ops.meshclash.run_tests()
    listed = bpy.context.window_manager.meshclash
    row = next(row for row in report().rows if row.test == "Pipes × Ducts")
    listed.around, listed.active_row = "ALL", [item.pair_id for item in listed.rows].index(row.id)
    bpy.ops.meshclash.check_again()
    assert row.id in {found.id for found in report().rows} and len(report().rows) == 3
    bpy.data.objects["DUCT-1"].location.z = 20
    bpy.context.view_layer.update()
    bpy.ops.meshclash.check_again()
    assert found() == IN_MATRIX[1:]


def test_tests_are_exchanged_as_json(building, tmp_path):
    bpy.ops.meshclash.fill_matrix(by="collection")
    path = tmp_path / "tests.json"
    bpy.ops.meshclash.export_tests(filepath=str(path))
    before = json.loads(path.read_text())
    bpy.ops.meshclash.remove_test(every=True)
    bpy.ops.meshclash.import_tests(filepath=str(path))
    bpy.ops.meshclash.export_tests(filepath=str(path))
    assert json.loads(path.read_text()) == before and len(before["tests"]) == 3
    path.write_text("{}")
    with pytest.raises(RuntimeError, match="no tests of schema"):
        bpy.ops.meshclash.import_tests(filepath=str(path))
    assert len(building.kept_tests) == 3


MATRIX = "collection,Pipes,Walls,Ducts\nPipes,,intersection 5 mm,intersection\nWalls,,,clearance 50 mm\n"


@pytest.mark.parametrize("kind", ["collection", "model"])
def test_a_matrix_is_imported_from_a_spreadsheet_and_written_as_one(building, tmp_path, kind):
    """Collections are the models of a scene."""
    path, again = tmp_path / "matrix.CSV", tmp_path / "again.csv"
    path.write_text(MATRIX.replace("collection", kind).replace(",", ";"), "utf-8-sig")
    bpy.ops.meshclash.import_tests(filepath=str(path))
    bpy.ops.meshclash.run_tests()
    assert found() == IN_MATRIX
    bpy.ops.meshclash.export_tests(filepath=str(again))
    assert [test.as_dict() for test in read_tests(again)] == [test.as_dict() for test in read_tests(path)]
    shown = numbered(draw(tests_panel.MESHCLASH_PT_tests, bpy.context))
    assert shown == ["1", "2", "3", "1  Pipes", "2", "1", "2  Walls", "0", "3  Ducts"]


def numbered(layout):
    """What the matrix of the panel shows: numbers of columns, names of rows, numbers of pairs."""
    texts = layout.texts()
    return [text for text in texts if text[:1].isdigit()]


@pytest.mark.parametrize("name", ["import_tests", "export_tests"])
def test_dialogs_of_tests_list_both_formats(registered, name):
    described = getattr(bpy.ops.meshclash, name).get_rna_type()
    assert described.properties["filter_glob"].default == "*.json;*.csv"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (MATRIX.replace("50 mm", "soon"), "row Walls, column Ducts: 'soon' is not a length"),
        (MATRIX.replace("collection", "group"), "must be the kind of the names, such as model or discipline"),
        ("", "a matrix needs names in its first row"),
        ("a\0,b", "a matrix needs names|not valid CSV|kind of the names"),
    ],
)
def test_a_wrong_matrix_is_refused_by_its_cell(building, tmp_path, content, message):
    path = tmp_path / "matrix.csv"
    path.write_text(content)
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.meshclash.import_tests(filepath=str(path))
    assert not len(building.kept_tests)


def test_only_a_matrix_is_drawn_as_one(building):
    bpy.ops.meshclash.fill_matrix(by="collection", within=True)
    names, cells = kept_tests.grid(building.kept_tests)
    assert names == ["Pipes", "Walls", "Ducts"] and sorted(cells) == [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    building.set_a, building.set_a_collection = "COLLECTION", bpy.data.collections["Pipes"]
    bpy.ops.meshclash.keep_test(name="Pipes to all")
    assert kept_tests.grid(building.kept_tests) == ([], {})
    with pytest.raises(RuntimeError, match="test 'Pipes to all' cannot be written as a matrix cell"):
        bpy.ops.meshclash.export_tests(filepath="/nowhere/matrix.csv")


def test_excluded_pairs_are_left_out_of_every_test(building):
    bpy.ops.meshclash.fill_matrix(by="collection")
    pair = building.excluded_pairs.add()
    pair.name_a, pair.name_b = "WALL-1", "PIPE-1"
    bpy.ops.meshclash.run_tests()
    assert found() == [item for item in IN_MATRIX if "PIPE-1" not in item]


def test_a_damaged_test_is_named_and_nothing_runs(building):
    bpy.ops.meshclash.fill_matrix(by="collection")
    building.kept_tests[1].definition = "[1"
    with pytest.raises(RuntimeError, match="'Pipes × Ducts' is damaged"):
        bpy.ops.meshclash.run_tests()


def test_the_wide_list_has_a_column_for_the_test(building):
    bpy.ops.meshclash.fill_matrix(by="collection")
    bpy.ops.meshclash.run_tests()
    result = scene_results.existing_result(bpy.context.scene.session_uid)
    assert next(iter(results_area.columns(result))).list_title == "Test"
    listed = bpy.context.window_manager.meshclash
    listed.sort_key = "TEST"
    tests = [result.row(item.pair_id).test for item in listed.rows]
    assert tests == sorted(tests) and tests != [row.test for row in report().rows]
    space = SimpleNamespace(width=1400)
    texts = []
    for item in listed.rows:
        layout = draw_row(results_area.MESHCLASH_UL_wide, space, listed, item)
        texts += layout.texts()
    assert {"Pipes × Walls", "Pipes × Ducts"} <= set(texts)


def draw_row(cls, region, listed, item):
    from ui_fakes import RecordingLayout

    layout = RecordingLayout()
    real = bpy.context
    context = SimpleNamespace(
        scene=real.scene, window_manager=real.window_manager, preferences=real.preferences, region=region
    )
    cls.draw_item(None, context, layout, listed, item, 0, None, "", 0)
    return layout


def test_tests_that_find_nothing_are_counted(building):
    """What one of them asked says nothing of the others."""
    building.test = "self"
    for name in ("First", "Second"):
        bpy.ops.meshclash.keep_test(name=name)
    bpy.ops.meshclash.run_tests()
    assert "2 tests of 4 objects found no pairs" in draw(panels.MESHCLASH_PT_results, bpy.context).texts()
