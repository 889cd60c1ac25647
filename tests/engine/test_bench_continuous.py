"""A small part of `python -m bench continuous`, with data made here; its faster oracle, and its state."""

import json
import shutil

import numpy as np
import pytest
from bench import impact_runs, tally
from bench.__main__ import main
from bench.native import DriverUnavailable, compiled
from bench.native_impacts import NativeImpacts, python_brackets
from meshclash.continuous.impacts import point_triangle_impacts
from oracles.impact_cases import CASES, make_cases
from oracles.impact_oracle import first_moment


def hits(x, edges):
    return np.array([first_moment(row[:4], row[4:], edges) is not None for row in x])


def write_data(folder):
    """Queries, and a scene of two sheets that pass through each other, with two of its pairs labelled."""
    x = make_cases("integers", 40, seed=2)
    np.savez(folder / "queries.npz", **{"a/vf": x, "a/vf_hit": hits(x, False), "a/ee": x, "a/ee_hit": hits(x, True)})
    rng = np.random.default_rng(3)
    grid = np.stack(np.meshgrid(np.arange(5), np.arange(5), indexing="ij"), axis=-1).reshape(-1, 2)
    quads = [(5 * i + j, 5 * i + j + 5, 5 * i + j + 1) for i in range(4) for j in range(4)]
    quads += [(5 * i + j + 1, 5 * i + j + 5, 5 * i + j + 6) for i in range(4) for j in range(4)]
    sheets = [np.column_stack([grid, np.full(25, z) + 0.1 * rng.random(25)]) for z in (0.0, 1.0)]
    start, end = np.concatenate(sheets), np.concatenate(sheets[::-1])
    triangles = np.concatenate([quads, np.add(quads, 25)])
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    edges = np.unique(np.sort(sides, axis=1), axis=0)
    pairs = np.array([[0, 40], [3, 41]])
    one, both = np.c_[pairs[:, 0], triangles[pairs[:, 1]]], np.c_[edges[pairs[:, 0]], edges[pairs[:, 1]]]
    np.savez(
        folder / "sheets.npz", start=start, end=end, triangles=triangles, edges=edges, vf=pairs, ee=pairs,
        vf_hit=hits(np.concatenate([start[one], end[one]], axis=1), False),
        ee_hit=hits(np.concatenate([start[both], end[both]], axis=1), True),
    )  # fmt: skip


@pytest.mark.slow
def test_a_small_run_finds_nothing_wrong(tmp_path, capsys):
    write_data(tmp_path)
    report = tmp_path / "report.json"
    sizes = ["--made", "1", "--candidates", "30", "--scenes", "2", "--certificates", "60"]
    assert main(["continuous", "--data", str(tmp_path), *sizes, "--json", str(report)]) == 0
    found = json.loads(report.read_text())
    assert "nothing wrong" in capsys.readouterr().out
    of_scene = [row for row in found["judged"] if row["set"].startswith("sheets")]
    assert sum(row["queries"] for row in of_scene) > 10 and sum(row["hits"] for row in of_scene)
    assert sum(row["queries"] for row in found["judged"]) == 2 * len(CASES) + sum(row["queries"] for row in of_scene)
    assert found["scenes"][0]["pairs"] > 0 and found["scenes"][0]["found by steps"] > 0
    assert sum(row["made"] for row in found["proofs"]) >= 60


def has_native_oracle():
    if shutil.which("g++") is None:
        return False
    try:
        compiled("impact_oracle", ("gmp",))
    except DriverUnavailable:
        return False
    return True


@pytest.mark.slow
@pytest.mark.skipif(not has_native_oracle(), reason="no compiler, or no GMP")
def test_both_oracles_say_the_same():
    with NativeImpacts() as oracle:
        for name in CASES:
            for edges in (False, True):
                x = make_cases(name, 60, 8)
                assert np.array_equal(oracle.brackets(x, edges), python_brackets(x, edges), equal_nan=True), name


def test_wrong_answers_are_counted_and_shown():
    x = make_cases("integers", 60, 3)
    truth = python_brackets(x, False)
    counts, offenders = impact_runs.judge("vf", x, python_brackets)
    assert (counts["missed"], counts["false"], counts["time wrong"], offenders) == (0, 0, 0, [])
    found = point_triangle_impacts(x[:, :4], x[:, 4:])
    hits, misses = np.flatnonzero(found.hit), np.flatnonzero(~found.hit)
    found.hit[hits[0]], found.hit[misses[:2]] = False, True
    for i, time in zip(hits[1:4], (0.0, 1.0, found.time[hits[3]] - 2.0**-38), strict=True):
        truth[i] += 0.25 * (truth[i] == 0.0)
        found.time[i] = time
    wrong = {name: int(mask.sum()) for name, mask in impact_runs._wrong(found, truth).items()}
    assert wrong == {"missed": 1, "false": 2, "time wrong": 3}


def test_a_run_that_was_stopped_goes_on_and_another_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(impact_runs, "PORTION", 10)
    monkeypatch.setattr(impact_runs, "CASES", {name: CASES[name] for name in ("integers", "random")})
    whole, _ = impact_runs.judge_sets([], 0, 25, 4, None)
    judge, seen = impact_runs.judge, []

    def stop(kind, points, oracle):
        seen.append(len(points))
        if len(seen) == 6:
            raise KeyboardInterrupt
        return judge(kind, points, oracle)

    path = tmp_path / "state.json"
    monkeypatch.setattr(tally, "SECONDS_BETWEEN_SAVES", 0.0)
    monkeypatch.setattr(impact_runs, "judge", stop)
    with pytest.raises(KeyboardInterrupt):
        impact_runs.judge_sets([], 0, 25, 4, path)
    again, wrong = impact_runs.judge_sets([], 0, 25, 4, path)
    assert wrong == 0 and sum(seen) == 100 + 10  # the portion that was stopped is asked again
    kept = [key for key in whole[0] if not key.startswith("us")]
    assert [[row[key] for key in kept] for row in again] == [[row[key] for key in kept] for row in whole]
    monkeypatch.undo()
    assert main(["continuous", "--made", "3", "--state", str(path)]) == 2
    assert "state.json" in capsys.readouterr().err
