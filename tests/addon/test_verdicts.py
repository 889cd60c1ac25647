"""The table of verdicts: whole, in the engine's order, and the only place that a new verdict touches."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from meshclash.clash import verdicts
from meshclash.clash.queries.registry import TESTS
from meshclash.clash.verdicts import FINAL_VERDICTS, PROVISIONAL_VERDICTS, VERDICTS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ENTRY = """
        VerdictEntry(
            "pierced", "Pierced", "pierced through", "List what is pierced", "COLLECTION_COLOR_07", CLASH,
            of_engine=True, clash=True, solid=True, pictured=True, style=RED,
        ),"""
FIRST = "for entry in ("


def test_every_verdict_is_said_by_a_test_or_provisional():
    assert {name for test in TESTS.values() for name in test.verdicts} == set(FINAL_VERDICTS)
    assert set(FINAL_VERDICTS) | set(PROVISIONAL_VERDICTS) == set(VERDICTS)
    assert not set(FINAL_VERDICTS) & set(PROVISIONAL_VERDICTS)


def test_tests_name_their_verdicts_in_the_order_of_the_table():
    places = {name: place for place, name in enumerate(VERDICTS)}
    for test in TESTS.values():
        assert [places[name] for name in test.verdicts] == sorted(places[name] for name in test.verdicts)


def test_the_severity_of_the_engines_verdicts_is_the_engines(engine):
    for name in verdicts.ENGINE_VERDICTS:
        if name != verdicts.UNDECIDED:
            assert verdicts.severity_of(engine, name) == getattr(engine.Verdict, name.upper()).severity
    assert verdicts.severity_of(engine, verdicts.UNDECIDED) == engine.Verdict.TOUCHING.severity
    assert verdicts.severity_of(engine, verdicts.NEAR) == 0


def test_what_shares_volume_clashes_and_what_has_none_does_not():
    for entry in VERDICTS.values():
        assert not (entry.solid and entry.no_volume)
        assert entry.clash or not entry.solid


@pytest.mark.slow
def test_a_new_verdict_is_one_entry_of_the_table(tmp_path):
    """A copy of the extension with one entry more detects, reports, saves, lists and filters it."""
    for folder in (ROOT / "addon", ROOT / "engine" / "meshclash"):
        shutil.copytree(folder, tmp_path / folder.name, ignore=shutil.ignore_patterns("__pycache__"))
    table = tmp_path / "meshclash" / "clash" / "verdicts.py"
    source = table.read_text("utf-8")
    assert source.count(FIRST) == 1
    table.write_text(source.replace(FIRST, FIRST + ENTRY), "utf-8")
    folders = (tmp_path, HERE)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    command = [sys.executable, HERE / "invented_verdict.py", tmp_path, "pierced"]
    ran = subprocess.run(command, check=False, env=environment, cwd=tmp_path, capture_output=True, text=True)
    lines = [line for line in ran.stdout.splitlines() if line.startswith("told ")]
    assert lines, ran.stdout + ran.stderr
    told = json.loads(lines[0].removeprefix("told "))
    assert told["verdicts"] == told["json"] == told["saved"] == ["pierced"]
    assert told["csv"] and told["html"] and told["table"] and told["fails"] == 1
    assert "1 pierced through" in told["summary"]
    assert "Pierced 1" in told["panel"] and "COLLECTION_COLOR_07" in told["icons"]
    assert told["listed"] == [1, 0], "the filter takes it off the list"
