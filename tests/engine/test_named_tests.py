"""Named tests: kept as JSON, run together, one list; clash sets of IfcClash."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mesh_samples import moved, scene_of_boxes
from meshclash.__main__ import main
from meshclash.clash.errors import InputError
from meshclash.clash.file_source import FilePart
from meshclash.clash.ifc_clash import to_ifc_clash
from meshclash.clash.named_tests import NamedTest, matrix, parse_tests, read_tests, to_json
from meshclash.clash.option_table import SCAN_SURFACES
from meshclash.clash.options import DetectOptions
from meshclash.clash.rules import Rules
from meshclash.clash.sets import members
from meshclash.reading.part import MeshPart, PartShape

SCHEMA = Path(__file__).parents[2] / "docs/tests.schema.json"
LENGTH = st.floats(0.0, 1e6)
TEXT = st.text("abc:| &*", min_size=1, max_size=8)


@st.composite
def named_tests(draw: st.DrawFn) -> NamedTest:
    kind = draw(st.sampled_from(["intersection", "clearance"]))
    values = {"set_a": draw(TEXT), "set_b": draw(TEXT), "test": kind, "point_budget": draw(st.sampled_from([0, 5000]))}
    values |= {
        "scan_bandwidth": draw(st.sampled_from([0.0, 0.25])),
        "scan_surface": draw(st.sampled_from(SCAN_SURFACES)),
    }
    if kind == "clearance":
        values["tolerance"] = draw(LENGTH)
    else:
        values["permitted_overlap"] = draw(st.one_of(LENGTH, st.sampled_from(["auto", "resolution"])))
    values["fits"] = tuple(draw(st.lists(st.tuples(TEXT, TEXT, LENGTH), max_size=2)))
    pairs = draw(st.frozensets(st.tuples(TEXT, TEXT).map(lambda pair: tuple(sorted(pair))), max_size=3))
    rules = Rules(draw(st.booleans()), draw(st.booleans()), draw(st.booleans()), pairs)
    return NamedTest(draw(st.text("xyz", min_size=1)), DetectOptions(**values, rules=rules))


@given(st.lists(named_tests(), min_size=1, max_size=4, unique_by=lambda test: test.name))
def test_tests_come_back_from_json_as_they_were(tests: list[NamedTest]) -> None:
    text = json.loads(to_json(tests))
    assert parse_tests(text) == tests
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(text, json.loads(SCHEMA.read_text("utf-8")))


def test_a_matrix_has_each_pair_of_disciplines_once() -> None:
    sets = {"pipes": "class:IfcPipe*", "ducts": "material:Zinc", "walls": "storey:1"}
    made = matrix(sets, DetectOptions())
    assert [(test.options.set_a, test.options.set_b) for test in made] == [
        ("class:IfcPipe*", "material:Zinc"), ("class:IfcPipe*", "storey:1"), ("material:Zinc", "storey:1"),
    ]  # fmt: skip
    assert len(matrix(sets, DetectOptions(), within=True)) == 6
    assert matrix(sets, DetectOptions())[0].name == "pipes × ducts"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "no tests of schema"),
        ([], "no tests of schema"),
        ({"schema": "meshclash.tests/1", "tests": []}, "there are no tests"),
        ({"schema": "meshclash.tests/1", "tests": 3}, "must be a list"),
        ({"schema": "meshclash.tests/1", "tests": [{}]}, "test 1 has no name"),
        ({"schema": "meshclash.tests/1", "tests": [{"name": "x"}, {"name": "x"}]}, "two tests are called 'x'"),
        ({"schema": "meshclash.tests/1", "tests": [{"name": "x", "sett": "all"}]}, "a test has no key 'sett'"),
        ({"schema": "meshclash.tests/1", "tests": [{"name": "x", "tolerance": "1"}]}, "must be a number"),
        ({"schema": "meshclash.tests/1", "tests": [{"name": "x", "kind": "clearance"}]}, "needs a tolerance"),
        ({"schema": "meshclash.tests/1", "tests": [{"name": "x", "kind": "no"}]}, "test 'x'"),
        ({"schema": "meshclash.tests/1", "tests": [{"name": "x", "exclude_pairs": [["a"]]}]}, "pairs of names"),
        ([{"name": "x", "mode": "no", "a": []}], "there is no mode 'no'"),
        ([{"name": "x", "mode": "collision", "a": 4}], "sources must be a list"),
    ],
)
def test_what_is_wrong_is_named(data: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_tests(data)


CLASH_SETS = [
    {
        "name": "structure", "mode": "intersection", "tolerance": 0.01, "check_all": False,
        "a": [{"file": "C:\\models\\one.ifc", "mode": "i", "selector": "IfcWall, IfcSlab"}],
        "b": [{"file": "models/one.ifc", "mode": "e", "selector": "IfcWall"}, {"file": "two.ifc"}],
    },
    {"name": "room", "mode": "clearance", "clearance": 0.5, "check_all": False, "a": [{"file": "one.ifc"}]},
]  # fmt: skip


def test_clash_sets_of_ifc_clash_become_tests_and_clash_sets_again() -> None:
    tests = parse_tests(CLASH_SETS)
    assert tests[0].options.set_a == "collection:one & selector:IfcWall, IfcSlab"
    assert tests[0].options.set_b == "collection:one & not selector:IfcWall | collection:two"
    assert tests[0].options.permitted_overlap == 0.01
    assert tests[1].options.test == "clearance" and tests[1].options.set_a == tests[1].options.set_b
    written = to_ifc_clash(tests, ["one.ifc", "two.ifc"])
    assert parse_tests(written) == tests
    with pytest.raises(InputError, match="IfcOpenShell has no selector for 'property:x=1'"):
        to_ifc_clash([NamedTest("odd", DetectOptions(set_a="property:x=1"))], ["one.ifc"])


def test_a_command_writes_clash_sets_and_reads_them_back(tmp_path, capsys) -> None:
    tests, sets, back = (tmp_path / name for name in ("tests.json", "sets.json", "back.json"))
    kept = [NamedTest("pipes", DetectOptions(set_a="class:IfcPipeSegment", set_b="storey:1", permitted_overlap=0.01))]
    tests.write_text(to_json(kept), "utf-8")
    assert main(["tests", "convert", str(tests), str(sets), "house.ifc"]) == 0
    source = {"file": "house.ifc", "mode": "i"}
    assert json.loads(sets.read_text("utf-8")) == [
        {
            "name": "pipes", "mode": "intersection", "tolerance": 0.01, "check_all": False,
            "a": [{**source, "selector": "IfcPipeSegment"}], "b": [{**source, "selector": 'IfcElement, location="1"'}],
        }
    ]  # fmt: skip
    assert main(["tests", "convert", str(sets), str(back), "--to", "meshclash"]) == 0
    assert read_tests(back) == read_tests(sets)
    written = sets.read_bytes()
    for arguments, words in (
        ([tests, sets], "list the IFC files"), ([tests, tmp_path / "sets.txt", "a.ifc"], "must end in .json"),
        ([tests, tests, "a.ifc"], "needs to make it"), ([tmp_path / "no.json", sets, "a.ifc"], "cannot be read"),
    ):  # fmt: skip
        capsys.readouterr()
        assert main(["tests", "convert", *map(str, arguments)]) == 2
        assert words in capsys.readouterr().err
    assert sets.read_bytes() == written


def test_sets_by_material_property_and_joined_terms() -> None:
    shape = PartShape(None)
    told = [{"material": "Oak, Glass", "Fire": "60"}, {"material": "Oak"}, {"class": "IfcWall"}]
    parts = [
        FilePart(name, MeshPart(name, shape, None, said, ("house",))) for name, said in zip("abc", told, strict=True)
    ]
    for expression, meant in (
        ("material:Glass", {0}), ("material:O*", {0, 1}), ("property:Fire=60", {0}),
        ("all & not class:IfcWall", {0, 1}),
        ("collection:house & not material:Oak", {2}), ("material:Glass | class:IfcW*", {0, 2}), ("not b", {0, 2}),
    ):  # fmt: skip
        assert members(expression, parts) == meant, expression
    for wrong, words in (
        ("property:Fire", "KEY=VALUE"),
        ("selector:IfcWall", "selector for IFC"),
        ("a & b", "no object matches"),
    ):
        with pytest.raises(InputError, match=words):
            members(wrong, parts)


@pytest.fixture
def boxes(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    path = tmp_path / "boxes.glb"
    scene_of_boxes(trimesh, {"left": moved(0.0), "middle": moved(0.75), "right": moved(1.76)}).export(path)
    return path


def test_tests_run_together_as_one_list(boxes, tmp_path, capsys) -> None:
    tests = [
        NamedTest("overlaps", DetectOptions()),
        NamedTest("near", DetectOptions(set_a="middle", test="clearance", tolerance=0.1)),
    ]
    file = tmp_path / "tests.json"
    file.write_text(to_json(tests), "utf-8")
    assert read_tests(file) == tests
    reports = [tmp_path / f"report{ending}" for ending in (".json", ".csv", ".html", ".xml", ".sarif", ".bcf")]
    arguments = [part for path in reports for part in ("--report", str(path))]
    assert main(["detect", str(boxes), "--tests", str(file), "--fail-on", "clash", *arguments]) == 1
    data = json.loads(reports[0].read_text("utf-8"))
    found = {(pair["test"], pair["a"], pair["b"], pair["verdict"]) for pair in data["pairs"]}
    assert ("overlaps", "left", "middle", "clash") in found
    assert ("near", "middle", "right", "near") in found
    assert len({pair["id"] for pair in data["pairs"]}) == len(data["pairs"]) == len(found)
    assert [test["name"] for test in data["tests"]] == ["overlaps", "near"]
    again = tmp_path / "again.json"
    arguments = ["--tests", str(file), "--baseline", str(reports[0]), "--fail-on", "new", "--report", str(again)]
    assert main(["detect", str(boxes), *arguments]) == 0  # ids are those of the run before
    for path in reports[1:5]:
        assert "overlaps" in path.read_text("utf-8"), path
    assert " test " in capsys.readouterr().out


def test_options_of_one_test_beside_tests_and_a_set_without_objects_are_named(boxes, tmp_path, capsys) -> None:
    file = tmp_path / "tests.json"
    file.write_text(to_json([NamedTest("pipes", DetectOptions(set_a="class:IfcPipe*"))]), "utf-8")
    assert main(["detect", str(boxes), "--tests", str(file)]) == 2
    assert "test 'pipes'" in capsys.readouterr().err
    assert main(["detect", str(boxes), "--tests", str(file), "--set-a", "left"]) == 2
    assert "--tests and --set-a cannot be combined" in capsys.readouterr().err
    assert main(["detect", str(boxes), "--tests", str(tmp_path / "none.json")]) == 2


def test_clash_sets_tell_files_of_one_name_apart() -> None:
    """Both sides became `collection:model`: each file was tested against both."""
    sources = [[{"file": f"C:\\{folder}\\model.ifc", "mode": "a"}] for folder in ("arc", "mep")]
    data = [{"name": "arc to mep", "mode": "intersection", "tolerance": 0.0, "a": sources[0], "b": sources[1]}]
    options = parse_tests(data)[0].options
    assert (options.set_a, options.set_b) == ("collection:arc/model", "collection:mep/model")
    written = to_ifc_clash(parse_tests(data), ["x/arc/model.ifc", "x/mep/model.ifc"])
    assert [item["file"] for item in (*written[0]["a"], *written[0]["b"])] == ["x/arc/model.ifc", "x/mep/model.ifc"]
