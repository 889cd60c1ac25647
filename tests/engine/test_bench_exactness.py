"""Long runs of the bench ``exactness``: stopped and gone on with, unusable state files, and its faster oracle."""

import json
import shutil

import numpy as np
import pytest
from bench import exactness
from bench.__main__ import main
from bench.exactness_state import COUNTERS, State, StateError
from bench.native_oracle import NativeOracle
from oracles.generators import CLASSES
from oracles.oracle import classify_pairs

COUNTS = dict.fromkeys(COUNTERS, 1)


def counted(path, portions):
    state = State(3, 10, path)
    for name in list(CLASSES)[state.done : state.done + portions]:
        state.add(name, COUNTS, [])
    state.save()
    return state


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path):
    path = tmp_path / "state.json"
    counted(path, 2)
    again = counted(path, 3)
    assert again.done == 5
    assert [counts["pairs"] for counts in again.classes.values()] == [1] * 5 + [0] * (len(CLASSES) - 5)
    assert [file.name for file in tmp_path.iterdir()] == ["state.json"]


@pytest.mark.parametrize(("seed", "portion", "says"), [(4, 10, "seed 3"), (3, 11, "portion 10")])
def test_the_state_of_another_run_is_refused(tmp_path, seed, portion, says):
    path = tmp_path / "state.json"
    counted(path, 1)
    with pytest.raises(StateError, match=says):
        State(seed, portion, path)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"schema": "other"}', "\x00\xff"])
def test_a_damaged_state_is_named(tmp_path, content):
    path = tmp_path / "state.json"
    path.write_text(content)
    with pytest.raises(StateError, match=r"state\.json"):
        State(3, 10, path)
    path.write_text(json.dumps({**json.loads(counted(tmp_path / "good.json", 1).saved()), "classes": {}}))
    with pytest.raises(StateError, match=r"state\.json"):
        State(3, 10, path)


def test_the_command_says_that_a_state_cannot_be_used(tmp_path, capsys):
    path = tmp_path / "state.json"
    path.write_text("{}")
    assert main(["exactness", "--state", str(path)]) == 2
    assert "state.json" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="no compiler")
def test_both_oracles_say_the_same_and_a_wrong_answer_is_counted(monkeypatch):
    with NativeOracle() as oracle:
        for name in CLASSES:
            a, b = exactness.make_pairs(name, 300, 5, 1)
            truth = classify_pairs(a, b)
            assert np.array_equal(oracle.classify_pairs(a, b), truth), name
    monkeypatch.setattr(exactness, "classify_triangle_pairs", lambda a, b: (np.full(len(a), 2), np.zeros(len(a), bool)))
    _, counts, offenders = exactness._judge(("random", 5, 1, 300, False))
    a, b = exactness.make_pairs("random", 300, 5, 1)
    kinds = classify_pairs(a, b)
    assert counts["verdict differs"] == (kinds == 0).sum() > 0
    assert counts["kind differs"] == ((kinds != 0) & (kinds != 2)).sum() > 0
    assert len(offenders) == 3
    assert all("0x" in text for text in offenders)
