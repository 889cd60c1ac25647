"""The bench ``exactness``: an unusable state file, and its faster oracle."""

import shutil

import numpy as np
import pytest
from bench import exactness
from bench.__main__ import main
from bench.native_oracle import NativeOracle
from oracles.generators import CLASSES
from oracles.oracle import classify_pairs


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
