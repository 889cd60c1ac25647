"""The command line: options, exit codes, files, and messages for bad input."""

import csv
import errno
import json
import os
import re
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Matrix
from meshclash.clash.cell_text import format_share
from meshclash.types.steps import run_to_end

from addon import commandline, engine

DONE, CLASHES, WRONG, INTERNAL, LOST, CANCELLED = 0, 1, 2, 3, 4, 130


@pytest.fixture
def boxes(add_box, tmp_path):
    """A saved file: A and B overlap by a quarter, C touches B, D is far away; B moves away after frame 5."""
    add_box("A", (0, 0, 0), (1, 1, 1))
    mover = add_box("B", (0, 0, 0), (1, 1, 1), location=(0.75, 0, 0))
    add_box("C", (0, 0, 0), (1, 1, 1), location=(1.75, 0, 0))
    add_box("D", (0, 0, 0), (1, 1, 1), location=(9, 9, 9))
    mover.keyframe_insert("location", frame=5)
    mover.location.z = 6.0
    mover.keyframe_insert("location", frame=10)
    bpy.context.scene.frame_set(1)
    return save(tmp_path / "boxes.blend")


def save(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def run(*arguments):
    return commandline.main([str(argument) for argument in arguments])


def report_of(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_report_of_a_scene(boxes, tmp_path, capfd):
    path = tmp_path / "report.json"
    assert run(boxes, "--report", path) == DONE
    report = report_of(path)
    assert report["schema"] == "meshclash.report/1" and report["unit"] == "m"
    assert report["file"] == boxes.name  # a report names no folder of its sender
    assert [(pair["verdict"], pair["a"], pair["b"], pair["frame"]) for pair in report["pairs"]] == [
        ("clash", "A", "B", 1),
        ("touching", "B", "C", 1),
    ]
    assert report["pairs"][0]["depth"] == pytest.approx(0.25, rel=0.1)
    output = capfd.readouterr()
    assert re.search(r"clash +A +B", output.out) and str(path) in output.out
    progress = re.compile(r"\s*\d+ %  .*")  # of work that takes long, such as compiling into an empty cache
    assert [line for line in output.err.splitlines() if line != engine.COMPILING and not progress.fullmatch(line)] == []


def test_two_runs_give_the_same_pairs(boxes, tmp_path):
    for name in ("one.json", "two.json"):
        assert run(boxes, "--report", tmp_path / name, "--quiet") == DONE
    one, two = report_of(tmp_path / "one.json"), report_of(tmp_path / "two.json")
    assert one["pairs"] == two["pairs"] and one["options"] == two["options"]


@pytest.mark.parametrize(("arguments", "code"), [((), CLASHES), (("--set-a", "D"), DONE), (("--set-a", "C"), DONE)])
def test_fail_on_clash(boxes, arguments, code):
    assert run(boxes, "--fail-on", "clash", "--quiet", *arguments) == code


@pytest.mark.parametrize("option", ["--permitted-overlap", "--tolerance"])
def test_a_permitted_overlap_turns_a_clash_into_a_touch(boxes, tmp_path, option):
    path = tmp_path / "report.json"
    assert run(boxes, option, "0.3", "--report", path, "--fail-on", "clash", "--quiet") == DONE
    assert [pair["verdict"] for pair in report_of(path)["pairs"]] == ["touching", "touching"]


@pytest.fixture
def flush(add_box, tmp_path):
    """A saved file: two boxes that meet in a plane, but for the rounding of their places."""
    add_box("Left", (0, 0, 0), (0.1, 1, 1), location=(7.3, 0, 0))
    add_box("Right", (0, 0.1, 0.2), (1, 0.9, 0.8), location=(7.4, 0, 0))
    return save(tmp_path / "flush.blend")


@pytest.mark.parametrize(
    ("options", "verdict", "permitted_by"),
    [((), "touching", "auto"), (("--permitted-overlap", "resolution"), "touching", "resolution"),
     (("--permitted-overlap", "0"), "clash", "length"), (("--permitted-overlap", "1e-12"), "clash", "length"),
     (("--test", "distance"), "touching", "auto"), (("--test", "clearance", "--tolerance", "0.1"), "touching", "auto")],
)  # fmt: skip
def test_what_rounding_makes_overlap_is_flush(flush, tmp_path, capfd, options, verdict, permitted_by):
    for suffix in ("json", "csv", "html"):
        assert run(flush, "--report", tmp_path / f"report.{suffix}", *options) == DONE
    report = report_of(tmp_path / "report.json")
    (pair,) = report["pairs"]
    assert (pair["verdict"], pair["flush"]) == (verdict, verdict == "touching")
    assert report["options"]["permitted_by"] == permitted_by and report["stats"]["coarse"] == []
    assert 0.0 < pair["depth"] < 1e-6 if pair["depth"] is not None else pair["flush"]
    output = capfd.readouterr().out
    if permitted_by == "length":
        assert "precision of the coordinates" not in output and "(flush)" not in output
    else:
        assert report["stats"]["resolution"] == 16.0 * 2.0**-20  # of a scene that reaches 8.4 m
        assert "Permitted overlap: up to 0.031 mm, the precision of the coordinates" in output
        assert "(flush)" in output
    with (tmp_path / "report.csv").open(newline="", encoding="utf-8") as file:
        assert next(csv.DictReader(file))["flush"] == str(pair["flush"])


def test_a_coarse_resolution_is_warned_of_and_applied_when_asked_for(flush, tmp_path, capfd):
    for name, x in (("Left", 1500.3), ("Right", 1500.4)):
        bpy.data.objects[name].location.x = x
    file, path = save(tmp_path / "far.blend"), tmp_path / "report.json"
    assert run(file, "--report", path, "--fail-on", "clash") == CLASHES
    report = report_of(path)
    assert [item["name"] for item in report["stats"]["coarse"]] == ["Left", "Right"]
    assert all(5e-5 < item["resolution"] < 1e-3 for item in report["stats"]["coarse"])
    assert re.search(r"warning: coordinates of Left and 1 more are only precise to 0\.06\d* mm", capfd.readouterr().err)
    assert run(file, "--report", path, "--permitted-overlap", "resolution", "--fail-on", "clash") == DONE
    assert report_of(path)["pairs"][0]["flush"] and "warning" not in capfd.readouterr().err
    assert run(file, "--permitted-overlap", "0.001", "--fail-on", "clash") == DONE
    assert "Permitted overlap" not in capfd.readouterr().out


def test_parts_that_meet_as_they_were_meant_do_not_clash(tmp_path):
    """Boxes side by side, turned and placed in double precision; mesh and matrix are rounded, as importers do."""
    rng = np.random.default_rng(15)
    for number in range(60):
        turned, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        turned *= np.sign(np.linalg.det(turned))
        place = rng.uniform(0.0, 1.0, 3) + 20.0 * np.array([number % 8 - 4, number // 8 - 4, 1])
        width = rng.uniform(0.1, 3.0, 2)
        for side, (low, high) in enumerate(((-width[0], 0.0), (0.0, width[1]))):
            own = rng.uniform(-5.0, 5.0, 3) * (1, 0, 0)  # where the importer puts the origin of the object
            corners = np.array([[x, y, z] for x in (low, high) for y in (0.2 * side, 2.0) for z in (0.1 * side, 1.5)])
            mesh = bpy.data.meshes.new("Box")
            faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
            mesh.from_pydata((corners - own).tolist(), [], faces)
            item = bpy.data.objects.new(f"{number}{'ab'[side]}", mesh)
            matrix = np.eye(4)
            matrix[:3, :3], matrix[:3, 3] = turned, turned @ own + place
            item.matrix_world = Matrix(matrix.tolist())
            bpy.context.scene.collection.objects.link(item)
    file, path = save(tmp_path / "many.blend"), tmp_path / "report.json"
    assert run(file, "--permitted-overlap", "0", "--report", path, "--quiet") == DONE
    assert sum(pair["verdict"] == "clash" for pair in report_of(path)["pairs"]) > 10
    assert run(file, "--report", path, "--quiet", "--fail-on", "clash") == DONE
    assert {pair["verdict"] for pair in report_of(path)["pairs"]} == {"touching"}


def test_frames_and_the_frame_of_the_file(boxes, tmp_path):
    path = tmp_path / "report.json"
    assert run(boxes, "--frames", "1-10:3", "--report", path, "--quiet") == DONE
    pairs = report_of(path)["pairs"]
    assert [(pair["verdict"], pair["frame"]) for pair in pairs] == [
        ("clash", 1),
        ("clash", 4),
        ("touching", 1),
        ("touching", 4),
    ]
    assert len({pair["id"] for pair in pairs}) == 2
    assert bpy.context.scene.frame_current == 1


def test_csv_html_and_quiet(boxes, tmp_path, capfd):
    assert run(boxes, "--report", tmp_path / "report.csv", "--quiet") == DONE
    assert run(boxes, "--report", tmp_path / "report.html", "--quiet") == DONE
    with (tmp_path / "report.csv").open(newline="", encoding="utf-8") as file:
        assert [row["verdict"] for row in csv.DictReader(file)] == ["clash", "touching"]
    assert "<span>A</span>" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "clash" not in capfd.readouterr().out


def test_rules(boxes, tmp_path):
    path = tmp_path / "report.json"
    assert run(boxes, "--exclude-pair", "B::A", "--exclude", "same-parent,same-collection", "--report", path) == DONE
    report = report_of(path)
    assert [(pair["a"], pair["b"]) for pair in report["pairs"]] == [("B", "C")]
    assert report["options"]["exclude"] == ["same-parent", "same-collection"]
    assert report["options"]["exclude_pairs"] == [["A", "B"]]


def test_the_open_file_is_used_when_none_is_named(boxes):
    assert run("--quiet") == DONE


def test_lengths_are_metres_whatever_the_scene_unit(boxes, tmp_path):
    bpy.context.scene.unit_settings.scale_length = 0.001
    file, path = save(tmp_path / "millimetres.blend"), tmp_path / "report.json"
    assert run(file, "--report", path, "--quiet") == DONE
    report = report_of(path)
    assert report["pairs"][0]["depth"] == pytest.approx(0.00025, rel=0.1)
    assert report["stats"]["metres_per_unit"] == 0.001
    assert run(file, "--permitted-overlap", "0.0003", "--fail-on", "clash", "--quiet") == DONE


def wrong(capfd, tmp_path, *arguments):
    """The message of a run that must fail with code 2 and leave no file behind."""
    tmp_path.mkdir(exist_ok=True)
    before = sorted(tmp_path.iterdir())
    assert run(*arguments, "--report", tmp_path / "report.json") == WRONG
    assert sorted(tmp_path.iterdir()) == before
    message = capfd.readouterr().err
    assert message.startswith("meshclash: ") and "Traceback" not in message
    return message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--bogus"], "--bogus"),
        (["--frames", "9-1"], "empty"),
        (["--tolerance", "-1"], "at least 0 m"),
        (["--tolerance", "nan"], "at least 0 m"),
        (["--tolerance", "thick"], "--tolerance"),
        (["--permitted-overlap", "thick"], "--permitted-overlap"),
        (["--permitted-overlap", "auto"], "--permitted-overlap"),
        (["--tolerance", "1", "--permitted-overlap", "2"], "give one of them"),
        (["--exclude", "same-colour"], "same-colour"),
        (["--exclude-pair", "A"], "A::B"),
        (["--budget", "1"], "takes no budget"),
        (["--test", "magic"], "invalid choice"),
        (["--fail-on", "touching"], "--fail-on"),
        (["--set-a", "Bolt"], "no object 'Bolt'"),
        (["--set-b", "collection:Bolts"], "no collection 'Bolts'"),
        (["--set-a", "selection"], "nothing is selected"),
        (["--picture", "picture.jpg"], ".png"),
    ],
)
def test_wrong_options(boxes, tmp_path, capfd, arguments, message):
    assert message in wrong(capfd, tmp_path, boxes, *arguments)


def test_missing_and_damaged_files(boxes, tmp_path, capfd):
    assert "there is no file" in wrong(capfd, tmp_path, tmp_path / "missing.blend")
    (tmp_path / "text.blend").write_text("hello " * 100, encoding="utf-8")
    assert "cannot read" in wrong(capfd, tmp_path, tmp_path / "text.blend")
    (tmp_path / "short.blend").write_bytes(boxes.read_bytes()[: boxes.stat().st_size // 2])
    assert "cannot read" in wrong(capfd, tmp_path, tmp_path / "short.blend")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert "no .blend file is open" in wrong(capfd, tmp_path)


def test_a_report_that_cannot_be_written_stops_the_run_before_it_begins(boxes, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(commandline, "detect_steps", lambda *_: pytest.fail("the detection ran"))
    assert run(boxes, "--report", tmp_path / "no" / "report.json") == WRONG
    assert run(boxes, "--report", tmp_path / "report.pdf") == WRONG
    assert run(boxes, "--report", tmp_path / "report.json", "--picture", tmp_path / "no" / "picture.png") == WRONG
    assert [path.name for path in tmp_path.iterdir()] == ["boxes.blend"]
    assert capfd.readouterr().err.count("cannot be written") == 2


def test_a_set_without_a_mesh(boxes, tmp_path, capfd):
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Nothing", None))
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Hollow", bpy.data.meshes.new("Hollow")))
    file = save(tmp_path / "more.blend")
    assert "set A ('Nothing') contains no visible mesh" in wrong(capfd, tmp_path, file, "--set-a", "Nothing")
    assert "Hollow: it has no faces" in wrong(capfd, tmp_path, file, "--set-b", "Hollow")
    assert run(file) == DONE
    assert "left out: Hollow: it has no faces" in capfd.readouterr().err


def test_what_has_no_geometry_is_counted(boxes, tmp_path, capfd):
    for number in range(2):
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(f"Eye {number}", bpy.data.cameras.new("Eye")))
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Origin", None))
    file, path = save(tmp_path / "more.blend"), tmp_path / "report.json"
    assert run(file, "--report", path, "--frames", "1:3") == DONE
    assert "not tested (no geometry): 2 cameras, 1 empty" in capfd.readouterr().err
    assert report_of(path)["stats"]["no_geometry"] == {"camera": 2, "empty": 1}
    assert run(file, "--quiet") == DONE
    assert "no geometry" not in capfd.readouterr().err


def test_nothing_touches_is_not_the_last_word_where_an_object_is_lost(add_box, tmp_path, capfd):
    add_box("A", (0, 0, 0), (1, 1, 1))
    add_box("B", (5, 0, 0), (6, 1, 1))
    mesh = add_box("C", (0, 0, 0), (1, 1, 1)).data
    mesh.attributes["position"].data.foreach_set("vector", np.full(24, np.nan, np.float32))
    file = save(tmp_path / "lost.blend")
    tests = tmp_path / "tests.json"
    tests.write_text('{"schema": "meshclash.tests/1", "tests": [{"name": "t", "set_a": "all", "set_b": "all"}]}')
    for more in ((), ("--frames", "1:2"), ("--tests", tests), ("--test", "self"), ("--test", "deforming")):
        assert run(file, *more) == LOST, more
        out, errors = capfd.readouterr()
        assert "lost: C: " in errors and ". 1 object could not be tested.\n" in out, more


def test_an_empty_scene(tmp_path, capfd):
    assert "contains no visible mesh" in wrong(capfd, tmp_path, save(tmp_path / "empty.blend"))


def test_nan_vertices_name_their_object_and_the_others_are_tested(boxes, tmp_path, capfd):
    mesh = bpy.data.objects["D"].data
    mesh.attributes["position"].data.foreach_set("vector", np.full(24, np.nan, np.float32))
    file, path = save(tmp_path / "nan.blend"), tmp_path / "report.json"
    assert run(file, "--report", path, "--quiet", "--fail-on", "clash") == CLASHES
    report = report_of(path)
    assert [(pair["a"], pair["b"]) for pair in report["pairs"]] == [("A", "B"), ("B", "C")]
    assert [(item["name"], item["lost"]) for item in report["stats"]["skipped"]] == [("D", True)]
    assert re.search(r"lost: D: .*NaN", capfd.readouterr().err)
    assert run(file, "--quiet") == LOST and "lost: D: " in capfd.readouterr().err
    assert run(file, "--allow-lost") == DONE
    assert "1 object could not be tested." in capfd.readouterr().out
    message = wrong(capfd, tmp_path / "none", file, "--set-a", "D")
    assert "contains no visible mesh" in message and "D: " in message and "NaN" in message


def test_names_of_excluded_pairs_must_exist(boxes, tmp_path, capfd):
    message = wrong(capfd, tmp_path, boxes, "--exclude-pair", "A::Typo")
    assert "no object 'Typo'" in message
    instancer = bpy.data.objects.new("Instancer", None)
    bpy.context.scene.collection.objects.link(instancer)
    file = save(tmp_path / "instancer.blend")
    assert run(file, "--exclude-pair", "A::Instancer/B[0]", "--quiet") == DONE
    assert "no object 'Instancer/X[0]'" in wrong(capfd, tmp_path, file, "--exclude-pair", "A::Instancer/X[0]")


@pytest.mark.parametrize("frames", ["1-99999999999", "-99999999999", f"1-{'9' * 5000}", f"1-5:{'9' * 40}"])
def test_frames_that_blender_does_not_have(boxes, tmp_path, capfd, frames):
    assert "frames go from -1,048,574 to 1,048,574" in wrong(capfd, tmp_path, boxes, f"--frames={frames}")


def test_names_can_neither_steer_the_terminal_nor_stop_the_run(boxes, tmp_path, capfd):
    bpy.data.objects["A"].name = "=1\x1b]0;title\x07\nB"
    bpy.data.objects["B"].name = "Bruecke"
    file = tmp_path / "names.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(file), compress=False)
    file.write_bytes(file.read_bytes().replace(b"OBBruecke", b"OBBr\xfceche"))  # Latin-1, as old exporters write it
    for suffix in ("json", "csv", "html"):
        assert run(file, "--report", tmp_path / f"report.{suffix}", "--fail-on", "clash") == CLASHES
    output = capfd.readouterr().out
    assert r"=1\x1b]0;title\x07\nB" in output and r"Br\xfceche" in output and not set("\x1b\x07") & set(output)
    pairs = report_of(tmp_path / "report.json")["pairs"]
    assert (
        pairs[0]["b"] == r"Br\xfceche"
        and pairs[0]["a"] == bpy.data.objects[pairs[0]["a"]].name == "=1\x1b]0;title\x07\nB"
    )


def test_a_full_disk_keeps_the_old_report_and_shows_the_list(boxes, tmp_path, capfd, monkeypatch):
    path = tmp_path / "report.json"
    path.write_text("old", encoding="utf-8")

    def full(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert run(boxes, "--report", path) == WRONG
    output = capfd.readouterr()
    assert "cannot be written: No space left on device" in output.err and "Traceback" not in output.err
    assert re.search(r"clash +A +B", output.out) and "Report:" not in output.out
    assert path.read_text(encoding="utf-8") == "old" and sorted(tmp_path.iterdir()) == [boxes, path]


def stream(kind):
    """A standard stream as a file of the operating system, or None."""
    if kind == "none":
        return None
    if kind == "broken":
        reader, writer = os.pipe()
        os.close(reader)
        return os.fdopen(writer, "w", encoding="utf-8")
    encoding = "ascii" if kind == "ascii" else "utf-8"
    file = os.fdopen(os.open("/dev/full" if kind == "full" else os.devnull, os.O_WRONLY), "w", encoding=encoding)
    if kind == "closed":
        file.close()
    return file


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's /dev/full")
@pytest.mark.parametrize("kind", ["none", "closed", "broken", "full", "ascii"])
def test_every_exit_code_under_streams_of_every_kind(boxes, tmp_path, monkeypatch, kind):
    bpy.data.objects["A"].name = "Träger"
    file, path = save(tmp_path / "boxes.blend"), tmp_path / "report.json"
    streams = stream(kind), stream(kind)
    monkeypatch.setattr(sys, "stdout", streams[0])
    monkeypatch.setattr(sys, "stderr", streams[1])
    codes = [run(file, "--report", path), run(file, "--fail-on", "clash"), run(file, "--set-a", "Ö"), run("--help")]

    def interrupt(*_arguments, **_options):
        raise KeyboardInterrupt

    for replaced in (lambda *_arguments, **_options: 1 / 0, interrupt):
        monkeypatch.setattr(commandline, "detect_steps", replaced)
        codes.append(run(file))
    for used in streams:
        if used is not None:
            used.close()  # what is left in a buffer must not raise, either
    assert codes == [DONE, CLASHES, WRONG, DONE, INTERNAL, CANCELLED]
    assert report_of(path)["pairs"][0]["b"] == "Träger"


def test_an_object_that_vanishes_during_the_run(boxes, tmp_path, capfd, monkeypatch):
    def vanish(steps, on_progress=None):
        for progress in steps:
            if progress.text == "Reading objects":
                bpy.data.objects.remove(bpy.data.objects["C"])

    monkeypatch.setattr(commandline, "run_to_end", vanish)
    assert "'C' was deleted" in wrong(capfd, tmp_path, boxes)


def test_ctrl_c_cancels_and_leaves_no_file(boxes, tmp_path, capfd, monkeypatch):
    def interrupt(progress):
        raise KeyboardInterrupt

    monkeypatch.setattr(commandline, "run_to_end", lambda steps, _: run_to_end(steps, interrupt))
    assert run(boxes, "--frames", "3-9", "--report", tmp_path / "report.json") == CANCELLED
    assert "cancelled" in capfd.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["boxes.blend"]
    assert bpy.context.scene.frame_current == 1


def test_an_internal_error_says_what_to_send(boxes, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(commandline, "detect_steps", lambda *_args, **_kwargs: 1 / 0)
    assert run(boxes, "--report", tmp_path / "report.json") == INTERNAL
    message = capfd.readouterr().err
    assert "please send us" in message and "ZeroDivisionError" in message and "numba" in message
    assert [path.name for path in tmp_path.iterdir()] == ["boxes.blend"]


def test_a_missing_engine_says_what_to_do(boxes, capfd, monkeypatch):
    def missing(_cache, _quiet):
        raise engine.EngineMissing("Numba is gone", "Install it")

    monkeypatch.setattr(engine, "load", missing)
    assert run(boxes) == INTERNAL
    message = capfd.readouterr().err
    assert "Numba is gone. Install it" in message and "Traceback" not in message


def test_help(capfd):
    assert run("--help") == DONE
    assert "--permitted-overlap" in capfd.readouterr().out


def test_an_empty_mesh_beside_others_does_not_stop_the_run(boxes, tmp_path):
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Hollow", bpy.data.meshes.new("Hollow")))
    file, path = save(tmp_path / "more.blend"), tmp_path / "report.json"
    assert run(file, "--report", path, "--quiet") == DONE
    assert report_of(path)["stats"]["skipped"] == [{"name": "Hollow", "reason": "it has no faces", "lost": False}]


def test_the_scene_is_as_before(boxes):
    state = [(item.name, item.matrix_world.copy(), item.select_get()) for item in bpy.data.objects]
    assert run("--frames", "1-9", "--quiet") == DONE
    assert [(item.name, item.matrix_world.copy(), item.select_get()) for item in bpy.data.objects] == state


def test_the_command_is_registered_once():
    handle = commandline.register_command()
    commandline.unregister_command(handle)
    commandline.unregister_command(commandline.register_command())


def test_verdicts_about_open_meshes_say_how_certain_they_are(add_box, tmp_path, capfd):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=1.0)
    bpy.context.object.name = "Tank"
    mesh = bpy.context.object.data
    cap = [face.index for face in mesh.polygons if face.center.z > 0.9]
    shell = bpy.data.meshes.new("Shell")
    corners = [tuple(vertex.co) for vertex in mesh.vertices]
    shell.from_pydata(corners, [], [tuple(face.vertices) for face in mesh.polygons if face.index not in cap])
    bpy.context.object.data = shell
    add_box("Inside", (-0.2, -0.2, -0.3), (0.2, 0.2, 0.1))
    add_box("Across", (0.8, -0.1, -0.1), (1.2, 0.1, 0.1))
    file = save(tmp_path / "tank.blend")
    for suffix in ("json", "csv", "html"):
        assert run(file, "--report", tmp_path / f"report.{suffix}") == DONE
    pairs = {(pair["a"], pair["b"]): pair for pair in report_of(tmp_path / "report.json")["pairs"]}
    inside, across = pairs["Inside", "Tank"], pairs["Across", "Tank"]
    assert inside["verdict"] == "contained" and 0.5 < inside["certainty"] < 1.0
    assert across["verdict"] == "clash" and across["certainty"] == 1.0, "surfaces that cross are decided exactly"
    words = f" ({format_share(inside['certainty'])} certain)"
    assert f"contained{words}" in capfd.readouterr().out
    assert f"Inside{words.replace('>', '&gt;')}" in (tmp_path / "report.html").read_text("utf-8")
    with (tmp_path / "report.csv").open(newline="", encoding="utf-8") as lines:
        assert [float(line["certainty"]) for line in csv.DictReader(lines)] == [1.0, inside["certainty"]]


def test_named_tests_run_together_on_sets_by_material_and_property(boxes, tmp_path, capfd):
    zinc = bpy.data.materials.new("Zinc")
    for name in "BC":
        bpy.data.objects[name].data.materials.append(zinc)
    bpy.data.objects["A"]["Fire"] = 60
    save(boxes)
    tests = [
        {"name": "overlaps", "set_a": "property:Fire=60", "set_b": "material:Zinc"},
        {"name": "near", "kind": "clearance", "tolerance": 0.1, "set_a": "material:Zinc & not A", "set_b": "object:C"},
    ]
    file, path = tmp_path / "tests.json", tmp_path / "report.json"
    file.write_text(json.dumps({"schema": "meshclash.tests/1", "tests": tests}), "utf-8")
    assert run(boxes, "--tests", file, "--report", path, "--fail-on", "clash") == CLASHES
    found = [(pair["test"], pair["a"], pair["b"], pair["verdict"]) for pair in report_of(path)["pairs"]]
    assert found == [("overlaps", "A", "B", "clash"), ("near", "B", "C", "touching")]
    assert run(boxes, "--tests", file, "--frames", "1:3") == DONE
    assert "in 2 events" in capfd.readouterr().out
    assert run(boxes, "--tests", file, "--set-a", "A") == WRONG
