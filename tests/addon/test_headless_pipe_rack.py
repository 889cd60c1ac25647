"""The example of known clearances: clearance and distance find what was built."""

import copy
import json
import sys
from pathlib import Path

import bpy
import pytest

from addon import commandline

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

import pipe_rack  # noqa: E402


@pytest.fixture
def rack(tmp_path):
    assert pipe_rack.main([str(tmp_path / "rack.blend")]) == 0
    return tmp_path / "rack.blend"


def report_of(rack, tmp_path, *arguments):
    path = tmp_path / "report.json"
    assert commandline.main([str(rack), "--report", str(path), "--quiet", *arguments]) == 0
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "arguments", [("clearance", "--tolerance", "0.025"), ("clearance", "--tolerance", "0.008"), ("distance",)]
)
def test_the_report_is_as_constructed(rack, tmp_path, arguments):
    report = report_of(rack, tmp_path, "--test", *arguments)
    assert pipe_rack.check(report) == []
    assert pipe_rack.main(["--check", str(tmp_path / "report.json")]) == 0
    count = len(bpy.data.objects)
    assert arguments[0] == "clearance" or len(report["pairs"]) == count * (count - 1) // 2


def test_the_check_finds_differences(rack, tmp_path):
    report = report_of(rack, tmp_path, "--test", "clearance", "--tolerance", "0.025")
    for change, message in (
        (lambda pair: pair.update(distance=0.009), "expected 8 mm, reported 9 mm"),
        (lambda pair: pair.update(verdict="touching"), "expected near, reported touching"),
        (lambda pair: pair.update(a="Floor"), "expected 8 mm, reported nothing"),
        (lambda pair: pair.update(a="Floor"), "Floor and Pipe B: expected more than 25 mm, reported 8 mm"),
    ):
        changed = copy.deepcopy(report)
        change(next(pair for pair in changed["pairs"] if (pair["a"], pair["b"]) == ("Pipe A", "Pipe B")))
        assert any(message in line for line in pipe_rack.check(changed))


def test_the_picture_shows_the_gaps(rack, tmp_path):
    path = tmp_path / "near.png"
    assert commandline.main(
        [str(rack), "--test", "clearance", "--tolerance", "0.01", "--picture", str(path), "--quiet"]
    ) == 0  # fmt: skip
    assert path.stat().st_size > 10_000
