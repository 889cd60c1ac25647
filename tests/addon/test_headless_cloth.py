"""The test deforming: the example of cloths whose faces change in every frame, against intersection, and in Live."""

import copy
import json
import sys
from pathlib import Path

import bpy
import pytest

from addon import commandline
from addon.adapters.live_source import LiveSource
from addon.core.changes import Changes
from addon.core.live import Live

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

import changing_cloth  # noqa: E402


@pytest.fixture(scope="module")
def cloth(tmp_path_factory):
    path = tmp_path_factory.mktemp("cloth") / "cloth.blend"
    assert changing_cloth.main([str(path)]) == 0
    return path


def report_of(cloth, tmp_path, *arguments):
    path = tmp_path / "report.json"
    assert commandline.main([str(cloth), "--report", str(path), "--quiet", *arguments]) == 0
    return json.loads(path.read_text(encoding="utf-8"))


def all_frames(cloth, tmp_path):
    return report_of(cloth, tmp_path, "--test", "deforming", "--frames", "1-24")


def test_every_frame_is_as_constructed_without_any_hierarchy(cloth, tmp_path, engine, monkeypatch):
    from meshclash.hierarchy import build

    original = build.build

    def watched(mesh, *options):
        assert mesh.triangle_count < 200, "a hierarchy is built"  # but for what warms kernels up
        return original(mesh, *options)

    monkeypatch.setattr(build, "build", watched)
    report = all_frames(cloth, tmp_path)
    assert changing_cloth.check(report) == []
    assert {pair["verdict"] for pair in report["pairs"]} == {"meets"}
    assert changing_cloth.main(["--check", str(tmp_path / "report.json")]) == 0


def test_the_check_finds_differences(cloth, tmp_path):
    report = all_frames(cloth, tmp_path)
    for change, message in (
        (lambda pair: pair.update(frame=4), "frame 4: expected apart, reported meets"),
        (lambda pair: pair.update(frame=4), "expected meeting, reported apart"),
        (lambda pair: pair.update(a="Ghost"), "nobody built this"),
    ):
        changed = copy.deepcopy(report)
        change(changed["pairs"][0])
        assert any(message in line for line in changing_cloth.check(changed))


def test_faces_and_contacts_are_those_of_intersection(cloth, tmp_path):
    told = ("a", "b", "frame", "contacts", "faces_a", "faces_b")
    found = [
        sorted([pair[key] for key in told] for pair in report_of(cloth, tmp_path, *test, "--frames", "8-24:8")["pairs"])
        for test in (("--test", "deforming"), ("--permitted-overlap", "0"))
    ]
    assert found[0] == found[1] and len(found[0]) == 5


def test_the_faces_are_others_in_every_frame(cloth):
    bpy.ops.wm.open_mainfile(filepath=str(cloth))
    counts = set()
    for frame in changing_cloth.FRAMES:
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        names = (changing_cloth.BODY, changing_cloth.FALLING, changing_cloth.CURTAIN)
        counts.add(tuple(len(bpy.data.objects[name].evaluated_get(graph).data.polygons) for name in names))
    assert len(counts) == len(changing_cloth.FRAMES)


def test_live_follows_from_frame_to_frame(cloth, registered, engine):
    bpy.ops.wm.open_mainfile(filepath=str(cloth))
    scene = bpy.context.scene
    scene.meshclash.test = "deforming"
    published = []

    def load(_parts):
        return engine
        yield

    live = Live(LiveSource(scene, bpy.context.view_layer), load, lambda report, _incomplete: published.append(report))
    meeting = {}
    for frame in (8, 10, 14, 20, 3):
        scene.frame_set(frame)
        live.note(Changes(everything=True))
        for _ in range(10_000):
            live.run_slice(1.0)
            if not live.busy:
                break
        meeting[frame] = {frozenset(row.names) for row in published[-1].rows}
    live.close()
    assert meeting == {
        frame: {pair for pair, first in changing_cloth.FIRST_MEETING.items() if frame >= first} for frame in meeting
    }


def test_what_lies_inside_another_without_contact_is_no_meeting(add_box, tmp_path):
    add_box("Large", (0, 0, 0), (2, 2, 2))
    add_box("Inside", (0.5, 0.5, 0.5), (1, 1, 1))
    add_box("Beside", (1.5, 0.5, 0.5), (3, 1, 1))
    path = tmp_path / "boxes.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    report = report_of(path, tmp_path, "--test", "deforming")
    assert [(pair["a"], pair["b"], pair["verdict"]) for pair in report["pairs"]] == [("Beside", "Large", "meets")]
    assert report_of(path, tmp_path, "--test", "deforming", "--exclude-pair", "Beside::Large")["pairs"] == []
    assert report_of(path, tmp_path, "--test", "deforming", "--set-a", "Inside")["pairs"] == []
    assert commandline.main([str(path), "--test", "deforming", "--tolerance", "1"]) == 2
