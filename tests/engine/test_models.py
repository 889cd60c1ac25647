"""Models of a federation: decisions stay with their pairs, whatever files are renamed, left out or exported anew."""

import json
import shutil
import zipfile

import meshclash as mc
import model_histories
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ifc_samples import write_cubes
from meshclash.__main__ import main
from meshclash.clash import command_line
from meshclash.clash.file_source import FileSource
from meshclash.clash.files.bcf import read_bcf
from meshclash.clash.files.topics import to_bcf
from meshclash.clash.frame_scene import Progress
from meshclash.clash.journals import recorded
from meshclash.clash.models import Model, models_of, warnings
from meshclash.clash.options import DetectOptions
from meshclash.clash.report import DetectReport
from meshclash.clash.report_command import difference
from meshclash.clash.review.history import History, said_events
from meshclash.clash.review.journal import Journal
from meshclash.clash.review.revisions import pair_id
from meshclash.clash.words import counted
from meshclash.types.steps import run_to_end

pytest.importorskip("ifcopenshell")
MARKER = "0000000000000000Origin"
ids = "0000000000000000000{}".format


def detect(*arguments):
    return main(["detect", *map(str, arguments)])


def read(path):
    return json.loads(path.read_text("utf-8"))


ONCE_WRONG = (56413, 57206, 57629, 58303, 59714)
"""Histories with copies of an object, of which one is away or gone when a decision waits for its objects."""


def test_no_decision_moves_to_a_pair_that_nobody_decided():
    counts = sum((model_histories.play(seed) for seed in (*range(25), *ONCE_WRONG)), np.zeros(4, np.int64))
    wrong, lost, recognisable, again = counts.tolist()
    assert wrong == 0 and lost == 0
    assert recognisable > 500 and again <= 0.05 * recognisable


@pytest.fixture
def federation(tmp_path):
    """Three models with a marker each, of one GlobalId and shape, which meets something of its model."""
    return [
        write_cubes(tmp_path / "arch.ifc", [(MARKER, "origin", 0.0), (ids("W01"), "Wall", 0.5)]),
        write_cubes(tmp_path / "hvac.ifc", [(MARKER, "origin", 10.0), (ids("D01"), "Duct", 10.5)]),
        write_cubes(tmp_path / "steel.ifc", [(MARKER, "origin", 20.0), (ids("B01"), "Beam", 20.5)]),
    ]


def decided(path, status="approved"):
    """The report with a comment of its own at each pair."""
    data = read(path)
    for pair in data["pairs"]:
        pair["status"], pair["comment"] = status, f"{pair['model_a']}:{pair['a'][:4]} {pair['model_b']}:{pair['b'][:4]}"
    path.write_text(json.dumps(data), "utf-8")


def check_comments(data):
    """Every comment stands at its own pair."""
    for pair in data["pairs"]:
        own = f"{pair['model_a']}:{pair['a'][:4]} {pair['model_b']}:{pair['b'][:4]}"
        assert pair["comment"] in ("", own)
    return sum(bool(pair["comment"]) for pair in data["pairs"])


def test_comments_stay_when_a_file_is_left_out_and_comes_back(federation, tmp_path, capsys):
    first, second, third = (tmp_path / f"{k}.json" for k in range(3))
    assert detect(*federation, "--quiet", "--report", first) == 0
    assert len(read(first)["pairs"]) == 3
    decided(first)
    assert detect(*federation[1:], "--quiet", "--report", second, "--baseline", first, "--fail-on", "new") == 0
    data = read(second)
    assert check_comments(data) == 2
    (away,) = data["undecided"]
    assert away["why"] == "model arch is not loaded" and not away["candidates"]
    assert detect(*federation, "--quiet", "--report", third, "--baseline", second, "--fail-on", "new") == 0
    assert check_comments(read(third)) == 3


def test_a_renamed_file_is_proposed_and_assumed_only_when_named(federation, tmp_path, capsys):
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    detect(*federation, "--quiet", "--report", first)
    decided(first)
    renamed = tmp_path / "hvac R02.ifc"
    shutil.move(federation[1], renamed)
    files = [federation[0], renamed, federation[2]]
    assert detect(*files, "--report", second, "--baseline", first, "--fail-on", "new") == 1
    told = capsys.readouterr()
    assert "model 'hvac R02' may be 'hvac' of the baseline: 100% of its objects agree" in told.err
    assert "decide again: Duct | origin" in told.out
    assert check_comments(read(second)) == 2
    named = [federation[0], federation[2], "--model", f"hvac={renamed}"]
    assert detect(*named, "--report", second, "--baseline", first, "--fail-on", "new") == 0
    assert check_comments(read(second)) == 3


def test_another_file_of_a_models_name_inherits_nothing_by_place_in_a_list(federation, tmp_path):
    """The model of the first name is gone: the ordinals of before would move up."""
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    detect(*federation, "--quiet", "--report", first)
    decided(first)
    other = write_cubes(tmp_path / "zz.ifc", [(MARKER, "origin", 30.0), (ids("Z01"), "Slab", 30.5)])
    assert detect(*federation[1:], other, "--quiet", "--report", second, "--baseline", first, "--fail-on", "new") == 1
    data = read(second)
    assert check_comments(data) == 2
    (new,) = (pair for pair in data["pairs"] if pair["new"])
    assert "zz" in (new["model_a"], new["model_b"]) and not new["comment"]


def test_what_models_share_is_one_thing(tmp_path, capsys):
    files = [
        write_cubes(tmp_path / f"{name}.ifc", [(MARKER, "origin", 0.0), (ids(f"{name[:1]}01"), name, 0.5 + 5 * k)])
        for k, name in enumerate(("arch", "hvac", "steel"))
    ]
    report = tmp_path / "report.json"
    assert detect(*files, "--report", report) == 0
    data = read(report)
    assert [(pair["a"], pair["b"]) for pair in data["pairs"]] == [("arch", "origin")]
    assert data["pairs"][0]["model_b"] == "arch, hvac, steel"
    assert data["shared"] == [{"name": "origin", "GlobalId": MARKER, "models": ["arch", "hvac", "steel"]}]
    assert "1 object shared by several models, tested once: origin (arch, hvac, steel)" in capsys.readouterr().out
    twice = write_cubes(tmp_path / "twice.ifc", [(MARKER, "origin", 0.0), (MARKER, "origin", 0.0)])
    assert detect(twice, "--quiet", "--report", report) == 0
    assert [pair["verdict"] for pair in read(report)["pairs"]] == ["duplicate"]


def test_models_are_named_and_described(federation, tmp_path):
    report = tmp_path / "report.json"
    named = ["--model", f"Structure={federation[2]}", "--discipline", "Structure=STR", "--revision", "Structure=R04"]
    assert detect(*federation[:2], *named, "--quiet", "--report", report) == 0
    assert read(report)["models"] == [
        {"name": "arch", "file": "arch.ifc", "discipline": "", "revision": "", "tessellation": None},
        {"name": "hvac", "file": "hvac.ifc", "discipline": "", "revision": "", "tessellation": None},
        {"name": "Structure", "file": "steel.ifc", "discipline": "STR", "revision": "R04", "tessellation": None},
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "arch={}/hvac.ifc"], "two files have the model name 'arch'"),
        (["--model", "arch"], "invalid named value"),
        (["--discipline", "plumbing=P"], "there is no model 'plumbing'; available models: arch"),
    ],
)
def test_wrong_models_are_refused(federation, tmp_path, arguments, message, capsys):
    assert detect(federation[0], *[text.replace("{}", str(tmp_path)) for text in arguments]) == 2
    assert message in capsys.readouterr().err


def test_models_keep_the_shortest_names_that_tell_files_apart(tmp_path):
    files = [tmp_path / "a" / "m.ifc", tmp_path / "b" / "m.ifc"]
    assert [model.name for model in models_of(files)] == ["a/m", "b/m"]
    assert models_of(files[:1], [("M", str(files[1]))]) == [Model("m", files[0]), Model("M", files[1])]


def box(low, size):
    return np.array([np.full(3, low), np.full(3, low + size)])


def test_models_that_do_not_fit_together_are_told():
    assert warnings({"a": box(0, 30), "b": box(-5, 60)}) == []
    assert warnings({"a": box(0, 30)}) == []
    assert "about 1,000 times as large" in " ".join(warnings({"a": box(0, 30), "b": box(0, 30_000)}))
    assert "is 866 km away" in " ".join(warnings({"a": box(0, 30), "b": box(5e5, 30)}))
    assert "does not overlap another one: the nearest is 17.3 m" in " ".join(
        warnings({"a": box(0, 30), "b": box(40, 9)})
    )


@pytest.fixture
def crossing(tmp_path):
    """Two models with two cubes each: all four overlap their neighbours along x, two pairs of two models."""
    return [
        write_cubes(tmp_path / "arch.ifc", [(ids("A01"), "Wall", 0.0), (ids("A02"), "Slab", 0.9)]),
        write_cubes(tmp_path / "hvac.ifc", [(ids("D01"), "Duct", 1.8), (ids("D02"), "Pipe", 2.7)]),
    ]


def pairs_of(path):
    return {(pair["a"], pair["b"]) for pair in read(path)["pairs"]}


WITHIN, ACROSS = {("Slab", "Wall"), ("Duct", "Pipe")}, {("Duct", "Slab")}


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ([], WITHIN | ACROSS),
        (["--pairs", "between-models"], ACROSS),
        (["--pairs", "within-models"], WITHIN),
        (["--set-a", "model:hvac"], {("Duct", "Pipe"), ("Duct", "Slab")}),
        (["--set-a", "file:arch.ifc", "--set-b", "model:hvac"], {("Slab", "Duct")}),
        (["--set-a", "discipline:MEP", "--set-b", "not discipline:MEP"], {("Duct", "Slab")}),
    ],
)
def test_pairs_by_models(crossing, tmp_path, options, wanted):
    report = tmp_path / "report.json"
    assert detect(*crossing, "--discipline", "hvac=MEP", "--quiet", "--report", report, *options) == 0
    assert {tuple(sorted(pair)) for pair in pairs_of(report)} == {tuple(sorted(pair)) for pair in wanted}
    assert {(pair["model_a"], pair["model_b"]) for pair in read(report)["pairs"]} <= {
        (a, b) for a in ("arch", "hvac") for b in ("arch", "hvac")
    }


def test_what_models_share_is_between_them(tmp_path):
    files = [
        write_cubes(tmp_path / f"{name}.ifc", [(MARKER, "origin", 0.0), (ids(f"{name[:1]}01"), name, x)])
        for name, x in (("arch", 0.5), ("hvac", 30.0))
    ]
    report = tmp_path / "report.json"
    for option, count in (("between-models", 1), ("within-models", 1), ("all", 1)):
        assert detect(*files, "--pairs", option, "--quiet", "--report", report) == 0
        assert len(read(report)["pairs"]) == count


def test_a_matrix_of_models_is_a_list_of_tests(crossing, tmp_path, capsys):
    table, tests, again = tmp_path / "matrix.csv", tmp_path / "tests.json", tmp_path / "again.csv"
    table.write_text("model,arch,hvac\narch,intersection,clearance 500 mm\nhvac,,\n", "utf-8")
    report = tmp_path / "report.json"
    assert detect(*crossing, "--tests", table, "--quiet", "--report", report) == 0
    found = {(pair["test"], *sorted((pair["a"], pair["b"]))) for pair in read(report)["pairs"]}
    assert found == {("arch", "Slab", "Wall"), ("arch × hvac", "Duct", "Slab")}
    assert main(["tests", "convert", str(table), str(tests), "--to", "meshclash"]) == 0
    assert [test.get("tolerance") for test in read(tests)["tests"]] == [None, 0.5]
    assert main(["tests", "convert", str(tests), str(again)]) == 0
    lines = again.read_text("utf-8").splitlines()
    assert lines == ["model,arch,hvac", "arch,intersection,clearance 500 mm", "hvac,clearance 500 mm,"]
    assert main(["tests", "convert", str(again), str(tests), "--to", "meshclash"]) == 0
    assert len(read(tests)["tests"]) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colour,a\na,x\n", "not 'colour'"),
        ("model,a,b\na,,touch\n", "row a, column b: there is no test 'touch'"),
        ("model,a,b\na,,clearance 5 furlong\n", "'5 furlong' is not a length"),
        ("model,a,b\na,,intersection\nb,distance,\n", "row b, column a contains 'distance'"),
        ("model,a,b\na,,distance 1 m\n", "the distance test does not use a length"),
        ("model,a,b\na,,\n", "there are no tests"),
        ("model;a;b\na;;clearance 0,05\n", ""),
    ],
)
def test_a_wrong_cell_is_named(tmp_path, text, message, capsys):
    table = tmp_path / "matrix.csv"
    table.write_text(text, "utf-8")
    code = main(["tests", "convert", str(table), str(tmp_path / "out.json"), "--to", "meshclash"])
    assert code == (2 if message else 0) and message in capsys.readouterr().err


def test_a_test_that_is_no_cell_is_named(tmp_path, capsys):
    tests = tmp_path / "tests.json"
    test = {"name": "Ducts", "set_a": "model:hvac", "set_b": "class:IfcWall"}
    tests.write_text(json.dumps({"schema": "meshclash.tests/1", "tests": [test]}))
    assert main(["tests", "convert", str(tests), str(tmp_path / "out.csv")]) == 2
    assert "test 'Ducts' cannot be written as a matrix cell" in capsys.readouterr().err


def test_a_model_with_new_global_ids_that_was_moved_is_decided_again(crossing, tmp_path, capsys):
    """Its objects were said to be removed, and the decisions about them were not listed."""
    hvac = crossing[1]
    old, new, journal = tmp_path / "old.json", tmp_path / "new.json", tmp_path / "week.meshclash-journal"
    assert detect(*crossing, "--quiet", "--report", old, "--journal", journal) == 0
    (key,) = (pair["id"] for pair in read(old)["pairs"] if {pair["a"], pair["b"]} == {"Duct", "Slab"})
    say = ["--status", "approved", "--comment", "sleeve", "--journal", str(journal)]
    assert main(["review", "set", str(old), key, *say]) == 0
    decided(old)
    capsys.readouterr()
    kept = journal.read_bytes()

    write_cubes(hvac, [(ids("E01"), "Duct", 1.75), (ids("E02"), "Pipe", 2.65)])
    for options in (["--baseline", old], ["--journal", journal], ["--baseline", old, "--journal", journal]):
        journal.write_bytes(kept)
        assert detect(*crossing, "--report", new, *options) == 0
        told, data = capsys.readouterr(), read(new)
        assert "decide again: Duct | Slab: it was approved" in told.out
        assert ("model 'hvac' has new GlobalIds" in told.err) == ("--baseline" in options)
        rows = {frozenset((pair["a"], pair["b"])): pair for pair in data["pairs"]}
        again = {frozenset((item["a"], item["b"])): item["candidates"] for item in data["undecided"]}
        row = rows[frozenset(("Duct", "Slab"))]
        assert again[frozenset(("Duct", "Slab"))] == [row["id"]] and row["status"] == "open" and row["decide_again"]

    write_cubes(hvac, [(ids("E01"), "Duct", 1.95), (ids("E02"), "Vent", 2.65)])
    assert detect(*crossing, "--quiet", "--report", new, "--baseline", old) == 0
    assert {item["detail"]: item["why"] for item in read(new)["gone"]} == {
        "Duct": "object changed or moved", "Pipe": "object removed"
    }  # fmt: skip
    capsys.readouterr()
    assert main(["report", "diff", str(old), str(new)]) == 0
    assert "object changed or moved: Duct" in capsys.readouterr().out


def test_a_gone_clash_says_why(crossing, tmp_path, capsys):
    """The first reason that applies."""
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    assert detect(*crossing, "--quiet", "--report", old) == 0

    def reasons(*arguments):
        assert detect(*arguments, "--quiet", "--report", new, "--baseline", old) == 0
        in_report = {(pair["a"], pair["b"]): (pair["why"], pair["detail"]) for pair in read(new)["gone"]}
        capsys.readouterr()
        assert main(["report", "diff", str(old), str(new), "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        told = {(pair["a"], pair["b"]): (pair["why"], pair["detail"]) for pair in found["gone"] + found["not_tested"]}
        assert told == in_report
        return {" ".join(sorted(pair)): why for pair, why in told.items()}

    arch, hvac = crossing
    away = ("model not loaded", "hvac")
    assert reasons(arch) == {"Duct Pipe": away, "Duct Slab": away}
    assert detect(arch, "--quiet", "--baseline", old, "--fail-on", "new") == 0
    assert detect(arch, "--quiet", "--baseline", old, "--fail-on", "not-tested") == 1
    assert main(["report", "diff", str(old), str(new), "--fail-on", "not-tested"]) == 1
    changed = ("set or rule changed", "pairs")
    assert reasons(*crossing, "--pairs", "within-models") == {"Duct Slab": changed}
    assert reasons(*crossing, "--exclude-pair", "Duct::Slab") == {"Duct Slab": ("set or rule changed", "exclude_pairs")}
    changed, all_pairs = ("set or rule changed", "permitted_overlap"), ("Duct Pipe", "Duct Slab", "Slab Wall")
    assert reasons(*crossing, "--permitted-overlap", "0.5") == dict.fromkeys(all_pairs, changed)
    write_cubes(hvac, [(ids("D02"), "Pipe", 2.7)])
    assert reasons(*crossing) == dict.fromkeys(("Duct Pipe", "Duct Slab"), ("object removed", "Duct"))
    write_cubes(hvac, [(ids("D01"), "Duct", 1.95), (ids("D02"), "Pipe", 2.7)])
    assert reasons(*crossing) == {"Duct Slab": ("object changed or moved", "Duct")}
    write_cubes(hvac, [(ids("D01"), "Duct", 1.9), (ids("D02"), "Pipe", 2.7)])
    assert reasons(*crossing) == {"Duct Slab": ("object changed or moved", "Duct")}
    out = main(["report", "diff", str(old), str(new)])
    assert out == 0 and "- clash Duct | Slab 100 mm (object changed or moved: Duct)" in capsys.readouterr().out


def test_reasons_of_unchanged_objects():
    """Where nothing else has changed: another verdict, or solved."""
    thing = {"own_name": "A", "models": ["m"], "GlobalId": "G", "box": [0, 0, 0, 1, 1, 1], "triangles": 12, "area": 6.0}
    tested = [{**thing, "object": name, "GlobalId": name} for name in "ab"]
    pair = {"a": "A", "b": "B", "object_a": "a", "object_b": "b", "verdict": "clash", "id": pair_id("a", "b")}
    old = {"pairs": [pair], "tested": tested, "models": [{"name": "m"}], "options": {"set_a": "all"}}
    for verdict, why in (("touching", "verdict changed"), ("", "solved")):
        new = {**old, "pairs": [{**pair, "verdict": verdict}] if verdict else []}
        (gone,) = difference(old, new)["gone"]
        assert (gone["why"], gone["detail"]) == (why, verdict)
    assert [len(some) for some in difference(old, old).values()] == [0, 1, 0, 0]


def test_decisions_at_the_command_line(crossing, tmp_path, capsys):
    """Pairs and groups, on a journal that lives through revisions."""
    report, journal = tmp_path / "monday.json", tmp_path / "project.meshclash-journal"
    run = [*crossing, "--quiet", "--report", report, "--journal", journal]
    assert detect(*run) == 0
    data = read(report)
    by_names = {" ".join(sorted((pair["a"], pair["b"]))): pair["id"] for pair in data["pairs"]}

    def review(what, *arguments):
        capsys.readouterr()
        code = main(["review", what, str(report), "--journal", str(journal), *map(str, arguments)])
        told = capsys.readouterr()
        return code, told.out, told.err

    slab, across = by_names["Slab Wall"], by_names["Duct Slab"]
    number = next(group["pairs"] for group in data["groups"] if across in group["pairs"])
    at = data["groups"].index(next(group for group in data["groups"] if group["pairs"] is number)) + 1
    assert review("set", f"group:{at}", "--status", "reviewed", "--name", "Ducts through slabs")[0] == 0
    listed = json.loads(review("list", "--json")[1])
    group = next(item for item in listed["groups"] if item["number"] == at)
    assert group["name"] == "Ducts through slabs" and {pair["status"] for pair in group["pairs"]} <= {"reviewed"}
    said = ["--status", "approved", "--assignee", "Anna", "--comment", "agreed on site", "--author", "Ben"]
    assert review("set", slab[:6], *said)[0] == 0
    code, out, _ = review("list", "--status", "approved")
    assert code == 0 and f'{slab}  clash Slab | Wall 100 mm: approved, for Anna, "agreed on site"' in out
    assert out.endswith("1 pair of 3\n") and across not in out
    assert "Ben: agreed on site" in review("show", slab)[1]

    write_cubes(crossing[1], [(ids("D01"), "Duct", 1.8), (ids("D02"), "Pipe", 2.7), (ids("D03"), "Duct", 0.95)])
    assert detect(*run) == 0
    now = {pair["id"]: pair for pair in read(report)["pairs"]}
    assert (now[slab]["status"], now[slab]["assignee"], now[slab]["comment"]) == ("approved", "Anna", "agreed on site")
    assert now[across]["status"] == "reviewed"
    new = [pair for key, pair in now.items() if key not in by_names.values()]
    assert new and {pair["status"] for pair in new} == {"open"}
    assert detect(crossing[0], *run[2:]) == 0 and detect(*run) == 0
    assert {pair["id"]: pair["status"] for pair in read(report)["pairs"]} == {
        key: x["status"] for key, x in now.items()
    }
    history = History(Journal(journal).events.values())
    assert history.progress(slab) == "active" and history.decisions[slab].comments[0].author == "Ben"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["set", "{report}", "zzzz", "--status", "approved"], "the report has no pair whose id starts with 'zzzz'"),
        (["set", "{report}", "z", "--status", "approved"], "'z' is too short: give the first 4 characters"),
        (["set", "{report}", "group:9", "--status", "approved"], "the report has no group:9"),
        (["set", "{report}", "all"], "no change is given"),
        (["set", "{report}", "all", "--name", "x"], "--name renames one group"),
        (["set", "{report}", "all", "--status", "done"], "invalid choice"),
        (["list", "{report}", "--journal", "decisions.txt"], "must end in .meshclash-journal"),
        (["list", "missing.json"], "missing.json"),
    ],
)
def test_wrong_reviews_are_refused(crossing, tmp_path, arguments, message, capsys):
    report = tmp_path / "report.json"
    assert detect(*crossing, "--quiet", "--report", report) == 0
    assert main(["review", *[text.replace("{report}", str(report)) for text in arguments]]) == 2
    assert message in capsys.readouterr().err


def test_a_gone_clash_can_be_shown_and_what_a_list_leaves_out_is_said(crossing, tmp_path, capsys):
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    assert detect(*crossing, "--quiet", "--report", first) == 0
    write_cubes(crossing[1], [(ids("D01"), "Duct", 9.0)])
    assert detect(*crossing, "--quiet", "--report", second, "--baseline", first) == 0
    gone = {pair["id"]: pair for pair in read(second)["gone"]}
    assert gone
    key, pair = next(iter(gone.items()))
    capsys.readouterr()
    assert main(["review", "show", str(second), key[:8]]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith(f"{key}  clash") and f"gone: {pair['why']}: {pair['detail']}" in shown
    assert main(["review", "set", str(second), key, "--status", "approved"]) == 2
    assert f"the pair {key} is gone ({pair['why']}: {pair['detail']})" in capsys.readouterr().err
    assert main(["review", "list", str(second)]) == 0
    assert f"not listed: {counted(len(gone), 'pair')} of the baseline that" in capsys.readouterr().out


def test_pairs_that_need_no_decision_are_counted(tmp_path, capsys):
    report, file = tmp_path / "report.json", tmp_path / "m.ifc"
    write_cubes(file, [(ids("S01"), "Slab", 0.0), (ids("S02"), "Slab", 1.0)])
    assert detect(file, "--quiet", "--report", report) == 0
    assert [pair["verdict"] for pair in read(report)["pairs"]] == ["touching"]
    assert main(["review", "list", str(report)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[-2:] == ["not listed: 1 touching or other pair that needs no decision", "0 pairs of 0"]


def test_a_baseline_is_taken_over_into_a_journal(crossing, tmp_path):
    first, second, journal = tmp_path / "1.json", tmp_path / "2.json", tmp_path / "p.meshclash-journal"
    assert detect(*crossing, "--quiet", "--report", first) == 0
    decided(first)
    assert detect(*crossing, "--quiet", "--report", second, "--baseline", first, "--journal", journal) == 0
    assert detect(*crossing, "--quiet", "--report", second, "--journal", journal) == 0
    assert check_comments(read(second)) == 3
    assert {pair["status"] for pair in read(second)["pairs"]} == {"approved"}


def test_a_journal_moves_no_decision_to_another_object_of_the_name(tmp_path):
    """Objects without GlobalIds: what has the name now, elsewhere, is decided again."""
    report, journal = tmp_path / "report.json", tmp_path / "p.meshclash-journal"

    def run(x):
        path = write_cubes(tmp_path / "m.ifc", [("", "Bolt", x), (ids("S01"), "Slab", 0.5)])
        assert detect(path, "--quiet", "--report", report, "--journal", journal) == 0
        return read(report)

    (pair,) = run(0.0)["pairs"]
    assert main(["review", "set", str(report), "all", "--status", "approved", "--journal", str(journal)]) == 0
    assert run(0.0)["pairs"][0]["status"] == "approved"
    data = run(1.0)
    (other,) = data["pairs"]
    assert other["id"] == pair["id"] and other["status"] == "open" and other["decide_again"]
    assert [item["candidates"] for item in data["undecided"]] == [[pair["id"]]]


def test_a_journal_is_newer_than_a_baseline_and_a_colleague_is_newer_than_both(crossing, tmp_path, capsys):
    """What a baseline said replaced later decisions of the journal; a colleague's words about a gone pair were lost."""
    first, second, journal = tmp_path / "1.json", tmp_path / "2.json", tmp_path / "week.meshclash-journal"
    sent, back = tmp_path / "sent.bcf", tmp_path / "back.bcf"
    assert detect(*crossing, "--quiet", "--report", second, "--journal", journal) == 0
    slab, duct = (
        next(pair["id"] for pair in read(second)["pairs"] if {pair["a"], pair["b"]} == names)
        for names in ({"Slab", "Wall"}, {"Duct", "Slab"})
    )
    assert main(["review", "set", str(second), "all", "--status", "reviewed", "--assignee", "Ben"]) == 0
    assert detect(*crossing, "--quiet", "--report", first, "--report", sent, "--bcf", "pair", "--journal", journal) == 0
    assert {pair["status"] for pair in read(first)["pairs"]} == {"reviewed"}
    assert main(["review", "set", str(second), slab, "--status", "approved"]) == 0  # after the report was sent
    with zipfile.ZipFile(sent) as old, zipfile.ZipFile(back, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if duct.encode() in content and name.endswith("markup.bcf"):
                content = content.replace(b'TopicStatus="Reviewed"', b'TopicStatus="Resolved"').replace(b"Ben", b"Eve")
            new.writestr(name, content)
    write_cubes(crossing[1], [(ids("D02"), "Pipe", 2.7)])  # the duct is gone
    capsys.readouterr()
    assert detect(*crossing, "--report", second, "--baseline", first, "--reviews", back, "--journal", journal) == 0
    assert "back.bcf: decisions about 1 pair changed\n" in capsys.readouterr().err
    assert {pair["id"]: pair["status"] for pair in read(second)["pairs"]}[slab] == "approved"
    assert main(["review", "show", str(second), duct]) == 0
    shown = capsys.readouterr().out
    assert "status: resolved" in shown and "assignee: Eve" in shown and "gone: object removed: Duct" in shown
    assert "(model hvac, " in shown or "(model arch, " in shown


def test_a_review_finds_the_journal_that_the_report_names(crossing, tmp_path, capsys):
    """Without --journal, decisions went to another journal than that of the detection, without a word."""
    (tmp_path / "kept").mkdir()
    report, journal = tmp_path / "monday.json", tmp_path / "week.meshclash-journal"
    assert detect(*crossing, "--quiet", "--report", report, "--journal", journal) == 0
    assert main(["review", "set", str(report), "all", "--status", "approved", "--comment", "seen"]) == 0
    assert main(["review", "set", str(report), "group:1", "--name", "Ducts"]) == 0
    assert [path.name for path in tmp_path.glob("*.meshclash-journal")] == [journal.name]
    sent = tmp_path / "sent.bcf"
    assert detect(*crossing, "--quiet", "--report", report, "--report", sent, "--journal", journal) == 0
    assert {pair["status"] for pair in read(report)["pairs"]} == {"approved"}
    assert read(report)["groups"][0]["name"] == "Ducts"
    topic = next(topic for topic in read_bcf(sent).topics if "1: Ducts: " in topic.element.findtext("Title"))
    assert [comment.text for comment in topic.comments] == ["seen"]
    journal.rename(tmp_path / "kept" / journal.name)
    capsys.readouterr()
    assert main(["review", "list", str(report)]) == 2
    assert "are in 'week.meshclash-journal', which is not beside it: add --journal" in capsys.readouterr().err


@pytest.mark.parametrize("named", [False, True])
def test_a_decision_that_waits_in_a_journal_is_listed_until_its_pairs_are_decided(crossing, tmp_path, capsys, named):
    """It was listed only by the first run, and never with named tests."""
    hvac, journal = crossing[1], tmp_path / "week.meshclash-journal"
    report, earlier, matrix = tmp_path / "report.json", tmp_path / "earlier.json", tmp_path / "matrix.csv"
    matrix.write_text("model,arch,hvac\narch,x,x\nhvac,,x\n")

    def run(*more):
        given = [*more, *(["--tests", matrix] if named else [])]
        assert detect(*crossing, "--report", report, "--journal", journal, *given) == 0
        told = capsys.readouterr().out
        lines = [line for line in told.splitlines() if line.startswith("decide again: ")]
        waiting = [item["candidates"] for item in read(report)["undecided"] if item["candidates"]]
        assert len(lines) == len(waiting) and all("it was approved" in line for line in lines)
        return waiting, read(report)

    def pair_of(data):
        return next(pair["id"] for pair in data["pairs"] if {pair["a"], pair["b"]} == {"Duct", "Slab"})

    say = ["--status", "approved", "--comment", "sleeve", "--journal", str(journal)]
    assert main(["review", "set", str(report), pair_of(run()[1]), *say]) == 0
    write_cubes(hvac, [(ids("E01"), "Duct", 1.75), (ids("E02"), "Pipe", 2.65)])
    for options in ((), (), ("--baseline", earlier), ("--baseline", earlier), ()):
        shutil.copy(report, earlier)
        waiting, data = run(*options)
        assert waiting == [[pair_of(data)]]
        assert next(pair["decide_again"] for pair in data["pairs"] if pair["id"] == pair_of(data))
    assert main(["review", "set", str(report), pair_of(data), *say]) == 0
    assert not run()[0] and not run("--baseline", earlier)[0]


def test_a_gone_clash_of_a_named_test_keeps_its_decision_through_a_new_export(crossing, tmp_path):
    """Its test was forgotten with it, so that it had another id when it came back."""
    hvac, journal, matrix = crossing[1], tmp_path / "week.meshclash-journal", tmp_path / "matrix.csv"
    report = tmp_path / "report.json"
    matrix.write_text("model,arch,hvac\narch,x,x\nhvac,,x\n")
    run = [*crossing, "--quiet", "--report", report, "--journal", journal, "--tests", matrix]
    things = [(ids("D01"), "Duct", 1.8), (ids("D02"), "Pipe", 2.7)]
    assert detect(*run) == 0
    decided_now = ["--status", "approved", "--journal", str(journal)]
    assert main(["review", "set", str(report), "all", *decided_now]) == 0
    before = read(report)["pairs"]
    away = tmp_path / "away.ifc"
    shutil.copy(crossing[0], away)
    write_cubes(crossing[0], [(ids("X01"), "Other", 50.0)])
    assert detect(*run) == 0  # every clash is gone
    write_cubes(hvac, [(f"{key[:-3]}E{key[-2:]}", name, x) for key, name, x in things])
    assert detect(*run) == 0
    shutil.copy(away, crossing[0])
    assert detect(*run) == 0
    after = {frozenset((pair["a"], pair["b"])): pair["status"] for pair in read(report)["pairs"]}
    assert after == {frozenset((pair["a"], pair["b"])): "approved" for pair in before}


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_what_waits_in_a_journal_waits_until_it_is_decided(tmp_path_factory, seed):
    rng = np.random.default_rng(seed)
    history, journal = model_histories.History(rng), tmp_path_factory.mktemp("j") / "j.meshclash-journal"

    def run():
        now = model_histories.Run(history.now, {}, None)
        for row in now.rows.values():
            row.verdict = "clash"
        report = DetectReport(
            "", 1.0, DetectOptions(), [*now.rows.values()], things=now.things,
            models=[{"name": name} for name in history.now.models],
        )  # fmt: skip
        return recorded(report, journal, "Ann", [item.id for item in now.things.values()])

    for _ in range(3):
        report = run()
        waiting = waits(report)
        assert waits(run()) == waiting
        if waiting and rng.random() < 0.5:
            candidates = {key for *_, keys in waiting for key in keys}
            Journal(journal).add(said_events("Ann", sorted(candidates), "status", "approved"))
            assert not waits(run())
        some = rng.choice(sorted(row.id for row in report.rows), min(15, len(report.rows)), replace=False)
        Journal(journal).add(said_events("Ann", [str(key) for key in some], "status", "reviewed"))
        for _ in range(rng.integers(1, 6)):
            history.turn()


def waits(report):
    """The decisions that a report lists under "decide again", with the pairs to which they may belong."""
    return {(frozenset(item.pair.names), item.pair.review, frozenset(item.candidates)) for item in report.again}


@pytest.fixture
def hall(tmp_path):
    """Six posts of a model that stand in the slab of another one, and a duct in a wall."""
    posts = [(ids(f"P{k:02}"), f"Post-{k}", 3.0 * k + 0.1 * k) for k in range(6)]
    arch = write_cubes(tmp_path / "arch.ifc", [*posts, (ids("W01"), "Wall", 90.0)])
    slabs = [(ids(f"S{k:02}"), f"Slab-{k}", 3.0 * k + 0.6) for k in range(6)]
    return [arch, write_cubes(tmp_path / "str.ifc", [*slabs, (ids("D01"), "Duct", 90.5)])]


def topics_of(path):
    return {topic.guid: topic for topic in read_bcf(path).topics}


def test_a_topic_for_each_group_is_seen_from_one_viewpoint(hall, tmp_path):
    report, bcf, single = (tmp_path / name for name in ("r.json", "r.bcf", "pairs.bcfzip"))
    assert detect(*hall, "--quiet", "--report", report, "--report", bcf) == 0
    assert detect(*hall, "--quiet", "--bcf", "pair", "--report", single) == 0
    data = read(report)
    assert len(topics_of(single)) == len(data["pairs"]) == 7 and read_bcf(single).version == "2.1"
    topics = topics_of(bcf)
    assert [*topics] == [group["topic"] for group in data["groups"]] and len(topics) < 7
    pairs, told = {pair["id"]: pair for pair in data["pairs"]}, {item["name"]: item for item in data["objects"]}
    for group in data["groups"]:
        topic = topics[group["topic"]]
        view = next(topic.viewpoints)
        members = sorted((pairs[key] for key in group["pairs"]), key=data["pairs"].index)
        wanted = dict.fromkeys(told[pair[side]]["GlobalId"] for pair in members for side in "ab")
        assert [item.get("IfcGuid") for item in view.findall("Components/Selection/Component")] == [*wanted]
        coloured = [item.get("IfcGuid") for item in view.findall("Components/Coloring/Color/Components/Component")]
        assert sorted(coloured) == sorted(wanted)
        eye, ahead, up = (
            np.array([float(view.find(f"PerspectiveCamera/{name}").findtext(axis)) for axis in "XYZ"])
            for name in ("CameraViewPoint", "CameraDirection", "CameraUpVector")
        )
        slope = np.tan(np.radians(0.5 * float(view.findtext("PerspectiveCamera/FieldOfView"))))
        planes = view.findall("ClippingPlanes/ClippingPlane")
        for pair in members:
            away = np.array(pair["location"]) - eye
            depth = away @ ahead
            assert depth > 0.0 and max(abs(away @ up), abs(away @ np.cross(ahead, up))) <= slope * depth
            for plane in planes:
                at, out = (
                    np.array([float(plane.find(name).findtext(axis)) for axis in "XYZ"])
                    for name in ("Location", "Direction")
                )
                assert (np.array(pair["location"]) - at) @ out < 0.0


def test_a_topic_keeps_its_guid_while_the_group_is_the_same(hall, tmp_path):
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    assert detect(*hall, "--quiet", "--report", first) == 0
    before = {group["topic"]: {*group["pairs"]} for group in read(first)["groups"]}
    slabs = [(ids(f"S{k:02}"), f"Floor-{k}", 3.0 * k + 0.65) for k in range(5)]  # renamed, moved, one is gone
    write_cubes(hall[1], [*slabs, (ids("D01"), "Duct", 90.5), (ids("D02"), "Duct", 89.5)])
    assert detect(*hall, "--quiet", "--report", second, "--baseline", first) == 0
    after = {group["topic"]: {*group["pairs"]} for group in read(second)["groups"]}
    largest = max(before, key=lambda topic: len(before[topic]))
    assert len(after[largest] & before[largest]) >= 4
    assert len({*after}) == len(read(second)["groups"])


def changed(path, change):
    """A BCF file in which another program changed its topics."""
    file = read_bcf(path)
    for topic in file.topics:
        change(topic)
    path.write_bytes(file.to_bytes())


@pytest.mark.parametrize("ending", [".bcf", ".bcfzip"])
def test_what_is_said_of_a_group_reaches_its_members_alone(hall, tmp_path, ending):
    first, bcf, second = tmp_path / "1.json", tmp_path / f"1{ending}", tmp_path / "2.json"
    assert detect(*hall, "--quiet", "--report", first) == 0
    data = read(first)
    large = max(data["groups"], key=lambda group: len(group["pairs"]))
    data["pairs"][0].update(status="resolved", comment="moved by 5 mm")
    first.write_text(json.dumps(data))
    assert detect(*hall, "--quiet", "--baseline", first, "--report", bcf) == 0

    assert detect(*hall, "--quiet", "--baseline", first, "--reviews", bcf, "--report", second) == 0
    same = {pair["id"]: (pair["status"], pair["comment"]) for pair in read(second)["pairs"]}
    assert same == {pair["id"]: (pair["status"], pair["comment"]) for pair in data["pairs"]}, "nobody changed it"

    changed(bcf, lambda topic: topic.element.set("TopicStatus", "Approved") if topic.guid == large["topic"] else None)
    slab = [(ids("S00"), "Slab-0", 0.6), (ids("S77"), "Slab-7", 15.0), (ids("D01"), "Duct", 90.5)]
    write_cubes(hall[1], [*slab, *((ids(f"S{k:02}"), f"Slab-{k}", 3.0 * k + 0.6) for k in range(1, 6))])
    assert detect(*hall, "--quiet", "--reviews", bcf, "--report", second) == 0
    now = {pair["id"]: pair for pair in read(second)["pairs"]}
    assert {now[key]["status"] for key in large["pairs"]} == {"approved"}
    others = [pair for key, pair in now.items() if key not in large["pairs"]]
    assert others and all(pair["status"] != "approved" for pair in others)


def test_bcf_client_reads_a_topic_of_a_group_with_all_its_components(hall, tmp_path):
    library = pytest.importorskip("bcf.bcfxml")
    for ending in (".bcf", ".bcfzip"):
        report, path = tmp_path / "r.json", tmp_path / f"r{ending}"
        assert detect(*hall, "--quiet", "--report", report, "--report", path) == 0
        with library.load(path) as file:
            groups = {group["topic"]: group for group in read(report)["groups"]}
            assert {*file.topics} == {*groups}
            for guid, topic in file.topics.items():
                view = next(iter(topic.viewpoints.values())).visualization_info
                found = {item.ifc_guid for item in view.components.selection.component}
                assert len(found) == 2 * len(groups[guid]["pairs"])


def as_before_models(data, files):
    """A report as it was written before models were told apart."""
    keys = {item["name"]: item.get("GlobalId") or item["name"] for item in data["objects"]}
    for pair in data["pairs"]:
        pair["id"] = pair_id(keys[pair["a"]], keys[pair["b"]])
        for name in ("object_a", "object_b", "model_a", "model_b", "decide_again", "assignee"):
            del pair[name]
    for item in data["objects"]:
        for name in ("model", "file"):
            item.pop(name)
    for name in ("tested", "models", "shared", "warnings", "undecided", "gone"):
        del data[name]
    return data


def test_decisions_of_before_models_are_taken_over(crossing, tmp_path):
    write_cubes(crossing[1], [("", "Duct", 1.8), (ids("D02"), "Pipe", 2.7)])
    old, new, bcf = tmp_path / "old.json", tmp_path / "new.json", tmp_path / "old.bcf"
    assert detect(*crossing, "--quiet", "--report", old) == 0
    decided(old)
    data = as_before_models(read(old), crossing)
    old.write_text(json.dumps(data))
    bcf.write_bytes(to_bcf(data, "2.1"))
    for options in (["--baseline", old, "--fail-on", "new"], ["--reviews", bcf]):
        assert detect(*crossing, "--quiet", "--report", new, *options) == 0
        assert check_comments(read(new)) == 3
    write_cubes(crossing[1], [("", "Duct", 1.82), (ids("D02"), "Pipe", 2.7)])  # who knows whether it is the same
    for options in (["--baseline", old], ["--reviews", bcf]):
        assert detect(*crossing, "--quiet", "--report", new, *options) == 0
        assert check_comments(read(new)) == 1
        assert sum(pair["decide_again"] for pair in read(new)["pairs"]) == 2
    other = write_cubes(tmp_path / "other.ifc", [(ids("A01"), "Wall", 0.0), (ids("A02"), "Slab", 0.9)])
    assert detect(other, "--quiet", "--report", new, "--baseline", old) == 0
    assert check_comments(read(new)) == 0, "another file has the GlobalIds"


def test_reading_says_how_far_it_is_and_stops_between_shapes(hall, tmp_path):
    told = []
    reading = mc.steps(mc.read, hall[0])
    for progress in reading:
        told.append((progress.fraction, progress.text))
        if progress.text == "3 of 7 shapes":
            break
    reading.close()
    assert [text for _, text in told] == [
        "reading", "parsing", "7 products", "0 of 7 shapes", "1 of 7 shapes", "2 of 7 shapes", "3 of 7 shapes"
    ]  # fmt: skip
    assert [share for share, _ in told] == sorted(share for share, _ in told)
    assert len(mc.read(hall[0])) == 7


def test_reading_several_files_says_which_one(hall):
    told = []
    steps = FileSource(hall).read_steps("all", "all", None)
    run_to_end(steps, told.append)
    shares, texts = zip(*told, strict=True)
    assert [*shares] == sorted(shares) and min(shares) >= 0.0 and max(shares) <= 1.0
    for path in hall:
        assert f"{path.name}: parsing" in texts and any(text.startswith(f"{path.name}: 1 of ") for text in texts)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_progress_is_shown_without_rich(is_terminal, monkeypatch, capsys):
    now = [100.0]
    monkeypatch.setattr(command_line, "is_terminal", lambda _: is_terminal)
    monkeypatch.setattr(command_line.time, "monotonic", lambda: now[0])
    line = command_line.ProgressLine()
    for k in range(100):
        line.show(Progress(0.1, f"m.ifc: {k} of 100 shapes"))
        now[0] += 1.0
    shown = capsys.readouterr().err
    if is_terminal:
        assert shown.count("\r") == 100 and "\n" not in shown
    else:
        assert shown.splitlines() == [f" 10 %  m.ifc: {k} of 100 shapes" for k in (3, 33, 63, 93)]
