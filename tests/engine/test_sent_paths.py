"""What is sent to others does not say where a disk keeps a project."""

import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ifc_samples import write_cubes
from meshclash.__main__ import main
from meshclash.clash.sent_paths import sent_path, without_folders

pytest.importorskip("ifcopenshell")
ids = "0000000000000000000{}".format
NAMES = st.text(st.characters(whitelist_categories=("L", "N"), whitelist_characters=" -_&."), min_size=1, max_size=8)
PARTS = NAMES.filter(lambda name: name.strip(". "))
FORMATS = ("json", "csv", "html", "xlsx", "bcf", "bcfzip", "xml", "sarif")


@given(st.lists(PARTS, max_size=4), PARTS, st.sampled_from(["/", "../", "a/../../", "C:\\", "\\\\server\\"]))
def test_a_file_outside_the_working_folder_has_only_its_name(folders, name, root):
    sign = "\\" if "\\" in root else "/"
    assert sent_path(root + sign.join(["SECRET", *folders, name])) == name
    assert without_folders(f"{root}SECRET{sign}{name}: bad", [f"{root}SECRET{sign}{name}"]) == f"{name}: bad"


@given(st.lists(PARTS, max_size=4), PARTS, st.booleans())
def test_a_file_in_the_working_folder_keeps_its_place_and_is_found_there(folders, name, absolute):
    path = Path(*folders, name)
    sent = sent_path(str(Path.cwd() / path if absolute else path))
    assert sent == path.as_posix() and sent_path(sent) == sent


def test_nothing_is_a_file_that_was_never_saved():
    assert sent_path("") == ""


def text_of(path):
    """Return all text of a report, that of the files in an archive too."""
    if not zipfile.is_zipfile(path):
        return path.read_text("utf-8")
    with zipfile.ZipFile(path) as archive:
        return "\n".join(archive.read(name).decode("utf-8", "replace") for name in archive.namelist())


@pytest.mark.parametrize("inside", [True, False])
def test_no_file_that_is_sent_names_a_folder_of_the_disk(tmp_path, monkeypatch, inside):
    folder, here = tmp_path / "SECRET" / "client", tmp_path / "here"
    folder.mkdir(parents=True)
    here.mkdir()
    first = write_cubes(folder / "arch.ifc", [(ids("A01"), "Wall", 0.0)])
    second = write_cubes(folder / "pipes.ifc", [(ids("B01"), "Pipe", 0.5)])
    monkeypatch.chdir(folder if inside else here)
    run, old = ["detect", first, second, "--quiet"], folder / "old.json"
    assert main([*map(str, run), "--report", str(old)]) == 0
    reports = [here / f"new.{ending}" for ending in FORMATS]
    run += ["--baseline", old]
    asked = [text for path in reports for text in ("--report", path)]
    assert main([*map(str, run), *map(str, asked)]) == 0
    for path in reports:
        assert "SECRET" not in text_of(path), path.name
    found = json.loads(reports[0].read_text("utf-8"))
    assert [item["path"] for item in found["files"]] == ["arch.ifc", "pipes.ifc"]
    assert found["file"] == "arch.ifc, pipes.ifc"
