"""The example of a scanned plant room: the scan's properties, the right answer, and the detection's."""

import json
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from meshclash.clash.options import parse_frames

from addon import commandline

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

import plant_room as room

COARSE = 2.0 * room.STEP


def distance_from_room(points):
    """Of points (n, 3) from the nearest plane or cylinder, computed otherwise than by the scanner's rays."""
    nearest = np.minimum(np.abs(points), np.abs(points - np.array(room.SIZE))).min(axis=1)
    for pipe in room.PIPES.values():
        others = [axis for axis in range(3) if axis != pipe.axis]
        beside = np.abs(np.linalg.norm(points[:, others] - np.array(pipe.centre), axis=1) - pipe.radius)
        along = np.maximum(pipe.ends[0] - points[:, pipe.axis], points[:, pipe.axis] - pipe.ends[1])
        nearest = np.minimum(nearest, np.where(along <= 0.0, beside, np.inf))
    return nearest


def test_the_scan_is_noisy_uneven_and_has_holes():
    points = room.scan(step=COARSE)
    off = distance_from_room(points)
    assert np.quantile(off, 0.999) < 4 * room.NOISE and 0.2 * room.NOISE < np.median(off) < room.NOISE
    floor = points[points[:, 2] < 0.05]
    cells = np.histogram2d(floor[:, 0], floor[:, 1], bins=(16, 12), range=((0, 8), (0, 6)))[0]
    assert np.quantile(cells, 0.95) > 5 * np.quantile(cells[cells > 0], 0.05), "density varies"
    assert (cells == 0).any(), "something hides a part of the floor"


def test_every_case_is_clear_and_known():
    answer = room.expected()
    assert {key for key, meets in answer.items() if meets} == {
        *(("Exhaust", frame) for frame in (17, 18, 19)),
        *(("Skid", frame) for frame in range(44, 57)),
    }


def test_a_gap_is_that_of_points_on_pipe_and_box():
    """Against the smallest distance of many points of both."""
    rng = np.random.default_rng(0)
    for frame in (13, 30, 40):
        low, high = (np.array(corner) + room.place_of_machine(frame) for corner in room.PARTS["Exhaust"])
        for pipe in room.PIPES.values():
            inside = low + rng.random((200_000, 3)) * (high - low)
            others = [axis for axis in range(3) if axis != pipe.axis]
            axis_distance = np.linalg.norm(inside[:, others] - np.array(pipe.centre), axis=1).min()
            assert room.gap_to_pipe(low, high, pipe) == pytest.approx(axis_distance - pipe.radius, abs=0.01)


@pytest.mark.parametrize("frames", ["15-21:2", "43-45"])
def test_the_report_is_as_constructed(tmp_path, monkeypatch, frames):
    monkeypatch.setattr(room, "scan", lambda measure=room.scan: measure(step=COARSE))
    room.build()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "room.blend"))
    path = tmp_path / "report.json"
    options = ["--set-a", room.SCAN, "--set-b", "all", "--frames", frames, "--report", str(path), "--quiet"]
    assert commandline.main([str(tmp_path / "room.blend"), *options]) == 0
    report = json.loads(path.read_text(encoding="utf-8"))
    asked = set(parse_frames(frames))
    wanted = {(part, frame) for (part, frame), meets in room.expected().items() if meets and frame in asked}
    assert {(pair["b"] if pair["a"] == room.SCAN else pair["a"], pair["frame"]) for pair in report["pairs"]} == wanted
    # Half of the scan's points are left out, so some contacts of these centimetres are undecided.
    certain = [pair for pair in report["pairs"] if pair["verdict"] == "clash"]
    assert {pair["verdict"] for pair in report["pairs"]} <= {"clash", "undecided"}
    assert all("in frame" in line and "reported none" in line for line in room.check(report))
    assert len(room.check(report)) == sum(room.expected().values()) - len(certain)


def test_the_check_finds_differences():
    row = {"a": room.SCAN, "b": "Motor", "frame": 3, "verdict": "clash"}
    lines = room.check({"pairs": [row]})
    assert "Motor in frame 3: expected no clash, reported one" in lines
    assert "Skid in frame 44: expected a clash, reported none" in lines
