"""``meshclash detect`` and ``meshclash report diff``: sets, reports, exit codes, and what goes wrong."""

import dataclasses
import json
import os
import resource
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Generator
from pathlib import Path

import meshclash as mc
import numpy as np
import pytest
from gltf_samples import Gltf
from mesh_samples import BOX_TRIANGLES, BOX_VERTICES, moved, scene_of_boxes, write_stl
from meshclash.__main__ import main
from meshclash.clash import command_line, detect_files, file_source
from meshclash.clash.command_line import LOST
from meshclash.clash.errors import InputError
from meshclash.clash.file_source import FilePart
from meshclash.clash.frame_scene import Progress
from meshclash.clash.sets import members
from meshclash.reading.part import MeshPart, Parts, PartShape
from meshclash.types.steps import in_slices

trimesh = pytest.importorskip("trimesh")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def boxes(tmp_path):
    """Three boxes in a row: the first two clash, the third touches the second."""
    path = tmp_path / "boxes.glb"
    scene_of_boxes(trimesh, {"left": moved(0.0), "middle": moved(0.75), "right": moved(1.75)}).export(path)
    return path


def detect(*arguments):
    return main(["detect", *map(str, arguments)])


def test_pairs_verdicts_and_depths_of_an_assembly(boxes, tmp_path, capsys):
    report = tmp_path / "report.json"
    assert detect(boxes, "--report", report) == 0
    data = json.loads(report.read_text("utf-8"))
    found = {(pair["a"], pair["b"]): pair for pair in data["pairs"]}
    assert {key: pair["verdict"] for key, pair in found.items()} == {
        ("left", "middle"): "clash",
        ("middle", "right"): "touching",
    }
    assert found["left", "middle"]["depth"] == pytest.approx(0.25, rel=1e-3)
    assert data["files"] == [{"path": boxes.name, "metres_per_unit": 1.0, "names_unit": True}]
    assert "1 clash, 1 touching" in capsys.readouterr().out


def test_the_answer_is_that_of_the_engine(boxes):
    """The same boxes, handed to the engine without any file."""
    scene = mc.Scene()
    for part in mc.read(boxes):
        scene.add(part.mesh, part.pose)
    assert len(list(scene.contacts().pairs)) == 2


@pytest.mark.parametrize(("scale", "permitted"), [(1e-5, "touching"), (1e-3, "clash")])
def test_the_grid_of_quantised_positions_is_stretched_by_the_node(tmp_path, scale, permitted):
    """Boxes of 1000 steps overlap by a step: 0.01 mm are what their coordinates cannot tell; 1 mm is too coarse to."""
    gltf = Gltf()
    points = gltf.accessor(1000 * BOX_VERTICES, "u2", stride=8)
    mesh = gltf.mesh({"attributes": {"POSITION": points}, "indices": gltf.accessor(BOX_TRIANGLES.ravel(), "u1")})
    gltf.node(mesh=mesh, name="a", scale=[scale] * 3)
    gltf.node(mesh=mesh, name="b", scale=[scale] * 3, translation=[999 * scale, 0, 0])
    report = tmp_path / "report.json"
    assert detect(gltf.write(tmp_path / "boxes.glb"), "--report", report) == 0
    data = json.loads(report.read_text("utf-8"))
    assert [pair["verdict"] for pair in data["pairs"]] == [permitted]
    assert detect(tmp_path / "boxes.glb", "--report", report, "--permitted-overlap", "resolution") == 0
    assert [pair["verdict"] for pair in json.loads(report.read_text("utf-8"))["pairs"]] == ["touching"]


def test_clashes_come_in_groups_with_a_reason(tmp_path, capsys):
    """Ten posts stand in a slab: one decision."""
    slab = np.diag([40.0, 4.0, 1.0, 1.0])
    slab[:3, 3] = -5.0, -1.0, -0.75
    path, report = tmp_path / "hall.glb", tmp_path / "report.json"
    matrices = {**{f"Post-{k}": moved(3.0 * k) for k in range(10)}, "Slab": slab}
    scene_of_boxes(trimesh, matrices).export(path)
    assert detect(path, "--report", report) == 0
    data = json.loads(report.read_text("utf-8"))
    assert [(group["reason"], len(group["pairs"])) for group in data["groups"]] == [
        ("10 × Post and Slab overlap, 0.25 m deep", 10)
    ]
    assert {pair["group"] for pair in data["pairs"]} == {1}
    assert "10 clashes in 1 group by cause:" in capsys.readouterr().out
    assert detect(path, "--report", report, "--group-by", "storey") == 0
    assert [group["reason"] for group in json.loads(report.read_text("utf-8"))["groups"]] == ["no object has a storey"]
    assert detect(path, "--group-by", "colour") == 2


@pytest.mark.parametrize(("fail_on", "code"), [(None, 0), ("clash", 1)])
def test_the_exit_code_says_whether_there_is_a_clash(boxes, fail_on, code):
    assert detect(boxes, "--quiet", *(["--fail-on", fail_on] if fail_on else [])) == code
    assert detect(boxes, "--quiet", "--set-a", "right", "--fail-on", "clash") == 0


def test_only_a_new_clash_fails_against_a_baseline(boxes, tmp_path):
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    assert detect(boxes, "--quiet", "--report", old) == 0
    assert detect(boxes, "--quiet", "--baseline", old, "--fail-on", "new") == 0
    scene_of_boxes(trimesh, {"left": moved(0.0), "middle": moved(0.75), "right": moved(1.5)}).export(boxes)
    assert detect(boxes, "--quiet", "--baseline", old, "--fail-on", "new", "--report", new) == 1
    pairs = {pair["b"]: pair for pair in json.loads(new.read_text("utf-8"))["pairs"]}
    assert pairs["middle"]["new"] is False and pairs["right"]["new"] is True
    approved = json.loads(new.read_text("utf-8"))
    for pair in approved["pairs"]:
        pair["status"], pair["comment"] = "approved", "agreed"
    new.write_text(json.dumps(approved), "utf-8")
    again = tmp_path / "again.json"
    assert detect(boxes, "--quiet", "--baseline", new, "--fail-on", "new", "--report", again) == 0
    kept = json.loads(again.read_text("utf-8"))["pairs"]
    assert {(pair["status"], pair["comment"]) for pair in kept} == {("approved", "agreed")}


def test_a_report_may_be_its_own_baseline(boxes, tmp_path):
    """Refused: what is read for the work stays as it is."""
    report = tmp_path / "report.json"
    assert detect(boxes, "--quiet", "--report", report) == 0
    before = report.read_bytes()
    assert detect(boxes, "--quiet", "--report", report, "--baseline", report) == 2
    assert report.read_bytes() == before


def test_a_report_is_valid_by_the_published_schema(boxes, tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text("utf-8"))
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    assert detect(boxes, "--quiet", "--report", old) == 0
    assert detect(boxes, "--quiet", "--test", "distance", "--baseline", old, "--report", new) == 0
    for path in (old, new):
        data = json.loads(path.read_text("utf-8"))
        jsonschema.Draft202012Validator(schema).validate(data)
        assert set(data) == set(schema["properties"])
        assert set(data["pairs"][0]) == set(schema["properties"]["pairs"]["items"]["properties"])
        data["pairs"][0]["depth"] = "deep"
        assert not jsonschema.Draft202012Validator(schema).is_valid(data)


def test_a_report_whose_library_is_missing_is_refused_before_the_work(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    missing = tmp_path / "no such file.glb"  # it would be named where it is read first
    assert detect(missing, "--report", tmp_path / "report.xlsx") == 2
    assert "pip install 'meshclash[xlsx]'" in capsys.readouterr().err


def test_report_diff_says_what_is_new_known_and_gone(boxes, tmp_path, capsys):
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    detect(boxes, "--quiet", "--report", old)
    scene_of_boxes(trimesh, {"left": moved(-9.0), "middle": moved(0.75), "right": moved(1.5)}).export(boxes)
    detect(boxes, "--quiet", "--report", new)
    capsys.readouterr()
    assert main(["report", "diff", str(old), str(new)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("+ clash middle | right") and lines[1].startswith("- clash left | middle")
    assert lines[-1] == "1 new, 0 known, 1 gone"
    assert main(["report", "diff", str(old), str(new), "--fail-on", "new"]) == 1
    assert main(["report", "diff", str(new), str(new), "--fail-on", "new"]) == 0
    assert main(["report", "diff", str(old), str(boxes)]) == 2


def part(name, *groups, **properties):
    shape = PartShape(np.zeros((3, 3)), np.array([[0, 1, 2]], np.int32))
    return FilePart(name, MeshPart(name, shape, np.eye(4), properties, groups))


OBJECTS = [
    part("Wall: east", "tower", **{"class": "IfcWall", "storey": "Level 1"}),
    part("P1", "tower", **{"class": "IfcPipeSegment", "system": "Heating, Cooling"}),
    part("P2", "plant", **{"class": "IfcPipeFitting", "GlobalId": "2[x]"}),
]


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("all", {0, 1, 2}),
        ("P*", {1, 2}),
        ("Wall: east", {0}),
        ("object:P1", {1}),
        ("collection:tower", {0, 1}),
        ("class:IfcPipe*", {1, 2}),
        ("class:IfcWall | P2", {0, 2}),
        ("system:Cooling", {1}),
        ("storey:Level ?", {0}),
        ("GlobalId:2[x]", {2}),
    ],
)
def test_sets_by_names_and_properties(expression, wanted):
    assert members(expression, OBJECTS) == wanted


def test_a_set_that_means_nothing_says_what_is_like_it():
    with pytest.raises(InputError, match="IfcPipeSegment"):
        members("class:IfcPipeSegmnt", OBJECTS)
    with pytest.raises(InputError, match="no object matches 'storey:9'"):
        members("P1 | storey:9", OBJECTS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.stl"], "No such file"),
        (["{boxes}", "--unit", "furlong"], "invalid unit value"),
        (["{boxes}", "--set-a", "class:IfcWall"], "no object matches 'class:IfcWall'"),
        (["{boxes}", "--set-a", "selection"], "no selection"),
        (["{boxes}", "--exclude-pair", "left::midle"], "no object 'midle' in the files; did you mean 'middle'?"),
        (["{boxes}", "--fail-on", "new"], "--baseline"),
        (["{boxes}", "--baseline", "{boxes}"], "is not a valid JSON report"),
        (["{boxes}", "--baseline", "missing.json"], "cannot be read"),
        (["{boxes}", "--report", "report.doc"], "must end in"),
        (["{boxes}", "--report", "{boxes}"], "must end in"),
        (["{boxes}", "--threads", "0"], "--threads must be from 1 to"),
        (["{boxes}", "--test", "clearance"], "needs a tolerance"),
        (["{boxes}", "--frames", "1:5"], "unrecognized arguments"),
        ([], "FILE"),
    ],
)
def test_wrong_input_is_code_two_and_one_line(boxes, arguments, message, capsys):
    assert detect(*[text.replace("{boxes}", str(boxes)) for text in arguments]) == 2
    errors = capsys.readouterr().err
    assert message in errors and errors.startswith("meshclash: ") and errors.count("\n") == 1


def test_an_empty_scene_and_a_damaged_part_are_told(tmp_path, capsys):
    flat = tmp_path / "points.obj"
    flat.write_text("v 0 0 0\nv 1 0 0\n")
    assert detect(flat) == 2
    nan = tmp_path / "nan.ply"
    vertices = "0 0 0\n1 0 nan\n0 1 0\n"
    nan.write_text(
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
        f"element face 1\nproperty list uchar int vertex_indices\nend_header\n{vertices}3 0 1 2\n"
    )
    capsys.readouterr()
    report = tmp_path / "report.json"
    assert detect(nan, write_stl(tmp_path / "a.stl"), "--quiet", "--report", report) == LOST
    assert "lost: nan: vertex 1 is " in capsys.readouterr().err
    (skipped,) = json.loads(report.read_text("utf-8"))["stats"]["skipped"]
    assert (skipped["name"], skipped["lost"]) == ("nan", True)
    assert detect(nan, tmp_path / "a.stl", "--allow-lost") == 0
    told = capsys.readouterr()
    assert "lost: nan" in told.err and "No objects touch. 1 object could not be tested." in told.out
    clash = write_stl(tmp_path / "b.stl", (0.5, 0.0, 0.0))
    assert detect(nan, tmp_path / "a.stl", clash, "--fail-on", "clash") == 1
    assert detect(nan, tmp_path / "a.stl", clash, "--fail-on", "clash", "--allow-lost") == 1
    assert detect(nan, tmp_path / "a.stl", clash) == LOST


def test_what_readers_lose_and_count_reaches_the_report(boxes, tmp_path, capsys, monkeypatch):
    """Whatever reader it was: what it could not understand, and what is no geometry."""

    @in_slices
    def read_less(path: Path, unit: str | None) -> Generator[object, None, Parts]:
        found = yield from mc.steps(mc.read, path, unit)
        return dataclasses.replace(
            found,
            items=found.items[1:],
            left_out=((found[0].name, "NURBS are not understood"),),
            no_geometry={"camera": 2, "light": 1},
        )

    old, new = tmp_path / "old.json", tmp_path / "new.json"
    assert detect(boxes, "--quiet", "--report", old) == 0
    monkeypatch.setattr(file_source, "read", read_less)
    assert detect(boxes, "--report", new, "--baseline", old, "--fail-on", "new") == LOST
    told = capsys.readouterr()
    assert "lost: left: NURBS are not understood" in told.err
    assert "not tested (no geometry): 2 cameras, 1 light" in told.err
    stats = json.loads(new.read_text("utf-8"))["stats"]
    assert stats["skipped"] == [{"name": "left", "reason": "NURBS are not understood", "lost": True}]
    assert stats["no_geometry"] == {"camera": 2, "light": 1} and stats["objects"] == 2
    tests = tmp_path / "tests.json"
    asked = [{"name": name, "set_a": "all", "set_b": "all"} for name in ("one", "two")]
    tests.write_text(json.dumps({"schema": "meshclash.tests/1", "tests": asked}))
    assert detect(boxes, "--tests", tests, "--report", new) == LOST
    assert json.loads(new.read_text("utf-8"))["stats"]["no_geometry"] == {"camera": 2, "light": 1}


def test_pairs_of_lost_objects_are_not_gone(tmp_path, capsys):
    """Parts that share a name are numbered: where the first is lost, the second gets its name."""

    def written(name, pairs, lost=()):
        rows = [{"id": f"{a} {b}", "a": a, "b": b, "verdict": "clash"} for a, b in pairs]
        skipped = [{"name": item, "reason": "", "lost": True} for item in lost]
        skipped.append({"name": "Rail", "reason": "it has no faces", "lost": False})
        path = tmp_path / name
        path.write_text(json.dumps({"schema": "meshclash.report/1", "pairs": rows, "stats": {"skipped": skipped}}))
        return path

    pairs = [("Bolt", "Slab"), ("Bolt (2)", "Wall"), ("Post", "Slab"), ("Rail", "Slab")]
    old, new = written("old.json", pairs), written("new.json", [("Bolt", "Wall")], ["Bolt"])
    assert main(["report", "diff", str(old), str(new), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {kind: [(pair["a"], pair["b"]) for pair in some] for kind, some in found.items()} == {
        "new": [("Bolt", "Wall")],
        "known": [],
        "gone": [("Post", "Slab"), ("Rail", "Slab")],
        "not_tested": [("Bolt", "Slab"), ("Bolt (2)", "Wall")],
    }
    assert main(["report", "diff", str(old), str(new)]) == 0
    out = capsys.readouterr().out
    assert "? clash Bolt | Slab" in out and out.endswith("1 new, 0 known, 2 gone, 2 not tested\n")


def test_files_without_a_unit_are_told_with_their_size(tmp_path, capsys):
    a, b = write_stl(tmp_path / "a.stl", size=250.0), write_stl(tmp_path / "b.stl", (100.0, 0.0, 0.0), 250.0)
    report = tmp_path / "report.json"
    assert detect(a, b, "--report", report) == 0
    assert "a.stl names no unit: m taken, so it is 250 m large (--unit mm)" in capsys.readouterr().err
    assert detect(a, b, "--unit", "mm", "--report", report) == 0
    pair = json.loads(report.read_text("utf-8"))["pairs"][0]
    assert pair["depth"] == pytest.approx(0.15, rel=1e-3)


def test_two_objects_of_one_name_are_two_rows(tmp_path):
    for folder in ("one", "two", "three"):
        (tmp_path / folder).mkdir()
    files = [
        write_stl(tmp_path / folder / "part.stl", (x, 0, 0)) for folder, x in (("one", 0), ("two", 0.5), ("three", 1.2))
    ]
    report = tmp_path / "report.json"
    assert detect(*files, "--quiet", "--report", report) == 0
    pairs = json.loads(report.read_text("utf-8"))["pairs"]
    assert {(pair["a"], pair["b"]) for pair in pairs} == {("part", "part (2)"), ("part (2)", "part (3)")}
    ids = {pair["id"] for pair in pairs}
    assert detect(*files[::-1], "--quiet", "--report", report) == 0
    assert {pair["id"] for pair in json.loads(report.read_text("utf-8"))["pairs"]} == ids and len(ids) == 2


def test_a_folder_stands_for_the_meshes_in_it(tmp_path, capsys):
    folder, report = tmp_path / "parts", tmp_path / "report.json"
    folder.mkdir()
    assert detect(folder, "--report", report) == 2
    assert "there is no file of meshes in this folder" in capsys.readouterr().err and not report.exists()
    for name, x in (("a.STL", 0.0), ("b.stl", 0.5)):
        write_stl(folder / name, (x, 0.0, 0.0))
    (folder / "notes.txt").write_text("no mesh")
    (folder / "more.stl").mkdir()
    assert detect(folder, "--report", report) == 2
    (folder / "more.stl").rmdir()
    assert detect(folder, "--quiet", write_stl(tmp_path / "c.stl", (3.0, 0.0, 0.0)), "--report", report) == 0
    found = json.loads(report.read_text("utf-8"))
    assert [(pair["a"], pair["b"]) for pair in found["pairs"]] == [("a", "b")]
    assert [Path(file["path"]).name for file in found["files"]] == ["a.STL", "b.stl", "c.stl"]


def command(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "engine")}
    return subprocess.run(
        [sys.executable, "-m", "meshclash", *map(str, arguments)], env=environment, check=False, text=True, **options
    )


@pytest.mark.slow
def test_a_full_disk_leaves_the_old_report_and_says_so(boxes, tmp_path):
    report = tmp_path / "report.json"
    report.write_text("old")

    def no_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))

    ran = command(
        "detect", boxes, "--report", report, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=no_room
    )
    assert ran.returncode == 2 and "cannot be written" in ran.stderr
    assert report.read_text() == "old" and sorted(tmp_path.iterdir()) == [boxes, report]


@pytest.mark.slow
def test_a_closed_pipe_costs_lines_only(boxes, tmp_path):
    report = tmp_path / "report.json"
    read_end, write_end = os.pipe()
    os.close(read_end)
    ran = command("detect", boxes, "--report", report, "--fail-on", "clash", stdout=write_end, stderr=subprocess.PIPE)
    os.close(write_end)
    assert ran.returncode == 1 and json.loads(report.read_text("utf-8"))["pairs"]


@pytest.mark.slow
def test_the_script_of_the_action_fails_on_a_new_clash_and_passes_on_an_approved_one(boxes, tmp_path):
    reports = tmp_path / "reports"
    reports.mkdir()

    def run(**given):
        environment = {
            **os.environ, "PYTHONPATH": str(ROOT / "engine"), "PYTHON": sys.executable, "FILES": str(boxes),
            "REPORTS": str(reports), "OPTIONS": "--quiet --set-a left", **given,
        }  # fmt: skip
        return subprocess.run([ROOT / ".ci" / "detect"], env=environment, check=False).returncode

    assert run() == 1
    baseline = tmp_path / "baseline.json"
    data = json.loads((reports / "clashes.json").read_text("utf-8"))
    assert {path.suffix for path in reports.iterdir()} == {".json", ".xml", ".sarif", ".html"}
    data["pairs"][0]["status"] = "approved"
    baseline.write_text(json.dumps(data), "utf-8")
    assert run(BASELINE=str(baseline)) == 0
    baseline.write_text(json.dumps({**data, "pairs": []}), "utf-8")
    assert run(BASELINE=str(baseline)) == 1


MESH_ENDINGS = ("stl", "obj", "ply", "off", "glb", "gltf", "3mf", "ifc", "ifczip", "usd", "usda", "usdc", "usdz")
BAD_ENDINGS = (*MESH_ENDINGS, "pcd", "las", "laz", "xyz")


@pytest.mark.parametrize("content", [b"", b"\x93\x00no mesh\xff" * 50], ids=["empty", "bytes"])
@pytest.mark.parametrize("ending", BAD_ENDINGS)
def test_a_bad_file_of_each_format_is_one_line_that_names_it(tmp_path, capsys, ending, content):
    path, report = tmp_path / f"bad.{ending}", tmp_path / "report.json"
    path.write_bytes(content)
    assert detect(path, "--report", report) == 2
    told = capsys.readouterr().err.strip().splitlines()
    assert len(told) == 1 and f"bad.{ending}" in told[0] and "Traceback" not in told[0]
    assert [item.name for item in tmp_path.iterdir()] == [path.name], "nothing is half-written"


def test_pictures_need_no_window_and_no_library(boxes, tmp_path):
    topics = tmp_path / "topics.bcf"
    command = [sys.executable, "-m", "meshclash", "detect", str(boxes), "--pictures", "--report", str(topics)]
    done = subprocess.run(command, env={**os.environ, "DISPLAY": ""}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(topics) as file:
        pictures = [file.read(name) for name in file.namelist() if name.endswith(".png")]
    assert pictures and all(picture.startswith(b"\x89PNG") for picture in pictures)


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
@pytest.mark.parametrize("sets", [("selector:IfcWall", "selector:IfcPipeSegment"), ("class:IfcWall", "class:IfcPipe*")])
def test_selectors_mean_the_elements_of_every_file_of_one_name(tmp_path, order, sets):
    """The wall and two pipes of each of two models that have the same place: each wall clashes with all four pipes."""
    pytest.importorskip("ifcopenshell")
    from ifc_samples import write_model

    files, report = [tmp_path / folder / "model.ifc" for folder in order], tmp_path / "report.json"
    for file in files:
        file.parent.mkdir()
        write_model(file)
    other = tmp_path / "b" / "model.ifc"  # with GlobalIds of its own, as another discipline's model has
    other.write_text(other.read_text().replace("000P0", "000Q0").replace("000W01", "000V01"))
    assert detect(*files, "--quiet", "--set-a", sets[0], "--set-b", sets[1], "--report", report) == 0
    assert len(json.loads(report.read_text("utf-8"))["pairs"]) == 8
    only = f"collection:b/model & {sets[1]}"
    assert detect(*files, "--quiet", "--set-a", sets[0], "--set-b", only, "--report", report) == 0
    assert len(json.loads(report.read_text("utf-8"))["pairs"]) == 4


def test_selectors_mean_elements_of_zipped_models(tmp_path):
    pytest.importorskip("ifcopenshell")
    from ifc_samples import write_model

    report, packed = tmp_path / "report.json", tmp_path / "model.ifczip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(write_model(tmp_path / "model.ifc"), "model.ifc")
    sets = ("--set-a", "selector:IfcWall", "--set-b", "selector:IfcPipeSegment")
    assert detect(packed, "--quiet", *sets, "--report", report) == 0
    assert len(json.loads(report.read_text("utf-8"))["pairs"]) == 2


def test_files_of_one_name_are_two_collections(tmp_path, capsys):
    """``same-collection`` left out pairs of two files that only share a name."""
    for folder, x in (("one", 0.0), ("two", 0.5)):
        (tmp_path / folder).mkdir()
        write_stl(tmp_path / folder / "part.stl", (x, 0.0, 0.0))
    files, report = [tmp_path / folder / "part.stl" for folder in ("one", "two")], tmp_path / "report.json"
    assert detect(*files, "--quiet", "--exclude", "same-collection", "--report", report) == 0
    assert len(json.loads(report.read_text("utf-8"))["pairs"]) == 1
    assert detect(*files, "--set-a", "collection:part") == 2
    told = capsys.readouterr().err
    assert "'one/part'" in told and "'two/part'" in told


READY = """
import os, sys
import meshclash.__main__ as program
leave = program.leave_at_ctrl_c
program.leave_at_ctrl_c = lambda: (leave(), os.write(1, b"."))
sys.exit(program.main())
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl+C to a whole console only")
@pytest.mark.parametrize("delay", [0.0, 0.05, 0.2, 0.4, 0.7, 1.0, 1.4, 2.0])
def test_ctrl_c_ends_the_command_at_any_moment_with_one_line(tmp_path, delay):
    """Also while NumPy, Numba and the command itself are imported."""
    files = [write_stl(tmp_path / f"{k}.stl", (0.5 * k, 0.0, 0.0)) for k in range(80)]
    command = [sys.executable, "-c", READY, "detect", *map(str, files), "--report", str(tmp_path / "report.json")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "engine")}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stdout.read(1) == "."
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode in (130, 0), errors
    if process.returncode == 130:
        assert [line for line in errors.splitlines() if "compiling" not in line] == ["meshclash: cancelled"]
        assert sorted(path.suffix for path in tmp_path.iterdir()) == [".stl"] * len(files)
    else:
        assert json.loads((tmp_path / "report.json").read_text("utf-8"))["pairs"], "it was done before"


DONE = """
import atexit, os, sys, time
import meshclash.__main__ as program

def linger():
    os.write(1, b".")
    time.sleep(0.5)

program.ignore_ctrl_c = lambda ignore=program.ignore_ctrl_c: (linger() if {early} else None, ignore())
if not {early}:
    atexit.register(linger)
sys.exit(program.main())
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl+C to a whole console only")
@pytest.mark.parametrize("early", [True, False], ids=["before the end of main", "while Python ends"])
def test_ctrl_c_after_the_work_changes_nothing(tmp_path, early):
    """The report was there, but the exit code was 130 and "cancelled" was shown."""
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("model,A,B\nA,,x\nB,,\n", "utf-8")
    command = [sys.executable, "-c", DONE.format(early=early), "tests", "convert", matrix, tmp_path / "tests.json"]
    command += ["--to", "meshclash"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "engine")}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    while (written := process.stdout.read(1)) != ".":
        assert written, process.communicate()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert (process.returncode, "cancelled" in errors) == (0, False), errors
    assert (tmp_path / "tests.json").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_work_is_code_130(boxes, tmp_path, monkeypatch, capsys, number):
    monkeypatch.setattr(detect_files, "detect_steps", lambda *_, **__: stopped_by(number))
    assert detect(boxes, "--report", tmp_path / "report.json") == 130
    assert capsys.readouterr().err == "meshclash: cancelled\n"
    assert [path.name for path in tmp_path.iterdir()] == ["boxes.glb"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("work", ["written", "_print_report"])
def test_a_signal_while_reports_are_made_ends_them_at_once(boxes, tmp_path, monkeypatch, capsys, number, work):
    """Groups and reports of a million pairs take minutes, and have no slices."""

    def endless(*_):
        os.kill(os.getpid(), number)
        for _ in range(10**6):
            pass
        raise AssertionError("it went on")

    monkeypatch.setattr(command_line, work, endless)
    assert detect(boxes, "--report", tmp_path / "report.json") == 130
    assert "meshclash: cancelled\n" in capsys.readouterr().err
    written = ["boxes.glb"] if work == "written" else ["boxes.glb", "report.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == written


@pytest.mark.parametrize(("seconds", "told"), [(0.0, True), (1e9, False)])
def test_a_log_says_what_is_done_after_a_long_test(boxes, tmp_path, monkeypatch, capsys, seconds, told):
    monkeypatch.setattr(command_line, "FIRST_LINE_SECONDS", seconds)
    assert detect(boxes, "--report", tmp_path / "report.json") == 0
    lines = capsys.readouterr().err
    assert all((text in lines) == told for text in ("Writing report.json", "Grouping the pairs"))


def stopped_by(number):
    for done in (0.1, 0.2):
        os.kill(os.getpid(), number) if done == 0.1 else None
        yield Progress(done, "Testing")
    raise AssertionError("it went on")
