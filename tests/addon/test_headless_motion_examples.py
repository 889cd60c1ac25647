"""The examples that move: gears and a robot cell, a walking character, two thousand falling parts."""

import json
import sys
from pathlib import Path

import pytest

from addon import commandline

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

import falling_parts  # noqa: E402
import gear_train  # noqa: E402
import walking_character  # noqa: E402


def report_of(tmp_path, example, frames, *arguments):
    file, path = tmp_path / "example.blend", tmp_path / "report.json"
    assert example.main([str(file)]) == 0
    asked = ("--frames", f"{frames[0]}:{frames[-1]}", "--report", str(path), "--quiet")
    assert commandline.main([str(file), *asked, *arguments]) == 0
    return json.loads(path.read_text(encoding="utf-8"))


def test_gears_run_free_and_moments_between_frames_are_as_computed(tmp_path):
    report = report_of(tmp_path, gear_train, gear_train.FRAMES)
    assert gear_train.check(report) == []
    late = json.loads(json.dumps(report))
    late["events"].remove(next(event for event in late["events"] if event["a"] == "Arm"))
    next(event for event in late["events"] if event["a"] == "Finger")["start_time"] += 0.05
    assert len(gear_train.check(late)) == 2


@pytest.mark.parametrize("test", ["intersection", "self"])
def test_legs_come_through_the_skirt_and_the_arm_through_itself(tmp_path, test):
    report = report_of(tmp_path, walking_character, walking_character.FRAMES, "--test", test)
    assert walking_character.check(report) == [] and len(report["events"]) >= 2
    report["events"][0]["end"] += 1
    assert len(walking_character.check(report)) == 1


def test_parts_meet_when_they_must(tmp_path, monkeypatch):
    monkeypatch.setattr(falling_parts, "COLUMNS", 6)
    monkeypatch.setattr(falling_parts, "FRAMES", range(1, 25))
    report = report_of(tmp_path, falling_parts, falling_parts.FRAMES)
    assert falling_parts.check(report) == [] and len(report["events"]) > 50
    report["pairs"] = report["pairs"][1:]
    assert falling_parts.check(report)
