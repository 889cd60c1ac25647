"""The tests clearance and distance without a window: known gaps, units, limits, and bad input."""

import csv
import json
import re

import bpy
import numpy as np
import pytest
from meshclash.clash.queries import distance as distance_query

from addon import commandline

DONE, CLASHES, WRONG = 0, 1, 2


@pytest.fixture
def boxes(add_box, tmp_path):
    """A and B overlap by a quarter; B and C are 0.5 apart along x, C and D 0.375 along y and 0.5 along z."""
    add_box("A", (0, 0, 0), (1, 1, 1))
    add_box("B", (0, 0, 0), (1, 1, 1), location=(0.75, 0, 0))
    add_box("C", (0, 0, 0), (1, 1, 1), location=(2.25, 0, 0))
    add_box("D", (0, 0, 0), (1, 1, 1), location=(2.25, 1.375, 1.5))
    return save(tmp_path / "boxes.blend")


def save(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def pairs_of(file, tmp_path, *arguments, code=DONE):
    path = tmp_path / "report.json"
    assert commandline.main([str(file), "--report", str(path), "--quiet", *map(str, arguments)]) == code
    return json.loads(path.read_text(encoding="utf-8"))


def told(report):
    return [(pair["verdict"], pair["a"], pair["b"]) for pair in report["pairs"]]


def test_clearance_lists_who_is_too_near_with_the_gap(boxes, tmp_path):
    report = pairs_of(boxes, tmp_path, "--test", "clearance", "--tolerance", 0.625)
    assert told(report) == [("clash", "A", "B"), ("near", "B", "C"), ("near", "C", "D")]
    clash, near, corner = report["pairs"]
    assert clash["distance"] == 0.0 and clash["depth"] == pytest.approx(0.25, rel=0.1) and clash["contacts"] > 0
    assert near["distance"] == 0.5 and near["contacts"] == 0 and near["depth"] is None
    assert near["point_a"][0] == 1.75 and near["point_b"][0] == 2.25
    assert near["faces_a"] == [1, 2, 3, 4, 5] and near["faces_b"] == [0, 2, 3, 4, 5]  # all but those that look away
    assert (near["face_a"], near["face_b"]) == (1, 0)
    assert corner["distance"] == 0.625
    for pair in (near, corner):
        assert np.linalg.norm(np.subtract(pair["point_a"], pair["point_b"])) == pytest.approx(pair["distance"])
    assert report["options"]["tolerance"] == 0.625 and report["options"]["test"] == "clearance"


def test_a_smaller_tolerance_finds_less(boxes, tmp_path):
    assert told(pairs_of(boxes, tmp_path, "--test", "clearance", "--tolerance", 0.4)) == [("clash", "A", "B")]
    press_fit = ["--test", "clearance", "--tolerance", 0, "--permitted-overlap", 0.3]
    assert told(pairs_of(boxes, tmp_path, *press_fit)) == [("touching", "A", "B")]


def test_distance_measures_every_pair(boxes, tmp_path):
    report = pairs_of(boxes, tmp_path, "--test", "distance")
    assert told(report)[:2] == [("clash", "A", "B"), ("apart", "B", "C")]
    gaps = {pair["a"] + pair["b"]: pair["distance"] for pair in report["pairs"]}
    wanted = {"AB": 0.0, "AC": 1.25, "AD": np.hypot(1.25, 0.625), "BC": 0.5, "BD": np.hypot(0.5, 0.625), "CD": 0.625}
    assert gaps == pytest.approx(wanted, abs=1e-12)
    assert report["stats"]["left_out"] == {"pairs": 0, "beyond": None}


def test_distance_between_sets(boxes, tmp_path):
    report = pairs_of(boxes, tmp_path, "--test", "distance", "--set-a", "D", "--set-b", "A")
    assert told(report) == [("apart", "D", "A")]
    assert report["pairs"][0]["point_a"][0] == 2.25 and report["pairs"][0]["point_b"][0] == 1.0


def test_many_pairs_are_cut_and_it_is_said(boxes, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(distance_query, "MOST_PAIRS", 3)
    path = tmp_path / "report.json"
    assert commandline.main([str(boxes), "--test", "distance", "--report", str(path)]) == DONE
    report = json.loads(path.read_text(encoding="utf-8"))
    assert sorted(pair["a"] + pair["b"] for pair in report["pairs"]) == ["AB", "BC", "CD"]
    assert report["stats"]["left_out"]["pairs"] == 3
    assert report["stats"]["left_out"]["beyond"] == 0.625
    assert "3 more are at least 0.625 m apart" in capfd.readouterr().out


def test_lengths_are_metres_whatever_the_scene_unit(boxes, tmp_path):
    bpy.context.scene.unit_settings.scale_length = 0.001
    file = save(tmp_path / "millimetres.blend")
    assert told(pairs_of(file, tmp_path, "--test", "clearance", "--tolerance", 0.0004)) == [("clash", "A", "B")]
    near = pairs_of(file, tmp_path, "--test", "clearance", "--tolerance", 0.00051)["pairs"][1]
    assert near["distance"] == pytest.approx(0.0005) and near["point_a"][0] == pytest.approx(0.00175)


def test_a_clash_fails_and_a_gap_does_not(boxes, tmp_path):
    ask = ["--test", "clearance", "--tolerance", 0.5, "--fail-on", "clash"]
    pairs_of(boxes, tmp_path, *ask, code=CLASHES)
    pairs_of(boxes, tmp_path, *ask, "--set-a", "C", code=DONE)


def test_frames(boxes, tmp_path):
    mover = bpy.data.objects["D"]
    mover.keyframe_insert("location", frame=1)
    mover.location.y = 9.0
    mover.keyframe_insert("location", frame=2)
    file = save(tmp_path / "moving.blend")
    report = pairs_of(file, tmp_path, "--test", "clearance", "--tolerance", 0.625, "--frames", "1-2", "--set-a", "C")
    assert [(pair["verdict"], pair["b"], pair["frame"]) for pair in report["pairs"]] == [
        ("near", "B", 1), ("near", "B", 2), ("near", "D", 1),
    ]  # fmt: skip


def test_open_meshes_have_gaps_too(tmp_path, add_box):
    add_box("Box", (0, 0, 0), (1, 1, 1))
    bpy.ops.mesh.primitive_plane_add(size=4, location=(0, 0, -0.25))
    file = save(tmp_path / "open.blend")
    (pair,) = pairs_of(file, tmp_path, "--test", "clearance", "--tolerance", 0.3)["pairs"]
    assert (pair["verdict"], pair["distance"]) == ("near", 0.25)
    assert pair["faces_a"] == [0, 1, 2, 3, 4] and pair["faces_b"] == [0]  # the lid is too far away


def test_csv_and_table(boxes, tmp_path, capfd):
    path = tmp_path / "report.csv"
    assert commandline.main([str(boxes), "--test", "clearance", "--tolerance", "0.625", "--report", str(path)]) == DONE
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["distance"] for row in rows][:2] == ["0.0", "0.5"]
    assert rows[1]["point_a_x"] == "1.75" and rows[1]["face_b"] == "0" and rows[1]["probability"] == ""
    shown = capfd.readouterr().out
    assert re.search(r"^verdict .* depth +gap ", shown, re.M) and "0.5 m" in shown
    assert "3 pairs are nearer than the tolerance: 1 clash, 2 near." in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--test", "clearance"], "needs a tolerance"),
        (["--test", "clearance", "--tolerance", "-0.1"], "tolerance must be a length of at least 0 m"),
        (["--test", "clearance", "--tolerance", "nan"], "tolerance must be a length of at least 0 m"),
        (["--test", "clearance", "--tolerance", "inf"], "tolerance must be a length of at least 0 m"),
        (["--test", "clearance", "--tolerance", "1", "--touch-tolerance", "1"], "takes no touch tolerance"),
        (["--test", "distance", "--tolerance", "1"], "the distance test does not use a tolerance"),
        (["--test", "distance", "--budget", "1"], "takes no budget"),
        (["--test", "near"], "invalid choice"),
    ],
)
def test_wrong_options_are_refused(boxes, tmp_path, capfd, arguments, message):
    path = tmp_path / "report.json"
    assert commandline.main([str(boxes), "--report", str(path), *arguments]) == WRONG
    assert message in capfd.readouterr().err
    assert not path.exists()


@pytest.mark.parametrize("test", [["clearance", "--tolerance", "1"], ["distance"]])
def test_without_objects_it_is_said(tmp_path, capfd, test):
    assert commandline.main([str(save(tmp_path / "empty.blend")), "--test", *test]) == WRONG
    assert "contains no visible mesh" in capfd.readouterr().err


def test_one_object_has_no_pair(tmp_path, add_box, capfd):
    add_box("A", (0, 0, 0), (1, 1, 1))
    assert commandline.main([str(save(tmp_path / "one.blend")), "--test", "distance"]) == DONE
    assert "There is no pair to measure" in capfd.readouterr().out
