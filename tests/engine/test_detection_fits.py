"""Fits: an overlap that is permitted to pairs of names, as the engine's verdict with that permission has it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mesh_samples import BOX_TRIANGLES, BOX_VERTICES, moved, scene_of_boxes
from meshclash.__main__ import main
from meshclash.clash.errors import InputError
from meshclash.clash.fits import Fit, parse_fit
from meshclash.clash.options import DetectOptions, changed_settings
from meshclash.clash.pair_row import PairRow, PairSide
from meshclash.clash.tasks import options_of, options_text

trimesh = pytest.importorskip("trimesh")
NAME = st.text("ab.1 ", min_size=1, max_size=4)


def row(a, b):
    return PairRow("0" * 16, *(PairSide(name, f"{name} owner", name, ()) for name in (a, b)), 1, "clash", 3, 1)


@pytest.fixture
def boxes(tmp_path):
    """Boxes of a unit's length in a row: two overlaps of 0.25 with the middle one, and one of 0.125 beside."""
    path = tmp_path / "boxes.glb"
    parts = {"pin.1": moved(0.0), "plate": moved(0.75), "pin.2": moved(1.5), "rod": moved(2.375)}
    scene_of_boxes(trimesh, parts).export(path)
    return path


def verdicts(path, tmp_path, *arguments):
    report = tmp_path / "report.json"
    assert main(["detect", str(path), "--quiet", "--report", str(report), *arguments]) == 0
    data = json.loads(report.read_text("utf-8"))
    return {(pair["a"], pair["b"]): pair["verdict"] for pair in data["pairs"]}, data["options"]


def test_a_fit_permits_its_pairs_another_overlap(boxes, tmp_path):
    found, options = verdicts(boxes, tmp_path, "--fit", "pin*::plate=0.3")
    assert found == {("pin.1", "plate"): "touching", ("pin.2", "plate"): "touching", ("pin.2", "rod"): "clash"}
    assert options["fits"] == [["pin*", "plate", 0.3]]


def test_a_fit_counts_in_place_of_what_all_may(boxes, tmp_path):
    """Also where it permits less; the first one that means a pair counts, in either order of its names."""
    general = ("--permitted-overlap", "0.3")
    assert set(verdicts(boxes, tmp_path, *general)[0].values()) == {"touching"}
    fits = ("--fit", "plate::pin.2=0.3", "--fit", "pin*::plate=0.2")
    found, _ = verdicts(boxes, tmp_path, *general, *fits)
    assert found == {("pin.1", "plate"): "clash", ("pin.2", "plate"): "touching", ("pin.2", "rod"): "touching"}


@pytest.mark.parametrize(("crossing", "verdict"), [(2.0**-22, "touching"), (2.0**-10, "clash")])
def test_a_stated_length_permits_surfaces_their_rounding(tmp_path, crossing, verdict):
    """A plate bounds no solid: what it crosses by has no depth, whichever length is permitted."""
    box = trimesh.Trimesh(BOX_VERTICES, BOX_TRIANGLES, process=False)
    corners = [[-1, -1, 1 - crossing], [2, -1, 1 - crossing], [2, 2, 1 - crossing], [-1, 2, 1 - crossing]]
    folder = tmp_path / "parts"
    folder.mkdir()
    box.export(folder / "box.stl")
    trimesh.Trimesh(corners, [[0, 1, 2], [0, 2, 3]], process=False).export(folder / "plate.stl")
    for permitted, expected in (("0.001", verdict), ("0.1", verdict), ("resolution", verdict), ("0", "clash")):
        found, _ = verdicts(folder, tmp_path, "--permitted-overlap", permitted)
        assert found == {("box", "plate"): expected}


def test_the_depths_stay(boxes, tmp_path):
    report = tmp_path / "report.csv"
    assert main(["detect", str(boxes), "--quiet", "--report", str(report), "--fit", "pin.1::plate=1"]) == 0
    line = next(line for line in report.read_text("utf-8").splitlines() if "pin.1" in line)
    assert "touching" in line and "0.25" in line


@given(NAME, NAME)
def test_a_fit_means_its_own_names_in_any_order(a, b):
    assert Fit(a, b, 1.0).means(row(a, b)) and Fit(a, b, 1.0).means(row(b, a))
    assert Fit(f"{a} own*", b, 1.0).means(row(b, a))  # of an instancer


@given(NAME, NAME, st.floats(0.0, 1e3))
def test_a_fit_is_read_as_it_is_written(a, b, permitted):
    assert parse_fit(f"{a}::{b}={permitted!r}") == (a, b, permitted)
    options = DetectOptions(fits=((a, b, permitted),))
    assert options_of(options_text(options)) == options
    assert changed_settings(DetectOptions(), options) == ["Fits"]


@pytest.mark.parametrize("text", ["", "a::b", "a=1", "a::b=much", "::b=1", "a::b::c=1", "a::b=-1", "a::b=nan"])
def test_what_is_no_fit_is_refused(text):
    with pytest.raises(InputError, match=r"fit|a permitted overlap needs the names of two objects"):
        parse_fit(text)


def test_a_test_without_overlaps_takes_no_fits():
    with pytest.raises(InputError, match="takes no fits"):
        DetectOptions(test="self", fits=(("a", "b", 1.0),))
