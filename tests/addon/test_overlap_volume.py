"""The common volume of clashing solids: in the list, in reports, in the saved list, and as a filter."""

import csv
import json
import math

import bpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.clash.cell_text import NO_SOLID, format_volume_of
from meshclash.clash.errors import InputError
from meshclash.clash.options import DetectOptions
from meshclash.clash.report_formats import too_small
from meshclash.clash.units import SYSTEMS, UNITS, volume_between, volume_in_words
from ui_fakes import draw, make_report, make_row

from addon import commandline, results, scene_results
from addon.core import saved
from addon.ui import panels

DONE, CLASHES, WRONG = 0, 1, 2


@pytest.fixture
def boxes(add_box, tmp_path):
    """A shares 0.25 with B and all of Small, Open (without a lid) crosses A, C touches B; a unit is a centimetre."""
    bpy.context.scene.unit_settings.scale_length = 0.01
    add_box("A", (0, 0, 0), (1, 1, 1))
    add_box("B", (0, 0, 0), (1, 1, 1), location=(0.75, 0, 0))
    add_box("C", (0, 0, 0), (1, 1, 1), location=(1.75, 0, 0))
    add_box("Small", (0.25, 0.25, 0.25), (0.5, 0.5, 0.375))
    lidless = add_box("Open", (-0.5, 0.25, 0.5), (0.5, 0.75, 0.75))
    mesh = bpy.data.meshes.new("Open")
    faces = [list(polygon.vertices) for polygon in lidless.data.polygons][1:]
    mesh.from_pydata([v.co[:] for v in lidless.data.vertices], [], faces)
    lidless.data = mesh
    path = tmp_path / "boxes.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def detected(file, tmp_path, *arguments, code=DONE, ending="json"):
    path = tmp_path / f"report.{ending}"
    assert commandline.main([str(file), "--report", str(path), "--quiet", *map(str, arguments)]) == code
    return path.read_text(encoding="utf-8")


def volumes(report):
    return {(pair["a"], pair["b"]): (pair["volume_lower"], pair["volume_upper"]) for pair in report["pairs"]}


KNOWN = {("A", "B"): 0.25e-6, ("A", "Small"): 0.0078125e-6, ("A", "Open"): None, ("B", "C"): None}


@pytest.mark.parametrize("test", [(), ("--test", "clearance", "--tolerance", 0), ("--test", "distance")])
def test_reports_have_bounds_in_cubic_metres(boxes, tmp_path, test):
    report = json.loads(detected(boxes, tmp_path, "--overlap-volume", *test))
    found = volumes(report)
    for pair, known in KNOWN.items():
        low, high = found[pair]
        assert (low is None and high is None) if known is None else low <= known <= high
        assert known is None or high - low <= 0.02 * known
    (pair,) = (pair for pair in report["pairs"] if pair["b"] == "B")
    assert pair["volume"] == pytest.approx(0.25e-6, rel=0.01) and report["options"]["overlap_volume"]


def test_nothing_is_measured_unasked(boxes, tmp_path):
    report = json.loads(detected(boxes, tmp_path))
    assert set(volumes(report).values()) == {(None, None)} and not report["options"]["overlap_volume"]
    assert "Common volume" not in detected(boxes, tmp_path, ending="html")


def test_csv_and_page_say_the_volume_and_where_there_is_no_solid(boxes, tmp_path):
    lines = list(csv.DictReader(detected(boxes, tmp_path, "--overlap-volume", ending="csv").splitlines()))
    cells = {(line["a"], line["b"]): line["volume"] for line in lines}
    assert cells["A", "Open"] == cells["B", "C"] == ""
    assert float(cells["A", "B"]) == pytest.approx(0.25e-6, rel=0.01)
    page = detected(boxes, tmp_path, "--overlap-volume", ending="html")
    assert "Common volume" in page and page.count("not a solid") == 1 and "cm³" in page


def test_pairs_that_certainly_share_less_are_left_out(boxes, tmp_path, capfd):
    report = json.loads(detected(boxes, tmp_path, "--min-volume", 1e-7))
    assert set(volumes(report)) == {("A", "B"), ("A", "Open")}  # what is no solid may have any volume
    assert report["options"]["overlap_volume"] and report["options"]["min_volume"] == 1e-7
    assert report["stats"]["smaller"] == 2
    assert commandline.main([str(boxes), "--min-volume", "1e-7"]) == DONE
    assert "2 more have less than 0.1 cm³ in common." in capfd.readouterr().out
    assert "at least 0.1 cm³" in detected(boxes, tmp_path, "--min-volume", 1e-7, ending="html")


def test_only_clashes_that_are_listed_fail_a_build(boxes, tmp_path):
    arguments = ("--set-a", "A", "--set-b", "B", "--fail-on", "clash")
    detected(boxes, tmp_path, *arguments, "--min-volume", 0.2e-6, code=CLASHES)
    detected(boxes, tmp_path, *arguments, "--min-volume", 0.3e-6, code=DONE)


@pytest.mark.parametrize("wrong", ["-1e-6", "nan", "inf", "much"])
def test_a_wrong_volume_is_refused(boxes, tmp_path, capfd, wrong):
    assert commandline.main([str(boxes), f"--min-volume={wrong}"]) == WRONG
    assert "volume" in capfd.readouterr().err


def test_a_test_without_volumes_says_so(boxes, capfd):
    assert commandline.main([str(boxes), "--test", "time-critical", "--budget", "1", "--min-volume", "1"]) == WRONG
    assert "the time-critical test takes no overlap volume" in capfd.readouterr().err


@pytest.fixture
def listed(registered):
    """Three clashes, one with an unknown volume, and a touch, as Detect lists them."""
    rows = [
        make_row(volume_lower=0.9, volume_upper=1.1), make_row(b="C", depth=0.5, volume_lower=3.0, volume_upper=3.0),
        make_row(b="D"), make_row(b="E", verdict="touching", depth=None),
    ]  # fmt: skip
    results.show_report(bpy.context, bpy.context.scene, make_report(*rows, overlap_volume=True))
    return bpy.context.window_manager.meshclash


def names(listed):
    return [row.name_b for row in listed.rows]


def test_the_list_is_filtered_and_sorted_by_volume(listed):
    listed.sort_key = "MEASURE"
    assert names(listed) == ["C", "B", "D", "E"]
    assert [row.volume for row in listed.rows][:2] == pytest.approx([3.0, 1.0])
    listed.least_volume = 1.0625
    assert names(listed) == ["C", "B", "D"]  # B may have so much, D is not known, E has none
    listed.least_volume = 2.0
    assert names(listed) == ["C", "D"]
    bpy.ops.meshclash.list_all()
    assert len(listed.rows) == 4 and listed.least_volume == 0.0


def test_the_panel_shows_volumes_in_the_scenes_units(listed):
    bpy.context.scene.unit_settings.scale_length = 0.01
    listed.around = "ALL"
    for at, said in ((0, "0.9 to 1.1 cm³"), (2, "not a solid")):
        listed.active_row = at
        layout = draw(panels.MESHCLASH_PT_results, bpy.context)
        assert said in layout.texts()
    layout = draw(panels.MESHCLASH_PT_filter, bpy.context)
    assert "least_volume" in [args[1] for name, args, _ in layout.calls if name == "prop"]


def test_a_list_without_volumes_has_no_such_filter(registered):
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row(), make_row(b="E", verdict="touching")))
    listed = bpy.context.window_manager.meshclash
    listed.least_volume = 5.0
    assert len(listed.rows) == 2
    layout = draw(panels.MESHCLASH_PT_filter, bpy.context)
    assert "least_volume" not in [args[1] for name, args, _ in layout.calls if name == "prop"]


def test_the_saved_list_keeps_volumes():
    report = make_report(make_row(volume_lower=0.5, volume_upper=0.75), make_row(b="C"), overlap_volume=True)
    again = saved.from_text(saved.to_text(report), "", 1.0)
    assert [(row.volume_lower, row.volume_upper) for row in again.rows] == [(0.5, 0.75), (None, None)]
    assert again.options.overlap_volume
    older = json.loads(saved.to_text(report))
    del older["asked"]["overlap_volume"]
    for row in older["rows"]:
        del row["volume_lower"], row["volume_upper"]
    assert [row.volume for row in saved.from_text(json.dumps(older), "", 1.0).rows] == [None, None]


def test_detect_measures_when_the_box_is_checked(registered, add_box):
    add_box("A", (0, 0, 0), (1, 1, 1))
    add_box("B", (0, 0, 0), (1, 1, 1), location=(0.5, 0, 0))
    for asked in (False, True):
        bpy.context.scene.meshclash.overlap_volume = asked
        assert bpy.ops.meshclash.detect() == {"FINISHED"}
        (row,) = scene_results.result_of(bpy.context.scene.session_uid).report.rows
        assert (row.volume == pytest.approx(0.5, rel=0.01)) if asked else row.volume is None


def test_a_min_volume_includes_the_measurement():
    assert DetectOptions(min_volume=1.0).overlap_volume
    with pytest.raises(InputError, match="the self test takes no overlap volume"):
        DetectOptions(test="self", min_volume=1.0)


def test_several_tests_say_only_what_they_measured():
    """The sentence about small volumes names the limit of the test that has one; other tests call no object open."""
    plain, small, large = (DetectOptions(min_volume=least).as_dict() for least in (0.0, 1e-6, 1e-3))
    stats = {"smaller": 3}
    assert str(too_small(stats, [plain, small])).strip() == "3 more have less than 1 cm³ in common."
    assert str(too_small(stats, [small, large])).strip() == "3 more have too little volume in common."
    assert too_small({"smaller": 0}, [plain, small]) == ""
    assert str(too_small(stats, [plain])).strip() == "3 more have too little volume in common."  # of a damaged file
    pair = {"volume": None, "volume_lower": None, "volume_upper": None, "verdict": "clash", "test": None}
    assert format_volume_of(pair) == NO_SOLID
    assert format_volume_of({**pair, "test": "ducts"}) == ""


@given(st.floats(1e-18, 1e12), st.sampled_from(sorted(SYSTEMS)), st.sampled_from(["", *UNITS]))
def test_no_volume_has_a_power_of_ten_and_all_are_right(value, system, unit):
    text = volume_in_words(value, system, unit)
    number, name = text.removeprefix("<").split()
    assert "e" not in number
    size = next(size for size, known in UNITS.values() if f"{known}³" == name)
    said = float(number) * size**3
    assert value < said if text.startswith("<") else math.isclose(value, said, rel_tol=0.006)


def test_bounds_are_written_as_one_number_where_they_are_alike():
    assert volume_between(1.2501e-6, 1.2502e-6, "METRIC") == "1.25 cm³"
    assert volume_between(0.0, 2e-6, "METRIC") == "0 to 2 cm³"
    assert volume_between(0.0, 1e-14, "METRIC") == "<0.001 mm³"
    assert volume_in_words(2.0, "IMPERIAL") == "70.6 ft³"
